#include "tools/nsys/nsys_views.h"

#include "analysis/summary.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "views/views.h"

#include <string.h>

struct nsys_views_build {
	const struct selection *selection;
	const struct progress *progress;
	struct intern *names; /* one text per row: letter, name and perhaps a shape */
	struct buffer text;
	char category;     /* category of what is added, if the report has one */
	int64_t last;      /* end of the last range; NO_VALUE: not known yet */
	uint32_t *strings; /* by row: the profile's number of the name, 0: has none */
	size_t string_cap;
	struct ref event; /* stands for all events of the name of the one being added */
	struct ref *refs; /* by row */
	size_t ref_cap;
	struct amount *amounts;
	size_t count, capacity;
};

/* First letter of a key: style of a range, or a category; digits: classes of messages. */
enum { NOTHING = '-', PUSHED = 'p', STARTED = 's', KERNEL = 'k', MEMORY = 'm', CALL = 'c' };

static const char *const classes[] = { "collectives", "other", "p2p", "start-wait" };

/* ---- sums ---- */

static void nsys_views_add(struct nsys_views_build *build, char style, const char *name,
			   size_t length, int64_t value)
{
	buffer_clear(&build->text);
	buffer_putc(&build->text, build->category ? build->category : style);
	buffer_add(&build->text, name, length);
	uint32_t group = intern_add(build->names, build->text.data, build->text.length);
	mem_grow(build->amounts, build->capacity, build->count + 1);
	mem_grow(build->strings, build->string_cap, (size_t)group + 1);
	mem_grow(build->refs, build->ref_cap, (size_t)group + 1);
	build->strings[group] = 0;
	build->refs[group] = build->event;
	build->amounts[build->count++] = (struct amount){ group, value };
}

static void add_named(struct nsys_views_build *build, char letter, uint32_t name, int64_t value)
{
	const struct intern *strings = build->selection->profile->strings;
	nsys_views_add(build, letter, intern_text(strings, name), intern_length(strings, name),
		       value);
	build->strings[build->amounts[build->count - 1].group] = name;
}

typedef void adder(struct nsys_views_build *build, uint32_t row);

static const char stage[] = "summarizing";

/* Poll for cancellation at row DONE of COUNT; each row builds a name. */
static bool nsys_views_check_cancelled(const struct nsys_views_build *build, uint64_t done,
				       uint64_t count)
{
	enum { WEIGHT = 4 };
	return progress_heavy_row(build->progress, stage, done, count, WEIGHT);
}

static bool each_activity(struct nsys_views_build *build, adder *take)
{
	const struct profile *profile = build->selection->profile;
	uint32_t count = profile->activities;
	for (uint32_t i = 0; i < count; i++) {
		build->event =
			(struct ref){ REF_KERNEL, profile->activity_name[i], NO_ROW, NO_ROW };
		if (selection_has_activity(build->selection, i))
			take(build, i);
		if (!nsys_views_check_cancelled(build, i, count))
			return false;
	}
	return true;
}

static bool each_span(struct nsys_views_build *build, adder *take)
{
	const struct profile *profile = build->selection->profile;
	uint32_t count = profile->spans;
	for (uint32_t i = 0; i < count; i++) {
		build->event = (struct ref){ REF_EVENTS, profile->span_name[i], 0, 0 };
		if (selection_has_span(build->selection, i))
			take(build, i);
		if (!nsys_views_check_cancelled(build, i, count))
			return false;
	}
	return true;
}

static void nsys_views_add_kernel(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (profile->activity_kind[row] == ACTIVITY_KERNEL)
		add_named(build, NOTHING, profile->activity_name[row], profile->activity_dur[row]);
}

/* Kernels that differ in grid or block. */
struct nsys_views_shape {
	int32_t grid[3], block[3];
};

static void add_shape(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	const struct launch_config *config = profile_config(profile, row);
	struct nsys_views_shape shape = { { -1, -1, -1 }, { -1, -1, -1 } };
	struct buffer key = { 0 };
	if (profile->activity_kind[row] != ACTIVITY_KERNEL)
		return;
	if (config) {
		memcpy(shape.grid, config->grid, sizeof shape.grid);
		memcpy(shape.block, config->block, sizeof shape.block);
	}
	buffer_puts(&key, profile_string(profile, profile->activity_name[row]));
	buffer_add(&key, (const char *)&shape, sizeof shape);
	nsys_views_add(build, NOTHING, key.data, key.length, profile->activity_dur[row]);
	buffer_free(&key);
}

static void add_copy(struct nsys_views_build *build, uint32_t row, int64_t value)
{
	const char *name = nsys_copy_name(build->selection->profile, row);
	nsys_views_add(build, NOTHING, name, strlen(name), value);
}

