/*
 * Writes the profiles that seeds of the fuzz targets stand for, and prints what all views say of
 * them:
 *
 *     rows SEED...      each becomes FOLDER-NAME in the working directory, its rows
 * FOLDER-NAME.rows, in narrower scopes FOLDER-NAME.scopes, all plots FOLDER-NAME.plots, what is
 * read when single numbers or words of the seed are others or names lack FOLDER-NAME.altered, and
 * what is kept of the profile when it is damaged FOLDER-NAME.damaged; "random/7", which needs no
 * file, is a random trace, whose rows against the next one are random-7.against
 *
 * With --whole only .rows and .scopes are written, with --rows only .rows, with --make nothing but
 * the profiles; with --advice only FOLDER-NAME.advice: all findings, also with single durations
 * longer or shorter, and of recordings that lack something. A seed that is no
 * profile leaves no file; one that is a directory is a link there. The rows are those of every view
 * and grouping, with the orders of every column, and of the first rows details, links and what they
 * lead to.
 */
#include "../fuzz/fuzz.h"
#include "../unit/random_trace.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/scope.h"
#include "picture/plot/plot_print.h"
#include "session/load.h"
#include "table/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 30, ORDERED = 8, DETAILS = 4, ALL_OF = 7, SEED_MAX = 8 << 20 };

static void *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(SEED_MAX + 1); /* and a NUL, for texts */

	if (!file || !bytes)
		abort();
	*length = fread(bytes, 1, SEED_MAX, file);
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
		abort();
}

/* The last two parts of the path, joined by '-'. */
static void name_seed(const char *path, char *name, size_t size)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start > path && start[-1] != '/')
		start--;
	snprintf(name, size, "%.*s-%s", (int)(end - start), start, end + 1);
}

static void print_row(FILE *out, const struct table *table, size_t row)
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
			print_row(out, table, row);
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
		print_row(out, table, row);
	if (table)
		print_orders(out, table);
	for (size_t row = 0; table && row < table->rows && row < DETAILS; row++)
		print_detail(out, run, &scope, view, table_ref(table, row));
	table_free(table);
	scope_clear(&scope);
}

/* FILE with ENDING, to print to. */
static FILE *open_text(const char *file, const char *ending)
{
	char path[300];

	snprintf(path, sizeof path, "%s.%s", file, ending);
	FILE *out = fopen(path, "w");
	if (!out)
		abort();
	return out;
}

static bool is_listed(const struct view *view)
{
	/* the size of a database and of memory depend on the machine */
	return strcmp(view->name, "info") != 0;
}

static void print_rows(const char *file, const char *ending, const struct run *run)
{
	FILE *out = open_text(file, ending);

	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		if (!is_listed(view))
			continue;
		print_view(out, run, view, NULL);
		for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			print_view(out, run, view, view->groups[group]);
	}
	fclose(out);
}

/* ---- narrower scopes ---- */

static void print_scope(FILE *out, const struct run *run, const char *title,
			const struct scope *scope)
{
	fprintf(out, "=== %s\n", title);
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		struct error error = { 0 };
		struct table *table =
			is_listed(view) ? view_build(view, run, scope, NULL, NULL, &error) : NULL;
		fprintf(out, "== %s %zu %s\n", view->name, table ? table->rows : 0,
			table ? table->note ?: "" : error.message);
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
			print_row(out, table, row);
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
		print_scope(out, run, title, &scope);
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
	print_scope(out, run, "the middle", &scope);
	if (profile->activities > 2) {
		uint32_t at = profile->activities / 2;
		scope.time_first = profile->activity_start[at];
		scope.time_last = profile->activity_start[at] + profile->activity_dur[at];
		print_scope(out, run, "of an activity", &scope);
		scope.time_first++;
		scope.time_last--;
		print_scope(out, run, "within an activity", &scope);
	}
	scope_clear(&scope);
}

