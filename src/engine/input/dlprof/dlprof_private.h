/*
 * Shared by the readers of DLProf's tables; private to them.
 */
#pragma once

#include "base/id_map.h"
#include "input/sqlite/sqlite_table.h"
#include "model/builder.h"
#include "input/dlprof/dlprof.h"

struct dlprof_reader;

struct dlprof_table {
	const char *name;
	void (*take)(struct dlprof_reader *reader);
	const char *columns; /* from 1 on, separated by blanks; column 0 is the id */
	bool needed;
	void (*after)(struct dlprof_reader *reader); /* called after the last row; may be NULL */
};

struct dlprof_triple {
	int32_t of[3];
};

struct dlprof_reader {
	struct sqlite_database *database;
	struct profile *profile;
	struct dlprof *dlprof;
	struct builder *builder;

	const struct dlprof_table *table; /* current table */
	struct sqlite_rows *row;          /* current row */

	/* ids in the file → rows */
	struct id_map strings, ops, triples;
	struct id_map domains; /* names, in the profile's strings */
	GROWING(struct dlprof_triple, triple, triple_count);

	uint32_t *first_instance; /* by op, [ops + 1]: offset in */
	uint32_t *instance_of_op; /* instances sorted by id */
};

/* Tables of the correlated profile and of aggregations, terminated by a NULL name. */
extern const struct dlprof_table dlprof_raw_tables[], dlprof_stored_tables[];

/*
 * Cells of the current row; column 0 is the id. Missing values, and values so large that sums might
 * overflow, are read as 0.
 */
int64_t row_int(struct dlprof_reader *reader, int column);
double row_real(struct dlprof_reader *reader, int column);
int32_t row_small(struct dlprof_reader *reader, int column);   /* 0 if it does not fit */
uint32_t row_text(struct dlprof_reader *reader, int column);   /* interned */
uint32_t row_string(struct dlprof_reader *reader, int column); /* the string with this id */
int64_t row_id(struct dlprof_reader *reader);

/* Time, never negative; and a time not before START. */
int64_t row_time(struct dlprof_reader *reader, int column);
int64_t row_end(struct dlprof_reader *reader, int column, int64_t start);
