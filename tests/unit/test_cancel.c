/*
 * Cancellation: all work stops soon after its progress callback returns false, leaves no partial
 * result in the run and reports ERROR_CANCELLED. Latency is counted in executed basic blocks (the
 * compiler calls __sanitizer_cov_trace_pc in each), so it does not depend on the machine and covers
 * every pass over rows.
 */
#include "trace_case.h"

#include "derived/derived.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "picture/plot/plot.h"
#include "picture/timeline/timeline.h"
#include "report/chrome_trace.h"
#include "report/extract.h"
#include "report/format.h"
#include "report/preset.h"
#include "sql/sqlite_export.h"
#include "sql/query.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Most blocks between two polls of the callback, and from cancellation to return. Code polls every
 * 32768 rows at some tens of blocks each; a pass over the large trace that never polls exceeds
 * this.
 */
enum { BLOCKS_MAX = 4 << 20 };

#define LARGE "--size 100M --rank 0 --world 2"
/* Under sanitizers: they look for errors of memory, and no blocks are counted. */
#define MEDIUM "--size 4M --rank 0 --world 2"
#define SMALL "--steps 3 --layers 3 --stacks 2 --rank 0 --world 2"

/* ---- the callback ---- */

static struct {
	bool counting;
	uint64_t blocks, max;          /* since the last poll; the most between two polls */
	uint64_t looks, stop_at;       /* cancel at this poll; 0: never */
	const char *stage, *stage_max; /* last reported; the one before the longest stretch */
} count;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	count.blocks++;
}

static void end_stretch(const char *stage)
{
	if (count.blocks > count.max) {
		count.max = count.blocks;
		count.stage_max = count.stage;
	}
	count.blocks = 0;
	count.stage = stage;
}

static bool look(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	(void)context, (void)done, (void)total, (void)rows;
	end_stretch(stage);
	count.looks++;
	return !count.stop_at || count.looks < count.stop_at;
}

static const struct progress progress = { .update = look };

/* ---- the work ---- */

struct bench {
	const char *path;
	struct run *run;
	struct scope scope;
	struct table *calls; /* a long table to sort and print */
};

/* One piece of work. It adds its result to DIGEST, or returns false with ERROR set. */
struct work {
	const char *name;
	bool (*run)(const struct bench *bench, const struct work *work, uint64_t *digest,
		    struct error *error);
	const struct view *view;
	const char *group;
	const struct plot_kind *plot;
	size_t index;
	bool scoped;
};

enum { LOAD_PLAIN, LOAD_KEY_NODE, LOAD_RANKS, LOADS };

static void digest_add(uint64_t *digest, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		*digest = (*digest ^ at[i]) * 0x100000001b3;
}

static void digest_table(uint64_t *digest, const struct table *table)
{
	enum { ROWS_MAX = 500 };
	struct buffer text = { 0 };
	digest_add(digest, &table->rows, sizeof table->rows);
	for (size_t row = 0; row < table->rows && row < ROWS_MAX; row++)
		for (size_t column = 0; column < table->columns; column++)
			table_format(&text, table, row, column, true);
	digest_add(digest, buffer_text(&text), text.length);
	buffer_free(&text);
}

static void digest_file(uint64_t *digest, const char *path)
{
	char block[65536];
	size_t got;
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		digest_add(digest, block, got);
	fclose(file);
}

/* The trace as is, with a key node as step boundary, and as two ranks. */
static bool do_load(const struct bench *bench, const struct work *work, uint64_t *digest,
		    struct error *error)
{
	const char *const paths[] = { bench->path, bench->path };
	const struct load_options options = { .key_node = work->index == LOAD_KEY_NODE
								  ? "DATALOADER_1"
								  : NULL };
	struct run *run =
		run_open(paths, work->index == LOAD_RANKS ? 2 : 1, &options, &progress, error);
	if (!run)
		return false;
	const struct derived *derived = run->ranks[0].derived;
	digest_add(digest, &derived->layers.count, sizeof derived->layers.count);
	digest_add(digest, &derived->links.count, sizeof derived->links.count);
	digest_add(digest, &derived->step_count, sizeof derived->step_count);
	run_free(run);
	return true;
}

