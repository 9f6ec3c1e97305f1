#include "session/run_history.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/moments.h"
#include "base/sort.h"
#include "base/text.h"
#include "input/summary_file/summary_file.h"
#include "model/profile.h"
#include "model/summary_tables.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <unistd.h>

/* ---- the files ---- */

/* Of TIME-LABEL.strsum the label, of other names the name. */
static char *run_label_of(const char *name)
{
	enum { TIME_LENGTH = sizeof "20260101T000000" - 1 };
	size_t time = strspn(name, "0123456789T.Z");
	const char *from = time >= TIME_LENGTH && name[time] == '-' ? name + time + 1 : name;
	return mem_strndup(from, strlen(from) - (sizeof SUMMARY_FILE_SUFFIX - 1));
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct history_run *)a)->path, ((const struct history_run *)b)->path);
}

static bool list_files(struct run_history *history, const char *directory, struct error *error)
{
	DIR *open = opendir(directory);
	if (!open)
		return error_input(error, "%s: %s", directory, strerror(errno));
	for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
		if (text_ends_with(entry->d_name, SUMMARY_FILE_SUFFIX) && *entry->d_name != '.')
			*mem_push(history->runs, history->count) = (struct history_run){
				.path = mem_printf("%s/%s", directory, entry->d_name),
				.label = run_label_of(entry->d_name),
				.start = NO_VALUE,
			};
	closedir(open);
	sort_items(history->runs, history->count, compare_files);
	return history->count || error_input(error, "%s: holds no summary", directory);
}

/* ---- the times of a run ---- */

struct history_reading {
	struct run_history *history;
	struct hash *index; /* rows by kind and name */
	size_t run;
};

static struct history_row *row_of(struct history_reading *reading, enum history_kind kind,
				  uint32_t name)
{
	struct run_history *history = reading->history;
	uint64_t key = (uint64_t)name * HISTORY_KINDS + kind;
	uint32_t at = hash_first(reading->index, key);
	if (at != UINT32_MAX)
		return &history->rows[at];
	hash_add(reading->index, key, (uint32_t)history->row_count);
	struct history_row *row = mem_push(history->rows, history->row_count);
	*row = (struct history_row){ .kind = kind, .name = intern_text(history->names, name) };
	row->ns = mem_alloc(history->count * sizeof *row->ns);
	for (size_t i = 0; i < history->count; i++)
		row->ns[i] = NAN;
	return row;
}

/* Kernels of a family add up. */
static void add_time(struct history_reading *reading, enum history_kind kind, uint32_t name,
		     double ns)
{
	double *sum = &row_of(reading, kind, name)->ns[reading->run];
	*sum = isnan(*sum) ? ns : *sum + ns;
}

static const struct summary_table *table_of(const struct summary_tables *tables,
					    const struct intern *texts, const char *view)
{
	return first_of(at, tables->items, tables->count,
			!at->group && strcmp(intern_text(texts, at->view), view) == 0);
}

/* The cells of a column; NULL: it has none. */
static const struct summary_cell *cells_of(const struct summary_table *table,
					   const struct intern *texts, const char *id)
{
	for (uint32_t i = 0; table && i < table->columns; i++)
		if (strcmp(intern_text(texts, table->column[i]), id) == 0)
			return &table->cells[(size_t)i * table->rows];
	return NULL;
}

/* The median of the complete steps, whose number is returned. */
static size_t add_steps(struct history_reading *reading, const struct summary_tables *tables)
{
	const struct intern *texts = reading->history->names;
	const struct summary_table *steps = table_of(tables, texts, "steps");
	const struct summary_cell *durs = cells_of(steps, texts, "dur_ns");
	const struct summary_cell *partial = cells_of(steps, texts, "partial");
	AUTO_FREE double *values = mem_alloc(((steps ? steps->rows : 0) + 1) * sizeof *values);
	size_t count = 0;
	for (uint32_t i = 0; durs && i < steps->rows; i++)
		if (durs[i].kind == SUMMARY_CELL_INT &&
		    !(partial && partial[i].kind == SUMMARY_CELL_INT && partial[i].integer))
			values[count++] = (double)durs[i].integer;
	if (count)
		add_time(reading, HISTORY_STEP, 0, median_double(values, count));
	return count;
}

/* Where the rows of a kind are, and their times: of the device, or else of the host. */
static const struct {
	const char *view, *name, *device, *host;
} sources[HISTORY_KINDS] = { HISTORY_SOURCE_ROWS };

static void add_rows(struct history_reading *reading, const struct summary_tables *tables,
		     enum history_kind kind, double steps)
{
	const struct intern *texts = reading->history->names;
	const struct summary_table *table = table_of(tables, texts, sources[kind].view);
	const struct summary_cell *names = cells_of(table, texts, sources[kind].name);
	const struct summary_cell *values = cells_of(table, texts, sources[kind].device);
	values = values ?: cells_of(table, texts, sources[kind].host);
	for (uint32_t i = 0; names && values && i < table->rows; i++)
		if (names[i].kind == SUMMARY_CELL_TEXT && values[i].kind == SUMMARY_CELL_INT)
			add_time(reading, kind, names[i].text, (double)values[i].integer / steps);
}

