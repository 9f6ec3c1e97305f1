/* Times of layers that inference runtimes print: TensorRT, TensorFlow Lite, TVM, OpenVINO. */
#include "text_profile_case.h"

#include "model/totals.h"

static const char trtexec[] =
	"&&&& RUNNING TensorRT.trtexec # trtexec --onnx=a.onnx --dumpProfile\n"
	"[05/08/2024-14:05:10] [I] === Model Options ===\n"
	"[05/08/2024-14:05:14] [I] === Profile (10 iterations ) ===\n"
	"[05/08/2024-14:05:14] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n"
	"[05/08/2024-14:05:14] [I]       20.50       2.0500       2.0000      90.0   conv1 + relu 1\n"
	"[05/08/2024-14:05:15] [I]        2.00       0.2000       0.2000      10.0   {Node[3 + 4]}\n"
	"[05/08/2024-14:05:15] [I]        soon       0.2000       0.2000      10.0   broken\n"
	"[05/08/2024-14:05:15] [I]       22.50       2.2500       2.2000     100.0   Total\n"
	"[05/08/2024-14:05:15] [I] \n";

/* Names come first before TensorRT 8.5, and lines begin with a bracket. */
static const char trtexec_old[] = "[I] === Profile (10 iterations ) ===\n"
				  "[I]             Layer   Time (ms)   Avg. Time (ms)   Time %\n"
				  "[I]  (Layer 1) 2 conv       20.50             2.05     90.0\n"
				  "[I]              prob        2.00             0.20     10.0\n"
				  "[I]             Total       22.50             2.25    100.0\n";

static void test_layers_of_trtexec(void **state)
{
	struct run *run = trace_run(trtexec);
	assert_string_equal(run->ranks[0].profile->format, "trtexec layer profile (text)");
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "conv1 + relu 1,10,20500000\n{Node[3 + 4]},10,2000000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
	run = trace_run(trtexec_old);
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "(Layer 1) 2 conv,10,20500000\nprob,10,2000000\n");
	run_free(run);
}

#define COLUMNS                                                                                    \
	"\t[node type]\t[start]\t[first]\t[avg ms]\t[%]\t[cdf%]\t[mem KB]\t[times called]\t[Name]\n"
#define RUN_ORDER "====== Run Order ======\n" COLUMNS

static const char tflite[] =
	"INFO: count=9 first=64791 avg=57758.2\n"
	"Profiling Info for Benchmark Initialization:\n" RUN_ORDER
	"\tAllocateTensors\t0.000\t17.2\t17.2\t98.5%\t98.5%\t5652.0\t1\tAllocateTensors/0\n\n"
	"Operator-wise Profiling Info for Regular Benchmark Runs:\n" RUN_ORDER
	"\tCONV_2D\t0.000\t5.5\t4.0\t40%\t40%\t0.0\t1\t[a, b]:0\n"
	"\tCONV_2D\t5.500\t1.5\t1.0\t10%\t50%\t0.0\t1\t[c]:1\n"
	"\tbroken\n"
	"\tTfLiteXNNPackDelegate\t6.5\t6\t5.0\t50%\t100%\t0.0\t1\t[d]:7\n\n"
	"====== Top by Computation Time ======\n" COLUMNS
	"\tCONV_2D\t0.000\t5.5\t4.0\t40%\t40%\t0.0\t1\t[a, b]:0\n\n"
	"Delegate internal: \n" RUN_ORDER
	"\tConvolution (NHWC, F32) GEMM\t0\t3\t3.5\t70%\t70%\t0.0\t2\tDelegate/Conv:0\n\n";

