/* The growable byte string. */
#include "base/buffer.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_starts_empty(void **state)
{
	struct buffer buffer = { 0 };

	assert_string_equal(buffer_text(&buffer), "");
	buffer_free(&buffer);
}

static void test_grows_and_stays_terminated(void **state)
{
	struct buffer buffer = { 0 };

	for (int i = 0; i < 1000; i++)
		buffer_printf(&buffer, "%03d,", i);
	buffer_add(&buffer, "a\0b", 3);
	buffer_putc(&buffer, '!');
	assert_int_equal(buffer.length, 4004);
	assert_memory_equal(buffer.data + 3996, "999,a\0b!", 9);
	buffer_clear(&buffer);
	assert_string_equal(buffer_text(&buffer), "");
	buffer_puts(&buffer, "again");
	assert_string_equal(buffer_text(&buffer), "again");
	buffer_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_empty),
		cmocka_unit_test(test_grows_and_stays_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
