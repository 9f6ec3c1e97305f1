/*
 * Named positions that persist between sessions, as text in the profile's state. They contain row
 * numbers, so they are only valid for unchanged files and the same program.
 */
#ifndef STRATA_TUI_APP_BOOKMARK_H
#define STRATA_TUI_APP_BOOKMARK_H

struct app;

/* Set a position, and save it if it is a row of a table. */
void bookmark_set(struct app *app, char letter);
void bookmark_go(struct app *app, char letter);
void bookmark_list(struct app *app); /* opens a text pane */

#endif
