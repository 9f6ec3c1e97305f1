/* The growable byte string. */
#include "test.h"

#include "base/buffer.h"

#include <string.h>

TEST(starts_empty)
{
	struct buffer buffer = { 0 };

	assert_string_equal(buffer_text(&buffer), "");
	buffer_free(&buffer);
}

TEST(grows_and_stays_terminated)
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
