#include "views/views.h"

#include "analysis/coverage.h"
#include "base/any_of.h"
#include "base/buffer.h"
#include "analysis/energy.h"
#include "analysis/work/work.h"
#include "base/check.h"
#include "base/mask.h"
#include "model/device_label.h"

#include <time.h>

struct value cell_text(const struct profile *profile, uint32_t id)
{
	if (id == 0 || id == NO_ROW)
		return value_missing();
	return value_bytes(INTERNED(profile->strings, id));
}

struct value cell_recorded(struct table *table, const struct profile *profile, const char *key,
			   uint32_t id)
{
	struct value value = cell_text(profile, id);
	AUTO_BUFFER struct buffer masked = { 0 };
	if (value.kind != VALUE_TEXT)
		return value;
	mask_secrets(&masked, key, value.text, value.length);
	value = table_copy_text(table, BUFFERED(&masked));
	return value;
}

struct value cell_interned(struct table *table, const struct intern *strings, uint32_t id)
{
	return id ? table_copy_text(table, INTERNED(strings, id)) : value_missing();
}

struct value cell_mean(int64_t sum, int64_t count)
{
	return count > 0 && sum != NO_VALUE ? value_real((double)sum / (double)count)
					    : value_missing();
}

struct value cell_int(int64_t value)
{
	return value == NO_VALUE ? value_missing() : value_int(value);
}

struct value cell_real(double value)
{
	return isfinite(value) ? value_real(value) : value_missing();
}

struct value cell_work(double amount)
{
	if (isnan(amount))
		return value_missing();
	return fabs(amount) < 9e18 ? value_int(llround(amount)) : value_real(amount);
}

