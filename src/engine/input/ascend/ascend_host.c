/*
 * Host rows of an Ascend database: operators, Python functions, the queue of launches, CANN calls,
 * ranges of the program.
 */
#include "base/buffer.h"
#include "input/ascend/ascend_private.h"
#include "input/call_chains.h"

/* Types of rows of PYTORCH_API, numbered as in ENUM_API_TYPE. */
enum { API_OPERATOR = 50001, API_QUEUE, API_PYTHON };

/* ---- operators ---- */

/*
 * "2,3;\r\n;\r\n4" as "[[2,3],[],[4]]"; names of types are QUOTED: ["float","",…]. Other views
 * compute with these forms, which PyTorch writes.
 */
static uint32_t list_of(struct ascend *ascend, int64_t id, bool quoted)
{
	uint32_t string = id == NO_VALUE ? 0 : ascend_string(ascend, id);
	const char *text = profile_string(ascend->profile, string), *open = quoted ? "\"" : "[";
	const char *close = quoted ? "\"" : "]";
	struct buffer list = { 0 };
	if (!string || !*text)
		return 0;
	buffer_printf(&list, "[%s", open);
	for (const char *at = text; *at; at++) {
		if (*at == ';')
			buffer_printf(&list, "%s,%s", close, open);
		else if (*at != '\r' && *at != '\n' && *at != '"' && *at != '\\')
			buffer_putc(&list, *at);
	}
	buffer_printf(&list, "%s]", close);
	return profile_take(ascend->profile, &list);
}

enum { ASCEND_API_COLUMNS(SQLITE_PLACE) API_COLUMNS };

/*
 * The work that an operator queues is launched by calls that carry its id: ids given by readers are
 * below -1.
 */
static int64_t external_of(int64_t connection)
{
	return connection < 0 || connection > INT64_MAX / 2 ? NO_VALUE : -2 - connection;
}

static void ascend_host_add_operator(struct ascend *ascend, const struct sqlite_rows *rows,
				     struct call_chains *stacks, const struct ascend_call *call,
				     int64_t dur)
{
	static const char step[] = "ProfilerStep#";
	int64_t sequence = sqlite_int(rows, API_SEQUENCE);
	struct op_info info = {
		.forward_thread = sqlite_int(rows, API_FORWARD),
		.shapes = list_of(ascend, sqlite_int(rows, API_SHAPES), false),
		.types = list_of(ascend, sqlite_int(rows, API_TYPES), true),
		.stack = call_chain_text(stacks, ascend->profile->strings,
					 sqlite_int(rows, API_STACK)),
	};
	const char *name = profile_string(ascend->profile, call->name);
	bool is_step = strncmp(name, step, sizeof step - 1) == 0;
	builder_span(ascend->builder, is_step ? SPAN_ANNOTATION : SPAN_OPERATOR, call->track,
		     call->name, call->start, dur,
		     builder_op_ids(ascend->builder, external_of(sqlite_int(rows, API_CONNECTION)),
				    sequence < 0 ? NO_VALUE : sequence, &info));
	*mem_push(ascend->calls, ascend->call_count) = *call;
}

static void ascend_host_add_function(struct ascend *ascend, const struct ascend_call *call,
				     int64_t dur)
{
	static const char module[] = "nn.Module: ";
	const char *name = profile_string(ascend->profile, call->name);
	bool is_module = strncmp(name, module, sizeof module - 1) == 0;
	builder_span(ascend->builder, is_module ? SPAN_MODULE : SPAN_PYTHON, call->track,
		     call->name, call->start, dur, NO_ROW);
}

/* Times are texts, since a careless reader would round them. */
static void add_api(struct ascend *ascend, const struct sqlite_rows *rows,
		    struct call_chains *stacks)
{
	int64_t dur, type = sqlite_int(rows, API_TYPE);
	struct ascend_call call = { .start = sqlite_text_int(rows, API_START),
				    .end = sqlite_text_int(rows, API_END) };
	if (!row_times(ascend->profile, TIMES_BOTH, call.start, call.end, &dur))
		return;
	call.track = ascend_thread(ascend, sqlite_int(rows, API_THREAD));
	call.name = ascend_string(ascend, sqlite_int(rows, API_NAME));
	if (type == API_OPERATOR || type == NO_VALUE)
		ascend_host_add_operator(ascend, rows, stacks, &call, dur);
	else if (type == API_PYTHON)
		ascend_host_add_function(ascend, &call, dur);
	else
		builder_span(
			ascend->builder, SPAN_OTHER, call.track, call.name, call.start, dur,
			profile_intern(ascend->profile, type == API_QUEUE ? "queue" : "other"));
}

