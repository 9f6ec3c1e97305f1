/* Views within a scope, and of memory and modules, compared with values counted by hand. */
#include "step_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "derived/derived.h"
#include "model/device_label.h"
#include "table/remap_rows.h"

#include <stdio.h>
#include <unistd.h>

#define COUNTER(name, ts, value)                                                                   \
	"{\"ph\":\"C\",\"cat\":\"x\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts         \
	",\"args\":{\"" name "\":" value "}}"
#define MEMORY(ts, bytes, address, total)                                                          \
	"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1," \
	"\"tid\":1,\"ts\":" ts ",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":" bytes     \
	",\"Addr\":" address ",\"Total Allocated\":" total ",\"Total Reserved\":4096}}"

static void in_steps(struct scope *scope, int64_t first, int64_t last)
{
	scope_init(scope);
	scope->has_steps = true;
	scope->step_first = first;
	scope->step_last = last;
}

/* In each step a module's forward call (10, 30 us) and its backward call (20, 40 us) on the device.
 */
#define ONE_STEP(step, seq, begin, module, op, first, at, dur, bw, second, at_bw, dur_bw)            \
	STEP(step, begin, "100")                                                                     \
	"," MODULE("Linear_0", module, "30") "," FORWARD("aten::mm", op, "20", seq) "," LAUNCH(      \
		op,                                                                                  \
		first) "," KERNEL("gemm", at, dur,                                                   \
				  first) "," BACKWARD("MmBackward0", bw, "20",                       \
						      seq) "," LAUNCH2(bw,                           \
								       second) "," KERNEL("gemm_bw", \
											  at_bw,     \
											  dur_bw,    \
											  second)
#define MODULES                                                                                    \
	DOCUMENT(ONE_STEP("1", "5", "0", "5", "10", "1", "20", "10", "40", "2", "50",              \
			  "20") "," ONE_STEP("2", "6", "100", "105", "110", "3", "120", "30",      \
					     "145", "4", "155", "40"))

TEST(backward_work_is_that_of_the_steps_in_scope)
{
	struct run *run = trace_run(MODULES);
	struct scope scope;

	assert_rows(run, "modules", NULL, NULL,
		    "name,calls,operators,cpu_total_ns,gpu_total_ns,gpu_bwd_ns",
		    "Linear_0,2,2,60000,40000,60000\n");
	in_steps(&scope, 2, 2);
	assert_rows(run, "modules", &scope, NULL, "name,calls,cpu_total_ns,gpu_total_ns,gpu_bwd_ns",
		    "Linear_0,1,30000,30000,40000\n");
	assert_rows(run, "kernels", &scope, NULL, "name,calls,total_ns",
		    "gemm,1,30000\ngemm_bw,1,40000\n");
	/* the first forward call is too early, though its backward work is not */
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 30000;
	scope.time_last = 200000;
	assert_rows(run, "modules", &scope, NULL, "name,calls,gpu_bwd_ns", "Linear_0,1,40000\n");
	run_free(run);
}

/* A lane of the host has the work that it launched; a stream what it executed. */
TEST(a_lane_keeps_its_own_work)
{
	struct run *run = trace_run(MODULES);
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope;

	scope_init(&scope);
	for (uint32_t track = 0; track < profile->track_count; track++) {
		const struct track *lane = &profile->tracks[track];
		scope.track = track;
		assert_rows(run, "kernels", &scope, NULL, "name,calls,total_ns",
			    lane->device >= 0 ? "gemm,2,40000\ngemm_bw,2,60000\n"
			    : lane->tid == 1  ? "gemm,2,40000\n"
					      : "gemm_bw,2,60000\n");
	}
	run_free(run);
}

/* A thread leads to its operators, a stream to its work. */
TEST(a_lane_leads_to_its_own_work)
{
	struct run *run = trace_run(MODULES);
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope, inside;

	scope_init(&scope);
	for (uint32_t track = 0; track < profile->track_count; track++) {
		const struct view *next;
		struct ref lane = { REF_TRACK, track, 0, 0 };
		assert_true(view_drill(run, lane, &scope, &next, &inside));
		assert_string_equal(next->name,
				    profile->tracks[track].device < 0 ? "operators" : "launches");
		assert_int_equal(inside.track, track);
		scope_clear(&inside);
	}
	run_free(run);
}