/* What a row in the middle of these views leads to. */
static void print_drilled(FILE *out, const struct run *run)
{
	static const char *const views[] = { "layers", "operators", "steps", "kernels" };
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		const struct view *next;
		struct scope all, narrower;
		scope_init(&all);
		struct table *table = view_build(view_find(views[i]), run, &all, NULL, NULL, NULL);
		if (table && table->rows &&
		    view_drill(run, table_ref(table, table->rows / 2), &all, &next, &narrower)) {
			print_scope(out, run, views[i], &narrower);
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
	FILE *out = open_text(file, "scopes");

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
	FILE *out = open_text(file, "plots");
	for (size_t i = 0; plot_at(i); i++)
		for (int group = 0; group < PLOT_GROUPS_MAX && plot_at(i)->groups[group].name;
		     group++)
			print_plot(out, run, plot_at(i), &plot_at(i)->groups[group]);
	fclose(out);
}

/* ---- profiles ---- */

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* False if it cannot be one. */
static bool make_profile(const char *path, const char *name)
{
	size_t length;

	if (is_directory(path))
		return symlink(path, name) == 0;
	char *bytes = read_file(path, &length), *made;
	made = read_file(fuzz_profile((const uint8_t *)bytes, length), &length);
	write_file(name, made, length);
	free(bytes);
	free(made);
	return true;
}

/* ---- altered seeds ---- */

/* What is altered: numbers, and words of some length. */
static bool is_part(char byte, bool words)
{
	bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
	return words ? letter : byte >= '0' && byte <= '9';
}

/* Length of the number or word that begins at AT; 0: none does. */
static size_t part_at(const char *bytes, size_t length, size_t at, bool words)
{
	enum { WORD_MIN = 3 };
	size_t end = at;
	if (at > 0 && is_part(bytes[at - 1], words))
		return 0;
	while (end < length && is_part(bytes[end], words))
		end++;
	return words && end - at < WORD_MIN ? 0 : end - at;
}

/* The place of part NUMBER, from 0; their count past the last. */
static size_t find_part(const char *bytes, size_t length, bool words, size_t number, size_t *place)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++)
		if (part_at(bytes, length, i, words) && count++ == number)
			*place = i;
	return count;
}

/* The seed with LENGTH_OLD bytes from PLACE on written as TEXT. */
static void alter(struct buffer *out, const char *bytes, size_t length, size_t place,
		  size_t length_old, const char *text, size_t length_text)
{
	buffer_add(out, bytes, place);
	buffer_add(out, text, length_text);
	buffer_add(out, bytes + place + length_old, length - place - length_old);
}

/* What the views say that show what was read, or all. */
static void print_read(FILE *out, const char *file, bool all)
{
	static const char reading[] = "spans launches operators counters metrics devices python "
				      "attributes compiles collectives memory-events steps";
	struct error error = { 0 };
	struct run *run = run_open(&file, 1, NULL, NULL, &error);
	struct scope scope;
	if (!run) {
		fprintf(out, "%s\n", error.message);
		return;
	}
	scope_init(&scope);
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		bool wanted = all ? is_listed(view) : text_is_listed(reading, view->name);
		struct table *table =
			wanted ? view_build(view, run, &scope, NULL, NULL, NULL) : NULL;
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
			print_row(out, table, row);
		table_free(table);
	}
	scope_clear(&scope);
	run_free(run);
}

/* What of the file was kept, and what was lost. */
static void print_damaged(FILE *out, const struct buffer *bytes, const char *title)
{
	static const char *const path = "damaged";
	struct error error = { 0 };
	fprintf(out, "== %s\n", title);
	write_file(path, bytes->data, bytes->length);
	struct run *run = run_open(&path, 1, NULL, NULL, &error);
	struct rank *rank = run ? run_acquire(run, run->ranks[0].number, NULL, &error) : NULL;
	for (size_t i = 0; rank && i < rank->profile->damage_count; i++)
		fprintf(out, "%s: %llu\n", rank->profile->damages[i].cause,
			(unsigned long long)rank->profile->damages[i].count);
	if (rank)
		run_release(run, rank);
	run_free(run);
	print_read(out, path, false);
	unlink(path);
}

static void print_variant(FILE *out, const struct buffer *seed, bool all)
{
	size_t size;
	char *made = read_file(fuzz_profile((const uint8_t *)seed->data, seed->length), &size);
	write_file("altered", made, size);
	free(made);
	print_read(out, "altered", all);
	unlink("altered");
}

/* A number becomes negative, zero, too large, missing, a fraction or text. */
static void print_number(FILE *out, const char *bytes, size_t length, size_t number, size_t variant)
{
	static const char *const texts[] = {
		"-1", "0", "99999999999999999999", "", "1.5", "x", "3"
	};
	const char *text = texts[variant % (sizeof texts / sizeof *texts)];
	struct buffer seed = { 0 };
	size_t place = 0;
	find_part(bytes, length, false, number, &place);
	alter(&seed, bytes, length, place, part_at(bytes, length, place, false), text,
	      strlen(text));
	fprintf(out, "== number %zu: \"%s\"\n", number, text);
	print_variant(out, &seed, variant % ALL_OF == 0);
	buffer_free(&seed);
}

