/* Host threads: processors, CPU samples, stacks recorded with calls. */
#include "database_case.h"

#include "analysis/lanes.h"
#include "session/load.h"
#include "model/frames.h"
#include "model/scope.h"
#include "model/threads.h"
#include "picture/timeline/timeline.h"
#include "table/view.h"

#include <string.h>

/* Calls from 0 to 1000 on thread 8; "late" is scheduled in the middle of its call. */
#define BASE                                                                                                \
	"CREATE TABLE StringIds (id INTEGER, value TEXT);"                                                  \
	"INSERT INTO StringIds VALUES (1,'main'),(2,'step'),(3,'work;er'),(4,'0x7f00'),"                    \
	"(5,'/usr/lib/libcuda.so.1'),(6,'/usr/bin/train'),(7,'cudaLaunchKernel'),(8,'gemm');" NSYS_CALLS    \
		NSYS_KERNELS                                                                                \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1000," NSYS_THREAD(                              \
		7,                                                                                          \
		8) ",1,7);"                                                                                 \
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId," \
		   " globalPid, demangledName) VALUES (1200,1500,0,7,1," NSYS_PROCESS(7) ",8);"
#define CHAINS(table)                                                                              \
	"CREATE TABLE " table " (id INT, symbol INT, module INT, unresolved INT, stackDepth INT);"
#define SAMPLES                                                                                    \
	"CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, globalTid INT);" CHAINS(                \
		"SAMPLING_CALLCHAINS")

static uint32_t track_of(const struct profile *profile, int64_t tid)
{
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (profile->tracks[i].tid == tid && profile->tracks[i].device < 0)
			return i;
	fail_msg("no thread %lld", (long long)tid);
	return 0;
}

/* Unsorted rows; the first thread ran before the recording started, the second is still running. */
TEST(on_cpu_intervals_from_scheduling_events)
{
	struct profile *profile = database_open(
		BASE
		"CREATE TABLE SCHED_EVENTS (start INT, cpu INT, isSchedIn INT, globalTid INT,"
		" threadState INT);"
		"INSERT INTO SCHED_EVENTS VALUES"
		"(300,1,0," NSYS_THREAD(7, 8) ",2),(100,1,0," NSYS_THREAD(
			7, 8) ",1),"
			      "(250,1,1," NSYS_THREAD(7, 8) ",NULL),(50,0,0," NSYS_THREAD(
				      7, 9) ",2),"
					    "(900,2,1," NSYS_THREAD(
						    7, 9) ",NULL),(950,1,0," NSYS_THREAD(7,
											 8) ",3);");
	uint32_t eight = track_of(profile, 8), nine = track_of(profile, 9);
	size_t count;
	const struct thread_run *run = thread_runs(profile, eight, &count);

	assert_int_equal(count, 2);         /* nothing is known before 950 */
	assert_int_equal(run[0].start, 50); /* from the first event of all */
	assert_int_equal(run[0].dur, 50);
	assert_int_equal(run[0].left, THREAD_RUNNABLE);
	assert_int_equal(run[1].start, 250);
	assert_int_equal(run[1].dur, 50);
	assert_int_equal(run[1].left, THREAD_BLOCKED);
	run = thread_runs(profile, nine, &count);
	assert_int_equal(count, 2);
	assert_int_equal(run[0].dur, 0);
	assert_int_equal(run[1].start, 900);
	assert_int_equal(run[1].dur, 50); /* until the last event of all */
	assert_int_equal(thread_on_cpu(profile, eight, 0, 1000), 100);
	assert_int_equal(thread_on_cpu(profile, eight, 75, 260), 35);
	assert_int_equal(thread_on_cpu(profile, eight, 100, 250), 0);
	assert_int_equal(thread_on_cpu(profile, (uint32_t)profile->track_count, 0, 9), NO_VALUE);
	profile_free(profile);
}

static struct value cell(const struct table *table, size_t row, const char *column)
{
	return table_value(table, row, (size_t)table_column(table, column));
}

static struct table *build(const struct run *run, const char *view, const char *group,
			   void (*narrow)(struct scope *scope))
{
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	if (narrow)
		narrow(&scope);
	struct table *table = view_build(view_find(view), run, &scope, group, NULL, &error);
	if (!table)
		fail_msg("%s", error.message);
	scope_clear(&scope);
	return table;
}

