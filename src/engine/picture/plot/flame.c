#include "picture/plot/flame.h"

#include "base/compare.h"
#include "picture/lane_role.h"

#include <stdlib.h>

/* From these widths in columns on, names are elided at their end, and in the middle. */
enum { NAME_CUT = 2, NAME_ELIDED = 8 };

FREE_OBJECT(flame_free, struct flame, OWN(nodes) OWN_BY(intern_free, names))

const char *flame_name(const struct flame *flame, uint32_t node)
{
	return intern_text(flame->names, flame->nodes[node].name);
}

/* ---- building ---- */

void flame_begin(struct flame_maker *maker)
{
	*maker = (struct flame_maker){ .names = intern_new(), .unit = UNIT_NS };
	frames_init(&maker->frames);
	flame_frame(maker, NO_ROW, "all", 3, ROLE_TEXT, NO_ROW);
}

uint32_t flame_frame(struct flame_maker *maker, uint32_t caller, const char *name, size_t length,
		     enum role role, uint32_t row)
{
	size_t known = maker->frames.count;
	if (caller == NO_ROW && known)
		caller = 0;
	uint32_t frame = frames_add(&maker->frames, intern_add(maker->names, name, length), caller);
	if (frame >= known) {
		mem_grow(maker->sums, maker->frames.count);
		maker->sums[frame] = (struct flame_frame){ 0, row, 0, (uint8_t)role };
	}
	return frame;
}

void flame_add(struct flame_maker *maker, uint32_t frame, int64_t ns)
{
	if (ns > 0)
		maker->sums[frame].self += ns;
}

/* A frame and its caller. */
struct sibling {
	uint32_t caller, frame;
	int64_t value;
};

COMPARE_MEMBERS(by_caller, struct sibling, UP(caller) DOWN(value) UP(frame))

/* Callers precede callees: walking backwards accumulates totals. */
static struct sibling *sum_up(const struct flame_maker *maker)
{
	size_t count = maker->frames.count;
	struct sibling *siblings = mem_alloc(count * sizeof *siblings);
	for (size_t i = 0; i < count; i++)
		siblings[i] = (struct sibling){ maker->frames.frames[i].caller, (uint32_t)i,
						maker->sums[i].self };
	for (size_t i = count; i-- > 1;)
		siblings[siblings[i].caller].value += siblings[i].value;
	return siblings;
}

struct flame_folding {
	const struct flame_maker *maker;
	const struct sibling *siblings; /* sorted by caller; the root, without one, is last */
	const uint32_t *first;          /* by frame: index of its first callee */
	struct flame *flame;
};

static uint32_t add_node(struct flame_folding *folding, const struct sibling *sibling,
			 uint32_t parent, int64_t start)
{
	struct flame *flame = folding->flame;
	const struct flame_frame *frame = &folding->maker->sums[sibling->frame];
	uint32_t depth = parent == NO_ROW ? 0 : flame->nodes[parent].depth + 1;
	flame->nodes[flame->count] =
		(struct flame_node){ .value = sibling->value,
				     .self = frame->self,
				     .start = start,
				     .name = folding->maker->frames.frames[sibling->frame].name,
				     .parent = parent,
				     .size = 1,
				     .depth = depth,
				     .row = frame->row,
				     .layers = frame->layers,
				     .role = frame->role };
	raise_to(flame->deepest, depth);
	return flame->count++;
}

/*
 * Emits nodes in preorder. Iterative, since stacks may be deep; next: the sibling to continue with.
 */
static void flame_fold(struct flame_folding *folding, const struct sibling *root)
{
	struct flame *flame = folding->flame;
	size_t frames = folding->maker->frames.count;
	struct {
		uint32_t next, frame, node;
		int64_t start;
	} *stack = NULL;
	size_t depth = 1;
	mem_grow(stack, 1);
	stack[0].node = add_node(folding, root, NO_ROW, 0);
	stack[0].frame = root->frame;
	stack[0].next = folding->first[root->frame];
	stack[0].start = 0;
	while (depth) {
		size_t top = depth - 1;
		const struct sibling *sibling = &folding->siblings[stack[top].next];
		if (stack[top].next + 1 >= frames || sibling->caller != stack[top].frame ||
		    sibling->value <= 0) {
			struct flame_node *node = &flame->nodes[stack[top].node];
			node->size = flame->count - stack[top].node;
			depth--;
			continue;
		}
		uint32_t node = add_node(folding, sibling, stack[top].node, stack[top].start);
		stack[top].next++;
		mem_grow(stack, depth + 1);
		stack[depth].node = node;
		stack[depth].frame = sibling->frame;
		stack[depth].next = folding->first[sibling->frame];
		stack[depth].start = stack[top].start;
		stack[top].start += sibling->value;
		depth++;
	}
	mem_free(stack);
}