static bool is_copy(const struct profile *profile, uint32_t row)
{
	return profile->activity_kind[row] == ACTIVITY_MEMCPY ||
	       profile->activity_kind[row] == ACTIVITY_MEMSET;
}

static void add_copy_time(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_copy(profile, row))
		add_copy(build, row, profile->activity_dur[row]);
}

static void add_copy_size(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_copy(profile, row) && profile->activity_bytes[row] != NO_VALUE)
		add_copy(build, row, profile->activity_bytes[row]);
}

/* By the name in the file, as two versions of a function have rows of their own. */
static void nsys_views_add_call(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	size_t length;
	if (profile->span_kind[row] == SPAN_RUNTIME)
		add_named(build, NOTHING, nsys_call_name(profile, row, &length),
			  profile->span_dur[row]);
}

static bool is_of(const struct profile *profile, uint32_t row, const char *category)
{
	return profile->span_kind[row] == SPAN_OTHER &&
	       strcmp(profile_string(profile, profile->span_info[row]), category) == 0;
}

static void add_system_call(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_of(profile, row, CATEGORY_SYSTEM))
		add_named(build, NOTHING, profile->span_name[row], profile->span_dur[row]);
}

static void add_openmp(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_of(profile, row, CATEGORY_OPENMP))
		add_named(build, NOTHING, profile->span_name[row], profile->span_dur[row]);
}

static void add_openacc(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (is_of(profile, row, CATEGORY_OPENACC))
		add_named(build, NOTHING, profile->span_name[row], profile->span_dur[row]);
}

static void add_message(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	if (!is_of(profile, row, CATEGORY_MPI))
		return;
	const char *class = profile_string(profile, nsys_span_attribute(profile, row, MPI_CLASS));
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(class, classes[i]) == 0)
			add_named(build, (char)('0' + i), profile->span_name[row],
				  profile->span_dur[row]);
}

/* ---- ranges ---- */

static bool is_open(const struct profile *profile, uint32_t row)
{
	return nsys_span_attribute(profile, row, NVTX_UNFINISHED) != NO_ROW;
}

/* A range that never ended counts up to the end of the last one. */
static int64_t last_end(struct nsys_views_build *build)
{
	const struct profile *profile = build->selection->profile;
	bool started;
	if (build->last != NO_VALUE)
		return build->last;
	for (uint32_t i = 0;
	     i < profile->spans && nsys_views_check_cancelled(build, i, profile->spans); i++) {
		int64_t end = profile->span_start[i];
		if (!nsys_range_name(profile, i, &build->text, &started))
			continue;
		end += is_open(profile, i) ? 0 : profile->span_dur[i];
		build->last = end > build->last ? end : build->last;
	}
	return build->last;
}

static void add_range_of(struct nsys_views_build *build, uint32_t row, char style)
{
	const struct profile *profile = build->selection->profile;
	struct buffer name = { 0 };
	bool started;
	if (nsys_range_name(profile, row, &name, &started)) {
		char own = started ? STARTED : PUSHED;
		int64_t dur = is_open(profile, row) ? last_end(build) - profile->span_start[row]
						    : profile->span_dur[row];
		if (style == NOTHING || style == own)
			nsys_views_add(build, style == NOTHING ? own : NOTHING, name.data,
				       name.length, dur);
	}
	buffer_free(&name);
}

static void nsys_views_add_range(struct nsys_views_build *build, uint32_t row)
{
	add_range_of(build, row, NOTHING);
}

static void add_pushed(struct nsys_views_build *build, uint32_t row)
{
	add_range_of(build, row, PUSHED);
}

static void add_started(struct nsys_views_build *build, uint32_t row)
{
	add_range_of(build, row, STARTED);
}

static void nsys_views_add_work(struct nsys_views_build *build, uint32_t row)
{
	build->category = MEMORY;
	add_copy_time(build, row);
	build->category = KERNEL;
	nsys_views_add_kernel(build, row);
}

static void add_categorised_call(struct nsys_views_build *build, uint32_t row)
{
	const struct profile *profile = build->selection->profile;
	size_t length;
	if (profile->span_kind[row] != SPAN_RUNTIME)
		return;
	uint32_t name = nsys_call_name(profile, row, &length);
	build->category = CALL;
	nsys_views_add(build, CALL, profile_string(profile, name), length, profile->span_dur[row]);
}

static bool each_work_and_call(struct nsys_views_build *build, adder *take)
{
	return each_span(build, add_categorised_call) && each_activity(build, take);
}

/* What rows with equal totals are sorted by, as the queries of nsys stats group. */
enum ties { BY_NAME, BY_STRING };

