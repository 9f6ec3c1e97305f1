/* Yes, no and unknown stay apart: Tensor Core use, block counts, peaks, and their coverage. */
#include "trace_case.h"

#include "analysis/work/device_peaks.h"

#include <math.h>

/* A trace with one device, its events written by the caller. */
#define MACHINE(name, major, events)                                                               \
	"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"" name                    \
	"\",\"computeMajor\":" major                                                               \
	",\"computeMinor\":0,\"numSms\":100}],\"traceEvents\":[" events "]}"
#define RUN_KERNEL(name, ts, dur, correlation, more)                                               \
	EVENT("kernel", name, "0", "7", ts, dur,                                                   \
	      "{\"device\":0,\"stream\":7,\"correlation\":" correlation more "}")
#define GRID ",\"grid\":[50,1,1],\"block\":[128,1,1]"
#define TYPED(name, ts, dur, types, shapes)                                                        \
	EVENT("cpu_op", name, "1", "1", ts, dur,                                                   \
	      "{\"Input type\":" types ",\"Input Dims\":" shapes "}")

#define TENSILE "Cijk_Alik_Bljk_BBS_BH_MT32x32x256_MI16x16x1_SN_LDSB1"
#define PRODUCT "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1"

/* Decoding with Triton: 13 % in library products, 60 % in generated ones, 27 % in other work. */
static const char serving[] =
	MACHINE("AMD Instinct MI300X", "9",
		RUN_KERNEL(TENSILE, "0", "13", "1", GRID) "," RUN_KERNEL(
			PRODUCT, "20", "50", "2",
			"") "," RUN_KERNEL("kernel_unified_attention_2d", "80", "10", "3",
					   "") "," RUN_KERNEL("triton_poi_fused_add_0", "100", "27",
							      "4", ""));

static struct value fact(const struct table *overview, const char *metric)
{
	for (size_t row = 0; row < overview->rows; row++)
		if (!strcmp(table_cell(overview, row, "metric").text, metric))
			return table_cell(overview, row, "value");
	fail_msg("no fact %s", metric);
	return value_missing();
}

static bool has_fact(const struct table *overview, const char *metric)
{
	for (size_t row = 0; row < overview->rows; row++)
		if (!strcmp(table_cell(overview, row, "metric").text, metric))
			return true;
	return false;
}

static void assert_real(struct value value, double expected)
{
	assert_int_equal(value.kind, VALUE_REAL);
	assert_float_equal(value.real, expected, 1e-9);
}

TEST(generated_products_leave_the_tensor_core_share_unknown)
{
	struct run *run = trace_run(serving);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *kernels = trace_view(run, "kernels", NULL, NULL);
	assert_int_equal(fact(overview, "tensor_core_pct").kind, VALUE_MISSING);
	assert_real(fact(overview, "tensor_core_known_pct"), 40);
	assert_int_equal(
		table_cell(kernels, row_with(kernels, "name", PRODUCT), "tensor_core").kind,
		VALUE_MISSING);
	assert_string_equal(
		table_cell(kernels, row_with(kernels, "name", TENSILE), "tensor_core").text, "yes");
	assert_string_equal(table_cell(kernels, row_with(kernels, "name", "triton_poi_fused_add_0"),
				       "tensor_core")
				    .text,
			    "no");
	table_free(kernels);
	table_free(overview);
	run_free(run);
}

/* 13 of 100 us have a grid: the integral over these is no efficiency of the device. */
TEST(sm_efficiency_needs_grids)
{
	struct run *run = trace_run(serving);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *buckets = trace_view(run, "utilization", NULL, NULL);
	assert_int_equal(fact(overview, "sm_efficiency_pct").kind, VALUE_MISSING);
	assert_real(fact(overview, "sm_efficiency_known_pct"), 13);
	assert_int_equal(fact(overview, "occupancy_pct").kind, VALUE_MISSING);
	assert_real(fact(overview, "occupancy_known_pct"), 0);
	for (size_t row = 0; row < buckets->rows; row++)
		assert_int_equal(table_cell(buckets, row, "sm_efficiency_pct").kind, VALUE_MISSING);
	table_free(buckets);
	table_free(overview);
	run_free(run);
}

