#include "tui/term/terminal.h"

struct memory_term {
	struct terminal term;
	int rows, columns;
};

static void memory_free(struct terminal *term)
{
	mem_free(term);
}

static void memory_size(struct terminal *term, int *rows, int *columns)
{
	const struct memory_term *memory = (const struct memory_term *)term;
	*rows = memory->rows;
	*columns = memory->columns;
}

static void memory_resize(struct terminal *term, int rows, int columns)
{
	struct memory_term *memory = (struct memory_term *)term;
	memory->rows = rows;
	memory->columns = columns;
}

/* A terminal in memory: its grid is read directly, and there is no input. */
static void memory_theme(struct terminal *term, const struct theme *theme) {}

static void memory_draw(struct terminal *term, const struct grid *grid) {}

static void memory_nothing(struct terminal *term) {}

static tui_key memory_read(struct terminal *term)
{
	return TUI_KEY_NONE;
}

static void memory_mouse(struct terminal *term, bool on) {}

static void memory_outside(struct terminal *term, void (*print)(void *context), void *context)
{
	print(context);
}

static const struct terminal_ops memory_ops = { MEMORY_TERMINAL_OPS };

struct terminal *terminal_memory(int rows, int columns)
{
	struct memory_term *memory = mem_zalloc(1, sizeof *memory);
	memory->term = (struct terminal){ .ops = &memory_ops, .fd = -1, .colors = 0 };
	memory->rows = rows;
	memory->columns = columns;
	return &memory->term;
}