static bool do_view(const struct bench *bench, const struct work *work, uint64_t *digest,
		    struct error *error)
{
	struct scope whole;
	scope_init(&whole);
	struct table *table =
		view_build(work->view, bench->run, work->scoped ? &bench->scope : &whole,
			   work->group, &progress, error);
	if (!table)
		return false;
	end_stretch("made"); /* the rest is the test's own work */
	digest_table(digest, table);
	count.blocks = 0;
	table_free(table);
	count.blocks = 0;
	return true;
}

static bool do_plot(const struct bench *bench, const struct work *work, uint64_t *digest,
		    struct error *error)
{
	struct scope whole;
	scope_init(&whole);
	struct plot *plot = plot_build(work->plot, &work->plot->groups[work->index], bench->run,
				       &whole, &progress, error);
	if (!plot)
		return false;
	for (size_t i = 0; i < plot->series_count; i++)
		digest_add(digest, &plot->series[i].count, sizeof plot->series[i].count);
	plot_free(plot);
	return true;
}

static bool do_timeline(const struct bench *bench, const struct work *work, uint64_t *digest,
			struct error *error)
{
	struct scope whole;
	scope_init(&whole);
	struct timeline *timeline =
		timeline_new(bench->run, work->scoped ? &bench->scope : &whole, &progress, error);
	bool done = timeline != NULL;
	for (uint32_t lane = 0; done && lane < timeline->lanes->count; lane++) {
		done = timeline_prepare(timeline, &lane, 1, &progress, error);
		digest_add(digest, &timeline->lanes->lane[lane].count, sizeof(uint32_t));
	}
	timeline_free(timeline);
	return done;
}

static bool do_sort(const struct bench *bench, const struct work *work, uint64_t *digest,
		    struct error *error)
{
	struct sort_key key = { (int)work->index, true };
	size_t rows;
	uint32_t *order = table_sort(bench->calls, &key, 1, NULL, &rows, &progress, error);
	if (order)
		digest_add(digest, order, rows * sizeof *order);
	mem_free(order);
	return order;
}

static bool do_search(const struct bench *bench, const struct work *work, uint64_t *digest,
		      struct error *error)
{
	int columns[VIEW_COLUMNS_MAX];
	size_t hits, rows;
	struct pattern *pattern = pattern_new("a.*e", error);
	for (size_t i = 0; i < bench->calls->columns; i++)
		columns[i] = (int)i;
	uint32_t *found =
		work->index ? table_filter(bench->calls, pattern, -1, false, NULL, &rows, &progress,
					   error)
			    : table_matches(bench->calls, pattern, columns, bench->calls->columns,
					    NULL, 0, &hits, &progress, error);
	if (found)
		digest_add(digest, found, (work->index ? rows : hits) * sizeof *found);
	mem_free(found);
	pattern_free(pattern);
	return found;
}

