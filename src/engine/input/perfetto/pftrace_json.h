/*
 * A track event as text of a Chrome trace, whose reader knows what becomes of its category and
 * arguments.
 */
#pragma once

#include "base/buffer.h"
#include "base/hash.h"
#include "input/proto/proto.h"

struct profile;

/* Tables of InternedData, by their fields in it. */
enum pf_table { PF_CATEGORIES = 1, PF_NAMES = 2, PF_KEYS = 3, PF_TEXTS = 29 };

/* Texts that packets of a sequence refer to by number. */
struct pf_interned {
	struct profile *profile;
	struct hash *texts; /* of (sequence, table, number): string ids */
};

void pf_interned_read(struct pf_interned *interned, struct proto message, uint64_t sequence);
/* The string id of NUMBER in a table; 0: unknown. */
uint32_t pf_interned_text(const struct pf_interned *interned, uint64_t sequence,
			  enum pf_table table, uint64_t number);

enum { PF_ARGUMENT = 4 };   /* field of TrackEvent */
enum { PF_FLOWS_MAX = 16 }; /* limit: flows of an event */

struct pf_event {
	struct proto message;
	int64_t time, type; /* ns */
	int64_t flows[PF_FLOWS_MAX];
	size_t flow_count;
	uint32_t name, category; /* string ids */
	uint64_t track, sequence;
	double value;
};

/*
 * Replace OUT by the EVENT of a thread, of phase X and duration 0; PID may be NO_VALUE. FLOW is its
 * correlation id unless an argument has one; NO_VALUE: none.
 */
void pf_json_write(struct buffer *out, const struct pf_interned *interned,
		   const struct pf_event *event, int64_t pid, int64_t tid, int64_t flow);
