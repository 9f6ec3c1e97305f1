/*
 * Flame graphs: trees whose frames are as wide as their time.
 */
#pragma once

#include "model/frames.h"
#include "picture/plot/plot_draw.h"

struct flame_node {
	int64_t value, self; /* ns: total and self */
	int64_t start;       /* ns from the left edge */
	uint32_t name;       /* in flame->names */
	uint32_t parent;     /* NO_ROW at the root */
	uint32_t size;       /* of the subtree including the node */
	uint32_t depth;
	uint32_t row;    /* of the plot's table, or NO_ROW */
	uint32_t layers; /* folded into it; 0 or 1: none */
	uint8_t role;    /* enum role */
};

/*
 * Nodes in preorder, node 0 the root; siblings widest first. A node's self time is its value less
 * those of its children.
 */
struct flame {
	struct flame_node *nodes;
	uint32_t count, deepest;
	struct intern *names;
	enum unit unit; /* of values */
};

void flame_free(struct flame *flame); /* NULL is allowed */
const char *flame_name(const struct flame *flame, uint32_t node);

/* ---- building ---- */

struct flame_frame {
	int64_t self;
	uint32_t row;
	uint32_t layers; /* folded into it */
	uint8_t role;
};

struct flame_maker {
	struct frames frames;
	struct flame_frame *sums; /* by frame */
	struct intern *names;
	enum unit unit;
};

void flame_begin(struct flame_maker *maker);
/* Frame of this name called by CALLER (NO_ROW: a root). ROW and ROLE apply to its first use. */
uint32_t flame_frame(struct flame_maker *maker, uint32_t caller, const char *name, size_t length,
		     enum role role, uint32_t row);
void flame_add(struct flame_maker *maker, uint32_t frame, int64_t ns); /* adds self time */
/* Consumes the maker. The caller frees the result. */
struct flame *flame_end(struct flame_maker *maker);

/* ---- display ---- */

struct flame_look {
	enum plot_marks marks;
	uint32_t zoom; /* spans the full width, as do its ancestors */
	bool has_cursor;
	uint32_t node;          /* under the cursor */
	bool inverted;          /* root at the bottom */
	bool filled;            /* blocks in reverse video; else in brackets, for text */
	bool letters;           /* blocks too narrow for a name have the letter of their color */
	int height;             /* rows of a filled block; 0: one */
	uint32_t top;           /* depth of the first visible row */
	const uint8_t *matched; /* by node, 1: matches the search; NULL */
};

/* Columns of a node; false: narrower than one, or not visible. */
bool flame_span(const struct flame *flame, uint32_t zoom, uint32_t node, int columns, int *from,
		int *to);

/* Levels down to the deepest frame that has room for a part of its name in COLUMNS columns. */
int flame_levels(const struct flame *flame, int columns);

/* Draw into RECT in O(cells). Nodes narrower than a cell are merged. */
void flame_draw(const struct flame *flame, const struct flame_look *look, struct grid *grid,
		struct plot_rect rect);

/* Matches of PATTERN by node (mem_free). *VALUE is their time, nested matches counted once. */
uint8_t *flame_match(const struct flame *flame, const struct pattern *pattern, int64_t *value);
