#include "tools/tools.h"

const struct tool *const tools[] = {
	&tool_dlprof,
	NULL,
};
