/*
 * The event tree summed by PyTorch's key_averages(); private to key_averages.c.
 */
#pragma once

#include "derived/selection.h"

enum key_kind { KEY_SPAN, KEY_ACTIVITY, KEY_MEMORY };

struct key_event {
	int64_t start, end;
	int64_t order;   /* external id: increases with start on each thread; 0: none */
	uint32_t row;    /* span, activity or memory record, by kind */
	uint32_t parent; /* event, or NO_ROW */
	uint32_t children;
	uint32_t name; /* in names */
	uint8_t kind;  /* enum key_kind */
	bool async, deleted;
	int64_t cpu_self, gpu_self, gpu_total;
	int64_t cpu_memory, cpu_self_memory, gpu_memory, gpu_self_memory;
};

struct key_events {
	const struct selection *selection;
	GROWING(struct key_event, events, count); /* parents before children */
	struct intern *names; /* as printed by PyTorch: demangled, steps without number */
	uint32_t *name_of;    /* by string id: name, or NO_ROW: not yet computed */
	const struct progress *progress;
};

/*
 * Collect the events of the profile and their sums. Unselected events are included, since they
 * still reduce the self time of their parents. Names go to NAMES. False when cancelled; the caller
 * clears EVENTS in either case.
 */
bool key_events_make(struct key_events *events, const struct selection *selection,
		     struct intern *names, const struct progress *progress);
void key_events_clear(struct key_events *events);

/* True if the event is selected and not merged into another one. */
bool key_event_counts(const struct key_events *events, const struct key_event *event);
