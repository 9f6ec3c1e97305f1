/* The detail strip: no word is lost or changed without a mark. */
#include "test.h"

#include "base/buffer.h"
#include "picture/grid.h"
#include "tui/widget/layout.h"
#include "tui/widget/strip.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	"cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_nn_align8 as launched by cublas",
	"ampere fp16 s16816gemm fp16 128x128 ldg8 relu f2f stages 32x5 nn",
	"triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0 of a compiled region with a long name",
	"relu",
};

/* Entries as panes write them: cells with a capital label, facts without one. */
static void write_entries(struct buffer *text, int variant)
{
	int count = sizeof names / sizeof names[0];
	buffer_printf(text, "Name\t%s\n", names[variant % count]);
	buffer_printf(text, "Layer\tresnet/layer%d/block%d/convolution\n", variant % 7,
		      variant % 5);
	buffer_printf(text, "launched by\t%s\n", names[(variant + 1) % count]);
	for (int i = 0; i < variant % 9; i++)
		buffer_printf(text, "fact%d\tvalue%d of %d us\n", i, variant * i, i);
}

static void take(struct grid *grid, struct buffer *out)
{
	buffer_clear(out);
	for (int row = 0; row < grid->rows; row++) {
		grid_row_text(grid, row, out);
		buffer_puts(out, " ");
	}
}

/* All letters and digits of WORD follow each other on the strip, over row ends. */
static bool shows(const char *strip, const char *word, size_t length)
{
	for (const char *at = strip; *at; at++) {
		size_t have = 0;
		for (const char *c = at; *c && have < length; c++)
			if (*c == word[have])
				have++;
			else if (*c != ' ')
				break;
		if (have == length)
			return true;
	}
	return false;
}

static void check_words(const char *strip, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " \t\n");
		if (length && !shows(strip, text, length))
			fail_msg("'%.*s' is missing in:\n%s", (int)length, text, strip);
		text += length + strspn(text + length, " \t\n");
	}
}

TEST(words_are_shown_or_marked_as_left_out)
{
	struct grid grid = { .ascii = true };
	struct buffer text = { 0 }, strip = { 0 };
	int whole = 0;

	for (int rows = 1; rows < 9; rows++)
		for (int columns = 40; columns <= 160; columns += 8)
			for (int variant = 0; variant < 36; variant++) {
				buffer_clear(&text);
				write_entries(&text, variant);
				grid_resize(&grid, rows, columns);
				strip_entries(&grid, (struct rect){ 0, 0, rows, columns },
					      buffer_text(&text));
				take(&grid, &strip);
				if (strpbrk(buffer_text(&strip), "~") ||
				    strstr(buffer_text(&strip), "..."))
					continue;
				check_words(buffer_text(&strip), buffer_text(&text));
				whole++;
			}
	assert_true(whole > 1000);
	grid_free(&grid);
	buffer_free(&text);
	buffer_free(&strip);
}

/* A name too long for its lines is shortened as a whole, not in its last line. */
TEST(wrapped_name_is_elided_once)
{
	static const char text[] =
		"Name\tvoid at::native::elementwise_kernel<4, at::native::(anonymous namespace)::"
		"launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar)::one, two three four>\n"
		"Kind\tkernel\nStart\t1 ms\n";
	struct grid grid = { .ascii = true };
	struct buffer strip = { 0 };

	grid_resize(&grid, 3, 64);
	strip_entries(&grid, (struct rect){ 0, 0, 3, 64 }, text);
	take(&grid, &strip);
	assert_non_null(strstr(buffer_text(&strip), " Name elementwise_kernel<4, "));
	assert_non_null(strstr(buffer_text(&strip), " launch_clamp_scalar(TensorIteratorBase&"));
	assert_null(strstr(buffer_text(&strip), "at::native"));
	assert_null(strstr(buffer_text(&strip), "anonymous"));
	assert_non_null(strstr(buffer_text(&strip), "Kind kernel"));
	grid_free(&grid);
	buffer_free(&strip);
}

/* ---- places ---- */

static enum strip_shown shows_none(const struct pane *pane, const char *title, size_t length)
{
	(void)pane, (void)title, (void)length;
	return false;
}

/* The strip of a row of SET, as text. */
static const char *strip_of(struct strip_places *places, int set, const char *row,
			    struct buffer *out)
{
	struct grid grid = { .ascii = true };
	struct buffer text = { 0 };
	grid_resize(&grid, 7, 160);
	buffer_puts(&text, row);
	strip_group(&text, shows_none, NULL, places, set, 160);
	strip_entries(&grid, (struct rect){ 0, 0, 7, 160 }, buffer_text(&text));
	buffer_clear(out);
	grid_dump(&grid, out);
	buffer_free(&text);
	grid_free(&grid);
	return buffer_text(out);
}

/* In a narrow strip the figures of a layer come before its path, which the tree shows. */
TEST(path_of_narrow_strip_is_last)
{
	static const char row[] =
		"Name\tattention_of_the_first_layer\nPath\tmodel/encoder_of_the_longest_name/"
		"layers_of_the_encoder/attention_of_the_first_layer\n"
		"CPU Total\t1.50 ms\nKernels\t12\nFLOPs\t3.10 TFLOP\n";
	struct grid grid = { .ascii = true };
	AUTO_BUFFER struct buffer text = { 0 }, strip = { 0 };
	grid_resize(&grid, 3, 80);
	buffer_puts(&text, row);
	strip_group(&text, shows_none, NULL, NULL, 0, 80);
	strip_entries(&grid, (struct rect){ 0, 0, 3, 80 }, buffer_text(&text));
	grid_dump(&grid, &strip);
	const char *path = strstr(buffer_text(&strip), "\n Path model/");
	assert_non_null(path);
	assert_true(strstr(buffer_text(&strip), "FLOPs 3.10 TFLOP") < path);
	grid_free(&grid);
}

