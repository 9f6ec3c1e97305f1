/* What is computed once for many rows or checks, against plain counts of a random trace. */
#include "trace_case.h"

#include "analysis/advice/diagnosis.h"
#include "analysis/advice/judge_kernels.h"
#include "analysis/breakdown.h"
#include "analysis/causes.h"
#include "analysis/host_walk.h"
#include "derived/activity_order.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "derived/selection.h"

#include <stdio.h>

enum { ROWS = 120, LENGTH_US = 3000 };

static struct run *run;
static const struct profile *profile;
static const struct derived *derived;

static uint32_t next_random(uint32_t below)
{
	static uint32_t seed = 11;
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void add_event(struct buffer *out, const char *category, const char *name, int process,
		      int thread, uint32_t start, uint32_t dur, const char *arguments)
{
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
		      "\"ts\":%u,\"dur\":%u,\"args\":{%s}}",
		      category, name, process, thread, start, dur, arguments);
}

/* Operators of two threads that overlap at random, and work on two streams. */
static struct run *random_run(void)
{
	static const char *const kernels[] = { "gemm", "ncclDevKernel_AllReduce", "add_kernel",
					       "softmax_forward" };
	static const char *const arguments[] = {
		"\"Input Dims\":[[2,3]],\"Input type\":[\"float\"]",
		"\"Input Dims\":[[],[2]],\"Input type\":[\"Scalar\",\"c10::Half\"]", ""
	};
	char name[32], more[64];
	struct buffer out = { 0 };
	buffer_puts(&out, "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,"
			  "\"name\":\"process_name\",\"args\":{\"name\":\"python\"}}");
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		add_event(&out, "user_annotation", name, 1, 1, (uint32_t)i * 1000, 1000, "");
	}
	for (int i = 0; i < ROWS; i++) {
		uint32_t at = next_random(LENGTH_US - 200);
		bool copy = next_random(6) == 0;
		snprintf(name, sizeof name, "aten::op%u", next_random(5));
		add_event(&out, "cpu_op", name, 1, 1 + (int)next_random(2), at, 1 + next_random(90),
			  arguments[next_random(3)]);
		snprintf(more, sizeof more, "\"correlation\":%d", i + 1);
		add_event(&out, "cuda_runtime", "cudaLaunchKernel", 1, 1 + (int)next_random(2), at,
			  1 + next_random(4), more);
		snprintf(more, sizeof more, "\"device\":0,\"stream\":%d,\"correlation\":%d",
			 7 + i % 2, i + 1);
		add_event(&out, copy ? "gpu_memcpy" : "kernel",
			  copy ? "Memcpy HtoD (Pageable -> Device)" : kernels[next_random(4)], 0,
			  7 + i % 2, at + 5, 1 + next_random(30), more);
	}
	buffer_puts(&out, "]}");
	struct run *made = trace_run_bytes(buffer_text(&out), out.length);
	buffer_free(&out);
	return made;
}

static int open_trace(void **state)
{
	run = random_run();
	profile = run->ranks[0].profile;
	derived = run->ranks[0].derived;
	return 0;
}

static int close_trace(void **state)
{
	run_free(run);
	return 0;
}

/* ---- threads ---- */

/* The last span that has started and those around it: the first that has not ended. */
static uint32_t innermost_at(const struct track *track, int64_t time)
{
	uint32_t span = NO_ROW;
	for (uint32_t i = 0; i < track->spans; i++)
		if (profile->span_start[track->first_span + i] <= time)
			span = track->first_span + i;
	while (span != NO_ROW && profile->span_start[span] + profile->span_dur[span] <= time)
		span = profile->span_parent[span];
	return span;
}

static void add_visit(void *context, uint32_t span, int64_t start, int64_t end)
{
	int64_t *ns = context;
	ns[span] += end - start;
}

TEST(walk_visits_innermost_spans)
{
	for (int round = 0; round < 60; round++) {
		int64_t *walked = mem_zalloc(profile->spans, sizeof *walked);
		int64_t *plain = mem_zalloc(profile->spans, sizeof *plain);
		struct intervals within = { 0 };
		uint32_t at = next_random(LENGTH_US);
		for (int part = 0; part < round % 4; part++) {
			uint32_t end = at + 1 + next_random(100);
			intervals_add(&within, at * 1000, end * 1000);
			at = end + 1 + next_random(200);
		}
		for (uint32_t t = 0; t < profile->track_count; t++) {
			if (profile->tracks[t].device >= 0)
				continue;
			assert_true(host_walk(derived, t, &within, add_visit, walked, NULL));
			for (size_t i = 0; i < within.count; i++)
				for (int64_t ns = within.item[i].start; ns < within.item[i].end;
				     ns += 1000) {
					uint32_t span = innermost_at(&profile->tracks[t], ns);
					if (span != NO_ROW)
						plain[span] += 1000;
				}
		}
		assert_memory_equal(walked, plain, profile->spans * sizeof *plain);
		intervals_free(&within);
		mem_free(walked);
		mem_free(plain);
	}
}

/* ---- steps ---- */

static enum time_class class_of_activity(uint32_t activity)
{
	const char *name = profile_string(profile, profile->activity_name[activity]);
	return !strncmp(name, "Memcpy", 6) ? TIME_MEMCPY
	       : !strncmp(name, "nccl", 4) ? TIME_COMMUNICATION
					   : TIME_KERNEL;
}

