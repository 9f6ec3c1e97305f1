#include "analysis/difference.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/moments.h"

#include <math.h>
#include <stdlib.h>

/* Standard errors that make a change sure, or likely; of a normal variable, 1 in 2000 and 1 in 80.
 */
static const double ERRORS_SURE = 3.5, ERRORS_LIKELY = 2.5;
static const double CHANGE_MIN = 0.01;     /* smaller ones do not matter */
static const double CHANGE_NOTABLE = 0.10; /* what "same" excludes */
static const double FREEDOM_SURE = 4;      /* of three steps a side */
static const double FREEDOM_OF_CALLS = 8;  /* likewise of calls, whose noise is less well known */
static const double FREEDOM_ASSUMED = 2;   /* neither steps nor other rows tell the noise */

/* ---- the verdict ---- */

/* The geometric mean of the times: the scale of a change in both directions. */
static double scale_of(const struct difference *evidence)
{
	return sqrt(fmax(evidence->base, 1) * fmax(evidence->new, 1));
}

/* Logarithm of the typical ratio of the times. */
static double log_ratio(const struct difference *evidence)
{
	return 2 * asinh(evidence->more / (2 * scale_of(evidence)));
}

/* What calls are expected to vary by allows for how they do (difference_learn). */
static double variance_of(const struct difference *evidence)
{
	return evidence->of_steps ? fmax(evidence->variance, evidence->expected)
				  : evidence->expected + evidence->unmatched;
}

/* Standard error of a logarithm; larger where few repeats estimate its VARIANCE (Student's t). */
static double error_of(const struct difference *evidence, double variance)
{
	double few = 1 + 1 / fmax(evidence->freedom, 1), scale = scale_of(evidence);
	return few * sqrt(variance + pow(evidence->between / scale, 2));
}

static double log_error(const struct difference *evidence)
{
	return error_of(evidence, variance_of(evidence) / pow(scale_of(evidence), 2));
}

/* With the calls that wait. */
static struct difference whole_of(const struct difference *evidence)
{
	const double freedom_of_waiting = 2;
	struct difference whole = *evidence;
	if (evidence->waiting_base + evidence->waiting_new <= 0)
		return whole;
	whole.base += evidence->waiting_base;
	whole.new += evidence->waiting_new;
	whole.more += evidence->waiting_new - evidence->waiting_base;
	whole.variance = whole.expected = variance_of(evidence) + evidence->waiting_variance;
	whole.unmatched = 0;
	whole.freedom = freedom_of_waiting;
	whole.known = evidence->known && isfinite(evidence->waiting_variance);
	return whole;
}

/*
 * ERRORS as many as make the most different of several comparisons as sure as one; far out in the
 * tail of Student's t, of which few repeats have a heavy one.
 */
static double errors_of_tries(const struct difference *evidence, double errors)
{
	double normal = errors * errors + 2 * log(evidence->tries);
	return evidence->tries > 1 ? sqrt(evidence->freedom * expm1(normal / evidence->freedom))
				   : errors;
}

static enum change judge(const struct difference *evidence)
{
	double change = log_ratio(evidence), error = log_error(evidence);
	double freedom = evidence->of_steps ? FREEDOM_SURE : FREEDOM_OF_CALLS;
	int strength = 0;
	if (!evidence->known || fabs(change) < CHANGE_MIN)
		return SAME;
	if (fabs(change) > errors_of_tries(evidence, ERRORS_LIKELY) * error)
		strength = 1;
	if (fabs(change) > errors_of_tries(evidence, ERRORS_SURE) * error &&
	    evidence->freedom >= freedom)
		strength = 2;
	return (enum change)(change < 0 ? -strength : strength);
}

/* A change of the typical call, as long as the sum of all has at least half of it. */
static enum change judge_typical(const struct difference *evidence)
{
	double typical = evidence->typical,
	       sum = typical < 0 ? -log_ratio(evidence) : log_ratio(evidence);
	double error = errors_of_tries(evidence, ERRORS_LIKELY) *
		       error_of(evidence, evidence->ratio_error);
	if (evidence->ratios < 2 || !evidence->known || sum < fmax(CHANGE_MIN, fabs(typical) / 2) ||
	    fabs(typical) < error)
		return SAME;
	return typical < 0 ? LIKELY_FASTER : LIKELY_SLOWER;
}

enum change difference_judge(const struct difference *evidence)
{
	struct difference whole = whole_of(evidence);
	enum change change = judge(&whole), rest = judge(evidence);
	double ratio = log_ratio(&whole);
	if (change == SAME && evidence->waiting_base + evidence->waiting_new <= 0)
		return judge_typical(evidence);
	if (change != SAME || rest == SAME || fabs(ratio) < CHANGE_MIN || (ratio > 0) != (rest > 0))
		return change;
	return rest > 0 ? LIKELY_SLOWER : LIKELY_FASTER;
}

