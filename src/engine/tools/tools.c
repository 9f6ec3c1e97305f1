#include "tools/tools.h"

const struct tool *const tools[] = {
	&tool_strata,   &tool_torch,  &tool_dlprof,      &tool_nsys,   &tool_ncu,
	&tool_nvprof,   &tool_pyprof, &tool_rocm,        &tool_ascend, &tool_xla,
	&tool_tensorrt, &tool_proton, &tool_onnxruntime, &tool_python, NULL,
};
