#include "report/chrome_trace.h"

#include "analysis/load.h"
#include "analysis/selection.h"
#include "base/error.h"
#include "report/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct writer {
	const struct selection *selection;
	const struct profile *profile;
	struct output output;
	struct buffer *out;		/* the output's */
	bool first;			/* no event yet */
	bool first_argument;
	uint64_t rows, total;		/* for progress */
	const struct progress *progress;
};

/*
 * In a trace correlation ids and sequence numbers count for all processes.  Where every process has
 * its own, a launch is known by the row of its call, and sequence numbers get the process on top.
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
	return sequence |
	       (int64_t)(profile_id_space(profile, profile->span_track[span]) & 0xffff) << BELOW;
}

/* ---- values ---- */

static void add_string(struct writer *writer, uint32_t id)
{
	const char *text = intern_text(writer->profile->strings, id);
	size_t length = intern_length(writer->profile->strings, id);
	format_json_text(writer->out, text, length);
}

/* Microseconds with the nanoseconds behind the point, exact at any size. */
static void add_us(struct writer *writer, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	buffer_printf(writer->out, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
		      (unsigned)(size % 1000));
}

static const char *skip_digits(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

/* Behind the number that TEXT begins with; NULL when it does not begin with one. */
static const char *skip_number(const char *text)
{
	const char *digits = text + (*text == '-');
	const char *end = skip_digits(digits);
	if (end == digits || (*digits == '0' && end > digits + 1))
		return NULL;
	if (*end == '.') {
		digits = end + 1;
		end = skip_digits(digits);
		if (end == digits)
			return NULL;
	}
	return end;
}

/*
 * Is TEXT a number, a truth, null, or arrays of plain texts and these?  What profiles keep as JSON
 * (shapes, strides, types) is; anything else is written as a text.
 */
static bool is_plain_json(const char *text, size_t length)
{
	static const char *const words[] = { "true", "false", "null" };
	int depth = 0;
	bool value = false;	/* one has just ended */
	const char *end = text + length;
	for (const char *at = text; at < end;) {
		if (*at == '[' && !value) {
			depth++;
			at++;
		} else if (*at == ']' && depth && at[-1] != ',') {
			depth--;
			value = true;
			at++;
		} else if (*at == ',' && value && depth) {
			value = false;
			at++;
		} else if (*at == '"' && !value && depth) {
			for (at++; at < end && *at != '"'; at++)
				if (*at == '\\' || (unsigned char)*at < 0x20 || *at == 0x7f ||
				    (unsigned char)*at >= 0x80)
					return false;
			if (at++ == end)
				return false;
			value = true;
		} else if (!value) {
			const char *behind = skip_number(at);
			for (size_t i = 0; !behind && i < sizeof words / sizeof *words; i++)
				if (strncmp(at, words[i], strlen(words[i])) == 0)
					behind = at + strlen(words[i]);
			if (!behind)
				return false;
			at = behind;
			value = true;
		} else {
			return false;
		}
	}
	return value && !depth;
}

static void add_json(struct writer *writer, uint32_t id)
{
	const char *text = intern_text(writer->profile->strings, id);
	size_t length = intern_length(writer->profile->strings, id);
	if (is_plain_json(text, length))
		buffer_add(writer->out, text, length);
	else
		format_json_text(writer->out, text, length);
}

/* ---- arguments ---- */

static void begin_arguments(struct writer *writer)
{
	buffer_puts(writer->out, ",\"args\":{");
	writer->first_argument = true;
}

static void key(struct writer *writer, const char *name)
{
	buffer_printf(writer->out, "%s\"%s\":", writer->first_argument ? "" : ",", name);
	writer->first_argument = false;
}

/* NO_VALUE is left out. */
static void argument_int(struct writer *writer, const char *name, int64_t value)
{
	if (value == NO_VALUE)
		return;
	key(writer, name);
	buffer_printf(writer->out, "%" PRId64, value);
}

static void argument_real(struct writer *writer, const char *name, double value)
{
	if (!isfinite(value))
		return;
	key(writer, name);
	buffer_printf(writer->out, "%.9g", value);
}

/* 0 is left out. */
static void argument_json(struct writer *writer, const char *name, uint32_t text)
{
	if (!text || text == NO_ROW)
		return;
	key(writer, name);
	add_json(writer, text);
}

static void argument_triple(struct writer *writer, const char *name, const int32_t triple[3])
{
	if (triple[0] < 0)
		return;
	key(writer, name);
	buffer_printf(writer->out, "[%d,%d,%d]", triple[0], triple[1], triple[2]);
}

static void attributes(struct writer *writer, const struct attribute *attribute, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buffer_puts(writer->out, writer->first_argument ? "" : ",");
		writer->first_argument = false;
		add_string(writer, attribute[i].key);
		buffer_putc(writer->out, ':');
		add_json(writer, attribute[i].text);
	}
}

