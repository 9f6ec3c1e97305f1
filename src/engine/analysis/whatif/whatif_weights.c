/*
 * Edits as factors of the points (see whatif_replay.h).
 *
 * An edit of work, or of waits, is one pass over the points. An edit of host time visits each
 * thread's points with the time since the one before; so does what is left of removed work, its
 * calls and the operators that launch nothing else.
 */
#include "analysis/whatif/whatif_weights.h"

#include "analysis/whatif/whatif_messages.h"
#include "base/pattern.h"
#include "derived/intervals.h"
#include "derived/kernel_family.h"
#include "derived/selection.h"

static const char stage[] = "applying edits";

/* Where a track is: the time since the point before, and the spans to come. */
struct whatif_edited_track {
	int64_t last;            /* recorded; INT64_MIN: none */
	uint32_t span, span_end; /* of a thread: spans to come… */
	int64_t inside;          /* …and where the last ends that is named */
	uint32_t begun;          /* …and those that have not begun (see is_pause) */
	struct interval removed; /* an operator whose work is gone */
	uint32_t work;           /* of a stream: the last point, NO_ROW */
};

struct whatif_editing {
	struct whatif_weights *weights;
	const struct whatif_graph *graph;
	const struct profile *profile;
	const struct derived *derived;
	const struct whatif_edit *edit;    /* NULL: of what is left of removed work */
	uint8_t *names;                    /* by name: is it meant? NULL: all are */
	struct selection scope;            /* the edit's, likewise; without an edit's: NULL in it */
	uint8_t *layers;                   /* by node: is it in the scope? NULL: all are */
	float *parts;                      /* by activity: of communication that is meant; NULL */
	const struct kernel_name *kernels; /* by name; NULL unless asked for */
	struct whatif_edited_track *tracks;
	uint32_t waiting; /* the first call that blocks since a launch, NO_ROW (see release) */
};

/* The names that the edit gives; else of the spans that its kind is about. */
static uint8_t *matching_names(const struct derived *derived, const struct whatif_edit *edit)
{
	uint16_t role = !edit                          ? 0
			: edit->what == WHATIF_LOADER  ? NAME_DATALOADER
			: edit->what == WHATIF_COMPILE ? NAME_COMPILE
						       : 0;
	if (!edit || (!role && !edit->name))
		return NULL;
	uint8_t *match = mem_zalloc((size_t)derived->names + 1, 1);
	for (uint32_t i = 0; i < derived->names; i++) {
		const char *name = profile_string(derived->profile, i);
		match[i] = edit->name ? pattern_match(edit->name, name, strlen(name), NULL, NULL)
				      : (derived->role[i] & role) != 0;
	}
	return match;
}

/* The layers of a scope, in which there may be none; NULL: all. */
static uint8_t *matching_layers(const struct derived *derived, const struct scope *scope)
{
	if (!scope || !scope->under)
		return NULL;
	uint8_t *marks = mem_alloc((size_t)derived->layers.count + 1);
	layers_match(derived, scope->under, marks);
	return marks;
}

/* Does the call or a span around it have a name that is meant? */
static bool is_named(const struct whatif_editing *editing, uint32_t span)
{
	const struct profile *profile = editing->profile;
	uint32_t i = span;
	while (i != NO_ROW && editing->names && !editing->names[profile->span_name[i]])
		i = profile->span_parent[i];
	return !editing->names || i != NO_ROW;
}

/* And is it in the scope? */
static bool is_inside(const struct whatif_editing *editing, uint32_t span)
{
	return (!editing->scope.scope ||
		selection_fits_span(&editing->scope, span, editing->layers)) &&
	       is_named(editing, span);
}

static void change_point(const struct whatif_editing *editing, uint32_t point, uint8_t bits)
{
	struct whatif_weights *weights = editing->weights;
	weights->change = weights->change ?: mem_zalloc((size_t)editing->graph->count + 1, 1);
	if (point != NO_ROW)
		weights->change[point] |= bits;
}

static void scale_point(const struct whatif_editing *editing, whatif_factor **factors,
			uint32_t point, double factor)
{
	uint32_t count = editing->graph->count;
	if (factor == 1 || point == NO_ROW)
		return;
	if (!*factors) {
		*factors = mem_alloc(((size_t)count + 1) * sizeof **factors);
		for (uint32_t i = 0; i < count; i++)
			(*factors)[i] = whatif_pack(1);
	}
	(*factors)[point] = whatif_pack(whatif_unpack((*factors)[point]) * factor);
}

