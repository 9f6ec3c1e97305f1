/*
 * Kernels by launch, as in `nsys stats`: by thread, call and device (cuda_kern_exec_sum), and by
 * enclosing NVTX range (nvtx_kern_sum).
 */
#include "analysis/summary.h"
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_pairs.h"
#include "tools/nsys/nsys_ranges.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Groups are interned by the bytes of a key, which must have no padding. NO_ROW: none. */
struct group_key {
	uint32_t thread, device;
	uint32_t outer; /* the call or range, in build.names */
	uint32_t started;
	uint32_t kernel;
};
/* What a group has seen: a range, or a kernel. */
struct instance {
	uint32_t group, is_kernel, row;
};

/*
 * Phases of a kernel: from the start of its call to the later end of both; the call; from the
 * call's end to a later kernel start; the kernel.
 */
enum phase { WHOLE, API, QUEUE, KERNEL, PHASES };

struct nsys_launches_build {
	const struct selection *selection;
	const struct progress *progress;
	struct nsys_pair *pairs; /* kernels and their calls */
	size_t pair_count;
	struct nsys_ranges ranges;
	uint8_t *in_range; /* by pair */
	struct intern *names, *groups, *instances;
	struct amount *amounts[PHASES];
	size_t count[PHASES], capacity[PHASES];
	struct buffer name;
};

static void add_amount(struct nsys_launches_build *build, enum phase phase, uint32_t group,
		       int64_t value)
{
	mem_grow(build->amounts[phase], build->capacity[phase], build->count[phase] + 1);
	build->amounts[phase][build->count[phase]++] = (struct amount){ group, value };
}

static uint32_t nsys_launches_add_group(struct nsys_launches_build *build,
					const struct group_key *key)
{
	return intern_add(build->groups, (const char *)key, sizeof *key);
}

/* ---- by call ---- */

static void add_launched(struct nsys_launches_build *build, const struct nsys_pair *pair)
{
	const struct profile *profile = build->selection->profile;
	uint32_t kernel = pair->activity, call = pair->call;
	size_t length;
	uint32_t name = nsys_call_name(profile, call, &length);
	struct group_key key = {
		.thread = profile->span_track[call],
		.device = (uint32_t)profile_activity_device(profile, kernel),
		.outer = intern_add(build->names, profile_string(profile, name), length),
		.kernel = profile->activity_name[kernel],
	};
	uint32_t group = nsys_launches_add_group(build, &key);
	int64_t api = profile->span_dur[call], api_end = profile->span_start[call] + api;
	int64_t start = profile->activity_start[kernel], dur = profile->activity_dur[kernel];
	int64_t end = start + dur > api_end ? start + dur : api_end;
	add_amount(build, WHOLE, group, end - profile->span_start[call]);
	add_amount(build, API, group, api);
	if (start >= api_end)
		add_amount(build, QUEUE, group, start - api_end);
	add_amount(build, KERNEL, group, dur);
}

static bool nsys_launches_add_calls(struct nsys_launches_build *build)
{
	for (size_t i = 0; i < build->pair_count; i++) {
		if (build->pairs[i].call != NO_ROW)
			add_launched(build, &build->pairs[i]);
		if (!progress_heavy_row(build->progress, "summarizing", i, build->pair_count, 16))
			return false;
	}
	return true;
}

/* ---- by range ---- */

/* RANGE: NO_ROW for a kernel outside all ranges. */
static void add_in_range(struct nsys_launches_build *build, const struct nsys_pair *pair,
			 uint32_t range)
{
	const struct profile *profile = build->selection->profile;
	struct group_key key = {
		.thread = pair->call == NO_ROW ? NO_ROW : profile->span_track[pair->call],
		.outer = NO_ROW,
		.kernel = profile->activity_name[pair->activity],
	};
	if (range != NO_ROW) {
		bool started;
		nsys_range_name(profile, build->ranges.range[range].span, &build->name, &started);
		key.outer = intern_add(build->names, buffer_text(&build->name), build->name.length);
		key.started = started;
	}
	uint32_t group = nsys_launches_add_group(build, &key);
	struct instance kernel = { group, true, pair->activity };
	struct instance around = { group, false, range };
	intern_add(build->instances, (const char *)&kernel, sizeof kernel);
	if (range != NO_ROW)
		intern_add(build->instances, (const char *)&around, sizeof around);
	add_amount(build, KERNEL, group, profile->activity_dur[pair->activity]);
}

