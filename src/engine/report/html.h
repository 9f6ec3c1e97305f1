/*
 * Parts of a self-contained HTML page: tables that sort, plots and pictures as inline SVG.
 * Texts of the profile are escaped.
 */
#pragma once

#include "report/extract.h"

void html_begin(struct buffer *out, const char *title);
void html_end(struct buffer *out);

/* Start and end a section; ID becomes its anchor, to which LINKS get a link. SUMMARY may be NULL.
 */
void html_section(struct buffer *out, struct buffer *links, const char *id, const char *title,
		  const char *summary);
void html_section_end(struct buffer *out);

void html_note(struct buffer *out, const char *text);
/* A section around an SVG, which scrolls where the page is narrower. */
void html_drawing_begin(struct buffer *out, struct buffer *links, const char *id,
			const char *title);
void html_drawing_end(struct buffer *out);
/* FOLDED: only how many rows there are is seen at first. False with ERROR_CANCELLED. */
bool html_table(struct buffer *out, const struct extract *extract, bool folded,
		const struct progress *progress, struct error *error);
