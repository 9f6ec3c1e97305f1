/* Modes for debugging autograd, as each kind of profile tells of them. */
#include "advice_case.h"
#include "database_case.h"

#include "base/mem.h"

static void check_run(struct run *run, const char *answer, const char *evidence)
{
	assert_answer(run, NULL, "debug_modes", answer, evidence);
	run_free(run);
}

static void check(const char *trace, const char *answer, const char *evidence)
{
	check_run(trace_run(trace), answer, evidence);
}

#define WITH_MODE(value)                                                                           \
	"{\"schemaVersion\":1,\"detect_anomaly\":" value                                           \
	",\"traceEvents\":[" WORK("gemm", "0", "500", "1", "") "]}"

TEST(modes_are_on_if_the_profiler_says_so)
{
	check(WITH_MODE("1"), "fires", "detect_anomaly");
	check(WITH_MODE("\"True\""), "fires", "detect_anomaly");
	check(WITH_MODE("0"), "silent", NULL);
	check(WITH_MODE("\"false\""), "silent", NULL);
}

/* Importing a file runs its module and the bodies of its classes. */
TEST(functions_of_the_modes_are_calls_not_imports)
{
	check(DOCUMENT(PYTHON("torch/autograd/anomaly_mode.py(91): __enter__", "0", "9")), "fires",
	      "__enter__");
	check(DOCUMENT(PYTHON("/opt/venv/torch/autograd/gradcheck.py(9): gradcheck", "0", "9")),
	      "fires", "gradcheck");
	check(DOCUMENT(PYTHON("torch/autograd/gradcheck.py(1): <module>", "0", "9")), "silent",
	      NULL);
	check(DOCUMENT(PYTHON("torch/autograd/anomaly_mode.py(14): detect_anomaly", "0", "9")),
	      "silent", NULL);
	check(DOCUMENT(PYTHON("mytorch/autograd/gradcheck.py(9): gradcheck", "0", "9")), "silent",
	      NULL);
}

/* ---- the engine of a trace without Python functions ---- */

#define ENGINE(function, ts) OPERATOR("autograd::engine::evaluate_function: " function, ts "0", "9")
#define INNER(name, ts) OPERATOR(name, ts "1", "2")
#define NAN(ts) OPERATOR("aten::isnan", ts "5", "1") "," OPERATOR("aten::item", ts "7", "1")

TEST(the_engine_checks_for_nan_after_each_function)
{
	check(DOCUMENT(ENGINE("MmBackward0", "1") "," INNER("MmBackward0", "1") "," NAN(
		      "1") "," ENGINE("AddBackward0",
				      "2") "," NAN("2") "," ENGINE("torch::autograd::AccumulateGrad",
								   "3")),
	      "fires", "2 of 2 backward functions");
}

TEST(own_checks_for_nan_are_no_mode)
{
	/* in a hook of a gradient, in a backward function, outside of the engine, in few calls */
	check(DOCUMENT(ENGINE("torch::autograd::AccumulateGrad", "1") "," NAN("1") "," ENGINE(
		      "torch::autograd::AccumulateGrad", "2") "," NAN("2")),
	      "unknown", NULL);
	check(DOCUMENT(ENGINE("MyBackward", "1") "," OPERATOR("MyBackward", "11", "8") "," NAN(
		      "1") "," ENGINE("MyBackward", "2") "," OPERATOR("MyBackward", "21",
								      "8") "," NAN("2")),
	      "unknown", NULL);
	check(DOCUMENT(NAN("1") "," NAN("2")), "unknown", NULL);
	check(DOCUMENT(ENGINE("A", "1") "," NAN("1") "," ENGINE("B", "2") "," NAN("2") "," ENGINE(
		      "C", "3") "," ENGINE("D", "4") "," ENGINE("E", "5")),
	      "unknown", NULL);
}

/* ---- Python profilers ---- */

