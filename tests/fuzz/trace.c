/*
 * Fuzzes traces that are exported with `export --trace`: the export reads back as an equal profile.
 */
#include "fuzz.h"

#include "session/load.h"
#include "base/error.h"
#include "model/profile.h"
#include "report/chrome_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char written[80];

static void remove_written(void)
{
	unlink(written);
}

static struct run *write_and_read(const struct run *run)
{
	struct scope scope;
	struct error error = { 0 };
	const char *path = written;

	scope_init(&scope);
	bool done = chrome_trace_write(run, &scope, path, false, NULL, &error);
	struct run *again = done ? run_open(&path, 1, NULL, NULL, &error) : NULL;
	if (!again) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	scope_clear(&scope);
	return again;
}

static void compare(const struct profile *a, const struct profile *b)
{
	if (a->spans == b->spans && a->activities == b->activities)
		return;
	fprintf(stderr, "%u spans and %u activities became %u and %u\n", (unsigned)a->spans,
		(unsigned)a->activities, (unsigned)b->spans, (unsigned)b->activities);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct run *run = run_open(&path, 1, NULL, NULL, NULL);

	if (!*written) {
		snprintf(written, sizeof written, "%s.trace", path);
		atexit(remove_written);
	}
	if (!run)
		return 0;
	struct run *again = write_and_read(run);
	compare(run->ranks[0].profile, again->ranks[0].profile);
	run_free(again);
	run_free(run);
	return 0;
}