/* Nine tenths are known: figures over these, with their coverage. */
TEST(figures_with_enough_coverage_state_it)
{
	struct run *run = trace_run(MACHINE(
		"NVIDIA A100-SXM4-40GB", "8",
		RUN_KERNEL("ampere_fp16_s16816gemm_fp16_128x64_tn", "0", "30", "1", GRID ",\"est. achieved occupancy %\":40") "," RUN_KERNEL(
			"vectorized_elementwise_kernel", "30", "60", "2",
			GRID ",\"est. achieved occupancy %\":70") "," RUN_KERNEL("_fwd_kernel",
										 "90", "10", "3",
										 "")));
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	assert_real(fact(overview, "tensor_core_pct"), 100.0 / 3);
	assert_real(fact(overview, "tensor_core_known_pct"), 90);
	assert_real(fact(overview, "sm_efficiency_pct"), 45); /* half a block per SM for 90 us */
	assert_real(fact(overview, "sm_efficiency_known_pct"), 90);
	assert_real(fact(overview, "occupancy_pct"), 60);
	assert_real(fact(overview, "occupancy_known_pct"), 90);
	table_free(overview);
	run_free(run);
}

TEST(full_coverage_adds_no_row)
{
	struct run *run =
		trace_run(MACHINE("NVIDIA A100-SXM4-40GB", "8",
				  RUN_KERNEL("ampere_sgemm_128x64_nn", "0", "30", "1", GRID)));
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	assert_real(fact(overview, "tensor_core_pct"), 0);
	assert_false(has_fact(overview, "tensor_core_known_pct"));
	assert_false(has_fact(overview, "sm_efficiency_known_pct"));
	table_free(overview);
	run_free(run);
}

#define IN_OPERATOR(name, types, kernel)                                                           \
	TYPED(name, "0", "10", types, "[[4],[4]]")                                                 \
	"," LAUNCH("1", "1") "," RUN_KERNEL(kernel, "20", "10", "1", "")

static struct value use_in(const char *trace)
{
	struct run *run = trace_run(trace);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct value use = table_cell(launches, 0, "tensor_core");
	if (use.kind == VALUE_TEXT)
		use = value_text(!strcmp(use.text, "yes") ? "yes" : "no");
	table_free(launches);
	run_free(run);
	return use;
}

/* The same uninformative name, and what else the profile tells. */
TEST(operator_types_and_device_decide_where_the_name_does_not)
{
#define A100(name, types, kernel) MACHINE("NVIDIA A100", "8", IN_OPERATOR(name, types, kernel))
	assert_int_equal(use_in(A100("aten::mm", "[\"c10::Half\",\"c10::Half\"]", "k1")).kind,
			 VALUE_MISSING);
	assert_int_equal(use_in(A100("custom::op", "[\"c10::Half\"]", "k1")).kind, VALUE_MISSING);
	assert_string_equal(use_in(A100("aten::add_", "[\"c10::Half\"]", "k1")).text, "no");
	assert_string_equal(use_in(A100("aten::native_layer_norm", "[\"float\"]", "k1")).text,
			    "no");
	assert_string_equal(use_in(A100("MulBackward0", "[\"float\"]", "k1")).text, "no");
	assert_string_equal(use_in(A100("aten::mm", "[\"long int\",\"long int\"]", "k1")).text,
			    "no");
	/* the name has the last word where it has one */
	assert_string_equal(use_in(A100("aten::add_", "[\"c10::Half\"]", "s16816gemm_x")).text,
			    "yes");
#define ON(device, major)                                                                          \
	MACHINE(device, major, IN_OPERATOR("aten::mm", "[\"c10::Half\",\"c10::Half\"]", "k1"))
	assert_string_equal(use_in(ON("Tesla P100-SXM2-16GB", "6")).text, "no");
	assert_string_equal(use_in(ON("NVIDIA GeForce GTX 1660", "7")).text, "no");
	assert_string_equal(use_in(ON("AMD Instinct MI50", "9")).text, "no");
	assert_int_equal(use_in(ON("AMD Instinct MI250X", "9")).kind, VALUE_MISSING);
	assert_int_equal(use_in(ON("", "7")).kind, VALUE_MISSING);
}

