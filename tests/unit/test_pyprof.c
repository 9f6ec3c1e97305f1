/*
 * PyProf's classes: FLOP and byte counts, and calls with unreadable arguments.
 */
#include "test.h"
#include "file_case.h"

#include "tools/pyprof/pyprof_call.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "base/mem.h"

#include <string.h>

#define TENSOR(shape, dtype)                                                                       \
	"{'name': '', 'type': 'tensor', 'shape': " shape ", 'dtype': '" dtype "'}"
#define INT(value) "{'name': '', 'type': 'int', 'value': " value "}"
#define NAMED(name, type, value) "{'name': '" name "', 'type': '" type "', 'value': " value "}"

static struct arena *arena;

static int make_arena(void **state)
{
	arena = arena_new();
	return 0;
}

static int free_arena(void **state)
{
	arena_free(arena);
	return 0;
}

static struct pyprof_call compute(const char *mod, const char *op, const char *args,
				  const char *kernel, bool forward, int64_t sub)
{
	struct pyprof_call call = {
		.args = literal_parse(arena, args, strlen(args)),
		.mod = mod,
		.op = op,
		.kernel = kernel,
		.forward = forward,
		.sub = sub,
	};
	assert_non_null(call.args);
	pyprof_compute(&call, mod, op);
	return call;
}

static void assert_work(struct pyprof_call call, const char *params, const char *tensor,
			int64_t flops, int64_t bytes)
{
	assert_string_equal(buffer_text(&call.params), params);
	assert_string_equal(call.tensor, tensor);
	assert_true(call.flops.integer == flops);
	assert_true(call.bytes.integer == bytes);
	buffer_free(&call.params);
}

TEST_AROUND(matmuls_are_counted, make_arena, free_arena)
{
	assert_work(compute("torch", "mm",
			    "[" TENSOR("(2, 3)", "float16") "," TENSOR("(3, 5)", "float16") "]",
			    "volta_h884gemm", true, 0),
		    "M=5,N=2,K=3,fp16,", "1", 2 * 2 * 5 * 3, 2 * (10 + 6 + 15));
	assert_work(
		compute("torch", "bmm",
			"[" TENSOR("(7, 2, 3)", "float32") "," TENSOR("(7, 3, 5)", "float32") "]",
			"sgemm", true, 0),
		"B=7,M=5,N=2,K=3,fp32,", "0", 7 * 2 * 2 * 5 * 3, 7 * 4 * (10 + 6 + 15));
	assert_work(compute("torch", "matmul",
			    "[" TENSOR("(4, 1, 2, 3)", "float32") "," TENSOR("(6, 3, 5)",
									     "float32") "]",
			    "sgemm", true, 0),
		    "A=(4,1,2,3),B=(6,3,5),fp32,", "0", 24 * 2 * 2 * 5 * 3, 4 * (10 + 6 + 15));
	/*
	 * PyProf's byte count of a linear layer multiplies only the last term by the element size.
	 */
	const char *linear = "[" TENSOR("(8, 3)", "float16") "," TENSOR("(5, 3)", "float16") "]";
	assert_work(compute("torch.nn.functional", "linear", linear, "gemm", true, 0),
		    "M=5,N=8,K=3,fp16,", "0", 2 * 8 * 5 * 3, 40 + 15 + 24 * 2);
	assert_work(compute("torch.nn.functional", "linear", linear, "gemm", false, 1),
		    "M=3,N=5,K=8,fp16,", "0", 2 * 8 * 5 * 3, 40 + 15 + 24 * 2);
}

TEST_AROUND(convolution_counts_are_reals, make_arena, free_arena)
{
	const char *args = "[" TENSOR("(2, 4, 8, 8)", "float32") "," TENSOR(
		"(6, 2, 3, 3)", "float32") "," NAMED("padding", "int",
						     "1") "," NAMED("groups", "int", "2") "]";
	struct pyprof_call call =
		compute("torch.nn.functional", "conv2d", args, "2d_grouped_direct_kernel", true, 0);
	assert_string_equal(
		buffer_text(&call.params),
		"N=2,C=4,H=8,W=8,K=6,P=8,Q=8,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1,g=2,fp32,");
	assert_true(call.flops.is_real);
	assert_true(call.flops.real == 2.0 * 2 * 6 * 8 * 8 * 4 * 3 * 3 / 2);
	assert_true(call.bytes.real == 4.0 * (2 * 4 * 64 + 6 * 4 * 9 / 2 + 2 * 6 * 64));
	buffer_free(&call.params);
}