TEST(launch_has_off_cpu_time)
{
	struct run *run = database_run(
		BASE "CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT, globalTid INT);"
		     "INSERT INTO SCHED_EVENTS VALUES (0,1," NSYS_THREAD(
			     7, 8) "),"
				   "(400,0," NSYS_THREAD(7, 8) "),(900,1," NSYS_THREAD(7, 8) ");");
	struct table *table = build(run, "launches", NULL, NULL);

	assert_int_equal(cell(table, 0, "api_off_cpu_ns").integer, 600);
	table_free(table);
	run_free(run);
}

static const char samples[] = BASE SAMPLES
	/* one chain reversed, one without a name, one sample without a chain */
	"INSERT INTO SAMPLING_CALLCHAINS VALUES (1,1,6,NULL,2),(1,2,6,NULL,1),(1,3,6,NULL,0),"
	"(2,4,5,1,0),(2,1,6,NULL,1),(3,3,6,NULL,0),(3,2,6,NULL,1),(3,1,6,NULL,2);"
	"INSERT INTO COMPOSITE_EVENTS VALUES (3,300," NSYS_THREAD(
		7, 8) "),"
		      "(1,100," NSYS_THREAD(7, 8) "),(2,200," NSYS_THREAD(
			      7, 8) "),(9,250," NSYS_THREAD(7, 9) ");";

TEST(samples_of_same_stack_share_frames)
{
	struct profile *profile = database_open(samples);
	size_t count;
	const struct stack_sample *sample = thread_samples(profile, track_of(profile, 8), &count);

	assert_int_equal(count, 3);
	assert_int_equal(profile->frame_count, 4); /* main, step, work;er, [libcuda.so.1] */
	assert_int_equal(sample[0].frame, sample[2].frame);
	assert_int_equal(profile->sample_period, 100);
	const struct frame *frame = &profile->frames[sample[1].frame];
	assert_string_equal(profile_string(profile, frame->name), "[libcuda.so.1]");
	assert_string_equal(profile_string(profile, profile->frames[frame->caller].name), "main");
	sample = thread_samples(profile, track_of(profile, 9), &count);
	assert_int_equal(count, 1);
	assert_int_equal(sample->frame, NO_ROW);
	profile_free(profile);
}

static const struct {
	const char *stack;
	int64_t value, calls;
} sampled[] = { { "main;step;work:er", 200, 2 },
		{ "main;[libcuda.so.1]", 100, 1 },
		{ "[unknown]", 100, 1 } };

TEST(samples_are_shown_as_stacks)
{
	struct run *run = database_run(samples);
	struct table *table = build(run, "stacks", "samples", NULL);

	assert_int_equal(table->rows, 3);
	for (size_t row = 0; row < table->rows; row++) {
		struct value stack = cell(table, row, "stack");
		size_t i = 0;
		while (i < 3 && strcmp(sampled[i].stack, stack.text) != 0)
			i++;
		assert_true(i < 3);
		assert_int_equal(cell(table, row, "value_ns").integer, sampled[i].value);
		assert_int_equal(cell(table, row, "calls").integer, sampled[i].calls);
	}
	table_free(table);
	run_free(run);
}

static void to_the_first_samples(struct scope *scope)
{
	scope->has_time = true;
	scope->time_first = 0;
	scope->time_last = 201;
}

static void to_thread_9(struct scope *scope)
{
	scope->threads.count = 1;
	scope->threads.id[0] = 9;
}

TEST(samples_are_scoped)
{
	struct run *run = database_run(samples);
	struct table *table = build(run, "stacks", "samples", to_the_first_samples);

	assert_int_equal(table->rows, 2);
	table_free(table);
	table = build(run, "stacks", "samples", to_thread_9);
	assert_int_equal(table->rows, 1);
	assert_string_equal(cell(table, 0, "stack").text, "[unknown]");
	table_free(table);
	table = build(run, "streams", NULL, to_thread_9);
	assert_int_equal(table->rows, 1);
	assert_int_equal(cell(table, 0, "samples").integer, 1);
	table_free(table);
	run_free(run);
}

