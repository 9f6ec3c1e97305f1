/*
 * What if on real traces: a replay without an edit is the recording, less work is never slower, and
 * a step with the times of another takes as long as that one.
 *
 * Of every eighth trace; with STRATA_WHATIF_ALL in the environment, of all. Prints the errors.
 */
#include "trace_case.h"
#include "file_case.h"

#include "analysis/whatif/whatif.h"
#include "analysis/whatif/whatif_weights.h"
#include "base/compare.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PATH_LENGTH_MAX = 4096, DEPTH_MAX = 6, ERRORS_MAX = 4096, EVERY = 8, STEPS_MAX = 5 };

/* Errors in percent. */
struct errors {
	double item[ERRORS_MAX];
	size_t count;
};

static struct errors identity, transplanted;
static size_t files, predicted, refused;
static bool all; /* of the files, instead of every eighth */

static void add_error(struct errors *errors, int64_t time, int64_t wanted)
{
	if (errors->count < ERRORS_MAX && wanted > 0)
		errors->item[errors->count++] = 100 * (double)llabs(time - wanted) / (double)wanted;
}

static int compare_reals(const void *a, const void *b)
{
	return COMPARE(*(const double *)a, *(const double *)b);
}

/* The error that a part of them has at most. */
static double error_of(struct errors *errors, double part)
{
	qsort(errors->item, errors->count, sizeof *errors->item, compare_reals);
	return errors->count ? errors->item[(size_t)(part * (double)(errors->count - 1))] : 0;
}

static int64_t replayed_length(const struct whatif_graph *graph,
			       const struct whatif_weights *weights, enum whatif_mode mode)
{
	struct whatif_times times;
	assert_true(whatif_replay(graph, weights, mode, false, NULL, &times, NULL));
	return times.end - times.start;
}

/* ---- less work ---- */

/* Each point at its recorded time, whatever its sources. */
static void check_strict(const struct whatif_graph *graph, const char *path)
{
	size_t bytes = ((size_t)graph->count + 1) * sizeof(int64_t);
	struct whatif_moves moves = { mem_alloc(bytes), mem_alloc(bytes) };
	struct whatif_times times;
	assert_true(whatif_replay(graph, NULL, REPLAY_STRICT, false, &moves, &times, NULL));
	for (uint32_t i = 0; i < graph->count; i++) {
		int kind = graph->kind[i] & POINT_KIND;
		if (moves.begin[i] != whatif_time(graph, i) && kind != POINT_STEP &&
		    kind != POINT_STEP_END)
			fail_msg("%s: point %u is %lld ns off", path, i,
				 (long long)(moves.begin[i] - whatif_time(graph, i)));
	}
	mem_free_all(moves.begin, moves.end);
}

/* Random works and host times, each less than before: never slower, and by no more than all. */
static void check_monotone(const struct whatif_graph *graph, const char *path)
{
	struct whatif_weights weights = {
		.own = mem_alloc(((size_t)graph->count + 1) * sizeof *weights.own),
		.gap = mem_alloc(((size_t)graph->count + 1) * sizeof *weights.gap)
	};
	unsigned seed = 1;
	int64_t last[REPLAY_MODES];
	for (uint32_t i = 0; i < graph->count; i++)
		weights.own[i] = weights.gap[i] = whatif_pack(1);
	for (int mode = 0; mode < REPLAY_MODES; mode++)
		last[mode] = replayed_length(graph, NULL, (enum whatif_mode)mode);
	for (int round = 0; round < 3; round++) {
		double less = 0;
		for (uint32_t i = 0; i < graph->count; i++) {
			bool work = (graph->kind[i] & POINT_KIND) == POINT_WORK;
			seed = seed * 1103515245 + 12345;
			if (seed >> 16 & 3)
				continue;
			float factor = (float)(seed >> 18 & 7) / 8;
			if (work)
				less += whatif_unpack(weights.own[i]) * (double)(1 - factor) *
					(double)graph->profile->activity_dur[graph->row[i]];
			weights.own[i] =
				whatif_pack(whatif_unpack(weights.own[i]) * (double)factor);
			if (!work)
				weights.gap[i] =
					whatif_pack(whatif_unpack(weights.gap[i]) * (double)factor);
		}
		/* batches that stay where they are may end a window that begins earlier */
		for (int mode = graph->batch_count ? REPLAY_BATCH_LATENCY : 0; mode < REPLAY_MODES;
		     mode++) {
			int64_t now = replayed_length(graph, &weights, (enum whatif_mode)mode);
			if (now > last[mode] + graph->count) /* each factor rounds by a ns */
				fail_msg("%s: less work takes %lld ns more in replay %d", path,
					 (long long)(now - last[mode]), mode);
			last[mode] = now;
		}
	}
	whatif_weights_clear(&weights);
}

