#include "analysis/whatif/whatif_edit.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"

#include <stdlib.h>
#include <string.h>

enum {
	ON_KERNELS = 1 << LIMIT_KERNELS | 1 << LIMIT_STREAM,
	ON_COMMUNICATION = 1 << LIMIT_COMMUNICATION,
	ON_COPIES = 1 << LIMIT_COPIES,
	ON_LAUNCHES = 1 << LIMIT_LAUNCHES,
	ON_HOST = 1 << LIMIT_HOST,
	ON_WAITS = 1 << LIMIT_SYNCHRONIZATION,
};

const struct whatif_kind whatif_kinds[WHATIF_KINDS] = {
	[WHATIF_KERNELS] = { "kernels x0.5", 0.5, ON_KERNELS, 0.05, 0.05 },
	[WHATIF_COMMUNICATION] = { "comm x0.5", 0.5, ON_COMMUNICATION, 0.25, 0.05 },
	[WHATIF_HIDE] = { "hide", 0, ON_COMMUNICATION, 1, 0.05 },
	[WHATIF_COPIES] = { "copies x0", 0, ON_COPIES, 0.15, 0.15 },
	[WHATIF_REMOVE] = { "remove", 0, ON_KERNELS | ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_HOST] = { "host x0.5", 0.5, ON_HOST | ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_PAUSES] = { "pauses x0", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_LAUNCHES] = { "launches x0.15", 0.15, ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_GRAPHS] = { "graphs", 0, ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_NO_SYNC] = { "nosync", 0, ON_WAITS, 0.15, 0.15 },
	[WHATIF_LOADER] = { "loader", 0, ON_HOST, 0.3, 0.05 },
	[WHATIF_COMPILE] = { "compile", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_ALLOCATION] = { "alloc", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_UNBLOCK] = { "unblock", 0, ON_WAITS, 0.15, 0.15 },
};

static const char stage[] = "applying edits";

/* ---- text ---- */

static int kind_of_word(const char *word, size_t length)
{
	int kind = 0;
	while (kind < WHATIF_KINDS && (strcspn(whatif_kinds[kind].text, " ") != length ||
				       memcmp(word, whatif_kinds[kind].text, length) != 0))
		kind++;
	return kind;
}

static bool set_factor(struct whatif_edit *edit, const char *text, struct error *error)
{
	char *end;
	edit->factor = strtod(text, &end);
	return (end != text && !*end && edit->factor >= 0 && edit->factor <= WHATIF_FACTOR_MAX) ||
	       error_set(error, ERROR_USAGE, "the factor of an edit is x0 to x%d, not \"x%s\"",
			 WHATIF_FACTOR_MAX, text);
}

/* A kind with its name, or a factor: a word, or after the colon. */
static bool parse_word(struct whatif_edit *edit, const char *word, struct error *error)
{
	const char *colon = strchr(word, ':'), *rest = colon ? colon + 1 : "";
	int kind = kind_of_word(word, colon ? (size_t)(colon - word) : strlen(word));
	if (kind == WHATIF_KINDS && word[0] == 'x')
		return set_factor(edit, word + 1, error);
	if (kind == WHATIF_KINDS)
		return error_set(error, ERROR_USAGE,
				 "unknown edit \"%s\" (WHAT IF in strata(1) lists them)", word);
	edit->what = (enum whatif_what)kind;
	edit->factor = whatif_kinds[kind].factor;
	if (rest[0] == 'x' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789.")])
		return set_factor(edit, rest + 1, error);
	pattern_free(edit->name);
	edit->name = *rest ? pattern_new(rest, error) : NULL;
	return !*rest || edit->name;
}

bool whatif_edit_parse(struct whatif_edit *edit, const char *text, struct error *error)
{
	AUTO_FREE char *words = mem_strdup(text);
	char *rest = words;
	*edit = (struct whatif_edit){ .factor = whatif_kinds[WHATIF_KERNELS].factor };
	if (!text[strspn(text, " ")])
		return error_set(error, ERROR_USAGE, "the edit is empty");
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word && !parse_word(edit, word, error))
			return false;
	return true;
}

void whatif_edit_clear(struct whatif_edit *edit)
{
	pattern_free(edit->name);
	edit->name = NULL;
}

