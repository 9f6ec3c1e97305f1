/*
 * Tables are read one by one in id order and joined through maps of ids; the file's own views,
 * indexes and foreign keys are not trusted. Columns missing in older versions read as empty.
 */
#include "input/readers.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "input/dlprof/dlprof_private.h"
#include "input/dlprof/dlprof_spans.h"

#include <string.h>

static bool dlprof_reader_read_table(struct dlprof_reader *reader, const struct dlprof_table *table,
				     struct error *error)
{
	if (table->needed && !sqlite_database_has(reader->database, table->name))
		return error_set(error, ERROR_INPUT, "is a DLProf database without table %s",
				 table->name);
	struct buffer columns = { 0 };
	size_t count = 2; /* the id and the first */
	buffer_printf(&columns, "id! %s", table->columns);
	for (const char *at = table->columns; (at = strchr(at, ' ')); at++)
		count++;
	reader->table = table;
	reader->row = sqlite_rows_open(reader->database, table->name, buffer_text(&columns), count);
	buffer_free(&columns);
	while (sqlite_rows_next(&reader->row)) {
		table->take(reader);
		reader->profile->events++;
	}
	if (table->after)
		table->after(reader);
	return sqlite_database_ok(reader->database);
}

static bool read_tables(struct dlprof_reader *reader, const struct dlprof_table *tables,
			struct error *error)
{
	for (; tables->name; tables++)
		if (!dlprof_reader_read_table(reader, tables, error))
			return false;
	return true;
}

static void expect_tables(struct sqlite_database *database, const struct dlprof_table *tables)
{
	for (; tables->name; tables++)
		sqlite_database_expect(database, tables->name);
}

/* Memory in use of the GPUs, in the order of the file, as metadata. */
static void list_memories(struct dlprof_reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	struct buffer used = { 0 };
	char size[NUMBER_MAX];
	for (size_t i = 0; i < dlprof->memory_count; i++)
		buffer_printf(&used, "%s%s", i ? ", " : "",
			      number_bytes(size, (double)dlprof->memories[i].used));
	builder_fact(reader->builder, "GPU memory used", profile_take(reader->profile, &used));
}

/* Device names, as listed in the summary. */
static void list_gpus(struct dlprof_reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	struct buffer names = { 0 };
	for (size_t i = 0; i < dlprof->gpu_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "",
			      profile_string(reader->profile, dlprof->gpus[i].name));
	reader->dlprof->fact[DLPROF_GPU_NAMES] = profile_take(reader->profile, &names);
}

static void free_reader(struct dlprof_reader *reader)
{
	struct id_map *const maps[] = { &reader->strings, &reader->ops, &reader->triples,
					&reader->domains };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		id_map_clear(maps[i]);
	mem_free_all(reader->triple, reader->first_instance, reader->instance_of_op);
}

static bool dlprof_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "read_only_system_config");
}

static bool dlprof_read(struct sqlite_database *database, struct builder *builder,
			struct error *error)
{
	struct dlprof_reader reader = { .database = database,
					.profile = database->profile,
					.builder = builder,
					.dlprof = mem_zalloc(1, sizeof *reader.dlprof) };
	dlprof_attach(reader.dlprof, database->profile);
	expect_tables(database, dlprof_raw_tables);
	expect_tables(database, dlprof_stored_tables);
	bool done = read_tables(&reader, dlprof_raw_tables, error) &&
		    read_tables(&reader, dlprof_stored_tables, error);
	if (done) {
		list_gpus(&reader);
		list_memories(&reader);
		dlprof_add_spans(reader.profile, builder);
	}
	free_reader(&reader);
	return done;
}

const struct reader dlprof_reader = { .format = "DLProf database (SQLite)",
				      .recognize_database = dlprof_recognize,
				      .read_database = dlprof_read };
