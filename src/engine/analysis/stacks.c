#include "analysis/stacks.h"

#include "analysis/samples.h"
#include "base/buffer.h"
#include "model/python_stats.h"
#include "model/snapshot.h"

#include <inttypes.h>

struct stacks_build {
	struct stacks *stacks;
	const struct selection *selection;
	const struct profile *profile;
	enum stacks_of of;
	uint32_t *name_of;    /* by string id: name of the frame, NO_ROW: not yet */
	uint32_t *stack_of;   /* by string id: last frame of a recorded stack, likewise */
	uint32_t *base;       /* by span: the enclosing Python frames */
	uint32_t *chain;      /* by span: its whole stack */
	uint8_t *in_python;   /* by span: a Python call, or inside one */
	uint32_t *call_stack; /* by span: recorded call stack; NULL: none */
	const struct progress *progress;
};

static const char stage[] = "finding stacks";

static bool is_frame(const struct stacks_build *build, uint32_t span)
{
	switch (build->profile->span_kind[span]) {
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
	case SPAN_PYTHON:
	case SPAN_MODULE: return true;
	case SPAN_RUNTIME: return build->of != STACKS_GPU;
	default: return false;
	}
}

/* ---- frames ---- */

static uint32_t stacks_add_frame(struct stacks_build *build, uint32_t name, uint32_t caller)
{
	const struct frames *frames = &build->stacks->frames;
	if (caller != NO_ROW && frames->frames[caller].depth + 1 >= STACK_FRAMES_MAX) {
		build->stacks->cut = true;
		return caller;
	}
	return frames_add(&build->stacks->frames, name, caller);
}

/* Merge all steps into one frame. */
static uint32_t stacks_name_of(struct stacks_build *build, uint32_t string)
{
	static const char step[] = "ProfilerStep#";
	if (build->name_of[string] == NO_ROW) {
		const char *text = profile_string(build->profile, string);
		bool is_step = strncmp(text, step, sizeof step - 1) == 0;
		build->name_of[string] =
			is_step ? intern_add(build->stacks->names, "ProfilerStep*", 13)
				: intern_add(build->stacks->names, text, strlen(text));
	}
	return build->name_of[string];
}

/* Add a recorded call stack (innermost first) below AT. */
static uint32_t add_recorded(struct stacks_build *build, uint32_t string, uint32_t at)
{
	const char *text = profile_string(build->profile, string);
	for (size_t end = strlen(text); end > 0;) {
		size_t start = end;
		while (start > 0 && text[start - 1] != ';')
			start--;
		if (end > start)
			at = stacks_add_frame(
				build, intern_add(build->stacks->names, text + start, end - start),
				at);
		end = start ? start - 1 : 0;
	}
	return at;
}

static uint32_t recorded_frames(struct stacks_build *build, uint32_t string)
{
	if (build->stack_of[string] == NO_ROW)
		build->stack_of[string] = add_recorded(build, string, NO_ROW);
	return build->stack_of[string];
}

/* Find call stacks recorded with calls. */
static bool find_call_stacks(struct stacks_build *build)
{
	const struct profile *profile = build->profile;
	uint32_t wanted = profile_find(profile, CALL_RECORDED_STACK);
	if (wanted == NO_ROW || !profile->span_attribute_count)
		return true;
	build->call_stack = mem_zalloc((size_t)profile->spans + 1, sizeof *build->call_stack);
	bool ok = true;
	for_rows (ok, i, profile->span_attribute_count, build->progress, stage)
		if (profile->span_attributes[i].key == wanted)
			build->call_stack[profile->span_attributes[i].row] =
				profile->span_attributes[i].text;
	return ok;
}

/* ---- stacks of spans, parents first ---- */

static bool find_bases(struct stacks_build *build)
{
	const struct profile *profile = build->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, build->progress, stage) {
		uint32_t parent = profile->span_parent[i];
		uint32_t above = parent == NO_ROW ? NO_ROW : build->base[parent];
		const struct op_info *info = profile_op_info(profile, i);
		build->in_python[i] = profile_is_python(profile, i) ||
				      (parent != NO_ROW && build->in_python[parent]);
		if (profile_is_python(profile, i))
			above = stacks_add_frame(
				build, stacks_name_of(build, profile->span_name[i]), above);
		else if (!build->in_python[i] && info && info->stack)
			above = recorded_frames(build, info->stack);
		build->base[i] = above;
	}
	return ok;
}

/*
 * The stack below which a span goes: the enclosing span's, its own call stack, or the forward
 * operator's.
 */
