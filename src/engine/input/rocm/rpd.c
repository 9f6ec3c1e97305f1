#include "base/error.h"
#include "input/readers.h"
#include "input/rocm/rpd_private.h"

static bool rpd_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "rocpd_op") &&
	       sqlite_database_has(database, "rocpd_api") &&
	       sqlite_database_has(database, "rocpd_string");
}

static void read_version(const struct rpd *rpd)
{
	sqlite_each (rows, rpd->database, "rocpd_metadata", "tag:text! value:text!", 2) {
		size_t length;
		const char *tag = sqlite_text(rows, 0, &length);
		bool wanted = tag && strcmp(tag, "schema_version") == 0;
		const char *value = wanted ? sqlite_text(rows, 1, &length) : NULL;
		if (value && !profile_metadata(rpd->profile, "RPD schema"))
			builder_metadata(rpd->builder, profile_intern(rpd->profile, "RPD schema"),
					 intern_add(rpd->profile->strings, value, length));
	}
}

static void rpd_read_all(struct rpd *rpd)
{
	sqlite_database_expect(rpd->database,
			       "rocpd_api,rocpd_api_ops,rocpd_op,rocpd_kernelapi,rocpd_copyapi",
			       "");
	read_version(rpd);
	rpd->strings = sqlite_strings(rpd->database, "rocpd_string", "id! string:text!");
	rpd->long_strings = sqlite_strings(rpd->database, "rocpd_ustring", "id! string:text!");
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
			   .calls = hash_new(1024),
			   .operations = hash_new(1024),
			   .process = NO_ROW };
	rpd_read_all(&rpd);
	nvtx_free(rpd.nvtx);
	hash_free_all(rpd.strings, rpd.long_strings);
	id_table_clear(&rpd.operators);
	id_table_clear(&rpd.launches);
	id_table_clear(&rpd.copies);
	id_table_clear(&rpd.links);
	hash_free_all(rpd.calls, rpd.operations);
	return true;
}

const struct reader rpd_reader = {
	.format = "RPD database (SQLite)",
	.recognize_database = rpd_recognize,
	.read_database = rpd_read,
	.empty =
		"is an RPD database without API calls, kernels or ranges; record with: runTracer.sh"
};
