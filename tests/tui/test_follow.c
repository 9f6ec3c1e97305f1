/* Files that grow while the explorer shows them. */
#include "expect.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDER = 120 };

/* Append LINES to the stacks that are shown. */
static void grow(const char *path, const char *lines)
{
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	fputs(lines, file);
	fclose(file);
}

/* A trace of which the first half is in PATH; the caller frees it. */
static char *half_written(const char *path)
{
	char *whole = output_of("./tracegen --steps 4 --layers 2 --stacks 0");
	size_t half = strlen(whole) / 2;
	char rest = whole[half];
	whole[half] = 0;
	remove(path);
	grow(path, whole);
	whole[half] = rest;
	return whole;
}

EXPECTATION(what_is_appended_shows_where_the_user_is)
{
	const char *path = scratch("growing.json");
	char *whole = half_written(path), kept[16];
	struct pty *pty = run_strata(utf8, ROWS, WIDER, path, "--follow", "--no-state", "--view",
				     "operators", NULL);
	expect_text(pty, " 1/");
	press(pty, "jjj", " 4/");
	snprintf(kept, sizeof kept, "%s", selected_line(pty) + 1);
	grow(path, whole + strlen(whole) / 2);
	expect_text(pty, "read on to ");
	expect_selected(pty, kept);
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	free(whole);
}

/* Views that were left are read on, too: the line of the scope has figures of the overview. */
EXPECTATION(the_line_of_the_scope_is_of_what_is_read)
{
	const char *path = scratch("growing.json");
	char *whole = half_written(path);
	struct pty *pty = run_strata(utf8, ROWS, WIDER, path, "--follow", "--no-state", NULL);
	expect_text(pty, "Overview]");
	expect_text(pty, " findings");
	press(pty, ":view kernels\r", "[4 Kernels]");
	expect_text(pty, " 1/");
	char *figures = strdup(pty_line(pty, 2)), *row = strdup(selected_line(pty));
	assert_non_null(strstr(figures, "GPU0 busy "));
	grow(path, whole + strlen(whole) / 2);
	expect_gone(pty, row); /* more launches */
	expect_gone(pty, figures);
	expect_text(pty, "GPU0 busy ");
	assert_non_null(strstr(pty_line(pty, 2), "GPU0 busy "));
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	free(figures);
	free(row);
	free(whole);
}

/* Functions are numbered in the order of the file, which changes where that is replaced. */
EXPECTATION(a_function_stays_selected)
{
	static const char head[] = "first;load 500\n";
	static const char body[] = "main;load 50\nmain;train;forward 40\nmain;train;step 30\n";
	char path[4096], next[4096], kept[40];
	snprintf(path, sizeof path, "%s", scratch("growing.folded"));
	snprintf(next, sizeof next, "%s", scratch("next.folded"));
	remove(path);
	remove(next);
	grow(path, body);
	struct pty *pty = run_strata(utf8, ROWS, WIDER, path, "--follow", "--no-state", "--view",
				     "python", NULL);
	expect_text(pty, " 1/");
	press(pty, "j", " 2/");
	snprintf(kept, sizeof kept, "%.8s", selected_line(pty) + 1);
	grow(next, head);
	grow(next, body);
	rename(next, path);
	expect_text(pty, "first");
	expect_selected(pty, kept);
	grow(path, "main;train;backward 90\n");
	expect_text(pty, "backward");
	expect_selected(pty, kept);
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

EXPECTATION(files_of_a_directory_grow)
{
	const char *folder = scratch("growing");
	char path[4096];
	mkdir(folder, 0700);
	snprintf(path, sizeof path, "%s/a.folded", folder);
	remove(path);
	grow(path, "main;load 5\nmain;train;forward 40\n");
	struct pty *pty = run_strata(utf8, ROWS, WIDER, folder, "--follow", "--no-state", "--view",
				     "python", NULL);
	expect_text(pty, "forward");
	grow(path, "main;train;backward 30\n");
	expect_text(pty, "backward");
	grow(path, "main;save 1\n");
	expect_text(pty, "save");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

/* Files that did not change while they were loaded are not read again for being in a directory. */
EXPECTATION(a_directory_is_read_once)
{
	const char *folder = scratch("old");
	char command[9000];
	mkdir(folder, 0700);
	snprintf(
		command, sizeof command,
		"printf 'main;load 5\\n' >'%s/a.folded'; touch -d '2020-01-01' '%s/a.folded'; echo",
		folder, folder);
	free(output_of(command));
	struct pty *pty = run_strata(utf8, ROWS, WIDER, folder, "--follow", "--no-state", "--view",
				     "python", NULL);
	expect_text(pty, "load");
	for (int waited = 0; waited < 2000; waited += 20) /* longer than between two looks */
		pty_read(pty, 20);
	expect_gone(pty, "read on to ");
	snprintf(command, sizeof command, "%s/a.folded", folder);
	grow(command, "main;train;backward 30\n");
	expect_text(pty, "read on to ");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

/* Of several runs in a directory, whichever is shown. */
EXPECTATION(files_of_other_runs_grow)
{
	static const char *const runs[] = { "a", "b" };
	char folder[4096], path[2][4200];
	char *trace = output_of("./tracegen --steps 2 --layers 1 --stacks 0");
	snprintf(folder, sizeof folder, "%s", scratch("runs"));
	mkdir(folder, 0700);
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/%s", folder, runs[i]);
		mkdir(path[i], 0700);
		snprintf(path[i], sizeof path[i], "%s/%s/x.pt.trace.json", folder, runs[i]);
		remove(path[i]);
		grow(path[i], trace);
	}
	struct pty *pty = run_strata(utf8, ROWS, WIDER, folder, "--follow", "--no-state", NULL);
	expect_text(pty, "Runs]");
	for (int i = 0; i < 2; i++) {
		pty_send(pty, "j");
		expect_gone(pty, "read on to ");
		grow(path[i], "\n");
		expect_text(pty, "read on to ");
	}
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	free(trace);
}

static void store(const char *path, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* A journal is beside a store until its change is whole; when it goes, the store stays as it is. */
EXPECTATION(a_store_grows_by_transactions)
{
	char path[4096], journal[4200];
	snprintf(path, sizeof path, "%s", scratch("growing.sqlite"));
	snprintf(journal, sizeof journal, "%s-journal", path);
	remove(path);
	remove(journal);
	store(path, "CREATE TABLE StringIds (id INTEGER, value TEXT);"
		    "INSERT INTO StringIds VALUES (1, 'first_kernel'), (2, 'second_kernel');"
		    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,"
		    "streamId INT, correlationId INT, globalPid INT, demangledName INT, gridX INT,"
		    "gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,"
		    "registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT);"
		    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName)"
		    "VALUES (100, 200, 1);");
	struct pty *pty = run_strata(utf8, ROWS, WIDER, path, "--follow", "--no-state", "--view",
				     "kernels", NULL);
	expect_text(pty, "first_kernel");
	store(path, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName)"
		    "VALUES (300, 350, 2);");
	grow(journal, "not gone yet");
	expect_text(pty, "incomplete");
	expect_text(pty, "first_kernel");
	remove(journal);
	expect_text(pty, "second_kernel");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}
