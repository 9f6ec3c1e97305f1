/* Rules that hold for any profile, over random traces: views do not contradict each other. */
#include "trace_case.h"

#include "base/small_file.h"
#include "derived/intervals.h"
#include "random_trace.h"
#include "sql/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* STRATA_SEED=N checks that trace only. */
enum { SEEDS = 45 };

struct trial {
	uint64_t seed;
	struct run *run;
	struct buffer sql; /* tests/shell/invariants.sql */
};

#define FAIL(trial, ...)                                                                           \
	do {                                                                                       \
		print_error("STRATA_SEED=%" PRIu64 ": ", (trial)->seed);                           \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

static bool is_text(const struct table *table, size_t row, const char *column, const char *text)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_TEXT && !strcmp(value.text, text);
}

/* ---- the rules in SQL ---- */

static void check_sql(const struct trial *trial, const struct scope *scope, const char *sql)
{
	struct error error = { 0 };
	struct table *broken = sql_query(trial->run, scope, sql, NULL, &error);
	if (!broken)
		FAIL(trial, "%s", error.message);
	if (broken->rows)
		FAIL(trial, "%s: %" PRId64 " times", table_value(broken, 0, 0).text,
		     table_value(broken, 0, 1).integer);
	table_free(broken);
}

/* ---- each cell ---- */

/* Moments, which a profile may hold of before its own start, and differences. */
static bool may_be_negative(const char *column)
{
	static const char *const moments[] = { "start_ns", "api_start_ns", "alloc_ns", "free_ns",
					       "time_ns" };
	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
		if (!strcmp(column, moments[i]))
			return true;
	return !strncmp(column, "delta", 5);
}

static void check_cell(const struct trial *trial, const struct table *table, size_t row,
		       const struct column *column, struct value value)
{
	double number = value_number(value, 0);
	if (value.kind != VALUE_INT && value.kind != VALUE_REAL)
		return;
	if ((column->unit == UNIT_NS || column->unit == UNIT_COUNT) && number < 0 &&
	    !may_be_negative(column->id))
		FAIL(trial, "%s.%s of row %zu is %g", table->view->name, column->id, row, number);
	if (column->unit == UNIT_PERCENT && !(number >= 0 && number <= 100 + 1e-6))
		FAIL(trial, "%s.%s of row %zu is %g %%", table->view->name, column->id, row,
		     number);
}

/* No number out of range, and SQL has the cells of the view. */
static void check_view(const struct trial *trial, const struct view *view)
{
	struct table *table = trace_view(trial->run, view->name, NULL, NULL), *rows;
	struct error error = { 0 };
	struct scope scope;
	char sql[128];
	scope_init(&scope);
	snprintf(sql, sizeof sql, "SELECT * FROM %s", view->name);
	for (char *at = sql; *at; at++)
		*at = *at == '-' ? '_' : *at;
	rows = sql_query(trial->run, &scope, sql, NULL, &error);
	if (!rows || rows->rows != table->rows || rows->columns != table->columns)
		FAIL(trial, "%s: %s", sql, rows ? "another number of cells" : error.message);
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t i = 0; i < table->columns; i++) {
			struct value value = table_value(table, row, i);
			const struct column *column = table->column[i];
			check_cell(trial, table, row, column, value);
			if (!same_cell(value, table_value(rows, row, i)) &&
			    strcmp(view->name, "info")) /* whose memory use changes */
				FAIL(trial, "%s.%s of row %zu differs in SQL", view->name,
				     column->id, row);
		}
	}
	table_free(table);
	table_free(rows);
}

/* ---- the layer tree ---- */

/* GPU time of a node: that of its inner nodes and its own, which is that of its leaves. */
static void check_layers(const struct trial *trial)
{
	struct table *layers = trace_view(trial->run, "layers", NULL, NULL);
	for (size_t row = 0; row < layers->rows; row++) {
		uint32_t depth = table_depth(layers, row);
		int64_t inner = 0, leaves = 0, self = table_number(layers, row, "gpu_self_ns");
		for (size_t below = row + 1;
		     below < layers->rows && table_depth(layers, below) > depth; below++) {
			if (table_depth(layers, below) == depth + 1)
				*(table_number(layers, below, "leaf") ? &leaves : &inner) +=
					table_number(layers, below, "gpu_total_ns");
		}
		if (!table_number(layers, row, "leaf") &&
		    (self != leaves || self + inner != table_number(layers, row, "gpu_total_ns")))
			FAIL(trial,
			     "layers, row %zu: inner %" PRId64 ", self %" PRId64
			     ", leaves %" PRId64,
			     row, inner, self, leaves);
	}
	table_free(layers);
}

