/*
 * Fuzzes keys and commands as a script played without a terminal, confined to a directory.
 */
#include "fuzz.h"

#include "confine.h"
#include "tui/app/explorer.h"

#include <stdio.h>
#include <stdlib.h>

static void prepare(void)
{
	/* ":base -" reads standard input */
	if (!freopen("/dev/null", "r", stdin))
		abort();
	const char *themes = getenv("STRATA_DATADIR");
	if (themes)
		confine_allow(themes);
	confine_allow(fuzz_trace());
	confine_allow(fuzz_file((const uint8_t *)"", 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LONGEST = 1024 }; /* every key draws a screen */
	static bool prepared;

	if (!prepared)
		prepare();
	prepared = true;
	const char *trace = fuzz_trace();
	struct tui_options options = {
		.paths = &trace,
		.path_count = 1,
		.size = "60x20",
		.ignore_config = true,
		.script = fuzz_file(data, size < LONGEST ? size : LONGEST),
	};
	confine_begin();
	tui_main(&options);
	confine_end();
	return 0;
}
