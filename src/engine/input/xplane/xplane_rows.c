/*
 * Events of an XSpace as rows: kernels, copies, calls, functions, steps.
 */
#include "base/buffer.h"
#include "base/platform.h"
#include "base/text_slice.h"
#include "input/timeline_rows.h"
#include "input/cuda/cuda_names.h"
#include "input/xplane/xplane_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- copies ---- */

static uint32_t copy_name(const struct xplane *xplane, const char *event, const char *line)
{
	const char *direction = cuda_copy_direction(event) ?: cuda_copy_direction(line);
	return profile_print(xplane->profile, "Memcpy %s", direction ? direction : "?");
}

/* A line names the kinds of its events: one of several tells nothing of an event. */
static enum activity_kind xplane_rows_kind_of(const char *event, const char *line)
{
	bool only = !strstr(line, "Compute") && !strstr(line, "Kernel") && !strchr(line, ',');
	if (strcasestr(event, "memset") || (only && strstr(line, "Memset")))
		return ACTIVITY_MEMSET;
	if ((only && strstr(line, "Memcpy")) || strncmp(event, "Memcpy", 6) == 0 ||
	    (strncmp(event, "Copy", 4) == 0 && cuda_copy_direction(event)))
		return ACTIVITY_MEMCPY;
	return ACTIVITY_KERNEL;
}

/* ---- launch parameters ---- */

/* The number after KEY, "regs:32 grid:8,1,1"; NO_VALUE without one. */
static int64_t detail(const char *details, const char *key)
{
	const char *at = strstr(details, key);
	char *end;
	if (!at || (at > details && at[-1] != ' '))
		return NO_VALUE;
	long long number = strtoll(at + strlen(key), &end, 10);
	return end == at + strlen(key) ? NO_VALUE : number;
}

static void detail_triple(const char *details, const char *key, int32_t triple[3])
{
	const char *at = strstr(details, key);
	long long x, y, z;
	triple[0] = triple[1] = triple[2] = -1;
	if (!at || sscanf(at + strlen(key), "%lld,%lld,%lld", &x, &y, &z) != 3 || x < 0 || y < 0 ||
	    z < 0 || x > INT32_MAX || y > INT32_MAX || z > INT32_MAX)
		return;
	triple[0] = (int32_t)x;
	triple[1] = (int32_t)y;
	triple[2] = (int32_t)z;
}

/* Some versions write what was in memory: with impossible registers the sizes are unknown, too. */
static uint32_t xplane_rows_config_of(const struct xplane *xplane, const char *details)
{
	enum { REGISTERS_MAX = 1024 };
	struct launch_config config = launch_config_unknown();
	int64_t registers = detail(details, "regs:");
	bool plausible = registers <= REGISTERS_MAX;
	int64_t statics = plausible ? detail(details, "static_shared:") : NO_VALUE;
	int64_t dynamic = plausible ? detail(details, "dynamic_shared:") : NO_VALUE;
	int64_t group = detail(details, "group_mem:");
	const char *occupancy = strstr(details, "occ_pct:");
	double percent = occupancy ? strtod(occupancy + 8, NULL) : 0;
	detail_triple(details, "grid:", config.grid);
	detail_triple(details, "block:", config.block);
	config.regs_per_thread = plausible ? cuda_small(registers) : -1;
	config.shared_mem_bytes = cuda_small(group);
	if (statics >= 0 && dynamic >= 0 && statics < INT32_MAX && dynamic < INT32_MAX)
		config.shared_mem_bytes = statics + dynamic;
	config.occupancy_pct = percent > 0 && percent <= 100 ? (float)percent : NAN;
	return builder_config(xplane->builder, &config);
}

/* ---- rows ---- */

static uint32_t xplane_rows_name_of(const struct xplane_event *event)
{
	return event->kind ? event->kind->name : 0;
}

static void xplane_rows_add_attributes(struct xplane *xplane, uint32_t row,
				       const struct xplane_event *event)
{
	static const struct {
		enum xplane_stat stat;
		const char *key;
	} keys[] = { XPLANE_KEY_ROWS };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		builder_activity_text(xplane->builder, row, keys[i].key,
				      event->values.text[keys[i].stat]);
}

/* An operation that holds others, which are on the line, too: it is no work of its own. */
static bool is_control(const char *name)
{
	size_t length = text_start(name, SIZE_MAX, "while|conditional|call");
	return length && (!name[length] || name[length] == '.');
}

void xplane_add_activity(struct xplane *xplane, uint32_t track, const char *line,
			 const struct xplane_event *event)
{
	const struct profile *profile = xplane->profile;
	const struct xplane_values *values = &event->values;
	uint32_t name = xplane_rows_name_of(event);
	if (xplane->kind == XPLANE_TPU && is_control(profile_string(profile, name))) {
		builder_span(xplane->builder, SPAN_GPU_ANNOTATION, track, name, event->start,
			     event->dur, NO_ROW);
		return;
	}
	struct activity activity =
		activity_of(xplane_rows_kind_of(profile_string(profile, name), line));
	activity.track = track;
	activity.name = name;
	activity.start = event->start;
	activity.dur = event->dur;
	activity.correlation = values->number[XSTAT_correlation_id];
	if (xplane->kind == XPLANE_TPU)
		activity.kind = ACTIVITY_KERNEL;
	if (activity.kind == ACTIVITY_MEMCPY)
		activity.name = copy_name(xplane, profile_string(profile, name), line);
	if (activity.kind != ACTIVITY_KERNEL && values->text[XSTAT_memcpy_details])
		activity.bytes = detail(profile_string(profile, values->text[XSTAT_memcpy_details]),
					"size:");
	if (activity.bytes < 0)
		activity.bytes = NO_VALUE;
	if (activity.kind == ACTIVITY_KERNEL && values->text[XSTAT_kernel_details])
		activity.config = xplane_rows_config_of(
			xplane, profile_string(profile, values->text[XSTAT_kernel_details]));
	xplane_rows_add_attributes(xplane, builder_activity(xplane->builder, &activity), event);
}