const char *change_name(enum change change)
{
	static const char *const names[] = { "faster", "likely faster", "within noise",
					     "likely slower", "slower" };
	return names[change - FASTER];
}

bool difference_is_same(const struct difference *evidence)
{
	struct difference whole = whole_of(evidence);
	double most = fabs(log_ratio(&whole)) + ERRORS_LIKELY * log_error(&whole);
	return difference_judge(evidence) == SAME && most < CHANGE_NOTABLE;
}

void difference_pair_steps(struct difference *rows, const struct spread *paired, size_t count,
			   double steps)
{
	const double share_of_paired = 0.25;
	AUTO_FREE double *shares = mem_alloc(count * sizeof *shares);
	size_t varying = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].variance > 0)
			shares[varying++] = paired[i].variance / rows[i].variance;
	bool alike = varying && median_double(shares, varying) < share_of_paired;
	for (size_t i = 0; i < count && alike; i++) {
		rows[i].variance = paired[i].variance;
		rows[i].freedom = fmax(steps - 1, FREEDOM_SURE); /* other rows tell it, too */
	}
}

/* ---- what unchanged rows differ by ---- */

enum {
	ROWS_MIN = 8, /* rows from which a deviation is estimated */
	WINDOW = 15,  /* rows on each side of a row, by time a call */
	CALLS_MANY = 8,
};
/* Assumed with fewer rows. */
static const double BETWEEN_STEPS = 0.005, BETWEEN_MANY_CALLS = 0.025, BETWEEN_FEW_CALLS = 0.10;
/* Where repeats agree, rows that differ by more than this were changed. */
static const double BETWEEN_MAX = 0.15;
static const double OUTLIER = 12; /* times the median variance: of two repeats one in 50 */
static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */

/* A row without parts, or rows of one name. */
struct unchanged_row {
	uint32_t name;
	double per_call, scale;
	double repeats;  /* calls; 1 of steps */
	double ratio;    /* its logarithm */
	double variance; /* of it, for one repeat; 0: unknown */
	double freedom;  /* degrees of freedom of VARIANCE */
};

struct unchanged_rows {
	struct unchanged_row *items;
	size_t count;
};

COMPARE_MEMBERS(difference_by_time, struct unchanged_row, UP(per_call))
COMPARE_MEMBERS(difference_by_name, struct unchanged_row, UP(name) UP(per_call))

static void sort_unchanged(struct unchanged_rows *rows, int (*compare)(const void *, const void *))
{
	if (rows->count)
		qsort(rows->items, rows->count, sizeof *rows->items, compare);
}

/* Of the faster run: what one row changed keeps it among the rows that took as long without. */
static double per_call(const struct difference *row)
{
	return fmin(row->base, row->new) / fmax(row->calls, 1);
}

static double repeats(const struct difference *row)
{
	return row->of_steps ? 1 : fmax(row->calls, 1);
}

/* By name. */
static struct unchanged_rows list_rows(const struct difference *rows,
				       const struct difference_tree *tree)
{
	struct unchanged_rows list = { mem_alloc(tree->count * sizeof *list.items), 0 };
	AUTO_FREE bool *has_parts = mem_zalloc(tree->count, sizeof *has_parts);
	for (size_t i = 1; i < tree->count; i++)
		has_parts[tree->pairs[i].parent] = true;
	for (size_t i = 1; i < tree->count; i++) {
		const struct difference *row = &rows[i];
		double scale = scale_of(row), count = repeats(row);
		if (!has_parts[i] && row->known && row->waiting_base + row->waiting_new <= 0 &&
		    row->base > 0 && row->new > 0)
			list.items[list.count++] = (struct unchanged_row){
				tree->names[i], scale / fmax(row->calls, 1),
				scale,          count,
				log_ratio(row), count * row->variance / (scale * scale),
				row->freedom
			};
	}
	sort_unchanged(&list, difference_by_name);
	return list;
}

/* The rows of one name as one: means by time, with the variance of all repeats. */
static struct unchanged_row mean_of(const struct unchanged_row *rows, size_t count)
{
	struct unchanged_row mean = { .name = rows->name };
	for (size_t i = 0; i < count; i++) {
		double scale = rows[i].scale;
		mean.repeats += rows[i].repeats;
		mean.scale += scale;
		mean.per_call += scale * rows[i].per_call;
		mean.ratio += scale * rows[i].ratio;
		mean.variance += scale * scale * rows[i].variance / rows[i].repeats;
	}
	mean.per_call /= mean.scale;
	mean.ratio /= mean.scale;
	mean.variance /= mean.scale * mean.scale;
	return mean;
}

