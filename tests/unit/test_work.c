/*
 * Work of operators, against counts made by hand.
 */
#include "analysis/device_peaks.h"
#include "analysis/work.h"
#include "trace_case.h"

#include <math.h>

static struct work count(const char *name, const char *shapes, const char *types,
			 const char *concrete)
{
	struct work work = { NAN, NAN };
	const struct work_call call = { name, shapes, types, concrete, NULL, false };
	if (!work_of_call(&call, &work))
		fail_msg("no work of %s %s", name, shapes);
	return work;
}

static void products_multiply_and_add(void **state)
{
	(void)state;
	struct work work =
		count("aten::mm", "[[2,3],[3,5]]", "[\"c10::Half\",\"c10::Half\"]", NULL);
	assert_true(work.flops == 2 * 2 * 3 * 5);
	assert_true(work.bytes == 2 * (6 + 15 + 10));
	assert_true(count("aten::addmm", "[[5],[2,3],[3,5],[],[]]", NULL, NULL).flops == 60);
	assert_true(count("bmm", "[[7,2,3],[7,3,5]]", NULL, NULL).flops == 7 * 60);
	assert_true(count("aten::baddbmm", "[[7,2,5],[7,2,3],[7,3,5]]", NULL, NULL).flops ==
		    7 * 60);
	assert_true(count("aten::linear", "[[4,2,3],[5,3],[5]]", NULL, NULL).flops == 4 * 60);
	assert_true(count("aten::matmul", "[[4,1,2,3],[6,3,5]]", NULL, NULL).flops == 24 * 60);
	assert_true(count("aten::_scaled_mm", "[[2,3],[3,5],[],[]]", NULL, NULL).flops == 60);
	assert_true(count("aten::_grouped_mm", "[[8,3],[4,3,5],[4]]", NULL, NULL).flops ==
		    8 * 2 * 3 * 5);
	assert_true(isnan(count("aten::mm", "[[2,3],[3,5]]", NULL, NULL).bytes));
}

static void convolutions_see_stride_padding_and_groups(void **state)
{
	(void)state;
	/* ResNet's first layer: 112 × 112 places, 64 filters of 3 × 7 × 7 */
	struct work work = count("aten::conv2d", "[[32,3,224,224],[64,3,7,7],[],[],[],[],[]]",
				 "[\"float\",\"float\",\"\",\"\",\"\",\"\",\"\"]",
				 "[\"\",\"\",\"\",\"[2, 2]\",\"[3, 3]\",\"[1, 1]\",\"1\"]");
	assert_true(work.flops == 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7);
	assert_true(work.bytes ==
		    4.0 * (32 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 32 * 64 * 112 * 112));
	/* The same order of arguments is not everywhere; a group has a quarter of the channels. */
	work = count("aten::cudnn_convolution", "[[2,8,10,10],[12,2,3,3],[],[],[],[],[],[],[]]",
		     NULL, "[\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"4\",\"\",\"\",\"\"]");
	assert_true(work.flops == 2.0 * 2 * 12 * 10 * 10 * 2 * 3 * 3);
	work = count(
		"aten::convolution_backward", "[[2,12,10,10],[2,8,10,10],[12,2,3,3]]", NULL,
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"[False, True, False]\"]");
	assert_true(work.flops == 2.0 * 2 * 12 * 10 * 10 * 2 * 3 * 3);
	work = count("aten::convolution_backward", "[[2,12,10,10],[2,8,10,10],[12,2,3,3]]", NULL,
		     NULL);
	assert_true(work.flops == 2 * 2.0 * 2 * 12 * 10 * 10 * 2 * 3 * 3);
	/* Each of 2 × 8 × 5 × 5 inputs meets 6 filters of 3 × 3. */
	work = count("aten::conv_transpose2d", "[[2,8,5,5],[8,6,3,3]]", NULL, NULL);
	assert_true(work.flops == 2.0 * 2 * 8 * 5 * 5 * 6 * 3 * 3);
}

