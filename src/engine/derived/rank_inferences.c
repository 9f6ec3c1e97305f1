#include "derived/inferences_private.h"

#include "base/any_of.h"

/* Of this many parts of a step's work, ALIKE have to match. */
enum { PARTS = 10, ALIKE = 9 };

static const char stage[] = "matching work to that of another rank";

/* A step of the profile; without steps the recording. */
struct step_match {
	int64_t number;
	uint64_t own, other, matched; /* work of both, and what matches */
};

struct rank_inferences_search {
	struct inferring *inferring;
	const struct derived *derived;
	const struct launch_records *records;
	uint32_t source;
	struct stream_sequences own; /* of the profile */
	const struct stream_sequence *own_items, *other_items;
	size_t own_count, other_count;
	uint32_t *name;   /* by string of the records: the profile's, NO_ROW: it has none */
	uint32_t *stream; /* by stream of the profile: that of the records, NO_ROW */
	struct keyed by_key, by_step;
	const struct stream_sequence **partners; /* of the records, by rank_inferences_key */
	struct step_match *steps;                /* by number */
};

/* ---- pairs ---- */

/* Streams with one id are paired, then the others in their order. */
static void pair_streams(struct rank_inferences_search *search)
{
	const struct stream_sequences *own = &search->own, *other = &search->records->sequences;
	AUTO_FREE bool *taken = mem_zalloc(other->stream_count + 1, sizeof *taken);
	size_t next = 0;
	for (size_t i = 0, j = 0; i < own->stream_count; i++) {
		while (j < other->stream_count && other->streams[j] < own->streams[i])
			j++;
		bool same = j < other->stream_count && other->streams[j] == own->streams[i];
		search->stream[i] = same ? (uint32_t)j : NO_ROW;
		if (same)
			taken[j++] = true;
	}
	for (size_t i = 0; i < own->stream_count; i++) {
		while (next < other->stream_count && taken[next])
			next++;
		if (search->stream[i] == NO_ROW && next < other->stream_count)
			search->stream[i] = (uint32_t)next++;
	}
}

struct rank_inferences_key {
	int64_t step;
	uint32_t stream, part;
};
static_assert(sizeof(struct rank_inferences_key) == 16, "a key has no padding");

/* That of the other rank; NULL: it has none. */
static const struct stream_sequence *partner_of(const struct rank_inferences_search *search,
						const struct stream_sequence *own)
{
	const struct rank_inferences_key key = { own->step, search->stream[own->stream],
						 own->part };
	uint32_t at = keyed_find(&search->by_key, &key, sizeof key);
	return at == NO_ROW ? NULL : search->partners[at];
}

/* ---- equal names ---- */

/* How much of two sequences is the same from their start, and from their end. */
struct ends {
	size_t first, last;
};

static bool same_name(const struct rank_inferences_search *search, size_t own, size_t other)
{
	uint32_t name = search->derived->profile->activity_name[search->own.activities[own]];
	return search->name[search->records->items[other].kernel] == name;
}

static struct ends match_ends(const struct rank_inferences_search *search,
			      const struct stream_sequence *own,
			      const struct stream_sequence *other)
{
	size_t least = own->count < other->count ? own->count : other->count;
	size_t end = own->first + own->count, other_end = other->first + other->count;
	struct ends ends = { 0, 0 };
	while (ends.first < least &&
	       same_name(search, own->first + ends.first, other->first + ends.first))
		ends.first++;
	while (ends.last < least &&
	       same_name(search, end - ends.last - 1, other_end - ends.last - 1))
		ends.last++;
	return ends;
}

/* Sequences of one length match wherever they have one name; others at their ends. */
static uint64_t count_matched(const struct rank_inferences_search *search,
			      const struct stream_sequence *own,
			      const struct stream_sequence *other)
{
	struct ends ends = match_ends(search, own, other);
	size_t least = own->count < other->count ? own->count : other->count, same = 0;
	if (own->count != other->count)
		return ends.first + ends.last < least ? ends.first + ends.last : least;
	for (size_t i = 0; i < own->count; i++)
		same += same_name(search, own->first + i, other->first + i);
	return same;
}

/* ---- steps ---- */

static struct step_match *find_step(const struct rank_inferences_search *search, int64_t number)
{
	uint32_t at = keyed_find(&search->by_step, &number, sizeof number);
	return at == NO_ROW ? NULL : &search->steps[at];
}

static bool is_alike(const struct step_match *step)
{
	uint64_t most = step->own > step->other ? step->own : step->other;
	return step->matched * PARTS >= most * ALIKE;
}

static bool compare_steps(struct rank_inferences_search *search, const struct progress *progress)
{
	struct inference_source *source = &search->inferring->inferences->sources[search->source];
	for (size_t i = 0; i < search->own_count; i++) {
		const struct stream_sequence *own = &search->own_items[i];
		const struct stream_sequence *other = partner_of(search, own);
		struct step_match *step = keyed_item(&search->by_step, search->steps, &own->step);
		if (!progress_row(progress, stage, own->first, search->own.work))
			return false;
		step->number = own->step;
		step->own += own->count;
		step->matched += other ? count_matched(search, own, other) : 0;
	}
	for (size_t i = 0; i < search->other_count; i++) {
		struct step_match *step = find_step(search, search->other_items[i].step);
		if (step)
			step->other += search->other_items[i].count;
	}
	for (size_t i = 0; i < search->by_step.count; i++) {
		if (search->steps[i].number == NO_VALUE && !source->whole)
			continue;
		source->steps++;
		source->alike += is_alike(&search->steps[i]);
	}
	return true;
}

