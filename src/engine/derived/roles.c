#include "derived/roles.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "base/text_slice.h"
#include "derived/derived.h"
#include "model/python_stats.h"

#include <string.h>

/* Matched against names of spans and activities; without a capital or (?-i) case does not count. */
static const struct {
	uint16_t role;
	const char *pattern;
} rules[] = {
	/* of PyTorch, PaddlePaddle, DLProf and ONNX Runtime */
	{ NAME_STEP, "^(Profiler?Step|DLProf iteration)#|^model_run$" },
	{ NAME_DATALOADER, "^enumerate\\((DataLoader|DataPipe)\\)#" },
	{ NAME_OPTIMIZER, "^Optimizer\\." },
	{ NAME_COMMUNICATION, "(?-i)^(nccl|gloo|mpi|ucc|xccl|hccl|cncl|mccl):" },
	{ NAME_COLLECTIVE,
	  "(?-i)^(nccl|gloo):(broadcast|(all_)?reduce|all_gather|reduce_scatter)$" },
	{ NAME_BACKWARD_ENGINE, "(?-i)^autograd::engine::evaluate_function: " },
	{ NAME_BACKWARD,
	  "^autograd::engine::evaluate_function: |^torch::autograd::|Backward[0-9]*$" },
	{ NAME_DATA_PARALLEL, "^(Distributed)?DataParallel\\.forward$" },
	{ NAME_BLOCKING,
	  "^(cuda|hip|musa)(Device|Stream|Event)Synchronize$|^[cm]u(Ctx|Stream|Event)Synchronize$"
	  "|^(cuda|hip)Memcpy$|^hipMemcpyWithStream$|^synchronizeStream$"
	  "|^AscendCL@aclrt(Synchronize|Memcpy$)|^cn(QueueSync|rtQueueSync|rtSyncDevice)$"
	  "|^ze(CommandListHost|CommandQueue|EventHost|FenceHost)Synchronize"
	  "|^ur(QueueFinish|EventWait)$" },
	{ NAME_GRAPH_LAUNCH, "(?i)GraphLaunch" },
	{ NAME_ALLOCATOR,
	  "^(cuda|hip)(Malloc|Free)(Async)?$|^cuda(MallocManaged|MallocHost|HostAlloc|FreeHost)$"
	  "|^cuMem(Create|Map|Unmap|Release|SetAccess|AddressReserve)"
	  "|^hip(ExtMallocWithFlags|HostMalloc|HostFree)$|^AscendCL@aclrt(Malloc|Free)"
	  "|^zeMem(Alloc|Free$)|^urUSM" },
	{ NAME_COMPILE,
	  "^(Lazy Function Loading|Runtime Triggered Module Loading|Driver Compiler)$"
	  "|^(cu(Module|Library)|hipModule)Load|\\(dynamo_timed\\)|^triton/compiler/compiler\\.py"
	  "|^torch/(_dynamo/convert_frame|_inductor/compile_fx)\\.py" },
	{ NAME_MIGRATION, "^Memcpy UVM " },
};

enum { RULES = sizeof rules / sizeof *rules };

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
	return text_begins(name, length, "Optimizer.step") || /* see step_source.h */
	       text_begins(name, length, "ProfilerStep#") ||
	       text_begins(name, length, "ProfileStep#") ||
	       text_begins(name, length, "DLProf iteration#");
}

struct roles_naming {
	const struct intern *strings;
	uint16_t *role;
};

static void find_roles(void *context, size_t from, size_t to)
{
	const struct roles_naming *naming = context;
	struct pattern *patterns[RULES];
	for (size_t i = 0; i < RULES; i++)
		patterns[i] = pattern_new_rule(rules[i].pattern);
	for (size_t id = from; id < to; id++) {
		const char *name = intern_text(naming->strings, (uint32_t)id);
		size_t length = intern_length(naming->strings, (uint32_t)id);
		uint16_t role = 0;
		for (size_t i = 0; i < RULES && naming->role[id]; i++)
			if (pattern_match(patterns[i], name, length, NULL, NULL))
				role |= rules[i].role;
		naming->role[id] = role;
	}
	for (size_t i = 0; i < RULES; i++)
		pattern_free(patterns[i]);
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
	if (options && options->step_name) {
		step = pattern_new(options->step_name, error);
		if (!step)
			return NULL;
	}
	uint16_t *role = mem_zalloc(intern_count(profile->strings), sizeof *role);
	struct roles_naming naming = { profile->strings, role };
	bool done = names_in_use(profile, role, progress) &&
		    parallel_ranges(intern_count(profile->strings), find_roles, &naming, stage,
				    progress);
	if (step && done) {
		AUTO_FREE uint16_t *used = mem_zalloc(intern_count(profile->strings), sizeof *used);
		done = names_in_use(profile, used, progress);
		choose_steps(step, profile->strings, used, role);
	}
	done = done ? !step || pattern_completed(step, error)
		    : error_set(error, ERROR_CANCELLED, "cancelled");
	pattern_free(step);
	return mem_if(done, role);
}
