/*
 * Finds runs of names in longer sequences of names: the kernels of a graph launch in those
 * of its capture, or of an eager run.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sequences;

struct sequences *sequences_new(void);
void sequences_free(struct sequences *sequences); /* NULL is fine */

/*
 * Append a name; NO_ROW ends a sequence, over which runs do not extend. Returns its place, counted
 * over all sequences.
 */
uint32_t sequences_add(struct sequences *sequences, uint32_t name);

/* The place of the last run equal to the COUNT names at NAMES; NO_ROW as below. */
uint32_t sequences_last(struct sequences *sequences, const uint32_t *names, size_t count);

/*
 * Place the first names of the runs equal to the COUNT names at NAMES into PLACES, at most MAX.
 * Returns how many there are, or MAX: whole sequences if there are any, otherwise parts. 0 for a
 * run so short that it matches by chance, and after too many lengths.
 */
size_t sequences_find(struct sequences *sequences, const uint32_t *names, size_t count,
		      uint32_t *places, size_t max);
