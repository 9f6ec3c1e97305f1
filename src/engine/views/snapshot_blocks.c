/*
 * Blocks of an allocator and its failed requests, from a memory snapshot.
 */
#include "base/buffer.h"
#include "model/snapshot.h"
#include "views/views.h"

#include <inttypes.h>

/* Names of functions, outermost first, separated by ';'. */
static struct value cell_stack(struct table *table, const struct profile *profile, uint32_t stack)
{
	const struct snapshot *snapshot = profile->snapshot;
	const struct snapshot_stack *of = &snapshot->stacks[stack];
	struct buffer text = { 0 };
	if (!of->count)
		return value_missing();
	for (uint32_t i = of->count; i-- > 0;) {
		uint32_t frame = snapshot->calls[of->first + i];
		const char *name = profile_string(profile, snapshot->frames[frame].name);
		for (; *name; name++)
			buffer_putc(&text, *name == ';' ? ':' : *name);
		if (i)
			buffer_putc(&text, ';');
	}
	return table_take_text(table, &text);
}

/* The stack cells of a table, each made once. */
struct stack_cells {
	struct value *cells;
	size_t bytes;
};

enum { STACK_BYTES_MAX = 1 << 28 }; /* limit: of the texts of all stacks in a table */

static struct value stack_cell(struct stack_cells *made, struct table *table,
			       const struct profile *profile, uint32_t stack)
{
	if (made->cells[stack].kind == VALUE_MISSING && made->bytes < STACK_BYTES_MAX) {
		made->cells[stack] = cell_stack(table, profile, stack);
		if (made->cells[stack].kind == VALUE_TEXT)
			made->bytes += made->cells[stack].length;
	}
	return made->cells[stack];
}

/* COUNT rows of the memory snapshot with their stacks; NONE: what is said without any. */
static bool list_snapshot(struct table *table, const struct view_query *query, size_t count,
			  void (*add)(struct table *table, const struct view_query *query, size_t i,
				      struct stack_cells *stacks),
			  const char *none)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	bool ok = true;
	size_t cells = snapshot ? snapshot->stack_count : 0;
	struct stack_cells stacks = { .cells = mem_zalloc(cells, sizeof *stacks.cells) };
	for_heavy_rows (ok, i, count, query->progress, "listing blocks", 32)
		add(table, query, i, &stacks);
	table_note_none(table, snapshot ? none : "No memory snapshot.");
	mem_free(stacks.cells);
	return ok;
}

/* ---- blocks ---- */

static struct value cell_address(struct table *table, int64_t address)
{
	return table_printf(table, "0x%" PRIX64, (uint64_t)address);
}

static void snapshot_blocks_add_block(struct table *table, const struct view_query *query, size_t i,
				      struct stack_cells *stacks)
{
	const struct profile *profile = query->selection->profile;
	const struct snapshot_block *block = &profile->snapshot->blocks[i];
	if (!scope_list_has(&query->selection->scope->devices, block->device))
		return;
	size_t row = table_add_row(table, NO_REF);
	bool live = block->state != intern_find(profile->strings, "inactive", 8);
	BLOCK_CELLS(table_set);
	if (!live)
		return;
	table_set(table, row, "owner",
		  cell_text(profile, profile->snapshot->stacks[block->stack].owner));
	table_set(table, row, "stack", stack_cell(stacks, table, profile, block->stack));
}

bool build_blocks(struct table *table, const struct view_query *query)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	return list_snapshot(table, query, snapshot ? snapshot->block_count : 0,
			     snapshot_blocks_add_block, "The snapshot has no blocks.");
}

/* ---- failed requests ---- */

static void add_oom(struct table *table, const struct view_query *query, size_t i,
		    struct stack_cells *stacks)
{
	const struct profile *profile = query->selection->profile;
	const struct snapshot_oom *oom = &profile->snapshot->ooms[i];
	if (!scope_list_has(&query->selection->scope->devices, oom->device))
		return;
	size_t row = table_add_row(table, NO_REF);
	OOM_CELLS(table_set);
}

bool build_ooms(struct table *table, const struct view_query *query)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	return list_snapshot(table, query, snapshot ? snapshot->oom_count : 0, add_oom,
			     "No request failed.");
}
