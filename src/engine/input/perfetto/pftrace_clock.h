/*
 * Clocks of a Perfetto trace: a writer may have one of its own, whose times are in a larger unit or
 * the difference from its last packet.
 */
#pragma once

#include "base/hash.h"
#include "input/proto/proto.h"

struct pf_clock {
	uint64_t sequence, id;
	bool incremental;
	int64_t unit;        /* ns */
	int64_t base, since; /* its time and that of the trace's clock, of one snapshot */
	int64_t last;        /* of an incremental clock */
};

struct pf_clocks {
	GROWING(struct pf_clock, items, count);
	struct hash *defaults; /* sequence → index in items; see pf_clocks_choose */
};

void pf_clocks_clear(struct pf_clocks *clocks);

/* A ClockSnapshot in a packet of SEQUENCE. */
void pf_clocks_read(struct pf_clocks *clocks, struct proto snapshot, uint64_t sequence);
/* Packets of SEQUENCE that name no clock use this one. */
void pf_clocks_choose(struct pf_clocks *clocks, uint64_t sequence, uint64_t id);
/*
 * The time of a packet, in ns, from its timestamp by clock ID (0: not named). An incremental clock
 * advances. False if it overflows.
 */
bool pf_clocks_time(struct pf_clocks *clocks, uint64_t sequence, uint64_t id, int64_t *time);
