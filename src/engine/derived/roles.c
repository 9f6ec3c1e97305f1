#include "derived/roles.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "base/text_slice.h"
#include "derived/derived.h"
#include "model/python_stats.h"

#include <string.h>

enum match { PREFIX, EXACT, CONTAINS, NUMBERED }; /* NUMBERED: ends with the text and digits */

static const struct {
	enum match match;
	const char *text;
	uint16_t role;
} rules[] = {
	{ PREFIX, "ProfilerStep#", NAME_STEP },
	{ PREFIX, "ProfileStep#", NAME_STEP }, /* of PaddlePaddle */
	{ EXACT, "model_run", NAME_STEP },     /* of ONNX Runtime */
	{ PREFIX, "DLProf iteration#", NAME_STEP },
	{ PREFIX, "enumerate(DataLoader)#", NAME_DATALOADER },
	{ PREFIX, "enumerate(DataPipe)#", NAME_DATALOADER },
	{ PREFIX, "Optimizer.", NAME_OPTIMIZER },
	{ PREFIX, "nccl:", NAME_COMMUNICATION },
	{ PREFIX, "gloo:", NAME_COMMUNICATION },
	{ PREFIX, "mpi:", NAME_COMMUNICATION },
	{ PREFIX, "ucc:", NAME_COMMUNICATION },
	{ PREFIX, "xccl:", NAME_COMMUNICATION },
	{ PREFIX, "hccl:", NAME_COMMUNICATION },
	{ PREFIX, "cncl:", NAME_COMMUNICATION },
	{ PREFIX, "mccl:", NAME_COMMUNICATION },
	{ EXACT, "nccl:broadcast", NAME_COLLECTIVE },
	{ EXACT, "nccl:reduce", NAME_COLLECTIVE },
	{ EXACT, "nccl:all_reduce", NAME_COLLECTIVE },
	{ EXACT, "nccl:all_gather", NAME_COLLECTIVE },
	{ EXACT, "nccl:reduce_scatter", NAME_COLLECTIVE },
	{ EXACT, "gloo:broadcast", NAME_COLLECTIVE },
	{ EXACT, "gloo:reduce", NAME_COLLECTIVE },
	{ EXACT, "gloo:all_reduce", NAME_COLLECTIVE },
	{ EXACT, "gloo:all_gather", NAME_COLLECTIVE },
	{ EXACT, "gloo:reduce_scatter", NAME_COLLECTIVE },
	{ PREFIX, "autograd::engine::evaluate_function: ", NAME_BACKWARD_ENGINE },
	{ PREFIX, "autograd::engine::evaluate_function: ", NAME_BACKWARD },
	{ PREFIX, "torch::autograd::", NAME_BACKWARD },
	{ NUMBERED, "Backward", NAME_BACKWARD },
	{ EXACT, "DataParallel.forward", NAME_DATA_PARALLEL },
	{ EXACT, "DistributedDataParallel.forward", NAME_DATA_PARALLEL },
	{ EXACT, "cudaDeviceSynchronize", NAME_BLOCKING },
	{ EXACT, "cudaStreamSynchronize", NAME_BLOCKING },
	{ EXACT, "cudaEventSynchronize", NAME_BLOCKING },
	{ EXACT, "cudaMemcpy", NAME_BLOCKING },
	{ EXACT, "cuCtxSynchronize", NAME_BLOCKING },
	{ EXACT, "cuStreamSynchronize", NAME_BLOCKING },
	{ EXACT, "cuEventSynchronize", NAME_BLOCKING },
	{ EXACT, "hipDeviceSynchronize", NAME_BLOCKING },
	{ EXACT, "hipStreamSynchronize", NAME_BLOCKING },
	{ EXACT, "hipEventSynchronize", NAME_BLOCKING },
	{ EXACT, "hipMemcpy", NAME_BLOCKING },
	{ EXACT, "hipMemcpyWithStream", NAME_BLOCKING },
	{ EXACT, "synchronizeStream", NAME_BLOCKING },
	{ PREFIX, "AscendCL@aclrtSynchronize", NAME_BLOCKING },
	{ EXACT, "AscendCL@aclrtMemcpy", NAME_BLOCKING },
	{ PREFIX, "zeCommandListHostSynchronize", NAME_BLOCKING },
	{ PREFIX, "zeCommandQueueSynchronize", NAME_BLOCKING },
	{ PREFIX, "zeEventHostSynchronize", NAME_BLOCKING },
	{ PREFIX, "zeFenceHostSynchronize", NAME_BLOCKING },
	{ EXACT, "urQueueFinish", NAME_BLOCKING },
	{ EXACT, "urEventWait", NAME_BLOCKING },
	{ EXACT, "cnQueueSync", NAME_BLOCKING },
	{ EXACT, "cnrtQueueSync", NAME_BLOCKING },
	{ EXACT, "cnrtSyncDevice", NAME_BLOCKING },
	{ EXACT, "musaDeviceSynchronize", NAME_BLOCKING },
	{ EXACT, "musaStreamSynchronize", NAME_BLOCKING },
	{ EXACT, "muStreamSynchronize", NAME_BLOCKING },
	{ CONTAINS, "GraphLaunch", NAME_GRAPH_LAUNCH },
	{ EXACT, "cudaMalloc", NAME_ALLOCATOR },
	{ EXACT, "cudaFree", NAME_ALLOCATOR },
	{ EXACT, "cudaMallocAsync", NAME_ALLOCATOR },
	{ EXACT, "cudaFreeAsync", NAME_ALLOCATOR },
	{ EXACT, "cudaMallocManaged", NAME_ALLOCATOR },
	{ EXACT, "cudaMallocHost", NAME_ALLOCATOR },
	{ EXACT, "cudaHostAlloc", NAME_ALLOCATOR },
	{ EXACT, "cudaFreeHost", NAME_ALLOCATOR },
	{ PREFIX, "cuMemCreate", NAME_ALLOCATOR },
	{ PREFIX, "cuMemMap", NAME_ALLOCATOR },
	{ PREFIX, "cuMemUnmap", NAME_ALLOCATOR },
	{ PREFIX, "cuMemRelease", NAME_ALLOCATOR },
	{ PREFIX, "cuMemSetAccess", NAME_ALLOCATOR },
	{ PREFIX, "cuMemAddressReserve", NAME_ALLOCATOR },
	{ EXACT, "hipMalloc", NAME_ALLOCATOR },
	{ EXACT, "hipFree", NAME_ALLOCATOR },
	{ EXACT, "hipMallocAsync", NAME_ALLOCATOR },
	{ EXACT, "hipFreeAsync", NAME_ALLOCATOR },
	{ EXACT, "hipExtMallocWithFlags", NAME_ALLOCATOR },
	{ EXACT, "hipHostMalloc", NAME_ALLOCATOR },
	{ EXACT, "hipHostFree", NAME_ALLOCATOR },
	{ PREFIX, "AscendCL@aclrtMalloc", NAME_ALLOCATOR },
	{ PREFIX, "AscendCL@aclrtFree", NAME_ALLOCATOR },
	{ PREFIX, "zeMemAlloc", NAME_ALLOCATOR },
	{ EXACT, "zeMemFree", NAME_ALLOCATOR },
	{ PREFIX, "urUSM", NAME_ALLOCATOR },
	{ EXACT, "Lazy Function Loading", NAME_COMPILE },
	{ EXACT, "Runtime Triggered Module Loading", NAME_COMPILE },
	{ EXACT, "Driver Compiler", NAME_COMPILE },
	{ PREFIX, "cuModuleLoad", NAME_COMPILE },
	{ PREFIX, "cuLibraryLoad", NAME_COMPILE },
	{ PREFIX, "hipModuleLoad", NAME_COMPILE },
	{ CONTAINS, "(dynamo_timed)", NAME_COMPILE },
	{ PREFIX, "torch/_dynamo/convert_frame.py", NAME_COMPILE },
	{ PREFIX, "torch/_inductor/compile_fx.py", NAME_COMPILE },
	{ PREFIX, "triton/compiler/compiler.py", NAME_COMPILE },
	{ PREFIX, "Memcpy UVM ", NAME_MIGRATION },
};