/* ---- events ---- */

static void add_process(struct writer *writer, uint32_t process)
{
	const struct process *of = &writer->profile->processes[process];
	buffer_puts(writer->out, ",\"pid\":");
	if (of->pid != NO_VALUE)
		buffer_printf(writer->out, "%" PRId64, of->pid);
	else
		add_string(writer, of->label);
}

static void add_lane(struct writer *writer, uint32_t track)
{
	const struct track *lane = &writer->profile->tracks[track];
	add_process(writer, lane->process);
	buffer_puts(writer->out, ",\"tid\":");
	if (lane->tid != NO_VALUE)
		buffer_printf(writer->out, "%" PRId64, lane->tid);
	else
		add_string(writer, lane->label);
}

static void begin_event(struct writer *writer, const char *phase, uint32_t track)
{
	buffer_printf(writer->out, "%s{\"ph\":\"%s\"", writer->first ? "" : ",\n", phase);
	writer->first = false;
	add_lane(writer, track);
}

static void add_time(struct writer *writer, int64_t time)
{
	buffer_puts(writer->out, ",\"ts\":");
	add_us(writer, writer->profile->base_ns + time);
}

/* False: cancelled. */
static bool end_event(struct writer *writer)
{
	enum { OFTEN = 65536 };
	buffer_putc(writer->out, '}');
	output_row(&writer->output);
	return writer->rows++ % OFTEN ||
	       progress_update(writer->progress, "Writing the trace", writer->rows, writer->total, 0);
}

static void add_category(struct writer *writer, const char *category, uint32_t name)
{
	buffer_printf(writer->out, ",\"cat\":\"%s\",\"name\":", category);
	add_string(writer, name);
}

static const char *const span_categories[SPAN_KINDS] = {
	[SPAN_OPERATOR] = "cpu_op",
	[SPAN_ANNOTATION] = "user_annotation",
	[SPAN_PYTHON] = "python_function",
	[SPAN_RUNTIME] = "cuda_runtime",
	[SPAN_OVERHEAD] = "overhead",
	[SPAN_GPU_ANNOTATION] = "gpu_user_annotation",
	[SPAN_INSTANT] = "cpu_instant_event",
};

/* A module is told by its name, or else by an id. */
static const char *module_category(const char *name, bool *by_id)
{
	bool lightning = strncmp(name, "[pl][module]", 12) == 0;
	*by_id = !lightning && strncmp(name, "nn.Module: ", 11) != 0;
	return lightning ? "user_annotation" : "python_function";
}

static void add_span_category(struct writer *writer, uint32_t span, bool *by_id)
{
	const struct profile *profile = writer->profile;
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	const char *category = span_categories[kind];
	*by_id = false;
	if (kind == SPAN_MODULE)
		category = module_category(profile_string(profile, profile->span_name[span]),
					   by_id);
	if (category) {
		add_category(writer, category, profile->span_name[span]);
		return;
	}
	buffer_puts(writer->out, ",\"cat\":");
	add_string(writer, profile->span_info[span] == NO_ROW ? 0 : profile->span_info[span]);
	buffer_puts(writer->out, ",\"name\":");
	add_string(writer, profile->span_name[span]);
}

