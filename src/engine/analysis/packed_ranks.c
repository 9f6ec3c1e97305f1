#include "analysis/packed_ranks.h"

#include "analysis/rank_summary.h"

/* A new member of a structure here needs a line in its list, and this size updated. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct rank_summary) == 168, "a member is not packed");

static const struct packed_type rank_type = PACKED_TYPE(struct rank_summary, RANK_FIELD_ROWS);

static const struct packed_type rank_device_type =
	PACKED_TYPE(struct rank_device, RANK_DEVICE_FIELD_ROWS);

static const struct packed_type step_type = PACKED_TYPE(struct step_summary, STEP_FIELD_ROWS);

static const struct packed_type collective_type =
	PACKED_TYPE(struct collective, COLLECTIVE_FIELD_ROWS);
_Static_assert(offsetof(struct collective, end) ==
		       offsetof(struct collective, start) + sizeof(int64_t),
	       "the length is that from the start");

static const struct packed_type flight_type = PACKED_TYPE(struct flight_entry, FLIGHT_FIELD_ROWS);

#define SHARE(member) PACKED_BELOW(struct rank_slice, member, SHORT, RANK_SLICE_WHOLE + 1)
static const struct packed_type slice_type = PACKED_TYPE(
	struct rank_slice, SHARE(computation), SHARE(communication), SHARE(overlap), SHARE(busy));

void rank_summary_pack(const struct rank_summary *summary, struct intern *texts, struct buffer *out)
{
	const struct packing packing = { out, texts, summary->strings };
	packed_add_row(&packing, &rank_type, summary);
	packed_add_rows(&packing, &rank_device_type, summary->devices, summary->device_count);
	packed_add_rows(&packing, &step_type, summary->steps, summary->step_count);
	packed_add_rows(&packing, &collective_type, summary->collectives,
			summary->collective_count);
	packed_add_rows(&packing, &flight_type, summary->flight.entries, summary->flight.count);
	packed_add_rows(&packing, &slice_type, summary->slices, summary->slice_count);
}

/* Times and their sums have no sign, and do not overflow in what adds them up. */
static bool check_steps(const struct rank_summary *summary)
{
	int64_t sums[6] = { 0 };
	bool good = true;
	for_each (step, summary->steps, summary->step_count) {
		const int64_t more[] = { step->dur,     step->computation, step->communication,
					 step->overlap, step->other,       step->idle };
		for (size_t n = 0; n < sizeof more / sizeof *more; n++)
			good &= more[n] >= 0 && !__builtin_add_overflow(sums[n], more[n], &sums[n]);
	}
	return good;
}

/* Lengths become ends. They are sorted by start, and end where they start or later. */
static bool settle_collectives(struct rank_summary *summary)
{
	bool good = true;
	for (size_t i = 0; i < summary->collective_count; i++) {
		struct collective *at = &summary->collectives[i];
		good &= (!i || at->start >= at[-1].start) && at->end >= 0 &&
			!__builtin_add_overflow(at->start, at->end, &at->end);
	}
	return good;
}

struct rank_summary *rank_summary_unpack(struct packed *packed, const struct packed_texts *texts)
{
	struct rank_summary *summary = mem_zalloc(1, sizeof *summary);
	const struct unpacking unpacking = { packed, texts, summary->strings = intern_new() };
	struct flight *flight = &summary->flight;
	packed_take_row(&unpacking, &rank_type, summary);
	summary->devices = packed_take_rows(&unpacking, &rank_device_type, &summary->device_count);
	summary->steps = packed_take_rows(&unpacking, &step_type, &summary->step_count);
	summary->collectives =
		packed_take_rows(&unpacking, &collective_type, &summary->collective_count);
	flight->entries = packed_take_rows(&unpacking, &flight_type, &flight->count);
	summary->slices = packed_take_rows(&unpacking, &slice_type, &summary->slice_count);
	return keep_if(packed_ended(packed) && summary->device_count && check_steps(summary) &&
			       settle_collectives(summary) && rank_slices_fit(summary),
		       summary, rank_summary_free);
}
