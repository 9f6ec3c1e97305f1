/* Idle gaps and their owners, per device and within the analysis window. */
#include "trace_case.h"

#include "analysis/causes.h"
#include "derived/selection.h"
#include "base/buffer.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define STEP(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")
#define CALL(name, thread, ts, dur, correlation)                                                   \
	EVENT("cuda_runtime", name, "1", thread, ts, dur, "{\"correlation\":" correlation "}")
#define ON_GPU(name, device, stream, ts, dur, correlation)                                         \
	EVENT("kernel", name, device, stream, ts, dur,                                             \
	      "{\"device\":" device ",\"stream\":" stream ",\"correlation\":" correlation "}")

#define assert_us(table, row, column, us)                                                          \
	assert_int_equal(table_number(table, row, column), (us)*1000)

/*
 * GPU0 communicates while GPU1 computes, then the other way round: no overlap on either, and each
 * is idle where the other works alone.
 */
TEST(overlap_is_not_pooled_over_devices)
{
	struct run *run = trace_run(DOCUMENT(
		STEP("ProfilerStep#1", "0", "400") "," CALL("cudaLaunchKernel", "1", "0", "2", "1") "," CALL(
			"cudaLaunchKernel", "1", "3",
			"2",
			"2") "," CALL("cudaLaunchKernel", "1", "6", "2",
				      "3") "," CALL("cudaLaunchKernel", "1", "9", "2",
						    "4") "," ON_GPU("ncclDevKernel_AllReduce", "0",
								    "8",
								    "20",
								    "100",
								    "1") "," ON_GPU("gemm", "1",
										    "7",
										    "20",
										    "100",
										    "2") "," ON_GPU("gemm",
												    "0",
												    "7",
												    "120",
												    "150",
												    "3") "," ON_GPU("ncclDevKernel_AllReduce",
														    "1",
														    "8",
														    "120",
														    "100",
														    "4")));
	struct table *devices = trace_view(run, "devices", NULL, NULL);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(devices->rows, 2);
	for (size_t row = 0; row < 2; row++) {
		assert_us(devices, row, "compute_overlapped_ns", 0);
		assert_us(devices, row, "exposed_communication_ns", 100);
		assert_us(devices, row, "compute_ns", row ? 100 : 150);
		assert_us(devices, row, "dur_ns", 400);
	}
	/* the step shows the device with most work */
	assert_int_equal(table_number(devices, 0, "critical"), 1);
	assert_us(steps, 0, "compute_ns", 150);
	assert_us(steps, 0, "exposed_communication_ns", 100);
	assert_us(steps, 0, "compute_overlapped_ns", 0);
	for (size_t row = 0; row < ranks->rows; row++)
		assert_us(ranks, row, "overlap_ns", 0);
	table_free(ranks);
	table_free(steps);
	table_free(devices);
	run_free(run);
}

#define WAITING                                                                                    \
	ON_GPU("gemm", "0", "7", "20", "80", "1")                                                  \
	"," ON_GPU("ncclDevKernel_AllReduce", "0", "8", "100", "210", "2")
#define LATE                                                                                       \
	ON_GPU("gemm", "1", "7", "200", "100", "3") "," ON_GPU("%s", "1", "8", "300", "10", "4")

/* GPU0 waits in a reduction with kernel NAME of GPU1's, which starts late: the critical one. */
static double critical_of_second(const char *name)
{
	struct buffer trace = { 0 };
	buffer_printf(&trace, DOCUMENT(STEP("ProfilerStep#1", "0", "400") "," WAITING "," LATE),
		      name);
	struct run *run = trace_run(buffer_text(&trace));
	struct table *devices = trace_view(run, "devices", NULL, NULL);
	double critical = table_number(devices, 1, "critical");
	table_free(devices);
	run_free(run);
	buffer_free(&trace);
	return critical;
}

