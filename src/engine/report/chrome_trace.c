#include "report/chrome_trace.h"

#include "session/load.h"
#include "analysis/samples.h"
#include "base/any_of.h"
#include "base/error.h"
#include "base/text_slice.h"
#include "input/kineto/category.h"
#include "model/frames.h"
#include "report/chrome_writer.h"
#include "report/format.h"

#include <inttypes.h>
#include <math.h>

/*
 * Correlation ids and sequence numbers are global in a trace. Where they are per process, launches
 * use the row of their call, and sequence numbers include the process.
 */
static int64_t correlation_of(const struct profile *profile, uint32_t call, int64_t id)
{
	if (!profile->ids_per_process)
		return id;
	return call == NO_ROW ? NO_VALUE : call;
}

static int64_t sequence_of(const struct profile *profile, uint32_t span, int64_t sequence)
{
	enum { BELOW = 40 };
	if (!profile->ids_per_process || sequence < 0 || sequence >> BELOW)
		return sequence;
	return sequence | (int64_t)(profile_id_space(profile, profile->span_track[span]) & 0xffff)
				  << BELOW;
}

/* ---- events ---- */

static void add_category(struct trace_writer *writer, const char *category, uint32_t name)
{
	buffer_printf(writer->out, ",\"cat\":\"%s\",\"name\":", category);
	trace_string(writer, name);
}

static const char *const span_categories[SPAN_KINDS] = { SPAN_CATEGORY_ROWS };

/* The prefix of the name identifies a module; without it an id does. */
static const char *module_category(const char *name, bool *by_id)
{
	bool lightning = strncmp(name, "[pl][module]", 12) == 0;
	*by_id = !lightning && strncmp(name, "nn.Module: ", 11) != 0;
	return lightning ? "user_annotation" : "python_function";
}

static void add_span_category(struct trace_writer *writer, uint32_t span, bool *by_id)
{
	const struct profile *profile = writer->profile;
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	const char *category = span_categories[kind];
	*by_id = false;
	if (kind == SPAN_MODULE)
		category =
			module_category(profile_string(profile, profile->span_name[span]), by_id);
	if (category) {
		add_category(writer, category, profile->span_name[span]);
		return;
	}
	buffer_puts(writer->out, ",\"cat\":");
	trace_string(writer, profile->span_info[span] == NO_ROW ? 0 : profile->span_info[span]);
	buffer_puts(writer->out, ",\"name\":");
	trace_string(writer, profile->span_name[span]);
}

static void add_op_info(struct trace_writer *writer, uint32_t span, const struct op_info *info)
{
	const struct op_ids *ids = profile_op_ids(writer->profile, span);
	OPERATOR_ARGUMENTS(writer);
}

/*
 * Spans of a device-activity category must be written as begin/end pairs: as complete events they
 * would be read as device activities.
 */
static bool needs_two_events(const struct profile *profile, uint32_t span)
{
	if (profile->span_kind[span] != SPAN_OTHER || profile->span_info[span] == NO_ROW)
		return false;
	const char *text = profile_string(profile, profile->span_info[span]);
	const struct category *category = category_find(text, strlen(text));
	return category && category->lane == LANE_ACTIVITY;
}

static bool write_end(struct trace_writer *writer, uint32_t span)
{
	const struct profile *profile = writer->profile;
	trace_begin(writer, "E", profile->span_track[span]);
	trace_time(writer, profile->span_start[span] + profile->span_dur[span]);
	return trace_end(writer);
}

