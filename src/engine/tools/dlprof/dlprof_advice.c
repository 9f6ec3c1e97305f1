/*
 * The advice that DLProf stored, for the view of all advice.
 */
#include "base/any_of.h"
#include "tools/dlprof/dlprof_views.h"

#include "base/text.h"
#include "views/findings.h"

struct meaning {
	const char *detector, *title;
	const struct view *view;
	const char *ours; /* detectors here that look for the same, or ""; a blank between two */
};

/* DLProf's expert systems; one that is not listed keeps its id for a title. */
static const struct meaning meanings[] = { DLPROF_MEANING_ROWS };

static const struct meaning *meaning_of(const char *detector)
{
	static const struct meaning unknown = { NULL, NULL, NULL, "" };
	return looked_up(at, meanings, strcmp(at->detector, detector) == 0, at, &unknown);
}

void dlprof_visit_advice(const struct profile *profile, stored_advice_visitor *visit, void *context)
{
	const struct dlprof *dlprof = dlprof_of(profile);
	const struct dlprof_aggregation *from =
		dlprof ? dlprof_stored(dlprof, profile->strings, &(struct dlprof_range){ 0 })
		       : NULL;
	for (size_t i = 0; from && i < from->advice_count; i++) {
		const struct dlprof_advice *advice = &from->advice[i];
		const char *id = profile_string(profile, advice->detector);
		const struct meaning *meaning = meaning_of(id);
		visit(context,
		      &(struct stored_advice){
			      id, meaning->title, profile_string(profile, advice->problem),
			      profile_string(profile, advice->recommendation), meaning->view });
	}
}

/* ---- of profiles without it ---- */

static const char *dlprof_advice_text_of(const struct table *table, size_t row, const char *column)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_TEXT ? value.text : "";
}

/* DLProf's name of what a detector here looks for; NULL. */
static const char *counterpart(const char *detector)
{
	return looked_up(at, meanings, text_is_listed(at->ours, detector), at->detector, NULL);
}

bool dlprof_add_counterparts(struct table *table, const struct view_query *query)
{
	struct table *advice = view_build(&view_advice, query->run, query->scope, NULL,
					  query->progress, query->error);
	for (size_t i = 0; advice && i < advice->rows; i++) {
		const char *detector = counterpart(dlprof_advice_text_of(advice, i, "detector"));
		const char *action = dlprof_advice_text_of(advice, i, "recommendation");
		AUTO_BUFFER struct buffer problem = { 0 };
		if (!detector || severity_at(advice, i) > SEVERITY_HIGH)
			continue;
		size_t row = table_add_row(table, NO_REF);
		buffer_printf(&problem, "%s: %s", dlprof_advice_text_of(advice, i, "problem"),
			      dlprof_advice_text_of(advice, i, "evidence"));
		table_set(table, row, "detector", value_text(detector));
		table_set(table, row, "problem",
			  table_copy_text(table, problem.data, problem.length));
		table_set(table, row, "recommendation", table_copy_string(table, action));
	}
	table_free(advice);
	return advice != NULL;
}
