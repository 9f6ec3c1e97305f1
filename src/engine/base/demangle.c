#include "base/demangle.h"

#include "base/buffer.h"

#include <ctype.h>
#include <stdlib.h>

#ifdef HAVE_DEMANGLER

#include <libiberty/demangle.h>
#include <setjmp.h>

/*
 * The demangler recurses and keeps two components per character on the stack. Its own limit refuses
 * names of more than 1024 characters, which templates easily exceed.
 */
enum { SYMBOL_MAX = 4 << 10, READABLE_MAX = 64 << 10 };

/* The demangler emits its text in pieces and allocates nothing, so longjmp out of it is safe. */
struct demangle_reading {
	struct buffer text;
	jmp_buf too_long;
};

static void add_piece(const char *text, size_t length, void *context)
{
	struct demangle_reading *reading = context;
	if (reading->text.length + length > READABLE_MAX)
		longjmp(reading->too_long, 1);
	buffer_add(&reading->text, text, length);
}

/* READING belongs to the caller: locals changed after setjmp are indeterminate after longjmp. */
static bool read_symbol(struct demangle_reading *reading, const char *symbol)
{
	return !setjmp(reading->too_long) &&
	       cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT,
					  add_piece, reading);
}

bool demangle(struct buffer *out, const char *symbol)
{
	struct demangle_reading reading = { .text = { 0 } };
	bool good = strlen(symbol) <= SYMBOL_MAX && read_symbol(&reading, symbol);
	if (good)
		buffer_add(out, BUFFERED(&reading.text));
	buffer_free(&reading.text);
	return good;
}

#else

bool demangle(struct buffer *out, const char *symbol)
{
	return false;
}

#endif

/*
 * Bytes of the identifier at TEXT, before which its length stands ("3add"); 0: none, or it would
 * end within a character.
 */
static size_t identifier(const char *text, const char **start)
{
	char *end;
	unsigned long length = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
	if (!length || strnlen(end, length) < length || (end[length] & 0xc0) == 0x80)
		return 0;
	*start = end;
	return length;
}

bool demangle_name(struct buffer *out, const char *symbol, const char *mark)
{
	static const char unnamed[] = "_GLOBAL__N_";
	size_t before = out->length, length;
	const char *at = symbol + 2, *name;
	if (strncmp(symbol, "_Z", 2) != 0)
		return false;
	bool nested = *at == 'N';
	for (at += nested; (length = identifier(at, &name)) > 0; at = name + length) {
		buffer_puts(out, out->length > before ? "::" : "");
		if (strncmp(name, unnamed, sizeof unnamed - 1) == 0)
			buffer_puts(out, "(anonymous namespace)");
		else
			buffer_add(out, name, length);
		if (!nested) {
			at = name + length;
			break;
		}
	}
	if (out->length > before && *at == 'I')
		buffer_printf(out, "<%s>", mark);
	return out->length > before;
}
