# The views of real files of many formats hold what trusted tools say of them: each file of
# golden/checks has queries and the rows expected (checks of formats not listed here are skipped).
. "${srcdir:-.}/tests/lib.sh"

# A directory without a profile says which file it holds that another program makes readable.
mkdir "$work/directory"
printf 'PERFILE2data' >"$work/directory/perf.data"
echo notes >"$work/directory/README"
assert_exit 4 strata info -q "$work/directory"
assert_line "$work/err" 'holds no profile among 2 files in 1 directory; perf.data is a Linux perf.data; run: perf script'

need_command python3
need_corpus golden/checks

formats='bottleneck importtime lightning memory_profiler ncu perf_script pstats_text'
formats="$formats rocprof_compute speedscope xplane"
# Under sanitizers one question a file: they look for errors of memory, not for figures.
[ -n "${SANITIZERS-}" ] && most=1 || most=1000

cat >"$work/check.py" <<'PY'
import json, os, subprocess, sys

strata, corpus, most, formats = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]

def same(want, got, tolerance):
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        return abs(want - got) <= tolerance * max(abs(want), abs(got))
    return want == got

def holds(check, files):
    query = [strata, 'query', '-q', '-f', 'json', check['sql']] + files
    run = subprocess.run(query, capture_output=True, text=True)
    if run.returncode:
        return 'exit %d: %s' % (run.returncode, run.stderr.strip())
    rows = [list(row.values()) for row in json.loads(run.stdout)]
    want = check['expect']
    if 'ORDER BY' not in check['sql'].upper():
        rows, want = (sorted(part, key=lambda row: [str(cell) for cell in row])
                      for part in (rows, want))
    good = len(rows) == len(want) and all(
        len(a) == len(b) and all(same(x, y, check.get('tol') or 0) for x, y in zip(a, b))
        for a, b in zip(want, rows))
    return None if good else 'got %s instead of %s' % (rows, want)

bad = 0
for format in formats:
    folder = os.path.join(corpus, 'golden/checks', format)
    for name in sorted(os.listdir(folder)):
        sample = json.load(open(os.path.join(folder, name)))
        files = sample.get('files') or sample['file']
        files = files if isinstance(files, list) else [files]
        for check in sample.get('checks', [])[:most]:
            failure = holds(check, [os.path.join(corpus, file) for file in files])
            if failure and not (sample.get('either') and failure.startswith('exit 4')):
                print('%s, %s: %s' % (name, check['what'], failure))
                bad += 1
sys.exit(bad > 0)
PY
# shellcheck disable=SC2086
python3 "$work/check.py" "$builddir/strata" "$corpus" $most $formats || fail "the views and the golden values"