struct flame *flame_end(struct flame_maker *maker)
{
	size_t count = maker->frames.count;
	struct sibling *siblings = sum_up(maker), root = siblings[0];
	AUTO_FREE uint32_t *first = mem_no_rows(count);
	struct flame *flame = mem_zalloc(1, sizeof *flame);
	qsort(siblings, count, sizeof *siblings, by_caller);
	for (size_t i = count; i-- > 0;)
		if (siblings[i].caller != NO_ROW)
			first[siblings[i].caller] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) /* no callees: only the root */
		first[i] = first[i] == NO_ROW ? (uint32_t)count - 1 : first[i];
	flame->names = maker->names;
	flame->unit = maker->unit;
	flame->nodes = mem_alloc(count * sizeof *flame->nodes);
	struct flame_folding folding = { maker, siblings, first, flame };
	flame_fold(&folding, &root);
	mem_free_all(siblings, maker->sums);
	frames_clear(&maker->frames);
	*maker = (struct flame_maker){ 0 };
	return flame;
}

/* ---- searching ---- */

uint8_t *flame_match(const struct flame *flame, const struct pattern *pattern, int64_t *value)
{
	uint32_t names = intern_count(flame->names), inside = 0;
	AUTO_FREE uint8_t *by_name = mem_zalloc(names, 1);
	uint8_t *matched = mem_zalloc(flame->count, 1);
	for (uint32_t i = 0; i < names; i++)
		by_name[i] = pattern_match(pattern, INTERNED(flame->names, i), NULL, NULL);
	*value = 0;
	for (uint32_t i = 1; i < flame->count; i++) {
		matched[i] = by_name[flame->nodes[i].name];
		if (!matched[i] || i < inside)
			continue;
		*value += flame->nodes[i].value;
		inside = i + flame->nodes[i].size;
	}
	return matched;
}

/* ---- drawing ---- */

static int boundary(const struct flame_node *zoom, int64_t at, int columns)
{
	double place = (double)(at - zoom->start) / (double)zoom->value;
	return (int)(place * columns + 0.5);
}

static bool is_above(const struct flame *flame, uint32_t above, uint32_t node)
{
	return node >= above && node < above + flame->nodes[above].size;
}

bool flame_span(const struct flame *flame, uint32_t zoom, uint32_t index, int columns, int *from,
		int *to)
{
	const struct flame_node *base = &flame->nodes[zoom], *node = &flame->nodes[index];
	*from = 0;
	*to = columns;
	if (is_above(flame, index, zoom))
		return columns > 0;
	if (!is_above(flame, zoom, index) || base->value <= 0)
		return false;
	*from = boundary(base, node->start, columns);
	*to = boundary(base, node->start + node->value, columns);
	return *to > *from;
}

int flame_levels(const struct flame *flame, int columns)
{
	enum { LEAST = 3 };
	uint32_t deepest = 0;
	for (uint32_t i = 0; i < flame->count;) {
		const struct flame_node *node = &flame->nodes[i];
		bool wide = (double)node->value * columns >=
			    (double)LEAST * (double)flame->nodes->value;
		deepest = wide && node->depth > deepest ? node->depth : deepest;
		i += wide ? 1 : node->size;
	}
	return (int)deepest + 1;
}

struct painting {
	const struct flame *flame;
	const struct flame_look *look;
	struct grid *grid;
	struct plot_rect rect;
};

static int height_of(const struct painting *painting)
{
	return painting->look->height > 1 ? painting->look->height : 1;
}

/* First screen row of a depth; -1: not visible. */
static int flame_row_of(const struct painting *painting, uint32_t depth)
{
	int height = height_of(painting), rows = painting->rect.rows;
	uint32_t top = painting->look->top;
	if (depth < top || depth - top >= (uint32_t)(rows / height))
		return -1;
	int row = (int)(depth - top) * height;
	return painting->rect.row + (painting->look->inverted ? rows - height - row : row);
}

/* The row of a frame with its name; the others are of its color, with a gap below. */
static int name_row(const struct painting *painting)
{
	return (height_of(painting) - 1) / 2;
}

static void draw_body(const struct painting *painting, int row, int column, int width, int role)
{
	int height = height_of(painting), filled = width > 1 ? width - 1 : 1;
	for (int i = 0; i < height; i++)
		for (int at = 0; at < filled && i != name_row(painting); at++)
			grid_puts(painting->grid, row + i, column + at, 1, role,
				  width == 1       ? "▌"
				  : i < height - 1 ? "█"
						   : "▀");
}

/* A name that does not fit, without result type and namespaces: "linear" of "aten::linear". */
static const char *flame_short_name(const char *name, int columns)
{
	static const char result[] = "void ";
	size_t length = strlen(name), end = strcspn(name, "<(");
	if (length <= (size_t)columns)
		return name;
	if (!strncmp(name, result, sizeof result - 1)) {
		name += sizeof result - 1;
		end = strcspn(name, "<(");
	}
	for (size_t at = end; at > 1; at--)
		if (name[at - 1] == ':' && name[at - 2] == ':' && at < end)
			return name + at;
	return name;
}

