/*
 * The experts view: what each rank computes for its experts, by layer.
 */
#include "analysis/advice/detectors.h"
#include "analysis/collectives.h"
#include "analysis/experts.h"
#include "base/error.h"
#include "session/load.h"
#include "views/views.h"

/* The experts of all ranks of a query, and the paths of their layers for TABLE, if not NULL. */
struct experts_view {
	const struct view_query *query;
	struct table *table;
	struct rank_experts *ranks;
	size_t count, layers;
	struct value *paths; /* by layer */
};

static void name_layers(struct experts_view *view, const struct derived *derived,
			const struct expert_loads *loads)
{
	struct value *paths = view->table ? table_values(view->table, loads->count) : NULL;
	for (size_t i = 0; paths && i < loads->count; i++)
		paths[i] = i < view->layers ? view->paths[i]
			   : !loads->items[i].node
				   ? value_missing()
				   : cell_layer_path(view->table, derived, loads->items[i].node);
	view->paths = paths;
	view->layers = loads->count;
}

/* False when cancelled. */
static bool find_rank(struct experts_view *view, const struct rank *of)
{
	const struct view_query *query = view->query;
	struct error error = { 0 };
	AUTO_RANK const struct rank *rank =
		run_acquire(query->run, of->number, query->progress, &error);
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(scope_clear) struct scope scope = { 0 };
	struct rank_experts *at = &view->ranks[view->count];
	scope_copy(&scope, query->scope);
	scope.rank = (int)of->number;
	if (!rank || !selection_make(&selection, query->run, &scope, query->progress, &error))
		return error.code != ERROR_CANCELLED;
	bool done = experts_find(&at->loads, &selection, query->progress);
	at->rank = of->number;
	view->count++;
	if (at->loads.count > view->layers)
		name_layers(view, rank->derived, &at->loads);
	return done;
}

/* False when cancelled; the caller frees. */
static bool find_ranks(struct experts_view *view)
{
	const struct run *run = view->query->run;
	bool ok = true;
	view->ranks = mem_zalloc(run->rank_count + 1, sizeof *view->ranks);
	for (size_t i = 0; i < run->rank_count && ok; i++)
		if (scope_list_has(&view->query->scope->ranks, run->ranks[i].number) &&
		    collectives_exchange(run->ranks[i].summary))
			ok = find_rank(view, &run->ranks[i]);
	return ok || error_cancelled(view->query->error);
}

static void free_ranks(struct experts_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		mem_free(view->ranks[i].loads.items);
	mem_free(view->ranks);
}

bool experts_compare(struct ranks_compared *all, const struct view_query *query)
{
	struct experts_view view = { .query = query };
	bool ok = find_ranks(&view);
	AUTO_FREE double *late = mem_zalloc(view.count + 1, sizeof *late);
	size_t worst = 0;
	for (size_t layer = 0; layer < view.layers && ok; layer++) {
		struct expert_layer of = expert_layer_of(view.ranks, view.count, layer);
		all->experts.layers += of.ranks > 1;
		all->experts.cost_ns += of.cost_ns;
		all->experts.mean_tokens += of.tokens;
		late[of.slowest] += of.cost_ns;
	}
	for (size_t i = 1; i < view.count; i++)
		worst = late[i] > late[worst] ? i : worst;
	for (size_t i = 0; view.count && i < view.ranks[worst].loads.count; i++) {
		const struct expert_load *load = &view.ranks[worst].loads.items[i];
		all->experts.tokens += expert_mean(load, load->tokens);
	}
	if (view.count)
		all->experts.rank =
			(size_t)(run_rank(query->run, view.ranks[worst].rank) - query->run->ranks);
	free_ranks(&view);
	return ok;
}

bool build_experts(struct table *table, const struct view_query *query)
{
	struct experts_view view = { .query = query, .table = table };
	bool ok = find_ranks(&view);
	for (size_t layer = 0; layer < view.layers && ok; layer++) {
		struct expert_layer of = expert_layer_of(view.ranks, view.count, layer);
		for (size_t i = 0; i < view.count; i++) {
			if (layer >= view.ranks[i].loads.count)
				continue;
			const struct expert_load *load = &view.ranks[i].loads.items[layer];
			double ns = expert_mean(load, load->ns);
			size_t row = table_add_row(table, ref_of_rank(view.ranks[i].rank));
			EXPERT_CELLS(table_set);
		}
	}
	if (ok && !table->rows)
		table_note(table, "No all-to-all that sends tokens to experts and back, with the "
				  "shapes of their products, was recorded.");
	free_ranks(&view);
	return ok;
}
