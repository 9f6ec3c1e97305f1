#include "table/remap_rows.h"

#include "model/compile_log.h"
#include "model/python_stats.h"
#include "base/any_of.h"
#include "base/check.h"

#include "session/load.h"

struct carry {
	const struct rank *from, *to;
};

static bool carry_begin(struct carry *carry, const struct run *from, const struct run *to, int rank)
{
	carry->from = run_peek(from, rank);
	carry->to = run_peek(to, rank);
	return carry->from && carry->to;
}

static void carry_end(struct carry *carry, const struct run *from, const struct run *to)
{
	run_release(from, carry->from);
	run_release(to, carry->to);
}

/* ---- by name ---- */

static bool same_name(const struct carry *carry, uint32_t from, uint32_t to)
{
	return !strcmp(profile_string(carry->from->profile, from),
		       profile_string(carry->to->profile, to));
}

/* Maps an interned id; NO_ROW stays. */
static bool carry_name(const struct carry *carry, uint32_t *id)
{
	const struct intern *strings = carry->from->profile->strings;

	if (*id == NO_ROW)
		return true;
	*id = intern_find(carry->to->profile->strings, INTERNED(strings, *id));
	return *id != NO_ROW;
}

/* ---- lanes and their events ---- */

static bool same_process(const struct carry *carry, uint32_t from, uint32_t to)
{
	const struct process *a = &carry->from->profile->processes[from];
	const struct process *b = &carry->to->profile->processes[to];

	return a->pid == b->pid && same_name(carry, a->label, b->label);
}

static bool carry_track(const struct carry *carry, uint32_t *track)
{
	const struct profile *to = carry->to->profile;

	if (*track == NO_ROW)
		return true;
	const struct track *a = &carry->from->profile->tracks[*track], *b = to->tracks;
	*track = row_where(i, 0, to->track_count,
			   a->tid == b[i].tid && a->device == b[i].device &&
				   same_name(carry, a->label, b[i].label) &&
				   same_process(carry, a->process, b[i].process));
	return *track != NO_ROW;
}

/* Translates a time between the profiles' zeros. */
static int64_t carry_time(const struct carry *carry, int64_t time)
{
	int64_t out;

	return __builtin_add_overflow(time, carry->from->profile->base_ns, &out) ||
			       __builtin_sub_overflow(out, carry->to->profile->base_ns, &out)
		       ? INT64_MIN
		       : out;
}

static bool carry_span(const struct carry *carry, uint32_t *span)
{
	const struct profile *from = carry->from->profile, *to = carry->to->profile;

	if (*span == NO_ROW)
		return true;
	uint32_t track = from->span_track[*span];
	if (!carry_track(carry, &track))
		return false;
	const struct track *lane = &to->tracks[track];
	int64_t time = carry_time(carry, from->span_start[*span]);
	uint32_t end = lane->first_span + lane->spans;
	uint32_t first = search_first(i, lane->first_span, end, to->span_start[i] >= time);
	end = search_first(i, first, end, to->span_start[i] > time);
	*span = row_where(i, first, end,
			  to->span_kind[i] == from->span_kind[*span] &&
				  same_name(carry, from->span_name[*span], to->span_name[i]));
	return *span != NO_ROW;
}

static bool carry_activity(const struct carry *carry, uint32_t *activity)
{
	const struct profile *from = carry->from->profile, *to = carry->to->profile;
	uint32_t track = from->activity_track[*activity];

	if (!carry_track(carry, &track))
		return false;
	const struct track *lane = &to->tracks[track];
	int64_t time = carry_time(carry, from->activity_start[*activity]);
	uint32_t end = lane->first_activity + lane->activities;
	uint32_t first = search_first(i, lane->first_activity, end, to->activity_start[i] >= time);
	int64_t correlation = from->activity_correlation[*activity];
	uint32_t name = from->activity_name[*activity];
	end = search_first(i, first, end, to->activity_start[i] > time);
	*activity = row_where(i, first, end,
			      to->activity_correlation[i] == correlation &&
				      same_name(carry, name, to->activity_name[i]));
	return *activity != NO_ROW;
}

