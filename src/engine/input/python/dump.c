/*
 * What py-spy dump prints: the stack of each thread at one moment, innermost frame first, as text
 * or, with --json, as an array.
 *
 *   Process 12: python train.py
 *   Python v3.10.6 (/usr/bin/python3.10)
 *
 *   Thread 12 (active): "MainThread"
 *       step (train.py:40)
 *       <module> (train.py:60)
 *
 * and what faulthandler writes, maybe among other lines of a log:
 *
 *   Current thread 0x00007f1a677c4b80 (most recent call first):
 *     File "train.py", line 40 in step
 *     File "train.py", line 60 in <module>
 */
#include "base/error.h"
#include "input/json.h"
#include "input/readers.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <stdio.h>
#include <stdlib.h>

struct dump {
	struct profile *profile;
	struct builder *builder;
	struct buffer text;
	uint32_t *labels; /* of the frames of the thread, innermost first */
	size_t label_count;
	uint32_t thread; /* its name, 0: none is open */
	int64_t pid, tid;
	uint64_t threads;
	bool fault; /* of faulthandler */
};

static const char fault_heading[] = " (most recent call first):";

static void add_label(struct dump *dump, uint32_t label)
{
	*mem_push(dump->labels, dump->label_count) = label;
}

static void end_thread(struct dump *dump)
{
	struct python_stats *stats = dump->profile->python;
	struct python_sample sample = { .frame = NO_ROW, .value = 1, .calls = 1 };
	if (!dump->thread)
		return;
	uint32_t process = builder_process(dump->builder, dump->pid, 0);
	sample.track = builder_track(dump->builder, process, dump->tid, 0, -1);
	dump->profile->tracks[sample.track].name = dump->thread;
	for (size_t i = dump->label_count; i-- > 0;)
		sample.frame = frames_add(
			&stats->frames,
			python_function_of_label(stats, dump->profile->strings, dump->labels[i]),
			sample.frame);
	if (sample.frame != NO_ROW)
		python_sample_add(stats, &sample);
	dump->threads++;
	dump->thread = 0;
	dump->label_count = 0;
}

/* ---- text ---- */

/* "12 (idle)", "0x7F12" */
static void take_id(struct dump *dump, struct text_slice rest)
{
	char copy[24];
	snprintf(copy, sizeof copy, "%.*s", (int)rest.length, rest.text);
	dump->tid = (int64_t)strtoull(copy, NULL, 0);
}

/* "Thread 0x7F12 (idle): "loader"" */
static bool begin_thread(struct dump *dump, struct text_slice line)
{
	struct text_slice rest = line;
	if (!slice_begins(line, "Thread ") || !slice_find(line, "("))
		return false;
	end_thread(dump);
	slice_next(&rest);
	rest = slice_trim(rest);
	take_id(dump, rest);
	dump->thread = intern_add(dump->profile->strings, rest.text, rest.length);
	return true;
}

/* "Thread 0x7F12 (most recent call first):", "Current thread", or "Stack" of the only one */
static bool begin_fault_thread(struct dump *dump, struct text_slice line)
{
	struct text_slice rest = line;
	if (!slice_ends(line, fault_heading))
		return false;
	end_thread(dump);
	rest.length -= sizeof fault_heading - 1;
	bool current = slice_skip(&rest, "Current thread ");
	if (!current)
		slice_skip(&rest, "Thread ");
	take_id(dump, rest);
	buffer_clear(&dump->text);
	buffer_printf(&dump->text, "%.*s%s", (int)rest.length, rest.text,
		      current ? " (current)" : "");
	dump->thread = intern_add(dump->profile->strings, BUFFERED(&dump->text));
	return true;
}

/* "  File "train.py", line 40 in step" */
static bool take_fault_frame(struct dump *dump, struct text_slice line)
{
	struct text_slice rest = line;
	int64_t number;
	if (!dump->thread || !slice_skip(&rest, "  File \""))
		return false;
	const char *end = slice_find(rest, "\", line ");
	if (!end)
		return false;
	struct text_slice file = slice_until(rest, end);
	rest = slice_from(rest, end);
	slice_skip(&rest, "\", line ");
	bool known = slice_count(slice_next(&rest), &number);
	if (!slice_is(slice_next(&rest), "in"))
		return false;
	rest = slice_trim(rest);
	buffer_clear(&dump->text);
	buffer_printf(&dump->text, "%.*s (%.*s", (int)rest.length, rest.text, (int)file.length,
		      file.text);
	if (known)
		buffer_printf(&dump->text, ":%lld", (long long)number);
	buffer_putc(&dump->text, ')');
	add_label(dump, intern_add(dump->profile->strings, BUFFERED(&dump->text)));
	return true;
}

/* Other lines are of the program that wrote them, too. */
static void parse_fault_line(struct dump *dump, struct text_slice line)
{
	struct text_slice rest = line;
	if (begin_fault_thread(dump, line) || take_fault_frame(dump, line))
		return;
	if (line.length && *line.text != ' ')
		end_thread(dump);
	if (slice_skip(&rest, "Fatal Python error: "))
		python_fact_text(dump->profile->python, "dump", "error",
				 intern_add(dump->profile->strings, rest.text, rest.length));
}

/* Frames are indented by four, their arguments and locals by more. */
static bool take_frame_dump(struct dump *dump, struct text_slice line)
{
	enum { INDENT = 4 };
	size_t indent = 0;
	while (indent < line.length && line.text[indent] == ' ')
		indent++;
	struct text_slice frame = slice_trim(line);
	if (!dump->thread || indent < INDENT || !frame.length)
		return false;
	if (indent == INDENT)
		add_label(dump, intern_add(dump->profile->strings, frame.text, frame.length));
	return true;
}

