/*
 * All that a database holds.
 */
#include "rows.h"

#include <sqlite3.h>
#include <stdlib.h>

static sqlite3_stmt *prepared(sqlite3 *database, const char *sql)
{
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
		abort();
	return statement;
}

static void print_table(FILE *out, sqlite3 *database, const char *name, const char *made)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	sqlite3_stmt *row = prepared(database, sql);
	fprintf(out, "== %s\n", made);
	while (sqlite3_step(row) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(row); i++) {
			const unsigned char *text = sqlite3_column_text(row, i);
			fprintf(out, "%d %s|", sqlite3_column_type(row, i),
				text ? (const char *)text : "");
		}
		fprintf(out, "\n");
	}
	sqlite3_finalize(row);
	sqlite3_free(sql);
}

void print_database(const char *path)
{
	sqlite3 *database;
	FILE *out = sweep_open(path, "dumped");
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		abort();
	/* the size of a database and of memory depend on the machine */
	sqlite3_stmt *table = prepared(
		database,
		"SELECT name, sql FROM sqlite_master WHERE name != 'info' AND sql > '' ORDER BY name");
	while (sqlite3_step(table) == SQLITE_ROW)
		print_table(out, database, (const char *)sqlite3_column_text(table, 0),
			    (const char *)sqlite3_column_text(table, 1));
	sqlite3_finalize(table);
	sqlite3_close(database);
	fclose(out);
}
