# Traces that PyTorch up to 1.7 wrote with use_cuda=True: each operator has an interval of GPU time,
# around those of the operators that it calls, and an arrow to it.
. "${srcdir:-.}/tests/lib.sh"

id=0
# recorded NAME START DURATION THREAD GPU_START GPU_DURATION: as EventList.export_chrome_trace() writes it
recorded()
{
	printf '{"name": "%s", "ph": "X", "ts": %s, "dur": %s, "tid": %s, "pid": "CPU functions", "args": {}}, ' \
		"$1" "$2" "$3" "$4"
	arrow='{"name": "%s", "ph": "%s", "ts": %s, "tid": %s, "pid": "%s", "id": %s, "cat": "cpu_to_cuda", "args": {}}, '
	printf "$arrow" "$1" s "$2" "$4" "CPU functions" $id
	printf "$arrow" "$1" f "$5" 0 "CUDA functions" $id
	printf '{"name": "%s", "ph": "X", "ts": %s, "dur": %s, "tid": 0, "pid": "CUDA functions", "args": {}}, ' \
		"$1" "$5" "$6"
	id=$((id + 1))
}

{
	printf '['
	recorded aten::conv2d 100.5 900.25 1 120.0 700.5
	recorded aten::convolution 110.0 880.0 1 125.5 690.0
	recorded aten::cudnn_convolution 150.0 800.0 1 140.0 660.0
	recorded aten::sum 1100.0 90.0 1 1100.0 80.0
	recorded aten::fill_ 1120.0 20.0 1 1110.0 10.0
	recorded aten::fill_ 1145.0 20.0 1 1125.0 10.0
	recorded aten::view 1200.0 10.0 1 1300.0 8.0
	recorded aten::reshape 1201.0 5.0 1 1300.0 2.0
	recorded MulBackward0 1205.0 40.0 2 1310.0 30.0
	printf '{"name": "aten::ones", "ph": "X", "ts": 1260, "dur": 5, "tid": 1, "pid": "CPU functions", "args": {}}]'
} >"$work/old.json"

# total: the interval of the operator; self: without those inside
assert_exit 0 strata report operators -q -f csv -c name,calls,gpu_total_ns,gpu_self_ns -s name "$work/old.json"
assert_equal "GPU time of operators" "name,calls,gpu_total_ns,gpu_self_ns
MulBackward0,1,30000,30000
aten::conv2d,1,700500,10500
aten::convolution,1,690000,30000
aten::cudnn_convolution,1,660000,660000
aten::fill_,2,20000,20000
aten::ones,1,0,0
aten::reshape,1,2000,2000
aten::sum,1,80000,60000
aten::view,1,8000,6000" "$(tr -d '\r' <"$work/out")"

# each moment counts once
assert_exit 0 strata query -q -f csv "SELECT sum(dur_ns) FROM launches" "$work/old.json"
assert_equal "GPU time" 818500 "$(tail -n 1 "$work/out" | tr -d '\r')"

assert_exit 0 strata report key-averages -q "$work/old.json"
assert_equal "rows of the table" 9 "$(grep -c '::\|Backward' "$work/out")"
assert_line "$work/out" ' aten::sum .* 60\.000us +7\.33% +80\.000us +80\.000us +1 '
assert_line "$work/out" '^Self CUDA time total: 818\.500us'
