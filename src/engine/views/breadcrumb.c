/*
 * Short description of scope and run.
 */
#include "model/python_stats.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/text.h"
#include "session/load.h"
#include "model/device_label.h"
#include "views/views.h"

/* Shorten names as long as a kernel's to the distinctive part. */
static void breadcrumb_add_name(struct buffer *out, const char *text, size_t length)
{
	enum { PART_COLUMNS = 60 };
	AUTO_BUFFER struct buffer safe = { 0 };
	text_escape(&safe, text, length);
	text_elide(out, BUFFERED(&safe), PART_COLUMNS, true);
}

static void breadcrumb_add_part(struct buffer *out, const char *text)
{
	buffer_puts(out, " > ");
	breadcrumb_add_name(out, text, strlen(text));
}

/* A name, unless it is that of the part before: a layer may be an operator or kernel itself. */
static void breadcrumb_add_leaf(struct buffer *out, const char *text)
{
	size_t before = out->length;
	breadcrumb_add_part(out, text);
	size_t added = out->length - before;
	if (added > before || memcmp(out->data + before - added, out->data + before, added) != 0)
		return;
	out->length = before;
	out->data[before] = '\0';
}

static void breadcrumb_add_layer(struct buffer *out, const struct derived *derived, uint32_t node)
{
	AUTO_BUFFER struct buffer path = { 0 };
	if (node == 0 || node >= derived->layers.count)
		return;
	layer_path(derived, node, &path);
	const char *at = buffer_text(&path);
	for (const char *slash; (slash = strchr(at, '/')); at = slash + 1) {
		buffer_puts(out, " > ");
		breadcrumb_add_name(out, at, (size_t)(slash - at));
	}
	breadcrumb_add_part(out, at);
}

static void add_number(struct buffer *out, int64_t value)
{
	if (value != INT64_MIN && value != INT64_MAX)
		buffer_printf(out, "%" PRId64, value);
}

static void breadcrumb_add_time(struct buffer *out, int64_t value)
{
	char text[NUMBER_MAX];
	if (value != INT64_MIN && value != INT64_MAX)
		buffer_puts(out, number_duration(text, value));
}

static void add_list(struct buffer *out, const char *name, const struct scope_list *list)
{
	if (!list->count)
		return;
	buffer_printf(out, " > %s ", name);
	for (int i = 0; i < list->count; i++)
		buffer_printf(out, "%s%" PRId64, i ? "," : "", list->id[i]);
}

static void add_device_list(struct buffer *out, const struct scope_list *list)
{
	char label[DEVICE_LABEL_MAX];
	for (int i = 0; i < list->count; i++)
		buffer_printf(out, "%s%s", i ? "," : " > ",
			      device_label(label, (int32_t)list->id[i]));
}

static void add_window(struct buffer *out, const struct scope *scope)
{
	if (scope->has_steps && scope->step_first == scope->step_last) {
		buffer_printf(out, " > step %" PRId64, scope->step_first);
	} else if (scope->has_steps) {
		buffer_puts(out, " > steps ");
		add_number(out, scope->step_first);
		buffer_puts(out, "..");
		add_number(out, scope->step_last);
	}
	if (scope->phases) {
		buffer_puts(out, " > ");
		scope_add_phases(out, scope);
	}
	if (scope->has_time) {
		buffer_puts(out, " > time ");
		breadcrumb_add_time(out, scope->time_first);
		buffer_puts(out, "..");
		breadcrumb_add_time(out, scope->time_last);
	}
}

/* Names of parts of the scope given by id, for a loaded rank. */
static void add_names(struct buffer *out, const struct rank *rank, const struct scope *scope)
{
	const struct profile *profile = rank->profile;
	if (scope->track != NO_ROW) {
		buffer_puts(out, " > ");
		track_name(profile, scope->track, out);
	}
	if (scope->under)
		breadcrumb_add_part(out, scope->under);
	if (scope->layer != NO_ROW)
		breadcrumb_add_layer(out, rank->derived, scope->layer);
	if (scope->operator_name != NO_ROW)
		breadcrumb_add_leaf(out, profile_string(profile, scope->operator_name));
	if (scope->operator_shapes != NO_ROW && scope->operator_shapes)
		breadcrumb_add_part(out, profile_string(profile, scope->operator_shapes));
	if (scope->call != NO_ROW) {
		breadcrumb_add_part(out, profile_string(profile, profile->span_name[scope->call]));
		buffer_printf(out, " #%" PRIu32, scope->call);
	}
	if (python_function_exists(profile->python, scope->function) && scope->function != NO_ROW)
		breadcrumb_add_part(
			out,
			profile_string(profile, profile->python->functions[scope->function].name));
	if (scope->kernel_name != NO_ROW)
		breadcrumb_add_leaf(out, profile_string(profile, scope->kernel_name));
}

void view_breadcrumb(const struct run *run, const struct scope *scope, struct buffer *out)
{
	const struct rank *rank = run_rank(run, scope->rank);
	buffer_puts(out, "run");
	if (!rank)
		return;
	if (scope->all_ranks && run->rank_count > 1)
		buffer_printf(out, " > all %zu ranks", run->rank_count);
	else if (rank == run->whole)
		buffer_printf(out, " > %zu ranks", run->rank_count);
	else if (run->rank_count + run->unread > 1)
		buffer_printf(out, " > rank %" PRId64, rank->number);
	add_window(out, scope);
	add_device_list(out, &scope->devices);
	add_list(out, "stream", &scope->streams);
	add_list(out, "thread", &scope->threads);
	rank = run_peek(run, scope->rank);
	if (rank)
		add_names(out, rank, scope);
	run_release(run, rank);
}

