/*
 * Reader for PyTorch (Kineto) and other Chrome traces: JSON in all known forms, even damaged.
 */
#pragma once

#include "input/reader.h"

extern const struct reader trace_reader;

/* Tuning; never changes the resulting profile. 0 selects the default. */
struct kineto_options {
	unsigned threads; /* reading in parallel; default: the number of CPUs */
	size_t block;     /* bytes per parallel piece; default: 256 KiB */
	bool no_layouts;  /* always use the parser, never layouts (kineto_layout.h) */
};

/* As the reader, without separating fused kernels. */
bool kineto_read_with(const struct input *input, const struct kineto_options *options);
