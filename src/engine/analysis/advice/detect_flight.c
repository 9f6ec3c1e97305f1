/*
 * Detector over flight recorders: a collective that not all ranks of its group began.
 */
#include "analysis/advice/detect.h"
#include "analysis/flights.h"

/* Ranks wait for each other in the first collective that one has not begun. */
void detect_missing_collective(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct run *run = diagnosis->run;
	struct flight_gaps gaps;
	if (!diagnosis->profile->flight) {
		report_elsewhere(finding, "No flight recorder's dump is open.");
		return;
	}
	if (!flight_gaps_find(&gaps, run, diagnosis->progress) || !gaps.count) {
		report_ok(finding, "Each of %zu ranks began every collective.", run->rank_count);
	} else {
		const struct flight_gap *first = &gaps.items[0];
		const struct flight_entry *entry = flight_gap_entry(run, first);
		int64_t rank = run->ranks[first->rank].number;
		size_t same = 0;
		for (size_t i = 0; i < gaps.count; i++)
			same += gaps.items[i].rank == first->rank;
		report_problem(
			finding,
			"rank %s has not begun %s %s of group %s, which rank %s %s; it lacks %zu collective%s",
			COUNT(rank), flight_text(run, first->other, entry->name),
			COUNT(entry->sequence), flight_text(run, first->other, entry->group),
			COUNT(run->ranks[first->other].number),
			entry->completed == NO_VALUE ? "waits in" : "has completed", same,
			PLURAL(same));
		set_subject(finding, SUBJECT_RANK, (uint32_t)rank);
		finding->rank = rank;
	}
	mem_free(gaps.items);
}
