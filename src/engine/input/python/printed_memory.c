/*
 * memory_profiler's tables: memory in use after each source line, and how much it grew.
 */
#include "input/python/printed_private.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* "52.395 MiB" at the start of LINE; old versions write "MB" for the same. */
static bool take_mib(struct word *line, double *bytes)
{
	struct word rest = *line;
	double mib;
	if (!word_real(word_next(&rest), &mib))
		return false;
	struct word unit = word_next(&rest);
	if ((!word_is(unit, "MiB") && !word_is(unit, "MB")) || fabs(mib) > 1e12)
		return false;
	*bytes = mib * 1048576;
	*line = rest;
	return true;
}

/* A line that was not executed has only its number and text. */
static bool memory_row(struct printed *printed, struct word line, struct word whole)
{
	double level, increment;
	int64_t number, count = NO_VALUE;
	if (line.length && line.text[0] == '=')
		return true;
	if (!word_count(word_next(&line), &number))
		return false;
	struct word rest = line;
	bool executed = take_mib(&rest, &level) && take_mib(&rest, &increment);
	if (executed && printed->counted && !word_count(word_next(&rest), &count)) {
		printed_damage(printed);
		return true;
	}
	struct python_line *row = python_line_add(printed->stats);
	row->file = printed->file;
	row->line = number;
	row->text = printed_intern(printed, word_trim(executed ? rest : line));
	row->level_bytes = executed ? level : NAN;
	row->memory_bytes = executed ? increment : NAN;
	row->hits = executed ? count : NO_VALUE;
	printed->rows++;
	return true;
}

static bool begin_memory(struct printed *printed, struct word line, struct word whole)
{
	static const char file[] = "Filename: ";
	if (word_begins(line, file)) {
		line.text += sizeof file - 1;
		line.length -= sizeof file - 1;
		printed->file = printed_intern(printed, word_trim(line));
		return true;
	}
	if (!word_begins(line, "Line # ") || !word_find(line, "Mem usage") ||
	    !word_ends(line, "Line Contents"))
		return false;
	printed->counted = word_find(line, "Occurrences") != NULL;
	printed->seen[PRINTED_MEMORY] = true;
	printed->table = &memory_lines;
	return true;
}

const struct printed_table memory_lines = { begin_memory, memory_row };
