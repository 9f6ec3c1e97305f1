/*
 * views [-i DIRECTORY] FILE [VIEW...]: measures building each view of a profile (or those named),
 * sorting by a number and by name, searching, and printing as CSV; with -i also opening from an
 * index.
 *
 * The columns are explained in tests/bench/README.md.
 */
#include "moment.h"

#include "derived/derived.h"
#include "session/load.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "derived/derived_cache.h"
#include "report/format.h"
#include "table/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CPU time of all threads is measured, too: it shows the work done even on a busy machine. */
static struct moment since(struct moment start)
{
	struct moment end = now();
	return (struct moment){ end.wall - start.wall, end.cpu - start.cpu };
}

/* First numeric column other than the current sort column. */
static int number_column(const struct table *table)
{
	static const char *const wanted[] = { "dur_ns", "gpu_self_ns", "gpu_total_ns", "bytes" };
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		int column = table_column(table, wanted[i]);
		if (column >= 0)
			return column;
	}
	for (size_t i = 0; i < table->columns; i++)
		if (table->column[i]->unit == UNIT_NS)
			return (int)i;
	return -1;
}

static struct moment time_sort(const struct table *table, int column)
{
	struct sort_key key = { column, true };
	size_t count;
	struct moment start = now();
	if (column >= 0)
		mem_free(table_sort(table, &key, 1, NULL, &count, NULL, NULL));
	return since(start);
}

static struct moment time_filter(const struct table *table)
{
	struct pattern *pattern = pattern_new("conv.*(fwd|backward)|gemm", NULL);
	size_t count;
	struct moment start = now();
	if (table->columns)
		mem_free(table_filter(table, pattern, -1, false, NULL, &count, NULL, NULL));
	struct moment taken = since(start);
	pattern_free(pattern);
	return taken;
}

/* What / does: search the default columns of all rows. */
static struct moment time_search(const struct table *table)
{
	struct pattern *pattern = pattern_new("conv.*(fwd|backward)|gemm", NULL);
	int columns[VIEW_COLUMNS_MAX];
	size_t count = 0, hits;
	for (size_t i = 0; i < table->columns; i++)
		if (strstr(table->view->default_columns, table->column[i]->id))
			columns[count++] = (int)i;
	struct moment start = now();
	mem_free(table_matches(table, pattern, columns, count, NULL, table->rows, &hits, NULL,
			       NULL));
	struct moment taken = since(start);
	pattern_free(pattern);
	return taken;
}

/* As the command does, without writing to disk. */
static struct moment time_csv(const struct table *table, double *megabytes)
{
	struct extract_options options = { .limit = SIZE_MAX, .all_columns = true };
	struct style style = { .raw = true };
	struct extract extract;
	struct output output;
	char path[] = "/dev/shm/strata-bench-XXXXXX";
	int file = mkstemp(path);
	struct moment start = now();
	if (file >= 0 && output_open(&output, NULL, file, false, NULL) &&
	    extract_make(&extract, table, &options, NULL, NULL)) {
		format_find("csv")->write(&output, &extract, &style, NULL, NULL);
		output_commit(&output, NULL);
	}
	struct moment taken = since(start);
	extract_clear(&extract);
	*megabytes = (double)lseek(file, 0, SEEK_END) / 1e6;
	close(file);
	unlink(path);
	return taken;
}

static struct table *time_build(const struct run *run, const struct view *view,
				struct moment *taken)
{
	struct scope whole;
	struct error error = { 0 };
	scope_init(&whole);
	struct moment start = now();
	struct table *table = view_build(view, run, &whole, NULL, NULL, &error);
	*taken = since(start);
	return table;
}

/* The first build includes data shared between views, as if it were the first view. */
static void measure_view(const struct run *run, const struct view *view)
{
	struct moment first, again;
	struct derived *derived = run->ranks[0].derived;
	derived_cache_free(derived);
	atomic_store(&derived->cached, NULL);
	table_free(time_build(run, view, &first));
	struct table *table = time_build(run, view, &again);
	if (!table || !table->rows) {
		table_free(table);
		return;
	}
	double megabytes;
	struct moment number = time_sort(table, number_column(table));
	struct moment name = time_sort(table, table_name_column(table));
	struct moment filter = time_filter(table), later = time_filter(table);
	for (int i = 0; i < 4; i++) {
		struct moment more = time_filter(table);
		later = more.wall < later.wall ? more : later;
	}
	struct moment search = time_search(table);
	struct moment csv = time_csv(table, &megabytes);
	printf("%-16s %9zu %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %8.1f %7.0f %8.0f\n",
	       view->name, table->rows, first.wall, first.cpu, again.wall, number.wall, name.wall,
	       filter.wall, later.wall, search.wall, megabytes, megabytes / csv.wall,
	       megabytes / csv.cpu);
	fflush(stdout);
	table_free(table);
}

/* Opened twice: the first time writes the index, the second one reads it. */
static struct run *measure_reopening(const char *path, const struct load_options *options)
{
	struct error error = { 0 };
	struct moment first, again, start = now();
	struct run *run = run_open(&path, 1, options, NULL, &error);
	first = since(start);
	run_settle(run);
	run_free(run);
	start = now();
	run = run_open(&path, 1, options, NULL, &error);
	again = since(start);
	if (!run)
		fprintf(stderr, "views: %s: %s\n", path, error.message);
	else
		printf("%s: opened in %.3f s (%.3f of CPU), again in %.4f s (%.4f): %.0f times\n",
		       path, first.wall, first.cpu, again.wall, again.cpu, first.cpu / again.cpu);
	return run;
}

static bool is_wanted(const char *name, char **wanted)
{
	for (char **item = wanted; *item; item++)
		if (strcmp(*item, name) == 0)
			return true;
	return !*wanted;
}

int main(int argc, char **argv)
{
	struct load_options options = { .index.bytes_max = UINT64_MAX };
	int option;
	while ((option = getopt(argc, argv, "i:")) != -1)
		options.index.directory = option == 'i' ? optarg : NULL;
	if (optind >= argc) {
		fprintf(stderr, "usage: views [-i DIRECTORY] FILE [VIEW...]\n");
		return 2;
	}
	struct run *run = measure_reopening(argv[optind], &options);
	if (!run)
		return 1;
	printf("%-16s %9s %7s %7s %7s %7s %7s %7s %7s %7s %8s %7s %8s\n", "view", "rows", "first s",
	       "cpu s", "again s", "sort n", "sort t", "filter", "later", "search", "csv MB",
	       "MB/s", "MB/cpu s");
	for (size_t i = 0; view_at(i); i++)
		if (is_wanted(view_at(i)->name, argv + optind + 1))
			measure_view(run, view_at(i));
	run_free(run);
	return 0;
}
