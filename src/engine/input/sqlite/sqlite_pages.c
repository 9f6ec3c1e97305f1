#include "input/sqlite/sqlite_pages.h"

#include "model/profile.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum { SQLITE_PAGE_ROWS(_) };

/* A page on the way from the root to the row. */
struct sqlite_pages_level {
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
	int fd; /* of its own: another thread may read */
	const char *table;
	uint32_t page_size, usable, page_count;
	unsigned char *window;
	uint32_t window_first, window_end; /* the pages in it, and the one after them */
	struct sqlite_pages_level level[DEPTH_MAX];
	size_t depth;         /* levels in use; 0: at the end */
	char **names;         /* of the table's columns */
	size_t columns, keys; /* their number, and how many are part of the primary key */
	GROWING(struct wanted, wanted, wanted_count);
	bool any_row;
	int64_t rowid;
	const unsigned char *payload;
	uint32_t *serial;      /* serial type of each column… */
	uint32_t *offset;      /* …and where its value is in the payload */
	unsigned char *joined; /* a payload that goes on in other pages */
};

/* Bytes of the values of a serial type; of 12 and above two types have each length. */
static const uint32_t lengths[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, UINT32_MAX, UINT32_MAX };

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

/* Read pages from NUMBER on, several where the ones before have just been read. */
static bool read_window(struct sqlite_pages *pages, uint32_t number)
{
	size_t at_once = number == pages->window_end ? WINDOW : pages->page_size;
	off_t offset = (off_t)(number - 1) * pages->page_size;
	ssize_t length = pread(pages->fd, pages->window, at_once, offset);
	pages->window_first = number;
	pages->window_end = number + (length > 0 ? (uint32_t)length / pages->page_size : 0);
	return number < pages->window_end;
}

