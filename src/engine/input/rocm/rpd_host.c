/*
 * Host rows of an RPD database: calls, ranges of the program, operators of autograd, stacks.
 */
#include "base/buffer.h"
#include "input/rocm/rpd_private.h"

#include <stdlib.h>
#include <string.h>

#define USER_MARKER "UserMarker" /* the function of a range; its text is the argument */

/* ---- operators ---- */

static void read_operators(struct rpd *rpd)
{
	enum { RANGE, SEQUENCE, SIZES, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[RANGE] = { "api_ptr_id", COLUMN_INT, true },
		[SEQUENCE] = { "seq", COLUMN_TEXT, false },
		[SIZES] = { "sizes", COLUMN_TEXT, false },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "ext_autogradapi", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		size_t length;
		int64_t range = sqlite_int(rows, RANGE);
		const char *sequence = sqlite_text(rows, SEQUENCE, &length);
		int64_t number = sequence && length ? strtoll(sequence, NULL, 10) : NO_VALUE;
		const char *sizes = sqlite_text(rows, SIZES, &length);
		if (range == NO_VALUE)
			continue;
		mem_grow(rpd->operators, rpd->operator_cap, rpd->operator_count + 1);
		rpd->operators[rpd->operator_count] = (struct rpd_operator){
			number, sizes ? intern_add(rpd->profile->strings, sizes, length) : 0
		};
		hash_add(rpd->operator_ids, (uint64_t)range, (uint32_t)rpd->operator_count++);
	}
	sqlite_rows_close(rows);
}

static void rpd_host_add_operator(struct rpd *rpd, const struct rocm_range *range,
				  const struct rpd_operator *op)
{
	struct op_info info = { .external_id = NO_VALUE,
				.sequence = op->sequence,
				.forward_thread = NO_VALUE,
				.shapes = op->sizes };
	uint32_t span =
		builder_span(rpd->builder, SPAN_OPERATOR, range->track, range->message,
			     range->start, range->dur, builder_op_info(rpd->builder, &info));
	builder_span_attribute(rpd->builder, span, rpd_intern(rpd, NVTX_DOMAIN), range->category);
}

/* ---- calls and ranges ---- */

static uint32_t thread_track(struct rpd *rpd, int64_t pid, int64_t tid)
{
	uint32_t process = builder_process(rpd->builder, pid, 0);
	if (rpd->process == NO_ROW)
		rpd->process = process;
	return builder_track(rpd->builder, process, tid, 0, -1);
}

static void rpd_host_add_call(struct rpd *rpd, const struct rocm_range *range, int64_t id)
{
	struct call_info info = { id, NO_VALUE };
	uint32_t span =
		builder_span(rpd->builder, SPAN_RUNTIME, range->track, range->name, range->start,
			     range->dur, builder_call_info(rpd->builder, &info));
	if (range->category)
		builder_span_attribute(rpd->builder, span, rpd_intern(rpd, NVTX_DOMAIN),
				       range->category);
	if (id != NO_VALUE)
		hash_add(rpd->calls, (uint64_t)id, span);
}

static void rpd_host_add_range(struct rpd *rpd, const struct rocm_range *range, int64_t id)
{
	size_t cursor;
	const struct intern *strings = rpd->profile->strings;
	uint32_t known =
		id == NO_VALUE ? NO_ROW : hash_find(rpd->operator_ids, (uint64_t)id, &cursor);
	if (known != NO_ROW)
		rpd_host_add_operator(rpd, range, &rpd->operators[known]);
	else
		nvtx_range(rpd->nvtx, range->track, intern_text(strings, range->message),
			   intern_length(strings, range->message), range->category, range->start,
			   range->start + range->dur, NVTX_EITHER);
}

static uint32_t argument_of(struct rpd *rpd, int64_t id)
{
	size_t cursor;
	if (id == NO_VALUE)
		return 0;
	const struct hash *texts = rpd->long_strings ? rpd->long_strings : rpd->strings;
	uint32_t text = hash_find(texts, (uint64_t)id, &cursor);
	return text == NO_ROW ? 0 : text;
}

void rpd_read_host(struct rpd *rpd)
{
	enum { ID, PID, TID, START, END, NAME, ARGUMENTS, DOMAIN_NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[PID] = { "pid", COLUMN_INT, false },
		[TID] = { "tid", COLUMN_INT, false },
		[START] = { "start", COLUMN_INT, true },
		[END] = { "end", COLUMN_INT, true },
		[NAME] = { "apiName_id", COLUMN_INT, true },
		[ARGUMENTS] = { "args_id", COLUMN_INT, false },
		[DOMAIN_NAME] = { "domain_id", COLUMN_INT, false },
	};
	uint32_t marker = rpd_intern(rpd, USER_MARKER);
	read_operators(rpd);
	struct sqlite_rows *rows = sqlite_rows_open(rpd->database, "rocpd_api", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID);
		struct rocm_range range = { .start = sqlite_int(rows, START) };
		if (!rocm_times(rpd->profile, range.start, sqlite_int(rows, END), &range.dur))
			continue;
		range.track = thread_track(rpd, sqlite_int(rows, PID), sqlite_int(rows, TID));
		range.name = rpd_string(rpd, sqlite_int(rows, NAME));
		range.message = argument_of(rpd, sqlite_int(rows, ARGUMENTS));
		range.category = range.name == marker
					 ? marker
					 : rpd_string(rpd, sqlite_int(rows, DOMAIN_NAME));
		if (range.name == marker)
			rpd_host_add_range(rpd, &range, id);
		else
			rpd_host_add_call(rpd, &range, id);
	}
	sqlite_rows_close(rows);
}

/* ---- stacks ---- */

struct stack_frame {
	int64_t call, depth; /* depth 0 is innermost */
	uint32_t name;
};

static int compare_frames(const void *a, const void *b)
{
	const struct stack_frame *x = a, *y = b;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

static void rpd_host_add_stack(struct rpd *rpd, const struct stack_frame *frames, size_t count)
{
	size_t cursor;
	struct buffer text = { 0 };
	uint32_t span = hash_find(rpd->calls, (uint64_t)frames->call, &cursor);
	for (size_t i = 0; i < count && span != NO_ROW; i++)
		buffer_printf(&text, "%s%s", i ? ";" : "",
			      profile_string(rpd->profile, frames[i].name));
	if (text.length)
		builder_span_attribute(
			rpd->builder, span, rpd_intern(rpd, CALL_RECORDED_STACK),
			intern_add(rpd->profile->strings, buffer_text(&text), text.length));
	buffer_free(&text);
}

void rpd_read_stacks(struct rpd *rpd)
{
	enum { CALL, DEPTH, NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[CALL] = { "api_ptr_id", COLUMN_INT, true },
		[DEPTH] = { "depth", COLUMN_INT, true },
		[NAME] = { "name_id", COLUMN_INT, true },
	};
	struct stack_frame *frames = NULL;
	size_t count = 0, capacity = 0;
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_stackframe", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		mem_grow(frames, capacity, count + 1);
		frames[count++] =
			(struct stack_frame){ sqlite_int(rows, CALL), sqlite_int(rows, DEPTH),
					      rpd_string(rpd, sqlite_int(rows, NAME)) };
	}
	sqlite_rows_close(rows);
	if (count)
		qsort(frames, count, sizeof *frames, compare_frames);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && frames[end].call == frames[first].call;)
			end++;
		rpd_host_add_stack(rpd, frames + first, end - first);
	}
	mem_free(frames);
}
