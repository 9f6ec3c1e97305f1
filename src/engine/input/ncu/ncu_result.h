/*
 * One result of an Nsight Compute report: a kernel, its metrics, sections and rules.
 */
#pragma once

#include "input/ncu/ncu_private.h"
#include "input/proto/proto.h"

/* A metric's place in a section. */
struct ncu_label {
	uint32_t section, title; /* interned */
};

/* Reused from result to result. */
struct ncu_result {
	GROWING(uint32_t, names, name_count); /* the string table, interned */
	struct ncu_kernel kernel;
	GROWING(struct ncu_label, labels, label_count);
	struct hash *label_of; /* by name of a metric: the index of its label */
	struct hash *seen;     /* names of the kernel's metrics */
};

void ncu_result_end(struct ncu_result *result);

/* Append a string table: 1 repeated texts. */
void ncu_add_strings(struct ncu_result *result, struct intern *strings, struct proto table);

/* Add the kernel in MESSAGE, which begins at byte PLACE of the file. */
void ncu_read_result(struct ncu *ncu, struct ncu_result *result, struct proto message,
		     size_t place);

/* A value of the file: one of text and numbers. */
struct ncu_value {
	double number; /* NaN when it is a text */
	uint32_t text; /* interned */
};
/* False when there is none. */
bool ncu_value(const struct ncu *ncu, struct proto message, struct ncu_value *value);
