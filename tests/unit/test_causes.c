/* Attribution of device idle time to causes, on small hand-made steps. */
#include "random_trace.h"
#include "trace_case.h"

#include "analysis/causes.h"
#include "analysis/host_walk.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "derived/selection.h"

#define STEP(ts, dur) EVENT("user_annotation", "ProfilerStep#1", "1", "1", ts, dur, "{}")
#define CALL(name, thread, ts, dur, correlation)                                                   \
	EVENT("cuda_runtime", name, "1", thread, ts, dur, "{\"correlation\":" correlation "}")

#define DOCUMENT_HEAD "{\"schemaVersion\":1,\"traceEvents\":["

static struct table *steps_of(const char *text, struct run **run)
{
	*run = trace_run(text);
	struct table *steps = trace_view(*run, "steps", NULL, NULL);
	assert_int_equal(steps->rows, 1);
	return steps;
}

#define assert_us(column, us) assert_int_equal(table_number(steps, 0, column), (us)*1000)

TEST(idle_time_is_split_by_cause)
{
	struct run *run;
	struct table *steps = steps_of(
		DOCUMENT(
			STEP("0", "1000") "," EVENT("user_annotation",
						    "enumerate(DataLoader)#X.__next__", "1", "1",
						    "0", "100", "{}") ","
			/* allocation, compilation, profiler overhead, launch */
			OPERATOR("aten::mm", "100", "300") "," CALL(
				"cudaMalloc", "1", "120", "50",
				"90") "," CALL("cuModuleLoadData", "1", "180", "20",
					       "91") "," EVENT("overhead",
							       "Activity Buffer Request", "1", "1",
							       "210", "10",
							       "{}") "," LAUNCH("250",
										"1") "," KERNEL("gemm",
												"300",
												"200",
												"1") ","
			/* waits 100 us longer than the device is busy */
			CALL("cudaStreamSynchronize", "1", "400", "200", "92") "," EVENT(
				"python_function", "model.py(3): log", "1", "1", "650", "50",
				"{}") "," LAUNCH("800", "2") "," KERNEL("add", "850", "150", "2")),
		&run);

	assert_us("compute_ns", 350);
	assert_us("idle_dataloader_ns", 100);
	assert_us("idle_allocator_ns", 50);
	assert_us("idle_compile_ns", 20);
	assert_us("idle_overhead_ns", 10);
	/* from the operator's start to the end of its launch, less the calls inside */
	assert_us("idle_launch_ns", 72 + 2);
	/* launched 48 us before it starts, twice */
	assert_us("idle_dependency_ns", 48 + 48);
	assert_us("idle_sync_ns", 100);
	assert_us("idle_host_ns", 50);
	assert_us("idle_unknown_ns", 50 + 100);
	table_free(steps);
	run_free(run);
}

/* While one thread waits another launches: the activity that ends the gap explains it. */
/* Event of a thread, or of a stream if LAUNCH is not 0; times in units of SCALE us. */
static void add_event(struct buffer *text, const char *category, const char *name, long long start,
		      long long dur, int launch, long long scale)
{
	buffer_printf(text,
		      "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,"
		      "\"ts\":%lld,\"dur\":%lld,\"args\":{\"correlation\":%d%s}}",
		      text->length ? "," : DOCUMENT_HEAD, category, name, start * scale,
		      dur * scale, launch,
		      strcmp(category, "kernel") == 0 ? ",\"device\":0,\"stream\":7" : "");
}

