/* Fuzzes user SQL on a small run. */
#include "fuzz.h"

#include "base/error.h"
#include "base/progress.h"
#include "model/scope.h"
#include "sql/query.h"

enum { LOOKS_MAX = 400 }; /* cancel after this many polls */

static bool go_on(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	(void)stage, (void)done, (void)total, (void)rows;
	return --*(int *)context > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int looks = LOOKS_MAX;
	struct progress progress = { go_on, &looks };
	struct error error = { 0 };
	struct scope scope;

	scope_init(&scope);
	table_free(sql_query(fuzz_run(), &scope, fuzz_text(data, size), &progress, &error));
	return 0;
}
