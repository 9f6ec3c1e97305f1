/*
 * The facts of the overview in words.
 */
#include "views/fact_rows.h"

#include "base/any_of.h"
#include "base/buffer.h"

#include <ctype.h>
#include <stdio.h>

static const struct {
	const char *metric, *words;
} facts_in_words[] = { FACT_TITLE_ROWS };

static const char *overview_words_title_of(const char *id, const char *suffix, size_t length)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s%s", (int)length, id, suffix);
	const struct column *column = column_find(name);
	return column ? column->title : NULL;
}

static bool is_particle(const char *word)
{
	static const char *const particles[] = { "a", "from", "in", "of", "to" };
	size_t length = strcspn(word, " ");
	return any_of(i, sizeof particles / sizeof *particles,
		      strlen(particles[i]) == length && !strncmp(word, particles[i], length));
}

/* Title of the metric's column, "Idle Launch"; otherwise the metric in title case. */
static struct value fact_title(struct table *table, const char *metric)
{
	size_t length = strlen(metric);
	bool share = length > 4 && strcmp(metric + length - 4, "_pct") == 0;
	for (size_t i = 0; i < sizeof facts_in_words / sizeof *facts_in_words; i++)
		if (strcmp(metric, facts_in_words[i].metric) == 0)
			return value_text(facts_in_words[i].words);
	const char *title = share ? overview_words_title_of(metric, "_ns", length - 4)
				  : overview_words_title_of(metric, "", length);
	if (title)
		return table_printf(table, "%s%s", title, share ? " Share" : "");
	struct buffer words = { 0 };
	buffer_puts(&words, metric);
	for (size_t i = 0; i < words.length; i++) {
		char *at = &words.data[i];
		*at = *at == '_' ? ' ' : *at;
		if (i == 0 || (at[-1] == ' ' && !is_particle(at)))
			*at = (char)toupper((unsigned char)*at);
	}
	return table_take_text(table, &words);
}

void overview_say_in_words(struct table *table)
{
	int section = table_need(table, "section"), metric = table_need(table, "metric");
	for (size_t row = 0; row < table->rows; row++) {
		struct value value = table_value(table, row, (size_t)metric);
		bool finding = !strcmp(table_value(table, row, (size_t)section).text, "advice");
		table_set(table, row, "fact", finding ? value : fact_title(table, value.text));
	}
}
