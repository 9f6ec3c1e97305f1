/*
 * Writes the profiles that seeds of the fuzz targets stand for, and prints what all views say of
 * them:
 *
 *     rows SEED...      each becomes FOLDER-NAME in the working directory, its rows
 * FOLDER-NAME.rows, in narrower scopes FOLDER-NAME.scopes, all plots FOLDER-NAME.plots, what is
 * read when single numbers or words of the seed are others or names lack FOLDER-NAME.altered, when
 * it has more rows FOLDER-NAME.grown, and what is kept of the profile when it is damaged
 * FOLDER-NAME.damaged; "random/7", which needs no file, is a random trace, whose rows against the
 * next one are random-7.against; so is "rich/7", with more in it, whose rows are against those of a
 * run with other times, of which some are also three ranks, rich-4.ranked, and are opened with
 * other options, rich-1.opened; "queued/7" is a random trace whose times can be predicted under
 * edits, queued-7.edited. FOLDER-NAME.kept is what is said of a profile that is read from its
 * index, FOLDER-NAME.fresh without, and rich-1.carried which rows of its first half are in the
 * whole.
 *
 * With --whole only .rows and .scopes are written, with --rows only .rows, with --make nothing but
 * the profiles; with --advice only FOLDER-NAME.advice: all findings, also with single durations
 * longer or shorter, and of recordings that lack something; with --edited FILE.edited: its rows at
 * predicted times; with --dump FILE.dumped: all tables of the database FILE. A seed that is no
 * profile leaves no file; one that is a directory is a link there. The rows are those of every view
 * and grouping, with the orders of every column, and of the first rows details, links and what they
 * lead to.
 */
#include "../fuzz/fuzz.h"
#include "../unit/random_trace.h"
#include "rows.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/scope.h"
#include "picture/plot/plot_print.h"
#include "session/load.h"
#include "table/remap_rows.h"
#include "table/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ORDERED = 8, DETAILS = 4, OPENED = 3, RANKED = 4, SEED_MAX = 8 << 20 };

void *sweep_read(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(SEED_MAX + 1); /* and a NUL, for texts */

	if (!file || !bytes)
		abort();
	*length = fread(bytes, 1, SEED_MAX, file);
	fclose(file);
	return bytes;
}

void sweep_write(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
		abort();
}

/* The last two parts of the path, joined by '-'. */
void sweep_name(const char *path, char *name, size_t size)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start > path && start[-1] != '/')
		start--;
	snprintf(name, size, "%.*s-%s", (int)(end - start), start, end + 1);
}

void sweep_row(FILE *out, const struct table *table, size_t row)
{
	struct buffer text = { 0 };

	for (size_t column = 0; column < table->columns; column++) {
		for (int raw = 0; raw < 2; raw++) {
			table_format(&text, table, row, column, raw);
			buffer_printf(&text, "|");
		}
	}
	fprintf(out, "%u %s\n", table_depth(table, row), buffer_text(&text));
	buffer_free(&text);
}

static void print_orders(FILE *out, const struct table *table)
{
	for (size_t column = 0; column < table->columns; column++) {
		for (int down = 0; down < 2; down++) {
			struct sort_key key = { (int)column, down, false };
			size_t count;
			uint32_t *rows = table_sort(table, &key, 1, NULL, &count, NULL, NULL);
			fprintf(out, "%s %d:", table->column[column]->id, down);
			for (size_t i = 0; i < count && i < ORDERED; i++)
				fprintf(out, " %u", rows[i]);
			fprintf(out, "\n");
			mem_free(rows);
		}
	}
}

