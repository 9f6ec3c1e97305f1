/*
 * Which spans have nodes in the tree of layers, over many ranges of rows at once: the spans above
 * and the nodes that walking up from each span gives.
 */
#include "trace_case.h"

#include "derived/derived.h"
#include "derived/module_name.h"
#include "model/builder.h"

enum { SPANS = 70000, DEPTH_MAX = 40, NAMES = 5 };

static uint32_t random_state = 1;
static bool recorded; /* work of a device */

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(random_state >> 4) % below);
}

struct drawing {
	struct builder *builder;
	uint32_t track;
	uint32_t name[NAMES];
	enum layer_source source;
};

/* A span and, inside it, others until COUNT are left or time is over. */
static void draw_span(struct drawing *drawing, int depth, int64_t start, int64_t dur, int *count)
{
	static const enum span_kind kinds[] = { SPAN_PYTHON,  SPAN_PYTHON,     SPAN_OPERATOR,
						SPAN_RUNTIME, SPAN_ANNOTATION, SPAN_MODULE };
	uint32_t many = drawing->source == LAYERS_MODULES       ? 6
			: drawing->source == LAYERS_ANNOTATIONS ? 5
								: 4;
	--*count;
	builder_span(drawing->builder, kinds[depth ? draw(many) : 0], drawing->track,
		     drawing->name[draw(NAMES)], start, dur, NO_ROW);
	int64_t at = start + 1, end = start + dur - 1;
	while (*count > 0 && depth < DEPTH_MAX && at < end) {
		int64_t length = (end - at) / (draw(4) ? 2 : 50) + 1;
		draw_span(drawing, depth + 1, at, length, count);
		at += length + 1;
		if (!draw(3))
			break;
	}
}

/* Two threads, each below a few frames of Python. */
static struct profile *draw_profile(enum layer_source source)
{
	static const char *const names[NAMES] = { "aten::mm", "ProfilerStep#1",
						  "cudaDeviceSynchronize", "cudaLaunchKernel",
						  "aten::add" };
	struct error error = { 0 };
	struct profile *profile = profile_new("");
	struct drawing drawing = { .builder = builder_new(profile), .source = source };
	uint32_t process = builder_process(drawing.builder, 1, 0);
	for (size_t i = 0; i < NAMES; i++)
		drawing.name[i] = intern_add(profile->strings, names[i], strlen(names[i]));
	for (int thread = 0; thread < 2; thread++) {
		drawing.track = builder_track(drawing.builder, process, thread, 0, -1);
		for (int count = SPANS / 2, part = 0; count > 0; part++)
			draw_span(&drawing, 0, part * (INT64_C(1) << 34), INT64_C(1) << 33, &count);
	}
	drawing.track = builder_track(drawing.builder, process, 7, 0, 0);
	if (recorded)
		builder_activity(drawing.builder, &(struct activity){ .track = drawing.track,
								      .name = drawing.name[0],
								      .dur = 5,
								      .correlation = NO_VALUE,
								      .external = NO_VALUE });
	assert_true(profile_finish(drawing.builder, NULL, &error));
	builder_free(drawing.builder);
	return profile;
}

static bool has_node(const struct profile *profile, uint32_t span, enum layer_source source)
{
	bool is_step = strcmp(span_text(profile, span), "ProfilerStep#1") == 0;
	switch (profile->span_kind[span]) {
	case SPAN_MODULE: return true;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION: return !is_step;
	case SPAN_RUNTIME:
		return !recorded || strcmp(span_text(profile, span), "cudaDeviceSynchronize") == 0;
	default: return profile->span_kind[span] == SPAN_PYTHON && source == LAYERS_PYTHON;
	}
}

/* Returns whether the span counts as a call. */
static bool check_span(const struct profile *profile, const struct derived *derived,
		       const uint32_t *calls_above, uint32_t span, enum layer_source source)
{
	const struct layer_tree *layers = &derived->layers;
	uint32_t above = profile->span_parent[span], node = layers->span_node[span];
	while (above != NO_ROW && !has_node(profile, above, source))
		above = profile->span_parent[above];
	uint32_t call = profile->span_parent[span];
	while (call != NO_ROW && !(derived->span_flags[call] & SPAN_IS_CALL))
		call = profile->span_parent[call];
	assert_int_equal(calls_above[span], call);
	uint32_t up = above == NO_ROW ? 0 : layers->span_node[above];
	if (!has_node(profile, span, source)) {
		assert_int_equal(node, up);
		assert_false(derived->span_flags[span] & SPAN_IS_CALL);
		return false;
	}
	assert_int_equal(layers->nodes[node].name, profile->span_name[span]);
	if (node == up) { /* repeats the operator above */
		assert_int_equal(profile->span_kind[span], SPAN_OPERATOR);
		assert_false(derived->span_flags[span] & SPAN_IS_CALL);
		return false;
	}
	assert_int_equal(layers->nodes[node].parent, up);
	assert_true(derived->span_flags[span] & SPAN_IS_CALL);
	return true;
}

