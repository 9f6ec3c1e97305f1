/*
 * The user's configuration (strata-config(5)): one directive per line. Errors are reported by line
 * and otherwise ignored.
 */
#pragma once

#include "base/buffer.h"

#include <stdio.h>

struct app;
struct pane_subject;
struct view;

/* Initial appearance of a view; NULL: the view's default. */
struct view_config {
	const struct view *view;
	char *columns, *group;
	char *sort, *way; /* column id; "asc", "desc" or NULL: the column's default */
};

/* Files whose recorded path begins with FROM (NULL: is relative) are in TO. */
struct source_map {
	char *from, *to;
};

struct config {
	char *path;  /* the file read; NULL: none */
	char *theme; /* NULL: not set */
	char *start; /* initial view or picture; NULL: not set */
	GROWING(struct view_config, views, view_count);
	GROWING(struct source_map, maps, map_count); /* the latest first */
	struct buffer problems;                      /* "FILE:LINE: error" lines */
	size_t problem_count;
};

/*
 * Read the file named by --config, otherwise the user's file if OWN. False with ERROR if the named
 * file cannot be read; the user's may be missing.
 */
bool config_read(struct app *app, const char *path, bool own, struct error *error);
void config_clear(struct config *config);

/* Execute one configuration line. False with ERROR. */
bool config_line(struct app *app, const char *line, struct error *error);

/* Complete unset members of SUBJECT (columns, order, grouping) from the configuration. */
void config_complete(const struct config *config, struct pane_subject *subject);

/* A configuration that reproduces the current settings, without defaults. */
void config_print(struct app *app, struct buffer *out);

/* Directives and options, as lines "name<TAB>arguments<TAB>help". */
void config_list(FILE *out);
