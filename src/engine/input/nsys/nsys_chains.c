#include "input/nsys/nsys_chains.h"

#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1024 }; /* limit: frames of a chain; outer ones are dropped */

/* Frames without a symbol are named by module: addresses are meaningless and mostly unique. */
static uint32_t file_name(struct nsys *nsys, int64_t module)
{
	struct nsys_text *text = nsys_text(nsys, module);
	if (!text)
		return nsys_intern(nsys, "[unknown]");
	if (text->file_name == NO_ROW) {
		const char *slash = memrchr(text->text, '/', text->length);
		const char *name = slash && slash[1] ? slash + 1 : text->text;
		bool bracketed = *name == '[';
		struct buffer bracket = { 0 };
		buffer_printf(&bracket, bracketed ? "%s" : "[%s]", name);
		text->file_name =
			intern_add(nsys->profile->strings, buffer_text(&bracket), bracket.length);
		buffer_free(&bracket);
	}
	return text->file_name;
}

static uint32_t frame_name(struct nsys *nsys, int64_t symbol, int64_t module, int64_t unresolved)
{
	const struct nsys_text *text = nsys_text(nsys, symbol);
	bool nameless = !text || !text->length || (unresolved != NO_VALUE && unresolved) ||
			strncmp(text->text, "0x", 2) == 0;
	return nameless ? file_name(nsys, module) : nsys_string(nsys, symbol);
}

static int compare_links(const void *a, const void *b)
{
	const struct nsys_link *x = a, *y = b;
	if (x->chain != y->chain)
		return x->chain < y->chain ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Sort, though rows usually are in this order. */
static void order(struct nsys_chains *chains)
{
	bool sorted = true;
	for (size_t i = 1; i < chains->count && sorted; i++)
		sorted = compare_links(&chains->links[i - 1], &chains->links[i]) <= 0;
	if (!sorted)
		qsort(chains->links, chains->count, sizeof *chains->links, compare_links);
	for (size_t i = 0; i < chains->count; i++)
		if (!i || chains->links[i].chain != chains->links[i - 1].chain)
			hash_add(chains->first, (uint64_t)chains->links[i].chain, (uint32_t)i);
}

void nsys_chains_read(struct nsys *nsys, const char *table, struct nsys_chains *chains)
{
	enum { CHAIN, SYMBOL, MODULE, UNRESOLVED, DEPTH, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[CHAIN] = { "id", COLUMN_INT, true },
		[SYMBOL] = { "symbol", COLUMN_INT, true },
		[MODULE] = { "module", COLUMN_INT, false },
		[UNRESOLVED] = { "unresolved", COLUMN_INT, false },
		[DEPTH] = { "stackDepth", COLUMN_INT, true },
	};
	*chains = (struct nsys_chains){ .first = hash_new(256) };
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, table, columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t chain = sqlite_int(rows, CHAIN), depth = sqlite_int(rows, DEPTH);
		if (chain == NO_VALUE || depth < 0 || depth >= DEPTH_MAX || chains->count == NO_ROW)
			continue;
		mem_grow(chains->links, chains->capacity, chains->count + 1);
		chains->links[chains->count++] = (struct nsys_link){
			chain,
			(uint32_t)depth,
			frame_name(nsys, sqlite_int(rows, SYMBOL), sqlite_int(rows, MODULE),
				   sqlite_int(rows, UNRESOLVED)),
		};
	}
	sqlite_rows_close(rows);
	order(chains);
}

void nsys_chains_clear(struct nsys_chains *chains)
{
	hash_free(chains->first);
	mem_free(chains->links);
	*chains = (struct nsys_chains){ 0 };
}

const struct nsys_link *nsys_chain(const struct nsys_chains *chains, int64_t chain, size_t *count)
{
	size_t cursor;
	*count = 0;
	uint32_t first =
		chain == NO_VALUE ? NO_ROW : hash_find(chains->first, (uint64_t)chain, &cursor);
	if (first == NO_ROW)
		return NULL;
	while (first + *count < chains->count && *count < DEPTH_MAX &&
	       chains->links[first + *count].chain == chain)
		(*count)++;
	return &chains->links[first];
}

uint32_t nsys_chain_text(struct nsys *nsys, const struct nsys_chains *chains, int64_t chain)
{
	struct buffer text = { 0 };
	size_t count;
	const struct nsys_link *links = nsys_chain(chains, chain, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = intern_text(nsys->profile->strings, links[i].name);
		if (i)
			buffer_putc(&text, ';');
		for (; *name; name++)
			buffer_putc(&text, *name == ';' ? ':' : *name);
	}
	uint32_t string =
		count ? intern_add(nsys->profile->strings, buffer_text(&text), text.length) : 0;
	buffer_free(&text);
	return string;
}