/* Gaps and what is done in them take from microseconds to hours. */
TEST(idle_time_of_any_length)
{
	for (long long scale = 1; scale <= 10000000; scale *= 10) {
		struct buffer text = { 0 };
		struct run *run;
		add_event(&text, "user_annotation", "ProfilerStep#1", 0, 1000, 0, scale);
		add_event(&text, "user_annotation", "enumerate(DataLoader)#X.__next__", 0, 100, 0,
			  scale);
		add_event(&text, "cpu_op", "aten::mm", 100, 300, 0, scale);
		add_event(&text, "cuda_runtime", "cudaMalloc", 120, 50, 90, scale);
		add_event(&text, "cuda_runtime", "cuModuleLoadData", 180, 20, 91, scale);
		add_event(&text, "overhead", "Activity Buffer Request", 210, 10, 0, scale);
		add_event(&text, "cuda_runtime", "cudaLaunchKernel", 250, 10, 1, scale);
		add_event(&text, "kernel", "gemm", 300, 200, 1, scale);
		add_event(&text, "cuda_runtime", "cudaStreamSynchronize", 400, 200, 92, scale);
		add_event(&text, "cuda_runtime", "cudaLaunchKernel", 800, 10, 2, scale);
		add_event(&text, "kernel", "add", 850, 150, 2, scale);
		buffer_puts(&text, "]}");
		struct table *steps = steps_of(buffer_text(&text), &run);
		assert_us("compute_ns", 350 * scale);
		assert_us("idle_dataloader_ns", 100 * scale);
		assert_us("idle_allocator_ns", 50 * scale);
		assert_us("idle_compile_ns", 20 * scale);
		assert_us("idle_overhead_ns", 10 * scale);
		assert_us("idle_launch_ns", (150 - 80 + 10 + 10) * scale);
		assert_us("idle_dependency_ns", (40 + 40) * scale);
		assert_us("idle_sync_ns", 100 * scale);
		assert_us("idle_unknown_ns", 200 * scale);
		table_free(steps);
		struct table *gaps = trace_view(run, "gaps", NULL, NULL);
		int64_t ns = 0;
		for (size_t i = 0; i < gaps->rows; i++)
			ns += table_number(gaps, i, "dur_ns");
		assert_int_equal(ns, 650 * scale * 1000);
		table_free(gaps);
		buffer_free(&text);
		run_free(run);
	}
}

TEST(launching_thread_explains_gap)
{
	struct run *run;
	struct table *steps = steps_of(
		DOCUMENT(STEP("0", "400") "," CALL("cudaDeviceSynchronize", "1", "0", "200", "90") "," EVENT(
			"cpu_op", "aten::mm", "1", "2",
			"0", "100",
			"{}") "," CALL("cudaLaunchKernel", "2", "80", "10",
				       "1") "," KERNEL("gemm", "100", "100",
						       "1") "," CALL("cudaStreamSynchronize", "2",
								     "200", "150",
								     "91") "," EVENT("cpu_op",
										     "aten::add",
										     "1", "1",
										     "200", "200",
										     "{}") "," CALL("cudaLaunchKernel",
												    "1",
												    "300",
												    "10",
												    "2") "," KERNEL("add",
														    "350",
														    "50",
														    "2")),
		&run);

	assert_us("compute_ns", 150);
	assert_us("idle_launch_ns", 90 + 10 + 110);
	assert_us("idle_dependency_ns", 40);
	assert_us("idle_sync_ns", 0);
	table_free(steps);
	run_free(run);
}

/* What runs a compiled program launches from its first event; work before it is CPU work. */
TEST(dispatch_of_a_program_is_launching)
{
	struct run *run;
	struct table *steps = steps_of(
		DOCUMENT(STEP("0", "1000") "," EVENT(
			"user_annotation", "prepare", "1", "1", "0", "300",
			"{}") "," EVENT("user_annotation", "PjitFunction(f)", "1", "1", "300",
					"500",
					"{}") "," EVENT("user_annotation", "update", "1", "1",
							"310", "400",
							"{}") "," LAUNCH("790",
									 "1") "," KERNEL("gemm",
											 "800",
											 "200",
											 "1")),
		&run);

	assert_us("idle_host_ns", 300);
	assert_us("idle_launch_ns", 500);

	table_free(steps);
	run_free(run);
}

