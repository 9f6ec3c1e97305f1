/*
 * The profile of a summary: what is known of the trace, and tables of its views.
 */
#include "input/summary_file/summary_file.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "input/reader.h"
#include "model/summary_tables.h"
#include "model/profile.h"
#include "model/tool.h"

#include <string.h>
#include <sys/stat.h>

/* ---- the trace and its devices ---- */

#define DEVICE_NUMBERS 9

static void device_numbers(struct device *device, int64_t *numbers[DEVICE_NUMBERS])
{
	int64_t *all[DEVICE_NUMBERS] = { &device->memory_bytes,      &device->compute_major,
					 &device->compute_minor,     &device->sm_count,
					 &device->warp_size,         &device->max_threads_per_sm,
					 &device->shared_mem_per_sm, &device->memory_bandwidth,
					 &device->clock_hz };
	memcpy(numbers, all, sizeof all);
}

static void summary_file_profile_add_text(struct buffer *out, struct intern *texts,
					  const char *text)
{
	packed_add_text(out, texts, text, strlen(text));
}

void summary_file_pack_profile(const struct profile *profile, const char *trace, const char *made,
			       const struct summary_tables *tables, struct intern *texts,
			       struct buffer *out)
{
	summary_file_profile_add_text(out, texts, trace);
	summary_file_profile_add_text(out, texts, made);
	packed_add(out, tables->trace_bytes);
	packed_add(out, tables->trace_head);
	packed_add(out, tables->trace_tail);
	summary_file_profile_add_text(out, texts, profile->format);
	summary_file_profile_add_text(out, texts, tools[profile->tool]->name);
	packed_add_signed(out, profile->epoch_ns);
	packed_add_signed(out, profile->base_ns);
	packed_add_signed(out, profile->end_ns);
	packed_add_signed(out, profile->rank);
	packed_add_signed(out, profile->world_size);
	packed_add(out, profile->truncated);
	packed_add(out, profile->text_bytes);
	packed_add(out, profile->events);
	packed_add(out, profile->device_count);
	for (size_t i = 0; i < profile->device_count; i++) {
		struct device device = profile->devices[i];
		int64_t *numbers[DEVICE_NUMBERS];
		device_numbers(&device, numbers);
		packed_add_signed(out, device.id);
		packed_add_signed(out, device.work_id);
		summary_file_profile_add_text(out, texts, profile_string(profile, device.name));
		for (int n = 0; n < DEVICE_NUMBERS; n++)
			packed_add_signed(out, *numbers[n]);
		packed_add_signed(out, device.regs_per_sm);
	}
}

struct unpacking {
	struct packed packed;
	const struct packed_texts *texts;
	struct profile *profile;
};

static uint32_t take_text_strsum_profile(struct unpacking *unpacking)
{
	return packed_take_text(&unpacking->packed, unpacking->texts, unpacking->profile->strings);
}

static int32_t parse_id(struct packed *packed)
{
	int64_t id = packed_take_signed(packed);
	packed->bad |= id < -1 || id > INT32_MAX;
	return (int32_t)id;
}

static void parse_devices(struct unpacking *unpacking)
{
	struct packed *packed = &unpacking->packed;
	struct profile *profile = unpacking->profile;
	size_t count = packed_take_count(packed, DEVICE_NUMBERS + 4);
	mem_grow(profile->devices, profile->device_cap, count);
	profile->device_count = count;
	for (size_t i = 0; i < count; i++) {
		struct device *device = &profile->devices[i];
		int64_t *numbers[DEVICE_NUMBERS];
		*device = (struct device){ .id = parse_id(packed) };
		device->work_id = parse_id(packed);
		device->name = take_text_strsum_profile(unpacking);
		device_numbers(device, numbers);
		for (int n = 0; n < DEVICE_NUMBERS; n++)
			*numbers[n] = packed_take_signed(packed);
		device->regs_per_sm = packed_take_signed(packed);
	}
}