static size_t place_in(const char *strip, const char *label)
{
	const char *found = strstr(strip, label);
	if (!found)
		fail_msg("no '%s' in:\n%s", label, strip);
	const char *start = found;
	while (start > strip && start[-1] != '\n')
		start--;
	size_t row = 0;
	for (const char *at = strip; at < start; at++)
		row += *at == '\n';
	return row * 1000 + (size_t)(found - start);
}

static const char *const rows[] = {
	"Name\tcudaLaunchKernel\nLayer\ta\nLine\tnet.py(3): f\nSeq\t12\nRegs\t7\nData\t[1] f32\n",
	"Name\tvoid kernel<float, 4>\nLayer\tnet/block/convolution/with/a/long/path/of/modules\n"
	"Forward Line\tnet.py(4): forward\nGrid\t1,2,3\nRegs\t64\nInputs\t[true]\nFLOPs\t0 FLOP\n",
};

TEST(entries_keep_their_places)
{
	static const char *const labels[] = { "Name ", "Layer ", "Grid ", "Regs " };
	struct strip_places places = { 0 };
	struct buffer strip = { 0 };
	size_t place[sizeof labels / sizeof *labels];

	for (size_t i = 0; i < 2; i++)
		strip_places_note(&places, 1, rows[i]);
	const char *first = strip_of(&places, 1, rows[0], &strip);
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		place[i] = place_in(first, labels[i]);
	assert_non_null(strstr(first, "Grid -"));
	size_t line = place_in(first, "Line net.py(3)"), data = place_in(first, "Data [1]");
	const char *second = strip_of(&places, 1, rows[1], &strip);
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		assert_int_equal(place_in(second, labels[i]), place[i]);
	assert_null(strstr(first, "Seq")); /* in the full details only */
	assert_null(strstr(second, "FLOPs"));
	assert_int_equal(place_in(second, "Forward Line net.py(4)"), line);
	assert_int_equal(place_in(second, "Inputs [true]"), data);
	strip_places_free(&places);
	buffer_free(&strip);
}

/* Kernels and operators of a timeline: what both have stays where it is. */
TEST(kinds_of_rows_share_places)
{
	static const char *const kinds[] = {
		"Name\tgemm\nKind\tkernel\nLayer\tnet/a\nLine\tnet.py(3): forward\nStart\t1 ms\n"
		"Duration\t2 us\nLane\tGPU0 stream 7\nGrid\t1,2,3\nOperator\taten::mm\n"
		"Seq\t\nData\t[1] f32\n",
		"Name\taten::mm\nKind\toperator\nLayer\tnet/block/convolution/with/a/long/path/of/"
		"modules/that/ends/beyond/the/row\nStart\t1 ms\nDuration\t20 us\n"
		"Lane\tthread 41207 (python)\nCPU Self\t3 us\nBackward\tMmBackward0 #12\n",
	};
	static const char *const common[] = { "Name", "Kind", "Layer", "Start", "Duration" };
	struct strip_places places[3] = { 0 };
	struct buffer kernel = { 0 }, call = { 0 };

	for (int i = 0; i < 2; i++)
		strip_places_note(&places[i], 1, kinds[i]);
	strip_places_share(places, 3, 1);
	strip_of(&places[0], 1, kinds[0], &kernel);
	strip_of(&places[1], 1, kinds[1], &call);
	for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
		char label[32];
		snprintf(label, sizeof label, " %s ", common[i]);
		assert_int_equal(place_in(buffer_text(&kernel), label),
				 place_in(buffer_text(&call), label));
	}
	assert_null(strstr(buffer_text(&call), "Line")); /* of it nothing is known */
	assert_non_null(strstr(buffer_text(&call), "beyond/the/row\n")); /* elided, not wrapped */
	assert_null(strstr(buffer_text(&kernel), "Lane")); /* in the full details only */
	for (int i = 0; i < 3; i++)
		strip_places_free(&places[i]);
	buffer_free(&kernel);
	buffer_free(&call);
}

/* Other sets of rows have their own; those of few rows come after the others. */
TEST(entries_of_few_rows_move_no_other)
{
	struct strip_places places = { 0 };
	struct buffer strip = { 0 };

	for (size_t i = 0; i < 20; i++)
		strip_places_note(&places, 1, rows[0]);
	strip_places_note(&places, 1, "Name\tx\nodd\t1\n");
	strip_places_note(&places, 2, "Metric\tm\n");
	const char *usual = strip_of(&places, 1, rows[0], &strip);
	assert_null(strstr(usual, "odd"));
	assert_null(strstr(usual, "Metric"));
	size_t regs = place_in(usual, "Regs ");
	const char *odd = strip_of(&places, 1, "Name\tx\nodd\t1\n", &strip);
	assert_int_equal(place_in(odd, "Regs -"), regs);
	assert_null(strstr(odd, "Data")); /* only launches have dashes */
	assert_true(place_in(odd, "odd 1") > regs);
	assert_string_equal(strip_of(&places, 2, "Metric\tm\n", &strip), " Metric m\n\n\n\n\n\n\n");
	assert_true(strip_places_have(&places, 2, "Metric"));
	assert_false(strip_places_have(&places, 1, "Metric"));
	strip_places_free(&places);
	buffer_free(&strip);
}
