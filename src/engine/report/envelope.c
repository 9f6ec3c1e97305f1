#include "report/envelope.h"

#include "base/any_of.h"
#include "base/error.h"
#include "report/format.h"
#include "session/load.h"

#include <inttypes.h>
#include <stdio.h>

enum { SECTION, KEY, VALUE, UNIT };

static const struct column fact_columns[] = {
	[SECTION] = { "section", "Section", UNIT_TEXT, 16, "Section." },
	[KEY] = { "key", "Key", UNIT_TEXT, 16, "Key." },
	[VALUE] = { "value", "Value", UNIT_COUNT, 16, "Value.", .mixed = true },
	[UNIT] = { "unit", "Unit", UNIT_TEXT, 8, "Unit of the value." },
};

static void envelope_add(struct table *facts, const char *section, const char *key,
			 struct value value, enum unit unit)
{
	table_add_values(facts, (struct value[]){ value_text(section), value_text(key), value,
						  value_text(unit_name(unit)) });
}

static void envelope_add_text(struct table *facts, const char *section, const char *key,
			      const char *text)
{
	envelope_add(facts, section, key, table_copy_string(facts, text), UNIT_TEXT);
}

/* ---- profile ---- */

/*
 * A fingerprint (FNV-1a) of what was read, not of where the file is: copies have the same one.
 */
static void add_identity(struct table *facts, const char *section, const struct profile *profile)
{
	AUTO_BUFFER struct buffer text = { 0 };
	uint64_t hash = 0xcbf29ce484222325;
	buffer_printf(&text,
		      "%s %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu32
		      " %" PRIu32,
		      profile->format, profile->text_bytes, profile->events, profile->epoch_ns,
		      profile->base_ns, profile->end_ns, profile->spans, profile->activities);
	for (size_t i = 0; i < text.length; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3;
	envelope_add(facts, section, "id", table_printf(facts, "%016" PRIx64, hash), UNIT_TEXT);
}

/* Start in Unix time; a file may have times since boot only. */
static struct value start_of(const struct profile *profile)
{
	static const int64_t year_2000_ns = 946684800 * INT64_C(1000000000);
	int64_t start;
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &start) ||
	    start < year_2000_ns)
		return value_missing();
	return value_int(start);
}

static void add_profile(struct table *facts, const char *section, const struct run *run,
			const struct rank *rank)
{
	const struct profile *profile = rank->profile;
	const struct device *device = profile->device_count ? profile->devices : NULL;
	add_identity(facts, section, profile);
	PROFILE_ENVELOPE(envelope_add);
}

/* ---- scope ---- */

static void envelope_add_range(struct table *facts, const char *key, bool has, int64_t first,
			       int64_t last, enum unit unit)
{
	static const char section[] = "scope";
	char from[24] = "", to[24] = "";
	if (first != INT64_MIN)
		snprintf(from, sizeof from, "%" PRId64, first);
	if (last != INT64_MAX)
		snprintf(to, sizeof to, "%" PRId64, last);
	envelope_add(facts, section, key,
		     has ? table_printf(facts, "%s..%s", from, to) : value_missing(), unit);
}

static void add_list(struct table *facts, const char *key, const struct scope_list *list)
{
	AUTO_BUFFER struct buffer text = { 0 };
	for (int i = 0; i < list->count; i++)
		buffer_printf(&text, "%s%" PRId64, i ? "," : "", list->id[i]);
	envelope_add_text(facts, "scope", key, list->count ? buffer_text(&text) : NULL);
}

static void add_scope(struct table *facts, const struct scope *scope, const char *view,
		      const char *group)
{
	static const char section[] = "scope";
	envelope_add_text(facts, section, "view", view);
	envelope_add_text(facts, section, "group_by", group);
	envelope_add_range(facts, "steps", scope->has_steps, scope->step_first, scope->step_last,
			   UNIT_TEXT);
	envelope_add_range(facts, "time_ns", scope->has_time, scope->time_first, scope->time_last,
			   UNIT_TEXT);
	AUTO_BUFFER struct buffer phases = { 0 };
	scope_add_phases(&phases, scope);
	envelope_add_text(facts, section, "phase", phases.length ? buffer_text(&phases) : NULL);
	add_list(facts, "rank", &scope->ranks);
	add_list(facts, "device", &scope->devices);
	add_list(facts, "stream", &scope->streams);
	add_list(facts, "thread", &scope->threads);
	envelope_add_text(facts, section, "under", scope->under);
	envelope_add_text(facts, section, "filter", scope->filter);
}

/* ---- coverage and warnings ---- */

static void warn(struct table *facts, size_t *count, const char *text)
{
	envelope_add_text(facts, "warnings", table_printf(facts, "%zu", ++*count).text, text);
}