/* ---- host time ---- */

/* The time of a thread in spans that are meant, between two recorded times, which never fall. */
static int64_t time_in_names(const struct whatif_editing *editing, struct whatif_edited_track *at,
			     int64_t from, int64_t to)
{
	const struct profile *profile = editing->profile;
	int64_t until = at->inside, ns = until > from ? (until < to ? until : to) - from : 0;
	for (; at->span < at->span_end && profile->span_start[at->span] < to; at->span++) {
		int64_t start = profile->span_start[at->span];
		int64_t end = profile_span_end(profile, at->span);
		bool meant = editing->scope.scope ? is_inside(editing, at->span)
						  : editing->names[profile->span_name[at->span]];
		if (!meant || end <= until)
			continue;
		start = start > until ? start : until;
		start = start > from ? start : from;
		ns += (end < to ? end : to) > start ? (end < to ? end : to) - start : 0;
		until = end;
	}
	at->inside = until;
	return ns;
}

/*
 * Is there a time between two points, which never fall, in which the thread begins nothing for so
 * long that it does something else than to launch? Where stacks are recorded launching takes long.
 * Of the time that is none, what the data loader takes is in *LOADS.
 */
static bool is_pause(const struct whatif_editing *editing, struct whatif_edited_track *at,
		     int64_t from, int64_t to, int64_t *loads)
{
	const struct profile *profile = editing->profile;
	int64_t loaded = from;
	bool pause = false;
	for (*loads = 0; at->begun < at->span_end; at->begun++) {
		int64_t start = profile->span_start[at->begun];
		int64_t end = profile_span_end(profile, at->begun);
		if (start >= to)
			break;
		pause |= start - from >= WHATIF_PAUSE;
		from = start > from ? start : from;
		end = end < to ? end : to;
		if (editing->derived->role[profile->span_name[at->begun]] & NAME_DATALOADER &&
		    end > loaded) {
			*loads += end - (start > loaded ? start : loaded);
			loaded = end;
		}
	}
	return pause || to - from >= WHATIF_PAUSE;
}

/* The part of the time between two points of a thread that the edit is about. */
static double edited_part(const struct whatif_editing *editing, struct whatif_edited_track *at,
			  int64_t from, int64_t to)
{
	const struct whatif_edit *edit = editing->edit;
	int64_t ns = to - from;
	if (!edit) {
		int64_t start = at->removed.start > from ? at->removed.start : from;
		int64_t end = at->removed.end < to ? at->removed.end : to;
		ns = end > start ? end - start : 0;
	} else if (edit->idle) {
		ns = intervals_length_in(edit->idle, from, to);
	} else {
		if (editing->names || editing->layers)
			ns = time_in_names(editing, at, from, to);
		bool launching = edit->what == WHATIF_LAUNCHES || edit->what == WHATIF_GRAPHS;
		int64_t loads;
		if ((launching || edit->what == WHATIF_PAUSES) &&
		    is_pause(editing, at, from, to, &loads) == launching)
			ns = 0;
		if (launching && ns > to - from - loads)
			ns = to - from - loads;
	}
	return (double)ns / (double)(to - from);
}

/* The time around a call that removed work leaves: the operator that launches nothing else. */
static struct interval operator_alone(const struct derived *derived, uint32_t call)
{
	const struct profile *profile = derived->profile;
	const uint32_t *launched = derived->gpu_count_prefix;
	const uint16_t roles = NAME_STEP | NAME_DATALOADER | NAME_OPTIMIZER;
	uint32_t alone = NO_ROW, own = 0; /* launches count for the operator around the call */
	for (uint32_t i = profile->span_parent[call]; i != NO_ROW; i = profile->span_parent[i]) {
		uint32_t count = launched[i + profile->span_size[i]] - launched[i];
		if (own && count > own)
			break;
		own = count;
		if (profile->span_kind[i] == SPAN_OPERATOR &&
		    !(derived->role[profile->span_name[i]] & roles))
			alone = i;
	}
	int64_t start = profile->span_start[call];
	return alone == NO_ROW
		       ? (struct interval){ start - WHATIF_PAUSE, profile_span_end(profile, call) }
		       : (struct interval){ profile->span_start[alone],
					    profile_span_end(profile, alone) };
}

