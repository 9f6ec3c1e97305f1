/*
 * What a call multiplies, by the recorded shapes of its operands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* [..., INNER] x [INNER, OUTER], or with the second operand transposed; ROWS in all. */
struct product_shape {
	int64_t rows, inner, outer;
	bool several; /* the second operand is a list of matrices */
};

/* SHAPES: "[[640],[888,2880],[2880,640]]", of which those with two dimensions and more count. */
bool product_shape_read(const char *shapes, struct product_shape *product);