/* "$file.py:12 function" as "file.py(12): function", the form of other profilers. */
static uint32_t python_name(const struct xplane *xplane, const char *name)
{
	struct buffer text = { 0 };
	const char *space = strchr(name, ' ');
	const char *colon = space ? platform_memrchr(name, ':', (size_t)(space - name)) : NULL;
	if (colon && colon + 1 < space &&
	    strspn(colon + 1, "0123456789") == (size_t)(space - colon - 1))
		buffer_printf(&text, "%.*s(%.*s): %s", (int)(colon - name - 1), name + 1,
			      (int)(space - colon - 1), colon + 1, space + 1);
	else
		buffer_puts(&text, name + 1);
	return profile_take(xplane->profile, &text);
}

void xplane_add_span(struct xplane *xplane, uint32_t track, const struct xplane_event *event)
{
	uint32_t name = xplane_rows_name_of(event), info = NO_ROW;
	const char *text = profile_string(xplane->profile, name);
	int64_t correlation = event->values.number[XSTAT_correlation_id];
	enum span_kind kind = SPAN_ANNOTATION;
	if (text[0] == '$' && text[1]) {
		kind = SPAN_PYTHON;
		name = python_name(xplane, text);
	} else if (correlation != NO_VALUE) {
		struct call_info call = { correlation, NO_VALUE };
		kind = SPAN_RUNTIME;
		info = builder_call_info(xplane->builder, &call);
	}
	int64_t step = event->values.number[XSTAT_step_num];
	if (kind == SPAN_ANNOTATION && step != NO_VALUE) {
		*mem_push(xplane->host_steps, xplane->host_step_count) =
			(struct host_step){ track, event->start, event->dur, step };
	}
	builder_span(xplane->builder, kind, track, name, event->start, event->dur, info);
}

static void put_step(struct xplane *xplane, const struct host_step *step)
{
	builder_span(xplane->builder, SPAN_ANNOTATION, step->track,
		     profile_print(xplane->profile, "ProfilerStep#%" PRId64, step->number),
		     step->start, step->dur, NO_ROW);
}

/* Add a step of the current device, or extend the one of this number that another device has. */
static void add_device_step(struct xplane *xplane, const struct host_step *step, bool numbered)
{
	uint64_t key = (uint64_t)step->number;
	uint32_t at = numbered ? hash_first(xplane->step_ids, key) : NO_ROW;
	bool own = xplane->steps_of == xplane->device;
	if (at == NO_ROW ? numbered || own : own) {
		mem_grow(xplane->device_steps, xplane->device_step_count + 1);
		hash_add(xplane->step_ids, key, (uint32_t)xplane->device_step_count);
		xplane->device_steps[xplane->device_step_count++] =
			(struct device_step){ *step, xplane->device };
		return;
	}
	if (at == NO_ROW || xplane->device_steps[at].device == xplane->device)
		return;
	struct host_step *whole = &xplane->device_steps[at].step;
	int64_t end = whole->start + whole->dur, last = step->start + step->dur;
	whole->start = step->start < whole->start ? step->start : whole->start;
	whole->dur = (last > end ? last : end) - whole->start;
	xplane->device_steps[at].device = xplane->device;
}

/*
 * The number of a step is its name or a statistic, and is the same on all devices; without one it
 * is its place on its device, and other devices add nothing.
 */
void xplane_add_step(struct xplane *xplane, uint32_t track, int64_t index,
		     const struct xplane_event *event)
{
	const char *name = profile_string(xplane->profile, xplane_rows_name_of(event));
	char *end;
	int64_t number = event->values.number[XSTAT_step_num];
	bool numbered = number != NO_VALUE;
	if (!numbered) {
		number = strtoll(name, &end, 10);
		numbered = end != name && !*end;
	}
	add_device_step(
		xplane,
		&(struct host_step){ track, event->start, event->dur, numbered ? number : index },
		numbered);
}

void xplane_put_steps(struct xplane *xplane)
{
	for (size_t i = 0; i < xplane->device_step_count; i++)
		put_step(xplane, &xplane->device_steps[i].step);
	for (size_t i = 0; i < xplane->host_step_count && xplane->steps_of < 0; i++)
		put_step(xplane, &xplane->host_steps[i]);
	mem_free_all(xplane->device_steps, xplane->host_steps);
	hash_free(xplane->step_ids);
}

void xplane_set_device(struct xplane *xplane, const struct xplane_values *values)
{
	struct device *device = builder_device(xplane->builder, xplane->device);
	if (!device)
		return;
	const struct {
		enum xplane_stat stat;
		int64_t *member;
		int64_t scale;
	} known[] = { XPLANE_DEVICE_ROWS };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		int64_t value = values->number[known[i].stat];
		if (value > 0 && value < INT64_MAX / 1000)
			*known[i].member = value * known[i].scale;
	}
	if (values->text[XSTAT_device_type_string])
		device->name = values->text[XSTAT_device_type_string];
}
