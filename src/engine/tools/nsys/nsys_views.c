#include "tools/nsys/nsys_views.h"

#include "analysis/summary.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "model/recording.h"
#include "views/views.h"

#include <inttypes.h>
#include <string.h>

struct build {
	const struct selection *selection;
	const struct progress *progress;
	struct intern *names; /* one text per row: style letter and name */
	struct buffer text;
	char category; /* category of what is added, if the report has one */
	struct amount *amounts;
	size_t count, capacity;
};

/* First letter of a key: style of a range, or a category. */
enum { NOTHING = '-', PUSHED = 'p', STARTED = 's', KERNEL = 'k', MEMORY = 'm', CALL = 'c' };

/* ---- sums ---- */

static void add(struct build *build, char style, const char *name, size_t length, int64_t value)
{
	buffer_clear(&build->text);
	buffer_putc(&build->text, build->category ? build->category : style);
	buffer_add(&build->text, name, length);
	mem_grow(build->amounts, build->capacity, build->count + 1);
	build->amounts[build->count++] =
		(struct amount){ intern_add(build->names, build->text.data, build->text.length),
				 value };
}

static void add_named(struct build *build, uint32_t name, int64_t value)
{
	const struct intern *strings = build->selection->profile->strings;
	add(build, NOTHING, intern_text(strings, name), intern_length(strings, name), value);
}

typedef void adder(struct build *build, uint32_t row);

static const char stage[] = "summarizing";

/* Poll for cancellation at row DONE of COUNT; each row builds a name. */
static bool go_on(const struct build *build, uint64_t done, uint64_t count)
{
	enum { WEIGHT = 4 };
	return progress_heavy_row(build->progress, stage, done, count, WEIGHT);
}

static bool each_activity(struct build *build, adder *take)
{
	uint32_t count = build->selection->profile->activities;
	for (uint32_t i = 0; i < count; i++) {
		if (selection_has_activity(build->selection, i))
			take(build, i);
		if (!go_on(build, i, count))
			return false;
	}
	return true;
}

static bool each_span(struct build *build, adder *take)
{
	uint32_t count = build->selection->profile->spans;
	for (uint32_t i = 0; i < count; i++) {
		if (selection_has_span(build->selection, i))
			take(build, i);
		if (!go_on(build, i, count))
			return false;
	}
	return true;
}

static void add_kernel(struct build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (profile->activity_kind[row] == ACTIVITY_KERNEL)
		add_named(build, profile->activity_name[row], profile->activity_dur[row]);
}

/* "Memcpy HtoD (Pinned -> Device)" becomes "[CUDA memcpy Host-to-Device]". */
static void add_copy(struct build *build, uint32_t row, int64_t value)
{
	static const struct {
		const char *ours, *name;
	} kinds[] = {
		{ "HtoD", "[CUDA memcpy Host-to-Device]" },
		{ "DtoH", "[CUDA memcpy Device-to-Host]" },
		{ "DtoD", "[CUDA memcpy Device-to-Device]" },
		{ "HtoH", "[CUDA memcpy Host-to-Host]" },
		{ "PtoP", "[CUDA memcpy Peer-to-Peer]" },
		{ "HtoA", "[CUDA memcpy Host-to-Array]" },
		{ "AtoH", "[CUDA memcpy Array-to-Host]" },
		{ "AtoA", "[CUDA memcpy Array-to-Array]" },
		{ "AtoD", "[CUDA memcpy Array-to-Device]" },
		{ "DtoA", "[CUDA memcpy Device-to-Array]" },
		{ "UVM HtoD", "[CUDA memcpy Unified Host-to-Device]" },
		{ "UVM DtoH", "[CUDA memcpy Unified Device-to-Host]" },
		{ "UVM DtoD", "[CUDA memcpy Unified Device-to-Device]" },
		{ "?", "[CUDA memcpy Unknown]" },
	};
	static const char prefix[] = "Memcpy ";
	const struct profile *profile = build->selection->profile;
	const char *name = profile_string(profile, profile->activity_name[row]);
	if (profile->activity_kind[row] == ACTIVITY_MEMSET) {
		add(build, NOTHING, "[CUDA memset]", strlen("[CUDA memset]"), value);
		return;
	}
	const char *kind = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : "";
	size_t length = strcspn(kind, "(");
	while (length && kind[length - 1] == ' ')
		length--;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strlen(kinds[i].ours) == length && memcmp(kinds[i].ours, kind, length) == 0)
			name = kinds[i].name;
	}
	add(build, NOTHING, name, strlen(name), value);
}

static bool is_copy(const struct profile *profile, uint32_t row)
{
	return profile->activity_kind[row] == ACTIVITY_MEMCPY ||
	       profile->activity_kind[row] == ACTIVITY_MEMSET;
}

static void add_copy_time(struct build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_copy(profile, row))
		add_copy(build, row, profile->activity_dur[row]);
}

