#include "analysis/matched.h"

#include "base/compare.h"
#include "base/binary_search.h"
#include "base/sort.h"
#include "model/profile.h"

#include <math.h>
#include <stdlib.h>

static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */
static const double ERROR_OF_MEDIAN = 1.2533;     /* of a median, in errors of a mean */
static const double FEW_CALLS_FACTOR = 3;         /* a deviation of few calls is unreliable */
static const double COVERAGE_MIN = 0.8;
static const double CHANGE_MIN = 0.10, CHANGE_MIN_LIKELY = 0.05;
static const double ERROR_OF_ONLY = 0.15; /* of the time of calls without counterpart */
static const double ERRORS_OF_FEW =
	10;                           /* standard errors that make a change of few calls certain */
static const int64_t TICK_MAX = 1000; /* ns: the coarsest clock of a trace */

/* ---- weighted medians ---- */

struct weighted {
	double value, weight;
};

static int by_value(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;
	return COMPARE(x->value, y->value);
}

/* Sorts ITEMS. */
static double weighted_median(struct weighted *items, size_t count)
{
	double total = 0, sum = 0;
	if (count)
		qsort(items, count, sizeof *items, by_value);
	for (size_t i = 0; i < count; i++)
		total += items[i].weight;
	for (size_t i = 0; i < count; i++) {
		sum += items[i].weight;
		if (sum == total / 2 && i + 1 < count)
			return (items[i].value + items[i + 1].value) / 2;
		if (sum > total / 2)
			return items[i].value;
	}
	return 0;
}

/* ITEMS become distances from CENTER. */
static double deviation(struct weighted *items, size_t count, double center)
{
	for (size_t i = 0; i < count; i++)
		items[i].value = fabs(items[i].value - center);
	return DEVIATION_OF_MEDIAN * weighted_median(items, count);
}

static double standard_deviation(const struct weighted *items, size_t count, double center)
{
	double total = 0, squares = 0;
	for (size_t i = 0; i < count; i++) {
		double distance = items[i].value - center;
		total += items[i].weight;
		squares += items[i].weight * distance * distance;
	}
	return total > 0 && count > 1 ? sqrt(squares / total * (double)count / (double)(count - 1))
				      : 0;
}

enum {
	CALLS_FEW = 3,  /* with fewer, a change must be clearer */
	CALLS_MANY = 8, /* from here on, the calls' agreement counts more than other rows */
};

/* The spread of ITEMS around CENTER; the median deviation of few calls may be small by chance. */
static double spread_around(struct weighted *items, size_t count, double center)
{
	double all = count < CALLS_MANY ? standard_deviation(items, count, center) : 0;
	return fmax(all, deviation(items, count, center));
}

/* ---- matching ---- */

struct matched_call {
	uint32_t pair, step;
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
	return COMPARE(x->pair, y->pair) ?: COMPARE(x->place, y->place) ?: COMPARE(x->step, y->step);
}

static int by_place(const void *a, const void *b)
{
	const struct matched_call *x = a, *y = b;
	return matched_compare_places(x, y) ?: COMPARE(x->sample, y->sample);
}

/* PAIR_OF: by row. False when cancelled. */
static bool list_calls(struct matched_calls *calls, const struct samples *samples,
		       const uint32_t *pair_of, bool by_step, const struct progress *progress)
{
	calls->items = mem_alloc(samples->count * sizeof *calls->items);
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];
		if (!progress_row(progress, "comparing", i, samples->count))
			return false;
		if (by_step && sample->step == NO_ROW)
			continue;
		calls->items[calls->count++] =
			(struct matched_call){ pair_of[sample->row], by_step ? sample->step : 0,
					       sample->place, (uint32_t)i, sample->ns };
	}
	return sort_runs(calls->items, calls->count, sizeof *calls->items, by_place, progress);
}

static size_t end_of_place(const struct matched_calls *calls, size_t at)
{
	size_t end = at;
	while (end < calls->count &&
	       matched_compare_places(&calls->items[at], &calls->items[end]) == 0)
		end++;
	return end;
}

/* The clock's tick, of which all times are multiples; at most TICK_MAX. */
static double tick_of(const struct matched_calls *calls)
{
	int64_t tick = 0;
	for (size_t i = 0; i < calls->count && tick != 1; i++)
		for (int64_t rest = calls->items[i].ns; rest;) {
			int64_t other = tick % rest;
			tick = rest;
			rest = other;
		}
	tick = llabs(tick);
	return (double)(tick < 1 ? 1 : tick < TICK_MAX ? tick : TICK_MAX);
}

