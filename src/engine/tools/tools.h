/*
 * The tools that have reports or views, each defined in its own folder.
 */
#pragma once

#include "model/tool.h"

/* Lists of readers, and of views of reports, of a struct tool. */
#define READERS(...) ((const struct reader *const[]){ __VA_ARGS__, NULL })
#define REPORTS(...) ((const struct view *const[]){ __VA_ARGS__, NULL })

extern const struct tool tool_strata, tool_torch, tool_dlprof, tool_nsys, tool_ncu, tool_pyprof,
	tool_python;
