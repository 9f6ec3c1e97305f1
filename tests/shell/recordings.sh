# Files that are opened together are ranks, spans of a worker, or separate runs.
. "${srcdir:-.}/tests/lib.sh"

# trace FILE PID START RANK: 4 steps of 100 us from START (us); RANK of 2, or none
trace()
{
	awk -v pid="$2" -v start="$3" -v rank="$4" 'BEGIN {
		event = "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":%s,\"ts\":%.0f,\"dur\":%d,\"args\":{%s}}"
		printf "{"
		if (rank != "")
			printf "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":2},", rank
		printf "\"traceEvents\":["
		for (i = 0; i < 4; i++) {
			t = start + i * 100
			printf (i ? "," : "") event ",", "user_annotation", "ProfilerStep#" i, pid, pid, t, 90, ""
			printf event ",", "cuda_runtime", "cudaLaunchKernel", pid, pid, t + 10, 5, "\"correlation\":" i + 1
			printf event, "kernel", "k", 0, 7, t + 20, 40, "\"device\":0,\"stream\":7,\"correlation\":" i + 1
		}
		print "]}"
	}' >"$1"
}

# rows VIEW COLUMNS PATH [OPTION...]: without the header, on one line
rows()
{
	view=$1 columns=$2 path=$3
	shift 3
	assert_exit 0 strata report "$view" -q -f csv -c "$columns" "$@" "$path"
	tail -n +2 "$work/out" | tr -d '\r' | tr '\n' ' '
}

# Spans of one worker: one process, later times.
mkdir "$work/spans"
trace "$work/spans/a.json" 100 1000 ''
trace "$work/spans/b.json" 100 9000 ''
trace "$work/spans/c.json" 100 5000 ''
assert_equal "spans" "1,1,yes 1,2,no 1,3,no " "$(rows recordings run,span,shown "$work/spans" | sed 's/,1 /,yes /g; s/,0 /,no /g')"
assert_equal "spans are not ranks" "0 " "$(rows ranks rank "$work/spans")"
assert_equal "time of the second" 4000000 "$(strata query -q -f csv \
	'SELECT start_ns FROM recordings WHERE span = 2' "$work/spans" | tail -n 1 | tr -d '\r')"
assert_exit 0 strata info -q --span 3 "$work/spans"
assert_line "$work/out" 'spans/b.json'
assert_line "$work/out" 'files of a worker are 3 spans, not ranks: span 3 is shown'
assert_exit 2 strata info -q --span 4 "$work/spans"
assert_line "$work/err" 'unknown span 4; there are 3'
assert_exit 2 strata info -q --span 0 "$work/spans"

# A process of this pid many days later is another one, unless the names of the files agree.
mkdir "$work/days" "$work/named"
trace "$work/days/a.json" 100 1000 ''
trace "$work/days/b.json" 100 1000000000000 ''
assert_equal "days apart" "1,1 2,1 " "$(rows recordings run,span "$work/days")"
cp "$work/days/a.json" "$work/named/host_100.1623143089861.pt.trace.json"
cp "$work/days/b.json" "$work/named/host_100.1624143089861.pt.trace.json"
assert_equal "days apart, of one name" "1,1 1,2 " "$(rows recordings run,span "$work/named")"

# Without pids the names of files tell worker and span.
mkdir "$work/names"
for worker in 0 1; do
	for start in 1000 9000; do
		name=$work/names/worker$worker.162314308${start}.pt.trace.json
		trace "$name" 100 $start ''
		sed -i 's/"pid":[0-9]*,//g' "$name"
	done
done
assert_equal "workers by name" "1,0,1 1,0,2 1,1,1 1,1,2 " "$(rows recordings run,rank,span "$work/names")"
rm -r "$work/names/worker1"*
assert_equal "one worker by name" "1,0,1 1,0,2 " "$(rows recordings run,rank,span "$work/names")"

# Files with ranks of their own remain ranks, whatever their pid and time.
mkdir "$work/ranks"
trace "$work/ranks/a.json" 100 1000 0
trace "$work/ranks/b.json" 100 9000 1
assert_equal "ranks" "0 1 " "$(rows ranks rank "$work/ranks")"
assert_equal "one recording each" "1,0,1 1,1,1 " "$(rows recordings run,rank,span "$work/ranks")"

# Two spans of two ranks.
mkdir "$work/both"
trace "$work/both/a0.json" 100 1000 0
trace "$work/both/a1.json" 101 1050 1
trace "$work/both/b0.json" 100 9000 0
trace "$work/both/b1.json" 101 9050 1
assert_equal "spans of ranks" "1,0,1 1,0,2 1,1,1 1,1,2 " "$(rows recordings run,rank,span "$work/both")"
assert_equal "ranks of a span" "0,100 1,101 " "$(rows ranks rank,pid "$work/both" --span 2)"

