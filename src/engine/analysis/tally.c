#include "analysis/tally.h"

#include "analysis/rank_summary.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "facts/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- buckets ---- */

enum { SUB_BITS = 6, SUB = 1 << SUB_BITS, BUCKETS = (64 - SUB_BITS) * SUB };

/* Exact below 2 * SUB; from there each power of two is split into SUB buckets. */
uint32_t tally_bucket_of(int64_t ns)
{
	uint64_t value = (uint64_t)ns;
	unsigned shift = 0;
	if (value >= SUB)
		shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
	return (uint32_t)(shift * SUB + (value >> shift));
}

static int64_t bucket_middle(uint32_t index)
{
	if (index < 2 * SUB)
		return index;
	unsigned shift = index / SUB - 1;
	int64_t from = (int64_t)(index % SUB + SUB) << shift;
	return from + ((int64_t)1 << shift) / 2;
}

static void add_to_bucket(struct tally *tally, uint32_t index, uint64_t count)
{
	size_t low = 0, high = tally->bucket_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (tally->buckets[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == tally->bucket_count || tally->buckets[low].index != index) {
		mem_grow(tally->buckets, tally->bucket_cap, tally->bucket_count + 1);
		memmove(&tally->buckets[low + 1], &tally->buckets[low],
			(tally->bucket_count - low) * sizeof *tally->buckets);
		tally->buckets[low] = (struct tally_bucket){ index, 0 };
		tally->bucket_count++;
	}
	tally->buckets[low].count += count;
}

int64_t tally_percentile(const struct tally *tally, double percent)
{
	uint64_t wanted = (uint64_t)ceil(percent / 100 * (double)tally->count), before = 0;
	if (percent <= 0 || !tally->bucket_count)
		return tally->min;
	for (size_t i = 0; i < tally->bucket_count && percent < 100; i++) {
		before += tally->buckets[i].count;
		if (before < wanted)
			continue;
		int64_t middle = bucket_middle(tally->buckets[i].index);
		return middle < tally->min ? tally->min : middle > tally->max ? tally->max : middle;
	}
	return tally->max;
}

/* ---- kinds ---- */

static const char *const kind_names[TALLY_KINDS] = {
	[TALLY_KERNELS] = "kernels", [TALLY_OPERATORS] = "operators",     [TALLY_LAYERS] = "layers",
	[TALLY_STEPS] = "steps",     [TALLY_COLLECTIVES] = "collectives",
};

enum tally_kind tally_kind_named(const char *name)
{
	for (int i = 0; i < TALLY_KINDS; i++)
		if (strcmp(kind_names[i], name) == 0)
			return (enum tally_kind)i;
	return TALLY_KERNELS;
}

const char *tally_kind_name(enum tally_kind kind)
{
	return kind_names[kind];
}

/* ---- counting ---- */

void tallies_init(struct tallies *tallies)
{
	*tallies = (struct tallies){ .strings = intern_new() };
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		tallies->list[kind].by_name = hash_new(16);
}

void tallies_clear(struct tallies *tallies)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		struct tally_list *list = &tallies->list[kind];
		for (size_t i = 0; i < list->count; i++)
			mem_free(list->items[i].buckets);
		mem_free(list->items);
		hash_free(list->by_name);
	}
	intern_free(tallies->strings);
	*tallies = (struct tallies){ 0 };
}

static struct tally *tally_named(struct tallies *tallies, enum tally_kind kind, const char *text,
				 size_t length)
{
	struct tally_list *list = &tallies->list[kind];
	uint32_t name = intern_add(tallies->strings, text, length);
	uint32_t at = hash_last(list->by_name, name);
	if (at != NO_ROW)
		return &list->items[at];
	hash_add(list->by_name, name, (uint32_t)list->count);
	mem_grow(list->items, list->capacity, list->count + 1);
	struct tally *tally = &list->items[list->count++];
	*tally = (struct tally){ .name = name, .ranks = 1, .min = INT64_MAX };
	return tally;
}

