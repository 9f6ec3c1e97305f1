/*
 * Timers in the log of a training run, printed after every few iterations:
 *
 *    iteration  10/ 1000 | consumed samples: 40 | elapsed time per iteration (ms): 123.4 | …
 *   time (ms) | forward-compute: 58.16 | backward-compute: 42.66 | optimizer: 57.50
 *
 *   (min, max) time across ranks (ms):
 *       forward-backward ...............................: (26094.39, 26095.09)
 *       optimizer ......................................: (3407.56, 3409.92)
 *
 *   [2024-06-21 10:50:42,167] [INFO] [Rank 0] time (ms) | fwd: 25341.72 | bwd: 77707.38
 *
 * A value is elapsed time of an iteration, of the slowest rank where there are two. The sums are of
 * all values that were printed.
 */
#include "input/timers/timer_log.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "input/json.h"
#include "input/source_text.h"
#include "input/text_lines.h"
#include "model/totals.h"

#include <math.h>
#include <string.h>

static const char among[] = "time (ms) | ", across[] = "time across ranks (ms):";

/* How a log says what an iteration took. */
static const char *const iteration_keys[] = { "elapsed time per iteration (ms): ",
					      "elapsed_time_per_iteration_ms=" };

enum { ITERATION = 0, TIMERS_MAX = 1000 }; /* row of iterations; limit: timers in a log */

struct timer_log {
	struct profile *profile;
	struct totals *totals;
	struct hash *by_name;
	bool in_list; /* lines of timers across ranks follow */
	uint64_t values, offset;
};

/* ---- values ---- */

/* The row of the timer NAME; new ones after the first iteration are parts of iterations. */
static struct total *timer_of(struct timer_log *log, struct text_slice name)
{
	struct totals *totals = log->totals;
	uint32_t id = intern_add(log->profile->strings, name.text, name.length);
	uint32_t at = hash_last(log->by_name, id);
	if (at != NO_ROW)
		return &totals->rows[at];
	if (totals->count > TIMERS_MAX)
		return NULL;
	at = totals_add(totals, id);
	struct total *row = &totals->rows[at];
	row->calls = row->cpu_total_ns = 0;
	if (totals->rows[ITERATION].calls > 0)
		row->parent = ITERATION;
	hash_add(log->by_name, id, at);
	return row;
}

static bool timer_log_add_value(struct timer_log *log, struct total *row, double ms)
{
	int64_t ns = ms >= 0 && ms < 1e12 ? llround(ms * 1e6) : NO_VALUE;
	if (!row || ns == NO_VALUE ||
	    __builtin_add_overflow(row->cpu_total_ns, ns, &row->cpu_total_ns)) {
		profile_damage(log->profile, "timer without a valid time", "skipped", log->offset);
		return false;
	}
	row->calls++;
	log->values++;
	return true;
}

/* The number at the start of TEXT. */
static bool leading_number(struct text_slice text, double *value)
{
	text = slice_trim(text);
	size_t length = 0;
	while (length < text.length && strchr("0123456789.eE+-", text.text[length]) &&
	       text.text[length])
		length++;
	return slice_real((struct text_slice){ text.text, length }, value);
}

static struct text_slice rest_after(struct text_slice line, const char *at)
{
	return (struct text_slice){ at, (size_t)(line.text + line.length - at) };
}

/* ---- lines ---- */

static void parse_iteration(struct timer_log *log, struct text_slice line)
{
	for (size_t i = 0; i < sizeof iteration_keys / sizeof *iteration_keys; i++) {
		const char *at = slice_find(line, iteration_keys[i]);
		double ms;
		if (at && leading_number(rest_after(line, at + strlen(iteration_keys[i])), &ms))
			timer_log_add_value(log, &log->totals->rows[ITERATION], ms);
	}
}

/* "NAME: 58.16", also "NAME: 58.16 (…)" */
static void take_pair_timer_log(struct timer_log *log, struct text_slice pair)
{
	const char *colon = slice_find(pair, ": ");
	double ms;
	struct text_slice name = slice_trim(
		(struct text_slice){ pair.text, colon ? (size_t)(colon - pair.text) : 0 });
	if (name.length && leading_number(rest_after(pair, colon + 2), &ms))
		timer_log_add_value(log, timer_of(log, name), ms);
}

static void parse_pairs(struct timer_log *log, struct text_slice rest)
{
	while (rest.length) {
		const char *bar = memchr(rest.text, '|', rest.length);
		struct text_slice pair = { rest.text,
					   bar ? (size_t)(bar - rest.text) : rest.length };
		size_t skip = pair.length + (bar != NULL);
		take_pair_timer_log(log, pair);
		rest.text += skip;
		rest.length -= skip;
	}
}

