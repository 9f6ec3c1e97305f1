/* A configuration, as the explorer starts with it. */
#include "fuzz.h"

#include "tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct tui_options options = { .size = "80x24" };

	out = out ? out : fopen("/dev/null", "w");
	/* A line that sources another file would leave the target's own. */
	fuzz_trace();
	options.config = fuzz_file(data, size);
	tui_list_keys(&options, out);
	return 0;
}
