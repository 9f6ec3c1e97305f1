# Queue, prefill, decode and steps of requests are those of servers that are generated with known
# ones; their clock is found, where no time is shared, from the arrivals of tokens.
. "${srcdir:-.}/tests/lib.sh"
need_command python3

cat >"$work/requests.py" <<'EOS'
import csv, io, json, os, random, re, subprocess, sys

strata, folder, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
EPOCH = 1700000000

def serve(rng, count, even):
    """Steps as (phase, start, end, requests in them), and requests as dicts; us."""
    requests = [{"arrival": rng.randrange(400000), "out": rng.randrange(2, 30), "in": rng.randrange(10, 900)}
                for _ in range(count)]
    waiting, running, steps, now = sorted(requests, key=lambda r: r["arrival"]), [], [], 1000
    while waiting or running:
        if not running and waiting[0]["arrival"] > now:
            now = waiting[0]["arrival"] + 10
        if waiting and waiting[0]["arrival"] <= now and len(running) < 8:
            batch, phase = [waiting.pop(0)], "prefill"
            dur = 20000 + 20 * batch[0]["in"]
        else:
            batch, phase = list(running), "decode"
            dur = 15000 if even else rng.randrange(12000, 18000)
        steps.append((phase, now, now + dur, batch))
        now += dur
        for r in batch:
            r.setdefault("tokens", []).append(now + 300 + rng.randrange(300))
            r.setdefault("steps", []).append(len(steps) - 1)
        if phase == "prefill":
            running += batch
        running = [r for r in running if len(r["tokens"]) < r["out"]]
        now += 50
    return steps, requests

def trace(steps, first, last, path):
    events = []
    for phase, start, end, batch in steps[first:last]:
        n = len(batch)
        name = "execute_context_%d(%d)_generation_%d(%d)" % (
            (n, batch[0]["in"], 0, 0) if phase == "prefill" else (0, 0, n, n))
        at = EPOCH * 1000000 + start
        number = len(events)
        events += [
            {"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": end - start},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5, "dur": 3,
             "args": {"correlation": number}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at + 10, "dur": end - start - 20,
             "args": {"correlation": number, "device": 0, "stream": 7}}]
    json.dump({"schemaVersion": 1, "traceEvents": events}, open(path, "w"))

def benchmark(requests, clock, path):
    """As vLLM saves it; CLOCK: seconds between its clock and the trace's, None: not told (older)."""
    saved = {"date": "20231114-221320", "backend": "vllm", "request_rate": "inf", "max_concurrency": 8 if clock is None else None,
             "completed": len(requests), "request_throughput": 3.5, "input_lens": [r["in"] for r in requests],
             "output_lens": [r["out"] for r in requests],
             "ttfts": [(r["tokens"][0] - r["arrival"]) / 1e6 for r in requests],
             "itls": [[(b - a) / 1e6 for a, b in zip(r["tokens"], r["tokens"][1:])] for r in requests],
             "generated_texts": ["a \"word\" ]" for _ in requests], "errors": ["" for _ in requests]}
    if clock is not None:
        saved["start_times"] = [r["arrival"] / 1e6 + clock for r in requests]
    json.dump(saved, open(path, "w"))

def spans(requests, steps, path):
    """As vLLM sends them: OTLP, an object a line, some of other services."""
    with open(path, "w") as file:
        for r in requests:
            queue = steps[r["steps"][0]][1] - r["arrival"]
            span = {"name": "llm_request", "startTimeUnixNano": str((EPOCH * 1000000 + r["arrival"]) * 1000),
                    "attributes": [{"key": key, "value": {kind: value}} for key, kind, value in (
                        ("gen_ai.request.id", "stringValue", "cmpl-1"),
                        ("gen_ai.usage.prompt_tokens", "intValue", str(r["in"])),
                        ("gen_ai.usage.completion_tokens", "intValue", r["out"]),
                        ("gen_ai.latency.time_in_queue", "doubleValue", queue / 1e6),
                        ("gen_ai.latency.time_in_model_prefill", "doubleValue", (r["tokens"][0] - r["arrival"] - queue) / 1e6),
                        ("gen_ai.latency.time_in_model_decode", "doubleValue", (r["tokens"][-1] - r["tokens"][0]) / 1e6))]}
            other = {"name": "POST", "startTimeUnixNano": "5", "attributes": [{"key": "gen_ai.system", "value": {}}]}
            json.dump({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [span, other]}]}]}, file)
            file.write("\n")

