#include "analysis/matched.h"

#include "base/compare.h"
#include "base/moments.h"
#include "base/sort.h"
#include "model/profile.h"

#include <math.h>

static const double COVERAGE_MIN = 0.8;
enum { WAITS_MIN = 8, WAITING_ROWS_MIN = 4 };     /* from which a deviation is estimated */
static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */

/* ---- matching ---- */

struct matched_call {
	uint32_t pair;
	bool waits;
	uint64_t place;
	uint32_t sample; /* order within a place */
	int64_t ns;
};

struct matched_calls {
	struct matched_call *items;
	size_t count;
};

static int matched_compare_places(const struct matched_call *x, const struct matched_call *y)
{
	return COMPARE(x->pair, y->pair)
		       ?: COMPARE(x->waits, y->waits) ?: COMPARE(x->place, y->place);
}

COMPARE_ITEMS(by_place, struct matched_call,
	      matched_compare_places(x, y) ?: COMPARE(x->sample, y->sample))

/* PAIR_OF: by row. False when cancelled. */
static bool list_calls(struct matched_calls *calls, const struct samples *samples,
		       const uint32_t *pair_of, const struct progress *progress)
{
	calls->items = mem_alloc(samples->count * sizeof *calls->items);
	bool ok = true;
	for_rows (ok, i, samples->count, progress, "comparing") {
		const struct sample *sample = &samples->items[i];
		calls->items[calls->count++] =
			(struct matched_call){ pair_of[sample->row], sample->waits, sample->place,
					       (uint32_t)i, sample->ns };
	}
	return ok &&
	       sort_runs(calls->items, calls->count, sizeof *calls->items, by_place, progress);
}

static size_t end_of_place(const struct matched_calls *calls, size_t at)
{
	size_t end = at;
	while (end < calls->count &&
	       matched_compare_places(&calls->items[at], &calls->items[end]) == 0)
		end++;
	return end;
}

/* Sums over the current pair's calls: of squared differences, and of products with times. */
struct matched_sums {
	double differences, products;
};

/* Of calls that wait: absolute logarithms of their ratios, and how far these are from the last. */
struct matched_waits {
	GROWING(double, ratios, count);
	GROWING(double, distances, distance_count);
};

static void add_call(struct matched_sums *sums, struct matched *matched, int64_t base, int64_t new)
{
	double time = (double)(base + new) / 2, more = (double)(new - base);
	matched->calls++;
	matched->base += (double)base;
	matched->new += (double)new;
	matched->squares += time * time;
	sums->differences += more * more;
	sums->products += more * time;
	if (base > 0 && new > 0) {
		matched->ratios++;
		matched->ratio_sum += log((double)new / (double)base);
	}
}

static void add_wait(struct matched_waits *waits, struct matched *matched, int64_t base,
		     int64_t new)
{
	matched->waiting_squares += pow((double)(base + new) / 2, 2);
	if (base <= 0 || new <= 0)
		return;
	double ratio = log((double)new / (double)base);
	*mem_push(waits->ratios, waits->count) = fabs(ratio);
	if (matched->waits++)
		*mem_push(waits->distances, waits->distance_count) =
			fabs(ratio - matched->wait) / sqrt(2);
	matched->wait = ratio;
	matched->wait_sum += ratio;
}

static double deviation(double *values, size_t count)
{
	return DEVIATION_OF_MEDIAN * median_double(values, count);
}

/* With few rows, calls may vary all alike. */
static struct waiting waiting_of(struct matched_waits *waits, const struct matched *matched,
				 size_t count)
{
	struct waiting waiting = { .between = INFINITY };
	AUTO_FREE double *means = mem_alloc(count * sizeof *means);
	size_t rows = 0;
	double by_chance = 0;
	for (size_t i = 0; i < count; i++)
		if (matched[i].waits > 0) {
			means[rows++] = fabs(matched[i].wait_sum / matched[i].waits);
			by_chance += 1 / matched[i].waits;
		}
	if (waits->count >= WAITS_MIN)
		waiting.between = deviation(waits->ratios, waits->count);
	if (rows < WAITING_ROWS_MIN || waits->distance_count < WAITS_MIN)
		return waiting;
	waiting.within = deviation(waits->distances, waits->distance_count);
	by_chance *= pow(waiting.within, 2) / (double)rows;
	waiting.between = sqrt(fmax(0, pow(deviation(means, rows), 2) - by_chance));
	return waiting;
}

/* The variance of a ratio estimate: calls of any length are expected to change by one ratio. */
static void close_pair(struct matched_sums *sums, struct matched *matched)
{
	double time = (matched->base + matched->new) / 2, calls = matched->calls;
	double ratio = time > 0 ? (matched->new - matched->base) / time : 0;
	double squares =
		sums->differences - 2 * ratio * sums->products + ratio * ratio * matched->squares;
	matched->freedom = fmax(calls - 1, 0);
	if (calls > 1)
		matched->variance = fmax(squares, 0) * calls / (calls - 1);
	*sums = (struct matched_sums){ 0 };
}