TEST(the_critical_device_is_the_one_that_others_wait_for)
{
	assert_int_equal(critical_of_second("ncclDevKernel_AllReduce"), 1);
	/* not the same communication: the device with most work */
	assert_int_equal(critical_of_second("ncclDevKernel_Broadcast"), 0);
}

/* Without steps, imports and context creation before, and module unload after, are not idle time.
 */
TEST(startup_and_teardown_are_not_analyzed)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "train.py(1): <module>", "1", "1", "0", "5000", "{}") "," CALL(
			"cudaMalloc", "1", "100",
			"900",
			"90") "," CALL("cudaLaunchKernel", "1", "1000", "5",
				       "1") "," KERNEL("gemm", "1010", "90",
						       "1") "," CALL("cudaStreamSynchronize", "1",
								     "1020", "100",
								     "91") "," CALL("cudaLaunchKernel",
										    "1", "1200",
										    "5",
										    "2") "," KERNEL("gemm",
												    "1210",
												    "90",
												    "2") "," CALL("cudaModuleUnload",
														  "1",
														  "1400",
														  "3000",
														  "92")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	struct table *gaps = trace_view(run, "gaps", NULL, NULL);
	struct table *devices = trace_view(run, "devices", NULL, NULL);

	assert_us(devices, 0, "start_ns", 1010);
	assert_us(devices, 0, "dur_ns", 290);
	assert_us(steps, 0, "idle_outside_ns", 1010 - 1000); /* from the first launch */
	assert_us(steps, 0, "idle_allocator_ns", 0);
	assert_int_equal(gaps->rows, 1);
	assert_us(gaps, 0, "start_ns", 1100);
	assert_us(gaps, 0, "dur_ns", 110);
	assert_us(gaps, 0, "idle_sync_ns", 20);
	assert_us(gaps, 0, "idle_launch_ns", 80 + 5 + 5);
	assert_us(gaps, 0, "idle_host_ns", 0);
	assert_string_equal(table_text(gaps, 0, "cause"), "launch");
	assert_string_equal(table_text(gaps, 0, "cpu_work"), "train.py(1): <module>");
	assert_string_equal(table_text(gaps, 0, "before"), "gemm");
	table_free(devices);
	table_free(gaps);
	table_free(steps);
	run_free(run);
}

