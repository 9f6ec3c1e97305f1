#include "tools/dlprof/dlprof_derive.h"

#include "tools/dlprof/dlprof_aggregate.h"
#include "derived/derived.h"
#include "input/cuda/cuda_names.h"
#include "input/nvtx/nvtx.h"
#include "model/tool.h"
#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/buffer.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/sort.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <inttypes.h>

/* Occurrence counts by key. */
struct counters {
	struct keyed keys;
	uint32_t *count;
};

/* A start/end range on a track of its own, which takes calls of the thread it started on. */
struct moved_range {
	uint32_t process, instance;
	int64_t thread, stop;
};

struct deriving {
	const struct derived *derived;
	const struct profile *profile;
	struct intern *strings;
	struct dlprof *dlprof;
	uint32_t *instance;          /* by span: its instance or the enclosing one, or NO_ROW */
	struct counters occurrences; /* by (step, name, direction) */
	struct keyed ops;            /* by (name, direction, index among equal names in the step) */
	struct counters types;       /* ops by type */
	int64_t *ends; /* ends of the key's executions, sorted; NULL: the profile has steps */
	size_t end_count;
	bool by_name;  /* without PyTorch's operators: executions of one name are one op */
	int64_t clock; /* dlprof_clock */
	struct moved_range *moved; /* that have not ended, by start */
	size_t moved_count;
	struct buffer text;
	const struct progress *progress;
};

static const char stage[] = "finding ops";

enum { ROW_WEIGHT = 32 }; /* rows are expensive */

static uint32_t dlprof_derive_keep(struct deriving *deriving, const char *text)
{
	return intern_add(deriving->strings, text, strlen(text));
}

static const char *string(const struct deriving *deriving, uint32_t id)
{
	return profile_string(deriving->profile, id);
}

/* Returns the previous count of KEY. */
static uint32_t count_one_more(struct counters *counters, uint64_t key)
{
	return (*keyed_item(&counters->keys, counters->count, &key))++;
}

static void free_counters(struct counters *counters)
{
	keyed_clear(&counters->keys);
	mem_free(counters->count);
	*counters = (struct counters){ 0 };
}

/* ---- names ---- */

static const char *dlprof_derive_type_of(const char *name)
{
	return name + text_start(name, SIZE_MAX, "autograd::engine::evaluate_function: |aten::");
}

/* "/ResNet/layer1/conv1/conv2d", or as DLProf's markers say. */
static uint32_t dlprof_derive_path_of(struct deriving *deriving, uint32_t span, const char *type)
{
	const struct derived *derived = deriving->derived;
	uint32_t layer = layer_enclosing(derived, derived->layers.span_node[span]);
	buffer_clear(&deriving->text);
	if (dlprof_function_path(deriving->profile, span, &deriving->text))
		return dlprof_derive_keep(deriving, buffer_text(&deriving->text));
	buffer_putc(&deriving->text, '/');
	if (layer != 0) {
		layer_path(derived, layer, &deriving->text);
		buffer_putc(&deriving->text, '/');
	}
	buffer_puts(&deriving->text, type);
	return dlprof_derive_keep(deriving, buffer_text(&deriving->text));
}

/* "CONV2D_1": the type in upper case and the index within it. */
static uint32_t id_of(struct deriving *deriving, uint32_t type)
{
	uint32_t number = count_one_more(&deriving->types, type) + 1;
	buffer_clear(&deriving->text);
	for (const char *at = intern_text(deriving->strings, type); *at; at++)
		buffer_putc(&deriving->text, (char)toupper((unsigned char)*at));
	buffer_printf(&deriving->text, "_%" PRIu32, number);
	return dlprof_derive_keep(deriving, buffer_text(&deriving->text));
}

/* Kernel name without return type, namespaces, template arguments and parameters. */
static uint32_t dlprof_derive_short_name(struct deriving *deriving, const char *name)
{
	const char *start = name, *end = name;
	while (*end && *end != '<' && *end != '(') {
		if (*end == ':' || *end == ' ')
			start = end + 1;
		end++;
		end += text_start(end, SIZE_MAX, "(anonymous namespace)|<unnamed>");
	}
	return start < end ? intern_add(deriving->strings, start, (size_t)(end - start))
			   : dlprof_derive_keep(deriving, name);
}

/* ---- ops ---- */

