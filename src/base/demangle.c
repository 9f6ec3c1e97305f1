#include "base/demangle.h"

#include "base/buffer.h"

#ifdef HAVE_DEMANGLER

#include <setjmp.h>

enum { READABLE_MAX = 64 << 10 };

/*
 * The C++ runtime's demangler that hands its text out piece by piece, and so can be stopped.  It
 * allocates nothing, which is why it may be left by a jump.
 */
int __gcclibcxx_demangle_callback(const char *symbol,
				  void (*piece)(const char *text, size_t length, void *context),
				  void *context);

struct reading {
	struct buffer text;
	jmp_buf too_long;
};

static void add_piece(const char *text, size_t length, void *context)
{
	struct reading *reading = context;
	if (reading->text.length + length > READABLE_MAX)
		longjmp(reading->too_long, 1);
	buffer_add(&reading->text, text, length);
}

bool demangle(struct buffer *out, const char *symbol)
{
	struct reading reading = { .text = { 0 } };
	if (!setjmp(reading.too_long) &&
	    __gcclibcxx_demangle_callback(symbol, add_piece, &reading) == 0) {
		buffer_add(out, buffer_text(&reading.text), reading.text.length);
		buffer_free(&reading.text);
		return true;
	}
	buffer_free(&reading.text);
	return false;
}

#else

bool demangle(struct buffer *out, const char *symbol)
{
	(void)out, (void)symbol;
	return false;
}

#endif