static bool do_write(const struct bench *bench, const struct work *work, uint64_t *digest,
		     struct error *error)
{
	const struct extract_options options = { .limit = 10000, .all_columns = true };
	struct extract extract = { 0 };
	struct output output = { .descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	bool done = extract_make(&extract, bench->calls, &options, &progress, error) &&
		    format_at(work->index)
			    ->write(&output, &extract, &(struct style){ .width = 200 }, &progress,
				    error);
	digest_add(digest, &extract.row_count, sizeof extract.row_count);
	extract_clear(&extract);
	output_discard(&output);
	close(output.descriptor);
	return done;
}

static bool do_export(const struct bench *bench, const struct work *work, uint64_t *digest,
		      struct error *error)
{
	char path[] = "test_cancel.XXXXXX";
	struct scope whole;
	int file = mkstemp(path);
	scope_init(&whole);
	assert_true(file >= 0);
	bool done = work->index
			    ? chrome_trace_write(bench->run, &whole, path, false, &progress, error)
			    : sql_export(bench->run, &whole, path, false, &progress, error);
	end_stretch("written");
	if (done && work->index)
		digest_file(digest, path);
	close(file);
	unlink(path);
	return done;
}

static bool do_query(const struct bench *bench, const struct work *work, uint64_t *digest,
		     struct error *error)
{
	static const char *const texts[] = {
		"SELECT count(*), sum(dur_ns) FROM calls",
		"SELECT * FROM launches ORDER BY name",
		"SELECT a.name FROM operators a, operators b WHERE a.calls = -b.calls - 1",
	};
	struct scope whole;
	scope_init(&whole);
	struct table *table = sql_query(bench->run, &whole, texts[work->index], &progress, error);
	if (!table)
		return false;
	end_stretch("made");
	digest_table(digest, table);
	table_free(table);
	count.blocks = 0;
	return true;
}

enum { QUERIES = 3, WORKS_MAX = 400 };

static struct work works[WORKS_MAX];
static size_t work_count;

static void add_work(struct work work)
{
	assert_true(work_count < WORKS_MAX);
	works[work_count++] = work;
}

/* Of steps only the first grouping of each: all groupings of a view select rows in one way. */
static void add_views(void)
{
	const struct view *view;
	for (size_t i = 0; (view = view_at(i)); i++)
		for (int g = 0; g < VIEW_GROUPS_MAX && (!g || view->groups[g]); g++)
			for (int scoped = 0; scoped < (g ? 1 : 2); scoped++)
				add_work((struct work){ view->name, do_view, .view = view,
							.group = view->groups[g],
							.scoped = scoped });
}

/* Views of presets, which are not listed. */
static void add_reports(void)
{
	const struct view *view;
	size_t first = 0;
	while (view_at(first))
		first++;
	for (size_t i = first; (view = view_or_report_at(i)); i++)
		add_work((struct work){ view->name, do_view, .view = view });
}

static void list_works(void)
{
	const struct plot_kind *plot;
	work_count = 0;
	for (size_t i = 0; i < LOADS; i++)
		add_work((struct work){ "load", do_load, .index = i });
	add_views();
	add_reports();
	for (size_t i = 0; (plot = plot_at(i)); i++)
		for (size_t g = 0; g < PLOT_GROUPS_MAX && plot->groups[g].name; g++)
			add_work((struct work){ plot->name, do_plot, .plot = plot, .index = g });
	for (int scoped = 0; scoped < 2; scoped++)
		add_work((struct work){ "timeline", do_timeline, .scoped = scoped });
	for (size_t i = 0; i < 8; i++)
		add_work((struct work){ "sort", do_sort, .index = i });
	for (size_t i = 0; i < 2; i++)
		add_work((struct work){ i ? "filter" : "search", do_search, .index = i });
	for (size_t i = 0; format_at(i); i++)
		add_work((struct work){ format_at(i)->name, do_write, .index = i });
	for (size_t i = 0; i < 2; i++)
		add_work((struct work){ "export", do_export, .index = i });
	for (size_t i = 0; i < QUERIES; i++)
		add_work((struct work){ "query", do_query, .index = i });
}

/* Run the work, cancelling at poll STOP_AT (0: never). Returns the number of polls. */
static uint64_t do_work(const struct bench *bench, const struct work *work, uint64_t stop_at,
			uint64_t *digest)
{
	struct error error = { 0 };
	count = (typeof(count)){ .stop_at = stop_at, .stage = "begin" };
	*digest = 0xcbf29ce484222325;
	bool done = work->run(bench, work, digest, &error);
	end_stretch("end");
	if (done != !stop_at || (stop_at && error.code != ERROR_CANCELLED))
		fail_msg("%s (%s) cancelled at poll %lu of %lu: %s, %s", work->name,
			 work->group ? work->group : "", (unsigned long)stop_at,
			 (unsigned long)count.looks, done ? "done" : "failed", error.message);
	return count.looks;
}

/* ---- the tests ---- */

static struct run *open_run(const char *path)
{
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, NULL, NULL, &error);
	assert_non_null(run);
	return run;
}

