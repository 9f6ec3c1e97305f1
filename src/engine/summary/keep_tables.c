#include "summary/keep_tables.h"

#include "analysis/advice/summary_findings.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/summary_tables.h"
#include "views/findings.h"

#include <math.h>
#include <string.h>

/* How a table with more rows than are kept is cut. */
enum kept_cut {
	CUT_SMALLEST, /* keep the rows with the largest COLUMN */
	CUT_DEEPEST,  /* of a tree: keep the rows down to a depth */
	CUT_BETWEEN,  /* of a curve: keep the row with the largest COLUMN of each equal stretch */
	CUT_LAST,     /* keep the first rows */
};

struct kept_view {
	const char *view, *group; /* NULL: the default */
	size_t rows_max;
	enum kept_cut cut;
	const char *column;
};

enum { CURVE_POINTS_MAX = 1000, SLOWEST_MAX = 100, PATHS_MAX = 256 << 10 };

static const struct kept_view kept_views[] = {
	{ "overview", NULL, 2000, CUT_LAST, NULL },
	{ "info", NULL, 2000, CUT_LAST, NULL },
	{ "steps", NULL, 10000, CUT_LAST, NULL },
	{ "layers", NULL, 10000, CUT_DEEPEST, NULL },
	{ "layers", "passes", 5000, CUT_DEEPEST, NULL },
	{ "modules", NULL, 5000, CUT_DEEPEST, NULL },
	{ "operators", NULL, 5000, CUT_SMALLEST, "gpu_self_ns" },
	{ "operators", "shape", 2000, CUT_SMALLEST, "gpu_self_ns" },
	{ "kernels", NULL, 5000, CUT_SMALLEST, "total_ns" },
	{ "kernels", "properties", 2000, CUT_SMALLEST, "total_ns" },
	{ "launches", NULL, SLOWEST_MAX, CUT_SMALLEST, "dur_ns" },
	{ "memory", NULL, 5000, CUT_SMALLEST, "self_alloc_bytes" },
	{ "memory", "peak", 2000, CUT_LAST, NULL },
	{ "memory-curve", NULL, CURVE_POINTS_MAX, CUT_BETWEEN, "allocated_bytes" },
	{ "streams", NULL, 2000, CUT_LAST, NULL },
	{ "utilization", NULL, CURVE_POINTS_MAX, CUT_BETWEEN, "gpu_util_pct" },
	{ "counters", NULL, 2000, CUT_LAST, NULL },
	{ "metrics", NULL, 2000, CUT_LAST, NULL },
	{ "critical-path", "name", 1000, CUT_LAST, NULL },
	{ "critical-path", "kind", 1000, CUT_LAST, NULL },
	{ "gaps", NULL, SLOWEST_MAX, CUT_SMALLEST, "dur_ns" },
	{ "gaps", "cause", 1000, CUT_LAST, NULL },
	{ "gaps", "layer", 1000, CUT_LAST, NULL },
	{ "devices", NULL, 1000, CUT_LAST, NULL },
	{ "advice", NULL, 1000, CUT_LAST, NULL },
	{ "python", NULL, 5000, CUT_SMALLEST, "self_ns" },
	{ "blocks", NULL, SLOWEST_MAX, CUT_SMALLEST, "size_bytes" },
	{ "ooms", NULL, 1000, CUT_LAST, NULL },
};

/* ---- which rows ---- */

struct kept_rows {
	uint32_t *at; /* ascending */
	size_t count;
	size_t total; /* rows that could be kept */
};

/* A fact about this process, not about the trace. */
static bool is_kept_fact(const struct table *table, size_t row)
{
	int metric = table_column(table, "metric");
	return metric < 0 || !value_is(table_value(table, row, (size_t)metric), "memory used");
}

static void keep_row(struct kept_rows *rows, size_t row)
{
	rows->at[rows->count++] = (uint32_t)row;
}

/* Bytes of the row's path, which grows with its depth. */
static size_t path_bytes(const struct table *table, size_t row)
{
	int column = table_column(table, "path");
	struct value path = column < 0 ? value_missing() : table_value(table, row, (size_t)column);
	return path.kind == VALUE_TEXT ? path.length : 0;
}

