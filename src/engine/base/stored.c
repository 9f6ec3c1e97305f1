#include "base/stored.h"

#include "base/any_of.h"
#include "base/intern.h"
#include "base/narrow.h"
#include "base/parallel.h"

#include <stdio.h>

static uint64_t read_unsigned(const void *at, size_t size)
{
	uint64_t value = 0;
	memcpy(&value, at, size); /* little-endian: the low bytes come first */
	return value;
}

/* ---- packing ---- */

void stored_pack_free(struct stored_pack *pack)
{
	arena_free(pack->arena);
	mem_free(pack->sections);
	*pack = (struct stored_pack){ 0 };
}

static void section_name(char *out, const char *table, const char *name)
{
	snprintf(out, STORE_NAME_MAX, "%s%s%s", table ? table : "", table ? "." : "", name);
}

void stored_add(struct stored_pack *pack, const char *table, const char *name, const void *data,
		size_t size)
{
	if (!pack->arena)
		pack->arena = arena_new();
	char *full = arena_alloc(pack->arena, STORE_NAME_MAX);
	section_name(full, table, name);
	*mem_push(pack->sections, pack->count, pack->capacity) =
		(struct store_section){ full, data, size, 0 };
}

void stored_counts(const struct stored_table *table, const void *object, uint64_t *counts)
{
	for_each (field, table->fields, table->field_count)
		if (field->rows != STORED_NOT_A_COUNT)
			counts[field->rows] =
				read_unsigned((const char *)object + field->offset, field->size);
}

static size_t fields_size(const struct stored_table *table)
{
	size_t size = 0;
	for (size_t i = 0; i < table->field_count; i++)
		size += table->fields[i].size;
	return size;
}

void stored_add_object(struct stored_pack *pack, const struct stored_table *table,
		       const void *object, const uint64_t *counts)
{
	if (!pack->arena)
		pack->arena = arena_new();
	size_t size = fields_size(table), at = 0;
	char *fields = arena_alloc(pack->arena, size);
	for (size_t i = 0; i < table->field_count; i++) {
		memcpy(fields + at, (const char *)object + table->fields[i].offset,
		       table->fields[i].size);
		at += table->fields[i].size;
	}
	stored_add(pack, table->name, "fields", fields, size);
	for_each (column, table->columns, table->column_count) {
		const void *data;
		memcpy(&data, (const char *)object + column->pointer, sizeof data);
		if (!data && column->optional)
			continue;
		stored_add(pack, table->name, column->name, data,
			   (counts[column->rows] + column->more) * column->element);
		if (column->element % sizeof(uint32_t) == 0)
			pack->sections[pack->count - 1].words = column->element / sizeof(uint32_t);
	}
}

void stored_add_strings(struct stored_pack *pack, const char *table, const struct intern *strings)
{
	if (!pack->arena)
		pack->arena = arena_new();
	uint32_t count = intern_count(strings);
	size_t bytes = 0, at = 0;
	uint32_t *lengths = arena_alloc(pack->arena, count * sizeof *lengths);
	for (uint32_t i = 0; i < count; i++)
		bytes += intern_length(strings, i) + 1;
	char *texts = arena_alloc(pack->arena, bytes);
	for (uint32_t i = 0; i < count; i++) {
		lengths[i] = (uint32_t)intern_length(strings, i);
		memcpy(texts + at, intern_text(strings, i), (size_t)lengths[i] + 1);
		at += (size_t)lengths[i] + 1;
	}
	stored_add(pack, table, "string lengths", lengths, count * sizeof *lengths);
	stored_add(pack, table, "string texts", texts, bytes);
}

/* ---- unpacking ---- */

static const void *stored_find(const struct store *store, const char *table, const char *name,
			       size_t *size)
{
	char full[STORE_NAME_MAX];
	section_name(full, table, name);
	return store_find(store, full, size);
}

bool stored_load_fields(const struct stored_table *table, void *object, uint64_t *counts,
			const struct store *store)
{
	size_t size;
	const char *fields = stored_find(store, table->name, "fields", &size);
	if (!fields || size != fields_size(table))
		return false;
	for (size_t i = 0; i < table->field_count; i++) {
		memcpy((char *)object + table->fields[i].offset, fields, table->fields[i].size);
		fields += table->fields[i].size;
	}
	stored_counts(table, object, counts);
	return true;
}

