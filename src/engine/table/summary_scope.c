/*
 * Narrows the rows that a summary keeps to a scope: rows that belong to one step, time, device,
 * stream or layer as a whole. Sums over a part of the recording need its events.
 */
#include "base/any_of.h"
#include "table/summary_rows.h"

#include "model/device_label.h"

/* What narrows a scope. */
enum {
	BY_STEPS = 1,
	BY_TIME = 2,
	BY_DEVICE = 4,
	BY_STREAM = 8,
	BY_LAYER = 16, /* with what is under it */
	BY_OTHER = 32, /* needs events */
};

/* What the rows of a view belong to as a whole; of its default grouping. */
static const struct {
	const char *view;
	unsigned by;
} views[] = { SUMMARY_SCOPE_ROWS };

static unsigned narrowed_by(const struct scope *scope)
{
	bool other = scope->threads.count || scope->layer != NO_ROW ||
		     scope->operator_name != NO_ROW || scope->kernel_name != NO_ROW ||
		     scope->call != NO_ROW || scope->track != NO_ROW || scope->function != NO_ROW;
	return (scope->has_steps ? BY_STEPS : 0) | (scope->has_time ? BY_TIME : 0) |
	       (scope->devices.count ? BY_DEVICE : 0) | (scope->streams.count ? BY_STREAM : 0) |
	       (scope->under ? BY_LAYER : 0) | (other ? BY_OTHER : 0);
}

bool summary_scope_is_narrowed(const struct scope *scope)
{
	return narrowed_by(scope) != 0;
}

bool summary_scope_fits(const struct view *view, const struct scope *scope)
{
	return looked_up(at, views, strcmp(at->view, view->name) == 0,
			 !(narrowed_by(scope) & ~at->by), !narrowed_by(scope));
}

/* ---- rows ---- */

/* A number in a cell of the row; NO_VALUE. */
static int64_t number_at(const struct table *table, size_t row, const char *id)
{
	struct value value = table_cell_or_missing(table, row, id);
	return value.kind == VALUE_INT ? value.integer : NO_VALUE;
}

static bool is_in_steps(const struct table *table, size_t row, const struct scope *scope)
{
	int64_t step = number_at(table, row, "step");
	return !scope->has_steps ||
	       (step != NO_VALUE && step >= scope->step_first && step <= scope->step_last);
}

/* Events that start in it; steps and buckets that it touches. */
static bool is_in_time(const struct table *table, size_t row, const struct scope *scope)
{
	int64_t start = number_at(table, row, "start_ns");
	if (start == NO_VALUE)
		start = number_at(table, row, "time_ns");
	int64_t dur = number_at(table, row, "dur_ns"), end = start;
	bool event = strcmp(table->view->name, "launches") == 0;
	if (start != NO_VALUE && dur > 0 && !event && __builtin_add_overflow(start, dur - 1, &end))
		end = INT64_MAX;
	return !scope->has_time ||
	       (start != NO_VALUE && end >= scope->time_first && start < scope->time_last);
}

/* A bare number is that of a device of any kind. */
static bool is_on_device(const struct table *table, size_t row, const struct scope *scope)
{
	struct value value = table_cell_or_missing(table, row, "device");
	bool found = !scope->devices.count;
	for (int i = 0; i < scope->devices.count && value.kind == VALUE_TEXT; i++) {
		int64_t id = scope->devices.id[i];
		char label[DEVICE_LABEL_MAX];
		bool bare = id >= 0 && id < DEVICE_NUMBER_MAX;
		for (int kind = 0; kind < (bare ? DEVICE_KINDS : 1); kind++) {
			device_label(label, bare ? device_of_kind(kind, (int32_t)id) : (int32_t)id);
			found |= strlen(label) == value.length &&
				 memcmp(label, value.text, value.length) == 0;
		}
	}
	return found;
}

static bool is_on_stream(const struct table *table, size_t row, const struct scope *scope)
{
	int64_t stream = number_at(table, row, "stream");
	return !scope->streams.count ||
	       (stream != NO_VALUE && scope_list_has(&scope->streams, stream));
}

/* Does the path of the row equal PATH (LENGTH bytes), or end with it at a name? */
static bool summary_scope_ends_with(const struct table *table, size_t row, const char *path,
				    size_t length)
{
	struct value value = table_cell_or_missing(table, row, "path");
	if (value.kind != VALUE_TEXT || value.length < length || !length ||
	    memcmp(value.text + value.length - length, path, length) != 0)
		return false;
	return value.length == length || value.text[value.length - length - 1] == '/';
}

/* Rows of subtrees, which become roots. */
static size_t find_subtrees(struct table *table, const char *path, uint32_t *rows)
{
	size_t length = strlen(path), count = 0;
	uint32_t root = 0;
	bool inside = false;
	while (length && path[length - 1] == '/')
		length--;
	for (size_t row = 0; row < table->rows; row++) {
		uint32_t depth = table_depth(table, row);
		inside &= depth > root;
		if (!inside && summary_scope_ends_with(table, row, path, length)) {
			inside = true;
			root = depth;
		}
		if (!inside)
			continue;
		table_set_depth(table, row, depth - root);
		rows[count++] = (uint32_t)row;
	}
	return count;
}

void summary_scope_apply(struct table *table, const struct scope *scope)
{
	AUTO_FREE uint32_t *rows = mem_alloc((table->rows + 1) * sizeof *rows);
	size_t count = 0;
	if (scope->under)
		count = find_subtrees(table, scope->under, rows);
	for (size_t row = 0; row < table->rows && !scope->under; row++)
		if (is_in_steps(table, row, scope) && is_in_time(table, row, scope) &&
		    is_on_device(table, row, scope) && is_on_stream(table, row, scope))
			rows[count++] = (uint32_t)row;
	table_keep(table, rows, count);
}