/* "NAME ....: (MIN, MAX)" or "NAME ....: MAX"; false: the list has ended. */
static bool parse_across(struct timer_log *log, struct text_slice line)
{
	const char *dots = slice_find(line, " .."), *colon = dots ? slice_find(line, ".: ") : NULL;
	double ms;
	if (!colon || colon < dots)
		return false;
	struct text_slice name =
		slice_trim((struct text_slice){ line.text, (size_t)(dots - line.text) });
	struct text_slice value = rest_after(line, colon + 3);
	const char *comma = slice_find(value, ", ");
	if (value.length && value.text[0] == '(' && comma)
		value = rest_after(value, comma + 2);
	if (!name.length || !leading_number(value, &ms))
		return false;
	timer_log_add_value(log, timer_of(log, name), ms);
	return true;
}

static void timer_log_parse_line(struct timer_log *log, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	const char *pairs = slice_find(line, among);
	if (log->in_list && parse_across(log, line))
		return;
	log->in_list = slice_find(line, across) != NULL;
	parse_iteration(log, line);
	if (pairs)
		parse_pairs(log, rest_after(line, pairs + strlen(among)));
}

/* ---- the tree ---- */

/* Is CHILD named as a part of PARENT: "optimizer-clip", "bwd_inner" of "bwd"? */
static bool is_part(const char *parent, const char *child)
{
	static const char both[] = "forward-backward", *const parts[] = { "forward-", "backward-",
									  "batch-generator" };
	size_t length = strlen(parent);
	if (strncmp(child, parent, length) == 0 && (child[length] == '-' || child[length] == '_'))
		return true;
	for (size_t i = 0; strcmp(parent, both) == 0 && i < sizeof parts / sizeof *parts; i++)
		if (strncmp(child, parts[i], strlen(parts[i])) == 0)
			return strcmp(child, both) != 0;
	return false;
}

/* The timer with the longest name of which ROW is a part, and no larger one. */
static uint32_t parent_of(const struct timer_log *log, uint32_t row)
{
	const struct totals *totals = log->totals;
	const char *name = profile_string(log->profile, totals->rows[row].name);
	uint32_t parent = totals->rows[row].parent;
	size_t best = 0;
	for (uint32_t i = ITERATION + 1; i < totals->count; i++) {
		const char *other = profile_string(log->profile, totals->rows[i].name);
		if (i != row && strlen(other) > best && is_part(other, name) &&
		    totals->rows[i].cpu_total_ns >= totals->rows[row].cpu_total_ns) {
			parent = i;
			best = strlen(other);
		}
	}
	return parent;
}

/* Append ROW and its parts to the rows in preorder. */
static void append(struct totals *to, const struct totals *from, const uint32_t *parents,
		   uint32_t row, uint32_t parent, uint32_t depth)
{
	enum { DEPTH_MAX = 16 }; /* limit: timers inside each other */
	uint32_t at = totals_add(to, from->rows[row].name);
	struct total *copy = &to->rows[at];
	*copy = from->rows[row];
	copy->parent = parent;
	copy->depth = depth;
	for (uint32_t i = ITERATION + 1; i < from->count && depth < DEPTH_MAX; i++)
		if (parents[i] == row)
			append(to, from, parents, i, at, depth + 1);
}

static void build_tree(struct timer_log *log)
{
	struct totals *flat = log->totals, *tree = totals_new();
	uint32_t *parents = mem_zalloc(flat->count, sizeof *parents);
	bool iterations = flat->rows[ITERATION].calls > 0;
	for (uint32_t i = 0; i < flat->count; i++)
		parents[i] = i == ITERATION ? NO_ROW : parent_of(log, i);
	for (uint32_t i = 0; i < flat->count; i++)
		if (parents[i] == NO_ROW && (i != ITERATION || iterations))
			append(tree, flat, parents, i, NO_ROW, 0);
	mem_free(parents);
	totals_free(flat);
	tree->layers = true;
	tree->flat = !iterations;
	log->profile->totals = log->totals = tree;
}

static bool read_timers(struct source *source, struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct timer_log log = { .profile = profile, .by_name = hash_new(64) };
	const char *start = buffer_text(&text), *at = start, *end = start + text.length;
	struct text_slice line;
	uint64_t lines = 0;
	bool ok = true;
	profile->totals = log.totals = totals_new();
	profile->text_bytes = text.length;
	totals_add(log.totals, intern_add(profile->strings, "iteration", 9));
	log.totals->rows[ITERATION].calls = log.totals->rows[ITERATION].cpu_total_ns = 0;
	while (ok && text_line(&at, end, &line.text, &line.length)) {
		ok = progress_row(progress, "finding timers", lines++, 0);
		log.offset = (uint64_t)(line.text - start);
		timer_log_parse_line(&log, line);
	}
	build_tree(&log);
	profile->events = log.values;
	hash_free(log.by_name);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return log.values ||
	       error_set(error, ERROR_INPUT, "names timers of a training run, but has no time");
}

/* A table of a profiler beside the timers says more. */
static bool timer_log_recognize(const char *head, size_t length)
{
	if (json_begins(head) || strlen(head) < length || strstr(head, " Self CPU "))
		return false;
	return strstr(head, among) || strstr(head, across) || strstr(head, iteration_keys[0]) ||
	       strstr(head, iteration_keys[1]);
}

const struct reader timer_log_reader = { .format = "training log with timers",
					 .recognize = timer_log_recognize,
					 .read = read_timers,
					 .in_log = true };
