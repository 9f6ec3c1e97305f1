#include "base/hash.h"
#include "base/sort.h"
#include "model/totals.h"
#include "session/join.h"

#include <stdio.h>

enum { SAME_ID_MAX = 16 }; /* spans of one id; ids are unique in intact files */

static const char stage[] = "joining the execution trace";

struct calls_join {
	struct profile *timeline;
	const struct profile *trace;
	const struct progress *progress;
	struct hash *by_id; /* id → span */
	size_t matched, filled;
	uint32_t parent_key;
};

/* ---- spans by id ---- */

static bool is_joined_kind(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_OPERATOR ||
	       profile->span_kind[span] == SPAN_ANNOTATION;
}

/* By the ids of record functions; false when cancelled. */
static bool list_record_ids(struct calls_join *join, size_t *count)
{
	const struct profile *profile = join->timeline;
	uint32_t key =
		intern_find(profile->strings, ATTRIBUTE_RECORD_ID, strlen(ATTRIBUTE_RECORD_ID));
	bool ok = true;
	for_rows (ok, i, profile->span_attribute_count, join->progress, stage) {
		const struct attribute *at = &profile->span_attributes[i];
		if (at->key != key || !is_joined_kind(profile, at->row))
			continue;
		hash_add(join->by_id,
			 (uint64_t)strtoll(profile_string(profile, at->text), NULL, 10), at->row);
		++*count;
	}
	return ok;
}

/* By external ids, which earlier versions of PyTorch wrote for the same. */
static bool list_external_ids(struct calls_join *join)
{
	const struct profile *profile = join->timeline;
	bool ok = true;
	for_rows (ok, i, profile->spans, join->progress, stage) {
		const struct op_ids *ids =
			is_joined_kind(profile, i) ? profile_op_ids(profile, i) : NULL;
		if (ids && ids->external_id > 0)
			hash_add(join->by_id, (uint64_t)ids->external_id, i);
	}
	return ok;
}

/* ---- calls ---- */

static void fill(struct calls_join *join, uint32_t *field, uint32_t text, bool *filled)
{
	if (*field || !text)
		return;
	*field = join_text(join->timeline, join->trace, text);
	*filled = true;
}

/* Give a span details of its own. */
static void set_details(struct profile *profile, uint32_t span, const struct op_info *info)
{
	if (profile->span_info[span] == NO_ROW) {
		profile->span_info[span] = (uint32_t)profile->op_id_count;
		*mem_push(profile->op_ids, profile->op_id_count) =
			(struct op_ids){ .external_id = NO_VALUE, .sequence = NO_VALUE };
	}
	profile->op_ids[profile->span_info[span]].info = (uint32_t)profile->op_info_count;
	*mem_push(profile->op_infos, profile->op_info_count) = *info;
}

/* What the timeline has around a call it shows itself; profilers of threads begin with a bracket.
 */
static void note_parent(struct calls_join *join, const struct recorded_op *call, uint32_t span)
{
	struct profile *profile = join->timeline;
	const char *name = profile_string(join->trace, call->parent);
	if (profile->span_parent[span] != NO_ROW || !call->parent || *name == '[')
		return;
	*mem_push(profile->span_attributes, profile->span_attribute_count) =
		(struct attribute){ span, join->parent_key,
				    join_text(join->timeline, join->trace, call->parent) };
}

static void join_call(struct calls_join *join, const struct recorded_op *call, uint32_t name)
{
	struct profile *profile = join->timeline;
	size_t cursor;
	int left = SAME_ID_MAX;
	for (uint32_t span = hash_find(join->by_id, (uint64_t)call->record_id, &cursor);
	     span != NO_ROW && left-- > 0; span = hash_next(join->by_id, &cursor)) {
		bool filled = false;
		if (profile->span_name[span] != name)
			continue;
		struct op_info info = *profile_arguments(profile, span);
		fill(join, &info.shapes, call->shapes, &filled);
		fill(join, &info.types, call->types, &filled);
		fill(join, &info.concrete, call->concrete, &filled);
		if (filled)
			set_details(profile, span, &info);
		note_parent(join, call, span);
		join->matched++;
		join->filled += filled;
		return;
	}
}

static bool join_all(struct calls_join *join)
{
	const struct totals *totals = join->trace->totals;
	bool ok = true;
	for_rows (ok, i, totals->call_count, join->progress, stage) {
		const struct recorded_op *call = &totals->calls[i];
		const char *name = profile_string(join->trace, call->name);
		uint32_t id = intern_find(join->timeline->strings, name,
					  intern_length(join->trace->strings, call->name));
		if (id != NO_ROW)
			join_call(join, call, id);
	}
	return ok &&
	       sort_runs(join->timeline->span_attributes, join->timeline->span_attribute_count,
			 sizeof *join->timeline->span_attributes, join_compare_rows,
			 join->progress);
}

/* ---- the whole ---- */

/* A trace of several processes, or of one without a number, may be of any. */
static bool is_other_process(const struct profile *timeline, int64_t pid)
{
	bool numbered = false;
	for (size_t i = 0; i < timeline->process_count; i++) {
		if (timeline->processes[i].pid == pid)
			return false;
		numbered |= timeline->processes[i].pid > 0;
	}
	return pid != NO_VALUE && numbered;
}

static void note_matches(const struct calls_join *join)
{
	char text[96];
	join_note(join->timeline, "inputs of operators are from", join->trace->path);
	snprintf(text, sizeof text, "%zu of %zu, of which %zu had less in the trace", join->matched,
		 join->trace->totals->call_count, join->filled);
	join_note(join->timeline, "operators of the execution trace found here", text);
}

bool join_calls(struct profile *timeline, const struct profile *trace,
		const struct progress *progress)
{
	static const char key[] = "parent in the execution trace";
	struct calls_join join = { .timeline = timeline,
				   .trace = trace,
				   .progress = progress,
				   .by_id = hash_new(1024),
				   .parent_key =
					   intern_add(timeline->strings, key, sizeof key - 1) };
	size_t ids = 0;
	bool done = true;
	if (!is_other_process(timeline, trace->totals->pid)) {
		done = list_record_ids(&join, &ids) && (ids || list_external_ids(&join)) &&
		       join_all(&join);
		if (done)
			note_matches(&join);
	}
	hash_free(join.by_id);
	return done;
}
