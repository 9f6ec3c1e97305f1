#include "input/sqlite/sqlite_pages.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
	HEADER = 100, /* bytes of the file's header */
	LEAF = 0x0d,  /* types of pages of tables */
	INTERIOR = 0x05,
	DEPTH_MAX = 20,       /* SQLite's own limit */
	COLUMNS_MAX = 2000,   /* likewise */
	LENGTH_MAX = 1 << 20, /* longer rows are left to SQLite, which limits their size */
};

/* A page on the way from the root to the row. */
struct level {
	unsigned char *page;
	bool is_leaf;
	unsigned cell, cells; /* next, and their number; an interior page has one child more */
};

struct wanted {
	size_t column; /* of the table */
	bool is_text, is_real, is_rowid;
};

struct sqlite_pages {
	sqlite3 *db;
	sqlite3_file *file;
	const char *table;
	uint32_t page_size, usable, page_count;
	struct level level[DEPTH_MAX];
	size_t depth;         /* levels in use; 0: at the end */
	char **names;         /* of the table's columns */
	size_t columns, keys; /* their number, and how many are part of the primary key */
	struct wanted *wanted;
	size_t wanted_count, wanted_cap;
	bool any_row;
	int64_t rowid;
	const unsigned char *payload;
	uint64_t *serial;      /* serial type of each column… */
	uint32_t *offset;      /* …and where its value is in the payload */
	unsigned char *joined; /* a payload that goes on in other pages */
	size_t joined_cap;
};

static inline uint32_t read_big(const unsigned char *at, size_t width)
{
	uint32_t value = 0;
	while (width--)
		value = value << 8 | *at++;
	return value;
}

/* Read a number of up to nine bytes before END; NULL when it is cut. */
static const unsigned char *read_long_varint(const unsigned char *at, const unsigned char *end,
					     uint64_t *value)
{
	*value = 0;
	for (int i = 0; at < end; i++, at++) {
		if (i == 8) {
			*value = *value << 8 | *at;
			return at + 1;
		}
		*value = *value << 7 | (*at & 0x7f);
		if (*at < 0x80)
			return at + 1;
	}
	return NULL;
}

static inline const unsigned char *read_varint(const unsigned char *at, const unsigned char *end,
					       uint64_t *value)
{
	if (at >= end || *at >= 0x80)
		return read_long_varint(at, end, value);
	*value = *at;
	return at + 1;
}

/* ---- pages ---- */

static bool read_page(const struct sqlite_pages *pages, uint32_t number, unsigned char *page)
{
	sqlite3_int64 offset = (sqlite3_int64)(number - 1) * pages->page_size;
	/* The first page holds the schema. */
	return number > 1 && number <= pages->page_count &&
	       pages->file->pMethods->xRead(pages->file, page, (int)pages->page_size, offset) ==
		       SQLITE_OK;
}

/* How much of a row of LENGTH bytes is stored in its leaf; the rest in pages of its own. */
static uint32_t local_length(const struct sqlite_pages *pages, uint64_t length)
{
	uint32_t usable = pages->usable, min = (usable - 12) * 32 / 255 - 23;
	if (length <= usable - 35)
		return (uint32_t)length;
	uint32_t local = min + (uint32_t)((length - min) % (usable - 4));
	return local <= usable - 35 ? local : min;
}

static unsigned header_size(const struct level *level)
{
	return level->is_leaf ? 8 : 12;
}

static const unsigned char *cell_at(const struct level *level, unsigned cell)
{
	return level->page + read_big(level->page + header_size(level) + 2 * cell, 2);
}

/* Is a cell within its page? */
static bool check_cell(const struct sqlite_pages *pages, const struct level *level, unsigned cell)
{
	uint32_t start = read_big(level->page + header_size(level) + 2 * cell, 2);
	const unsigned char *at = level->page + start, *end = level->page + pages->usable;
	uint64_t length = 0, key;
	if (start < header_size(level) + 2 * level->cells || start + 4 > pages->usable)
		return false;
	if (level->is_leaf)
		at = read_varint(at, end, &length);
	else
		at += 4;
	at = at ? read_varint(at, end, &key) : NULL;
	if (!at || length > LENGTH_MAX)
		return false;
	uint32_t local = local_length(pages, length);
	return (size_t)(end - at) >= local + (local < length ? 4 : 0);
}

