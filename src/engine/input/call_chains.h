/*
 * Call stacks of databases that have a row for each frame: chains of frames by id.
 */
#pragma once

#include "base/intern.h"

struct call_frame {
	int64_t chain;
	uint32_t depth; /* 0: innermost */
	uint32_t name;  /* interned */
};

struct call_chains {
	struct call_frame *frames; /* once sorted by chain, innermost first */
	size_t count;
	struct hash *first, *texts; /* chain → index into frames, → its text */
};

/* Add a frame. Those without a chain, and deeper than 1024 frames, are dropped. */
void call_chains_add(struct call_chains *chains, int64_t chain, int64_t depth, uint32_t name);
/* After the last frame. */
void call_chains_sort(struct call_chains *chains);
void call_chains_clear(struct call_chains *chains);

/* The frames of a chain, *COUNT of them; 0 when unknown. */
const struct call_frame *call_chain(const struct call_chains *chains, int64_t chain, size_t *count);

/* The names of a chain, interned, innermost first, separated by ';'; 0 when unknown. */
uint32_t call_chain_text(struct call_chains *chains, struct intern *strings, int64_t chain);