static void parse_range(void *context, const struct nsys_interval *call, uint32_t range)
{
	struct nsys_launches_build *build = context;
	build->in_range[call->id] = 1;
	add_in_range(build, &build->pairs[call->id], range);
}

static bool add_ranges(struct nsys_launches_build *build)
{
	const struct profile *profile = build->selection->profile;
	struct nsys_interval *calls = mem_alloc((build->pair_count + 1) * sizeof *calls);
	size_t count = 0;
	build->in_range = mem_zalloc(build->pair_count + 1, 1);
	for (size_t i = 0; i < build->pair_count; i++) {
		uint32_t call = build->pairs[i].call;
		if (call == NO_ROW)
			continue;
		int64_t start = profile->span_start[call];
		calls[count++] = (struct nsys_interval){ start, start + profile->span_dur[call],
							 profile->span_track[call], (uint32_t)i };
	}
	bool ok = nsys_ranges_make(&build->ranges, build->selection, NSYS_ALL_STYLES,
				   build->progress) &&
		  nsys_ranges_around(&build->ranges, calls, count, parse_range, build,
				     build->progress);
	mem_free(calls);
	for (size_t i = 0; i < build->pair_count && ok; i++) {
		ok = progress_row(build->progress, "summarizing", i, build->pair_count);
		if (!build->in_range[i])
			add_in_range(build, &build->pairs[i], NO_ROW);
	}
	return ok;
}

/* ---- rows ---- */

/* A row, with what it is sorted by. */
struct nsys_launches_line {
	uint32_t group;
	struct group_key key;
	int64_t pid, tid; /* NO_VALUE first, as in SQLite */
	const char *outer, *kernel;
	size_t outer_length, kernel_length;
	struct summary phase[PHASES];
	int64_t ranges, kernels; /* distinct */
};

static int nsys_launches_compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_outer(const struct nsys_launches_line *a, const struct nsys_launches_line *b)
{
	if (!a->outer || !b->outer)
		return (a->outer != NULL) - (b->outer != NULL);
	return nsys_compare_texts(a->outer, a->outer_length, b->outer, b->outer_length);
}

static int compare_kernels(const struct nsys_launches_line *a, const struct nsys_launches_line *b)
{
	return nsys_compare_texts(a->kernel, a->kernel_length, b->kernel, b->kernel_length);
}

static int compare_threads(const struct nsys_launches_line *a, const struct nsys_launches_line *b)
{
	int order = nsys_launches_compare_numbers(a->pid, b->pid);
	return order ? order : nsys_launches_compare_numbers(a->tid, b->tid);
}

/* By mean as printed, then by the columns of the group. */
static int compare_launches(const void *a, const void *b)
{
	const struct nsys_launches_line *x = a, *y = b;
	double first = round(x->phase[WHOLE].mean * 10), second = round(y->phase[WHOLE].mean * 10);
	if (first != second)
		return first > second ? -1 : 1;
	int order = compare_threads(x, y);
	if (!order)
		order = nsys_launches_compare_numbers((int32_t)x->key.device,
						      (int32_t)y->key.device);
	if (!order)
		order = compare_outer(x, y);
	return order ? order : compare_kernels(x, y);
}

/* By range, kernels outside first; then thread, the longest total first. */
static int compare_ranges(const void *a, const void *b)
{
	const struct nsys_launches_line *x = a, *y = b;
	int order = compare_outer(x, y);
	if (!order)
		order = compare_threads(x, y);
	if (!order)
		order = nsys_launches_compare_numbers(y->phase[KERNEL].total,
						      x->phase[KERNEL].total);
	if (!order)
		order = nsys_launches_compare_numbers(x->key.started, y->key.started);
	return order ? order : compare_kernels(x, y);
}

static int64_t id_of(struct value value)
{
	return value.kind == VALUE_INT ? value.integer : NO_VALUE;
}

static struct value nsys_launches_value_of(int64_t id)
{
	return id == NO_VALUE ? value_missing() : value_int(id);
}

