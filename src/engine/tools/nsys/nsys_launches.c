/*
 * Kernels by launch, as in `nsys stats`: by thread, call and device (cuda_kern_exec_sum), and by
 * enclosing NVTX range (nvtx_kern_sum).
 */
#include "tools/nsys/nsys_views.h"

#include "analysis/summary.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "views/views.h"

#include <stdio.h>
#include <string.h>

/* Groups are interned by the bytes of a key, which must have no padding. */
struct launch_key {
	uint32_t thread, device, call, kernel;
};
struct range_key {
	uint32_t thread, range, kernel;
};
struct instance {
	uint32_t group, span;
};

/*
 * Phases of a kernel: from the start of its call to the later end of both; the call; from the
 * call's end to a later kernel start; the kernel.
 */
enum phase { WHOLE, API, QUEUE, KERNEL, PHASES };

struct build {
	const struct selection *selection;
	const struct progress *progress;
	struct intern *groups;
	struct amount *amounts[PHASES];
	size_t count[PHASES], capacity[PHASES];
	struct intern *ranges;    /* nvtx_kern_sum: style letter and name */
	struct intern *instances; /* (group, range) pairs seen */
	struct buffer name;
};

static void add_amount(struct build *build, enum phase phase, uint32_t group, int64_t value)
{
	mem_grow(build->amounts[phase], build->capacity[phase], build->count[phase] + 1);
	build->amounts[phase][build->count[phase]++] = (struct amount){ group, value };
}

static void add_launched(struct build *build, uint32_t kernel, uint32_t call)
{
	const struct profile *profile = build->selection->profile;
	struct launch_key key = { profile->span_track[call],
				  (uint32_t)profile_activity_device(profile, kernel),
				  nsys_call_name(profile, call), profile->activity_name[kernel] };
	uint32_t group = intern_add(build->groups, (const char *)&key, sizeof key);
	int64_t api = profile->span_dur[call], api_end = profile->span_start[call] + api;
	int64_t start = profile->activity_start[kernel], dur = profile->activity_dur[kernel];
	int64_t end = start + dur > api_end ? start + dur : api_end;
	add_amount(build, WHOLE, group, end - profile->span_start[call]);
	add_amount(build, API, group, api);
	if (start > api_end)
		add_amount(build, QUEUE, group, start - api_end);
	add_amount(build, KERNEL, group, dur);
}

static void add_to_range(struct build *build, uint32_t kernel, uint32_t span, bool started)
{
	const struct profile *profile = build->selection->profile;
	struct buffer text = { 0 };
	buffer_putc(&text, started ? 's' : 'p');
	buffer_add(&text, build->name.data, build->name.length);
	struct range_key key = {
		profile->span_track[span],
		intern_add(build->ranges, text.data, text.length),
		profile->activity_name[kernel],
	};
	uint32_t group = intern_add(build->groups, (const char *)&key, sizeof key);
	struct instance instance = { group, span };
	intern_add(build->instances, (const char *)&instance, sizeof instance);
	add_amount(build, KERNEL, group, profile->activity_dur[kernel]);
	buffer_free(&text);
}

static void add_in_ranges(struct build *build, uint32_t kernel, uint32_t call)
{
	const struct profile *profile = build->selection->profile;
	bool started;
	for (uint32_t span = profile->span_parent[call]; span != NO_ROW;
	     span = profile->span_parent[span])
		if (nsys_range_name(profile, span, &build->name, &started))
			add_to_range(build, kernel, span, started);
}

enum { ROW_WEIGHT = 32 }; /* weight of a kernel in several ranges, each with a name to build */

/* False when cancelled. */
static bool each_kernel(struct build *build,
			void (*take)(struct build *build, uint32_t kernel, uint32_t call))
{
	const struct profile *profile = build->selection->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t call = profile->activity_launch[i];
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && call != NO_ROW &&
		    selection_has_activity(build->selection, i))
			take(build, i, call);
		if (!progress_heavy_row(build->progress, "summarizing", i, profile->activities,
					ROW_WEIGHT))
			return false;
	}
	return true;
}

/* ---- rows ---- */

static struct value number_of(int64_t number)
{
	return number == NO_VALUE ? value_missing() : value_int(number);
}

static void set_thread(struct table *table, size_t row, const struct profile *profile,
		       uint32_t track)
{
	const struct track *thread = &profile->tracks[track];
	table_set(table, row, "pid", number_of(profile->processes[thread->process].pid));
	table_set(table, row, "tid", number_of(thread->tid));
}

/* PREFIX is the phase's. A phase without kernels has no values. */
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
		{ "stddev_ns", value_real(summary->deviation) },
	};
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		char id[40];
		snprintf(id, sizeof id, "%s%s", prefix, figures[i].id);
		table_set(table, row, id, summary->count ? figures[i].value : value_missing());
	}
}

