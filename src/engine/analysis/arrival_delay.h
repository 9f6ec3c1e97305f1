/*
 * Why a straggler is late: the part of its step that is longer than on the other ranks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct run;
struct scope;

enum late_part { LATE_UNKNOWN, LATE_COMPUTE, LATE_IDLE, LATE_NETWORK };

/* The parts of a step in which a rank can be late, ns a step. */
struct arrival_delay {
	int64_t computation, idle, transfer;
};

/* Of all ranks, summed up, so that any rank can be compared with the others. */
struct arrival_delay arrival_delay_of_all(const struct run *run, const struct scope *scope);

/*
 * The part that explains most of what RANK (index) takes longer than the mean of the others, and
 * enough of the LEAD per step that others wait for it; NS: how much longer. ALL:
 * arrival_delay_of_all.
 */
enum late_part late_part_of(const struct run *run, const struct scope *scope,
			    const struct arrival_delay *all, size_t rank, int64_t lead,
			    int64_t *ns);
