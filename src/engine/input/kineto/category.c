#include "input/kineto/category.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- tasks of an accelerator ---- */

/* Commands of MTIA's control processors: HolisticTraceAnalysis counts each as device work. */
static const struct task_kind mtia_kinds[] = {
	{ "dma_request", ACTIVITY_MEMCPY },
};

/*
 * Task types of Ascend: those that run on a core are kernels, and those that a DMA engine runs are
 * copies. The others (EVENT_WAIT_SQE, Notify Wait, Write Value…) wait and signal.
 */
static const struct task_kind ascend_kinds[] = {
	{ "AI_CORE", ACTIVITY_KERNEL },        { "AI_VECTOR_CORE", ACTIVITY_KERNEL },
	{ "MIX_AIC", ACTIVITY_KERNEL },        { "MIX_AIV", ACTIVITY_KERNEL },
	{ "AI_CPU", ACTIVITY_KERNEL },         { "DSA_SQE", ACTIVITY_KERNEL },
	{ "KERNEL_AICORE", ACTIVITY_KERNEL },  { "KERNEL_AIVEC", ACTIVITY_KERNEL },
	{ "KERNEL_AICPU", ACTIVITY_KERNEL },   { "KERNEL_MIX_AIC", ACTIVITY_KERNEL },
	{ "KERNEL_MIX_AIV", ACTIVITY_KERNEL }, { "SDMA", ACTIVITY_MEMCPY },
	{ "SDMA_SQE", ACTIVITY_MEMCPY },       { "PCIE_DMA_SQE", ACTIVITY_MEMCPY },
	{ "MEMCPY_ASYNC", ACTIVITY_MEMCPY },
};

/* Copies among the operations of a device in timelines of TensorFlow 1 and PaddlePaddle 1. */
static const struct task_kind operation_kinds[] = {
	{ "MEMCPY*", ACTIVITY_MEMCPY },
	{ "Memcpy*", ACTIVITY_MEMCPY },
	{ "MEMSET*", ACTIVITY_MEMSET },
	{ "Memset*", ACTIVITY_MEMSET },
};

/* Commands among the kernels of Intel's tracers, named after the call that appended them. */
static const struct task_kind command_kinds[] = {
	{ "zeCommandListAppendMemoryCopy*", ACTIVITY_MEMCPY },
	{ "zeCommandListAppendImageCopy*", ACTIVITY_MEMCPY },
	{ "zeCommandListAppendMemoryFill*", ACTIVITY_MEMSET },
	{ "zeCommandListAppend*", ACTIVITY_SYNC }, /* barriers, waits, signals, time stamps */
	{ "clEnqueueRead*", ACTIVITY_MEMCPY },
	{ "clEnqueueWrite*", ACTIVITY_MEMCPY },
	{ "clEnqueueCopy*", ACTIVITY_MEMCPY },
	{ "clEnqueueSVMMemcpy*", ACTIVITY_MEMCPY },
	{ "clEnqueueMemcpy*", ACTIVITY_MEMCPY },
	{ "clEnqueueFill*", ACTIVITY_MEMSET },
	{ "clEnqueueSVMMemFill*", ACTIVITY_MEMSET },
	{ "clEnqueueMemFill*", ACTIVITY_MEMSET },
	{ "clEnqueueBarrier*", ACTIVITY_SYNC },
	{ "clEnqueueMarker*", ACTIVITY_SYNC },
};

#define TASKS(kinds) (kinds), sizeof(kinds) / sizeof *(kinds)

static const struct task_rules mtia_tasks = { NULL, "size", TASKS(mtia_kinds) };
static const struct task_rules ascend_tasks = { "Task Type", NULL, TASKS(ascend_kinds) };
static const struct task_rules operation_tasks = { NULL, NULL, TASKS(operation_kinds) };
static const struct task_rules command_tasks = { NULL, NULL, TASKS(command_kinds),
						 .details = true };