static bool write_span(struct trace_writer *writer, uint32_t span)
{
	const struct profile *profile = writer->profile;
	const struct op_info *info = profile_op_info(profile, span);
	const struct call_info *call = profile_call_info(profile, span);
	const struct track *lane = &profile->tracks[profile->span_track[span]];
	bool instant = profile->span_kind[span] == SPAN_INSTANT, by_id;
	bool two = needs_two_events(profile, span);
	size_t count;
	const struct attribute *others = profile_span_attributes(profile, span, &count);
	trace_begin(writer, instant ? "i" : two ? "B" : "X", profile->span_track[span]);
	add_span_category(writer, span, &by_id);
	trace_time(writer, profile->span_start[span]);
	if (instant) {
		buffer_puts(writer->out, ",\"s\":\"t\"");
	} else if (!two) {
		buffer_puts(writer->out, ",\"dur\":");
		trace_us(writer, profile->span_dur[span]);
	}
	trace_arguments(writer);
	if (lane->device >= 0)
		trace_int(writer, "device", lane->device);
	if (by_id)
		trace_int(writer, "Python module id", span);
	if (info)
		add_op_info(writer, span, info);
	if (call) {
		trace_int(writer, "correlation", correlation_of(profile, span, call->correlation));
		trace_int(writer, "External id", call->external_id);
	}
	trace_attributes(writer, others, count);
	return trace_end(writer) && (!two || write_end(writer, span));
}

static bool write_activity(struct trace_writer *writer, uint32_t activity)
{
	static const char *const categories[ACTIVITY_KINDS] = { ACTIVITY_CATEGORY_ROWS };
	const struct profile *profile = writer->profile;
	const struct launch_config *config = profile_config(profile, activity);
	const struct track *lane = &profile->tracks[profile->activity_track[activity]];
	size_t count;
	const struct attribute *others = profile_activity_attributes(profile, activity, &count);
	trace_begin(writer, "X", profile->activity_track[activity]);
	add_category(writer, categories[profile->activity_kind[activity]],
		     profile->activity_name[activity]);
	trace_time(writer, profile->activity_start[activity]);
	buffer_puts(writer->out, ",\"dur\":");
	trace_us(writer, profile->activity_dur[activity]);
	trace_arguments(writer);
	ACTIVITY_ARGUMENTS(writer);
	if (config) {
		CONFIG_ARGUMENTS(writer);
	}
	trace_attributes(writer, others, count);
	return trace_end(writer);
}

/* A flow arrow between two rows. */
static bool write_arrow(struct trace_writer *writer, const char *name, uint32_t id,
			uint32_t from_track, int64_t from, uint32_t to_track, int64_t to)
{
	for (int head = 0; head < 2; head++) {
		trace_begin(writer, head ? "f" : "s", head ? to_track : from_track);
		buffer_printf(writer->out, ",\"id\":%" PRIu32 ",\"cat\":\"%s\",\"name\":\"%s\"%s",
			      id, name, name, head ? ",\"bp\":\"e\"" : "");
		trace_time(writer, head ? to : from);
		if (!trace_end(writer))
			return false;
	}
	return true;
}

static bool in_window(const struct trace_writer *writer, int64_t time)
{
	const struct scope *scope = writer->selection->scope;
	return !(scope->has_steps || scope->has_time) ||
	       (time >= writer->selection->window_start && time <= writer->selection->window_end);
}

static bool write_memory(struct trace_writer *writer, const struct memory_event *event)
{
	if (!in_window(writer, event->time) || event->part)
		return true;
	trace_begin(writer, "i", event->track);
	buffer_puts(writer->out, ",\"s\":\"t\"");
	buffer_puts(writer->out, ",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\"");
	trace_time(writer, event->time);
	trace_arguments(writer);
	MEMORY_ARGUMENTS(writer);
	return trace_end(writer);
}

static bool write_counter(struct trace_writer *writer, const struct counter *counter)
{
	if (!in_window(writer, counter->time))
		return true;
	trace_begin(writer, "C", counter->track);
	buffer_puts(writer->out, ",\"name\":");
	trace_string(writer, counter->name);
	trace_time(writer, counter->time);
	trace_arguments(writer);
	trace_string(writer, counter->series);
	buffer_printf(writer->out, ":%.17g", isfinite(counter->value) ? counter->value : 0);
	return trace_end(writer);
}

