/*
 * Plots as reports: text or SVG.
 */
#pragma once

#include "picture/plot/plot_draw.h"

struct plot_print {
	enum plot_marks marks;
	int width, height;            /* columns and rows; 0: default */
	bool color;                   /* for a terminal */
	const struct pattern *search; /* flame graphs: report the share of matching frames; NULL */
};

/* Append the title, the picture, and remarks, one a line. */
void plot_print(const struct plot *plot, const struct plot_print *print, struct buffer *out);

/*
 * Append the plot as a self-contained SVG document; names are escaped, characters invalid in XML
 * replaced.
 */
void plot_svg(const struct plot *plot, struct buffer *out);
