/*
 * Findings as cards for reading: title and gain, evidence, action; checks that did not run in a
 * line.
 */
#include "base/number.h"
#include "base/text.h"
#include "picture/severity.h"
#include "report/format.h"

enum { CARD_INDENT = 2, CARD_WIDTH = 80, CARDS_MAX = 7, MINOR_PERCENT = 2 };

struct cards {
	const struct extract *extract;
	struct output *output;
	size_t width;
	bool color;
	size_t fired, minor;    /* findings */
	size_t more;            /* findings after the first CARDS_MAX */
	size_t skipped, passed; /* checks */
	size_t shown;
};

static struct value card_cell(const struct cards *cards, uint32_t row, const char *column)
{
	return table_cell(cards->extract->table, row, column);
}

/* Wrapped at blanks and indented; a longer word gets a line of its own. */
static void add_wrapped(const struct cards *cards, struct value text)
{
	AUTO_BUFFER struct buffer safe = { 0 };
	struct buffer *out = &cards->output->text;
	size_t room = cards->width > CARD_INDENT ? cards->width - CARD_INDENT : 0;
	if (text.kind == VALUE_TEXT)
		text_escape(&safe, text.text, text.length);
	for (const char *at = buffer_text(&safe); *at;) {
		size_t length = strlen(at), width;
		size_t line = text_wrap(at, length, text_head(at, length, room, &width), true);
		size_t shown = line;
		while (shown > 0 && at[shown - 1] == ' ')
			shown--;
		buffer_printf(out, "%*s", CARD_INDENT, "");
		buffer_add(out, at, shown);
		buffer_putc(out, '\n');
		at += line;
	}
}

/* "! Launch-bound", and at the right "at most 36.2 %, 427.00 ms". */
static void add_head(const struct cards *cards, uint32_t row, enum severity severity)
{
	AUTO_BUFFER struct buffer gain = { 0 };
	struct buffer *out = &cards->output->text;
	struct value title = card_cell(cards, row, "problem");
	struct value cost = card_cell(cards, row, "cost_ns");
	struct value source = card_cell(cards, row, "source");
	const char *sign;
	enum role role = severity_role(severity, &sign);
	bool colored = cards->color && role_start(role, out);
	size_t start = out->length;
	buffer_printf(out, "%-*s", CARD_INDENT, sign);
	text_escape(out, title.text, title.length);
	size_t used = text_width(out->data + start, out->length - start);
	if (cost.kind == VALUE_INT)
		buffer_printf(&gain, "at most %s, %s",
			      number_gain((char[NUMBER_MAX]){ 0 },
					  card_cell(cards, row, "gain_pct").real),
			      number_duration((char[NUMBER_MAX]){ 0 }, cost.integer));
	else if (severity == SEVERITY_HEADLINE)
		buffer_puts(&gain, "headline");
	else if (source.kind == VALUE_TEXT && strcmp(source.text, "strata") != 0)
		text_escape(&gain, source.text, source.length);
	buffer_puts(out, colored ? ROLE_END : "");
	used += gain.length;
	if (gain.length)
		buffer_printf(out, "%*s%s", used < cards->width ? (int)(cards->width - used) : 1,
			      "", buffer_text(&gain));
	buffer_putc(out, '\n');
}

/* What a limit leaves OUT is counted, too. */
static void add_card(struct cards *cards, uint32_t row, bool out)
{
	enum severity severity = severity_at(cards->extract->table, row);
	if (severity == SEVERITY_SILENT) {
		cards->passed++;
		return;
	}
	if (severity == SEVERITY_UNKNOWN) {
		cards->skipped++;
		for (const char *at = card_cell(cards, row, "detector").text; *at; at++)
			cards->skipped += *at == ',';
		return;
	}
	if (out) {
		cards->more++;
		return;
	}
	struct value gain = card_cell(cards, row, "gain_pct");
	bool all = cards->extract->limited;
	if (!all && gain.kind == VALUE_REAL && gain.real < MINOR_PERCENT) {
		cards->minor++;
		return;
	}
	if (severity != SEVERITY_STORED && cards->fired++ >= CARDS_MAX && !all) {
		cards->more++;
		return;
	}
	cards->shown++;
	add_head(cards, row, severity);
	AUTO_BUFFER struct buffer predicted = { 0 };
	finding_prediction(&predicted, cards->extract->table, row);
	add_wrapped(cards, value_text(buffer_text(&predicted)));
	add_wrapped(cards, card_cell(cards, row, "evidence"));
	add_wrapped(cards, card_cell(cards, row, "recommendation"));
	buffer_putc(&cards->output->text, '\n');
}

static void add_count(struct buffer *out, size_t count, const char *what, const char *rest)
{
	buffer_printf(out, "%zu %s%s%s\n", count, what, count == 1 ? "" : "s", rest);
}

static void add_rest(const struct cards *cards)
{
	struct buffer *out = &cards->output->text;
	const char *note = cards->extract->table->note;
	if (!cards->shown && !cards->more)
		buffer_printf(out, "%s\n", note && !cards->skipped ? note : "No finding.");
	if (cards->more)
		add_count(out, cards->more, "more finding", "");
	if (cards->minor)
		add_count(out, cards->minor, "minor finding", " with a gain under 2 %");
	if (cards->more + cards->minor)
		buffer_printf(out, "All findings: -n %zu\n",
			      cards->shown + cards->more + cards->minor);
	if (cards->passed)
		add_count(out, cards->passed, "check", " passed");
	if (cards->skipped)
		add_count(out, cards->skipped, "check", " could not run; list with -g all -f csv");
}

FORMAT_WRITER(format_write_cards)
{
	struct cards cards = { .extract = extract,
			       .output = output,
			       .color = style->color,
			       .width = style->width && style->width < CARD_WIDTH ? style->width
										  : CARD_WIDTH };
	for (size_t i = 0; i < extract->row_count + extract->left_out; i++) {
		if (!format_go_on(extract, i, progress, error))
			return false;
		add_card(&cards, extract->rows[i], i >= extract->row_count);
		output_row(output);
	}
	add_rest(&cards);
	output_row(output);
	return true;
}
