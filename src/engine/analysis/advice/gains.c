#include "analysis/advice/gains.h"

#include "base/any_of.h"
#include "base/compare.h"

#include <math.h>
#include <stdlib.h>

/* ---- abstaining ---- */

enum { EXAMINED_MIN_NS = 100000 };

static void withdraw(struct finding *finding, const char *how, const char *why)
{
	buffer_clear(&finding->evidence);
	finding->cost_ns = NO_VALUE;
	finding->subject = SUBJECT_NONE;
	report_unknown(finding, how, "%s", why);
}

struct doubt {
	const char *how, *why; /* NULL: none */
};

/* Why the capture cannot carry this finding. */
static struct doubt doubt_of(const struct detector *detector, const struct diagnosis *diagnosis)
{
	bool cold = diagnosis->one_off_ns > diagnosis->dur;
	bool brief = diagnosis->any_kernel && diagnosis->dur < EXAMINED_MIN_NS;
	if (detector->concern != CONCERN_PROGRAM && detector->concern != CONCERN_HEADLINE)
		return (struct doubt){ NULL, NULL };
	if (diagnosis->capturing)
		return (struct doubt){ "Record the replays of the graph.",
				       "A graph was captured: its launches did not execute." };
	if (brief)
		return (struct doubt){ "Record more work.",
				       "The GPU work of the capture takes less than 100 us." };
	if (cold && detector->needs_host)
		return (struct doubt){
			"Record after warm-up.",
			"Most of the capture is a cold start, which slows down the host."
		};
	return (struct doubt){ NULL, NULL };
}

static void abstain(struct finding *finding, const struct diagnosis *diagnosis)
{
	struct doubt doubt = doubt_of(finding->detector, diagnosis);
	if (finding->answer == ANSWER_FIRED && doubt.why)
		withdraw(finding, doubt.how, doubt.why);
}

/* ---- order ---- */

/* Findings on the smaller part of a capture leave the verdict on the rest: they come last. */
static enum concern concern_of(const struct finding *finding)
{
	enum concern concern = finding->detector->concern;
	if (concern == CONCERN_PROGRAM && finding->detector->least == SEVERITY_HIGH)
		return CONCERN_TRUST; /* it failed */
	return concern == CONCERN_TRUST && finding->severity == SEVERITY_LOW ? CONCERN_RECORDING
									     : concern;
}

/*
 * Gains that are too small to lead come after what has none, such as where a GPU spends time; after
 * what keeps the GPU busy all the time already smaller ones.
 */
enum { LEADING_PERCENT = 2, LEADING_BUSY_PERCENT = 5 };

static int64_t size_of(const struct finding *finding)
{
	return finding->cost_ns == NO_VALUE ? finding->unexplained_ns : finding->cost_ns;
}

static int class_of(const struct finding *finding)
{
	double share = 100 * (double)size_of(finding) / (double)finding->scope_ns;
	if (!size_of(finding))
		return finding->is_bound ? 1 : 3;
	return share < LEADING_PERCENT ? 4 : share < LEADING_BUSY_PERCENT ? 2 : 0;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int order = COMPARE(x->answer, y->answer);
	if (!order && x->answer == ANSWER_FIRED)
		order = COMPARE(concern_of(x), concern_of(y)) ?: COMPARE(class_of(x), class_of(y))
			?: COMPARE(y->won_ns, x->won_ns) ?: COMPARE(size_of(y), size_of(x))
			?: COMPARE(y->severity, x->severity);
	return order ?: COMPARE(x->detector, y->detector);
}

void findings_sort(struct findings *findings)
{
	qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
}

/* ---- claims ---- */

void finding_keep(struct finding *finding, double part)
{
	int64_t kept = part > 0 && finding->cost_ns != NO_VALUE
			       ? (int64_t)((double)finding->cost_ns * part)
			       : 0;
	part = kept ? part : NAN;
	finding->cost_ns = kept ? kept : NO_VALUE;
	finding->gain_pct *= part;
	finding->predicted.pct *= part;
	finding->predicted.low_pct *= part;
	finding->predicted.high_pct *= part;
	finding->predicted.why = kept ? finding->predicted.why : NULL;
}

/* How much a finding claims, and the longest of it. */
static int64_t extent_of(const struct finding *finding, const struct diagnosis *diagnosis,
			 struct interval *longest)
{
	const struct analysis_window *window = &diagnosis->device->analysis_window;
	AUTO_INTERVALS struct intervals claim = { 0 };
	if (finding->claim.kind >= CLAIM_CAUSE) { /* known without its intervals */
		*longest = window->cause_longest[finding->claim.kind - CLAIM_CAUSE];
		return window->cause_ns[finding->claim.kind - CLAIM_CAUSE];
	}
	claim_add(finding, diagnosis, &claim);
	*longest = intervals_longest(&claim);
	return intervals_length(&claim);
}