/* False when cancelled. */
static bool match(const struct matched_calls *base, const struct matched_calls *new,
		  struct matched *matched, struct matched_waits *waits,
		  const struct progress *progress)
{
	enum { WEIGHT = 8 }; /* cost of a place: comparing and adding its calls */
	uint32_t open = NO_ROW;
	struct matched_sums sums = { 0 };
	uint64_t places = 0;
	for (size_t i = 0, k = 0; i < base->count || k < new->count;) {
		if (!progress_heavy_row(progress, "comparing", places++, 0, WEIGHT))
			return false;
		int order = i == base->count ? 1
			    : k == new->count
				    ? -1
				    : matched_compare_places(&base->items[i], &new->items[k]);
		const struct matched_call *first = order <= 0 ? &base->items[i] : &new->items[k];
		size_t left = order <= 0 ? end_of_place(base, i) : i;
		size_t right = order >= 0 ? end_of_place(new, k) : k;
		struct matched *row = &matched[first->pair];
		bool equal = left - i == right - k;
		if (first->pair != open && open != NO_ROW)
			close_pair(&sums, &matched[open]);
		open = first->pair;
		for (; equal && !first->waits && i < left; i++, k++)
			add_call(&sums, row, base->items[i].ns, new->items[k].ns);
		for (size_t at = 0; equal && i + at < left; at++)
			add_wait(waits, row, base->items[i + at].ns, new->items[k + at].ns);
		for (; i < left; i++)
			*(first->waits ? &row->waiting_base : &row->only_base) +=
				(double)base->items[i].ns;
		for (; k < right; k++)
			*(first->waits ? &row->waiting_new : &row->only_new) +=
				(double)new->items[k].ns;
	}
	if (open != NO_ROW)
		close_pair(&sums, &matched[open]);
	return true;
}

static void add_to_parents(struct matched *matched, const struct pair *pairs, size_t count,
			   const bool *sums_up)
{
	for (size_t i = count; i-- > 1;) {
		if (!sums_up[i])
			continue;
		struct matched *above = &matched[pairs[i].parent];
		MEMBERS(above, &matched[i],
			PLUS(calls) PLUS(base) PLUS(new) PLUS(only_base) PLUS(only_new)
				PLUS(waiting_base) PLUS(waiting_new) PLUS(waiting_squares)
					PLUS(squares) PLUS(ratios) PLUS(ratio_sum));
	}
}

/* By row of a side: its pair. */
static uint32_t *pairs_of_rows(const struct pair *pairs, size_t count, uint32_t rows, bool new)
{
	uint32_t *pair_of = mem_zalloc(rows, sizeof *pair_of);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = new ? pairs[i].new : pairs[i].base;
		if (row != NO_ROW)
			pair_of[row] = i;
	}
	return pair_of;
}

struct matched *match_calls(const struct samples *base, const struct samples *new,
			    const struct pair *pairs, size_t count, const bool *sums_up,
			    struct waiting *waiting, const struct progress *progress)
{
	struct matched *matched = mem_zalloc(count, sizeof *matched);
	AUTO_FREE uint32_t *base_pair = pairs_of_rows(pairs, count, base->rows, false);
	AUTO_FREE uint32_t *new_pair = pairs_of_rows(pairs, count, new->rows, true);
	struct matched_calls before = { NULL, 0 }, after = { NULL, 0 };
	bool ok = list_calls(&before, base, base_pair, progress) &&
		  list_calls(&after, new, new_pair, progress);
	struct matched_waits waits = { 0 };
	ok = ok && match(&before, &after, matched, &waits, progress);
	*waiting = waiting_of(&waits, matched, count);
	if (ok && sums_up)
		add_to_parents(matched, pairs, count, sums_up);
	mem_free_all(waits.ratios, waits.distances, before.items, after.items);
	return mem_if(ok, matched);
}

struct spread *match_steps(const struct samples *base, const struct samples *new,
			   const struct pair *pairs, size_t count, const bool *sums_up,
			   const struct progress *progress)
{
	struct sample *items = mem_alloc((base->count + new->count) * sizeof *items), *end = items;
	AUTO_FREE uint32_t *parent = mem_no_rows(count);
	for (size_t i = 0; i < count; i++)
		if (sums_up && sums_up[i])
			parent[i] = pairs[i].parent;
	for (int side = 0; side < 2; side++) {
		const struct samples *from = side ? new : base;
		AUTO_FREE uint32_t *pair_of = pairs_of_rows(pairs, count, from->rows, side);
		for (size_t i = 0; i < from->count; i++, end++) {
			*end = from->items[i];
			end->row = pair_of[end->row];
			end->ns = side ? end->ns : -end->ns;
		}
	}
	struct samples both = { .items = items,
				.count = (size_t)(end - items),
				.rows = (uint32_t)count,
				.groups = base->groups,
				.parent = parent };
	struct spread *spreads = spread_over_steps(&both, progress);
	mem_free(items);
	return spreads;
}

bool matched_covers(const struct matched *matched)
{
	double both = matched->base + matched->new;
	double rest = matched->only_base + matched->only_new;
	return matched->calls && both >= COVERAGE_MIN * (both + rest);
}

double matched_equal_calls(const struct matched *matched)
{
	double time = (matched->base + matched->new) / 2;
	return matched->squares > 0 ? time * time / matched->squares : 1;
}