static uint32_t find_caller(const struct stacks_build *build, uint32_t span)
{
	uint32_t parent = build->profile->span_parent[span], count;
	uint32_t above = parent == NO_ROW ? NO_ROW : build->chain[parent];
	uint32_t base_above = parent == NO_ROW ? NO_ROW : build->base[parent];
	if (!build->in_python[span] && build->base[span] != base_above)
		return build->base[span];
	if (above != NO_ROW || build->in_python[span])
		return above;
	const struct link *link = links_of(build->selection->derived, span, false, &count);
	return count ? build->base[link->forward] : NO_ROW;
}

static bool find_chains(struct stacks_build *build)
{
	const struct profile *profile = build->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, build->progress, stage) {
		uint32_t caller = find_caller(build, i);
		if (build->call_stack && build->call_stack[i])
			caller = add_recorded(build, build->call_stack[i], caller);
		build->chain[i] =
			is_frame(build, i)
				? stacks_add_frame(build,
						   stacks_name_of(build, profile->span_name[i]),
						   caller)
				: caller;
	}
	return ok;
}

/* ---- time ---- */

/* So that there is a sum of each frame. */
static void grow_sums(struct stacks_build *build)
{
	struct stacks *stacks = build->stacks;
	mem_grow_filled(stacks->sums, stacks->frames.count, 0);
}

static void stacks_add_sum(struct stacks_build *build, uint32_t frame, int64_t value, int64_t calls)
{
	if (value <= 0 || frame == NO_ROW)
		return;
	grow_sums(build);
	build->stacks->sums[frame].value += value;
	build->stacks->sums[frame].calls += calls;
}

/* Attribute each host instant to the innermost frame. */
static bool add_host_times(struct stacks_build *build)
{
	const struct profile *profile = build->profile;
	size_t size = ((size_t)profile->spans + 1);
	AUTO_FREE int64_t *self = mem_zalloc(size, sizeof *self);
	AUTO_FREE uint32_t *owner = mem_alloc(size * sizeof *owner);
	bool ok = true;
	for_rows (ok, i, profile->spans, build->progress, stage) {
		uint32_t parent = profile->span_parent[i];
		owner[i] = parent == NO_ROW          ? NO_ROW
			   : is_frame(build, parent) ? parent
						     : owner[parent];
		self[i] += profile->span_dur[i];
		if (is_frame(build, i) && owner[i] != NO_ROW)
			self[owner[i]] -=
				derived_time_inside(build->selection->derived, i, owner[i]);
	}
	for_rows (ok, i, profile->spans, build->progress, stage)
		if (is_frame(build, i) && selection_has_span(build->selection, i))
			stacks_add_sum(build, build->chain[i], self[i], 1);
	return ok;
}

static bool add_device_times(struct stacks_build *build)
{
	const struct profile *profile = build->profile;
	static const char apart[] = "(not launched in this profile)";
	uint32_t unlaunched = intern_add(build->stacks->names, apart, sizeof apart - 1);
	bool ok = true;
	for_rows (ok, i, profile->activities, build->progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		if (!profile_is_work(profile, i) || !selection_has_activity(build->selection, i))
			continue;
		uint32_t caller = launch == NO_ROW ? stacks_add_frame(build, unlaunched, NO_ROW)
						   : build->chain[launch];
		uint32_t name = stacks_name_of(build, profile->activity_name[i]);
		stacks_add_sum(build, stacks_add_frame(build, name, caller),
			       profile->activity_dur[i], 1);
	}
	return ok;
}

/* Add the frame NAME (interned) called from the sampled frame CALLER, which precedes it. */
static uint32_t add_sampled_frame(struct stacks_build *build, const uint32_t *stack_of,
				  uint32_t name, uint32_t caller)
{
	return stacks_add_frame(build, stacks_name_of(build, name),
				caller == NO_ROW ? NO_ROW : stack_of[caller]);
}

static bool add_thread_samples(struct stacks_build *build)
{
	static const char unknown[] = "[unknown]";
	const struct profile *profile = build->profile;
	AUTO_FREE uint32_t *stack_of = mem_alloc((profile->frame_count + 1) * sizeof *stack_of);
	uint32_t name = intern_add(build->stacks->names, unknown, sizeof unknown - 1);
	bool ok = true;
	for_rows (ok, i, profile->frame_count, build->progress, stage)
		stack_of[i] = add_sampled_frame(build, stack_of, profile->frames[i].name,
						profile->frames[i].caller);
	for_rows (ok, i, profile->sample_count, build->progress, stage) {
		const struct stack_sample *sample = &profile->samples[i];
		if (sample_is_selected(build->selection, sample))
			stacks_add_sum(build,
				       sample->frame == NO_ROW
					       ? stacks_add_frame(build, name, NO_ROW)
					       : stack_of[sample->frame],
				       profile->sample_period > 0 ? profile->sample_period : 1, 1);
	}
	return ok;
}

