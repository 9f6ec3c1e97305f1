/*
 * PyTorch's key_averages(), computed from the trace.
 *
 * Uses PyTorch's rules instead of strata's: annotations and runtime calls are rows, too; self time
 * excludes direct children (and may be negative); memory is whatever any thread recorded during an
 * event; device events have rows of their own.
 */
#pragma once

#include "report/format.h"

extern const struct view view_key_averages;
view_builder build_key_averages;

format_writer key_averages_print;

enum { KEY_STACK_MAX = 1024 }; /* maximum stack depth to group by */

struct key_average {
	const char *name;   /* owned by the result, as are all texts */
	const char *shapes; /* JSON; NULL unless grouped by shapes */
	const char *stack;  /* entries joined by ';'; NULL unless grouped by stack */
	const char *kind;   /* of the first event: "operator", "runtime", "kernel"… (static) */
	bool on_device;     /* a device event, not a host event that launched some */
	bool async;         /* the first event ended on another thread */
	struct ref ref;     /* REF_OPERATOR, REF_EVENTS, REF_KERNEL or REF_NONE */
	int64_t calls, cpu_total, cpu_self, gpu_total, gpu_self;
	int64_t cpu_memory, cpu_self_memory, gpu_memory, gpu_self_memory;
};

struct key_averages {
	GROWING(struct key_average, rows, count); /* in order of their first event */
	bool has_memory;                          /* memory was recorded */
	struct intern *texts;
};

/*
 * Averages of the selected events by name, input shapes (BY_SHAPES) and the innermost STACK_DEPTH
 * stack entries. False when cancelled; the caller calls key_averages_clear in either case.
 */
bool key_averages_make(struct key_averages *averages, const struct selection *selection,
		       bool by_shapes, uint32_t stack_depth, const struct progress *progress);
void key_averages_clear(struct key_averages *averages);