/* The first two links of the row in both directions. */
static void print_links(FILE *out, const struct run *run, const struct scope *scope,
			const struct view *view, struct ref ref)
{
	for (int at = 0; at < 4; at++) {
		struct view_link link = {
			.from = ref, .in = view, .forward = at % 2, .nth = (size_t)at / 2
		};
		const char *name = view_link_name(run, scope, ref, view, link.forward);
		if (!view_follow(run, scope, &link, NULL) && !link.count)
			continue;
		fprintf(out, "%s: %s %zu of %zu: %d %lld %lld %lld of %d in %s\n", name ?: "-",
			*link.what ? link.what : "-", link.nth, link.count, link.target.kind,
			(long long)link.target.a, (long long)link.target.b,
			(long long)link.target.c, link.rank, link.view ? link.view->name : "-");
	}
}

/* Details of the row of VIEW, its links, and the rows that it leads to. */
static void print_detail(FILE *out, const struct run *run, const struct scope *scope,
			 const struct view *view, struct ref ref)
{
	struct buffer text = { 0 };
	const struct view *next;
	struct scope narrower;

	print_links(out, run, scope, view, ref);
	view_detail(run, scope, ref, &text);
	if (view_drill(run, ref, scope, &next, &narrower)) {
		view_breadcrumb(run, &narrower, &text);
		struct table *table = view_build(next, run, &narrower, NULL, NULL, NULL);
		buffer_printf(&text, "\n-> %s\n", next->name);
		fprintf(out, "%s", buffer_text(&text));
		buffer_clear(&text);
		for (size_t row = 0; table && row < table->rows && row < DETAILS; row++)
			sweep_row(out, table, row);
		table_free(table);
		scope_clear(&narrower);
	}
	fprintf(out, "%s\n", buffer_text(&text));
	buffer_free(&text);
}

static void print_view(FILE *out, const struct run *run, const struct view *view, const char *group)
{
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	fprintf(out, "== %s %s\n", view->name, group ? group : "");
	struct table *table = view_build(view, run, &scope, group, NULL, &error);
	if (!table)
		fprintf(out, "error: %s\n", error.message);
	else
		fprintf(out, "%zu rows; %s\n", table->rows, table->note ? table->note : "");
	for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
		sweep_row(out, table, row);
	if (table)
		print_orders(out, table);
	for (size_t row = 0; table && row < table->rows && row < DETAILS; row++)
		print_detail(out, run, &scope, view, table_ref(table, row));
	table_free(table);
	scope_clear(&scope);
}

/* FILE with ENDING, to print to. */
FILE *sweep_open(const char *file, const char *ending)
{
	char path[300];

	snprintf(path, sizeof path, "%s.%s", file, ending);
	FILE *out = fopen(path, "w");
	if (!out)
		abort();
	return out;
}

/* Of a profile, not of its file. */
bool sweep_lists(const struct view *view)
{
	/* the size of a database and of memory depend on the machine */
	return strcmp(view->name, "info") != 0;
}

static void print_rows(const char *file, const char *ending, const struct run *run)
{
	FILE *out = sweep_open(file, ending);

	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		if (!sweep_lists(view))
			continue;
		print_view(out, run, view, NULL);
		for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			print_view(out, run, view, view->groups[group]);
	}
	fclose(out);
}

/* ---- narrower scopes ---- */

void sweep_scope(FILE *out, const struct run *run, const char *title, const struct scope *scope)
{
	struct buffer text = { 0 };
	view_breadcrumb(run, scope, &text);
	fprintf(out, "=== %s: %s\n", title, buffer_text(&text));
	buffer_free(&text);
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		struct error error = { 0 };
		struct table *table =
			sweep_lists(view) ? view_build(view, run, scope, NULL, NULL, &error) : NULL;
		fprintf(out, "== %s %zu %s\n", view->name, table ? table->rows : 0,
			table ? table->note ?: "" : error.message);
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
			sweep_row(out, table, row);
		table_free(table);
	}
}

static void print_narrowed(FILE *out, const struct run *run, const char *name, const char *value)
{
	struct scope scope;
	struct error error = { 0 };
	char title[300];

	scope_init(&scope);
	snprintf(title, sizeof title, "%s %s", name, value);
	if (scope_set(&scope, name, value, &error))
		sweep_scope(out, run, title, &scope);
	else
		fprintf(out, "=== %s: %s\n", title, error.message);
	scope_clear(&scope);
}