/* Ratios of the current pair's calls. */
struct ratios {
	struct weighted *items;
	size_t count, capacity;
	double tick, rounding;
};

static void add_ratio(struct ratios *ratios, struct matched *matched, int64_t base, int64_t new)
{
	double before = (double)base, after = (double)new;
	matched->calls++;
	matched->base += before;
	matched->new += after;
	if (base + new <= 0)
		return;
	*mem_push(ratios->items, ratios->count, ratios->capacity) = (struct weighted){
		log(fmax(after, 0) + ratios->tick) - log(fmax(before, 0) + ratios->tick),
		2 * fmin(before, after) + ratios->tick, /* an outlier counts like the others */
	};
}

/* The smaller change, if median and sum agree on its direction. */
static double agreed(double median, double sum)
{
	if ((median > 0) != (sum > 0))
		return 0;
	return fabs(median) < fabs(sum) ? median : sum;
}

static void close_pair(struct ratios *ratios, struct matched *matched)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < ratios->count; i++) {
		sum += ratios->items[i].weight;
		squares += ratios->items[i].weight * ratios->items[i].weight;
	}
	if (sum > 0) {
		double center = weighted_median(ratios->items, ratios->count);
		double spread = spread_around(ratios->items, ratios->count, center);
		double few = 1 + FEW_CALLS_FACTOR / (double)ratios->count;
		double error = few * ERROR_OF_MEDIAN * spread * sqrt(squares) / sum;
		double before = fmax(matched->base, ratios->tick);
		double after = fmax(matched->new, ratios->tick);
		double time = fmin(before, after);
		matched->more = agreed(2 * sqrt(before * after) * sinh(center / 2),
				       matched->new - matched->base);
		matched->variance = error * error * time * time +
				    ratios->rounding * ratios->tick * ratios->tick * matched->calls;
	}
	ratios->count = 0;
}

/* False when cancelled. */
static bool match(const struct matched_calls *base, const struct matched_calls *new,
		  struct ratios *ratios, struct matched *matched, const struct progress *progress)
{
	enum { WEIGHT = 8 }; /* cost of a place: comparing and adding its calls */
	uint32_t open = NO_ROW;
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
		bool equal = left - i == right - k && first->place != PLACE_NONE;
		if (first->pair != open && open != NO_ROW)
			close_pair(ratios, &matched[open]);
		open = first->pair;
		for (; equal && i < left; i++, k++)
			add_ratio(ratios, row, base->items[i].ns, new->items[k].ns);
		bool waits = first->place == PLACE_NONE;
		for (; i < left; i++)
			*(waits ? &row->waiting : &row->only_base) += (double)base->items[i].ns;
		for (; k < right; k++)
			*(waits ? &row->waiting : &row->only_new) += (double)new->items[k].ns;
	}
	if (open != NO_ROW)
		close_pair(ratios, &matched[open]);
	return true;
}

