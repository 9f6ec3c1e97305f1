/*
 * State and helpers shared by the parts of the RPD reader; private to them.
 */
#pragma once

#include "input/id_table.h"
#include "input/nvtx/nvtx.h"
#include "input/rocm/rocm.h"
#include "input/sqlite/sqlite_table.h"

/* An operator that autograd recorded, by the id of its range. */
struct rpd_operator {
	int64_t sequence;
	uint32_t sizes; /* interned */
};

/* Parameters of a kernel or copy, by the id of its call. */
struct rpd_launch {
	struct rocm_launch config;
	int64_t bytes, kind; /* of a copy */
};

struct rpd {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	struct hash *strings, *long_strings; /* the second NULL: arguments are in the first */
	struct hash *operations;             /* id of an operation → its activity */
	struct hash *calls;                  /* id of a call → its span */
	struct id_table operators;           /* by range: rpd_operator */
	struct id_table launches, copies;    /* by call: rpd_launch */
	struct id_table links;               /* by operation: its first call, an int64_t */
	uint32_t process;                    /* of what has none: the first one */
};

static inline uint32_t rpd_string(const struct rpd *rpd, int64_t id)
{
	return id_string(rpd->profile, rpd->strings, id);
}

void rpd_read_host(struct rpd *rpd);     /* rpd_host.c: calls and ranges */
void rpd_read_stacks(struct rpd *rpd);   /* rpd_host.c: stacks of calls */
void rpd_read_device(struct rpd *rpd);   /* rpd_device.c */
void rpd_read_counters(struct rpd *rpd); /* rpd_device.c: of kernels */
void rpd_read_monitors(struct rpd *rpd); /* rpd_device.c: clocks, power */