/* Work queued before the capture began: what delayed it was not recorded. */
TEST(head_of_queued_work_has_no_cause)
{
	struct run *run = trace_run(DOCUMENT(
		OPERATOR("aten::mm", "0", "500") "," KERNEL("old", "10", "50", "70") "," KERNEL(
			"old", "200", "50",
			"71") "," LAUNCH("300",
					 "1") "," KERNEL("gemm", "310", "90",
							 "1") "," LAUNCH("440",
									 "2") "," KERNEL("gemm",
											 "450",
											 "50",
											 "2")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	/* the step starts with the end of the queued work */
	assert_us(steps, 0, "idle_unknown_ns", 60);
	assert_us(steps, 0, "idle_launch_ns", 50);
	table_free(steps);
	run_free(run);
}

/* So if the capture begins inside of a blocking call. */
TEST(blocking_head_has_no_cause)
{
	struct run *run = trace_run(DOCUMENT(STEP("ProfilerStep#1", "0", "500") "," CALL(
		"cudaDeviceSynchronize", "1", "0", "200",
		"90") "," OPERATOR("aten::mm", "200",
				   "200") "," LAUNCH("290", "1") "," KERNEL("gemm", "300", "200",
									    "1")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_us(steps, 0, "idle_unknown_ns", 200);
	assert_us(steps, 0, "idle_launch_ns", 100);
	assert_us(steps, 0, "idle_sync_ns", 0);
	table_free(steps);
	run_free(run);
}

/* Launched at once, but it starts only 100 us later: something else holds it up. */
TEST(late_start_is_a_dependency)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("ProfilerStep#1", "0", "300") "," LAUNCH("0", "1") "," KERNEL(
			"gemm", "2", "98", "1") "," LAUNCH("100", "2") "," KERNEL("gemm", "202",
										  "98", "2")));
	struct table *gaps = trace_view(run, "gaps", NULL, NULL);

	assert_string_equal(table_text(gaps, 1, "cause"), "dependency");
	assert_us(gaps, 1, "idle_dependency_ns", 100);
	assert_us(gaps, 1, "idle_launch_ns", 2);
	table_free(gaps);
	run_free(run);
}

/* Where the launching thread is silent, another one may explain more of the gap than it does. */
TEST(longest_work_of_threads_is_named)
{
	struct run *run = trace_run(DOCUMENT(
		STEP("ProfilerStep#1", "0", "500") "," LAUNCH("0", "1") "," KERNEL("gemm", "2", "98", "1") "," OPERATOR(
			"aten::short", "90",
			"20") "," EVENT("cpu_op", "aten::long", "1", "2", "110", "270",
					"{}") "," OPERATOR("aten::mm", "380",
							   "20") "," LAUNCH("390",
									    "2") "," KERNEL("gemm",
											    "400",
											    "100",
											    "2")));
	struct table *gaps = trace_view(run, "gaps", NULL, NULL);

	assert_us(gaps, 1, "dur_ns", 300);
	assert_us(gaps, 1, "idle_host_ns", 280);
	assert_string_equal(table_text(gaps, 1, "cause"), "CPU work");
	assert_string_equal(table_text(gaps, 1, "cpu_work"), "aten::long");
	table_free(gaps);
	run_free(run);
}

/* ---- a property over generated runs ---- */

static const char *const idle[] = { "idle_launch_ns",    "idle_sync_ns",    "idle_dataloader_ns",
				    "idle_allocator_ns", "idle_compile_ns", "idle_dependency_ns",
				    "idle_overhead_ns",  "idle_host_ns",    "idle_unknown_ns" };
static const char *const cause_names[] = { "launch",    "sync",     "data loader",
					   "allocator", "compile",  "dependency",
					   "profiler",  "CPU work", "unknown" };
enum { IDLE = sizeof idle / sizeof *idle };

static void add_event(struct buffer *out, const char *category, const char *name, int pid, int tid,
		      long start, long dur, const char *arguments)
{
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
		      "\"ts\":%ld,\"dur\":%ld,\"args\":{%s}}",
		      category, name, pid, tid, start, dur, arguments);
}

/* Two threads of COUNT calls, two devices of two streams; clocks of devices a little off. */
static void make_run(struct buffer *out, unsigned seed, int count)
{
	static const char *const calls[] = { "cudaMalloc", "cudaStreamSynchronize",
					     "cuModuleLoadData", "cudaFree" };
	long free_at[4] = { 0 };
	char arguments[128];
	srand(seed);
	bool steps = rand() % 2;
	buffer_puts(out, "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"M\",\"name\":\"x\"}");
	for (int thread = 1; thread <= 2; thread++) {
		long time = rand() % 500;
		for (int i = 0; i < count; i++) {
			long dur = 5 + rand() % 60, start = time + 1 + rand() % 30;
			int kind = rand() % 8, id = thread * 1000000 + i, stream = rand() % 4;
			snprintf(arguments, sizeof arguments, "\"correlation\":%d", id);
			time = start + dur;
			if (kind < 4) {
				add_event(out, "cpu_op", "aten::mm", 1, thread, start, dur, "");
				add_event(out, "cuda_runtime", "cudaLaunchKernel", 1, thread,
					  start + 1, 2, arguments);
				long begin = start + 3 + rand() % 25 - 3;
				begin = begin > free_at[stream] ? begin : free_at[stream];
				snprintf(arguments, sizeof arguments,
					 "\"correlation\":%d,\"device\":%d,\"stream\":%d",
					 rand() % 10 ? id : 99999, stream / 2, 7 + stream);
				add_event(out, "kernel", rand() % 4 ? "gemm" : "ncclKernel",
					  stream / 2, 7 + stream, begin, 1 + rand() % 80,
					  arguments);
				free_at[stream] = begin + 81;
			} else if (kind < 6) {
				add_event(out, "cuda_runtime", calls[rand() % 4], 1, thread, start,
					  dur, arguments);
			} else {
				add_event(out, "user_annotation",
					  rand() % 2 ? "log" : "enumerate(DataLoader)#X.__next__",
					  1, thread, start, dur, "");
			}
		}
	}
	for (long i = 0; steps && i < 4; i++) {
		snprintf(arguments, sizeof arguments, "ProfilerStep#%ld", i);
		add_event(out, "user_annotation", arguments, 1, 1, 600 * i, 590, "");
	}
	buffer_puts(out, "]}");
}