/* ---- transplants ---- */

/* The points of a step on one track. */
struct step_points {
	uint32_t *point;
	size_t count;
};

static void add_step_point(struct step_points *points, uint32_t point)
{
	*mem_push(points->point, points->count) = point;
}

/* By track, those of work of the step, and those of threads from its mark to the next one. */
static struct step_points *points_of_step(const struct whatif_graph *graph, uint32_t step)
{
	const struct derived *derived = graph->derived;
	const struct step *marks = derived->steps;
	struct step_points *found = mem_zalloc(graph->profile->track_count + 1, sizeof *found);
	for (uint32_t i = 0; i < graph->count; i++) {
		int64_t time = whatif_time(graph, i);
		bool work = (graph->kind[i] & POINT_KIND) == POINT_WORK;
		if (work ? derived->activity_step[graph->row[i]] == step
			 : time >= marks[step].host_start && time < marks[step + 1].host_start)
			add_step_point(&found[graph->track[i]], i);
	}
	return found;
}

static void free_points(struct step_points *points, const struct whatif_graph *graph)
{
	for (uint32_t i = 0; i < graph->profile->track_count; i++)
		mem_free(points[i].point);
	mem_free(points);
}

/* The name and kind of two points are the same. */
static bool alike(const struct whatif_graph *graph, uint32_t a, uint32_t b)
{
	const struct profile *profile = graph->profile;
	int kind = graph->kind[a] & POINT_KIND;
	uint32_t x = graph->row[a], y = graph->row[b];
	if (kind != (graph->kind[b] & POINT_KIND))
		return false;
	return kind >= POINT_STEP ||
	       (kind == POINT_WORK ? profile->activity_name[x] == profile->activity_name[y]
				   : profile->span_name[x] == profile->span_name[y]);
}

/* What a point takes, and what passes before it on its track. */
struct taken {
	double own, gap;
};

static struct taken taken_by(const struct whatif_graph *graph, uint32_t point, uint32_t before)
{
	const struct profile *profile = graph->profile;
	int kind = graph->kind[point] & POINT_KIND, last = graph->kind[before] & POINT_KIND;
	int64_t end = last == POINT_CALL   ? profile_span_end(profile, graph->row[before])
		      : last == POINT_WORK ? profile_activity_end(profile, graph->row[before])
					   : whatif_time(graph, before);
	int64_t own = kind == POINT_WORK    ? profile->activity_dur[graph->row[point]]
		      : kind <= POINT_BEGIN ? profile->span_dur[graph->row[point]]
					    : 0;
	return (struct taken){ (double)own, (double)(whatif_time(graph, point) - end) };
}

/* The factors that give the points TO the times of FROM; false if the steps are not alike. */
static bool transplant(const struct whatif_graph *graph, const struct step_points *from,
		       const struct step_points *to, const struct whatif_weights *weights)
{
	for (uint32_t track = 0; track < graph->profile->track_count; track++) {
		const struct step_points *a = &from[track], *b = &to[track];
		if (a->count != b->count)
			return false;
		for (size_t i = 0; i < a->count; i++)
			if (!alike(graph, a->point[i], b->point[i]))
				return false;
		for (size_t i = 1; i < a->count; i++) {
			struct taken x = taken_by(graph, a->point[i], a->point[i - 1]);
			struct taken y = taken_by(graph, b->point[i], b->point[i - 1]);
			uint32_t point = b->point[i];
			bool work = (graph->kind[point] & POINT_KIND) == POINT_WORK;
			if (y.own > 0)
				weights->own[point] = whatif_pack(x.own / y.own);
			if (y.gap > 0 && x.gap > 0 && !work)
				weights->gap[point] = whatif_pack(x.gap / y.gap);
		}
	}
	return true;
}

/* From the start of STEP to that of the next, under WEIGHTS. */
static int64_t step_length(const struct whatif_graph *graph, const struct whatif_weights *weights,
			   uint32_t step)
{
	size_t bytes = ((size_t)graph->count + 1) * sizeof(int64_t);
	struct whatif_moves moves = { mem_alloc(bytes), mem_alloc(bytes) };
	struct whatif_times times;
	int64_t begin[2] = { 0, 0 };
	assert_true(
		whatif_replay(graph, weights, REPLAY_BATCH_LATENCY, false, &moves, &times, NULL));
	for (uint32_t i = 0; i < graph->count; i++)
		if ((graph->kind[i] & POINT_KIND) == POINT_STEP && graph->row[i] - step < 2)
			begin[graph->row[i] - step] = moves.begin[i];
	mem_free_all(moves.begin, moves.end);
	return begin[1] - begin[0];
}

