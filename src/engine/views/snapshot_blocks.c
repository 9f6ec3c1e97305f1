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

/* Rows of the memory snapshot with their stacks. */
struct snapshot_blocks_listing {
	const char *stage, *none;
	size_t (*count)(const struct snapshot *snapshot);
	void (*add)(struct table *table, const struct view_query *query, size_t i,
		    struct stack_cells *stacks);
};

static bool list_snapshot(struct table *table, const struct view_query *query,
			  const struct snapshot_blocks_listing *listing)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	bool ok = true;
	if (!snapshot) {
		table_note(table, "No memory snapshot.");
		return true;
	}
	const size_t count = listing->count(snapshot);
	struct stack_cells stacks = {
		.cells = mem_zalloc(snapshot->stack_count, sizeof *stacks.cells),
	};
	for (size_t i = 0; i < count && ok; i++) {
		ok = progress_heavy_row(query->progress, listing->stage, i, count, 32);
		listing->add(table, query, i, &stacks);
	}
	if (!table->rows)
		table_note(table, "%s", listing->none);
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
	size_t row = table_add_row(table, (struct ref){ REF_NONE, 0, 0, 0 });
	bool live = block->state != intern_find(profile->strings, "inactive", 8);
	table_set(table, row, "device", cell_device(table, block->device));
	table_set(table, row, "address", cell_address(table, block->address));
	table_set(table, row, "size_bytes", value_int(block->size));
	table_set(table, row, "requested_bytes", cell_int(block->requested));
	table_set(table, row, "state", cell_text(profile, block->state));
	table_set(table, row, "segment", cell_address(table, block->segment));
	table_set(table, row, "segment_type", cell_text(profile, block->type));
	table_set(table, row, "stream", cell_int(block->stream));
	table_set(table, row, "pool", cell_text(profile, block->pool));
	if (!live)
		return;
	table_set(table, row, "owner",
		  cell_text(profile, profile->snapshot->stacks[block->stack].owner));
	table_set(table, row, "stack", stack_cell(stacks, table, profile, block->stack));
}

static size_t count_blocks(const struct snapshot *snapshot)
{
	return snapshot->block_count;
}

bool build_blocks(struct table *table, const struct view_query *query)
{
	static const struct snapshot_blocks_listing listing = { "listing blocks",
								"The snapshot has no blocks.",
								count_blocks,
								snapshot_blocks_add_block };
	return list_snapshot(table, query, &listing);
}

/* ---- failed requests ---- */

static void add_oom(struct table *table, const struct view_query *query, size_t i,
		    struct stack_cells *stacks)
{
	const struct profile *profile = query->selection->profile;
	const struct snapshot_oom *oom = &profile->snapshot->ooms[i];
	if (!scope_list_has(&query->selection->scope->devices, oom->device))
		return;
	size_t row = table_add_row(table, (struct ref){ REF_NONE, 0, 0, 0 });
	table_set(table, row, "device", cell_device(table, oom->device));
	table_set(table, row, "entry", value_int(oom->entry));
	table_set(table, row, "time_ns", cell_int(oom->time));
	table_set(table, row, "size_bytes", cell_int(oom->size));
	table_set(table, row, "device_free_bytes", cell_int(oom->device_free));
	table_set(table, row, "stream", cell_int(oom->stream));
	table_set(table, row, "owner",
		  cell_text(profile, profile->snapshot->stacks[oom->stack].owner));
	table_set(table, row, "stack", stack_cell(stacks, table, profile, oom->stack));
}

static size_t count_ooms(const struct snapshot *snapshot)
{
	return snapshot->oom_count;
}

bool build_ooms(struct table *table, const struct view_query *query)
{
	static const struct snapshot_blocks_listing listing = { "listing failed requests",
								"No request failed.", count_ooms,
								add_oom };
	return list_snapshot(table, query, &listing);
}