static int64_t sum(const struct table *table, const char *column, const char *device)
{
	int64_t total = 0;
	for (size_t row = 0; row < table->rows; row++)
		if (!device || strcmp(table_text(table, row, "device"), device) == 0)
			total += table_number(table, row, column);
	return total;
}

/* The path's cause at a time is one that the gaps of the time have. */
static void check_path(const struct table *path, const struct table *gaps)
{
	for (size_t row = 0; row < path->rows; row++) {
		const char *cause = table_text(path, row, "cause");
		int64_t from = table_number(path, row, "start_ns");
		int64_t to = from + table_number(path, row, "dur_ns");
		bool found = !*cause;
		for (size_t g = 0; g < gaps->rows && !found; g++) {
			int64_t start = table_number(gaps, g, "start_ns");
			if (start >= to || start + table_number(gaps, g, "dur_ns") <= from)
				continue;
			for (int i = 0; i < IDLE; i++)
				found |= !strcmp(cause, cause_names[i]) &&
					 table_number(gaps, g, idle[i]) > 0;
		}
		assert_true(found);
	}
}

/* Times by cause are those of the steps, the examined time and each gap; returns how many were. */
static size_t compare_causes(const struct run *run, const struct table *gaps)
{
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	struct table *by_cause = trace_view(run, "gaps", NULL, "cause");
	struct table *devices = trace_view(run, "devices", NULL, NULL);
	int64_t whole = sum(steps, "dur_ns", NULL) - sum(steps, "idle_outside_ns", NULL);
	size_t compared = 0;
	for (size_t d = 0; d < devices->rows; d++)
		for (int i = 0; i < IDLE; i++) {
			int64_t ns = sum(gaps, idle[i], table_text(devices, d, "device"));
			int64_t analysis_window = table_number(devices, d, idle[i]);
			assert_true(analysis_window <= ns); /* a cold start is left out */
			if (!table_number(devices, d, "critical"))
				continue;
			assert_int_equal(ns, sum(steps, idle[i], NULL));
			if (table_number(devices, d, "dur_ns") != whole)
				continue;
			assert_int_equal(ns, analysis_window);
			compared++;
		}
	assert_int_equal(sum(by_cause, "dur_ns", NULL), sum(gaps, "dur_ns", NULL));
	table_free(devices);
	table_free(by_cause);
	table_free(steps);
	return compared;
}

static void check_gaps(const struct table *gaps)
{
	for (size_t g = 0; g < gaps->rows; g++) {
		int64_t parts = 0, most = 0;
		for (int i = 0; i < IDLE; i++) {
			int64_t ns = table_number(gaps, g, idle[i]);
			parts += ns;
			most = ns > most ? ns : most;
		}
		assert_int_equal(parts, table_number(gaps, g, "dur_ns"));
		for (int i = 0; i < IDLE; i++)
			if (!strcmp(table_text(gaps, g, "cause"), cause_names[i]))
				assert_int_equal(table_number(gaps, g, idle[i]), most);
	}
}

