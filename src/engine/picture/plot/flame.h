/*
 * Flame graphs: a tree whose frames are as wide as the time they stand for.
 */
#ifndef STRATA_PICTURE_PLOT_FLAME_H
#define STRATA_PICTURE_PLOT_FLAME_H

#include "model/frames.h"
#include "picture/plot/plot_draw.h"

struct pattern;

struct flame_node {
	int64_t value, self; /* ns: with everything above it, and alone */
	int64_t start;       /* ns from the left end */
	uint32_t name;       /* in flame->names */
	uint32_t parent;     /* NO_ROW at the root */
	uint32_t size;       /* nodes of the subtree, itself included */
	uint32_t depth;
	uint32_t row; /* of the plot's table; NO_ROW */
	uint8_t role; /* enum role */
};

/*
 * Nodes in preorder, node 0 the whole; siblings from the widest to the narrowest.  What the values
 * of the children of a node leave of its own is its self time.
 */
struct flame {
	struct flame_node *nodes;
	uint32_t count, deepest;
	struct intern *names;
};

void flame_free(struct flame *flame); /* NULL is fine */
const char *flame_name(const struct flame *flame, uint32_t node);

/* ---- making one ---- */

struct flame_frame {
	int64_t self;
	uint32_t row;
	uint8_t role;
};

struct flame_maker {
	struct frames frames;
	struct flame_frame *sums; /* by frame */
	size_t cap;
	struct intern *names;
};

void flame_begin(struct flame_maker *maker);
/* The frame of this name called from CALLER (NO_ROW: a root); ROW and ROLE are of its first use. */
uint32_t flame_frame(struct flame_maker *maker, uint32_t caller, const char *name, size_t length,
		     enum role role, uint32_t row);
void flame_add(struct flame_maker *maker, uint32_t frame, int64_t ns); /* its own time */
/* The caller frees the result; the maker is used up. */
struct flame *flame_end(struct flame_maker *maker);

/* ---- looking at it ---- */

struct flame_look {
	enum plot_marks marks;
	uint32_t zoom; /* takes the whole width; those below it are drawn so too */
	bool has_cursor;
	uint32_t node;          /* under the cursor */
	bool inverted;          /* the whole is at the bottom, as of real flames */
	uint32_t top;           /* depth of the first row shown */
	const uint8_t *matched; /* by node, 1: what is searched for; NULL */
};

/* The columns of a node, of COLUMNS; false: it is narrower than one, or out of sight. */
bool flame_span(const struct flame *flame, uint32_t zoom, uint32_t node, int columns, int *from,
		int *to);

/* Draw into RECT; costs O(cells).  What is too narrow for a cell of its own is drawn together. */
void flame_draw(const struct flame *flame, const struct flame_look *look, struct grid *grid,
		struct plot_rect rect);

/*
 * Which nodes PATTERN matches, by node (mem_free); *VALUE is their time, that of a match inside of
 * a match counted once.
 */
uint8_t *flame_match(const struct flame *flame, const struct pattern *pattern, int64_t *value);

#endif
