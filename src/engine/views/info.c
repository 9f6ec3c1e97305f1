/*
 * The info view: what the file is and contains, and what was skipped or repaired.
 */
#include "analysis/python_rows.h"
#include "model/python_stats.h"
#include "base/buffer.h"
#include "model/summary_tables.h"
#include "table/summary_rows.h"
#include "model/snapshot.h"
#include "views/totals_rows.h"
#include "views/fact_rows.h"
#include "views/views.h"

#include <inttypes.h>

static void add_file(struct table *table, const struct profile *profile)
{
	static const char section[] = "file";
	FILE_FACTS(fact_add);
	if (profile->no_python)
		fact_add(table, section, "Python functions",
			 value_text("discarded except module calls (--no-python)"), "");
	if (profile->some_steps)
		fact_add(table, section, "rows of other steps, not loaded (--steps)",
			 value_int((int64_t)profile->left_out.rows), "count");
	if (profile->truncated)
		fact_add(table, section, "truncated", value_text("yes; complete events are loaded"),
			 "");
}

/* Wall-clock time of the capture; times are after the year 2000 if the file has one. */
static void add_began(struct table *table, const struct profile *profile)
{
	static const char section[] = "capture";
	int64_t absolute;
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &absolute))
		return;
	struct value date = cell_date(table, absolute);
	if (date.kind == VALUE_TEXT)
		fact_add(table, section, "began", table_printf(table, "%s UTC", date.text), "");
}

/* The sum of own times or bytes, of a file of totals. False when cancelled. */
static bool add_python_time(struct table *table, const struct selection *selection,
			    const struct progress *progress)
{
	const struct python_stats *stats = selection->profile->python;
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	bool ok = python_rows_make(&rows, selection, PYTHON_AS_RECORDED, progress);
	fact_add(table, "capture", stats->sample_unit ? "value of functions" : "time in functions",
		 cell_int(rows.self_ns), python_unit(stats));
	return ok;
}

static bool add_capture(struct table *table, const struct selection *selection,
			const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	add_began(table, profile);
	if (profile->python && !profile->spans)
		return add_python_time(table, selection, progress);
	bool modeled = profile_times_modeled(profile) && !profile_ran_apart(profile);
	if (profile->end_ns)
		fact_add(table, "capture", modeled ? "duration, modeled" : "duration",
			 value_int(profile->end_ns), "ns");
	return true;
}

static void info_add_rows(struct table *table, const struct profile *profile)
{
	static const char section[] = "rows";
	int64_t spans[SPAN_KINDS] = { 0 }, activities[ACTIVITY_KINDS] = { 0 };
	for (uint32_t i = 0; i < profile->spans; i++)
		spans[profile->span_kind[i]]++;
	for (uint32_t i = 0; i < profile->activities; i++)
		activities[profile->activity_kind[i]]++;
	for (int kind = 0; kind < SPAN_KINDS; kind++)
		if (spans[kind])
			fact_add(table, section, span_kind_name((enum span_kind)kind),
				 value_int(spans[kind]), "count");
	for (int kind = 0; kind < ACTIVITY_KINDS; kind++)
		if (activities[kind])
			fact_add(table, section, activity_kind_name((enum activity_kind)kind),
				 value_int(activities[kind]), "count");
	fact_add(table, section, "memory events", value_int((int64_t)profile->memory_count),
		 "count");
	fact_add(table, section, "flow events", value_int((int64_t)profile->flow_count), "count");
	fact_add(table, section, "counter values", value_int((int64_t)profile->counter_count),
		 "count");
	if (profile->sample_count)
		fact_add(table, section, "stack samples", value_int((int64_t)profile->sample_count),
			 "count");
	if (profile->run_count)
		fact_add(table, section, "on-CPU intervals", value_int((int64_t)profile->run_count),
			 "count");
	fact_add(table, section, "threads and streams", value_int((int64_t)profile->track_count),
		 "count");
}

static void info_add_devices(struct table *table, const struct profile *profile)
{
	for_each (device, profile->devices, profile->device_count) {
		const char *section = fact_device_section(table, profile, device->id);
		DEVICE_FACTS(fact_add);
	}
}

/* What a memory snapshot holds beyond what is read; the reader interns its keys. */
static void add_unread(struct table *table, const struct profile *profile)
{
	static const char *const keys[] = { "allocator_settings", "compile_context",
					    "user_metadata" };
	static const char section[] = "snapshot";
	if (!profile->snapshot->timed)
		fact_add(table, section, "times",
			 value_text("none; trace entries are numbered in their order"), "");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (intern_find(profile->strings, keys[i], strlen(keys[i])) != NO_ROW)
			fact_add(table, section, keys[i], value_text("not read"), "");
}

