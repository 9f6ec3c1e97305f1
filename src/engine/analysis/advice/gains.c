#include "analysis/advice/gains.h"

#include <math.h>
#include <stdlib.h>

/* ---- abstaining ---- */

enum { EXAMINED_MIN_NS = 100000 };

static void withdraw(struct finding *finding, const char *how, const char *why)
{
	buffer_clear(&finding->evidence);
	finding->cost_ns = NO_VALUE;
	finding->subject = SUBJECT_NONE;
	cannot_tell(finding, how, "%s", why);
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
	if (cold && detector->of_host)
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

static int answer_rank(enum answer answer)
{
	return answer == ANSWER_FIRED ? 0 : answer == ANSWER_SILENT ? 1 : 2;
}

/* Findings on the smaller part of a capture leave the verdict on the rest: they come last. */
static enum concern concern_of(const struct finding *finding)
{
	enum concern concern = finding->detector->concern;
	return concern == CONCERN_TRUST && finding->severity == SEVERITY_LOW ? CONCERN_RECORDING
									     : concern;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	enum concern of_x = concern_of(x), of_y = concern_of(y);
	if (x->answer != y->answer)
		return answer_rank(x->answer) - answer_rank(y->answer);
	if (x->answer == ANSWER_FIRED && of_x != of_y)
		return of_x < of_y ? -1 : 1;
	if (x->answer == ANSWER_FIRED && x->cost_ns != y->cost_ns)
		return x->cost_ns > y->cost_ns ? -1 : 1; /* NO_VALUE is the minimum */
	if (x->answer == ANSWER_FIRED && x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return (x->detector > y->detector) - (x->detector < y->detector);
}

void findings_sort(struct findings *findings)
{
	qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
}

/* ---- claims ---- */

static void limit(struct intervals *set, const struct intervals *to)
{
	struct intervals common = { 0 };
	intervals_merge(set);
	intervals_intersect(set, to, &common);
	intervals_free(set);
	*set = common;
}

static struct interval longest_of(const struct intervals *set)
{
	struct interval longest = { 0 };
	for (size_t i = 0; i < set->count; i++)
		if (set->item[i].end - set->item[i].start > longest.end - longest.start)
			longest = set->item[i];
	return longest;
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
	limit(&finding->claim, &diagnosis->window);
	if (finding->claim.count)
		finding->longest = longest_of(&finding->claim);
	struct interval at = finding->longest;
	int64_t idle = intervals_length_in(&diagnosis->idle, at.start, at.end);
	finding->is_idle |=
		diagnosis->any_kernel && at.end > at.start && 2 * idle > at.end - at.start;
	int64_t most = intervals_length(&finding->claim);
	if (most && finding->cost_ns > most)
		finding->cost_ns = most;
	/* the rest of a claim is left to the finding that it is a part of */
	if (most && finding->detector->part && finding->cost_ns != NO_VALUE)
		trim(&finding->claim, finding->cost_ns);
}

/* Take what is left of the claim; the cost falls in proportion. */
static void take_claim(struct finding *finding, struct intervals *left)
{
	struct intervals got = { 0 };
	int64_t claimed = intervals_length(&finding->claim), free_ns = intervals_length(left);
	if (claimed) {
		intervals_move(left, &finding->claim, &got);
		double part = (double)intervals_length(&got) / (double)claimed;
		finding->cost_ns = (int64_t)((double)finding->cost_ns * part);
		intervals_free(&got);
	} else if (finding->cost_ns > free_ns) {
		finding->cost_ns = free_ns; /* of no device's time: at most all of it */
	}
	if (finding->cost_ns == 0) {
		finding->cost_ns = NO_VALUE;
		buffer_puts(&finding->evidence, ", part of findings above");
	}
}

/* By falling cost, of the findings that are parts of others or of the rest. */
static void take_claims(struct findings *findings, bool parts, const struct progress *progress,
			struct intervals *left)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];
		if (!progress_update(progress, "running checks", i, 0, 0))
			return;
		if (finding->answer == ANSWER_FIRED && finding->cost_ns != NO_VALUE &&
		    finding->detector->part == parts)
			take_claim(finding, left);
	}
}

/* Without a window, as in a list of import times, nothing can be said of what is saved. */
static void forget_costs(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		findings->items[i].cost_ns = NO_VALUE;
}

static void set_gain(struct finding *finding, const struct diagnosis *diagnosis)
{
	finding->scope_ns = diagnosis->dur;
	finding->gain_pct = finding->cost_ns == NO_VALUE || !diagnosis->dur
				    ? NAN
				    : percent_of((double)finding->cost_ns, (double)diagnosis->dur);
}

static void end_sentence(struct buffer *text)
{
	if (text->length && text->data[text->length - 1] != '.')
		buffer_putc(text, '.');
}

void gains_settle(struct findings *findings, const struct diagnosis *diagnosis)
{
	struct intervals left = { 0 }, none = { 0 };
	int64_t spent = 0;
	if (!diagnosis->dur)
		forget_costs(findings);
	findings_sort(findings);
	intervals_subtract(&diagnosis->window, &none, &left);
	take_claims(findings, true, diagnosis->progress, &left);
	take_claims(findings, false, diagnosis->progress, &left);
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];
		if (finding->cost_ns != NO_VALUE && finding->cost_ns > diagnosis->dur - spent)
			finding->cost_ns = diagnosis->dur - spent;
		spent += finding->cost_ns == NO_VALUE ? 0 : finding->cost_ns;
		set_gain(finding, diagnosis);
		end_sentence(&finding->evidence);
		intervals_free(&finding->claim);
	}
	intervals_free(&left);
	findings_sort(findings);
}
