/* What rows lead to: links forward and back, their place in time, their node of a net. */
#include "step_case.h"

#include "base/buffer.h"
#include "derived/derived.h"

static uint32_t call_named(const struct run *run, const char *name)
{
	return span_named(run->ranks[0].profile, name);
}

/* What can be followed from a row, with the answer of the hint and of the search. */
static void assert_link(const struct run *run, struct ref from, bool forward, bool expected,
			struct ref target)
{
	struct scope scope;
	struct view_link link = { .from = from, .forward = forward };
	scope_init(&scope);
	assert_int_equal(view_link_name(run, &scope, from, NULL, forward) != NULL, expected);
	assert_int_equal(view_follow(run, &scope, &link, NULL), expected);
	if (expected) {
		assert_true(ref_equal(link.target, target));
		assert_int_equal(link.count, 1);
	}
}

TEST(links_lead_from_calls_to_work_and_back)
{
	struct run *run = trace_run(DOCUMENT(
		TWO_STEPS "," EVENT("cuda_runtime", "cudaFree", "1", "1", "350", "5", "{}")));
	const struct profile *profile = run->ranks[0].profile;
	struct ref mm = { REF_CALL, call_named(run, "aten::mm"), 0, 0 };
	struct ref backward = { REF_CALL, call_named(run, "MmBackward0"), 0, 0 };
	struct ref launch = { REF_CALL, call_named(run, "cudaLaunchKernel"), 0, 0 };
	struct ref lonely = { REF_CALL, call_named(run, "cudaFree"), 0, 0 };
	struct ref gemm = { REF_LAUNCH, activity_named(profile, "gemm"), 0, 0 };
	struct ref none = { REF_NONE, 0, 0, 0 };

	assert_link(run, launch, true, true, gemm);
	assert_link(run, launch, false, true, mm);
	struct ref second = { REF_CALL,
			      profile->activity_launch[activity_named(profile, "gemm_bw")], 0, 0 };
	struct ref gemm_bw = { REF_LAUNCH, activity_named(profile, "gemm_bw"), 0, 0 };
	assert_link(run, second, true, true, gemm_bw);
	assert_link(run, second, false, true, backward);
	assert_link(run, lonely, true, false, none);
	assert_link(run, lonely, false, false, none);
	assert_link(run, mm, true, true, backward);
	assert_link(run, mm, false, false, none);
	assert_link(run, backward, false, true, mm);
	assert_link(run, gemm, false, true, mm);
	assert_link(run, gemm, true, true, backward);
	run_free(run);
}

/* Why a link leads nowhere: work without an operator is not said to have one. */
TEST(links_that_lead_nowhere_say_why)
{
	struct run *run = trace_run(DOCUMENT(KERNEL("alone", "10", "5", "1")));
	uint32_t row = activity_named(run->ranks[0].profile, "alone");
	struct ref from[] = { { REF_LAUNCH, row, 0, 0 },
			      { REF_KERNEL, run->ranks[0].profile->activity_name[row], NO_ROW,
				0 } };
	const char *const why[] = { "no operator launched this",
				    "no operator launched this kernel" };
	struct scope scope;
	scope_init(&scope);
	for (size_t i = 0; i < 2; i++) {
		struct view_link link = { .from = from[i], .forward = true };
		assert_false(view_follow(run, &scope, &link, NULL));
		assert_string_equal(link.why, why[i]);
	}
	run_free(run);
}

/* Both directions of a row have names of their own. */
TEST(links_are_named_by_what_they_lead_to)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t call = call_named(run, "aten::mm"), kernel = activity_named(profile, "gemm");
	const struct {
		struct ref from;
		const struct view *in;
		const char *forward, *back;
	} cases[] = {
		{ { REF_CALL, call, 0, 0 }, NULL, "Backward", NULL },
		{ { REF_CALL, call, 0, 0 }, view_find("launches"), "Backward", "Call" },
		{ { REF_CALL, call_named(run, "MmBackward0"), 0, 0 }, NULL, "GPU Work", "Forward" },
		{ { REF_CALL, profile->activity_launch[kernel], 0, 0 },
		  NULL,
		  "GPU Work",
		  "Operator" },
		{ { REF_LAUNCH, kernel, 0, 0 }, NULL, "Backward", "Operator" },
		{ { REF_KERNEL, profile->activity_name[kernel], NO_ROW, NO_ROW },
		  NULL,
		  "Backward",
		  "Operator" },
		{ { REF_LINK, call, call, 0 }, NULL, "Backward", "Forward" },
		{ { REF_TIME, 0, 0, 0 }, NULL, "GPU Work", "CPU Work" },
		{ { REF_STEP, 0, 0, 0 }, NULL, NULL, NULL },
	};
	struct scope scope;

	scope_init(&scope);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int forward = 0; forward < 2; forward++) {
			const char *name =
				view_link_name(run, &scope, cases[i].from, cases[i].in, forward);
			const char *expected = forward ? cases[i].forward : cases[i].back;
			assert_string_equal(name ? name : "", expected ? expected : "");
		}
	}
	run_free(run);
}

