/* Marked rows, and how many of them come before a row. */
#include "test.h"

#include "base/marks.h"

#include <stdlib.h>

static void check(size_t rows, int percent)
{
	struct marks marks = marks_new(rows);
	uint8_t *marked = mem_zalloc(rows + 1, 1);
	uint32_t before = 0;
	for (size_t i = 0; i < rows; i++) {
		marked[i] = rand() % 100 < percent;
		if (marked[i])
			marks_set(&marks, i);
		if (marked[i] && rand() % 2)
			marks_set(&marks, i); /* twice is once */
	}
	uint32_t count = marks_count(&marks);
	for (size_t i = 0; i < rows; i++) {
		assert_int_equal(marks_has(&marks, i), marked[i]);
		assert_int_equal(marks_before(&marks, i), before);
		before += marked[i];
	}
	assert_int_equal(marks_before(&marks, rows), before);
	assert_int_equal(count, before);
	marks_free(&marks);
	mem_free(marked);
}

TEST(marks_before_a_row)
{
	static const size_t rows[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 100000 };
	srand(1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int percent = 0; percent <= 100; percent += 25)
			check(rows[i], percent);
}
