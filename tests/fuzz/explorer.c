/*
 * Keys and commands: a script, played without a terminal.  Commands that write files or run SQL are
 * left out: writing has no place in a fuzzer, and sql.c has SQL.
 */
#include "fuzz.h"

#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

/* Does the line's command begin with one of these? */
static bool is_command(const char *line, const char *const *names)
{
	line += strspn(line, ": \t");
	size_t length = strcspn(line, " \n");
	for (; *names; names++)
		if (length && strncmp(line, *names, length) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const unwanted[] = { "write", "save-screen", "sql", "base", "source", NULL };
	char *text = fuzz_text(data, size < 4096 ? size : 4096);

	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (*line == ':' && is_command(line, unwanted))
			memset(line, '#', 1);
	const char *trace = fuzz_trace();
	struct tui_options options = {
		.paths = &trace, .path_count = 1, .size = "60x20", .ignore_config = true,
		.script = fuzz_file((const uint8_t *)text, strlen(text)),
	};
	tui_main(&options);
	return 0;
}