static bool is_large(const struct table *table, size_t max)
{
	size_t bytes = 0;
	for (size_t row = 0; row < table->rows && bytes <= PATHS_MAX; row++)
		bytes += path_bytes(table, row);
	return table->rows > max || bytes > PATHS_MAX;
}

/* The deepest level down to which rows and paths are within the limits; the root stays. */
static void keep_upper(struct kept_rows *rows, const struct table *table, size_t max)
{
	size_t count = 0, bytes = 0;
	uint32_t depth = 0;
	for (; depth < table->rows; depth++) {
		size_t here = 0, more = 0;
		for (size_t row = 0; row < table->rows; row++) {
			here += table_depth(table, row) == depth;
			more += table_depth(table, row) == depth ? path_bytes(table, row) : 0;
		}
		if (!here || count + here > max || bytes + more > PATHS_MAX)
			break;
		count += here;
		bytes += more;
	}
	for (size_t row = 0; row < table->rows; row++)
		if (table_depth(table, row) < (depth ? depth : 1))
			keep_row(rows, row);
}

static void keep_largest_between(struct kept_rows *rows, const struct table *table, size_t max,
				 int column)
{
	for (size_t i = 0; i < max; i++) {
		size_t from = table->rows * i / max, end = table->rows * (i + 1) / max, best = from;
		for (size_t row = from + 1; row < end && column >= 0; row++)
			if (value_compare(table_value(table, row, (size_t)column),
					  table_value(table, best, (size_t)column)) > 0)
				best = row;
		keep_row(rows, best);
	}
}

static bool keep_largest(struct kept_rows *rows, const struct table *table, size_t max, int column,
			 const struct progress *progress, struct error *error)
{
	struct sort_key key = { column, true };
	size_t count;
	uint32_t *order = table_sort(table, &key, 1, NULL, &count, progress, error);
	AUTO_FREE bool *kept = mem_zalloc(table->rows + 1, sizeof *kept);
	for (size_t i = 0; order && i < count && i < max; i++)
		kept[order[i]] = true;
	for (size_t row = 0; row < table->rows; row++)
		if (kept[row])
			keep_row(rows, row);
	mem_free(order);
	return order != NULL;
}

static bool choose_rows(struct kept_rows *rows, const struct table *table,
			const struct kept_view *how, const struct progress *progress,
			struct error *error)
{
	int column = how->column ? table_column(table, how->column) : -1;
	bool whole = table->rows <= how->rows_max;
	rows->total = table->rows;
	rows->at = mem_alloc((table->rows + 1) * sizeof *rows->at);
	if (table->is_tree && is_large(table, how->rows_max))
		keep_upper(rows, table, how->rows_max);
	else if (!whole && how->cut == CUT_BETWEEN)
		keep_largest_between(rows, table, how->rows_max, column);
	else if (!whole && how->cut == CUT_SMALLEST && column >= 0)
		return keep_largest(rows, table, how->rows_max, column, progress, error);
	else
		for (size_t row = 0; row < table->rows; row++) {
			bool kept = is_kept_fact(table, row);
			rows->total -= !kept;
			if (kept && rows->count < how->rows_max)
				keep_row(rows, row);
		}
	return true;
}

/* ---- packing ---- */

static enum summary_cell_kind cell_kind(struct value value)
{
	switch (value.kind) {
	case VALUE_INT: return SUMMARY_CELL_INT;
	case VALUE_REAL: return SUMMARY_CELL_REAL;
	case VALUE_TEXT: return SUMMARY_CELL_TEXT;
	case VALUE_MISSING: break;
	}
	return SUMMARY_CELL_MISSING;
}

struct table_packing {
	const struct table *table;
	const struct kept_rows *rows;
	struct intern *texts;
	struct buffer *out;
};

static void pack_kinds(const struct table_packing *packing, size_t column)
{
	const struct kept_rows *rows = packing->rows;
	for (size_t i = 0, end; i < rows->count; i = end) {
		enum summary_cell_kind kind =
			cell_kind(table_value(packing->table, rows->at[i], column));
		for (end = i + 1; end < rows->count; end++)
			if (cell_kind(table_value(packing->table, rows->at[end], column)) != kind)
				break;
		packed_add(packing->out, kind);
		packed_add(packing->out, end - i);
	}
}