static void add_to_parents(struct matched *matched, const struct pair *pairs, size_t count)
{
	for (size_t i = count; i-- > 1;) {
		struct matched *above = &matched[pairs[i].parent];
		above->calls += matched[i].calls;
		above->base += matched[i].base;
		above->new += matched[i].new;
		above->more += matched[i].more;
		above->variance += matched[i].variance;
		above->only_base += matched[i].only_base;
		above->only_new += matched[i].only_new;
		above->waiting += matched[i].waiting;
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
			    const struct pair *pairs, size_t count, bool by_step,
			    const struct progress *progress)
{
	struct matched *matched = mem_zalloc(count, sizeof *matched);
	uint32_t *base_pair = pairs_of_rows(pairs, count, base->rows, false);
	uint32_t *new_pair = pairs_of_rows(pairs, count, new->rows, true);
	struct matched_calls before = { NULL, 0 }, after = { NULL, 0 };
	bool ok = list_calls(&before, base, base_pair, by_step, progress) &&
		  list_calls(&after, new, new_pair, by_step, progress);
	if (ok) {
		struct ratios ratios = { .tick = fmax(tick_of(&before), tick_of(&after)),
					 .rounding = fmax(base->rounding, new->rounding) };
		ok = match(&before, &after, &ratios, matched, progress);
		mem_free(ratios.items);
		if (ok && (base->parent || new->parent))
			add_to_parents(matched, pairs, count);
	}
	mem_free(before.items);
	mem_free(after.items);
	mem_free(base_pair);
	mem_free(new_pair);
	if (ok)
		return matched;
	mem_free(matched);
	return NULL;
}

bool matched_covers(const struct matched *matched)
{
	double both = matched->base + matched->new;
	double rest = matched->only_base + matched->only_new + matched->waiting;
	return matched->calls && both >= COVERAGE_MIN * (both + rest);
}

enum change matched_compare(const struct matched *matched, double noise)
{
	double larger = fmax(matched->base, matched->new);
	double between = noise * fmin(matched->base, matched->new);
	double error = sqrt(matched->variance + between * between);
	double certain = CHANGE_MIN * larger;
	if (matched->calls < CALLS_FEW)
		certain = fmax(certain, ERRORS_OF_FEW * error);
	return change_of(matched->more, error, CHANGE_MIN_LIKELY * larger, certain);
}

enum change matched_compare_all(const struct matched *matched, double noise)
{
	double only = matched->only_base + matched->only_new;
	struct matched all = *matched;
	all.base += matched->only_base;
	all.new += matched->only_new;
	all.more += matched->only_new - matched->only_base;
	all.variance += ERROR_OF_ONLY * only * ERROR_OF_ONLY * only;
	return matched->calls && matched->waiting <= (1 - COVERAGE_MIN) * (all.base + all.new) / 2
		       ? matched_compare(&all, noise)
		       : SAME;
}

/* ---- noise between runs ---- */

enum {
	ROWS_MIN = 8, /* rows from which a deviation is estimated */
	WINDOW = 15,  /* rows on each side of a row, by time a call */
};
/* Defaults for few rows; limit for rows whose own calls agree. */
static const double NOISE_OF_MANY_CALLS = 0.025, NOISE_OF_FEW_CALLS = 0.10, NOISE_MAX = 0.10;

/* A row without parts, by its time a call. */
struct measured {
	double per_call, ratio;
};

static int by_time(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;
	return COMPARE(x->per_call, y->per_call);
}

/* Of the faster run: what one row changed keeps it among the rows that took as long without. */
static double per_call(const struct matched *matched)
{
	return fmin(matched->base, matched->new) / matched->calls;
}

/* Logarithm of the ratio of the times, by their typical change (the inverse of close_pair). */
static double ratio_of(const struct matched *matched)
{
	return 2 * asinh(matched->more / (2 * sqrt(matched->base * matched->new)));
}

static double deviation_around(const struct measured *rows, size_t count, double time)
{
	struct weighted near[2 * WINDOW];
	size_t at = search_first(i, 0, count, rows[i].per_call >= time);
	size_t first = at > WINDOW ? at - WINDOW : 0, used = 0;
	if (count - first < 2 * WINDOW)
		first = count > 2 * WINDOW ? count - 2 * WINDOW : 0;
	for (size_t i = first; i < count && used < 2 * WINDOW; i++)
		near[used++] = (struct weighted){ rows[i].ratio, 1 };
	return deviation(near, used, weighted_median(near, used));
}

void noise_between_runs(const struct matched *matched, const struct pair *pairs, size_t count,
			double *noise)
{
	struct measured *rows = mem_alloc(count * sizeof *rows);
	bool *has_parts = mem_zalloc(count, sizeof *has_parts);
	size_t used = 0;
	for (size_t i = 1; i < count; i++)
		has_parts[pairs[i].parent] = true;
	for (size_t i = 1; i < count; i++) {
		const struct matched *row = &matched[i];
		if (!has_parts[i] && pairs[i].base != NO_ROW && pairs[i].new != NO_ROW &&
		    row->calls && row->base > 0 && row->new > 0)
			rows[used++] = (struct measured){ per_call(row), ratio_of(row) };
	}
	if (used)
		qsort(rows, used, sizeof *rows, by_time);
	for (size_t i = 0; i < count; i++) {
		const struct matched *row = &matched[i];
		double assumed = row->calls < CALLS_FEW ? NOISE_OF_FEW_CALLS : NOISE_OF_MANY_CALLS;
		if (!row->calls)
			noise[i] = 0;
		else if (used < ROWS_MIN)
			noise[i] = assumed;
		else
			noise[i] = deviation_around(rows, used, per_call(row));
		if (row->calls >= CALLS_MANY && noise[i] > NOISE_MAX)
			noise[i] = NOISE_MAX;
	}
	mem_free(has_parts);
	mem_free(rows);
}