#define PRINTED(function)                                                                          \
	"         3 function calls in 4.448 seconds\n\n"                                           \
	"   Ordered by: internal time\n\n"                                                         \
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"                \
	"        2    3.001    1.000    3.001    3.001 " function "\n"                             \
	"        1    1.447    1.447    4.448    4.448 train.py:9(main)\n"                         \
	"        1    0.000    0.000    0.000    0.000 {method 'disable' of "                      \
	"'_lsprof.Profiler' objects}\n\n\n"
#define CUT_SHORT                                                                                  \
	"         3 function calls in 4.448 seconds\n\n"                                           \
	"   Ordered by: internal time\n   List reduced from 3 to 1 due to restriction <1>\n\n"     \
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"                \
	"        1    1.447    1.447    4.448    4.448 /x/torch/nn/m.py:9(forward)\n\n\n"

TEST(python_profiles_tell_of_called_functions)
{
	check(PRINTED("/x/site-packages/torch/autograd/gradcheck.py:1500(gradcheck)"), "fires",
	      "gradcheck of /x/site-packages/torch/autograd/gradcheck.py");
	check(PRINTED("{built-in method torch._C._autograd._enable_profiler_legacy}"), "fires",
	      "_enable_profiler_legacy");
	check(PRINTED("/x/torch/autograd/gradcheck.py:1(<module>)"), "silent", "No debug mode");
	check(PRINTED("/x/torch/autograd/anomaly_mode.py:14(detect_anomaly)"), "silent", NULL);
	/* Lightning calls it to turn the mode off; the mode prints where operators are called */
	check(PRINTED("/x/torch/autograd/anomaly_mode.py:118(__exit__)"), "silent", NULL);
	check(PRINTED("/x/torch/autograd/anomaly_mode.py:118(__exit__)\n"
		      "        9    0.000    0.000    0.000    0.000 /x/traceback.py:9(format_stack)"),
	      "fires", "__exit__ of /x/torch/autograd/anomaly_mode.py");
	check(PRINTED("/x/torch/nn/m.py:1(f)"), "silent", NULL);
	check(PRINTED("m.py:1(f)"), "unknown", "No functions of PyTorch");
	check(CUT_SHORT, "unknown", "Not all calls");
}

/* ---- ranges of DLProf's Python package in Nsight Systems ---- */

#define SETTING(text)                                                                              \
	NSYS_STRINGS NSYS_RANGES "INSERT INTO NVTX_EVENTS VALUES (10,20,59,'" text                 \
				 "',NULL,1,NULL,0), (30,40,59,'aten::mm, seq = 4',NULL,1,NULL,0);"

TEST(ranges_tell_settings)
{
	check_run(database_run(SETTING("{\"model_config\": {\"detect_anomaly\": true}}")), "fires",
		  "detect_anomaly was on");
	check_run(database_run(
			  SETTING("{\"model_config\": {\"gradcheck\": true, \"profile\": true}}")),
		  "fires", "gradcheck, autograd_profile were on");
	check_run(database_run(SETTING("{\"model_config\": {\"detect_anomaly\": false}}")),
		  "silent", NULL);
	/* broken, of another type, of other names */
	check_run(database_run(SETTING("{\"model_config\": {\"detect_anomaly\": tr")), "unknown",
		  NULL);
	check_run(database_run(SETTING("{\"model_config\"")), "unknown", NULL);
	check_run(database_run(SETTING("{\"model_config\": [\"detect_anomaly\"]}")), "unknown",
		  NULL);
	check_run(database_run(SETTING("{\"model_config\": {\"detect_anomaly\": {}}}")), "unknown",
		  NULL);
	check_run(database_run(SETTING("{\"model_config\": {\"detect\": true}}")), "unknown", NULL);
}

