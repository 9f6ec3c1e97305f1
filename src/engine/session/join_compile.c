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

/* Give kernels the place of the code that Inductor generated for their name last. */
static bool note_code(struct profile *timeline, const struct progress *progress)
{
	const struct compile_items *kernels = &timeline->compile->items[OF_KERNEL];
	uint32_t key = profile_intern(timeline, "generated code"), at;
	AUTO_KEYED struct keyed names = { 0 };
	AUTO_FREE uint32_t *places = NULL;
	for (size_t i = 0; i < kernels->count; i++) {
		const uint32_t *text = kernels->at[i].text;
		*keyed_item(&names, places, &text[KERNEL_NAME]) =
			profile_print(timeline, "%s:%lld, compilation %s",
				      profile_string(timeline, text[KERNEL_FILE]),
				      (long long)kernels->at[i].number[KERNEL_LINE],
				      profile_string(timeline, kernels->at[i].id));
	}
	for (uint32_t i = 0; i < timeline->activities; i++) {
		if (!progress_row(progress, "joining logs", i, timeline->activities))
			return false;
		at = keyed_find(&names, &timeline->activity_name[i], sizeof at);
		if (at != UINT32_MAX)
			*mem_push(timeline->activity_attributes, timeline->activity_attribute_count,
				  timeline->activity_attribute_cap) =
				(struct attribute){ i, key, places[at] };
	}
	return sort_runs(timeline->activity_attributes, timeline->activity_attribute_count,
			 sizeof *timeline->activity_attributes, join_compare_rows, progress);
}

bool join_compile(struct profile *timeline, struct profile *report, const struct progress *progress)
{
	struct compile_log *log = report->compile;
	int64_t rank = join_rank_of(timeline), other = join_rank_of(report);
	if (timeline->compile || (rank != NO_VALUE && other != NO_VALUE && rank != other))
		return true;
	for (int kind = 0; kind < COMPILE_KINDS; kind++)
		for (size_t i = 0; i < log->items[kind].count; i++) {
			struct compile_item *item = &log->items[kind].at[i];
			item->id = join_text(timeline, report, item->id);
			for (int text = 0; text < COMPILE_TEXTS; text++)
				item->text[text] = join_text(timeline, report, item->text[text]);
		}
	timeline->compile = log;
	report->compile = NULL;
	join_note(timeline, "log of torch.compile joined", text_file_name(report->path));
	return note_code(timeline, progress);
}