/* Of the lowest rank. */
static bool read_times(struct history_reading *reading, const struct progress *progress,
		       struct error *error)
{
	struct run_history *history = reading->history;
	struct history_run *run = &history->runs[reading->run];
	AUTO_BUFFER struct buffer bytes = { 0 };
	AUTO_SOURCE struct source *source = source_open(run->path, progress, error);
	AUTO(summary_file_close) struct summary_file file = { 0 };
	AUTO(summary_file_block_close) struct summary_file_block block = { 0 };
	struct summary_file_trace trace;
	struct summary_tables *tables = summary_tables_new();
	bool done = source && summary_file_open(&file, source, error) && file.count &&
		    summary_file_read(&file, 0, &bytes, error) &&
		    summary_file_block_open(&block, &bytes, error) &&
		    summary_file_unpack_trace(&block, history->names, &trace) &&
		    summary_file_unpack_tables(&block, history->names, tables);
	if (done) {
		double steps = fmax((double)add_steps(reading, tables), 1);
		run->start = trace.epoch_ns + trace.base_ns;
		for (int kind = HISTORY_LAYER; kind < HISTORY_KINDS; kind++)
			add_rows(reading, tables, (enum history_kind)kind, steps);
	}
	summary_tables_free(tables);
	return done;
}

/* A run that cannot be read does not end its history. False: cancelled. */
static bool read_runs(struct run_history *history, const struct progress *progress,
		      struct error *error)
{
	AUTO_HASH struct hash *index = hash_new(1024);
	for (size_t i = 0; i < history->count; i++) {
		struct error own = { 0 };
		struct history_reading reading = { history, index, i };
		if (!progress_update(progress, "reading runs", i, history->count, 0))
			return error_cancelled(error);
		history->runs[i].unread = !read_times(&reading, progress, &own);
	}
	return true;
}

/* ---- changes ---- */

/* The times of ROW that are known, and the RUNS they are of; their number. */
static size_t list_known(const struct run_history *history, const struct history_row *row,
			 double *values, size_t *runs)
{
	size_t count = 0;
	for (size_t i = 0; i < history->count; i++)
		if (!isnan(row->ns[i])) {
			runs[count] = i;
			values[count++] = row->ns[i];
		}
	return count;
}

/* Leave out rows that take next to no time: each makes a change of others less sure. */
static void drop_small(struct run_history *history)
{
	const double share_min = 0.001;
	double most[HISTORY_KINDS] = { 0 };
	size_t kept = 0;
	for (int drop = 0; drop < 2; drop++)
		for (size_t i = 0; i < history->row_count; i++) {
			struct history_row row = history->rows[i];
			double longest = 0;
			for (size_t run = 0; run < history->count; run++)
				longest = fmax(longest, row.ns[run]);
			if (!drop)
				most[row.kind] = fmax(most[row.kind], longest);
			else if (longest > share_min * most[row.kind])
				history->rows[kept++] = row;
			else
				mem_free(row.ns);
		}
	history->row_count = kept;
}

static void find_changes(struct run_history *history)
{
	AUTO_FREE double *values = mem_alloc((history->count + 1) * sizeof *values);
	AUTO_FREE size_t *runs = mem_alloc((history->count + 1) * sizeof *runs);
	drop_small(history);
	for_each_mutable (row, history->rows, history->row_count) {
		size_t known = list_known(history, row, values, runs);
		row->change = change_point_find(values, known, history->row_count);
		row->change.first = runs[row->change.first];
	}
}

const struct history_row *run_history_worst(const struct run_history *history)
{
	const struct history_row *worst = NULL;
	for_each (row, history->rows, history->row_count) {
		double more = row->change.after - row->change.before;
		if (row->change.change <= SAME ||
		    (worst && more <= worst->change.after - worst->change.before))
			continue;
		worst = row;
		if (row->kind == HISTORY_STEP)
			break;
	}
	return worst;
}

static double change_of(const struct history_row *row)
{
	return row->change.change == SAME ? 0 : row->change.after - row->change.before;
}

/* What changed by most first. */
COMPARE_ITEMS(compare_changes, struct history_row,
	      COMPARE(x->kind, y->kind) ?: COMPARE(fabs(change_of(y)), fabs(change_of(x))))

/* ---- all ---- */

const char *run_history_kind_name(enum history_kind kind)
{
	static const char *const names[HISTORY_KINDS] = { HISTORY_KIND_ROWS };
	return names[kind];
}

static void clear_runs(struct run_history *history)
{
	for (size_t i = 0; i < history->count; i++)
		mem_free_all(history->runs[i].path, history->runs[i].label);
	mem_free(history->runs);
}

void run_history_free(struct run_history *history)
{
	if (!history)
		return;
	clear_runs(history);
	for (size_t i = 0; i < history->row_count; i++)
		mem_free(history->rows[i].ns);
	intern_free(history->names);
	mem_free_all(history->rows, history);
}

char *run_history_newest(const char *directory)
{
	struct run_history history = { 0 };
	bool any = list_files(&history, directory, NULL);
	char *newest = any ? mem_strdup(history.runs[history.count - 1].path) : NULL;
	clear_runs(&history);
	return newest;
}

void run_history_remove(const char *directory)
{
	struct run_history history = { 0 };
	list_files(&history, directory, NULL);
	for (size_t i = 0; i < history.count; i++)
		unlink(history.runs[i].path);
	clear_runs(&history);
	rmdir(directory);
}

struct run_history *run_history_read(const char *directory, const struct progress *progress,
				     struct error *error)
{
	struct run_history *history = mem_zalloc(1, sizeof *history);
	history->names = intern_new();
	if (list_files(history, directory, error) && read_runs(history, progress, error)) {
		find_changes(history);
		sort_items(history->rows, history->row_count, compare_changes);
		return history;
	}
	run_history_free(history);
	return NULL;
}