TEST(calls_have_recorded_stack)
{
	struct run *run = database_run(BASE CHAINS(
		"CUDA_CALLCHAINS") "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD callchainId INT;"
				   "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 5;"
				   "INSERT INTO CUDA_CALLCHAINS VALUES (5,1,6,NULL,1),(5,3,6,NULL,0);");
	struct table *table = build(run, "stacks", "gpu", NULL);

	assert_int_equal(table->rows, 1);
	assert_string_equal(cell(table, 0, "stack").text, "main;work:er;gemm");
	assert_int_equal(cell(table, 0, "value_ns").integer, 300);
	table_free(table);
	run_free(run);
}

static void to_the_only_step(struct scope *scope)
{
	scope->has_steps = true;
}

static void to_later_steps(struct scope *scope)
{
	scope->has_steps = true;
	scope->step_first = 1;
	scope->step_last = 2;
}

TEST(samples_are_those_of_the_steps)
{
	struct run *run = database_run(samples);
	struct table *table = build(run, "stacks", "samples", to_the_only_step);
	assert_int_equal(table->rows, 3);
	table_free(table);
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	to_later_steps(&scope);
	assert_null(view_build(view_find("stacks"), run, &scope, "samples", NULL, &error));
	assert_string_equal(error.message, "unknown step; the profile has no steps");
	run_free(run);
}

static void after_the_first_run(struct scope *scope)
{
	scope->has_time = true;
	scope->time_first = 150;
	scope->time_last = 1000;
}

/* A thread that left its processor before the window was not preempted in it. */
TEST(preemptions_are_those_of_the_window)
{
	struct run *run = database_run(
		BASE
		"CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT, globalTid INT, threadState INT);"
		"INSERT INTO SCHED_EVENTS VALUES (50,1," NSYS_THREAD(7, 8) ",NULL),(100,0," NSYS_THREAD(7, 8) ",1),(250,1," NSYS_THREAD(
			7,
			8) ",NULL),(300,0," NSYS_THREAD(7,
							8) ",2),(400,1," NSYS_THREAD(7,
										     8) ",NULL),(500,0," NSYS_THREAD(7,
														     8) ",1);");
	static const struct {
		void (*narrow)(struct scope *);
		int64_t switches, preempted;
	} cases[] = { { NULL, 3, 2 }, { after_the_first_run, 2, 1 } };
	for (size_t i = 0; i < 2; i++) {
		struct table *table = build(run, "streams", NULL, cases[i].narrow);
		size_t found = 0;
		for (size_t row = 0; row < table->rows; row++) {
			if (cell(table, row, "switches").kind == VALUE_MISSING)
				continue;
			assert_int_equal(cell(table, row, "switches").integer, cases[i].switches);
			assert_int_equal(cell(table, row, "preempted").integer, cases[i].preempted);
			found++;
		}
		assert_int_equal(found, 1);
		table_free(table);
	}
	run_free(run);
}

/* The profiler's own work does not say when the program ran. */
TEST(samples_only_export_is_a_profile)
{
	struct run *run = database_run(
		"CREATE TABLE PROFILER_OVERHEAD (start INT, end INT, globalTid INT, nameId INT);"
		"INSERT INTO PROFILER_OVERHEAD VALUES (5500,5600," NSYS_THREAD(
			7,
			8) ",1);"
			   "CREATE TABLE StringIds (id INTEGER, value TEXT);"
			   "INSERT INTO StringIds VALUES (1,'main');" SAMPLES
			   "INSERT INTO SAMPLING_CALLCHAINS VALUES (1,1,1,NULL,0),(2,1,1,NULL,0);"
			   "INSERT INTO COMPOSITE_EVENTS VALUES (1,5000," NSYS_THREAD(
				   7, 8) "),"
					 "(2,7000," NSYS_THREAD(7, 8) ");");
	const struct profile *profile = run->ranks[0].profile;

	assert_int_equal(profile->base_ns, 5000);
	assert_int_equal(profile->end_ns, 2000);
	struct table *table = build(run, "stacks", NULL, NULL);
	assert_int_equal(table->rows, 1);
	assert_int_equal(cell(table, 0, "value_ns").integer, 4000);
	table_free(table);
	run_free(run);
}

