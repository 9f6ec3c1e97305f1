/*
 * Predicted gains of findings: a replay of the recording under the edit of each detector.
 */
#pragma once

#include "analysis/advice/detect.h"

/*
 * Fill the prediction of those that fired and claim time, which they still hold: under the edit of
 * the detector, else with the claimed work shorter by the cost. False when cancelled.
 */
struct whatif;
bool predict_findings(struct findings *findings, const struct diagnosis *diagnosis,
		      struct whatif *whatif, const struct progress *progress);
