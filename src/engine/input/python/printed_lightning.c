/*
 * The reports of Lightning's profilers: a table of actions, or statistics of functions per action.
 */
#include "base/platform.h"
#include "input/python/printed_private.h"

#include <math.h>

enum { COLUMN_IGNORED, COLUMN_ACTION, COLUMN_MEAN_S, COLUMN_CALLS, COLUMN_TOTAL_S };

static const struct {
	const char *title;
	uint8_t meaning;
} titles[] = { LIGHTNING_TITLE_ROWS };

/* Removes the last cell of LINE, which '|' separates; false without one. */
static bool last_cell(struct text_slice *line, struct text_slice *cell)
{
	const char *bar = line->length ? platform_memrchr(line->text, '|', line->length) : NULL;
	if (!bar)
		return false;
	*cell = slice_trim(slice_from(*line, bar + 1));
	*line = slice_until(*line, bar);
	return true;
}

/* Without the bars at its ends. */
static struct text_slice inside(struct text_slice line)
{
	slice_skip(&line, "|");
	if (line.length && line.text[line.length - 1] == '|')
		line.length--;
	return line;
}

/* From the right: the name of an action may contain bars. */
static bool parse_action(struct printed *printed, struct text_slice line)
{
	struct text_slice cell, mean = { "", 0 };
	int64_t calls = NO_VALUE;
	double total = NAN;
	for (size_t i = printed->columns; i-- > 1;) {
		if (!last_cell(&line, &cell))
			return false;
		if (printed->meaning[i] == COLUMN_MEAN_S)
			mean = cell;
		else if (printed->meaning[i] == COLUMN_CALLS && !slice_count(cell, &calls))
			calls = NO_VALUE;
		else if (printed->meaning[i] == COLUMN_TOTAL_S && !slice_real(cell, &total))
			return false;
	}
	line = slice_trim(line);
	bool sum = slice_is(line, "Total") && (slice_is(mean, "-") || slice_is(mean, "_"));
	if (sum && total < 1e9) {
		*mem_push(printed->stats->wholes, printed->stats->whole_count) =
			(struct python_whole){ printed->section, total };
		python_fact_number(printed->stats, printed_section(printed, "Lightning"),
				   "total time", llround(total * 1e9), "ns");
		return true;
	}
	if (!line.length)
		return false;
	uint32_t at = python_function_find(printed->stats, text_intern(&printed->text, line), 0,
					   NO_VALUE, printed->section);
	struct python_function *action = &printed->stats->functions[at];
	bool known = !action->is_named_only && action->calls != NO_VALUE && calls != NO_VALUE;
	if (!known || __builtin_add_overflow(action->calls, calls, &action->calls))
		action->calls = calls;
	if (!slice_real(mean, &action->mean_s) || known)
		action->mean_s = NAN; /* of several rows: the calls have it */
	action->total_s = isnan(action->total_s) ? total : action->total_s + total;
	action->is_named_only = false;
	printed->text.rows++;
	return true;
}

static bool action_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	if (printed_rule(line))
		return true;
	if (!line.length || !memchr(line.text, '|', line.length))
		return false;
	if (!parse_action(printed, inside(line)))
		printed_damage(printed);
	return true;
}

/* The columns of a heading; false unless it has actions and their time. */
static bool printed_lightning_parse_heading(struct printed *printed, struct text_slice line)
{
	struct text_slice cells[PRINTED_COLUMNS_MAX];
	size_t count = 0;
	bool timed = false;
	line = inside(line);
	while (count < PRINTED_COLUMNS_MAX - 1 && last_cell(&line, &cells[count]))
		count++;
	cells[count++] = slice_trim(line);
	printed->columns = count;
	for (size_t i = 0; i < count; i++) {
		uint8_t *meaning = &printed->meaning[count - 1 - i];
		*meaning = COLUMN_IGNORED;
		for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
			if (slice_is(cells[i], titles[k].title))
				*meaning = titles[k].meaning;
		timed |= *meaning == COLUMN_TOTAL_S;
	}
	return timed && printed->meaning[0] == COLUMN_ACTION;
}

/* "FIT Profiler Report": the stage; other words before are of a log. */
static uint32_t stage_of(struct printed *printed, struct text_slice before)
{
	before = slice_trim(before);
	size_t length = text_end(before.text, before.length, "FIT|VALIDATE|TEST|PREDICT|TUNE");
	return length ? text_intern(&printed->text,
				    slice_from(before, before.text + before.length - length))
		      : 0;
}

/* "[Strategy]DDPStrategy.backward rank: 3": the action, and the rank of its report */
static struct text_slice without_rank(struct text_slice action)
{
	static const char mark[] = " rank: ";
	const char *at = NULL, *next;
	struct text_slice rest = action;
	int64_t rank;
	while ((next = slice_find(rest, mark))) {
		at = next;
		rest = slice_from(action, next + 1);
	}
	if (at && slice_count(slice_trim(slice_from(action, at + sizeof mark - 1)), &rank))
		action = slice_until(action, at);
	return slice_trim(action);
}

static bool begin_actions(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	static const char report[] = "Profiler Report";
	if (slice_ends(line, report)) {
		line.length -= sizeof report - 1;
		printed->section = stage_of(printed, line);
	} else if (slice_skip(&line, "Profile stats for: ")) {
		printed->section = text_intern(&printed->text, without_rank(slice_trim(line)));
		printed->summary = printed->summaries = 0;
		printed->summary_read = false;
	} else if (line.length && memchr(line.text, '|', line.length) &&
		   printed_lightning_parse_heading(printed, line)) {
		printed->table = &lightning_actions;
	} else {
		return false;
	}
	printed->seen[PRINTED_LIGHTNING] = true;
	return true;
}

const struct printed_table lightning_actions = { begin_actions, action_row };