/* Samples of a Python profiler, which have weights of their own. */
static bool add_samples(struct stacks_build *build)
{
	const struct python_stats *stats = build->profile->python;
	if (!stats || !stats->sample_count || build->of == STACKS_GPU)
		return true;
	AUTO_FREE uint32_t *stack_of = mem_alloc((stats->frames.count + 1) * sizeof *stack_of);
	bool ok = true;
	for_rows (ok, i, stats->frames.count, build->progress, stage) {
		const struct frame *frame = &stats->frames.frames[i];
		const struct python_function *function = &stats->functions[frame->name];
		stack_of[i] = add_sampled_frame(build, stack_of,
						function->label ? function->label : function->name,
						frame->caller);
	}
	for_rows (ok, i, stats->sample_count, build->progress, stage) {
		const struct python_sample *sample = &stats->samples[i];
		if (sample->track == NO_ROW ||
		    samples_lane_is_selected(build->selection, sample->track))
			stacks_add_sum(build, stack_of[sample->frame], sample->value,
				       sample->calls);
	}
	return ok;
}

/* The stacks of a snapshot: "train.py(12): step", or a native function. */
static bool add_snapshot_stacks(struct stacks_build *build)
{
	const struct snapshot *snapshot = build->profile->snapshot;
	uint32_t *places = mem_no_rows(snapshot->stack_count + 1);
	AUTO_FREE uint32_t *names = mem_no_rows(snapshot->frame_count + 1);
	AUTO_BUFFER struct buffer text = { 0 };
	build->stacks->places = places;
	bool ok = true;
	for_rows (ok, s, snapshot->stack_count, build->progress, stage)
		for (uint32_t i = snapshot->stacks[s].count; i-- > 0;) {
			uint32_t at = snapshot->calls[snapshot->stacks[s].first + i];
			const struct snapshot_frame *frame = &snapshot->frames[at];
			buffer_clear(&text);
			if (names[at] == NO_ROW && frame->line > 0)
				buffer_printf(&text, "%s(%" PRId64 "): ",
					      profile_string(build->profile, frame->file),
					      frame->line);
			buffer_puts(&text, profile_string(build->profile, frame->name));
			if (names[at] == NO_ROW)
				names[at] = intern_add(build->stacks->names, BUFFERED(&text));
			places[s] = stacks_add_frame(build, names[at], places[s]);
		}
	return ok;
}

bool stacks_make(struct stacks *stacks, const struct selection *selection, enum stacks_of of,
		 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	size_t spans = (size_t)profile->spans + 1, strings = intern_count(profile->strings);
	struct stacks_build build = {
		.stacks = stacks,
		.selection = selection,
		.profile = profile,
		.of = of,
		.progress = progress,
		.name_of = mem_no_rows(strings),
		.stack_of = mem_no_rows(strings),
		.base = mem_alloc(spans * sizeof *build.base),
		.chain = mem_alloc(spans * sizeof *build.chain),
		.in_python = mem_zalloc(spans, 1),
	};
	*stacks = (struct stacks){ .names = intern_new() };
	frames_init(&stacks->frames);
	bool done = find_call_stacks(&build) && find_bases(&build) && find_chains(&build);
	if (of == STACKS_PLACES && profile->snapshot)
		done = done && add_snapshot_stacks(&build);
	else if (of == STACKS_PLACES)
		stacks->places = build.chain;
	else
		done = done &&
		       (of == STACKS_GPU   ? add_device_times(&build)
			: of == STACKS_CPU ? add_host_times(&build)
					   : add_thread_samples(&build)) &&
		       add_samples(&build);
	grow_sums(&build); /* frames added since have no time */
	mem_free_all(build.name_of, build.stack_of, build.base, build.in_python, build.call_stack,
		     stacks->places == build.chain ? NULL : build.chain);
	return done;
}

FREE_MEMBERS(stacks_clear, struct stacks,
	     OWN_IN(frames_clear, frames) OWN_BY(intern_free, names) OWN(sums) OWN(places))

static void stacks_print_name(struct buffer *out, const char *text)
{
	for (; *text; text++)
		buffer_putc(out, *text == ';' ? ':' : *text);
}

void stacks_print(struct buffer *out, const struct stacks *stacks, uint32_t leaf)
{
	uint32_t path[STACK_FRAMES_MAX];
	size_t depth = 0;
	for (uint32_t at = leaf; at != NO_ROW; at = stacks->frames.frames[at].caller)
		path[depth++] = at;
	while (depth-- > 0) {
		stacks_print_name(
			out, intern_text(stacks->names, stacks->frames.frames[path[depth]].name));
		if (depth)
			buffer_putc(out, ';');
	}
}
