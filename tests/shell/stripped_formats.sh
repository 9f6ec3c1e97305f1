# One source of information is taken out of profiles of other formats at a time (tests/shell/remove.py): what it
# told becomes blank, not 0 or "no", and no finding claims it.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/strip.sh"
need_command python3
need_corpus xplane

# What makes a file of its format: XSpaces leave out times that are 0, snapshots have segments, databases name
# things by numbers of texts. Communication of Ascend is what its table of operations has.
needed='^(durations|offsets)$|^(STRING_IDS|dictionary|rocpd_(string|info_kernel_symbol)[0-9a-f_]*)(\.|$)|^\.segments|COMMUNICATION_OP|COMPUTE_TASK_INFO|trace_view.json \.(ph|ts|dur|name)$
[. ](startNs|endNs|name|Start Time\(us\)|Duration\(us\)|Name|Accelerator Core)$'
# Nothing is left, or no table that is known.
unreadable='is not a known profile|have no value of its sample type|no table of pstats|holds no profile|without any$|is JSON without trace events'
# Right here: idle time within calls of one launch each, what is known of kernels that lost their names.
true_zeros="$true_zeros
^(operators|dlprof-.*)\.(idle|overhead)_|(idle|gaps)(/|\.)idle_|^(devices|steps|gaps)\.idle_|^overview\.devices/idle
^(advice|whatif)\.predicted_|^memory-curve\.|^python\.|^streams\.idle_ns"

profiles=0
# strip_all EVERY PROFILE...: of each, every EVERY-th removal; others begin at others. STRIPPED=all: every one.
strip_all()
{
	every=$1
	[ -z "${SANITIZERS-}" ] || every=$((4 * every)) # which change no figure
	[ -z "${STRIPPED-}" ] || every=1
	shift
	for profile in $(some "$@"); do
		[ -e "$profile" ] || continue
		profiles=$((profiles + 1))
		rm -rf "$work/less"
		mkdir "$work/less"
		python3 -B "$srcdir/tests/shell/remove.py" "$profile" "$work/less" "$every" "$profiles" \
			"$(echo "$needed" | paste -sd '|')" >"$work/some" || fail "$profile: nothing can be removed"
		while IFS='	' read -r number what; do
			strip "$what" "$profile" "$work/less/$number/$(basename "$profile")"
		done <"$work/some"
		wc -l <"$work/some" >>"$work/counts"
	done
}
# With the planes of other GPUs go the threads that launched for them: of one that is left silence means CPU work.
all_missing=$of_missing
of_missing="$of_missing
^host_bound$"
strip_all 12 "$corpus"/xplane/*.pb
of_missing="$all_missing
^stack_cost$" # of the calls that are left
strip_all 24 "$corpus"/ascend/text/level1/rank* "$corpus"/ascend/text_old/test_rank_0 \
	"$corpus"/ascend/db/level1/rank*/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_*.db
of_missing=$all_missing
strip_all 6 "$corpus"/dlprof/*/*.sqlite
strip_all 4 "$corpus"/pstats_text/*.txt "$corpus"/bottleneck/*.txt "$corpus"/lightning/*.txt \
	"$corpus"/memory_profiler/*.txt
strip_all 12 $(find "$corpus/memory_snapshot" -name '*.pickle' ! -name '*jit*' -size -130k | sort | head -10)
strip_all 8 "$corpus"/pprof/*.prof
strip_all 60 "$corpus"/ncu/*.csv
# Without the order of calls steps are found by their period, and the part examined has no overlap.
true_zeros="$true_zeros
compute_overlapped_|^ranks\.overlap_ns"
strip_all 12 "$corpus"/rpd/*.rpd "$corpus"/rocpd/*.db
# Without launches steps have the work that starts in them, work that is queued from before the capture looks like a
# pause, and the collectives of a step lie after it. GPUs without the rest of their work are unused.
chosen='^\.traceEvents\.(cat|id|args(\.(correlation|device|stream|bytes))?)$|^events (cuda_runtime|kernel|python_function)$'
needed="^(?!$chosen)"
true_zeros="$true_zeros
communication_(ns|pct)$|\.overlap_ns$|^links\.(forward|backward)_ns|^operators\.tc_|busy_pct$"
of_missing="$all_missing
^(unused_devices|low_utilisation|compilation)$"
strip_all 1 "$corpus"/kineto/hta_more/with_gpu*.gz \
	"$corpus"/kineto/tracelens/inference/sglang_decode/*_decode.json.gz \
	"$corpus"/kineto/tracelens/inference/vllm_decode_full/graph_execution.json.gz \
	"$corpus"/kineto/wild/CodingPlatelets__SwitchTransformers/*.json.gz

# without_member WHAT: the last snapshot that was stripped has lost it
without_member()
{
	removal=$(awk -F '\t' -v what="$1" '$2 == what { print $1 }' "$work/removed")
	echo "$work/less/$removal/$(basename "$profile")"
}
rm -rf "$work/less" && mkdir "$work/less"
profile=$corpus/memory_snapshot/synthetic_oom_2dev_proto5.pickle
python3 -B "$srcdir/tests/shell/remove.py" "$profile" "$work/less" >"$work/removed"
assert_equal "allocations without a trace of them" 0 "$(strata query -q -f csv "SELECT count(alloc_count) +
	count(alloc_bytes) + count(size_increase_bytes) FROM memory" "$(without_member .device_traces)" | tail -n 1 | tr -d '\r')"
assert_exit 0 strata report advice -q "$(without_member .device_traces.size)"
assert_line "$work/out" '3 requests for GPU memory failed on GPU0'
echo "$profiles profiles without $(awk '{ sum += $1 } END { print sum }' "$work/counts") things"
