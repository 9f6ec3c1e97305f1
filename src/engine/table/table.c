#include "table/table.h"

#include "session/load.h"
#include "base/buffer.h"
#include "base/text.h"
#include "model/device_label.h"
#include "table/table_names.h"
#include "table/view.h"

#include <assert.h>
#include <math.h>
#include <strings.h>

bool ref_equal(struct ref a, struct ref b)
{
	return a.kind == b.kind && a.a == b.a && a.b == b.b && a.c == b.c;
}

/*
 * ---- time range: 48 bits start, 16 bits device (kind and number), 32 bits duration in us ----
 */

enum { TIME_NUMBER_BITS = 14 };

struct ref ref_of_time(int32_t device, int64_t start, int64_t dur)
{
	uint32_t number = (uint32_t)device & (DEVICE_NUMBER_MAX - 1);
	uint32_t kind = (uint32_t)device >> DEVICE_KIND_SHIFT;
	if (start < 0 || start >> 48 || dur < 0 || dur / 1000 > UINT32_MAX || device < 0 ||
	    kind >= DEVICE_KINDS || number >> TIME_NUMBER_BITS)
		return NO_REF;
	return (struct ref){ REF_TIME, (uint32_t)start,
			     (uint32_t)(start >> 32) | number << 16 |
				     kind << (16 + TIME_NUMBER_BITS),
			     (uint32_t)(dur / 1000) };
}

int64_t ref_start(struct ref ref)
{
	assert(ref.kind == REF_TIME);
	return (int64_t)(ref.b & UINT16_MAX) << 32 | ref.a;
}

int64_t ref_end(struct ref ref)
{
	return ref_start(ref) + (int64_t)ref.c * 1000;
}

int32_t ref_device(struct ref ref)
{
	assert(ref.kind == REF_TIME);
	uint32_t number = ref.b >> 16 & ((1 << TIME_NUMBER_BITS) - 1);
	return device_of_kind(ref.b >> (16 + TIME_NUMBER_BITS), (int32_t)number);
}

/* ---- reading ---- */

const char *table_label(const struct table *table)
{
	return table->view && table->view->name ? table->view->name : "(none)";
}

static size_t stored_row(const struct table *table, size_t row)
{
	return table->kept ? table->kept[row] : row;
}

struct value table_value_of(const struct table *table, size_t row, size_t column)
{
	assert(column < table->columns);
	if (table->blank >> column & 1)
		return value_missing();
	if (table->cells[column])
		return table->cells[column][row];
	return table->compute ? table->compute(table, row, column) : value_missing();
}

struct value table_value(const struct table *table, size_t row, size_t column)
{
	assert(row < table->rows);
	return table_value_of(table, stored_row(table, row), column);
}

struct value table_number_at(const struct table *table, size_t row, size_t column)
{
	uint32_t underlying = (uint32_t)row;
	int64_t number;
	bool read = table->compute_numbers(table, column, &underlying, 1, &number);
	return read && number != NO_VALUE ? value_int(number) : value_missing();
}

void table_underlying(const struct table *table, size_t first, size_t count, uint32_t *rows)
{
	for (size_t i = 0; i < count; i++)
		rows[i] = (uint32_t)stored_row(table, first + i);
}

/* Texts by address and length, which nothing here has more than 16 bits of. */
static int64_t number_of_cell(struct value cell, unsigned *kinds)
{
	bool text = cell.kind == VALUE_TEXT;
	bool missing = cell.kind == VALUE_MISSING || (cell.kind == VALUE_REAL && isnan(cell.real));
	bool whole = cell.kind == VALUE_INT ? cell.integer != NO_VALUE
					    : text && cell.length <= UINT16_MAX;
	*kinds |= 1u << (missing ? VALUE_MISSING : whole ? cell.kind : VALUE_REAL);
	return missing ? NO_VALUE
	       : text  ? (int64_t)((uintptr_t)cell.text ^ (uint64_t)cell.length << 48)
		       : cell.integer;
}

unsigned table_read(const struct table *table, size_t column, const uint32_t *rows, size_t count,
		    int64_t *numbers)
{
	require_column(table, column);
	unsigned kinds = 0;
	bool own = !table->cells[column] && !(table->blank >> column & 1);
	if (own && table->compute_numbers &&
	    table->compute_numbers(table, column, rows, count, numbers))
		return 1u << (table->column[column]->unit == UNIT_TEXT ? VALUE_TEXT : VALUE_INT);
	for (size_t i = 0; i < count; i++)
		numbers[i] = number_of_cell(table_value_of(table, rows[i], column), &kinds);
	return kinds;
}