/* The range stays a range, and the first one that tells a setting counts. */
TEST(ranges_of_settings_stay)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_RANGES
		"INSERT INTO NVTX_EVENTS VALUES"
		"(1,2,59,'{\"model_config\": {\"num_workers\": 4, \"pin_memory\": false}}',"
		"NULL,1,NULL,0),"
		"(3,4,59,'{\"model_config\": {\"num_workers\": 8}}',NULL,1,NULL,0);");

	assert_int_equal(profile->spans, 2);
	assert_string_equal(profile_metadata(profile, "num_workers"), "4");
	assert_string_equal(profile_metadata(profile, "pin_memory"), "false");
	span_named(profile, "{\"model_config\": {\"num_workers\": 8}}");
	profile_free(profile);
}

/* ---- DLProf's table of settings ---- */

/* A convolution of 300 us, and the settings that DLProf recorded. */
#define RECORDED(benchmark_disabled, anomaly, profile)                                             \
	"CREATE TABLE dictionary (id INTEGER PRIMARY KEY, string TEXT);"                           \
	"INSERT INTO dictionary VALUES (1,''),(4,'CONV2D_1'),(5,'conv2d'),(7,'fprop'),"            \
	"  (9,'implicit_convolve_sgemm');"                                                         \
	"CREATE TABLE read_only_system_config (id INTEGER PRIMARY KEY, num_gpus TEXT,"             \
	"  mode_string TEXT);"                                                                     \
	"INSERT INTO read_only_system_config VALUES (1,'1','pytorch');"                            \
	"CREATE TABLE read_only_ops (id INTEGER PRIMARY KEY, domain_id INTEGER, op_id_id INTEGER," \
	"  op_name STRING, op_type_id INTEGER, tc_support_status INTEGER, data_type_id INTEGER,"   \
	"  data_format_id INTEGER, direction_id INTEGER, stack_trace STRING);"                     \
	"INSERT INTO read_only_ops VALUES (2,1,4,'/module/conv2d',5,0,1,1,7,'a.py:1');"            \
	"CREATE TABLE read_only_op_instances (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,"   \
	"  cpu_start INTEGER, cpu_stop INTEGER, process_id INTEGER, thread_id INTEGER,"            \
	"  input_shapes_id INTEGER, output_shapes_id INTEGER, parameters_id INTEGER);"             \
	"INSERT INTO read_only_op_instances VALUES (1,2,0,100000,9,9,1,1,1);"                      \
	"CREATE TABLE read_only_kernels (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,"        \
	"  op_instance INTEGER, name_id INTEGER, long_name_id INTEGER, uses_tc INTEGER,"           \
	"  api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER,"              \
	"  device_id INTEGER, process_id INTEGER, thread_id INTEGER);"                             \
	"INSERT INTO read_only_kernels VALUES (1,2,0,9,9,0,20000,30000,40000,340000,0,9,9);"       \
	"CREATE TABLE read_only_model_config (id INTEGER PRIMARY KEY, num_workers INTEGER,"        \
	"  pin_memory INTEGER, cudnn_benchmark_disabled INTEGER, detect_anomaly INTEGER,"          \
	"  gradcheck INTEGER, gradgradcheck INTEGER, autograd_profile INTEGER,"                    \
	"  autograd_set_detect_anomaly INTEGER, emit_nvtx INTEGER, amp_enabled INTEGER);"          \
	"INSERT INTO read_only_model_config VALUES (1,0,1," benchmark_disabled "," anomaly         \
	",0,0," profile ",0,1,0);"

TEST(dlprof_recorded_settings)
{
	check_run(database_run(RECORDED("1", "1", "1")), "fires",
		  "detect_anomaly, autograd_profile were on");
	check_run(database_run(RECORDED("1", "0", "0")), "silent", "No debug mode");
	struct run *off = database_run(RECORDED("1", "0", "0"));
	struct run *on = database_run(RECORDED("0", "0", "0"));
	assert_answer(off, NULL, "cudnn_benchmark", "fires", "Convolutions with benchmark=False");
	assert_answer(on, NULL, "cudnn_benchmark", "silent", "0.0 %");
	run_free(off);
	run_free(on);
}
