# What the views say of logs of torch.compile equals what is counted from their JSON: compilations,
# recompilations, graph breaks, cache outcomes, compile times, kernels.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_command python3

cat >"$work/count.py" <<'PY'
import csv, io, json, subprocess, sys
from collections import Counter

def records(path):
    found = []
    for line in open(path, errors="replace"):
        if line.startswith("\t"):
            if found and found[-1] is not None:
                found[-1][1].append(line[1:])
            continue
        try:
            found.append((json.loads(line[line.index("] {") + 2:]), []))
        except ValueError:
            found.append(None)
    return [(r[0], "".join(r[1])) for r in found if r]

def id_of(record):
    frame = record.get("frame_id")
    if frame is None:
        return "-"
    autograd = record.get("compiled_autograd_id")
    return ("" if autograd is None else "!%d/" % autograd) + "%d/%d" % (
        frame, record["frame_compile_id"])

def count(path):
    started, begun, total, caches = {}, Counter(), Counter(), Counter()
    seen, reasons, breaks, restarts, kernels = set(), {}, Counter(), Counter(), 0
    for record, payload in records(path):
        event, value = next(iter(record.items()))
        id = id_of(record)
        if id != "-":
            seen.add(id)
        if event == "dynamo_start":
            attempt = record.get("attempt") or 0
            if attempt <= started.get(id, -1):
                begun[id] += 1
            started[id] = attempt
        elif event == "compilation_metrics":
            seen.add(id)
            us = [value.get("dynamo_cumulative_compile_time_us")]
            if value.get("entire_frame_compile_time_s") is not None:
                us = [round(value["entire_frame_compile_time_s"] * 1e6)]
            total[id] += us[0] or 0
            restarts[id] += len(value.get("restart_reasons") or [])
            if value.get("recompile_reason"):
                reasons[id] = value["recompile_reason"]
        elif event == "artifact":
            name = value["name"]
            if name == "dynamo_graph_break_reason":
                breaks[id] += 1
            for cache in ("fx_graph_cache_", "aotautograd_cache_"):
                if name.startswith(cache) and name[len(cache):] in ("hit", "miss", "bypass"):
                    caches[name] += 1
        if event in ("inductor_output_code", "graph_dump"):
            kernels += payload.count("async_compile.triton('")
    for id, again in restarts.items():
        breaks[id] = breaks[id] or again
    return {"compilations": len(seen) + sum(begun.values()),
            "recompilations": len(reasons), "reasons": sorted(reasons.values()),
            "breaks": sum(breaks.values()), "us": sum(total.values()),
            "caches": dict(caches), "triton": kernels}

def view(path, name, columns):
    out = subprocess.run([sys.argv[1], "report", name, "-c", columns, "-f", "csv", path],
                         capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(out)))

def shown(path):
    rows = view(path, "compiles", "compile_id,guard,compile_ns,fx_cache,aot_cache,graph_breaks")
    caches = Counter()
    for row in rows:
        for column, name in (("fx_cache", "fx_graph_cache_"), ("aot_cache", "aotautograd_cache_")):
            caches.update(name + outcome for outcome in row[column].split(", ") if outcome)
    reasons = sorted(row["guard"] for row in rows if row["guard"])
    return {"compilations": len(rows), "recompilations": len(reasons), "reasons": reasons,
            "breaks": sum(int(row["graph_breaks"] or 0) for row in rows),
            "us": sum(round(float(row["compile_ns"] or 0) / 1e3) for row in rows),
            "caches": dict(caches),
            "triton": sum(row["name"].startswith("triton")
                          for row in view(path, "generated", "name"))}

for path in sys.argv[2:]:
    expected, actual = count(path), shown(path)
    assert expected == actual, (path, expected, actual)
    print(path.rsplit("/", 1)[-1], {k: v for k, v in actual.items() if k != "reasons"})
PY

python3 "$work/count.py" "$builddir/strata" "$srcdir/tests/unit/data/torch_trace.txt"

# A log of several batches, which a thread reads ahead, with damage in the last one.
for i in 1 2 3 4 5 6 7 8 9 10; do
	python3 -c '
import sys
begin, end, line = int(sys.argv[1]) * 4000, int(sys.argv[1]) * 4000 + 4000, "V0728 16:17:28.145000 7 a.py:1] "
for i in range(begin, end):
    for ph, ts in ("B", 10 * i), ("E", 10 * i + 3):
        print(line + "{\"chromium_event\": {}, \"frame_id\": %d, \"frame_compile_id\": 0}" % (i % 100))
        print("\t{\n\t\"name\": \"dynamo\", \"ts\": %d, \"ph\": \"%s\", \"tid\": 1,\n\t\"pid\": 7}" % (ts, ph))
' "$i"
done >"$work/long.log"
printf 'no record\n' >>"$work/long.log"
"$builddir/strata" query -f csv 'SELECT count(*), sum(dur_ns), max(start_ns) - min(start_ns) FROM spans' \
	"$work/long.log" >"$work/sums"
grep -q '^40000,120000000,399990000' "$work/sums"
[ "$("$builddir/strata" report compiles -f csv "$work/long.log" | wc -l)" = 101 ]
"$builddir/strata" info "$work/long.log" >"$work/info"
grep -q 'line that is no record' "$work/info"

# A graph of a million operations is hashed once, not once for each.
python3 -c '
print("V0728 16:17:28.145000 7 a.py:1] {\"dynamo_output_graph\": {}, \"frame_id\": 0, \"frame_compile_id\": 0}")
print("\tx = 1\n" * 1000000, end="")' >"$work/graph.log"
timeout 100 "$builddir/strata" report compiles -f csv "$work/graph.log" >"$work/graph" || fail "a large graph takes too long"

# Of a record longer than the limit the rest is skipped; its neighbours are whole, the last line of a log too.
python3 -c '
line = "V0728 16:17:28.145000 7 a.py:1] {\"%s\": {}, \"frame_id\": %d, \"frame_compile_id\": 0}"
for i in range(3):
    print(line % ("inductor_output_code", i))
    print("\tasync_compile.triton(\x27triton_poi_%d\x27, " % i)
    if i == 1:
        print("\tpass\n" * 13000000, end="")
    print("\tasync_compile.triton(\x27triton_end_%d\x27, " % i, end="\n" if i < 2 else "")' >"$work/far.log"
"$builddir/strata" query -f csv 'SELECT group_concat(name, " ") FROM (SELECT name FROM generated ORDER BY name)' \
	"$work/far.log" >"$work/far"
grep -q '^triton_end_0 triton_end_2 triton_poi_0 triton_poi_1 triton_poi_2' "$work/far" || { cat "$work/far"; exit 1; }

[ -d "$corpus/torch_trace" ] || exit 0
python3 "$work/count.py" "$builddir/strata" "$corpus"/torch_trace/*
