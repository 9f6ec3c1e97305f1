# Tokens, time and cost of experts are those of generated runs whose plan is known, and those that
# other means read from real traces; without evidence there are none.
. "${srcdir:-.}/tests/lib.sh"
need_command python3

cat >"$work/experts.py" <<'EOS'
import csv, gzip, io, json, os, random, subprocess, sys

strata = sys.argv[1]

def report(view, files, *options):
    done = subprocess.run([strata, "report", view, "-q", "-f", "csv", *options, *files], check=True,
                          stdout=subprocess.PIPE, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))

def compare(what, ranks, rows, cost_of=None):
    """RANKS: by rank, then layer: tokens and ns."""
    found = {(int(row["rank"]), int(row["expert_layer"])): row for row in rows}
    right = {(rank, layer + 1): of for rank, layers in enumerate(ranks) for layer, of in enumerate(layers)}
    if found.keys() != right.keys():
        sys.exit("%s: rows %s, not %s" % (what, sorted(found), sorted(right)))
    for (rank, layer), (tokens, ns) in right.items():
        row, all_ns = found[rank, layer], [of[layer - 1][1] for of in ranks]
        late = max(all_ns) - sum(all_ns) / len(all_ns) if all_ns.index(max(all_ns)) == rank else 0
        for column, wanted in (("tokens", tokens), ("expert_ns", ns), ("imbalance_ns", late)):
            if abs(float(row[column]) - wanted) > 1 + 0.001 * wanted:
                sys.exit("%s, rank %d, layer %d: %s %s, not %s" % (what, rank, layer, column, row[column], wanted))

def compare_map(what, ranks, files):
    """The map marks the slowest rank of each layer, and has a shade for the time of the others."""
    done = subprocess.run([strata, "report", "plot-experts", "-q", "--ascii", *files], check=True,
                          stdout=subprocess.PIPE, text=True)
    lines = {line.split("+")[0].strip(): line.split("+", 1)[1] for line in done.stdout.splitlines() if "+" in line}
    most = max(ns for of in ranks for _, ns in of)
    for rank, of in enumerate(ranks):
        for layer, (_, ns) in enumerate(of):
            others = [other[layer][1] for other in ranks]
            cell = lines[str(rank)][(2 * layer + 1) * len(lines[str(rank)]) // (2 * len(of))]
            shades = "sSS" if max(others) > sum(others) / len(others) + 1 and ns == max(others) else "eE#"
            if cell != shades[(ns >= 0.5 * most) + (ns >= 0.75 * most)]:
                sys.exit("%s, rank %d, layer %d: %s in the map, %d of %d ns" % (what, rank, layer, cell, ns, most))

# ---- generated runs ----

class Rank:
    def __init__(self, rank, world):
        self.rank, self.world, self.events, self.id, self.host, self.gpu = rank, world, [], 0, 0.0, 0.0

    def host_event(self, category, name, dur, args, at=None):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1,
                            "ts": round(self.host if at is None else at, 3), "dur": dur, "args": args})

    def launch(self, operator, args, kernel, start, dur, more):
        self.id += 1
        self.host_event("cpu_op", operator, 6, dict(args))
        self.host_event("cuda_runtime", "cudaLaunchKernel", 2, {"correlation": self.id}, self.host + 2)
        self.events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": round(start, 3),
                            "dur": round(dur, 3), "args": {"device": 0, "stream": 7, "correlation": self.id, **more}})
        self.host += 8
        self.gpu = start + dur

    def multiply(self, rows, inner, outer, dur, shapes):
        dims = {"Input Dims": [[rows, inner], [inner, outer]]} if shapes else {}
        self.launch("aten::mm", dims, "ampere_bf16_s16816gemm_bf16_128x128_tn", self.gpu + 1, dur, {})

def exchange(ranks, sent, received, splits):
    end = max(rank.gpu for rank in ranks) + 20
    for i, rank in enumerate(ranks):
        args = {"Collective name": "all_to_allv", "In msg nelems": sent[i] * 64, "Out msg nelems": received[i] * 64,
                "Group size": len(ranks), "dtype": "Float", "Process Group Name": "0",
                "Process Group Ranks": str([of.rank for of in ranks]),
                "In split size": str(splits(sent[i])), "Out split size": str(splits(received[i]))}
        rank.launch("record_param_comms", args, "ncclDevKernel_SendRecv(ncclDevComm*)", rank.gpu + 1,
                    end - rank.gpu - 1, args)

