/*
 * Per-process random seeds: hash tables seeded with them cannot be attacked with colliding keys.
 */
#ifndef STRATA_BASE_SECRET_H
#define STRATA_BASE_SECRET_H

#include <stdint.h>

/* Odd; set before main and constant afterwards. */
extern struct secret {
	uint64_t a, b;
} secret;

#endif
