# Values that other programs found in recorded profiles: strata's queries give the same.
. "${srcdir:-.}/tests/lib.sh"
need_corpus golden/checks
need_command python3

cat >"$work/compare.py" <<'PYTHON'
"""compare.py STRATA CORPUS FORMAT...: ask STRATA what the checks of these formats expect."""
import glob, json, subprocess, sys

def close(a, b, tolerance):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= tolerance * max(abs(a), abs(b))
    return a == b

def same(rows, expected, tolerance, ordered):
    if len(rows) != len(expected):
        return False
    if not ordered:
        rows, expected = sorted(rows, key=repr), sorted(expected, key=repr)
    return all(len(row) == len(other) and
               all(close(a, b, tolerance) for a, b in zip(row, other))
               for row, other in zip(rows, expected))

strata, corpus, formats = sys.argv[1], sys.argv[2], sys.argv[3:]
failed = done = 0
for name in [f for kind in formats for f in sorted(glob.glob(f"{corpus}/golden/checks/{kind}/*"))]:
    sample = json.load(open(name))
    files = sample.get("files") or [sample["file"]]
    for check in sample["checks"]:
        run = subprocess.run([strata, "query", "-q", "-f", "json", check["sql"]] +
                             [f"{corpus}/{file}" for file in files],
                             capture_output=True, text=True)
        answer = json.loads(run.stdout) if run.returncode == 0 and run.stdout else []
        rows = [list(row.values()) if isinstance(row, dict) else row
                for row in (answer.get("rows", []) if isinstance(answer, dict) else answer)]
        done += 1
        if not same(rows, check["expect"], check.get("tol", 0), "ORDER BY" in check["sql"]):
            failed += 1
            print(f"{name}: {check['what']}: {str(rows)[:300]} {run.stderr}", file=sys.stderr)
print(done, "checks")
sys.exit(failed != 0)
PYTHON

python3 "$work/compare.py" "$builddir/strata" "$corpus" ncu rocprof_compute xplane || fail "values differ"
