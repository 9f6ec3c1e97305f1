/*
 * Finds and explains gaps (see gaps.h).
 *
 * The idle intervals of a device are known, in order. They are cut into pieces that are explained
 * in parallel. A piece visits its gaps and the device's work by start once: work that
 * starts before the gap gives what ends last before it, work that starts with it what ends it. The
 * launch call of that work tells the thread, whose segments (host_lanes.h) are looked for near
 * those of the gap before. Parts with the same owner that follow each other become one.
 */
#include "analysis/gaps.h"

#include "analysis/host_lanes.h"
#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/check.h"
#include "base/parallel.h"
#include "derived/activity_order.h"
#include "derived/selection.h"

static const char stage[] = "explaining idle time";

static const struct {
	const char *column, *name;
} names[TIME_CAUSES] = { TIME_CAUSE_ROWS(LISTED_ROW) };

const char *time_cause_column(enum time_cause cause)
{
	require(cause < TIME_CAUSES, "cause %d", (int)cause);
	return names[cause].column;
}

const char *time_cause_name(enum time_cause cause)
{
	require(cause < TIME_CAUSES, "cause %d", (int)cause);
	return names[cause].name;
}

/* ---- parts ---- */

/* Room for the parts of gaps, which never move once their gap is done. */
struct gap_parts {
	struct gap_parts *before;
	size_t count, capacity;
	struct gap_part part[];
};

enum { BLOCK_PARTS = 1 << 15 };

/* The gaps of a device, which are found in pieces. */
struct gap_search {
	struct gaps *gaps;
	const struct selection *selection;
	const struct host_lanes *lanes;
	const struct work_window *window;
	const uint32_t *rows; /* the device's work in scope, by start */
	uint32_t *own_rows;   /* if that is not all work */
	size_t count;
	bool named; /* no launch is known, but that operators launch work of their names */
};

/* A piece of them. */
struct finder {
	const struct gap_search *search;
	const struct profile *profile;
	struct gap *gap;            /* the current one; its parts are the last of the block */
	struct gap_parts *parts;    /* the current block */
	size_t *near;               /* by track: the segment looked for last */
	size_t next;                /* first row that starts at or after the current gap's end */
	size_t linked;              /* first row from there on with a recorded launch */
	uint32_t last, last_linked; /* the row that ends last before; the last with a launch */
	struct gap_piece *piece;
};

/* The first segment of a thread that ends after TIME. */
static size_t first_segment(struct finder *finder, uint32_t track, int64_t time)
{
	size_t *near = &finder->near[track];
	return *near = segment_after(&finder->search->lanes->lanes[track], time, *near);
}

/* Make room for one more part of the current gap, next to the others. */
static void need_part(struct finder *finder)
{
	struct gap_parts *full = finder->parts;
	size_t own = (size_t)finder->gap->parts << finder->gap->is_long;
	if (full && full->count + finder->gap->is_long < full->capacity)
		return;
	size_t capacity = full ? full->capacity * 2 : 64;
	capacity = capacity > BLOCK_PARTS ? BLOCK_PARTS : capacity;
	capacity = capacity < own * 2 + 2 ? own * 2 + 2 : capacity;
	struct gap_parts *block = mem_alloc(sizeof *block + capacity * sizeof *block->part);
	*block = (struct gap_parts){ .before = full, .count = own, .capacity = capacity };
	if (own)
		memcpy(block->part, finder->gap->part, own * sizeof *block->part);
	finder->gap->part = block->part;
	finder->parts = block;
}

_Static_assert(TIME_CAUSES <= 16, "the cause of a part has four bits");

static void set_end(struct gap_part *part, const struct gap *gap, int64_t end)
{
	uint64_t until = (uint64_t)end - (uint64_t)gap->start;
	part->until = until & (GAP_LONG - 1);
	if (gap->is_long)
		part[1] = (struct gap_part){ .span = (uint32_t)(until >> 28) };
}

static void gaps_add_part(struct finder *finder, int64_t start, int64_t end, uint8_t cause,
			  uint32_t span)
{
	struct gap *gap = finder->gap;
	size_t each = (size_t)1 << gap->is_long;
	struct gap_part *last =
		gap->parts ? &finder->parts->part[finder->parts->count - each] : NULL;
	if (start >= end)
		return;
	if (last && last->cause == cause && (last->span == span || cause == CAUSE_UNKNOWN)) {
		set_end(last, gap, end);
		return;
	}
	need_part(finder);
	if (!gap->parts++)
		gap->part = &finder->parts->part[finder->parts->count];
	last = &finder->parts->part[finder->parts->count];
	finder->parts->count += each;
	*last = (struct gap_part){ .span = span, .cause = cause & 15 };
	set_end(last, gap, end);
}

