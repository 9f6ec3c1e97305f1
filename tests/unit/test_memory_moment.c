/*
 * What is alive at a moment: sums over owners are what the allocator had then, as a replay of the
 * recorded allocations gives it without the views.
 */
#include "trace_case.h"
#include "file_case.h"

#include "analysis/memory.h"
#include "base/mem.h"
#include "model/snapshot.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const snapshots[] = {
	"memory_snapshot/forward_ctx128_noframes_start.pickle",
	"memory_snapshot/forward_ctx256_segment_free.pickle",
	"memory_snapshot/inference_128_proto4.pickle",
	"memory_snapshot/snapviewer_generated.pickle",
	"memory_snapshot/softmax_peak_small.pickle",
	"memory_snapshot/softmax_peak_small_proto2.pickle",
	"memory_snapshot/softmax_peak_small_proto5.pickle",
	"memory_snapshot/torch2.0_log1_history_blocks.pickle",
	"memory_snapshot/torch2.0_oom_history_blocks.pickle",
	"memory_snapshot/train_step_1024_torch2.x_proto4.pickle",
};

static const char *const traces[] = {
	"kineto/particle_transformer/profiler_trace_single_sample.json.gz",
	"kineto/particle_transformer/gpu_working_chrome_trace.json.gz",
	"kineto/particle_transformer/"
	"run1_chrome_traces__single_epoch_forward_pass_batch_size_32.json.gz",
	"kineto/probes/memory_on_backward_thread_no_module.pt.trace.json",
	"kineto/probes/memory_same_addr_two_devices.pt.trace.json",
	"kineto/probes/memory_at_python_level.pt.trace.json",
	"kineto/probes/memory_hip_device_type_6.pt.trace.json",
	"kineto/probes/memory_on_backward_thread.pt.trace.json",
	"kineto/probes/cpu_peak_vs_gpu_memory.pt.trace.json",
	"kineto/tracelens/perf_model/normalization/normalization_layer_test.json.gz",
};

static uint64_t seed = 38;

static int64_t draw(int64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((seed >> 16) % (uint64_t)(below > 0 ? below : 1));
}

static struct run *open_corpus(const char *name)
{
	const char *path = corpus_path(name);
	struct error error = { 0 };
	if (!path)
		return NULL;
	const char *const paths[] = { path };
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	if (!run)
		fail_msg("%s: %s", name, error.message);
	return run;
}

/* Bytes alive by the rows of the view at TIME. */
static int64_t alive(const struct run *run, int64_t time, const char *column)
{
	struct scope scope;
	int64_t sum = 0;
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = time;
	scope.time_last = time + 1;
	struct table *table = trace_view(run, "memory", &scope, "peak");
	for (size_t i = 0; i < table->rows; i++)
		sum += table_number(table, i, column);
	table_free(table);
	return sum;
}

/* By the times of the allocations, which the view takes from entries. */
static int64_t replay_snapshot(const struct snapshot *snapshot, int64_t time)
{
	int64_t sum = 0;
	for (size_t i = 0; i < snapshot->allocation_count; i++) {
		const struct snapshot_allocation *of = &snapshot->allocations[i];
		bool made = of->alloc_entry == NO_VALUE || of->alloc_ns <= time;
		bool gone = of->free_entry != NO_VALUE && of->free_ns <= time;
		sum += made && !gone ? of->size : 0;
	}
	return sum;
}

/* Sum over devices of what the allocator says after its last event until TIME. */
static int64_t replay_trace(const struct profile *profile, int64_t time)
{
	enum { DEVICES = 65 };
	int64_t last[DEVICES] = { 0 }, sum = 0;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		int32_t device = memory_device(event);
		if (event->total_allocated != NO_VALUE && !event->part && event->time <= time &&
		    device >= -1 && device < DEVICES - 1)
			last[device + 1] = event->total_allocated;
	}
	for (int i = 0; i < DEVICES; i++)
		sum += last[i];
	return sum;
}

enum { MOMENTS = SLOW ? 300 : 1000 };

/* True if the file is here. */
static bool check(const char *name)
{
	struct run *run = open_corpus(name);
	if (!run)
		return false;
	const struct profile *profile = run->ranks[0].profile;
	const struct snapshot *snapshot = profile->snapshot;
	bool timed = !snapshot || snapshot->timed;
	for (int i = 0; i < MOMENTS && timed; i++) {
		int64_t time = draw(profile->end_ns + 1);
		int64_t found = alive(run, time, snapshot ? "peak_bytes" : "self_alloc_bytes");
		int64_t right =
			snapshot ? replay_snapshot(snapshot, time) : replay_trace(profile, time);
		if (found != right)
			fail_msg("%s at %" PRId64 " ns: %" PRId64 " bytes, not %" PRId64, name,
				 time, found, right);
	}
	run_free(run);
	return true;
}

TEST(alive_bytes_of_snapshots_equal_a_replay)
{
	size_t found = 0;
	for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++)
		found += check(snapshots[i]);
	if (!found)
		skip();
}