/* What works share, with a baseline for those that read one. */
static void bench_begin(struct bench *bench, const char *path, bool calls, bool base)
{
	*bench = (struct bench){ .path = path, .run = open_run(path) };
	if (calls)
		bench->calls = trace_view(bench->run, "calls", NULL, NULL);
	if (base)
		run_compare(bench->run, open_run(path));
	scope_init(&bench->scope);
	bench->scope.has_steps = true;
	bench->scope.step_first = 1;
	bench->scope.step_last = 1000000;
}

static bool reads_calls(const struct work *work)
{
	return work->run == do_sort || work->run == do_search || work->run == do_write;
}

static bool reads_base(const struct work *work)
{
	return work->run == do_timeline ||
	       (work->run == do_view && !strncmp(work->view->name, "diff", 4));
}

static void bench_end(struct bench *bench)
{
	table_free(bench->calls);
	run_free(bench->run);
	scope_clear(&bench->scope);
}

static void write_trace(const char *options, const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "./tracegen %s -o %s", options, path);
	assert_int_equal(system(command), 0);
}

/* Single-threaded, so that the polling thread does all work. */
static void use_one_processor(void)
{
	cpu_set_t set, one;
	int cpu = 0;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void assert_soon(const struct work *work, const char *what)
{
	if (count.max > BLOCKS_MAX)
		fail_msg("%s (%s%s): %lu blocks %s, after '%s'", work->name,
			 work->group ? work->group : "", work->scoped ? ", steps" : "",
			 (unsigned long)count.max, what, count.stage_max);
}

/* Checks the latency between polls and after cancellation. */
TEST(cancels_soon)
{
	static const char path[] = "test_cancel.large.tmp";
	const char *sanitizers = getenv("SANITIZERS");
	bool slow = sanitizers && *sanitizers;
	struct bench bench;
	uint64_t digest;
	write_trace(slow ? MEDIUM : LARGE, path);
	bench_begin(&bench, path, true, true);
	assert_true(bench.calls->rows > (slow ? 3000 : 50000));
	for (size_t i = 0; i < work_count; i++) {
		if (!test_sampled(i, 3))
			continue;
		uint64_t looks = do_work(&bench, &works[i], 0, &digest);
		assert_soon(&works[i], "without a look");
		/* the run now has caches, so there are fewer polls, of some works a fifth */
		do_work(&bench, &works[i], looks / 16 + 1, &digest);
		assert_soon(&works[i], "until it stopped");
	}
	bench_end(&bench);
	unlink(path);
}

/* Poll numbers at which to cancel: the first and last few, and some between. */
static bool is_sampled(uint64_t at, uint64_t looks)
{
	enum { ENDS = 3, SOME = 6 };
	return at <= ENDS || at + ENDS > looks || at % (looks / SOME + 1) == 0;
}

/*
 * Cancelled work reports it, and the same work repeated on that run gives the result of an
 * undisturbed run. Each run is fresh, without caches.
 */
TEST(cancelled_work_leaves_run_unchanged)
{
	static const char path[] = "test_cancel.small.tmp";
	write_trace(SMALL, path);
	for (size_t i = 0; i < work_count; i++) {
		if (!test_sampled(i, 3))
			continue;
		struct bench bench;
		uint64_t wanted, digest, looks = 1;
		for (uint64_t at = 0; at <= looks; at++) {
			if (at && !is_sampled(at, looks))
				continue;
			bench_begin(&bench, path, reads_calls(&works[i]), reads_base(&works[i]));
			if (at) {
				do_work(&bench, &works[i], at, &digest);
				do_work(&bench, &works[i], 0, &digest);
				assert_true(digest == wanted);
			} else {
				looks = do_work(&bench, &works[i], 0, &wanted);
				assert_true(looks > 0);
			}
			bench_end(&bench);
		}
	}
	unlink(path);
}

static int prepare(void **state)
{
	use_one_processor();
	list_works();
	return 0;
}

TEST_PROGRAM(prepare, NULL)
