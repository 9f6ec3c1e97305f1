#include "base/error.h"
#include "input/rocm/rocm_readers.h"
#include "input/rocm/rpd_private.h"

#include <string.h>

static bool rpd_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "rocpd_op") &&
	       sqlite_database_has(database, "rocpd_api") &&
	       sqlite_database_has(database, "rocpd_string");
}

uint32_t rpd_intern(const struct rpd *rpd, const char *text)
{
	return intern_add(rpd->profile->strings, text, strlen(text));
}

static uint32_t find_string(const struct rpd *rpd, const struct hash *strings, int64_t id)
{
	size_t cursor;
	if (id == NO_VALUE)
		return 0;
	uint32_t string = hash_find(strings, (uint64_t)id, &cursor);
	if (string == NO_ROW)
		profile_damage(rpd->profile, "name missing in the string table",
			       "kept without a name", UINT64_MAX);
	return string == NO_ROW ? 0 : string;
}

uint32_t rpd_string(const struct rpd *rpd, int64_t id)
{
	return find_string(rpd, rpd->strings, id);
}

static struct hash *rpd_read_strings(struct rpd *rpd, const char *table)
{
	static const struct sqlite_column columns[] = { { "id", COLUMN_INT, true },
							{ "string", COLUMN_TEXT, true } };
	struct sqlite_rows *rows = sqlite_rows_open(rpd->database, table, columns, 2);
	struct hash *strings = rows ? hash_new(1024) : NULL;
	while (sqlite_rows_next(rows)) {
		size_t length;
		int64_t id = sqlite_int(rows, 0);
		const char *text = sqlite_text(rows, 1, &length);
		if (id != NO_VALUE && text)
			hash_add(strings, (uint64_t)id,
				 intern_add(rpd->profile->strings, text, length));
	}
	sqlite_rows_close(rows);
	return strings;
}

static void read_version(const struct rpd *rpd)
{
	static const struct sqlite_column columns[] = { { "tag", COLUMN_TEXT, true },
							{ "value", COLUMN_TEXT, true } };
	struct sqlite_rows *rows = sqlite_rows_open(rpd->database, "rocpd_metadata", columns, 2);
	while (sqlite_rows_next(rows)) {
		size_t length;
		const char *tag = sqlite_text(rows, 0, &length);
		bool wanted = tag && strcmp(tag, "schema_version") == 0;
		const char *value = wanted ? sqlite_text(rows, 1, &length) : NULL;
		if (value && !profile_metadata(rpd->profile, "RPD schema"))
			builder_metadata(rpd->builder, rpd_intern(rpd, "RPD schema"),
					 intern_add(rpd->profile->strings, value, length));
	}
	sqlite_rows_close(rows);
}

static void rpd_read_all(struct rpd *rpd)
{
	static const char *const tables[] = { "rocpd_api", "rocpd_api_ops", "rocpd_op",
					      "rocpd_kernelapi", "rocpd_copyapi" };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		sqlite_database_expect(rpd->database, tables[i]);
	read_version(rpd);
	rpd->strings = rpd_read_strings(rpd, "rocpd_string");
	rpd->long_strings = rpd_read_strings(rpd, "rocpd_ustring");
	if (!rpd->strings)
		rpd->strings = hash_new(1);
	rpd_read_host(rpd);
	rpd_read_stacks(rpd);
	rpd_read_device(rpd);
	rpd_read_counters(rpd);
	rpd_read_monitors(rpd);
	nvtx_finish(rpd->nvtx);
}

static bool rpd_read(struct sqlite_database *database, struct builder *builder, struct error *error)
{
	struct profile *profile = database->profile;
	struct rpd rpd = { .database = database,
			   .profile = profile,
			   .builder = builder,
			   .nvtx = nvtx_new(profile, builder),
			   .operator_ids = hash_new(1024),
			   .launch_ids = hash_new(1024),
			   .copy_ids = hash_new(1024),
			   .calls = hash_new(1024),
			   .operations = hash_new(1024),
			   .process = NO_ROW };
	rpd_read_all(&rpd);
	nvtx_free(rpd.nvtx);
	hash_free(rpd.strings);
	hash_free(rpd.long_strings);
	hash_free(rpd.operator_ids);
	hash_free(rpd.launch_ids);
	hash_free(rpd.copy_ids);
	hash_free(rpd.calls);
	hash_free(rpd.operations);
	mem_free(rpd.operators);
	mem_free(rpd.launches);
	mem_free(rpd.links);
	if (sqlite_database_ok(database) && !profile->spans && !profile->activities &&
	    !profile->counter_count)
		return error_set(
			error, ERROR_INPUT,
			"is an RPD database without API calls, kernels or ranges; record with: runTracer.sh");
	return sqlite_database_ok(database);
}

const struct reader rpd_reader = { .format = "RPD database (SQLite)",
				   .recognize_database = rpd_recognize,
				   .read_database = rpd_read };