TEST(communication_is_exposed_or_overlapped)
{
	struct run *run;
	struct table *steps = steps_of(
		DOCUMENT(STEP("0", "100") "," LAUNCH("0", "1") "," LAUNCH("2", "2") "," LAUNCH("4", "3") "," KERNEL(
			"gemm", "10", "40",
			"1") "," EVENT("kernel", "ncclDevKernel_AllReduce", "0", "8", "30", "40",
				       "{\"device\":0,\"stream\":8,\"correlation\":2}") "," EVENT("gpu_memcpy",
												  "Memcpy HtoD (Pageable -> Device)",
												  "0",
												  "9",
												  "60",
												  "20",
												  "{\"device\":0,\"stream\":9,\"correlation\":3,\"bytes\":64}")),
		&run);

	assert_us("compute_ns", 20);
	assert_us("compute_overlapped_ns", 20);
	assert_us("exposed_communication_ns", 20);
	assert_us("exposed_copy_ns", 10);
	table_free(steps);
	run_free(run);
}

/* A copy from pageable memory blocks its caller until it is done. */
TEST(pageable_copy_is_synchronization)
{
	struct run *run;
	struct table *steps = steps_of(
		DOCUMENT(STEP("0", "100") "," OPERATOR("aten::item", "0", "90") "," CALL(
			"cudaMemcpyAsync", "1", "10", "70",
			"1") "," EVENT("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", "0", "7",
				       "50", "10",
				       "{\"device\":0,\"stream\":7,\"correlation\":1,\"bytes\":4}")),
		&run);

	assert_us("exposed_copy_ns", 10);
	assert_us("idle_sync_ns", 60);
	assert_us("idle_launch_ns", 20 + 10);
	assert_us("idle_unknown_ns", 0);
	table_free(steps);
	run_free(run);
}

/* The cause of the first of these launch calls, which take NS. */
static enum time_cause cause_of_first(const int *ns, size_t count)
{
	struct buffer text = { 0 };
	struct error error = { 0 };
	struct selection selection;
	struct scope scope;
	buffer_puts(&text, DOCUMENT_HEAD);
	for (size_t i = 0; i < count; i++)
		buffer_printf(
			&text,
			"%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%zu,\"dur\":%d.%03d,\"args\":{}}",
			i ? "," : "", i * 1000000, ns[i] / 1000, ns[i] % 1000);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	scope_init(&scope);
	assert_true(selection_make(&selection, run, &scope, NULL, &error));
	uint8_t *causes = causes_of_spans(&selection, NULL);
	enum time_cause cause = (enum time_cause)causes[0];
	mem_free(causes);
	selection_free(&selection);
	buffer_free(&text);
	run_free(run);
	return cause;
}

/* More than 100 times as long as the median of the later ones, of three or more. */
TEST(long_first_call_initializes)
{
	static const struct {
		int ns[6];
		enum time_cause cause;
	} calls[] = {
		{ { 2000000 }, CAUSE_LAUNCH },
		{ { 2000000, 5 }, CAUSE_LAUNCH },
		{ { 2000000, 5, 19999 }, CAUSE_COMPILE },
		{ { 2000000, 5, 20000 }, CAUSE_LAUNCH },
		{ { 2000000, 30000, 30000 }, CAUSE_LAUNCH },
		{ { 999999, 5, 5 }, CAUSE_LAUNCH },
		{ { 1000000, 5, 5 }, CAUSE_COMPILE },
		{ { 2000000, 10000, 25000, 14000 }, CAUSE_COMPILE },
		{ { 2000000, 10000, 26000, 20000 }, CAUSE_LAUNCH },
		{ { 2000000, 10000, 26000, 19999 }, CAUSE_COMPILE },
		{ { 2000000, 10000, 15000, 14000 }, CAUSE_COMPILE },
		{ { 2000000, 30000, 15000, 40000 }, CAUSE_LAUNCH },
		{ { 2000000, 1, 30000, 2, 40000 }, CAUSE_LAUNCH },
		{ { 2000000, 1, 30000, 2, 3 }, CAUSE_COMPILE },
		{ { 2000000, 3000000, 1, 2, 30000, 40000 }, CAUSE_LAUNCH },
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		size_t count = 0;
		while (count < 6 && calls[i].ns[count])
			count++;
		assert_int_equal(cause_of_first(calls[i].ns, count), calls[i].cause);
	}
}

