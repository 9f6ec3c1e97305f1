/*
 * Delivers signals as bytes on a pipe, and restores the terminal before a crash.
 */
#ifndef STRATA_TUI_TERM_SIGNALS_H
#define STRATA_TUI_TERM_SIGNALS_H

void signals_install(int wake_fd); /* writes a byte per signal */
void signals_restore(void);
int signals_take(void); /* a pending signal, 0: none */

#endif