/* ---- inferring ---- */

/* Does the profile record a level above operators around the launch? */
static bool has_layer(const struct derived *derived, uint32_t activity)
{
	const struct profile *profile = derived->profile;
	return row_upwards(at, profile->activity_launch[activity], profile->span_parent,
			   profile->span_kind[at] == SPAN_ANNOTATION &&
				   !(derived->role[profile->span_name[at]] & NAME_STEP)) != NO_ROW;
}

/* Leave out what the profile records itself; all of it if the operator is another one. */
static void leave_recorded(const struct rank_inferences_search *search, uint32_t activity,
			   struct inference *inference)
{
	const struct derived *derived = search->derived;
	uint32_t owner = derived->activity_operator[activity];
	unsigned lacks = search->inferring->lacks;
	bool differs = owner != NO_ROW && inference->operator_name &&
		       inference->operator_name != derived->profile->span_name[owner];
	if (differs || derived_layer_source(derived, activity) != activity) {
		*inference = (struct inference){ .place = NO_ROW };
		return;
	}
	if (owner != NO_ROW || !(lacks & KNOWN_OPERATORS))
		inference->operator_name = 0;
	if (!(lacks & KNOWN_SHAPES))
		inference->shapes = inference->types = 0;
	if (!(lacks & KNOWN_LINES))
		inference->line = 0;
	if (!(lacks & KNOWN_LAYERS) || has_layer(derived, activity))
		inference->place = NO_ROW;
	inference->has_pass &= owner == NO_ROW;
}

/* From the start and from the end, as far as each reaches; where both do they have to agree. */
static void infer_sequence(const struct rank_inferences_search *search,
			   const struct stream_sequence *own, const struct stream_sequence *other)
{
	struct inferring *inferring = search->inferring;
	struct ends ends = match_ends(search, own, other);
	for (size_t i = 0; i < own->count; i++) {
		uint32_t activity = search->own.activities[own->first + i];
		size_t left = own->count - i;
		bool equal = own->count == other->count &&
			     same_name(search, own->first + i, other->first + i);
		bool by_start = i < ends.first || equal, by_end = left <= ends.last && !equal;
		struct inference inference, from_end;
		if (by_start)
			inference = inferring_from(inferring, search->source, other->first + i);
		if (by_end)
			from_end = inferring_from(inferring, search->source,
						  other->first + other->count - left);
		if (by_start && by_end)
			inferring_agree(&inference, &from_end);
		if (!by_start && !by_end)
			continue;
		if (!by_start)
			inference = from_end;
		leave_recorded(search, activity, &inference);
		inferring_set(inferring, activity, &inference);
	}
}

static bool infer_steps(const struct rank_inferences_search *search,
			const struct progress *progress)
{
	for_each (own, search->own_items, search->own_count) {
		const struct stream_sequence *other = partner_of(search, own);
		if (!progress_row(progress, stage, own->first, search->own.work))
			return false;
		if (other && is_alike(find_step(search, own->step)))
			infer_sequence(search, own, other);
	}
	return true;
}

static uint32_t *find_names(const struct rank_inferences_search *search)
{
	const struct intern *from = search->records->strings;
	uint32_t count = intern_count(from);
	uint32_t *names = mem_alloc((count + 1) * sizeof *names);
	for (uint32_t i = 0; i < count; i++)
		names[i] = intern_find(search->derived->profile->strings, INTERNED(from, i));
	return names;
}

static bool infer_from_rank(struct rank_inferences_search *search, const struct progress *progress)
{
	const struct derived *derived = search->derived;
	const struct launch_records *records = search->records;
	struct stream_sequences own = { 0 }, other = { 0 };
	if (!stream_sequences_find(&search->own, derived, progress))
		return false;
	bool whole = !derived->steps_from_profile || records->step_source != derived->step_source;
	if (whole) {
		stream_sequences_join(&own, &search->own);
		stream_sequences_join(&other, &records->sequences);
	}
	search->inferring->inferences->sources[search->source].whole = whole;
	search->own_items = whole ? own.items : search->own.items;
	search->own_count = whole ? own.count : search->own.count;
	search->other_items = whole ? other.items : records->sequences.items;
	search->other_count = whole ? other.count : records->sequences.count;
	search->name = find_names(search);
	search->stream = mem_alloc((search->own.stream_count + 1) * sizeof *search->stream);
	pair_streams(search);
	for_each (item, search->other_items, search->other_count) {
		const struct rank_inferences_key key = { item->step, item->stream, item->part };
		const struct stream_sequence **first =
			keyed_item(&search->by_key, search->partners, &key);
		*first = *first ? *first : item;
	}
	bool ok = compare_steps(search, progress) && infer_steps(search, progress);
	stream_sequences_free(&own);
	stream_sequences_free(&other);
	return ok;
}

bool rank_infer(struct inferring *inferring, uint32_t source, const struct progress *progress)
{
	struct rank_inferences_search search = { .inferring = inferring,
						 .derived = inferring->derived,
						 .records = inferring->records[source],
						 .source = source };
	bool ok = infer_from_rank(&search, progress);
	stream_sequences_free(&search.own);
	keyed_clear(&search.by_key);
	keyed_clear(&search.by_step);
	mem_free_all(search.name, search.stream, search.steps, search.partners);
	return ok;
}