static void add_op_info(struct writer *writer, uint32_t span, const struct op_info *info)
{
	argument_int(writer, "External id", info->external_id);
	argument_int(writer, "Sequence number",
		     sequence_of(writer->profile, span, info->sequence));
	argument_int(writer, "Fwd thread id", info->forward_thread);
	argument_json(writer, "Input Dims", info->shapes);
	argument_json(writer, "Input type", info->types);
	argument_json(writer, "Input Strides", info->strides);
	argument_json(writer, "Concrete Inputs", info->concrete);
	argument_json(writer, "Call stack", info->stack);
	argument_json(writer, "Module Hierarchy", info->hierarchy);
}

static bool write_span(struct writer *writer, uint32_t span)
{
	const struct profile *profile = writer->profile;
	const struct op_info *info = profile_op_info(profile, span);
	const struct call_info *call = profile_call_info(profile, span);
	const struct track *lane = &profile->tracks[profile->span_track[span]];
	bool instant = profile->span_kind[span] == SPAN_INSTANT, by_id;
	size_t count;
	const struct attribute *others = profile_span_attributes(profile, span, &count);
	begin_event(writer, instant ? "i" : "X", profile->span_track[span]);
	add_span_category(writer, span, &by_id);
	add_time(writer, profile->span_start[span]);
	if (instant) {
		buffer_puts(writer->out, ",\"s\":\"t\"");
	} else {
		buffer_puts(writer->out, ",\"dur\":");
		add_us(writer, profile->span_dur[span]);
	}
	begin_arguments(writer);
	if (lane->device >= 0)
		argument_int(writer, "device", lane->device);
	if (by_id)
		argument_int(writer, "Python module id", span);
	if (info)
		add_op_info(writer, span, info);
	if (call) {
		argument_int(writer, "correlation",
			     correlation_of(profile, span, call->correlation));
		argument_int(writer, "External id", call->external_id);
	}
	attributes(writer, others, count);
	buffer_putc(writer->out, '}');
	return end_event(writer);
}

static void add_config(struct writer *writer, const struct launch_config *config)
{
	argument_int(writer, "registers per thread",
		     config->regs_per_thread < 0 ? NO_VALUE : config->regs_per_thread);
	argument_int(writer, "shared memory",
		     config->shared_mem_bytes < 0 ? NO_VALUE : config->shared_mem_bytes);
	argument_real(writer, "blocks per SM", config->blocks_per_sm);
	argument_real(writer, "warps per SM", config->warps_per_sm);
	argument_triple(writer, "grid", config->grid);
	argument_triple(writer, "block", config->block);
	argument_real(writer, "est. achieved occupancy %", config->occupancy_pct);
}

static bool write_activity(struct writer *writer, uint32_t activity)
{
	static const char *const categories[ACTIVITY_KINDS] = {
		[ACTIVITY_KERNEL] = "kernel", [ACTIVITY_MEMCPY] = "gpu_memcpy",
		[ACTIVITY_MEMSET] = "gpu_memset", [ACTIVITY_SYNC] = "cuda_sync",
	};
	const struct profile *profile = writer->profile;
	const struct launch_config *config = profile_config(profile, activity);
	const struct track *lane = &profile->tracks[profile->activity_track[activity]];
	size_t count;
	const struct attribute *others = profile_activity_attributes(profile, activity, &count);
	begin_event(writer, "X", profile->activity_track[activity]);
	add_category(writer, categories[profile->activity_kind[activity]],
		     profile->activity_name[activity]);
	add_time(writer, profile->activity_start[activity]);
	buffer_puts(writer->out, ",\"dur\":");
	add_us(writer, profile->activity_dur[activity]);
	begin_arguments(writer);
	argument_int(writer, "External id", profile->activity_external[activity]);
	argument_int(writer, "device", lane->device);
	argument_int(writer, "stream", lane->tid);
	argument_int(writer, "correlation",
		     correlation_of(profile, profile->activity_launch[activity],
				    profile->activity_correlation[activity]));
	argument_int(writer, "bytes", profile->activity_bytes[activity]);
	if (config)
		add_config(writer, config);
	attributes(writer, others, count);
	buffer_putc(writer->out, '}');
	return end_event(writer);
}

