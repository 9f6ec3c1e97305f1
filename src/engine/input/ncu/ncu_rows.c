/*
 * Kernels and metrics of Nsight Compute as rows.
 */
#include "base/buffer.h"
#include "input/timeline_rows.h"
#include "input/cuda/cuda_names.h"
#include "input/ncu/ncu_private.h"
#include "model/python_stats.h"

#include <math.h>

struct ncu ncu_begin(struct profile *profile, struct builder *builder,
		     const struct progress *progress)
{
	profile->ids_in_order = true;
	return (struct ncu){ .profile = profile,
			     .builder = builder,
			     .progress = progress,
			     .process = NO_ROW,
			     .units = hash_new(256) };
}

FREE_MEMBERS(ncu_end, struct ncu, OWN_BY(hash_free, units))

void ncu_kernel_begin(struct ncu_kernel *kernel)
{
	struct ncu_kernel fresh = { .grid = { -1, -1, -1 }, .block = { -1, -1, -1 } };
	SET_UNKNOWN(&fresh,
		    UNKNOWN(device) UNKNOWN(stream) UNKNOWN(context) UNKNOWN(registers)
			    UNKNOWN(static_shared) UNKNOWN(dynamic_shared) UNKNOWN(whole_shared)
				    UNKNOWN(dur_ns) UNKNOWN(occupancy_pct) UNKNOWN(invocations)
					    UNKNOWN(least_ns) UNKNOWN(most_ns));
	MEMBERS(&fresh, kernel, TAKE(metrics) TAKE(rules));
	*kernel = fresh;
}

FREE_MEMBERS(ncu_kernel_free, struct ncu_kernel, OWN(metrics) OWN(rules))

/* ---- metrics ---- */

/* Metrics with a column of their own, as reports name them and as ncu prints them. */
enum ncu_rows_known { NCU_WHOLE_NUMBER_ROWS(LISTED) DURATION, OCCUPANCY };
static const struct {
	const char *name;
	enum ncu_rows_known known;
} known_metrics[] = { NCU_KNOWN_ROWS };

static void note_known(struct ncu_kernel *kernel, enum ncu_rows_known known, double value)
{
	int64_t *const numbers[] = { NCU_WHOLE_NUMBER_ROWS(LISTED_NAME) };
	if (known == DURATION)
		kernel->dur_ns = value;
	else if (known == OCCUPANCY)
		kernel->occupancy_pct = value;
	else
		*numbers[known] = value >= 0 && value < 9e15 ? (int64_t)value : NO_VALUE;
}

/* STATISTIC: "" for a single value. */
static void note_statistic(struct ncu_kernel *kernel, enum ncu_rows_known known, double value,
			   const char *statistic)
{
	if (!*statistic || strcmp(statistic, NCU_AVERAGE) == 0)
		note_known(kernel, known, value);
	else if (known == DURATION && strcmp(statistic, NCU_MINIMUM) == 0)
		kernel->least_ns = value;
	else if (known == DURATION && strcmp(statistic, NCU_MAXIMUM) == 0)
		kernel->most_ns = value;
}

/* The unit of a metric, from its name; computed once for each. */
static uint32_t unit_of(struct ncu *ncu, uint32_t name)
{
	char unit[32];
	uint32_t found = hash_first(ncu->units, name);
	if (found != NO_ROW)
		return found;
	ncu_unit_of_name(profile_string(ncu->profile, name), unit);
	found = profile_intern(ncu->profile, unit);
	hash_add(ncu->units, name, found);
	return found;
}

void ncu_metric(struct ncu *ncu, struct ncu_kernel *kernel, const struct metric *metric)
{
	const char *name = profile_string(ncu->profile, metric->name);
	double scale = 1;
	struct metric *added = mem_push(kernel->metrics, kernel->metric_count);
	*added = *metric;
	if (metric->unit)
		scale = ncu_unit_scale(INTERNED(ncu->profile->strings, metric->unit));
	else
		added->unit = unit_of(ncu, metric->name);
	if (metric->instance || !isfinite(metric->value))
		return;
	for (size_t i = 0; i < sizeof known_metrics / sizeof *known_metrics; i++)
		if (strcmp(name, known_metrics[i].name) == 0)
			note_statistic(kernel, known_metrics[i].known, metric->value * scale,
				       profile_string(ncu->profile, metric->statistic));
}

/* ---- rules ---- */

/* Append TEXT with "@section:Id:Title@" and "@url:Title:address@" replaced by the title. */
static void plain_text(struct buffer *out, const char *text, size_t length)
{
	for (const char *at = text, *end = text + length; at < end;) {
		size_t left = (size_t)(end - at);
		bool section = left > 9 && memcmp(at, "@section:", 9) == 0;
		bool url = left > 5 && memcmp(at, "@url:", 5) == 0;
		const char *from = at + (section ? 9 : 5);
		const char *close = section || url ? memchr(from, '@', (size_t)(end - from)) : NULL;
		const char *colon = close ? memchr(from, ':', (size_t)(close - from)) : NULL;
		if (!colon) {
			buffer_putc(out, *at++);
			continue;
		}
		if (section)
			buffer_add(out, colon + 1, (size_t)(close - colon - 1));
		else
			buffer_add(out, from, (size_t)(colon - from));
		at = close + 1;
	}
}