/* The first of the rows that take about TIME a call. */
static size_t first_near(const struct unchanged_rows *rows, double time)
{
	size_t at = search_first(i, 0, rows->count, rows->items[i].per_call >= time);
	size_t first = at > WINDOW ? at - WINDOW : 0;
	if (rows->count - first < 2 * WINDOW)
		first = rows->count > 2 * WINDOW ? rows->count - 2 * WINDOW : 0;
	return first;
}

static size_t end_near(const struct unchanged_rows *rows, size_t first)
{
	return rows->count - first < 2 * WINDOW ? rows->count : first + 2 * WINDOW;
}

/* Their variances or ratios. */
static size_t values_near(const struct unchanged_rows *rows, double time, bool variances,
			  double values[2 * WINDOW])
{
	size_t first = first_near(rows, time), end = end_near(rows, first), count = 0;
	for (size_t i = first; i < end; i++)
		values[count++] = variances ? rows->items[i].variance : rows->items[i].ratio;
	return count;
}

static double median_variance(const struct unchanged_rows *rows, double time)
{
	double values[2 * WINDOW];
	size_t count = values_near(rows, time, true, values);
	return median_double(values, count);
}

/* The variance of all rows near by, the more of them the more repeats they have; no outliers. */
static double pooled_variance(const struct unchanged_rows *rows, double time)
{
	double most = OUTLIER * median_variance(rows, time), sum = 0, freedom = 0;
	size_t first = first_near(rows, time), end = end_near(rows, first);
	for (size_t i = first; i < end; i++)
		if (rows->items[i].variance <= most) {
			sum += rows->items[i].freedom * rows->items[i].variance;
			freedom += rows->items[i].freedom;
		}
	return freedom > 0 ? sum / freedom : 0;
}

/* Squared robust deviation of the ratios: of those that the MAD does not call outliers. */
static double variance_near(const struct unchanged_rows *rows, double time)
{
	const double outlier = 3, kept = 0.9733; /* deviations; variance of what lies within them */
	double values[2 * WINDOW], squares = 0;
	size_t count = values_near(rows, time, false, values), within = 0;
	double center = median_double(values, count);
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - center);
	double deviation = DEVIATION_OF_MEDIAN * median_double(values, count);
	for (; within < count && values[within] <= outlier * deviation; within++)
		squares += values[within] * values[within];
	return within ? squares / (double)within / kept : 0;
}

/*
 * By time a call: rows that tell their VARIANCE; PLACES, the rows of names with several, with their
 * ratios less those of the names, for one repeat; and NAMES. Places of a name differ by chance,
 * names also by what a run does to all calls of a name.
 */
struct usual {
	struct unchanged_rows variances, places, names;
	double freedom; /* repeats of a row of its own that tell as much of its variance */
};

/* Variance of the ratio of one repeat by chance; few may vary less, by chance too. */
static double variance_of_repeat(const struct usual *usual, double time)
{
	double places = usual->places.count < ROWS_MIN ? 0 : variance_near(&usual->places, time);
	bool few = places > 0 && usual->variances.count < ROWS_MIN;
	return few ? places : fmax(places, pooled_variance(&usual->variances, time));
}

/*
 * The fewer, the more rows and places vary four times as much as is usual, beyond those that do by
 * chance: of F's distribution with 2, 4 and 10 degrees of freedom one in 5, 10 and 30.
 */
static double freedom_of(const struct usual *usual)
{
	const double most = 30, much = 3.84, by_chance = 0.05, fewer = 0.43; /* of chi squared */
	const struct unchanged_rows *rows = &usual->variances, *places = &usual->places;
	size_t count = rows->count + places->count;
	double beyond = -by_chance * (double)places->count;
	for (size_t i = 0; i < rows->count; i++) {
		double time = rows->items[i].per_call;
		beyond += rows->items[i].variance > much * pooled_variance(rows, time);
		beyond -= by_chance * pow(fewer, rows->items[i].freedom - 1);
	}
	for (size_t i = 0; i < places->count; i++) {
		double ratio = places->items[i].ratio, time = places->items[i].per_call;
		beyond += ratio * ratio > much * variance_near(places, time);
	}
	return count < ROWS_MIN ? FREEDOM_ASSUMED
				: fmin(most, 0.35 * (double)count / fmax(beyond, 1e-9));
}

/* Add the COUNT rows of one name. */
static void add_name(struct usual *usual, const struct unchanged_row *rows, size_t count)
{
	struct unchanged_row mean = mean_of(rows, count);
	double few = sqrt((double)count / fmax((double)count - 1, 1));
	for (size_t i = 0; i < count; i++)
		if (rows[i].variance > 0)
			usual->variances.items[usual->variances.count++] = rows[i];
	for (size_t i = 0; i < count && count > 1; i++) {
		struct unchanged_row *place = &usual->places.items[usual->places.count++];
		*place = rows[i];
		place->ratio = few * sqrt(place->repeats) * (place->ratio - mean.ratio);
	}
	usual->names.items[usual->names.count++] = mean;
}

