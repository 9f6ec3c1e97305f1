#include "analysis/derived_cache.h"

#include "analysis/causes.h"
#include "base/merge_runs.h"
#include "derived/derived.h"
#include "derived/kernel_family.h"
#include "model/python_stats.h"
#include "derived/selection.h"
#include "analysis/work/work.h"

#include <stdatomic.h>

struct shared {
	struct derived_cache derived_cache; /* first member: freed through the facts */
	_Atomic(struct work_counts *) work;
	_Atomic(struct work_prefixes *) work_prefixes;
	_Atomic(struct causes *) gaps, causes; /* the causes refer to the gaps */
	_Atomic(uint32_t *) by_start;
	_Atomic(struct kernel_name *) kernel_names;
};

static void free_causes(struct causes *causes)
{
	if (causes)
		causes_free(causes);
	mem_free(causes);
}

static void derived_cache_free(struct derived_cache *derived_cache)
{
	struct shared *shared = (struct shared *)derived_cache;
	work_free(shared->work);
	work_prefixes_free(shared->work_prefixes);
	free_causes(shared->causes);
	free_causes(shared->gaps);
	mem_free(shared->by_start);
	mem_free(shared->kernel_names);
	mem_free(shared);
}

static struct shared *derived_cache_of(const struct derived *derived)
{
	_Atomic(struct derived_cache *) *slot = &((struct derived *)derived)->derived_cache;
	struct derived_cache *kept = atomic_load(slot);
	if (kept)
		return (struct shared *)kept;
	struct shared *made = mem_zalloc(1, sizeof *made);
	made->derived_cache.free = derived_cache_free;
	if (atomic_compare_exchange_strong(slot, &kept, &made->derived_cache))
		return made;
	mem_free(made);
	return (struct shared *)kept;
}

const struct work_counts *derived_work(const struct derived *derived,
				       const struct progress *progress)
{
	struct shared *shared = derived_cache_of(derived);
	struct work_counts *kept = atomic_load(&shared->work);
	if (kept)
		return kept;
	struct work_counts *made = work_count(derived, progress);
	if (!made || atomic_compare_exchange_strong(&shared->work, &kept, made))
		return made;
	work_free(made);
	return kept;
}

const struct work_prefixes *derived_work_prefixes(const struct derived *derived,
						  const struct progress *progress)
{
	struct shared *shared = derived_cache_of(derived);
	struct work_prefixes *kept = atomic_load(&shared->work_prefixes);
	if (kept)
		return kept;
	const struct work_counts *work = derived_work(derived, progress);
	struct work_prefixes *made = work ? work_add_up(work, derived, progress) : NULL;
	if (!made || atomic_compare_exchange_strong(&shared->work_prefixes, &kept, made))
		return made;
	work_prefixes_free(made);
	return kept;
}

const struct causes *derived_gaps(const struct selection *selection, struct causes *own,
				  const struct progress *progress)
{
	struct shared *shared = derived_cache_of(selection->derived);
	*own = (struct causes){ 0 };
	if (selection->span)
		return causes_find_gaps(own, selection, progress) ? own : NULL;
	struct causes *kept = atomic_load(&shared->gaps);
	if (kept)
		return kept;
	struct causes *made = mem_alloc(sizeof *made);
	if (!causes_find_gaps(made, selection, progress)) {
		mem_free(made);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&shared->gaps, &kept, made))
		return made;
	free_causes(made);
	return kept;
}

const struct causes *derived_causes(const struct selection *selection, struct causes *own,
				    const struct progress *progress)
{
	struct shared *shared = derived_cache_of(selection->derived);
	*own = (struct causes){ 0 };
	if (selection->span)
		return causes_of_steps(own, selection, progress) ? own : NULL;
	struct causes *kept = atomic_load(&shared->causes);
	const struct causes *gaps = kept ? NULL : derived_gaps(selection, own, progress);
	if (!gaps)
		return kept;
	struct causes *made = mem_alloc(sizeof *made);
	if (!causes_complete(made, gaps, selection, progress)) {
		mem_free(made);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&shared->causes, &kept, made))
		return made;
	free_causes(made);
	return kept;
}

