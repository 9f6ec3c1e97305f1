#include "analysis/histogram.h"

#include "analysis/rank_summary.h"
#include "base/check.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash.h"
#include "derived/derived.h"

#include <math.h>
#include <stdlib.h>

/* ---- buckets ---- */

enum { SUB_BITS = 6, SUB = 1 << SUB_BITS, BUCKETS = (64 - SUB_BITS) * SUB };

/* Exact below 2 * SUB; from there each power of two is split into SUB buckets. */
uint32_t histogram_bucket_of(int64_t ns)
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

static void add_to_bucket(struct histogram *histogram, uint32_t index, uint64_t count)
{
	size_t at =
		search_first(i, 0, histogram->bucket_count, histogram->buckets[i].index >= index);
	if (at == histogram->bucket_count || histogram->buckets[at].index != index) {
		mem_grow(histogram->buckets, histogram->bucket_count + 1);
		memmove(&histogram->buckets[at + 1], &histogram->buckets[at],
			(histogram->bucket_count - at) * sizeof *histogram->buckets);
		histogram->buckets[at] = (struct histogram_bucket){ index, 0 };
		histogram->bucket_count++;
	}
	histogram->buckets[at].count += count;
}

int64_t histogram_percentile(const struct histogram *histogram, double percent)
{
	uint64_t wanted = (uint64_t)ceil(percent / 100 * (double)histogram->count), before = 0;
	require(percent >= 0 && percent <= 100, "percentile %g", percent);
	if (percent <= 0 || !histogram->bucket_count)
		return histogram->min;
	for (size_t i = 0; i < histogram->bucket_count && percent < 100; i++) {
		before += histogram->buckets[i].count;
		if (before < wanted)
			continue;
		int64_t middle = bucket_middle(histogram->buckets[i].index);
		return middle < histogram->min   ? histogram->min
		       : middle > histogram->max ? histogram->max
						 : middle;
	}
	return histogram->max;
}

/* ---- kinds ---- */

static const char *const kind_names[HISTOGRAM_KINDS] = { HISTOGRAM_KIND_ROWS(LISTED_NAME) };

enum histogram_kind histogram_kind_named(const char *name)
{
	for (int i = 0; i < HISTOGRAM_KINDS; i++)
		if (strcmp(kind_names[i], name) == 0)
			return (enum histogram_kind)i;
	return HISTOGRAM_KERNELS;
}

const char *histogram_kind_name(enum histogram_kind kind)
{
	return kind_names[kind];
}

/* ---- counting ---- */

void histograms_init(struct histograms *histograms)
{
	*histograms = (struct histograms){ .strings = intern_new() };
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++)
		histograms->list[kind].by_name = hash_new(16);
}

void histograms_clear(struct histograms *histograms)
{
	for_each_mutable (list, histograms->list, HISTOGRAM_KINDS) {
		for (size_t i = 0; i < list->count; i++)
			mem_free(list->items[i].buckets);
		mem_free(list->items);
		hash_free(list->by_name);
	}
	intern_free(histograms->strings);
	*histograms = (struct histograms){ 0 };
}

static struct histogram *histogram_named(struct histograms *histograms, enum histogram_kind kind,
					 const char *text, size_t length)
{
	struct histogram_list *list = &histograms->list[kind];
	uint32_t name = intern_add(histograms->strings, text, length);
	uint32_t at = hash_last(list->by_name, name);
	if (at != NO_ROW)
		return &list->items[at];
	hash_add(list->by_name, name, (uint32_t)list->count);
	struct histogram *histogram = mem_push(list->items, list->count);
	*histogram = (struct histogram){ .name = name, .ranks = 1, .min = INT64_MAX };
	return histogram;
}

