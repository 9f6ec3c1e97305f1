/*
 * What perf script prints: a line per sample, and below it the frames of its stack.
 */
#include "base/platform.h"
#include "input/readers.h"
#include "input/text_format.h"

#include <ctype.h>

enum {
	PERF_WORDS_MAX = 32, /* limit: words of a line before its time */
};

/*
 * "comm pid/tid [cpu] seconds: period event:"; the command may contain blanks, and perf script -F
 * leaves out all but command and thread.
 */
struct heading {
	struct text_slice command, event, rest; /* rest: after the event */
	int64_t pid, tid, time;                 /* pid: NO_VALUE when only the thread is named */
	bool timed;
};

struct perf {
	struct text_reading text;
	bool open; /* a sample was begun */
	struct stack_sample sample;
	uint32_t command;                /* root of its stack, interned */
	GROWING(uint32_t, names, count); /* of its frames, innermost first, interned */
	uint32_t *events, *event_counts; /* by kind: interned name, samples */
	size_t event_count;
};

/* ---- lines ---- */

/* "203265.377019:", microseconds or nanoseconds */
static bool perf_script_parse_time(struct text_slice word, int64_t *ns)
{
	const char *dot = word.length ? memchr(word.text, '.', word.length) : NULL;
	if (!dot || word.text[word.length - 1] != ':')
		return false;
	struct text_slice seconds = slice_until(word, dot);
	struct text_slice part = { dot + 1, word.length - seconds.length - 2 };
	int64_t fraction;
	if (!slice_count(seconds, ns) || !slice_count(part, &fraction) || part.length > 9 ||
	    __builtin_mul_overflow(*ns, 1000000000, ns))
		return false;
	for (size_t digits = part.length; digits < 9; digits++)
		fraction *= 10;
	return !__builtin_add_overflow(*ns, fraction, ns);
}

/* "pid" or "pid/tid"; -1 is a thread that has ended. */
static bool parse_thread(struct text_slice word, struct heading *heading)
{
	const char *slash = memchr(word.text, '/', word.length);
	struct text_slice tid = word;
	heading->pid = NO_VALUE;
	if (slash) {
		tid = slice_from(word, slash + 1);
		word = slice_until(word, slash);
		if (!slice_is(word, "-1") && !slice_count(word, &heading->pid))
			return false;
	}
	heading->tid = -1;
	return slice_is(tid, "-1") || slice_count(tid, &heading->tid);
}

static bool perf_script_parse_event(struct text_slice rest, struct heading *heading)
{
	struct text_slice word = slice_next(&rest);
	int64_t period;
	heading->event = heading->rest = (struct text_slice){ word.text, 0 };
	if (!word.length)
		return true;
	if (slice_count(word, &period))
		word = slice_next(&rest);
	if (word.length < 2 || word.text[word.length - 1] != ':')
		return false;
	heading->event = (struct text_slice){ word.text, word.length - 1 };
	heading->rest = slice_trim(rest);
	return true;
}

/* The thread is word AT or, before a CPU, the one before; what precedes it is the command. */
static bool parse_command(struct text_slice line, const struct text_slice *words, size_t at,
			  struct heading *heading)
{
	if (at > 1 && words[at].text[0] == '[' && words[at].text[words[at].length - 1] == ']')
		at--;
	if (at < 1 || !parse_thread(words[at], heading))
		return false;
	heading->command = slice_trim(slice_until(line, words[at].text));
	return heading->command.length > 0;
}

/* Without a time: the event ends the line, if it is printed. */
static bool parse_untimed(struct text_slice line, const struct text_slice *words, size_t count,
			  struct heading *heading)
{
	size_t last = count - 1, length = words[last].length;
	int64_t period;
	heading->timed = false;
	heading->time = 0;
	heading->event = heading->rest = (struct text_slice){ line.text + line.length, 0 };
	if (words[last].text[length - 1] != ':')
		return parse_command(line, words, last, heading);
	heading->event = (struct text_slice){ words[last].text, length - 1 };
	if (last > 1 && slice_count(words[last - 1], &period) &&
	    parse_command(line, words, last - 2, heading))
		return true;
	return last > 0 && parse_command(line, words, last - 1, heading);
}

static bool perf_script_parse_heading(struct text_slice line, struct heading *heading)
{
	struct text_slice words[PERF_WORDS_MAX], rest = line;
	size_t count = 0;
	if (!line.length || line.text[0] == '#')
		return false;
	while (count < PERF_WORDS_MAX && (words[count] = slice_next(&rest)).length) {
		if (perf_script_parse_time(words[count], &heading->time))
			break;
		count++;
	}
	if (count < 2 || count == PERF_WORDS_MAX)
		return false;
	if (!words[count].length)
		return parse_untimed(line, words, count, heading);
	heading->timed = true;
	for (size_t at = count; at-- > 1;) {
		if (!parse_thread(words[at], heading))
			continue;
		heading->command = slice_trim(slice_until(line, words[at].text));
		return heading->command.length > 0 && perf_script_parse_event(rest, heading);
	}
	return false;
}

/* Of the object at the end, whose parentheses match: " (/lib/a.so (deleted))"; 0: none. */
static size_t object_length(struct text_slice line)
{
	size_t depth = 0;
	for (size_t at = line.length; at-- > 1;) {
		depth += line.text[at] == ')';
		if (!depth)
			return 0;
		depth -= line.text[at] == '(';
		if (!depth)
			return line.text[at - 1] == ' ' ? line.length - at : 0;
	}
	return 0;
}