/* Two modules; that of the first has no backward call. Both multiply, outside of one another. */
#define TWO_LAYERS                                                                                                                       \
	MODULE("Conv2d_0", "0", "100")                                                                                                   \
	"," OPERATOR("aten::linear", "5", "60") "," OPERATOR("aten::mm", "10", "40") "," LAUNCH("12", "1") "," KERNEL(                   \
		"gemm", "200", "10",                                                                                                     \
		"1") "," MODULE("Linear_0", "100",                                                                                       \
				"100") "," OPERATOR("aten::addmm", "105",                                                                \
						    "90") "," FORWARD("aten::relu", "110", "60",                                         \
								      "5") "," LAUNCH("112",                                             \
										      "2") "," KERNEL("gemm",                            \
												      "220",                             \
												      "30",                              \
												      "2") "," BACKWARD("ReluBackward0", \
															"300",           \
															"40",            \
															"5")

TEST(links_of_rows_are_those_of_their_calls)
{
	struct run *run = trace_run(DOCUMENT(TWO_LAYERS));
	const struct derived *derived = run->ranks[0].derived;
	const struct profile *profile = run->ranks[0].profile;
	uint32_t relu = call_named(run, "aten::relu"), mm = call_named(run, "aten::mm");
	uint32_t gemm = profile->activity_name[activity_named(profile, "gemm")];
	struct view_link link = { .forward = true };
	struct scope scope;

	scope_init(&scope);
	/* a layer leads to the backward calls of what is in it, and without to its kernels */
	link.from = (struct ref){ REF_LAYER, derived->layers.span_node[mm], 0, 0 };
	assert_true(view_follow(run, &scope, &link, NULL));
	assert_string_equal(link.view->name, "kernels");
	link.from.a = derived->layers.span_node[relu];
	assert_true(view_follow(run, &scope, &link, NULL));
	assert_string_equal(link.view->name, "layers");
	/* a kernel of one operator leads to it, not to the other one that launches it */
	link.forward = false;
	link.from = (struct ref){ REF_KERNEL, gemm, profile->span_name[relu], NO_ROW };
	assert_true(view_follow(run, &scope, &link, NULL));
	assert_int_equal(link.count, 1);
	assert_int_equal(link.target.a, profile->span_name[relu]);
	link.from.b = NO_ROW;
	assert_true(view_follow(run, &scope, &link, NULL));
	assert_int_equal(link.count, 2);
	run_free(run);
}

/* An operator that launches nothing itself leads to the kernels of those that it calls. */
TEST(an_outer_operator_leads_to_kernels_of_inner_ones)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::conv2d", "0", "50") "," OPERATOR(
		"aten::cudnn_convolution", "10",
		"30") "," LAUNCH("20", "1") "," KERNEL("gemm", "60", "10", "1")));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t name = profile->span_name[call_named(run, "aten::conv2d")];

	assert_link(run, (struct ref){ REF_OPERATOR, name, NO_ROW, NO_ROW }, true, true,
		    (struct ref){ REF_KERNEL,
				  profile->activity_name[activity_named(profile, "gemm")], NO_ROW,
				  NO_ROW });
	run_free(run);
}

/* Without GPU work; the operator around it has no backward call. */
TEST(an_inner_call_has_its_own_link)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::linear", "0", "50") "," FORWARD(
		"aten::mm", "10", "20", "5") "," BACKWARD("MmBackward0", "60", "40", "5")));
	struct ref mm = { REF_CALL, call_named(run, "aten::mm"), 0, 0 };
	struct ref backward = { REF_CALL, call_named(run, "MmBackward0"), 0, 0 };

	assert_link(run, mm, true, true, backward);
	assert_link(run, backward, false, true, mm);
	run_free(run);
}

#define ARROW(phase, thread, ts)                                                                   \
	"{\"ph\":\"" phase "\",\"cat\":\"arrow\",\"name\":\"arrow\",\"id\":9,\"pid\":1,"           \
	"\"tid\":" thread ",\"ts\":" ts ",\"bp\":\"e\"}"