/* An arrow from one row to another. */
static bool write_arrow(struct writer *writer, const char *name, uint32_t id, uint32_t from_track,
			int64_t from, uint32_t to_track, int64_t to)
{
	begin_event(writer, "s", from_track);
	buffer_printf(writer->out, ",\"id\":%" PRIu32 ",\"cat\":\"%s\",\"name\":\"%s\"", id, name,
		      name);
	add_time(writer, from);
	if (!end_event(writer))
		return false;
	begin_event(writer, "f", to_track);
	buffer_printf(writer->out, ",\"id\":%" PRIu32 ",\"cat\":\"%s\",\"name\":\"%s\",\"bp\":\"e\"",
		      id, name, name);
	add_time(writer, to);
	return end_event(writer);
}

static bool in_window(const struct writer *writer, int64_t time)
{
	const struct scope *scope = writer->selection->scope;
	return !(scope->has_steps || scope->has_time) ||
	       (time >= writer->selection->window_start && time <= writer->selection->window_end);
}

static bool write_memory(struct writer *writer, const struct memory_event *event)
{
	if (!in_window(writer, event->time))
		return true;
	begin_event(writer, "i", event->track);
	buffer_puts(writer->out, ",\"s\":\"t\"");
	buffer_puts(writer->out, ",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\"");
	add_time(writer, event->time);
	begin_arguments(writer);
	argument_int(writer, "Total Reserved", event->total_reserved);
	argument_int(writer, "Total Allocated", event->total_allocated);
	argument_int(writer, "Bytes", event->bytes);
	argument_int(writer, "Addr", event->address);
	argument_int(writer, "Device Id", event->device_id);
	argument_int(writer, "Device Type", event->device_type);
	buffer_putc(writer->out, '}');
	return end_event(writer);
}

static bool write_counter(struct writer *writer, const struct counter *counter)
{
	if (!in_window(writer, counter->time))
		return true;
	begin_event(writer, "C", counter->track);
	buffer_puts(writer->out, ",\"name\":");
	add_string(writer, counter->name);
	add_time(writer, counter->time);
	buffer_puts(writer->out, ",\"args\":{");
	add_string(writer, counter->series);
	buffer_printf(writer->out, ":%.17g}", isfinite(counter->value) ? counter->value : 0);
	return end_event(writer);
}

/* ---- names of lanes ---- */

static bool write_process_name(struct writer *writer, uint32_t process)
{
	buffer_printf(writer->out, "%s{\"ph\":\"M\",\"name\":\"process_name\"",
		      writer->first ? "" : ",\n");
	writer->first = false;
	add_process(writer, process);
	buffer_puts(writer->out, ",\"tid\":0,\"args\":{\"name\":");
	add_string(writer, writer->profile->processes[process].name);
	buffer_putc(writer->out, '}');
	return end_event(writer);
}