/* The iteration of a time on the file's clock. */
static uint32_t iteration_at(const struct deriving *deriving, int64_t time)
{
	if (deriving->ends)
		return (uint32_t)search_between(
			ASCENDING_ARRAY(deriving->ends, deriving->end_count), time + 1, 0,
			deriving->end_count);
	return deriving->derived->steps_from_profile
		       ? derived_step_at(deriving->derived, time - deriving->clock)
		       : 0;
}

/* What text FILL appends, kept. */
#define DLPROF_KEPT(deriving, fill)                                                                \
	({                                                                                         \
		buffer_clear(&(deriving)->text);                                                   \
		fill;                                                                              \
		dlprof_derive_keep((deriving), buffer_text(&(deriving)->text));                    \
	})

/* The call stack, data type and dimension letters of an op from its first execution. */
static void describe(struct deriving *deriving, struct dlprof_op *op, uint32_t span)
{
	const struct profile *profile = deriving->profile;
	const struct op_info *info = profile_op_info(profile, span);
	const struct dlprof_format *format =
		dlprof_format_of(intern_text(deriving->strings, op->type));
	op->stack = DLPROF_KEPT(deriving, dlprof_stack(profile, span, &deriving->text));
	if (info)
		op->data_type = dlprof_derive_keep(deriving, dlprof_data_type(profile, info));
	if (format) {
		op->input_format = dlprof_derive_keep(deriving, format->input);
		op->output_format = dlprof_derive_keep(deriving, format->output);
		op->parameter_format = dlprof_derive_keep(deriving, format->parameters);
	}
}

/* The op of an execution; a new one that is not LIKE another op is described. */
static uint32_t find_op(struct deriving *deriving, const struct dlprof_op *like, uint32_t span,
			bool like_another)
{
	struct dlprof *dlprof = deriving->dlprof;
	uint64_t name = hash_pair(like->name, like->direction);
	uint32_t step =
		iteration_at(deriving, deriving->clock + deriving->profile->span_start[span]);
	uint32_t which = deriving->by_name
				 ? 0
				 : count_one_more(&deriving->occurrences, hash_pair(step, name));
	uint64_t key = hash_pair(name, which);
	uint32_t row = keyed_add(&deriving->ops, &key, sizeof key);
	if (row < dlprof->op_count)
		return row;
	struct dlprof_op *op = mem_push(dlprof->ops, dlprof->op_count);
	*op = *like;
	op->id = id_of(deriving, like->type);
	if (!like_another)
		describe(deriving, op, span);
	return row;
}

static struct dlprof_instance *add_instance(struct deriving *deriving, uint32_t op, uint32_t span)
{
	struct dlprof *dlprof = deriving->dlprof;
	const struct profile *profile = deriving->profile;
	const struct track *track = &profile->tracks[profile->span_track[span]];
	int64_t start = deriving->clock + profile->span_start[span];
	deriving->instance[span] = (uint32_t)dlprof->instance_count;
	struct dlprof_instance *instance = mem_push(dlprof->instances, dlprof->instance_count);
	*instance = (struct dlprof_instance){
		.op = op,
		.start = start,
		.stop = start + profile->span_dur[span],
		.process = profile->processes[track->process].pid,
		.thread = track->tid,
	};
	return instance;
}

static uint32_t enclosing_instance(const struct deriving *deriving, uint32_t span)
{
	while (span != NO_ROW && deriving->instance[span] == NO_ROW)
		span = deriving->profile->span_parent[span];
	return span == NO_ROW ? NO_ROW : deriving->instance[span];
}

static bool is_loader(const struct deriving *deriving, uint32_t span)
{
	return deriving->derived->role[deriving->profile->span_name[span]] & NAME_DATALOADER;
}

static void add_shapes(struct deriving *deriving, struct dlprof_instance *instance, uint32_t span)
{
	const struct profile *profile = deriving->profile;
	const struct op_info *info = profile_op_info(profile, span);
	const struct dlprof_op *op = &deriving->dlprof->ops[instance->op];
	const struct dlprof_format *format =
		dlprof_format_of(intern_text(deriving->strings, op->type));
	if (!info || !info->shapes)
		return;
	instance->input_shapes =
		DLPROF_KEPT(deriving, dlprof_input_shapes(profile, info, &deriving->text));
	if (!format || deriving->derived->span_flags[span] & SPAN_BACKWARD)
		return;
	instance->output_shapes =
		DLPROF_KEPT(deriving, dlprof_output_shapes(profile, info, format, &deriving->text));
	instance->parameters =
		DLPROF_KEPT(deriving, dlprof_parameters(profile, info, format, &deriving->text));
}

