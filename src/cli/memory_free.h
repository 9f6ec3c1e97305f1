/*
 * Memory available to this process.
 */
#ifndef STRATA_CLI_MEMORY_FREE_H
#define STRATA_CLI_MEMORY_FREE_H

#include <stdint.h>

/* Bytes available without swapping, within the cgroup's limit; 0: unknown. */
uint64_t memory_free(void);

#endif
