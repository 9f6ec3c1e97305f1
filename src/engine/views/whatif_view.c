/*
 * The what-if view: the step time predicted under edits, with its range, or why there is none.
 */
#include "views/whatif_model.h"

#include "base/error.h"
#include "session/load.h"
#include "views/findings.h"

enum { SWEEP_POINTS = 9 };

static void set_times(struct table *table, size_t row, const struct whatif_prediction *prediction)
{
	PREDICTION_CELLS(table_set);
}

/* A row for the edits of TEXT at once; of those without effect the name alone in IDLE, unless it is
 * NULL. */
static bool add_edits(struct table *table, const struct view_query *query,
		      const struct whatif *whatif, const char *text, struct buffer *idle)
{
	struct whatif_edits edits;
	struct whatif_prediction prediction;
	bool ok = whatif_edits_parse(&edits, text, query->error);
	const char *changes = ok && edits.count == 1 ? whatif_kinds[edits.item->what].words : NULL;
	const char *refused = ok ? whatif_refusal(whatif, edits.item, edits.count) : NULL;
	ok = ok && (refused ||
		    whatif_predict(whatif, edits.item, edits.count, &prediction, query->progress));
	whatif_edits_clear(&edits);
	if (!ok)
		return false;
	if (idle && (refused || prediction.nothing)) {
		buffer_printf(idle, "%s%.*s", idle->length ? ", " : "", (int)strcspn(text, " "),
			      text);
		return true;
	}
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	table_set(table, row, "edit", table_copy_string(table, text));
	if (whatif->recorded)
		table_set(table, row, "recorded_ns", value_int(whatif->recorded / whatif->steps));
	table_set(table, row, "changes", value_text(changes));
	table_set(table, row, "limit_before", value_text(whatif_limit_name(whatif->limit)));
	if (refused)
		table_set(table, row, "predicted_why", value_text(refused));
	else
		set_times(table, row, &prediction);
	return true;
}

/* The gain by factor, from 0 to 1. */
static bool add_sweep(struct table *table, const struct view_query *query,
		      const struct whatif *whatif, const char *text)
{
	AUTO_BUFFER struct buffer edit = { 0 };
	bool ok = true;
	for (int i = 0; i < SWEEP_POINTS && ok; i++) {
		buffer_clear(&edit);
		buffer_printf(&edit, "%s x%g", text, (double)i / (SWEEP_POINTS - 1));
		ok = add_edits(table, query, whatif, buffer_text(&edit), NULL);
	}
	return ok;
}

/* Those that have an effect; of a recording that allows none, the first with the reason. */
static bool add_standard(struct table *table, const struct view_query *query,
			 const struct whatif *whatif)
{
	AUTO_BUFFER struct buffer idle = { 0 };
	bool ok = true;
	for (size_t i = 0; i < WHATIF_KINDS && ok; i++)
		ok = whatif_kinds[i].chosen ||
		     add_edits(table, query, whatif, whatif_kinds[i].text, &idle);
	if (ok && !table->rows)
		return add_edits(table, query, whatif, whatif_kinds[0].text, NULL);
	if (idle.length && !whatif->refused)
		table_note(table, "Nothing to change: %s.", buffer_text(&idle));
	return ok;
}

/* Hold a rank; false with ERROR. */
static bool hold_rank(struct whatif_model *model, int64_t number, const struct progress *progress,
		      struct error *error)
{
	const struct rank *rank = run_acquire(model->run, number, progress, error);
	if (rank)
		model->rank[model->count++] = rank;
	return rank != NULL;
}

bool whatif_model_make(struct whatif_model *model, const struct run *run, int64_t rank,
		       const struct selection *selection, bool together, uint32_t rows_max,
		       const struct progress *progress, struct error *error)
{
	struct error other;
	*model = (struct whatif_model){ .run = run };
	if (!hold_rank(model, rank, progress, error))
		return false;
	together &= run->rank_count > 1 && run->matches && !run->whole &&
		    run->rank_count < WHATIF_RANKS_MAX;
	for (size_t r = 0; r < run->rank_count && together; r++)
		together = hold_rank(model, run->ranks[r].number, progress, &other);
	size_t index = (size_t)(run_rank(run, rank) - run->ranks);
	model->whatif =
		together ? whatif_make_joined(run, index, rows_max, progress)
			 : whatif_make(model->rank[0]->derived, selection, rows_max, progress);
	return model->whatif || error_set(error, ERROR_CANCELLED, "canceled");
}

void whatif_model_clear(struct whatif_model *model)
{
	whatif_free(model->whatif);
	model->whatif = NULL;
	while (model->count)
		run_release(model->run, model->rank[--model->count]);
}

bool build_whatif(struct table *table, const struct view_query *query)
{
	const char *group = query->group ? query->group : "standard";
	const char *equals = strchr(group, '=');
	const char *text = equals && equals[1] ? equals + 1 : NULL;
	if (!query->selection->derived->profile->activities)
		return true;
	AUTO(whatif_model_clear) struct whatif_model model = { .whatif = NULL };
	if (!whatif_model_make(&model, query->run, query->scope->rank, query->selection,
			       is_of_all_ranks(query) && !query->scope->has_steps, UINT32_MAX,
			       query->progress, query->error))
		return false;
	const struct whatif *whatif = model.whatif;
	bool sweep = strncmp(group, "sweep", 5) == 0;
	bool ok = !text   ? add_standard(table, query, whatif)
		  : sweep ? add_sweep(table, query, whatif, text)
			  : add_edits(table, query, whatif, text, NULL);
	if (whatif->refused) {
		const struct whatif_edit compile = { .what = WHATIF_COMPILE };
		table_note(table, "%s is predicted: %s.",
			   whatif_refusal(whatif, &compile, 1) ? "Nothing" : "Only compilation",
			   whatif->refused);
	}
	return ok;
}
