/* The load of devices over time, against sums by microsecond. */
#include "trace_case.h"

#include "analysis/device_metrics.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "derived/selection.h"

#include <math.h>
#include <stdlib.h>

enum { DEVICES = 2, STREAMS = 3, MOMENTS = 400, KERNELS_MAX = 200 };

/* Of device work; BLOCKS in eighths of a block per SM, negative: not recorded. */
struct kernel {
	int device, stream, start, end, blocks;
};

struct model {
	struct kernel kernels[KERNELS_MAX];
	int count;
	int64_t scale; /* ns of a moment */
};

static struct run *run_of(const struct model *model)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "{\"schemaVersion\":1,\"deviceProperties\":[],\"traceEvents\":["
			   "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"Range\",\"pid\":1,"
			   "\"tid\":1,\"ts\":0,\"dur\":1}");
	for (int i = 0; i < model->count; i++) {
		const struct kernel *kernel = &model->kernels[i];
		buffer_printf(&text,
			      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,"
			      "\"tid\":%d,\"ts\":%lld,\"dur\":%lld,\"args\":{\"device\":%d,"
			      "\"stream\":%d",
			      kernel->device, kernel->stream,
			      (long long)(kernel->start * model->scale / 1000),
			      (long long)((kernel->end - kernel->start) * model->scale / 1000),
			      kernel->device, kernel->stream);
		if (kernel->blocks >= 0)
			buffer_printf(&text, ",\"blocks per SM\":%g", kernel->blocks / 8.0);
		buffer_puts(&text, "}}");
	}
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	buffer_free(&text);
	return run;
}

/* Blocks in a moment of a device; -1: no kernel runs. */
static double blocks_at(const struct model *model, int device, int moment)
{
	double blocks = 0;
	bool runs = false;
	for (int i = 0; i < model->count; i++) {
		const struct kernel *kernel = &model->kernels[i];
		if (kernel->device != device || moment < kernel->start || moment >= kernel->end)
			continue;
		runs = true;
		blocks += kernel->blocks > 0 ? kernel->blocks / 8.0 : 0;
	}
	return runs ? blocks : -1;
}

static double load_at(const struct model *model, int device, int moment)
{
	double blocks = blocks_at(model, device, moment);
	return blocks > 1 ? 1 : blocks > 0 ? blocks : 0;
}

/* Is the load known of enough kernel time? */
static bool knows_load(const struct model *model, int device)
{
	double all = 0, known = 0;
	for (int i = 0; i < model->count; i++) {
		const struct kernel *kernel = &model->kernels[i];
		int dur = kernel->device == device ? kernel->end - kernel->start : 0;
		all += dur;
		known += kernel->blocks >= 0 ? dur : 0;
	}
	return all > 0 && known >= 0.8 * all;
}

static void check_loads(const struct model *model, const struct selection *selection, int device)
{
	size_t count, at = 0;
	struct device_load *loads = device_loads(selection, device, &count, NULL);
	assert_non_null(loads);
	for (int moment = 0; moment < MOMENTS && knows_load(model, device); moment++) {
		int64_t time = moment * model->scale;
		while (at < count && loads[at].end <= time)
			at++;
		bool within = at < count && loads[at].start <= time;
		assert_true(within ? loads[at].load == load_at(model, device, moment)
				   : load_at(model, device, moment) == 0);
	}
	assert_true(knows_load(model, device) || !count);
	for (size_t i = 1; i < count; i++)
		assert_true(loads[i - 1].end <= loads[i].start);
	mem_free(loads);
}

static void check_bucket(const struct model *model, const struct device_bucket *bucket)
{
	double busy = 0, sm = 0;
	for (int moment = 0; moment < MOMENTS; moment++) {
		int64_t from = moment * model->scale, to = from + model->scale;
		from = from < bucket->start ? bucket->start : from;
		to = to > bucket->start + bucket->dur ? bucket->start + bucket->dur : to;
		double part = to > from ? (double)(to - from) : 0;
		busy += blocks_at(model, bucket->device, moment) >= 0 ? part : 0;
		sm += load_at(model, bucket->device, moment) * part;
	}
	assert_float_equal(bucket->gpu_util_pct, 100 * busy / (double)bucket->dur, 1e-9);
	if (knows_load(model, bucket->device))
		assert_float_equal(bucket->sm_efficiency_pct, 100 * sm / (double)bucket->dur, 1e-9);
	else
		assert_true(isnan(bucket->sm_efficiency_pct));
}

/* Compares what is measured with the model; returns the number of devices with kernels. */
static size_t check(const struct model *model)
{
	struct error error = { 0 };
	struct selection selection;
	struct scope scope;
	struct run *run = run_of(model);
	scope_init(&scope);
	assert_true(selection_make(&selection, run, &scope, NULL, &error));
	size_t count, devices;
	for (int device = 0; device < DEVICES; device++)
		check_loads(model, &selection, device);
	for (int64_t most = 1; most < 1000; most *= 10) {
		struct device_bucket *buckets = device_buckets(&selection, most, &count, NULL);
		for (size_t i = 0; i < count; i++)
			check_bucket(model, &buckets[i]);
		mem_free(buckets);
	}
	struct device_metrics *metrics = device_metrics(&selection, &devices, NULL);
	struct device_bucket *whole = device_buckets(&selection, 1, &count, NULL);
	assert_int_equal(count, devices);
	for (size_t i = 0; i < devices; i++) {
		assert_int_equal(metrics[i].device, whole[i].device);
		assert_true(metrics[i].gpu_util_pct == whole[i].gpu_util_pct);
		assert_true(metrics[i].sm_efficiency_pct == whole[i].sm_efficiency_pct ||
			    isnan(whole[i].sm_efficiency_pct));
	}
	mem_free(metrics);
	mem_free(whole);
	selection_free(&selection);
	run_free(run);
	return devices;
}

TEST(no_kernel)
{
	struct model model = { .scale = 1000 };
	assert_int_equal(check(&model), 0);
}

TEST(one_kernel)
{
	struct model model = { .kernels = { { 1, 7, 10, 30, 4 } }, .count = 1, .scale = 1000 };
	assert_int_equal(check(&model), 1);
	model.kernels[0].blocks = -1;
	assert_int_equal(check(&model), 1);
	model.kernels[0].blocks = 0;
	assert_int_equal(check(&model), 1);
}

/* Moments of a second: kernels take more than 2^31 ns. */
TEST(long_kernels)
{
	struct model model = {
		.kernels = { { 0, 7, 0, 100, 2 }, { 0, 8, 50, 350, 3 }, { 1, 7, 3, 399, 20 } },
		.count = 3,
		.scale = 1000000000
	};
	assert_int_equal(check(&model), 2);
}

/* On several streams, some beginning or ending at one moment, some without a number of blocks. */
TEST(random_kernels)
{
	srand(20);
	for (int round = 0; round < 200; round++) {
		struct model model = { .count = 1 + rand() % KERNELS_MAX, .scale = 1000 };
		int unknown = rand() % 3, longest = 1 + rand() % 60;
		for (int i = 0; i < model.count; i++) {
			int start = rand() % (MOMENTS - 61);
			model.kernels[i] =
				(struct kernel){ rand() % DEVICES, 7 + rand() % STREAMS, start,
						 start + 1 + rand() % longest,
						 rand() % 10 < unknown ? -1 : rand() % 12 };
		}
		if (test_sampled((size_t)round, 3))
			assert_in_range(check(&model), 1, DEVICES);
	}
}