static void check(enum layer_source source)
{
	struct profile *profile = draw_profile(source);
	struct error error = { 0 };
	struct derived *derived = derived_build(profile, NULL, NULL, &error);
	uint32_t calls = 0;
	assert_non_null(derived);
	uint32_t *above = layers_calls_above(derived);
	assert_int_equal(derived->layers.source, source);
	for (uint32_t i = 0; i < profile->spans; i++)
		calls += check_span(profile, derived, above, i, source);
	assert_in_range(calls, profile->spans / 10, profile->spans);
	mem_free(above);
	derived_free(derived);
	profile_free(profile);
}

TEST(spans_above_are_those_around)
{
	for (int i = 0; i < 2; i++) {
		recorded = i;
		check(LAYERS_MODULES);
		check(LAYERS_ANNOTATIONS);
		check(LAYERS_PYTHON);
	}
}

/* A step of operators as PyTorch 1.8 records it: "block" around "aten::mm", "detach" and a
 * backward. */
static struct profile *profile_of_ranges(const char *inside)
{
	const struct {
		const char *name;
		int64_t start, dur;
	} spans[] = {
		{ "ProfilerStep#1", 0, 100 }, { "block", 10, 20 },       { inside, 12, 5 },
		{ "detach", 20, 5 },          { "MmBackward0", 40, 20 }, { "aten::mm", 42, 5 },
	};
	struct error error = { 0 };
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	uint32_t process = builder_process(builder, 1, 0);
	uint32_t track = builder_track(builder, process, 1, 0, -1);
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		builder_span(builder, SPAN_OPERATOR, track, profile_intern(profile, spans[i].name),
			     spans[i].start, spans[i].dur, NO_ROW);
	assert_true(profile_finish(builder, NULL, &error));
	builder_free(builder);
	return profile;
}

static void check_ranges(const char *inside, enum layer_source source)
{
	struct error error = { 0 };
	struct profile *profile = profile_of_ranges(inside);
	struct derived *derived = derived_build(profile, NULL, NULL, &error);
	const struct layer_tree *layers = &derived->layers;
	assert_int_equal(layers->source, source);
	for (uint32_t i = 0; i < profile->spans; i++) {
		bool is_range = source == LAYERS_RANGES && !strcmp(span_text(profile, i), "block");
		const struct layer_node *node = &layers->nodes[layers->span_node[i]];
		assert_int_equal(node->kind == LAYER_ANNOTATION, is_range);
	}
	derived_free(derived);
	profile_free(profile);
}

TEST(ranges_recorded_as_operators_are_layers)
{
	check_ranges("aten::mm", LAYERS_RANGES);
	check_ranges("mm", LAYERS_OPERATORS);
}

/* A class and the number of its instance; what only looks like one is part of the class. */
TEST(classes_of_modules)
{
	static const char *const cases[][3] = {
		{ "nn.Module: Linear_12", "Linear_12", "Linear" },
		{ "nn.Module: Conv2d_0", "Conv2d_0", "Conv2d" },
		{ "nn.Module: Conv2d", "Conv2d", "Conv2d" },
		{ "nn.Module: Block_", "Block_", "Block_" },
		{ "nn.Module: A_1_2", "A_1_2", "A_1" },
		{ "nn.Module: _7", "_7", "_7" },
		{ "nn.Module: 42", "42", "42" },
		{ "nn.Module: ", "nn.Module: ", "nn.Module: " },
		{ "[pl][module]torch.nn.Linear: fc_1", "fc_1", "torch.nn.Linear" },
		{ "[pl][module]torch.nn.Linear", "torch.nn.Linear", "torch.nn.Linear" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t length = strlen(cases[i][0]);
		struct name_part name = module_name(cases[i][0], length);
		struct name_part of = module_class(cases[i][0], length);
		assert_int_equal(name.length, strlen(cases[i][1]));
		assert_memory_equal(name.text, cases[i][1], name.length);
		assert_int_equal(of.length, strlen(cases[i][2]));
		assert_memory_equal(of.text, cases[i][2], of.length);
	}
}
