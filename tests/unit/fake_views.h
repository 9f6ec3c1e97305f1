/*
 * Two small views with fixed rows that replace the tools in front-end tests.
 */
#pragma once

#include "table/view.h"

/* Calls of view_build: SQL must build each table once per scope. */
extern int fake_builds;

/*
 * A name with every kind of character that formats must escape: control, bidi, quotes, markup,
 * invalid UTF-8.
 */
extern const char fake_hostile[];

struct table *fake_table(const char *view);