/* The part of a call that the edit is about. */
static double called_part(const struct whatif_editing *editing, struct whatif_edited_track *at,
			  uint32_t call)
{
	const struct profile *profile = editing->profile;
	const struct whatif_edit *edit = editing->edit;
	int64_t start = profile->span_start[call], end = profile_span_end(profile, call);
	if (!edit || edit->idle)
		return end > start ? edited_part(editing, at, start, end) : 0;
	/* a long call does more than to launch, unless it waits for the work */
	bool launch = end - start < WHATIF_PAUSE || editing->graph->launches_block;
	return (edit->what == WHATIF_HOST ||
		(launch && (edit->what == WHATIF_LAUNCHES || edit->what == WHATIF_GRAPHS))) &&
	       is_inside(editing, call);
}

/* Is a point of a thread in the scope, but for layers? */
static bool is_at(const struct whatif_editing *editing, uint32_t point)
{
	uint32_t row = editing->graph->row[point];
	bool call = (editing->graph->kind[point] & POINT_KIND) < POINT_WORK;
	return !editing->scope.scope ||
	       selection_fits_span(&editing->scope, call ? row : editing->derived->steps[row].span,
				   NULL);
}

static void edit_host(const struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	struct whatif_weights *weights = editing->weights;
	struct whatif_edited_track *at = &editing->tracks[graph->track[point]];
	int kind = graph->kind[point] & POINT_KIND;
	bool begins = kind == POINT_CALL || kind == POINT_BEGIN;
	uint32_t call = graph->row[point],
		 other = begins ? whatif_source_of(&graph->sources, point) : NO_ROW;
	int64_t to = whatif_time(graph, point);
	int64_t from = other == NO_ROW ? at->last : editing->tracks[other].last;
	double less = !editing->edit ? 1 : is_at(editing, point) ? 1 - editing->edit->factor : 0;
	if (!editing->edit && begins && weights->change[point] & CHANGE_REMOVED)
		at->removed = operator_alone(editing->derived, call);
	if (kind != POINT_END && from != INT64_MIN && to > from) {
		double passed = edited_part(editing, at, from, to);
		scale_point(editing, &weights->gap, point, 1 - less * passed);
		if (passed > 0 && less > 0 && editing->edit && editing->edit->what == WHATIF_LOADER)
			change_point(editing, point, CHANGE_READY);
	}
	double part = begins ? called_part(editing, at, call) : 0;
	scale_point(editing, &weights->own, point, 1 - less * part);
	if (!editing->edit && part == 1) /* it waits for nothing either */
		change_point(editing, point, CHANGE_REMOVED);
	to = kind == POINT_CALL ? profile_span_end(editing->profile, call) : to;
	at->last = to > at->last ? to : at->last;
}

/* ---- work ---- */

/* Of the families asked for, and of products for other types. */
static bool is_of_family(const struct whatif_editing *editing, uint32_t activity,
			 bool communication)
{
	const struct profile *profile = editing->profile;
	struct kernel_name name = editing->kernels[profile->activity_name[activity]];
	const unsigned products = 1 << FAMILY_GEMM | 1 << FAMILY_CONV;
	unsigned family = 1u << (communication ? FAMILY_COMMUNICATION : name.family);
	if (editing->edit->what == WHATIF_DTYPE &&
	    !(family & products && name.traits & KERNEL_FP32))
		return false;
	return !editing->edit->families || (profile->activity_kind[activity] == ACTIVITY_KERNEL &&
					    editing->edit->families & family);
}

static bool is_edited(const struct whatif_editing *editing, uint32_t activity)
{
	const struct profile *profile = editing->profile;
	bool kernel = profile->activity_kind[activity] == ACTIVITY_KERNEL;
	bool communication = derived_is_communication(editing->derived, activity);
	enum whatif_what what = editing->edit->what;
	if (editing->edit->rows)
		return editing->edit->rows[activity / 8] & 1 << activity % 8;
	bool of_kernels = what == WHATIF_KERNELS || what == WHATIF_FUSE || what == WHATIF_DTYPE;
	if ((of_kernels && (!kernel || communication)) || (what == WHATIF_COPIES && kernel) ||
	    (whatif_kinds[what].touches == 1 << LIMIT_COMMUNICATION && !communication))
		return false;
	if (editing->scope.scope &&
	    !selection_fits_activity(&editing->scope, activity, editing->layers))
		return false;
	if (editing->kernels && !is_of_family(editing, activity, communication))
		return false;
	return (editing->names && editing->names[profile->activity_name[activity]]) ||
	       is_named(editing, profile->activity_launch[activity]);
}