static void dlprof_derive_add_operator(struct deriving *deriving, uint32_t span)
{
	const struct derived *derived = deriving->derived;
	const char *type = is_loader(deriving, span)
				   ? "DataLoader"
				   : dlprof_derive_type_of(
					     string(deriving, deriving->profile->span_name[span]));
	bool backward = derived->span_flags[span] & SPAN_BACKWARD;
	uint32_t links, forward = NO_ROW;
	const struct link *link = links_of(derived, span, false, &links);
	struct dlprof_op op = { 0 };
	if (links)
		forward = enclosing_instance(deriving, link->forward);
	if (forward != NO_ROW) {
		op = deriving->dlprof->ops[deriving->dlprof->instances[forward].op];
	} else {
		op.type = dlprof_derive_keep(deriving, type);
		op.name = dlprof_derive_path_of(deriving, span, type);
	}
	op.direction = dlprof_derive_keep(deriving, backward ? "bprop" : "fprop");
	op.eligible = derived->span_flags[span] & SPAN_ELIGIBLE;
	uint32_t row = find_op(deriving, &op, span, forward != NO_ROW);
	add_shapes(deriving, add_instance(deriving, row, span), span);
}

/* A range that is not PyTorch's is an op of its name; its calls outside other ops are its own. */
static void add_range(struct deriving *deriving, uint32_t span)
{
	uint32_t name =
		dlprof_derive_keep(deriving, string(deriving, deriving->profile->span_name[span]));
	struct dlprof_op op = { .type = name, .name = name };
	const struct profile *profile = deriving->profile;
	const struct dlprof_instance *instance =
		add_instance(deriving, find_op(deriving, &op, span, false), span);
	uint32_t thread = profile_span_attribute(profile, span, profile_find(profile, NVTX_THREAD));
	if (thread == NO_ROW)
		return;
	*mem_push(deriving->moved, deriving->moved_count) = (struct moved_range){
		profile->tracks[profile->span_track[span]].process, deriving->instance[span],
		strtoll(profile_string(profile, thread), NULL, 10), instance->stop
	};
}

/* The latest range around a call that is on another track; NO_ROW. Calls come by start. */
static uint32_t moved_instance(struct deriving *deriving, uint32_t span)
{
	const struct track *track = &deriving->profile->tracks[deriving->profile->span_track[span]];
	int64_t start = deriving->clock + deriving->profile->span_start[span];
	uint32_t found = NO_ROW;
	size_t kept = 0;
	for_each (range, deriving->moved, deriving->moved_count) {
		if (range->stop <= start)
			continue;
		if (range->process == track->process && range->thread == track->tid)
			found = range->instance;
		deriving->moved[kept++] = *range;
	}
	deriving->moved_count = kept;
	return found;
}

/* "cudaLaunchKernel_v7000", as recorded. */
static const char *call_name(const struct deriving *deriving, uint32_t span)
{
	uint32_t key = profile_find(deriving->profile, CALL_RECORDED_AS);
	uint32_t recorded =
		key == NO_ROW ? NO_ROW : profile_span_attribute(deriving->profile, span, key);
	return string(deriving, recorded == NO_ROW ? deriving->profile->span_name[span] : recorded);
}

static void add_unassociated(struct deriving *deriving, uint32_t span)
{
	const char *name = call_name(deriving, span);
	struct dlprof_op op = { .type = dlprof_derive_keep(deriving, name), .unassociated = true };
	op.name = DLPROF_KEPT(deriving, buffer_printf(&deriving->text, "unassociated_%s", name));
	add_instance(deriving, find_op(deriving, &op, span, true), span);
}

struct outermost {
	int64_t start;
	uint32_t span;
};

COMPARE_MEMBERS(compare_outermost, struct outermost, UP(start) UP(span))

enum dlprof_role { ROLE_NONE, ROLE_RANGE, ROLE_OP };