/* Segments are added up as listed. */
static void check_groups(const struct run *run, const struct table *path, const char *group)
{
	struct table *groups = trace_view(run, "critical-path", NULL, group);
	bool by_name = strcmp(group, "name") == 0;
	int64_t calls = 0;
	for (size_t g = 0; g < groups->rows; g++) {
		int64_t ns = 0, count = 0;
		for (size_t row = 0; row < path->rows; row++)
			if (!strcmp(table_text(path, row, "kind"), table_text(groups, g, "kind")) &&
			    (!by_name || !strcmp(table_text(path, row, "name"),
						 table_text(groups, g, "name")))) {
				ns += table_number(path, row, "dur_ns");
				count++;
			}
		assert_int_equal(table_number(groups, g, "dur_ns"), ns);
		assert_int_equal(table_number(groups, g, "calls"), count);
		assert_true(!g || ns <= table_number(groups, g - 1, "dur_ns"));
		calls += count;
	}
	assert_int_equal(calls, path->rows);
	table_free(groups);
}

/* What owns a range, from all parts of all gaps. */
static struct gap_owner owner_by_parts(const struct gaps *gaps, int64_t start, int64_t end)
{
	int64_t ns[TIME_CAUSES] = { 0 }, longest[TIME_CAUSES] = { 0 };
	uint32_t span[TIME_CAUSES];
	struct gap_owner owner = { .cause = CAUSE_UNKNOWN, .span = NO_ROW };
	for (size_t g = 0; g < gaps->count; g++)
		for (size_t p = 0; p < gaps->items[g].parts; p++) {
			const struct gap_part *part = gap_part(&gaps->items[g], p);
			int64_t from = gap_part_start(&gaps->items[g], p);
			int64_t to = gap_part_end(&gaps->items[g], p);
			from = from < start ? start : from;
			to = to > end ? end : to;
			if (from >= to)
				continue;
			owner.idle_ns += to - from;
			ns[part->cause] += to - from;
			if (to - from > longest[part->cause]) {
				longest[part->cause] = to - from;
				span[part->cause] = part->span;
			}
		}
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		if (ns[cause] > owner.cause_ns) {
			owner.cause_ns = ns[cause];
			owner.cause = (enum time_cause)cause;
			owner.span = span[cause];
		}
	return owner;
}

static void check_owners(const struct run *run)
{
	struct selection selection;
	struct causes own;
	struct scope whole;
	scope_init(&whole);
	assert_true(selection_make(&selection, run, &whole, NULL, NULL));
	const struct causes *causes = derived_causes(&selection, &own, NULL);
	assert_non_null(causes);
	for (size_t d = 0; d < causes->device_count; d++) {
		const struct gaps *gaps = &causes->devices[d].gaps;
		int64_t last = causes->devices[d].window.end + 1000;
		for (int i = 0; i < 500; i++) {
			int64_t start = rand() % last, end = start + rand() % 20000 - 100;
			struct gap_owner owner = gaps_owner(gaps, start, end, gaps->count / 2);
			struct gap_owner by_parts = owner_by_parts(gaps, start, end);
			assert_int_equal(owner.idle_ns, by_parts.idle_ns);
			assert_int_equal(owner.cause_ns, by_parts.cause_ns);
			assert_int_equal(owner.cause, by_parts.cause);
			assert_int_equal(owner.span, by_parts.span);
		}
	}
	causes_free(&own);
	selection_free(&selection);
}

TEST(causes_are_equal_in_steps_gaps_and_critical_path)
{
	size_t compared = 0;
	for (unsigned seed = 1; seed <= 40; seed++) {
		struct buffer text = { 0 };
		make_run(&text, seed, 60);
		struct run *run = trace_run_bytes(buffer_text(&text), text.length);
		struct table *gaps = trace_view(run, "gaps", NULL, NULL);
		struct table *path = trace_view(run, "critical-path", NULL, NULL);
		compared += compare_causes(run, gaps);
		check_gaps(gaps);
		check_path(path, gaps);
		check_groups(run, path, "name");
		check_groups(run, path, "kind");
		check_owners(run);
		table_free(path);
		table_free(gaps);
		run_free(run);
		buffer_free(&text);
	}
	assert_true(compared > 0);
}

