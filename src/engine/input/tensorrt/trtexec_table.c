/*
 * The times of layers that TensorRT's trtexec --dumpProfile prints:
 *
 *   [I] === Profile (10 iterations ) ===
 *   [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
 *   [I]       20.50       2.0500       2.0000      90.0   conv1 + relu 1
 *   [I]       22.50       2.2500       2.2000     100.0   Total
 *
 * Names come first before TensorRT 8.5. A time is the sum of all iterations.
 */
#include "input/readers.h"
#include "input/text_format.h"
#include "model/totals.h"

#include <math.h>

enum { NUMBERS_MAX = 4 };

struct trtexec_table {
	struct text_reading text;
	bool in_table;
	bool name_first;    /* the column of names comes before the numbers */
	size_t numbers;     /* columns of numbers in a row */
	int64_t iterations; /* that the times are of; NO_VALUE: unknown */
};

/* "29,258.49", "0.153%" */
static bool trtexec_parse_number(struct text_slice word, double *value)
{
	if (word.length && word.text[word.length - 1] == '%')
		word.length--;
	return slice_commas(word, value) && *value >= 0;
}

/* Removes the numbers of a row from LINE; the name is what is left. */
static bool parse_numbers(const struct trtexec_table *table, struct text_slice *line,
			  double values[NUMBERS_MAX])
{
	for (size_t i = 0; i < table->numbers; i++) {
		size_t at = table->name_first ? table->numbers - 1 - i : i;
		struct text_slice word = table->name_first ? slice_last(line) : slice_next(line);
		if (!trtexec_parse_number(word, &values[at]))
			return false;
	}
	*line = slice_trim(*line);
	return line->length > 0;
}

/* Where the heading of a table begins in LINE, or NULL. */
static const char *find_heading(struct text_slice line)
{
	const char *time = slice_find(line, "Time(ms)"), *layer = slice_find(line, "Layer ");
	bool name_last = time && slice_ends(slice_trim(line), " Layer");
	bool name_first = layer && slice_find(line, "Time (ms)");
	if (!slice_find(line, "Avg.") || (!name_last && !name_first))
		return NULL;
	return time ? time : layer;
}

/* False: the table ended before LINE. */
static bool trtexec_add_row(struct trtexec_table *table, struct text_slice line)
{
	struct totals *totals = table->text.profile->totals;
	struct text_slice name = line;
	double values[NUMBERS_MAX];
	if (!line.length)
		return false;
	if (!parse_numbers(table, &name, values)) {
		if (!slice_is(line, "%")) /* a heading that was wrapped */
			text_damage(&table->text, "line not a row of its table");
		return true;
	}
	if (slice_is(name, "Total"))
		return false;
	uint32_t at = totals_add(totals, text_intern(&table->text, name));
	struct total *row = &totals->rows[at];
	row->calls = table->iterations;
	if (values[0] < 9e12)
		row->gpu_self_ns = llround(values[0] * 1e6);
	table->text.rows++;
	return true;
}

static void trtexec_begin(void *state)
{
	((struct trtexec_table *)state)->iterations = NO_VALUE;
}

static void trtexec_take_line(void *state, struct text_slice line)
{
	static const char title[] = "=== Profile (";
	struct trtexec_table *table = state;
	line = slice_trim(line);
	if (table->in_table && trtexec_add_row(table, line))
		return;
	const char *profile = slice_find(line, title);
	if (profile) {
		struct text_slice rest = slice_from(line, profile + sizeof title - 1);
		slice_count(slice_next(&rest), &table->iterations);
	}
	table->in_table = find_heading(line);
	table->name_first = !slice_find(line, "Time(ms)");
	table->numbers = slice_find(line, "Median") ? NUMBERS_MAX : NUMBERS_MAX - 1;
}

static void trtexec_end(void *state)
{
	struct trtexec_table *table = state;
	struct profile *profile = table->text.profile;
	profile->totals->operators = true;
	totals_add_up(profile->totals);
	totals_fact(profile->totals, profile->strings, "model", "layers",
		    (int64_t)profile->totals->count);
	if (table->iterations != NO_VALUE)
		totals_fact(profile->totals, profile->strings, "model", "iterations",
			    table->iterations);
}

static const struct text_format trtexec_format = {
	.heading = find_heading,
	.empty = "has a heading of times of layers, but no layer",
	.result = TEXT_LAYERS,
	.state = sizeof(struct trtexec_table),
	.begin = trtexec_begin,
	.line = trtexec_take_line,
	.end = trtexec_end,
};

const struct reader trtexec_table_reader = { .format = "trtexec layer profile (text)",
					     .text = &trtexec_format,
					     .in_log = true };