struct ref table_ref(const struct table *table, size_t row)
{
	assert(row < table->rows);
	row = stored_row(table, row);
	if (table->compute_ref)
		return table->compute_ref(table, row);
	return table->refs   ? table->refs[row]
	       : table->kind ? (struct ref){ table->kind, (uint32_t)row, 0, 0 }
			     : NO_REF;
}

uint32_t table_depth(const struct table *table, size_t row)
{
	assert(row < table->rows);
	return table->depth ? table->depth[stored_row(table, row)] : 0;
}

int table_column(const struct table *table, const char *id)
{
	for (size_t i = 0; i < table->columns; i++) {
		if (strcmp(table->column[i]->id, id) == 0)
			return (int)i;
	}
	return -1;
}

void table_measure(struct table *table, const char *id, enum unit unit, const char *title)
{
	int at = table_column(table, id);
	if (at < 0)
		return;
	struct column *column = arena_alloc(table->arena, sizeof *column);
	*column = *table->column[at];
	column->unit = unit;
	column->title = title ? title : column->title;
	table->column[at] = column;
}

/* The only column that starts with NAME; -1: none or several. */
static int column_starting(const struct table *table, const char *name, size_t length)
{
	int found = -1;
	for (size_t i = 0; i < table->columns && length > 0; i++) {
		const struct column *column = table->column[i];
		if (strncasecmp(column->id, name, length) != 0 &&
		    strncasecmp(column->title, name, length) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}

const char *table_column_near(const struct table *table, const char *id)
{
	struct text_near near = { .name = id };
	for (size_t i = 0; i < table->columns; i++)
		text_near_try(&near, table->column[i]->id, text_distance(id, table->column[i]->id));
	return near.best;
}

int table_column_named(const struct table *table, const char *name, size_t length)
{
	int titled = -1;
	for (size_t i = 0; i < table->columns; i++) {
		const struct column *column = table->column[i];
		if (strlen(column->id) == length && memcmp(column->id, name, length) == 0)
			return (int)i;
		if (titled < 0 && strlen(column->title) == length &&
		    strncasecmp(column->title, name, length) == 0)
			titled = (int)i;
	}
	return titled >= 0 ? titled : column_starting(table, name, length);
}

const char *table_default_sort(const struct table *table)
{
	return table->default_sort ? table->default_sort
	       : table->view       ? view_default_sort(table->view)
				   : "";
}

const char *table_default_columns(const struct table *table)
{
	return table->default_columns || !table->view ? table->default_columns
						      : table->view->default_columns;
}

int table_need(const struct table *table, const char *id)
{
	int column = table_column(table, id);
	require(column >= 0, "view %s: no column '%s'", table_label(table), id);
	return column;
}

struct value table_cell(const struct table *table, size_t row, const char *id)
{
	return table_value(table, row, (size_t)table_need(table, id));
}

double table_amount(const struct table *table, size_t row, int column)
{
	return column < 0 ? NAN : value_number(table_value(table, row, (size_t)column), NAN);
}

double table_whole(const struct table *table, size_t column, double sum)
{
	for_each (at, table->stated, sizeof table->stated / sizeof *table->stated)
		if (at->column && !strcmp(at->column, table->column[column]->id))
			return at->sum > sum ? at->sum : sum;
	return sum;
}

struct value table_value_or_missing(const struct table *table, size_t row, int column)
{
	return column < 0 ? value_missing() : table_value(table, row, (size_t)column);
}

struct value table_cell_or_missing(const struct table *table, size_t row, const char *id)
{
	return table_value_or_missing(table, row, table_column(table, id));
}

int table_column_as(const struct table *table, enum column_role role)
{
	for (size_t i = 0; i < table->columns; i++) {
		if (table->column[i]->role == role)
			return (int)i;
	}
	return -1;
}

size_t table_find(const struct table *table, struct ref ref)
{
	for (size_t row = 0; row < table->rows; row++) {
		if (ref_equal(table_ref(table, row), ref))
			return row;
	}
	return SIZE_MAX;
}

bool table_column_is_empty(const struct table *table, size_t column)
{
	require_column(table, column);
	return table->rows && !table->cells[column] &&
	       (!table->compute || !(table->used >> column & 1));
}

int table_name_column(const struct table *table)
{
	int named = table_column_as(table, COLUMN_NAME);
	if (named >= 0)
		return named;
	for (size_t i = 0; i < table->columns; i++) {
		if (table->column[i]->unit == UNIT_TEXT)
			return (int)i;
	}
	return table->columns ? 0 : -1;
}

static bool same_text(const struct table *table, size_t row, const struct table *other,
		      size_t other_row, size_t column)
{
	struct value a = table_value(table, row, column);
	struct value b = table_value(other, other_row, column);
	return a.kind == VALUE_TEXT && b.kind == VALUE_TEXT && a.length == b.length &&
	       memcmp(a.text, b.text, a.length) == 0;
}

size_t table_find_texts(const struct table *table, const struct table *other, size_t row)
{
	int name = table_name_column(table);
	size_t found = SIZE_MAX, most = 0;
	if (name < 0 || table->columns != other->columns)
		return SIZE_MAX;
	for (size_t i = 0; i < table->rows; i++) {
		size_t same = 0;
		if (!same_text(table, i, other, row, (size_t)name))
			continue;
		for (size_t column = 0; column < table->columns; column++)
			same += same_text(table, i, other, row, column);
		if (same > most)
			found = i;
		most = same > most ? same : most;
	}
	return found;
}

/* Unit of a fact's value, from the row's unit column. */
static const struct column *unit_of_fact(const struct table *table, size_t row)
{
	static const struct column scales[] = { SCALE_ROWS };
	int column = table_column_as(table, COLUMN_SCALE);
	if (column < 0)
		return NULL;
	struct value unit = table_value(table, row, (size_t)column);
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		if (value_compare(unit, value_text(scales[i].id)) == 0)
			return &scales[i];
	}
	return NULL;
}

void table_format(struct buffer *out, const struct table *table, size_t row, size_t column,
		  bool raw)
{
	struct value value = table_value(table, row, column);
	const struct column *scale = NULL;
	if (table->column[column]->unit == UNIT_TEXT && value.kind != VALUE_TEXT)
		scale = unit_of_fact(table, row);
	if (!raw && (scale || table->column[column]->estimated) && value.kind != VALUE_MISSING &&
	    value_is(table_cell_or_missing(table, row, "bytes_from"), "estimated"))
		buffer_putc(out, '~');
	value_format(out, scale ? scale : table->column[column], value, raw);
}

/* ---- building ---- */

struct table *table_new(const struct view *view)
{
	struct table *table = mem_zalloc(1, sizeof *table);
	table->view = view;
	table->arena = arena_new();
	table->used = UINT64_MAX;
	for (const char *id = view ? view->columns : NULL; id && *id;) {
		size_t length = strcspn(id, ",");
		char *name = arena_strndup(table->arena, id, length);
		const struct column *column = column_find(name);
		require(column, "view %s: no column '%s' in the vocabulary", table_label(table),
			name);
		table_add_column(table, column);
		id += length + (id[length] == ',');
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	if (table->free_state)
		table->free_state(table->state);
	mem_free_each(table->cells, table->columns);
	mem_free_all(table->cells, table->column, table->refs, table->depth, table->kept);
	table_names_free(table->names);
	selection_free(&table->selection);
	arena_free(table->arena);
	run_release(table->run, table->held);
	mem_free(table);
}

void table_keep(struct table *table, const uint32_t *rows, size_t count)
{
	uint32_t *kept = mem_alloc(count * sizeof *kept);
	for (size_t i = 0; i < count; i++)
		assert(rows[i] < table->rows);
	for (size_t i = 0; i < count; i++)
		kept[i] = (uint32_t)stored_row(table, rows[i]);
	mem_free(table->kept);
	table_names_free(table->names);
	table->names = NULL;
	table->kept = kept;
	table->rows = count;
}

void table_add_column(struct table *table, const struct column *column)
{
	require(!table->capacity && !table->compute, "view %s: column '%s' added after rows",
		table_label(table), column->id);
	require(table_column(table, column->id) < 0, "view %s: column '%s' listed twice",
		table_label(table), column->id);
	size_t count = table->columns + 1;
	table->column = mem_realloc(table->column, count, sizeof *table->column);
	table->cells = mem_realloc(table->cells, count, sizeof *table->cells);
	table->column[table->columns] = column;
	table->cells[table->columns] = NULL;
	table->columns = count;
}

struct table *table_with(const struct column *columns, size_t count)
{
	struct table *table = table_new(NULL);
	for (size_t i = 0; i < count; i++)
		table_add_column(table, &columns[i]);
	return table;
}

void table_reserve(struct table *table, size_t rows)
{
	size_t old = table->capacity, capacity = old > rows / 2 ? 2 * old + 16 : rows;
	if (rows <= old)
		return;
	for (size_t i = 0; i < table->columns; i++) {
		struct value *cells = table->cells[i];
		if (!cells)
			continue;
		table->cells[i] = cells = mem_realloc(cells, capacity, sizeof *cells);
		memset(cells + old, 0, (capacity - old) * sizeof *cells);
	}
	table->refs = mem_realloc(table->refs, capacity, sizeof *table->refs);
	if (table->depth) {
		table->depth = mem_realloc(table->depth, capacity, sizeof *table->depth);
		memset(table->depth + old, 0, (capacity - old) * sizeof *table->depth);
	}
	table->capacity = capacity;
}

size_t table_add_row(struct table *table, struct ref ref)
{
	require(!table->compute, "view %s: its rows are computed", table_label(table));
	table_reserve(table, table->rows + 1);
	table->refs[table->rows] = ref;
	return table->rows++;
}

void table_add_values(struct table *table, const struct value *values)
{
	size_t row = table_add_row(table, NO_REF);
	for (size_t i = 0; i < table->columns; i++)
		table_set_at(table, row, i, values[i]);
}

void *table_new_state(struct table *table, size_t size, void (*free_state)(void *state))
{
	table->state = memset(arena_alloc(table->arena, size), 0, size);
	table->free_state = free_state;
	return table->state;
}

struct value *table_values(struct table *table, size_t count)
{
	return arena_alloc(table->arena, (count + 1) * sizeof(struct value));
}

void table_set_at(struct table *table, size_t row, size_t column, struct value value)
{
	require(row < table->rows && column < table->columns,
		"view %s: %zu rows, %zu columns, no cell at %zu, %zu", table_label(table),
		table->rows, table->columns, row, column);
	if (!table->cells[column] && value.kind == VALUE_MISSING && !value.integer)
		return; /* the column stays empty */
	if (!table->cells[column])
		table->cells[column] = mem_zalloc(table->capacity, sizeof **table->cells);
	table->cells[column][row] = value;
}

void table_set(struct table *table, size_t row, const char *id, struct value value)
{
	table_set_at(table, row, (size_t)table_need(table, id), value);
}

void table_set_listed(struct table *table, size_t row, const char *id, struct value value)
{
	int column = table_column(table, id);
	if (column >= 0)
		table_set_at(table, row, (size_t)column, value);
}

void table_set_depth(struct table *table, size_t row, uint32_t depth)
{
	require(row < table->rows, "view %s: %zu rows, no row %zu", table_label(table), table->rows,
		row);
	table->depth = table->depth ?: mem_zalloc(table->capacity, sizeof *table->depth);
	table->depth[row] = depth;
}

struct value table_copy_text(struct table *table, const char *text, size_t length)
{
	return value_bytes(arena_strndup(table->arena, text, length), length);
}

struct value table_copy_string(struct table *table, const char *text)
{
	return text ? table_copy_text(table, text, strlen(text)) : value_missing();
}

struct value table_take_text(struct table *table, struct buffer *text)
{
	struct value value = table_copy_text(table, BUFFERED(text));
	buffer_free(text);
	return value;
}

static char *format_text(struct table *table, const char *format, va_list args, size_t *length)
{
	va_list again;
	va_copy(again, args);
	int need = vsnprintf(NULL, 0, format, args);
	*length = need > 0 ? (size_t)need : 0;
	char *text = arena_alloc(table->arena, *length + 1);
	vsnprintf(text, *length + 1, format, again);
	va_end(again);
	return text;
}

struct value table_printf(struct table *table, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	size_t length;
	const char *text = format_text(table, format, args, &length);
	va_end(args);
	return value_bytes(text, length);
}

bool table_note_none(struct table *table, const char *note)
{
	if (!table->rows)
		table->note = note;
	return true;
}

void table_note(struct table *table, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	size_t length;
	table->note = format_text(table, format, args, &length);
	va_end(args);
}
