# Five questions, each answered with at most three keys after `strata FILE`, on profiles made here: of
# several runs with other figures, a memory snapshot, and a program recorded with cProfile.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# answer FILE KEY...: the screen after at most three keys
answer()
{
	file=$1
	shift
	[ $# -le 3 ] || fail "$# keys: $*"
	printf '%s\n' "$@" ':save-screen answer' | play 150x40 "$file"
}
# strip TEXT: it is below the last rule of the screen
strip() { sed -n '/^──*$/,$p' "$work/answer" | grep -Eq -- "$1" || { cat "$work/answer" >&2; fail "not said: $1"; }; }

for seed in 21 22 23 24; do
	tracegen --seed $seed --layers $((seed - 16)) --synchronize layer1.0 -o "$work/$seed.json"
done
tracegen --seed 25 --layers 8 --slow layer2.0:3 -o "$work/slow.json"
tracegen --seed 24 --layers 8 -o "$work/base.json"

# Why this gap?  The next one: its causes are in the strip.
# What runs between A and B?  Space begins a range, which follows the cursor.
for file in --demo "$work"/2[1-4].json; do
	answer "$file" 5 '}'
	strip 'Cause [a-z ]+'
	answer "$file" 5 '<Space>' D
	strip 'GPU Busy [0-9.]+ %'
	strip 'Idle .*launch'
	strip 'Top CPU Time [^ ]+ [0-9.]+ '
	strip 'Top GPU Work [^ ]+ [0-9.]+ '
	strip 'Range [0-9.]+ '
	answer "$file" 5 '<Space>' '<Space>'
	shows answer 'marker B set|A\.\.B'
done

# The footer offers both at 80 columns.
printf '%s\n' 5 ':save-screen narrow' | play 80x24
tail -1 "$work/narrow" | grep -q ' } Gap  Space Range ' || fail "the footer offers no gap and no range"

# Where no device was recorded, the operators with most time of their own.
cat >"$work/host.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 100, "dur": 100},
{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 110, "dur": 80},
{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 1, "tid": 1, "ts": 210, "dur": 30}]}
END
answer "$work/host.json" 5 '<Space>' D
strip 'Top CPU Time aten::addmm 80\.00 us, aten::relu [0-9.]* us, aten::linear [0-9.]* us'

# A gap there: what another thread does meanwhile, else what to record.
cat >"$work/threads.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 100, "dur": 100},
{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 1, "tid": 1, "ts": 400, "dur": 30},
{"ph": "X", "cat": "cpu_op", "name": "aten::all", "pid": 1, "tid": 3, "ts": 0, "dur": 900},
{"ph": "X", "cat": "cpu_op", "name": "AddmmBackward0", "pid": 1, "tid": 2, "ts": 220, "dur": 150},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 225, "dur": 100}]}
END
answer "$work/threads.json" 5 ':search aten::linear' '}'
strip 'Meanwhile AddmmBackward0 150\.00 us, thread 2'
answer "$work/host.json" 5 '}'
strip 'Meanwhile nothing was recorded\.'

# Without operators all that was recorded, but not the recording itself.
cat >"$work/calls.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 900},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaFree", "pid": 1, "tid": 1, "ts": 100, "dur": 100},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMalloc", "pid": 1, "tid": 1, "ts": 400, "dur": 30}]}
END
answer "$work/calls.json" 5 '<Space>' G
strip 'Top CPU Time cudaFree 100\.00 us'

# Who calls this operator?
answer "$work/threads.json" 3 ':search aten::mm' '<Enter>'
strip 'Caller AddmmBackward0'

# Which line allocated this?  The line of the first holder.
for file in --demo "$work/21.json"; do
	answer "$file" 6 t v
	shows answer '[a-z_]+\.py:[0-9]+ is not here'
done

# What changed against the base?  In the run, and in one step.
for step in '' '<Enter>'; do
	printf '%s\n' 7 "$step" d ":save-screen $work/answer" | sed '/^$/d' >"$work/script"
	assert_exit 0 strata --base "$work/base.json" "$work/slow.json" --script "$work/script" --size 150x40
	shows answer '\[Diff\]'
	grep '^>' "$work/answer" | grep -q 'slower' || { cat "$work/answer" >&2; fail "the slower layer is not first"; }
	[ -z "$step" ] || shows answer '^ run > step'
done

# The step's time, its idle time by causes and its work, beside those of the base.
printf '%s\n' 7 f ":save-screen $work/answer" >"$work/script"
assert_exit 0 strata --base "$work/base.json" "$work/slow.json" --script "$work/script" --size 150x40
strip 'Against Base \+[0-9.]+ ms: [a-zA-Z ]+ [+-][0-9.]+ '

need_command python3
cat >"$work/program.py" <<'END'
def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
def caller_of_leaf():
    return [leaf(50000) for _ in range(20)]
caller_of_leaf()
END
(cd "$work" && python3 -m cProfile -o recorded.prof program.py)
# Who calls this?  Enter leads from a function to its callers.
answer "$work/recorded.prof" 2 '<Enter>'
grep '^>leaf' "$work/answer" | grep -Eq 'caller_of_leaf|listcomp' || { cat "$work/answer" >&2; fail "no caller"; }

