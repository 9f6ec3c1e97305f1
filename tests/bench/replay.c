/*
 * replay [KERNELS [FILE]]: measures what-if on an Nsight export with as many calls as kernels,
 * which it makes, and keeps as FILE: building the graph beside finding the critical path, a replay
 * without and with an edit, and memory by row.
 */
#include "generate.h"
#include "moment.h"

#include "analysis/whatif/critical_path.h"
#include "analysis/whatif/whatif_weights.h"
#include "base/error.h"
#include "base/mem.h"
#include "derived/selection.h"
#include "session/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3, SLACK = 64 << 20 }; /* what mem_set_limit allows beyond the limit */

static const struct run *run;
static struct whatif_graph *graph;

static void find_path(void)
{
	struct selection selection;
	struct scope scope;
	struct critical_path path;
	scope_init(&scope);
	if (!selection_make(&selection, run, &scope, NULL, NULL))
		exit(1);
	if (critical_path_find(&path, &selection, NULL))
		critical_path_free(&path);
	selection_free(&selection);
}

static void make_graph(void)
{
	whatif_graph_free(graph);
	graph = NULL; /* also when memory runs out */
	graph = whatif_graph_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
}

static void replay(const char *text, bool path)
{
	struct whatif_edit edit = { .name = NULL };
	struct whatif_weights weights;
	struct whatif_times times;
	struct error error;
	if (text && !whatif_edit_parse(&edit, text, &error))
		exit(1);
	whatif_weights_of(&weights, graph, &edit, text ? 1 : 0, NULL);
	whatif_replay(graph, &weights, REPLAY_STRICT, path, NULL, &times, NULL);
	whatif_weights_clear(&weights);
	whatif_edit_clear(&edit);
}

static void replay_recorded(void)
{
	replay(NULL, false);
}

static void replay_edited(void)
{
	replay("kernels x0.5", true);
}

/* The best of some rounds. */
static struct moment best_of(void (*work)(void))
{
	struct moment best = { 0, 0 };
	for (int round = 0; round < ROUNDS; round++) {
		struct moment start = now();
		work();
		struct moment end = now();
		if (!round || end.wall - start.wall < best.wall)
			best.wall = end.wall - start.wall;
		if (!round || end.cpu - start.cpu < best.cpu)
			best.cpu = end.cpu - start.cpu;
	}
	return best;
}

static bool try_work(void *work)
{
	(*(void (**)(void))work)();
	return true;
}

/* The least bytes with which it succeeds, to 4 MiB, beyond what is held now. */
static size_t bytes_of(void (*work)(void))
{
	size_t low = SLACK, high = (size_t)1 << 30;
	struct error error;
	while (high - low > 4 << 20) {
		size_t middle = low + (high - low) / 2;
		whatif_graph_free(work == make_graph ? graph : NULL);
		graph = work == make_graph ? NULL : graph;
		mem_set_limit(mem_used() + middle - SLACK); /* what failed before is never freed */
		*(mem_guard(try_work, &work, &error) ? &high : &low) = middle;
	}
	mem_set_limit(0);
	return high;
}

static void say(const char *what, struct moment taken, double rows)
{
	printf("%-28s %8.3f s %8.3f s CPU %8.1f ns a row\n", what, taken.wall, taken.cpu,
	       taken.cpu / rows * 1e9);
}

int main(int argc, char **argv)
{
	char file[] = "replay-XXXXXX";
	const char *path = argc > 2 ? argv[2] : file;
	long kernels = argc > 1 ? atol(argv[1]) : 5000000;
	struct error error = { 0 };
	int fd = argc > 2 ? -1 : mkstemp(file);
	if (kernels < 1 || (argc < 3 && fd < 0))
		return 2;
	close(fd);
	if (argc < 3 || access(path, R_OK) != 0)
		generate_nsys(path, kernels);
	run = run_open(&path, 1, NULL, NULL, &error);
	if (argc < 3)
		unlink(path);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!run) {
		fprintf(stderr, "replay: %s\n", error.message);
		return 1;
	}
	double rows = 2.0 * (double)kernels;
	printf("%ld kernels, as many calls and ranges\n", kernels);
	struct moment walked = best_of(find_path), made = best_of(make_graph);
	say("critical path", walked, rows);
	say("graph", made, rows);
	printf("%.2f times the critical path, %.2f by CPU time\n", made.wall / walked.wall,
	       made.cpu / walked.cpu);
	say("replay", best_of(replay_recorded), rows);
	say("replay with an edit", best_of(replay_edited), rows);
	size_t held = mem_used();
	whatif_graph_free(graph);
	graph = NULL;
	held -= mem_used();
	size_t making = bytes_of(make_graph);
	make_graph();
	size_t replaying = held + bytes_of(replay_edited);
	printf("bytes a row: the graph %.1f, at most while it is made %.1f, with a replay %.1f\n",
	       (double)held / rows, (double)making / rows, (double)replaying / rows);
	whatif_graph_free(graph);
	return 0;
}
