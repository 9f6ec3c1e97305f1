/*
 * The registry of pictures: graphical representations of a run, shown as plain text in a report and
 * as a pane of the explorer (tui/).
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

struct picture_query {
	const struct run *run;
	const struct scope *scope;
	int width;  /* width in columns */
	bool ascii; /* ASCII only */
	bool color; /* of the text, for a terminal */
	bool svg;   /* instead of text, if the picture has it */
	const struct progress *progress;
	struct error *error;
};

struct picture {
	const char *name; /* "timeline"; distinct from all view names */
	const char *title;
	const char *summary; /* one sentence for help and manual */
	char key;            /* digit in the explorer's tab line, or 0 */
	bool has_svg;

	/* Append the picture as lines of text. False with the query's error. */
	bool (*print)(const struct picture_query *query, struct buffer *out);
};

/* In the manual's order. */
const struct picture *picture_at(size_t index);       /* NULL past the end */
const struct picture *picture_find(const char *name); /* NULL if unknown */

extern const struct picture picture_dashboard, picture_timeline;
