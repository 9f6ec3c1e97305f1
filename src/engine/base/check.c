#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char report[512];

void check_fail(const char *function, const char *format, ...)
{
	va_list args;
	char what[400];
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	snprintf(report, sizeof report, "strata: bug: %s: %s\n", function, what);
	fputs(report, stderr);
	abort();
}

const char *check_report(void)
{
	return report;
}
