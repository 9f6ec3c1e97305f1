/*
 * Generated traces for tests of plots.
 */
#pragma once

#include "trace_case.h"

#include "picture/plot/plot.h"

enum { TRACES = 5 };

extern struct run *runs[TRACES]; /* with slow layers, without modules, without shapes, of a rank */

/* Set up and tear down a group of tests. */
int plot_case_open(void **state);
int plot_case_close(void **state);

/* Fails the test unless it is built. GROUP NULL: the first; SCOPE NULL: all. The caller frees it.
 */
struct plot *plot_of(const struct run *run, const char *name, const char *group,
		     const struct scope *scope);
