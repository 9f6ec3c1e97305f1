# Devices that are no GPUs: recorded traces of MTIA against HolisticTraceAnalysis, of Ascend against
# the tables that its own profiler wrote beside the trace.
. "${srcdir:-.}/tests/lib.sh"
need_corpus kineto/hta/mtia_inference_trace
need_corpus golden/hta
need_corpus ascend/text/level1

# ask SQL TRACE: the rows without their header
ask() { strata query -q -f csv "$1" "$2" | tr -d '\r' | sed 1d; }

# HTA's breakdown by name (pretty-printed JSON): NAME CALLS TOTAL
mtia=kineto/hta/mtia_inference_trace/mtia_inference_rank_0.json.gz
awk '/"gpu_kernel_breakdown"/ { on = 1 } /"idle_time_breakdown"/ { on = 0 }
	on && /"(name|calls|total_ns)"/ { sub(/^[^:]*: "?/, ""); sub(/"?,$/, ""); printf "%s ", $0 }
	on && /}/ { print "" }' "$corpus/golden/hta/$mtia.json" | awk 'NF == 3' | sort >"$work/hta"
[ -s "$work/hta" ] || fail "no breakdown in HTA's results"
ask "SELECT name, count(*), sum(dur_ns) FROM launches
	WHERE kind IN ('kernel', 'memcpy', 'memset') GROUP BY name" "$corpus/$mtia" |
	tr , ' ' | sort >"$work/ours"
join "$work/hta" "$work/ours" | awk '
	{ off = $3 - $5; if ($2 != $4 || off * off > ($2 * 2) ^ 2) { print; bad = 1 } }
	END { exit bad || !NR }' >"$work/differences" || fail "not as HTA: $(cat "$work/differences")"
assert_equal "names of MTIA" "$(wc -l <"$work/hta")" "$(join "$work/hta" "$work/ours" | wc -l)"

# Ascend: the step's own account, in microseconds
ascend=$corpus/ascend/text/level1/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT
near() # near WHAT COLUMN NANOSECONDS
{
	awk -F, -v want="$2" -v got="$3" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR == 2 { off = $column[want] * 1000 - got; exit !(off * off < 1000 * 1000) }' \
		"$ascend/step_trace_time.csv" || fail "$1: $3 ns, the profiler's own table differs"
}
strata report steps -q -f json "$ascend/trace_view.json" >"$work/steps"
value() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$work/steps"; }
overlapped=$(value compute_overlapped_ns)
near computing Computing $(($(value compute_ns) + overlapped))
near overlap Overlapped "$overlapped"
near "exposed communication" "Communication(Not Overlapped)" "$(value exposed_communication_ns)"
near collectives Communication "$(ask "SELECT sum(total_ns) FROM collectives" \
	"$ascend/trace_view.json")"

# each kernel by name as in kernel_details.csv, whose names may hold no comma here
ask "SELECT name, calls FROM kernels" "$ascend/trace_view.json" | sort >"$work/ours"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["Accelerator Core"] != "HCCL" && $column["Accelerator Core"] != "COMMUNICATION" {
		calls[$column["Name"]]++ }
	END { for (name in calls) print name "," calls[name] }' "$ascend/kernel_details.csv" |
	sort >"$work/theirs"
diff "$work/theirs" "$work/ours" >&2 || fail "kernels differ from kernel_details.csv"
assert_equal "operators of kernels" 0 "$(ask \
	"SELECT count(*) FROM launches WHERE kind = 'kernel' AND operator IS NULL" \
	"$ascend/trace_view.json")"

# no advice to record another maker's device
for trace in "$corpus/$mtia" "$ascend/trace_view.json"; do
	for view in overview advice kernels launches utilization counters memory stacks; do
		strata report "$view" "$trace" >"$work/out" 2>&1 || :
		! grep -Eq 'ProfilerActivity.CUDA|nsys|No GPU (records|events|work)' "$work/out" ||
			fail "$view of $trace: $(grep -E 'ProfilerActivity.CUDA|nsys' "$work/out")"
	done
done
