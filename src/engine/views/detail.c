/*
 * Full details of a row, one line each.
 */
#include "analysis/advice/own_code.h"
#include "derived/inferences.h"
#include "model/python_stats.h"
#include "model/snapshot.h"
#include "base/buffer.h"
#include "base/number.h"
#include "views/views.h"

#include "session/load.h"
#include <inttypes.h>
#include <math.h>

struct detail {
	const struct profile *profile;
	const struct derived *derived;
	struct buffer *out;
};

static void detail_add(const struct detail *detail, const char *label, const char *text)
{
	if (text && *text)
		buffer_printf(detail->out, "%s\t%s\n", label, text);
}

static void add_string(const struct detail *detail, const char *label, uint32_t id)
{
	if (id != NO_ROW)
		detail_add(detail, label, profile_string(detail->profile, id));
}

/* Frames from the innermost on, "b;a;", as "b < a". */
static void detail_add_stack(const struct detail *detail, uint32_t id)
{
	AUTO_BUFFER struct buffer text = { 0 };
	const char *at = id == NO_ROW ? "" : profile_string(detail->profile, id);
	while (*at) {
		size_t length = strcspn(at, ";");
		if (length)
			buffer_printf(&text, "%s%.*s", text.length ? " < " : "", (int)length, at);
		at += length + (at[length] == ';');
	}
	detail_add(detail, "Stack", buffer_text(&text));
}

static void detail_add_time(const struct detail *detail, const char *label, int64_t ns)
{
	char text[NUMBER_MAX];
	detail_add(detail, label, number_duration(text, ns));
}

static void add_start(const struct detail *detail, int64_t ns)
{
	char text[NUMBER_MAX];
	detail_add(detail, "Start", number_time(text, ns));
}

static void add_bytes(const struct detail *detail, const char *label, int64_t bytes)
{
	char text[NUMBER_MAX];
	if (bytes != NO_VALUE && bytes >= 0)
		detail_add(detail, label, number_bytes(text, (double)bytes));
}

static void add_int(const struct detail *detail, const char *label, int64_t value)
{
	char text[NUMBER_MAX];
	if (value != NO_VALUE)
		detail_add(detail, label, number_count(text, value));
}

static void add_real(const struct detail *detail, const char *label, double value, const char *unit)
{
	if (!isnan(value))
		buffer_printf(detail->out, "%s\t%.4g%s\n", label, value, unit);
}

static void detail_add_attributes(const struct detail *detail, const struct attribute *attributes,
				  size_t count)
{
	for (size_t i = 0; i < count; i++)
		detail_add(detail, profile_string(detail->profile, attributes[i].key),
			   profile_string(detail->profile, attributes[i].text));
}

static void detail_add_layer(const struct detail *detail, const char *label, uint32_t node)
{
	AUTO_BUFFER struct buffer path = { 0 };
	uint32_t layer = layer_enclosing(detail->derived, node);
	if (layer) {
		layer_path(detail->derived, layer, &path);
		detail_add(detail, label, buffer_text(&path));
	}
}

static void detail_add_track(const struct detail *detail, const char *label, uint32_t track)
{
	AUTO_BUFFER struct buffer name = { 0 };
	track_name(detail->profile, track, &name);
	detail_add(detail, label, buffer_text(&name));
}

static void detail_function(const struct detail *detail, uint32_t index)
{
	const struct python_function *function = &detail->profile->python->functions[index];
	add_string(detail, "Function", function->name);
	if (python_is_builtin_file(INTERNED(detail->profile->strings, function->file))) {
		buffer_puts(detail->out, "File\t\nLine\t\n");
		return;
	}
	add_string(detail, "File", function->file);
	if (function->line != NO_VALUE)
		buffer_printf(detail->out, "Line\t%" PRId64 "\n", function->line);
}

/* ---- calls ---- */

static void add_partner(const struct detail *detail, uint32_t span, bool forward)
{
	uint32_t count;
	const struct link *links = links_of(detail->derived, span, forward, &count);
	if (!count)
		return;
	uint32_t other = forward ? links->backward : links->forward;
	buffer_printf(detail->out, "%s\t%s #%" PRIu32, forward ? "Backward" : "Forward",
		      profile_string(detail->profile, detail->profile->span_name[other]), other);
	if (count > 1)
		buffer_printf(detail->out, " and %" PRIu32 " more", count - 1);
	buffer_putc(detail->out, '\n');
}

