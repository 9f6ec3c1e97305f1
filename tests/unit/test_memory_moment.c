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

enum { MOMENTS = 1000 };

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

TEST(alive_bytes_of_traces_equal_the_allocators)
{
	size_t found = 0;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
		found += check(traces[i]);
	if (!found)
		skip();
}
