/* The detail strip: no word is lost or changed without a mark. */
#include "base/buffer.h"
#include "picture/grid.h"
#include "tui/widget/layout.h"
#include "tui/widget/strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

static void test_words_are_shown_or_marked_as_left_out(void **state)
{
	struct grid grid = { .ascii = true };
	struct buffer text = { 0 }, strip = { 0 };
	int whole = 0;
	(void)state;

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_shown_or_marked_as_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