/* Enter page NUMBER below the current one. False when it is not as expected. */
static bool enter(struct sqlite_pages *pages, uint32_t number)
{
	if (pages->depth == DEPTH_MAX)
		return false;
	struct level *level = &pages->level[pages->depth];
	if (!level->page)
		level->page = mem_alloc(pages->page_size);
	if (!read_page(pages, number, level->page))
		return false;
	level->is_leaf = level->page[0] == LEAF;
	level->cell = 0;
	level->cells = read_big(level->page + 3, 2);
	if ((!level->is_leaf && level->page[0] != INTERIOR) || !level->cells ||
	    level->cells > (pages->page_size - 8) / 6 ||
	    header_size(level) + 2 * level->cells > pages->usable)
		return false;
	for (unsigned cell = 0; cell < level->cells; cell++)
		if (!check_cell(pages, level, cell))
			return false;
	pages->depth++;
	return true;
}

/* Go to the leaf of the next row; depth 0 at the end. False when a page is not as expected. */
static bool find_leaf(struct sqlite_pages *pages)
{
	while (pages->depth) {
		struct level *level = &pages->level[pages->depth - 1];
		unsigned children = level->cells + !level->is_leaf;
		if (level->cell == children) {
			pages->depth--;
			continue;
		}
		if (level->is_leaf)
			return true;
		uint32_t child = level->cell < level->cells
					 ? read_big(cell_at(level, level->cell), 4)
					 : read_big(level->page + 8, 4);
		level->cell++;
		if (!enter(pages, child))
			return false;
	}
	return true;
}

/* ---- rows ---- */

/* Collect a row of which LOCAL bytes are in the leaf. False when its pages are not as expected. */
static bool join(struct sqlite_pages *pages, const unsigned char *at, uint32_t local,
		 uint64_t length)
{
	size_t room = pages->usable - 4;
	mem_grow(pages->joined, pages->joined_cap, (size_t)length + pages->page_size);
	memcpy(pages->joined, at, local);
	uint32_t next = read_big(at + local, 4);
	unsigned char *page = mem_alloc(pages->page_size);
	bool whole = true;
	for (size_t have = local; have < length && whole; have += room) {
		whole = read_page(pages, next, page);
		if (whole) {
			memcpy(pages->joined + have, page + 4,
			       room < length - have ? room : (size_t)length - have);
			next = read_big(page, 4);
		}
	}
	mem_free(page);
	pages->payload = pages->joined;
	return whole;
}

static inline uint64_t serial_length(uint64_t serial)
{
	static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
	return serial < 10 ? lengths[serial] : (serial - 12) / 2;
}

/* Find the values of a row of LENGTH bytes. False when it is not one of each column. */
static bool find_values(struct sqlite_pages *pages, uint64_t length)
{
	const unsigned char *at = pages->payload, *end = at + length;
	uint64_t header, offset;
	at = read_varint(at, end, &header);
	if (!at || header > length || header < (uint64_t)(at - pages->payload))
		return false;
	end = pages->payload + header;
	offset = header;
	for (size_t i = 0; i < pages->columns; i++) {
		uint64_t serial;
		at = read_varint(at, end, &serial);
		if (!at || serial == 10 || serial == 11)
			return false;
		pages->serial[i] = serial;
		pages->offset[i] = (uint32_t)offset;
		offset += serial_length(serial);
		if (offset > length)
			return false;
	}
	return at == end && offset == length;
}

/* Only SQLite knows how it writes a real number as text. */
static bool is_left(const struct sqlite_pages *pages)
{
	for (size_t i = 0; i < pages->wanted_count; i++) {
		const struct wanted *wanted = &pages->wanted[i];
		if (wanted->is_text && (pages->serial[wanted->column] == 7 ||
					(wanted->is_real && pages->serial[wanted->column])))
			return true;
	}
	return false;
}

enum pages_status sqlite_pages_next(struct sqlite_pages *pages)
{
	uint64_t length, rowid;
	if (!find_leaf(pages))
		return PAGES_LEFT;
	if (!pages->depth)
		return PAGES_END;
	struct level *level = &pages->level[pages->depth - 1];
	const unsigned char *at = cell_at(level, level->cell++);
	const unsigned char *end = level->page + pages->usable;
	at = read_varint(at, end, &length);
	at = read_varint(at, end, &rowid); /* check_cell has read both */
	uint32_t local = local_length(pages, length);
	/* Rows ascend: no page can be met twice without end. */
	bool follows = !pages->any_row || (int64_t)rowid > pages->rowid;
	pages->payload = at;
	if (!follows || (local < length && !join(pages, at, local, length)) ||
	    !find_values(pages, length) || is_left(pages))
		return PAGES_LEFT;
	pages->any_row = true;
	pages->rowid = (int64_t)rowid;
	return PAGES_ROW;
}

