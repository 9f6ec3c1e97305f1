#include "analysis/roles.h"

#include "analysis/facts.h"
#include "base/error.h"
#include "base/pattern.h"

#include <string.h>

enum match { PREFIX, EXACT, CONTAINS, NUMBERED };	/* NUMBERED: ends with it and digits */

static const struct {
	enum match match;
	const char *text;
	uint16_t role;
} rules[] = {
	{ PREFIX, "ProfilerStep#", ROLE_STEP },
	{ PREFIX, "DLProf iteration#", ROLE_STEP },
	{ PREFIX, "enumerate(DataLoader)#", ROLE_DATALOADER },
	{ PREFIX, "enumerate(DataPipe)#", ROLE_DATALOADER },
	{ PREFIX, "Optimizer.", ROLE_OPTIMIZER },
	{ PREFIX, "nccl:", ROLE_COMMUNICATION },
	{ PREFIX, "gloo:", ROLE_COMMUNICATION },
	{ PREFIX, "mpi:", ROLE_COMMUNICATION },
	{ PREFIX, "ucc:", ROLE_COMMUNICATION },
	{ PREFIX, "xccl:", ROLE_COMMUNICATION },
	{ PREFIX, "hccl:", ROLE_COMMUNICATION },
	{ EXACT, "nccl:broadcast", ROLE_COLLECTIVE },
	{ EXACT, "nccl:reduce", ROLE_COLLECTIVE },
	{ EXACT, "nccl:all_reduce", ROLE_COLLECTIVE },
	{ EXACT, "nccl:all_gather", ROLE_COLLECTIVE },
	{ EXACT, "nccl:reduce_scatter", ROLE_COLLECTIVE },
	{ EXACT, "gloo:broadcast", ROLE_COLLECTIVE },
	{ EXACT, "gloo:reduce", ROLE_COLLECTIVE },
	{ EXACT, "gloo:all_reduce", ROLE_COLLECTIVE },
	{ EXACT, "gloo:all_gather", ROLE_COLLECTIVE },
	{ EXACT, "gloo:reduce_scatter", ROLE_COLLECTIVE },
	{ PREFIX, "autograd::engine::evaluate_function: ", ROLE_BACKWARD_ENGINE },
	{ PREFIX, "autograd::engine::evaluate_function: ", ROLE_BACKWARD },
	{ PREFIX, "torch::autograd::", ROLE_BACKWARD },
	{ NUMBERED, "Backward", ROLE_BACKWARD },
	{ EXACT, "DataParallel.forward", ROLE_DATA_PARALLEL },
	{ EXACT, "DistributedDataParallel.forward", ROLE_DATA_PARALLEL },
	{ EXACT, "cudaDeviceSynchronize", ROLE_BLOCKING },
	{ EXACT, "cudaStreamSynchronize", ROLE_BLOCKING },
	{ EXACT, "cudaEventSynchronize", ROLE_BLOCKING },
	{ EXACT, "cudaMemcpy", ROLE_BLOCKING },
	{ EXACT, "cuCtxSynchronize", ROLE_BLOCKING },
	{ EXACT, "cuStreamSynchronize", ROLE_BLOCKING },
	{ EXACT, "cuEventSynchronize", ROLE_BLOCKING },
	{ EXACT, "hipDeviceSynchronize", ROLE_BLOCKING },
	{ EXACT, "hipStreamSynchronize", ROLE_BLOCKING },
	{ EXACT, "hipEventSynchronize", ROLE_BLOCKING },
	{ EXACT, "hipMemcpy", ROLE_BLOCKING },
	{ EXACT, "hipMemcpyWithStream", ROLE_BLOCKING },
	{ CONTAINS, "GraphLaunch", ROLE_GRAPH_LAUNCH },
	{ EXACT, "cudaMalloc", ROLE_ALLOCATOR },
	{ EXACT, "cudaFree", ROLE_ALLOCATOR },
	{ EXACT, "cudaMallocAsync", ROLE_ALLOCATOR },
	{ EXACT, "cudaFreeAsync", ROLE_ALLOCATOR },
	{ EXACT, "cudaMallocManaged", ROLE_ALLOCATOR },
	{ EXACT, "cudaMallocHost", ROLE_ALLOCATOR },
	{ EXACT, "cudaHostAlloc", ROLE_ALLOCATOR },
	{ EXACT, "cudaFreeHost", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemCreate", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemMap", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemUnmap", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemRelease", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemSetAccess", ROLE_ALLOCATOR },
	{ PREFIX, "cuMemAddressReserve", ROLE_ALLOCATOR },
	{ EXACT, "hipMalloc", ROLE_ALLOCATOR },
	{ EXACT, "hipFree", ROLE_ALLOCATOR },
	{ EXACT, "hipMallocAsync", ROLE_ALLOCATOR },
	{ EXACT, "hipFreeAsync", ROLE_ALLOCATOR },
	{ EXACT, "hipExtMallocWithFlags", ROLE_ALLOCATOR },
	{ EXACT, "hipHostMalloc", ROLE_ALLOCATOR },
	{ EXACT, "hipHostFree", ROLE_ALLOCATOR },
	{ EXACT, "Lazy Function Loading", ROLE_COMPILE },
	{ EXACT, "Runtime Triggered Module Loading", ROLE_COMPILE },
	{ EXACT, "Driver Compiler", ROLE_COMPILE },
	{ PREFIX, "cuModuleLoad", ROLE_COMPILE },
	{ PREFIX, "cuLibraryLoad", ROLE_COMPILE },
	{ PREFIX, "hipModuleLoad", ROLE_COMPILE },
	{ CONTAINS, "(dynamo_timed)", ROLE_COMPILE },
	{ PREFIX, "torch/_dynamo/convert_frame.py", ROLE_COMPILE },
	{ PREFIX, "torch/_inductor/compile_fx.py", ROLE_COMPILE },
	{ PREFIX, "triton/compiler/compiler.py", ROLE_COMPILE },
	{ CONTAINS, "nccl", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "rccl", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "oneccl", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "hccl", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "cross_device_reduce", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "multimem_all_", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "one_shot_all_reduce", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "two_shot_all_reduce", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "deep_ep::", ROLE_COMMUNICATION_KERNEL },
	{ CONTAINS, "nvshmem", ROLE_COMMUNICATION_KERNEL },
};

static bool ends_numbered(const char *name, const char *text)
{
	size_t length = strlen(name), own = strlen(text);
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length >= own && memcmp(name + length - own, text, own) == 0;
}

static bool rule_matches(enum match match, const char *text, const char *name)
{
	switch (match) {
	case PREFIX: return strncmp(name, text, strlen(text)) == 0;
	case EXACT: return strcmp(name, text) == 0;
	case NUMBERED: return ends_numbered(name, text);
	case CONTAINS: return strcasestr(name, text) != NULL;
	}
	return false;
}

static uint16_t role_of(const char *name)
{
	uint16_t role = 0;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rule_matches(rules[i].match, rules[i].text, name))
			role |= rules[i].role;
	return role;
}

/* 1 by string id for what is a name of a span or an activity: other texts have no role. */
static uint16_t *names_in_use(const struct profile *profile)
{
	uint16_t *used = mem_zalloc(intern_count(profile->strings), sizeof *used);
	for (uint32_t i = 0; i < profile->spans; i++)
		used[profile->span_name[i]] = 1;
	for (uint32_t i = 0; i < profile->activities; i++)
		used[profile->activity_name[i]] = 1;
	return used;
}

uint16_t *roles_of_names(const struct profile *profile, const struct load_options *options,
			struct error *error)
{
	struct pattern *step = NULL;
	if (options && options->step_name) {
		step = pattern_new(options->step_name, error);
		if (!step)
			return NULL;
	}
	uint16_t *role = names_in_use(profile);
	for (uint32_t id = 0; id < intern_count(profile->strings); id++) {
		if (!role[id])
			continue;
		const char *name = intern_text(profile->strings, id);
		role[id] = role_of(name);
		if (!step)
			continue;
		role[id] &= (uint16_t)~ROLE_STEP;
		if (pattern_match(step, name, intern_length(profile->strings, id), NULL, NULL))
			role[id] |= ROLE_STEP;
	}
	pattern_free(step);
	return role;
}