static void add_copy_size(struct build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_copy(profile, row) && profile->activity_bytes[row] != NO_VALUE)
		add_copy(build, row, profile->activity_bytes[row]);
}

/* Text of a span's attribute KEY, or 0. */
static uint32_t attribute_of(const struct profile *profile, uint32_t span, const char *key,
			     bool *has)
{
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(profile_string(profile, attributes[i].key), key) == 0) {
			*has = true;
			return attributes[i].text;
		}
	}
	*has = false;
	return 0;
}

uint32_t nsys_call_name(const struct profile *profile, uint32_t span)
{
	bool recorded;
	uint32_t name = attribute_of(profile, span, CALL_RECORDED_AS, &recorded);
	return recorded ? name : profile->span_name[span];
}

static void add_call(struct build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (profile->span_kind[row] == SPAN_RUNTIME)
		add_named(build, nsys_call_name(profile, row), profile->span_dur[row]);
}

static void add_system_call(struct build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (profile->span_kind[row] == SPAN_OTHER &&
	    strcmp(profile_string(profile, profile->span_info[row]), CATEGORY_SYSTEM) == 0)
		add_named(build, profile->span_name[row], profile->span_dur[row]);
}

bool nsys_range_name(const struct profile *profile, uint32_t span, struct buffer *name,
		     bool *started)
{
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	bool whole, other;
	if (kind != SPAN_OPERATOR && kind != SPAN_ANNOTATION && kind != SPAN_PYTHON)
		return false;
	uint32_t text = attribute_of(profile, span, NVTX_TEXT, &whole);
	if (kind == SPAN_PYTHON && !whole)
		return false;
	uint32_t domain = attribute_of(profile, span, NVTX_DOMAIN, &other);
	attribute_of(profile, span, NVTX_STYLE, started);
	buffer_clear(name);
	buffer_puts(name, other ? profile_string(profile, domain) : "");
	buffer_putc(name, ':');
	buffer_puts(name, profile_string(profile, whole ? text : profile->span_name[span]));
	const struct op_info *info = whole ? NULL : profile_op_info(profile, span);
	bool nvtx = profile_recording(profile)->nvtx_ranges;
	if (nvtx && info && info->sequence != NO_VALUE)
		buffer_printf(name, ", seq = %" PRId64, info->sequence);
	if (nvtx && info && info->external_id != NO_VALUE)
		buffer_printf(name, ", op_id = %" PRId64, info->external_id);
	return true;
}

static void add_range_of(struct build *build, uint32_t row, char style)
{
	const struct profile *profile = build->selection->profile;
	struct buffer name = { 0 };
	bool started;
	if (nsys_range_name(profile, row, &name, &started)) {
		char own = started ? STARTED : PUSHED;
		if (style == NOTHING || style == own)
			add(build, style == NOTHING ? own : NOTHING, name.data, name.length,
			    profile->span_dur[row]);
	}
	buffer_free(&name);
}

static void add_range(struct build *build, uint32_t row)
{
	add_range_of(build, row, NOTHING);
}

static void add_pushed(struct build *build, uint32_t row)
{
	add_range_of(build, row, PUSHED);
}

static void add_started(struct build *build, uint32_t row)
{
	add_range_of(build, row, STARTED);
}

static void add_work(struct build *build, uint32_t row)
{
	build->category = MEMORY;
	add_copy_time(build, row);
	build->category = KERNEL;
	add_kernel(build, row);
}

static void add_categorised_call(struct build *build, uint32_t row)
{
	build->category = CALL;
	add_call(build, row);
}

static bool each_work_and_call(struct build *build, adder *take)
{
	return each_span(build, add_categorised_call) && each_activity(build, take);
}

static const struct source {
	const struct view *view;
	bool (*each)(struct build *build, adder *take);
	adder *take;
	bool sizes; /* bytes instead of times */
	const char *empty;
} sources[] = {
	{ &view_nsys_kernels, each_activity, add_kernel, false, "No kernels in this scope." },
	{ &view_nsys_calls, each_span, add_call, false,
	  "No runtime or driver calls in this scope." },
	{ &view_nsys_ranges, each_span, add_range, false, "No ranges in this scope." },
	{ &view_nsys_pushed, each_span, add_pushed, false, "No ranges in this scope." },
	{ &view_nsys_started, each_span, add_started, false, "No start/end ranges in this scope." },
	{ &view_nsys_work, each_activity, add_work, false,
	  "No kernels, copies or memsets in this scope." },
	{ &view_nsys_work_and_calls, each_work_and_call, add_work, false,
	  "No API calls, kernels, copies or memsets in this scope." },
	{ &view_nsys_copy_times, each_activity, add_copy_time, false,
	  "No copies or memsets in this scope." },
	{ &view_nsys_copy_sizes, each_activity, add_copy_size, true,
	  "No copies or memsets with a size in this scope." },
	{ &view_nsys_system_calls, each_span, add_system_call, false,
	  "No OS runtime calls in this scope; record them with nsys profile -t osrt." },
};

