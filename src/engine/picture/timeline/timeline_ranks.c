/*
 * The other ranks of a run below the lanes of the shown one, on its time axis.
 */
#include "analysis/rank_matches.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "picture/timeline/timeline_private.h"
#include "session/load.h"

/* How far two ranks are on one clock, best first. */
enum clock_alignment {
	ALIGNED_BY_COLLECTIVES, /* their ends coincide */
	SAME_HOST,              /* which has one clock */
	NOT_ALIGNED,            /* the clocks of two hosts as they are */
	DISJOINT,               /* nothing overlaps: the starts are put together */
};

/* Index of the shown rank; false: it is all of a file. */
static bool index_of(const struct timeline *timeline, size_t *index)
{
	const struct run *run = timeline->run;
	for (*index = 0; *index < run->rank_count; ++*index)
		if (&run->ranks[*index] == timeline->rank)
			return true;
	return false;
}

/* NULL: not known. */
static const char *host_of(const struct rank *rank)
{
	const struct rank_summary *summary = rank ? rank->summary : NULL;
	return summary && summary->host ? intern_text(summary->strings, summary->host) : NULL;
}

/* What to add to times of rank B for times of rank A. */
static enum clock_alignment align(const struct run *run, size_t a, size_t b, int64_t *shift)
{
	const struct rank_summary *one = run->ranks[a].summary, *other = run->ranks[b].summary;
	const struct rank_matches *matches = run->matches;
	*shift = 0;
	if (!one || !other || __builtin_sub_overflow(other->start, one->start, shift))
		return DISJOINT;
	if (matches && matches->matched[a] && matches->matched[b] &&
	    !__builtin_sub_overflow(*shift, matches->clock_offset[b], shift) &&
	    !__builtin_add_overflow(*shift, matches->clock_offset[a], shift))
		return ALIGNED_BY_COLLECTIVES;
	if (one->start < other->end && other->start < one->end) {
		const char *host = host_of(&run->ranks[a]), *of_b = host_of(&run->ranks[b]);
		return host && of_b && strcmp(host, of_b) == 0 ? SAME_HOST : NOT_ALIGNED;
	}
	*shift = 0;
	return DISJOINT;
}

/* Does the scope select some rows of the rank only? */
static bool is_narrowed(const struct scope *scope)
{
	struct scope all;
	scope_init(&all); /* without texts to free */
	MEMBERS(&all, scope, TAKE(rank) TAKE(ranks) TAKE(all_ranks));
	return !timeline_same(&all, scope);
}

/* Is rank I drawn below rank OWN? Summaries and sums over a run have no events. */
static bool is_below(const struct run *run, size_t own, size_t i)
{
	return i != own && !run->ranks[i].totals && !run->ranks[i].part;
}

/* Are ranks of the run known to be on different hosts? */
static bool hosts_differ(const struct run *run)
{
	const char *first = NULL;
	for (size_t i = 0; i < run->rank_count; i++) {
		const char *host = host_of(&run->ranks[i]);
		if (!first)
			first = host;
		else if (host && strcmp(host, first) != 0)
			return true;
	}
	return false;
}

void timeline_add_ranks(struct timeline *timeline, const struct scope *scope)
{
	const struct run *run = timeline->run;
	size_t own;
	if (!index_of(timeline, &own) || timeline->rank->profile->tables || is_narrowed(scope))
		return;
	timeline->hosts_differ = hosts_differ(run);
	const struct lost_file *lost = run->lost, *end = lost + run->lost_count;
	for (size_t i = 0; i < run->rank_count; i++) {
		for (; lost < end && lost->number < run->ranks[i].number; lost++)
			lanes_add_rank(timeline->lanes, lost->number, lost->why);
		if (is_below(run, own, i))
			lanes_add_rank(timeline->lanes, run->ranks[i].number, NULL);
	}
	for (; lost < end; lost++)
		lanes_add_rank(timeline->lanes, lost->number, lost->why);
}

/* Why a rank cannot be read, with the name of its file. */
static void name_file(const struct run *run, int64_t number, const struct error *cause,
		      struct error *error)
{
	const struct rank *rank = run_rank(run, number);
	const char *path = rank && rank->path ? rank->path : "";
	if (cause->code == ERROR_CANCELLED)
		*error = *cause;
	else
		error_set(error, cause->code, "%s (%s%s%s)", cause->message, text_file_name(path),
			  cause->where[0] ? ", " : "", cause->where);
}

bool timeline_load_rank(const struct timeline *timeline, uint32_t index,
			const struct progress *progress, struct error *error)
{
	struct lane *lane = &timeline->lanes->lane[index];
	const struct run *run = timeline->run;
	struct error cause = { 0 };
	int64_t shift;
	size_t own;
	if (lane->kind != LANE_RANK || lane->why || lane_is_prepared(lane) ||
	    !index_of(timeline, &own))
		return true;
	AUTO_RANK const struct rank *rank = run_acquire(run, lane->rank, progress, &cause);
	if (!rank && cause.code == ERROR_CANCELLED) {
		*error = cause;
		return false;
	}
	if (!rank) {
		struct error named = { 0 };
		name_file(run, lane->rank, &cause, &named);
		mem_replace(lane->why, mem_strdup(named.message));
		return true;
	}
	align(run, own, (size_t)(rank - run->ranks), &shift);
	return lane_fill_rank(lane, rank->derived, shift, progress) || error_cancelled(error);
}