static void assert_note(const struct run *run, const char *view, const struct scope *scope,
			const char *expected)
{
	struct table *table = trace_view(run, view, scope, NULL);
	if (expected ? !table->note || !strstr(table->note, expected) : table->note != NULL)
		fail_msg("%s: %s", view, table->note ? table->note : "no note");
	table_free(table);
}

TEST(a_note_says_what_is_of_the_whole_recording)
{
	struct run *run = trace_run(MODULES);
	struct scope steps, time;

	in_steps(&steps, 2, 2);
	scope_init(&time);
	time.has_time = true;
	time.time_last = 100000;
	assert_note(run, "durations", NULL, NULL);
	assert_note(run, "durations", &steps, "Not narrowed to the steps of the scope.");
	assert_note(run, "durations", &time, "Not narrowed to the time of the scope.");
	assert_note(run, "rank-time", NULL, NULL);
	assert_note(run, "rank-time", &steps, "Not narrowed to the steps of the scope.");
	assert_note(run, "rank-time", &time, NULL);
	assert_note(run, "ranks", &steps, "Only one rank is open");
	assert_note(run, "ranks", &time, "Not narrowed to the time of the scope. Only one rank");
	assert_true(scope_set(&time, "device", "0", NULL));
	assert_true(scope_set(&time, "under", "A_0", NULL));
	assert_note(run, "ranks", &time, "Not narrowed to the time, device, layer of the scope.");
	assert_note(run, "rank-time", &time, "Not narrowed to the device, layer of the scope.");
	scope_clear(&time);
	run_free(run);
}

TEST(counters_within_steps_and_times)
{
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "0", "100") "," STEP("2", "100", "100") "," COUNTER(
			"load", "10",
			"4") "," COUNTER("load", "20",
					 "8") "," COUNTER("load", "110",
							  "1") "," COUNTER("load", "190", "3")));
	struct scope scope;

	assert_rows(run, "counters", NULL, NULL,
		    "name,value_count,mean_value,min_value,max_value,last_value",
		    "load,4,4,1,8,3\n");
	in_steps(&scope, 1, 1);
	assert_rows(run, "counters", &scope, NULL,
		    "name,value_count,mean_value,min_value,max_value,last_value",
		    "load,2,6,4,8,8\n");
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 20000;
	scope.time_last = 190000;
	assert_rows(run, "counters", &scope, NULL, "name,value_count,last_value", "load,2,1\n");
	run_free(run);
}

/* 100 bytes by the first operator stay; of the second's 300, 200 are live at the peak of 400. */
#define ALLOCATIONS                                                                                                             \
	DOCUMENT(STEP("1", "0", "100") "," OPERATOR("aten::empty", "10", "20") "," MEMORY("12", "100", "4096", "100") "," STEP( \
		"2", "100",                                                                                                     \
		"100") "," OPERATOR("aten::mm", "110",                                                                          \
				    "60") "," MEMORY("120", "100", "8192",                                                      \
						     "200") "," MEMORY("130", "-100", "8192",                                   \
								       "100") "," MEMORY("140",                                 \
											 "200",                                 \
											 "12288",                               \
											 "300") "," MEMORY("185",               \
													   "100",               \
													   "16384",             \
													   "400"))