static bool carry_config(const struct carry *carry, uint32_t *config)
{
	const struct profile *to = carry->to->profile;

	if (*config == NO_ROW)
		return true;
	const struct launch_config *a = &carry->from->profile->configs[*config], *b = to->configs;
	*config = row_where(i, 0, to->config_count,
			    !memcmp(a->grid, b[i].grid, sizeof a->grid) &&
				    !memcmp(a->block, b[i].block, sizeof a->block) &&
				    a->regs_per_thread == b[i].regs_per_thread &&
				    a->shared_mem_bytes == b[i].shared_mem_bytes);
	return *config != NO_ROW;
}

/* ---- layers and steps ---- */

/* Child of PARENT in the other tree that corresponds to NODE, or NO_ROW. */
static uint32_t same_child(const struct carry *carry, uint32_t parent, uint32_t node)
{
	const struct layer_node *wanted = &carry->from->derived->layers.nodes[node];
	const struct layer_node *nodes = carry->to->derived->layers.nodes;
	uint32_t end = parent + nodes[parent].size;

	for (uint32_t i = parent + 1; i < end; i += nodes[i].size) {
		if (nodes[i].kind == wanted->kind && same_name(carry, wanted->name, nodes[i].name))
			return i;
	}
	return NO_ROW;
}

static bool carry_layer(const struct carry *carry, uint32_t *node)
{
	enum { DEEPEST = 4096 };
	const struct layer_tree *from = &carry->from->derived->layers;
	uint32_t path[DEEPEST], depth = 0, at = 0;

	if (*node == NO_ROW)
		return true;
	for (uint32_t up = *node; from->nodes[up].parent != NO_ROW; up = from->nodes[up].parent) {
		if (depth == DEEPEST)
			return false;
		path[depth++] = up;
	}
	if (carry->to->derived->layers.count == 0)
		return false;
	while (depth > 0 && at != NO_ROW)
		at = same_child(carry, at, path[--depth]);
	*node = at;
	return at != NO_ROW;
}

static bool carry_step(const struct carry *carry, uint32_t *step)
{
	const struct derived *from = carry->from->derived, *to = carry->to->derived;

	*step = row_where(i, 0, to->step_count, to->steps[i].number == from->steps[*step].number);
	return *step != NO_ROW;
}

/* ---- functions and code ---- */

static bool same_function(const struct carry *carry, uint32_t from, uint32_t to)
{
	const struct python_function *a = &carry->from->profile->python->functions[from];
	const struct python_function *b = &carry->to->profile->python->functions[to];
	return a->line == b->line && same_name(carry, a->name, b->name) &&
	       same_name(carry, a->file, b->file) && same_name(carry, a->section, b->section);
}

/*
 * The function with the same name, file and line: at the same place, where it is in what grew at
 * its end, or elsewhere.
 */
static bool carry_function(const struct carry *carry, uint32_t *function)
{
	const struct python_stats *to = carry->to->profile->python;
	if (*function == NO_ROW ||
	    (python_function_exists(to, *function) && same_function(carry, *function, *function)))
		return true;
	for (uint32_t i = 0; to && i < to->function_count; i++)
		if (same_function(carry, *function, i)) {
			*function = i;
			return true;
		}
	return false;
}

/* Logs grow at their end. */
static bool carry_code(const struct carry *carry, uint32_t kernel)
{
	const struct compile_log *from = carry->from->profile->compile;
	const struct compile_log *to = carry->to->profile->compile;
	return to && kernel < to->items[OF_KERNEL].count &&
	       same_name(carry, from->items[OF_KERNEL].at[kernel].text[KERNEL_NAME],
			 to->items[OF_KERNEL].at[kernel].text[KERNEL_NAME]);
}