static bool write_lane_names(struct writer *writer, uint32_t track)
{
	const struct track *lane = &writer->profile->tracks[track];
	if (lane->name) {
		begin_event(writer, "M", track);
		buffer_puts(writer->out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
		add_string(writer, lane->name);
		buffer_putc(writer->out, '}');
		if (!end_event(writer))
			return false;
	}
	if (lane->sort_index == NO_VALUE || !lane->sort_index)
		return true;
	begin_event(writer, "M", track);
	buffer_printf(writer->out,
		      ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRId64 "}",
		      lane->sort_index);
	return end_event(writer);
}

/* ---- the document ---- */

static void write_devices(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	buffer_puts(writer->out, ",\n\"deviceProperties\":[");
	for (size_t i = 0; i < profile->device_count; i++) {
		const struct device *device = &profile->devices[i];
		buffer_puts(writer->out, i ? ",\n{" : "\n{");
		writer->first_argument = true;
		argument_int(writer, "id", device->id);
		if (device->name) {
			key(writer, "name");
			add_string(writer, device->name);
		}
		argument_int(writer, "totalGlobalMem", device->memory_bytes);
		argument_int(writer, "computeMajor", device->compute_major);
		argument_int(writer, "computeMinor", device->compute_minor);
		argument_int(writer, "numSms", device->sm_count);
		argument_int(writer, "warpSize", device->warp_size);
		argument_int(writer, "maxThreadsPerMultiprocessor", device->max_threads_per_sm);
		argument_int(writer, "regsPerMultiprocessor", device->regs_per_sm);
		argument_int(writer, "sharedMemPerMultiprocessor", device->shared_mem_per_sm);
		buffer_putc(writer->out, '}');
	}
	buffer_puts(writer->out, "]");
}

static void write_head(struct writer *writer)
{
	static const char *const own[] = { "schemaVersion", "traceEvents", "deviceProperties",
					   "baseTimeNanoseconds", "distributedInfo" };
	const struct profile *profile = writer->profile;
	buffer_puts(writer->out, "{\"schemaVersion\":1");
	if (profile->epoch_ns)
		buffer_printf(writer->out, ",\n\"baseTimeNanoseconds\":%" PRId64,
			      profile->epoch_ns);
	if (profile->rank != NO_VALUE) {
		buffer_puts(writer->out, ",\n\"distributedInfo\":{");
		writer->first_argument = true;
		argument_int(writer, "rank", profile->rank);
		argument_int(writer, "world_size", profile->world_size);
		buffer_putc(writer->out, '}');
	}
	if (profile->device_count)
		write_devices(writer);
	for (size_t i = 0; i < profile->metadata_count; i++) {
		const struct metadata *metadata = &profile->metadata[i];
		bool known = false;
		for (size_t k = 0; k < sizeof own / sizeof *own; k++)
			known |= strcmp(profile_string(profile, metadata->key), own[k]) == 0;
		if (known)
			continue;
		buffer_puts(writer->out, ",\n");
		add_string(writer, metadata->key);
		buffer_putc(writer->out, ':');
		add_json(writer, metadata->value);
	}
	buffer_puts(writer->out, ",\n\"traceEvents\":[\n");
}

static bool write_names(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	for (uint32_t i = 0; i < profile->process_count; i++)
		if (profile->processes[i].name && !write_process_name(writer, i))
			return false;
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (!write_lane_names(writer, i))
			return false;
	return true;
}

static bool write_lane(struct writer *writer, const struct track *lane)
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

static bool write_rows(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	for (size_t i = 0; i < profile->track_count; i++)
		if (!write_lane(writer, &profile->tracks[i]))
			return false;
	for (size_t i = 0; i < profile->memory_count; i++)
		if (!write_memory(writer, &profile->memory_events[i]))
			return false;
	for (size_t i = 0; i < profile->counter_count; i++)
		if (!write_counter(writer, &profile->counters[i]))
			return false;
	return true;
}

static bool write_arrows(struct writer *writer)
{
	const struct selection *selection = writer->selection;
	const struct profile *profile = writer->profile;
	const struct link_table *links = &selection->facts->links;
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

static bool write_document(struct writer *writer)
{
	write_head(writer);
	if (!write_names(writer) || !write_rows(writer) || !write_arrows(writer))
		return false;
	buffer_puts(writer->out, "\n]}\n");
	return true;
}

static bool write_selection(const struct selection *selection, const char *path,
			    const struct progress *progress, struct error *error)
{
	struct writer writer = { .selection = selection, .profile = selection->profile,
				 .first = true, .progress = progress };
	writer.total = (uint64_t)writer.profile->spans + writer.profile->activities;
	if (!output_open(&writer.output, path, -1, error))
		return false;
	writer.out = &writer.output.text;
	if (write_document(&writer))
		return output_commit(&writer.output, error);
	output_discard(&writer.output);
	return error_set(error, ERROR_CANCELLED, "cancelled");
}

bool chrome_trace_write(const struct run *run, const struct scope *scope, const char *path,
			const struct progress *progress, struct error *error)
{
	struct selection selection;
	const struct rank *rank = run_hold(run, scope->rank, progress, error);
	if (!rank)
		return false;
	bool done = selection_make(&selection, run, scope, error) &&
		    write_selection(&selection, path, progress, error);
	selection_free(&selection);
	run_release(run, rank);
	return done;
}
