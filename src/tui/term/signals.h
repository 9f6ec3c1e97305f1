/*
 * Signals as bytes on a pipe, and the terminal restored before a crash ends the process.
 */
#ifndef STRATA_TUI_TERM_SIGNALS_H
#define STRATA_TUI_TERM_SIGNALS_H

void signals_install(int wake_fd); /* a byte is written to it for each signal that arrives */
void signals_restore(void);
int signals_take(void); /* one that arrived, 0: none */

#endif
