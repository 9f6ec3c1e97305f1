/*
 * Repeats: siblings of one class in a tree, such as the blocks of a transformer, folded into a row
 * above them.
 */
#pragma once

#include "table/table.h"

/* A name without its number, a part of it: "ViTLayer" of "ViTLayer_11", "layer" of "layer.0". */
struct name_class {
	const char *text;
	size_t length;
	bool numbered;
	uint64_t number;
};

struct name_class name_class(const char *name, size_t length);

/* Fewer siblings are not folded. */
enum { REPEATS_MIN = 4 };

struct repeat {
	size_t row;              /* stands for the members; its numbers are to be set */
	const uint32_t *members; /* rows, in the table's order */
	size_t count;
};

struct repeat_rules {
	/* Columns of which the first that any member has gives mean, spread and outlier. */
	const char *measures[2];
	/* Set the numbers of a folded row. Inner repeats come first. */
	void (*fill)(void *context, struct table *table, const struct repeat *repeat);
	/* Of paths: by what rows are ordered, first by 0, then by 1. */
	double (*change)(void *context, const struct table *table, size_t row, int measure);
	void *context;
	/*
	 * Names are paths, and the table is a list: fold rows whose paths are equal without
	 * numbers. Rows are ordered by size of change, largest first. The table becomes a tree.
	 */
	bool paths;
};

/*
 * Put layers of equal class that consist of layers of equal classes below a row of their own, of
 * kind "class" and with a REF_REPEAT, where a parent has REPEATS_MIN of them. The table is a tree
 * with the columns name, kind, repeats, repeat_mean_ns, repeat_spread_pct and outlier, as far as
 * listed. Returns false if canceled.
 */
bool table_fold_repeats(struct table *table, const struct repeat_rules *rules,
			const struct progress *progress);

/* Is it the kind of a layer: a module, annotation or Python function? */
bool is_layer_kind(struct value kind);