/* "addr symbol+0x12 (object)": the symbol; false for another line. */
static bool parse_frame(struct text_slice line, struct text_slice *symbol)
{
	struct text_slice address = slice_next(&line);
	for (size_t i = 0; i < address.length; i++)
		if (!isxdigit((unsigned char)address.text[i]))
			return false;
	line = slice_trim(line);
	if (!address.length || !line.length)
		return false;
	line.length -= object_length(line);
	line = slice_trim(line);
	const char *plus = platform_memrchr(line.text, '+', line.length);
	if (plus && plus > line.text && plus + 2 < line.text + line.length && plus[1] == '0' &&
	    plus[2] == 'x')
		line = slice_until(line, plus);
	*symbol = line;
	return line.length > 0;
}

/* Headings without a time are like other text: the frames must tell. */
static bool is_full_frame(struct text_slice line)
{
	enum { DIGITS_MIN = 4 };
	struct text_slice symbol, rest = line;
	return object_length(line) && slice_next(&rest).length >= DIGITS_MIN &&
	       parse_frame(line, &symbol);
}

/* ---- samples ---- */

static void count_event(struct perf *perf, struct text_slice event)
{
	if (!event.length)
		return;
	uint32_t name = text_intern(&perf->text, event);
	for (size_t i = 0; i < perf->event_count; i++)
		if (perf->events[i] == name) {
			perf->event_counts[i]++;
			return;
		}
	if (perf->event_count == 64)
		return; /* more kinds are not listed */
	mem_grow(perf->events, perf->event_count + 1);
	mem_grow(perf->event_counts, perf->event_count + 1);
	perf->events[perf->event_count] = name;
	perf->event_counts[perf->event_count++] = 1;
}

/* Frames are printed innermost first; the command is the root. */
static void end_sample(struct perf *perf)
{
	if (!perf->open)
		return;
	uint32_t frame = builder_frame(perf->text.builder, perf->command, NO_ROW);
	while (perf->count)
		frame = builder_frame(perf->text.builder, perf->names[--perf->count], frame);
	perf->sample.frame = frame;
	builder_sample(perf->text.builder, &perf->sample);
	perf->text.rows++;
	perf->open = false;
}

static void perf_script_add_frame(struct perf *perf, struct text_slice symbol)
{
	*mem_push(perf->names, perf->count) = text_intern(&perf->text, symbol);
}

static void begin_sample(struct perf *perf, const struct heading *heading)
{
	struct text_slice symbol;
	end_sample(perf);
	perf->open = true;
	perf->command = text_intern(&perf->text, heading->command);
	uint32_t process = builder_process(perf->text.builder, heading->pid, 0);
	uint32_t track = builder_track(perf->text.builder, process, heading->tid, 0, -1);
	perf->text.profile->tracks[track].name = perf->command;
	perf->sample = (struct stack_sample){ .time = heading->time, .track = track };
	count_event(perf, heading->event);
	if (parse_frame(heading->rest, &symbol)) /* without a stack: on the same line */
		perf_script_add_frame(perf, symbol);
}

static void perf_script_take_line(void *state, struct text_slice line)
{
	struct perf *perf = state;
	struct heading heading;
	struct text_slice symbol;
	bool indented = line.length && (line.text[0] == '\t' || line.text[0] == ' ');
	if (!slice_trim(line).length)
		end_sample(perf);
	else if (line.text[0] == '#')
		return;
	else if (perf->open && indented && parse_frame(line, &symbol))
		perf_script_add_frame(perf, symbol);
	else if (perf_script_parse_heading(slice_trim(line), &heading) &&
		 (heading.timed || !indented))
		begin_sample(perf, &heading);
	else
		text_damage(&perf->text, "line not a sample or a frame");
}

static void add_metadata(struct perf *perf)
{
	struct profile *profile = perf->text.profile;
	for (size_t i = 0; i < perf->event_count; i++) {
		const char *event = profile_string(profile, perf->events[i]);
		builder_metadata(perf->text.builder, profile_print(profile, SAMPLES_OF "%s", event),
				 builder_number(perf->text.builder, perf->event_counts[i]));
	}
}

/* ---- the reader ---- */

static bool perf_script_recognize(const char *head, size_t length)
{
	const char *text = head, *end = head + length;
	struct text_slice line, symbol;
	struct heading heading;
	bool sample = false, timed = false;
	size_t frames = 0;
	if (head[0] == '{' || head[0] == '[')
		return false;
	while (text_line(&text, end, &line.text, &line.length)) {
		bool indented = line.length && (line.text[0] == '\t' || line.text[0] == ' ');
		if (sample && indented && parse_frame(line, &symbol))
			frames += timed || is_full_frame(slice_trim(line));
		else if (line.length && perf_script_parse_heading(slice_trim(line), &heading)) {
			frames += heading.timed && parse_frame(heading.rest, &symbol);
			sample = true;
			timed |= heading.timed;
		}
	}
	return sample && frames > 0;
}

static void perf_script_end(void *state)
{
	struct perf *perf = state;
	end_sample(perf);
	add_metadata(perf);
	mem_free_all(perf->names, perf->events, perf->event_counts);
}

static const struct text_format perf_script_format = {
	.state = sizeof(struct perf),
	.line = perf_script_take_line,
	.end = perf_script_end,
};

const struct reader perf_script_reader = { .format = "Linux perf samples (perf script)",
					   .recognize = perf_script_recognize,
					   .text = &perf_script_format };
