/*
 * References of rows: to ranks, to what a finding is about; whether what they name exists.
 */
#include "analysis/advice/detectors.h"
#include "base/check.h"
#include "model/python_stats.h"
#include "model/snapshot.h"
#include "model/totals.h"
#include "views/views.h"

struct ref ref_of_rank(int64_t number)
{
	return (struct ref){ REF_RANK, (uint32_t)number, view_number(view_find("overview")), 0 };
}

struct ref advice_subject(struct ref ref)
{
	require(ref.kind == REF_FINDING, "reference of kind %d: no finding", (int)ref.kind);
	switch ((enum finding_subject)ref.b) {
	case SUBJECT_OPERATOR: return (struct ref){ REF_OPERATOR, ref.c, NO_ROW, NO_ROW };
	case SUBJECT_EVENTS: return (struct ref){ REF_EVENTS, ref.c, 0, 0 };
	case SUBJECT_KERNEL: return (struct ref){ REF_KERNEL, ref.c, NO_ROW, NO_ROW };
	case SUBJECT_LAYER: return (struct ref){ REF_LAYER, ref.c, 0, 0 };
	case SUBJECT_STEP: return (struct ref){ REF_STEP, ref.c, 0, 0 };
	case SUBJECT_RANK: return ref_of_rank(ref.c);
	default: return NO_REF;
	}
}

static bool ref_exists(const struct derived *derived, struct ref ref)
{
	const struct profile *profile = derived->profile;
	switch (ref.kind) {
		REF_LIMITS(LISTED_CASE)
	default: return true;
	}
}

void ref_require(const struct derived *derived, struct ref ref)
{
	require(ref_exists(derived, ref), "reference of kind %d to row %u: not in the profile",
		(int)ref.kind, (unsigned)ref.a);
}
