#include "input/database.h"

#include "base/error.h"
#include "input/reader.h"
#include "input/sqlite/sqlite_pages.h"
#include "input/timeline_rows.h"
#include "model/tool.h"

#include <errno.h>
#include <sys/stat.h>

static bool refuse_unknown(const struct sqlite_database *database, struct error *error)
{
	enum { NAMED_MAX = 5 };
	AUTO_BUFFER struct buffer names = { 0 };
	for (size_t i = 0; i < database->table_count && i < NAMED_MAX; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", database->tables[i]);
	if (database->table_count > NAMED_MAX)
		buffer_printf(&names, " and %zu more", database->table_count - NAMED_MAX);
	if (database->table_count)
		error_input(error, "is an SQLite database of no known profiler (tables %s)",
			    buffer_text(&names));
	else
		error_input(error, "is an SQLite database without tables");
	return false;
}

/* The first reader that knows the tables, or NULL; sets *TOOL to its tool. */
static const struct reader *find_reader(const struct sqlite_database *database, uint8_t *tool)
{
	for (*tool = 0; tools[*tool]; ++*tool)
		for (const struct reader *const *at = tools[*tool]->readers; at && *at; at++)
			if ((*at)->recognize_database && (*at)->recognize_database(database))
				return *at;
	*tool = 0;
	return NULL;
}

static bool read_with(struct sqlite_database *database, struct profile *profile,
		      struct builder *builder, struct error *error)
{
	const struct reader *reader = find_reader(database, &profile->tool);
	if (!reader)
		return refuse_unknown(database, error);
	profile->format = reader->format;
	if (!reader->read_database(database, builder, error) || !sqlite_database_ok(database))
		return false;
	return !reader->empty || profile_has_rows(profile) ||
	       error_input(error, "%s", reader->empty);
}

struct database_reading {
	struct sqlite_database *database;
	struct builder *builder;
	struct error *error;
	bool done;
};

static void read_guarded(void *context)
{
	struct database_reading *reading = context;
	struct sqlite_database *database = reading->database;
	reading->done = read_with(database, database->profile, reading->builder, reading->error);
}

/* When memory runs out, no thread may go on reading. */
static bool database_read_rows(struct sqlite_database *database, struct builder *builder,
			       struct error *error)
{
	struct database_reading reading = { database, builder, error, false };
	size_t wanted = mem_try(read_guarded, &reading);
	if (wanted) {
		sqlite_ahead_free_all(&database->ahead);
		mem_fail(wanted);
	}
	return reading.done;
}

static bool has_rows(const struct sqlite_database *database, const char *table)
{
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 1", table);
	bool any = sql &&
		   sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL) == SQLITE_OK &&
		   sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return any;
}

/* List recorded tables that strata does not use. */
static void note_unread(const struct sqlite_database *database, struct builder *builder)
{
	struct profile *profile = database->profile;
	struct buffer names = { 0 };
	for (size_t i = 0; i < database->table_count; i++)
		if (!database->used[i] && sqlite3_strnicmp(database->tables[i], "ENUM_", 5) != 0 &&
		    sqlite3_strnicmp(database->tables[i], "sqlite_", 7) != 0 &&
		    has_rows(database, database->tables[i]))
			buffer_printf(&names, "%s%s", names.length ? ", " : "",
				      database->tables[i]);
	builder_fact(builder, "tables not loaded", profile_take(profile, &names));
}

/* A writer without a journal is detected by changes of the file. */
static bool same_file(const struct stat *before, const char *path)
{
	struct stat after;
	return stat(path, &after) == 0 && after.st_size == before->st_size &&
	       after.st_ino == before->st_ino && after.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       after.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

bool database_read(struct source *source, struct profile *profile, struct builder *builder,
		   const struct progress *progress, struct error *error)
{
	bool gzip = strcmp(source_wrapping(source), "gzip") == 0;
	if (source_wrapping(source)[0])
		return error_input(error,
				   "is a compressed SQLite database; uncompress it first (%s)",
				   gzip ? "gunzip" : "unzstd");
	if (!source_total(source))
		return error_input(
			error,
			"is an SQLite database, which cannot be opened from a pipe; open the file");
	profile->file_bytes = profile->text_bytes = source_total(source);
	struct stat before;
	if (stat(profile->path, &before) != 0)
		return error_input(error, "cannot read: %s", strerror(errno));
	struct sqlite_database *database =
		sqlite_database_open(profile->path, profile, progress, error);
	if (!database)
		return false;
	bool done = database_read_rows(database, builder, error);
	if (done)
		note_unread(database, builder);
	sqlite_database_close(database);
	if (same_file(&before, profile->path))
		return done;
	profile_damage(profile, "the file changed while loading", "kept", UINT64_MAX);
	if (!done && (!error || error->code != ERROR_CANCELLED))
		error_input(error, "is being written; open it again when the writer is done");
	return done;
}
