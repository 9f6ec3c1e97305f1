/*
 * memory_profiler's tables: memory in use after each source line, and how much it grew. Statistics
 * of tracemalloc: memory in use that each line allocated and, of a comparison, how much it grew.
 */
#include "base/platform.h"
#include "input/python/printed_private.h"

#include <math.h>

/* "52.395 MiB" at the start of LINE; old versions write "MB" for the same. */
static bool parse_mib(struct text_slice *line, double *bytes)
{
	struct text_slice rest = *line;
	double mib;
	if (!slice_real(slice_next(&rest), &mib))
		return false;
	struct text_slice unit = slice_next(&rest);
	if ((!slice_is(unit, "MiB") && !slice_is(unit, "MB")) || fabs(mib) > 1e12)
		return false;
	*bytes = mib * 1048576;
	*line = rest;
	return true;
}

/* A line that was not executed has only its number and text. */
static bool memory_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	double level, increment;
	int64_t number, count = NO_VALUE;
	if (line.length && line.text[0] == '=')
		return true;
	if (!slice_count(slice_next(&line), &number))
		return false;
	struct text_slice rest = line;
	bool executed = parse_mib(&rest, &level) && parse_mib(&rest, &increment);
	if (executed && printed->counted && !slice_count(slice_next(&rest), &count)) {
		printed_damage(printed);
		return true;
	}
	struct python_line *row = python_line_add(printed->stats);
	row->file = printed->file;
	row->line = number;
	row->text = text_intern(&printed->text, slice_trim(executed ? rest : line));
	row->level_bytes = executed ? level : NAN;
	row->memory_bytes = executed ? increment : NAN;
	row->hits = executed ? count : NO_VALUE;
	printed->text.rows++;
	return true;
}

static bool begin_memory(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	if (slice_skip(&line, "Filename: ")) {
		printed->file = text_intern(&printed->text, slice_trim(line));
		return true;
	}
	if (!slice_begins(line, "Line # ") || !slice_find(line, "Mem usage") ||
	    !slice_ends(line, "Line Contents"))
		return false;
	printed->counted = slice_find(line, "Occurrences") != NULL;
	printed->seen[PRINTED_MEMORY] = true;
	printed->table = &memory_lines;
	return true;
}

const struct printed_table memory_lines = { begin_memory, memory_row };

/* ---- tracemalloc ---- */

/* "520 KiB", "+760 B" */
static bool parse_size(struct text_slice word, double *bytes)
{
	static const struct text_unit units[] = { PRINTED_MEMORY_UNIT_ROWS{ NULL, 0 } };
	slice_skip(&word, "+");
	return slice_scaled(word, units, bytes) && fabs(*bytes) < 1e18;
}

/* Removes the first ", " of LINE and returns what is before; all of it if there is none. */
static struct text_slice next_part(struct text_slice *line)
{
	const char *comma = slice_find(*line, ", ");
	struct text_slice part = comma ? slice_until(*line, comma) : *line;
	*line = comma ? slice_from(*line, comma + 2) : (struct text_slice){ "", 0 };
	return part;
}

/* Takes "(+2 KiB)" off the end of PART; empty: it has none. */
static struct text_slice take_growth(struct text_slice *part)
{
	const char *open = slice_find(*part, " (");
	if (!open || !slice_ends(*part, ")"))
		return (struct text_slice){ "", 0 };
	struct text_slice growth = slice_from(*part, open + 2);
	growth.length--;
	*part = slice_until(*part, open);
	return growth;
}

/*
 * "m.py:6: size=520 KiB (+2 KiB), count=1001 (+3), average=532 B"; each line is a row. Line 0
 * stands for all lines of a file.
 */
static bool begin_trace(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	const char *at = slice_find(line, ": size="), *colon;
	int64_t number, count;
	double size, growth = NAN;
	if (!at || !(colon = platform_memrchr(line.text, ':', (size_t)(at - line.text))))
		return false;
	struct text_slice place = slice_until(line, at), rest = slice_from(line, at);
	slice_skip(&rest, ": size=");
	struct text_slice sizes = next_part(&rest), counts = next_part(&rest);
	struct text_slice grown = take_growth(&sizes);
	take_growth(&counts);
	if (!slice_count(slice_from(place, colon + 1), &number) || !parse_size(sizes, &size) ||
	    !slice_skip(&counts, "count=") || !slice_count(counts, &count) ||
	    (grown.length && !parse_size(grown, &growth)))
		return false;
	struct python_line *row = python_line_add(printed->stats);
	row->file = text_intern(&printed->text, slice_until(place, colon));
	row->line = number > 0 ? number : NO_VALUE;
	row->hits = count;
	row->memory_bytes = grown.length ? growth : size;
	row->level_bytes = grown.length ? size : NAN;
	printed->seen[PRINTED_TRACEMALLOC] = true;
	printed->text.rows++;
	return true;
}

/* printed->table stays NULL: no row follows. */
const struct printed_table traced_lines = { .begin = begin_trace };