/* An op takes all that is inside it, a range what no op inside it takes. */
static enum dlprof_role role_of(const struct deriving *deriving, uint32_t span)
{
	const struct profile *profile = deriving->profile;
	uint8_t kind = profile->span_kind[span];
	const char *name = string(deriving, profile->span_name[span]);
	if (kind == SPAN_RUNTIME || deriving->derived->span_flags[span] & SPAN_IS_OPERATOR ||
	    ((kind == SPAN_ANNOTATION || kind == SPAN_OPERATOR) && is_loader(deriving, span)))
		return ROLE_OP;
	if (kind != SPAN_ANNOTATION ||
	    deriving->derived->role[profile->span_name[span]] & NAME_STEP)
		return ROLE_NONE;
	return strncmp(name, NVTX_SETTINGS, strlen(NVTX_SETTINGS)) == 0 ? ROLE_NONE : ROLE_RANGE;
}

struct outermosts {
	GROWING(struct outermost, items, count);
};

/* Operators, data loading, ranges and runtime calls not enclosed by another op. */
static bool find_outermost(const struct deriving *deriving, struct outermosts *found)
{
	const struct profile *profile = deriving->profile;
	AUTO_FREE uint8_t *covered = mem_zalloc((size_t)profile->spans + 1, 1);
	bool ok = true;
	for_heavy_rows (ok, i, profile->spans, deriving->progress, stage, ROW_WEIGHT) {
		uint32_t parent = profile->span_parent[i];
		bool inside = parent != NO_ROW && covered[parent];
		enum dlprof_role role = inside ? ROLE_NONE : role_of(deriving, i);
		covered[i] = inside || role == ROLE_OP;
		if (role == ROLE_NONE)
			continue;
		*mem_push(found->items, found->count) =
			(struct outermost){ profile->span_start[i], i };
	}
	return ok && sort_runs(found->items, found->count, sizeof *found->items, compare_outermost,
			       deriving->progress);
}

static bool add_ops(struct deriving *deriving)
{
	const struct profile *profile = deriving->profile;
	struct outermosts found = { 0 };
	bool ok = find_outermost(deriving, &found);
	for_heavy_rows (ok, i, found.count, deriving->progress, stage, ROW_WEIGHT) {
		uint32_t span = found.items[i].span;
		if (role_of(deriving, span) == ROLE_RANGE)
			add_range(deriving, span);
		else if (profile->span_kind[span] != SPAN_RUNTIME)
			dlprof_derive_add_operator(deriving, span);
		else if (enclosing_instance(deriving, span) == NO_ROW &&
			 (deriving->instance[span] = moved_instance(deriving, span)) == NO_ROW)
			add_unassociated(deriving, span);
	}
	mem_free(found.items);
	for_heavy_rows (ok, i, profile->spans, deriving->progress, stage, ROW_WEIGHT)
		if (deriving->instance[i] == NO_ROW && profile->span_parent[i] != NO_ROW)
			deriving->instance[i] = deriving->instance[profile->span_parent[i]];
	return ok;
}

/* ---- calls ---- */

/* A runtime call, or (ACTIVITY) a device activity with its launch. */
static struct dlprof_call *dlprof_derive_add_call(struct deriving *deriving, uint32_t span,
						  enum dlprof_call_kind kind)
{
	struct dlprof *dlprof = deriving->dlprof;
	const struct profile *profile = deriving->profile;
	uint32_t instance = deriving->instance[span];
	if (instance == NO_ROW)
		return NULL;
	struct dlprof_call *call = mem_push(dlprof->calls, dlprof->call_count);
	*call = (struct dlprof_call){
		.kind = kind,
		.instance = instance,
		.op = dlprof->instances[instance].op,
		.name = dlprof_derive_keep(deriving, call_name(deriving, span)),
		.api_start = deriving->clock + profile->span_start[span],
		.api_stop = deriving->clock + profile->span_start[span] + profile->span_dur[span],
		.bytes = NO_VALUE,
		.grid = { -1, -1, -1 },
		.block = { -1, -1, -1 }
	};
	return call;
}