/* ---- GPU time of calls ---- */

/* By span: the work whose launch call lies in it, added up plainly. */
static int64_t *gpu_of_calls(const struct profile *profile)
{
	int64_t *gpu = mem_zalloc((size_t)profile->spans + 1, sizeof *gpu);
	for (uint32_t i = 0; i < profile->activities; i++)
		for (uint32_t at = profile->activity_launch[i];
		     at != NO_ROW && profile_is_work(profile, i); at = profile->span_parent[at])
			gpu[at] += profile->activity_dur[i];
	return gpu;
}

static void check_gpu_of_calls(const struct trial *trial)
{
	const struct profile *profile = trial->run->ranks[0].profile;
	const struct derived *derived = trial->run->ranks[0].derived;
	int64_t *gpu = gpu_of_calls(profile);
	struct table *operators = trace_view(trial->run, "operators", NULL, NULL);
	for (size_t row = 0; row < operators->rows; row++) {
		int64_t calls = 0, sum = 0, min = INT64_MAX, max = 0;
		for (uint32_t i = 0; i < profile->spans; i++) {
			if ((derived->span_flags[i] & (SPAN_IS_OPERATOR | SPAN_FOLDED)) !=
				    SPAN_IS_OPERATOR ||
			    !is_text(operators, row, "name", span_text(profile, i)))
				continue;
			calls++;
			sum += gpu[i];
			min = gpu[i] < min ? gpu[i] : min;
			max = gpu[i] > max ? gpu[i] : max;
		}
		double mean = value_number(table_cell(operators, row, "gpu_avg_ns"), 0);
		if (min != table_number(operators, row, "gpu_min_ns") ||
		    max != table_number(operators, row, "gpu_max_ns") ||
		    fabs(mean - (double)sum / (double)calls) > 1e-6 * (double)sum)
			FAIL(trial,
			     "operators, row %zu: GPU time per call is not %g, %" PRId64
			     " to %" PRId64,
			     row, (double)sum / (double)calls, min, max);
	}
	table_free(operators);
	mem_free(gpu);
}

/* ---- streams ---- */

static int64_t busy_of(const struct table *launches, const char *device, int64_t stream)
{
	struct intervals busy = { 0 };
	for (size_t row = 0; row < launches->rows; row++) {
		int64_t start = table_number(launches, row, "start_ns");
		if (!is_text(launches, row, "kind", "sync") &&
		    is_text(launches, row, "device", device) &&
		    (stream < 0 || table_number(launches, row, "stream") == stream))
			intervals_add(&busy, start, start + table_number(launches, row, "dur_ns"));
	}
	intervals_merge(&busy);
	int64_t ns = intervals_length(&busy);
	intervals_free(&busy);
	return ns;
}

/* Busy time of a stream is the union of its work; that of a device at most their sum. */
static void check_streams(const struct trial *trial)
{
	struct table *streams = trace_view(trial->run, "streams", NULL, NULL);
	struct table *launches = trace_view(trial->run, "launches", NULL, NULL);
	for (int device = 0; device < 2; device++) {
		char name[16], lane[64];
		int64_t sum = 0;
		snprintf(name, sizeof name, "GPU%d", device);
		for (size_t row = 0; row < streams->rows; row++) {
			if (!is_text(streams, row, "device", name))
				continue;
			int64_t busy = table_number(streams, row, "busy_ns"), id = -1;
			for (int64_t i = 0; i < 32 && id < 0; i++) {
				snprintf(lane, sizeof lane, "%s stream %" PRId64, name, i);
				id = is_text(streams, row, "track", lane) ? i : -1;
			}
			sum += busy;
			if (id < 0 || busy != busy_of(launches, name, id))
				FAIL(trial, "%s: busy %" PRId64, lane, busy);
		}
		if (sum < busy_of(launches, name, -1))
			FAIL(trial, "streams of %s: busy %" PRId64, name, sum);
	}
	table_free(streams);
	table_free(launches);
}

/* ---- scopes ---- */

struct totals {
	int64_t launches, kernels, operators;
};

static int64_t sum_of(const struct trial *trial, const struct scope *scope, const char *view,
		      const char *column)
{
	struct table *table = trace_view(trial->run, view, scope, NULL);
	int64_t sum = 0;
	for (size_t row = 0; row < table->rows; row++)
		if (strcmp(view, "launches") || !is_text(table, row, "kind", "sync"))
			sum += table_number(table, row, column);
	table_free(table);
	return sum;
}

