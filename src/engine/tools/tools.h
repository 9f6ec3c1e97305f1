/*
 * The tools that have reports or views, each defined in its own folder.
 */
#pragma once

#include "model/tool.h"

extern const struct tool tool_strata, tool_torch, tool_dlprof, tool_nsys, tool_ncu, tool_pyprof,
	tool_python;
