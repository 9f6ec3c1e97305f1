#include "analysis/advice/predict.h"

#include "analysis/whatif/whatif.h"
#include "base/error.h"

static int64_t claimed_work(const struct finding *finding, const struct profile *profile)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < profile->activities; i++)
		if (finding->claim.rows[i / 8] & 1 << i % 8)
			ns += profile->activity_dur[i];
	return ns;
}

/* The edit that fixes a finding; false if none does. */
static bool edit_of_finding(const struct finding *finding, const struct profile *profile,
			    struct whatif_edit *edit)
{
	struct error error;
	if (finding->answer != ANSWER_FIRED || finding->cost_ns == NO_VALUE)
		return false;
	if (finding->detector->edit)
		return whatif_edit_parse(edit, finding->detector->edit, &error);
	if (finding->claim.kind != CLAIM_WORK)
		return false;
	double part =
		percent_of((double)finding->cost_ns, (double)claimed_work(finding, profile)) / 100;
	*edit = (struct whatif_edit){ .what = WHATIF_KERNELS,
				      .factor = part < 1 ? 1 - part : 0,
				      .rows = finding->claim.rows };
	return true;
}

static void keep_prediction(struct finding *finding, const struct whatif_prediction *prediction)
{
	finding->predicted_pct = whatif_gain(prediction, prediction->predicted);
	finding->predicted_low_pct = whatif_gain(prediction, prediction->high);
	finding->predicted_high_pct = whatif_gain(prediction, prediction->low);
	finding->predicted_why = whatif_certainty(prediction);
}

bool predict_findings(struct findings *findings, const struct diagnosis *diagnosis,
		      const struct progress *progress)
{
	struct whatif *whatif = NULL;
	bool ok = true;
	for (size_t i = 0; i < findings->count && ok; i++) {
		struct finding *finding = &findings->items[i];
		struct whatif_prediction prediction;
		struct whatif_edit edit;
		if (!progress_update(progress, "predicting gains", i, findings->count, 0))
			ok = false;
		if (!ok || !edit_of_finding(finding, diagnosis->profile, &edit))
			continue;
		if (!whatif)
			whatif = whatif_make(diagnosis->derived, WHATIF_ROWS_MAX, progress);
		ok = whatif &&
		     (whatif->refused || whatif_predict(whatif, &edit, 1, &prediction, progress));
		if (ok && whatif->refused)
			finding->predicted_why = whatif->refused;
		else if (ok)
			keep_prediction(finding, &prediction);
		whatif_edit_clear(&edit);
	}
	whatif_free(whatif);
	return ok;
}