/* Keep the first NS of the set. */
static void trim(struct intervals *set, int64_t ns)
{
	for (size_t i = 0; i < set->count; i++) {
		int64_t length = set->item[i].end - set->item[i].start;
		if (length >= ns) {
			set->item[i].end = set->item[i].start + ns;
			set->count = i + (ns > 0);
			return;
		}
		ns -= length;
	}
}

void gains_prepare(struct finding *finding, const struct diagnosis *diagnosis)
{
	abstain(finding, diagnosis);
	struct intervals *items = &finding->claim.items;
	if (finding->claim.kind == CLAIM_ITEMS) {
		intervals_merge(items);
		intervals_intersect(items, &diagnosis->window, items);
	}
	const struct intervals none = { 0 };
	struct interval longest;
	int64_t all = extent_of(finding, diagnosis, &longest);
	if (all)
		finding->longest = longest;
	if (all && finding->cost_ns > all)
		finding->cost_ns = all;
	struct interval at = finding->longest;
	int64_t idle = intervals_length_in(&diagnosis->idle, at.start, at.end);
	finding->is_idle |=
		diagnosis->any_kernel && at.end > at.start && 2 * idle > at.end - at.start;
	/* the rest of a claim is left to the finding that it is a part of */
	if (all && finding->detector->part && finding->cost_ns != NO_VALUE) {
		claim_without(diagnosis, finding, &none);
		trim(&finding->claim.items, finding->cost_ns);
	}
}

/* Take from LEFT (merged) what is left of the claim; the cost falls in proportion. */
static void take_claim(struct finding *finding, const struct diagnosis *diagnosis,
		       struct intervals *left)
{
	AUTO_INTERVALS struct intervals claim = { 0 };
	claim_add(finding, diagnosis, &claim);
	int64_t claimed = intervals_length(&claim), free_ns = intervals_length(left);
	int64_t before = finding->cost_ns;
	if (claimed) {
		intervals_subtract(left, &claim, left);
		finding_keep(finding, (double)(free_ns - intervals_length(left)) / (double)claimed);
	} else if (finding->cost_ns > free_ns) {
		/* of no device's time: all of it, or part of what was taken */
		bool all = free_ns == diagnosis->dur;
		finding_keep(finding, all ? (double)free_ns / (double)finding->cost_ns : 0);
	}
	if (finding->cost_ns == NO_VALUE)
		buffer_puts(&finding->evidence, ", part of findings above");
	else if (free_ns < diagnosis->dur && 10 * (before - finding->cost_ns) > before)
		buffer_puts(&finding->evidence, "; findings above claim the rest of it");
}

/* By falling cost, of the findings that are parts of others or of the rest. */
static void take_claims(struct findings *findings, bool parts, const struct diagnosis *diagnosis,
			struct intervals *left)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];
		if (!progress_update(diagnosis->progress, "running checks", i, 0, 0))
			return;
		if (finding->answer == ANSWER_FIRED && finding->cost_ns != NO_VALUE &&
		    finding->detector->part == parts)
			take_claim(finding, diagnosis, left);
	}
}

/* Time that no finding has, what of it is idle or exposed communication, and all idle time. */
struct time_left {
	int64_t any, idle, exposed, all_idle;
};

/* Of exposed communication what is not the cost of a finding. */
static int64_t exposed_left(const struct findings *findings, const struct diagnosis *diagnosis)
{
	int64_t left = diagnosis->cause_ns[CAUSE_COMMUNICATION];
	for (size_t i = 0; left > 0 && i < findings->count; i++) {
		struct intervals claim = { 0 };
		int64_t cost = findings->items[i].cost_ns;
		if (cost == NO_VALUE)
			continue;
		claim_add(&findings->items[i], diagnosis, &claim);
		int64_t claimed = claim_common(diagnosis, NULL, &claim,
					       &diagnosis->device->set[CAUSE_COMMUNICATION]);
		left -= claimed < cost ? claimed : cost;
	}
	return left > 0 ? left : 0;
}

/*
 * What a finding about idle time needs more than what is left, others of these have less: that
 * which it is a part of, and those that a replay finds to gain less than they claim.
 */
static void take_from_others(struct findings *findings, const struct finding *finding, int64_t more,
			     double percent, struct time_left *left)
{
	/* without the margin */
	int64_t certain = (int64_t)ceil(finding->predicted.pct * percent) - finding->cost_ns;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *other = &findings->items[i];
		bool whole = finding->detector->part && !other->detector->part;
		int64_t had = other->cost_ns;
		int64_t taken = (other->is_idle ? more : certain) - left->idle;
		int64_t needed = whole ? 0
				 : isnan(other->predicted.pct) || other->predicted.why
					 ? had
					 : (int64_t)ceil(other->predicted.high_pct * percent);
		/* idle time; of work what it mostly claims in vain */
		if (other == finding || had == NO_VALUE || taken <= 0 || had <= needed ||
		    (!other->is_idle && had / 2 < needed))
			continue;
		taken = taken < had - needed ? taken : had - needed;
		if (whole || taken == had)
			finding_keep(other, (double)(had - taken) / (double)had);
		else
			other->cost_ns = had - taken;
		left->any += taken;
		left->idle += taken;
	}
}

