/*
 * Lookup tables shared by detectors: marks of names, rows that count, source locations.
 */
#include "analysis/advice/detect.h"
#include "analysis/advice/own_code.h"
#include "analysis/work/work.h"
#include "base/parallel.h"
#include "model/python_stats.h"

#include <math.h>

enum { NAMES_A_LOOK = 1 << 10 }; /* names between checks for cancellation; names can be long */

static const char stage[] = "running checks";

/* ---- names ---- */

/* "read", "pread64", "fwrite_unlocked" and so on. */
static bool is_io(const char *name)
{
	size_t length = strlen(name);
	return text_choice(name, length - text_end(name, length, "64|_unlocked"),
			   "read|pread|readv|preadv|fread|fgets|fgetc|getline|getdelim|write|fputs|"
			   "pwrite|writev|pwritev|fwrite|open|openat|fopen|fdopen|fclose|fsync|"
			   "fflush|fdatasync|sendfile|syncfs") >= 0;
}

/* Calls of a library for GPUs, and what is about a stream or memory that only GPUs have. */
static bool is_of_gpu(const char *name)
{
	return text_begins_one(name,
			       "aten::cudnn_conv|aten::cudnn_batch|aten::_cudnn_|aten::miopen_|"
			       "aten::nccl_|nccl:|aten::record_stream|aten::_pin_memory");
}

static uint32_t marks_of(const char *name)
{
	uint32_t marks = MARK_IN_USE;
	if (is_own_code(name))
		marks |= MARK_OWN_CODE;
	if (strcmp(name, "aten::_scaled_dot_product_attention_math") == 0)
		marks |= MARK_PLAIN_ATTENTION;
	if (strcmp(name, "aten::_to_copy") == 0 || strcmp(name, "aten::to") == 0)
		marks |= MARK_CONVERSION;
	if (strstr(name, "Launch") || strstr(name, "InvokeKernel"))
		marks |= MARK_LAUNCH;
	if (strstr(name, "GraphLaunch"))
		marks |= MARK_REPLAY;
	if (strstr(name, "_foreach_") || strstr(name, "_fused_") || strstr(name, "multi_tensor"))
		marks |= MARK_MANY_AT_ONCE;
	if (strncmp(name, "Torch-Compiled Region: ", 23) == 0)
		marks |= MARK_COMPILED;
	if (strncmp(name, "TorchDynamo Cache Lookup", 24) == 0)
		marks |= MARK_GUARDS;
	if (strstr(name, "bench") || strstr(name, "autotuning"))
		marks |= MARK_TRIALS;
	if (strstr(name, "take_gil") || (strstr(name, "GIL") && strcasestr(name, "wait")))
		marks |= MARK_GIL;
	/* of PyTorch's tracer and ranges, of Python's gc and of CPython's own functions */
	if (text_holds_one(name, "Python GC|gc.collect|gc callback|gc_collect") ||
	    strcmp(name, "<built-in function collect>") == 0)
		marks |= MARK_GC;
	if (text_holds_one(name, ": _preempt_request|: _preempt_by_|: retract_decode"))
		marks |= MARK_PREEMPTION;
	if (strstr(name, "FSDP::") || strcasestr(name, "offload"))
		marks |= MARK_OFFLOAD;
	if (slow_code_of(name))
		marks |= MARK_SLOW_CODE;
	if (is_io(name))
		marks |= MARK_IO;
	if (is_of_gpu(name))
		marks |= MARK_GPU_ONLY;
	if (is_debug_call(name))
		marks |= MARK_DEBUG_MODE;
	if (strstr(name, "HtoD") || strstr(name, "DtoH"))
		marks |= MARK_HOST_COPY;
	if (strstr(name, "Pageable"))
		marks |= MARK_PAGEABLE;
	if (strstr(name, "Pinned"))
		marks |= MARK_PINNED;
	return marks;
}

/* Names are few, rows are many. */
static bool mark_names(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t count = diagnosis->derived->names;
	uint32_t *marks = diagnosis->name_marks = mem_zalloc((size_t)count + 1, sizeof *marks);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		marks[profile->span_name[i]] = MARK_IN_USE;
	for_rows (ok, i, profile->activities, progress, stage)
		marks[profile->activity_name[i]] = MARK_IN_USE;
	for (uint32_t i = 0; ok && i < count; i++) {
		if (i % NAMES_A_LOOK == 0 && !progress_update(progress, stage, i, count, 0))
			return false;
		if (!marks[i])
			continue;
		marks[i] = marks_of(profile_string(profile, i));
		diagnosis->any_marks |= marks[i];
		diagnosis->any_roles |= diagnosis->derived->role[i];
	}
	return ok;
}

/* ---- rows that count ---- */

