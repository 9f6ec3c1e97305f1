/* Fuzzes requests to strata serve, one a line, on a small run. */
#include "fuzz.h"

#include "base/buffer.h"
#include "base/progress.h"
#include "model/scope.h"
#include "serve/server.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS_MAX = 40 }; /* cancel after this many polls */

static bool go_on(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	(void)stage, (void)done, (void)total, (void)rows;
	return --*(int *)context > 0;
}

/* An answer is one line, whatever the request. */
static void check(const struct buffer *out)
{
	if (out->length && memchr(out->data, '\n', out->length) != out->data + out->length - 1)
		abort();
	if (out->length && !server_is_json(out->data, out->length))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int looks = LOOKS_MAX;
	struct progress progress = { .update = go_on, .context = &looks };
	struct scope scope;
	char *line = fuzz_text(data, size);
	scope_init(&scope);
	struct server server = { .run = fuzz_run(),
				 .scope = &scope,
				 .rows_max = 20,
				 .bytes_max = 4096,
				 .progress = &progress };
	while (line) {
		char *newline = strchr(line, '\n');
		struct buffer out = { 0 };
		if (newline)
			*newline = 0;
		server_answer(&server, line, strlen(line), &out);
		check(&out);
		buffer_free(&out);
		line = newline ? newline + 1 : NULL;
	}
	return 0;
}