static const struct nsys_views_source {
	const struct view *view;
	bool (*each)(struct nsys_views_build *build, adder *take);
	adder *take;
	enum ties ties;
	bool sizes; /* bytes instead of times */
	const char *empty;
} sources[] = {
	{ &view_nsys_kernels, each_activity, nsys_views_add_kernel, BY_NAME, false,
	  "No kernels in this scope." },
	{ &view_nsys_shapes, each_activity, add_shape, BY_NAME, false,
	  "No kernels in this scope." },
	{ &view_nsys_calls, each_span, nsys_views_add_call, BY_STRING, false,
	  "No runtime or driver calls in this scope." },
	{ &view_nsys_ranges, each_span, nsys_views_add_range, BY_NAME, false,
	  "No ranges in this scope." },
	{ &view_nsys_pushed, each_span, add_pushed, BY_NAME, false, "No ranges in this scope." },
	{ &view_nsys_started, each_span, add_started, BY_NAME, false,
	  "No start/end ranges in this scope." },
	{ &view_nsys_work, each_activity, nsys_views_add_work, BY_NAME, false,
	  "No kernels, copies or memsets in this scope." },
	{ &view_nsys_work_and_calls, each_work_and_call, nsys_views_add_work, BY_NAME, false,
	  "No API calls, kernels, copies or memsets in this scope." },
	{ &view_nsys_copy_times, each_activity, add_copy_time, BY_NAME, false,
	  "No copies or memsets in this scope." },
	{ &view_nsys_copy_sizes, each_activity, add_copy_size, BY_NAME, true,
	  "No copies or memsets with a size in this scope." },
	{ &view_nsys_system_calls, each_span, add_system_call, BY_STRING, false,
	  "No OS runtime calls in this scope; record them with nsys profile -t osrt." },
	{ &view_nsys_openmp, each_span, add_openmp, BY_STRING, false,
	  "No OpenMP events in this scope; record them with nsys profile -t openmp." },
	{ &view_nsys_openacc, each_span, add_openacc, BY_STRING, false,
	  "No OpenACC events in this scope; record them with nsys profile -t openacc." },
	{ &view_nsys_messages, each_span, add_message, BY_STRING, false,
	  "No MPI calls in this scope; record them with nsys profile -t mpi." },
};

/* ---- rows ---- */

/* A row to be, with what it is sorted by. */
struct nsys_views_line {
	const char *text; /* letter and name */
	size_t length;    /* of the name */
	struct nsys_views_shape shape;
	enum ties ties;
	uint32_t string, group;
	struct ref ref;
};

