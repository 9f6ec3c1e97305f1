/*
 * Families of kernels, and what their names say about precision, alignment and generation.
 */
#pragma once

#include "base/listed.h"
#include "base/progress.h"
#include "text_tables.h"

struct derived;
struct kernel_rules;

enum kernel_family { KERNEL_FAMILY_ROWS(LISTED) KERNEL_FAMILIES };

/* What a name says; a missing bit says nothing. */
enum { KERNEL_TRAIT_ROWS(LISTED_BIT) };
enum kernel_trait { KERNEL_TRAIT_ROWS(LISTED_FLAG) };

struct kernel_name {
	uint8_t family, generation; /* generation: 75, 80, 90… (0: not told) */
	uint16_t traits;
};

struct kernel_rules *kernel_rules_new(void);
void kernel_rules_free(struct kernel_rules *rules); /* NULL is fine */

/* Communication is known by role (derived.h), not by name. */
struct kernel_name kernel_name_of(struct kernel_rules *rules, const char *name, size_t length);

const char *kernel_family_name(enum kernel_family family); /* "fused attention" */

/* ---- names of a profile ---- */

/* By string id, cached with DERIVED; NULL when cancelled. */
const struct kernel_name *derived_kernel_names(const struct derived *derived,
					       const struct progress *progress);
