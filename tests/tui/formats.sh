# The first screen of one profile of every kind of format, at 100x30.
. "${srcdir:-.}/tests/tui/lib.sh"

golden=$screens/formats.screens

# show NAME PATH: append the dashboard of a sample, without the tab line and blank lines.
show()
{
	if [ ! -e "$corpus/$2" ]; then
		echo "$1: $2 is not here" >&2
		sed -n "/^== $1\$/,/^== /{/^== $1\$/p;/^== /d;p;}" "$golden" >>"$work/screens"
		return
	fi
	echo ":save-screen screen" | play 100x30 "$corpus/$2"
	{
		echo "== $1"
		sed '1,2{/^[[ ]1/d;}; s/ *$//; /^$/d; /^-*$/d' "$work/screen"
	} >>"$work/screens"
	# more than what the file is
	[ "$(sed -n '/^ Findings/,/^ File/p' "$work/screen" | grep -c '[^ ]')" -gt 4 ] ||
		fail "the first screen of $1 is empty"
}

[ -d "$corpus/rocpd" ] || [ ! "${UPDATE_GOLDEN-}" ] || exit 0
need_corpus rocpd
: >"$work/screens"
while read -r name path; do
	show "$name" "$path"
done <<'END'
ascend-database ascend/db/level1
ascend-text ascend/text/level1
rocpd rocpd/rocpd_3.0.3_graphs.db
rpd rpd/mytrace.rpd
rocprofv3 rocprofv3_json/derived_with_api_and_copies.json.gz
rocprof-compute rocprof_compute/rocprof_compute_23ed6f36.db
ncu-report ncu/mlp_t4.ncu-rep
ncu-untimed ncu/silu_triton_few_metrics.ncu-rep
ncu-csv ncu/silu_cuda_a100.details.csv
ncu-text ncu/ncu_console_details.txt
xplane xplane/generated_gpu_tpu.xplane.pb
memory-snapshot memory_snapshot/synthetic_oom_2dev_proto5.pickle
memory-timeline memory_timeline/memory_timeline.raw.json.gz
tensorrt-profile tensorrt/mobilenet.qat.engine.profile.json
tensorrt-layers tensorrt/mobilenet.qat.engine.graph.json
tensorrt-times tensorrt/mobilenet.qat.engine.timing.json
proton proton/triton.hatchet
onnxruntime onnxruntime/generated_cuda.json
execution-trace execution_trace/resnet_et.json.gz
flight-recorder nccl_flight_recorder
speedscope speedscope/pyspy_layout_two_threads.speedscope.json
perf-script perf_script/py312_Xperf.perf.txt
pstats-text pstats_text/fib_tottime.txt
memory-profiler memory_profiler/line_by_line.txt
lightning lightning/simple_fit_extended.txt
lightning-advanced lightning/advanced_fit.txt
bottleneck bottleneck/resnet18_cpu.txt
importtime importtime/py3.11_torch.txt
cprofile python/py_cprofile/AugustEhl__MLOps_Amazon_review_project__train.prof
line-profiler python/py_line_profiler/askliar__nlp-information-retrieval__clean_code__clean_model.py.lprof
scalene python/py_scalene/plasma-umass__scalene__profile.json
torch-stacks python/torch_stacks/EmperorNiu__gpt2-profile__profiler_stacks.txt
nvprof nvprof/josiahdavis__profiling-lm/net.sql
pyprof pyprof/josiahdavis__profiling-lm/net.dict
nsys nsys/gxxxh__ml_predict/resnet.sqlite
END
if [ "${UPDATE_GOLDEN-}" ]; then
	cp "$work/screens" "$golden"
else
	diff -u "$golden" "$work/screens" || fail "first screens have changed"
fi
