/*
 * What the readers of ncu's printed output share.
 */
#pragma once

#include "input/ncu/ncu_private.h"

/* A metric as text. */
struct ncu_printed {
	const char *section, *name, *unit, *value; /* section: NULL or "" when unknown */
	const char *least, *most; /* NULL: VALUE is of one launch; else their mean */
	bool as_printed; /* keep value and unit; else the value is scaled to its base unit */
};
void ncu_printed_metric(struct ncu *ncu, struct ncu_kernel *kernel,
			const struct ncu_printed *printed);

/* "(8, 1, 1)"; leaves TRIPLE alone when it is something else. */
void ncu_printed_triple(const char *text, int32_t triple[3]);
/* The compute capability of a device, "9.0". */
void ncu_printed_capability(struct ncu *ncu, int64_t device, const char *text);

/* Read the text of the page details; false when cancelled. TEXT ends with a NUL. */
bool ncu_read_text(struct ncu *ncu, const char *text, size_t length);
