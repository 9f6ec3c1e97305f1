/*
 * Counts SQLite's memory towards the program's limit (base/mem.h).
 */
#pragma once

/* Call before the first use of SQLite; later calls do nothing. */
void sqlite_count_memory(void);