static void explain_by_thread(struct finder *finder, uint32_t track, int64_t start, int64_t end,
			      bool loading);

/*
 * The time of [START, END) in which a thread has events, until the first without; or with WORK in
 * the data loader and, where they are known to launch, in operators.
 */
static int64_t time_of_thread(struct finder *finder, uint32_t track, int64_t start, int64_t end,
			      bool work)
{
	const struct host_lane *lane = &finder->search->lanes->lanes[track];
	int64_t ns = 0;
	for (size_t i = lane->count ? first_segment(finder, track, start) : 0;
	     i < lane->count && segment_at(lane, i)->start < end; i++) {
		const struct host_segment *at = segment_at(lane, i);
		int64_t from = at->start > start ? at->start : start;
		int64_t to = segment_end(lane, i) < end ? segment_end(lane, i) : end;
		if (!work && from > start + ns)
			break;
		bool named = finder->search->named &&
			     finder->profile->span_kind[at->span] == SPAN_OPERATOR;
		if (!work || named || lane->span_cause[at->span] == CAUSE_DATALOADER)
			ns += to - from;
	}
	return ns;
}

/* Nothing is recorded on the thread TRACK, if known: another thread of its process may know. */
static void explain_silence(struct finder *finder, uint32_t track, int64_t start, int64_t end)
{
	const struct profile *profile = finder->profile;
	if (start >= end)
		return;
	for (uint32_t t = 0; t < profile->track_count && track != NO_ROW; t++)
		if (t != track && profile->tracks[t].process == profile->tracks[track].process &&
		    time_of_thread(finder, t, start, end, false) == end - start) {
			explain_by_thread(finder, t, start, end, false);
			return;
		}
	gaps_add_part(finder, start, end, CAUSE_UNKNOWN, NO_ROW);
}

/* What the thread TRACK was in, if LOADING data alone. */
static void explain_by_thread(struct finder *finder, uint32_t track, int64_t start, int64_t end,
			      bool loading)
{
	const struct host_lane *lane = &finder->search->lanes->lanes[track];
	size_t i = first_segment(finder, track, start);
	uint32_t silent = loading ? NO_ROW : track;
	for (; i < lane->count && start < end && segment_at(lane, i)->start < end; i++) {
		const struct host_segment *segment = segment_at(lane, i);
		int64_t from = segment->start > start ? segment->start : start;
		int64_t to = segment_end(lane, i) < end ? segment_end(lane, i) : end;
		uint8_t cause = lane->span_cause[segment->span];
		explain_silence(finder, silent, start, from);
		if (loading && cause != CAUSE_DATALOADER)
			gaps_add_part(finder, from, to, CAUSE_UNKNOWN, NO_ROW);
		else
			gaps_add_part(finder, from, to, cause, segment->span);
		start = to;
	}
	explain_silence(finder, silent, start, end);
}

/* ---- gaps ---- */

/* Go on to the first work that starts at or after TIME. */
static void advance(struct finder *finder, int64_t time)
{
	const struct profile *profile = finder->profile;
	const struct gap_search *search = finder->search;
	for (; finder->next < search->count; finder->next++) {
		uint32_t row = search->rows[finder->next];
		if (profile->activity_start[row] >= time)
			break;
		if (finder->last == NO_ROW || profile_activity_end(profile, row) >=
						      profile_activity_end(profile, finder->last))
			finder->last = row;
		if (profile->activity_launch[row] != NO_ROW)
			finder->last_linked = row;
	}
	finder->linked = finder->linked < finder->next ? finder->next : finder->linked;
	while (finder->linked < search->count &&
	       profile->activity_launch[search->rows[finder->linked]] == NO_ROW)
		finder->linked++;
}