static uint8_t tool_named(const char *name)
{
	for (uint8_t i = 0; tools[i]; i++)
		if (strcmp(tools[i]->name, name) == 0)
			return i;
	return 0; /* of a strata that knows more tools */
}

/* Times add up without overflow in what reads them. */
static bool are_times(const struct profile *profile)
{
	int64_t sum;
	return profile->tables->end_ns >= 0 &&
	       !__builtin_add_overflow(profile->epoch_ns, profile->tables->base_ns, &sum) &&
	       !__builtin_add_overflow(sum, profile->tables->end_ns, &sum);
}

static void parse_profile(struct unpacking *unpacking)
{
	struct profile *profile = unpacking->profile;
	struct packed *packed = &unpacking->packed;
	struct buffer format = { 0 };
	profile->tables->trace = take_text_strsum_profile(unpacking);
	profile->tables->made = take_text_strsum_profile(unpacking);
	profile->tables->trace_bytes = packed_take(packed);
	profile->tables->trace_head = packed_take(packed);
	profile->tables->trace_tail = packed_take(packed);
	buffer_printf(&format, "summary of a %s",
		      profile_string(profile, take_text_strsum_profile(unpacking)));
	profile->format = arena_strndup(profile->arena, buffer_text(&format), format.length);
	buffer_free(&format);
	profile->tool = tool_named(profile_string(profile, take_text_strsum_profile(unpacking)));
	profile->epoch_ns = packed_take_signed(packed);
	profile->tables->base_ns = packed_take_signed(packed);
	profile->tables->end_ns = packed_take_signed(packed);
	profile->rank = packed_take_signed(packed);
	profile->world_size = packed_take_signed(packed);
	profile->truncated = packed_take_below(packed, 2);
	profile->text_bytes = packed_take(packed);
	profile->events = packed_take(packed);
	parse_devices(unpacking);
	packed->bad |= !are_times(profile);
}

/* ---- tables ---- */

static void parse_cell(struct unpacking *unpacking, struct summary_cell *cell, int64_t *before)
{
	switch ((enum summary_cell_kind)cell->kind) {
	case SUMMARY_CELL_INT:
		*before = (int64_t)((uint64_t)*before +
				    (uint64_t)packed_take_signed(&unpacking->packed));
		cell->integer = *before;
		break;
	case SUMMARY_CELL_REAL: cell->real = packed_take_real(&unpacking->packed); break;
	case SUMMARY_CELL_TEXT: cell->text = take_text_strsum_profile(unpacking); break;
	case SUMMARY_CELL_MISSING:
	case SUMMARY_CELL_KINDS: break;
	}
}