enum { RULES = sizeof rules / sizeof *rules, RULE_WORDS = (RULES + 63) / 64 };

static bool ends_numbered(const char *name, const char *text)
{
	size_t length = strlen(name);
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return text_ends(name, length, text);
}

/* Does NAME match a PREFIX, EXACT or NUMBERED rule? */
static bool rule_matches(enum match match, const char *text, const char *name)
{
	switch (match) {
	case PREFIX: return strncmp(name, text, strlen(text)) == 0;
	case EXACT: return strcmp(name, text) == 0;
	case NUMBERED: return ends_numbered(name, text);
	case CONTAINS: return false;
	}
	return false;
}

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/*
 * Substring search in one pass, ignoring case: bit masks of the needles by first and second byte.
 */
struct needles {
	uint32_t first[256], second[256]; /* one bit per needle */
	const char *text[RULES];
	uint16_t role[RULES];
	unsigned count;
	/* One bit per rule: those that a name with this first byte may match. */
	uint64_t by_start[256][RULE_WORDS];
};

/* Rules of the start of names by its first byte; those of the end may match any name. */
static void collect_starts(struct needles *needles)
{
	for (size_t i = 0; i < RULES; i++)
		for (size_t byte = 0; byte < 256; byte++)
			if (rules[i].match == NUMBERED || byte == (unsigned char)*rules[i].text)
				needles->by_start[byte][i / 64] |= UINT64_C(1) << i % 64;
}

