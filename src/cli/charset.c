#include "cli/charset.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* The variable that setlocale reads: the first one that is set and not empty. */
static const char *charset_variable(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return value;
	}
	return "";
}

void charset_start(void)
{
	const char *wanted = charset_variable();
	bool utf8 = strcasestr(wanted, ".utf-8") || strcasestr(wanted, ".utf8");
	if (strchr(wanted, '.') && !utf8)
		setlocale(LC_CTYPE, "C"); /* musl takes any name for one of UTF-8 */
	else if (!setlocale(LC_CTYPE, "") && utf8)
		charset_utf8();
}

bool charset_utf8(void)
{
	return setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8");
}
