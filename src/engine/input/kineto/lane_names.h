/*
 * Collects names of processes and tracks, which may be anywhere in a trace, until all tracks exist.
 */
#pragma once

#include "model/profile.h"

/* One metadata event. */
struct lane_name {
	uint32_t process;
	int64_t tid; /* NO_VALUE and no label: names the process */
	uint32_t tid_label, text;
	int64_t sort_index; /* NO_VALUE: a name, not a sort index */
};

struct lane_names {
	GROWING(struct lane_name, items, count);
};

void lane_names_add(struct lane_names *names, const struct lane_name *name); /* copied */
void lane_names_apply(const struct lane_names *names, struct profile *profile);
void lane_names_clear(struct lane_names *names);