TEST(memory_by_operator_step_and_at_the_peak)
{
	struct run *run = trace_run(ALLOCATIONS);
	struct scope scope;

	assert_rows(
		run, "memory", NULL, NULL,
		"device,name,self_alloc_count,self_alloc_bytes,self_size_increase_bytes",
		"GPU0,aten::empty,1,100,100\nGPU0,aten::mm,2,300,200\nGPU0,ProfilerStep#2,1,100,100\n");
	assert_rows(
		run, "memory", NULL, "peak", "device,name,self_alloc_count,self_alloc_bytes",
		"GPU0,aten::empty,1,100\nGPU0,aten::mm,1,200\nGPU0,(outside any operator),1,100\n");
	assert_rows(run, "memory", NULL, "step", "name,alloc_count,alloc_bytes,size_increase_bytes",
		    "ProfilerStep#1,1,100,100\nProfilerStep#2,3,400,300\n");
	assert_rows(run, "memory-events", NULL, NULL, "alloc_ns,free_ns,dur_ns,size_bytes,operator",
		    "12000,,,100,aten::empty\n120000,130000,10000,100,aten::mm\n"
		    "140000,,,200,aten::mm\n185000,,,100,\n");
	struct table *events = trace_view(run, "memory-events", NULL, NULL);
	uint64_t some = events->used;
	for (const char *const *id =
		     (const char *const[]){ "alloc_ns", "free_ns", "dur_ns", "operator", NULL };
	     *id; id++)
		assert_true(some & UINT64_C(1) << table_column(events, *id));
	table_free(events);
	struct run *open = trace_run(
		DOCUMENT(OPERATOR("aten::mm", "10", "20") "," MEMORY("12", "100", "4096", "100")));
	events = trace_view(open, "memory-events", NULL, NULL);
	assert_true(events->used & UINT64_C(1) << table_column(events, "alloc_ns"));
	assert_false(events->used & UINT64_C(1) << table_column(events, "free_ns"));
	assert_false(events->used & UINT64_C(1) << table_column(events, "dur_ns"));
	table_free(events);
	run_free(open);
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 110000; /* where the operator starts */
	scope.time_last = 186000;
	assert_rows(run, "memory-events", &scope, NULL, "size_bytes", "100\n200\n100\n");
	scope.time_last = 185000;
	assert_rows(run, "memory-events", &scope, NULL, "size_bytes", "100\n200\n");
	run_free(run);
}

TEST(allocations_name_the_operator_around_theirs)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("1", "0", "100") "," OPERATOR("aten::zeros", "10", "40") "," OPERATOR(
			"aten::empty", "12",
			"10") "," MEMORY("15", "100", "4096",
					 "100") "," OPERATOR("aten::empty", "60",
							     "10") "," MEMORY("65", "300", "8192",
									      "400")));
	assert_rows(run, "memory-events", NULL, NULL, "operator,parent,size_bytes",
		    "aten::empty,aten::zeros,100\naten::empty,ProfilerStep#1,300\n");
	run_free(run);
}

TEST(a_range_has_what_is_freed_in_it)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("1", "0", "200") "," OPERATOR("aten::empty", "10", "20") "," MEMORY(
			"12", "100", "4096",
			"100") "," MEMORY("14", "200", "8192",
					  "300") "," OPERATOR("aten::mm", "100",
							      "60") "," MEMORY("120", "-100",
									       "4096", "200")));
	struct scope scope;
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 100000;
	scope.time_last = 160000;
	assert_rows(run, "memory-events", &scope, NULL,
		    "size_bytes,operator,alloc_ns,free_ns,dur_ns",
		    "100,aten::empty,12000,120000,108000\n");
	scope.time_first = 121000;
	assert_rows(run, "memory-events", &scope, NULL, "size_bytes", "");
	run_free(run);
}

static void assert_breadcrumb(const struct run *run, const struct scope *scope,
			      const char *expected)
{
	struct buffer out = { 0 };
	view_breadcrumb(run, scope, &out);
	assert_string_equal(buffer_text(&out), expected);
	buffer_free(&out);
}

