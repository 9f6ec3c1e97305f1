#include "tools/dlprof/dlprof_views.h"

#include "tools/dlprof/dlprof_derive.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

bool dlprof_is_pytorch(const struct table *table)
{
	const struct dlprof *dlprof = dlprof_of(table->held->profile);
	return !dlprof || dlprof->pytorch;
}

static struct dlprof_range range_of(const struct scope *scope, const char *group)
{
	static const char key[] = "key=", number[] = "aggregation=";
	struct dlprof_range range = { .limited = scope->has_steps,
				      .first = scope->step_first,
				      .last = scope->step_last };
	if (group && strncmp(group, key, sizeof key - 1) == 0)
		range.key = group + sizeof key - 1;
	if (group && strncmp(group, number, sizeof number - 1) == 0)
		range.number = strtoull(group + sizeof number - 1, NULL, 10);
	return range;
}

static const struct {
	const struct view *view;
	void (*fill)(struct dlprof_results *results);
} fills[] = {
	{ &view_dlprof_summary, dlprof_fill_summary },
	{ &view_dlprof_detailed, dlprof_fill_detailed },
	{ &view_dlprof_iteration, dlprof_fill_iteration },
	{ &view_dlprof_kernel, dlprof_fill_kernel },
	{ &view_dlprof_tensor_core, dlprof_fill_tensor_core },
	{ &view_dlprof_op_type, dlprof_fill_op_type },
	{ &view_dlprof_group_op, dlprof_fill_group_op },
	{ &view_dlprof_expert_systems, dlprof_fill_expert_systems },
};

static void fill_table(struct dlprof_results *results)
{
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		if (fills[i].view == results->table->view)
			fills[i].fill(results);
}

/* Use stored sums of this range, otherwise compute them. */
static bool fill_from(struct dlprof_results *results, const struct dlprof_range *range,
		      struct error *error)
{
	if (!results->derived)
		results->aggregation = dlprof_stored(results->dlprof, results->strings, range);
	if (range->number && !results->aggregation)
		return error_set(error, ERROR_USAGE,
				 "there is no aggregation %zu (dlprof-aggregations lists them)",
				 range->number);
	bool done =
		results->aggregation || dlprof_aggregate(results->dlprof, results->strings, range,
							 &results->own, results->progress, error);
	if (!results->aggregation)
		results->aggregation = &results->own;
	done = done && dlprof_find_events(results);
	results->cancelled = results->cancelled || (!done && results->spans);
	if (done)
		fill_table(results);
	dlprof_forget_events(results);
	dlprof_aggregation_clear(&results->own);
	if (results->cancelled)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return done;
}

bool dlprof_build(struct table *table, const struct view_query *query)
{
	const struct profile *profile = table->held->profile;
	struct dlprof_results results = { .table = table,
					  .strings = profile->strings,
					  .dlprof = dlprof_of(profile),
					  .query = query,
					  .progress = query->progress };
	struct dlprof_range range = range_of(query->scope, query->group);
	if (dlprof_of(profile))
		return fill_from(&results, &range, query->error);
	struct intern *strings = intern_new();
	struct dlprof *dlprof =
		dlprof_derive(table->held->derived, strings, &range.key, query->progress);
	results.dlprof = dlprof;
	results.strings = strings;
	results.derived = true;
	bool done = dlprof ? fill_from(&results, &range, query->error)
			   : error_set(query->error, ERROR_CANCELLED, "cancelled");
	dlprof_free(dlprof);
	intern_free(strings);
	return done;
}

struct value dlprof_bytes(const struct dlprof_results *results, const char *text, size_t length)
{
	return results->derived ? table_copy_text(results->table, text, length)
				: value_bytes(text, length);
}

struct value dlprof_text(const struct dlprof_results *results, uint32_t id)
{
	return dlprof_bytes(results, intern_text(results->strings, id),
			    intern_length(results->strings, id));
}

void dlprof_set_times(struct table *table, size_t row, const struct dlprof_times *times)
{
	static const char *const ids[DLPROF_TIMES][4] = {
		{ "cpu_total_ns", "cpu_avg_ns", "cpu_min_ns", "cpu_max_ns" },
		{ "gpu_total_ns", "gpu_avg_ns", "gpu_min_ns", "gpu_max_ns" },
		{ "overhead_total_ns", "overhead_avg_ns", "overhead_min_ns", "overhead_max_ns" },
		{ "idle_total_ns", "idle_avg_ns", "idle_min_ns", "idle_max_ns" },
	};
	for (int i = 0; i < DLPROF_TIMES; i++) {
		const struct dlprof_metric *metric = &times->of[i];
		table_set(table, row, ids[i][0], value_int(metric->sum));
		table_set(table, row, ids[i][1], value_real(metric->avg));
		table_set(table, row, ids[i][2], value_int(metric->min));
		table_set(table, row, ids[i][3], value_int(metric->max));
	}
}

void dlprof_set_op(const struct dlprof_results *results, size_t row, const struct dlprof_op *op)
{
	table_set(results->table, row, "op_id", dlprof_text(results, op->id));
	table_set(results->table, row, "op_name", dlprof_text(results, op->name));
	if (results->dlprof->pytorch)
		table_set(results->table, row, "direction", dlprof_text(results, op->direction));
}

/* ---- shapes ---- */

static size_t count_of(const char *text, size_t length, char separator)
{
	size_t count = length > 0;
	for (size_t i = 0; i < length; i++)
		count += text[i] == separator;
	return count;
}

/* One tensor; LETTERS name its dimensions if their number matches. */
static void add_shape(struct buffer *out, const char *dims, size_t length, const char *letters,
		      size_t letters_length)
{
	const char *end = dims + length;
	bool named = count_of(letters, letters_length, ',') == count_of(dims, length, ',');
	buffer_puts(out, out->length ? "; <" : "<");
	while (dims < end) {
		size_t part = 0, letter = strcspn(letters, ",;");
		while (dims + part < end && dims[part] != ',')
			part++;
		if (named)
			buffer_printf(out, "%.*s:", (int)letter, letters);
		buffer_add(out, dims, part);
		dims += part;
		if (dims < end && *dims++)
			buffer_puts(out, ", ");
		letters += letter + (named && letters[letter] == ',');
	}
	buffer_putc(out, '>');
}

struct value dlprof_shapes(const struct dlprof_results *results, uint32_t format, uint32_t json)
{
	const char *letters = intern_text(results->strings, format);
	const char *at = intern_text(results->strings, json);
	struct buffer text = { 0 };
	at += *at == '[';
	while ((at = strchr(at, '['))) {
		size_t length = strcspn(++at, "]"), own = strcspn(letters, ";");
		add_shape(&text, at, length, letters, own);
		letters += own + (letters[own] == ';');
		at += length;
	}
	struct value value = table_copy_text(results->table, buffer_text(&text), text.length);
	buffer_free(&text);
	return value;
}
