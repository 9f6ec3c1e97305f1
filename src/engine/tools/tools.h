/*
 * The tools, each defined in its own folder.
 */
#ifndef STRATA_TOOLS_TOOLS_H
#define STRATA_TOOLS_TOOLS_H

#include "model/tool.h"

extern const struct tool tool_strata, tool_torch, tool_dlprof, tool_nsys, tool_ncu, tool_nvprof,
	tool_pyprof, tool_rocm, tool_ascend, tool_xla, tool_tensorrt, tool_proton, tool_onnxruntime,
	tool_python;

#endif
