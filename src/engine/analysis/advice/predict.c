#include "analysis/advice/predict.h"

#include "analysis/whatif/whatif.h"
#include "base/error.h"
#include "base/parallel.h"

static const char stage[] = "predicting gains";

/* What a finding claims, as the edit that makes it shorter. */
struct claimed {
	uint8_t *rows;             /* a bit by activity */
	bool messages;             /* any of them is communication */
	struct intervals at, idle; /* the claim, and what of it is idle */
	int64_t ns;
};

STATIC_FREE_MEMBERS(claimed_clear, struct claimed,
		    OWN_IN(intervals_free, at) OWN_IN(intervals_free, idle) OWN(rows))

/* Of work that is not claimed by row, what lies in the claim; for the most part, unless it waits.
 */
static void find_claimed(const struct diagnosis *diagnosis, const struct finding *finding,
			 struct claimed *claimed)
{
	const struct profile *profile = diagnosis->profile;
	const uint8_t *rows = finding->claim.rows;
	claimed->rows = mem_zalloc(profile->activities / 8 + 1, 1);
	if (finding->detector->late) /* it is waited for, beside other work, too */
		waits_for_peers(diagnosis, &claimed->at);
	else if (!rows)
		claim_add(finding, diagnosis, &claimed->at);
	intervals_merge(&claimed->at);
	intervals_intersect(&claimed->at, &diagnosis->idle, &claimed->idle);
	claimed->ns = intervals_length(&claimed->at);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		int64_t start = profile->activity_start[i], dur = profile->activity_dur[i];
		int64_t in = rows ? 0 : intervals_length_in(&claimed->at, start, start + dur);
		bool waits = derived_is_communication(diagnosis->derived, i);
		bool is = rows ? rows[i / 8] & 1 << i % 8
			       : is_critical(diagnosis, i) && profile_is_work(profile, i) &&
					  (waits ? in > 0 : 2 * in > dur);
		claimed->ns += rows && is ? dur : 0;
		claimed->messages |= is && waits;
		claimed->rows[i / 8] |= (uint8_t)(is << i % 8);
	}
}

/* The edit that fixes a finding; false if none does. */
static bool edit_of_finding(const struct diagnosis *diagnosis, const struct finding *finding,
			    struct claimed *claimed, struct whatif_edit *edit)
{
	struct error error;
	if (finding->answer != ANSWER_FIRED || finding->cost_ns == NO_VALUE)
		return false;
	/* what is hidden, removed or fused is what the finding claims, not all of its kind */
	bool known =
		finding->detector->edit && whatif_edit_parse(edit, finding->detector->edit, &error);
	bool fused = known && edit->what == WHATIF_FUSE, host = finding->claim.host.count > 0;
	if (known && !fused && edit->what != WHATIF_HIDE && edit->what != WHATIF_REMOVE &&
	    !(host && edit->what == WHATIF_PAUSES))
		return true;
	if (finding->detector->edit)
		whatif_edit_clear(edit);
	*edit = (struct whatif_edit){ .what = WHATIF_PAUSES, .idle = &finding->claim.host };
	if (host)
		return true;
	find_claimed(diagnosis, finding, claimed);
	double part = percent_of((double)finding->cost_ns, (double)claimed->ns) / 100;
	/* work of which nothing is left is not launched either */
	bool removed = part >= 1 && !finding->detector->late;
	*edit = (struct whatif_edit){ .what = removed             ? WHATIF_REMOVE
					      : fused             ? WHATIF_FUSE
					      : claimed->messages ? WHATIF_COMM
								  : WHATIF_KERNELS,
				      .factor = part < 1 ? 1 - part : 0,
				      .rows = claimed->rows,
				      .messages = claimed->messages,
				      .at = removed || finding->claim.rows ? NULL : &claimed->at,
				      .idle = &claimed->idle };
	return claimed->ns > 0;
}

