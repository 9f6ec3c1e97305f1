/*
 * queries [-i DIRECTORY] FILE [SQL...]: measures SQL over the views of a profile: ten groupings of
 * single events, or those given.
 *
 * The columns are explained in tests/bench/README.md.
 */
#include "moment.h"

#include "base/error.h"
#include "model/scope.h"
#include "session/load.h"
#include "sql/query.h"

#include <stdio.h>
#include <unistd.h>

static const char *const all_queries[] = {
	"SELECT name, count(*), sum(dur_ns) FROM spans GROUP BY name",
	"SELECT kind, count(*), sum(dur_ns), max(dur_ns) FROM spans GROUP BY kind",
	"SELECT thread, min(start_ns), max(start_ns) FROM spans GROUP BY thread",
	"SELECT name, sum(gpu_total_ns) AS total FROM calls GROUP BY name ORDER BY total DESC LIMIT 10",
	"SELECT step, name, sum(dur_ns) FROM calls GROUP BY step, name",
	"SELECT pass, layer, avg(cpu_self_ns) FROM calls WHERE dur_ns > 10000 GROUP BY pass, layer",
	"SELECT name, count(*), avg(dur_ns), min(dur_ns), max(dur_ns) FROM launches GROUP BY name",
	"SELECT stream, sum(dur_ns) FROM launches WHERE kind = 'kernel' GROUP BY stream",
	"SELECT operator, sum(dur_ns) FROM launches WHERE step >= 3 GROUP BY operator",
	"SELECT count(*), sum(dur_ns), avg(launch_delay_ns) FROM launches WHERE step IS NOT NULL",
	NULL,
};

static void measure_query(const struct run *run, const char *sql)
{
	enum { ROUNDS = 7 };
	struct moment best = { 0 }, first = { 0 };
	struct error error = { 0 };
	struct scope whole;
	size_t rows = 0;
	scope_init(&whole);
	for (int i = 0; i < ROUNDS; i++) {
		struct moment start = now();
		struct table *table = sql_query(run, &whole, sql, NULL, &error);
		struct moment end = now();
		if (!table) {
			printf("%s: %s\n", sql, error.message);
			return;
		}
		struct moment taken = { end.wall - start.wall, end.cpu - start.cpu };
		rows = table->rows;
		table_free(table);
		first = i ? first : taken;
		best.wall = i && best.wall < taken.wall ? best.wall : taken.wall;
		best.cpu = i && best.cpu < taken.cpu ? best.cpu : taken.cpu;
	}
	printf("%8zu %8.2f %8.2f %8.2f %8.2f  %s\n", rows, first.wall * 1e3, first.cpu * 1e3,
	       best.wall * 1e3, best.cpu * 1e3, sql);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct load_options options = { .index.bytes_max = UINT64_MAX };
	struct error error = { 0 };
	int option;
	while ((option = getopt(argc, argv, "i:")) != -1)
		options.index.directory = option == 'i' ? optarg : NULL;
	if (optind >= argc) {
		fprintf(stderr, "usage: queries [-i DIRECTORY] FILE [SQL...]\n");
		return 2;
	}
	const char *path = argv[optind];
	struct run *run = run_open(&path, 1, &options, NULL, &error);
	if (!run) {
		fprintf(stderr, "queries: %s: %s\n", path, error.message);
		return 1;
	}
	printf("%8s %8s %8s %8s %8s\n", "rows", "first ms", "cpu ms", "again ms", "cpu ms");
	const char *const *queries =
		argc > optind + 1 ? (const char *const *)argv + optind + 1 : all_queries;
	for (; *queries; queries++)
		measure_query(run, *queries);
	run_settle(run);
	run_free(run);
	return 0;
}
