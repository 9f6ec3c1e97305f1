#include "input/kineto/category.h"

#include "base/any_of.h"
#include "base/data_table.h"

#include <stdlib.h>
#include <strings.h>

static const char *const kind_words[] = { CATEGORY_KIND_ROWS NULL };

/* The kind is a place in kind_words so far. */
static void finish_category(void *row)
{
	static const int kinds[] = { SPAN_KINDS, ACTIVITY_KINDS, FLOW_CALLED + 1, 1, 1 };
	struct category *category = row;
	for (; category->kind >= kinds[category->lane]; category->lane++)
		category->kind -= kinds[category->lane];
	category->has_tasks = any_of(i, ACTIVITY_KINDS, category->tasks[i]);
}

static const struct category *categories(void)
{
	return DATA_ROWS("categories.txt", struct category, CATEGORY_FIELD_ROWS,
			 .finish = finish_category);
}

/* A '*' at the start or end of PATTERN stands for one character or more. */
static bool fits(const char *pattern, const char *name, size_t length)
{
	size_t own = strlen(pattern);
	bool end = *pattern == '*', start = pattern[own - 1] == '*';
	own -= start + end;
	if (start || end ? length <= own : length != own)
		return false;
	return strncasecmp(pattern + end, name + (end ? length - own : 0), own) == 0;
}

const struct category *category_find(const char *name, size_t length)
{
	for (const struct category *row = categories(); row->name; row++)
		if (!row->process && fits(row->name, name, length))
			return row;
	return NULL;
}

/* Is a task in a list? A '*' at the end of a word stands for anything. */
static bool lists_task(const char *words, const char *name, size_t length)
{
	size_t own;
	for (; words && *words; words += own, words += strspn(words, " ")) {
		own = strcspn(words, " ");
		size_t start = own - (words[own - 1] == '*');
		if ((start < own ? length >= start : length == own) &&
		    memcmp(words, name, start) == 0)
			return true;
	}
	return false;
}

enum activity_kind task_kind_find(const struct category *category, const char *name, size_t length)
{
	for (int kind = 0; kind < ACTIVITY_KINDS; kind++)
		if (lists_task(category->tasks[kind], name, length))
			return (enum activity_kind)kind;
	return (enum activity_kind)category->kind;
}

/* ---- processes ---- */

const struct category category_repeated = {
	.name = "operation", .lane = LANE_SPAN, .kind = SPAN_GPU_ANNOTATION, .of_op = true
};
const struct category category_listed_again = {
	.name = "task", .lane = LANE_SPAN, .kind = SPAN_OTHER, .of_op = true, .of_operators = true
};

/* Does TEXT match PATTERN? Then *NUMBER is the first number that a '*' stands for. */
static bool category_matches(const char *pattern, const char *text, int64_t *number)
{
	enum { DIGITS_MAX = 9 };
	for (; *pattern; pattern++) {
		if (*pattern == '%') {
			for (; *text; text++)
				if (category_matches(pattern + 1, text, number))
					return true;
			return category_matches(pattern + 1, text, number);
		}
		if (*pattern == '*') {
			size_t digits = strspn(text, "0123456789");
			if (!digits || digits > DIGITS_MAX)
				return false;
			if (*number == NO_VALUE)
				*number = strtol(text, NULL, 10);
			text += digits;
		} else if (*pattern != *text++) {
			return false;
		}
	}
	return !*text;
}

const struct category *category_of_lane(const char *process, const char *thread)
{
	for (const struct category *row = categories(); row->name; row++) {
		int64_t device = NO_VALUE;
		if (row->process && category_matches(row->process, process, &device) &&
		    (!row->thread ||
		     (thread && strncmp(thread, row->thread, strlen(row->thread)) == 0)))
			return row;
	}
	return NULL;
}

int64_t category_device(const char *process)
{
	int64_t device = NO_VALUE;
	for (const struct category *row = categories(); row->name; row++) {
		device = NO_VALUE;
		if (row->process && category_matches(row->process, process, &device))
			break;
	}
	return device;
}