TEST(invalid_rows_are_discarded)
{
	struct profile *profile = database_open(
		BASE SAMPLES
		"INSERT INTO SAMPLING_CALLCHAINS VALUES (1,99,NULL,NULL,-1),(1,99,98,0,1023),"
		"(1,NULL,NULL,NULL,9223372036854775807),(NULL,1,1,1,1);"
		"INSERT INTO COMPOSITE_EVENTS VALUES (1,100," NSYS_THREAD(
			7,
			8) "),"
			   "(1,NULL," NSYS_THREAD(7, 8) "),(1,9223372036854775807," NSYS_THREAD(
				   7,
				   8) ");"
				      "CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT, globalTid INT);"
				      "INSERT INTO SCHED_EVENTS VALUES (-9223372036854775807,1," NSYS_THREAD(
					      7,
					      8) "),"
						 "(9223372036854775807,0," NSYS_THREAD(
							 7,
							 8) "),(10,1,NULL),(20,1,-5),(30,0,-5);");
	size_t count;

	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(damage_count(profile, "sample without time or thread"), 1);
	thread_runs(profile, track_of(profile, 8), &count);
	assert_int_equal(count, 0);
	assert_int_equal(profile->run_count, 1);
	profile_free(profile);
}

/* The devices are idle from 1500 to 4000; the launching thread is on-CPU for 500 ns of that. */
#define LATE                                                                                                \
	BASE "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3900,3950," NSYS_THREAD(                      \
		7,                                                                                          \
		8) ",2,7);"                                                                                 \
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId," \
		   " globalPid, demangledName) VALUES (4000,5000,0,7,2," NSYS_PROCESS(                      \
			   7) ",8);" NSYS_RANGES                                                            \
			      "INSERT INTO NVTX_EVENTS VALUES (0,5000,59,'step',NULL," NSYS_THREAD(         \
				      7, 8) ",NULL,0);"

/* The times above as microseconds: nothing is said about a capture of a few. */
#define LONGER(table) "UPDATE " table " SET start = 1000 * start, end = 1000 * end;"
#define ALL_LONGER                                                                                 \
	LONGER("CUPTI_ACTIVITY_KIND_RUNTIME")                                                      \
	LONGER("CUPTI_ACTIVITY_KIND_KERNEL")                                                       \
	LONGER("NVTX_EVENTS")
#define SCHEDULED_LONGER "UPDATE SCHED_EVENTS SET start = 1000 * start;" ALL_LONGER

static void assert_finding(const char *sql, const char *detector, const char *severity,
			   const char *evidence)
{
	struct run *run = database_run(sql);
	struct table *table = build(run, "advice", "all", NULL);
	size_t row = 0;

	while (row < table->rows && strcmp(cell(table, row, "detector").text, detector) != 0)
		row++;
	assert_true(row < table->rows);
	if (strcmp(cell(table, row, "severity").text, severity) != 0 ||
	    !strstr(cell(table, row, "evidence").text, evidence))
		fail_msg("%s: %s", cell(table, row, "severity").text,
			 cell(table, row, "evidence").text);
	table_free(table);
	run_free(run);
}

/* Of thread 8 of LATE, from and to when it is on-CPU besides the whole microseconds before OUT. */
#define SCHEDULE(out, in)                                                                          \
	"CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT, globalTid INT);"                     \
	"INSERT INTO SCHED_EVENTS VALUES (0,1," NSYS_THREAD(7, 8) "),(" out ",0," NSYS_THREAD(     \
		7, 8) "),(" in                                                                     \
		      ",1," NSYS_THREAD(7, 8) "),(5000,0," NSYS_THREAD(7, 8) ");" SCHEDULED_LONGER

TEST(advice_reports_off_cpu_threads)
{
	/* window 1200..5000, idle 1500..4000, on-CPU until 1300 and from 3500 */
	assert_finding(LATE SCHEDULE("1300", "3500"), "off_cpu", "low", "idle for 2.00 ms (52.6 %");
	assert_finding(LATE SCHEDULE("4900", "4950"), "off_cpu", "silent", "idle for 0.0 %");
	assert_finding(LATE ALL_LONGER, "off_cpu", "unknown", "not recorded");
}

TEST(cpu_work_off_the_cpu_is_called_that)
{
	assert_finding(LATE SCHEDULE("1300", "3500"), "host_bound", "high",
		       "in layer step; the launching threads are off-CPU for 83.3 % of it.");
	assert_finding(LATE SCHEDULE("1300", "1500"), "host_bound", "high", "in layer step.");
}