# Two runs in one directory: other processes, later, that claim the same ranks.
mkdir "$work/runs"
trace "$work/runs/a0.json" 100 1000 0
trace "$work/runs/a1.json" 101 1050 1
trace "$work/runs/b0.json" 200 9000 0
trace "$work/runs/b1.json" 201 9050 1
assert_equal "runs" "1,0,100 1,1,101 2,0,200 2,1,201 " "$(rows recordings run,rank,pid "$work/runs")"
assert_equal "ranks of the first" "0,100 1,101 " "$(rows ranks rank,pid "$work/runs")"
assert_equal "ranks of the second" "0,200 1,201 " "$(rows ranks rank,pid "$work/runs" --run 2)"
assert_exit 0 strata report ranks "$work/runs"
assert_line "$work/err" 'of 2 runs, which are not compared: run runs#1 is shown'
assert_exit 2 strata report ranks -q --run 3 "$work/runs"
assert_line "$work/err" 'unknown run 3; there are 2'

# Without ranks in the files, processes at one time are ranks, and at different times runs.
mkdir "$work/times"
trace "$work/times/a.json" 100 1000 ''
trace "$work/times/b.json" 101 1050 ''
trace "$work/times/c.json" 200 9000 ''
assert_equal "by time" "1,100 1,101 2,200 " "$(rows recordings run,pid "$work/times")"

# Runs of one file each are called as their files, unless these are called as worker and time.
mkdir "$work/own" "$work/timed"
trace "$work/own/small.json" 100 1000 ''
trace "$work/own/large.json" 200 9000 ''
assert_equal "runs by file" "small.json large.json " "$(rows runs name "$work/own")"
assert_equal "chosen by file" "0,200 " "$(rows ranks rank,pid "$work/own" --run large.json)"
trace "$work/timed/host_100.1623143089861.pt.trace.json" 100 1000 ''
trace "$work/timed/host_200.1623143099861.pt.trace.json" 200 9000 ''
assert_equal "runs by number" "timed#1 timed#2 " "$(rows runs name "$work/timed")"

# Their spans, of a run that is not shown, are listed worker by worker.
trace "$work/times/d.json" 201 9050 ''
trace "$work/times/e.json" 200 17000 ''
trace "$work/times/f.json" 201 17050 ''
assert_equal "worker by worker" "1,100,1 1,101,1 2,200,1 2,200,2 2,201,1 2,201,2 " \
	"$(rows recordings run,pid,span "$work/times")"

# The explorer.
cat >"$work/script" <<END
:save-screen $work/first
:span 2
:save-screen $work/second
:span 7
:save-screen $work/refused
END
assert_exit 0 strata "$work/spans" --script "$work/script" --size 120x24
assert_line "$work/first" 'a.json +span 1 of 3'
assert_line "$work/second" 'c.json +span 2 of 3'
assert_line "$work/refused" 'unknown span 7'

# Four ranks in one file: four processes, each with a device.
awk 'BEGIN {
	event = "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":\"%s\",\"tid\":%s,\"ts\":%.0f,\"dur\":%d,\"args\":{%s}}"
	printf "{\"traceEvents\":["
	for (i = 0; i < 4; i++) {
		printf (i ? "," : "") event ",", "cuda_runtime", "cudaLaunchKernel", "[TP0" i "] 10" i, 5, 10, 5, "\"correlation\":1"
		printf event, "kernel", "k", "[TP0" i "] " i, 7, 20, 40, "\"device\":" i ",\"stream\":7,\"correlation\":1"
	}
	print "]}"
}' >"$work/fused.json"
assert_equal "ranks of the file" "0 1 2 3 " "$(rows ranks rank "$work/fused.json")"
assert_exit 0 strata info -q "$work/fused.json"
assert_line "$work/out" 'processes with a GPU of their own +4, shown together'
assert_exit 0 strata report kernels -q -f csv -c calls --rank 2 "$work/fused.json"
assert_equal "kernels of a rank" 1 "$(tail -n 1 "$work/out" | tr -d '\r')"

if [ -d "$corpus/kineto/dlrm_8ranks" ]; then
	assert_equal "dlrm" "1,1,8 " "$(assert_exit 0 strata query -q -f csv \
		'SELECT max(run), max(span), count(*) FROM recordings' "$corpus/kineto/dlrm_8ranks"
		tail -n +2 "$work/out" | tr -d '\r' | tr '\n' ' ')"
	assert_equal "spans of TensorBoard's sample" "0,1 0,2 " \
		"$(rows recordings rank,span "$corpus/kineto/tb_samples/resnet50_num_workers_0")"
	assert_equal "spans and runs" "1,1 2,1 3,1 4,1 4,2 " \
		"$(rows recordings run,span "$corpus/kineto/particle_transformer")"
else
	echo "kineto is not here: its ranks and spans are not compared"
fi
