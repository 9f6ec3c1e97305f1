#include "session/join.h"

#include "base/keyed.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/compile_log.h"
#include "session/runs/run_files.h"

static int64_t join_rank_of(const struct profile *profile)
{
	return profile->rank != NO_VALUE ? profile->rank : run_files_number(profile->path);
}

/* ---- kernels ---- */

static void add_attribute(struct profile *timeline, struct attribute attribute)
{
	*mem_push(timeline->activity_attributes, timeline->activity_attribute_count) = attribute;
}

/* Give kernels the place of the code that Inductor generated for them, and its modules. */
static bool note_code(struct profile *timeline, const struct progress *progress)
{
	const struct compile_items *kernels = &timeline->compile->items[OF_KERNEL];
	uint32_t name = profile_intern(timeline, "generated code");
	uint32_t modules = profile_intern(timeline, ACTIVITY_MODULES);
	AUTO_KEYED struct keyed names = { 0 }, keys = { 0 };
	AUTO_FREE struct code_texts {
		uint32_t place, modules;
	} *texts = NULL;
	for (size_t i = 0; i < kernels->count; i++)
		keyed_add(&names, &kernels->at[i].text[KERNEL_NAME], sizeof name);
	bool ok = true;
	for_rows (ok, i, timeline->activities, progress, "joining logs") {
		if (keyed_find(&names, &timeline->activity_name[i], sizeof name) == UINT32_MAX)
			continue;
		struct compile_key key = compile_key_of(timeline, i);
		struct code_texts *text = keyed_item(&keys, texts, &key);
		const struct compile_item *kernel =
			text->place ? NULL : compile_kernel(timeline->compile, key);
		if (kernel)
			*text = (struct code_texts){
				profile_print(timeline, "%s:%lld, compilation %s",
					      profile_string(timeline, kernel->text[KERNEL_FILE]),
					      (long long)kernel->number[KERNEL_LINE],
					      profile_string(timeline, kernel->id)),
				kernel->text[KERNEL_MODULES]
			};
		add_attribute(timeline, (struct attribute){ i, name, text->place });
		if (text->modules)
			add_attribute(timeline, (struct attribute){ i, modules, text->modules });
	}
	return ok && sort_runs(timeline->activity_attributes, timeline->activity_attribute_count,
			       sizeof *timeline->activity_attributes, join_compare_rows, progress);
}

/* ---- phases ---- */

/* Append "dynamo 0/0" to the last track, with the part of ROW in REPORT that TIMELINE has. */
static void add_phase(struct profile *timeline, const struct profile *report, uint32_t row,
		      int64_t shift)
{
	int64_t start = report->span_start[row] + shift, end = start + report->span_dur[row];
	uint32_t at = timeline->spans,
		 id = profile_span_attribute(report, row, profile_find(report, COMPILE_ID));
	start = start > 0 ? start : 0;
	end = end < timeline->end_ns ? end : timeline->end_ns;
	if (start >= end)
		return;
	timeline->spans++;
	timeline->tracks[timeline->track_count - 1].spans++;
	timeline->span_start[at] = start;
	timeline->span_dur[at] = end - start;
	timeline->span_name[at] =
		profile_print(timeline, "%s %s", profile_string(report, report->span_name[row]),
			      id == NO_ROW ? "" : profile_string(report, id));
	timeline->span_track[at] = (uint32_t)timeline->track_count - 1;
	timeline->span_info[at] = profile_intern(timeline, CATEGORY_COMPILE);
	timeline->span_kind[at] = SPAN_OTHER;
	timeline->span_parent[at] = NO_ROW;
	timeline->span_size[at] = 1;
	if (id != NO_ROW)
		*mem_push(timeline->span_attributes, timeline->span_attribute_count) =
			(struct attribute){ at, profile_intern(timeline, COMPILE_ID),
					    join_text(timeline, report, id) };
}

/* If both have the time of day, add a lane for each thread that compiled: its outermost phases. */
static void add_lanes(struct profile *timeline, const struct profile *report)
{
	const int64_t year = INT64_C(365) * 24 * 3600 * 1000000000; /* further off: not of day */
	size_t room = (size_t)timeline->spans + report->spans + 1;
	int64_t zero, shift;
	if (!timeline->track_count || timeline->span_record || room >= NO_ROW ||
	    __builtin_add_overflow(timeline->epoch_ns, timeline->base_ns, &zero) ||
	    __builtin_sub_overflow(report->base_ns, zero, &shift) || shift < -year || shift > year)
		return;
#define ROOM(type, column, ids)                                                                    \
	timeline->column = mem_realloc(timeline->column, room, sizeof(type));
	PROFILE_SPAN_COLUMNS(ROOM)
#undef ROOM
	for_each (from, report->tracks, report->track_count) {
		struct track *track = mem_push(timeline->tracks, timeline->track_count);
		*track = *from;
		track->process = timeline->tracks[0].process;
		track->name = profile_intern(timeline, CATEGORY_COMPILE);
		track->label = track->spans = 0;
		track->first_span = timeline->spans;
		track->first_activity = timeline->activities;
		for (uint32_t i = from->first_span; i < from->first_span + from->spans;
		     i += report->span_size[i])
			add_phase(timeline, report, i, shift);
		timeline->track_count -= !track->spans;
	}
}

/*
 * By the ranks or, without, the processes: those of which a log names one, in place of which old
 * versions have a thread, which is no such number.
 */
static bool is_of_another(const struct profile *timeline, const struct profile *report)
{
	enum { PID_MAX = 1 << 22 };
	int64_t rank = join_rank_of(timeline), other = join_rank_of(report);
	int64_t pid = report->process_count ? report->processes[0].pid : NO_VALUE;
	bool known = false;
	if (rank != NO_VALUE && other != NO_VALUE)
		return rank != other;
	for (size_t i = 0; i < timeline->process_count; i++) {
		if (timeline->processes[i].pid == pid)
			return false;
		known |= timeline->processes[i].pid > 0;
	}
	return known && pid > 0 && pid <= PID_MAX;
}

bool join_compile(struct profile *timeline, struct profile *report, const struct progress *progress)
{
	struct compile_log *log = report->compile;
	if (timeline->compile || is_of_another(timeline, report))
		return true;
	for (int kind = 0; kind < COMPILE_KINDS; kind++)
		for_each_mutable (item, log->items[kind].at, log->items[kind].count) {
			item->id = join_text(timeline, report, item->id);
			for (int text = 0; text < COMPILE_TEXTS; text++)
				item->text[text] = join_text(timeline, report, item->text[text]);
		}
	add_lanes(timeline, report);
	timeline->compile = log;
	report->compile = NULL;
	join_note(timeline, "log of torch.compile joined", text_file_name(report->path));
	return note_code(timeline, progress);
}
