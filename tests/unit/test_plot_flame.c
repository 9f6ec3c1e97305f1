/* Flame graphs: sums, matches, and cells at any zoom. */
#include "plot_case.h"

#include "base/mem.h"
#include "base/pattern.h"
#include "picture/plot/flame.h"
#include "picture/lane_role.h"

#include <string.h>

TEST(flame_adds_up)
{
	static const char *const groups[] = { "layers",          "gpu",          "cpu",
					      "layers-reversed", "gpu-reversed", "cpu-reversed" };
	for (int i = 0; i < TRACES; i++) {
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
			struct plot *plot = plot_of(runs[i], "flame", groups[g], NULL);
			const struct flame *flame = plot->flame;
			for (uint32_t at = 0; at < flame->count; at++) {
				const struct flame_node *node = &flame->nodes[at];
				int64_t sum = node->self, last = INT64_MAX, start = node->start;
				for (uint32_t child = at + 1; child < at + node->size;
				     child += flame->nodes[child].size) {
					assert_int_equal(flame->nodes[child].parent, at);
					assert_int_equal(flame->nodes[child].depth,
							 node->depth + 1);
					assert_true(flame->nodes[child].value <= last);
					assert_int_equal(flame->nodes[child].start, start);
					last = flame->nodes[child].value;
					start += last;
					sum += last;
				}
				assert_int_equal(sum, node->value);
			}
			assert_int_equal(flame->nodes[0].size, flame->count);
			plot_free(plot);
		}
	}
}

/* The root is all device time, in both orientations. */
TEST(flame_root_is_device_time)
{
	for (int i = 0; i < TRACES; i++) {
		struct table *launches = trace_view(runs[i], "launches", NULL, NULL);
		int64_t sum = 0;
		for (size_t row = 0; row < launches->rows; row++)
			if (value_compare(table_cell(launches, row, "kind"), value_text("sync")) !=
			    0)
				sum += table_number(launches, row, "dur_ns");
		static const char *const groups[] = { "layers", "gpu", "layers-reversed",
						      "gpu-reversed" };
		for (int g = 0; g < 4; g++) {
			struct plot *plot = plot_of(runs[i], "flame", groups[g], NULL);
			assert_int_equal(plot->flame->nodes[0].value, sum);
			plot_free(plot);
		}
		table_free(launches);
	}
}

/* The matched time is the sum over stacks, as text, with a match in any frame. */
TEST(flame_match_sums_matching_stacks)
{
	static const char *const searches[] = { "conv", "^aten::", "nothing at all", "." };
	struct error error = { 0 };
	struct table *stacks = trace_view(runs[2], "stacks", NULL, "gpu");
	struct plot *plot = plot_of(runs[2], "flame", "gpu", NULL);
	for (int s = 0; s < 4; s++) {
		struct pattern *pattern = pattern_new(searches[s], &error);
		int64_t value, sum = 0;
		uint8_t *matched = flame_match(plot->flame, pattern, &value);
		for (size_t row = 0; row < stacks->rows; row++) {
			struct value stack = table_cell(stacks, row, "stack");
			bool found = false;
			for (size_t at = 0; at < stack.length && !found;) {
				const char *end = memchr(stack.text + at, ';', stack.length - at);
				size_t length =
					end ? (size_t)(end - stack.text) - at : stack.length - at;
				found = pattern_match(pattern, stack.text + at, length, NULL, NULL);
				at += length + 1;
			}
			sum += found ? table_number(stacks, row, "value_ns") : 0;
		}
		assert_int_equal(value, sum);
		assert_true((s == 2) == (value == 0));
		mem_free(matched);
		pattern_free(pattern);
	}
	plot_free(plot);
	table_free(stacks);
}

/* At any zoom and width siblings are side by side inside their parent. */
TEST(flame_cells_nest)
{
	struct plot *plot = plot_of(runs[1], "flame", "layers", NULL);
	const struct flame *flame = plot->flame;
	for (uint32_t zoom = 0; zoom < flame->count; zoom += 1 + flame->count / 40) {
		for (int columns = 1; columns < 300; columns = columns * 3 + 1) {
			for (uint32_t i = zoom + 1; i < zoom + flame->nodes[zoom].size; i++) {
				int from, to, outer_from, outer_to;
				bool seen = flame_span(flame, zoom, i, columns, &from, &to);
				flame_span(flame, zoom, flame->nodes[i].parent, columns,
					   &outer_from, &outer_to);
				assert_true(from >= outer_from && to <= outer_to);
				assert_int_equal(seen, to > from);
				uint32_t next = i + flame->nodes[i].size;
				if (next < flame->count &&
				    flame->nodes[next].parent == flame->nodes[i].parent) {
					flame_span(flame, zoom, next, columns, &outer_from,
						   &outer_to);
					assert_int_equal(outer_from, to);
				}
			}
		}
	}
	plot_free(plot);
}

/* The levels of a picture end where no frame has room for its name. */
TEST(levels_have_frames_with_room)
{
	struct plot *plot = plot_of(runs[1], "flame", "layers", NULL);
	const struct flame *flame = plot->flame;
	int all = (int)flame->deepest + 1, last = 1;

	assert_int_equal(flame_levels(flame, 1), 1);
	for (int columns = 3; columns < 1 << 20; columns *= 2) {
		int levels = flame_levels(flame, columns), deepest = 0;
		for (uint32_t i = 0; i < flame->count; i++) {
			int from, to;
			if (flame_span(flame, 0, i, columns, &from, &to) && to - from > 3 &&
			    (int)flame->nodes[i].depth > deepest)
				deepest = (int)flame->nodes[i].depth;
		}
		assert_in_range(levels, deepest + 1, all);
		assert_true(levels >= last);
		last = levels;
	}
	assert_int_equal(last, all);
	assert_true(flame_levels(flame, 100) < all);
	plot_free(plot);
}