/*
 * The user's Python functions enclosing a call, innermost first, "..." for those of libraries; all
 * functions if none is the user's.
 */
static void add_python_stack(const struct detail *detail, uint32_t span)
{
	enum { FRAMES_MAX = 12 };
	const struct profile *profile = detail->profile;
	bool own_only = own_frame_around(profile, span).length > 0, skipped = false;
	AUTO_BUFFER struct buffer stack = { 0 };
	int frames = 0;
	for (uint32_t at = profile->span_parent[span]; at != NO_ROW && frames <= FRAMES_MAX;
	     at = profile->span_parent[at]) {
		if (profile->span_kind[at] != SPAN_PYTHON && profile->span_kind[at] != SPAN_MODULE)
			continue;
		const char *name = profile_string(profile, profile->span_name[at]);
		bool skip =
			own_only && (profile->span_kind[at] == SPAN_MODULE || !is_own_code(name));
		if (skip && skipped)
			continue;
		skipped = skip;
		bool shown = !skip && frames++ < FRAMES_MAX;
		buffer_printf(&stack, "%s%s", stack.length ? " < " : "", shown ? name : "...");
	}
	detail_add(detail, "Stack", buffer_text(&stack));
}

/* User source line of a call. */
static void add_own_line(const struct detail *detail, uint32_t span)
{
	struct code_frame frame = own_frame_around(detail->profile, span);
	uint32_t forward = frame.length ? NO_ROW : links_forward(detail->derived, span);
	if (forward != NO_ROW)
		frame = own_frame_around(detail->profile, forward);
	if (frame.length)
		buffer_printf(detail->out, "%s\t%.*s\n",
			      forward != NO_ROW ? "Forward Line" : "Line", (int)frame.length,
			      frame.text);
}

/* PyTorch's and Python's names of element types, in short. */
static const char *short_type(const char *name, size_t length)
{
	static const char *const names[][2] = { SHORT_TYPE_ROWS };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i][0]) == length && !memcmp(names[i][0], name, length))
			return names[i][1];
	return NULL;
}

/* Length of the JSON value at AT, up to the comma or bracket after it. */
static size_t value_length(const char *at)
{
	size_t length = 0;
	int depth = 0;
	for (bool text = false; at[length]; length++) {
		char c = at[length];
		text ^= c == '"';
		depth += !text && c == '[';
		if (!text && !depth && (c == ',' || c == ']'))
			break;
		depth -= !text && c == ']';
	}
	return length;
}

static const char *next_value(const char *at, size_t length)
{
	at += length;
	return *at == ',' ? at + 1 : at;
}

static void add_times(struct buffer *text, int times)
{
	if (times > 1)
		buffer_printf(text, " ×%d", times);
}

/* Tensor arguments: "[512,128,28,28] bf16, [512] bf16 ×2"; scalars have no shape. */
static void add_tensors(const struct detail *detail, const char *shapes, const char *types)
{
	AUTO_BUFFER struct buffer text = { 0 }, one = { 0 };
	size_t last = 0; /* where the last one begins */
	int times = 0;   /* that it follows itself */
	shapes += *shapes == '[';
	types += *types == '[';
	while (*shapes == '[') {
		size_t shape = value_length(shapes), type = value_length(types);
		bool quoted = type > 2 && *types == '"';
		const char *name = quoted ? short_type(types + 1, type - 2) : NULL;
		buffer_clear(&one);
		if (shape > 2)
			buffer_printf(&one, "%.*s%s", (int)shape, shapes, quoted ? " " : "");
		if (shape > 2 && quoted)
			buffer_printf(&one, "%.*s", name ? (int)strlen(name) : (int)type - 2,
				      name ? name : types + 1);
		shapes = next_value(shapes, shape);
		types = next_value(types, type);
		if (one.length && times && !strcmp(text.data + last, one.data)) {
			times++;
		} else if (one.length) {
			add_times(&text, times);
			buffer_puts(&text, text.length ? ", " : "");
			last = text.length;
			buffer_add(&text, one.data, one.length);
			times = 1;
		}
	}
	add_times(&text, times);
	detail_add(detail, "Data", buffer_text(&text));
}

