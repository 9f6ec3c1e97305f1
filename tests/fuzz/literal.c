/* Fuzzes Python literals: accepted input, written as by repr(), parses to an equal value. */
#include "fuzz.h"

#include "base/buffer.h"
#include "base/literal.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct literal *parse(struct arena *arena, const struct buffer *text)
{
	return literal_parse(arena, buffer_text(text), text->length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	struct buffer text = { 0 }, again = { 0 };
	const struct literal *literal = literal_parse(arena, (const char *)data, size);

	if (literal) {
		literal_repr(&text, literal);
		const struct literal *second = parse(arena, &text);
		if (second) {
			literal_repr(&again, second);
			if (strcmp(buffer_text(&text), buffer_text(&again)) != 0)
				abort();
		}
	}
	buffer_free(&text);
	buffer_free(&again);
	arena_free(arena);
	return 0;
}