/* Begin at TIME, when a gap begins: all work that started before has ended. */
static void gaps_begin(struct finder *finder, int64_t time)
{
	const struct profile *profile = finder->profile;
	const uint32_t *rows = finder->search->rows;
	finder->next = search_first(i, finder->next, finder->search->count,
				    profile->activity_start[rows[i]] >= time);
	for (size_t i = finder->next; i-- > 0;) {
		if (finder->last == NO_ROW || profile_activity_end(profile, rows[i]) >
						      profile_activity_end(profile, finder->last))
			finder->last = rows[i];
		if (finder->last_linked == NO_ROW && profile->activity_launch[rows[i]] != NO_ROW)
			finder->last_linked = rows[i];
		if (finder->last_linked != NO_ROW &&
		    profile_activity_end(profile, finder->last) >= time)
			break;
	}
}

/* The work that ends the gap at TIME: of several, the first with a launch; NO_ROW. */
static uint32_t ending(const struct finder *finder, int64_t time)
{
	const int64_t *start = finder->profile->activity_start;
	const struct gap_search *search = finder->search;
	if (finder->linked < search->count && start[search->rows[finder->linked]] == time)
		return search->rows[finder->linked];
	if (finder->next < search->count && start[search->rows[finder->next]] == time)
		return search->rows[finder->next];
	return NO_ROW;
}

/* The launched work whose thread explains the gap: the one that ends it, the next, the last. */
static uint32_t explaining(const struct finder *finder, uint32_t after)
{
	const struct gap_search *search = finder->search;
	if (after != NO_ROW && finder->profile->activity_launch[after] != NO_ROW)
		return after;
	return finder->linked < search->count ? search->rows[finder->linked] : finder->last_linked;
}

/* No launch is recorded: the thread that spends most of [START, END) in work; NO_ROW: none. */
static uint32_t thread_at_work(struct finder *finder, int64_t start, int64_t end)
{
	int64_t most = 0;
	uint32_t best = NO_ROW;
	for (uint32_t t = 0; t < finder->profile->track_count; t++) {
		int64_t ns = time_of_thread(finder, t, start, end, true);
		best = ns > most ? t : best;
		raise_to(most, ns);
	}
	return best;
}

static void gaps_explain(struct finder *finder, struct gap *gap, int64_t from, int64_t end)
{
	const struct profile *profile = finder->profile;
	int64_t launched = end;
	uint32_t by = explaining(finder, gap->after);
	if (by == NO_ROW) {
		uint32_t thread = thread_at_work(finder, from, end);
		if (thread == NO_ROW)
			gaps_add_part(finder, from, end, CAUSE_UNKNOWN, NO_ROW);
		else
			explain_by_thread(finder, thread, from, end, !finder->search->named);
		return;
	}
	uint32_t launch = profile->activity_launch[by];
	gap->track = profile->span_track[launch];
	int64_t called = profile_span_end(profile, launch);
	if (by == gap->after && called < end)
		launched = called > from ? called : from;
	explain_by_thread(finder, gap->track, from, launched, false);
	gaps_add_part(finder, launched, end,
		      end - launched > LAUNCH_LATENCY_MAX ? CAUSE_DEPENDENCY : CAUSE_LAUNCH,
		      launch);
}

static bool is_break(const struct gap_part *part)
{
	return part->cause == CAUSE_HOST || part->cause == CAUSE_UNKNOWN;
}

/*
 * The launching thread's short breaks, in nothing recorded or in work without launches, are what
 * launching takes in Python.
 */
static void bridge_breaks(const struct gap *gap, struct gap_part *part)
{
	for (size_t p = 0, next; p < gap->parts; p = next) {
		next = p + 1;
		if (!is_break(gap_part(gap, p)))
			continue;
		while (next < gap->parts && is_break(gap_part(gap, next)))
			next++;
		if (gap_part_end(gap, next - 1) - gap_part_start(gap, p) > BREAK_NS)
			continue;
		for (; p < next; p++)
			part[p << gap->is_long].cause = CAUSE_LAUNCH;
	}
}

/* The parts of the gap are known. */
static void finish_gap(struct finder *finder)
{
	const struct gap *gap = finder->gap;
	/* pages move when they are touched, whatever is launched */
	bool moves = gap->after != NO_ROW &&
		     derived_is_migration(finder->search->selection->derived, gap->after);
	if (gap->track != NO_ROW && !moves)
		bridge_breaks(gap, &finder->parts->part[finder->parts->count -
							((size_t)gap->parts << gap->is_long)]);
	for (size_t p = 0; p < gap->parts; p++) {
		int64_t start = gap_part_start(gap, p), end = gap_part_end(gap, p);
		finder->piece->ns[gap_part(gap, p)->cause] += end - start;
	}
}