/* The step TO with the times of the step FROM. */
static void check_transplant(const struct whatif_graph *graph, uint32_t from, uint32_t to)
{
	struct whatif_weights weights = {
		.own = mem_alloc(((size_t)graph->count + 1) * sizeof *weights.own),
		.gap = mem_alloc(((size_t)graph->count + 1) * sizeof *weights.gap)
	};
	struct step_points *taken = points_of_step(graph, from), *given = points_of_step(graph, to);
	for (uint32_t i = 0; i < graph->count; i++)
		weights.own[i] = weights.gap[i] = whatif_pack(1);
	if (transplant(graph, taken, given, &weights))
		add_error(&transplanted, step_length(graph, &weights, to),
			  step_length(graph, NULL, from));
	free_points(taken, graph);
	free_points(given, graph);
	whatif_weights_clear(&weights);
}

/* Each of the first steps that are judged with the times of each other; the last may be cut. */
static void check_transplants(const struct whatif_graph *graph)
{
	uint32_t first = graph->step_first, end = graph->step_last;
	end = end - first > STEPS_MAX ? first + STEPS_MAX : end;
	for (uint32_t from = first; from < end; from++)
		for (uint32_t to = first; to < end; to++)
			if (from != to)
				check_transplant(graph, from, to);
}

/* ---- all of them ---- */

static void check_whatif(const struct whatif *whatif, const char *path)
{
	const struct whatif_graph *graph = whatif->graph;
	check_strict(graph, path);
	check_monotone(graph, path);
	refused += whatif->refused != NULL;
	if (whatif->refused) {
		printf("%s: %s\n", path, whatif->refused);
		return;
	}
	predicted++;
	add_error(&identity, replayed_length(graph, NULL, REPLAY_TYPICAL), whatif->recorded);
	if (graph->step_first != NO_ROW)
		check_transplants(graph);
}

static void check_trace(const char *path)
{
	const char *paths[] = { path };
	struct error error = { 0 };
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	if (run && run->rank_count && run->ranks[0].profile && run->ranks[0].profile->activities) {
		struct whatif *whatif =
			whatif_make(run->ranks[0].derived, NULL, WHATIF_ROWS_MAX, NULL);
		check_whatif(whatif, path);
		whatif_free(whatif);
	}
	run_free(run);
}

static void check_folder(const char *folder, int depth)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char path[PATH_LENGTH_MAX];
		struct stat status;
		const char *name = entries[i]->d_name;
		snprintf(path, sizeof path, "%s/%s", folder, name);
		if (name[0] == '.' || stat(path, &status)) {
			/* nothing to read */
		} else if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
			check_folder(path, depth + 1);
		} else if (strstr(name, ".json") && (all || files++ % EVERY == 0)) {
			check_trace(path);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

TEST(real_traces_are_replayed)
{
	all = getenv("STRATA_WHATIF_ALL") != NULL;
	check_folder(corpus_path("kineto"), 0);
	printf("%zu predicted; error of the identity: median %.3f %%, 90 %% below %.3f %%, at most "
	       "%.3f %%\n",
	       predicted, error_of(&identity, 0.5), error_of(&identity, 0.9),
	       error_of(&identity, 1));
	printf("%zu transplants: median %.3f %%, 90 %% below %.3f %%, at most %.3f %%\n",
	       transplanted.count, error_of(&transplanted, 0.5), error_of(&transplanted, 0.9),
	       error_of(&transplanted, 1));
	assert_true(predicted > 0 && transplanted.count > 0);
	assert_true(error_of(&identity, 0.5) <= 0.5 && error_of(&identity, 1) <= 2);
	assert_true(error_of(&transplanted, 0.9) <= 0.5);
}

/* Modules are loaded while the kernels run: a compiled run is not told from the one before. */
TEST(cold_starts_are_refused)
{
	const char *folder = corpus_path("kineto/wild/ykcai__torch-compile-moe");
	size_t before = predicted;
	if (!folder)
		skip();
	all = true;
	refused = 0;
	check_folder(folder, 0);
	assert_int_equal(predicted, before);
	assert_true(refused > 0);
}

static int find_corpus(void **state)
{
	if (!corpus_path("kineto"))
		test_skip("no corpus here");
	return 0;
}

TEST_PROGRAM(find_corpus, NULL)
