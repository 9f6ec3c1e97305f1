/*
 * Two small views of fixed rows, in place of the registry, for the tests of the faces.
 */
#ifndef TESTS_FAKE_VIEWS_H
#define TESTS_FAKE_VIEWS_H

#include "table/view.h"

/* Times that view_build was called: SQL is to build a table once a scope. */
extern int fake_builds;

/* A name with everything that formats must escape: control, bidi, quotes, markup, broken UTF-8. */
extern const char fake_hostile[];

struct table *fake_table(const char *view);

#endif
