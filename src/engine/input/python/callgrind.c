/*
 * The callgrind format, as yappi, pyprof2calltree and pprofile write it: functions with their own
 * time, and calls with the time spent inside.
 *
 *   events: Ticks
 *   fl=(1) a.py
 *   fn=(1) main
 *   16 20            line and own cost
 *   cfn=(2) f
 *   calls=3 50       the next line has the cost of these calls, inside f
 *   16 400
 *
 * "(1) name" gives a name a number, "(1)" stands for it. Lines may be relative to the last one.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "input/readers.h"
#include "input/text_format.h"
#include "model/python_stats.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a function costs besides its row. */
struct cost {
	double outside_s, inside_s; /* in calls of it by others, and in calls that it makes */
	int64_t calls;              /* of it; NO_VALUE: not recorded */
	int64_t line;               /* where it is, as calls say, or its only line with a cost */
	bool lines_differ;
};

struct callgrind {
	struct text_reading text;
	struct python_stats *stats;
	struct hash *files, *functions; /* number of a compressed name → text */
	struct cost *costs;             /* by function */
	size_t cost_count, cost_capacity;
	bool yappi;
	size_t positions, event;       /* subpositions of a line; index of the event read */
	double unit_s;                 /* of that; 0: none so far */
	struct text_slice first_event; /* what is counted if nothing is a time */
	uint32_t file, name, function; /* of the lines that follow; function NO_ROW: none so far */
	uint32_t called_file, called_name;
	bool has_called_file, in_call;
	int64_t calls, target, last_line;
};

/* ---- names ---- */

/* "(1) name", "(1)", "name" */
static uint32_t read_name(struct callgrind *callgrind, struct hash *numbers, struct text_slice word)
{
	const char *close =
		word.length && *word.text == '(' ? memchr(word.text, ')', word.length) : NULL;
	int64_t number;
	if (!close || !slice_count(slice_until(slice_from(word, word.text + 1), close), &number))
		return text_intern(&callgrind->text, word);
	struct text_slice name = slice_trim(slice_from(word, close + 1));
	if (name.length)
		hash_add(numbers, (uint64_t)number, text_intern(&callgrind->text, name));
	uint32_t text = hash_last(numbers, (uint64_t)number);
	return text == NO_ROW ? text_intern(&callgrind->text, word) : text;
}

/* yappi's names end in the place: "main a.py:3". */
static struct text_slice split_place(const struct callgrind *callgrind, struct text_slice name,
				     uint32_t file, int64_t *line)
{
	const struct intern *strings = callgrind->text.profile->strings;
	size_t length = intern_length(strings, file);
	const char *colon = memrchr(name.text, ':', name.length);
	size_t before = colon ? (size_t)(colon - name.text) : 0;
	*line = NO_VALUE;
	if (!callgrind->yappi || !length || before <= length + 1 ||
	    name.text[before - length - 1] != ' ' ||
	    memcmp(name.text + before - length, intern_text(strings, file), length) != 0 ||
	    !slice_count(slice_from(name, colon + 1), line))
		return name;
	name.length = before - length - 1;
	return name;
}

static uint32_t find_function(struct callgrind *callgrind, uint32_t name, uint32_t file)
{
	const struct intern *strings = callgrind->text.profile->strings;
	int64_t line;
	struct text_slice text = { intern_text(strings, name), intern_length(strings, name) };
	struct text_slice plain = split_place(callgrind, text, file, &line);
	uint32_t function = python_function_find(
		callgrind->stats,
		plain.length == text.length ? name : text_intern(&callgrind->text, plain), file,
		NO_VALUE, plain.length == text.length ? 0 : name);
	while (callgrind->cost_count <= function) {
		*mem_push(callgrind->costs, callgrind->cost_count, callgrind->cost_capacity) =
			(struct cost){ .calls = NO_VALUE, .line = NO_VALUE };
	}
	if (line > 0 && line != NO_VALUE)
		callgrind->costs[function].line = line;
	return function;
}

/* ---- the header ---- */

/* The first event that is a time; others count what is no time. */
static void parse_events(struct callgrind *callgrind, struct text_slice list)
{
	static const struct {
		const char *name;
		double unit_s;
		bool of_yappi;
	} units[] = { { "ns", 1e-9, false },           { "Nanoseconds", 1e-9, false },
		      { "nanoseconds", 1e-9, false },  { "us", 1e-6, false },
		      { "microseconds", 1e-6, false }, { "Microseconds", 1e-6, false },
		      { "ms", 1e-3, false },           { "milliseconds", 1e-3, false },
		      { "Time_(10ns)", 1e-8, false },  { "Ticks", 1e-6, true } };
	callgrind->unit_s = 0;
	callgrind->first_event = (struct text_slice){ 0 };
	for (size_t at = 0;; at++) {
		struct text_slice name = slice_next(&list);
		if (!name.length)
			return;
		if (!at)
			callgrind->first_event = name;
		for (size_t i = 0; i < sizeof units / sizeof *units && !callgrind->unit_s; i++) {
			if (!slice_is(name, units[i].name) ||
			    (units[i].of_yappi && !callgrind->yappi))
				continue;
			callgrind->unit_s = units[i].unit_s;
			callgrind->event = at;
		}
	}
}