/* An arrow starts at the call that lasts at its time, not at one that has ended. */
TEST(arrows_start_at_the_call_around_them)
{
	struct run *run = trace_run(
		DOCUMENT(OPERATOR("outer", "0", "100") "," OPERATOR("inner", "10", "20") "," ARROW(
			"s", "1", "50") "," EVENT("cpu_op", "target", "1", "2", "200", "10",
						  "{}") "," ARROW("f", "2", "205")));
	struct view_link link = { .from = { REF_CALL, call_named(run, "outer"), 0, 0 },
				  .forward = true };
	struct scope scope;

	scope_init(&scope);
	assert_true(view_follow(run, &scope, &link, NULL));
	assert_int_equal(link.count, 1);
	assert_int_equal(link.target.a, call_named(run, "target"));
	link.from.a = call_named(run, "inner");
	assert_false(view_follow(run, &scope, &link, NULL));
	run_free(run);
}

/* ---- positions ---- */

static void assert_located(const struct run *run, const struct scope *scope, struct ref ref,
			   int64_t from_us, int64_t to_us)
{
	struct location location;
	assert_true(view_locate(run, scope, ref, &location, NULL));
	assert_int_equal(location.from, from_us * 1000);
	assert_int_equal(location.to, to_us * 1000);
}

/* The longest event that a row stands for, within the scope. */
TEST(rows_are_located_at_their_longest_event)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS "," FORWARD("aten::mm", "300", "15", "7")));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t mm = intern_find(profile->strings, "aten::mm", 8);
	uint32_t backward = intern_find(profile->strings, "MmBackward0", 11);
	uint32_t gemm = intern_find(profile->strings, "gemm", 4);
	uint32_t gemm_bw = intern_find(profile->strings, "gemm_bw", 7);
	struct scope scope;
	struct location location;

	scope_init(&scope);
	assert_located(run, &scope, (struct ref){ REF_OPERATOR, mm, NO_ROW, NO_ROW }, 10, 30);
	assert_located(run, &scope, (struct ref){ REF_KERNEL, gemm, NO_ROW, NO_ROW }, 220, 250);
	assert_located(run, &scope, (struct ref){ REF_KERNEL, gemm_bw, backward, NO_ROW }, 280,
		       320);
	assert_false(view_locate(run, &scope, (struct ref){ REF_KERNEL, gemm, backward, NO_ROW },
				 &location, NULL));
	assert_located(run, &scope, (struct ref){ REF_STEP, 1, 0, 0 }, 200, 400);
	scope.has_steps = true;
	scope.step_first = scope.step_last = 1;
	assert_located(run, &scope, (struct ref){ REF_KERNEL, gemm, NO_ROW, NO_ROW }, 20, 30);
	assert_located(run, &scope, (struct ref){ REF_KERNEL, gemm_bw, NO_ROW, NO_ROW }, 80, 100);
	run_free(run);
}

static bool key_node(const struct run *run, struct ref ref, const char *expected)
{
	struct buffer id = { 0 };
	struct scope scope;
	scope_init(&scope);
	bool found = view_key_node(run, &scope, ref, &id, NULL);
	if (found)
		assert_string_equal(buffer_text(&id), expected);
	buffer_free(&id);
	return found;
}

/* A range is a boundary by its name; other rows by the op that is executed first. */
TEST(boundary_candidates_of_rows)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("user_annotation", "epoch", "1", "1", "0", "300", "{}") "," OPERATOR("aten::relu", "10", "20") "," OPERATOR(
			"aten::mm", "40",
			"20") "," LAUNCH("42",
					 "1") "," KERNEL("gemm", "50", "10",
							 "1") "," OPERATOR("aten::relu", "70",
									   "20") "," OPERATOR("aten::add",
											      "400",
											      "20")));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t epoch = call_named(run, "epoch"), mm = call_named(run, "aten::mm");
	uint32_t relu = intern_find(profile->strings, "aten::relu", 10);
	const struct derived *derived = run->ranks[0].derived;

	assert_true(key_node(run, (struct ref){ REF_CALL, epoch, 0, 0 }, "epoch"));
	assert_true(key_node(run, (struct ref){ REF_LAYER, derived->layers.span_node[epoch], 0, 0 },
			     "epoch"));
	assert_true(key_node(run, (struct ref){ REF_CALL, mm, 0, 0 }, "MM_1"));
	assert_true(key_node(run, (struct ref){ REF_LAYER, derived->layers.span_node[mm], 0, 0 },
			     "MM_1"));
	assert_true(key_node(run, (struct ref){ REF_LAUNCH, 0, 0, 0 }, "MM_1"));
	assert_true(key_node(run, (struct ref){ REF_OPERATOR, relu, NO_ROW, NO_ROW }, "RELU_1"));
	assert_false(key_node(run, (struct ref){ REF_KERNEL, 0, 0, 0 }, ""));
	run_free(run);
}
