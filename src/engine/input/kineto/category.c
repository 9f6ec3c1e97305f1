#include "input/kineto/category.h"

#include <string.h>
#include <strings.h>

static const struct category categories[] = {
	{ "cpu_op", LANE_SPAN, SPAN_OPERATOR },
	{ "operator", LANE_SPAN, SPAN_OPERATOR },
	{ "user_annotation", LANE_SPAN, SPAN_ANNOTATION },
	{ "python_function", LANE_SPAN, SPAN_PYTHON },
	{ "python", LANE_SPAN, SPAN_PYTHON },
	{ "cuda_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "cuda_driver", LANE_SPAN, SPAN_RUNTIME },
	{ "runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "hip_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "mtia_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "glow_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "xpu_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "xpu_driver", LANE_SPAN, SPAN_RUNTIME },
	{ "privateuse1_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "privateuse1_driver", LANE_SPAN, SPAN_RUNTIME },
	{ "overhead", LANE_SPAN, SPAN_OVERHEAD },
	{ "gpu_user_annotation", LANE_SPAN, SPAN_GPU_ANNOTATION },
	{ "cpu_instant_event", LANE_SPAN, SPAN_INSTANT },
	{ "kernel", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "hpu_op", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "gpu_memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "gpu_memset", LANE_ACTIVITY, ACTIVITY_MEMSET },
	{ "memset", LANE_ACTIVITY, ACTIVITY_MEMSET },
	{ "cuda_sync", LANE_ACTIVITY, ACTIVITY_SYNC },
	{ "xpu_sync", LANE_ACTIVITY, ACTIVITY_SYNC },
	{ "fwdbwd", LANE_FLOW, FLOW_FORWARD_BACKWARD },
	{ "ac2g", LANE_FLOW, FLOW_LAUNCH },
	{ "async_cpu_to_gpu", LANE_FLOW, FLOW_LAUNCH },
	{ "cpu_to_cuda", LANE_FLOW, FLOW_LAUNCH },
	{ "cpu_to_gpu", LANE_FLOW, FLOW_LAUNCH },
};

const struct category *category_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (strlen(categories[i].name) == length &&
		    strncasecmp(categories[i].name, name, length) == 0)
			return &categories[i];
	return NULL;
}