/* The last activity of a track that begins by TIME and has not ended, or NO_ROW. */
static uint32_t running_on(const struct rank *rank, const struct track *track, int64_t time,
			   bool communication)
{
	enum { OVERLAPS_MAX = 64 };
	const struct profile *profile = rank->profile;
	uint32_t first = track->first_activity;
	uint32_t low = search_first(i, first, first + track->activities,
				    profile->activity_start[i] > time);
	for (uint32_t i = low; i > first && low - i < OVERLAPS_MAX; i--) {
		uint32_t row = i - 1;
		int64_t ago = time - profile->activity_start[row];
		bool talks = derived_is_communication(rank->derived, row);
		bool works = talks || profile->activity_kind[row] == ACTIVITY_KERNEL;
		if (works && talks == communication &&
		    (ago == 0 || ago < profile->activity_dur[row]))
			return row;
	}
	return NO_ROW;
}

static struct ref running_at(const struct timeline *timeline, const struct rank *rank,
			     const struct lane *lane, uint32_t event, int64_t time)
{
	bool communication = lane->own_group[event] == GROUP_COMMUNICATION;
	int64_t shift;
	uint32_t best = NO_ROW;
	size_t own;
	const struct ref none = { .kind = REF_NONE };
	if (!index_of(timeline, &own))
		return none;
	align(timeline->run, own, (size_t)(rank - timeline->run->ranks), &shift);
	time = time < lane_start(lane, event) ? lane_start(lane, event) : time;
	time = time >= lane_end(lane, event) ? lane_end(lane, event) - 1 : time;
	for (uint32_t t = 0; t < rank->profile->track_count; t++) {
		uint32_t row =
			running_on(rank, &rank->profile->tracks[t], time - shift, communication);
		if (row != NO_ROW &&
		    (best == NO_ROW ||
		     rank->profile->activity_start[row] > rank->profile->activity_start[best]))
			best = row;
	}
	return best == NO_ROW ? none : (struct ref){ REF_LAUNCH, best, 0, 0 };
}

struct ref timeline_peek_rank(const struct timeline *timeline, uint32_t lane, uint32_t event,
			      int64_t time)
{
	const struct lane *of = &timeline->lanes->lane[lane];
	AUTO_RANK const struct rank *rank = run_peek(timeline->run, of->rank);
	return rank ? running_at(timeline, rank, of, event, time) : NO_REF;
}

bool timeline_find_rank(const struct timeline *timeline, uint32_t lane, uint32_t event,
			int64_t time, const struct progress *progress, struct ref *ref,
			struct error *error)
{
	const struct lane *of = &timeline->lanes->lane[lane];
	struct error cause = { 0 };
	AUTO_RANK const struct rank *rank = run_acquire(timeline->run, of->rank, progress, &cause);
	if (!rank) {
		name_file(timeline->run, of->rank, &cause, error);
		return false;
	}
	*ref = running_at(timeline, rank, of, event, time);
	return ref->kind != REF_NONE || error_usage(error, "no kernel of the rank at this time");
}

int64_t timeline_rank_of(const struct timeline *timeline, uint32_t lane)
{
	const struct run *run = timeline->run;
	const struct profile *profile = timeline->lanes->profile;
	uint32_t track = timeline->lanes->lane[lane].track;
	if (track == NO_ROW || timeline->rank != run->whole)
		return NO_VALUE;
	uint32_t space = profile_id_space(profile, track);
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].process == space)
			return run->ranks[i].number;
	return NO_VALUE;
}

const char *timeline_host_of(const struct timeline *timeline, uint32_t lane)
{
	return timeline->hosts_differ
		       ? host_of(run_rank(timeline->run, timeline->lanes->lane[lane].rank))
		       : NULL;
}

void timeline_ranks_note(const struct timeline *timeline, struct buffer *out)
{
	static const char *const texts[] = {
		[SAME_HOST] = "by the clock of their host",
		[NOT_ALIGNED] = "clocks not aligned: no collectives in common",
		[DISJOINT] = "recorded at other times; their starts are aligned",
	};
	const struct run *run = timeline->run;
	enum clock_alignment worst = ALIGNED_BY_COLLECTIVES;
	char text[NUMBER_MAX];
	size_t own, below = 0;
	if (!index_of(timeline, &own))
		return;
	for (size_t i = 0; i < run->rank_count; i++) {
		int64_t shift;
		if (!is_below(run, own, i))
			continue;
		enum clock_alignment got = align(run, own, i, &shift);
		worst = got > worst ? got : worst;
		below++;
	}
	if (!below && run->lost_count)
		buffer_puts(out, "not readable");
	if (!below)
		return;
	if (worst != ALIGNED_BY_COLLECTIVES)
		buffer_puts(out, texts[worst]);
	else
		buffer_printf(out, "clocks aligned by collectives, to %s",
			      number_duration(text, run->matches->residual));
}