static struct totals totals_of(const struct trial *trial, const char *name, const char *value)
{
	struct scope scope;
	scope_init(&scope);
	if (name)
		assert_true(scope_set(&scope, name, value, NULL));
	struct totals totals = { sum_of(trial, &scope, "launches", "dur_ns"),
				 sum_of(trial, &scope, "kernels", "total_ns"),
				 sum_of(trial, &scope, "operators", "gpu_self_ns") };
	scope_clear(&scope);
	return totals;
}

/* The parts FIRST to LAST of a scope add up to WHOLE. */
static void check_parts(const struct trial *trial, const char *scope, int64_t first, int64_t last,
			struct totals whole)
{
	struct totals sum = { 0 };
	char text[32];
	for (int64_t i = first; i <= last; i++) {
		snprintf(text, sizeof text, "%" PRId64, i);
		struct totals part = totals_of(trial, scope, text);
		sum.launches += part.launches;
		sum.kernels += part.kernels;
		sum.operators += part.operators;
	}
	if (sum.launches != whole.launches || sum.kernels != whole.kernels ||
	    sum.operators != whole.operators)
		FAIL(trial,
		     "by %s: launches %" PRId64 " of %" PRId64 ", kernels %" PRId64 " of %" PRId64
		     ", operators %" PRId64 " of %" PRId64,
		     scope, sum.launches, whole.launches, sum.kernels, whole.kernels, sum.operators,
		     whole.operators);
}

static void check_scopes(const struct trial *trial)
{
	const struct profile *profile = trial->run->ranks[0].profile;
	struct table *steps = trace_view(trial->run, "steps", NULL, NULL);
	struct totals whole = totals_of(trial, NULL, NULL);
	int64_t first = table_number(steps, 0, "step"), least = INT64_MAX, most = -1;
	int64_t last = table_number(steps, steps->rows - 1, "step");
	int32_t devices = -1;
	char range[64];
	for (size_t i = 0; i < profile->track_count; i++) {
		const struct track *track = &profile->tracks[i];
		if (!track->activities)
			continue;
		devices = track->device > devices ? track->device : devices;
		least = track->tid < least ? track->tid : least;
		most = track->tid > most ? track->tid : most;
	}
	if (profile_has_device(profile, 0) || devices < 1)
		check_parts(trial, "device", profile_has_device(profile, 0) ? 0 : devices, devices,
			    whole);
	check_parts(trial, "stream", least, most, whole);
	snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, first, last);
	check_parts(trial, "steps", first, last, totals_of(trial, "steps", range));
	table_free(steps);
}

/* Overlap of a device is of its own work. */
static void check_devices(const struct trial *trial)
{
	const struct profile *profile = trial->run->ranks[0].profile;
	for (int device = 0; device < 2; device++) {
		struct scope scope;
		if (!profile_has_device(profile, device))
			continue;
		scope_init(&scope);
		scope.devices = (struct scope_list){ { device }, 1 };
		check_sql(trial, &scope,
			  "SELECT 'overlap exceeds communication or computation', count(*) "
			  "FROM ranks WHERE overlap_ns > min(communication_ns, computation_ns) "
			  "HAVING count(*) > 0");
		scope_clear(&scope);
	}
}

/* ---- */

static void check_trace(struct trial *trial)
{
	struct buffer text = random_trace(trial->seed);
	struct scope scope;
	scope_init(&scope);
	trial->run = trace_run_bytes(text.data, text.length);
	check_sql(trial, &scope, buffer_text(&trial->sql));
	for (size_t i = 0; view_at(i); i++)
		check_view(trial, view_at(i));
	check_layers(trial);
	check_gpu_of_calls(trial);
	check_streams(trial);
	check_scopes(trial);
	check_devices(trial);
	run_free(trial->run);
	buffer_free(&text);
}

static struct buffer read_rules(void)
{
	const char *source = getenv("STRATA_DATADIR");
	char path[4096];
	struct buffer sql = { 0 };
	struct error error = { 0 };
	snprintf(path, sizeof path, "%s/tests/shell/invariants.sql", source ? source : "..");
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	if (!small_file_read(&sql, file, "query", path, &error))
		fail_msg("%s", error.message);
	fclose(file);
	return sql;
}

TEST(random_traces_keep_the_rules)
{
	struct trial trial = { .sql = read_rules() };
	const char *only = getenv("STRATA_SEED");
	for (uint64_t i = 0; i < (only ? 1 : SEEDS); i++) {
		if (!only && !test_sampled((size_t)i, 3))
			continue;
		trial.seed = only ? strtoull(only, NULL, 10) : i + 1;
		check_trace(&trial);
	}
	buffer_free(&trial.sql);
}