/* Instants, since trace viewers do not show the format's own samples. */
static bool write_sample(struct trace_writer *writer, const struct stack_sample *sample)
{
	const struct profile *profile = writer->profile;
	uint32_t frame = sample->frame;
	AUTO_BUFFER struct buffer stack = { 0 };
	if (!sample_is_selected(writer->selection, sample))
		return true;
	trace_begin(writer, "i", sample->track);
	buffer_puts(writer->out, ",\"s\":\"t\"");
	add_category(writer, CATEGORY_SAMPLE, frame == NO_ROW ? 0 : profile->frames[frame].name);
	trace_time(writer, sample->time);
	trace_arguments(writer);
	for (; frame != NO_ROW; frame = profile->frames[frame].caller)
		buffer_printf(&stack, "%s%s", stack.length ? "\n" : "",
			      profile_string(profile, profile->frames[frame].name));
	if (stack.length) {
		trace_key(writer, SAMPLE_STACK);
		format_json_text(writer->out, stack.data, stack.length);
	}
	return trace_end(writer);
}

/* ---- lane names ---- */

static bool write_process_name(struct trace_writer *writer, uint32_t process)
{
	buffer_printf(writer->out, "%s{\"ph\":\"M\",\"name\":\"process_name\"",
		      writer->first ? "" : ",\n");
	writer->first = false;
	trace_process(writer, process);
	buffer_puts(writer->out, ",\"tid\":0");
	trace_arguments(writer);
	trace_key(writer, "name");
	trace_string(writer, writer->profile->processes[process].name);
	return trace_end(writer);
}

static bool write_lane_names(struct trace_writer *writer, uint32_t track)
{
	const struct track *lane = &writer->profile->tracks[track];
	if (lane->name) {
		trace_begin(writer, "M", track);
		buffer_puts(writer->out, ",\"name\":\"thread_name\"");
		trace_arguments(writer);
		trace_key(writer, "name");
		trace_string(writer, lane->name);
		if (!trace_end(writer))
			return false;
	}
	if (lane->sort_index == NO_VALUE || !lane->sort_index)
		return true;
	trace_begin(writer, "M", track);
	buffer_puts(writer->out, ",\"name\":\"thread_sort_index\"");
	trace_arguments(writer);
	trace_int(writer, "sort_index", lane->sort_index);
	return trace_end(writer);
}

/* ---- the document ---- */

#define WRITE_PROPERTY(key, member) trace_int(writer, key, device->member);

static void write_devices(struct trace_writer *writer)
{
	const struct profile *profile = writer->profile;
	buffer_puts(writer->out, ",\n\"deviceProperties\":[");
	for (size_t i = 0; i < profile->device_count; i++) {
		const struct device *device = &profile->devices[i];
		buffer_puts(writer->out, i ? ",\n{" : "\n{");
		writer->first_argument = true;
		trace_int(writer, "id", device->id);
		if (device->name) {
			trace_key(writer, "name");
			trace_string(writer, device->name);
		}
		KINETO_DEVICE_MEMBERS(WRITE_PROPERTY)
		buffer_putc(writer->out, '}');
	}
	buffer_puts(writer->out, "]");
}

static void write_head(struct trace_writer *writer)
{
	const struct profile *profile = writer->profile;
	buffer_puts(writer->out, "{\"schemaVersion\":1");
	if (profile->epoch_ns)
		buffer_printf(writer->out, ",\n\"baseTimeNanoseconds\":%" PRId64,
			      profile->epoch_ns);
	if (profile->rank != NO_VALUE) {
		buffer_puts(writer->out, ",\n\"distributedInfo\":{");
		writer->first_argument = true;
		trace_int(writer, "rank", profile->rank);
		trace_int(writer, "world_size", profile->world_size);
		buffer_putc(writer->out, '}');
	}
	if (profile->device_count)
		write_devices(writer);
	for (size_t i = 0; i < profile->metadata_count; i++) {
		const struct metadata *metadata = &profile->metadata[i];
		if (text_is_one(profile_string(profile, metadata->key),
				"schemaVersion|traceEvents|deviceProperties|baseTimeNanoseconds|"
				"distributedInfo"))
			continue;
		buffer_puts(writer->out, ",\n");
		trace_string(writer, metadata->key);
		buffer_putc(writer->out, ':');
		trace_masked(writer, metadata->key, metadata->value);
	}
	buffer_puts(writer->out, ",\n\"traceEvents\":[\n");
}

