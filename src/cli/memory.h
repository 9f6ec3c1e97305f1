/*
 * How much memory there is for this process.
 */
#ifndef STRATA_CLI_MEMORY_H
#define STRATA_CLI_MEMORY_H

#include <stdint.h>

/* Bytes that can be had without others being pushed out, within the limit of the control group; 0:
   not known. */
uint64_t memory_free(void);

#endif
