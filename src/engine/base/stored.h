/*
 * The arrays and numbers of a struct as sections of a store (store.h), told by tables: a new column
 * is a line in its owner's table.
 *
 * Lengths are counted by kind of row ("spans", "tracks"), of which the owner has an enum.  The same
 * counts say how large the numbers in a column may be: a column of track numbers stays below the
 * count of tracks.  So whatever a store holds, no number of it leads outside of an array.
 */
#ifndef STRATA_BASE_STORED_H
#define STRATA_BASE_STORED_H

#include "base/store.h"

enum { STORED_NOT_A_COUNT = UINT16_MAX };

/* A number kept in the struct itself; ROWS says which count it is. */
struct stored_field {
	uint16_t offset, size, rows;
};

/* An array the struct points to, COUNTS[rows] + MORE entries long; may be NULL when OPTIONAL. */
struct stored_column {
	const char *name;
	uint16_t pointer, element, rows, more;
	bool optional;
};

/* Numbers in the entries of a column, below COUNTS[limit], or all ones when NONE. */
struct stored_index {
	uint16_t pointer, field, size, limit;
	bool none;
};

struct stored_table {
	const char *name; /* prefix of its sections */
	const struct stored_field *fields;
	size_t field_count;
	const struct stored_column *columns;
	size_t column_count;
	const struct stored_index *indexes;
	size_t index_count;
};

#define STORED_FIELD(type, member, rows)                                                           \
	{                                                                                          \
		offsetof(type, member), sizeof(((type *)0)->member), rows                          \
	}
#define STORED_NUMBER(type, member) STORED_FIELD(type, member, STORED_NOT_A_COUNT)
#define STORED_COLUMN(type, member, rows)                                                          \
	{                                                                                          \
#member, offsetof(type, member), sizeof(*((type *)0)->member), rows, 0, false      \
	}
#define STORED_PREFIX(type, member, rows)                                                          \
	{                                                                                          \
#member, offsetof(type, member), sizeof(*((type *)0)->member), rows, 1, false      \
	}
#define STORED_OPTIONAL(type, member, rows)                                                        \
	{                                                                                          \
#member, offsetof(type, member), sizeof(*((type *)0)->member), rows, 0, true       \
	}
#define STORED_INDEX(type, column, limit, none)                                                    \
	{                                                                                          \
		offsetof(type, column), 0, sizeof(*((type *)0)->column), limit, none               \
	}
#define STORED_INDEX_IN(type, column, member, limit, none)                                         \
	{                                                                                          \
		offsetof(type, column), offsetof(__typeof__(*((type *)0)->column), member),        \
			sizeof(((type *)0)->column->member), limit, none                           \
	}

/* Sections under construction: the names and what was packed are freed together. */
struct stored_pack {
	struct arena *arena;
	struct store_section *sections;
	size_t count, capacity;
};

void stored_pack_free(struct stored_pack *pack);
/* TABLE may be NULL: the section is then called NAME alone. */
void stored_add(struct stored_pack *pack, const char *table, const char *name, const void *data,
		size_t size);

/* The counts that are fields of OBJECT, into COUNTS (by the owner's enum). */
void stored_counts(const struct stored_table *table, const void *object, uint64_t *counts);

/* Add OBJECT's fields and columns; they must outlive the pack. */
void stored_add_object(struct stored_pack *pack, const struct stored_table *table,
		       const void *object, const uint64_t *counts);

/* Set OBJECT's fields from STORE, and the counts among them.  False when they are not there. */
bool stored_take_fields(const struct stored_table *table, void *object, uint64_t *counts,
			const struct store *store);
/* Point OBJECT's columns into STORE.  False when one is not there in its length. */
bool stored_take_columns(const struct stored_table *table, void *object, const uint64_t *counts,
			 const struct store *store);
/* Does every number of the table's indexes stay below its limit? */
bool stored_check(const struct stored_table *table, const void *object, const uint64_t *counts);

/* Strings by number: COUNT of them, as an interner has them. */
struct intern;
void stored_add_strings(struct stored_pack *pack, const char *table, const struct intern *strings);
/* A new interner whose strings lie in STORE; NULL when they are not there.  The caller frees. */
struct intern *stored_take_strings(const char *table, const struct store *store);

#endif
