#include "analysis/whatif/whatif_joined.h"

#include "analysis/collectives.h"
#include "analysis/rank_matches.h"
#include "model/run.h"

/* By rank, then by operation of its summary: the meeting, UINT32_MAX. */
static uint32_t **number_meetings(struct whatif_joined *joined, const struct run *run)
{
	uint32_t **meeting = mem_zalloc(run->rank_count, sizeof *meeting);
	for (size_t r = 0; r < run->rank_count; r++)
		meeting[r] = mem_no_rows(run->ranks[r].summary->collective_count);
	for (uint32_t r = 0; r < run->rank_count; r++)
		for (uint32_t i = 0; i < run->ranks[r].summary->collective_count; i++) {
			struct rank_operation at = { r, i };
			if (run->matches->transfer[r][i] == NO_VALUE || meeting[r][i] != NO_ROW)
				continue;
			while (meeting[at.rank][at.index] == NO_ROW) { /* around the ring */
				meeting[at.rank][at.index] = joined->meeting_count;
				at = run->matches->next[at.rank][at.index];
			}
			joined->meeting_count++;
		}
	joined->meetings = mem_zalloc((size_t)joined->meeting_count + 1, sizeof *joined->meetings);
	return meeting;
}

static void join_rank(struct whatif_joined *joined, const struct run *run, size_t r,
		      const uint32_t *meeting)
{
	struct whatif_rank *rank = &joined->ranks[r];
	const struct whatif_graph *graph = rank->graph;
	const struct profile *profile = graph->profile;
	const struct rank_summary *summary = run->ranks[r].summary;
	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t row = graph->row[i];
		bool work = (graph->kind[i] & POINT_KIND) == POINT_WORK;
		size_t at = work ? collective_of_activity(graph->derived, summary, row) : SIZE_MAX;
		const struct collective *message =
			at == SIZE_MAX ? NULL : &summary->collectives[at];
		if (!message || meeting[at] == NO_ROW ||
		    message->end - message->start != profile->activity_dur[row])
			continue;
		*mem_push(rank->joins, rank->join_count) = (struct whatif_join){
			.point = i,
			.meeting = meeting[at],
			.transfer = run->matches->transfer[r][at],
		};
		joined->meetings[meeting[at]].ranks++;
	}
}

struct whatif_joined *whatif_join_ranks(const struct run *run, uint32_t rows_max,
					const struct progress *progress)
{
	struct whatif_joined *joined = mem_zalloc(1, sizeof *joined);
	uint32_t **meeting = number_meetings(joined, run);
	bool ok = true;
	joined->ranks = mem_zalloc(run->rank_count, sizeof *joined->ranks);
	joined->count = run->rank_count;
	joined->straggler =
		run->matches->straggler_count ? run->matches->stragglers[0].rank : SIZE_MAX;
	for (size_t r = 0; r < run->rank_count && ok; r++) {
		struct whatif_graph *graph =
			whatif_graph_make(run->ranks[r].derived, NULL, rows_max, progress);
		joined->ranks[r].graph = graph;
		ok = graph != NULL;
		if (!ok)
			break;
		graph->joined = true;
		graph->rank = run->ranks[r].number;
		join_rank(joined, run, r, meeting[r]);
	}
	for (size_t r = 0; r < run->rank_count; r++)
		mem_free(meeting[r]);
	mem_free(meeting);
	if (!ok)
		whatif_joined_free(joined);
	return ok ? joined : NULL;
}

struct whatif_joined *whatif_join_none(struct whatif_graph *graph)
{
	struct whatif_joined *joined = mem_zalloc(1, sizeof *joined);
	joined->ranks = mem_zalloc(1, sizeof *joined->ranks);
	joined->ranks[0].graph = graph;
	joined->count = 1;
	joined->straggler = SIZE_MAX;
	return joined;
}

void whatif_joined_free(struct whatif_joined *joined)
{
	for (size_t r = 0; joined && r < joined->count; r++) {
		whatif_graph_free(joined->ranks[r].graph);
		mem_free(joined->ranks[r].joins);
	}
	if (joined)
		mem_free_all(joined->ranks, joined->meetings);
	mem_free(joined);
}