static void add_arguments(const struct detail *detail, uint32_t span, const struct op_info *info)
{
	int64_t sequence = profile_sequence(detail->profile, span);
	if (info->shapes)
		add_tensors(detail, profile_string(detail->profile, info->shapes),
			    profile_string(detail->profile, info->types));
	add_string(detail, "Input Shapes", info->shapes);
	add_string(detail, "Input Types", info->types);
	add_string(detail, "Strides", info->strides);
	add_string(detail, "Inputs", info->concrete);
	if (sequence >= 0)
		add_int(detail, "Seq", sequence);
	add_string(detail, "Modules", info->hierarchy);
	detail_add_stack(detail, info->stack);
}

static void add_device_work(const struct detail *detail, uint32_t span)
{
	const uint32_t *count = detail->derived->gpu_count_prefix;
	uint32_t under = count[span + detail->profile->span_size[span]] - count[span];
	char text[NUMBER_MAX];
	if (under)
		buffer_printf(detail->out, "GPU Total\t%s in %" PRIu32 " GPU event%s\n",
			      number_duration(text, derived_gpu_total(detail->derived, span)),
			      under, under == 1 ? "" : "s");
}

static void detail_call(const struct detail *detail, uint32_t span)
{
	const struct profile *profile = detail->profile;
	const struct op_info *info = profile_op_info(profile, span);
	size_t count;
	add_string(detail, "Name", profile->span_name[span]);
	if (profile->span_kind[span] == SPAN_OPERATOR)
		detail_add(detail, "Pass",
			   detail->derived->span_flags[span] & SPAN_BACKWARD ? "backward"
									     : "forward");
	add_own_line(detail, span);
	uint32_t owner = detail->derived->span_owner[span];
	if (owner != NO_ROW && detail->derived->span_flags[owner] & SPAN_IS_OPERATOR)
		add_string(detail, "Caller", profile->span_name[owner]);
	add_start(detail, profile->span_start[span]);
	detail_add_time(detail, "Duration", profile->span_dur[span]);
	detail_add_time(detail, "CPU Self", derived_self(detail->derived, span));
	add_device_work(detail, span);
	detail_add_layer(detail, "Layer", detail->derived->layers.span_node[span]);
	add_partner(detail, span, true);
	add_partner(detail, span, false);
	if (info)
		add_arguments(detail, span, info);
	if (!info || !info->stack)
		add_python_stack(detail, span);
	detail_add_track(detail, "Lane", profile->span_track[span]);
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);
	detail_add_attributes(detail, attributes, count);
}

/* ---- launches ---- */

static void add_triple(const struct detail *detail, const char *label, const int32_t triple[3])
{
	if (triple[0] >= 0)
		buffer_printf(detail->out, "%s\t%" PRId32 ",%" PRId32 ",%" PRId32 "\n", label,
			      triple[0], triple[1], triple[2]);
}

static void detail_add_config(const struct detail *detail, const struct launch_config *config)
{
	add_triple(detail, "Grid", config->grid);
	add_triple(detail, "Block", config->block);
	if (config->regs_per_thread >= 0)
		add_int(detail, "Regs", config->regs_per_thread);
	add_bytes(detail, "Shared Mem", config->shared_mem_bytes);
	add_real(detail, "Blocks/SM", (double)config->blocks_per_sm, "");
	add_real(detail, "Warps/SM", (double)config->warps_per_sm, "");
	add_real(detail, "Occupancy", (double)config->occupancy_pct, " %");
}

static void add_launch_call(const struct detail *detail, uint32_t activity)
{
	const struct profile *profile = detail->profile;
	uint32_t call = profile->activity_launch[activity];
	char text[NUMBER_MAX];
	if (call == NO_ROW) {
		detail_add(detail, "Launch Call", "not in this profile");
		return;
	}
	int64_t delay = profile_launch_delay(profile, activity);
	detail_add(detail, "Queue Delay",
		   delay == NO_VALUE ? "unknown: starts before its call"
				     : number_duration(text, delay));
	buffer_printf(detail->out, "Launched By\t%s, %s\n",
		      profile_string(profile, profile->span_name[call]),
		      number_duration(text, profile->span_dur[call]));
}

