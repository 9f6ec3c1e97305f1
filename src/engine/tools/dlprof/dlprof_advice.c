/*
 * The advice that DLProf stored, for the view of all advice.
 */
#include "tools/dlprof/dlprof_views.h"

#include <string.h>

struct meaning {
	const char *detector, *title;
	const struct view *view;
};

/* DLProf's expert systems; one that is not listed keeps its id for a title. */
static const struct meaning meanings[] = {
	{ "amp_detector", "No mixed precision", &view_operators },
	{ "underutilized_gpu_detector", "Low GPU utilization", &view_devices },
	{ "batch_size_detector", "Batch too small", &view_memory },
	{ "dataloader_detector", "Data loading without DALI", &view_operators },
	{ "cudnn_benchmark_detector", "cudnn.benchmark off", &view_operators },
	{ "no_fusion_detector", "XLA off", &view_operators },
	{ "no_iterations_detector", "Steps not marked", &view_steps },
	{ "bad_iteration_range_detector", "Few complete steps", &view_steps },
};

static const struct meaning *meaning_of(const char *detector)
{
	static const struct meaning unknown = { NULL, NULL, NULL };
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (strcmp(meanings[i].detector, detector) == 0)
			return &meanings[i];
	return &unknown;
}

void dlprof_visit_advice(const struct profile *profile, stored_advice_visitor *visit, void *context)
{
	const struct dlprof *dlprof = dlprof_of(profile);
	const struct dlprof_aggregation *from =
		dlprof ? dlprof_stored(dlprof, profile->strings, &(struct dlprof_range){ 0 })
		       : NULL;
	for (size_t i = 0; from && i < from->advice_count; i++) {
		const struct dlprof_advice *advice = &from->advice[i];
		const char *id = profile_string(profile, advice->detector);
		const struct meaning *meaning = meaning_of(id);
		visit(context,
		      &(struct stored_advice){
			      id, meaning->title, profile_string(profile, advice->problem),
			      profile_string(profile, advice->recommendation), meaning->view });
	}
}