/* ---- rows ---- */

static void set_name(struct table *table, size_t row, const struct build *build, uint32_t group)
{
	const char *text = intern_text(build->names, group);
	table_set(table, row, "name",
		  table_copy_text(table, text + 1, intern_length(build->names, group) - 1));
	table_set_listed(table, row, "style",
			 value_text(*text == STARTED ? "StartEnd" : "PushPop"));
	table_set_listed(table, row, "kind",
			 value_text(*text == KERNEL   ? "CUDA_KERNEL"
				    : *text == MEMORY ? "MEMORY_OPER"
						      : "CUDA_API"));
}

static void add_row(struct table *table, const struct source *source, const struct build *build,
		    uint32_t group, const struct summary *summary, int64_t total)
{
	static const char *const times[] = { "total_ns", "avg_ns", "median_ns",
					     "min_ns",   "max_ns", "stddev_ns" };
	static const char *const sizes[] = {
		"total_bytes", "avg_bytes", "median_bytes",
		"min_bytes",   "max_bytes", "stddev_bytes",
	};
	const char *const *ids = source->sizes ? sizes : times;
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	set_name(table, row, build, group);
	table_set(table, row, "calls", value_int(summary->count));
	table_set(table, row, ids[0], value_int(summary->total));
	table_set(table, row, ids[1], value_real(summary->mean));
	table_set(table, row, ids[2], value_real(summary->median));
	table_set(table, row, ids[3], value_int(summary->min));
	table_set(table, row, ids[4], value_int(summary->max));
	table_set(table, row, ids[5], value_real(summary->deviation));
	if (!source->sizes)
		table_set(table, row, "share_pct", cell_share(summary->total, total));
}

/* False when cancelled. */
static bool add_rows(struct table *table, const struct source *source, struct build *build)
{
	uint32_t groups = intern_count(build->names);
	struct summary *summaries =
		summary_make(build->amounts, build->count, groups, build->progress);
	if (!summaries)
		return false;
	int64_t total = 0;
	for (uint32_t i = 0; i < groups; i++)
		total += summaries[i].total;
	for (uint32_t i = 0; i < groups; i++)
		if (summaries[i].count)
			add_row(table, source, build, i, &summaries[i], total);
	if (!build->count)
		table_note(table, "%s", source->empty);
	mem_free(summaries);
	return true;
}

static bool build_nsys(struct table *table, const struct view_query *query)
{
	struct build build = { .selection = query->selection,
			       .progress = query->progress,
			       .names = intern_new() };
	bool done = true;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		if (sources[i].view != table->view)
			continue;
		done = sources[i].each(&build, sources[i].take) &&
		       add_rows(table, &sources[i], &build);
	}
	intern_free(build.names);
	buffer_free(&build.text);
	mem_free(build.amounts);
	return done;
}

#define TIMES "share_pct,total_ns,calls,avg_ns,median_ns,min_ns,max_ns,stddev_ns"
#define SIZES "total_bytes,calls,avg_bytes,median_bytes,min_bytes,max_bytes,stddev_bytes"
#define NSYS(id, what, line, list, sort)                                                           \
	const struct view view_nsys_##id = {                                                       \
		.name = "nsys-" what,                                                              \
		.title = what,                                                                     \
		.row = line,                                                                       \
		.summary = "nsys stats: each " line ".",                                           \
		.columns = list,                                                                   \
		.default_columns = list,                                                           \
		.default_sort = sort ":desc,calls:asc,name:asc",                                   \
		.build = build_nsys,                                                               \
	}

NSYS(kernels, "cuda_gpu_kern_sum", "a kernel", TIMES ",name", "total_ns");
NSYS(calls, "cuda_api_sum", "a runtime or driver function", TIMES ",name", "total_ns");
NSYS(ranges, "nvtx_sum", "a range", TIMES ",style,name", "total_ns");
NSYS(pushed, "nvtx_pushpop_sum", "a push/pop range", TIMES ",name", "total_ns");
NSYS(started, "nvtx_startend_sum", "a start/end range", TIMES ",name", "total_ns");
NSYS(work, "cuda_gpu_sum", "a kernel, copy kind or memset kind", TIMES ",kind,name", "total_ns");
NSYS(work_and_calls, "cuda_api_gpu_sum", "an API function, kernel, copy kind or memset kind",
     TIMES ",kind,name", "total_ns");
NSYS(copy_times, "cuda_gpu_mem_time_sum", "a copy or memset kind", TIMES ",name", "total_ns");
NSYS(copy_sizes, "cuda_gpu_mem_size_sum", "a copy or memset kind", SIZES ",name", "total_bytes");
NSYS(system_calls, "osrt_sum", "an OS runtime function", TIMES ",name", "total_ns");
