/* Fuzzes theme files. */
#include "fuzz.h"

#include "base/error.h"
#include "tui/term/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct theme theme;
	struct error error = { 0 };
	const char *path = fuzz_file(data, size);

	theme_load(&theme, path, 256, &error);
	theme_load(&theme, path, 16, &error);
	theme_mono(&theme);
	return 0;
}