static void add_sum(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

size_t tallies_count(struct tallies *tallies, enum tally_kind kind, const char *name, size_t length,
		     int64_t ns)
{
	struct tally *tally = tally_named(tallies, kind, name, length);
	ns = ns < 0 ? 0 : ns;
	tally->count++;
	add_sum(&tally->sum, ns);
	tally->min = ns < tally->min ? ns : tally->min;
	tally->max = ns > tally->max ? ns : tally->max;
	add_to_bucket(tally, tally_bucket_of(ns), 1);
	return (size_t)(tally - tallies->list[kind].items);
}

static void add_tally(struct tally *to, const struct tally *from)
{
	to->count += from->count;
	add_sum(&to->sum, from->sum);
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	for (size_t i = 0; i < from->bucket_count; i++)
		add_to_bucket(to, from->buckets[i].index, from->buckets[i].count);
}

void tallies_add(struct tallies *tallies, const struct tallies *more)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		for (size_t i = 0; i < more->list[kind].count; i++) {
			const struct tally *from = &more->list[kind].items[i];
			size_t before = tallies->list[kind].count;
			struct tally *to = tally_named(tallies, (enum tally_kind)kind,
						       intern_text(more->strings, from->name),
						       intern_length(more->strings, from->name));
			bool is_new = tallies->list[kind].count > before;
			to->ranks = is_new ? from->ranks : to->ranks + from->ranks;
			add_tally(to, from);
		}
}

/* ---- of a rank ---- */

static const char stage[] = "counting durations";

static void count_string(struct tallies *tallies, enum tally_kind kind,
			 const struct intern *strings, uint32_t name, int64_t ns)
{
	tallies_count(tallies, kind, intern_text(strings, name), intern_length(strings, name), ns);
}

static bool count_operators(struct tallies *tallies, const struct facts *facts,
			    const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_heavy_row(progress, stage, i, profile->spans, 8))
			return false;
		if (facts->span_flags[i] & SPAN_IS_OPERATOR &&
		    !(facts->span_flags[i] & SPAN_FOLDED))
			count_string(tallies, TALLY_OPERATORS, profile->strings,
				     profile->span_name[i], profile->span_dur[i]);
	}
	return true;
}

/* Paths are built once a layer. */
static bool count_activities(struct tallies *tallies, const struct facts *facts,
			     const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	struct buffer path = { 0 };
	bool on = true;
	for (uint32_t i = 0; i < profile->activities && on; i++) {
		on = progress_heavy_row(progress, stage, i, profile->activities, 16);
		int64_t ns = profile->activity_dur[i];
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			count_string(tallies, TALLY_KERNELS, profile->strings,
				     profile->activity_name[i], ns);
		if (!profile_is_work(profile, i))
			continue;
		uint32_t node = facts->layers.activity_node[facts_layer_source(facts, i)];
		buffer_clear(&path);
		layer_path(facts, layer_enclosing(facts, node), &path);
		if (path.length)
			tallies_count(tallies, TALLY_LAYERS, path.data, path.length, ns);
	}
	buffer_free(&path);
	return on;
}

bool tallies_collect(struct tallies *tallies, const struct facts *facts,
		     const struct rank_summary *summary, const struct progress *progress)
{
	static const char step[] = "step";
	for (uint32_t i = 0; i < facts->step_count && facts->steps_from_profile; i++)
		if (!facts->steps[i].partial)
			tallies_count(tallies, TALLY_STEPS, step, sizeof step - 1,
				      facts->steps[i].end - facts->steps[i].start);
	for (size_t i = 0; i < summary->collective_count; i++) {
		const struct collective *collective = &summary->collectives[i];
		count_string(tallies, TALLY_COLLECTIVES, summary->strings, collective->name,
			     collective->end - collective->start);
	}
	return count_operators(tallies, facts, progress) &&
	       count_activities(tallies, facts, progress);
}

/* ---- order and packing ---- */

struct ordered {
	const struct intern *strings;
	const struct tally *tally;
};