static void add_inference(const struct detail *detail, const struct inference *inference)
{
	AUTO_BUFFER struct buffer label = { 0 };
	buffer_puts(&label, "Operator (inferred from ");
	inference_describe(detail->derived->inferred, inference->source, &label);
	buffer_putc(&label, ')');
	add_string(detail, buffer_text(&label), inference->operator_name);
	add_string(detail, "Shapes (inferred)", inference->shapes);
	add_string(detail, "Types (inferred)", inference->types);
	add_string(detail, "Line (inferred)", inference->line);
}

static void add_activity_layer(const struct detail *detail, uint32_t activity,
			       const struct inference *inference)
{
	AUTO_BUFFER struct buffer label = { 0 };
	buffer_puts(&label, "Layer");
	if (inference && inference->place != NO_ROW) {
		buffer_puts(&label, " (inferred from ");
		inference_describe(detail->derived->inferred, inference->source, &label);
		buffer_putc(&label, ')');
	} else if (derived_layer_source(detail->derived, activity) != activity) {
		buffer_puts(&label, " (inferred from eager run)");
	}
	detail_add_layer(detail, buffer_text(&label),
			 detail->derived->layers.activity_node[activity]);
}

/* The operator that launched an activity. */
static void detail_owner(const struct detail *detail, uint32_t owner)
{
	const struct profile *profile = detail->profile;
	const struct op_info *info = profile_op_info(profile, owner);
	const struct op_info *arguments = links_arguments(detail->derived, owner);
	uint32_t forward = links_forward(detail->derived, owner);
	add_string(detail, "Operator", profile->span_name[owner]);
	add_partner(detail, owner, true);
	if (forward != NO_ROW)
		buffer_printf(detail->out, "Forward\t%s #%" PRIu32 "\n",
			      profile_string(profile, profile->span_name[forward]), forward);
	if (arguments && arguments != info) {
		add_string(detail, "Outer Shapes", arguments->shapes);
		add_string(detail, "Outer Types", arguments->types);
	}
	if (info)
		add_arguments(detail, owner, info);
	if (!info || !info->stack)
		add_python_stack(detail, owner);
}