/* 10 of 20 us under the outer operator are of unknown use, all of the inner one's. */
TEST(shares_of_operators_and_layers_have_their_coverage)
{
	struct run *run = trace_run(MACHINE(
		"NVIDIA A100", "8",
		OPERATOR("outer", "0", "50") "," OPERATOR("aten::mm", "5", "10") "," LAUNCH(
			"6",
			"1") "," RUN_KERNEL("_fused_kernel", "100", "10", "1",
					    "") "," LAUNCH("20",
							   "2") "," RUN_KERNEL("s16816gemm_128",
									       "120", "10", "2",
									       "")));
	static const char *const views[] = { "operators", "layers" };
	for (size_t i = 0; i < 2; i++) {
		struct table *table = trace_view(run, views[i], NULL, NULL);
		const char *share = i ? "tc_pct" : "tc_total_pct";
		size_t outer = row_with(table, "name", "outer"),
		       inner = row_with(table, "name", "aten::mm");
		assert_int_equal(table_cell(table, outer, share).kind, VALUE_MISSING);
		assert_real(table_cell(table, outer, "tc_known_pct"), 50);
		assert_int_equal(table_cell(table, inner, share).kind, VALUE_MISSING);
		assert_real(table_cell(table, inner, "tc_known_pct"), 0);
		if (!i)
			assert_real(table_cell(table, outer, "tc_self_pct"), 100);
		table_free(table);
	}
	run_free(run);
}

/* An eligible operator whose kernel does not say so is not one without Tensor Cores. */
TEST(unknown_use_is_no_finding)
{
	struct run *run = trace_run(
		MACHINE("NVIDIA A100", "8",
			IN_OPERATOR("aten::mm", "[\"c10::Half\",\"c10::Half\"]", "_fused_kernel")));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	for (size_t row = 0; row < advice->rows; row++)
		if (!strcmp(table_cell(advice, row, "detector").text, "tensor_cores") ||
		    !strcmp(table_cell(advice, row, "detector").text, "tf32_off"))
			assert_true(!strcmp(table_cell(advice, row, "severity").text, "unknown") ||
				    !strcmp(table_cell(advice, row, "severity").text, "silent"));
	table_free(advice);
	run_free(run);
}

/* ---- shares of the peak ---- */

#define SQUARE "[[1024,1024],[1024,1024]]" /* 2^31 FLOPs */
#define FLOATS "[\"float\",\"float\"]"

static struct table *launches_of(struct run **run, const char *trace)
{
	*run = trace_run(trace);
	return trace_view(*run, "launches", NULL, NULL);
}

/* The reduction that ends a product shares its work, and with it the peak of Tensor Cores. */
TEST(helpers_have_the_peak_of_their_call)
{
	struct run *run;
	struct table *launches = launches_of(
		&run,
		MACHINE("NVIDIA A100-SXM4-40GB", "8",
			TYPED("aten::mm", "0", "30", FLOATS, SQUARE) "," LAUNCH("1", "1") "," LAUNCH(
				"5", "2") "," RUN_KERNEL("cutlass_80_tensorop_s1688gemm_128x64",
							 "40", "30", "1",
							 "") "," RUN_KERNEL("splitKreduce_kernel",
									    "70", "10", "2", "")));
	for (size_t row = 0; row < 2; row++)
		assert_real(table_cell(launches, row, "peak_pct"),
			    100 * 2147483648.0 / 40e-6 / 156e12);
	assert_string_equal(table_cell(launches, 1, "tensor_core").text, "no");
	table_free(launches);
	run_free(run);
}

/* Where both peaks are the same, it does not matter whether Tensor Cores were used. */
TEST(equal_peaks_need_no_tensor_core_use)
{
	struct run *run;
	struct table *launches = launches_of(
		&run,
		MACHINE("Tesla V100-SXM2-16GB", "7",
			TYPED("aten::mm", "0", "30", "[\"double\",\"double\"]", SQUARE) "," LAUNCH(
				"1", "1") "," RUN_KERNEL("_fused_kernel", "40", "1000", "1", "")));
	assert_int_equal(table_cell(launches, 0, "tensor_core").kind, VALUE_MISSING);
	assert_real(table_cell(launches, 0, "peak_pct"), 100 * 2147483648.0 / 1e-3 / 7.8e12);
	table_free(launches);
	run_free(run);
}

static void check_note(const char *kernel_trace, const char *part)
{
	struct run *run;
	struct table *launches = launches_of(&run, kernel_trace);
	struct value note = table_cell(launches, 0, "peak_note");
	assert_int_equal(table_cell(launches, 0, "peak_pct").kind, VALUE_MISSING);
	assert_int_equal(note.kind, VALUE_TEXT);
	if (!strstr(note.text, part))
		fail_msg("%s: %s", part, note.text);
	table_free(launches);
	run_free(run);
}