bool whatif_edits_parse(struct whatif_edits *edits, const char *text, struct error *error)
{
	AUTO_FREE char *copy = mem_strdup(text);
	char *rest = copy;
	edits->count = 0;
	for (char *part; (part = strsep(&rest, ";")) != NULL;) {
		if (edits->count == WHATIF_EDITS_MAX)
			return error_set(error, ERROR_USAGE, "at most %d edits at once",
					 WHATIF_EDITS_MAX);
		if (!whatif_edit_parse(&edits->item[edits->count++], part, error))
			return false;
	}
	return true;
}

void whatif_edits_clear(struct whatif_edits *edits)
{
	while (edits->count)
		whatif_edit_clear(&edits->item[--edits->count]);
}

/* ---- what an edit is about ---- */

struct whatif_editing {
	struct whatif_weights *weights;
	const struct whatif_graph *graph;
	const struct profile *profile;
	const struct derived *derived;
	const struct whatif_edit *edit;
	uint8_t *names; /* by name: does it match? NULL: all do */
};

static uint8_t *matching_names(const struct derived *derived, const struct pattern *pattern)
{
	uint8_t *match = pattern ? mem_zalloc((size_t)derived->names + 1, 1) : NULL;
	for (uint32_t i = 0; pattern && i < derived->names; i++) {
		const char *name = profile_string(derived->profile, i);
		match[i] = pattern_match(pattern, name, strlen(name), NULL, NULL);
	}
	return match;
}

/* Does the call or a span around it match? */
static bool is_inside(const struct whatif_editing *editing, uint32_t span)
{
	const struct profile *profile = editing->profile;
	uint32_t i = span;
	while (i != NO_ROW && editing->names && !editing->names[profile->span_name[i]])
		i = profile->span_parent[i];
	return !editing->names || i != NO_ROW;
}

static bool is_edited(const struct whatif_editing *editing, uint32_t activity)
{
	const struct profile *profile = editing->profile;
	bool kernel = profile->activity_kind[activity] == ACTIVITY_KERNEL;
	bool communication = derived_is_communication(editing->derived, activity);
	enum whatif_what what = editing->edit->what;
	if (editing->edit->rows)
		return editing->edit->rows[activity / 8] & 1 << activity % 8;
	if ((what == WHATIF_KERNELS && (!kernel || communication)) ||
	    (what == WHATIF_COPIES && kernel) ||
	    ((what == WHATIF_COMMUNICATION || what == WHATIF_HIDE) && !communication))
		return false;
	return (editing->names && editing->names[profile->activity_name[activity]]) ||
	       is_inside(editing, profile->activity_launch[activity]);
}

/* Blocking calls, those that wait for their own copy, or allocator calls. */
static bool is_released(const struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	uint32_t call = graph->row[point];
	uint8_t kind = graph->kind[point];
	if (editing->edit->what == WHATIF_ALLOCATION)
		return editing->derived->role[editing->profile->span_name[call]] & NAME_ALLOCATOR;
	return is_inside(editing, call) &&
	       (kind & POINT_BLOCKS || (kind & POINT_OWN && !graph->launches_block));
}

/* ---- weights ---- */

static void change_point(const struct whatif_editing *editing, uint32_t point, uint8_t bits)
{
	struct whatif_weights *weights = editing->weights;
	if (!weights->change)
		weights->change = mem_zalloc((size_t)editing->graph->count + 1, 1);
	if (point != NO_ROW)
		weights->change[point] |= bits;
}

static void scale_work(const struct whatif_editing *editing, uint32_t point)
{
	struct whatif_weights *weights = editing->weights;
	uint32_t count = editing->profile->activities;
	if (!weights->work) {
		weights->work = mem_alloc(((size_t)count + 1) * sizeof *weights->work);
		for (uint32_t i = 0; i < count; i++)
			weights->work[i] = 1;
	}
	weights->work[editing->graph->row[point]] *= (float)editing->edit->factor;
}

static void remove_work(const struct whatif_editing *editing, uint32_t point)
{
	scale_work(editing, point);
	change_point(editing, point, CHANGE_NO_STREAM | CHANGE_NO_WAIT);
	change_point(editing, editing->graph->source[point], CHANGE_NO_CALL | CHANGE_NO_HOST);
}