/* The row of GRID that begins with TEXT; -1: none. */
static int row_starting(struct grid *grid, const char *text)
{
	for (int row = 0; row < grid->rows; row++) {
		size_t at = 0;
		while (text[at] && grid_cell(grid, row, (int)at)->bytes[0] == text[at])
			at++;
		if (!text[at])
			return row;
	}
	return -1;
}

/* Frames of three rows have their name in the middle and a gap below, from the top or the bottom.
 */
TEST(frames_share_the_room)
{
	enum { ROWS = 32, COLUMNS = 80 };
	struct plot *plot = plot_of(runs[1], "flame", "layers", NULL);
	struct grid grid = { 0 };
	grid_resize(&grid, ROWS, COLUMNS);
	for (int height = 0; height <= 3; height++) {
		for (int inverted = 0; inverted < 2; inverted++) {
			const struct flame_look look = { .filled = true,
							 .inverted = inverted,
							 .height = height };
			int rows = height > 1 ? height : 1;
			int first = inverted ? ROWS - rows : 0;
			grid_clear(&grid);
			flame_draw(plot->flame, &look, &grid,
				   (struct plot_rect){ 0, 0, ROWS, COLUMNS });
			assert_int_equal(row_starting(&grid, " all "), first + (rows - 1) / 2);
			const char *below = grid_cell(&grid, first + rows - 1, 0)->bytes;
			assert_string_equal(below, rows > 1 ? "▀" : " ");
			int next = inverted ? first - rows : first + rows;
			assert_string_equal(grid_cell(&grid, next, 0)->bytes, rows > 2 ? "█" : " ");
		}
	}
	grid_free(&grid);
	plot_free(plot);
}

/* Frames without room for a name have the letter of their kind where colors do not tell it. */
TEST(narrow_frames_have_letters)
{
	enum { ROWS = 16, COLUMNS = 60 };
	struct plot *plot = plot_of(runs[1], "flame", "layers", NULL);
	const struct flame *flame = plot->flame;
	const struct flame_look look = { .filled = true, .letters = true };
	struct grid grid = { 0 };
	int narrow = 0;
	grid_resize(&grid, ROWS, COLUMNS);
	flame_draw(flame, &look, &grid, (struct plot_rect){ 0, 0, ROWS, COLUMNS });
	for (uint32_t i = 0; i < flame->count; i++) {
		const struct flame_node *node = &flame->nodes[i];
		char letter[] = { letter_of_role(node->role), '\0' };
		int from, to;
		if (node->depth >= ROWS || !*letter ||
		    !flame_span(flame, 0, i, COLUMNS, &from, &to) || to - from > 2 ||
		    node->value * COLUMNS * 2 < flame->nodes[0].value)
			continue;
		const struct cell *cell = grid_cell(&grid, (int)node->depth, from);
		assert_string_equal(cell->bytes, letter);
		assert_int_equal(cell->filled, to - from == 2);
		narrow++;
	}
	assert_true(narrow > 3);
	assert_int_equal(letter_of_role(ROLE_GEMM), 'g');
	assert_int_equal(letter_of_role(ROLE_TEXT), '\0');
	grid_free(&grid);
	plot_free(plot);
}

static int role_named(const struct flame *flame, const char *name)
{
	uint32_t at = 0;
	while (at < flame->count &&
	       (strcmp(flame_name(flame, at), name) != 0 || flame->nodes[at].role == ROLE_OPERATOR))
		at++;
	assert_true(at < flame->count);
	return flame->nodes[at].role;
}

/* Functions have the color of their file or qualifier, kernels that of their family. */
TEST(frames_have_colors_of_modules_and_families)
{
	struct run *run = trace_run("go.run;main.fit;a.py(3): f 3\ngo.run;main.save;b.py(1): f 2\n"
				    "go.stop;x::y;a.py(9): g<int> 1\n");
	struct plot *plot = plot_of(run, "flame", "samples", NULL);
	const struct flame *flame = plot->flame;
	assert_int_equal(role_named(flame, "go.run"), role_named(flame, "go.stop"));
	assert_int_equal(role_named(flame, "main.fit"), role_named(flame, "main.save"));
	assert_int_equal(role_named(flame, "a.py(3): f"), role_named(flame, "a.py(9): g<int>"));
	assert_int_not_equal(role_named(flame, "a.py(3): f"), role_named(flame, "b.py(1): f"));
	assert_int_not_equal(role_named(flame, "x::y"), ROLE_TEXT);
	plot_free(plot);
	run_free(run);

	plot = plot_of(runs[1], "flame", "layers", NULL);
	struct table *kernels = trace_view(runs[1], "kernels", NULL, NULL);
	for (size_t row = 0; row < kernels->rows; row++)
		assert_int_equal(role_named(plot->flame, table_text(kernels, row, "name")),
				 timeline_role_of_row(kernels, row, ROLE_KERNEL));
	table_free(kernels);
	plot_free(plot);
}

TEST_PROGRAM(plot_case_open, plot_case_close)
