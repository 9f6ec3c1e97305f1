/*
 * Restores the terminal from a signal handler. Everything is prepared in advance;
 * async-signal-safe.
 */
#pragma once

#include <stdbool.h>

/* Save the current modes of terminal FD, and clear the sequences. */
void emergency_prepare(int fd);
/* Add a sequence to send, without terminfo padding. */
void emergency_add(const char *sequence);
/* Set whether the terminal is taken over. */
void emergency_arm(bool taken_over);
/* Restore it; does nothing unless taken over. */
void emergency_restore(void);

/* ---- signals ---- */

void signals_install(int wake_fd); /* writes a byte per signal */
void signals_restore(void);
int signals_take(void); /* a pending signal, 0: none */
