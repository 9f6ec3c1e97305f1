#include "report/extract.h"

#include "base/any_of.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "base/text_slice.h"

enum { SORT_KEYS_MAX = 8 };

/* Index of the column, or -1 with ERROR. */
static int resolve(const struct table *table, const char *id, size_t length, struct error *error)
{
	int column = table_column_named(table, id, length);
	if (column >= 0)
		return column;
	AUTO_FREE char *slip = mem_printf("%.*s", (int)length, id);
	AUTO_BUFFER struct buffer ids = { 0 };
	for (size_t i = 0; i < table->columns; i++)
		buffer_printf(&ids, "%s%s", i ? ", " : "", table->column[i]->id);
	error_usage(error, "%s%s has no column \"%s\"%s%s%s; it has %s",
		    table->view ? "the view " : "the result", table->view ? table->view->name : "",
		    slip, DID_YOU_MEAN(table_column_near(table, slip), ""), buffer_text(&ids));
	return -1;
}

/* Add the columns of LIST; columns without any value only if ASKED for. */
static bool add_columns(struct extract *extract, const char *list, bool asked, struct error *error)
{
	for (struct text_slice item; text_next_item(&list, &item);) {
		bool plus = *item.text == '+';
		int column = resolve(extract->table, item.text + plus, item.length - plus, error);
		if (column < 0)
			return false;
		bool blank = !asked && table_column_is_empty(extract->table, (size_t)column);
		if (!blank && !any_of(i, extract->column_count, extract->columns[i] == column))
			extract->columns[extract->column_count++] = column;
	}
	return true;
}

static bool choose_columns(struct extract *extract, const struct extract_options *options,
			   struct error *error)
{
	const struct table *table = extract->table;
	extract->columns = mem_zalloc(table->columns, sizeof *extract->columns);
	bool defaults = !options->columns || *options->columns == '+';
	const char *view_columns = table_default_columns(table);
	if (defaults && !options->all_columns && view_columns) {
		if (!add_columns(extract, view_columns, false, error))
			return false;
	} else if (defaults) {
		for (size_t i = 0; i < table->columns; i++)
			extract->columns[extract->column_count++] = (int)i;
	}
	if (!add_columns(extract, options->columns, true, error))
		return false;
	return extract->column_count || error_usage(error, "no columns to show");
}

static bool parse_key(const struct table *table, const char *item, size_t length,
		      struct sort_key *key, struct error *error)
{
	const char *colon = memchr(item, ':', length);
	size_t id_length = colon ? (size_t)(colon - item) : length;
	key->column = resolve(table, item, id_length, error);
	if (key->column < 0)
		return false;
	key->descending = column_is_number(table->column[key->column]);
	key->missing_first = false;
	if (!colon)
		return true;
	size_t rest = length - id_length;
	bool ascending = rest == 4 && memcmp(colon, ":asc", 4) == 0;
	key->descending = rest == 5 && memcmp(colon, ":desc", 5) == 0;
	return ascending || key->descending ||
	       error_usage(error, "sort order must be asc or desc, not \"%.*s\"", (int)rest - 1,
			   colon + 1);
}

static bool parse_sort(const struct table *table, const char *list, struct sort_key *keys,
		       size_t *count, struct error *error)
{
	struct text_slice item;
	for (*count = 0; text_next_item(&list, &item); ++*count) {
		if (*count == SORT_KEYS_MAX)
			return error_usage(error, "more than %d sort columns", SORT_KEYS_MAX);
		if (!parse_key(table, item.text, item.length, &keys[*count], error))
			return false;
	}
	return true;
}

/* Requested order, otherwise the view's default. */
static const char *sort_list(const struct table *table, const struct extract_options *options)
{
	return options->sort ? options->sort : table_default_sort(table);
}

static bool names_hold(const struct table *table, const struct extract_options *options,
		       struct error *error)
{
	AUTO(extract_clear) struct extract extract = { .table = table };
	struct sort_key keys[SORT_KEYS_MAX];
	size_t count;
	return choose_columns(&extract, options, error) &&
	       parse_sort(table, sort_list(table, options), keys, &count, error);
}

bool extract_check(const struct view *view, const struct extract_options *options,
		   struct error *error)
{
	AUTO_TABLE struct table *empty = table_new(view);
	return names_hold(empty, options, error);
}

bool extract_make(struct extract *extract, const struct table *table,
		  const struct extract_options *options, const struct progress *progress,
		  struct error *error)
{
	*extract = (struct extract){ .table = table,
				     .sort = options->sort,
				     .limited = options->limit != SIZE_MAX };
	struct sort_key keys[SORT_KEYS_MAX];
	size_t count;
	if (!choose_columns(extract, options, error) ||
	    !parse_sort(table, sort_list(table, options), keys, &count, error))
		return false;
	extract->rows = table_sort(table, keys, count, NULL, &extract->row_count, progress, error);
	if (!extract->rows)
		return false;
	if (extract->row_count > options->limit) {
		extract->left_out = extract->row_count - options->limit;
		extract->row_count = options->limit;
	}
	return true;
}

CLEAR_MEMBERS(extract_clear, struct extract, OWN(columns) OWN(rows))
