/* Fuzzes configuration files: loading at start, and saving again. */
#include "fuzz.h"

#include "base/error.h"
#include "tui/core/app.h"
#include "tui/app/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whatever was accepted is written, and reads back without an error. */
static void write_again(struct tui *tui)
{
	struct buffer text = { 0 };

	theme_mono(&tui->theme);
	snprintf(tui->theme.name, sizeof tui->theme.name, "default");
	config_print(tui, &text);
	config_clear(&tui->config);
	action_bindings_reset();
	config_read(tui, fuzz_file((const uint8_t *)buffer_text(&text), text.length), false, NULL);
	if (tui->config.problem_count > 0) {
		fputs(buffer_text(&tui->config.problems), stderr);
		abort();
	}
	buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LISTED = 64 }; /* one in 64: listing the keys is slow */
	static FILE *out;
	struct tui tui = { 0 };
	struct tui_options options = { .ignore_config = true };

	out = out ? out : fopen("/dev/null", "w");
	action_bindings_reset();
	config_read(&tui, fuzz_file(data, size), false, NULL);
	if (size % LISTED == 0)
		tui_list_keys(&options, out);
	write_again(&tui);
	config_clear(&tui.config);
	return 0;
}
