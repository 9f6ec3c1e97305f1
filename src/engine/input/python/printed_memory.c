/*
 * memory_profiler's tables: memory in use after each source line, and how much it grew.
 */
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
