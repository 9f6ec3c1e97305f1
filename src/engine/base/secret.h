/*
 * Per-process random seeds: hash tables seeded with them cannot be attacked with colliding keys.
 */
#pragma once

#include <stdint.h>

/* Odd; set before main and constant afterwards. */
extern struct secret {
	uint64_t a, b;
} secret;