def generate(seed):
    """The plan, by rank and layer, and the files; also what lacks evidence."""
    rng = random.Random(seed)
    world, layers, steps = rng.choice((2, 3, 4)), rng.randint(1, 4), rng.randint(1, 3)
    own = rng.random() < 0.5
    ranks = [Rank(i, world) for i in range(world)]
    lacks = {3: "shapes", 7: "return", 11: "exchange"}.get(seed % 12)
    plan = [[[0, 0] for _ in range(layers)] for _ in ranks]
    for step in range(steps):
        starts = [rank.host for rank in ranks]
        for layer in range(layers):
            tokens = rng.randint(200, 2000)
            share = [rng.random() for _ in ranks]
            received = [int(tokens * world * x / sum(share)) + 1 for x in share]
            sent = [sum(received) // world] * world
            sent[0] += sum(received) - sum(sent)
            splits = lambda n: [n - world + 1] + [1] * (world - 1) if own else []
            for i, rank in enumerate(ranks):
                rank.multiply(tokens, 64, 192, 5, True)
            if lacks != "exchange" or layer % 2:
                exchange(ranks, sent, received, splits)
            for i, rank in enumerate(ranks):
                a, b = 5 + received[i] * 0.1, 4 + received[i] * 0.1
                rank.multiply(received[i], 64, 256, a, lacks != "shapes")
                rank.multiply(received[i], 256, 48 if lacks == "return" else 64, b, lacks != "shapes")
                plan[i][layer][0] += received[i] / steps
                plan[i][layer][1] += 1000 * (round(a, 3) + round(b, 3)) / steps
            if lacks != "exchange":
                exchange(ranks, received, sent, splits)
            for rank in ranks:
                rank.multiply(tokens, 64, 64, 5, True)
        end = max(max(rank.host, rank.gpu) for rank in ranks) + 50
        for i, rank in enumerate(ranks):
            rank.host_event("user_annotation", "ProfilerStep#%d" % step, round(end - starts[i] - 5, 3), {}, starts[i])
            rank.host = rank.gpu = end
    files = []
    for rank in ranks:
        files.append(os.path.join(os.environ["HOME"], "rank%d.json" % rank.rank))
        with open(files[-1], "w") as file:
            json.dump({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank.rank, "world_size": world},
                       "traceEvents": rank.events}, file)
    return ([[] for _ in plan] if lacks else plan), files

for seed in range(int(sys.argv[2])):
    plan, files = generate(seed)
    compare("seed %d" % seed, plan, report("experts", files))
    if plan[0]:
        compare_map("seed %d" % seed, plan, files)

# ---- real traces ----

def read(path):
    with gzip.open(path) as file:
        return json.load(file)["traceEvents"]

def experts_of(path):
    """Each layer's forward exchange and, in reverse, its backward one, with the products between."""
    events = [e for e in read(path) if e.get("ph") == "X"]
    kernels, calls = {}, []
    for e in events:
        if e.get("cat") == "kernel" and ("gemm" in e["name"].lower() or "splitKreduce" in e["name"]):
            kernels.setdefault(e["args"]["External id"], []).append(round(e["dur"] * 1000))
    for e in events:
        args = e.get("args", {})
        if e.get("cat") == "cpu_op" and (args.get("Collective name") == "all_to_allv" or e["name"] in ("aten::mm", "aten::addmm")):
            calls.append((e["tid"], e["ts"], args))
    calls.sort(key=lambda call: (call[0], call[1]))
    first = min(calls, key=lambda call: call[1])[0]
    passes = {True: [], False: []}
    for forward in passes:
        open_, ns, tokens = False, 0, 0
        for tid, _, args in calls:
            if (tid == first) != forward:
                continue
            if "Collective name" not in args:
                ns += sum(kernels.get(args["External id"], ()))
                continue
            if open_:
                passes[forward].append((tokens, ns))
            open_, ns, tokens = not open_, 0, sum(json.loads(args["Out split size"]))
    back = passes[False][::-1]
    return [(tokens, ns + back[i][1]) for i, (tokens, ns) in enumerate(passes[True])]

for folder in sys.argv[3:]:
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    compare(folder, [experts_of(file) for file in files], report("experts", files))
EOS

seeds=24
[ -z "${SANITIZERS-}" ] || seeds=4
set --
for folder in "$corpus"/kineto/wild/ykcai__torch-compile-moe/*; do
	[ ! -d "$folder" ] || set -- "$@" "$folder"
done
python3 "$work/experts.py" "$builddir/strata" "$seeds" "$@" || fail "experts are not as planned"

# Other exchanges: of embeddings, and on one rank.
for path in "$corpus/kineto/dlrm_8ranks" "$corpus/kineto/tracelens/b200/eager_trace.json.gz"; do
	[ -e "$path" ] || continue
	assert_equal "experts of ${path##*/}" "" "$(strata report experts -q -f csv "$path" | sed 1d)"
done