/* The cause of each segment is the owner of its time on the device that the path leads to. */
static void check_causes(const struct run *run, const struct table *path)
{
	struct selection selection;
	struct causes own;
	struct scope whole;
	size_t explained = 0;
	scope_init(&whole);
	assert_true(selection_make(&selection, run, &whole, NULL, NULL));
	const struct causes *causes = derived_causes(&selection, &own, NULL);
	assert_non_null(causes);
	const struct device_causes *device = critical_device(causes);
	for (size_t row = path->rows; row-- > 0;) {
		struct ref ref = table_ref(path, row);
		int64_t start = table_number(path, row, "start_ns");
		if (ref.kind == REF_LAUNCH)
			device = causes_of_device(
				causes, profile_activity_device(selection.profile, ref.a));
		struct gap_owner owner = gaps_owner(&device->gaps, start,
						    start + table_number(path, row, "dur_ns"), 0);
		assert_string_equal(table_text(path, row, "cause"),
				    owner.idle_ns ? time_cause_name(owner.cause) : "");
		explained += owner.idle_ns > 0;
	}
	assert_true(explained > 0);
	causes_free(&own);
	selection_free(&selection);
}

static void assert_same_cells(const struct table *a, const struct table *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->columns, b->columns);
	for (size_t row = 0; row < a->rows; row++)
		for (size_t column = 0; column < a->columns; column++) {
			struct value x = table_value(a, row, column),
				     y = table_value(b, row, column);
			assert_int_equal(x.kind, y.kind);
			assert_int_equal(value_compare(x, y), 0);
		}
}

/* Some views need the gaps alone: what is found later from them is what is found at once. */
TEST(any_view_may_come_first)
{
	static const char *const views[] = { "gaps", "devices", "critical-path", "steps" };
	enum { VIEWS = sizeof views / sizeof *views };
	for (unsigned seed = 1; seed <= 8; seed++) {
		struct buffer text = { 0 };
		struct table *table[2][VIEWS];
		struct run *run[2];
		make_run(&text, seed, 60);
		for (int way = 0; way < 2; way++) {
			run[way] = trace_run_bytes(buffer_text(&text), text.length);
			for (int i = 0; i < VIEWS; i++) {
				int v = (i + way) % VIEWS;
				table[way][v] = trace_view(run[way], views[v], NULL, NULL);
			}
		}
		for (int v = 0; v < VIEWS; v++) {
			assert_same_cells(table[0][v], table[1][v]);
			table_free(table[0][v]);
			table_free(table[1][v]);
		}
		run_free(run[0]);
		run_free(run[1]);
		buffer_free(&text);
	}
}

/* Neither the parts of these gaps nor the segments of the path fit in one block of memory. */
TEST(many_gaps_and_segments)
{
	enum { CALLS = 30000, SEGMENTS_MIN = 40000 };
	struct buffer text = { 0 };
	make_run(&text, 2, CALLS);
	struct run *run = trace_run_bytes(buffer_text(&text), text.length);
	struct table *gaps = trace_view(run, "gaps", NULL, NULL);
	struct table *path = trace_view(run, "critical-path", NULL, NULL);
	compare_causes(run, gaps);
	check_gaps(gaps);
	assert_true(path->rows > SEGMENTS_MIN);
	for (size_t row = 1; row < path->rows; row++)
		assert_int_equal(table_number(path, row, "start_ns"),
				 table_number(path, row - 1, "start_ns") +
					 table_number(path, row - 1, "dur_ns"));
	check_groups(run, path, "name");
	check_causes(run, path);
	table_free(path);
	table_free(gaps);
	run_free(run);
	buffer_free(&text);
}
