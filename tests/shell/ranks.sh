# A run of many ranks opens in bounded memory, and each rank's parts sum to its step.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

ranks=64
[ -z "${SANITIZERS-}" ] || ranks=24
mkdir "$work/run"
for rank in $(seq 0 $((ranks - 1))); do
	tracegen --rank "$rank" --world $ranks --seed "$rank" -o "$work/run/rank$rank.json"
done

# parts_sum_to_step PATH: for every rank, in nanoseconds
parts_sum_to_step()
{
	assert_exit 0 strata query -q -f csv "SELECT rank FROM ranks
		WHERE computation_ns + communication_ns - overlap_ns + other_ns <> step_ns" "$1"
	[ "$(wc -l <"$work/out")" = 1 ] || fail "the parts do not sum to the step: $(cat "$work/out")"
}

assert_exit 0 strata report ranks -q -f csv -c rank "$work/run"
assert_equal "ranks of the run" $((ranks + 1)) "$(wc -l <"$work/out")"
parts_sum_to_step "$work/run"

one=$(peak_of report ranks -q --no-cache "$work/run/rank0.json")
all=$(peak_of report ranks -q --no-cache "$work/run")
[ "$all" -le $((one * 2 + 134217728)) ] || fail "$all bytes of memory for $ranks ranks"

# Summed rows of all ranks need one rank at a time; launches stay in memory, or are refused.
all=$(peak_of report kernels -q --no-cache --rank all "$work/run")
[ "$all" -le $((one * 2 + 134217728)) ] || fail "$all bytes of memory for kernels of $ranks ranks"
assert_exit 0 strata report launches -q --no-cache --rank all -n 1 "$work/run"
assert_exit 4 strata report launches -q --no-cache --rank all --max-memory 8M "$work/run"
assert_line "$work/err" 'the limit is 8.00 MiB'

# A missing rank is reported; the others are shown.
rm "$work/run/rank7.json"
assert_exit 0 strata report ranks -f csv -c rank "$work/run"
assert_equal "ranks with one missing" $ranks "$(wc -l <"$work/out")"
assert_line "$work/err" "$((ranks - 1)) of $ranks ranks are open"

# what a straggler costs is what the others wait for it, which is most of their communication
mkdir "$work/slow"
for rank in 0 1 2 3; do
	tracegen --layers 2 --stacks 0 --rank $rank --world 4 --straggler 2:2 -o "$work/slow/rank$rank.json"
done
assert_exit 0 strata query -q -f csv "SELECT detector, rank, gain_pct > 20, evidence LIKE
	'Rank 2 waits least%reason: compute%' FROM advice WHERE gain_pct IS NOT NULL
	ORDER BY gain_pct DESC LIMIT 1" "$work/slow"
assert_equal "the straggler costs most" "straggler,2,1,1" "$(tail -n 1 "$work/out" | tr -d '\r')"
# each rank with what it runs on, from traces and from their summary
strata summarize -q -o "$work/kept" "$work/slow"
for path in "$work/slow" "$work/kept"; do
	assert_exit 0 strata report ranks -q -g device -f csv \
		-c rank,device,device_name,device_memory_bytes,compute_capability "$path"
	assert_equal "devices of $path" 4 "$(tr -d '\r' <"$work/out" |
		grep -c '^[0-3],GPU0,NVIDIA A100-SXM4-40GB,42298834944,8.0$')"
done
# and each GPU of several, the one with most work first
cat >"$work/two.json" <<'END'
{"deviceProperties": [{"id": 0, "name": "A", "totalGlobalMem": 1024}, {"id": 1, "name": "B", "totalGlobalMem": 2048},
{"id": 2, "name": "C"}], "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 1, "dur": 5, "args": {"device": 1, "stream": 7}}]}
END
strata summarize -q -o "$work/kept2" "$work/two.json"
for path in "$work/two.json" "$work/kept2"; do
	assert_exit 0 strata report ranks -q -g device -f csv -c rank,device,device_name,device_memory_bytes "$path"
	assert_equal "GPUs of $path" "0,GPU1,B,2048 0,GPU0,A,1024 " "$(sed 1d "$work/out" | tr -d '\r' | tr '\n' ' ')"
	assert_exit 0 strata report ranks -q -f csv -c rank,device "$path"
	assert_equal "rows of ranks" 2 "$(wc -l <"$work/out")"
done
assert_exit 0 strata info --rank 2 "$work/slow"
assert_line "$work/out" '^file +path .*/rank2.json$'

# the chart of communication has a bar for each rank; the one that is awaited has no wait
assert_exit 0 strata report plot-ranks -q -g collectives --ascii -w 60 --height 8 "$work/slow"
assert_line "$work/out" '^ +0 +1 +2 +3 *$'
assert_line "$work/out" '^0 ms\+w{12,13} w{12,13} [^w]+ w{12,13}$'
assert_exit 0 strata report rank-time "$work/slow"
assert_line "$work/err" 'Rank 2 is the straggler'

# Non-profiles in a directory are skipped and counted.
echo 'not a profile' >"$work/run/notes.txt"
assert_exit 0 strata info -q "$work/run"
assert_line "$work/out" 'files skipped \(not profiles\) *1'

if [ -d "$corpus/kineto/dlrm_8ranks" ]; then
	parts_sum_to_step "$corpus/kineto/dlrm_8ranks"
	assert_exit 0 strata report ranks "$corpus/kineto/dlrm_8ranks"
	assert_line "$work/err" 'Rank 7 is the straggler'
	assert_exit 0 strata query -q -f csv "SELECT count(*) FROM collectives
		WHERE transfer_ns IS NULL" "$corpus/kineto/dlrm_8ranks"
	assert_equal "collectives without a match" 0 "$(tail -n 1 "$work/out" | tr -d '\r')"
else
	echo "the ranks of kineto/dlrm_8ranks are not here: not compared"
fi
