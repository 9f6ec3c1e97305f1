#include "analysis/advice/claims.h"

#include "analysis/advice/detect.h"
#include "derived/activity_order.h"

static void claims_begin(struct finding *finding, enum claim_kind kind)
{
	if (finding->claim.kind != kind)
		claim_drop(finding);
	finding->claim.kind = kind;
}

void claim_idle(struct finding *finding)
{
	claims_begin(finding, CLAIM_IDLE);
}

void claim_cause(const struct diagnosis *diagnosis, struct finding *finding, enum time_cause cause)
{
	claims_begin(finding, (enum claim_kind)(CLAIM_CAUSE + cause));
	finding->cost_ns = diagnosis->cause_ns[cause];
}

int64_t claim_common(const struct diagnosis *diagnosis, struct finding *finding,
		     struct intervals *set, const struct intervals *within)
{
	intervals_merge(set);
	intervals_intersect(set, &diagnosis->window, set);
	intervals_intersect(set, within, set);
	int64_t ns = intervals_length(set);
	if (finding) {
		claims_begin(finding, CLAIM_ITEMS);
		intervals_unite(&finding->claim.items, set, &finding->claim.items);
		finding->cost_ns = ns ? ns : NO_VALUE;
	}
	intervals_free(set);
	return ns;
}

int64_t claim_host_time(const struct diagnosis *diagnosis, struct finding *finding,
			struct intervals *set)
{
	struct intervals host = { 0 };
	intervals_merge(set);
	intervals_intersect(set, &diagnosis->window, &host);
	int64_t ns = claim_common(diagnosis, finding, set, &diagnosis->idle);
	finding->claim.host = host;
	return ns;
}

void claim_activity(const struct diagnosis *diagnosis, struct finding *finding, uint32_t activity)
{
	if (!is_critical(diagnosis, activity))
		return;
	claims_begin(finding, CLAIM_WORK);
	if (!finding->claim.rows)
		finding->claim.rows = mem_zalloc(diagnosis->profile->activities / 8 + 1, 1);
	finding->claim.rows[activity / 8] |= (uint8_t)(1 << activity % 8);
}

void claim_drop(struct finding *finding)
{
	intervals_free(&finding->claim.items);
	intervals_free(&finding->claim.host);
	mem_free(finding->claim.rows);
	finding->claim = (struct claim){ .kind = CLAIM_ITEMS };
}

void claim_without(const struct diagnosis *diagnosis, struct finding *finding,
		   const struct intervals *set)
{
	struct claim claim = finding->claim;
	claim.kind = CLAIM_ITEMS;
	claim.items = (struct intervals){ 0 };
	claim_add(finding, diagnosis, &claim.items);
	finding->claim.rows = NULL;
	finding->claim.host = (struct intervals){ 0 };
	claim_drop(finding);
	intervals_subtract(&claim.items, set, &claim.items);
	finding->claim = claim;
}

/* ---- reading ---- */

/* The work of the rows that are marked, in the window. */
static void add_rows(const uint8_t *rows, const struct diagnosis *diagnosis, struct intervals *out)
{
	const struct profile *profile = diagnosis->profile;
	const uint32_t *by_start = derived_by_start(diagnosis->derived, diagnosis->progress);
	for (uint32_t i = 0; by_start && i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t row = by_start[i];
		int64_t start = profile->activity_start[row];
		if (rows[row / 8] & 1 << row % 8)
			intervals_add(out, start, start + profile->activity_dur[row]);
	}
	intervals_intersect(out, &diagnosis->window, out);
}

void claim_add(const struct finding *finding, const struct diagnosis *diagnosis,
	       struct intervals *out)
{
	const struct claim *claim = &finding->claim;
	const struct intervals none = { 0 };
	if (claim->kind == CLAIM_WORK)
		add_rows(claim->rows, diagnosis, out);
	else if (claim->kind >= CLAIM_CAUSE)
		causes_set_in(diagnosis->device, (enum time_cause)(claim->kind - CLAIM_CAUSE),
			      &diagnosis->window, out);
	else
		intervals_unite(claim->kind == CLAIM_IDLE ? &diagnosis->idle : &claim->items, &none,
				out);
}