static void histogram_add_sum(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

size_t histograms_count(struct histograms *histograms, enum histogram_kind kind, const char *name,
			size_t length, int64_t ns)
{
	struct histogram *histogram = histogram_named(histograms, kind, name, length);
	ns = ns < 0 ? 0 : ns;
	histogram->count++;
	histogram_add_sum(&histogram->sum, ns);
	histogram->min = ns < histogram->min ? ns : histogram->min;
	histogram->max = ns > histogram->max ? ns : histogram->max;
	add_to_bucket(histogram, histogram_bucket_of(ns), 1);
	return (size_t)(histogram - histograms->list[kind].items);
}

static void add_histogram(struct histogram *to, const struct histogram *from)
{
	to->count += from->count;
	histogram_add_sum(&to->sum, from->sum);
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	for (size_t i = 0; i < from->bucket_count; i++)
		add_to_bucket(to, from->buckets[i].index, from->buckets[i].count);
}

void histograms_add(struct histograms *histograms, const struct histograms *more)
{
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++)
		for_each (from, more->list[kind].items, more->list[kind].count) {
			size_t before = histograms->list[kind].count;
			struct histogram *to =
				histogram_named(histograms, (enum histogram_kind)kind,
						INTERNED(more->strings, from->name));
			bool is_new = histograms->list[kind].count > before;
			to->ranks = is_new ? from->ranks : to->ranks + from->ranks;
			add_histogram(to, from);
		}
}

/* ---- of a rank ---- */

static const char stage[] = "counting durations";

static void count_string(struct histograms *histograms, enum histogram_kind kind,
			 const struct intern *strings, uint32_t name, int64_t ns)
{
	histograms_count(histograms, kind, INTERNED(strings, name), ns);
}

static bool count_operators(struct histograms *histograms, const struct derived *derived,
			    const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_heavy_rows (ok, i, profile->spans, progress, stage, 8)
		if (derived->span_flags[i] & SPAN_IS_OPERATOR &&
		    !(derived->span_flags[i] & SPAN_FOLDED))
			count_string(histograms, HISTOGRAM_OPERATORS, profile->strings,
				     profile->span_name[i], profile->span_dur[i]);
	return ok;
}

/* Paths are built once a layer. */
static bool count_activities(struct histograms *histograms, const struct derived *derived,
			     const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_BUFFER struct buffer path = { 0 };
	bool ok = true;
	for_heavy_rows (ok, i, profile->activities, progress, stage, 16) {
		int64_t ns = profile->activity_dur[i];
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			count_string(histograms, HISTOGRAM_KERNELS, profile->strings,
				     profile->activity_name[i], ns);
		if (!profile_is_work(profile, i))
			continue;
		uint32_t node = derived->layers.activity_node[derived_layer_source(derived, i)];
		buffer_clear(&path);
		layer_path(derived, layer_enclosing(derived, node), &path);
		if (path.length)
			histograms_count(histograms, HISTOGRAM_LAYERS, path.data, path.length, ns);
	}
	return ok;
}

bool histograms_collect(struct histograms *histograms, const struct derived *derived,
			const struct rank_summary *summary, const struct progress *progress)
{
	static const char step[] = "step";
	for (uint32_t i = 0; i < derived->step_count && derived->steps_from_profile; i++)
		if (!derived->steps[i].partial)
			histograms_count(histograms, HISTOGRAM_STEPS, step, sizeof step - 1,
					 derived->steps[i].end - derived->steps[i].start);
	for_each (collective, summary->collectives, summary->collective_count)
		count_string(histograms, HISTOGRAM_COLLECTIVES, summary->strings, collective->name,
			     collective->end - collective->start);
	return count_operators(histograms, derived, progress) &&
	       count_activities(histograms, derived, progress);
}

/* ---- order and packing ---- */

struct ordered {
	const struct intern *strings;
	const struct histogram *histogram;
};

/* Largest sums first; their names decide between equal ones. */
COMPARE_ITEMS(compare_sums, struct ordered,
	      COMPARE(y->histogram->sum, x->histogram->sum)
		      ?: strcmp(intern_text(x->strings, x->histogram->name),
				intern_text(y->strings, y->histogram->name)))

