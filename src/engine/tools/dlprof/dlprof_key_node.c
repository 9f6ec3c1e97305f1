#include "tools/dlprof/dlprof_key_node.h"

#include "tools/dlprof/dlprof_derive.h"
#include "tools/dlprof/dlprof_aggregate.h"
#include "derived/derived.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stdio.h>

/* ZERO is DLProf's time of the profile's zero. */
static void parse_iterations(struct derived *derived, struct intern *strings,
			     const struct dlprof_aggregation *found, int64_t zero)
{
	size_t count = found->iteration_count;
	struct step *steps = mem_zalloc(count, sizeof *steps);
	for (size_t i = 0; i < count; i++) {
		const struct dlprof_iteration *from = &found->iteration[i];
		char name[32];
		int length = snprintf(name, sizeof name, "iteration %lld", (long long)from->number);
		steps[i] = (struct step){
			.number = from->number,
			.span = NO_ROW,
			.name = intern_add(strings, name, (size_t)length),
			.host_start = from->start > zero ? from->start - zero : 0,
			.host_end = from->stop > zero ? from->stop - zero + 1 : 1,
		};
	}
	steps_replace(derived, steps, (uint32_t)count);
}

bool key_node_cut(struct derived *derived, struct intern *strings, const char *key,
		  const struct progress *progress, struct error *error)
{
	AUTO_INTERN struct intern *own = intern_new();
	const struct profile *profile = derived->profile;
	struct dlprof *made =
		dlprof_of(profile) ? NULL : dlprof_derive(derived, own, &key, progress);
	const struct dlprof *dlprof = dlprof_of(profile) ? dlprof_of(profile) : made;
	const struct intern *texts = dlprof_of(profile) ? strings : own;
	const struct dlprof_range range = { .key = key };
	AUTO(dlprof_aggregation_clear) struct dlprof_aggregation found = { 0 };
	bool done = dlprof ? dlprof_find_iterations(dlprof, texts, &range, &found, progress, error)
			   : error_cancelled(error);
	if (done) {
		const char *id = intern_text(texts, found.key);
		derived->key_node = intern_add(strings, id, strlen(id));
		parse_iterations(derived, strings, &found, dlprof_clock(profile));
	}
	dlprof_free(made);
	return done;
}

bool key_node_of_span(const struct derived *derived, uint32_t span, struct buffer *id)
{
	AUTO_INTERN struct intern *own = intern_new();
	const struct profile *profile = derived->profile;
	const struct track *track = &profile->tracks[profile->span_track[span]];
	struct dlprof *made = dlprof_of(profile) ? NULL : dlprof_derive(derived, own, NULL, NULL);
	const struct dlprof *dlprof = dlprof_of(profile) ? dlprof_of(profile) : made;
	int64_t start = profile->span_start[span] + dlprof_clock(profile);
	const struct dlprof_instance *innermost = NULL;
	for_each (at, dlprof->instances, dlprof->instance_count)
		if (at->thread == track->tid && at->start <= start && start < at->stop &&
		    at->process == profile->processes[track->process].pid &&
		    (!innermost || at->stop - at->start < innermost->stop - innermost->start))
			innermost = at;
	if (innermost)
		buffer_puts(id, intern_text(dlprof_of(profile) ? profile->strings : own,
					    dlprof->ops[innermost->op].id));
	dlprof_free(made);
	return innermost;
}