/* A part of the time that cuts events at both ends, and one that begins and ends with one. */
static void print_times(FILE *out, const struct run *run, const struct profile *profile)
{
	struct scope scope;

	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = profile->end_ns / 3;
	scope.time_last = profile->end_ns - profile->end_ns / 3;
	sweep_scope(out, run, "the middle", &scope);
	if (profile->activities > 2) {
		uint32_t at = profile->activities / 2;
		scope.time_first = profile->activity_start[at];
		scope.time_last = profile->activity_start[at] + profile->activity_dur[at];
		sweep_scope(out, run, "of an activity", &scope);
		scope.time_first++;
		scope.time_last--;
		sweep_scope(out, run, "within an activity", &scope);
	}
	scope_clear(&scope);
}

/* What a row in the middle of these views leads to. */
static void print_drilled(FILE *out, const struct run *run)
{
	static const char *const views[] = { "layers", "operators", "steps", "kernels", "streams" };
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		const struct view *next;
		struct scope all, narrower;
		scope_init(&all);
		struct table *table = view_build(view_find(views[i]), run, &all, NULL, NULL, NULL);
		if (table && table->rows &&
		    view_drill(run, table_ref(table, table->rows / 2), &all, &next, &narrower)) {
			sweep_scope(out, run, views[i], &narrower);
			scope_clear(&narrower);
		}
		table_free(table);
		scope_clear(&all);
	}
}

static void print_scopes(const char *file, const struct run *run)
{
	static const char *const narrowed[][2] = { { "steps", "..1" }, { "phase", "decode,none" },
						   { "device", "0" },  { "filter", "[ae]" },
						   { "steps", "1" },   { "stream", "7,2,13" } };
	struct rank *rank = run_acquire(run, run->ranks[0].number, NULL, NULL);
	FILE *out = sweep_open(file, "scopes");

	if (rank)
		print_times(out, run, rank->profile);
	print_drilled(out, run);
	for (size_t i = 0; rank && i < sizeof narrowed / sizeof *narrowed; i++)
		print_narrowed(out, run, narrowed[i][0], narrowed[i][1]);
	if (rank && rank->profile->spans) {
		char thread[40];
		const struct profile *profile = rank->profile;
		uint32_t track = profile->span_track[profile->spans - 1];
		snprintf(thread, sizeof thread, "%lld", (long long)profile->tracks[track].tid);
		print_narrowed(out, run, "thread", thread);
	}
	run_release(run, rank);
	fclose(out);
}

/* ---- plots ---- */

static void print_plot(FILE *out, const struct run *run, const struct plot_kind *kind,
		       const struct plot_group *group)
{
	static const struct plot_print sizes[] = { { PLOT_BLOCKS, 90, 18, false, NULL },
						   { PLOT_BRAILLE, 61, 11, false, NULL },
						   { PLOT_ASCII, 120, 7, false, NULL } };
	struct scope scope;
	struct error error = { 0 };
	struct buffer text = { 0 };
	scope_init(&scope);
	struct plot *plot = plot_build(kind, group, run, &scope, NULL, &error);
	fprintf(out, "== %s %s %s\n", kind->name, group->name ?: "", plot ? "" : error.message);
	if (plot) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			plot_print(plot, &sizes[i], &text);
		plot_svg(plot, &text);
		fprintf(out, "%s\n", buffer_text(&text));
	}
	buffer_free(&text);
	plot_free(plot);
	scope_clear(&scope);
}

static void print_plots(const char *file, const struct run *run)
{
	FILE *out = sweep_open(file, "plots");
	for (size_t i = 0; plot_at(i); i++)
		for (int group = 0; group < PLOT_GROUPS_MAX && plot_at(i)->groups[group].name;
		     group++)
			print_plot(out, run, plot_at(i), &plot_at(i)->groups[group]);
	fclose(out);
}

