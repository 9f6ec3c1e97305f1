/*
 * The user's configuration (strata-config(5)): a file of lines, each a directive with its words.
 * What is wrong in it is told with its line and hurts nothing else.
 */
#ifndef STRATA_TUI_APP_CONFIGURATION_H
#define STRATA_TUI_APP_CONFIGURATION_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error;
struct app;
struct subject;
struct view;

/* How a view is shown at first; NULL: as the view itself has it. */
struct view_config {
	const struct view *view;
	char *columns, *group;
	char *sort, *way; /* id of the column; "asc", "desc" or NULL: as that column is by itself */
};

struct config {
	char *path;  /* the file that was read; NULL: none */
	char *theme; /* NULL: not said */
	char *start; /* name of the view or picture to begin with; NULL: not said */
	struct view_config *views;
	size_t view_count, view_cap;
	struct buffer problems; /* "FILE:LINE: what is wrong", a line each */
	size_t problem_count;
};

/*
 * Read the file the user named (--config), or their own unless it is unwanted.  False with ERROR
 * when the file that was named cannot be read; the user's own may be missing.
 */
bool config_read(struct app *app, const char *path, bool own, struct error *error);
void config_clear(struct config *config);

/* Do one line of a configuration.  False with ERROR. */
bool config_line(struct app *app, const char *line, struct error *error);

/* The columns, the order and the grouping that a view is to have, where SUBJECT does not say. */
void config_complete(const struct config *config, struct subject *subject);

/* A configuration that makes things what they are now, where that is not as they come. */
void config_print(struct app *app, struct buffer *out);

/* The directives and options, a line each: "name<TAB>arguments<TAB>help". */
void config_list(FILE *out);

#endif