static bool read_page(struct sqlite_pages *pages, uint32_t number, unsigned char *page)
{
	/* The first page holds the schema. */
	if (number <= 1 || number > pages->page_count)
		return false;
	bool there = number >= pages->window_first && number < pages->window_end;
	if (!there && !read_window(pages, number))
		return false;
	memcpy(page, pages->window + (size_t)(number - pages->window_first) * pages->page_size,
	       pages->page_size);
	return true;
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

static unsigned header_size(const struct sqlite_pages_level *level)
{
	return level->is_leaf ? 8 : 12;
}

static const unsigned char *cell_at(const struct sqlite_pages_level *level, unsigned cell)
{
	return level->page + read_big(level->page + header_size(level) + 2 * cell, 2);
}

/* Is a cell within its page? */
static bool check_cell(const struct sqlite_pages *pages, const struct sqlite_pages_level *level,
		       unsigned cell)
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
	struct sqlite_pages_level *level = &pages->level[pages->depth];
	level->page = level->page ?: mem_alloc(pages->page_size + SLACK);
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
		struct sqlite_pages_level *level = &pages->level[pages->depth - 1];
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
static bool sqlite_pages_join(struct sqlite_pages *pages, const unsigned char *at, uint32_t local,
			      uint64_t length)
{
	size_t room = pages->usable - 4;
	mem_grow(pages->joined, (size_t)length + pages->page_size + SLACK);
	memcpy(pages->joined, at, local);
	uint32_t next = read_big(at + local, 4);
	AUTO_FREE unsigned char *page = mem_alloc(pages->page_size);
	bool whole = true;
	for (size_t have = local; have < length && whole; have += room) {
		whole = read_page(pages, next, page);
		if (whole) {
			memcpy(pages->joined + have, page + 4,
			       room < length - have ? room : (size_t)length - have);
			next = read_big(page, 4);
		}
	}
	pages->payload = pages->joined;
	return whole;
}

/* Find the values of a row of LENGTH bytes. False when it is not one of each column. */
static bool find_values(struct sqlite_pages *pages, uint64_t length)
{
	const unsigned char *at = pages->payload, *end = at + length;
	uint64_t header;
	at = read_varint(at, end, &header);
	if (!at || header > length || header < (uint64_t)(at - pages->payload))
		return false;
	end = pages->payload + header;
	uint64_t offset = header;
	for (size_t i = 0; i < pages->columns; i++) {
		uint64_t serial, size;
		at = read_varint(at, end, &serial);
		size = serial < 12 ? lengths[serial] : (serial - 12) / 2;
		if (!at || serial > UINT32_MAX)
			return false;
		pages->serial[i] = (uint32_t)serial;
		pages->offset[i] = (uint32_t)offset;
		offset += size; /* 2^31 at most, of 2,000 columns */
	}
	return at == end && offset == length;
}

/* Go to the next row and find its values. */
static enum pages_status next_row(struct sqlite_pages *pages)
{
	uint64_t length, rowid;
	if (!find_leaf(pages))
		return PAGES_LEFT;
	if (!pages->depth)
		return PAGES_END;
	struct sqlite_pages_level *level = &pages->level[pages->depth - 1];
	const unsigned char *at = cell_at(level, level->cell++);
	const unsigned char *end = level->page + pages->usable;
	at = read_varint(at, end, &length);
	at = read_varint(at, end, &rowid); /* check_cell has read both */
	uint32_t local = local_length(pages, length);
	/* Rows ascend: no page can be met twice without end. */
	bool follows = !pages->any_row || (int64_t)rowid > pages->rowid;
	pages->payload = at;
	if (!follows || (local < length && !sqlite_pages_join(pages, at, local, length)) ||
	    !find_values(pages, length))
		return PAGES_LEFT;
	pages->any_row = true;
	pages->rowid = (int64_t)rowid;
	return PAGES_ROW;
}

/* The eight bytes here, of which the first is the highest. */
static inline uint64_t read_wide(const unsigned char *at)
{
	uint64_t wide;
	memcpy(&wide, at, sizeof wide);
	return __builtin_bswap64(wide);
}

/* An integer of a serial type from 1 to 6, 8 or 9; eight bytes can be read there. */
static inline int64_t read_integer(const unsigned char *at, uint32_t serial)
{
	if (serial > 6)
		return serial == 9;
	return (int64_t)read_wide(at) >> (64 - 8 * lengths[serial]);
}

/* Keep a text, and a NUL after it, or a blob in the batch. */
static void keep_bytes(struct page_batch *batch, struct page_cell *cell, const unsigned char *at,
		       uint32_t serial)
{
	size_t length = (serial - 12) / 2, end = batch->bytes_count;
	mem_grow(batch->bytes, end + length + 1);
	memcpy(batch->bytes + end, at, length);
	batch->bytes[end + length] = 0;
	batch->bytes_count += length + 1;
	cell->type = serial & 1 ? SQLITE_TEXT : SQLITE_BLOB;
	cell->length = (uint32_t)length;
	cell->value.place = end;
}

static void keep_real(struct page_cell *cell, double real)
{
	cell->value.real = real;
	cell->type = SQLITE_FLOAT;
	if (isnan(real))
		*cell = (struct page_cell){ .value.integer = NO_VALUE, .type = SQLITE_NULL };
}

/* Add a value that is more than an integer to copy. False when it must be left to SQLite. */
static bool keep_value(struct page_batch *batch, struct page_cell *cell, struct wanted wanted,
		       const unsigned char *at, uint32_t serial)
{
	if (wanted.is_text && (serial == 7 || wanted.is_real))
		return false; /* only SQLite knows how it writes a real number as text */
	if (serial > 9) {
		keep_bytes(batch, cell, at, serial);
	} else if (serial == 7) {
		uint64_t bits = read_wide(at);
		double real;
		memcpy(&real, &bits, sizeof real);
		keep_real(cell, real);
	} else {
		keep_real(cell, (double)read_integer(at, serial));
	}
	return true;
}

/* Add the wanted values of the row. False when it must be left to SQLite. */
static bool keep_row(const struct sqlite_pages *pages, struct page_batch *batch)
{
	const struct wanted *wanted = pages->wanted, *end = wanted + pages->wanted_count;
	struct page_cell *cell = batch->cells + batch->rows * pages->wanted_count;
	for (; wanted < end; wanted++, cell++) {
		uint32_t serial = pages->serial[wanted->column];
		const unsigned char *at = pages->payload + pages->offset[wanted->column];
		if (wanted->is_rowid || serial == 0) {
			cell->type = wanted->is_rowid ? SQLITE_INTEGER : SQLITE_NULL;
			cell->value.integer = wanted->is_rowid ? pages->rowid : NO_VALUE;
		} else if (!wanted->is_real && serial != 7 && serial < 10) {
			cell->type = SQLITE_INTEGER;
			cell->value.integer = read_integer(at, serial);
		} else if (!keep_value(batch, cell, *wanted, at, serial)) {
			return false;
		}
	}
	return true;
}

void sqlite_pages_read(struct sqlite_pages *pages, struct page_batch *batch)
{
	if (!batch->cells)
		batch->cells =
			mem_alloc((BATCH_ROWS * pages->wanted_count + 1) * sizeof *batch->cells);
	batch->rows = batch->bytes_count = 0;
	batch->next = PAGES_ROW;
	while (batch->rows < BATCH_ROWS && batch->bytes_count < BATCH_BYTES) {
		batch->next = next_row(pages);
		if (batch->next == PAGES_ROW && !keep_row(pages, batch))
			batch->next = PAGES_LEFT;
		if (batch->next != PAGES_ROW)
			return;
		batch->rows++;
	}
}

CLEAR_MEMBERS(page_batch_clear, struct page_batch, OWN(cells) OWN(bytes))

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
		pages->names[pages->columns] = mem_strdup(name ? name : "");
		pages->columns++;
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
	const char *path = sqlite3_db_filename(pages->db, "main");
	pages->fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (pages->fd < 0 || pread(pages->fd, head, sizeof head, 0) != sizeof head)
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
	pages->window = mem_alloc(WINDOW);
	return keep_if(read_header(pages) && enter(pages, root) && !pages->level[0].is_leaf &&
			       list_columns(pages),
		       pages, sqlite_pages_close);
}

void sqlite_pages_close(struct sqlite_pages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; i < DEPTH_MAX; i++)
		mem_free(pages->level[i].page);
	mem_free_each(pages->names, pages->columns);
	mem_free_all(pages->names, pages->serial, pages->offset, pages->wanted, pages->joined,
		     pages->window);
	if (pages->fd >= 0)
		close(pages->fd);
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
	*mem_push(pages->wanted, pages->wanted_count) = wanted;
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