static enum time_class class_of_span(uint32_t span)
{
	return profile->span_kind[span] == SPAN_RUNTIME    ? TIME_RUNTIME
	       : profile->span_kind[span] == SPAN_OPERATOR ? TIME_CPU_EXEC
							   : TIME_OTHER;
}

static enum time_class class_at(int64_t time)
{
	enum time_class first = TIME_OTHER;
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile->activity_start[i] <= time &&
		    time < profile->activity_start[i] + profile->activity_dur[i] &&
		    class_of_activity(i) < first)
			first = class_of_activity(i);
	for (uint32_t i = 0; i < profile->spans; i++)
		if (profile->span_start[i] <= time &&
		    time < profile->span_start[i] + profile->span_dur[i] &&
		    class_of_span(i) < first)
			first = class_of_span(i);
	return first;
}

TEST(time_of_steps_is_of_the_first_class_active)
{
	struct scope scope;
	struct selection selection;
	scope_init(&scope);
	assert_true(selection_make(&selection, run, &scope, NULL, NULL));
	struct breakdown *found = breakdown_of_steps(&selection, NULL);
	assert_true(derived->step_count >= 3);
	for (uint32_t i = 0; i < derived->step_count; i++) {
		int64_t plain[TIME_CLASSES] = { 0 };
		for (int64_t ns = derived->steps[i].start; ns < derived->steps[i].end; ns += 1000)
			plain[class_at(ns)] += 1000;
		assert_memory_equal(found[i].ns, plain, sizeof plain);
	}
	mem_free(found);
	selection_free(&selection);
}

TEST(activities_of_all_streams_are_sorted)
{
	const uint32_t *order = derived_by_start(derived, NULL);
	uint8_t *seen = mem_zalloc(profile->activities, 1);
	for (uint32_t i = 0; i < profile->activities; i++) {
		assert_false(seen[order[i]]);
		seen[order[i]] = 1;
		assert_true(!i || profile->activity_start[order[i - 1]] <=
					  profile->activity_start[order[i]]);
	}
	mem_free(seen);
}

/* ---- checks ---- */

static void check_kernel_sums(const struct diagnosis *diagnosis)
{
	struct kernel_sum *plain = mem_zalloc(derived->names, sizeof *plain);
	uint32_t kernels = 0;
	for (uint32_t i = 0; i < profile->activities; i++)
		if (in_window(diagnosis, profile->activity_start[i]) &&
		    profile->activity_kind[i] == ACTIVITY_KERNEL) {
			plain[profile->activity_name[i]].ns += profile->activity_dur[i];
			plain[profile->activity_name[i]].kernels++;
			kernels++;
		}
	assert_true(kernels > 10);
	for (uint32_t i = 0; i < derived->names; i++) {
		assert_int_equal(diagnosis->kernel_sums[i].ns, plain[i].ns);
		assert_int_equal(diagnosis->kernel_sums[i].kernels, plain[i].kernels);
	}
	mem_free(plain);
}

static void check_call_types(const struct diagnosis *diagnosis)
{
	uint32_t counts[2] = { 0 }, plain[2] = { 0 };
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct op_info *info = profile_op_info(profile, i);
		const char *types = info ? profile_string(profile, info->types) : "";
		counts[0] += call_has_type(diagnosis, i, "float");
		counts[1] += call_has_type(diagnosis, i, "c10::Half");
		plain[0] += strstr(types, "float") != NULL;
		plain[1] += strstr(types, "Half") != NULL;
	}
	assert_true(plain[0] && plain[1]);
	assert_memory_equal(counts, plain, sizeof plain);
}

static void check_marks(const struct diagnosis *diagnosis)
{
	uint16_t marks = 0, roles = 0;
	for (uint32_t i = 0; i < profile->spans; i++) {
		marks |= diagnosis->name_marks[profile->span_name[i]];
		roles |= derived->role[profile->span_name[i]];
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		marks |= diagnosis->name_marks[profile->activity_name[i]];
		roles |= derived->role[profile->activity_name[i]];
	}
	assert_int_equal(diagnosis->any_marks, marks);
	assert_int_equal(diagnosis->any_roles, roles);
	assert_int_equal(spans_marked(diagnosis, MARK_LAUNCH), profile->spans);
	assert_int_equal(spans_marked(diagnosis, MARK_GIL), 0);
	assert_int_equal(spans_in_role(diagnosis, NAME_STEP), profile->spans);
	assert_int_equal(spans_in_role(diagnosis, NAME_OPTIMIZER), 0);
}

TEST(tables_of_checks_are_plain_counts)
{
	struct scope scope;
	struct selection selection;
	scope_init(&scope);
	assert_true(selection_make(&selection, run, &scope, NULL, NULL));
	struct evidence evidence = { .selection = &selection };
	for (size_t i = 0; i < EVIDENCE_PARTS; i++)
		assert_true(evidence_derive(&evidence, i, NULL));
	struct diagnosis diagnosis = { .run = run,
				       .selection = &selection,
				       .causes = evidence.causes,
				       .device = critical_device(evidence.causes),
				       .profile = profile,
				       .derived = derived };
	assert_true(diagnosis_fill(&diagnosis, NULL) && diagnosis_prepare(&diagnosis, NULL));
	check_kernel_sums(&diagnosis);
	check_call_types(&diagnosis);
	check_marks(&diagnosis);
	diagnosis_empty(&diagnosis);
	diagnosis_release(&diagnosis);
	evidence_free(&evidence);
	selection_free(&selection);
}

TEST_PROGRAM(open_trace, close_trace)
