# Bytes alive by owner at random times, their change between two of them, categories, and the peak
# without some owners are those that a replay of the allocator's events by other means gives.
# MOMENTS: how many times of each file.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_corpus memory_snapshot
need_command python3

cat >"$work/replay.py" <<'EOF'
import collections, gzip, json, pickle, random, subprocess, sys

strata, path, moments = sys.argv[1], sys.argv[2], int(sys.argv[3])
server = subprocess.Popen([strata, "serve", "--stdio", "-q", "--max-rows", "1000000", "--max-bytes", "1000000000", path],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
LIBRARY = ("/site-packages/", "/dist-packages/", "/lib/python3")

def ask(method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]

# One process answers all questions about a file.
def report(view, group=None, time=None):
    arguments = {"view": view, "limit": "1000000", "group_by": group, "time": time}
    told = ask("tools/call", name="report", arguments={key: value for key, value in arguments.items() if value})
    answer = json.loads(told["content"][0]["text"])
    if "rows_left" in answer:
        sys.exit("%s: %s rows are left out" % (path, answer["rows_left"]))
    return answer["rows"]

def number(text):
    return int(text or 0)

# Blocks: device, owner, bytes, time of allocation and of free, in the order of the events.
BEFORE, NEVER = -1, 1 << 62

def frames_owner(frames):
    python = [f for f in frames if f["filename"].endswith(".py") and len(f["filename"]) > 3
              and not f["filename"].startswith("<")]
    own = [f for f in python if not any(part in f["filename"] for part in LIBRARY)]
    if not python:
        return "(native only)" if frames else "(no stack)"
    first = (own or python)[0]
    return "%s:%d %s" % (first["filename"], first["line"], first["name"])

def frames_stack(frames):
    names = [("%s(%d): " % (f["filename"], f["line"]) if f["line"] > 0 else "") + f["name"] for f in frames]
    return ";".join(name.replace(";", ":") for name in reversed(names))

def snapshot_blocks():
    with open(path, "rb") as file:
        dump = pickle.load(file)
    blocks, times = [], []
    for device, trace in enumerate(dump["device_traces"]):
        alive = {}
        for order, entry in enumerate(trace):
            if "time_us" not in entry:
                return None, None
            time = entry["time_us"] * 1000
            if entry["action"] in ("alloc", "free_completed"):
                times.append(time)
            if entry["action"] == "alloc":
                alive[entry["addr"]] = [device, frames_owner(entry.get("frames", [])), entry["size"],
                                        time, NEVER, order, NEVER, frames_stack(entry.get("frames", []))]
                blocks.append(alive[entry["addr"]])
            elif entry["action"] == "free_completed":
                block = alive.pop(entry["addr"], None)
                if block is None:
                    block = [device, "(allocated before the trace)", entry["size"], BEFORE, NEVER,
                             BEFORE, NEVER, ""]
                    blocks.append(block)
                block[4], block[6] = time, order
        for segment in dump["segments"]:
            address = segment["address"]
            for block in segment["blocks"] if segment["device"] == device else []:
                at = block.get("address", address)
                address += block["size"]
                if block["state"] != "inactive" and at not in alive:
                    frames = block.get("frames")
                    if frames is None:
                        frames = (block.get("history") or [{}])[0].get("frames", [])
                    blocks.append([device, frames_owner(frames),
                                   block.get("requested_size", block["size"]), BEFORE, NEVER, BEFORE, NEVER,
                                   frames_stack(frames)])
    return blocks, times

def trace_blocks():
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        trace = json.loads(file.read().decode(errors="replace"), strict=False)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    spans = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and event.get("cat", "").lower() in (
                "cpu_op", "operator", "user_annotation", "python_function"):
            start = round(float(event["ts"]) * 1000)
            spans[(str(event["pid"]), str(event["tid"]))].append(
                (start, start + round(float(event.get("dur", 0)) * 1000), event["cat"].lower(), event["name"]))
    for of in spans.values():
        of.sort(key=lambda span: (span[0], -span[1]))
    memory = [event for event in events if event.get("name") == "[memory]"]
    memory.sort(key=lambda event: round(float(event["ts"]) * 1000))
    blocks, times, alive = [], [], {}
    for order, event in enumerate(memory):
        args, time = event["args"], round(float(event["ts"]) * 1000)
        host = args["Device Type"] == 0
        device = -1 if host else args["Device Id"]
        key = (args["Device Type"], args["Device Id"], args["Addr"])
        times.append(time)
        if key in alive and alive[key][4] == NEVER:
            alive[key][4], alive[key][6] = time, order
        if args["Bytes"] > 0:
            around = [span for span in spans[(str(event["pid"]), str(event["tid"]))]
                      if span[0] <= time < span[1] and span[2] != "python_function"]
            owner = around[-1] if around else (0, 0, "", "")
            name = owner[3] if owner[2] in ("cpu_op", "operator") else "(outside any operator)"
            alive[key] = [device, name, args["Bytes"], time, NEVER, order, NEVER]
            blocks.append(alive[key])
    return blocks, times

def alive_at(blocks, times):
    """By time: the blocks that are alive then, in one pass over what begins and ends."""
    changes = sorted([(block[3], 1, i) for i, block in enumerate(blocks)] +
                     [(block[4], 0, i) for i, block in enumerate(blocks)])
    alive, found, at = set(), {}, 0
    for time in sorted(set(times)):
        while at < len(changes) and changes[at][0] <= time:
            _, begins, i = changes[at]
            alive.add(i) if begins and blocks[i][4] > time else alive.discard(i)
            at += 1
        found[time] = [blocks[i] for i in alive]
    return found

def owners_of(blocks):
    found = collections.Counter()
    for device, owner, size, *_ in blocks:
        found[(device, owner)] += size
    return found

def device_of(text):
    return -1 if text == "CPU" else int(text[3:])

def listed(rows, column):
    found = collections.Counter()
    for row in rows:
        if row["name"] != "(allocated before the capture)":
            found[(device_of(row["device"]), row["name"])] += number(row.get(column))
    return +found

def compare(what, right, found):
    right = +right
    if right != found:
        wrong = [(key, right[key], found[key]) for key in right | found if right[key] != found[key]]
        sys.exit("%s, %s: not %s" % (path, what, wrong[:4]))

def peak(blocks):
    highest = collections.Counter()
    for device in {block[0] for block in blocks}:
        changes = collections.Counter()
        for of, _, size, _, _, first, last, *_ in blocks:
            if of == device:
                changes[first] += size
                changes[last] -= size
        total = 0
        for order in sorted(changes):
            total += changes[order]
            highest[device] = max(highest[device], total)
    return highest

snapshot = path.endswith(".pickle")
blocks, times = snapshot_blocks() if snapshot else trace_blocks()
if not times:
    print("untimed")
    sys.exit(0)
ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"})
events = report("memory-events")
curve = report("memory-curve")
zero = min(times) - min(row[key] for row in events for key in ("alloc_ns", "free_ns") if row.get(key) is not None)
blocks = [[device, owner, size, start - zero if start != BEFORE else BEFORE,
           end - zero if end != NEVER else NEVER, first, last, *stack]
          for device, owner, size, start, end, first, last, *stack in blocks]
low, high = min(times) - zero, max(times) - zero
live = "peak_bytes" if snapshot else "self_alloc_bytes"
random.seed(path)
pairs = [(time, random.randint(time, high)) for time in (random.randint(low, high) for _ in range(moments))]
alive = alive_at(blocks, [time for pair in pairs for time in pair])
for time, later in pairs:
    rows = report("memory", "peak", "%dns" % time)
    compare("alive at %d ns" % time, owners_of(alive[time]), listed(rows, live))
    for kind in ("category", "stack"):
        kinds = report("memory", "peak-" + kind, "%dns" % time)
        for device in {row["device"] for row in kinds}:
            whole = sum(number(row.get(live)) for row in rows if row["device"] == device)
            parts = sum(number(row.get("self_alloc_bytes")) for row in kinds
                        if row["device"] == device and row["name"] != "fragmentation")
            if whole != parts:
                sys.exit("%s at %d ns: by %s %s has %d of %d bytes" % (path, time, kind, device, parts, whole))
            reserved = [row for row in curve if row["device"] == device and (row["time_ns"] or 0) <= time][-1:]
            for row in reserved if kind == "category" else []:
                free = number(row.get("reserved_bytes")) - whole
                told = sum(number(row["self_alloc_bytes"]) for row in kinds
                           if row["device"] == device and row["name"] == "fragmentation")
                if told != max(free, 0) and row.get("reserved_bytes") and not row.get("active_bytes"):
                    sys.exit("%s at %d ns: %d bytes of %s are reserved and free, not %d" % (path, time, free, device, told))
    if snapshot:
        right = owners_of([[block[0], block[7], block[2]] for block in alive[time] if block[7]])
        found = listed(kinds, "self_alloc_bytes")
        compare("by stack at %d ns" % time, right, collections.Counter(
            {key: size for key, size in found.items() if not key[1].startswith("(")}))
    rows = report("memory", "change", "%dns..%dns" % (time, later + 1))
    first, last = owners_of(alive[time]), owners_of(alive[later])
    both = owners_of([block for block in alive[time] if block[4] > later])
    for column, right in (("start_bytes", first), ("end_bytes", last), ("freed_bytes", first - both),
                          ("added_bytes", last - both)):
        compare("%s of %d..%d ns" % (column, time, later), right, listed(rows, column))
owners = sorted({block[1] for block in blocks if not block[1].startswith("(")})
for owner in random.sample(owners, min(len(owners), 2 + moments // 20)) if snapshot else []:
    pattern = "".join(c if c.isalnum() or c in " /_" else "\\" + c for c in owner) + "$"
    for share, form in ((0, ""), (0.5, " x0.5")):
        right = peak([[*block[:2], int(block[2] * share) if block[1] == owner else block[2], *block[3:]]
                      for block in blocks])
        found = collections.Counter()
        for row in report("memory", "without=" + pattern + form):
            found[device_of(row["device"])] += number(row.get("self_alloc_bytes"))
        compare("peak without " + owner + form, right, found)
server.stdin.close()
server.wait()
print("equal")
EOF

checked=0 files=0
for file in memory_snapshot/forward_ctx128_noframes_start.pickle memory_snapshot/forward_ctx256_segment_free.pickle \
	memory_snapshot/inference_128_proto4.pickle memory_snapshot/train_step_1024_torch2.x_proto4.pickle \
	memory_snapshot/wild/*/*.pickle \
	kineto/particle_transformer/profiler_trace_single_sample.json.gz \
	kineto/particle_transformer/gpu_working_chrome_trace.json.gz \
	kineto/probes/memory_on_backward_thread_no_module.pt.trace.json \
	kineto/probes/memory_same_addr_two_devices.pt.trace.json kineto/probes/memory_hip_device_type_6.pt.trace.json \
	kineto/probes/memory_at_python_level.pt.trace.json kineto/probes/memory_on_backward_thread.pt.trace.json \
	kineto/tracelens/perf_model/normalization/normalization_layer_test.json.gz \
	kineto/wild/marcalph__kernelforge/*.json.gz kineto/wild/incredere__labs/amp.pt.trace.json.gz \
	kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz; do
	for path in $corpus/$file; do
		[ -e "$path" ] || continue
		files=$((files + 1))
		[ -z "${SANITIZERS-}" ] || [ $((files % 4)) = 0 ] || continue # which change no figure
		python3 "$work/replay.py" "$builddir/strata" "$path" "${MOMENTS:-2}" >"$work/said" 2>"$work/wrong" ||
			fail "$(tail -1 "$work/wrong")"
		! grep -q equal "$work/said" || checked=$((checked + 1))
	done
done
echo "$checked files equal a replay"
[ "$checked" -ge 20 ] || [ "${SANITIZERS-}" ] || fail "only $checked files have times"
