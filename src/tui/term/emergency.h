/*
 * Putting the terminal back from a signal handler: everything it needs is prepared beforehand, and
 * nothing is called that is not allowed there.
 */
#ifndef STRATA_TUI_TERM_EMERGENCY_H
#define STRATA_TUI_TERM_EMERGENCY_H

#include <stdbool.h>

/* Remember the modes of the terminal FD as they are now, and forget the sequences added before. */
void emergency_prepare(int fd);
/* What to send; padding of terminfo strings is left out. */
void emergency_add(const char *sequence);
/* The terminal is taken over (or no longer). */
void emergency_arm(bool taken_over);
/* Put it back; does nothing when it was not taken over. */
void emergency_restore(void);

#endif
