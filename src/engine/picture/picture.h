/*
 * Pictures: what of a run is looked at rather than read, and the one registry that lists them. Each
 * has two faces: plain text in a report, and a pane of the explorer (tui/).
 */
#ifndef STRATA_PICTURE_PICTURE_H
#define STRATA_PICTURE_PICTURE_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

struct picture_query {
	const struct run *run;
	const struct scope *scope;
	int width;  /* columns the picture may take */
	bool ascii; /* nothing but 7-bit characters */
	const struct progress *progress;
	struct error *error;
};

struct picture {
	const char *name; /* "timeline"; no view has it */
	const char *title;
	const char *summary; /* one sentence for help and manual */
	char key;            /* digit of the explorer's tab line, or 0 */

	/* Append the picture as lines of text.  False with the query's error. */
	bool (*print)(const struct picture_query *query, struct buffer *out);
};

/* The registry, in the order of the manual. */
const struct picture *picture_at(size_t index);       /* NULL past the end */
const struct picture *picture_find(const char *name); /* NULL: there is none */

extern const struct picture picture_timeline;

#endif