def report(*files):
    done = subprocess.run([strata, "report", "requests", "-f", "csv", *files], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr

def near(what, found, right, tolerance):
    if found == "" or abs(int(found) / 1000 - right) > tolerance:
        sys.exit("%s: %s ns, not %s us" % (what, found, right))

def compare(what, rows, requests, steps, first, last, error):
    """Of steps FIRST to LAST, which the trace has; times are known up to ERROR us."""
    found, zero, end = {int(row["request"]): row for row in rows}, steps[first][1], steps[last - 1][2]
    for number, r in enumerate(requests, 1):
        row = found.pop(number, None)
        if row is None:
            if r["arrival"] + 1000 < end and r["tokens"][-1] - 1000 > zero:
                sys.exit("%s: no request %d" % (what, number))
            continue
        near("%s, request %d, arrival" % (what, number), row["start_ns"], r["arrival"] - zero, error)
        near("%s, request %d, decode" % (what, number), row["decode_ns"], r["tokens"][-1] - r["tokens"][0], 1)
        inside = [s - first for s in r["steps"] if first <= s < last]
        if (row["tokens_in"], row["tokens_out"]) != (str(r["in"]), str(r["out"])):
            sys.exit("%s: tokens of request %d" % (what, number))
        if inside and ((r["steps"][-1] < last and row["last_step"] != str(inside[-1])) or (r["steps"][0] >= first and row["first_step"] != str(inside[0]))):
            sys.exit("%s: request %d is in steps %s to %s, not %s to %s" % (
                what, number, row["first_step"], row["last_step"], inside[0], inside[-1]))
        if r["steps"][0] >= first and inside:
            queue = steps[r["steps"][0]][1] - r["arrival"]
            near("%s, request %d, queue" % (what, number), row["waiting_ns"], queue, error)
            near("%s, request %d, prefill" % (what, number), row["prefill_ns"], r["tokens"][0] - r["arrival"] - queue, error)
    if found:
        sys.exit("%s: requests %s" % (what, sorted(found)))

path, other = os.path.join(folder, "trace.json"), os.path.join(folder, "requests.json")
for seed in range(1, seeds + 1):
    rng = random.Random(seed)
    steps, requests = serve(rng, 12 + seed % 20, False)
    first = rng.randrange(len(steps) // 3)
    last = rng.randrange(2 * len(steps) // 3, len(steps) + 1)
    trace(steps, first, last, path)
    clock = rng.uniform(1, 1e6)
    benchmark(requests, clock, other)
    rows, note = report(path, other)
    offset = re.search(r"offset ([-+][0-9.]*) s", note)
    wanted = -clock - steps[first][1] / 1e6
    if not offset or not -0.001 < wanted - float(offset[1]) < 0.001:
        sys.exit("seed %d: offset %s, not %.6f: %s" % (seed, offset and offset[1], wanted, note))
    compare("seed %d" % seed, rows, requests, steps, first, last, 700)
    spans(requests, steps, other)
    rows, note = report(path, other)
    if "Unix time" not in note:
        sys.exit("seed %d: %s" % (seed, note))
    compare("spans of seed %d" % seed, rows, requests, steps, first, last, 1)

# Where nothing tells when requests began, or steps are all alike, requests are not placed.
benchmark(requests, None, other)
rows, note = report(path, other)
if "Not placed" not in note or any(row["start_ns"] or row["steps"] or row["waiting_ns"] for row in rows):
    sys.exit("placed without times: " + note)
alike = [("decode", 15000 * i, 15000 * i + 14950, requests[:4]) for i in range(60)]
for r in requests[:4]:
    r["arrival"], r["out"], r["tokens"] = 0, 60, [15000 * i + 15300 for i in range(60)]
trace(alike, 20, 40, path)
benchmark(requests[:4], 5.0, other)
rows, note = report(path, other)
if "at several" not in note or any(row["start_ns"] for row in rows):
    sys.exit("placed where it cannot be told: " + note)
rows, note = report(other)
if len(rows) != 4 or "Clock" in note or rows[0]["first_token_ns"] != "15300000":
    sys.exit("alone: %s %s" % (rows, note))
EOS

seeds=40
[ -z "${SANITIZERS-}" ] || seeds=4
python3 "$work/requests.py" "$builddir/strata" "$work" "$seeds" || fail "requests are not as planned"

# Cut or damaged, what is whole is read; without such a file there is no word about requests.
for cut in 40 400 900; do
	head -c $cut "$work/requests.json" >"$work/cut.json"
	strata report requests -q "$work/cut.json" >"$work/out" 2>&1 || [ $? -le 4 ] || fail "cut at $cut"
done
tracegen --steps 3 -o "$work/plain.json"
assert_equal "requests without a file of them" "" "$(strata report requests -q -f csv "$work/plain.json" | sed 1d)"
! strata report dashboard -q "$work/plain.json" | grep -i 'request' || fail "a word about requests"
