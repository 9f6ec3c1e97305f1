/*
 * Counts SQLite's memory towards the program's limit (base/mem.h).
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_MEMORY_H
#define STRATA_INPUT_SQLITE_SQLITE_MEMORY_H

/* Call before the first use of SQLite; later calls do nothing. */
void sqlite_count_memory(void);

#endif