static void pack_column(const struct table_packing *packing, size_t column)
{
	int64_t before = 0;
	pack_kinds(packing, column);
	for (size_t i = 0; i < packing->rows->count; i++) {
		struct value value = table_value(packing->table, packing->rows->at[i], column);
		if (value.kind == VALUE_INT) {
			packed_add_signed(packing->out,
					  (int64_t)((uint64_t)value.integer - (uint64_t)before));
			before = value.integer;
		} else if (value.kind == VALUE_REAL) {
			packed_add_real(packing->out, value.real);
		} else if (value.kind == VALUE_TEXT) {
			packed_add_text(packing->out, packing->texts,
					value.length ? value.text : "", value.length);
		}
	}
}

static void pack_text(const struct table_packing *packing, const char *text)
{
	packed_add_text(packing->out, packing->texts, text ? text : "", text ? strlen(text) : 0);
}

static void pack_table(const struct table_packing *packing, const struct kept_view *how)
{
	const struct table *table = packing->table;
	size_t columns = 0;
	pack_text(packing, how->view);
	pack_text(packing, how->group);
	pack_text(packing, table->note);
	packed_add(packing->out, table->is_tree);
	packed_add(packing->out, packing->rows->total);
	for (size_t i = 0; i < table->columns; i++)
		columns += !table_column_is_empty(table, i);
	packed_add(packing->out, columns);
	for (size_t i = 0; i < table->columns; i++)
		if (!table_column_is_empty(table, i))
			pack_text(packing, table->column[i]->id);
	packed_add(packing->out, packing->rows->count);
	for (size_t i = 0; i < packing->rows->count && table->is_tree; i++)
		packed_add(packing->out, table_depth(table, packing->rows->at[i]));
	for (size_t i = 0; i < table->columns; i++)
		if (!table_column_is_empty(table, i))
			pack_column(packing, i);
}

/* ---- findings ---- */

static const char *cell_copy(const struct table *table, size_t row, const char *id,
			     struct intern *strings)
{
	struct value value = table_value(table, row, (size_t)table_need(table, id));
	if (value.kind != VALUE_TEXT)
		return "";
	return intern_text(strings, intern_add(strings, value.text, value.length));
}

static int64_t cell_number(const struct table *table, size_t row, const char *id)
{
	struct value value = table_value(table, row, (size_t)table_need(table, id));
	return value.kind == VALUE_INT ? value.integer : NO_VALUE;
}

static void pack_findings(const struct table *table, struct intern *texts, struct buffer *out)
{
	AUTO_INTERN struct intern *strings = intern_new();
	for (size_t row = 0; row < table->rows; row++) {
		if (severity_at(table, row) > SEVERITY_HEADLINE) /* says what cannot be told */
			continue;
		struct value gain = table_value(table, row, (size_t)table_need(table, "gain_pct"));
		struct summary_finding finding = {
			.detector = cell_copy(table, row, "detector", strings),
			.severity = cell_copy(table, row, "severity", strings),
			.title = cell_copy(table, row, "problem", strings),
			.evidence = cell_copy(table, row, "evidence", strings),
			.recommendation = cell_copy(table, row, "recommendation", strings),
			.cost_ns = cell_number(table, row, "cost_ns"),
			.scope_ns = cell_number(table, row, "scope_ns"),
			.gain_pct = gain.kind == VALUE_REAL ? gain.real : NAN,
		};
		summary_finding_pack(&finding, texts, out);
	}
}

bool keep_tables(const struct run *run, int64_t number, const struct kept_output *output,
		 const struct progress *progress, struct error *error)
{
	struct scope scope;
	bool ok = true;
	scope_init(&scope);
	scope.rank = (int)number;
	packed_add(output->tables, sizeof kept_views / sizeof *kept_views);
	for (size_t i = 0; i < sizeof kept_views / sizeof *kept_views && ok; i++) {
		const struct kept_view *how = &kept_views[i];
		struct kept_rows rows = { 0 };
		struct table *table =
			view_build(view_find(how->view), run, &scope, how->group, progress, error);
		ok = table && choose_rows(&rows, table, how, progress, error);
		struct table_packing packing = { table, &rows, output->texts, output->tables };
		if (ok)
			pack_table(&packing, how);
		if (ok && strcmp(how->view, "advice") == 0)
			pack_findings(table, output->finding_texts, output->findings);
		mem_free(rows.at);
		table_free(table);
	}
	scope_clear(&scope);
	return ok;
}
