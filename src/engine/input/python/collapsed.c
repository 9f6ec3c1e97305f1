/*
 * Collapsed stacks: "frame;frame 12", as torch.profiler, austin, py-spy and stackcollapse write.
 */
#include "input/python/collapsed.h"

#include "base/platform.h"
#include "input/readers.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const struct {
	const char *unit, *note;
	int64_t scale;
	enum sample_unit measure;
} weight_kinds[] = { WEIGHT_ROWS };

/* The stack ends at the last blank; the number after it may have decimals. */
static bool split_stack(const char *line, size_t length, size_t *stack, int64_t *value)
{
	size_t at = length;
	while (at && (isdigit((unsigned char)line[at - 1]) || line[at - 1] == '.'))
		at--;
	if (at == length || at < 2 || line[at - 1] != ' ' || length - at > 18)
		return false;
	char number[20] = "";
	memcpy(number, line + at, length - at);
	char *end;
	double real = strtod(number, &end);
	*stack = at - 1;
	*value = (int64_t)llround(real);
	return !*end && isdigit((unsigned char)number[0]);
}

static bool collapsed_recognize(const char *head, size_t length)
{
	const char *end = head + length, *text = head, *line;
	size_t size, stack, lines = 0, stacks = 0;
	int64_t value;
	while (text_line(&text, end, &line, &size)) {
		bool whole = text < end || length < 4096 || end[-1] == '\n';
		if (!size || line[0] == '#' || !whole)
			continue;
		if (!split_stack(line, size, &stack, &value) || line[0] == '{' || line[0] == '[')
			return false;
		lines++;
		/* A stack of one frame has no separator; a sentence that ends with a number is
		 * none. */
		stacks += memchr(line, ';', stack) || !memchr(line, ' ', stack) ||
			  line[stack - 1] == ')';
	}
	return stacks * 2 > lines;
}

/* Of torch.profiler, "file.py(3):_f" or a built-in function; of austin, "P12;T13;" at the root. */
static bool is_timed_stack(struct text_slice stack)
{
	return slice_find(stack, "):_") || slice_find(stack, "): ") ||
	       slice_begins(stack, "<built-in") || slice_begins(stack, "<method") ||
	       (stack.length > 1 && stack.text[0] == 'P' && isdigit((unsigned char)stack.text[1]));
}

/* austin begins with lines such as "# mode: wall" and "# memory: yes"; others count samples. */
static enum weights weights_of(const char *text, const char *end)
{
	struct text_slice line;
	bool timed = false;
	while (text_line(&text, end, &line.text, &line.length)) {
		if (slice_begins(line, "# mode: memory") || slice_begins(line, "# memory: yes"))
			return WEIGHTS_BYTES;
		timed |= slice_begins(line, "# mode: ");
		if (line.length && *line.text != '#' && (timed || is_timed_stack(line)))
			return WEIGHTS_US;
	}
	return WEIGHTS_SAMPLES;
}

/* ---- order of frames ---- */

static struct text_slice first_frame(struct text_slice stack)
{
	const char *stop = memchr(stack.text, ';', stack.length);
	return (struct text_slice){ stack.text, stop ? (size_t)(stop - stack.text) : stack.length };
}

static struct text_slice last_frame(struct text_slice stack)
{
	const char *stop = platform_memrchr(stack.text, ';', stack.length),
		   *end = stack.text + stack.length;
	const char *text = stop ? stop + 1 : stack.text;
	return (struct text_slice){ text, (size_t)(end - text) };
}

/*
 * Newer export_stacks() of torch.profiler begins with the innermost frame: most stacks begin in a
 * built-in function, and fewer frames end stacks than begin them.
 */