/*
 * A bound holds what is predicted, as far as time is left that no finding has, of one about idle
 * time of that; else less is predicted. Work beside it lasts as long as before: there is no more to
 * win than all idle time, or of ranks that wait less for each other, the communication.
 */
static void agree_with_prediction(struct findings *findings, struct finding *finding,
				  const struct diagnosis *diagnosis, struct time_left *left)
{
	double percent = (double)diagnosis->dur / 100;
	if (finding->cost_ns == NO_VALUE || isnan(finding->predicted.pct))
		return;
	/* a bound is no measure of what is above a replay, unless the replay leaves out a gain */
	bool replayed = finding->predicted.why && !finding->predicted.more;
	double high = replayed ? finding->predicted.pct : finding->predicted.high_pct;
	if (finding->predicted.more && finding->detector->of_run) /* of shared work */
		high = fmax(high, 1.15 * (double)finding->cost_ns / percent);
	int64_t more = (int64_t)ceil(high * percent) - finding->cost_ns;
	if (finding->is_idle)
		take_from_others(findings, finding, more, percent, left);
	int64_t room = finding->is_idle ? left->idle : left->all_idle;
	room += finding->predicted.more ? left->exposed : 0;
	more = more < left->any ? more : left->any;
	more = more < room ? more : room;
	if (more > 0) {
		finding->cost_ns += more;
		left->any -= more;
		left->idle -= finding->is_idle ? more : 0;
		if (finding->predicted.more)
			left->exposed -= more < left->exposed ? more : left->exposed;
	}
	double most = (double)finding->cost_ns / percent;
	if (finding->predicted.pct > most)
		finding->predicted.low_pct *= most / finding->predicted.pct;
	finding->predicted.pct = fmin(finding->predicted.pct, most);
	finding->predicted.high_pct =
		finding->predicted.why ? most : fmin(finding->predicted.high_pct, most);
}

/* Of the findings that are PARTS of others, or of those that are not. */
static void agree_with_predictions(struct findings *findings, bool parts,
				   const struct diagnosis *diagnosis, struct time_left *left)
{
	for_each_mutable (finding, findings->items, findings->count)
		if (finding->detector->part == parts)
			agree_with_prediction(findings, finding, diagnosis, left);
}

void gains_settle(struct findings *findings, const struct diagnosis *diagnosis)
{
	struct intervals none = { 0 }, rest = { 0 };
	struct time_left left = { .any = diagnosis->dur };
	findings_sort(findings);
	/* as of a Python profile: costs order findings and say nothing of what is saved */
	for (size_t i = 0; !diagnosis->dur && i < findings->count; i++)
		findings->items[i].cost_ns = NO_VALUE;
	intervals_subtract(&diagnosis->window, &none, &rest);
	take_claims(findings, true, diagnosis, &rest);
	take_claims(findings, false, diagnosis, &rest);
	for_each_mutable (finding, findings->items, findings->count) {
		if (finding->cost_ns == NO_VALUE)
			continue;
		if (finding->cost_ns > left.any)
			finding_keep(finding, (double)left.any / (double)finding->cost_ns);
		left.any -= finding->cost_ns == NO_VALUE ? 0 : finding->cost_ns;
	}
	intervals_intersect(&rest, &diagnosis->idle, &rest);
	left.idle = intervals_length(&rest);
	left.all_idle = intervals_length(&diagnosis->idle);
	if (any_of(i, findings->count, findings->items[i].predicted.more))
		left.exposed = exposed_left(findings, diagnosis);
	agree_with_predictions(findings, true, diagnosis, &left);
	agree_with_predictions(findings, false, diagnosis, &left);
	/* a GPU that waits for launches does so beside shorter kernels, too: a replay says what is
	 * won */
	bool late = any_of(i, findings->count,
			   findings->items[i].answer == ANSWER_FIRED &&
				   strcmp(findings->items[i].detector->id, "launch_bound") == 0);
	for_each_mutable (finding, findings->items, findings->count) {
		const struct buffer *text = &finding->evidence;
		bool replayed = late && finding->detector->needs == NEEDS_KERNELS &&
				!finding->is_idle && !isnan(finding->predicted.pct);
		finding->won_ns =
			replayed ? (int64_t)(finding->predicted.pct * (double)diagnosis->dur / 100)
				 : size_of(finding);
		double part = finding->cost_ns == NO_VALUE ? NAN : (double)finding->cost_ns;
		finding->scope_ns = diagnosis->dur;
		finding->gain_pct = diagnosis->dur ? 100 * part / (double)diagnosis->dur : NAN;
		if (text->length && text->data[text->length - 1] != '.')
			buffer_putc(&finding->evidence, '.');
		claim_drop(finding);
	}
	intervals_free(&rest);
	if (diagnosis->dur)
		findings_sort(findings);
}