/* ---- interface ---- */

static bool carry_parts(const struct carry *carry, struct ref *ref)
{
	switch (ref->kind) {
	case REF_STEP: return carry_step(carry, &ref->a);
	case REF_LAYER:
	case REF_REPEAT: return carry_layer(carry, &ref->a);
	case REF_OPERATOR:
		return carry_name(carry, &ref->a) && carry_name(carry, &ref->b) &&
		       carry_name(carry, &ref->c);
	case REF_CALL: return carry_span(carry, &ref->a);
	case REF_KERNEL:
		return carry_name(carry, &ref->a) && carry_name(carry, &ref->b) &&
		       carry_config(carry, &ref->c);
	case REF_LAUNCH: return carry_activity(carry, &ref->a);
	case REF_LINK: return carry_span(carry, &ref->a) && carry_span(carry, &ref->b);
	case REF_TIME:
		*ref = ref_of_time(ref_device(*ref), carry_time(carry, ref_start(*ref)),
				   ref_end(*ref) - ref_start(*ref));
		return ref->kind != REF_NONE;
	case REF_TRACK: return carry_track(carry, &ref->a);
	case REF_FUNCTION: return carry_function(carry, &ref->a);
	case REF_CODE: return carry_code(carry, ref->a);
	case REF_EVENTS: return carry_name(carry, &ref->a);
	case REF_MODULE: return carry_name(carry, &ref->b) && carry_layer(carry, &ref->c);
	default: return false;
	}
}

struct ref carry_ref(const struct run *from, const struct run *to, int rank, struct ref ref)
{
	require(from && to, "no run");
	struct carry carry;

	if (ref.kind == REF_NONE || ref.kind == REF_FACT || ref.kind == REF_RANK ||
	    ref.kind == REF_RUN || from == to)
		return ref;
	bool good = carry_begin(&carry, from, to, rank) && carry_parts(&carry, &ref);
	carry_end(&carry, from, to);
	return good ? ref : NO_REF;
}

/* True if the scope has no constraint specific to one profile. */
static bool is_free(const struct scope *scope)
{
	return scope->layer == NO_ROW && scope->operator_name == NO_ROW &&
	       scope->kernel_name == NO_ROW && scope->call == NO_ROW && scope->track == NO_ROW &&
	       scope->function == NO_ROW && !scope->has_time;
}

static bool carry_names(const struct run *from, const struct run *to, struct scope *out)
{
	struct carry carry;
	bool good = carry_begin(&carry, from, to, out->rank) && carry_layer(&carry, &out->layer) &&
		    carry_name(&carry, &out->operator_name) &&
		    carry_name(&carry, &out->operator_shapes) &&
		    carry_name(&carry, &out->operator_stack) &&
		    carry_name(&carry, &out->kernel_name) && carry_span(&carry, &out->call) &&
		    carry_track(&carry, &out->track) && carry_function(&carry, &out->function);
	if (good && out->has_time && out->time_first != INT64_MIN)
		out->time_first = carry_time(&carry, out->time_first);
	if (good && out->has_time && out->time_last != INT64_MAX)
		out->time_last = carry_time(&carry, out->time_last);
	carry_end(&carry, from, to);
	return good;
}

bool carry_scope(const struct run *from, const struct run *to, const struct scope *scope,
		 struct scope *out)
{
	require(from && to, "no run");
	scope_copy(out, scope);
	bool good = is_free(scope) ? run_rank(to, scope->rank) != NULL : carry_names(from, to, out);
	if (!good)
		scope_clear(out);
	return good;
}

bool carry_times(const struct run *from, const struct run *to, int rank, int64_t *times,
		 size_t count)
{
	require(from && to, "no run");
	struct carry carry;

	bool good = carry_begin(&carry, from, to, rank);
	for (size_t i = 0; good && i < count; i++)
		times[i] = carry_time(&carry, times[i]);
	carry_end(&carry, from, to);
	return good;
}
