/*
 * What profilers append to names of events: the duration, the grid, the size of a copy.
 */
#include "input/kineto/kineto_rows_private.h"

#include <stdlib.h>

enum { DETAILS_MAX = 120 }; /* bytes at the end of a name that are read */

/* The text at the end of a name, with a NUL. */
struct ending {
	char text[DETAILS_MAX + 1];
	size_t length;
};

static struct ending ending_of(const struct json_slice *name)
{
	struct ending ending;
	ending.length = name->length < DETAILS_MAX ? name->length : DETAILS_MAX;
	memcpy(ending.text, name->text + name->length - ending.length, ending.length);
	ending.text[ending.length] = 0;
	return ending;
}

/* "matmul[0.013 ms]" of PaddlePaddle: bytes of the bracket if it holds the duration; 0: not. */
static size_t duration_length(const struct event *event, const struct ending *ending)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = { { " ms]", 1e6 }, { " us]", 1e3 } };
	const char *open = strrchr(ending->text, '[');
	int64_t dur;
	char *after;
	if (!open || !event->has_dur || !json_time_ns(&event->dur, &dur))
		return 0;
	double value = strtod(open + 1, &after);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		double off = fabs(value * units[i].ns - (double)dur);
		/* three decimals, of single precision */
		if (after > open + 1 && strcmp(after, units[i].suffix) == 0 &&
		    off <= units[i].ns / 1e3 + (double)dur * 1e-6)
			return (size_t)(ending->text + ending->length - open);
	}
	return 0;
}

/* "gemm[SIMD16 {4; 2; 1} {64; 1; 1}]", "gemm {4; 2; 1} {64; 1; 1}]" */
static const char *find_grid(const struct ending *ending)
{
	const char *open = strrchr(ending->text, '{'), *simd = strstr(ending->text, "[SIMD");
	if (simd)
		return simd;
	while (open && open > ending->text && *--open != '{')
		;
	return open && open > ending->text && open[-1] == ' ' ? open - 1 : NULL;
}

/* "{4; 2; 1}" at *TEXT, which becomes the end */
static bool parse_triple(const char **text, int32_t triple[3])
{
	*text += strcspn(*text, "{");
	for (int i = 0; i < 3; i++) {
		char *end;
		if (!**text)
			return false;
		long value = strtol(*text + 1, &end, 10);
		if (end == *text + 1 || value < 0 || value > INT32_MAX ||
		    *end != (i < 2 ? ';' : '}'))
			return false;
		triple[i] = (int32_t)value;
		*text = end;
	}
	return true;
}

bool rows_read_details(const struct event *event, struct name_details *details)
{
	struct ending ending = ending_of(&event->name);
	const char *at = find_grid(&ending), *open = strrchr(ending.text, '[');
	char *end;
	*details = (struct name_details){ .bytes = NO_VALUE };
	if (at) {
		details->length = (size_t)(ending.text + ending.length - at);
		details->has_grid = parse_triple(&at, details->grid) &&
				    parse_triple(&at, details->block) && strcmp(at, "}]") == 0;
		return details->has_grid;
	}
	if (!open)
		return false;
	long long bytes = strtoll(open + 1, &end, 10);
	details->length = (size_t)(ending.text + ending.length - open);
	details->bytes = bytes >= 0 ? bytes : NO_VALUE;
	return end > open + 1 && strcmp(end, "]") == 0;
}

struct json_slice rows_plain_name(struct rows *rows, const struct event *event)
{
	struct json_slice name = event->name;
	struct ending ending = ending_of(&name);
	const struct category *category = rows_category(rows, event);
	struct name_details details;
	if (category && category->details) {
		if (rows_read_details(event, &details))
			name.length -= details.length;
	} else {
		name.length -= duration_length(event, &ending);
	}
	return name;
}