static void remove_work(const struct whatif_editing *editing, uint32_t point)
{
	struct whatif_weights *weights = editing->weights;
	scale_point(editing, &weights->gap, point, 0);
	change_point(editing, point, CHANGE_NO_WAIT);
	change_point(editing, whatif_source_of(&editing->graph->sources, point), CHANGE_REMOVED);
}

/* The part of work that the edit is about. */
static double worked_part(const struct whatif_editing *editing, uint32_t activity)
{
	const struct intervals *at = editing->edit->at;
	int64_t start = editing->profile->activity_start[activity];
	int64_t dur = editing->profile->activity_dur[activity];
	if (editing->parts)
		return (double)editing->parts[activity];
	return at ? (double)intervals_length_in(at, start, start + dur) / (double)dur : 1;
}

static void edit_work(const struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	struct whatif_edited_track *at = &editing->tracks[graph->track[point]];
	bool edited = is_edited(editing, graph->row[point]), again = at->work != NO_ROW;
	const struct whatif_edit *edit = editing->edit;
	enum whatif_what what = edit->what;
	at->work = edited ? point : NO_ROW;
	if (!edited)
		return;
	if (what == WHATIF_MOVE)
		change_point(editing, point, CHANGE_MOVED);
	else
		scale_point(editing, &editing->weights->own, point,
			    1 - (1 - edit->factor) * worked_part(editing, graph->row[point]));
	if (what == WHATIF_REMOVE || (what == WHATIF_FUSE && again))
		remove_work(editing, point);
}

/* ---- waits ---- */

/* The end of a call that blocks, or that waits for its own copy. */
static bool is_released(const struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	uint8_t kind = graph->kind[point];
	return (kind & POINT_KIND) == POINT_END && is_inside(editing, graph->row[point]) &&
	       (kind & POINT_BLOCKS || (kind & POINT_OWN && !graph->launches_block));
}

/* Without its wait a small copy that the call waited for is not made either: a value is not read.
 */
static void release_call(const struct whatif_editing *editing, uint32_t point)
{
	enum { VALUE_BYTES_MAX = 65536 };
	const struct profile *profile = editing->profile;
	uint32_t source = whatif_source_of(&editing->graph->sources, point);
	uint32_t work = source == NO_ROW ? NO_ROW : editing->graph->row[source];
	change_point(editing, point, CHANGE_NO_WAIT);
	if (work == NO_ROW || profile->activity_kind[work] != ACTIVITY_MEMCPY ||
	    profile->activity_bytes[work] == NO_VALUE ||
	    profile->activity_bytes[work] > VALUE_BYTES_MAX)
		return;
	scale_point(editing, &editing->weights->own, source, 0);
	remove_work(editing, source);
}

/*
 * Take the waits of blocking calls away, but for those after which nothing is launched before their
 * step ends: the program needs what the step has made. A copy may wait, and then a call for it.
 */
static void release(struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	int kind = graph->kind[point] & POINT_KIND;
	uint32_t launch = kind == POINT_WORK ? whatif_source_of(&graph->sources, point) : NO_ROW,
		 i = editing->waiting;
	if (kind == POINT_STEP_END)
		editing->waiting = NO_ROW;
	else if (i == NO_ROW && is_released(editing, point))
		editing->waiting = point;
	if (launch == NO_ROW || i == NO_ROW || launch < i)
		return;
	editing->waiting = NO_ROW;
	for (; i < point && editing->waiting == NO_ROW; i++) {
		bool released = is_released(editing, i);
		if (released && i < launch)
			release_call(editing, i);
		else if (released)
			editing->waiting = i;
	}
}

static void edit_allocation(const struct whatif_editing *editing, uint32_t point)
{
	uint32_t call = editing->graph->row[point];
	if (!(editing->derived->role[editing->profile->span_name[call]] & NAME_ALLOCATOR) ||
	    !is_inside(editing, call))
		return;
	scale_point(editing, &editing->weights->own, point, 0);
	change_point(editing, point, CHANGE_NO_WAIT);
}

/* ---- all of it ---- */

