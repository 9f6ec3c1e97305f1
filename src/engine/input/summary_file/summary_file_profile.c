/*
 * The profile of a summary: what is known of the trace, and tables of its views.
 */
#include "input/summary_file/summary_file.h"

#include "base/error.h"
#include "input/reader.h"
#include "model/summary_tables.h"
#include "model/tool.h"

#include <sys/stat.h>

/* ---- the trace and its devices ---- */

static const struct packed_type trace_type =
	PACKED_TYPE(struct summary_file_trace, TRACE_FIELD_ROWS);

static const struct packed_type device_type = PACKED_TYPE(struct device, DEVICE_FIELD_ROWS);

void summary_file_pack_profile(const struct profile *profile, struct summary_file_trace trace,
			       struct intern *texts, struct buffer *out)
{
	const struct packing packing = { out, texts, profile->strings };
	trace.format = profile->format;
	trace.tool = tools[profile->tool]->name;
	MEMBERS(&trace, profile,
		TAKE(epoch_ns) TAKE(base_ns) TAKE(end_ns) TAKE(rank) TAKE(world_size)
			TAKE(truncated) TAKE(text_bytes) TAKE(events));
	packed_add_row(&packing, &trace_type, &trace);
	packed_add_rows(&packing, &device_type, profile->devices, profile->device_count);
}

uint8_t summary_file_tool(const struct summary_file_trace *trace)
{
	for (uint8_t i = 0; tools[i]; i++)
		if (strcmp(tools[i]->name, trace->tool) == 0)
			return i;
	return 0; /* of a strata that knows more tools */
}

/* Times add up without overflow in what reads them. */
static bool are_times(const struct summary_file_trace *trace)
{
	int64_t sum;
	return trace->end_ns >= 0 &&
	       !__builtin_add_overflow(trace->epoch_ns, trace->base_ns, &sum) &&
	       !__builtin_add_overflow(sum, trace->end_ns, &sum);
}

static void set_trace(struct profile *profile, const struct summary_file_trace *trace)
{
	AUTO_BUFFER struct buffer format = { 0 };
	buffer_printf(&format, "summary of a %s", trace->format);
	profile->format = arena_strndup(profile->arena, BUFFERED(&format));
	profile->tables->trace = trace->path;
	profile->tables->made = trace->made;
	profile->tables->trace_bytes = trace->bytes;
	profile->tables->base_ns = trace->base_ns;
	profile->tables->end_ns = trace->end_ns;
	profile->tool = summary_file_tool(trace);
	MEMBERS(profile, trace,
		TAKE(epoch_ns) TAKE(rank) TAKE(world_size) TAKE(truncated) TAKE(text_bytes)
			TAKE(events));
}

/* The trace and its devices, which is all there is in the section. */
static bool parse_profile(const struct unpacking *unpacking, struct profile *profile)
{
	struct summary_file_trace trace;
	packed_take_row(unpacking, &trace_type, &trace);
	set_trace(profile, &trace);
	profile->devices = packed_take_rows(unpacking, &device_type, &profile->device_count);
	return packed_ended(unpacking->packed) && are_times(&trace);
}

/* ---- tables ---- */

static void parse_cell(const struct unpacking *unpacking, struct summary_cell *cell,
		       int64_t *before)
{
	switch ((enum summary_cell_kind)cell->kind) {
	case SUMMARY_CELL_INT:
		*before = (int64_t)((uint64_t)*before +
				    (uint64_t)packed_take_signed(unpacking->packed));
		cell->integer = *before;
		break;
	case SUMMARY_CELL_REAL: cell->real = packed_take_real(unpacking->packed); break;
	case SUMMARY_CELL_TEXT:
		cell->text =
			packed_take_text(unpacking->packed, unpacking->texts, unpacking->strings);
		break;
	default: break;
	}
}

/* Runs of cells of a kind, then their values. */
static void parse_column(const struct unpacking *unpacking, struct summary_cell *cells,
			 uint32_t rows)
{
	struct packed *packed = unpacking->packed;
	int64_t before = 0;
	for (uint32_t row = 0; row < rows && !packed->bad;) {
		uint32_t kind = packed_take_below(packed, SUMMARY_CELL_KINDS);
		uint32_t run = packed_take_below(packed, rows - row + 1);
		packed->bad |= !run;
		for (; run; run--)
			cells[row++].kind = (uint8_t)kind;
	}
	for (uint32_t row = 0; row < rows && !packed->bad; row++)
		parse_cell(unpacking, &cells[row], &before);
}

/* Preorder: a row is at most one deeper than the one before it. */
static void parse_depths(const struct unpacking *unpacking, struct summary_table *table)
{
	uint32_t limit = 1;
	table->depth = mem_zalloc((size_t)table->rows + 1, sizeof *table->depth);
	for (uint32_t row = 0; row < table->rows; row++) {
		table->depth[row] = packed_take_below(unpacking->packed, limit);
		limit = table->depth[row] + 2;
	}
}

/* Cells that a section may hold for each of its bytes; a row with one number has up to 48. */
enum { CELLS_PER_BYTE = 64, COLUMNS_MAX = 64 };