# Of samples, Enter leads to the stacks with the function, and those alone.
printf 'main;fit;leaf 30\nmain;fit;other 20\nmain;save;leaf 10\n' >"$work/sampled.txt"
answer "$work/sampled.txt" 2 '<Enter>'
shows answer 'main;fit;leaf'
shows answer 'main;save;leaf'
hides answer 'other'

# snapshot NAME MIB [RANGE]: line 23 holds that much, lines 11 and 31 hold 1 and 2 MiB; RANGE is annotated,
# "-": the entries have no times
snapshot()
{
	python3 - "$work/$1" "$2" "${3-}" <<'END'
import pickle, sys
frames = lambda line: [{'filename': 'model.py', 'line': line, 'name': 'forward'}]
trace, address = [], 0x7f0000000000
lines = [(1 << 20, 11), (int(sys.argv[2]) << 20, 23), (2 << 20, 31)]
times = [{'time_us': 1000 + i} if sys.argv[3] != '-' else {} for i in range(3)]
for time, (size, line) in zip(times, lines):
    trace.append({'action': 'alloc', 'addr': address, 'size': size, 'stream': 0, 'frames': frames(line)} | time)
    address += size
blocks, at = [], 0x7f0000000000
for size, line in lines:
    blocks.append({'address': at, 'size': size, 'requested_size': size, 'state': 'active_allocated',
                   'frames': frames(line)})
    at += size
total = sum(size for size, line in lines)
segment = {'device': 0, 'address': 0x7f0000000000, 'total_size': total, 'stream': 0,
           'segment_type': 'large', 'allocated_size': total, 'active_size': total, 'blocks': blocks}
ranges = [{'device': 0, 'stage': stage, 'name': sys.argv[3], 'time_us': time}
          for stage, time in (('START', 999), ('END', 1002)) if len(sys.argv[3]) > 1]
with open(sys.argv[1], 'wb') as out:
    pickle.dump({'segments': [segment], 'device_traces': [trace], 'external_annotations': ranges}, out)
END
}
snapshot snapshot.pickle 8
answer "$work/snapshot.pickle" 6 v
shows answer 'model.py:23 is not here'
# Tabs are those of what it holds.
shows answer '^ 1 Overview\[6 Memory\]9 Advice ; SQL *$'
# Enter on who holds memory leads to the allocations.
answer "$work/snapshot.pickle" 6 '<Enter>'
shows answer '\[Memory Events\]'
shows answer '^>.* model\.py:23 forward .* 8\.00 MiB '
hides answer 'model\.py:11'
# Enter on an allocation shows its stack, a range of the curve its bytes.
answer "$work/snapshot.pickle" 6 '<Enter>' '<Enter>'
shows answer 'Stack +model\.py:23 forward'
answer "$work/snapshot.pickle" 5 '<Home><Space>' '<End>'
strip 'Range .*: \+[0-9.]+ MiB, up to 11\.00 MiB'
# So it is with annotations, whose lanes are a key away.
snapshot annotated.pickle 8 forward
answer "$work/annotated.pickle" 5 '<Home><Space>' '<End>'
shows answer '  Memory over Time'
strip 'Range .*: \+[0-9.]+ MiB, up to 11\.00 MiB'
# Without times it is over the entries.
snapshot untimed.pickle 8 -
answer "$work/untimed.pickle" 5 '<Home><Space>' '<End>'
strip 'Range -1\.\.2 '
strip 'Peak GPU0 11\.00 MiB allocated at entry 2'
answer "$work/annotated.pickle" 5 f
shows answer '\[5 Timeline\]'
shows answer 'forward'

# changes BASE FILE: the dashboard names what changed, and d leads to it.
changes()
{
	printf '%s\n' ":save-screen $work/first" d ":save-screen $work/answer" >"$work/script"
	assert_exit 0 strata --base "$work/$1" "$work/$2" --script "$work/script" --size 150x40
}
# Of snapshots it is what holds memory at the peak.
snapshot more.pickle 24
changes snapshot.pickle more.pickle
shows first 'Changed Memory'
shows first 'model\.py:23 forward .* 16\.00 MiB more'
hides first 'model\.py:11 forward .*(more|less)'
selected answer '^>memory .* model\.py:23 forward +more +16\.00 MiB .* 8\.00 MiB +24\.00 MiB'

# Of programs recorded with cProfile it is functions.
sed 's/50000/200000/' "$work/program.py" >"$work/slower.py"
(cd "$work" && python3 -m cProfile -o slower.prof slower.py)
changes recorded.prof slower.prof
shows first 'Changed Functions'
shows first '[+-] .*\(leaf\)'
selected answer '^>function .*\.py:1\(leaf\)'

# Long paths leave room for the callers; Enter shows the stack in full.
lib=/opt/python/versions/3.13.1/lib/python3.13
printf '%s\n' "$lib/threading.py(1015): _bootstrap;$lib/threading.py(995): run;$lib/pool.py(531): handle 30" \
	>"$work/paths.txt"
answer "$work/paths.txt" 2 '<Enter>'
shows answer ' threading\.py\(1015\): _bootstrap;threading\.py\(995\): run;pool\.py\(531\): handle'
answer "$work/paths.txt" 2 '<Enter>' '<Enter>'
shows answer 'Stack +/opt/python'