/* Is TIME in the set? *AT caches the last position, as rows of a track are sorted by time. */
static bool is_in(const struct intervals *set, size_t *at, int64_t time)
{
	if (*at && time < set->item[*at - 1].end)
		*at = 0;
	while (*at < set->count && set->item[*at].end <= time)
		++*at;
	return *at < set->count && set->item[*at].start <= time;
}

static bool count_spans(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	size_t at = 0;
	diagnosis->span_counts = mem_alloc((size_t)profile->spans + 1);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		diagnosis->span_counts[i] = selection_has_span(diagnosis->selection, i) &&
					    is_in(&diagnosis->window, &at, profile->span_start[i]);
	return ok;
}

static uint8_t marks_of_counted(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	if (profile_activity_device(profile, activity) != diagnosis->device->device)
		return ACTIVITY_COUNTS;
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL ||
	    derived_is_communication(diagnosis->derived, activity))
		return ACTIVITY_COUNTS | ACTIVITY_CRITICAL;
	return ACTIVITY_COUNTS | ACTIVITY_CRITICAL | ACTIVITY_JUDGED;
}

/*
 * "elementwise_kernel<128, 4, …": PyTorch's kernel for operands that are not contiguous has as many
 * threads in a block, and as many elements each. It reads one to three operands.
 */
static void find_block_bytes(struct kernel_sum *sum, const char *name)
{
	const char *at = strstr(name, "::elementwise_kernel<");
	unsigned threads, each;
	if (!at || sscanf(at, "::elementwise_kernel<%4u, %4u,", &threads, &each) != 2)
		return;
	bool narrow = text_holds_one(name, "bool|char"), wide = text_holds_one(name, "double|long");
	unsigned elements = threads * each;
	sum->least = (float)elements * 2 *
		     (narrow                                  ? 1
		      : text_holds_one(name, "Half|BFloat16") ? 2
							      : 4);
	sum->most = (float)elements * 4 * (wide ? 8 : 4);
}

static void add_kernel(struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	struct kernel_sum *sum = &diagnosis->kernel_sums[profile->activity_name[activity]];
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return;
	if (!is_critical(diagnosis, activity)) {
		diagnosis->whole_kernels &= !selection_has_activity(diagnosis->selection, activity);
		return;
	}
	sum->ns += profile->activity_dur[activity];
	if (!sum->kernels++)
		find_block_bytes(sum, profile_string(profile, profile->activity_name[activity]));
	diagnosis->kernel_ns += profile->activity_dur[activity];
}

/* Of a table that a profiler printed; calls that it lacks count as one. */
static void add_printed_kernels(struct diagnosis *diagnosis)
{
	const double ns_max = 1e18;
	const struct python_stats *printed = diagnosis->profile->python;
	int64_t listed = 0;
	for (size_t i = 0; printed && i < printed->operator_count; i++) {
		const struct python_operator *row = &printed->operators[i];
		if (row->kind != ROW_KERNEL || !(row->gpu_self_s > 0))
			continue;
		struct kernel_sum *sum = &diagnosis->kernel_sums[row->name];
		int64_t ns = llround(fmin(row->gpu_self_s * 1e9, ns_max));
		if (listed > (int64_t)ns_max)
			break;
		sum->ns += ns;
		sum->kernels += row->calls > 0 && row->calls < INT32_MAX ? (uint32_t)row->calls : 1;
		listed += ns;
	}
	diagnosis->kernel_ns = printed ? llround(fmin(python_kernel_ns(printed), 2 * ns_max)) : 0;
}

static bool mark_activities(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	size_t at = 0;
	diagnosis->activity_marks = mem_alloc((size_t)profile->activities + 1);
	diagnosis->kernel_sums =
		mem_zalloc((size_t)diagnosis->derived->names + 1, sizeof *diagnosis->kernel_sums);
	diagnosis->launching = mem_zalloc((size_t)profile->track_count + 1, 1);
	diagnosis->whole_kernels = true;
	if (!profile->activities)
		add_printed_kernels(diagnosis);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		bool counts = selection_has_activity(diagnosis->selection, i) &&
			      is_in(&diagnosis->window, &at, profile->activity_start[i]);
		uint8_t marks = counts ? marks_of_counted(diagnosis, i) : 0;
		diagnosis->activity_marks[i] = marks;
		add_kernel(diagnosis, i);
		diagnosis->any_kernel |= counts && profile->activity_kind[i] == ACTIVITY_KERNEL;
		uint32_t launch = profile->activity_launch[i];
		if (counts && launch != NO_ROW)
			diagnosis->launching[profile->span_track[launch]] = 1;
	}
	return ok;
}

/* ---- where in the code ---- */

static bool has_code(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	bool has = diagnosis->any_marks & MARK_OWN_CODE;
	for (size_t i = 0; i < profile->op_info_count && !has; i++)
		has = profile->op_infos[i].stack;
	return has;
}