static const struct packed_type table_type = PACKED_TYPE(
	struct summary_table, PACKED(struct summary_table, view, TEXT),
	PACKED(struct summary_table, group, TEXT), PACKED(struct summary_table, note, TEXT),
	PACKED(struct summary_table, is_tree, FLAG), PACKED(struct summary_table, rows_of, NUMBER));

static void parse_table(const struct unpacking *unpacking, struct summary_table *table,
			uint64_t *room)
{
	struct packed *packed = unpacking->packed;
	packed_take_row(unpacking, &table_type, table);
	table->columns = packed_take_below(packed, COLUMNS_MAX + 1);
	table->column = mem_zalloc((size_t)table->columns + 1, sizeof *table->column);
	for (uint32_t i = 0; i < table->columns; i++)
		table->column[i] =
			packed_take_text(unpacking->packed, unpacking->texts, unpacking->strings);
	size_t rows = packed_take_count(packed, 1);
	uint64_t cells = (uint64_t)rows * table->columns;
	packed->bad |= rows > INT32_MAX || cells > *room;
	table->rows = packed->bad ? 0 : (uint32_t)rows;
	*room -= packed->bad ? 0 : cells;
	if (table->is_tree)
		parse_depths(unpacking, table);
	table->cells = mem_zalloc((size_t)table->columns * table->rows + 1, sizeof *table->cells);
	for (uint32_t i = 0; i < table->columns && !packed->bad; i++)
		parse_column(unpacking, &table->cells[(size_t)i * table->rows], table->rows);
}

static void parse_tables(const struct unpacking *unpacking, struct summary_tables *tables)
{
	struct packed *packed = unpacking->packed;
	uint64_t room = (uint64_t)(packed->end - packed->at) * CELLS_PER_BYTE;
	size_t count = packed_take_count(packed, 7);
	tables->items = mem_zalloc(count + 1, sizeof *tables->items);
	for (; tables->count < count && !packed->bad; tables->count++)
		parse_table(unpacking, &tables->items[tables->count], &room);
}

/* ---- both ---- */

bool summary_file_unpack_trace(const struct summary_file_block *block, struct intern *strings,
			       struct summary_file_trace *trace)
{
	struct packed packed = block->section[SUMMARY_FILE_PROFILE];
	packed_take_row(&(struct unpacking){ &packed, &block->texts, strings }, &trace_type, trace);
	return !packed.bad;
}

bool summary_file_unpack_tables(const struct summary_file_block *block, struct intern *strings,
				struct summary_tables *tables)
{
	struct packed packed = block->section[SUMMARY_FILE_TABLES];
	if (packed.at == packed.end)
		return true;
	parse_tables(&(struct unpacking){ &packed, &block->table_texts, strings }, tables);
	return packed_ended(&packed);
}

static bool unpack_profile(const struct summary_file_block *block, struct profile *profile)
{
	struct packed packed = block->section[SUMMARY_FILE_PROFILE];
	struct unpacking unpacking = { &packed, &block->texts, profile->strings };
	profile->tables = summary_tables_new();
	return parse_profile(&unpacking, profile) &&
	       summary_file_unpack_tables(block, profile->strings, profile->tables);
}

static bool has_size(const char *path, uint64_t size)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       (uint64_t)status.st_size == size;
}

bool summary_file_find_trace(const char *summary, const char *trace, uint64_t bytes,
			     struct buffer *path)
{
	const char *name = strrchr(trace, '/'), *slash = strrchr(summary, '/');
	buffer_clear(path);
	if (slash)
		buffer_add(path, summary, (size_t)(slash + 1 - summary));
	buffer_puts(path, name ? name + 1 : trace);
	if (!has_size(trace, bytes) && has_size(buffer_text(path), bytes))
		return true;
	buffer_clear(path);
	buffer_puts(path, trace);
	return has_size(trace, bytes);
}

/* ---- the reader ---- */

static bool summary_file_profile_read_block(struct summary_file *summary_file,
					    struct profile *profile, struct error *error)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	AUTO(summary_file_block_close) struct summary_file_block block = { 0 };
	bool done = profile->part < summary_file->count ||
		    error_input(error, "has fewer ranks than before");
	done = done && summary_file_read(summary_file, profile->part, &bytes, error) &&
	       summary_file_block_open(&block, &bytes, error);
	if (done && !unpack_profile(&block, profile))
		done = summary_file_damaged(summary_file->parts[profile->part].rank, error);
	if (done)
		profile->rank = summary_file->parts[profile->part].rank;
	return done;
}

static bool read_summary(struct input *input)
{
	AUTO(summary_file_close) struct summary_file summary_file = { 0 };
	if (input->profile->partial)
		return error_input(input->error,
				   "is a summary and cannot be previewed while loading");
	return summary_file_open(&summary_file, input->source, input->error) &&
	       summary_file_profile_read_block(&summary_file, input->profile, input->error);
}

/* There are no events to take the times from. */
static void set_times(struct profile *profile, const char *wrapping)
{
	profile->base_ns = profile->tables->base_ns;
	profile->end_ns = profile->tables->end_ns;
}

const struct reader summary_file_reader = {
	.recognize = summary_file_recognize,
	.read = read_summary,
	.finish = set_times,
};