static int compare_shapes(const struct nsys_views_shape *a, const struct nsys_views_shape *b)
{
	for (size_t i = 0; i < 6; i++) {
		int32_t x = i < 3 ? a->grid[i] : a->block[i - 3];
		int32_t y = i < 3 ? b->grid[i] : b->block[i - 3];
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int nsys_views_compare_lines(const void *a, const void *b)
{
	const struct nsys_views_line *x = a, *y = b;
	int letters = (*x->text > *y->text) - (*x->text < *y->text), order = letters;
	if (x->ties == BY_STRING && !letters)
		order = (x->string > y->string) - (x->string < y->string);
	else if (x->ties == BY_NAME)
		order = nsys_compare_texts(x->text + 1, x->length, y->text + 1, y->length);
	if (!order)
		order = letters;
	return order ? order : compare_shapes(&x->shape, &y->shape);
}

static struct nsys_views_line nsys_views_line_of(const struct nsys_views_build *build,
						 const struct nsys_views_source *source,
						 uint32_t group)
{
	struct nsys_views_line line = { .text = intern_text(build->names, group),
					.length = intern_length(build->names, group) - 1,
					.ties = source->ties,
					.string = build->strings[group],
					.ref = build->refs[group],
					.group = group };
	if (source->take == add_shape) {
		line.length -= sizeof line.shape;
		memcpy(&line.shape, line.text + 1 + line.length, sizeof line.shape);
	}
	return line;
}

static void set_shape(struct table *table, size_t row, const struct nsys_views_shape *shape)
{
	char text[48];
	nsys_triple(text, shape->grid);
	table_set_listed(table, row, "grid_xyz", table_copy_text(table, text, strlen(text)));
	nsys_triple(text, shape->block);
	table_set_listed(table, row, "block_xyz", table_copy_text(table, text, strlen(text)));
}

static void set_name(struct table *table, size_t row, const struct nsys_views_source *source,
		     const struct nsys_views_line *line)
{
	char letter = *line->text;
	size_t length = source->take == nsys_views_add_call
				? nsys_call_length(line->text + 1, line->length)
				: line->length;
	table_set(table, row, "name", table_copy_text(table, line->text + 1, length));
	table_set_listed(table, row, "style",
			 value_text(letter == STARTED ? "StartEnd" : "PushPop"));
	table_set_listed(table, row, "kind",
			 value_text(letter == KERNEL   ? "CUDA_KERNEL"
				    : letter == MEMORY ? "MEMORY_OPER"
						       : "CUDA_API"));
	if (letter >= '0' && letter <= '9')
		table_set_listed(table, row, "message_class", value_text(classes[letter - '0']));
	if (source->take == add_shape)
		set_shape(table, row, &line->shape);
}

static void nsys_views_add_row(struct table *table, const struct nsys_views_source *source,
			       const struct nsys_views_line *line, const struct summary *summary,
			       int64_t total)
{
	static const char *const times[] = { "total_ns", "avg_ns", "median_ns",
					     "min_ns",   "max_ns", "stddev_ns" };
	static const char *const sizes[] = {
		"total_bytes", "avg_bytes", "median_bytes",
		"min_bytes",   "max_bytes", "stddev_bytes",
	};
	const char *const *ids = source->sizes ? sizes : times;
	size_t row = table_add_row(table, line->ref);
	set_name(table, row, source, line);
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

/* Rows are added in the order of ties, as sorting by total keeps it. False when cancelled. */
static bool nsys_views_add_rows(struct table *table, const struct nsys_views_source *source,
				struct nsys_views_build *build)
{
	uint32_t groups = intern_count(build->names), kept = 0;
	struct summary *summaries =
		summary_make(build->amounts, build->count, groups, build->progress);
	struct nsys_views_line *lines = mem_alloc(((size_t)groups + 1) * sizeof *lines);
	bool done = summaries != NULL;
	int64_t total = 0;
	for (uint32_t i = 0; done && i < groups; i++) {
		total += summaries[i].total;
		if (summaries[i].count)
			lines[kept++] = nsys_views_line_of(build, source, i);
	}
	done = done &&
	       sort_runs(lines, kept, sizeof *lines, nsys_views_compare_lines, build->progress);
	for (uint32_t i = 0; done && i < kept; i++)
		nsys_views_add_row(table, source, &lines[i], &summaries[lines[i].group], total);
	if (!build->count)
		table_note(table, "%s", source->empty);
	mem_free(lines);
	mem_free(summaries);
	return done;
}

static bool build_nsys(struct table *table, const struct view_query *query)
{
	struct nsys_views_build build = { .selection = query->selection,
					  .progress = query->progress,
					  .names = intern_new(),
					  .last = NO_VALUE };
	bool done = true;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		if (sources[i].view != table->view)
			continue;
		done = sources[i].each(&build, sources[i].take) &&
		       nsys_views_add_rows(table, &sources[i], &build);
	}
	intern_free(build.names);
	buffer_free(&build.text);
	mem_free(build.amounts);
	mem_free(build.strings);
	mem_free(build.refs);
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
		.columns = list ",name",                                                           \
		.default_columns = "name," list,                                                   \
		.default_sort = sort,                                                              \
		.build = build_nsys,                                                               \
	}
#define LONGEST "total_ns:desc"
#define RAREST "total_ns:desc,calls:asc"

NSYS(kernels, "cuda_gpu_kern_sum", "a kernel", TIMES, RAREST);
NSYS(shapes, "cuda_gpu_kern_gb_sum", "a kernel of one grid and block", TIMES ",grid_xyz,block_xyz",
     RAREST);
NSYS(calls, "cuda_api_sum", "a runtime or driver function", TIMES, LONGEST);
NSYS(ranges, "nvtx_sum", "a range", TIMES ",style", LONGEST);
NSYS(pushed, "nvtx_pushpop_sum", "a push/pop range", TIMES, LONGEST);
NSYS(started, "nvtx_startend_sum", "a start/end range", TIMES, LONGEST);
NSYS(work, "cuda_gpu_sum", "a kernel, copy kind or memset kind", TIMES ",kind", LONGEST);
NSYS(work_and_calls, "cuda_api_gpu_sum", "an API function, kernel, copy kind or memset kind",
     TIMES ",kind", LONGEST);
NSYS(copy_times, "cuda_gpu_mem_time_sum", "a copy or memset kind", TIMES, LONGEST);
NSYS(copy_sizes, "cuda_gpu_mem_size_sum", "a copy or memset kind", SIZES, "total_bytes:desc");
NSYS(system_calls, "osrt_sum", "an OS runtime function", TIMES, LONGEST);
NSYS(openmp, "openmp_sum", "an OpenMP event", TIMES, LONGEST);
NSYS(openacc, "openacc_sum", "an OpenACC event", TIMES, LONGEST);
NSYS(messages, "mpi_event_sum", "an MPI function", TIMES ",message_class", LONGEST);
