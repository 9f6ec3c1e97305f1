/*
 * What the rows of torch's tables are of, once all are read.
 */
#include "base/hash.h"
#include "input/python/printed_private.h"

#include <math.h>

enum { TABLES_MAX = 1000 }; /* limit: tables of key_averages in a file; more are part of the last */

void torch_table_add(struct printed *printed, bool shaped)
{
	if (printed->torch_count == TABLES_MAX)
		return;
	struct torch_table *table = mem_push(printed->torch, printed->torch_count);
	*table = (struct torch_table){ .from = printed->stats->operator_count,
				       .section = printed->section,
				       .shaped = shaped };
	for (size_t i = 0; i < TORCH_TOTALS; i++)
		table->totals_s[i] = NAN;
}

static bool is_positive(double value)
{
	return value > 0; /* false for NaN */
}

static bool printed_torch_rows_is_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

/* ---- tables of one profile ---- */

/* One profile in two orders: the totals are those of all its rows, whichever are printed. */
static bool is_same_profile(const struct torch_table *a, const struct torch_table *b)
{
	bool some = false, same = a->section == b->section && a->shaped == b->shaped;
	for (size_t i = 0; i < TORCH_TOTALS && same; i++) {
		some |= is_positive(a->totals_s[i]);
		same = printed_torch_rows_is_same(a->totals_s[i], b->totals_s[i]);
	}
	return same && some;
}

/* The first table of the profile that table AT is of. */
static size_t first_of_profile(const struct printed *printed, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_same_profile(&printed->torch[i], &printed->torch[at]))
			return i;
	return at;
}

static bool is_same_row(const struct python_operator *a, const struct python_operator *b)
{
	return a->name == b->name && a->shapes == b->shapes && a->stack == b->stack &&
	       a->calls == b->calls && printed_torch_rows_is_same(a->cpu_self_s, b->cpu_self_s) &&
	       printed_torch_rows_is_same(a->cpu_total_s, b->cpu_total_s) &&
	       printed_torch_rows_is_same(a->gpu_self_s, b->gpu_self_s) &&
	       printed_torch_rows_is_same(a->gpu_total_s, b->gpu_total_s);
}

static uint64_t row_key(const struct python_operator *row)
{
	return hash_pair(hash_pair(row->name, row->shapes), (uint64_t)row->calls);
}

/* ROW was in a table before its own, which begins at BEFORE. */
static bool is_repeated(const struct python_stats *stats, const struct hash *by_key,
			const struct python_operator *row, size_t before)
{
	enum {
		COMPARED_MAX = 100
	}; /* limit: rows of one name, shapes and calls that are compared */
	size_t cursor, compared = 0;
	for (uint32_t at = hash_find(by_key, row_key(row), &cursor);
	     at != NO_ROW && compared < COMPARED_MAX; at = hash_next(by_key, &cursor), compared++)
		if (at < before && stats->operators[at].section == row->section &&
		    is_same_row(&stats->operators[at], row))
			return true;
	return false;
}

/*
 * Number the tables of a section that has several profiles: "table 2", from 1. FIRST: by table, the
 * first table of its profile.
 */
static uint32_t name_section(struct printed *printed, size_t table, const size_t *first)
{
	const struct torch_table *of = &printed->torch[table];
	size_t number = 1, others = 0;
	for (size_t i = 0; i < printed->torch_count; i++) {
		bool other =
			first[i] == i && i != table && printed->torch[i].section == of->section;
		others += other;
		number += other && i < table;
	}
	if (!others)
		return of->section;
	AUTO_BUFFER struct buffer name = { 0 };
	if (of->section)
		buffer_printf(&name, "%s, ", profile_string(printed->text.profile, of->section));
	buffer_printf(&name, "table %zu", number);
	return text_intern(&printed->text, (struct text_slice){ BUFFERED(&name) });
}

static void note_totals(struct printed *printed, const struct torch_table *table, uint32_t section)
{
	static const char *const metrics[] = { TORCH_METRIC_ROWS };
	for (size_t i = 0; i < TORCH_TOTALS; i++)
		if (!isnan(table->totals_s[i]))
			python_fact_number(printed->stats,
					   section ? profile_string(printed->text.profile, section)
						   : "operators",
					   metrics[i], llround(table->totals_s[i] * 1e9), "ns");
}

