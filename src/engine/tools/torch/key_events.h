/*
 * The events that PyTorch's key_averages() sums, and their tree: tools/torch/key_averages.c alone
 * uses this.
 */
#ifndef STRATA_TOOLS_TORCH_KEY_EVENTS_H
#define STRATA_TOOLS_TORCH_KEY_EVENTS_H

#include "facts/selection.h"

enum key_kind { KEY_SPAN, KEY_ACTIVITY, KEY_MEMORY };

struct key_event {
	int64_t start, end;
	int64_t order;   /* External id: grows with the start on each thread; 0 none */
	uint32_t row;    /* span, activity or memory record, by kind */
	uint32_t parent; /* event, NO_ROW */
	uint32_t children;
	uint32_t name; /* in names */
	uint8_t kind;  /* enum key_kind */
	bool async, deleted;
	int64_t cpu_self, gpu_self, gpu_total;
	int64_t cpu_memory, cpu_self_memory, gpu_memory, gpu_self_memory;
};

struct key_events {
	const struct selection *selection;
	struct key_event *events; /* parents before their children */
	size_t count, capacity;
	struct intern *names; /* as PyTorch prints them: demangled, steps without number */
	uint32_t *name_of;    /* by string id: the name's, NO_ROW: not looked at yet */
	const struct progress *progress;
};

/*
 * Collect the events of the profile (all of it: what is not selected still takes its time from what
 * encloses it) and sum up what each did.  NAMES receives their names.  False when cancelled; the
 * caller clears EVENTS either way.
 */
bool key_events_make(struct key_events *events, const struct selection *selection,
		     struct intern *names, const struct progress *progress);
void key_events_clear(struct key_events *events);

/* Is an event counted: selected, and not folded into another? */
bool key_event_counts(const struct key_events *events, const struct key_event *event);

#endif
