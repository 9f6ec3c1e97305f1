#include "analysis/advice/predict.h"

#include "analysis/whatif/whatif.h"
#include "base/error.h"

/* What a finding claims, as the edit that makes it shorter. */
struct claimed {
	const struct diagnosis *diagnosis;
	uint8_t *rows;             /* a bit by activity */
	bool messages;             /* any of them is communication */
	struct intervals at, idle; /* the claim, and what of it is idle */
	int64_t ns;
};

STATIC_FREE_MEMBERS(claimed_clear, struct claimed,
		    OWN_IN(intervals_free, at) OWN_IN(intervals_free, idle) OWN(rows))

/* Of work that is not claimed by row, what lies in the claim; for the most part, unless it waits.
 */
static void find_claimed(struct claimed *claimed, const struct finding *finding)
{
	const struct diagnosis *diagnosis = claimed->diagnosis;
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
static bool edit_of_finding(const struct finding *finding, struct claimed *claimed,
			    struct whatif_edit *edit)
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
	find_claimed(claimed, finding);
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

/* The edits of findings so far, and what they refer to. */
struct predicting {
	const struct diagnosis *diagnosis;
	struct whatif *whatif; /* NULL: not needed yet */
	struct whatif_edits edits;
	struct claimed claimed[WHATIF_EDITS_MAX];
};

static void predicting_clear(struct predicting *predicting)
{
	whatif_edits_clear(&predicting->edits);
	for (size_t i = 0; i < WHATIF_EDITS_MAX; i++)
		claimed_clear(&predicting->claimed[i]);
	whatif_free(predicting->whatif);
}

/* False when cancelled. */
static bool predict_edits(const struct predicting *predicting, const struct whatif_edit *edits,
			  size_t count, struct gain_prediction *gain,
			  const struct progress *progress)
{
	struct whatif_prediction prediction;
	if (!predicting->whatif)
		return false;
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

/* The graph is made when it is first needed; of too many edits the last is not kept. */
static bool predict_finding(struct finding *finding, struct predicting *predicting,
			    const struct progress *progress)
{
	struct whatif_edits *edits = &predicting->edits;
	size_t at = edits->count < WHATIF_EDITS_MAX ? edits->count : WHATIF_EDITS_MAX - 1;
	struct whatif_edit *edit = &edits->item[at];
	struct claimed *claimed = &predicting->claimed[at];
	if (at < edits->count)
		whatif_edit_clear(edit);
	edits->count = at;
	claimed_clear(claimed);
	*claimed = (struct claimed){ .diagnosis = predicting->diagnosis };
	if (!edit_of_finding(finding, claimed, edit))
		return true;
	edits->count++;
	if (!predicting->whatif)
		predicting->whatif = whatif_make(predicting->diagnosis->derived, NULL,
						 WHATIF_ROWS_MAX, progress);
	finding->predicted.more |= finding->detector->part && !finding->detector->of_run &&
				   edit->messages && edit->what == WHATIF_REMOVE;
	return predict_edits(predicting, edit, 1, &finding->predicted, progress);
}

bool predict_findings(struct findings *findings, const struct diagnosis *diagnosis,
		      const struct progress *progress)
{
	AUTO(predicting_clear) struct predicting predicting = { .diagnosis = diagnosis };
	bool ok = true;
	for (size_t i = 0; i < findings->count && ok; i++)
		ok = progress_update(progress, "predicting gains", i, findings->count, 0) &&
		     predict_finding(&findings->items[i], &predicting, progress);
	findings->predicted = predicting.edits.count;
	return ok && (predicting.edits.count < 2 ||
		      predict_edits(&predicting, predicting.edits.item, predicting.edits.count,
				    &findings->together, progress));
}