static size_t end_of(const struct printed *printed, size_t table)
{
	return table + 1 < printed->torch_count ? printed->torch[table + 1].from
						: printed->stats->operator_count;
}

/* Give the rows of each profile a section of their own, and keep each row once. */
static void tell_tables(struct printed *printed)
{
	struct python_stats *stats = printed->stats;
	AUTO_HASH struct hash *by_key = hash_new(stats->operator_count);
	AUTO_FREE uint32_t *sections = mem_zalloc(printed->torch_count, sizeof *sections);
	AUTO_FREE size_t *first = mem_zalloc(printed->torch_count, sizeof *first);
	size_t kept = 0;
	for (size_t t = 0; t < printed->torch_count; t++)
		first[t] = first_of_profile(printed, t);
	for (size_t t = 0; t < printed->torch_count; t++) {
		sections[t] = first[t] == t ? name_section(printed, t, first) : sections[first[t]];
		if (first[t] == t)
			note_totals(printed, &printed->torch[t], sections[t]);
	}
	for (size_t t = 0; t < printed->torch_count; t++) {
		size_t begin = kept;
		for (size_t i = printed->torch[t].from; i < end_of(printed, t); i++) {
			struct python_operator row = stats->operators[i];
			row.section = sections[t];
			if (first[t] != t && is_repeated(stats, by_key, &row, begin))
				continue;
			hash_add(by_key, row_key(&row), (uint32_t)kept);
			stats->operators[kept++] = row;
		}
		printed->torch[t].from = begin;
	}
	printed->text.rows -= stats->operator_count - kept;
	stats->operator_count = kept;
}

/* ---- what rows are of ---- */

/*
 * Rows with time on the GPU alone: work, or, where a row of this name has CPU time, what a range
 * spans there.
 */
static int64_t tell_rows(struct printed *printed, const struct torch_table *table, size_t end,
			 const struct hash *on_host)
{
	int64_t spans = 0;
	for (size_t i = table->from; i < end; i++) {
		struct python_operator *row = &printed->stats->operators[i];
		if (is_positive(row->cpu_total_s) || is_positive(row->cpu_self_s) ||
		    !is_positive(row->gpu_self_s) || row->gpu_self_s != row->gpu_total_s)
			continue;
		const char *name = profile_string(printed->text.profile, row->name);
		/* what PyTorch puts around work, should a cut table have it on the GPU only; waits
		 */
		bool range =
			hash_last(on_host, row->name) != NO_ROW ||
			text_begins_one(
				name,
				"ProfilerStep|Optimizer.|nccl:|## Call |"
				"Torch-Compiled Region|DistributedDataParallel.|"
				"FullyShardedDataParallel.|FSDP::|"
				"Stream Sync|Event Sync|Context Sync|Stream Wait Event") || /* kernels
									  are parts of the total,
									  which is rounded to
									  thousandths */
			row->gpu_self_s > table->totals_s[TORCH_GPU_SELF] * 1.001;
		spans += range;
		row->kind = range                                      ? ROW_SPAN
			    : text_begins_one(name, "Memcpy |Memset ") ? ROW_COPY
								       : ROW_KERNEL;
	}
	return spans;
}

void torch_tell_rows(struct printed *printed)
{
	struct python_stats *stats = printed->stats;
	AUTO_HASH struct hash *on_host = hash_new(stats->operator_count);
	int64_t spans = 0;
	tell_tables(printed);
	for (size_t i = 0; i < stats->operator_count; i++)
		if (is_positive(stats->operators[i].cpu_total_s))
			hash_add(on_host, stats->operators[i].name, (uint32_t)i);
	for (size_t t = 0; t < printed->torch_count; t++)
		spans += tell_rows(printed, &printed->torch[t], end_of(printed, t), on_host);
	if (spans)
		python_fact_number(stats, "operators", "spans of ranges on the GPU, not listed",
				   spans, "count");
	if (printed->device)
		python_fact_text(stats, "operators", PYTHON_DEVICE, printed->device);
	mem_free(printed->torch);
}
