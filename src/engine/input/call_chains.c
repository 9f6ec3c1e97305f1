#include "input/call_chains.h"

#include "base/buffer.h"
#include "base/compare.h"
#include "input/id_table.h"

#include <stdlib.h>

enum { DEPTH_MAX = 1024 }; /* limit: frames of a chain; outer ones are dropped */

void call_chains_add(struct call_chains *chains, int64_t chain, int64_t depth, uint32_t name)
{
	if (chain == NO_VALUE || depth < 0 || depth >= DEPTH_MAX || chains->count == NO_ROW)
		return;
	*mem_push(chains->frames, chains->count) =
		(struct call_frame){ chain, (uint32_t)depth, name };
}

COMPARE_MEMBERS(compare_frames, struct call_frame, UP(chain) UP(depth))

/* Rows usually are in this order. */
void call_chains_sort(struct call_chains *chains)
{
	bool sorted = true;
	chains->first = hash_new(256);
	chains->texts = hash_new(16);
	for (size_t i = 1; i < chains->count && sorted; i++)
		sorted = compare_frames(&chains->frames[i - 1], &chains->frames[i]) <= 0;
	if (!sorted)
		qsort(chains->frames, chains->count, sizeof *chains->frames, compare_frames);
	for (size_t i = 0; i < chains->count; i++)
		if (!i || chains->frames[i].chain != chains->frames[i - 1].chain)
			hash_add(chains->first, (uint64_t)chains->frames[i].chain, (uint32_t)i);
}

CLEAR_MEMBERS(call_chains_clear, struct call_chains,
	      OWN_BY(hash_free, first) OWN_BY(hash_free, texts) OWN(frames))

const struct call_frame *call_chain(const struct call_chains *chains, int64_t chain, size_t *count)
{
	uint32_t first = id_find(chains->first, chain);
	*count = 0;
	if (first == NO_ROW)
		return NULL;
	while (first + *count < chains->count && *count < DEPTH_MAX &&
	       chains->frames[first + *count].chain == chain)
		(*count)++;
	return &chains->frames[first];
}

uint32_t call_chain_text(struct call_chains *chains, struct intern *strings, int64_t chain)
{
	size_t count;
	uint32_t string = id_find(chains->texts, chain);
	const struct call_frame *frames = call_chain(chains, chain, &count);
	if (string != NO_ROW || !count)
		return count ? string : 0;
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_putc(&text, ';');
		for (const char *name = intern_text(strings, frames[i].name); *name; name++)
			buffer_putc(&text, *name == ';' ? ':' : *name);
	}
	string = intern_add(strings, BUFFERED(&text));
	hash_add(chains->texts, (uint64_t)chain, string);
	return string;
}