static int64_t read_integer(const unsigned char *at, size_t width)
{
	uint64_t value = *at & 0x80 ? UINT64_MAX : 0;
	while (width--)
		value = value << 8 | *at++;
	return (int64_t)value;
}

static struct page_value integer_value(int64_t integer, bool is_real)
{
	if (is_real)
		return (struct page_value){ .type = SQLITE_FLOAT, .real = (double)integer };
	return (struct page_value){ .type = SQLITE_INTEGER, .integer = integer };
}

bool sqlite_pages_integer(const struct sqlite_pages *pages, size_t column, int64_t null,
			  int64_t *value)
{
	const struct wanted *wanted = &pages->wanted[column];
	uint64_t serial = pages->serial[wanted->column];
	const unsigned char *at = pages->payload + pages->offset[wanted->column];
	if (serial > 6 || wanted->is_rowid || wanted->is_real)
		return false;
	*value = serial == 4   ? (int32_t)read_big(at, 4)
		 : serial == 1 ? (int8_t)*at
		 : serial      ? read_integer(at, serial_length(serial))
			       : null;
	return true;
}

struct page_value sqlite_pages_value(const struct sqlite_pages *pages, size_t column)
{
	const struct wanted *wanted = &pages->wanted[column];
	uint64_t serial = pages->serial[wanted->column];
	const unsigned char *at = pages->payload + pages->offset[wanted->column];
	struct page_value value = { .type = SQLITE_NULL };
	if (wanted->is_rowid)
		return integer_value(pages->rowid, false);
	if (serial == 0)
		return value;
	if (serial == 8 || serial == 9)
		return integer_value((int64_t)serial - 8, wanted->is_real);
	if (serial < 7)
		return integer_value(read_integer(at, serial_length(serial)), wanted->is_real);
	if (serial == 7) {
		int64_t bits = read_integer(at, 8);
		memcpy(&value.real, &bits, sizeof bits);
		if (!isnan(value.real))
			value.type = SQLITE_FLOAT;
		return value;
	}
	value.type = serial & 1 ? SQLITE_TEXT : SQLITE_BLOB;
	value.length = (size_t)serial_length(serial);
	value.bytes = value.length || value.type == SQLITE_TEXT ? at : NULL; /* as SQLite has it */
	return value;
}

/* ---- opening ---- */