/* A finding, what it claims and its edit. */
struct predicted {
	struct finding *finding; /* NULL: it has no edit */
	struct claimed claimed;
	struct whatif_edit edit;
};

struct predicting {
	const struct diagnosis *diagnosis;
	const struct whatif *whatif;
	struct findings *findings;
	struct predicted *items;   /* by finding */
	struct whatif_edits edits; /* of all; of too many the last is not kept */
};

static void predicting_clear(struct predicting *predicting)
{
	for (size_t i = 0; i < predicting->findings->count; i++) {
		claimed_clear(&predicting->items[i].claimed);
		whatif_edit_clear(&predicting->items[i].edit);
	}
	mem_free(predicting->items);
}

static bool find_edit(void *context, size_t i, const struct progress *progress)
{
	const struct predicting *predicting = context;
	struct finding *finding = &predicting->findings->items[i];
	struct predicted *item = &predicting->items[i];
	struct diagnosis diagnosis = *predicting->diagnosis;
	diagnosis.progress = progress;
	if (edit_of_finding(&diagnosis, finding, &item->claimed, &item->edit))
		item->finding = finding;
	return progress_update(progress, stage, i, predicting->findings->count, 0);
}

static void collect_edits(struct predicting *predicting)
{
	struct whatif_edits *edits = &predicting->edits;
	for (size_t i = 0; i < predicting->findings->count; i++) {
		const struct predicted *item = &predicting->items[i];
		if (!item->finding)
			continue;
		edits->count -= edits->count == WHATIF_EDITS_MAX;
		edits->item[edits->count++] = item->edit;
	}
}

/* False when cancelled. */
static bool predict_edits(const struct predicting *predicting, const struct whatif_edit *edits,
			  size_t count, struct gain_prediction *gain,
			  const struct progress *progress)
{
	struct whatif_prediction prediction;
	gain->why = whatif_refusal(predicting->whatif, edits, count);
	if (gain->why)
		return true;
	if (!whatif_predict(predicting->whatif, edits, count, &prediction, progress))
		return false;
	*gain = (struct gain_prediction){ whatif_gain(&prediction, prediction.predicted),
					  whatif_gain(&prediction, prediction.high),
					  whatif_gain(&prediction, prediction.low),
					  whatif_certainty(&prediction), gain->more };
	return true;
}

/* All together first, which takes longest. */
static bool predict_one(void *context, size_t i, const struct progress *progress)
{
	const struct predicting *predicting = context;
	const struct whatif_edits *edits = &predicting->edits;
	if (i == 0)
		return edits->count < 2 || predict_edits(predicting, edits->item, edits->count,
							 &predicting->findings->together, progress);
	const struct predicted *item = &predicting->items[i - 1];
	const struct whatif_edit *edit = &item->edit;
	if (!item->finding)
		return true;
	item->finding->predicted.more |= item->finding->detector->part &&
					 !item->finding->detector->of_run && edit->messages &&
					 edit->what == WHATIF_REMOVE;
	return predict_edits(predicting, edit, 1, &item->finding->predicted, progress);
}

bool predict_findings(struct findings *findings, const struct diagnosis *diagnosis,
		      struct whatif *whatif, const struct progress *progress)
{
	AUTO(predicting_clear)
	struct predicting predicting = {
		.diagnosis = diagnosis,
		.whatif = whatif,
		.findings = findings,
		.items = mem_zalloc(findings->count + 1, sizeof *predicting.items),
	};
	uint64_t rows = diagnosis->profile->activities;
	bool ok = parallel_try_rows(rows, findings->count, find_edit, &predicting, stage, progress,
				    NULL);
	collect_edits(&predicting);
	findings->predicted = predicting.edits.count;
	whatif->brief = findings->predicted > 1;
	return ok && parallel_try_rows(whatif->graph->count * (uint64_t)findings->predicted,
				       findings->count + 1, predict_one, &predicting, stage,
				       progress, NULL);
}
