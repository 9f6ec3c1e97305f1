/*
 * State and helpers shared by the parts of the RPD reader; private to them.
 */
#ifndef STRATA_INPUT_ROCM_RPD_PRIVATE_H
#define STRATA_INPUT_ROCM_RPD_PRIVATE_H

#include "base/hash.h"
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

struct rpd_link {
	int64_t operation, call;
};

struct rpd {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	struct hash *strings, *long_strings; /* the second NULL: arguments are in the first */
	struct hash *operator_ids, *launch_ids, *copy_ids;
	struct hash *operations; /* id of an operation → its activity */
	struct hash *calls;      /* id of a call → its span */
	struct rpd_operator *operators;
	struct rpd_launch *launches;
	struct rpd_link *links; /* by operation */
	size_t operator_count, operator_cap, launch_count, launch_cap, link_count, link_cap;
	uint32_t process; /* of what has none: the first one */
};

uint32_t rpd_string(const struct rpd *rpd, int64_t id); /* interned; 0: none */
uint32_t rpd_intern(const struct rpd *rpd, const char *text);

void rpd_read_host(struct rpd *rpd);     /* rpd_host.c: calls and ranges */
void rpd_read_stacks(struct rpd *rpd);   /* rpd_host.c: stacks of calls */
void rpd_read_device(struct rpd *rpd);   /* rpd_device.c */
void rpd_read_counters(struct rpd *rpd); /* rpd_device.c: of kernels */
void rpd_read_monitors(struct rpd *rpd); /* rpd_device.c: clocks, power */

#endif