TEST_AROUND(elementwise_ops_are_counted, make_arena, free_arena)
{
	assert_work(compute("Tensor", "__add__",
			    "[" TENSOR("(4, 1)", "float16") "," TENSOR("(3,)", "float16") "]", "k",
			    true, 0),
		    "[4,1]fp16;[3]fp16", "-", 12, 2 * (4 + 3 + 12));
	assert_work(compute("torch", "eq", "[" TENSOR("(4,)", "float32") "," INT("3") "]", "k",
			    true, 0),
		    "[4]fp32;[]int32", "-", 4, 16 + 4 + 4);
	assert_work(compute("torch.nn.functional", "softmax", "[" TENSOR("(10,)", "float32") "]",
			    "k", false, 0),
		    "[10]fp32", "-", 400, 200);
	assert_work(compute("Tensor", "sum", "[" TENSOR("(10,)", "float64") "]", "k", true, 1),
		    "T=(10,),fp64,", "-", 10, 0);
	assert_work(compute("Tensor", "half", "[" TENSOR("(10,)", "float32") "]", "k", true, 0),
		    "[10]fp32", "-", 0, 60);
}

TEST_AROUND(unreadable_calls_are_listed, make_arena, free_arena)
{
	assert_work(compute("torch.nn.functional", "layer_norm",
			    "[" TENSOR("(2, 3)", "float8") "," INT("3") "]", "k", true, 0),
		    "T=[(2,3)],['float8']", "-", 0, 0);
	assert_work(compute("Tensor", "__add__",
			    "[" TENSOR("(2,)", "bool8") "," TENSOR("(3,)", "float16") "]", "k",
			    true, 0),
		    "T=[(2,),(3,)],['bool8','float16']", "-", 0, 0);
	assert_work(compute("torch", "mm", "[]", "k", true, 0), "T=[],[]", "-", 0, 0);
	assert_work(compute("torch", "mm", "[{'type': 'tensor'}]", "k", true, 0), "na=na,", "na", 0,
		    0);
}

TEST_AROUND(huge_sizes_do_not_overflow, make_arena, free_arena)
{
#define VAST "(9223372036854775807, 9223372036854775807, 9223372036854775807)"
	struct pyprof_call call = compute("torch.nn.functional", "relu",
					  "[" TENSOR(VAST, "float32") "]", "k", true, 0);
	assert_true(call.flops.integer == 0);
	buffer_free(&call.params);
	call = compute("torch.nn.functional", "relu",
		       "[" TENSOR("(4611686018427387904, 8)", "float32") "]", "k", true, 0);
	struct buffer digits = { 0 };
	pyprof_put_wide(&digits, call.flops.integer);
	assert_string_equal(buffer_text(&digits), "36893488147419103232");
	buffer_free(&digits);
	buffer_free(&call.params);
}

/* The order of CPython 3.11 with PYTHONHASHSEED=0. */
TEST(set_order_matches_python)
{
	const char *const two[] = { "a", "b" }, *const three[] = { "aten::sum", "x: y", "zz" };
	const char *const many[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
				     "j", "k", "l", "m", "n", "o", "p", "a", "b" };
	assert_null(python_set_first(two, 0));
	assert_string_equal(python_set_first(two, 2), "a");
	assert_string_equal(python_set_first(three, 3), "aten::sum");
	assert_string_equal(python_set_first(many, 18), "d");
}

/* Lines of what `next(iter(set(texts)))` gives there, and of the texts. */
TEST(sets_of_any_size_are_in_the_order_of_python)
{
	enum { TEXTS = 500 };
	char *all = mem_strdup(data_text("python_sets.tsv")), *line, *rest = NULL;
	size_t lines = 0;
	for (line = strtok_r(all, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *texts[TEXTS];
		char *field = NULL;
		const char *first = strtok_r(line, "\t", &field);
		size_t count = 0;
		while (count < TEXTS && (texts[count] = strtok_r(NULL, "\t", &field)))
			count++;
		assert_string_equal(python_set_first(texts, count), first);
		lines++;
	}
	assert_int_equal(lines, 104);
	mem_free(all);
}
