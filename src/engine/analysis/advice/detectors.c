#include "analysis/advice/detectors.h"

#include "analysis/advice/actions.h"
#include "analysis/advice/diagnosis.h"
#include "analysis/advice/gains.h"
#include "analysis/advice/judge_kernels.h"
#include "analysis/advice/judge_snapshot.h"
#include "analysis/advice/judge_table.h"
#include "analysis/advice/predict.h"
#include "analysis/whatif/whatif.h"
#include "analysis/work/work.h"
#include "base/any_of.h"
#include "base/check.h"
#include "base/data_table.h"
#include "base/parallel.h"
#include "base/text_slice.h"
#include "model/python_stats.h"

#include <math.h>

/* ---- what each row of detectors.txt runs, in its order ---- */

#define CODE(id, name, sums) { id, detect_##name, sums },
static const struct detector_code codes[] = { DETECTOR_LIST(CODE) };

enum { DETECTORS = sizeof codes / sizeof *codes };

static const char *const severity_names[SEVERITIES + 1] = { SEVERITY_ROWS(LISTED_NAME) };
static const char *const needs_names[] = { "nothing", "kernels", "devices", "memory", NULL };

const struct detector *detectors(void)
{
	return DATA_ROWS("detectors.txt", struct detector, DETECTOR_FIELD_ROWS);
}

/* ---- all of them ---- */

static const char stage[] = "running checks";

bool evidence_derive(struct evidence *evidence, size_t part, const struct progress *progress)
{
	const struct selection *selection = evidence->selection;
	const struct derived *derived = selection->derived;
	switch (part) {
	case EVIDENCE_CAUSES:
		evidence->causes = derived_causes(selection, &evidence->own_causes, progress);
		return evidence->causes != NULL;
	case EVIDENCE_WORK: /* kept, as are names */
		return !selection->profile->activities || derived_work(derived, progress);
	case EVIDENCE_GRAPH:
		if (evidence->predict)
			evidence->whatif = whatif_make(derived, NULL, WHATIF_ROWS_MAX, progress);
		return evidence->whatif || !evidence->predict;
	case EVIDENCE_NAMES: return derived_kernel_names(derived, progress) != NULL;
	default:
		evidence->devices = device_metrics(selection, &evidence->device_count, progress);
		return evidence->devices != NULL;
	}
}

FREE_MEMBERS(evidence_free, struct evidence,
	     OWN_IN(causes_free, own_causes) OWN_BY(whatif_free, whatif) OWN(devices))

struct detection {
	const struct diagnosis *diagnosis;
	struct findings *findings;
	unsigned facts; /* actions.h */
};

static bool run_detector(void *context, size_t i, const struct progress *progress)
{
	struct detection *detection = context;
	struct finding *finding = &detection->findings->items[i];
	struct diagnosis diagnosis = *detection->diagnosis;
	diagnosis.progress = progress;
	if (!progress_update(progress, stage, i, DETECTORS, 0))
		return false;
	require(!strcmp(codes[i].id, finding->detector->id), "%s runs %s", finding->detector->id,
		codes[i].id);
	detect_one(&diagnosis, finding, &codes[i]);
	choose_action(finding, detection->facts);
	gains_prepare(finding, &diagnosis);
	return progress_update(progress, stage, i, DETECTORS, 0);
}

/* As events, or in a table that PyTorch printed. */
static bool has_operators(const struct profile *profile)
{
	const struct python_stats *table = profile->python;
	return (profile->spans && memchr(profile->span_kind, SPAN_OPERATOR, profile->spans)) ||
	       (table && first_of(at, table->operators, table->operator_count,
				  text_begins_one(profile_string(profile, at->name), "aten::")));
}

bool detect_all(struct findings *findings, const struct run *run, const struct evidence *evidence,
		const struct progress *progress)
{
	const struct selection *selection = evidence->selection;
	struct diagnosis diagnosis = { .run = run,
				       .selection = selection,
				       .causes = evidence->causes,
				       .device = critical_device(evidence->causes),
				       .devices = evidence->devices,
				       .device_count = evidence->device_count,
				       .profile = selection->profile,
				       .derived = selection->derived,
				       .progress = progress };
	struct detection detection = { &diagnosis, findings, 0 };
	struct ranks_compared compared;
	if (!evidence->compared)
		ranks_compare(&compared, run, selection->scope);
	diagnosis.compared = evidence->compared ?: &compared;
	diagnosis.rates = judged_rates(&diagnosis);
	const struct profile *profile = selection->profile;
	diagnosis.plain = !profile->snapshot && !has_operators(profile);
	*findings = (struct findings){ .items = mem_zalloc(DETECTORS, sizeof *findings->items),
				       .count = DETECTORS };
	for (size_t i = 0; i < DETECTORS; i++) {
		findings->items[i].detector = &detectors()[i];
		findings->items[i].recommendation = detectors()[i].recommendation;
		findings->items[i].cost_ns = NO_VALUE;
		findings->items[i].rank = profile->rank;
		findings->items[i].predicted =
			(struct gain_prediction){ NAN, NAN, NAN, NULL, false };
		findings->items[i].device = diagnosis.device->device;
	}
	bool done = diagnosis_fill(&diagnosis, progress) && diagnosis_prepare(&diagnosis, progress);
	detection.facts = done ? facts_of(&diagnosis) : 0;
	done = done && parallel_try_rows(profile_rows(profile), DETECTORS, run_detector, &detection,
					 stage, progress, NULL);
	done = done && (!evidence->whatif ||
			predict_findings(findings, &diagnosis, evidence->whatif, progress));
	diagnosis_release(&diagnosis);
	if (done)
		gains_settle(findings, &diagnosis);
	else
		findings_free(findings);
	diagnosis_empty(&diagnosis);
	return done;
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		buffer_free(&findings->items[i].evidence);
		claim_drop(&findings->items[i]);
	}
	mem_free(findings->items);
	*findings = (struct findings){ .items = NULL };
}

const char *finding_title(const struct finding *finding)
{
	return finding->title ? finding->title : finding->detector->problem;
}

enum severity severity_of_finding(const struct finding *finding)
{
	if (finding->answer != ANSWER_FIRED)
		return finding->answer == ANSWER_SILENT ? SEVERITY_SILENT : SEVERITY_UNKNOWN;
	return finding->detector->concern == CONCERN_HEADLINE ? SEVERITY_HEADLINE
							      : finding->severity;
}

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

enum severity severity_named(const char *name, size_t length)
{
	int severity = 0;
	while (severity < SEVERITIES && !text_is(name, length, severity_names[severity]))
		severity++;
	return (enum severity)severity;
}
