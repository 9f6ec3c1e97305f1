/* Fuzzes scopes, as given on the command line and in SQL: lines of "name value". */
#include "fuzz.h"

#include "base/error.h"
#include "base/number.h"
#include "model/scope.h"
#include "table/view.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { 0 };
	struct scope scope, copy;
	int64_t value;

	scope_init(&scope);
	for (char *line = fuzz_text(data, size), *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		char *blank = strchr(line, ' ');
		if (!blank)
			continue;
		*blank++ = 0;
		scope_set(&scope, line, blank, &error);
		number_parse_duration(blank, strlen(blank), &value);
		number_parse_int(blank, strlen(blank), &value);
	}
	scope_copy(&copy, &scope);
	if (!scope_equal(&copy, &scope))
		__builtin_trap();
	table_free(view_build(view_find("launches"), fuzz_run(), &scope, NULL, NULL, &error));
	table_free(view_build(view_find("operators"), fuzz_run(), &scope, NULL, NULL, &error));
	/* one more, which follows from the input */
	size_t views = 0;
	while (view_at(views))
		views++;
	table_free(view_build(view_at(size % views), fuzz_run(), &scope, NULL, NULL, &error));
	scope_clear(&scope);
	scope_clear(&copy);
	return 0;
}
