/*
 * Compares what torch.compile compiled on the ranks of a run, by their logs.
 */
#include "analysis/rank_summary.h"
#include "input/compile/compile_payload.h"
#include "model/run.h"

uint32_t compiled_with_id(const struct rank_summary *summary, const char *id)
{
	uint32_t own = summary ? intern_find(summary->strings, id, strlen(id)) : UINT32_MAX;
	return own == UINT32_MAX ? own : keyed_find(&summary->compile_ids, &own, sizeof own);
}

enum compiled_difference compiled_difference(const struct run *run, size_t rank, uint32_t at,
					     struct buffer *out)
{
	const struct rank_summary *first = run->ranks[0].summary, *own = run->ranks[rank].summary;
	const struct compile_item *item = &own->compiled[at], *like;
	AUTO_BUFFER struct buffer graph = { 0 }, other = { 0 }, a = { 0 }, b = { 0 };
	uint32_t known = compiled_with_id(first, intern_text(own->strings, item->id));
	if (known == UINT32_MAX)
		return COMPILED_ALIKE;
	like = &first->compiled[known];
	const char *mine = intern_text(own->strings, item->text[COMPILE_COLLECTIVES]);
	const char *theirs = intern_text(first->strings, like->text[COMPILE_COLLECTIVES]);
	bool alike = strcmp(mine, theirs) == 0;
	if (alike && like->number[COMPILE_GRAPH] == item->number[COMPILE_GRAPH])
		return COMPILED_ALIKE;
	if (!out)
		return alike ? COMPILED_GRAPH : COMPILED_COLLECTIVES;
	compile_payload_read(own->compile_log, item->range, &graph);
	compile_payload_read(first->compile_log, like->range, &other);
	struct text_slice next = { BUFFERED(&graph) }, there = { BUFFERED(&other) };
	bool more = true, same = true;
	while (more && same) {
		more = compile_graph_next(&next, &a);
		more |= compile_graph_next(&there, &b);
		same = strcmp(buffer_text(&a), buffer_text(&b)) == 0;
	}
	/* the code of one graph may order its collectives otherwise */
	buffer_printf(out, "%s; rank %lld: %s", same ? mine : buffer_text(&a),
		      (long long)run->ranks[0].number, same ? theirs : buffer_text(&b));
	return alike ? COMPILED_GRAPH : COMPILED_COLLECTIVES;
}