/* ---- what threads do ---- */

enum { MOMENTS = 300 };

static void add_time(void *context, uint32_t span, int64_t start, int64_t end)
{
	int64_t *ns = context;
	assert_true(start < end);
	ns[span] += end - start;
}

/* By span, the time in it in each other moment; asked for at once, or one by one. mem_free. */
static int64_t *times_of(const struct derived *derived, bool one_by_one)
{
	const struct profile *profile = derived->profile;
	int64_t *ns = mem_zalloc((size_t)profile->spans + 1, sizeof *ns);
	struct intervals moments = { 0 };
	for (int i = 0; i <= MOMENTS; i++) {
		int64_t start = i * (profile->end_ns / MOMENTS + 1);
		bool last = i == MOMENTS;
		if (!last)
			intervals_add(&moments, start, start + profile->end_ns / MOMENTS / 2 + 1);
		for (uint32_t t = 0; (last || one_by_one) && t < profile->track_count; t++)
			assert_true(host_walk(derived, t, &moments, add_time, ns, NULL));
		moments.count = one_by_one ? 0 : moments.count;
	}
	intervals_free(&moments);
	return ns;
}

TEST(times_of_threads_add_up)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct buffer text = random_trace(seed);
		struct run *run = trace_run(buffer_text(&text));
		const struct derived *derived = run->ranks[0].derived;
		int64_t *whole = times_of(derived, false), *parts = times_of(derived, true),
			all = 0;
		for (uint32_t i = 0; i < derived->profile->spans; i++) {
			assert_int_equal(whole[i], parts[i]);
			all += whole[i];
		}
		assert_true(all > 0);
		mem_free(whole);
		mem_free(parts);
		buffer_free(&text);
		run_free(run);
	}
}

/* The owner of a time has most of what is idle there, by all parts of all gaps. */
static void check_owner(const struct device_causes *device, int64_t start, int64_t end, size_t near)
{
	const struct gaps *gaps = &device->gaps;
	int64_t ns[TIME_CAUSES] = { 0 }, idle = 0, most = 0;
	for (size_t i = 0; i < gaps->count; i++)
		for (size_t p = 0; p < gaps->items[i].parts; p++) {
			int64_t from = gap_part_start(&gaps->items[i], p),
				to = gap_part_end(&gaps->items[i], p);
			from = from > start ? from : start;
			to = to < end ? to : end;
			ns[gap_part(&gaps->items[i], p)->cause] += to > from ? to - from : 0;
			idle += to > from ? to - from : 0;
		}
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		most = ns[cause] > most ? ns[cause] : most;
	struct gap_owner owner = gaps_owner(gaps, start, end, near % (gaps->count + 1));
	assert_int_equal(owner.idle_ns, idle);
	assert_int_equal(owner.cause_ns, most);
	assert_true(!idle || ns[owner.cause] == most);
	assert_true(idle || (owner.cause == CAUSE_UNKNOWN && owner.span == NO_ROW));
}

TEST(the_owner_of_a_time_has_most_of_it)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct buffer text = random_trace(seed);
		struct run *run = trace_run(buffer_text(&text));
		struct selection selection;
		struct causes own = { 0 };
		struct scope scope;
		uint64_t chance = seed;
		scope_init(&scope);
		assert_true(selection_make(&selection, run, &scope, NULL, NULL));
		const struct causes *causes = derived_causes(&selection, &own, NULL);
		const struct device_causes *device = critical_device(causes);
		int64_t all = selection.profile->end_ns;
		for (int i = 0; i < 60; i++) {
			int64_t start = (int64_t)random_below(&chance, (uint64_t)all);
			int64_t size = (int64_t)random_below(&chance, 1ULL << (i % 20));
			check_owner(device, start, start + 1 + size, (size_t)size);
		}
		causes_free(&own);
		selection_free(&selection);
		scope_clear(&scope);
		buffer_free(&text);
		run_free(run);
	}
}
