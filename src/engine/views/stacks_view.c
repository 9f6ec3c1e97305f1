/*
 * The stacks view: time by collapsed call stack.
 */
#include "analysis/stacks.h"
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/error.h"
#include "model/python_stats.h"
#include "views/totals_rows.h"
#include "views/views.h"

enum { TEXT_MAX = 1 << 30 }; /* limit: bytes of all stacks together */

static bool stacks_view_add_rows(struct table *table, const struct stacks *stacks,
				 const struct progress *progress, struct error *error)
{
	AUTO_BUFFER struct buffer text = { 0 };
	size_t bytes = 0;
	bool ok = true;
	for (uint32_t i = 0; i < stacks->frames.count && bytes <= TEXT_MAX && ok; i++) {
		ok = progress_heavy_row(progress, "writing stacks", i, stacks->frames.count, 32);
		if (!stacks->sums[i].value)
			continue;
		buffer_clear(&text);
		stacks_print(&text, stacks, i);
		bytes += text.length;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "stack", table_copy_text(table, BUFFERED(&text)));
		table_set(table, row, "value_ns", value_int(stacks->sums[i].value));
		table_set(table, row, "calls", value_int(stacks->sums[i].calls));
	}
	return ok && (bytes <= TEXT_MAX ||
		      error_set(error, ERROR_LIMIT,
				"the stacks exceed %d bytes in total; narrow the scope", TEXT_MAX));
}

static void note_nothing(struct table *table, const struct profile *profile, enum stacks_of of)
{
	if (of == STACKS_GPU) {
		table->lacks = RECORDED_DEVICE;
	} else if (of == STACKS_CPU) {
		table_note(table, "No operators, annotations or Python calls here.");
	} else {
		table->lacks = RECORDED_SAMPLES;
		table_note(table, "No thread was sampled%s.",
			   profile->sample_count ? " in this scope" : "");
	}
}

static void note(struct table *table, const struct stacks *stacks, enum stacks_of of,
		 const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	if (stats && stats->sample_count && of != STACKS_GPU)
		python_measure(table, stats);
	if (stats && stats->sample_count && stats->sample_note)
		table_note(table, "%s", stats->sample_note);
	else if (stacks->cut)
		table_note(table, "Stacks are cut at %d frames.", STACK_FRAMES_MAX);
	if (!table->rows)
		note_nothing(table, profile, of);
}

/* Default: device time if there is any, then host time, then samples. */
static enum stacks_of what_of(const struct profile *profile, const char *group)
{
	if (group && strcmp(group, "recorded") != 0)
		return strcmp(group, "gpu") == 0   ? STACKS_GPU
		       : strcmp(group, "cpu") == 0 ? STACKS_CPU
						   : STACKS_SAMPLES;
	if (any_of(i, profile->activities, profile_is_work(profile, i)))
		return STACKS_GPU;
	return profile->sample_count && profile_lacks_events(profile) ? STACKS_SAMPLES : STACKS_CPU;
}

bool build_stacks(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	if (selection->profile->totals)
		return totals_add_stacks(table, query);
	AUTO(stacks_clear) struct stacks stacks = { 0 };
	enum stacks_of of = what_of(selection->profile, query->group);
	bool done = stacks_make(&stacks, selection, of, query->progress) &&
		    stacks_view_add_rows(table, &stacks, query->progress, query->error);
	note(table, &stacks, of, selection->profile);
	return done;
}
