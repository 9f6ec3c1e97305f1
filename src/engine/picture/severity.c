#include "picture/severity.h"

enum role severity_role(enum severity severity, const char **sign)
{
	*sign = severity == SEVERITY_HIGH || severity == SEVERITY_MEDIUM      ? "!"
		: severity == SEVERITY_SILENT || severity == SEVERITY_UNKNOWN ? " "
									      : "*";
	switch (severity) {
	case SEVERITY_HIGH: return ROLE_ERROR;
	case SEVERITY_LOW:
	case SEVERITY_SILENT:
	case SEVERITY_UNKNOWN: return ROLE_DIM;
	default: return ROLE_WARNING;
	}
}