static void dump_parse_line(struct dump *dump, struct text_slice line)
{
	struct text_slice rest = line;
	if (slice_begins(line, "Process ")) {
		end_thread(dump);
		slice_next(&rest);
		struct text_slice pid = slice_next(&rest);
		if (pid.length && pid.text[pid.length - 1] == ':')
			pid.length--;
		if (!slice_count(pid, &dump->pid))
			dump->pid = NO_VALUE;
		rest = slice_trim(rest);
		if (rest.length)
			python_fact_text(
				dump->profile->python, "dump", "command",
				intern_add(dump->profile->strings, rest.text, rest.length));
	} else if (!begin_thread(dump, line) && !take_frame_dump(dump, line) && line.length &&
		   !slice_begins(line, "Python v")) {
		profile_skip(dump->profile, "line that is no thread or frame");
	}
}

static void dump_read_text(struct dump *dump, const char *at, const char *end)
{
	for (struct text_slice line; text_line(&at, end, &line.text, &line.length);) {
		if (dump->fault)
			parse_fault_line(dump, line);
		else
			dump_parse_line(dump, line);
	}
	end_thread(dump);
}

/* ---- JSON ---- */

static void dump_put_text(struct dump *dump, const struct json_slice *object, const char *name)
{
	struct json_slice value;
	if (json_find_type(object, name, JSON_STRING, &value))
		json_unescape(&dump->text, &value);
}

static void read_frame(struct dump *dump, const struct json_slice *frame)
{
	struct json_slice file;
	int64_t line = NO_VALUE;
	buffer_clear(&dump->text);
	dump_put_text(dump, frame, "name");
	buffer_puts(&dump->text, " (");
	dump_put_text(dump, frame,
		      json_find_type(frame, "short_filename", JSON_STRING, &file) ? "short_filename"
										  : "filename");
	if (json_find(frame, "line", &file) && json_int(&file, &line) && line > 0)
		buffer_printf(&dump->text, ":%lld", (long long)line);
	buffer_puts(&dump->text, ")");
	add_label(dump, intern_add(dump->profile->strings, BUFFERED(&dump->text)));
}

static bool is_true(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	return json_find(object, name, &value) && json_equal(&value, "true");
}

static void read_thread(struct dump *dump, const struct json_slice *object)
{
	struct json_slice frames, name;
	if (!json_find_type(object, "frames", JSON_ARRAY, &frames)) {
		profile_skip(dump->profile, "thread without frames");
		return;
	}
	dump->pid = json_find_id(object, "pid");
	dump->tid = json_find_id(object, "thread_id");
	buffer_clear(&dump->text);
	buffer_printf(&dump->text, "%lld (%s%s)", (long long)dump->tid,
		      is_true(object, "active") ? "active" : "idle",
		      is_true(object, "owns_gil") ? "+gil" : "");
	if (json_find_type(object, "thread_name", JSON_STRING, &name)) {
		buffer_puts(&dump->text, ": \"");
		json_unescape(&dump->text, &name);
		buffer_putc(&dump->text, '"');
	}
	dump->thread = intern_add(dump->profile->strings, BUFFERED(&dump->text));
	for (struct json_members at = json_members(&frames); json_each(&at);)
		if (at.value.type == JSON_OBJECT)
			read_frame(dump, &at.value);
	end_thread(dump);
}

static bool read_json(struct dump *dump, const struct buffer *text, struct error *error)
{
	struct json_slice array;
	if (!json_document(BUFFERED(text), JSON_ARRAY, &array, NULL))
		return error_input(error, "is a cut or damaged dump of py-spy (JSON)");
	for (struct json_members at = json_members(&array); json_each(&at);)
		read_thread(dump, &at.value);
	return true;
}

/* ---- the whole ---- */

static bool is_fault_dump(const char *head)
{
	const char *heading = strstr(head, fault_heading);
	return heading && strncmp(heading + sizeof fault_heading - 1, "\n  File \"", 9) == 0;
}

static bool read_dump(struct input *input)
{
	struct profile *profile = input->profile;
	struct dump dump = {
		.profile = profile, .builder = input->builder, .pid = NO_VALUE, .tid = NO_VALUE
	};
	const char *text = buffer_text(&input->text);
	dump.fault = is_fault_dump(text);
	if (dump.fault)
		profile->format = "faulthandler";
	bool json = text[strspn(text, " \t\r\n")] == '[', done = true;
	profile->python = python_stats_new();
	profile->python->sample_unit = SAMPLE_COUNT;
	profile->python->sample_note = "One stack of each thread, at one moment.";
	if (json)
		done = read_json(&dump, &input->text, input->error);
	else
		dump_read_text(&dump, text, text + input->text.length);
	profile->events = dump.threads;
	if (done && !dump.threads)
		done = error_input(input->error, "is a dump without a thread");
	mem_free(dump.labels);
	buffer_free(&dump.text);
	return done;
}

static bool dump_recognize(const char *head, size_t length)
{
	if (is_fault_dump(head))
		return true;
	if (head[strspn(head, " \t\r\n")] == '[')
		return strstr(head, "\"owns_gil\"") && strstr(head, "\"frames\"");
	const char *version = strstr(head, "\nPython v");
	return strncmp(head, "Process ", 8) == 0 && version && strstr(version, "\nThread ");
}

const struct reader dump_reader = { .format = "py-spy dump",
				    .recognize = dump_recognize,
				    .text_max = SOURCE_TEXT_MAX,
				    .read = read_dump };