/* True if the text from FROM on has a line of LABEL. */
static bool has_line(const struct detail *detail, size_t from, const char *label)
{
	size_t length = strlen(label);
	for (const char *line = buffer_text(detail->out) + from; *line;) {
		if (!strncmp(line, label, length) &&
		    (line[length] == '\t' || !strncmp(line + length, " (", 2)))
			return true;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

/* Labels that most activities of a profile have: without a text where one does not. */
static void add_absent(const struct detail *detail, size_t from)
{
	static const struct {
		const char *label;
		size_t count; /* in the profile, of what has it */
	} rows[] = { ABSENT_ROWS };
	const struct profile *profile = detail->profile;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (*(const size_t *)((const char *)profile + rows[i].count) &&
		    !has_line(detail, from, rows[i].label))
			buffer_printf(detail->out, "%s\t\n", rows[i].label);
	if (profile->op_info_count && !has_line(detail, from, "Forward") &&
	    !has_line(detail, from, "Backward"))
		buffer_puts(detail->out, "Backward\t\n");
}

static void detail_launch(const struct detail *detail, uint32_t activity)
{
	const struct profile *profile = detail->profile;
	const struct launch_config *config = profile_config(profile, activity);
	uint32_t owner = detail->derived->activity_operator[activity];
	const struct layer_node *nodes = detail->derived->layers.nodes;
	const struct layer_node *node = &nodes[detail->derived->layers.activity_node[activity]];
	size_t count, from = detail->out->length;
	add_string(detail, "Name", profile->activity_name[activity]);
	detail_add(detail, "Kind",
		   activity_kind_name((enum activity_kind)profile->activity_kind[activity]));
	add_start(detail, profile->activity_start[activity]);
	detail_add_time(detail, "Duration", profile->activity_dur[activity]);
	if (owner != NO_ROW)
		add_own_line(detail, owner);
	add_bytes(detail, "Bytes", profile->activity_bytes[activity]);
	if (config)
		detail_add_config(detail, config);
	detail_add_track(detail, "Lane", profile->activity_track[activity]);
	add_launch_call(detail, activity);
	const struct inference *inference = derived_inference(detail->derived, activity);
	add_activity_layer(detail, activity, inference);
	const struct attribute *attributes = profile_activity_attributes(profile, activity, &count);
	detail_add_attributes(detail, attributes, count);
	if (inference)
		add_inference(detail, inference);
	if (owner != NO_ROW)
		detail_owner(detail, owner);
	else if (!inference && node->parent != NO_ROW &&
		 nodes[node->parent].kind == LAYER_OPERATOR) /* of a scope */
		add_string(detail, "Operator", nodes[node->parent].name);
	add_absent(detail, from);
}

/* ---- other rows ---- */

static void detail_layer(const struct detail *detail, uint32_t node)
{
	const struct layer_node *layer = &detail->derived->layers.nodes[node];
	AUTO_BUFFER struct buffer path = { 0 };
	add_string(detail, "Name", layer->name);
	detail_add(detail, "Kind", layer_kind_name((enum layer_kind)layer->kind));
	layer_path(detail->derived, node, &path);
	if (strchr(buffer_text(&path), '/')) /* a path of one part repeats the name */
		detail_add(detail, "Path", buffer_text(&path));
}

static void detail_step(const struct detail *detail, uint32_t index)
{
	const struct step *step = &detail->derived->steps[index];
	add_string(detail, "Name", step->name);
	add_start(detail, step->start);
	detail_add_time(detail, "Duration", step->end - step->start);
	detail_add_time(detail, "Annotation", step->host_end - step->host_start);
	if (step->partial)
		detail_add(detail, "Partial", "cut off by the capture; excluded from averages");
	if (step->slow_start)
		detail_add(detail, "Slow", "first step, over twice the median");
}

static void detail_kernel(const struct detail *detail, struct ref ref)
{
	enum tensor_use use = (enum tensor_use)detail->derived->kernel_tensor[ref.a];
	add_string(detail, "Name", ref.a);
	if (use != TENSOR_UNKNOWN)
		detail_add(detail, "TC", tensor_use_name(use)); /* as the column */
	add_string(detail, "Operator", ref.b);
	if (ref.c != NO_ROW)
		detail_add_config(detail, &detail->profile->configs[ref.c]);
}

static void detail_operator(const struct detail *detail, struct ref ref)
{
	add_string(detail, "Name", ref.a);
	add_string(detail, "Input Shapes", ref.b);
	detail_add_stack(detail, ref.c);
}

/* Cells tell its size and times; the stack is in no column. */
static void detail_allocation(const struct detail *detail, uint32_t index)
{
	const struct snapshot *snapshot = detail->profile->snapshot;
	const struct snapshot_stack *stack = &snapshot->stacks[snapshot->allocations[index].stack];
	AUTO_BUFFER struct buffer text = { 0 };
	for (uint32_t i = 0; i < stack->count; i++) {
		const struct snapshot_frame *frame =
			&snapshot->frames[snapshot->calls[stack->first + i]];
		if (frame->line > 0) /* those of the library have none */
			buffer_printf(&text, "%s%s:%" PRId64 " %s", text.length ? " < " : "",
				      profile_string(detail->profile, frame->file), frame->line,
				      profile_string(detail->profile, frame->name));
	}
	detail_add(detail, "Stack", buffer_text(&text));
}

void view_detail(const struct run *run, const struct scope *scope, struct ref ref,
		 struct buffer *out)
{
	AUTO_RANK const struct rank *rank = run_peek(run, scope->rank);
	if (!rank)
		return;
	struct detail detail = { rank->profile, rank->derived, out };
	ref_require(rank->derived, ref);
	if (ref.kind == REF_FINDING)
		ref = advice_subject(ref);
	switch (ref.kind) {
	case REF_STEP: detail_step(&detail, ref.a); break;
	case REF_LAYER: detail_layer(&detail, ref.a); break;
	case REF_MODULE: detail_layer(&detail, ref.c); break;
	case REF_OPERATOR: detail_operator(&detail, ref); break;
	case REF_CALL: detail_call(&detail, ref.a); break;
	case REF_KERNEL: detail_kernel(&detail, ref); break;
	case REF_LAUNCH: detail_launch(&detail, ref.a); break;
	case REF_LINK:
		detail_call(&detail, ref.a);
		buffer_putc(out, '\n');
		detail_call(&detail, ref.b);
		break;
	case REF_ALLOCATION: detail_allocation(&detail, ref.a); break;
	case REF_TRACK: detail_add_track(&detail, "Lane", ref.a); break;
	case REF_FUNCTION: detail_function(&detail, ref.a); break;
	case REF_EVENTS: add_string(&detail, "Name", ref.a); break;
	default: break; /* their cells tell all */
	}
}