/* A word becomes the next one but OTHER. */
static void print_word(FILE *out, const char *bytes, size_t length, size_t number, size_t other)
{
	struct buffer seed = { 0 };
	size_t place = 0, from = 0;
	size_t words = find_part(bytes, length, true, number, &place);
	find_part(bytes, length, true, (number + 1 + other) % words, &from);
	alter(&seed, bytes, length, place, part_at(bytes, length, place, true), bytes + from,
	      part_at(bytes, length, from, true));
	fprintf(out, "== word %zu\n", number);
	print_variant(out, &seed, other % ALL_OF == 0);
	buffer_free(&seed);
}

static bool is_word(char byte)
{
	return is_part(byte, true) || is_part(byte, false);
}

/* Length of the name AT of a member of JSON, or of a column of a database; 0: there is none. */
static size_t name_at(const char *bytes, size_t length, size_t at)
{
	size_t end = at;
	if (!at || is_word(bytes[at - 1]) || !is_part(bytes[at], true))
		return 0;
	while (end < length && is_word(bytes[end]))
		end++;
	bool quoted = (bytes[at - 1] == '"' || bytes[at - 1] == '\'') && end + 1 < length &&
		      bytes[end] == bytes[at - 1] && bytes[end + 1] == ':';
	bool column = bytes[at - 1] == ' ' && end < length && bytes[end] == '=';
	return quoted || column ? end - at : 0;
}

/* Names of members and columns, some of them, are others: recordings of another version lack them.
 */
static void print_lacking(FILE *out, const char *bytes, size_t length)
{
	enum { NAMES = 400, VARIANTS = 100 };
	struct {
		size_t at, length;
	} names[NAMES];
	size_t count = 0;
	for (size_t i = 0; i < length && count < NAMES; i++) {
		size_t size = name_at(bytes, length, i), known = 0;
		while (known < count && (names[known].length != size ||
					 memcmp(bytes + names[known].at, bytes + i, size) != 0))
			known++;
		if (size > 1 && known == count)
			names[count].at = i, names[count++].length = size;
	}
	size_t variants = count < VARIANTS ? count : VARIANTS;
	for (size_t i = 0; i < variants; i++) {
		const char *name = bytes + names[i * count / variants].at;
		size_t size = names[i * count / variants].length;
		struct buffer seed = { 0 };
		buffer_add(&seed, bytes, length);
		for (size_t at = 0; at < length; at++)
			if (name_at(bytes, length, at) == size &&
			    memcmp(bytes + at, name, size) == 0)
				seed.data[at + size - 1] = '0';
		fprintf(out, "== without %.*s\n", (int)size, name);
		print_variant(out, &seed, false);
		buffer_free(&seed);
	}
}

/* Numbers and words all over the seed, one at a time, and as often as VARIANTS. */
static void print_altered(const char *file, const char *path)
{
	enum { VARIANTS = 28, TEXTS = 7, LARGEST = 16 << 10 };
	size_t length, place;
	char *bytes = read_file(path, &length);
	bool small = length <= LARGEST;
	size_t numbers = small ? find_part(bytes, length, false, SIZE_MAX, &place) : 0;
	size_t words = small ? find_part(bytes, length, true, SIZE_MAX, &place) : 0;
	FILE *out = open_text(file, "altered");
	for (size_t i = 0; i < VARIANTS && numbers; i++)
		print_number(out, bytes, length, (i * numbers / VARIANTS + i / TEXTS) % numbers, i);
	for (size_t i = 0; i < VARIANTS && words > 1; i++)
		print_word(out, bytes, length, (i * words / VARIANTS) % words, i);
	if (small)
		print_lacking(out, bytes, length);
	fclose(out);
	free(bytes);
}

/* ---- damaged profiles ---- */

/* The file ends early, and some of its bytes are none that were written. */
static void print_broken(FILE *out, const char *bytes, size_t length)
{
	enum { CUTS = 3, PLACES = 7, BYTES = 6 };
	char title[40];
	for (size_t i = 1; i <= CUTS; i++) {
		struct buffer cut = { 0 };
		buffer_add(&cut, bytes, length * i / (CUTS + 1));
		snprintf(title, sizeof title, "cut %zu", i);
		print_damaged(out, &cut, title);
		buffer_free(&cut);
	}
	for (size_t i = 1; i < 3; i++) { /* it begins again, after its end or before */
		struct buffer twice = { 0 };
		buffer_add(&twice, bytes, length * i / 2);
		buffer_add(&twice, bytes, length);
		snprintf(title, sizeof title, "again %zu", i);
		print_damaged(out, &twice, title);
		buffer_free(&twice);
	}
	for (size_t i = 0; i < PLACES; i++) {
		struct buffer wrong = { 0 };
		size_t place = length * (2 * i + 1) / (2 * PLACES);
		size_t end = place + BYTES < length ? place + BYTES : length;
		const char *text = i % 2 ? "\xff\xff\xff\xff\xff\xff" : "\0\0\0\0\0\0";
		alter(&wrong, bytes, length, place, end - place, text, end - place);
		snprintf(title, sizeof title, "bytes %zu", i);
		print_damaged(out, &wrong, title);
		buffer_free(&wrong);
	}
}