static bool parse_header(struct callgrind *callgrind, struct text_slice line)
{
	struct text_slice value = line;
	if (slice_skip(&value, "creator:")) {
		value = slice_trim(value);
		callgrind->yappi = slice_is(value, "yappi");
		python_fact_text(callgrind->stats, "callgrind", "creator",
				 text_intern(&callgrind->text, value));
		return true;
	}
	if (slice_skip(&value, "cmd:")) {
		python_fact_text(callgrind->stats, "callgrind", "command",
				 text_intern(&callgrind->text, slice_trim(value)));
		return true;
	}
	if (slice_skip(&value, "positions:")) {
		for (callgrind->positions = 0; slice_next(&value).length;)
			callgrind->positions++;
		return true;
	}
	if (slice_skip(&value, "events:")) {
		parse_events(callgrind, value);
		return true;
	}
	const char *colon = slice_find(line, ":"), *equals = slice_find(line, "=");
	return colon && (!equals || colon < equals) && isalpha((unsigned char)*line.text);
}

/* ---- costs ---- */

/* "12", "0x1f", "+3", "-3", "*" */
static bool parse_position(struct text_slice word, int64_t *line)
{
	char copy[32], *end;
	if (!word.length || word.length >= sizeof copy)
		return false;
	memcpy(copy, word.text, word.length);
	copy[word.length] = 0;
	if (slice_is(word, "*"))
		return true;
	bool relative = *copy == '+' || *copy == '-';
	int64_t number = strtoll(copy, &end, strstr(copy, "0x") ? 16 : 10);
	if (*end || (relative && __builtin_add_overflow(*line, number, &number)))
		return false;
	*line = number;
	return true;
}

/* The line and the time of a line of costs; costs that are left out are 0. */
static bool parse_cost(struct callgrind *callgrind, struct text_slice line, int64_t *at,
		       double *seconds)
{
	double value = 0;
	*at = callgrind->last_line;
	for (size_t i = 0; i < callgrind->positions; i++) {
		int64_t address = 0;
		bool last = i + 1 == callgrind->positions;
		if (!parse_position(slice_next(&line), last ? at : &address) && last)
			return false;
	}
	for (size_t i = 0;; i++) {
		struct text_slice word = slice_next(&line);
		if (!word.length)
			break;
		if (!slice_real(word, &value) || value < 0)
			return false;
		if (i == callgrind->event)
			*seconds = value * callgrind->unit_s;
	}
	callgrind->last_line = *at;
	return *seconds < 1e9;
}

static void callgrind_add_to(double *sum, double seconds)
{
	*sum = isnan(*sum) ? seconds : *sum + seconds;
}

static void add_own(struct callgrind *callgrind, int64_t line, double seconds)
{
	struct python_function *function = &callgrind->stats->functions[callgrind->function];
	struct cost *cost = &callgrind->costs[callgrind->function];
	function->is_named_only = false;
	callgrind_add_to(&function->self_s, seconds);
	cost->lines_differ |= cost->line != NO_VALUE && cost->line != line;
	if (cost->line == NO_VALUE && line > 0)
		cost->line = line;
	callgrind->text.rows++;
}

static void callgrind_add_call(struct callgrind *callgrind, double seconds)
{
	uint32_t file = callgrind->has_called_file ? callgrind->called_file : callgrind->file;
	uint32_t caller = callgrind->function;
	uint32_t function = find_function(callgrind, callgrind->called_name, file);
	struct cost *cost = &callgrind->costs[function];
	callgrind->stats->functions[function].is_named_only = false;
	callgrind->stats->functions[caller].is_named_only = false;
	if (cost->calls == NO_VALUE)
		cost->calls = 0;
	if (__builtin_add_overflow(cost->calls, callgrind->calls, &cost->calls))
		cost->calls = INT64_MAX;
	if (callgrind->target > 0) {
		cost->line = callgrind->target;
		cost->lines_differ = false;
	}
	if (function != caller) {
		cost->outside_s += seconds;
		callgrind->costs[caller].inside_s += seconds;
	}
	python_caller_add(callgrind->stats, &(struct python_caller){ .function = function,
								     .caller = caller,
								     .calls = callgrind->calls,
								     .primitive_calls = NO_VALUE,
								     .self_s = NAN,
								     .total_s = seconds });
	callgrind->text.rows++;
}

static void parse_costs(struct callgrind *callgrind, struct text_slice line)
{
	double seconds = 0;
	int64_t at;
	if (callgrind->function == NO_ROW && callgrind->name)
		callgrind->function = find_function(callgrind, callgrind->name, callgrind->file);
	if (callgrind->function == NO_ROW || !parse_cost(callgrind, line, &at, &seconds))
		text_damage(&callgrind->text, "line not a cost of a function");
	else if (callgrind->in_call)
		callgrind_add_call(callgrind, seconds);
	else
		add_own(callgrind, at, seconds);
	callgrind->in_call = callgrind->has_called_file = false;
}