static void collect_needles(struct needles *needles)
{
	*needles = (struct needles){ 0 };
	collect_starts(needles);
	for (size_t i = 0; i < RULES; i++) {
		const char *text = rules[i].text;
		if (rules[i].match != CONTAINS)
			continue;
		needles->first[lower(text[0])] |= 1u << needles->count;
		needles->second[lower(text[1])] |= 1u << needles->count;
		needles->text[needles->count] = text;
		needles->role[needles->count++] = rules[i].role;
	}
}

static uint16_t roles_inside(const struct needles *needles, const char *name)
{
	uint16_t role = 0;
	for (const char *at = name; *at; at++) {
		uint32_t found = needles->first[lower(at[0])] & needles->second[lower(at[1])];
		for (; found; found &= found - 1) {
			int i = __builtin_ctz(found);
			const char *text = needles->text[i];
			if (strncasecmp(at, text, strlen(text)) == 0)
				role |= needles->role[i];
		}
	}
	return role;
}

static uint16_t role_of(const struct needles *needles, const char *name)
{
	const uint64_t *may_match = needles->by_start[(unsigned char)*name];
	uint16_t role = roles_inside(needles, name);
	for (size_t word = 0; word < RULE_WORDS; word++)
		for (uint64_t left = may_match[word]; left; left &= left - 1) {
			size_t i = word * 64 + (size_t)__builtin_ctzll(left);
			if (rule_matches(rules[i].match, rules[i].text, name))
				role |= rules[i].role;
		}
	return role;
}

static const char stage[] = "classifying names";

/* Set USED for string ids that name spans, activities or rows of tables; no other has a role. */
static bool names_in_use(const struct profile *profile, uint16_t *used,
			 const struct progress *progress)
{
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		used[profile->span_name[i]] = 1;
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		used[profile->activity_name[i]] = 1;
	}
	const struct python_stats *printed = profile->python;
	for (size_t i = 0; printed && i < printed->operator_count; i++)
		used[printed->operators[i].name] = 1;
	return true;
}

bool roles_may_be_step(const char *name, size_t length)
{
	if (text_begins(name, length, "Optimizer.step")) /* a source of steps (step_source.h) */
		return true;
	for (size_t i = 0; i < RULES; i++)
		if (rules[i].role == NAME_STEP && rules[i].match == PREFIX &&
		    text_begins(name, length, rules[i].text))
			return true;
	return false;
}

struct roles_naming {
	const struct intern *strings;
	const struct needles *needles;
	uint16_t *role;
};

static void find_roles(void *context, size_t from, size_t to)
{
	const struct roles_naming *naming = context;
	for (size_t id = from; id < to; id++)
		if (naming->role[id])
			naming->role[id] = role_of(naming->needles,
						   intern_text(naming->strings, (uint32_t)id));
}

/* Steps are exactly the USED names that match STEP. */
static void choose_steps(const struct pattern *step, const struct intern *strings,
			 const uint16_t *used, uint16_t *role)
{
	for (uint32_t id = 0; id < intern_count(strings); id++) {
		if (!used[id])
			continue;
		role[id] &= (uint16_t)~NAME_STEP;
		if (pattern_match(step, intern_text(strings, id), intern_length(strings, id), NULL,
				  NULL))
			role[id] |= NAME_STEP;
	}
}

uint16_t *roles_of_names(const struct profile *profile, const struct derived_options *options,
			 const struct progress *progress, struct error *error)
{
	struct pattern *step = NULL;
	struct needles needles;
	if (options && options->step_name) {
		step = pattern_new(options->step_name, error);
		if (!step)
			return NULL;
	}
	uint16_t *role = mem_zalloc(intern_count(profile->strings), sizeof *role);
	struct roles_naming naming = { profile->strings, &needles, role };
	collect_needles(&needles);
	bool done = names_in_use(profile, role, progress) &&
		    parallel_ranges(intern_count(profile->strings), find_roles, &naming, stage,
				    progress);
	if (step && done) {
		uint16_t *used = mem_zalloc(intern_count(profile->strings), sizeof *used);
		done = names_in_use(profile, used, progress);
		choose_steps(step, profile->strings, used, role);
		mem_free(used);
	}
	done = done ? !step || pattern_completed(step, error)
		    : error_set(error, ERROR_CANCELLED, "cancelled");
	pattern_free(step);
	if (done)
		return role;
	mem_free(role);
	return NULL;
}