struct value cell_date(struct table *table, int64_t ns)
{
	static const int64_t year_2000 = 946684800;
	time_t seconds = (time_t)(ns / 1000000000);
	char text[64];
	struct tm tm;
	if (seconds <= year_2000 || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		return value_missing();
	return table_printf(table, "%s", text);
}

struct value cell_device(struct table *table, int32_t device)
{
	char label[DEVICE_LABEL_MAX];
	return table_printf(table, "%s", device_label(label, device));
}

struct value cell_step_source(struct table *table, const struct derived *derived)
{
	struct buffer from = { 0 };
	step_source_describe(derived, &from);
	return from.length ? table_take_text(table, &from) : value_missing();
}

struct value cell_step(const struct derived *derived, uint32_t step)
{
	return cell_int(number_of_step(derived, step));
}

struct value cell_phase(enum phase phase)
{
	return phase == PHASE_NONE ? value_missing() : value_text(phase_name(phase));
}

struct value cell_span(const struct profile *profile, uint32_t span)
{
	return span == NO_ROW ? value_missing() : cell_text(profile, profile->span_name[span]);
}

struct value cell_share(int64_t part, int64_t whole)
{
	return whole ? value_real(100.0 * (double)part / (double)whole) : value_missing();
}

struct value cell_known_share(int64_t part, int64_t known, int64_t whole)
{
	return cell_real(coverage_share_pct((double)part, (double)known, (double)whole));
}

struct value cell_tensor_use(enum tensor_use use)
{
	const char *name = tensor_use_name(use);
	return name ? value_text(name) : value_missing();
}

struct value cell_triple(struct table *table, const int32_t triple[3])
{
	if (triple[0] < 0)
		return value_missing();
	return table_printf(table, "%" PRId32 ",%" PRId32 ",%" PRId32, triple[0], triple[1],
			    triple[2]);
}

struct value cell_layer_path(struct table *table, const struct derived *derived, uint32_t node)
{
	struct buffer path = { 0 };
	layer_path(derived, node, &path);
	return table_take_text(table, &path);
}

struct value cell_track(struct table *table, const struct profile *profile, uint32_t track)
{
	struct buffer name = { 0 };
	track_name(profile, track, &name);
	return table_take_text(table, &name);
}

struct value *layer_path_cells(struct table *table, const struct derived *derived)
{
	struct value *paths = table_values(table, derived->layers.count);
	for (uint32_t i = 0; i < derived->layers.count; i++)
		paths[i] = i == 0 || layer_enclosing(derived, i) != i
				   ? value_missing()
				   : cell_layer_path(table, derived, i);
	return paths;
}

struct value cell_sequence(const struct profile *profile, uint32_t span)
{
	int64_t sequence = profile_sequence(profile, span);
	return sequence >= 0 ? value_int(sequence) : value_missing();
}

struct value cell_pass(int64_t backward)
{
	if (backward == NO_VALUE)
		return value_missing();
	return value_text(layer_pass_name(backward ? PASS_BACKWARD : PASS_FORWARD));
}

bool is_call_of_operator(const struct derived *derived, uint32_t span, struct ref row)
{
	const struct op_info *info = profile_arguments(derived->profile, span);
	return derived->profile->span_name[span] == row.a &&
	       derived->span_flags[span] & SPAN_IS_OPERATOR &&
	       (row.b == NO_ROW || info->shapes == row.b) &&
	       (row.c == NO_ROW || info->stack == row.c);
}

/* Some writers append blanks to names. */
static void add_trimmed(struct buffer *out, const struct profile *profile, uint32_t id)
{
	const char *text = profile_string(profile, id);
	size_t length = intern_length(profile->strings, id);
	while (length && text[length - 1] == ' ')
		length--;
	buffer_add(out, text, length);
}

/* True if another thread of the host has this name: add the thread id. */
static bool has_namesake(const struct profile *profile, uint32_t index)
{
	const struct track *track = &profile->tracks[index];
	return track->device < 0 &&
	       any_of(i, profile->track_count,
		      profile->tracks[i].name == track->name && profile->tracks[i].device < 0 &&
			      profile->tracks[i].tid != track->tid);
}

/* True if another process has a lane of this name: add the process id. */
static bool has_double(const struct profile *profile, uint32_t index)
{
	const struct track *track = &profile->tracks[index];
	const struct process *process = &profile->processes[track->process];
	for_each (other, profile->tracks, profile->track_count) {
		const struct process *its = &profile->processes[other->process];
		if (other->process != track->process && other->device == track->device &&
		    other->name == track->name && other->label == track->label &&
		    other->tid == track->tid && its->group == process->group &&
		    its->pid != process->pid &&
		    (track->device >= 0 || its->label == process->label))
			return true;
	}
	return false;
}

void track_name(const struct profile *profile, uint32_t index, struct buffer *out)
{
	require(index < profile->track_count, "lane %u of %zu", (unsigned)index,
		(size_t)profile->track_count);
	const struct track *track = &profile->tracks[index];
	char label[DEVICE_LABEL_MAX];
	const struct process *process = &profile->processes[track->process];
	if (process->group) {
		add_trimmed(out, profile, process->group);
		buffer_putc(out, ' ');
	} else if (process->label && track->device < 0) {
		add_trimmed(out, profile, process->label);
		buffer_putc(out, ' ');
	}
	if (track->device >= 0)
		buffer_printf(out, "%s ", device_label(label, track->device));
	if (track->name) {
		add_trimmed(out, profile, track->name);
		if (track->tid != NO_VALUE && has_namesake(profile, index))
			buffer_printf(out, " %" PRId64, track->tid);
	} else if (track->label) {
		add_trimmed(out, profile, track->label);
	} else if (track->device >= 0 && track->tid < 0 && track->tid != NO_VALUE) {
		buffer_puts(out, "no stream"); /* waits for events and for all streams */
	} else if (track->tid != NO_VALUE) {
		buffer_printf(out, "%s %" PRId64, track->device >= 0 ? "stream" : "thread",
			      track->tid);
	} else if (process->name) {
		add_trimmed(out, profile, process->name);
	} else {
		buffer_puts(out, track->device >= 0 ? "stream ?" : "(no thread)");
	}
	if (process->pid != NO_VALUE && has_double(profile, index))
		buffer_printf(out, ", process %" PRId64, process->pid);
}

struct value cell_bytes_from(const struct work_sum *sum)
{
	return isnan(work_sum_value(sum).bytes)
		       ? value_missing()
		       : value_text(sum->known.estimated_bytes ? "estimated" : "recorded");
}

/* ---- times per call ---- */

void spread_set(const struct moments *times, struct table *table, size_t row,
		const char *const ids[3])
{
	if (!times->count)
		return;
	table_set(table, row, ids[0], value_real(moments_mean(times)));
	table_set(table, row, ids[1], value_int(times->min));
	table_set(table, row, ids[2], value_int(times->max));
}

void spread_set_gpu(const struct moments *times, struct table *table, size_t row)
{
	static const char *const ids[] = { "gpu_avg_ns", "gpu_min_ns", "gpu_max_ns" };
	if (table->selection.profile->activities)
		spread_set(times, table, row, ids);
}

void call_durations_set(const struct moments *durations, struct table *table, size_t row)
{
	static const char *const ids[] = { "avg_ns", "min_ns", "max_ns" };
	spread_set(durations, table, row, ids);
	if (durations->count > 1)
		table_set(table, row, "stddev_ns", value_real(moments_deviation(durations)));
}

void set_energy(struct table *table, size_t row, const struct energy_sum *sum)
{
	if (sum->covered)
		table_set_listed(table, row, "energy_j", value_real(sum->joules));
	if (sum->all)
		table_set_listed(table, row, "energy_known_pct",
				 cell_share(sum->covered, sum->all));
}

void note_telemetry(struct table *table, const struct profile *profile)
{
	const char *joined = profile_metadata(profile, TELEMETRY_JOINED);
	const char *clock = profile_metadata(profile, TELEMETRY_CLOCK);
	if (joined)
		table_note(table, "%s%sTelemetry: %s.", table->note ? table->note : "",
			   table->note ? " " : "", joined);
	else if (clock)
		table_note(table, "Clock of the samples: %s.", clock);
}