/* Runs of cells of a kind, then their values. */
static void parse_column(struct unpacking *unpacking, struct summary_cell *cells, uint32_t rows)
{
	struct packed *packed = &unpacking->packed;
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
static void parse_depths(struct unpacking *unpacking, struct summary_table *table)
{
	uint32_t limit = 1;
	table->depth = mem_zalloc((size_t)table->rows + 1, sizeof *table->depth);
	for (uint32_t row = 0; row < table->rows; row++) {
		table->depth[row] = packed_take_below(&unpacking->packed, limit);
		limit = table->depth[row] + 2;
	}
}

/* Cells that a section may hold for each of its bytes; a row with one number has up to 48. */
enum { CELLS_PER_BYTE = 64, COLUMNS_MAX = 64 };

static void parse_table(struct unpacking *unpacking, struct summary_table *table, uint64_t *room)
{
	struct packed *packed = &unpacking->packed;
	table->view = take_text_strsum_profile(unpacking);
	table->group = take_text_strsum_profile(unpacking);
	table->note = take_text_strsum_profile(unpacking);
	table->is_tree = packed_take_below(packed, 2);
	table->rows_of = packed_take(packed);
	table->columns = packed_take_below(packed, COLUMNS_MAX + 1);
	table->column = mem_zalloc((size_t)table->columns + 1, sizeof *table->column);
	for (uint32_t i = 0; i < table->columns; i++)
		table->column[i] = take_text_strsum_profile(unpacking);
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

static void parse_tables(struct unpacking *unpacking)
{
	struct summary_tables *tables = unpacking->profile->tables;
	struct packed *packed = &unpacking->packed;
	uint64_t room = (uint64_t)(packed->end - packed->at) * CELLS_PER_BYTE;
	size_t count = packed_take_count(packed, 7);
	tables->items = mem_zalloc(count + 1, sizeof *tables->items);
	for (; tables->count < count && !packed->bad; tables->count++)
		parse_table(unpacking, &tables->items[tables->count], &room);
}

/* ---- both ---- */

bool summary_file_unpack_identity(const struct summary_file_block *block,
				  struct summary_tables *tables, struct buffer *trace,
				  struct buffer *made)
{
	struct packed packed = block->section[SUMMARY_FILE_PROFILE];
	struct intern *strings = intern_new();
	buffer_puts(trace, intern_text(strings, packed_take_text(&packed, &block->texts, strings)));
	buffer_puts(made, intern_text(strings, packed_take_text(&packed, &block->texts, strings)));
	tables->trace_bytes = packed_take(&packed);
	tables->trace_head = packed_take(&packed);
	tables->trace_tail = packed_take(&packed);
	intern_free(strings);
	return !packed.bad;
}

bool summary_file_unpack_tool(const struct summary_file_block *block, uint32_t *tool)
{
	enum { TEXTS_BEFORE = 2, NUMBERS_BEFORE = 3 };
	struct packed packed = block->section[SUMMARY_FILE_PROFILE];
	struct intern *strings = intern_new();
	for (int i = 0; i < TEXTS_BEFORE; i++)
		packed_take_text(&packed, &block->texts, strings);
	for (int i = 0; i < NUMBERS_BEFORE; i++)
		packed_take(&packed);
	packed_take_text(&packed, &block->texts, strings); /* the format */
	*tool = tool_named(intern_text(strings, packed_take_text(&packed, &block->texts, strings)));
	intern_free(strings);
	return !packed.bad;
}

bool summary_file_unpack_profile(const struct summary_file_block *block, struct profile *profile)
{
	struct unpacking unpacking = { block->section[SUMMARY_FILE_PROFILE], &block->texts,
				       profile };
	profile->tables = summary_tables_new();
	parse_profile(&unpacking);
	if (!packed_ended(&unpacking.packed))
		return false;
	if (block->section[SUMMARY_FILE_TABLES].at == block->section[SUMMARY_FILE_TABLES].end)
		return true;
	unpacking.packed = block->section[SUMMARY_FILE_TABLES];
	unpacking.texts = &block->table_texts;
	parse_tables(&unpacking);
	return packed_ended(&unpacking.packed);
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
	struct buffer bytes = { 0 };
	struct summary_file_block block = { 0 };
	bool done = profile->part < summary_file->count ||
		    error_set(error, ERROR_INPUT, "has fewer ranks than before");
	done = done && summary_file_read(summary_file, profile->part, &bytes, error) &&
	       summary_file_block_open(&block, &bytes, error);
	if (done && !summary_file_unpack_profile(&block, profile))
		done = summary_file_damaged(summary_file->parts[profile->part].rank, error);
	if (done)
		profile->rank = summary_file->parts[profile->part].rank;
	summary_file_block_close(&block);
	buffer_free(&bytes);
	return done;
}

static bool read_summary(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct summary_file summary_file;
	(void)builder, (void)progress; /* the source asks whether to go on */
	if (profile->partial)
		return error_set(error, ERROR_INPUT,
				 "is a summary and cannot be previewed while loading");
	bool done = summary_file_open(&summary_file, source, error) &&
		    summary_file_profile_read_block(&summary_file, profile, error);
	summary_file_close(&summary_file);
	return done;
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
