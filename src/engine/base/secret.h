/*
 * Numbers that differ from run to run, which whoever wrote a file cannot have known: tables whose
 * places depend on them cannot be filled with keys that all belong into one place.
 */
#ifndef STRATA_BASE_SECRET_H
#define STRATA_BASE_SECRET_H

#include <stdint.h>

/* Odd numbers drawn before main; never written again. */
extern struct secret {
	uint64_t a, b;
} secret;

#endif