/* Of the runs, in their order, once; parts of a delegate are below it. */
static void test_layers_of_tensorflow_lite(void **state)
{
	struct run *run = trace_run(tflite);
	assert_rows(run, "layers", NULL, NULL, "name,kind,depth,calls,cpu_total_ns",
		    "[a, b]:0,CONV_2D,0,1,4000000\n[c]:1,CONV_2D,0,1,1000000\n"
		    "[d]:7,TfLiteXNNPackDelegate,0,1,5000000\n"
		    "Delegate/Conv:0,Convolution (NHWC, F32) GEMM,1,2,3500000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
}

/* A logger of TensorFlow writes the time before each line. */
static void test_operators_are_kinds_of_layers(void **state)
{
#define AT "2018-09-10 12:36:37.574153: I tensorflow/core/util/stat_summarizer.cc:85] "
#define LATER "2018-09-10 12:36:38.000001: I tensorflow/core/util/stat_summarizer.cc:85] "
	struct run *run =
		trace_run(AT "====== Run Order ======\n" AT COLUMNS LATER
			     "\tConst\t0.000\t0.5\t0.25\t0%\t0%\t0.0\t0\t_SOURCE\n" LATER
			     "\tConv2D\t0.5\t4.5\t4.0\t0%\t0%\t0.0\t0\tx/Conv2D\n" LATER
			     "\tConv2D\t5\t4.5\t5.0\t0%\t0%\t0.0\t0\ty/Conv2D\n" LATER "\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns",
		    "Const,,250000\nConv2D,,9000000\n");
	run_free(run);
}

static const char tvm[] =
	"Name          Duration (us)  Percent  Device  Count               Argument Shapes      Hash  \n"
	"fused_dense        1,309.50    64.48   cuda0      2  float32[128, 32], float32[8]  93c3fb67  \n"
	"vm.shape              25.00     0.00    cpu0      1             float32[1, 64]  \n"
	"broken                  soon\n"
	"----------  \n"
	"Sum                1,334.50    99.93                3  \n"
	"Total                  0.00              cpu0       1  \n";

static void test_functions_of_tvm(void **state)
{
	struct run *run = trace_run(tvm);
	assert_rows(run, "operators", NULL, "shape",
		    "name,input_shapes,calls,gpu_self_ns,cpu_total_ns",
		    "fused_dense,float32[128, 32], float32[8],2,1309500,\n"
		    "vm.shape,float32[1, 64],1,,25000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
}

static const char openvino[] =
	"[ INFO ] Performance counts for 0-th infer request\n"
	"data   Status.NOT_RUN layerType: Parameter  realTime: 0:00:00   cpu: 0:00:00  execType: u\n"
	"conv 1 Status.EXECUTEDlayerType: Convolution realTime: 0:00:01.5cpu: 0:00:01.5 execType: jit\n"
	"fc     Status.EXECUTED layerType: Dense realTime: 0:00:00.000042cpu: 0:00:00.000042 execType: x\n"
	"[ INFO ] Performance counts for 1-th infer request\n"
	"conv 1 Status.EXECUTEDlayerType: Convolution realTime: 0:00:01.5cpu: 0:00:01.5 execType: jit\n";

/* A device works beside the CPU; what was fused away has no time. */
static void test_counters_of_openvino(void **state)
{
	struct run *run = trace_run(openvino);
	assert_rows(run, "layers", NULL, NULL, "name,kind,calls,cpu_total_ns,gpu_total_ns",
		    "conv 1,Convolution,1,1500000000,\nfc,Dense,1,42000,\n");
	run_free(run);
	run = trace_run(
		"conv  EXECUTED  layerType: Convolution  realTime: 462  cpu: 86  execType: GPU\n"
		"relu  OPTIMIZED_OUT  layerType: ReLU  realTime: 0  cpu: 0  execType: undef\n"
		"Total time: 462 microseconds\n");
	assert_rows(run, "layers", NULL, NULL, "name,cpu_total_ns,gpu_total_ns",
		    "conv,86000,462000\n");
	run_free(run);
	run = trace_run("layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
			"ids;NOT_RUN;Parameter;unknown;0.000;0.000;\n"
			"conv;EXECUTED;Convolution;jit;0.706;0.706;\n"
			"Total;;;;0.706;0.706;\n");
	assert_rows(run, "layers", NULL, NULL, "name,kind,cpu_total_ns",
		    "conv,Convolution,706000\n");
	run_free(run);
}

static void test_damaged_tables_are_read_or_refused(void **state)
{
	assert_survives(BYTES(trtexec));
	assert_survives(BYTES(trtexec_old));
	assert_survives(BYTES(tflite));
	assert_survives(BYTES(tvm));
	assert_survives(BYTES(openvino));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers_of_trtexec),
		cmocka_unit_test(test_layers_of_tensorflow_lite),
		cmocka_unit_test(test_operators_are_kinds_of_layers),
		cmocka_unit_test(test_functions_of_tvm),
		cmocka_unit_test(test_counters_of_openvino),
		cmocka_unit_test(test_damaged_tables_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