/* Without its wait a small copy that the call waited for is not made either: a value is not read.
 */
static void release_call(const struct whatif_editing *editing, uint32_t point)
{
	enum { VALUE_BYTES_MAX = 65536 };
	const struct profile *profile = editing->profile;
	uint32_t source = editing->graph->source[point];
	uint32_t work = source == NO_ROW ? NO_ROW : editing->graph->row[source];
	change_point(editing, point, CHANGE_NO_WAIT);
	if (work == NO_ROW || profile->activity_kind[work] != ACTIVITY_MEMCPY ||
	    profile->activity_bytes[work] == NO_VALUE ||
	    profile->activity_bytes[work] > VALUE_BYTES_MAX)
		return;
	remove_work(editing, source);
	change_point(editing, point, CHANGE_NO_CALL);
}

/*
 * Take the wait of blocking calls away, but for one after which nothing is launched before its step
 * ends: the program needs what the step has made. WAITING is the last call seen, NO_ROW.
 */
static uint32_t release(const struct whatif_editing *editing, uint32_t waiting, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	int kind = graph->kind[point] & POINT_KIND;
	bool released = kind == POINT_END && is_released(editing, point);
	uint32_t source = graph->source[point];
	bool launched = kind == POINT_WORK && source != NO_ROW && source > waiting;
	if (waiting != NO_ROW && (released || launched))
		release_call(editing, waiting);
	if (released)
		return point;
	return launched || kind == POINT_STEP_END ? NO_ROW : waiting;
}

static bool edit_points(const struct whatif_editing *editing, const struct progress *progress)
{
	const struct whatif_graph *graph = editing->graph;
	enum whatif_what what = editing->edit->what;
	uint32_t waiting = NO_ROW;
	for (uint32_t i = 0; i < graph->count; i++) {
		int kind = graph->kind[i] & POINT_KIND;
		if (!progress_row(progress, stage, i, graph->count))
			return false;
		if (what == WHATIF_NO_SYNC)
			waiting = release(editing, waiting, i);
		else if (what == WHATIF_ALLOCATION && kind == POINT_END && is_released(editing, i))
			change_point(editing, i, CHANGE_NO_CALL);
		else if (what != WHATIF_ALLOCATION && kind == POINT_WORK &&
			 is_edited(editing, graph->row[i]))
			(what == WHATIF_REMOVE ? remove_work : scale_work)(editing, i);
	}
	return true;
}

static bool apply_edit(const struct whatif_editing *editing, const struct progress *progress)
{
	struct whatif_weights *weights = editing->weights;
	double factor = editing->edit->factor;
	switch (editing->edit->what) {
	case WHATIF_HOST: weights->host *= factor; return true;
	case WHATIF_PAUSES: weights->pauses *= factor; return true;
	case WHATIF_LAUNCHES: weights->launches *= factor; return true;
	case WHATIF_GRAPHS: weights->graphs = true; return true;
	case WHATIF_UNBLOCK: weights->unblocked = true; return true;
	case WHATIF_LOADER: weights->without |= NAME_DATALOADER; return true;
	case WHATIF_COMPILE: weights->without |= NAME_COMPILE; return true;
	default: return edit_points(editing, progress);
	}
}

bool whatif_weights_of(struct whatif_weights *weights, const struct whatif_graph *graph,
		       const struct whatif_edit *edits, size_t count,
		       const struct progress *progress)
{
	bool ok = true;
	*weights = (struct whatif_weights){ .host = 1, .launches = 1, .pauses = 1 };
	for (size_t i = 0; i < count && ok; i++) {
		AUTO_FREE uint8_t *names = matching_names(graph->derived, edits[i].name);
		struct whatif_editing editing = { weights,        graph,     graph->profile,
						  graph->derived, &edits[i], names };
		ok = apply_edit(&editing, progress);
	}
	if (!ok)
		whatif_weights_clear(weights);
	return ok;
}

void whatif_weights_clear(struct whatif_weights *weights)
{
	mem_free_all(weights->work, weights->change);
	*weights = (struct whatif_weights){ 0 };
}