static void edit_point(struct whatif_editing *editing, uint32_t point)
{
	const struct whatif_graph *graph = editing->graph;
	const struct whatif_edit *edit = editing->edit;
	int kind = graph->kind[point] & POINT_KIND;
	enum whatif_what what = edit ? edit->what : WHATIF_HOST;
	switch (what) {
	case WHATIF_NOSYNC: release(editing, point); break;
	case WHATIF_UNBLOCK:
		if (kind == POINT_END && graph->launches_block && graph->kind[point] & POINT_OWN &&
		    is_inside(editing, graph->row[point]))
			change_point(editing, point, CHANGE_NO_WAIT);
		break;
	case WHATIF_ALLOC:
		if (kind < POINT_WORK)
			edit_allocation(editing, point);
		break;
	case WHATIF_GRAPHS:
		if (kind == POINT_WORK && is_edited(editing, graph->row[point]))
			change_point(editing, point, CHANGE_GRAPH);
		/* fallthrough */
	case WHATIF_HOST:
	case WHATIF_PAUSES:
	case WHATIF_LAUNCHES:
	case WHATIF_LOADER:
	case WHATIF_COMPILE:
		if (kind != POINT_WORK)
			edit_host(editing, point);
		break;
	default:
		if (kind == POINT_WORK)
			edit_work(editing, point);
		else if (edit->idle)
			edit_host(editing, point);
	}
}

static bool edit_points(struct whatif_editing *editing, const struct progress *progress)
{
	const struct whatif_graph *graph = editing->graph;
	bool ok = true;
	editing->tracks =
		mem_zalloc((size_t)editing->profile->track_count + 1, sizeof *editing->tracks);
	for (uint32_t i = 0; i < editing->profile->track_count; i++) {
		const struct track *track = &editing->profile->tracks[i];
		editing->tracks[i] = (struct whatif_edited_track){
			.last = INT64_MIN,
			.span = track->first_span,
			.span_end = track->first_span + track->spans,
			.inside = INT64_MIN,
			.begun = track->first_span,
			.work = NO_ROW,
		};
	}
	for_rows (ok, i, graph->count, progress, stage)
		edit_point(editing, i);
	mem_free(editing->tracks);
	return ok;
}

bool whatif_weights_of(struct whatif_weights *weights, const struct whatif_graph *graph,
		       const struct whatif_edit *edits, size_t count,
		       const struct progress *progress)
{
	bool ok = true, removed = false;
	*weights = (struct whatif_weights){ 0 };
	for (size_t i = 0; i < count + removed && ok; i++) {
		const struct whatif_edit *edit = i < count ? &edits[i] : NULL;
		enum whatif_what what = edit ? edit->what : WHATIF_HOST;
		const struct scope *scope = edit ? edit->scope : NULL;
		if (scope && !scope_list_has(&scope->ranks, graph->rank))
			continue;
		AUTO_FREE uint8_t *names = matching_names(graph->derived, edit);
		AUTO_FREE uint8_t *layers = matching_layers(graph->derived, scope);
		bool together = graph->joined && what != WHATIF_LATENCY; /* waits are apart */
		bool messages = edit && !edit->rows && what != WHATIF_HIDE && !together &&
				whatif_kinds[what].touches == 1 << LIMIT_COMMUNICATION;
		AUTO_FREE float *parts =
			messages ? whatif_message_parts(graph->derived, what, progress) : NULL;
		struct whatif_editing editing = { .weights = weights,
						  .graph = graph,
						  .profile = graph->profile,
						  .derived = graph->derived,
						  .edit = edit,
						  .names = names,
						  .scope = { graph->profile, graph->derived,
							     scope },
						  .layers = layers,
						  .parts = parts,
						  .waiting = NO_ROW };
		bool kernels = what == WHATIF_DTYPE || (edit && edit->families);
		if (kernels)
			editing.kernels = derived_kernel_names(graph->derived, progress);
		ok = (parts || !messages) && (editing.kernels || !kernels);
		removed |= what == WHATIF_REMOVE || what == WHATIF_FUSE || what == WHATIF_NOSYNC;
		ok = ok &&
		     ((what == WHATIF_STRAGGLER && together) || edit_points(&editing, progress));
		removed &= weights->change != NULL;
	}
	if (!ok)
		whatif_weights_clear(weights);
	return ok;
}

void whatif_weights_clear(struct whatif_weights *weights)
{
	mem_free_all(weights->own, weights->gap, weights->change);
	*weights = (struct whatif_weights){ 0 };
}