/* ---- prefixes ---- */

/* What rows of the profile's first half are in the whole, and how a scope is carried over. */
static void print_carried(const char *file, const struct run *whole)
{
	size_t length;
	char *bytes = sweep_read(file, &length);
	const struct run_prefix half = { bytes, length / 2, UINT64_MAX };
	struct run *part = run_open_prefix(file, &half, NULL, NULL, NULL);
	FILE *out = sweep_open(file, "carried");
	struct scope all, narrow, there;
	scope_init(&all);
	for (size_t i = 0; part && view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i), *next;
		struct table *table =
			sweep_lists(view) ? view_build(view, part, &all, NULL, NULL, NULL) : NULL;
		fprintf(out, "== %s\n", view->name);
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++) {
			struct ref ref = table_ref(table, row),
				   to = carry_ref(part, whole, part->ranks[0].number, ref);
			fprintf(out, "%d %d %lld %lld %lld", ref.kind, to.kind, (long long)to.a,
				(long long)to.b, (long long)to.c);
			if (row < DETAILS && view_drill(part, ref, &all, &next, &narrow)) {
				bool there_is = carry_scope(part, whole, &narrow, &there);
				struct buffer text = { 0 };
				if (there_is)
					view_breadcrumb(whole, &there, &text);
				fprintf(out, " %d %s", there_is, buffer_text(&text));
				buffer_free(&text);
				scope_clear(&narrow);
				scope_clear(&there);
			}
			fprintf(out, "\n");
		}
		table_free(table);
	}
	scope_clear(&all);
	run_free(part);
	free(bytes);
	fclose(out);
}

/* ---- kept profiles ---- */

static void print_opened_from(const char *file, const char *ending, struct run *run)
{
	FILE *out = sweep_open(file, ending);
	struct scope all;
	scope_init(&all);
	sweep_scope(out, run, "all", &all);
	scope_clear(&all);
	fclose(out);
	run_free(run);
}

/* What is said of the profile when it is read from its index, if it has one: FILE.kept; and when it
 * is read from the file: FILE.fresh. */
static void print_kept(const char *file)
{
	static char directory[] = "indexes";
	const struct load_options options = { .index = { directory, UINT64_MAX, 0 } };
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = time(NULL) - 100 } };
	utimensat(AT_FDCWD, file, times, 0); /* what has just been written may still change */
	struct run *run = run_open(&file, 1, &options, NULL, NULL);
	run_settle(run);
	run_free(run);
	run = run_open(&file, 1, &options, NULL, NULL);
	if (run->ranks[0].profile && run->ranks[0].profile->store) {
		print_opened_from(file, "kept", run);
		print_opened_from(file, "fresh", run_open(&file, 1, NULL, NULL, NULL));
	} else {
		run_free(run);
	}
}

/* ---- profiles ---- */

bool sweep_is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* False if it cannot be one. */
static bool make_profile(const char *path, const char *name)
{
	size_t length;

	if (sweep_is_directory(path))
		return symlink(path, name) == 0;
	char *bytes = sweep_read(path, &length), *made;
	made = sweep_read(fuzz_profile((const uint8_t *)bytes, length), &length);
	sweep_write(name, made, length);
	free(bytes);
	free(made);
	return true;
}

static struct run *written_run(const char *name, struct buffer text)
{
	sweep_write(name, text.data, text.length);
	buffer_free(&text);
	return run_open(&name, 1, NULL, NULL, NULL);
}

/* The same work three times, on ranks of which each takes another time for it, and one may have
 * recorded less. */