/* Merges the tracks, each of which is sorted. NULL when cancelled. */
static uint32_t *sort_by_start(const struct profile *profile, const struct progress *progress)
{
	struct merge_run *heap = mem_alloc((profile->track_count + 1) * sizeof *heap);
	uint32_t *rows = mem_alloc(((size_t)profile->activities + 1) * sizeof *rows);
	size_t lanes = 0, count = 0;
	for (size_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		if (track->activities)
			heap[lanes++] =
				(struct merge_run){ profile->activity_start, track->first_activity,
						    track->first_activity + track->activities };
	}
	merge_begin(heap, lanes);
	bool ok = true;
	while (lanes && ok) {
		ok = progress_row(progress, "sorting launches", count, profile->activities);
		rows[count++] = heap->next;
		lanes = merge_next(heap, lanes);
	}
	mem_free(heap);
	if (ok)
		return rows;
	mem_free(rows);
	return NULL;
}

const uint32_t *derived_by_start(const struct derived *derived, const struct progress *progress)
{
	struct shared *shared = derived_cache_of(derived);
	uint32_t *kept = atomic_load(&shared->by_start);
	if (kept)
		return kept;
	uint32_t *made = sort_by_start(derived->profile, progress);
	if (!made || atomic_compare_exchange_strong(&shared->by_start, &kept, made))
		return made;
	mem_free(made);
	return kept;
}

/* ---- names of kernels ---- */

struct derived_cache_naming {
	const struct derived *derived;
	struct kernel_rules *rules;
	struct kernel_name *names;
	uint8_t *seen;
};

static void read_kernel_name(struct derived_cache_naming *naming, uint32_t name)
{
	const struct intern *strings = naming->derived->profile->strings;
	if (naming->seen[name])
		return;
	naming->seen[name] = 1;
	naming->names[name] = kernel_name_of(naming->rules, intern_text(strings, name),
					     intern_length(strings, name));
	if (naming->derived->role[name] & NAME_COMMUNICATION_KERNEL)
		naming->names[name].family = FAMILY_COMMUNICATION;
}

static bool read_all_names(struct derived_cache_naming *naming, const struct progress *progress)
{
	static const char stage[] = "reading names";
	const struct profile *profile = naming->derived->profile;
	const struct python_stats *printed = profile->python;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			read_kernel_name(naming, profile->activity_name[i]);
	}
	for (size_t i = 0; printed && i < printed->operator_count; i++) {
		if (!progress_row(progress, stage, i, printed->operator_count))
			return false;
		if (printed->operators[i].kind == ROW_KERNEL)
			read_kernel_name(naming, printed->operators[i].name);
	}
	return true;
}

/* NULL when cancelled. */
static struct kernel_name *read_kernel_names(const struct derived *derived,
					     const struct progress *progress)
{
	struct derived_cache_naming naming = {
		.derived = derived,
		.rules = kernel_rules_new(),
		.names = mem_zalloc((size_t)derived->names + 1, sizeof *naming.names),
		.seen = mem_zalloc((size_t)derived->names + 1, 1),
	};
	bool ok = read_all_names(&naming, progress);
	kernel_rules_free(naming.rules);
	mem_free(naming.seen);
	if (ok)
		return naming.names;
	mem_free(naming.names);
	return NULL;
}

const struct kernel_name *derived_kernel_names(const struct derived *derived,
					       const struct progress *progress)
{
	struct shared *shared = derived_cache_of(derived);
	struct kernel_name *kept = atomic_load(&shared->kernel_names);
	if (kept)
		return kept;
	struct kernel_name *made = read_kernel_names(derived, progress);
	if (!made || atomic_compare_exchange_strong(&shared->kernel_names, &kept, made))
		return made;
	mem_free(made);
	return kept;
}
