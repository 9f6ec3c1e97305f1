/*
 * Reproduces the output of pstats and mprof byte for byte.
 */
#include "base/error.h"
#include "base/hash.h"
#include "model/python_stats.h"
#include "tools/python/python_tool_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static const struct profile *profile_of(const struct extract *extract)
{
	return extract->table->held->profile;
}

static void python_print_put_text(struct buffer *out, const struct style *style, const char *text,
				  size_t length)
{
	format_text(out, text, length, style->terminal);
}

/* ---- pstats ---- */

struct call_sums {
	int64_t calls, primitive;
	double self_s, total_s;
};

static double seconds(struct value value)
{
	return value.kind == VALUE_INT ? (double)value.integer / 1e9 : NAN;
}

static int64_t count(struct value value)
{
	return value.kind == VALUE_INT ? value.integer : 0;
}

/* For pstats files, the file's own numbers, to avoid rounding seconds. */
static struct call_sums sums_of(const struct extract *extract, size_t row)
{
	const struct python_stats *stats = profile_of(extract)->python;
	uint32_t source = table_ref(extract->table, row).a;
	const struct table *table = extract->table;
	struct call_sums sums = { count(table_cell(table, row, "calls")),
				  count(table_cell(table, row, "primitive_calls")),
				  seconds(table_cell(table, row, "self_ns")),
				  seconds(table_cell(table, row, "total_ns")) };
	if (stats && source != NO_ROW && !stats->line_count &&
	    !stats->functions[source].is_named_only) {
		sums.self_s = stats->functions[source].self_s;
		sums.total_s = stats->functions[source].total_s;
	}
	return sums;
}

/* Python prints "nan", never "-nan". */
static void put_seconds(struct buffer *out, double value)
{
	if (isnan(value))
		buffer_printf(out, "%8s ", "nan");
	else
		buffer_printf(out, "%8.3f ", value);
}

static void put_quotient(struct buffer *out, double value, int64_t by)
{
	if (by)
		put_seconds(out, value / (double)by);
	else
		buffer_puts(out, "         ");
}

static void put_function(struct buffer *out, const struct extract *extract, size_t row,
			 const struct style *style)
{
	struct call_sums sums = sums_of(extract, row);
	struct value name = table_cell(extract->table, row, "name");
	char calls[64];
	if (sums.calls == sums.primitive)
		snprintf(calls, sizeof calls, "%" PRId64, sums.calls);
	else
		snprintf(calls, sizeof calls, "%" PRId64 "/%" PRId64, sums.calls, sums.primitive);
	buffer_printf(out, "%9s ", calls);
	put_seconds(out, sums.self_s);
	put_quotient(out, sums.self_s, sums.calls);
	put_seconds(out, sums.total_s);
	put_quotient(out, sums.total_s, sums.primitive);
	python_print_put_text(out, style, name.text, name.length);
	buffer_putc(out, '\n');
}

/* Date and path of the file. */
static void put_file(struct buffer *out, const struct extract *extract, const struct style *style)
{
	const char *path = profile_of(extract)->path;
	struct stat status;
	char date[64] = "";
	if (stat(path, &status) == 0 && ctime_r(&status.st_mtime, date))
		date[strcspn(date, "\n")] = 0;
	buffer_printf(out, "%s    ", date);
	python_print_put_text(out, style, path, strlen(path));
	buffer_puts(out, "\n\n");
}

static void put_totals(struct buffer *out, const struct extract *extract)
{
	struct call_sums all = { 0 };
	for (size_t row = 0; row < extract->table->rows; row++) {
		struct call_sums sums = sums_of(extract, row);
		MEMBERS(&all, &sums, PLUS(calls) PLUS(primitive) PLUS(self_s));
	}
	buffer_printf(out, "         %" PRId64 " function calls ", all.calls);
	if (all.calls != all.primitive)
		buffer_printf(out, "(%" PRId64 " primitive calls) ", all.primitive);
	buffer_printf(out, "in %.3f seconds\n\n", all.self_s);
}

static void put_order(struct buffer *out, const struct extract *extract)
{
	static const struct {
		const char *sort, *words;
	} orders[] = { PSTATS_ORDER_ROWS };
	const char *words = extract->sort;
	for (size_t i = 0; extract->sort && i < sizeof orders / sizeof *orders; i++)
		if (strcmp(extract->sort, orders[i].sort) == 0)
			words = orders[i].words;
	if (words)
		buffer_printf(out, "   Ordered by: %s\n", words);
	else
		buffer_puts(out, "   Random listing order was used\n");
	if (extract->left_out)
		buffer_printf(out, "   List reduced from %zu to %zu due to restriction <%zu>\n",
			      extract->row_count + extract->left_out, extract->row_count,
			      extract->row_count);
	buffer_putc(out, '\n');
}

FORMAT_WRITER(pstats_print)
{
	struct buffer *out = &output->text;
	put_file(out, extract, style);
	put_totals(out, extract);
	put_order(out, extract);
	buffer_puts(out,
		    "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n");
	for (size_t i = 0; i < extract->row_count; i++) {
		put_function(out, extract, extract->rows[i], style);
		output_row(output);
		if (!format_go_on(extract, i, progress, error))
			return false;
	}
	buffer_puts(out, "\n\n");
	return true;
}

/* ---- mprof ---- */

static void put_peak(struct buffer *out, double bytes)
{
	buffer_printf(out, "%.3f MiB\n", bytes / 1048576);
}

/* Child processes in order of first appearance. */
static void put_children(struct buffer *out, const struct profile *profile,
			 const struct style *style)
{
	struct python_print_child {
		uint32_t name;
		double peak;
	} *children = NULL;
	size_t count = 0;
	AUTO_HASH struct hash *by_name = hash_new(16);
	for_each (counter, profile->counters, profile->counter_count) {
		uint32_t at = hash_last(by_name, counter->name);
		if (at == NO_ROW) {
			mem_grow(children, count + 1);
			children[count] =
				(struct python_print_child){ counter->name, counter->value };
			hash_add(by_name, counter->name, (uint32_t)count++);
		} else if (counter->value > children[at].peak) {
			children[at].peak = counter->value;
		}
	}
	for (size_t i = 0; i < count; i++) {
		const char *name = profile_string(profile, children[i].name);
		const char *pid = strrchr(name, ' ');
		pid = pid ? pid + 1 : name;
		buffer_puts(out, "  Child ");
		python_print_put_text(out, style, pid, strlen(pid));
		buffer_puts(out, "\t\t\t");
		put_peak(out, children[i].peak);
	}
	mem_free(children);
}

FORMAT_WRITER(mprof_print)
{
	const struct profile *profile = profile_of(extract);
	int64_t peak = NO_VALUE;
	for (size_t i = 0; i < profile->memory_count; i++)
		if (profile->memory_events[i].device_type == 0 &&
		    profile->memory_events[i].total_allocated > peak)
			peak = profile->memory_events[i].total_allocated;
	if (peak == NO_VALUE)
		return true;
	python_print_put_text(&output->text, style, profile->path, strlen(profile->path));
	buffer_putc(&output->text, '\t');
	put_peak(&output->text, (double)peak);
	put_children(&output->text, profile, style);
	return true;
}