static struct nsys_launches_line nsys_launches_line_of(const struct nsys_launches_build *build,
						       uint32_t group)
{
	const struct profile *profile = build->selection->profile;
	struct nsys_launches_line line = { .group = group, .pid = NO_VALUE, .tid = NO_VALUE };
	memcpy(&line.key, intern_text(build->groups, group), sizeof line.key);
	if (line.key.thread != NO_ROW) {
		line.pid = id_of(nsys_pid(profile, line.key.thread));
		line.tid = id_of(nsys_tid(profile, line.key.thread));
	}
	if (line.key.outer != NO_ROW) {
		line.outer = intern_text(build->names, line.key.outer);
		line.outer_length = intern_length(build->names, line.key.outer);
	}
	line.kernel = intern_text(profile->strings, line.key.kernel);
	line.kernel_length = intern_length(profile->strings, line.key.kernel);
	return line;
}

/* PREFIX is the phase's. Without kernels only the deviation has a value, as nsys stats prints it.
 */
static void set_phase(struct table *table, size_t row, const char *prefix,
		      const struct summary *summary)
{
	const struct {
		const char *id;
		struct value value;
	} figures[] = {
		{ "avg_ns", value_real(summary->mean) },
		{ "median_ns", value_real(summary->median) },
		{ "min_ns", value_int(summary->min) },
		{ "max_ns", value_int(summary->max) },
	};
	char id[40];
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		snprintf(id, sizeof id, "%s%s", prefix, figures[i].id);
		table_set(table, row, id, summary->count ? figures[i].value : value_missing());
	}
	snprintf(id, sizeof id, "%sstddev_ns", prefix);
	table_set(table, row, id, value_real(summary->count ? summary->deviation : 0));
}

static struct value copy_outer(struct table *table, const struct nsys_launches_line *line)
{
	return line->outer ? table_copy_text(table, line->outer, line->outer_length)
			   : value_missing();
}

static struct ref kernel_ref(const struct nsys_launches_line *line)
{
	return (struct ref){ REF_KERNEL, line->key.kernel, NO_ROW, NO_ROW };
}

static void add_launch_row(struct table *table, const struct nsys_launches_line *line)
{
	static const char *const prefixes[PHASES] = {
		[WHOLE] = "whole_", [API] = "api_", [QUEUE] = "queue_", [KERNEL] = "kernel_"
	};
	size_t row = table_add_row(table, kernel_ref(line));
	table_set(table, row, "pid", nsys_launches_value_of(line->pid));
	table_set(table, row, "tid", nsys_launches_value_of(line->tid));
	table_set(table, row, "device_id", value_int((int32_t)line->key.device));
	table_set(table, row, "total_ns", value_int(line->phase[WHOLE].total));
	table_set(table, row, "calls", value_int(line->phase[WHOLE].count));
	table_set(table, row, "queued", value_int(line->phase[QUEUE].count));
	for (size_t i = 0; i < PHASES; i++)
		set_phase(table, row, prefixes[i], &line->phase[i]);
	table_set(table, row, "api_name", copy_outer(table, line));
	table_set(table, row, "name", value_bytes(line->kernel, line->kernel_length));
}

static void add_range_row(struct table *table, const struct nsys_launches_line *line)
{
	const struct summary *summary = &line->phase[KERNEL];
	size_t row = table_add_row(table, kernel_ref(line));
	table_set(table, row, "pid", nsys_launches_value_of(line->pid));
	table_set(table, row, "tid", nsys_launches_value_of(line->tid));
	table_set(table, row, "range", copy_outer(table, line));
	if (line->outer)
		table_set(table, row, "style",
			  value_text(line->key.started ? "StartEnd" : "PushPop"));
	table_set(table, row, "range_calls", value_int(line->ranges));
	table_set(table, row, "calls", value_int(line->kernels));
	table_set(table, row, "total_ns", value_int(summary->total));
	set_phase(table, row, "", summary);
	table_set(table, row, "name", value_bytes(line->kernel, line->kernel_length));
}

static void count_instances(const struct nsys_launches_build *build,
			    struct nsys_launches_line *lines)
{
	for (uint32_t i = 0; i < intern_count(build->instances); i++) {
		struct instance instance;
		if (intern_length(build->instances, i) != sizeof instance)
			continue;
		memcpy(&instance, intern_text(build->instances, i), sizeof instance);
		struct nsys_launches_line *line = &lines[instance.group];
		(*(instance.is_kernel ? &line->kernels : &line->ranges))++;
	}
}