/* Explain GAP, of which only the times are known. */
static void add_gap(struct finder *finder, struct gap *gap)
{
	int64_t head_end = finder->search->window->head_end, end = gap->until;
	finder->gap = gap;
	advance(finder, gap->start);
	uint32_t before = finder->last;
	advance(finder, end);
	gap->before = before;
	gap->after = ending(finder, end);
	gap->track = NO_ROW;
	gap->parts = 0;
	gap->is_long = (uint64_t)end - (uint64_t)gap->start >= GAP_LONG;
	gap->part = NULL;
	head_end = head_end > end ? end : head_end;
	gaps_add_part(finder, gap->start, head_end, CAUSE_UNKNOWN, NO_ROW);
	if (head_end < end)
		gaps_explain(finder, gap, head_end > gap->start ? head_end : gap->start, end);
	finish_gap(finder);
}

/* Is all that is recorded on devices the work of this one, and in scope? */
static bool is_all_work(const struct selection *selection, int32_t device)
{
	const struct profile *profile = selection->profile;
	for (size_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].activities && profile->tracks[t].device != device)
			return false;
	return !selection->activity && profile->activities &&
	       !memchr(profile->activity_kind, ACTIVITY_SYNC, profile->activities);
}

/* The device's work in scope, by start; false when cancelled. */
static bool collect_rows(struct gap_search *search, int32_t device, const struct progress *progress)
{
	const struct profile *profile = search->selection->profile;
	const uint32_t *by_start = derived_by_start(search->selection->derived, progress);
	if (!by_start)
		return false;
	search->rows = by_start;
	search->count = profile->activities;
	if (is_all_work(search->selection, device))
		return true;
	search->own_rows = mem_alloc(((size_t)profile->activities + 1) * sizeof *search->own_rows);
	search->rows = search->own_rows;
	search->count = 0;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t row = by_start[i];
		if (profile->activity_kind[row] != ACTIVITY_SYNC &&
		    profile_activity_device(profile, row) == device &&
		    selection_has_activity(search->selection, row))
			search->own_rows[search->count++] = row;
	}
	return ok;
}

/* Find the gaps of piece I; their parts stay where they are. */
static bool find_piece(void *context, size_t i, const struct progress *progress)
{
	const struct gap_search *search = context;
	const struct gaps *gaps = search->gaps;
	struct gap_piece *piece = &search->gaps->pieces[i];
	struct finder finder = { .search = search,
				 .profile = search->selection->profile,
				 .last = NO_ROW,
				 .last_linked = NO_ROW,
				 .piece = piece };
	bool ok = true;
	piece->first = gaps->count * i / GAP_PIECES;
	piece->end = gaps->count * (i + 1) / GAP_PIECES;
	if (piece->first == piece->end)
		return true;
	finder.near = mem_zalloc(search->lanes->count + 1, sizeof *finder.near);
	gaps_begin(&finder, gaps->items[piece->first].start);
	for (size_t at = piece->first; at < piece->end && ok; at++) {
		add_gap(&finder, &gaps->items[at]);
		ok = progress_row(progress, stage, at, gaps->count);
	}
	mem_free(finder.near);
	piece->parts = finder.parts;
	return ok;
}

/* Make gaps of the intervals IDLE in the same memory, the last first: they are longer. */
static void gaps_widen(struct gaps *gaps, struct intervals *idle)
{
	char *memory = mem_realloc(idle->item, idle->count + 1, sizeof *gaps->items);
	*gaps = (struct gaps){ .items = (void *)memory, .count = idle->count };
	*idle = (struct intervals){ 0 };
	for (size_t i = gaps->count; i-- > 0;) {
		struct interval at;
		memcpy(&at, memory + i * sizeof at, sizeof at);
		gaps->items[i].start = at.start;
		gaps->items[i].until = at.end;
	}
}

/* Do operators launch work of their names, and nothing else is known to? */
static bool launches_by_name(const struct profile *profile, const struct host_lanes *lanes)
{
	return lanes->count &&
	       !any_of(i, profile->activities, profile->activity_launch[i] != NO_ROW) &&
	       any_of(i, profile->spans,
		      profile->span_kind[i] == SPAN_OPERATOR &&
			      lanes->lanes[0].span_cause[i] == CAUSE_LAUNCH);
}