static void dlprof_derive_add_work(struct deriving *deriving, uint32_t activity)
{
	static const enum dlprof_call_kind kinds[] = { DLPROF_CALL_ROWS };
	const struct profile *profile = deriving->profile;
	uint32_t launch = profile->activity_launch[activity];
	if (launch == NO_ROW || !profile_is_work(profile, activity))
		return;
	struct dlprof_call *call =
		dlprof_derive_add_call(deriving, launch, kinds[profile->activity_kind[activity]]);
	if (!call)
		return;
	call->device = profile_activity_device(profile, activity);
	call->gpu_start = deriving->clock + profile->activity_start[activity];
	call->gpu_stop = call->gpu_start + profile->activity_dur[activity];
	call->bytes = profile->activity_bytes[activity];
	if (call->kind != DLPROF_KERNEL)
		return;
	uint32_t name = profile->activity_name[activity];
	const struct launch_config *config = profile_config(profile, activity);
	call->name = dlprof_derive_short_name(deriving, string(deriving, name));
	call->long_name = dlprof_derive_keep(deriving, string(deriving, name));
	call->uses_tc = deriving->derived->kernel_tensor[name] == TENSOR_YES;
	if (config) {
		memcpy(call->grid, config->grid, sizeof call->grid);
		memcpy(call->block, config->block, sizeof call->block);
	}
}

static bool dlprof_derive_add_calls(struct deriving *deriving)
{
	const struct profile *profile = deriving->profile;
	bool ok = true;
	for_heavy_rows (ok, i, profile->activities, deriving->progress, stage, ROW_WEIGHT)
		dlprof_derive_add_work(deriving, i);
	for_heavy_rows (ok, i, profile->spans, deriving->progress, stage, ROW_WEIGHT)
		if (profile->span_kind[i] == SPAN_RUNTIME)
			dlprof_derive_add_call(deriving, i, DLPROF_OTHER_CALL);
	return ok;
}

/* ---- machine and steps ---- */

static void add_gpu(struct dlprof *dlprof, int32_t device, uint32_t name)
{
	*mem_push(dlprof->gpus, dlprof->gpu_count) =
		(struct dlprof_gpu){ .device = device, .name = name };
}

/* Devices described by the profile, otherwise those with activities. */
static void add_gpus(struct deriving *deriving)
{
	struct dlprof *dlprof = deriving->dlprof;
	const struct profile *profile = deriving->profile;
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t i = 0; i < profile->device_count; i++) {
		const char *name = string(deriving, profile->devices[i].name);
		add_gpu(dlprof, profile->devices[i].work_id, dlprof_derive_keep(deriving, name));
		buffer_printf(&text, "%s%s", text.length ? ", " : "", name);
	}
	for (size_t i = 0; !profile->device_count && i < profile->track_count; i++) {
		int32_t device = profile->tracks[i].device;
		if (device >= 0 && !any_of(g, dlprof->gpu_count, dlprof->gpus[g].device == device))
			add_gpu(dlprof, device, dlprof_derive_keep(deriving, ""));
	}
	dlprof->fact[DLPROF_GPU_NAMES] = dlprof_derive_keep(deriving, buffer_text(&text));
	if (dlprof->gpu_count || profile_recording(profile)->machine)
		dlprof->fact[DLPROF_GPU_COUNT] = DLPROF_KEPT(
			deriving, buffer_printf(&deriving->text, "%zu", dlprof->gpu_count));
}

static void add_machine(struct deriving *deriving)
{
	struct dlprof *dlprof = deriving->dlprof;
	for (int i = 0; i < DLPROF_FACTS; i++) {
		const char *value = dlprof_fact_keys[i] ? profile_metadata(deriving->profile,
									   dlprof_fact_keys[i])
							: NULL;
		dlprof->fact[i] = value ? dlprof_derive_keep(deriving, value) : 0;
	}
	/* PyTorch's traces have CUDA's number */
	const char *cuda = profile_metadata(deriving->profile, "cuda_runtime_version");
	if (cuda && !dlprof->fact[DLPROF_CUDA])
		dlprof->fact[DLPROF_CUDA] =
			DLPROF_KEPT(deriving, cuda_version(&deriving->text, cuda, strlen(cuda)));
	add_gpus(deriving);
}

static void add_iterations(struct deriving *deriving)
{
	const struct derived *derived = deriving->derived;
	struct dlprof *dlprof = deriving->dlprof;
	if (!derived->steps_from_profile)
		return;
	struct dlprof_aggregation *only = mem_push(dlprof->aggregations, dlprof->aggregation_count);
	*only = (struct dlprof_aggregation){ .id = -1 };
	for (uint32_t i = 0; i < derived->step_count; i++)
		*mem_push(only->iteration, only->iteration_count) =
			(struct dlprof_iteration){ derived->steps[i].number,
						   deriving->clock + derived->steps[i].start,
						   deriving->clock + derived->steps[i].end };
}