/* A raw timeline of memory tells its categories: 100 bytes before it, 50 from 5 to 9, 20 from 7. */
TEST(categories_of_a_timeline_are_of_its_peak)
{
	static const char *const names[] = { "parameter", "activation", "gradient" };
	static const int64_t bytes[] = { 100, 50, 20 };
	struct run *run =
		trace_run("[[-1, 1, 100, 0], [5, 1, 50, 4], [7, 1, 20, 5], [9, 3, -50, 4]]");
	struct table *table = trace_view(run, "memory", NULL, "peak-category");
	assert_int_equal(table->rows, 3);
	for (size_t row = 0; row < 3; row++) {
		assert_string_equal(table_text(table, row, "name"), names[row]);
		assert_int_equal(table_number(table, row, "self_alloc_bytes"), bytes[row]);
	}
	table_free(table);
	run_free(run);
}

TEST(alive_bytes_of_traces_equal_the_allocators)
{
	size_t found = 0;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
		found += check(traces[i]);
	if (!found)
		skip();
}

/* ---- categories, two moments, and what if ---- */

#define MEMORY(ts, address, bytes, total)                                                          \
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" ts                       \
	",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":" address ",\"Bytes\":" bytes       \
	",\"Total Allocated\":" total ",\"Total Reserved\":4096}}"

/*
 * A forward pass at 100, a backward one at 200, an optimizer's step at 300, the next forward pass
 * at 400. Weights are from before: 1000 bytes.
 */
static const char training[] = DOCUMENT(
	OPERATOR("aten::mm", "100", "50") "," OPERATOR("nccl:all_reduce", "160", "10") "," OPERATOR(
		"autograd::engine::evaluate_function: MmBackward0", "200",
		"50") "," EVENT("user_annotation", "Optimizer.step#Adam.step", "1", "1", "300",
				"50", "{}") "," OPERATOR("aten::mm", "400",
							 "50") "," MEMORY("101", "1", "10",
									  "1010") "," /* activation
										       */
	MEMORY("102", "2", "20", "1030") "," MEMORY("103", "2", "-20", "1010") "," /* temporary */
	MEMORY("104", "3", "5", "1015") "," MEMORY("161", "4", "7", "1022") ","    /* kept, sent */
	MEMORY("201", "5", "100", "1122") "," MEMORY("202", "6", "30", "1152") "," /* gradient */
	MEMORY("203", "6", "-30", "1122") "," MEMORY("210", "1", "-10", "1112") "," MEMORY(
		"301", "7", "200", "1312") "," MEMORY("302", "8", "50", "1362") "," /* state */
	MEMORY("310", "8", "-50", "1312") "," MEMORY("320", "5", "-100",
						     "1212") "," MEMORY("401", "9", "11", "1223"));

static struct run *open_training(void)
{
	return trace_run(training);
}

/* The rows of GROUP from FIRST to LAST, in us from the first event. */
static void assert_memory(const struct run *run, const char *group, int64_t first, int64_t last,
			  const char *columns, const char *expected)
{
	struct scope scope;
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = (first - 100) * 1000;
	scope.time_last = (last - 100) * 1000 + 1;
	assert_rows(run, "memory", &scope, group, columns, expected);
}

TEST(categories_follow_from_what_runs_until_the_free)
{
	struct run *run = open_training();
	assert_memory(run, "peak-category", 102, 102, "name,self_alloc_bytes",
		      "activations,10\ntemporaries,20\n(allocated before the capture),1000\n"
		      "fragmentation,3066\n");
	assert_memory(run, "peak-category", 202, 202, "name,self_alloc_bytes",
		      "activations,10\nother,5\ncommunication,7\ngradients,100\ntemporaries,30\n"
		      "(allocated before the capture),1000\nfragmentation,2944\n");
	assert_memory(run, "peak-category", 402, 402, "name,self_alloc_bytes",
		      "other,16\ncommunication,7\noptimizer state,200\n"
		      "(allocated before the capture),1000\nfragmentation,2873\n");
	run_free(run);
}

TEST(two_moments_differ_by_what_is_freed_and_new)
{
	struct run *run = open_training();
	assert_memory(run, "change", 202, 402,
		      "name,start_bytes,freed_bytes,added_bytes,end_bytes,size_increase_bytes",
		      "aten::mm,15,10,11,16,1\n"
		      "nccl:all_reduce,7,0,0,7,0\n"
		      "autograd::engine::evaluate_function: MmBackward0,130,130,0,0,-130\n"
		      "(outside any operator),0,0,200,200,200\n"
		      "(allocated before the capture),1000,0,0,1000,0\n");
	run_free(run);
}

TEST(without_owners_the_peak_is_that_of_the_others)
{
	struct run *run = open_training();
	assert_rows(run, "memory", NULL, "without=gradients|optimizer state",
		    "name,self_alloc_bytes",
		    "aten::mm,5\nnccl:all_reduce,7\n(outside any operator),50\n"
		    "(allocated before the capture),1000\n");
	struct table *table = trace_view(run, "memory", NULL, "without=activations");
	if (!strstr(table->note, "Computing 1 call again takes 50.00 us"))
		fail_msg("no time to compute activations again: %s", table->note);
	table_free(table);
	run_free(run);
}
