#include "input/kineto/category.h"

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

#define TASKS(kinds) (kinds), sizeof(kinds) / sizeof *(kinds)

static const struct task_rules mtia_tasks = { NULL, "size", TASKS(mtia_kinds) };
static const struct task_rules ascend_tasks = { "Task Type", NULL, TASKS(ascend_kinds) };

enum activity_kind task_kind_find(const struct category *category, const char *name, size_t length)
{
	const struct task_rules *rules = category->tasks;
	for (size_t i = 0; i < rules->count; i++)
		if (strlen(rules->kinds[i].name) == length &&
		    memcmp(rules->kinds[i].name, name, length) == 0)
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
	{ "collective_comm", LANE_SPAN, SPAN_RUNTIME }, /* calls of a communication library */
	{ "enqueue", LANE_SPAN, SPAN_RUNTIME },         /* of torch_npu's queue of launches */
	{ "dequeue", LANE_SPAN, SPAN_RUNTIME },
	{ "overhead", LANE_SPAN, SPAN_OVERHEAD },
	{ "gpu_user_annotation", LANE_SPAN, SPAN_GPU_ANNOTATION },
	{ "cuda_profiler_range", LANE_SPAN, SPAN_GPU_ANNOTATION, .metrics = true },
	{ "xpu_scope_profiler", LANE_SPAN, SPAN_GPU_ANNOTATION, .metrics = true },
	{ "mtia_insight", LANE_SPAN, SPAN_GPU_ANNOTATION, .stream_argument = true },
	{ "cpu_instant_event", LANE_SPAN, SPAN_INSTANT },
	{ "kernel", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "hpu_op", LANE_ACTIVITY, ACTIVITY_KERNEL },
	{ "mtia_ccp_events", LANE_ACTIVITY, ACTIVITY_KERNEL, &mtia_tasks, .stream_argument = true },
	{ "mtia_workloadd", LANE_ACTIVITY, ACTIVITY_KERNEL, &mtia_tasks, .stream_argument = true },
	{ "gpu_memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "memcpy", LANE_ACTIVITY, ACTIVITY_MEMCPY },
	{ "gpu_memset", LANE_ACTIVITY, ACTIVITY_MEMSET },
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
	{ "cpu_to_cuda", LANE_FLOW, FLOW_LAUNCH },
	{ "cpu_to_gpu", LANE_FLOW, FLOW_LAUNCH },
	{ "hosttodevice", LANE_FLOW, FLOW_LAUNCH },
	{ "async_npu", LANE_FLOW, FLOW_QUEUED },
};

const struct category *category_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (strlen(categories[i].name) == length &&
		    strncasecmp(categories[i].name, name, length) == 0)
			return &categories[i];
	return NULL;
}

/* ---- processes ---- */

/*
 * Processes of a trace whose events have no category: those of Ascend's trace_view.json. THREAD
 * begins the name of the thread, NULL: any. "Plane" threads show again what collectives consist of,
 * "Overlap Analysis" what others add up to.
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
};

const struct category *category_of_lane(const char *process, const char *thread)
{
	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		const char *prefix = lanes[i].thread;
		if (strcmp(lanes[i].process, process) == 0 &&
		    (!prefix || (thread && strncmp(thread, prefix, strlen(prefix)) == 0)))
			return &lanes[i].category;
	}
	return NULL;
}