TEST(breadcrumb_names_each_part_of_the_scope)
{
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "0", "100") "," MODULE("Net_0", "2", "50") "," MODULE(
			"Linear_0", "5", "30") "," OPERATOR("aten::mm", "10", "20")));
	const struct profile *profile = run->ranks[0].profile;
	const struct derived *derived = run->ranks[0].derived;
	struct scope scope;

	scope_init(&scope);
	assert_breadcrumb(run, &scope, "run");
	assert_true(scope_set(&scope, "device", "-1,2", NULL));
	assert_breadcrumb(run, &scope, "run > CPU,GPU2");
	scope.devices.count = 0;
	scope.layer = derived->layers.span_node[span_named(profile, "nn.Module: Linear_0")];
	assert_breadcrumb(run, &scope, "run > Net_0 > Linear_0");
	scope.layer = derived->layers.span_node[span_named(profile, "aten::mm")];
	scope.operator_name = profile->span_name[span_named(profile, "aten::mm")];
	assert_breadcrumb(run, &scope, "run > Net_0 > Linear_0 > aten::mm");
	in_steps(&scope, 1, 1);
	scope.operator_name = profile->span_name[span_named(profile, "aten::mm")];
	assert_breadcrumb(run, &scope, "run > step 1 > aten::mm");
	run_free(run);
}

/* Rows of another run of the same program: launch parameters tell kernels of one name apart. */
TEST(kernels_are_carried_by_their_launch_parameters)
{
#define SHAPED(ts, blocks, correlation)                                                            \
	EVENT("kernel", "gemm", "0", "7", ts, "5",                                                 \
	      "{\"device\":0,\"stream\":7,\"correlation\":" correlation ",\"grid\":[" blocks       \
	      ",1,1],\"block\":[128,1,1]}")
	struct run *from = trace_run(DOCUMENT(SHAPED("0", "10", "1") "," SHAPED("10", "20", "2")));
	struct run *to = trace_run(DOCUMENT(
		SHAPED("0", "30", "1") "," SHAPED("10", "20", "2") "," SHAPED("20", "10", "3")));
	struct table *rows = trace_view(from, "kernels", NULL, "properties");
	const struct profile *before = from->ranks[0].profile, *after = to->ranks[0].profile;

	assert_int_equal(rows->rows, 2);
	for (size_t row = 0; row < rows->rows; row++) {
		struct ref ref = table_ref(rows, row), there = carry_ref(from, to, ANY_RANK, ref);
		assert_int_equal(there.kind, REF_KERNEL);
		assert_int_equal(after->configs[there.c].grid[0], before->configs[ref.c].grid[0]);
	}
	struct table *other = trace_view(to, "kernels", NULL, "properties");
	size_t found = 0;
	for (size_t row = 0; row < other->rows; row++)
		found += carry_ref(to, from, ANY_RANK, table_ref(other, row)).kind == REF_KERNEL;
	assert_int_equal(found, 2); /* 30 blocks are missing */
	table_free(other);
	table_free(rows);
	run_free(from);
	run_free(to);
}

static bool has_fact(const struct run *run, const struct scope *scope, const char *metric)
{
	struct table *table = trace_view(run, "info", scope, NULL);
	bool found = false;
	for (size_t row = 0; row < table->rows; row++)
		found |= strcmp(table_cell(table, row, "metric").text, metric) == 0;
	table_free(table);
	return found;
}

/* What precedes the first step belongs to the whole run only. */
TEST(start_up_is_part_of_the_whole_run_only)
{
	struct run *run = trace_run(DOCUMENT(
		OPERATOR("aten::empty", "0", "50") "," STEP("1", "100", "100") "," OPERATOR(
			"aten::mm", "110", "20") "," LAUNCH("115", "1") "," KERNEL("gemm", "140",
										   "30", "1")));
	struct scope scope;

	assert_true(has_fact(run, NULL, "startup"));
	assert_true(has_fact(run, NULL, "analyzed"));
	in_steps(&scope, 1, 1);
	assert_true(has_fact(run, &scope, "analyzed"));
	assert_false(has_fact(run, &scope, "startup"));
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 120000;
	scope.time_last = 200000;
	assert_false(has_fact(run, &scope, "startup"));
	run_free(run);
}

static void assert_fact(const struct run *run, const char *metric, const char *expected)
{
	struct table *table = trace_view(run, "info", NULL, NULL);
	assert_cell(table, row_with(table, "metric", metric), "value", expected);
	table_free(table);
}

