/* Fuzzes configuration files: loading at start, and saving again. */
#include "fuzz.h"

#include "base/error.h"
#include "tui/app/app.h"
#include "tui/app/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whatever was accepted is written, and reads back without an error. */
static void write_again(struct app *app)
{
	struct buffer text = { 0 };

	theme_mono(&app->tui.theme);
	snprintf(app->tui.theme.name, sizeof app->tui.theme.name, "default");
	config_print(app, &text);
	config_clear(&app->config);
	action_bindings_reset();
	config_read(app, fuzz_file((const uint8_t *)buffer_text(&text), text.length), false, NULL);
	if (app->config.problem_count > 0) {
		fputs(buffer_text(&app->config.problems), stderr);
		abort();
	}
	buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LISTED = 64 }; /* one in 64: listing the keys is slow */
	static FILE *out;
	struct app app = { 0 };
	struct tui_options options = { .ignore_config = true };

	out = out ? out : fopen("/dev/null", "w");
	action_bindings_reset();
	config_read(&app, fuzz_file(data, size), false, NULL);
	if (size % LISTED == 0)
		tui_list_keys(&options, out);
	write_again(&app);
	config_clear(&app.config);
	return 0;
}
