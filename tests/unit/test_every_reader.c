/*
 * Small files of every format, damaged in every way that no reader may trust: each opens, or is
 * refused in one sentence.
 */
#include "../fuzz/fuzz.h"
#include "file_case.h"
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "input/reader.h"
#include "model/compile_log.h"
#include "model/flight.h"
#include "model/python_stats.h"
#include "model/snapshot.h"
#include "model/summary_tables.h"
#include "model/tool.h"
#include "model/totals.h"
#include "session/load.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUTS = SLOW ? 14 : 24, CHANGES = SLOW ? 5 : 9, MEMORY_MAX = 200 << 20 };

/* Folders of the fuzz targets' seeds. Lines of a database are made one; see fuzz_profile. */
static const char *const formats[] = { "ascend", "compile", "dlprof",   "documents", "kineto",
				       "ncu",    "nsys",    "nvprof",   "perfetto",  "pyprof",
				       "python", "rocm",    "snapshot", "xplane" };

static uint64_t random_state = 7;

struct file {
	const char *path;
	char *bytes;
	size_t length;
	bool is_database;
};

static struct buffer formats_opened; /* the formats of the files, a line each */

/* ---- what must hold ---- */

static void check_refusal(const struct error *error)
{
	assert_true(error->code == ERROR_INPUT || error->code == ERROR_MEMORY ||
		    error->code == ERROR_LIMIT);
	assert_true(strlen(error->message) > 5);
	assert_null(strchr(error->message, '\n'));
}

static void check_rows(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t parent = profile->span_parent[i];
		assert_true(profile->span_size[i] >= 1 && profile->span_dur[i] >= 0);
		assert_true(parent == NO_ROW ||
			    (parent < i &&
			     parent + profile->span_size[parent] >= i + profile->span_size[i]));
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		assert_true(profile->activity_dur[i] >= 0);
		assert_true(launch == NO_ROW || launch < profile->spans);
	}
	for (uint32_t i = 0; i < profile->track_count; i++)
		assert_true(profile->tracks[i].process < profile->process_count);
}

/* What it takes is at least what its parts do. */
static void check_size(const struct profile *profile)
{
	size_t parts = intern_size(profile->strings) + arena_size(profile->arena) +
		       python_stats_size(profile->python) + snapshot_size(profile->snapshot) +
		       totals_size(profile->totals) + flight_size(profile->flight) +
		       compile_log_size(profile->compile) + summary_tables_size(profile->tables);
	if (profile->tool_data)
		parts += profile->tool_data->size(profile->tool_data);
	assert_true(profile_size(profile) >= parts);
	assert_true(profile_size(profile) < parts + (MEMORY_MAX));
}

/* Open it, and two of the views; true if it opens. */
static bool open_or_refuse(const char *path)
{
	struct error error = { 0 };
	size_t before = mem_used();
	struct run *run = run_open(&path, 1, NULL, NULL, &error);

	if (run) {
		struct rank *rank = run_acquire(run, run->ranks[0].number, NULL, NULL);
		assert_non_null(rank);
		check_rows(rank->profile);
		check_size(rank->profile);
		buffer_printf(&formats_opened, "%s\n", rank->profile->format);
		run_release(run, rank);
		fuzz_look_at(run);
	} else {
		check_refusal(&error);
	}
	assert_true(mem_used() - before < MEMORY_MAX);
	run_free(run);
	return run != NULL;
}

/* ---- the files ---- */

/* Call DAMAGE for files of every format, under sanitizers each EVERYth; count the files. */
static size_t with_every_file(void (*damage)(const struct file *file), size_t every)
{
	size_t count = 0;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char folder[1024], path[2048];
		snprintf(folder, sizeof folder, "%s/%s", source_path("tests/fuzz/seeds"),
			 formats[i]);
		DIR *entries = opendir(folder);
		assert_non_null(entries);
		for (const struct dirent *entry; (entry = readdir(entries));) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
			struct file file = { .path = path };
			file.bytes = read_whole(path, &file.length);
			file.is_database =
				fuzz_is_database((const uint8_t *)file.bytes, file.length);
			if (test_sampled(count, every))
				damage(&file);
			mem_free(file.bytes);
			count++;
		}
		closedir(entries);
	}
	return count;
}

static bool open_bytes(const struct file *file, const char *bytes, size_t length)
{
	const uint8_t *data = (const uint8_t *)bytes;
	return open_or_refuse(file->is_database ? fuzz_database(data, length)
						: fuzz_file(data, length));
}

/* ---- damage ---- */

/* A cut database is a cut file, not a cut list of rows. */
static void cut(const struct file *file)
{
	struct file whole = *file;
	if (file->is_database)
		whole.bytes = read_whole(fuzz_database((const uint8_t *)file->bytes, file->length),
					 &whole.length);
	for (int i = 0; i < CUTS; i++)
		open_or_refuse(fuzz_file((const uint8_t *)whole.bytes,
					 random_below(&random_state, whole.length)));
	if (file->is_database)
		mem_free(whole.bytes);
}

/* Bytes become 0xff or 0: sizes, counts and tags of binary formats. */
static void absurd_bytes(const struct file *file)
{
	struct file whole = *file;
	if (file->is_database)
		whole.bytes = read_whole(fuzz_database((const uint8_t *)file->bytes, file->length),
					 &whole.length);
	char *copy = mem_alloc(whole.length);
	for (int i = 0; i < CHANGES; i++) {
		memcpy(copy, whole.bytes, whole.length);
		size_t at = random_below(&random_state, whole.length),
		       many = 1 + random_below(&random_state, 9);
		for (size_t k = at; k < at + many && k < whole.length; k++)
			copy[k] = i % 3 ? (char)0xff : i % 2 ? 0x7f : 0;
		open_or_refuse(fuzz_file((const uint8_t *)copy, whole.length));
	}
	mem_free(copy);
	if (file->is_database)
		mem_free(whole.bytes);
}

