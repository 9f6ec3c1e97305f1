# Figures of recorded Ascend, ONNX Runtime, TensorRT, Proton and PyTorch files, as other tools have them.
. "${srcdir:-.}/tests/lib.sh"
need_corpus ascend

# holds EXPECTED SQL FILE...: the row is EXPECTED
holds()
{
	figures=$1 sql=$2
	shift 2
	assert_exit 0 strata query -q -f csv "$sql" "$@"
	assert_equal "$sql of $1" "$figures" "$(sed 1d "$work/out" | tr -d '\r')"
}

# "Computing" of the file's own analysis; waits and copies are not part of it
run=$corpus/ascend/db/level1
rank=$run/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db
holds 78,187,8903431 "SELECT count(*), sum(calls), sum(total_ns) FROM kernels" "$rank"
holds 187,187 "SELECT count(api_start_ns), count(operator) FROM launches WHERE kind = 'kernel'" "$rank"
holds 4,102108100 "SELECT sum(calls), sum(total_ns) FROM collectives" "$rank"
holds 1263251456 "SELECT max(allocated_bytes) FROM memory_curve WHERE category = 'PTA+GE'" "$rank"
holds 2 "SELECT count(*) FROM ranks WHERE computation_ns > 0" "$run"
# its text form is another execution of the same program
text=$corpus/ascend/text/level1/rank0_ascend_pt
holds 78,187 "SELECT count(*), sum(calls) FROM kernels" "$text"
holds 1322299392 "SELECT max(allocated_bytes) FROM memory_curve" "$text"
holds 9,17 "SELECT count(*), sum(calls) FROM kernels" "$corpus/ascend/text_old/test_rank_0"

# devices of several kinds have their names, those of one kind their numbers
holds "device TPU0" "SELECT DISTINCT section FROM overview WHERE section LIKE '%TPU%'" "$corpus/xplane/generated_gpu_tpu.xplane.pb"
holds "device 0" "SELECT DISTINCT section FROM overview WHERE section LIKE 'device %'" "$rank"

holds 15,7288000 "SELECT sum(calls), sum(cpu_total_ns) FROM operators" "$corpus/onnxruntime/generated_cuda.json"
holds 3,7451000 "SELECT count(*), sum(dur_ns) FROM steps" "$corpus/onnxruntime/generated_cuda.json"
holds 73,6610 "SELECT count(*), min(calls) FROM operators" "$corpus/tensorrt/mobilenet.qat.engine.profile.json"
holds 73,0 "SELECT count(*), count(gpu_total_ns) FROM layers" "$corpus/tensorrt/mobilenet.qat.engine.graph.json"
holds 2000 "SELECT count(*) FROM steps" "$corpus/tensorrt/mobilenet.qat.engine.timing.json"
holds 5728,5728 "SELECT sum(gpu_self_ns), max(gpu_total_ns) FROM layers" "$corpus/proton/triton.hatchet"
holds 104,0 "SELECT calls, count(cpu_total_ns) FROM operators WHERE name = 'aten::t'" "$corpus/execution_trace/linear_et.json.gz"
holds 3082832104 "SELECT max(allocated_bytes) FROM memory_curve WHERE category IS NULL" \
	"$corpus/memory_timeline/memory_timeline.raw.json.gz"
holds 1,2 "SELECT rank, missing FROM ranks WHERE missing > 0" \
	"$corpus/nccl_flight_recorder/nccl_trace_rank_0" "$corpus/nccl_flight_recorder/nccl_trace_rank_1"