/* ---- iterations of a key node ---- */

/* Ends of all executions of ops with the key's name, if there is such an op; false when cancelled.
 */
static bool find_ends(struct deriving *deriving, const char **key)
{
	const struct dlprof *dlprof = deriving->dlprof;
	uint32_t at = dlprof_op_named(dlprof, deriving->strings, *key);
	bool ok = true;
	if (at == NO_ROW)
		return true;
	const struct dlprof_op *op = &dlprof->ops[at];
	*key = intern_text(deriving->strings, op->name);
	deriving->ends = mem_alloc((dlprof->instance_count + 1) * sizeof *deriving->ends);
	for_heavy_rows (ok, i, dlprof->instance_count, deriving->progress, stage, ROW_WEIGHT) {
		const struct dlprof_op *other = &dlprof->ops[dlprof->instances[i].op];
		if (other->name == op->name && other->direction == op->direction)
			deriving->ends[deriving->end_count++] = dlprof->instances[i].stop;
	}
	return ok && sort_runs(deriving->ends, deriving->end_count, sizeof *deriving->ends,
			       compare_int64, deriving->progress);
}

static void dlprof_derive_begin(struct deriving *deriving)
{
	size_t spans = deriving->profile->spans;
	deriving->dlprof = mem_zalloc(1, sizeof *deriving->dlprof);
	deriving->dlprof->pytorch = true;
	deriving->moved_count = 0;
	for (size_t i = 0; i < spans; i++)
		deriving->instance[i] = NO_ROW;
}

STATIC_FREE_MEMBERS(end, struct deriving,
		    OWN_IN(free_counters, occurrences) OWN_IN(free_counters, types)
			    OWN_IN(keyed_clear, ops))

/* Calls that read and write files, and whether the operating system's calls were recorded. */
static bool add_file_calls(struct deriving *deriving)
{
	const struct profile *profile = deriving->profile;
	struct dlprof *dlprof = deriving->dlprof;
	uint32_t system = profile_find(profile, CATEGORY_SYSTEM);
	for (uint32_t i = 0; system != NO_ROW && i < profile->spans; i++) {
		if (!progress_heavy_row(deriving->progress, stage, i, profile->spans, ROW_WEIGHT))
			return false;
		const char *name = string(deriving, profile->span_name[i]);
		if (profile->span_kind[i] != SPAN_OTHER || profile->span_info[i] != system)
			continue;
		dlprof->knows_files = true;
		if (strcmp(name, "fread") != 0 && strcmp(name, "fwrite") != 0)
			continue;
		int64_t start = deriving->clock + profile->span_start[i];
		*mem_push(dlprof->file_calls, dlprof->file_call_count) =
			(struct dlprof_file_call){ start, start + profile->span_dur[i] };
	}
	return true;
}

int64_t dlprof_clock(const struct profile *profile)
{
	return tools[profile->tool]->clock_from_start ? profile->base_ns : 0;
}

struct dlprof *dlprof_derive(const struct derived *derived, struct intern *strings,
			     const char **key, const struct progress *progress)
{
	struct deriving deriving = {
		.derived = derived,
		.profile = derived->profile,
		.strings = strings,
		.progress = progress,
		.clock = dlprof_clock(derived->profile),
		.by_name = !any_of(i, derived->profile->spans,
				   derived->span_flags[i] & SPAN_IS_OPERATOR),
		.instance = mem_alloc(((size_t)derived->profile->spans + 1) *
				      sizeof *deriving.instance),
	};
	dlprof_derive_begin(&deriving);
	bool done = add_ops(&deriving);
	if (done && key && *key && !derived->steps_from_profile)
		done = find_ends(&deriving, key);
	if (done && deriving.ends) {
		end(&deriving);
		dlprof_free(deriving.dlprof);
		dlprof_derive_begin(&deriving);
		done = add_ops(&deriving);
	}
	done = done && dlprof_derive_add_calls(&deriving) && add_file_calls(&deriving);
	if (done) {
		add_machine(&deriving);
		add_iterations(&deriving);
	} else {
		dlprof_free(deriving.dlprof);
		deriving.dlprof = NULL;
	}
	end(&deriving);
	mem_free_all(deriving.instance, deriving.ends, deriving.moved);
	buffer_free(&deriving.text);
	return deriving.dlprof;
}
