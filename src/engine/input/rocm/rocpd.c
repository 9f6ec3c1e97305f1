#include "input/rocm/rocpd_private.h"

#include "base/error.h"
#include "input/cuda/cuda_memory.h"
#include "input/readers.h"

enum { RECORDINGS_MAX = 1024 }; /* limit: recordings in one rocpd database */

#define METADATA "rocpd_metadata"

/* The part of a table's name after PREFIX, or NULL. */
static const char *suffix_of(const char *table, const char *prefix)
{
	size_t length = strlen(prefix);
	return sqlite3_strnicmp(table, prefix, (int)length) == 0 ? table + length : NULL;
}

static bool has_table(const struct sqlite_database *database, const char *name, const char *suffix)
{
	AUTO_BUFFER struct buffer table = { 0 };
	buffer_printf(&table, "%s%s", name, suffix);
	return sqlite_database_has(database, buffer_text(&table));
}

static bool is_recording(const struct sqlite_database *database, const char *suffix)
{
	return has_table(database, "rocpd_kernel_dispatch", suffix) ||
	       has_table(database, "rocpd_region", suffix);
}

static bool rocpd_recognize(const struct sqlite_database *database)
{
	size_t tried = 0;
	for (size_t i = 0; i < database->table_count && tried < RECORDINGS_MAX; i++) {
		const char *suffix = suffix_of(database->tables[i], METADATA);
		tried += suffix != NULL;
		if (suffix && is_recording(database, suffix))
			return true;
	}
	return false;
}

struct sqlite_rows *rocpd_open(struct rocpd *rocpd, const char *name, const char *columns,
			       size_t count)
{
	AUTO_BUFFER struct buffer table = { 0 };
	buffer_printf(&table, "rocpd_%s%s", name, rocpd->suffix);
	struct sqlite_rows *rows =
		sqlite_rows_open(rocpd->database, buffer_text(&table), columns, count);
	return rows;
}

static void rocpd_end(struct rocpd *rocpd)
{
	struct id_table *const tables[] = { &rocpd->agents,  &rocpd->symbols, &rocpd->lanes,
					    &rocpd->samples, &rocpd->threads, &rocpd->pmcs };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		id_table_clear(tables[i]);
	hash_free_all(rocpd->strings, rocpd->categories, rocpd->processes);
	nvtx_free(rocpd->nvtx);
	mem_free(rocpd->events);
}

static void read_recording(struct rocpd *rocpd)
{
	rocpd->nvtx = nvtx_new(rocpd->profile, rocpd->builder);
	rocpd_read_info(rocpd);
	rocpd_read_events(rocpd);
	rocpd_read_device(rocpd);
	rocpd_read_host(rocpd);
	rocpd_read_memory(rocpd);
	rocpd_read_counters(rocpd);
	nvtx_finish(rocpd->nvtx);
	rocpd_end(rocpd);
}

/* Suffixes in the order of their tables, at most RECORDINGS_MAX. */
static size_t list_recordings(const struct sqlite_database *database, const char **suffixes)
{
	size_t count = 0, tried = 0;
	for (size_t i = 0; i < database->table_count; i++) {
		const char *suffix = suffix_of(database->tables[i], METADATA);
		if (suffix && tried++ == RECORDINGS_MAX) {
			profile_damage(database->profile, "more recordings than can be shown",
				       "not loaded", UINT64_MAX);
			break;
		}
		if (suffix && is_recording(database, suffix))
			suffixes[count++] = suffix;
	}
	return count;
}

static bool rocpd_read(struct sqlite_database *database, struct builder *builder,
		       struct error *error)
{
	struct profile *profile = database->profile;
	AUTO_FREE const char **suffixes = mem_alloc(RECORDINGS_MAX * sizeof *suffixes);
	size_t count = list_recordings(database, suffixes);
	int64_t first_node = NO_VALUE;
	profile->ids_per_process = true;
	for (size_t i = 0; i < count; i++)
		sqlite_database_expect(
			database,
			"rocpd_event,rocpd_region,rocpd_sample,rocpd_kernel_dispatch,"
			"rocpd_memory_copy,rocpd_memory_allocate,rocpd_pmc_event",
			suffixes[i]);
	for (size_t i = 0; i < count && sqlite_database_ok(database); i++) {
		struct rocpd rocpd = { .database = database,
				       .profile = profile,
				       .builder = builder,
				       .suffix = suffixes[i],
				       .first_node = first_node };
		read_recording(&rocpd);
		first_node = rocpd.first_node;
	}
	cuda_memory_finish(profile);
	return true;
}

const struct reader rocpd_reader = {
	.format = "rocpd database (SQLite)",
	.recognize_database = rocpd_recognize,
	.read_database = rocpd_read,
	.empty =
		"is a rocpd database without kernels, API calls or markers; record with: rocprofv3 --sys-trace"
};
