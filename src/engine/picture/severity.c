#include "picture/severity.h"

#include <string.h>

enum role severity_role(const char *severity, size_t length, const char **sign)
{
	static const struct {
		const char *severity, *sign;
		enum role role;
	} looks[] = {
		{ "high", "!", ROLE_ERROR },  { "medium", "!", ROLE_WARNING },
		{ "low", "*", ROLE_DIM },     { "silent", " ", ROLE_DIM },
		{ "unknown", " ", ROLE_DIM },
	};
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		if (strlen(looks[i].severity) == length &&
		    !memcmp(looks[i].severity, severity, length)) {
			*sign = looks[i].sign;
			return looks[i].role;
		}
	*sign = "*";
	return ROLE_WARNING;
}
