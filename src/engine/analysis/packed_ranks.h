/*
 * The summary of a rank as bytes that any build reads: starts and ends are differences.
 */
#pragma once

#include "base/packed.h"

struct rank_summary;

void rank_summary_pack(const struct rank_summary *summary, struct intern *texts,
		       struct buffer *out);
/* The caller frees; NULL when it is damaged. */
struct rank_summary *rank_summary_unpack(struct packed *packed, const struct packed_texts *texts);