static void add_launch_row(struct table *table, const struct build *build, uint32_t group,
			   struct summary *const *phases)
{
	static const char *const prefixes[PHASES] = {
		[WHOLE] = "whole_", [API] = "api_", [QUEUE] = "queue_", [KERNEL] = "kernel_"
	};
	const struct profile *profile = build->selection->profile;
	struct launch_key key;
	memcpy(&key, intern_text(build->groups, group), sizeof key);
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	set_thread(table, row, profile, key.thread);
	table_set(table, row, "device_id", value_int((int32_t)key.device));
	table_set(table, row, "total_ns", value_int(phases[WHOLE][group].total));
	table_set(table, row, "calls", value_int(phases[WHOLE][group].count));
	table_set(table, row, "queued", value_int(phases[QUEUE][group].count));
	for (size_t i = 0; i < PHASES; i++)
		set_phase(table, row, prefixes[i], &phases[i][group]);
	table_set(table, row, "api_name", value_text(profile_string(profile, key.call)));
	table_set(table, row, "name", value_text(profile_string(profile, key.kernel)));
}

static void add_range_row(struct table *table, const struct build *build, uint32_t group,
			  int64_t ranges, const struct summary *summary)
{
	const struct profile *profile = build->selection->profile;
	struct range_key key;
	memcpy(&key, intern_text(build->groups, group), sizeof key);
	const char *range = intern_text(build->ranges, key.range);
	size_t length = intern_length(build->ranges, key.range);
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	set_thread(table, row, profile, key.thread);
	table_set(table, row, "range", table_copy_text(table, range + 1, length - 1));
	table_set(table, row, "style", value_text(*range == 's' ? "StartEnd" : "PushPop"));
	table_set(table, row, "range_calls", value_int(ranges));
	table_set(table, row, "calls", value_int(summary->count));
	table_set(table, row, "total_ns", value_int(summary->total));
	set_phase(table, row, "", summary);
	table_set(table, row, "name", value_text(profile_string(profile, key.kernel)));
}

/* By group: number of ranges that launched its kernels. */
static int64_t *count_ranges(const struct build *build)
{
	int64_t *counts = mem_zalloc(intern_count(build->groups) + 1, sizeof *counts);
	for (uint32_t i = 0; i < intern_count(build->instances); i++) {
		struct instance instance;
		if (intern_length(build->instances, i) != sizeof instance)
			continue;
		memcpy(&instance, intern_text(build->instances, i), sizeof instance);
		counts[instance.group]++;
	}
	return counts;
}

/* False when cancelled. */
static bool add_rows(struct table *table, struct build *build)
{
	uint32_t groups = intern_count(build->groups);
	int64_t *ranges = count_ranges(build);
	struct summary *phases[PHASES] = { NULL };
	bool done = true;
	for (size_t i = 0; done && i < PHASES; i++) {
		phases[i] =
			summary_make(build->amounts[i], build->count[i], groups, build->progress);
		done = phases[i] != NULL;
	}
	for (uint32_t i = 0; done && i < groups; i++) {
		if (!phases[KERNEL][i].count)
			continue;
		if (table->view == &view_nsys_launches)
			add_launch_row(table, build, i, phases);
		else
			add_range_row(table, build, i, ranges[i], &phases[KERNEL][i]);
	}
	for (size_t i = 0; i < PHASES; i++)
		mem_free(phases[i]);
	mem_free(ranges);
	return done;
}

static bool build_launches(struct table *table, const struct view_query *query)
{
	struct build build = { .selection = query->selection,
			       .progress = query->progress,
			       .groups = intern_new(),
			       .ranges = intern_new(),
			       .instances = intern_new() };
	bool by_call = table->view == &view_nsys_launches;
	bool done = each_kernel(&build, by_call ? add_launched : add_in_ranges);
	done = done && add_rows(table, &build);
	if (done && !build.count[KERNEL])
		table_note(table, by_call ? "No kernels with a recorded launch in this scope."
					  : "No ranges that launched kernels in this scope.");
	for (size_t i = 0; i < PHASES; i++)
		mem_free(build.amounts[i]);
	intern_free(build.groups);
	intern_free(build.ranges);
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
	.default_sort = "total_ns:desc,calls:asc,name:asc",
	.build = build_launches,
};

const struct view view_nsys_range_kernels = {
	.name = "nsys-nvtx_kern_sum",
	.title = "nvtx_kern_sum",
	.row = "a kernel, per range and thread",
	.summary = "nsys stats: kernels launched by each range.",
	.columns = RANGES,
	.default_columns = RANGES,
	.default_sort = "total_ns:desc,calls:asc,range:asc,name:asc",
	.build = build_launches,
};