/* Fill the lines of all groups. False when cancelled. */
static bool nsys_launches_summarize(const struct nsys_launches_build *build,
				    struct nsys_launches_line *lines, uint32_t groups)
{
	bool done = true;
	for (uint32_t i = 0; i < groups; i++)
		if (intern_length(build->groups, i) == sizeof(struct group_key))
			lines[i] = nsys_launches_line_of(build, i);
	count_instances(build, lines);
	for (size_t i = 0; done && i < PHASES; i++) {
		struct summary *phase =
			summary_make(build->amounts[i], build->count[i], groups, build->progress);
		done = phase != NULL;
		for (uint32_t j = 0; done && j < groups; j++)
			lines[j].phase[i] = phase[j];
		mem_free(phase);
	}
	return done;
}

/* False when cancelled. */
static bool nsys_launches_add_rows(struct table *table, const struct nsys_launches_build *build,
				   bool by_call)
{
	uint32_t groups = intern_count(build->groups), kept = 0;
	struct nsys_launches_line *lines = mem_zalloc((size_t)groups + 1, sizeof *lines);
	bool done = nsys_launches_summarize(build, lines, groups);
	for (uint32_t i = 0; done && i < groups; i++)
		if (lines[i].phase[KERNEL].count)
			lines[kept++] = lines[i];
	done = done && sort_runs(lines, kept, sizeof *lines,
				 by_call ? compare_launches : compare_ranges, build->progress);
	for (uint32_t i = 0; done && i < kept; i++)
		(by_call ? add_launch_row : add_range_row)(table, &lines[i]);
	mem_free(lines);
	return done;
}

static bool build_launches(struct table *table, const struct view_query *query)
{
	struct nsys_launches_build build = { .selection = query->selection,
					     .progress = query->progress,
					     .names = intern_new(),
					     .groups = intern_new(),
					     .instances = intern_new() };
	bool by_call = table->view == &view_nsys_launches;
	build.pairs = nsys_pairs(query->selection, 1U << ACTIVITY_KERNEL, &build.pair_count,
				 query->progress);
	bool done = build.pairs && (by_call ? nsys_launches_add_calls : add_ranges)(&build) &&
		    nsys_launches_add_rows(table, &build, by_call);
	if (done && !build.count[KERNEL])
		table_note(table, by_call ? "No kernels with a recorded launch in this scope."
					  : "No kernels in this scope.");
	for (size_t i = 0; i < PHASES; i++)
		mem_free(build.amounts[i]);
	mem_free(build.pairs);
	mem_free(build.in_range);
	nsys_ranges_free(&build.ranges);
	intern_free(build.names);
	intern_free(build.groups);
	intern_free(build.instances);
	buffer_free(&build.name);
	return done;
}

#define PHASE(name)                                                                                \
	name "_avg_ns," name "_median_ns," name "_min_ns," name "_max_ns," name "_stddev_ns,"
#define LAUNCHES                                                                                   \
	"pid,tid,device_id,total_ns,calls,queued," PHASE("whole") PHASE("api") PHASE("queue")      \
		PHASE("kernel") "api_name,name"
#define RANGES                                                                                     \
	"range,style,pid,tid,range_calls,calls,total_ns,avg_ns,median_ns,min_ns,max_ns,stddev_ns,name"

const struct view view_nsys_launches = {
	.name = "nsys-cuda_kern_exec_sum",
	.title = "cuda_kern_exec_sum",
	.row = "a kernel, per thread, call and device",
	.summary = "nsys stats: time from launch to end of each kernel.",
	.columns = LAUNCHES,
	.default_columns = LAUNCHES,
	.default_sort = "",
	.build = build_launches,
};

const struct view view_nsys_range_kernels = {
	.name = "nsys-nvtx_kern_sum",
	.title = "nvtx_kern_sum",
	.row = "a kernel, per range and thread",
	.summary = "nsys stats: kernels launched outside of ranges, then in each range.",
	.columns = RANGES,
	.default_columns = RANGES,
	.default_sort = "",
	.build = build_launches,
};