static bool is_leaf_first(const char *text, const char *end)
{
	AUTO_INTERN struct intern *first = intern_new(), *last = intern_new();
	size_t stacks = 0, built_in = 0, length, stack;
	const char *line;
	int64_t value;
	while (text_line(&text, end, &line, &length)) {
		if (!length || line[0] == '#' || !split_stack(line, length, &stack, &value))
			continue;
		struct text_slice frame = first_frame((struct text_slice){ line, stack });
		stacks++;
		built_in += slice_begins(frame, "<built-in") || slice_begins(frame, "<method");
		intern_add(first, frame.text, frame.length);
		frame = last_frame((struct text_slice){ line, stack });
		intern_add(last, frame.text, frame.length);
	}
	return 2 * built_in > stacks && intern_count(last) < intern_count(first);
}

/* The frames of STACK in OUT in the other order. */
static void reverse(struct buffer *out, struct text_slice stack)
{
	buffer_clear(out);
	while (stack.length) {
		struct text_slice frame = last_frame(stack);
		buffer_add(out, frame.text, frame.length);
		stack.length -= frame.length;
		if (stack.length) {
			buffer_putc(out, ';');
			stack.length--;
		}
	}
}

void stacks_begin(struct profile *profile, enum weights weights)
{
	struct python_stats *stats = profile->python = python_stats_new();
	stats->sample_unit = weight_kinds[weights].measure;
	stats->sample_note = weight_kinds[weights].note;
	python_fact_text(stats, "stacks", "unit",
			 profile_intern(profile, weight_kinds[weights].unit));
}

uint32_t stacks_frame(struct profile *profile, uint32_t label, uint32_t frame)
{
	struct python_stats *stats = profile->python;
	return frames_add(&stats->frames, python_function_of_label(stats, profile->strings, label),
			  frame);
}

void stacks_add(struct profile *profile, uint32_t frame, int64_t value, enum weights weights)
{
	struct python_sample sample = { frame, NO_ROW, value,
					weights == WEIGHTS_SAMPLES ? value : 1 };
	if (__builtin_mul_overflow(value, weight_kinds[weights].scale, &sample.value))
		sample.value = INT64_MAX;
	if (frame != NO_ROW)
		python_sample_add(profile->python, &sample);
}

static void collapsed_add_stack(struct profile *profile, const char *stack, size_t length,
				int64_t value, enum weights weights)
{
	uint32_t frame = NO_ROW;
	for (size_t at = 0; at < length;) {
		const char *stop = memchr(stack + at, ';', length - at);
		size_t end = stop ? (size_t)(stop - stack) : length;
		frame = stacks_frame(profile, intern_add(profile->strings, stack + at, end - at),
				     frame);
		at = end + 1;
	}
	stacks_add(profile, frame, value, weights);
}

static bool read_stacks(struct input *input)
{
	struct profile *profile = input->profile;
	static const char turned[] = "innermost frame first in the file; turned";
	AUTO_BUFFER struct buffer frames = { 0 };
	const char *start = buffer_text(&input->text), *at = start;
	const char *end = start + input->text.length, *line;
	enum weights weights = weights_of(start, end);
	size_t length, stack;
	int64_t value;
	stacks_begin(profile, weights);
	bool leaf_first = is_leaf_first(start, end);
	if (leaf_first)
		python_fact_text(profile->python, "stacks", "order",
				 profile_intern(profile, turned));
	while (text_line(&at, end, &line, &length)) {
		if (!length || line[0] == '#')
			continue;
		if (!split_stack(line, length, &stack, &value)) {
			profile_damage(profile, "line not a stack and a number", "skipped",
				       (uint64_t)(line - start));
			continue;
		}
		if (leaf_first)
			reverse(&frames, (struct text_slice){ line, stack });
		collapsed_add_stack(profile, leaf_first ? buffer_text(&frames) : line, stack, value,
				    weights);
	}
	profile->events = profile->python->sample_count;
	return true;
}

const struct reader collapsed_reader = { .format = "Collapsed stacks",
					 .recognize = collapsed_recognize,
					 .text_max = SOURCE_TEXT_MAX,
					 .read = read_stacks };