/* In narrow blocks the start of the name, with a mark. */
static void put_name(struct grid *grid, int row, int column, int width, int role, const char *name)
{
	size_t length = strlen(name);
	if (width >= NAME_ELIDED || grid_width(grid, name, length) <= width)
		grid_field(grid, row, column, width, role, GRID_LEFT, name, length);
	else if (width >= NAME_CUT)
		grid_cut(grid, row, column, width, role, name);
}

/*
 * A block of color with a margin on its right, and at its left if there is room. One too narrow for
 * a name is a cell, or the left half of it, or its letter; marked ones have a background already.
 */
static void draw_block(const struct painting *painting, int row, int column, int width, int role,
		       const char *name)
{
	struct grid *grid = painting->grid;
	int filled = width - 1, margin = filled > NAME_ELIDED;
	if (filled < NAME_CUT) {
		bool line = grid->ascii || role == ROLE_SELECTION || role == ROLE_MATCH;
		char letter[] = { painting->look->letters ? letter_of_role(role) : '\0', '\0' };
		grid_puts(grid, row, column, 1, role,
			  *letter  ? letter
			  : line   ? "|"
			  : filled ? "█"
				   : "▌");
		if (*letter && filled)
			grid_reverse(grid, row, column, 1);
		return;
	}
	name = flame_short_name(name, filled - 2 * margin);
	grid_fill(grid, row, column, filled, role, ' ');
	put_name(grid, row, column + margin, filled - 2 * margin, role, name);
	if (role != ROLE_SELECTION || painting->look->letters) /* others are reversed, too */
		grid_reverse(grid, row, column, filled);
}

static void draw_node(const struct painting *painting, uint32_t index, int from, int to)
{
	const struct flame_node *node = &painting->flame->nodes[index];
	const struct flame_look *look = painting->look;
	struct grid *grid = painting->grid;
	int row = flame_row_of(painting, node->depth), column = painting->rect.column + from;
	int width = to - from;
	bool here = look->has_cursor && look->node == index;
	bool above = index != look->zoom && is_above(painting->flame, index, look->zoom);
	int plain = above || !node->depth ? ROLE_DIM : node->role; /* all has no color */
	int role = here                                    ? ROLE_SELECTION
		   : look->matched && look->matched[index] ? ROLE_MATCH
							   : plain;
	if (row < 0)
		return;
	draw_body(painting, row, column, width, plain);
	row += name_row(painting);
	if (look->filled) {
		draw_block(painting, row, column, width, role, flame_name(painting->flame, index));
	} else if (width == 1) {
		grid_fill(grid, row, column, 1, role, '|');
	} else {
		grid_fill(grid, row, column, 1, role, '[');
		grid_fill(grid, row, column + 1, width - 2, role, ' ');
		put_name(grid, row, column + 1, width - 2, role,
			 flame_name(painting->flame, index));
		grid_fill(grid, row, column + width - 1, 1, role, ']');
	}
	if (here) {
		grid->cursor_row = row;
		grid->cursor_column = column;
	}
}

/* Draw the children of a node from FROM on, which are less than a cell wide, as one. */
static void draw_rest(const struct painting *painting, uint32_t parent, int64_t start)
{
	const struct flame_node *node = &painting->flame->nodes[parent];
	const struct flame_node *zoom = &painting->flame->nodes[painting->look->zoom];
	int from = boundary(zoom, start, painting->rect.columns);
	int to = boundary(zoom, node->start + node->value - node->self, painting->rect.columns);
	int row = flame_row_of(painting, node->depth + 1);
	if (row >= 0 && to > from)
		grid_fill(painting->grid, row + name_row(painting), painting->rect.column + from,
			  to - from, ROLE_DIM, ':');
}

static bool is_narrow(const struct painting *painting, uint32_t node)
{
	const struct flame_node *zoom = &painting->flame->nodes[painting->look->zoom];
	return (double)painting->flame->nodes[node].value * painting->rect.columns * 2 <
	       (double)zoom->value;
}

void flame_draw(const struct flame *flame, const struct flame_look *look, struct grid *grid,
		struct plot_rect rect)
{
	struct painting painting = { flame, look, grid, rect };
	uint32_t end = look->zoom + flame->nodes[look->zoom].size;
	for (uint32_t i = flame->nodes[look->zoom].parent; i != NO_ROW; i = flame->nodes[i].parent)
		draw_node(&painting, i, 0, rect.columns);
	for (uint32_t i = look->zoom; i < end;) {
		const struct flame_node *node = &flame->nodes[i];
		int from, to;
		if (i != look->zoom && is_narrow(&painting, i)) {
			/* siblings are sorted by width: the rest are no wider */
			draw_rest(&painting, node->parent, node->start);
			i = node->parent + flame->nodes[node->parent].size;
			continue;
		}
		if (flame_span(flame, look->zoom, i, rect.columns, &from, &to))
			draw_node(&painting, i, from, to);
		i++;
	}
}