static void print_ranked(const char *name, const struct buffer *trace, uint64_t seed)
{
	enum { RANKS = 3, LEAN = 8 };
	char paths[RANKS][60];
	const char *files[RANKS];
	for (int i = 0; i < RANKS; i++) {
		struct buffer text =
			rich_repeated(trace, (uint64_t)i + 1, i, i == 0 && seed % LEAN == 0);
		snprintf(paths[i], sizeof paths[i], "%s-%d", name, i);
		files[i] = paths[i];
		sweep_write(paths[i], text.data, text.length);
		buffer_free(&text);
	}
	struct run *run = run_open(files, RANKS, NULL, NULL, NULL);
	if (!run)
		abort();
	print_rows(name, "ranked", run);
	run_free(run);
}

/* Its kernels, gaps and calls are of any length and order, unlike those of real ones. */
static void print_random(uint64_t seed, bool rich)
{
	char name[40], base_name[50];
	snprintf(name, sizeof name, "%s-%llu", rich ? "rich" : "random", (unsigned long long)seed);
	snprintf(base_name, sizeof base_name, "base-%s", name);
	struct buffer trace = rich ? rich_trace(seed) : random_trace(seed), text = { 0 };
	bool against = !rich || seed % 2;
	struct run *base = written_run(base_name, rich ? rich_repeated(&trace, seed, 0, false)
						       : random_trace(seed + 1));
	if (rich && seed % RANKED == 0)
		print_ranked(name, &trace, seed);
	buffer_add(&text, trace.data, trace.length);
	buffer_free(&trace);
	struct run *run = written_run(name, text);
	if (!run || !base)
		abort();
	print_rows(name, "rows", run);
	print_scopes(name, run);
	print_plots(name, run);
	if (rich)
		print_carried(name, run);
	run_compare(run, base);
	if (against)
		print_rows(name, "against", run);
	run_free(run);
	print_kept(name);
	if (rich && seed <= OPENED)
		print_opened(name);
}

/* Its times are such as can be, so that edits are predicted. */
static void print_queued(uint64_t seed)
{
	char name[40];
	snprintf(name, sizeof name, "queued-%llu", (unsigned long long)seed);
	struct run *run = written_run(name, queued_trace(seed));
	print_rows(name, "rows", run);
	print_scopes(name, run);
	run_free(run);
	print_edited(name);
}

static void make_seed(const char *path)
{
	char name[256];
	sweep_name(path, name, sizeof name);
	make_profile(path, name);
}

static void print_seed(const char *path, bool whole, bool scopes)
{
	char name[256];
	const char *file = name;

	sweep_name(path, name, sizeof name);
	struct run *run = make_profile(path, name) ? run_open(&file, 1, NULL, NULL, NULL) : NULL;
	if (!run) {
		unlink(name);
		return;
	}
	print_rows(name, "rows", run);
	if (scopes)
		print_scopes(name, run);
	if (!whole)
		print_plots(name, run);
	run_free(run);
	if (!whole && !sweep_is_directory(path)) {
		print_kept(name);
		print_altered(name, path);
		print_grown(name, path);
		print_damages(name);
	}
}

int main(int count, char **paths)
{
	static const struct {
		const char *option;
		void (*print)(const char *path);
	} others[] = { { "--make", make_seed },
		       { "--advice", print_advice },
		       { "--dump", print_database },
		       { "--edited", print_edited } };
	const char *option = count > 1 ? paths[1] : "";
	bool rows = strcmp(option, "--rows") == 0, whole = rows || strcmp(option, "--whole") == 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (strcmp(option, others[i].option) != 0)
			continue;
		for (int path = 2; path < count; path++)
			others[i].print(paths[path]);
		return 0;
	}
	for (int i = whole ? 2 : 1; i < count; i++)
		if (strncmp(paths[i], "random/", 7) == 0)
			print_random(strtoull(paths[i] + 7, NULL, 10), false);
		else if (strncmp(paths[i], "rich/", 5) == 0)
			print_random(strtoull(paths[i] + 5, NULL, 10), true);
		else if (strncmp(paths[i], "queued/", 7) == 0)
			print_queued(strtoull(paths[i] + 7, NULL, 10));
		else
			print_seed(paths[i], whole, !rows);
	return 0;
}
