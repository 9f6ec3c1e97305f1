/*
 * Maps trace categories to families of rows.
 */
#ifndef STRATA_INPUT_KINETO_CATEGORY_H
#define STRATA_INPUT_KINETO_CATEGORY_H

#include "model/profile.h"

enum lane { LANE_SPAN, LANE_ACTIVITY, LANE_FLOW };

struct category {
	const char *name; /* lower case */
	enum lane lane;
	int kind; /* enum span_kind, activity_kind or flow_kind */
};

/* The entry for a category (case-insensitive), or NULL when unknown. */
const struct category *category_find(const char *name, size_t length);

#endif