static bool is_quote(char byte)
{
	return byte == '"' || byte == '\'';
}

/* Length of the number or text AT, the value of a key in JSON or a literal of Python; 0: there is
 * none. */
static size_t value_at(const char *bytes, size_t length, size_t at)
{
	size_t colon = at, end = at;
	while (colon && bytes[colon - 1] == ' ')
		colon--;
	if (colon < 2 || bytes[colon - 1] != ':' || !is_quote(bytes[colon - 2]))
		return 0;
	if (is_quote(bytes[at])) {
		for (end++; end < length && bytes[end] != bytes[at];)
			end++;
		return end < length ? end + 1 - at : 0;
	}
	while (end < length && ((bytes[end] >= '0' && bytes[end] <= '9') || bytes[end] == '.'))
		end++;
	return end - at;
}

/* The place of value NUMBER, from 0; their count past the last. */
static size_t find_value(const char *bytes, size_t length, size_t number, size_t *place)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++)
		if (value_at(bytes, length, i) && count++ == number)
			*place = i;
	return count;
}

/* The value is of another type or too large, or the key is there twice, with another value. */
static void print_mistyped(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 18 };
	static const char *const texts[] = { "\"x\"", "[1]", "{\"a\":1}", "true",
					     "null",  NULL,  "1e400",     "-9223372036854775808" };
	size_t place = 0, values = find_value(bytes, length, SIZE_MAX, &place);
	for (size_t i = 0; i < VARIANTS && values; i++) {
		const char *text = texts[i % (sizeof texts / sizeof *texts)];
		struct buffer changed = { 0 }, twice = { 0 };
		char title[40];
		size_t number = i * values / VARIANTS;
		find_value(bytes, length, number, &place);
		size_t size = value_at(bytes, length, place), key = place;
		if (!text) {
			for (int quotes = 0; quotes < 2;)
				quotes += is_quote(bytes[--key]);
			buffer_add(&twice, bytes + place, size);
			buffer_puts(&twice, ", ");
			buffer_add(&twice, bytes + key, place - key);
			buffer_puts(&twice, "5");
		}
		alter(&changed, bytes, length, place, size, text ?: buffer_text(&twice),
		      text ? strlen(text) : twice.length);
		snprintf(title, sizeof title, "value %zu: %s", number, text ?: "twice");
		print_damaged(out, &changed, title);
		buffer_free(&changed);
		buffer_free(&twice);
	}
}

static void print_damages(const char *file)
{
	enum { LARGEST = 128 << 10 };
	size_t length;
	char *bytes = read_file(file, &length);
	FILE *out = open_text(file, "damaged");
	if (length <= LARGEST) {
		print_broken(out, bytes, length);
		print_mistyped(out, bytes, length);
	}
	fclose(out);
	free(bytes);
}

/* ---- findings, on both sides of what decides them ---- */

/* All cells of all findings, also of checks that passed or lack data. */
static void print_findings(FILE *out, const char *file)
{
	struct error error = { 0 };
	struct buffer text = { 0 };
	struct scope scope;
	struct run *run = run_open(&file, 1, NULL, NULL, &error);
	if (!run) {
		fprintf(out, "%s\n", error.message);
		return;
	}
	scope_init(&scope);
	struct table *advice = view_build(view_find("advice"), run, &scope, "all", NULL, NULL);
	for (size_t row = 0; advice && row < advice->rows; row++) {
		for (size_t column = 0; column < advice->columns; column++) {
			table_format(&text, advice, row, column, true);
			buffer_putc(&text, '|');
		}
		buffer_putc(&text, '\n');
	}
	fprintf(out, "%s", buffer_text(&text));
	buffer_free(&text);
	table_free(advice);
	scope_clear(&scope);
	run_free(run);
}

/* Where the value of the next duration after AT begins; NULL: there is none. */
static const char *next_duration(const char *at)
{
	static const char key[] = "\"dur\":";
	at = strstr(at, key);
	return at ? at + sizeof key - 1 : NULL;
}

static void print_changed(FILE *out, const char *title, const struct buffer *text)
{
	fprintf(out, "== %s\n", title);
	write_file("altered", text->data, text->length);
	print_findings(out, "altered");
	unlink("altered");
}

