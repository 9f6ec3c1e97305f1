#include "input/text_format.h"

#include "base/error.h"
#include "input/json.h"
#include "model/python_stats.h"
#include "model/totals.h"

static const char stage[] = "reading lines";

uint32_t text_intern(const struct text_reading *text, struct text_slice word)
{
	return intern_add(text->profile->strings, word.text, word.length);
}

void text_damage(const struct text_reading *text, const char *what)
{
	profile_damage(text->profile, what, "skipped", text->offset);
}

static bool has_heading(log_heading *heading, const char *text, size_t length)
{
	const char *end = text + length;
	for (struct text_slice line; text_line(&text, end, &line.text, &line.length);)
		if (heading(line))
			return true;
	return false;
}

bool text_format_recognize(const struct text_format *format, const char *head, size_t length)
{
	if (json_begins(head) || strlen(head) < length) /* a NUL: no text */
		return false;
	for (const struct text_mark *mark = format->marks; mark->part; mark++)
		if (strstr(head, mark->part) && (!mark->also || strstr(head, mark->also)))
			return true;
	return !format->marks->part && has_heading(format->heading, head, length);
}

static void prepare_profile(struct profile *profile, enum text_result result)
{
	if (result == TEXT_STACKS || result == TEXT_SUMS) {
		profile->python = python_stats_new();
		profile->python->has_totals = result == TEXT_SUMS;
	} else if (result == TEXT_LAYERS) {
		profile->totals = totals_new();
		profile->totals->layers = true;
	}
}

static bool take_lines(const struct text_format *format, struct text_reading *text,
		       const struct progress *progress)
{
	const char *at = text->all.text, *end = at + text->all.length;
	struct text_slice line;
	bool ok = true;
	for (uint64_t i = 0; ok && text_line(&at, end, &line.text, &line.length); i++) {
		ok = progress_row(progress, stage, i, 0);
		text->offset = (uint64_t)(line.text - text->all.text);
		format->line(text, line);
	}
	return ok;
}

static void begin_source(const struct text_format *format, struct text_reading *text,
			 const struct log_lines *lines, uint32_t source)
{
	AUTO_BUFFER struct buffer name = { 0 };
	log_source_name(lines, source, &name);
	format->source(text, (struct text_slice){ BUFFERED(&name) });
}

/* The lines of a log, those of each source together. */
static bool take_log(const struct text_format *format, struct text_reading *text,
		     struct buffer *bytes, const struct progress *progress)
{
	AUTO(log_lines_free) struct log_lines lines = { 0 };
	bool ok = true;
	log_lines_take(&lines, bytes, format->heading);
	for (size_t i = 0; i < lines.count && ok; i++) {
		if (format->source && (!i || lines.sources[i] != lines.sources[i - 1]))
			begin_source(format, text, &lines, lines.sources[i]);
		ok = progress_row(progress, stage, i, 0);
		text->offset = (uint64_t)(lines.lines[i].text - text->all.text);
		format->line(text, lines.lines[i]);
	}
	return ok;
}

bool text_format_read(const struct text_format *format, struct input *input)
{
	struct buffer *bytes = &input->text;
	AUTO_FREE struct text_reading *text = mem_zalloc(1, format->state);
	*text = (struct text_reading){ .profile = input->profile,
				       .builder = input->builder,
				       .all = { BUFFERED(bytes) } };
	prepare_profile(input->profile, format->result);
	if (format->begin)
		format->begin(text);
	bool ok = format->heading ? take_log(format, text, bytes, input->progress)
				  : take_lines(format, text, input->progress);
	if (format->end)
		format->end(text);
	input->profile->events = text->rows;
	if (!text->rows && format->empty && !text->refusal.length)
		buffer_puts(&text->refusal, format->empty);
	bool refused = text->refusal.length > 0;
	if (ok && refused)
		error_input(input->error, "%s", buffer_text(&text->refusal));
	buffer_free(&text->refusal);
	return ok && !refused;
}