/* By span, of marked names: the innermost user function around it or else its stack. */
static bool find_codes(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	if (!has_code(diagnosis))
		return true;
	uint32_t *codes = diagnosis->codes =
		mem_alloc(((size_t)profile->spans + 1) * sizeof *codes);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t parent = profile->span_parent[i];
		const struct op_info *info = profile_op_info(profile, i);
		codes[i] = parent == NO_ROW ? 0 : codes[parent];
		if (profile->span_kind[i] == SPAN_PYTHON &&
		    name_has(diagnosis, profile->span_name[i], MARK_OWN_CODE))
			codes[i] = profile->span_name[i];
		else if (info && info->stack)
			codes[i] = info->stack;
	}
	return ok;
}

static bool find_layers(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct derived *derived = diagnosis->derived;
	diagnosis->layer_of =
		mem_alloc(((size_t)derived->layers.count + 1) * sizeof *diagnosis->layer_of);
	bool ok = true;
	for_rows (ok, i, derived->layers.count, progress, stage) {
		uint32_t layer = layer_enclosing(derived, i);
		bool process = derived->layers.nodes[layer].kind == LAYER_PROCESS;
		diagnosis->layer_of[i] = process ? 0 : layer;
	}
	return ok;
}

/* ---- types of calls ---- */

/* The type of the first tensor in ["float","",…]; "" when not recorded. */
static void first_type(const char *types, char *type, size_t size)
{
	*type = '\0';
	while ((types = strchr(types, '"'))) {
		const char *end = strchr(++types, '"');
		if (!end)
			return;
		size_t length = (size_t)(end - types);
		if (length && length < size && strncmp(types, "Scalar", 6) != 0 &&
		    strncmp(types, "TensorList", 10) != 0) {
			snprintf(type, size, "%.*s", (int)length, types);
			return;
		}
		types = end + 1;
	}
}

static struct call_type call_type_of(const struct diagnosis *diagnosis, const char *types)
{
	bool half = strcasestr(types, "half") || strcasestr(types, "bfloat16");
	struct call_type type = { "", NAN, NAN, half };
	first_type(types, type.name, sizeof type.name);
	if (*type.name) {
		type.plain_flops = device_rates_flops(&diagnosis->rates, type.name, false);
		type.tensor_flops = device_rates_flops(&diagnosis->rates, type.name, true);
	}
	return type;
}

/* Types are few, calls are many. */
static bool find_call_types(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	size_t count = 1;
	struct call_type **types = &diagnosis->call_types;
	*types = mem_alloc(sizeof **types);
	(*types)[0] = call_type_of(diagnosis, "");
	diagnosis->call_type_of = mem_zalloc((size_t)intern_count(profile->strings) + 1,
					     sizeof *diagnosis->call_type_of);
	bool ok = true;
	for_rows (ok, i, profile->op_info_count, progress, stage) {
		uint32_t id = profile->op_infos[i].types;
		if (!id || diagnosis->call_type_of[id])
			continue;
		diagnosis->call_type_of[id] = (uint32_t)count;
		*mem_push(*types, count) = call_type_of(diagnosis, profile_string(profile, id));
	}
	return ok;
}

/* ---- all tables ---- */

static bool look_up(void *context, size_t i, const struct progress *progress)
{
	struct diagnosis *diagnosis = context;
	switch (i) {
	case 0: return mark_names(diagnosis, progress) && find_codes(diagnosis, progress);
	case 1: return count_spans(diagnosis, progress);
	case 2: return find_layers(diagnosis, progress);
	case 3:
		diagnosis->kernel_names = derived_kernel_names(diagnosis->derived, progress);
		return diagnosis->kernel_names != NULL;
	case 4: return find_call_types(diagnosis, progress);
	case 5: /* that detectors need at the same time */
		if (diagnosis->profile->activities)
			diagnosis->work = derived_work(diagnosis->derived, progress);
		return diagnosis->work || !diagnosis->profile->activities;
	default: return mark_activities(diagnosis, progress);
	}
}

bool diagnosis_prepare(struct diagnosis *diagnosis, const struct progress *progress)
{
	bool done = parallel_try_rows(profile_rows(diagnosis->profile), 7, look_up, diagnosis,
				      stage, progress, NULL);
	if (done)
		drift_find(diagnosis, progress);
	return done && progress_update(progress, stage, 0, 0, 0);
}

void diagnosis_release(struct diagnosis *diagnosis)
{
	mem_free_all(diagnosis->name_marks, diagnosis->kernel_sums, diagnosis->call_type_of,
		     diagnosis->call_types, diagnosis->span_counts, diagnosis->activity_marks,
		     diagnosis->codes, diagnosis->layer_of, diagnosis->launching);
}