/* ---- the body ---- */

/* "calls=3 50": how often, and the line of the function called */
static void parse_calls(struct callgrind *callgrind, struct text_slice value)
{
	callgrind->target = NO_VALUE;
	callgrind->in_call = slice_count(slice_next(&value), &callgrind->calls);
	int64_t line = 0;
	for (size_t i = 0; i < callgrind->positions; i++)
		if (parse_position(slice_next(&value), &line))
			callgrind->target = line;
}

static void callgrind_take_line(void *state, struct text_slice line)
{
	static const char *const others[] = { "ob=",   "cob=", "fi=",   "fe=",  "jump=",
					      "jcnd=", "rec=", "frfn=", "jfn=", "jfi=" };
	struct callgrind *callgrind = state;
	struct text_slice value = { 0 };
	callgrind->text.offset += (size_t)(slice_trim(line).text - line.text);
	line = slice_trim(line);
	const char *equals = slice_find(line, "=");
	if (!line.length || *line.text == '#')
		return;
	if (equals)
		value = slice_trim(slice_from(line, equals + 1));
	if (slice_begins(line, "fl=")) {
		callgrind->file = read_name(callgrind, callgrind->files, value);
	} else if (slice_begins(line, "fn=")) {
		callgrind->name = read_name(callgrind, callgrind->functions, value);
		callgrind->function = NO_ROW;
	} else if (slice_begins(line, "cfl=") || slice_begins(line, "cfi=")) {
		callgrind->called_file = read_name(callgrind, callgrind->files, value);
		callgrind->has_called_file = true;
	} else if (slice_begins(line, "cfn=")) {
		callgrind->called_name = read_name(callgrind, callgrind->functions, value);
	} else if (slice_begins(line, "calls=")) {
		parse_calls(callgrind, value);
	} else if (isdigit((unsigned char)*line.text) || strchr("+-*", *line.text)) {
		parse_costs(callgrind, line);
	} else {
		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			if (slice_begins(line, others[i]))
				return;
		if (!parse_header(callgrind, line))
			text_damage(&callgrind->text, "line that is no part of the format");
	}
}

/*
 * A function's total is what its callers spent in it, since that counts recursion once; of one that
 * no other calls, its own time and that of its calls.
 */
static void set_totals(struct callgrind *callgrind)
{
	struct python_stats *stats = callgrind->stats;
	double all = 0;
	for (size_t i = 0; i < stats->function_count; i++)
		all += isnan(stats->functions[i].self_s) ? 0 : stats->functions[i].self_s;
	for (size_t i = 0; i < stats->function_count; i++) {
		struct python_function *function = &stats->functions[i];
		const struct cost *cost = &callgrind->costs[i];
		double own = isnan(function->self_s) ? 0 : function->self_s;
		double total =
			cost->outside_s > 0 ? fmax(cost->outside_s, own) : own + cost->inside_s;
		if (function->is_named_only)
			continue;
		function->total_s = total <= all ? total : all;
		function->calls = cost->calls;
		function->line = cost->lines_differ ? NO_VALUE : cost->line;
		function->section = 0;
	}
}

static void callgrind_begin(void *state)
{
	struct callgrind *callgrind = state;
	callgrind->stats = callgrind->text.profile->python;
	callgrind->files = hash_new(64);
	callgrind->functions = hash_new(64);
	callgrind->positions = 1;
	callgrind->function = NO_ROW;
}

static void callgrind_end(void *state)
{
	struct callgrind *callgrind = state;
	struct text_slice event = callgrind->first_event;
	set_totals(callgrind);
	if (callgrind->text.rows && !(callgrind->unit_s > 0))
		buffer_printf(
			&callgrind->text.refusal,
			"is a callgrind file that counts \"%.*s\", not times; only files with times, as of yappi and pyprof2calltree, are read",
			(int)(event.length < 40 ? event.length : 40), event.text ? event.text : "");
	hash_free(callgrind->files);
	hash_free(callgrind->functions);
	mem_free(callgrind->costs);
}

static bool callgrind_recognize(const char *head, size_t length)
{
	static const char mark[] = "# callgrind format";
	const char *text = head, *end = head + length;
	bool events = false, function = false;
	struct text_slice line;
	if (strncmp(head, mark, sizeof mark - 1) == 0)
		return true;
	while (text_line(&text, end, &line.text, &line.length)) {
		events |= slice_begins(line, "events:");
		function |= slice_begins(line, "fl=") || slice_begins(line, "fn=") ||
			    slice_begins(line, "ob=") || slice_begins(line, "creator:");
	}
	return events && function;
}

static const struct text_format callgrind_format = {
	.empty = "has the header of a callgrind file, but no function with a cost",
	.result = TEXT_SUMS,
	.state = sizeof(struct callgrind),
	.begin = callgrind_begin,
	.line = callgrind_take_line,
	.end = callgrind_end,
};

const struct reader callgrind_reader = { .format = "callgrind file",
					 .recognize = callgrind_recognize,
					 .text = &callgrind_format };