/* Does WORD occur in the statement that made a table? Quoted text counts: it is left to SQLite. */
static bool has_word(const char *sql, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = sql; *at; at++)
		if (sqlite3_strnicmp(at, word, (int)length) == 0 &&
		    (at == sql || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

/* The root page of a table whose rows are stored as they are read; 0 for others. */
static uint32_t find_root(sqlite3 *db, const char *table)
{
	sqlite3_stmt *statement;
	uint32_t root = 0;
	if (sqlite3_prepare_v2(db,
			       "SELECT rootpage, sql FROM main.sqlite_master"
			       " WHERE type = 'table' AND name = ?",
			       -1, &statement, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(statement, 1);
		sqlite3_int64 page = sqlite3_column_int64(statement, 0);
		/* Computed columns; no rows in order of rowid; a key that is not the rowid. */
		if (sql && page > 1 && page <= UINT32_MAX && !has_word(sql, "as") &&
		    !has_word(sql, "without") && !has_word(sql, "desc"))
			root = (uint32_t)page;
	}
	sqlite3_finalize(statement);
	return root;
}

/* The columns in the order in which they are stored. */
static bool list_columns(struct sqlite_pages *pages)
{
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", pages->table);
	bool listed = sql && sqlite3_prepare_v2(pages->db, sql, -1, &statement, NULL) == SQLITE_OK;
	int columns = listed ? sqlite3_column_count(statement) : 0;
	listed = columns > 0 && columns <= COLUMNS_MAX;
	if (listed) {
		pages->names = mem_zalloc((size_t)columns, sizeof *pages->names);
		pages->serial = mem_alloc((size_t)columns * sizeof *pages->serial);
		pages->offset = mem_alloc((size_t)columns * sizeof *pages->offset);
	}
	for (int i = 0; listed && i < columns; i++) {
		const char *name = sqlite3_column_name(statement, i);
		int is_key = 0;
		listed = name &&
			 sqlite3_table_column_metadata(pages->db, "main", pages->table, name, NULL,
						       NULL, NULL, &is_key, NULL) == SQLITE_OK;
		pages->names[pages->columns++] = mem_strdup(name ? name : "");
		pages->keys += is_key != 0;
	}
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return listed;
}

/* The format of the file; false for one that only SQLite knows. */
static bool read_header(struct sqlite_pages *pages)
{
	unsigned char head[HEADER];
	if (sqlite3_file_control(pages->db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) !=
		    SQLITE_OK ||
	    !pages->file->pMethods ||
	    pages->file->pMethods->xRead(pages->file, head, sizeof head, 0) != SQLITE_OK)
		return false;
	pages->page_size = read_big(head + 16, 2) == 1 ? 65536 : read_big(head + 16, 2);
	pages->page_count = read_big(head + 28, 4);
	pages->usable = pages->page_size - head[20];
	bool current = read_big(head + 24, 4) == read_big(head + 92, 4); /* is the count valid? */
	bool rollback = head[18] == 1 && head[19] == 1;                  /* no WAL */
	bool utf8 = read_big(head + 56, 4) == 1;
	return current && rollback && utf8 && pages->page_size >= 512 && pages->usable >= 480 &&
	       (pages->page_size & (pages->page_size - 1)) == 0;
}

struct sqlite_pages *sqlite_pages_open(sqlite3 *db, const char *table)
{
	uint32_t root = find_root(db, table);
	if (!root)
		return NULL;
	struct sqlite_pages *pages = mem_zalloc(1, sizeof *pages);
	pages->db = db;
	pages->table = table;
	if (read_header(pages) && enter(pages, root) && !pages->level[0].is_leaf &&
	    list_columns(pages))
		return pages;
	sqlite_pages_close(pages);
	return NULL;
}

void sqlite_pages_close(struct sqlite_pages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; i < DEPTH_MAX; i++)
		mem_free(pages->level[i].page);
	for (size_t i = 0; i < pages->columns; i++)
		mem_free(pages->names[i]);
	mem_free(pages->names);
	mem_free(pages->serial);
	mem_free(pages->offset);
	mem_free(pages->wanted);
	mem_free(pages->joined);
	mem_free(pages);
}

/* Are the integers of a column of this type reals? The rules of column affinity. */
static bool is_real_type(const char *type)
{
	static const char *const others[] = { "int", "char", "clob", "text", "blob" };
	static const char *const reals[] = { "real", "floa", "doub" };
	bool real = false;
	for (const char *at = type; *at; at++) {
		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			if (sqlite3_strnicmp(at, others[i], (int)strlen(others[i])) == 0)
				return false;
		for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
			real |= sqlite3_strnicmp(at, reals[i], 4) == 0;
	}
	return real;
}

static bool want(struct sqlite_pages *pages, struct wanted wanted)
{
	mem_grow(pages->wanted, pages->wanted_cap, pages->wanted_count + 1);
	pages->wanted[pages->wanted_count++] = wanted;
	return true;
}

bool sqlite_pages_want(struct sqlite_pages *pages, const char *column, bool is_text)
{
	static const char *const rowids[] = { "rowid", "_rowid_", "oid" };
	const char *type;
	int is_key;
	size_t at = 0;
	while (at < pages->columns && sqlite3_stricmp(pages->names[at], column) != 0)
		at++;
	for (size_t i = 0; at == pages->columns && i < sizeof rowids / sizeof *rowids; i++)
		if (sqlite3_stricmp(column, rowids[i]) == 0)
			return want(pages, (struct wanted){ .is_rowid = true });
	if (at == pages->columns ||
	    sqlite3_table_column_metadata(pages->db, "main", pages->table, column, &type, NULL,
					  NULL, &is_key, NULL) != SQLITE_OK)
		return false;
	bool is_integer = type && sqlite3_stricmp(type, "INTEGER") == 0;
	return want(pages, (struct wanted){ .column = at,
					    .is_text = is_text,
					    .is_real = type && is_real_type(type),
					    .is_rowid = is_integer && is_key && pages->keys == 1 });
}
