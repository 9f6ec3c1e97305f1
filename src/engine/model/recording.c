#include "model/recording.h"

#include <pthread.h>

#include "base/any_of.h"
#include "base/check.h"
#include "base/data_table.h"
#include "base/text.h"
#include "model/profile.h"
#include "model/tool.h"

/* How to record one kind of data with a tool. */
struct sentence {
	const char *tool, *text;
	int data; /* place in data_names */
};

/* The texts of struct recording, in its order. */
static const char *const data_names[] = { RECORDING_DATA_ROWS NULL };

static struct recording recordings[TOOLS_MAX];

static void read_recordings(void)
{
	for (size_t i = 0; tools[i]; i++)
		recordings[i] = tools[i]->recording;
	for (const struct sentence *row =
		     DATA_ROWS("recordings.txt", struct sentence, SENTENCE_FIELD_ROWS);
	     row->tool; row++) {
		size_t i = 0;
		while (tools[i] && strcmp(tools[i]->name, row->tool) != 0)
			i++;
		require(tools[i] && i < TOOLS_MAX, "recordings.txt: no tool %s", row->tool);
		recordings[i].texts[row->data] = row->text;
	}
}

static const struct recording *recording_of_tool(size_t index)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_recordings);
	return &recordings[index];
}

const struct recording *profile_recording(const struct profile *profile)
{
	return recording_of_tool(profile->tool);
}

bool profile_is_range(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_ANNOTATION ||
	       (profile->span_kind[span] == SPAN_OTHER && profile_recording(profile)->any_ranges);
}

bool profile_ran_apart(const struct profile *profile)
{
	return profile->activities && profile->metric_count && !profile->spans &&
	       !profile_recording(profile)->totals_only;
}

bool profile_times_modeled(const struct profile *profile)
{
	return profile_ran_apart(profile) ||
	       (profile->activities && profile_recording(profile)->totals_only);
}

const char *profile_recording_device(const struct profile *profile)
{
	return profile->activities ? "Record all activities of the GPU."
				   : profile_recording(profile)->device;
}

/* Of enum recorded, in its order. */
static const char *const recorded_names[] = { RECORDED_ROWS(LISTED_WORD) NULL };

const struct recording_need *recording_needs(void)
{
	return DATA_ROWS("needs.txt", struct recording_need, NEED_FIELD_ROWS);
}

const struct recording_need *recording_need_of(const char *view, const char *column, size_t nth)
{
	for (const struct recording_need *need = recording_needs(); need->data; need++)
		if (text_is_listed((view ? need->views : need->columns) ?: "", view ?: column) &&
		    !nth--)
			return need;
	return NULL;
}

enum recorded recorded_for(const char *view, const char *column)
{
	const struct recording_need *need = recording_need_of(view, column, 0);
	return need ? need->data : RECORDED_ALWAYS;
}

/* ---- what is there ---- */

static bool has_spans(const struct profile *profile, enum span_kind first, enum span_kind last)
{
	for (int kind = first; kind <= (int)last; kind++)
		if (profile->left_out.spans[kind])
			return true;
	return any_of(i, profile->spans,
		      profile->span_kind[i] >= first && profile->span_kind[i] <= last);
}

/* Work of a kind from FIRST to LAST, if LAUNCHED with a recorded launch. */
static bool has_work(const struct profile *profile, enum activity_kind first,
		     enum activity_kind last, bool launched)
{
	return any_of(i, profile->activities,
		      profile->activity_kind[i] >= first && profile->activity_kind[i] <= last &&
			      (!launched || profile->activity_launch[i] != NO_ROW));
}

/* Does a thread with operators launch GPU work, so that it is known to be theirs or not? */
static bool has_owners(const struct profile *profile)
{
	AUTO_FREE bool *operators = mem_zalloc(profile->track_count + 1, sizeof *operators);
	for (uint32_t i = 0; i < profile->spans; i++)
		operators[profile->span_track[i]] |= profile->span_kind[i] == SPAN_OPERATOR;
	return any_of(i, profile->activities,
		      profile->activity_launch[i] != NO_ROW &&
			      operators[profile->span_track[profile->activity_launch[i]]]);
}

/* Is one of the rows of an ARRAY, if there are any, not 0? */
static bool has_some(const int64_t *array, uint32_t rows)
{
	return !rows || any_of(i, rows, array[i]);
}

static bool has_names(const uint32_t *names, const uint8_t *kinds, uint32_t rows, uint8_t kind)
{
	return any_of(i, rows, kinds[i] == kind && names[i]) || !any_of(i, rows, kinds[i] == kind);
}

/* Copies and sets with their calls, and no call that launches a kernel: nothing is missing. */
static bool has_copies_only(const struct profile *profile)
{
	return has_work(profile, ACTIVITY_MEMCPY, ACTIVITY_MEMSET, true) &&
	       !has_work(profile, ACTIVITY_KERNEL, ACTIVITY_KERNEL, false) &&
	       !any_of(i, profile->spans,
		       profile->span_kind[i] == SPAN_RUNTIME &&
			       strstr(profile_string(profile, profile->span_name[i]), "Launch"));
}

/* Sizes of allocations, on the HOST, on a DEVICE. */
static bool has_sizes(const struct profile *profile, bool host, bool device)
{
	return any_of(i, profile->memory_count,
		      profile->memory_events[i].bytes &&
			      (profile->memory_events[i].device_type ? device : host));
}

bool profile_has_recorded(const struct profile *profile, enum recorded data)
{
	switch (data) {
		RECORDED_DATA(LISTED_CASE)
	case RECORDED_COMMUNICATION: /* a process alone has none */
		return profile->world_size == NO_VALUE || profile->world_size == 1 ||
		       has_work(profile, ACTIVITY_KERNEL, ACTIVITY_KERNEL, false) ||
		       has_spans(profile, SPAN_ANNOTATION, SPAN_ANNOTATION);
	default: return data != RECORDED_RANKS; /* a run of one process never has them */
	}
}

static const char *instruction(const struct recording *recording, enum recorded data)
{
	const struct {
		const char *name, *text;
	} kinds[] = { RECORDED_ROWS(LISTED_ROW) };
	return kinds[data].text;
}

const char *profile_how_to_record(const struct profile *profile, enum recorded data)
{
	if (profile_has_recorded(profile, data))
		return NULL;
	const char *own = instruction(profile_recording(profile), data);
	return own ? own : instruction(recording_of_tool(0), data);
}
