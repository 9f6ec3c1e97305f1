#include "base/stored.h"

#include "base/any_of.h"
#include "base/check.h"
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

CLEAR_MEMBERS(stored_pack_free, struct stored_pack, OWN_BY(arena_free, arena) OWN(sections))

static void section_name(char *out, const char *table, const char *name)
{
	snprintf(out, STORE_NAME_MAX, "%s%s%s", table ? table : "", table ? "." : "", name);
}

void stored_add(struct stored_pack *pack, const char *table, const char *name, const void *data,
		size_t size)
{
	pack->arena = pack->arena ?: arena_new();
	char *full = arena_alloc(pack->arena, STORE_NAME_MAX);
	section_name(full, table, name);
	*mem_push(pack->sections, pack->count) = (struct store_section){ full, data, size, 0 };
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
	return sum_of(i, table->field_count, table->fields[i].size);
}

void stored_add_object(struct stored_pack *pack, const struct stored_table *table,
		       const void *object, const uint64_t *counts)
{
	pack->arena = pack->arena ?: arena_new();
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
	pack->arena = pack->arena ?: arena_new();
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
	return keep_if(good && at == bytes, strings, intern_free);
}

/* ---- checking ---- */

struct stored_checking {
	const struct stored_table *table;
	const char *object;
	const uint64_t *counts;
	const struct store *store;
	atomic_bool bad;
};

static bool bytes_below(const char *at, size_t stride, size_t count, uint64_t limit)
{
	uint8_t max = 0;
	for (size_t i = 0; i < count; i++, at += stride)
		max = *(const uint8_t *)at > max ? *(const uint8_t *)at : max;
	return max < limit;
}

/* Numbers of 32 bits are known by the bounds of their rows. */
static bool words_below(const struct narrow_bounds *rows, const struct stored_index *index,
			uint64_t limit)
{
	const struct narrow_bounds *bounds = rows ? &rows[index->field / index->size] : NULL;
	return bounds && bounds->most <= limit && (index->none || bounds->least > 0);
}

static void check_index(void *context, size_t i)
{
	struct stored_checking *checking = context;
	const struct stored_table *table = checking->table;
	const struct stored_index *index = &table->indexes[i];
	const struct stored_column *column =
		first_of(at, table->columns, table->column_count, at->pointer == index->pointer);
	uint64_t rows = checking->counts[column->rows] + column->more;
	uint64_t limit = checking->counts[index->limit];
	const char *data;
	require(index->size == 1 || (index->size == sizeof(uint32_t) &&
				     column->element % sizeof(uint32_t) == 0),
		"index %zu of %s is neither a byte nor a word of a row", i, table->name);
	memcpy(&data, checking->object + column->pointer, sizeof data);
	if (!data || !rows)
		return;
	if (index->size == 1 ? !bytes_below(data + index->field, column->element, rows, limit)
			     : !words_below(store_bounds(checking->store, data,
							 column->element / sizeof(uint32_t)),
					    index, limit))
		atomic_store(&checking->bad, true);
}

bool stored_check(const struct stored_table *table, const void *object, const uint64_t *counts,
		  const struct store *store)
{
	struct stored_checking checking = { table, object, counts, store, false };
	parallel_for(table->index_count, check_index, &checking);
	return !atomic_load(&checking.bad);
}
