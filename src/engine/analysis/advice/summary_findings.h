/*
 * Findings of a rank as a summary keeps them: those that fired.
 */
#pragma once

#include "analysis/advice/detectors.h"
#include "base/packed.h"

/* Texts as the advice view shows them. */
struct summary_finding {
	const char *detector, *severity, *title, *evidence, *recommendation;
	int64_t cost_ns, scope_ns; /* NO_VALUE */
	double gain_pct;           /* NAN */
};

void summary_finding_pack(const struct summary_finding *finding, struct intern *texts,
			  struct buffer *out);

/*
 * The findings in PACKED, of rank RANK; their texts belong to STRINGS. Those of detectors that this
 * strata does not have, or that compare ranks, are left out. The caller frees with findings_free.
 * False when damaged, with nothing to free.
 */
bool summary_findings_take(struct findings *findings, int64_t rank, struct packed *packed,
			   const struct packed_texts *texts, struct intern *strings);

/*
 * In the evidence of a rank (an index of RUN) that was summarized alone: say how long it waits for
 * the other ranks, if they are known now. True if it said that it cannot tell.
 */
bool communication_with_peers(struct buffer *evidence, const struct run *run, size_t rank);

/* Does each detector in IDS, separated by commas, need the traces of other ranks? */
bool detectors_need_peers(const char *ids);

/* All detectors, silent: what findings are merged into (advice/rank_findings.h). */
void findings_of_none(struct findings *findings);

/*
 * Append those of the detectors IDS, separated by commas, that do not compare ranks. Returns how
 * many they are.
 */
size_t detectors_of_rank(const char *ids, struct buffer *out);
