# Bytes alive by owner at random times, their change between two of them, categories, and the peak
# without some owners are those that a replay of the allocator's events by other means gives.
# MOMENTS: how many times of each file.
. "${srcdir:-.}/tests/lib.sh"
need_corpus memory_snapshot
need_command python3

cat >"$work/replay.py" <<'EOF'
import bisect, collections, csv, gzip, io, json, pickle, random, subprocess, sys

strata, path, moments = sys.argv[1], sys.argv[2], int(sys.argv[3])
LIBRARY = ("/site-packages/", "/dist-packages/", "/lib/python3")

def report(view, *options):
    done = subprocess.run([strata, "report", view, "-q", "-f", "csv", *options, path], check=True,
                          stdout=subprocess.PIPE, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))

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
                                        time, NEVER, order, NEVER]
                blocks.append(alive[entry["addr"]])
            elif entry["action"] == "free_completed":
                block = alive.pop(entry["addr"], None)
                if block is None:
                    block = [device, "(allocated before the trace)", entry["size"], BEFORE, NEVER,
                             BEFORE, NEVER]
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
                                   block.get("requested_size", block["size"]), BEFORE, NEVER, BEFORE, NEVER])
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

def alive_at(blocks, time):
    found = collections.Counter()
    for device, owner, size, start, end, _, _ in blocks:
        if start <= time < end:
            found[(device, owner)] += size
    return found

def device_of(text):
    return -1 if text == "CPU" else int(text[3:])

def listed(rows, column):
    found = collections.Counter()
    for row in rows:
        if row["name"] != "(allocated before the capture)":
            found[(device_of(row["device"]), row["name"])] += number(row[column])
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
        for of, _, size, _, _, first, last in blocks:
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
events = report("memory-events")
zero = min(times) - min(number(row[key]) for row in events for key in ("alloc_ns", "free_ns") if row[key])
blocks = [[device, owner, size, start - zero if start != BEFORE else BEFORE,
           end - zero if end != NEVER else NEVER, first, last]
          for device, owner, size, start, end, first, last in blocks]
low, high = min(times) - zero, max(times) - zero
live = "peak_bytes" if snapshot else "self_alloc_bytes"
random.seed(path)
for _ in range(moments):
    time = random.randint(low, high)
    rows = report("memory", "-g", "peak", "--time", "%dns" % time)
    compare("alive at %d ns" % time, alive_at(blocks, time), listed(rows, live))
    kinds = report("memory", "-g", "peak-category", "--time", "%dns" % time)
    for device in {row["device"] for row in kinds}:
        whole = sum(number(row[live]) for row in rows if row["device"] == device)
        parts = sum(number(row["self_alloc_bytes"]) for row in kinds if row["device"] == device)
        if whole != parts:
            sys.exit("%s at %d ns: categories of %s are %d of %d bytes" % (path, time, device, parts, whole))
    later = random.randint(time, high)
    rows = report("memory", "-g", "change", "--time", "%dns..%dns" % (time, later + 1))
    first, last = alive_at(blocks, time), alive_at(blocks, later)
    both = alive_at([block for block in blocks if block[4] > later], time)
    for column, right in (("start_bytes", first), ("end_bytes", last), ("freed_bytes", first - both),
                          ("added_bytes", last - both)):
        compare("%s of %d..%d ns" % (column, time, later), right, listed(rows, column))
owners = sorted({block[1] for block in blocks if not block[1].startswith("(")})
for owner in random.sample(owners, min(len(owners), 2 + moments // 20)) if snapshot else []:
    pattern = "".join(c if c.isalnum() or c in " /_" else "\\" + c for c in owner) + "$"
    done = subprocess.run([strata, "report", "memory", "-f", "csv", "-g", "without=" + pattern, path], check=True,
                          stdout=subprocess.PIPE, text=True)
    right = peak([block for block in blocks if block[1] != owner])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    found = collections.Counter()
    for row in rows:
        found[device_of(row["device"])] += number(row["self_alloc_bytes"])
    compare("peak without " + owner, right, found)
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