static bool write_names(struct trace_writer *writer)
{
	const struct profile *profile = writer->profile;
	return !any_of(i, profile->process_count,
		       profile->processes[i].name && !write_process_name(writer, i)) &&
	       !any_of(i, profile->track_count, !write_lane_names(writer, i));
}

static bool write_lane(struct trace_writer *writer, const struct track *lane)
{
	const struct selection *selection = writer->selection;
	for (uint32_t i = lane->first_span; i < lane->first_span + lane->spans; i++)
		if (selection_has_span(selection, i) && !write_span(writer, i))
			return false;
	for (uint32_t i = lane->first_activity; i < lane->first_activity + lane->activities; i++)
		if (selection_has_activity(selection, i) && !write_activity(writer, i))
			return false;
	return true;
}

static bool write_rows(struct trace_writer *writer)
{
	const struct profile *profile = writer->profile;
	for (size_t i = 0; i < profile->track_count; i++)
		if (!write_lane(writer, &profile->tracks[i]))
			return false;
	for (size_t i = 0; i < profile->memory_count; i++)
		if (!write_memory(writer, &profile->memory_events[i]))
			return false;
	return !any_of(i, profile->counter_count, !write_counter(writer, &profile->counters[i])) &&
	       !any_of(i, profile->sample_count, !write_sample(writer, &profile->samples[i]));
}

static bool write_arrows(struct trace_writer *writer)
{
	const struct selection *selection = writer->selection;
	const struct profile *profile = writer->profile;
	const struct link_table *links = &selection->derived->links;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch != NO_ROW && selection_has_activity(selection, i) &&
		    selection_has_span(selection, launch) &&
		    !write_arrow(writer, "ac2g", i, profile->span_track[launch],
				 profile->span_start[launch], profile->activity_track[i],
				 profile->activity_start[i]))
			return false;
	}
	for (uint32_t i = 0; i < links->count; i++) {
		uint32_t from = links->by_forward[i].forward, to = links->by_forward[i].backward;
		if (selection_has_span(selection, from) && selection_has_span(selection, to) &&
		    !write_arrow(writer, "fwdbwd", i, profile->span_track[from],
				 profile->span_start[from], profile->span_track[to],
				 profile->span_start[to]))
			return false;
	}
	return true;
}

static bool write_document(struct trace_writer *writer)
{
	write_head(writer);
	if (!write_names(writer) || !write_rows(writer) || !write_arrows(writer))
		return false;
	buffer_puts(writer->out, "\n]}\n");
	return true;
}

static bool write_selection(const struct selection *selection, const char *path, bool force,
			    const struct progress *progress, struct error *error)
{
	struct trace_writer writer = { .selection = selection,
				       .profile = selection->profile,
				       .first = true,
				       .progress = progress };
	writer.total = (uint64_t)writer.profile->spans + writer.profile->activities;
	if (!output_open(&writer.output, path, -1, force, error))
		return false;
	writer.out = &writer.output.text;
	if (write_document(&writer))
		return output_commit(&writer.output, error);
	output_discard(&writer.output);
	return error_cancelled(error);
}

bool chrome_trace_write(const struct run *run, const struct scope *scope, const char *path,
			bool force, const struct progress *progress, struct error *error)
{
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, error);
	if (!rank)
		return false;
	return selection_exists(rank, scope, error) &&
	       selection_make(&selection, run, scope, progress, error) &&
	       write_selection(&selection, path, force, progress, error);
}