/*
 * Durations all over the trace, one at a time, become longer or shorter: a little, which crosses
 * the limits of detectors that are near, or much.
 */
static void print_durations(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 7 };
	static const double factors[VARIANTS] = { 1.08, 0.5, 0.92, 3, 0, 1.3, 0.7 };
	size_t count = 0;
	for (const char *at = bytes; (at = next_duration(at));)
		count++;
	for (size_t i = 0; i < VARIANTS && i < count; i++) {
		size_t number = count < VARIANTS ? i : i * count / VARIANTS;
		const char *at = next_duration(bytes);
		for (size_t left = number; left; left--)
			at = next_duration(at);
		char changed[40], title[100], *end;
		snprintf(changed, sizeof changed, "%.3f", strtod(at, &end) * factors[i]);
		snprintf(title, sizeof title, "duration %zu: %s", number, changed);
		struct buffer text = { 0 };
		alter(&text, bytes, length, (size_t)(at - bytes), (size_t)(end - at), changed,
		      strlen(changed));
		print_changed(out, title, &text);
		buffer_free(&text);
	}
}

/* What some recordings lack, or have in its place. */
static void print_without(FILE *out, const char *bytes)
{
	static const char *const words[][2] = {
		{ "deviceProperties", "properties" },
		{ "Input Dims", "Dims" },
		{ "\"correlation\"", "\"number\"" },
		{ "python_function", "user_annotation" },
		{ "In msg nelems", "Elements" },
		{ "allreduce", "reduce_scatter" },
		{ "ProfilerStep#", "Part " },
		{ "cuda_runtime", "cpu_op" },
		{ "Pinned", "Pageable" },
		{ "[\"c10::Half\"", "[\"\"" },
		{ "cpu_op", "user_annotation" },
		{ "\"grid\"", "\"size\"" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *from = bytes, *at;
		struct buffer text = { 0 };
		for (; (at = strstr(from, words[i][0])); from = at + strlen(words[i][0])) {
			buffer_add(&text, from, (size_t)(at - from));
			buffer_puts(&text, words[i][1]);
		}
		buffer_puts(&text, from);
		if (from != bytes)
			print_changed(out, words[i][1], &text);
		buffer_free(&text);
	}
}

static void print_advice(const char *path)
{
	char name[256];
	size_t length;
	name_seed(path, name, sizeof name);
	FILE *out = open_text(name, "advice");
	print_findings(out, path);
	char *bytes = is_directory(path) ? NULL : read_file(path, &length);
	if (bytes) {
		bytes[length] = '\0';
		print_durations(out, bytes, length);
		print_without(out, bytes);
	}
	fclose(out);
	free(bytes);
}

static struct run *random_run(const char *name, uint64_t seed)
{
	struct buffer text = random_trace(seed);
	write_file(name, text.data, text.length);
	buffer_free(&text);
	return run_open(&name, 1, NULL, NULL, NULL);
}

/* Its kernels, gaps and calls are of any length and order, unlike those of real ones. */
static void print_random(uint64_t seed)
{
	char name[40];
	snprintf(name, sizeof name, "random-%llu", (unsigned long long)seed);
	struct run *base = random_run(name, seed + 1), *run = random_run(name, seed);
	if (!run || !base)
		abort();
	print_rows(name, "rows", run);
	print_scopes(name, run);
	print_plots(name, run);
	run_compare(run, base);
	print_rows(name, "against", run);
	run_free(run);
}

static void make_seed(const char *path)
{
	char name[256];
	name_seed(path, name, sizeof name);
	make_profile(path, name);
}

static void print_seed(const char *path, bool whole, bool scopes)
{
	char name[256];
	const char *file = name;

	name_seed(path, name, sizeof name);
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
	if (!whole && !is_directory(path)) {
		print_altered(name, path);
		print_damages(name);
	}
}

int main(int count, char **paths)
{
	bool rows = count > 1 && strcmp(paths[1], "--rows") == 0;
	bool make = count > 1 && strcmp(paths[1], "--make") == 0;
	bool advice = count > 1 && strcmp(paths[1], "--advice") == 0;
	bool whole = rows || make || advice || (count > 1 && strcmp(paths[1], "--whole") == 0);
	for (int i = whole ? 2 : 1; i < count; i++)
		if (make)
			make_seed(paths[i]);
		else if (advice)
			print_advice(paths[i]);
		else if (strncmp(paths[i], "random/", 7) == 0)
			print_random(strtoull(paths[i] + 7, NULL, 10));
		else
			print_seed(paths[i], whole, !rows);
	return 0;
}