bool stored_load_columns(const struct stored_table *table, void *object, const uint64_t *counts,
			 const struct store *store)
{
	for_each (column, table->columns, table->column_count) {
		size_t size;
		const void *data = stored_find(store, table->name, column->name, &size);
		if (!data && column->optional)
			continue;
		if (!data || size % column->element ||
		    size / column->element != counts[column->rows] + column->more)
			return false;
		memcpy((char *)object + column->pointer, &data, sizeof data);
	}
	return true;
}

struct intern *stored_load_strings(const char *table, const struct store *store)
{
	size_t size, bytes, at = 0;
	const uint32_t *lengths = stored_find(store, table, "string lengths", &size);
	const char *texts = stored_find(store, table, "string texts", &bytes);
	size_t count = size / sizeof *lengths;
	if (!lengths || !texts || count > UINT32_MAX)
		return NULL;
	struct intern *strings = intern_new();
	bool good = count > 0 && lengths[0] == 0;
	for (size_t i = 0; good && i < count; i++) {
		good = lengths[i] < bytes - at && !texts[at + lengths[i]] &&
		       intern_adopt(strings, texts + at, lengths[i]) == i;
		at += (size_t)lengths[i] + 1;
	}
	if (good && at == bytes)
		return strings;
	intern_free(strings);
	return NULL;
}

/* ---- checking ---- */

enum { PIECE = 1 << 16 }; /* rows per parallel piece */

struct stored_checking {
	const struct stored_index *index;
	const char *data;
	size_t stride;
	uint64_t rows, limit;
	atomic_bool bad;
};

static bool bytes_below(const char *at, size_t stride, size_t count, uint64_t limit)
{
	uint8_t max = 0;
	for (size_t i = 0; i < count; i++, at += stride)
		max = *(const uint8_t *)at > max ? *(const uint8_t *)at : max;
	return !count || max < limit;
}

static bool others_below(const struct stored_index *index, const char *at, size_t stride,
			 size_t count, uint64_t limit)
{
	uint64_t none = index->size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * index->size) - 1;
	for (size_t i = 0; i < count; i++, at += stride) {
		uint64_t value = read_unsigned(at, index->size);
		if (value >= limit && !(index->none && value == none))
			return false;
	}
	return true;
}

static bool all_below(const struct stored_index *index, const char *at, size_t stride, size_t count,
		      uint64_t limit)
{
	if (index->size == 1 && !index->none)
		return bytes_below(at, stride, count, limit);
	return others_below(index, at, stride, count, limit);
}

static void check_piece(void *context, size_t piece)
{
	struct stored_checking *checking = context;
	const struct stored_index *index = checking->index;
	size_t first = piece * PIECE;
	size_t count = checking->rows - first < PIECE ? checking->rows - first : PIECE;
	const char *at = checking->data + first * checking->stride + index->field;
	bool good = all_below(index, at, checking->stride, count, checking->limit);
	if (!good)
		atomic_store(&checking->bad, true);
}

static const struct stored_column *column_at(const struct stored_table *table, uint16_t pointer)
{
	return first_of(at, table->columns, table->column_count, at->pointer == pointer);
}

/* Numbers of a word are known by their bounds. */
static bool bounds_below(const struct stored_index *index, const struct narrow_bounds *bounds,
			 uint64_t limit)
{
	return bounds->most <= limit && (index->none || bounds->least > 0);
}

bool stored_check(const struct stored_table *table, const void *object, const uint64_t *counts,
		  const struct store *store)
{
	for (size_t i = 0; i < table->index_count; i++) {
		const struct stored_index *index = &table->indexes[i];
		const struct stored_column *column = first_of(
			at, table->columns, table->column_count, at->pointer == index->pointer);
		struct stored_checking checking = { .index = index,
						    .stride = column->element,
						    .rows = counts[column->rows] + column->more,
						    .limit = counts[index->limit] };
		memcpy(&checking.data, (const char *)object + column->pointer,
		       sizeof checking.data);
		if (!checking.data || !checking.rows)
			continue;
		const struct narrow_bounds *bounds =
			index->size == sizeof(uint32_t)
				? store_bounds(store, checking.data, index->field / index->size)
				: NULL;
		if (bounds && !bounds_below(index, bounds, checking.limit))
			return false;
		if (bounds)
			continue;
		parallel_for((checking.rows + PIECE - 1) / PIECE, check_piece, &checking);
		if (atomic_load(&checking.bad))
			return false;
	}
	return true;
}
