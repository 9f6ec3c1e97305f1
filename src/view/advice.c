/*
 * What the detectors found, and what each finding is about.
 */
#include "analysis/causes.h"
#include "analysis/detectors.h"
#include "analysis/device_metrics.h"
#include "analysis/shared.h"
#include "base/parallel.h"
#include "view/views.h"

#include <string.h>

struct ref finding_ref(const struct finding *finding, size_t number)
{
	if (finding->subject == SUBJECT_PYTHON)
		return (struct ref){ REF_FACT, (uint32_t)number, view_number(&view_python), 0 };
	return (struct ref){ REF_FINDING, (uint32_t)number, finding->subject,
			     finding->subject_row };
}

static void add_finding(struct table *table, const struct finding *finding)
{
	size_t row = table_add_row(table, finding_ref(finding, table->rows));
	table_set(table, row, "severity", value_text(severity_name(finding)));
	table_set(table, row, "problem", value_text(finding->detector->problem));
	table_set(table, row, "evidence",
		  table_copy_text(table, buffer_text(&finding->evidence),
				  finding->evidence.length));
	table_set(table, row, "recommendation", value_text(finding->recommendation));
	table_set(table, row, "cost_ns", cell_int(finding->cost_ns));
	table_set(table, row, "detector", value_text(finding->detector->id));
}

struct evidence {
	const struct selection *selection;
	const struct causes *causes;
	struct causes own;
	struct device_metrics *devices;
	size_t device_count;
};

static bool gather(void *context, size_t i, const struct progress *progress)
{
	struct evidence *evidence = context;
	const struct selection *selection = evidence->selection;
	if (i == 0)
		evidence->causes = shared_causes(selection, &evidence->own, progress);
	else
		evidence->devices = device_metrics(selection, selection->window_start,
						   selection->window_end,
						   &evidence->device_count, progress);
	return i ? evidence->devices != NULL : evidence->causes != NULL;
}

/* That a profile of Python tells nothing of devices need not be said of every rule for them. */
static bool is_worth_telling(const struct finding *finding, const struct profile *profile)
{
	return finding->answer == ANSWER_FIRED ||
	       (finding->answer == ANSWER_UNKNOWN && !profile->python);
}

static bool build_advice(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	bool all = query->group && strcmp(query->group, "all") == 0;
	struct findings findings = { 0 };
	struct evidence evidence = { .selection = selection };
	bool done = parallel_try(2, gather, &evidence, "looking for advice", query->progress,
				 query->error) &&
		    detect_all(&findings, query->run, selection, evidence.causes,
			       evidence.devices, evidence.device_count, query->progress);
	causes_free(&evidence.own);
	mem_free(evidence.devices);
	if (!done)
		return false;
	for (size_t i = 0; i < findings.count; i++)
		if (all || is_worth_telling(&findings.items[i], selection->profile))
			add_finding(table, &findings.items[i]);
	findings_free(&findings);
	return true;
}

struct ref advice_subject(struct ref ref)
{
	switch ((enum subject)ref.b) {
	case SUBJECT_OPERATOR: return (struct ref){ REF_OPERATOR, ref.c, NO_ROW, NO_ROW };
	case SUBJECT_KERNEL: return (struct ref){ REF_KERNEL, ref.c, NO_ROW, NO_ROW };
	case SUBJECT_LAYER: return (struct ref){ REF_LAYER, ref.c, 0, 0 };
	case SUBJECT_STEP: return (struct ref){ REF_STEP, ref.c, 0, 0 };
	case SUBJECT_RANK: return (struct ref){ REF_RANK, ref.c, 0, 0 };
	case SUBJECT_PYTHON: case SUBJECT_NONE: break;
	}
	return (struct ref){ REF_NONE, 0, 0, 0 };
}

const struct view view_advice = {
	.name = "advice",
	.title = "Advice",
	.row = "one finding",
	.summary = "What to look at first: findings with their evidence, what they cost and what "
		   "to do; what the profile cannot tell comes last.",
	.columns = "severity,problem,evidence,recommendation,cost_ns,detector",
	.default_columns = "severity,problem,cost_ns,evidence,recommendation",
	.default_sort = "",
	.groups = { "findings", "all" },
	.key = '9',
	.build = build_advice,
};