static void attention_counts_both_products(void **state)
{
	(void)state;
	const char *shapes = "[[2,4,16,8],[2,4,32,8],[2,4,32,8]]";
	const char *backward = "[[2,4,16,8],[2,4,16,8],[2,4,32,8],[2,4,32,8]]";
	double both = 2.0 * 2 * 4 * 16 * 32 * (8 + 8);
	assert_true(count("aten::scaled_dot_product_attention", shapes, NULL, NULL).flops == both);
	assert_true(
		count("aten::_scaled_dot_product_flash_attention_backward", backward, NULL, NULL)
			.flops == 2.5 * both);
	assert_true(count("aten::_flash_attention_forward", "[[2,16,4,8],[2,32,4,8],[2,32,4,8]]",
			  NULL, NULL)
			    .flops == both);
}

static void elements_are_moved_once(void **state)
{
	(void)state;
	struct work work =
		count("aten::add_", "[[4,3],[3],[]]", "[\"float\",\"double\",\"Scalar\"]", NULL);
	assert_true(work.flops == 12);
	assert_true(work.bytes == 4 * 12 + 8 * 3 + 4 * 12);
	work = count("aten::copy_", "[[4,3],[4,3],[]]", "[\"c10::Half\",\"float\",\"\"]", NULL);
	assert_true(work.flops == 0 && work.bytes == 12 * (2 + 4));
	work = count("aten::_foreach_add_", "[[[4,3],[8]],[]]", NULL, NULL);
	assert_true(work.flops == 20);
	work = count("aten::embedding", "[[100,16],[7]]", "[\"float\",\"long int\"]", NULL);
	assert_true(work.bytes == 7 * 8 + 2 * 7 * 16 * 4);
}

static void what_is_not_known_stays_unknown(void **state)
{
	(void)state;
	static const char *const calls[][2] = {
		{ "aten::nothing_known", "[[2]]" },
		{ "aten::mm", "" },
		{ "aten::mm", "[[2,3],[4,5]]" },
		{ "aten::mm", "[[2,3]]" },
		{ "aten::mm", "no list" },
		{ "aten::mm", "[[2,-3],[3,5]]" },
		{ "aten::conv2d", "[[2,8,10,10],[12,2,3,3]]" },
		{ "", "[[1]]" },
		{ "aten::bmm", "[[7,2,3],[8,3,5]]" },
		{ "aten::add", "[]" },
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct work work;
		const struct work_call call = { .name = calls[i][0], .shapes = calls[i][1] };
		if (work_of_call(&call, &work))
			fail_msg("work of %s %s", calls[i][0], calls[i][1]);
	}
}

#define MM_ARGS(launch)                                                                                 \
	"{\"Input Dims\":[[64,32],[32,16]],\"Input type\":[\"float\",\"float\"],\"Sequence number\":3," \
	"\"Fwd thread id\":0,\"External id\":" launch "}"