/* ROWS is by name. */
static struct usual usual_of(const struct unchanged_rows *rows, bool all_changed)
{
	size_t size = rows->count * sizeof *rows->items;
	struct usual usual = {
		{ mem_alloc(size), 0 }, { mem_alloc(size), 0 }, { mem_alloc(size), 0 }, 0
	};
	for (size_t i = 0, end; i < rows->count; i = end) {
		for (end = i; end < rows->count && rows->items[end].name == rows->items[i].name;)
			end++;
		add_name(&usual, rows->items + i, end - i);
	}
	sort_unchanged(&usual.variances, difference_by_time);
	sort_unchanged(&usual.places, difference_by_time);
	if (all_changed)
		usual.places.count = usual.names.count = 0;
	usual.freedom = freedom_of(&usual);
	for_each_mutable (name, usual.names.items, usual.names.count)
		name->variance = fmax(name->variance,
				      variance_of_repeat(&usual, name->per_call) / name->repeats);
	sort_unchanged(&usual.names, difference_by_time);
	return usual;
}

static bool varies_in_many(const struct difference *row)
{
	return row->of_steps || row->calls >= CALLS_MANY;
}

static double between_of(const struct usual *usual, const struct difference *row)
{
	bool many = varies_in_many(row);
	double between = row->of_steps ? BETWEEN_STEPS
			 : many        ? BETWEEN_MANY_CALLS
				       : BETWEEN_FEW_CALLS;
	if (usual->names.count >= ROWS_MIN) {
		double time = per_call(row);
		between = sqrt(fmax(0, variance_near(&usual->names, time) -
					       median_variance(&usual->names, time)));
	}
	return between;
}

/* Of the OWN part of the row: as others vary, and as its own calls do if these are many. */
static double expected_variance(const struct usual *usual, const struct difference *row, double own)
{
	double expected = own * own * variance_of_repeat(usual, per_call(row)) / repeats(row);
	if (row->of_steps || row->freedom <= 0)
		return expected;
	return (usual->freedom * expected + row->freedom * row->variance) /
	       (usual->freedom + row->freedom);
}

/* REPEATS of the row and of what it includes, and others'; those of a HOST are not independent. */
static double freedom_of_calls(const struct usual *usual, double repeats, bool host)
{
	double freedom = usual->names.count < ROWS_MIN ? FREEDOM_ASSUMED : repeats + usual->freedom;
	return host ? fmin(freedom, FREEDOM_OF_CALLS - 1) : freedom;
}

void difference_learn(struct difference *rows, const struct difference_tree *tree)
{
	struct unchanged_rows unchanged = list_rows(rows, tree);
	struct usual usual = usual_of(&unchanged, tree->all_changed);
	AUTO_FREE double *below = mem_zalloc(tree->count, sizeof *below);
	AUTO_FREE double *repeats_below = mem_zalloc(tree->count, sizeof *repeats_below);
	AUTO_FREE double *ratios_below = mem_zalloc(tree->count, sizeof *ratios_below);
	for (size_t i = tree->count; i-- > 1;) {
		struct difference *row = &rows[i], *above = &rows[tree->pairs[i].parent];
		double scale = scale_of(row), own = fmax(0, scale - below[i]);
		double freedom = row->freedom + repeats_below[i];
		double expected = expected_variance(&usual, row, own);
		double calls = row->ratios - ratios_below[i];
		row->expected += expected;
		if (own > 0) /* each call counts the same, with the variance of one */
			row->ratio_error += calls * expected * repeats(row) / (own * own);
		if (!row->of_steps)
			row->freedom = freedom_of_calls(&usual, freedom, tree->host);
		row->between += own * between_of(&usual, row); /* a run affects all parts alike */
		if (varies_in_many(row))
			row->between = fmin(row->between, scale * BETWEEN_MAX);
		double ratio_error = row->ratio_error;
		row->ratio_error /= fmax(row->ratios * row->ratios, 1);
		if (!tree->sums_up || !tree->sums_up[i])
			continue;
		above->ratio_error += ratio_error;
		ratios_below[tree->pairs[i].parent] += row->ratios;
		above->expected += row->expected;
		above->between += row->between;
		below[tree->pairs[i].parent] += scale;
		repeats_below[tree->pairs[i].parent] += freedom;
	}
	mem_free_all(unchanged.items, usual.variances.items, usual.places.items, usual.names.items);
}
