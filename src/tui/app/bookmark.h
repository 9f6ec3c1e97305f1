/*
 * Named positions that outlive the session: kept with the profile's state, as text.  Row numbers in
 * them hold as long as the files and the program are the same; else they are not used.
 */
#ifndef STRATA_TUI_APP_BOOKMARK_H
#define STRATA_TUI_APP_BOOKMARK_H

struct app;

/* Name the place where the user is, and keep it when it is a row of a table. */
void bookmark_set(struct app *app, char letter);
void bookmark_go(struct app *app, char letter);
void bookmark_list(struct app *app); /* in a text of its own */

#endif