/* Largest sums first; their names decide between equal ones. */
static int compare_sums(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	if (x->tally->sum != y->tally->sum)
		return x->tally->sum > y->tally->sum ? -1 : 1;
	return strcmp(intern_text(x->strings, x->tally->name),
		      intern_text(y->strings, y->tally->name));
}

const struct tally **tallies_order(const struct tallies *tallies, enum tally_kind kind)
{
	const struct tally_list *list = &tallies->list[kind];
	struct ordered *order = mem_alloc((list->count + 1) * sizeof *order);
	const struct tally **sorted = mem_alloc((list->count + 1) * sizeof *sorted);
	for (size_t i = 0; i < list->count; i++)
		order[i] = (struct ordered){ tallies->strings, &list->items[i] };
	qsort(order, list->count, sizeof *order, compare_sums);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = order[i].tally;
	mem_free(order);
	return sorted;
}

static void pack_tally(const struct tally *tally, struct buffer *out)
{
	uint32_t before = 0;
	packed_add(out, tally->count);
	packed_add(out, (uint64_t)tally->sum);
	packed_add(out, (uint64_t)tally->min);
	packed_add(out, (uint64_t)(tally->max - tally->min));
	packed_add(out, tally->bucket_count);
	for (size_t i = 0; i < tally->bucket_count; i++) {
		packed_add(out, tally->buckets[i].index - before);
		packed_add(out, tally->buckets[i].count);
		before = tally->buckets[i].index;
	}
}

static void pack_list(const struct tallies *tallies, enum tally_kind kind, struct intern *texts,
		      struct buffer *out)
{
	size_t count = tallies->list[kind].count;
	size_t named = count <= TALLY_NAMES_MAX ? count : TALLY_NAMES_MAX;
	const struct tally **order = tallies_order(tallies, kind);
	struct tally others = { .min = INT64_MAX };
	for (size_t i = named; i < count; i++)
		add_tally(&others, order[i]);
	packed_add(out, named + (count > named));
	for (size_t i = 0; i < named; i++) {
		packed_add_text(out, texts, intern_text(tallies->strings, order[i]->name),
				intern_length(tallies->strings, order[i]->name));
		pack_tally(order[i], out);
	}
	if (count > named) {
		packed_add_text(out, texts, TALLY_OTHERS, strlen(TALLY_OTHERS));
		pack_tally(&others, out);
	}
	mem_free(others.buckets);
	mem_free(order);
}

void tallies_pack(const struct tallies *tallies, struct intern *texts, struct buffer *out)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		pack_list(tallies, (enum tally_kind)kind, texts, out);
}

static bool unpack_tally(struct tally *tally, struct packed *packed)
{
	uint32_t index = 0;
	uint64_t counted = 0;
	tally->count = packed_take(packed);
	uint64_t sum = packed_take(packed), min = packed_take(packed), more = packed_take(packed);
	size_t buckets = packed_take_count(packed, 2);
	if (packed->bad || sum > INT64_MAX || min > INT64_MAX || more > INT64_MAX - min)
		return false;
	tally->sum = (int64_t)sum;
	tally->min = (int64_t)min;
	tally->max = (int64_t)(min + more);
	for (size_t i = 0; i < buckets && !packed->bad; i++) {
		index += packed_take_below(packed, BUCKETS - index);
		uint64_t count = packed_take(packed);
		if (__builtin_add_overflow(counted, count, &counted))
			return false;
		add_to_bucket(tally, index, count);
	}
	return !packed->bad && counted == tally->count && counted;
}

bool tallies_unpack(struct tallies *tallies, struct packed *packed,
		    const struct packed_texts *texts)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		size_t count = packed_take_count(packed, 6);
		for (size_t i = 0; i < count; i++) {
			uint32_t name = packed_take_text(packed, texts, tallies->strings);
			size_t before = tallies->list[kind].count;
			struct tally *tally = tally_named(tallies, (enum tally_kind)kind,
							  intern_text(tallies->strings, name),
							  intern_length(tallies->strings, name));
			if (tallies->list[kind].count == before || !unpack_tally(tally, packed))
				return false;
		}
	}
	return packed_ended(packed);
}
