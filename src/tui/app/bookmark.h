/*
 * Named positions that outlive the session: kept with the profile's state, as text.  Row numbers in
 * them hold as long as the files and the program are the same; else they are not used.
 */
#ifndef STRATA_TUI_APP_BOOKMARK_H
#define STRATA_TUI_APP_BOOKMARK_H

#include <stdbool.h>

struct buffer;
struct tui;

/* Keep the selected row of the table shown under LETTER; of other panes nothing is kept. */
void bookmark_keep(struct tui *tui, char letter);
/* Open the place kept under LETTER; false when there is none. */
bool bookmark_open(struct tui *tui, char letter);
/* What is kept under LETTER: its view and where in the run; false when there is none. */
bool bookmark_describe(struct tui *tui, char letter, struct buffer *out);

#endif
