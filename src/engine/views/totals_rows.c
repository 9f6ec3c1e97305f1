#include "views/totals_rows.h"

#include "base/buffer.h"
#include "base/keyed.h"
#include "model/totals.h"
#include "views/fact_rows.h"
#include "views/views.h"

static const char stage[] = "listing totals";

/* Names are compared by a filter on rows only: a file without events has no other scope. */
static void set_numbers(struct table *table, size_t row, const struct total *total)
{
	TOTAL_CELLS(table_set);
}

/* ---- operators ---- */

static void totals_rows_add_to(struct total *to, const struct total *from)
{
	int64_t *const sums[] = { &to->calls, &to->gpu_self_ns, &to->gpu_total_ns,
				  &to->cpu_total_ns };
	const int64_t more[] = { from->calls, from->gpu_self_ns, from->gpu_total_ns,
				 from->cpu_total_ns };
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (*sums[i] == NO_VALUE || more[i] == NO_VALUE ||
		    __builtin_add_overflow(*sums[i], more[i], sums[i]))
			*sums[i] = NO_VALUE;
	to->flops += from->flops;
	to->bytes += from->bytes;
}

/* Rows of one name, and shapes if BY_SHAPE, added. NULL when cancelled. */
static struct total *totals_rows_merge(const struct totals *totals, bool by_shape, size_t *count,
				       const struct progress *progress)
{
	struct total *merged = mem_alloc((totals->count + 1) * sizeof *merged);
	AUTO_KEYED struct keyed known = { 0 };
	bool ok = true;
	for_rows (ok, i, totals->count, progress, stage) {
		const struct total *row = &totals->rows[i];
		const uint32_t key[] = { row->name, by_shape ? row->shapes : 0 };
		uint32_t before = known.count, at = keyed_add(&known, key, sizeof key);
		if (at < before)
			totals_rows_add_to(&merged[at], row);
		else
			merged[at] = *row;
	}
	*count = known.count;
	return mem_if(ok, merged);
}

bool totals_add_operators(struct table *table, const struct view_query *query, bool by_shape)
{
	const struct profile *profile = query->selection->profile;
	size_t count;
	if (!profile->totals->operators) {
		table_note(table, "The file holds layers, not operators.");
		return true;
	}
	table->default_sort = "gpu_self_ns:desc,cpu_total_ns:desc";
	AUTO_FREE struct total *rows =
		totals_rows_merge(profile->totals, by_shape, &count, query->progress);
	if (!rows)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t row = table_add_row(
			table, (struct ref){ REF_TOTAL, (uint32_t)i, by_shape, NO_ROW });
		table_set(table, row, "name", cell_text(profile, rows[i].name));
		if (by_shape)
			table_set(table, row, "input_shapes", cell_text(profile, rows[i].shapes));
		set_numbers(table, row, &rows[i]);
	}
	return true;
}

/* ---- layers and stacks ---- */

enum { PATH_ROWS_MAX = 1024 }; /* limit: rows in a path; deeper ones are left out at the top */

static struct value totals_rows_path_of(struct table *table, const struct profile *profile,
					uint32_t row, char separator)
{
	const struct total *rows = profile->totals->rows;
	uint32_t path[PATH_ROWS_MAX];
	size_t depth = 0;
	struct buffer text = { 0 };
	for (uint32_t at = row; at != NO_ROW && depth < PATH_ROWS_MAX; at = rows[at].parent)
		path[depth++] = at;
	while (depth-- > 0) {
		buffer_puts(&text, profile_string(profile, rows[path[depth]].name));
		if (depth)
			buffer_putc(&text, separator);
	}
	return table_take_text(table, &text);
}

bool totals_add_layers(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	const struct totals *totals = profile->totals;
	for (size_t i = 0; i < totals->count && totals->layers; i++) {
		const struct total *total = &totals->rows[i];
		if (!progress_heavy_row(query->progress, stage, i, totals->count, 32))
			return false;
		size_t row = table_add_row(table,
					   (struct ref){ REF_TOTAL, (uint32_t)i, NO_ROW, NO_ROW });
		bool inner = i + 1 < totals->count && totals->rows[i + 1].parent == i;
		table_set_depth(table, row, total->depth);
		TOTAL_PLACE_CELLS(table_set);
		set_numbers(table, row, total);
	}
	table->is_tree = true;
	table->default_columns = "name,kind,pass,calls,gpu_total_ns,gpu_self_ns,cpu_total_ns,"
				 "avg_ns,kernels,tc_pct";
	if (!totals->layers)
		table_note(table, "The file holds operators, not layers.");
	return true;
}

bool totals_add_stacks(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	const struct totals *totals = profile->totals;
	bool ok = true;
	for_heavy_rows (ok, i, totals->count, query->progress, stage, 32) {
		const struct total *total = &totals->rows[i];
		if (total->gpu_self_ns == NO_VALUE || !total->gpu_self_ns)
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "stack",
			  totals_rows_path_of(table, profile, (uint32_t)i, ';'));
		table_set(table, row, "value_ns", value_int(total->gpu_self_ns));
		table_set(table, row, "calls", cell_int(total->calls));
	}
	return ok;
}

/* ---- facts ---- */

void totals_add_facts(struct table *table, const struct profile *profile)
{
	const struct totals *totals = profile->totals;
	for (size_t i = 0; totals && i < totals->fact_count; i++) {
		const struct total_fact *fact = &totals->facts[i];
		fact_add(table, profile_string(profile, fact->section),
			 profile_string(profile, fact->metric),
			 fact->text
				 ? cell_recorded(table, profile,
						 profile_string(profile, fact->metric), fact->text)
				 : value_int(fact->number),
			 "");
	}
}

void totals_add_summary(struct table *table, const struct profile *profile)
{
	const struct totals *totals = profile->totals;
	const struct total *largest = NULL;
	for (size_t i = 0; i < totals->count; i++)
		if (totals->rows[i].gpu_self_ns != NO_VALUE &&
		    (!largest || totals->rows[i].gpu_self_ns > largest->gpu_self_ns))
			largest = &totals->rows[i];
	const char *section = totals->layers ? "layers" : "operators";
	fact_add(table, section, "rows", value_int((int64_t)totals->count), "count");
	if (!largest)
		return;
	fact_add(table, section, "most time", cell_text(profile, largest->name), "");
	fact_add(table, section, "most time_ns", value_int(largest->gpu_self_ns), "ns");
}
