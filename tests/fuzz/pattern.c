/* Fuzzes regular expressions: the first line, matched against the rest. */
#include "fuzz.h"

#include "base/error.h"
#include "base/pattern.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *line = strchr(text, '\n');
	struct error error = { 0 };
	size_t start = 0, end = 0, length = 0;

	if (line) {
		*line++ = 0;
		length = size - (size_t)(line - text);
	}
	struct pattern *pattern = pattern_new(text, &error);
	if (pattern && pattern_match(pattern, line ? line : "", length, &start, &end) &&
	    (start > end || end > length))
		abort();
	pattern_free(pattern);
	return 0;
}
