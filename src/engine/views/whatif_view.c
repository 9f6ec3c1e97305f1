/*
 * The what-if view: the step time predicted under edits, with its range, or why there is none.
 */
#include "analysis/whatif/whatif.h"
#include "base/error.h"
#include "session/load.h"
#include "views/findings.h"

enum { SWEEP_POINTS = 9, JOINED_MAX = 64 };

static void set_times(struct table *table, size_t row, const struct whatif_prediction *prediction)
{
	table_set(table, row, "predicted_ns", value_int(prediction->predicted));
	table_set(table, row, "low_ns", value_int(prediction->low));
	table_set(table, row, "high_ns", value_int(prediction->high));
	table_set(table, row, "predicted_pct",
		  value_real(whatif_gain(prediction, prediction->predicted)));
	table_set(table, row, "predicted_low_pct",
		  value_real(whatif_gain(prediction, prediction->high)));
	table_set(table, row, "predicted_high_pct",
		  value_real(whatif_gain(prediction, prediction->low)));
	table_set(table, row, "next_limit", value_text(whatif_limit_name(prediction->limit)));
	table_set(table, row, "predicted_why",
		  value_text(prediction->nothing ? "nothing to change"
						 : whatif_certainty(prediction)));
}

/* A row for the edits of TEXT at once. */
static bool add_edits(struct table *table, const struct view_query *query,
		      const struct whatif *whatif, const char *text)
{
	struct whatif_edits edits;
	struct whatif_prediction prediction;
	bool ok = whatif_edits_parse(&edits, text, query->error);
	const char *refused = ok ? whatif_refusal(whatif, edits.item, edits.count) : NULL;
	ok = ok && (refused ||
		    whatif_predict(whatif, edits.item, edits.count, &prediction, query->progress));
	whatif_edits_clear(&edits);
	if (!ok)
		return false;
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	table_set(table, row, "edit", table_copy_text(table, text, strlen(text)));
	if (whatif->recorded)
		table_set(table, row, "recorded_ns", value_int(whatif->recorded / whatif->steps));
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
		ok = add_edits(table, query, whatif, buffer_text(&edit));
	}
	return ok;
}

static bool add_standard(struct table *table, const struct view_query *query,
			 const struct whatif *whatif)
{
	bool ok = true;
	for (size_t i = 0; i < WHATIF_KINDS && ok; i++)
		ok = whatif_kinds[i].chosen ||
		     add_edits(table, query, whatif, whatif_kinds[i].text);
	return ok;
}

/* The ranks of a run, to be released; fewer than all if they cannot be held at once. */
struct held_ranks {
	const struct run *run;
	const struct rank *rank[JOINED_MAX];
	size_t count;
};

static void release_ranks(struct held_ranks *held)
{
	while (held->count)
		run_release(held->run, held->rank[--held->count]);
}

static bool hold_ranks(struct held_ranks *held, const struct view_query *query)
{
	const struct run *run = held->run = query->run;
	const struct rank *rank = NULL;
	struct error error;
	if (!is_of_all_ranks(query) || !run->matches || query->scope->has_steps ||
	    run->rank_count > JOINED_MAX)
		return false;
	do {
		rank = run_acquire(run, run->ranks[held->count].number, query->progress, &error);
		if (rank)
			held->rank[held->count++] = rank;
	} while (rank && held->count < run->rank_count);
	return rank != NULL;
}

static struct whatif *whatif_of_query(const struct view_query *query, bool joined)
{
	const struct derived *derived = query->selection->derived;
	size_t rank = 0;
	while (joined && query->run->ranks[rank].derived != derived)
		if (++rank == query->run->rank_count)
			joined = false;
	return joined ? whatif_make_joined(query->run, rank, UINT32_MAX, query->progress)
		      : whatif_make(derived, query->selection, UINT32_MAX, query->progress);
}

bool build_whatif(struct table *table, const struct view_query *query)
{
	const struct derived *derived = query->selection->derived;
	const char *group = query->group ? query->group : "standard";
	const char *equals = strchr(group, '=');
	const char *text = equals && equals[1] ? equals + 1 : NULL;
	if (!derived->profile->activities)
		return true;
	AUTO(release_ranks) struct held_ranks held = { .count = 0 };
	struct whatif *whatif = whatif_of_query(query, hold_ranks(&held, query));
	if (!whatif)
		return false;
	bool sweep = strncmp(group, "sweep", 5) == 0;
	bool ok = !text   ? add_standard(table, query, whatif)
		  : sweep ? add_sweep(table, query, whatif, text)
			  : add_edits(table, query, whatif, text);
	if (whatif->refused) {
		const struct whatif_edit compile = { .what = WHATIF_COMPILE };
		table_note(table, "%s is predicted: %s.",
			   whatif_refusal(whatif, &compile, 1) ? "Nothing" : "Only compilation",
			   whatif->refused);
	}
	whatif_free(whatif);
	return ok;
}
