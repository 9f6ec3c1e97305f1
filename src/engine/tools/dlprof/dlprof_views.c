#include "tools/dlprof/dlprof_views.h"

#include "tools/dlprof/dlprof_derive.h"
#include "base/error.h"

#include <stdlib.h>

bool dlprof_is_pytorch(const struct table *table)
{
	const struct dlprof *dlprof = dlprof_of(table->held->profile);
	return !dlprof || dlprof->pytorch;
}

static const char numbered[] = "aggregation="; /* grouping by a stored aggregation, from 1 */

static struct dlprof_range range_of(const struct scope *scope, const char *group)
{
	static const char key[] = "key=";
	struct dlprof_range range = { .limited = scope->has_steps,
				      .first = scope->step_first,
				      .last = scope->step_last };
	if (group && strncmp(group, key, sizeof key - 1) == 0)
		range.key = group + sizeof key - 1;
	if (group && strncmp(group, numbered, sizeof numbered - 1) == 0) {
		range.number = strtoull(group + sizeof numbered - 1, NULL, 10);
		if (!range.number) /* of no aggregation, 0 would be none chosen */
			range.number = SIZE_MAX;
	}
	return range;
}

static bool fill_from(struct dlprof_results *results, struct dlprof_range *range,
		      struct error *error)
{
	if (!results->derived)
		range->stored = dlprof_stored(results->dlprof, results->strings, range);
	results->stored = range->stored;
	if (range->number && !range->stored)
		return error_usage(
			error, "there is no aggregation \"%s\" (dlprof-aggregations lists them)",
			results->query->group + sizeof numbered - 1);
	bool done = dlprof_aggregate(results->dlprof, results->strings, range, &results->sums,
				     results->progress, error);
	done = done && dlprof_find_events(results);
	results->cancelled = results->cancelled || (!done && results->spans);
	if (done)
		((const struct dlprof_report *)results->table->view)->fill(results);
	dlprof_forget_events(results);
	dlprof_aggregation_clear(&results->sums);
	if (results->cancelled)
		return error_cancelled(error);
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
	AUTO_INTERN struct intern *strings = intern_new();
	struct dlprof *dlprof =
		dlprof_derive(table->held->derived, strings, &range.key, query->progress);
	results.dlprof = dlprof;
	results.strings = strings;
	results.derived = true;
	bool done =
		dlprof ? fill_from(&results, &range, query->error) : error_cancelled(query->error);
	dlprof_free(dlprof);
	return done;
}

struct value dlprof_bytes(const struct dlprof_results *results, const char *text, size_t length)
{
	return results->derived ? table_copy_text(results->table, text, length)
				: value_bytes(text, length);
}

struct value dlprof_text(const struct dlprof_results *results, uint32_t id)
{
	return dlprof_bytes(results, INTERNED(results->strings, id));
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
	AUTO_BUFFER struct buffer text = { 0 };
	at += *at == '[';
	while ((at = strchr(at, '['))) {
		size_t length = strcspn(++at, "]"), own = strcspn(letters, ";");
		add_shape(&text, at, length, letters, own);
		letters += own + (letters[own] == ';');
		at += length;
	}
	return table_copy_text(results->table, BUFFERED(&text));
}