static void add_coverage(struct table *facts, const struct run *run, const struct rank *rank)
{
	static const char section[] = "coverage";
	const struct profile *profile = rank->profile;
	AUTO_BUFFER struct buffer steps = { 0 };
	uint64_t damages = sum_of(i, profile->damage_count, profile->damages[i].count);
	step_source_describe(rank->derived, &steps);
	COVERAGE_ENVELOPE(envelope_add);
}

static void add_warnings(struct table *facts, const struct profile *profile,
			 const struct table *table)
{
	size_t count = 0;
	if (table && table->note)
		warn(facts, &count, table->note);
	else if (table && !table->rows)
		warn(facts, &count, "no row is in this scope; that is not a time or count of 0");
	for_each (damage, profile->damages, profile->damage_count) {
		struct value text = table_printf(facts, "%" PRIu64 " events: %s, %s", damage->count,
						 damage->cause, damage->action);
		warn(facts, &count, text.text);
	}
	if (profile->truncated)
		warn(facts, &count, "the file is truncated; complete events are loaded");
}

/* ---- all ---- */

static bool add_base(struct table *facts, const struct run *run, const struct scope *scope,
		     const struct table *table, const struct progress *progress,
		     struct error *error)
{
	AUTO_RANK struct rank *base = run_acquire_base(run, scope->rank, progress, error);
	if (!base)
		return false;
	add_profile(facts, "base", run->base, base);
	envelope_add_text(facts, "comparison", "comparable", table ? table->comparable : NULL);
	envelope_add_text(facts, "comparison", "reasons", table ? table->reasons : NULL);
	return true;
}

static bool envelope_add_run(struct table *facts, const struct run *run, const struct scope *scope,
			     const struct table *table, const struct progress *progress,
			     struct error *error)
{
	AUTO_RANK struct rank *rank = run_acquire(run, scope->rank, progress, error);
	if (!rank)
		return false;
	add_profile(facts, "profile", run, rank);
	add_coverage(facts, run, rank);
	add_warnings(facts, rank->profile, table);
	return !run->base || add_base(facts, run, scope, table, progress, error);
}

struct table *envelope_facts(const struct run *run, const struct scope *scope,
			     const struct table *table, const char *group,
			     const struct progress *progress, struct error *error)
{
	struct table *facts = table_with(fact_columns, sizeof fact_columns / sizeof *fact_columns);
	envelope_add_text(facts, "schema", "name", "strata");
	envelope_add(facts, "schema", "version", value_int(ENVELOPE_VERSION), UNIT_COUNT);
	envelope_add_text(facts, "schema", "program", PACKAGE_VERSION);
	add_scope(facts, scope, table && table->view ? table->view->name : NULL, group);
	return keep_if(!run || envelope_add_run(facts, run, scope, table, progress, error), facts,
		       table_free);
}

/* ---- JSON ---- */

static void add_member(struct buffer *out, const struct table *facts, size_t row, bool keyed)
{
	struct value key = table_value(facts, row, KEY), value = table_value(facts, row, VALUE);
	if (keyed) {
		format_json_text(out, key.text, key.length);
		buffer_puts(out, ": ");
	}
	if (value.kind == VALUE_INT && value_is(table_value(facts, row, UNIT), "flag"))
		buffer_puts(out, value.integer ? "true" : "false");
	else
		format_json_value(out, &fact_columns[VALUE], value);
}

/* Does a short envelope leave the fact out? What is unknown, zero or the same in all answers. */
static bool goes_without(const struct table *facts, size_t row)
{
	struct value value = table_value(facts, row, VALUE);
	return value.kind == VALUE_MISSING || (value.kind == VALUE_INT && !value.integer) ||
	       value_is(table_value(facts, row, KEY), "steps_from");
}

static void add_section(struct buffer *out, const struct table *facts, const char *name, bool keyed,
			bool brief)
{
	bool first = true;
	buffer_printf(out, "\"%s\": %c", name, keyed ? '{' : '[');
	for (size_t row = 0; row < facts->rows; row++) {
		if (!value_is(table_value(facts, row, SECTION), name) ||
		    (brief && goes_without(facts, row)))
			continue;
		buffer_puts(out, first ? "" : ", ");
		add_member(out, facts, row, keyed);
		first = false;
	}
	buffer_printf(out, "%c, ", keyed ? '}' : ']');
}

void envelope_json(struct buffer *out, const struct table *facts, bool brief)
{
	static const char *const objects[] = { "schema", "profile",  "base",
					       "scope",  "coverage", "comparison" };
	for (size_t i = brief ? 3 : 0; i < sizeof objects / sizeof *objects; i++) {
		size_t row = 0;
		while (row < facts->rows && !value_is(table_value(facts, row, SECTION), objects[i]))
			row++;
		if (row < facts->rows)
			add_section(out, facts, objects[i], true, brief);
	}
	add_section(out, facts, "warnings", false, false);
}