/* 2 · 64 · 32 · 16 operations, shared by kernels of 30 and 10 us; the copy has its own bytes. */
static void kernels_share_the_work_of_their_call(void **state)
{
	(void)state;
	struct run *run = trace_run(DOCUMENT(
		EVENT("cpu_op", "aten::matmul", "1", "1", "0", "50", MM_ARGS("1")) "," EVENT(
			"cpu_op", "aten::mm", "1", "1", "1", "40",
			MM_ARGS("2")) "," LAUNCH("2",
						 "7") "," LAUNCH("10",
								 "8") "," KERNEL("gemm", "100",
										 "30",
										 "7") "," KERNEL("reduce",
												 "140",
												 "10",
												 "8")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	for (size_t i = 0; i < operators->rows; i++) {
		assert_int_equal(table_number(operators, i, "flops"), 2 * 64 * 32 * 16);
		assert_int_equal(table_number(operators, i, "bytes"),
				 4 * (64 * 32 + 32 * 16 + 64 * 16));
	}
	assert_int_equal(operators->rows, 2);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	assert_int_equal(table_number(launches, 0, "flops"), 2 * 64 * 32 * 16 * 3 / 4);
	assert_int_equal(table_number(launches, 1, "flops"), 2 * 64 * 32 * 16 / 4);
	struct value rate = table_cell(launches, 1, "flops_per_s");
	assert_true(rate.kind == VALUE_REAL && fabs(rate.real - 65536 / 40e-6) < 1);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	assert_int_equal(table_number(layers, 0, "flops"), 2 * 64 * 32 * 16);
	table_free(operators);
	table_free(launches);
	table_free(layers);
	run_free(run);
}

static void peaks_are_of_the_device_and_the_type(void **state)
{
	(void)state;
	assert_true(device_peak_flops(NULL, "Tesla V100-DGXS-32GB", "float", false) == 15.7e12);
	assert_true(device_peak_flops(NULL, "NVIDIA A100-SXM4-40GB", "float", true) == 156e12);
	assert_true(device_peak_flops(NULL, "NVIDIA A100-SXM4-40GB", "c10::BFloat16", true) == 312e12);
	assert_true(isnan(device_peak_flops(NULL, "Tesla V100-SXM2-16GB", "c10::BFloat16", true)));
	assert_true(isnan(device_peak_flops(NULL, "some device", "float", true)));
	assert_true(device_peak_bytes(NULL, "NVIDIA H100 80GB HBM3") == 3350e9);
}

static bool add_device(struct device_peaks *own, const char *line)
{
	struct error error = { 0 };
	return device_peaks_add(own, line, strlen(line), &error);
}

static void own_devices_go_before_built_in_ones(void **state)
{
	(void)state;
	struct device_peaks *own = device_peaks_new();
	assert_true(add_device(own, "# what we measured\n"));
	assert_true(add_device(own, "\n"));
	assert_true(add_device(own, "A100-SXM4: tf32 140, memory 1400 # at 1.2 GHz\n"));
	assert_true(add_device(own, " My: Device : fp32 2.5,fp16 5,fp8 0\r\n"));
	assert_true(add_device(own, "A100: tf32 1"));
	const char *a100 = "NVIDIA A100-SXM4-40GB", *mine = "Some My: Device 2";
	assert_true(device_peak_flops(own, a100, "float", true) == 140e12);
	assert_true(device_peak_bytes(own, a100) == 1400e9);
	/* what it does not say is still built in */
	assert_true(device_peak_flops(own, a100, "c10::Half", true) == 312e12);
	assert_true(device_peak_flops(own, mine, "float", true) == 2.5e12);
	assert_true(device_peak_flops(own, mine, "half", true) == 5e12);
	assert_true(isnan(device_peak_flops(own, mine, "Float8_e4m3fn", true)));
	assert_true(isnan(device_peak_bytes(own, mine)));
	device_peaks_free(own);
}

static void devices_that_make_no_sense_are_told(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"A100", "A100:", ": fp32 1", "A100: fp32", "A100: fp32 x", "A100: fp32 -1",
		"A100: fp31 1", "A100: fp32 1e300", "A100: fp32 nan", "A100: 1 fp32",
	};
	struct device_peaks *own = device_peaks_new();
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_false(add_device(own, lines[i]));
	assert_true(device_peak_flops(own, "A100", "float", false) == 19.5e12);
	device_peaks_free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_multiply_and_add),
		cmocka_unit_test(convolutions_see_stride_padding_and_groups),
		cmocka_unit_test(attention_counts_both_products),
		cmocka_unit_test(elements_are_moved_once),
		cmocka_unit_test(what_is_not_known_stays_unknown),
		cmocka_unit_test(kernels_share_the_work_of_their_call),
		cmocka_unit_test(peaks_are_of_the_device_and_the_type),
		cmocka_unit_test(own_devices_go_before_built_in_ones),
		cmocka_unit_test(devices_that_make_no_sense_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