static void breadcrumb_add_devices(struct buffer *out, const struct profile *profile)
{
	if (!profile->device_count || !profile->devices[0].name)
		return;
	buffer_printf(out, "  %s", profile_string(profile, profile->devices[0].name));
	if (profile->device_count > 1)
		buffer_printf(out, " x%zu", profile->device_count);
}

/* What the steps are from. */
static void add_basis(struct buffer *out, const struct derived *derived)
{
	AUTO_BUFFER struct buffer basis = { 0 };
	step_source_describe(derived, &basis);
	buffer_puts(out, " by ");
	breadcrumb_add_name(out, BUFFERED(&basis));
}

static void add_profile(struct buffer *out, const struct profile *profile,
			const struct derived *derived)
{
	if (profile->rank != NO_VALUE) {
		buffer_printf(out, "  rank %" PRId64, profile->rank);
		if (profile->world_size != NO_VALUE)
			buffer_printf(out, " of %" PRId64, profile->world_size);
	}
	breadcrumb_add_devices(out, profile);
	if (derived->steps_from_profile)
		buffer_printf(out, "  %" PRIu32 " step%s", derived->step_count,
			      derived->step_count == 1 ? "" : "s");
	if (derived->step_source != STEPS_PROFILER && derived->step_source != STEPS_NONE)
		add_basis(out, derived);
	if (profile->partial)
		buffer_puts(out, "  PARTIALLY LOADED");
	else if (profile->truncated)
		buffer_puts(out, "  TRUNCATED");
}

/* The last component of a path, between START and END. */
struct component {
	const char *path, *start, *end;
};

/* The component that ends before END; empty where the path begins. */
static struct component component_before(const char *path, const char *end)
{
	while (end > path && end[-1] == '/')
		end--;
	const char *start = end;
	while (start > path && start[-1] != '/')
		start--;
	return (struct component){ path, start, end };
}

static bool component_equals(struct component a, struct component b)
{
	size_t length = (size_t)(a.end - a.start);
	return length == (size_t)(b.end - b.start) && !memcmp(a.start, b.start, length);
}

static void add_component(struct buffer *out, struct component component)
{
	if (component.start == component.end)
		buffer_putc(out, '.');
	else
		buffer_add(out, component.start, (size_t)(component.end - component.start));
}

/* The innermost folder of PATH, from FOLDER outwards, that OTHER is in, too; empty: none. */
static struct component folder_of_both(struct component folder, const char *other)
{
	for (; folder.start < folder.end; folder = component_before(folder.path, folder.start)) {
		size_t length = (size_t)(folder.end - folder.path);
		if (!strncmp(other, folder.path, length) && other[length] == '/')
			break;
	}
	return folder;
}

/*
 * What the run is called: its only file, or the folder of the files of its ranks ("job" of
 * "job/rank0/out.json" and "job/rank1/out.json").
 */
static struct component run_name(const struct run *run, const struct rank *rank)
{
	const char *path = rank->path;
	size_t ranks = run->rank_count + run->unread;
	const char *other = run->rank_count > 1 ? run->ranks[run->rank_count - 1].path : path;
	struct component file = component_before(path, path + strlen(path));
	struct component folder = component_before(path, file.start);
	bool of_files = ranks > 1 && (run->rank_count == 1 || strcmp(run->ranks[0].path, other));
	struct component all = folder;
	for (size_t i = 0; i<run->rank_count; i += run->rank_count> 1 ? run->rank_count - 1 : 1)
		if (run->ranks[i].run == rank->run)
			all = folder_of_both(all, run->ranks[i].path);
	if (all.start < all.end)
		folder = all;
	return of_files && folder.start < folder.end ? folder : file;
}

/*
 * "new.json against old.json"; before runs of one name the innermost folders that differ, "after
 * against before  trace.json".
 */
static void add_both_names(struct buffer *out, struct component name, struct component base)
{
	struct component folder = name, other = base;
	while (folder.start < folder.end && component_equals(folder, other)) {
		folder = component_before(folder.path, folder.start);
		other = component_before(other.path, other.start);
	}
	bool same = component_equals(name, base) && !component_equals(folder, other);
	add_component(out, same ? folder : name);
	buffer_puts(out, " against ");
	add_component(out, same ? other : base);
	if (same) {
		buffer_puts(out, "  ");
		add_component(out, name);
	}
}

void view_headline(const struct run *run, const struct scope *scope, struct buffer *out)
{
	const struct rank *rank = run_rank(run, scope->rank);
	if (!rank)
		return;
	if (run->base && run->base->rank_count)
		add_both_names(out, run_name(run, rank), run_name(run->base, &run->base->ranks[0]));
	else
		add_component(out, run_name(run, rank));
	if (run->runs > 1)
		buffer_printf(out, "  run %u of %zu", rank->run, run->runs);
	if (run->spans > 1)
		buffer_printf(out, "  span %u of %zu", rank->span, run->spans);
	rank = run_peek(run, scope->rank);
	if (rank)
		add_profile(out, rank->profile, rank->derived);
	else
		buffer_printf(out, "  rank %" PRId64, run_rank(run, scope->rank)->number);
	run_release(run, rank);
}