TEST(advice_reports_unified_memory)
{
	assert_finding(
		LATE
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT,"
		" streamId INT, globalPid INT, bytes INT, copyKind INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000,2300,0,9," NSYS_PROCESS(7) ",4096,11),(2500,2600,0,9," NSYS_PROCESS(
			7) ",4096,1);"
			   "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, end INT, globalPid INT,"
			   " deviceId INT, numberOfPageFaults INT);"
			   "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (2200,2500," NSYS_PROCESS(
				   7) ",0,12);" LONGER("CUPTI_ACTIVITY_KIND_MEMCPY")
				   LONGER("CUDA_UM_GPU_PAGE_FAULT_EVENTS") ALL_LONGER,
		"unified_memory", "medium",
		"13.2 % of the time examined: 1 migration of 4.00 KiB, 12 GPU page faults, 0 CPU page faults");
	assert_finding(LATE ALL_LONGER, "unified_memory", "unknown", "recorded");
}

/* Two programs have a layer of the same name: their rows stay separate. */
TEST(layers_are_separate_per_program)
{
	struct run *run = database_run(
		BASE NSYS_RANGES
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1000," NSYS_THREAD(
			9,
			9) ",1,7);"
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
			   " globalPid, demangledName) VALUES (1200,1300,1,7,1," NSYS_PROCESS(
				   9) ",8);"
				      "INSERT INTO NVTX_EVENTS VALUES (0,1100,59,'block',NULL," NSYS_THREAD(
					      7,
					      8) ",NULL,0),"
						 "(0,1100,59,'block',NULL," NSYS_THREAD(
							 9,
							 9) ",NULL,0),"
							    "(0,1100,59,'loader',NULL," NSYS_THREAD(
								    5, 5) ",NULL,0);");
	static const struct {
		const char *path;
		int64_t ns;
	} expected[] = { { "process 7", 300 },
			 { "process 7/block", 300 },
			 { "process 9", 100 },
			 { "process 9/block", 100 },
			 { "loader", 0 } };
	struct table *table = build(run, "layers", NULL, NULL);

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		size_t row = 0;
		while (row < table->rows &&
		       strcmp(cell(table, row, "path").text, expected[i].path) != 0)
			row++;
		if (row == table->rows)
			fail_msg("no layer %s", expected[i].path);
		assert_int_equal(cell(table, row, "gpu_total_ns").integer, expected[i].ns);
	}
	table_free(table);
	run_free(run);
}

/* ---- the timeline ---- */

static const struct lane *lane_of_samples(const struct timeline *timeline, int64_t tid)
{
	const struct lanes *lanes = timeline->lanes;
	for (uint32_t i = 0; i < lanes->count; i++)
		if (lanes->lane[i].kind == LANE_SAMPLES &&
		    timeline->rank->profile->tracks[lanes->lane[i].track].tid == tid)
			return &lanes->lane[i];
	return NULL;
}

/* A sample lasts until the next one; the last one for the usual period. */
TEST(samples_are_timeline_lanes)
{
	static const char *const names[] = { "work;er", "[libcuda.so.1]", "work;er" };
	struct run *run = database_run(samples);
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	struct timeline *timeline = timeline_new(run, &scope, NULL, &error);
	const struct lane *lane = lane_of_samples(timeline, 8);
	uint32_t found, event;

	assert_non_null(lane);
	assert_int_equal(lane->count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(lane_start(lane, i), 100 + 100 * i);
		assert_int_equal(lane_end(lane, i), 200 + 100 * i);
		assert_string_equal(profile_string(timeline->rank->profile,
						   lane_event_name(timeline->lanes, lane, i)),
				    names[i]);
	}
	assert_int_equal(lane_of_samples(timeline, 9)->count, 1);
	/* samples are not found by row of the profile */
	assert_true(lanes_find(timeline->lanes, false, 0, &found, &event));
	assert_int_equal(timeline->lanes->lane[found].kind, LANE_WORK);
	timeline_free(timeline);
	scope.threads = (struct scope_list){ { 9 }, 1 };
	timeline = timeline_new(run, &scope, NULL, &error);
	assert_null(lane_of_samples(timeline, 8));
	assert_non_null(lane_of_samples(timeline, 9));
	timeline_free(timeline);
	run_free(run);
}