bool gaps_find(struct gaps *gaps, const struct selection *selection, const struct host_lanes *lanes,
	       int32_t device, struct intervals *idle, const struct work_window *window,
	       const struct progress *progress)
{
	struct gap_search search = {
		.gaps = gaps,
		.selection = selection,
		.lanes = lanes,
		.window = window,
		.named = launches_by_name(selection->profile, lanes),
	};
	gaps_widen(gaps, idle);
	bool ok = collect_rows(&search, device, progress) &&
		  parallel_try_rows(profile_rows(selection->profile), GAP_PIECES, find_piece,
				    &search, stage, progress, NULL);
	mem_free(search.own_rows);
	if (!ok)
		gaps_free(gaps);
	return ok;
}

void gaps_free(struct gaps *gaps)
{
	mem_free(gaps->items);
	for (size_t i = 0; i < GAP_PIECES; i++)
		for (struct gap_parts *block = gaps->pieces[i].parts, *before; block;
		     block = before) {
			before = block->before;
			mem_free(block);
		}
	*gaps = (struct gaps){ 0 };
}

/* ---- reading them ---- */

size_t gaps_from(const struct gaps *gaps, int64_t time, size_t near)
{
	size_t i = search_near(ASCENDING(gaps->items, start, gaps->count), time + 1, near);
	return i && gap_end(&gaps->items[i - 1]) > time ? i - 1 : i;
}

/* The owner of most of several parts, from gap FIRST on. */
static struct gap_owner owner_of_parts(const struct gaps *gaps, int64_t start, int64_t end,
				       size_t first)
{
	struct gap_owner owner = { .cause = CAUSE_UNKNOWN, .span = NO_ROW };
	int64_t ns[TIME_CAUSES] = { 0 }, longest[TIME_CAUSES] = { 0 };
	uint32_t span[TIME_CAUSES];
	for (size_t i = first; i < gaps->count && gaps->items[i].start < end; i++) {
		int64_t part_start = gaps->items[i].start;
		for (size_t p = 0; p < gaps->items[i].parts; p++) {
			const struct gap_part *part = gap_part(&gaps->items[i], p);
			int64_t part_end = gap_part_end(&gaps->items[i], p);
			int64_t from = part_start > start ? part_start : start;
			int64_t to = part_end < end ? part_end : end;
			part_start = part_end;
			if (from >= to)
				continue;
			owner.idle_ns += to - from;
			ns[part->cause] += to - from;
			if (to - from <= longest[part->cause])
				continue;
			longest[part->cause] = to - from;
			span[part->cause] = part->span;
		}
	}
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		if (ns[cause] > owner.cause_ns) {
			owner.cause_ns = ns[cause];
			owner.cause = (enum time_cause)cause;
			owner.span = span[cause];
		}
	return owner;
}

struct gap_owner gaps_owner(const struct gaps *gaps, int64_t start, int64_t end, size_t near)
{
	size_t first = gaps_from(gaps, start, near), p = 0;
	if (start >= end || first == gaps->count || gaps->items[first].start >= end)
		return (struct gap_owner){ .cause = CAUSE_UNKNOWN, .span = NO_ROW };
	const struct gap *gap = &gaps->items[first];
	while (p + 1 < gap->parts && gap_part_end(gap, p) <= start)
		p++;
	const struct gap_part *part = gap_part(gap, p);
	bool last = p + 1 == gap->parts &&
		    (first + 1 == gaps->count || gaps->items[first + 1].start >= end);
	int64_t part_end = gap_part_end(gap, p);
	if (part_end < end && !last)
		return owner_of_parts(gaps, start, end, first);
	int64_t from = gap_part_start(gap, p), to = part_end < end ? part_end : end;
	from = from > start ? from : start;
	return (struct gap_owner){ to - from, to - from, (enum time_cause)part->cause, part->span };
}

uint32_t gap_work(const struct derived *derived, uint32_t span, enum time_cause cause)
{
	const struct profile *profile = derived->profile;
	uint32_t work = span;
	for (uint32_t at = span; at != NO_ROW; at = profile->span_parent[at]) {
		uint16_t role = derived->role[profile->span_name[at]];
		if (cause == CAUSE_LAUNCH ? derived->span_flags[at] & SPAN_IS_OPERATOR
					  : cause == CAUSE_DATALOADER && role & NAME_DATALOADER)
			work = at;
	}
	return work;
}