/* Each takes so short that its rate is above the peak, or has no peak. */
TEST(no_share_above_the_peak_and_a_reason)
{
#define FAST(device, kernel, types)                                                                \
	MACHINE(device, "8",                                                                       \
		TYPED("aten::mm", "0", "30", types,                                                \
		      SQUARE) "," LAUNCH("1", "1") "," RUN_KERNEL(kernel, "40", "10", "1", ""))
	check_note(FAST("NVIDIA A100", "winogradForwardData4x4", FLOATS), "Winograd");
	check_note(FAST("NVIDIA A100", "ampere_sgemm_128x64", FLOATS), "Above the peak");
	check_note(FAST("Some GPU", "ampere_sgemm_128x64", FLOATS), "--device-peaks");
	check_note(FAST("NVIDIA A100", "_fused_kernel", FLOATS), "which peak applies");
	check_note(FAST("NVIDIA A100", "ampere_sgemm_128x64", "[]"), "not recorded");
}

static void check_peak(const char *device, const char *type, bool tensor, double tera)
{
	struct device_rates rates = device_rates_named(NULL, device);
	double peak = device_rates_flops(&rates, type, tensor) / 1e12;
	if (isnan(tera) ? !isnan(peak) : !(fabs(peak - tera) < 1e-9))
		fail_msg("%s %s: %g, not %g", device, type, peak, tera);
}

TEST(peaks_by_type_and_use)
{
	check_peak("NVIDIA A100-SXM4-80GB", "double", true, 19.5);
	check_peak("NVIDIA A100-SXM4-80GB", "double", false, 9.7);
	check_peak("NVIDIA A100-SXM4-80GB", "c10::Half", false, 78);
	check_peak("NVIDIA A100-SXM4-80GB", "c10::complex<float>", true, NAN);
	check_peak("AMD Instinct MI300X", "Float", true, 163.4);
	check_peak("AMD Instinct MI300X", "Half", true, 1307.4);
	check_peak("NVIDIA A100-SXM4-80GB", "signed char", true, 624);
	check_peak("NVIDIA A100-SXM4-80GB", "signed char", false, NAN);
	check_peak("NVIDIA A100-SXM4-80GB", "long int", true, NAN);
	check_peak("NVIDIA A800-SXM4-80GB", "c10::BFloat16", true, 312);
	check_peak("NVIDIA H100 80GB HBM3", "c10::Float8_e4m3fn", true, 1978.9);
	check_peak("NVIDIA GH200 480GB", "float", false, 67);
	check_peak("NVIDIA H20", "c10::Half", true, 148);
	check_peak("NVIDIA H200", "c10::Half", true, 989.4);
	check_peak("NVIDIA L40S", "c10::Half", true, 362);
	check_peak("NVIDIA L40", "c10::Half", true, 181);
	check_peak("NVIDIA L4", "c10::Half", true, 121);
	check_peak("NVIDIA B200", "Float4_e2m1fn_x2", true, 9000);
	check_peak("NVIDIA B300 SXM6 AC", "double", true, 1.2);
	check_peak("NVIDIA GB200", "c10::BFloat16", true, 2500);
	check_peak("NVIDIA GeForce RTX 5070 Ti", "float", false, 43.9);
	check_peak("NVIDIA GeForce RTX 4090 Laptop GPU", "float", false, NAN);
	check_peak("AMD Instinct MI300X", "float", true, 163.4);
	check_peak("AMD Instinct MI325X", "c10::BFloat16", true, 1307.4);
	check_peak("AMD Instinct MI355X", "c10::Float8_e4m3fn", true, 5033.2);
	check_peak("AMD Instinct MI250X", "c10::Half", true, 191.5); /* of one die */
	assert_true(device_rates_named(NULL, "NVIDIA GH200 480GB").bytes == 4000e9);
	assert_true(device_rates_named(NULL, "NVIDIA H20").bytes == 4000e9);
	assert_true(device_rates_named(NULL, "AMD Instinct MI325X").bytes == 6000e9);
	assert_true(device_rates_named(NULL, "NVIDIA A10G").bytes == 600e9);
}
