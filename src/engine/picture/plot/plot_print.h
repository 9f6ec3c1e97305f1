/*
 * A plot as a report: lines of text, or an SVG drawing.
 */
#ifndef STRATA_PICTURE_PLOT_PLOT_PRINT_H
#define STRATA_PICTURE_PLOT_PLOT_PRINT_H

#include "picture/plot/plot_draw.h"

struct plot_print {
	enum plot_marks marks;
	int width, height;            /* columns and rows; 0: as many as it takes to look well */
	const struct pattern *search; /* of a flame graph: frames to tell the share of; NULL */
};

/* Append the title, the picture, what is to be known of it, a line each. */
void plot_print(const struct plot *plot, const struct plot_print *print, struct buffer *out);

/*
 * Append the plot as one SVG document that needs nothing else: names are escaped, what XML does not
 * allow is replaced.
 */
void plot_svg(const struct plot *plot, struct buffer *out);

#endif
