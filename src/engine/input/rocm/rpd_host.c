/*
 * Host rows of an RPD database: calls, ranges of the program, operators of autograd, stacks.
 */
#include "input/call_chains.h"
#include "input/rocm/rpd_private.h"

#include <stdlib.h>

#define USER_MARKER "UserMarker" /* the function of a range; its text is the argument */

/* ---- operators ---- */

/* Its first digits: what follows is of no use. */
static int64_t sequence_of(const struct sqlite_rows *rows, size_t column)
{
	size_t length;
	const char *text = sqlite_text(rows, column, &length);
	return text && length ? strtoll(text, NULL, 10) : NO_VALUE;
}

static void read_operators(struct rpd *rpd)
{
	enum { RANGE, SEQUENCE, SIZES, COLUMNS };
	sqlite_each (rows, rpd->database, "ext_autogradapi", "api_ptr_id! seq:text sizes:text",
		     COLUMNS) {
		struct rpd_operator *op =
			id_table_add(&rpd->operators, sizeof *op, sqlite_int(rows, RANGE));
		op->sequence = sequence_of(rows, SEQUENCE);
		op->sizes = sqlite_intern(rows, SIZES);
	}
}

static void rpd_host_add_operator(struct rpd *rpd, const struct rocm_range *range,
				  const struct rpd_operator *op)
{
	struct op_info info = { .forward_thread = NO_VALUE, .shapes = op->sizes };
	uint32_t span = builder_span(rpd->builder, SPAN_OPERATOR, range->track, range->message,
				     range->start, range->dur,
				     builder_op_ids(rpd->builder, NO_VALUE, op->sequence, &info));
	builder_span_attribute(rpd->builder, span, profile_intern(rpd->profile, NVTX_DOMAIN),
			       range->category);
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
	builder_span_text(rpd->builder, span, NVTX_DOMAIN, range->category);
	id_add(rpd->calls, id, span);
}

static void rpd_host_add_range(struct rpd *rpd, const struct rocm_range *range, int64_t id)
{
	const struct intern *strings = rpd->profile->strings;
	const struct rpd_operator *op = id_table_find(&rpd->operators, id);
	if (op)
		rpd_host_add_operator(rpd, range, op);
	else
		nvtx_range(rpd->nvtx, range->track, INTERNED(strings, range->message),
			   range->category, range->start, range->start + range->dur, NVTX_EITHER);
}

static uint32_t argument_of(struct rpd *rpd, int64_t id)
{
	uint32_t text = id_find(rpd->long_strings ? rpd->long_strings : rpd->strings, id);
	return text == NO_ROW ? 0 : text;
}

void rpd_read_host(struct rpd *rpd)
{
	enum { ID, PID, TID, START, END, NAME, ARGUMENTS, DOMAIN_NAME, COLUMNS };
	uint32_t marker = profile_intern(rpd->profile, USER_MARKER);
	read_operators(rpd);
	sqlite_each (rows, rpd->database, "rocpd_api",
		     "id! pid tid start! end! apiName_id! args_id domain_id", COLUMNS) {
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
}

/* ---- stacks ---- */

void rpd_read_stacks(struct rpd *rpd)
{
	enum { CALL, DEPTH, NAME, COLUMNS };
	AUTO(call_chains_clear) struct call_chains stacks = { 0 };
	sqlite_each (rows, rpd->database, "rocpd_stackframe", "api_ptr_id! depth! name_id!",
		     COLUMNS)
		call_chains_add(&stacks, sqlite_int(rows, CALL), sqlite_int(rows, DEPTH),
				rpd_string(rpd, sqlite_int(rows, NAME)));
	call_chains_sort(&stacks);
	for (size_t i = 0; i < stacks.count; i++) {
		int64_t call = stacks.frames[i].chain;
		uint32_t span = id_find(rpd->calls, call);
		if (span != NO_ROW && (!i || stacks.frames[i - 1].chain != call))
			builder_span_attribute(
				rpd->builder, span,
				profile_intern(rpd->profile, CALL_RECORDED_STACK),
				call_chain_text(&stacks, rpd->profile->strings, call));
	}
}