/* What lasts from before the first step to after the last is not what happens before it. */
TEST(start_up_is_not_the_recording_itself)
{
	struct run *run = trace_run(
		DOCUMENT(EVENT("Trace", "the recording", "9", "9", "0", "300", "{}") "," OPERATOR(
			"aten::empty", "0",
			"50") "," STEP("1", "100",
				       "100") "," OPERATOR("aten::mm", "110",
							   "20") "," LAUNCH("115",
									    "1") "," KERNEL("gemm",
											    "140",
											    "30",
											    "1")));

	assert_fact(run, "startup work", "aten::empty, 50.00 us");
	assert_false(has_fact(run, NULL, "teardown work"));
	run_free(run);
}

static void assert_headline(const struct run *run, const char *expected)
{
	struct buffer out = { 0 };
	struct scope scope;
	scope_init(&scope);
	view_headline(run, &scope, &out);
	if (!strstr(buffer_text(&out), expected) ||
	    strlen(strstr(buffer_text(&out), expected)) != strlen(expected))
		fail_msg("%s does not end with %s", buffer_text(&out), expected);
	buffer_free(&out);
}

/* The headline says what the steps are from, unless the profiler marked them. */
TEST(headline_names_the_source_of_steps)
{
	struct run *marked = trace_run(DOCUMENT(STEP("1", "0", "100") "," STEP("2", "100", "100")));
	struct buffer text = { 0 };

	assert_headline(marked, "  2 steps");
	buffer_puts(&text,
		    "{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR("aten::empty", "0", "5"));
	for (int i = 1; i < 5; i++)
		buffer_printf(
			&text,
			",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
			"\"ts\":%d,\"dur\":50,\"args\":{}},{\"ph\":\"X\",\"cat\":\"user_annotation\","
			"\"name\":\"Optimizer.step#SGD.step\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":20,"
			"\"args\":{}}",
			100 * i, 100 * i + 60);
	buffer_puts(&text, "]}");
	struct run *derived = trace_run(buffer_text(&text));
	assert_headline(derived, " steps by Optimizer.step#SGD.step");
	run_free(derived);
	run_free(marked);
	buffer_free(&text);
}

/* Steps that were not read are named in a note, and only these. */
TEST(a_note_names_steps_that_are_not_loaded)
{
	static const char name[] = "scopes-steps.json";
	const char *paths[] = { name };
	static const struct {
		int64_t first, last;
		bool noted;
	} cases[] = {
		{ 4, 5, false }, { 4, 4, false }, { 3, 4, true }, { 5, 6, true }, { 3, 6, true }
	};
	struct load_options options = {
		.has_steps = true, .only_steps = true, .step_first = 4, .step_last = 5
	};
	size_t length;
	char *trace = trace_generate("--steps 8 --layers 2", &length);
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(trace, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	struct run *run = run_open(paths, 1, &options, NULL, NULL);
	assert_non_null(run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct scope scope;
		in_steps(&scope, cases[i].first, cases[i].last);
		struct table *steps = trace_view(run, "steps", &scope, NULL);
		bool noted = steps->note && strstr(steps->note, "Only steps 4..5 are loaded");
		assert_int_equal(noted, cases[i].noted);
		table_free(steps);
	}
	run_free(run);
	unlink(name);
	mem_free(trace);
}

/* ---- scopes as text ---- */

static bool set(struct scope *scope, const char *name, const char *value)
{
	struct error error = { 0 };
	bool good = scope_set(scope, name, value, &error);
	assert_true(good || error.message[0]);
	return good;
}

TEST(devices_are_numbers_with_or_without_a_kind)
{
	static const char *const wrong[] = { "npu-1", "NPUx", "tpu99999999999", "xpu1", "gpu", "" };
	struct scope scope;
	scope_init(&scope);
	assert_true(set(&scope, "device", "3,gpu1,CPU"));
	assert_int_equal(scope.devices.count, 3);
	assert_int_equal(scope.devices.id[0], 3);
	assert_int_equal(scope.devices.id[1], 1);
	assert_int_equal(scope.devices.id[2], -1);
	assert_true(set(&scope, "device", "NPU2,tpu0"));
	assert_int_equal(scope.devices.count, 2);
	assert_int_equal(scope.devices.id[0], device_of_kind(DEVICE_NPU, 2));
	assert_int_equal(scope.devices.id[1], device_of_kind(DEVICE_TPU, 0));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(set(&scope, "device", wrong[i]));
	scope_clear(&scope);
}

TEST(a_time_is_a_nanosecond_or_a_range)
{
	struct scope scope;
	scope_init(&scope);
	assert_true(set(&scope, "time", "1us..2us"));
	assert_int_equal(scope.time_first, 1000);
	assert_int_equal(scope.time_last, 2000);
	assert_true(set(&scope, "time", "1us"));
	assert_int_equal(scope.time_first, 1000);
	assert_int_equal(scope.time_last, 1001);
	assert_true(set(&scope, "time", "3us.."));
	assert_int_equal(scope.time_first, 3000);
	assert_int_equal(scope.time_last, INT64_MAX);
	assert_false(set(&scope, "time", "2us..1us"));
	scope_clear(&scope);
}

TEST(phases_are_said_as_they_are_given)
{
	static const char *const texts[] = { "prefill", "prefill,decode", "none,decode",
					     "none,idle" };
	struct scope scope;
	scope_init(&scope);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct buffer text = { 0 };
		buffer_puts(&text, "of ");
		assert_true(set(&scope, "phase", texts[i]));
		scope_add_phases(&text, &scope);
		assert_string_equal(buffer_text(&text) + 3, texts[i]);
		buffer_free(&text);
	}
	assert_false(set(&scope, "phase", "decode,x"));
	scope_clear(&scope);
}

/* What narrows a scope, one part each; false past the last. */
static bool narrow(struct scope *scope, int part)
{
	static const char *const options[][2] = {
		{ "steps", "3..5" },    { "steps", "3..6" },    { "steps", "2..5" },
		{ "phase", "decode" },  { "time", "1us..2us" }, { "time", "1us..3us" },
		{ "time", "0us..2us" }, { "rank", "1" },        { "rank", "2" },
		{ "rank", "1,2" },      { "rank", "1,3" },      { "device", "0" },
		{ "device", "1" },      { "device", "0,1" },    { "stream", "0" },
		{ "stream", "7" },      { "stream", "0,7" },    { "thread", "0" },
		{ "thread", "7" },      { "thread", "0,7" },    { "under", "layer1" },
		{ "under", "layer2" },  { "filter", "gemm" },   { "filter", "conv" },
	};
	const int texts = sizeof options / sizeof *options;
	uint32_t *const rows[] = { &scope->layer,           &scope->operator_name,
				   &scope->operator_shapes, &scope->operator_stack,
				   &scope->kernel_name,     &scope->call,
				   &scope->track,           &scope->function };
	const int numbers = sizeof rows / sizeof *rows;
	scope_init(scope);
	if (part < texts)
		assert_true(set(scope, options[part][0], options[part][1]));
	else if (part < texts + 2 * numbers)
		*rows[(part - texts) / 2] = (uint32_t)(part - texts) % 2;
	else if (part == texts + 2 * numbers)
		scope->shortest = 1;
	else if (part == texts + 2 * numbers + 1)
		scope->all_ranks = !scope->all_ranks;
	else
		return part == texts + 2 * numbers + 2; /* nothing */
	return true;
}

TEST(scopes_are_equal_if_all_parts_are)
{
	struct scope one, other, copy;
	for (int i = 0; narrow(&one, i); i++, scope_clear(&one))
		for (int j = 0; narrow(&other, j); j++, scope_clear(&other)) {
			scope_copy(&copy, &other);
			assert_true(scope_equal(&copy, &other));
			if (scope_equal(&one, &copy) != (i == j))
				fail_msg("part %d and %d", i, j);
			scope_clear(&copy);
		}
}