/* End of the value at AT: a number, or a quoted text. */
static size_t value_end(const struct file *file, size_t at)
{
	char quote = file->bytes[at];
	size_t end = at + 1;
	if (quote == '"' || quote == '\'') {
		while (end < file->length && file->bytes[end] != quote)
			end++;
		return end < file->length ? end + 1 : end;
	}
	while (end < file->length && strchr("0123456789.eE+-", file->bytes[end]) &&
	       file->bytes[end])
		end++;
	return end;
}

static bool starts_value(const struct file *file, size_t at)
{
	char c = file->bytes[at], before = at ? file->bytes[at - 1] : ' ';
	if (c == '"' || c == '\'')
		return strchr(":=,[( ", before) != NULL;
	return c >= '0' && c <= '9' && !(before >= '0' && before <= '9') && before != '.';
}

/* Values of another type, and numbers beyond all types. */
static void wrong_types(const struct file *file)
{
	static const char *const documents[] = { "null", "\"x\"", "[]",    "{}",
						 "true", "-1",    "1e999", "99999999999999999999",
						 "",     "NaN" };
	static const char *const rows[] = {
		"'x'", "",      "x'00ff'", "9223372036854775807", "-9223372036854775808",
		"-1",  "1e308", "@100000"
	};
	size_t count = 0, opened = 0;
	for (int i = 0; i < CHANGES; i++) {
		size_t at = random_below(&random_state, file->length), tries = 0;
		while (!starts_value(file, at) && tries++ < file->length)
			at = (at + 1) % file->length;
		if (!starts_value(file, at))
			return; /* binary */
		struct buffer changed = { 0 };
		size_t end = value_end(file, at);
		buffer_add(&changed, file->bytes, at);
		buffer_puts(
			&changed,
			file->is_database
				? rows[random_below(&random_state, sizeof rows / sizeof *rows)]
				: documents[random_below(&random_state,
							 sizeof documents / sizeof *documents)]);
		buffer_add(&changed, file->bytes + end, file->length - end);
		opened += open_bytes(file, changed.data, changed.length);
		count++;
		buffer_free(&changed);
	}
	/* one wrong value of a database is no reason to refuse the rest */
	if (file->is_database && opened <= count / 2)
		fail_msg("opened %zu of %zu times: %s", opened, count, file->path);
}

/* A view that never ends in place of each table. */
static void endless_views(const struct file *file)
{
	char *names[64];
	size_t count = 0;
	if (!file->is_database)
		return;
	for (size_t i = 0; i == 0 || i < count; i++) {
		const char *path = fuzz_database((const uint8_t *)file->bytes, file->length);
		sqlite3 *db;
		sqlite3_stmt *list = NULL;
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		if (i == 0) {
			assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master",
							    -1, &list, NULL),
					 SQLITE_OK);
			while (count < 64 && sqlite3_step(list) == SQLITE_ROW)
				names[count++] =
					mem_strdup((const char *)sqlite3_column_text(list, 0));
			sqlite3_finalize(list);
		}
		char *sql = sqlite3_mprintf(
			"CREATE TABLE kept AS SELECT * FROM \"%w\"; DROP TABLE \"%w\";"
			"CREATE VIEW \"%w\" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT"
			" i + 1 FROM n) SELECT kept.* FROM n, kept",
			names[i], names[i], names[i]);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_free(sql);
		sqlite3_close(db);
		open_or_refuse(path);
	}
	while (count)
		mem_free(names[--count]);
}

static void whole(const struct file *file)
{
	if (!open_bytes(file, file->bytes, file->length))
		fail_msg("refused: %s", file->path);
}

/* ---- tests ---- */

enum { FILES_MIN = 40 };

TEST(whole_files_open)
{
	assert_true(with_every_file(whole, 1) >= FILES_MIN);
}

TEST(every_reader_has_a_file)
{
	for (const struct tool *const *tool = tools; *tool; tool++)
		for (const struct reader *const *reader = (*tool)->readers; reader && *reader;
		     reader++)
			if ((*reader)->format &&
			    !strstr(buffer_text(&formats_opened), (*reader)->format))
				fail_msg("no file in tests/fuzz/seeds: %s", (*reader)->format);
	buffer_free(&formats_opened);
}

TEST(cut_anywhere)
{
	with_every_file(cut, 3);
}

TEST(absurd_bytes)
{
	with_every_file(absurd_bytes, 3);
}

TEST(wrong_types)
{
	with_every_file(wrong_types, 3);
}

TEST(endless_views)
{
	with_every_file(endless_views, 3);
}

/* Fields within fields, each claiming the length of the rest. */
TEST(nested_lengths)
{
	enum { DEPTH = 100000 };
	for (int tag = 1; tag < 8; tag++) {
		if (!test_sampled((size_t)tag, 3))
			continue;
		struct buffer bytes = { 0 };
		for (uint32_t i = 0; i < DEPTH; i++) {
			uint32_t left = (DEPTH - i - 1) * 5;
			buffer_putc(&bytes, (char)(tag << 3 | 2));
			for (int k = 0; k < 3; k++, left >>= 7)
				buffer_putc(&bytes, (char)((left & 0x7f) | 0x80));
			buffer_putc(&bytes, (char)(left & 0x7f));
		}
		open_or_refuse(fuzz_file((const uint8_t *)bytes.data, bytes.length));
		buffer_free(&bytes);
	}
}