/* ---- stacks ---- */

static struct call_chains read_stacks(struct ascend *ascend)
{
	enum { ID, FRAME, DEPTH, COLUMNS };
	struct call_chains stacks = { 0 };
	sqlite_each (rows, ascend->database, "PYTORCH_CALLCHAINS", "id! stack! stackDepth",
		     COLUMNS) {
		int64_t depth = sqlite_int(rows, DEPTH);
		call_chains_add(&stacks, sqlite_int(rows, ID), depth == NO_VALUE ? 0 : depth,
				ascend_string(ascend, sqlite_int(rows, FRAME)));
	}
	call_chains_sort(&stacks);
	return stacks;
}

static void read_pytorch(struct ascend *ascend)
{
	if (!sqlite_database_has(ascend->database, "PYTORCH_API"))
		return; /* msprof's */
	AUTO(call_chains_clear) struct call_chains stacks = read_stacks(ascend);
	sqlite_each (rows, ascend->database, "PYTORCH_API", ASCEND_API_COLUMNS(SQLITE_COLUMN),
		     API_COLUMNS)
		add_api(ascend, rows, &stacks);
}

/* An operator has several connections: to its work, to its entry in the queue, to its backward. */
static void read_connections(struct ascend *ascend)
{
	AUTO_HASH struct hash *operators = hash_new(ascend->profile->op_id_count);
	for (size_t i = 0; i < ascend->profile->op_id_count; i++) {
		int64_t external = ascend->profile->op_ids[i].external_id;
		id_add(operators, external, (uint32_t)i);
	}
	sqlite_each (rows, ascend->database, "CONNECTION_IDS", "id! connectionId!", 2) {
		int64_t connection = ascend_connection(sqlite_int(rows, 1));
		uint32_t at = id_find(operators, external_of(sqlite_int(rows, 0)));
		if (at != NO_ROW)
			id_add(ascend->operators, connection, at);
	}
}

/* ---- CANN ---- */

static void read_cann(struct ascend *ascend)
{
	enum { START, END, TYPE, THREAD, CONNECTION, NAME, COLUMNS };
	AUTO_HASH struct hash *levels =
		sqlite_strings(ascend->database, "ENUM_API_TYPE", "id! name:text!");
	uint32_t domain = profile_intern(ascend->profile, NVTX_DOMAIN);
	sqlite_each (rows, ascend->database, "CANN_API",
		     "startNs! endNs! type globalTid connectionId name!", COLUMNS) {
		int64_t dur, start = sqlite_int(rows, START);
		if (!row_times(ascend->profile, TIMES_BOTH, start, sqlite_int(rows, END), &dur))
			continue;
		struct call_info info = { ascend_connection(sqlite_int(rows, CONNECTION)),
					  NO_VALUE };
		uint32_t op = id_find(ascend->operators, info.correlation);
		if (op != NO_ROW)
			info.external_id = ascend->profile->op_ids[op].external_id;
		uint32_t span = builder_span(ascend->builder, SPAN_RUNTIME,
					     ascend_thread(ascend, sqlite_int(rows, THREAD)),
					     ascend_string(ascend, sqlite_int(rows, NAME)), start,
					     dur, builder_call_info(ascend->builder, &info));
		uint32_t level = id_find(levels, sqlite_int(rows, TYPE));
		if (level != NO_ROW)
			builder_span_attribute(ascend->builder, span, domain, level);
	}
}

/* ---- ranges of the program ---- */

static void read_ranges(struct ascend *ascend)
{
	enum { START, END, MESSAGE, THREAD, COLUMNS };
	sqlite_each (rows, ascend->database, "MSTX_EVENTS", "startNs! endNs message! globalTid",
		     COLUMNS) {
		int64_t dur, start = sqlite_int(rows, START), end = sqlite_int(rows, END);
		if (!row_times(ascend->profile, TIMES_BOTH, start, end == NO_VALUE ? start : end,
			       &dur))
			continue;
		builder_span(ascend->builder, dur ? SPAN_ANNOTATION : SPAN_INSTANT,
			     ascend_thread(ascend, sqlite_int(rows, THREAD)),
			     ascend_string(ascend, sqlite_int(rows, MESSAGE)), start, dur,
			     dur ? NO_ROW : profile_intern(ascend->profile, "mstx"));
	}
}

void ascend_read_host(struct ascend *ascend)
{
	read_pytorch(ascend);
	read_connections(ascend);
	read_cann(ascend);
	read_ranges(ascend);
}
