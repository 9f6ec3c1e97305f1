/*
 * PyTorch's key_averages(), from the trace alone.
 *
 * Its rules, not strata's: annotations and runtime calls are rows beside the operators, self time
 * is what the direct children leave (it may be negative), memory is what any thread recorded while
 * an event ran, and device work has rows of its own.
 */
#ifndef STRATA_TOOLS_TORCH_KEY_AVERAGES_H
#define STRATA_TOOLS_TORCH_KEY_AVERAGES_H

#include "facts/selection.h"
#include "report/format.h"
#include "table/view.h"

extern const struct view view_key_averages; /* not in the registry */

format_writer key_averages_print;

enum { KEY_STACK_MAX = 1024 }; /* entries of a call stack one may group by */

struct key_average {
	const char *name;   /* belongs to the result, as do all texts */
	const char *shapes; /* JSON text; NULL when not grouped by shapes */
	const char *stack;  /* entries joined by ';'; NULL when not grouped by stacks */
	const char *kind;   /* of its first event: "operator", "runtime", "kernel"… (static) */
	bool on_device;     /* device work itself, not a host event that launched some */
	bool async;         /* its first event ended on another thread */
	int64_t calls, cpu_total, cpu_self, gpu_total, gpu_self;
	int64_t cpu_memory, cpu_self_memory, gpu_memory, gpu_self_memory;
};

struct key_averages {
	struct key_average *rows; /* in order of their first events */
	size_t count, capacity;
	bool has_memory; /* memory was recorded */
	struct intern *texts;
};

/*
 * The averages of what is selected, by name, and (BY_SHAPES) input shapes, and the innermost
 * STACK_DEPTH entries of the call stack.  False when cancelled; the caller clears with
 * key_averages_clear either way.
 */
bool key_averages_make(struct key_averages *averages, const struct selection *selection,
		       bool by_shapes, uint32_t stack_depth, const struct progress *progress);
void key_averages_clear(struct key_averages *averages);

#endif