static bool is_task(const char *pattern, const char *name, size_t length)
{
	size_t own = strlen(pattern);
	if (pattern[own - 1] == '*')
		return length >= --own && memcmp(pattern, name, own) == 0;
	return own == length && memcmp(pattern, name, length) == 0;
}

enum activity_kind task_kind_find(const struct category *category, const char *name, size_t length)
{
	const struct task_rules *rules = category->tasks;
	for (size_t i = 0; i < rules->count; i++)
		if (is_task(rules->kinds[i].name, name, length))
			return rules->kinds[i].kind;
	return (enum activity_kind)category->kind;
}

/* ---- categories ---- */

static const struct category categories[] = {
	{ "cpu_op", LANE_SPAN, SPAN_OPERATOR },
	{ "operator", LANE_SPAN, SPAN_OPERATOR },
	{ "user_annotation", LANE_SPAN, SPAN_ANNOTATION },
	{ "python_function", LANE_SPAN, SPAN_PYTHON },
	{ "python", LANE_SPAN, SPAN_PYTHON },
	{ "fee", LANE_SPAN, SPAN_PYTHON }, /* of viztracer: function entry and exit */
	{ "py-spy", LANE_SPAN, SPAN_PYTHON },
	{ "cuda_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "cudaruntime", LANE_SPAN, SPAN_RUNTIME }, /* of PaddlePaddle, as are the next */
	{ "pythonop", LANE_SPAN, SPAN_OPERATOR },
	{ "profilestep", LANE_SPAN, SPAN_ANNOTATION },
	{ "userdefined", LANE_SPAN, SPAN_ANNOTATION },
	{ "pythonuserdefined", LANE_SPAN, SPAN_ANNOTATION },
	{ "collective_comm", LANE_SPAN, SPAN_RUNTIME }, /* calls of a communication library */
	{ "enqueue", LANE_SPAN, SPAN_RUNTIME },         /* of torch_npu's queue of launches */
	{ "dequeue", LANE_SPAN, SPAN_RUNTIME },
	{ "overhead", LANE_SPAN, SPAN_OVERHEAD },
	{ "cuda_profiler_range", LANE_SPAN, SPAN_GPU_ANNOTATION, .metrics = true },
	{ "xpu_scope_profiler", LANE_SPAN, SPAN_GPU_ANNOTATION, .metrics = true },
	{ "mtia_insight", LANE_SPAN, SPAN_GPU_ANNOTATION, .stream_argument = true },
	{ "cpu_instant_event", LANE_SPAN, SPAN_INSTANT },
	{ "kernel", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "hpu_op", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "mtia_ccp_events", LANE_ACTIVITY, ACTIVITY_KERNEL, &mtia_tasks, .stream_argument = true },
	{ "mtia_workloadd", LANE_ACTIVITY, ACTIVITY_KERNEL, &mtia_tasks, .stream_argument = true },
	{ "gpu_op", LANE_ACTIVITY, ACTIVITY_KERNEL, &command_tasks }, /* of Intel's tracers */
	{ "op", LANE_OF_PROCESS, 0 },       /* of timelines of TensorFlow 1 and PaddlePaddle 1 */
	{ "category", LANE_OF_PROCESS, 0 }, /* of old versions of MXNet */
	{ "memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "memset", LANE_ACTIVITY, ACTIVITY_MEMSET },
	{ "cuda_sync", LANE_ACTIVITY, ACTIVITY_SYNC },
	{ "xpu_sync", LANE_ACTIVITY, ACTIVITY_SYNC },
	{ "cuda_event", LANE_ACTIVITY, ACTIVITY_SYNC },
	{ "gpu_collective", LANE_ACTIVITY, ACTIVITY_COLLECTIVE }, /* as strata exports them */
	{ "hardware_counters", LANE_COUNTER, 0 },
	{ "gpu_pm_counter", LANE_COUNTER, 0 },
	{ "mtia_counters", LANE_COUNTER, 0 },
	{ "fwdbwd", LANE_FLOW, FLOW_FORWARD_BACKWARD },
	{ "ac2g", LANE_FLOW, FLOW_LAUNCH },
	{ "async_cpu_to_gpu", LANE_FLOW, FLOW_LAUNCH },
	{ "cpu_to_cuda", LANE_FLOW, FLOW_QUEUED }, /* of PyTorch up to 1.7: from operators */
	{ "cpu_to_gpu", LANE_FLOW, FLOW_QUEUED },
	{ "hosttodevice", LANE_FLOW, FLOW_LAUNCH },
	{ "async_npu", LANE_FLOW, FLOW_QUEUED },
	{ "flow_h2d_*", LANE_FLOW, FLOW_CALLED }, /* of Intel's tracers, an id in each */
	{ "cl_flow_h2d_*", LANE_FLOW, FLOW_CALLED },
	{ "flow_d2h_*", LANE_FLOW, FLOW_LAUNCH }, /* to calls that wait */
	{ "cl_flow_d2h_*", LANE_FLOW, FLOW_LAUNCH },
	{ CATEGORY_SYSTEM, LANE_SPAN, SPAN_OTHER },
	{ "kernel_dispatch", LANE_ACTIVITY, ACTIVITY_KERNEL }, /* of rocprofv3, as are the next */
	{ "memory_copy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "hip_api", LANE_SPAN, SPAN_RUNTIME },
	{ "hsa_api", LANE_SPAN, SPAN_RUNTIME },
	{ "rccl_api", LANE_SPAN, SPAN_RUNTIME },
	{ "marker_api", LANE_SPAN, SPAN_ANNOTATION },
	/* of all devices: cuda, hip, xpu, mtia, mlu… */
	{ "*_runtime", LANE_SPAN, SPAN_RUNTIME },
	{ "*_driver", LANE_SPAN, SPAN_RUNTIME },
	{ "*_memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "*_memset", LANE_ACTIVITY, ACTIVITY_MEMSET },
	{ "*_user_annotation", LANE_SPAN, SPAN_GPU_ANNOTATION },
};

/* A '*' at the start or end of PATTERN stands for one character or more. */
static bool fits(const char *pattern, const char *name, size_t length)
{
	size_t own = strlen(pattern);
	bool end = *pattern == '*', start = pattern[own - 1] == '*';
	own -= start + end;
	if (start || end ? length <= own : length != own)
		return false;
	return strncasecmp(pattern + end, name + (end ? length - own : 0), own) == 0;
}

const struct category *category_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (fits(categories[i].name, name, length))
			return &categories[i];
	return NULL;
}

/* ---- processes ---- */

/* An operation of a device, and one that streams of the device have, too. */
#define ON_DEVICE "operation", LANE_ACTIVITY, ACTIVITY_KERNEL, &operation_tasks, .of_op = true
#define ON_CPU "operation", LANE_SPAN, SPAN_OPERATOR, .of_op = true
#define REPEATED ON_DEVICE, .repeats = true

/*
 * Processes of traces in which events have no category (trace_view.json of Ascend), or all have
 * "op" (timelines of TensorFlow 1 and PaddlePaddle 1) or "operator" (MXNet, which lists each
 * operator of a device a second time, in a process "operator"). In PROCESS '*' stands for a number,
 * the first being the device, and '%' for anything. THREAD begins the name of the thread, NULL:
 * any. "Plane" threads show again what collectives consist of, "Overlap Analysis" what others add
 * up to.
 */
static const struct {
	const char *process, *thread;
	struct category category;
} lanes[] = {
	{ "Ascend Hardware", NULL, { "task", LANE_ACTIVITY, ACTIVITY_SYNC, &ascend_tasks } },
	{ "HCCL", "Group", { "collective", LANE_ACTIVITY, ACTIVITY_COLLECTIVE } },
	{ "HCCL", NULL, { "plane", LANE_SPAN, SPAN_GPU_ANNOTATION } },
	{ "Communication", "Group", { "collective", LANE_ACTIVITY, ACTIVITY_COLLECTIVE } },
	{ "Communication", NULL, { "plane", LANE_SPAN, SPAN_GPU_ANNOTATION } },
	{ "Overlap Analysis", NULL, { "analysis", LANE_SPAN, SPAN_GPU_ANNOTATION } },
	{ "CANN", NULL, { "call", LANE_SPAN, SPAN_RUNTIME, .on_host = true, .domain = "CANN" } },
	{ "AI Core Freq", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "AI Core Utilization", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "HBM", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "DDR", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "LLC", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "NPU MEM", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "Stars Soc Info", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "Stars Chip Trans", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "Acc PMU", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "QoS", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "HCCS", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "PCIe", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "NIC", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "RoCE", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "SIO", NULL, { "counter", LANE_COUNTER, 0 } },
	{ "/device:GPU:*/stream:all Compute", NULL, { REPEATED } },
	{ "/device:GPU:*/memcpy Compute", NULL, { REPEATED } },
	{ "/device:GPU:*/stream:* Compute", NULL, { ON_DEVICE } },
	{ "/gpu:*/stream:all Compute", NULL, { REPEATED } },
	{ "/gpu:*/memcpy Compute", NULL, { REPEATED } },
	{ "/gpu:*/stream:* Compute", NULL, { ON_DEVICE } },
	{ "/gpu:*/context#*/stream#*:% Compute", NULL, { ON_DEVICE } },
	{ "/job:% Compute", NULL, { ON_CPU } },
	{ "gpu/*", NULL, { ON_DEVICE, .of_operators = true } },
	{ "cpu/*", NULL, { ON_CPU, .of_operators = true } },
	{ "operator", NULL, { ON_CPU, .of_operators = true, .repeats = true } },
	{ "%:gpu:*", NULL, { ON_DEVICE } },
	{ "%:cuda_api", NULL, { "call", LANE_SPAN, SPAN_RUNTIME, .of_op = true } },
	{ "%:cpu:block:*", NULL, { ON_CPU } },
};

const struct category category_repeated = { "operation", LANE_SPAN, SPAN_GPU_ANNOTATION,
					    .of_op = true };
const struct category category_listed_again = { "task", LANE_SPAN, SPAN_OTHER, .of_op = true,
						.of_operators = true };

/* Does TEXT match PATTERN? Then *NUMBER is the first number that a '*' stands for. */
static bool category_matches(const char *pattern, const char *text, int64_t *number)
{
	enum { DIGITS_MAX = 9 };
	for (; *pattern; pattern++) {
		if (*pattern == '%') {
			for (; *text; text++)
				if (category_matches(pattern + 1, text, number))
					return true;
			return category_matches(pattern + 1, text, number);
		}
		if (*pattern == '*') {
			size_t digits = strspn(text, "0123456789");
			if (!digits || digits > DIGITS_MAX)
				return false;
			if (*number == NO_VALUE)
				*number = strtol(text, NULL, 10);
			text += digits;
		} else if (*pattern != *text++) {
			return false;
		}
	}
	return !*text;
}

const struct category *category_of_lane(const char *process, const char *thread)
{
	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		const char *prefix = lanes[i].thread;
		int64_t device = NO_VALUE;
		if (category_matches(lanes[i].process, process, &device) &&
		    (!prefix || (thread && strncmp(thread, prefix, strlen(prefix)) == 0)))
			return &lanes[i].category;
	}
	return NULL;
}

int64_t category_device(const char *process)
{
	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		int64_t device = NO_VALUE;
		if (category_matches(lanes[i].process, process, &device))
			return device;
	}
	return NO_VALUE;
}
