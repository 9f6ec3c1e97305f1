/* DLProf's rules of classes, overlap and iterations, on hand-made rows. */
#include "trace_case.h"

#include "base/mem.h"
#include "tools/dlprof/dlprof_aggregate.h"

static void add_instance(struct dlprof *dlprof, uint32_t op, int64_t start, int64_t stop)
{
	mem_grow(dlprof->instances, dlprof->instance_count + 1);
	dlprof->instances[dlprof->instance_count++] =
		(struct dlprof_instance){ .op = op, .start = start, .stop = stop };
}

static void add_call(struct dlprof *dlprof, enum dlprof_call_kind kind, int32_t device,
		     const int64_t times[4], bool uses_tc)
{
	uint32_t instance = (uint32_t)dlprof->instance_count - 1;

	mem_grow(dlprof->calls, dlprof->call_count + 1);
	dlprof->calls[dlprof->call_count++] =
		(struct dlprof_call){ .kind = kind,
				      .op = dlprof->instances[instance].op,
				      .instance = instance,
				      .device = device,
				      .uses_tc = uses_tc,
				      .api_start = times[0],
				      .api_stop = times[1],
				      .gpu_start = times[2],
				      .gpu_stop = times[3] };
}

/* Two ops, 0 and 1, of types "work" and "DataLoader". */
static struct dlprof *new_dlprof(struct intern *strings)
{
	struct dlprof *dlprof = mem_zalloc(1, sizeof *dlprof);

	mem_grow(dlprof->ops, 2);
	dlprof->op_count = 2;
	dlprof->ops[0] = (struct dlprof_op){ .id = intern_add(strings, "WORK_1", 6),
					     .type = intern_add(strings, "work", 4) };
	dlprof->ops[1] = (struct dlprof_op){ .id = intern_add(strings, "DATALOADER_1", 12),
					     .type = intern_add(strings, "DataLoader", 10) };
	return dlprof;
}

static void aggregate(const struct dlprof *dlprof, const struct intern *strings, const char *key,
		      struct dlprof_aggregation *out)
{
	struct dlprof_range range = { .key = key };
	struct error error = { 0 };

	if (!dlprof_aggregate(dlprof, strings, &range, out, NULL, &error))
		fail_msg("%s", error.message);
}

TEST(overlap_goes_to_first_class)
{
	struct intern *strings = intern_new();
	struct dlprof *dlprof = new_dlprof(strings);
	struct dlprof_aggregation sums;

	add_instance(dlprof, 1, 0, 90);
	add_instance(dlprof, 0, 0, 500);
	add_call(dlprof, DLPROF_KERNEL, 0, (int64_t[]){ 1, 2, 100, 200 }, true);
	add_call(dlprof, DLPROF_KERNEL, 0, (int64_t[]){ 1, 2, 150, 300 }, false);
	add_call(dlprof, DLPROF_MEMCPY, 0, (int64_t[]){ 1, 2, 280, 320 }, false);
	add_call(dlprof, DLPROF_OTHER_CALL, 0, (int64_t[]){ 999, 1000, 0, 0 }, false);
	aggregate(dlprof, strings, NULL, &sums);
	assert_int_equal(sums.wall, 1000);
	assert_float_equal(sums.share[DLPROF_TC_SHARE], 10, 1e-9);
	assert_float_equal(sums.share[DLPROF_NON_TC_SHARE], 10, 1e-9);
	assert_float_equal(sums.share[DLPROF_MEMORY_SHARE], 2, 1e-9);
	assert_float_equal(sums.share[DLPROF_DATALOADER_SHARE], 9, 1e-9);
	assert_float_equal(sums.share[DLPROF_CPU_SHARE], 19, 1e-9);
	assert_float_equal(sums.share[DLPROF_OTHER_SHARE], 50, 1e-9);
	dlprof_aggregation_clear(&sums);
	dlprof_free(dlprof);
	intern_free(strings);
}

TEST(overlapping_work_counts_once)
{
	struct intern *strings = intern_new();
	struct dlprof *dlprof = new_dlprof(strings);
	struct dlprof_aggregation sums;

	add_instance(dlprof, 0, 0, 1000);
	add_call(dlprof, DLPROF_KERNEL, 0, (int64_t[]){ 100, 200, 210, 240 }, false);
	add_call(dlprof, DLPROF_KERNEL, 0, (int64_t[]){ 150, 260, 230, 300 }, false);
	add_call(dlprof, DLPROF_KERNEL, 0, (int64_t[]){ 400, 450, 500, 520 }, false);
	aggregate(dlprof, strings, NULL, &sums);
	assert_int_equal(sums.op_count, 1);
	assert_int_equal(sums.op_sums[0].times.of[DLPROF_CPU].sum, 1000);
	assert_int_equal(sums.op_sums[0].times.of[DLPROF_GPU].sum, 110);
	assert_int_equal(sums.op_sums[0].times.of[DLPROF_OVERHEAD].sum, 790);
	assert_int_equal(sums.op_sums[0].times.of[DLPROF_IDLE].sum, 200);
	assert_int_equal(sums.kernel_sums[0].gpu.sum, 30 + 70 + 20);
	dlprof_aggregation_clear(&sums);
	dlprof_free(dlprof);
	intern_free(strings);
}

/* Key node executions on devices, and the iteration ends they produce. */
struct key_run {
	int32_t device;
	int64_t stop;
};

static void assert_ends(const struct key_run *runs, size_t count, const int64_t *ends,
			size_t end_count)
{
	struct intern *strings = intern_new();
	struct dlprof *dlprof = new_dlprof(strings);
	struct dlprof_aggregation sums;

	for (size_t i = 0; i < count; i++) {
		int64_t stop = runs[i].stop;
		add_instance(dlprof, 0, stop - 10, stop);
		add_call(dlprof, DLPROF_KERNEL, runs[i].device,
			 (int64_t[]){ stop - 9, stop - 8, stop - 5, stop - 4 }, false);
	}
	add_instance(dlprof, 1, 490, 500);
	aggregate(dlprof, strings, "WORK_1", &sums);
	assert_int_equal(sums.iteration_count, end_count + 1);
	for (size_t i = 0; i < end_count; i++) {
		assert_int_equal(sums.iteration[i].stop, ends[i] - 1);
		assert_int_equal(sums.iteration[i + 1].start, ends[i]);
	}
	assert_int_equal(sums.iteration[0].start, 0);
	assert_int_equal(sums.iteration[end_count].stop, 500);
	dlprof_aggregation_clear(&sums);
	dlprof_free(dlprof);
	intern_free(strings);
}

TEST(iteration_ends_on_last_device)
{
	static const struct key_run one[] = { { 0, 100 }, { 0, 250 }, { 0, 400 } };
	static const struct key_run equal[] = { { 0, 100 }, { 1, 110 }, { 1, 190 }, { 0, 200 } };
	static const struct key_run unequal[] = { { 0, 100 }, { 1, 150 }, { 0, 200 } };

	assert_ends(one, 3, (int64_t[]){ 100, 250, 400 }, 3);
	assert_ends(equal, 4, (int64_t[]){ 110, 200 }, 2);
	assert_ends(unequal, 3, (int64_t[]){ 100, 150, 200 }, 3);
}
