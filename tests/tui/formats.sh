# The first screen of one profile of every kind and format, at 100x30, and at four sizes sums of it and of
# the timeline.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

golden=$screens/formats.screens

# sums OPERANDS: by size
sums()
{
	for size in 160x45 120x35 80x24 40x12; do
		printf '%s\n' ":resize $size" ':view dashboard' ":save-screen dashboard-$size" 5 ":save-screen timeline-$size"
	done | play 100x30 "$1"
	for size in 160x45 120x35 80x24 40x12; do
		[ "$(wc -l <"$work/dashboard-$size")" = "${size#*x}" ] || fail "$1 is not complete at $size"
		echo "$size: $(cksum <"$work/dashboard-$size") $(cksum <"$work/timeline-$size")"
	done
}

# show NAME PATH [BASE]: append the dashboard of a sample, without the tab line and blank lines, and the sums
show()
{
	if [ ! -e "$corpus/$2" ]; then
		echo "$1: $2 is not here" >&2
		sed -n "/^== $1\$/,/^== /{/^== $1\$/p;/^== /d;p;}" "$golden" >>"$work/screens"
		return
	fi
	set -- "$1" "$corpus/$2${3:+ --base $corpus/$3}"
	echo ":save-screen screen" | play 100x30 "$2"
	{
		echo "== $1"
		sed '1,2{/^[[ ]1/d;}; s/ *$//; /^$/d; /^-*$/d' "$work/screen"
		sums "$2"
	} >>"$work/screens"
	# more than what the file is
	[ "$(sed -n '/^ Findings/,/^ File/p' "$work/screen" | grep -c '[^ ]')" -gt 4 ] ||
		fail "the first screen of $1 is empty"
}

[ -d "$corpus/rocpd" ] || [ ! "${UPDATE_GOLDEN-}" ] || exit 0
need_corpus rocpd
: >"$work/screens"
while read -r name path base; do
	show "$name" "$path" "$base"
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
training kineto/tb_samples/resnet50_num_workers_0
inference kineto/hta/mtia_inference_trace
cpu-only kineto/hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz
ranks kineto/dlrm_8ranks
xplane-rocm xplane/jax_te_fused_attn.xplane.pb
snapshot-steps memory_snapshot/train_step_1024_torch2.x_proto4.pickle
pprof pprof/simple.prof
scalene-lines python/py_scalene/IlyaYakushevskiy__FermiNQS__scalene-profile.json.gz
dlprof dlprof/kakack__dlprofer/dlprof_dldb.sqlite
compile torch_trace/chromium_events.log
diff nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite nsys/GindaChen__nsys-ai/mfu_2gpu_before.sqlite
END
if [ "${UPDATE_GOLDEN-}" ]; then
	cp "$work/screens" "$golden"
else
	diff -u "$golden" "$work/screens" || fail "first screens have changed"
fi
