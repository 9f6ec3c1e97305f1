/*
 * Table-driven serialization of structs into store sections (store.h): a new column is one line in
 * its owner's table.
 *
 * Lengths are counts by kind of row ("spans", "tracks"), enumerated by the owner. Counts also bound
 * index values: a column of track numbers stays below the track count, so a corrupt store cannot
 * cause out-of-bounds access.
 */
#pragma once

#include "base/store.h"

enum { STORED_NOT_A_COUNT = UINT16_MAX };

/* A scalar field of the struct; ROWS names the count it holds, if any. */
struct stored_field {
	uint16_t offset, size, rows;
};

/* An array member of COUNTS[rows] + MORE elements; may be NULL when OPTIONAL. */
struct stored_column {
	const char *name;
	uint16_t pointer, element, rows, more;
	bool optional;
};

/*
 * A column of indexes below COUNTS[limit], of 1 byte, or of 4 in rows of a multiple of 4; all ones
 * is allowed in these when NONE.
 */
struct stored_index {
	uint16_t pointer, field, size, limit;
	bool none;
};

struct stored_table {
	const char *name; /* prefix of its section names */
	const struct stored_field *fields;
	size_t field_count;
	const struct stored_column *columns;
	size_t column_count;
	const struct stored_index *indexes;
	size_t index_count;
};

/* Of STORED_OWNER, the structure that the tables of a file are of. */
#define STORED_FIELD(member, rows)                                                                 \
	{                                                                                          \
		offsetof(STORED_OWNER, member), sizeof(((STORED_OWNER *)0)->member), rows          \
	}
#define STORED_NUMBER(member) STORED_FIELD(member, STORED_NOT_A_COUNT)
#define STORED_COLUMN_AS(member, rows, more, optional)                                             \
	{                                                                                          \
#member, offsetof(STORED_OWNER, member), sizeof(*((STORED_OWNER *)0)->member),     \
			rows, more, optional                                                       \
	}
#define STORED_COLUMN(member, rows) STORED_COLUMN_AS(member, rows, 0, false)
#define STORED_PREFIX(member, rows) STORED_COLUMN_AS(member, rows, 1, false)
#define STORED_OPTIONAL(member, rows) STORED_COLUMN_AS(member, rows, 0, true)
#define STORED_INDEX_AS(column, limit, none)                                                       \
	{                                                                                          \
		offsetof(STORED_OWNER, column), 0, sizeof(*((STORED_OWNER *)0)->column), limit,    \
			none                                                                       \
	}
#define STORED_INDEX_IN_AS(column, member, limit, none)                                            \
	{                                                                                          \
		offsetof(STORED_OWNER, column),                                                    \
			offsetof(__typeof__(*((STORED_OWNER *)0)->column), member),                \
			sizeof(((STORED_OWNER *)0)->column->member), limit, none                   \
	}
#define STORED_INDEX(column, limit) STORED_INDEX_AS(column, limit, false)
#define STORED_INDEX_OR_NONE(column, limit) STORED_INDEX_AS(column, limit, true)
#define STORED_INDEX_IN(column, member, limit) STORED_INDEX_IN_AS(column, member, limit, false)
#define STORED_INDEX_IN_OR_NONE(column, member, limit)                                             \
	STORED_INDEX_IN_AS(column, member, limit, true)

/* Sections being collected; freeing it frees names and packed data. */
struct stored_pack {
	struct arena *arena;
	GROWING(struct store_section, sections, count);
};

void stored_pack_free(struct stored_pack *pack);
/* TABLE may be NULL: the section name has no prefix then. */
void stored_add(struct stored_pack *pack, const char *table, const char *name, const void *data,
		size_t size);

/* Fill COUNTS (indexed by the owner's enum) from the count fields of OBJECT. */
void stored_counts(const struct stored_table *table, const void *object, uint64_t *counts);

/* Add OBJECT's fields and columns; they must outlive the pack. */
void stored_add_object(struct stored_pack *pack, const struct stored_table *table,
		       const void *object, const uint64_t *counts);

/* Set OBJECT's fields, including counts, from STORE. False when one is missing. */
bool stored_load_fields(const struct stored_table *table, void *object, uint64_t *counts,
			const struct store *store);
/* Point OBJECT's columns into STORE. False when one is missing or has the wrong length. */
bool stored_load_columns(const struct stored_table *table, void *object, const uint64_t *counts,
			 const struct store *store);
/* True when every index is below its limit. */
bool stored_check(const struct stored_table *table, const void *object, const uint64_t *counts,
		  const struct store *store);

/* Is a flag that was loaded true or false? */
static inline bool stored_flag_holds(const bool *flag)
{
	uint8_t byte;
	memcpy(&byte, flag, 1);
	return byte <= 1;
}

/* The strings of an interner, by id. */
struct intern;
void stored_add_strings(struct stored_pack *pack, const char *table, const struct intern *strings);
/* A new interner whose strings lie in STORE; NULL when they are missing. The caller frees. */
struct intern *stored_load_strings(const char *table, const struct store *store);