const struct histogram **histograms_order(const struct histograms *histograms,
					  enum histogram_kind kind)
{
	const struct histogram_list *list = &histograms->list[kind];
	AUTO_FREE struct ordered *order = mem_alloc((list->count + 1) * sizeof *order);
	const struct histogram **sorted = mem_alloc((list->count + 1) * sizeof *sorted);
	for (size_t i = 0; i < list->count; i++)
		order[i] = (struct ordered){ histograms->strings, &list->items[i] };
	qsort(order, list->count, sizeof *order, compare_sums);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = order[i].histogram;
	return sorted;
}

static void pack_histogram(const struct histogram *histogram, struct buffer *out)
{
	uint32_t before = 0;
	packed_add(out, histogram->count);
	packed_add(out, (uint64_t)histogram->sum);
	packed_add(out, (uint64_t)histogram->min);
	packed_add(out, (uint64_t)(histogram->max - histogram->min));
	packed_add(out, histogram->bucket_count);
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		packed_add(out, histogram->buckets[i].index - before);
		packed_add(out, histogram->buckets[i].count);
		before = histogram->buckets[i].index;
	}
}

static void pack_list(const struct histograms *histograms, enum histogram_kind kind,
		      struct intern *texts, struct buffer *out)
{
	size_t count = histograms->list[kind].count;
	size_t named = count <= HISTOGRAM_NAMES_MAX ? count : HISTOGRAM_NAMES_MAX;
	AUTO_FREE const struct histogram **order = histograms_order(histograms, kind);
	struct histogram others = { .min = INT64_MAX };
	for (size_t i = named; i < count; i++)
		add_histogram(&others, order[i]);
	packed_add(out, named + (count > named));
	for (size_t i = 0; i < named; i++) {
		packed_add_text(out, texts, INTERNED(histograms->strings, order[i]->name));
		pack_histogram(order[i], out);
	}
	if (count > named) {
		packed_add_text(out, texts, HISTOGRAM_OTHERS, strlen(HISTOGRAM_OTHERS));
		pack_histogram(&others, out);
	}
	mem_free(others.buckets);
}

void histograms_pack(const struct histograms *histograms, struct intern *texts, struct buffer *out)
{
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++)
		pack_list(histograms, (enum histogram_kind)kind, texts, out);
}

static bool unpack_histogram(struct histogram *histogram, struct packed *packed)
{
	uint32_t index = 0;
	uint64_t counted = 0;
	histogram->count = packed_take(packed);
	uint64_t sum = packed_take(packed), min = packed_take(packed), more = packed_take(packed);
	size_t buckets = packed_take_count(packed, 2);
	if (packed->bad || sum > INT64_MAX || min > INT64_MAX || more > INT64_MAX - min)
		return false;
	histogram->sum = (int64_t)sum;
	histogram->min = (int64_t)min;
	histogram->max = (int64_t)(min + more);
	for (size_t i = 0; i < buckets && !packed->bad; i++) {
		index += packed_take_below(packed, BUCKETS - index);
		uint64_t count = packed_take(packed);
		if (__builtin_add_overflow(counted, count, &counted))
			return false;
		add_to_bucket(histogram, index, count);
	}
	return !packed->bad && counted == histogram->count && counted;
}

bool histograms_unpack(struct histograms *histograms, struct packed *packed,
		       const struct packed_texts *texts)
{
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++) {
		size_t count = packed_take_count(packed, 6);
		for (size_t i = 0; i < count; i++) {
			uint32_t name = packed_take_text(packed, texts, histograms->strings);
			size_t before = histograms->list[kind].count;
			struct histogram *histogram =
				histogram_named(histograms, (enum histogram_kind)kind,
						INTERNED(histograms->strings, name));
			if (histograms->list[kind].count == before ||
			    !unpack_histogram(histogram, packed))
				return false;
		}
	}
	return packed_ended(packed);
}