void ncu_rule(struct ncu *ncu, struct ncu_kernel *kernel, const char *name, const char *text,
	      size_t length, const char *scope, double speedup)
{
	AUTO_BUFFER struct buffer line = { 0 }, key = { 0 };
	struct intern *strings = ncu->profile->strings;
	plain_text(&line, text, strnlen(text, length));
	while (line.length &&
	       (line.data[line.length - 1] == ' ' || line.data[line.length - 1] == '.'))
		line.data[--line.length] = 0;
	if (isfinite(speedup) && speedup > 0 && speedup <= 100)
		buffer_printf(&line, " (estimated %s speedup %.1f %%)", scope, speedup);
	buffer_printf(&key, METRIC_RULE "%s", name);
	*mem_push(kernel->rules, kernel->rule_count) = (struct ncu_rule){
		.key = intern_add(strings, BUFFERED(&key)),
		.text = intern_add(strings, BUFFERED(&line)),
	};
}

/* ---- the kernel ---- */

static uint32_t ncu_rows_config_of(struct ncu *ncu, const struct ncu_kernel *kernel)
{
	struct launch_config config = launch_config_unknown();
	memcpy(config.grid, kernel->grid, sizeof config.grid);
	memcpy(config.block, kernel->block, sizeof config.block);
	config.regs_per_thread = cuda_small(kernel->registers);
	if (kernel->static_shared != NO_VALUE && kernel->dynamic_shared != NO_VALUE)
		config.shared_mem_bytes = kernel->static_shared + kernel->dynamic_shared;
	else if (kernel->whole_shared != NO_VALUE)
		config.shared_mem_bytes = kernel->whole_shared;
	config.occupancy_pct = kernel->occupancy_pct >= 0 && kernel->occupancy_pct <= 100
				       ? (float)kernel->occupancy_pct
				       : NAN;
	return builder_config(ncu->builder, &config);
}

/* A kernel without a measured duration takes no time, and says so. */
static int64_t ncu_rows_duration_of(const struct ncu_kernel *kernel)
{
	static const double limit = 1e15; /* eleven days */
	return kernel->dur_ns >= 0 && kernel->dur_ns < limit ? llround(kernel->dur_ns) : NO_VALUE;
}

static void ncu_rows_add_attributes(struct ncu *ncu, const struct ncu_kernel *kernel, uint32_t row,
				    int64_t dur)
{
	if (dur == NO_VALUE)
		builder_activity_attribute(ncu->builder, row,
					   builder_key(ncu->builder, ACTIVITY_UNTIMED), 0);
	builder_activity_number(ncu->builder, row, ACTIVITY_CONTEXT, kernel->context);
	for (size_t i = 0; i < kernel->rule_count; i++)
		builder_activity_attribute(ncu->builder, row, kernel->rules[i].key,
					   kernel->rules[i].text);
}

static double ncu_rows_seconds_of(double ns)
{
	static const double limit = 1e15;
	return ns >= 0 && ns < limit ? ns / 1e9 : NAN;
}

static void ncu_rows_add_sum(struct ncu *ncu, const struct ncu_kernel *kernel)
{
	struct profile *profile = ncu->profile;
	if (!profile->python) {
		profile->python = python_stats_new();
		profile->python->has_totals = true;
	}
	struct python_operator *row = python_operator_add(profile->python);
	row->kind = ROW_KERNEL;
	row->name = kernel->name;
	row->calls = kernel->invocations;
	row->gpu_self_s = row->gpu_total_s =
		ncu_rows_seconds_of(kernel->dur_ns) * (double)kernel->invocations;
	row->gpu_min_s = ncu_rows_seconds_of(kernel->least_ns);
	row->gpu_max_s = ncu_rows_seconds_of(kernel->most_ns);
}

void ncu_kernel_end(struct ncu *ncu, struct ncu_kernel *kernel)
{
	bool sum = kernel->invocations != NO_VALUE;
	int64_t dur = sum ? NO_VALUE : ncu_rows_duration_of(kernel);
	int32_t device = cuda_small(kernel->device);
	if (ncu->process == NO_ROW)
		ncu->process = builder_process(ncu->builder, NO_VALUE, 0);
	struct activity activity = activity_of(ACTIVITY_KERNEL);
	activity.track = builder_track(ncu->builder, ncu->process, kernel->stream, 0,
				       device < 0 ? 0 : device);
	activity.name = kernel->name;
	activity.config = ncu_rows_config_of(ncu, kernel);
	activity.start = ncu->clock;
	activity.dur = dur == NO_VALUE ? 0 : dur;
	if (sum)
		ncu_rows_add_sum(ncu, kernel);
	uint32_t row = builder_activity(ncu->builder, &activity);
	ncu->clock += activity.dur > 0 ? activity.dur : 1; /* no two start together */
	ncu->kernels++;
	ncu->profile->events++;
	ncu_rows_add_attributes(ncu, kernel, row, dur);
	for (size_t i = 0; i < kernel->metric_count; i++) {
		kernel->metrics[i].activity = row;
		kernel->metrics[i].of_kernel = sum;
		builder_metric(ncu->builder, &kernel->metrics[i]);
	}
}
