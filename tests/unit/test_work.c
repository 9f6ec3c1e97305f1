/*
 * FLOPs and bytes of operators, compared with counts by hand.
 */
#include "analysis/work/device_peaks.h"
#include "analysis/work/work.h"
#include "trace_case.h"

#include <math.h>

static struct work count(const char *name, const char *shapes, const char *types,
			 const char *concrete)
{
	struct work work = { NAN, NAN };
	const struct work_call call = { name, shapes, types, concrete, NULL, false, NULL };
	if (!work_of_call(&call, &work))
		fail_msg("no work of %s %s", name, shapes);
	return work;
}

TEST(matmuls)
{
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

TEST(convolutions_with_stride_padding_groups)
{
	/* ResNet's first layer: 112 × 112 outputs, 64 filters of 3 × 7 × 7 */
	struct work work = count("aten::conv2d", "[[32,3,224,224],[64,3,7,7],[],[],[],[],[]]",
				 "[\"float\",\"float\",\"\",\"\",\"\",\"\",\"\"]",
				 "[\"\",\"\",\"\",\"[2, 2]\",\"[3, 3]\",\"[1, 1]\",\"1\"]");
	assert_true(work.flops == 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7);
	assert_true(work.bytes ==
		    4.0 * (32 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 32 * 64 * 112 * 112));
	/* Another argument order; each group has a quarter of the channels. */
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
	/* Each of 2 × 8 × 5 × 5 inputs is multiplied with 6 filters of 3 × 3. */
	work = count("aten::conv_transpose2d", "[[2,8,5,5],[8,6,3,3]]", NULL, NULL);
	assert_true(work.flops == 2.0 * 2 * 8 * 5 * 5 * 6 * 3 * 3);
}

TEST(attention_counts_both_matmuls)
{
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

TEST(elementwise_ops_move_elements_once)
{
	struct work work =
		count("aten::add_", "[[4,3],[3],[]]", "[\"float\",\"double\",\"Scalar\"]", NULL);
	assert_true(work.flops == 12);
	assert_true(work.bytes == 4 * 12 + 8 * 3 + 4 * 12);
	work = count("aten::copy_", "[[4,3],[4,3],[]]", "[\"c10::Half\",\"float\",\"\"]", NULL);
	assert_true(work.flops == 0 && work.bytes == 12 * (2 + 4));
	work = count("aten::_foreach_add_", "[[[4,3],[8]],[]]", NULL, NULL);
	assert_true(work.flops == 20);
	/* both argument orders, with indexes of one and of two dimensions */
	work = count("aten::embedding", "[[100,16],[7,2]]", "[\"float\",\"long int\"]", NULL);
	assert_true(work.bytes == 14 * 8 + 2 * 14 * 16 * 4);
	work = count("aten::embedding", "[[7],[100,16]]", "[\"long int\",\"float\"]", NULL);
	assert_true(work.bytes == 7 * 8 + 2 * 7 * 16 * 4);
	work = count("aten::embedding", "[[100,16],[7]]", "[\"float\",\"long int\"]", NULL);
	assert_true(work.bytes == 7 * 8 + 2 * 7 * 16 * 4);
}

/* Work of a backward call, from the arguments of the forward call and the returned shape. */
static struct work gradient(const char *name, const char *shapes, const char *types,
			    const char *concrete, const char *came_back)
{
	struct work work = { NAN, NAN };
	const struct work_call call = { name, shapes, types, concrete, came_back, true, NULL };
	if (!work_of_call(&call, &work))
		fail_msg("no backward work of %s %s", name, shapes);
	return work;
}

#define FLOAT "[\"float\"]"

static void assert_work(struct work work, double flops, double bytes)
{
	assert_true(work.flops == flops);
	assert_true(isnan(bytes) ? isnan(work.bytes) : work.bytes == bytes);
}

TEST(pooling_reads_every_window)
{
	/* ResNet's pooling: 56 × 56 windows of 3 × 3 in 112 × 112 */
	const char *shapes = "[[32,64,112,112],[],[],[],[],[]]";
	const char *how = "[\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\"]";
	double in = 32.0 * 64 * 112 * 112, out = 32.0 * 64 * 56 * 56;
	assert_work(count("aten::max_pool2d_with_indices", shapes, FLOAT, how), 9 * out,
		    4 * (in + out) + 8 * out);
	assert_work(count("aten::max_pool2d", shapes, FLOAT, how), 9 * out, 4 * (in + out));
	assert_work(gradient("aten::max_pool2d_with_indices", shapes, FLOAT, how, NULL), out,
		    4 * (in + out) + 8 * out);
	assert_work(count("aten::max_pool2d_with_indices_backward",
			  "[[32,64,56,56],[32,64,112,112]]", "[\"float\",\"float\"]", NULL),
		    out, 4 * (in + out) + 8 * out);
	/* 3 × 3 in 10 × 10 with every other element: windows of 5 × 5 */
	assert_work(count("aten::max_pool2d", "[[1,1,10,10],[],[],[],[],[]]", FLOAT,
			  "[\"\",\"[3, 3]\",\"[1, 1]\",\"[0, 0]\",\"[2, 2]\",\"False\"]"),
		    9 * 36, 4 * (100 + 36));
	/*
	 * The stride defaults to the kernel size; 7 elements make 3 windows of 2, or 4 with
	 * ceil_mode.
	 */
	const char *cut = "[\"\",\"[2]\",\"[]\",\"[0]\",\"True\",\"True\"]";
	const char *whole = "[\"\",\"[2]\",\"[]\",\"[0]\",\"False\",\"True\"]";
	assert_work(count("aten::avg_pool1d", "[[5,3,7]]", FLOAT, whole), 5 * 3 * 3 * 2,
		    4 * (105 + 45));
	assert_work(count("aten::avg_pool1d", "[[5,3,7]]", FLOAT, cut), 5 * 3 * 4 * 2,
		    4 * (105 + 60));
	/* each gradient goes to all of its window, that of a maximum to one */
	assert_work(gradient("aten::avg_pool1d", "[[5,3,7]]", FLOAT, whole, NULL), 5 * 3 * 3 * 2,
		    4 * (105 + 45));
	assert_work(gradient("aten::max_pool1d", "[[5,3,7]]", FLOAT,
			     "[\"\",\"[2]\",\"[]\",\"[0]\",\"[1]\",\"False\"]", NULL),
		    5 * 3 * 3, 4 * (105 + 45) + 8 * 45);
	assert_work(count("aten::max_pool1d", "[[5,3,7]]", FLOAT,
			  "[\"\",\"[2]\",\"[]\",\"[0]\",\"[1]\",\"True\"]"),
		    5 * 3 * 4 * 2, 4 * (105 + 60));
	assert_work(count("aten::max_pool1d", "[[5,3,7]]", FLOAT,
			  "[\"\",\"[2]\",\"[]\",\"[0]\",\"[1]\",\"False\"]"),
		    5 * 3 * 3 * 2, 4 * (105 + 45));
	assert_work(count("aten::avg_pool2d_backward", "[[2,3,4,4],[2,3,8,8]]",
			  "[\"float\",\"float\"]", "[\"\",\"\",\"[2, 2]\"]"),
		    2 * 3 * 16 * 4, 4 * (96 + 384));
}

TEST(adaptive_pooling_partitions_input)
{
	const char *shapes = "[[2,512,7,7],[]]", *one = "[\"\",\"[1, 1]\"]";
	double in = 2 * 512 * 49, out = 2 * 512;
	assert_work(count("aten::_adaptive_avg_pool2d", shapes, FLOAT, one), in, 4 * (in + out));
	assert_work(count("aten::adaptive_max_pool2d", shapes, FLOAT, one), in,
		    4 * (in + out) + 8 * out);
	/* each of the 2 × 512 gradients is spread over 49 elements */
	assert_work(count("aten::_adaptive_avg_pool2d_backward", "[[2,512,1,1],[2,512,7,7]]",
			  "[\"float\",\"float\"]", NULL),
		    in, 4 * (in + out));
	assert_work(gradient("aten::adaptive_avg_pool2d", shapes, FLOAT, NULL, "[[2,512,1,1]]"), in,
		    4 * (in + out));
}

TEST(resize_interpolates_neighbours)
{
	const char *sizes = "[\"\",\"[8, 8]\",\"False\",\"\",\"\"]";
	const char *factors = "[\"\",\"\",\"[2.0, 2.0]\"]";
	double in = 2 * 3 * 16, out = 2 * 3 * 64;
	assert_work(count("aten::upsample_nearest2d", "[[2,3,4,4]]", FLOAT, factors), 0,
		    4 * (in + out));
	assert_work(count("aten::upsample_bilinear2d", "[[2,3,4,4]]", FLOAT, sizes), 7 * out,
		    4 * (in + out));
	assert_work(gradient("aten::upsample_bilinear2d", "[[2,3,4,4]]", FLOAT, sizes, NULL),
		    8 * out, 4 * (in + out));
	assert_work(count("aten::upsample_bilinear2d_backward", "[[2,3,8,8],[],[]]", FLOAT,
			  "[\"\",\"[8, 8]\",\"[2, 3, 4, 4]\"]"),
		    8 * out, 4 * (in + out));
}

TEST(losses_with_and_without_reduction)
{
	const char *two = "[\"float\",\"float\"]", *classes = "[\"float\",\"long int\"]";
	assert_work(count("aten::mse_loss", "[[4,3],[4,3]]", two, "[\"\",\"\",\"1\"]"), 3 * 12,
		    4 * (12 + 12 + 1));
	assert_work(count("aten::mse_loss", "[[4,3],[4,3]]", two, "[\"\",\"\",\"0\"]"), 2 * 12,
		    4 * (12 + 12 + 12));
	assert_work(gradient("aten::mse_loss", "[[4,3],[4,3]]", two, NULL, NULL), 3 * 12,
		    4 * (12 + 12 + 12));
	assert_work(count("aten::mse_loss_backward", "[[],[4,3],[4,3]]",
			  "[\"float\",\"float\",\"float\"]", NULL),
		    3 * 12, 4 * (1 + 12 + 12 + 12));
	assert_work(count("aten::binary_cross_entropy", "[[10],[10],[]]", two, NULL), 46 * 10,
		    4 * (10 + 10 + 1));
	/* one class is selected for each of 8 rows */
	assert_work(count("aten::nll_loss_forward", "[[8,1000],[8],[],[],[]]", classes, NULL), 8,
		    8 * 8 + 4 * (8 + 1));
	assert_work(count("aten::nll_loss_backward", "[[],[8,1000],[8]]",
			  "[\"float\",\"float\",\"long int\"]", NULL),
		    8, 8 * 8 + 4 * 8000);
	assert_work(count("aten::cross_entropy_loss", "[[8,1000],[8]]", classes, NULL),
		    21 * 8000 + 8, 4 * 8000 + 8 * 8 + 4);
}

TEST(indexing_moves_selected_elements)
{
	const char *types = "[\"float\",\"\",\"long int\",\"float\"]";
	/* 5 of 10 columns, 4 rows */
	assert_work(count("aten::index_select", "[[4,10],[],[5]]", types, "[\"\",\"-1\",\"\"]"), 0,
		    8 * 5 + 2 * 4 * 20);
	assert_work(count("aten::gather", "[[4,10],[],[4,2]]", types, NULL), 0, 8 * 8 + 2 * 4 * 8);
	assert_work(gradient("aten::gather", "[[4,10],[],[4,2]]", types, NULL, NULL), 8,
		    8 * 8 + 3 * 4 * 8);
	assert_work(count("aten::scatter_add_", "[[4,10],[],[4,2],[4,2]]", types, NULL), 8,
		    8 * 8 + 3 * 4 * 8);
	assert_work(count("aten::index_add_", "[[4,10],[],[5],[5,10]]", types, NULL), 50,
		    8 * 5 + 3 * 4 * 50);
	assert_work(count("aten::cat", "[[[4,3],[5,3]],[]]", "[\"float\",\"\"]", NULL), 0,
		    2 * 4 * 27);
	assert_work(count("aten::embedding_dense_backward", "[[7,16],[7]]",
			  "[\"float\",\"long int\"]", "[\"\",\"\",\"100\"]"),
		    7 * 16, 4 * 7 * 16 + 8 * 7 + 4 * 100 * 16);
	assert_work(count("aten::cumsum", "[[4,10]]", FLOAT, NULL), 40, 2 * 4 * 40);
}

/* Two weight matrices for each of 12 positions and 8 rows; biases are not multiplied. */
TEST(recurrent_cells_multiply_at_every_position)
{
	assert_work(count("aten::lstm",
			  "[[12,8,32],[[1,8,64],[1,8,64]],[[256,32],[256,64],[256],[256]]]", NULL,
			  NULL),
		    2.0 * 12 * 8 * (256 * 32 + 256 * 64), NAN);
	assert_work(
		gradient("aten::_cudnn_rnn", "[[12,8,32],[[192,32],[192,64]]]", NULL, NULL, NULL),
		2 * 2.0 * 12 * 8 * (192 * 32 + 192 * 64), NAN);
}

TEST(unknown_operators_have_no_work)
{
	struct work none;
	assert_false(work_of_call(&(struct work_call){ .name = "aten::index_select",
						       .shapes = "[[4,0],[],[5]]",
						       .concrete = "[\"\",\"1\",\"\"]" },
				  &none));
	assert_false(work_of_call(&(struct work_call){ .name = "aten::index_select",
						       .shapes = "[[4,3],[],[5]]",
						       .concrete = "[\"\",\"2\",\"\"]" },
				  &none));
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
		{ "aten::topk", "[[4,10],[],[],[],[]]" },
		{ "aten::max_pool2d", "[[2,3,8,8]]" },
		{ "aten::max_pool2d", "[[8]]" },
		{ "aten::adaptive_avg_pool2d", "[[2,3,8,8]]" },
		{ "aten::upsample_bilinear2d", "[[2,3,4,4]]" },
		{ "aten::index_select", "[[4,10],[],[5]]" },
		{ "aten::embedding", "[[100,16,2],[7,2,3]]" },
		{ "aten::lstm", "[[12,8,32],[[1,8,64]],[]]" },
		{ "aten::lstm", "[[12,8,32]]" },
		{ "aten::nll_loss_forward", "[[8,1000]]" },
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

/* 2 · 64 · 32 · 16 FLOPs shared by kernels of 30 and 10 us; the copy has its own bytes. */
TEST(kernels_share_work_of_their_call)
{
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

static double peak_flops(const struct device_peaks *own, const char *device, const char *type,
			 bool tensor)
{
	struct device_rates rates = device_rates_named(own, device);
	return device_rates_flops(&rates, type, tensor);
}

TEST(peaks_by_device_and_type)
{
	assert_true(peak_flops(NULL, "Tesla V100-DGXS-32GB", "float", false) == 15.7e12);
	assert_true(peak_flops(NULL, "NVIDIA A100-SXM4-40GB", "float", true) == 156e12);
	assert_true(peak_flops(NULL, "NVIDIA A100-SXM4-40GB", "c10::BFloat16", true) == 312e12);
	assert_true(isnan(peak_flops(NULL, "Tesla V100-SXM2-16GB", "c10::BFloat16", true)));
	assert_true(isnan(peak_flops(NULL, "some device", "float", true)));
	assert_true(device_rates_named(NULL, "NVIDIA H100 80GB HBM3").bytes == 3350e9);
}

static double flops_of(const struct profile *profile, const struct device *device, const char *type,
		       bool tensor)
{
	struct device_rates rates = device_rates_of(NULL, profile, device);
	return device_rates_flops(&rates, type, tensor);
}

/* A device missing from the table: GP107, 5 multiprocessors with 128 lanes at 1.4 GHz. */
TEST(peaks_from_profile)
{
	struct profile *profile = profile_new("x");
	struct device device = { .name = intern_add(profile->strings, "Some GPU", 8),
				 .compute_major = 6,
				 .compute_minor = 1,
				 .sm_count = 5,
				 .clock_hz = 1400000000,
				 .memory_bandwidth = 112000000000 };

	assert_true(flops_of(profile, &device, "float", false) == 1792e9);
	assert_true(isnan(flops_of(profile, &device, "c10::Half", false)));
	assert_true(isnan(flops_of(profile, &device, "float", true)));
	assert_true(device_rates_of(NULL, profile, &device).bytes == 112e9);
	device.compute_major = 4;
	device.memory_bandwidth = NO_VALUE;
	assert_true(isnan(flops_of(profile, &device, "float", false)));
	assert_true(isnan(device_rates_of(NULL, profile, &device).bytes));
	device.name = intern_add(profile->strings, "Tesla V100-SXM2-16GB", 20);
	assert_true(flops_of(profile, &device, "float", false) == 15.7e12);
	profile_free(profile);
}

static bool add_device(struct device_peaks *own, const char *line)
{
	struct error error = { 0 };
	return device_peaks_add(own, line, strlen(line), &error);
}

TEST(user_peaks_override_built_in)
{
	struct device_peaks *own = device_peaks_new();
	assert_true(add_device(own, "# what we measured\n"));
	assert_true(add_device(own, "\n"));
	assert_true(add_device(own, "A100-SXM4: tf32 140, memory 1400 # at 1.2 GHz\n"));
	assert_true(add_device(own, " My: Device : fp32 2.5,fp16 5,fp8 0\r\n"));
	assert_true(add_device(own, "A100: tf32 1"));
	const char *a100 = "NVIDIA A100-SXM4-40GB", *mine = "Some My: Device 2";
	assert_true(peak_flops(own, a100, "float", true) == 140e12);
	assert_true(device_rates_named(own, a100).bytes == 1400e9);
	/* values not given fall back to built-in ones */
	assert_true(peak_flops(own, a100, "c10::Half", true) == 312e12);
	assert_true(peak_flops(own, mine, "float", true) == 2.5e12);
	assert_true(peak_flops(own, mine, "half", true) == 5e12);
	assert_true(isnan(peak_flops(own, mine, "Float8_e4m3fn", true)));
	assert_true(isnan(device_rates_named(own, mine).bytes));
	device_peaks_free(own);
}

TEST(invalid_peaks_are_reported)
{
	static const char *const lines[] = {
		"A100",           "A100:",         ": fp32 1",     "A100: fp32",
		"A100: fp32 x",   "A100: fp32 -1", "A100: fp31 1", "A100: fp32 1e300",
		"A100: fp32 nan", "A100: 1 fp32"
	};
	struct device_peaks *own = device_peaks_new();
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_false(add_device(own, lines[i]));
	assert_true(peak_flops(own, "A100", "float", false) == 19.5e12);
	device_peaks_free(own);
}

/* By the best of: its name in the text, the only one that ends or goes on so; else what is meant is
 * asked. */
TEST(a_device_is_found_by_what_names_it)
{
	static const char *const known[][2] = {
		{ "a100", "A100" },     { "NVIDIA A100 80GB PCIe", "A100 80GB PCIe" },
		{ "4090", "RTX 4090" }, { "L4", "NVIDIA L4" },
		{ "RTX", "TITAN RTX" }, { "RTX 409", "RTX 4090" },
		{ "v100", "V100" },     { "titan v", "TITAN V" },
	};
	static const char *const unknown[][2] = {
		{ "RTX 4090 Laptop GPU", "it may be: RTX 4090" },
		{ "RTX 3080 Max-Q", "it may be: RTX 3080" },
		{ "B20", "it may be: GB200, B200" },
		{ "mi300", "it may be: MI300A, MI300X" },
		{ "TITAAN V", "the nearest: TITAN V" },
	};
	struct error error;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_string_equal(device_peaks_find(NULL, known[i][0], &error), known[i][1]);
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		error.message[0] = '\0';
		assert_null(device_peaks_find(NULL, unknown[i][0], &error));
		const char *said = strstr(error.message, "; ");
		assert_non_null(said);
		assert_string_equal(said + 2, unknown[i][1]);
	}
}