static void add_snapshot(struct table *table, const struct profile *profile)
{
	const struct snapshot *snapshot = profile->snapshot;
	for (size_t i = 0; snapshot && i < snapshot->device_count; i++) {
		const struct snapshot_device *device = &snapshot->devices[i];
		const char *section = table_printf(table, "memory GPU%" PRId32, device->id).text;
		fact_add(table, section, "trace entries", value_int(device->entries), "count");
		fact_add(table, section, "live before the trace", value_int(device->before),
			 "bytes");
		fact_add(table, section, "live at its end", value_int(device->end), "bytes");
		if (!snapshot->block_count) {
			fact_add(table, section, "requested at the dump",
				 value_text("the file has no segments"), "");
			continue;
		}
		fact_add(table, section, "requested at the dump", value_int(device->requested),
			 "bytes");
		fact_add(table, section, "difference", value_int(device->end - device->requested),
			 "bytes");
	}
	if (snapshot)
		add_unread(table, profile);
}

static void add_python(struct table *table, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; stats && i < stats->fact_count; i++) {
		const struct python_fact *fact = &stats->facts[i];
		fact_add(table, fact->section, fact->metric,
			 fact->text ? cell_recorded(table, profile, fact->metric, fact->text)
				    : value_int(fact->number),
			 fact->unit);
	}
}

static void add_damage(struct table *table, const struct profile *profile)
{
	static const char section[] = "damage";
	AUTO_BUFFER struct buffer text = { 0 };
	for_each (damage, profile->damages, profile->damage_count) {
		buffer_clear(&text);
		if (damage->count == 1)
			buffer_printf(&text, "once, %s", damage->action);
		else
			buffer_printf(&text, "%" PRIu64 " times, %s", damage->count,
				      damage->action);
		if (damage->offset != UINT64_MAX)
			buffer_printf(&text, ", %sat byte %" PRIu64,
				      damage->count == 1 ? "" : "first ", damage->offset);
		fact_add(table, section, damage->cause, table_copy_text(table, BUFFERED(&text)),
			 "");
	}
	if (!profile->damage_count)
		fact_add(table, section, "nothing", value_text("the file is intact"), "");
}

/* A summary, before what it keeps of its trace. */
static void add_summary(struct table *table, const struct run *run, const struct profile *profile)
{
	static const char section[] = "summary";
	SUMMARY_FACTS(fact_add);
}

bool build_info(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	if (profile->tables) {
		add_summary(table, query->run, profile);
		summary_rows_add(table, query);
		return true;
	}
	add_file(table, profile);
	if (query->run->rank_count > 1)
		fact_add(table, "file", "ranks in the run",
			 value_int((int64_t)query->run->rank_count), "count");
	if (query->run->whole)
		fact_add(table, "file", "processes with a GPU of their own",
			 table_printf(table, "%zu, shown together (--rank R shows one)",
				      query->run->rank_count),
			 "");
	fact_add(table, "file", "recordings", cell_recordings_note(table, query->run), "");
	if (query->run->left_out)
		fact_add(table, "file", "files skipped (not profiles)",
			 value_int((int64_t)query->run->left_out), "count");
	for (size_t i = 0; i < query->run->lost_count; i++)
		fact_add(table, "file", "rank not readable",
			 table_printf(table, "%" PRId64 ": %s", query->run->lost[i].number,
				      query->run->lost[i].why),
			 "");
	if (query->run->unread)
		fact_add(table, "file", "files of other ranks, not loaded (--rank)",
			 value_int((int64_t)query->run->unread), "count");
	if (!add_capture(table, selection, query->progress))
		return false;
	fact_add_steps_from(table, "capture", selection->derived);
	info_add_rows(table, profile);
	struct link_facts links;
	if (!fact_add_window(table, "window", selection, query->progress) ||
	    !link_facts_count(selection, &links, query->progress))
		return false;
	fact_add_links(table, "links", selection, &links);
	add_damage(table, profile);
	info_add_devices(table, profile);
	add_snapshot(table, profile);
	add_python(table, profile);
	totals_add_facts(table, profile);
	for (size_t i = 0; i < profile->metadata_count; i++) {
		const char *key = profile_string(profile, profile->metadata[i].key);
		fact_add(table, "metadata", key,
			 cell_recorded(table, profile, key, profile->metadata[i].value), "");
	}
	return true;
}
