/*
 * Detectors of what kernels are for: the hot spot by family, layout conversions, casts, slow
 * kernels, copies on the device.
 */
#include "base/compare.h"
#include "base/data_table.h"
#include "base/text_slice.h"
#include "analysis/advice/judge_kernels.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { FAMILY_LIMIT_ROWS(_) };

/* ---- hot spot ---- */

struct family_sum {
	int64_t ns;
	uint32_t kernels;
	enum kernel_family family;
};

struct families {
	struct family_sum
		sums[KERNEL_FAMILIES]; /* by time once sorted; communication is the last */
	int64_t ns;                    /* of all but communication */
	uint32_t kernels;
};

COMPARE_MEMBERS(compare_families, struct family_sum, DOWN(ns) UP(family))

static struct families sum_families(const struct diagnosis *diagnosis)
{
	struct families families = { 0 };
	for (int i = 0; i < KERNEL_FAMILIES; i++)
		families.sums[i].family = (enum kernel_family)i;
	for (uint32_t name = 0; name < diagnosis->derived->names; name++) {
		const struct kernel_sum *of = &diagnosis->kernel_sums[name];
		struct family_sum *sum = &families.sums[diagnosis->kernel_names[name].family];
		sum->ns += of->ns;
		sum->kernels += of->kernels;
		bool communicates = sum->family == FAMILY_COMMUNICATION;
		families.ns += communicates ? 0 : of->ns;
		families.kernels += communicates ? 0 : of->kernels;
	}
	qsort(families.sums, FAMILY_COMMUNICATION, sizeof *families.sums, compare_families);
	return families;
}

/* All kernels of the names that a check is about, for no gain. */
static JUDGE_KERNEL(hit_all)
{
	return (struct judgment){ false, true, 0 };
}

/* Likewise, for their whole time. */
static JUDGE_KERNEL(save_all)
{
	return (struct judgment){ false, true, 1 };
}

struct family_action {
	const char *family, *text;
};

/* What to try before kernels of a family are tuned. */
static const char *action_for(enum kernel_family family)
{
	const struct family_action *action =
		DATA_ROWS("family_actions.txt", struct family_action, FAMILY_ACTION_FIELD_ROWS);
	while (action->family && strcmp(action->family, kernel_family_name(family)) != 0)
		action++;
	return action->text;
}

/* The families after the first, and communication, as far as they take much. */
static void list_others(const struct diagnosis *diagnosis, struct buffer *out,
			const struct families *families)
{
	enum { LISTED = 4, LISTED_PERCENT = 5 };
	bool first = true;
	for (int i = 1; i <= LISTED; i++) {
		const struct family_sum *sum =
			&families->sums[i < LISTED ? i : FAMILY_COMMUNICATION];
		if (percent_of((double)sum->ns, (double)diagnosis->kernel_ns) < LISTED_PERCENT)
			continue;
		buffer_printf(out, "%s %s %s %%", first ? "; then" : ",",
			      kernel_family_name(sum->family),
			      PERCENT(sum->ns, diagnosis->kernel_ns));
		first = false;
	}
}

/*
 * A pointer to where kernel time is, without a gain of its own: what can be saved of it is what
 * the other findings say.
 */
void detect_kernel_hotspot(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!need_kernels(diagnosis, finding))
		return;
	struct families families = sum_families(diagnosis);
	struct family_sum top = families.sums[0];
	if (families.ns < HOT_FAMILY_NS ||
	    (families.kernels < HOT_FAMILY_KERNELS && !profile_is_sums(diagnosis->profile) &&
	     (profile_times_modeled(diagnosis->profile) ||
	      window_percent(diagnosis, families.ns) < HOT_FAMILY_TIME_PERCENT))) {
		report_ok(finding, "%s kernels of %s in total are too few to compare families.",
			  COUNT(families.kernels), DURATION(families.ns));
		return;
	}
	if (percent_of((double)top.ns, (double)diagnosis->kernel_ns) < HOT_FAMILY_PERCENT) {
		report_ok(finding, "No family of kernels that compute takes %d %%; %s takes %s.",
			  HOT_FAMILY_PERCENT, kernel_family_name(top.family),
			  share_of_kernels(SHARE, diagnosis, top.ns));
		return;
	}
	bool known = top.family != FAMILY_OTHER;
	const char *name = known ? kernel_family_name(top.family) : "unclassified";
	report_problem(finding, "%c%s kernels take %s (%s kernel%s, %s each)",
		       toupper((unsigned char)name[0]), name + 1,
		       share_of_kernels(SHARE, diagnosis, top.ns), COUNT(top.kernels),
		       PLURAL(top.kernels), DURATION(top.ns / top.kernels));
	int64_t ns = diagnosis->cause_ns[CAUSE_COMPUTE] + diagnosis->cause_ns[CAUSE_OVERLAPPED];
	if (window_percent(diagnosis, ns) >= GPU_BOUND_PERCENT &&
	    !profile_times_modeled(diagnosis->profile)) {
		finding->title = "GPU-bound";
		finding->is_bound = true;
		buffer_printf(&finding->evidence, "; the GPU computes for %s",
			      share_of_time(SHARE, diagnosis, ns));
	}
	finding->recommendation = action_for(diagnosis->plain ? FAMILY_OTHER : top.family);
	judge_kernels(diagnosis, finding,
		      &(struct kernel_check){ .judge = hit_all, .families = 1u << top.family });
	finding->cost_ns = NO_VALUE;
	blame_settle(diagnosis, finding);
	list_others(diagnosis, &finding->evidence, &families);
}

/* ---- families that should not take much ---- */

void detect_needless_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	check_kernels(diagnosis, finding, &(struct kernel_check){ save_all });
}

static JUDGE_KERNEL(judge_slow_convolution)
{
	uint32_t span = kernel_operator(diagnosis, activity);
	return (struct judgment){ .hit = span != NO_ROW &&
					 name_has(diagnosis, diagnosis->profile->span_name[span],
						  MARK_SLOW_CODE),
				  .saved = NAN };
}

/* Operators of slow convolutions launch kernels where cuDNN does not compute them. */
void detect_slow_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_needless_kernels(diagnosis, finding);
	if (finding->answer == ANSWER_FIRED || !(diagnosis->any_marks & MARK_SLOW_CODE) ||
	    !diagnosis->profile->activities)
		return;
	struct judged all =
		judge_kernels(diagnosis, finding,
			      &(struct kernel_check){ judge_slow_convolution, .families = ~0u });
	if (percent_of((double)all.hit_ns, (double)diagnosis->kernel_ns) <=
	    SLOW_CONVOLUTIONS_PERCENT)
		return;
	report_problem(finding, "Convolutions without cuDNN take %s in %s kernel%s (%s)",
		       DURATION(all.hit_ns), COUNT(all.hits), PLURAL(all.hits),
		       share_of_kernels(SHARE, diagnosis, all.hit_ns));
	finding->title = "Slow convolutions";
	finding->severity = SEVERITY_MEDIUM;
	finding->recommendation = WITHOUT_CUDNN;
}

static bool inside_conversion(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct derived *derived = diagnosis->derived;
	uint32_t span = derived->activity_operator[activity];
	while (span != NO_ROW &&
	       !name_has(diagnosis, diagnosis->profile->span_name[span], MARK_CONVERSION))
		span = derived->span_owner[span];
	return span != NO_ROW;
}

/* A kernel that copies without a cast does not convert types, whatever operator it is of. */
static bool may_cast(const struct diagnosis *diagnosis, uint32_t name, const void *context)
{
	const bool *any_conversion = context;
	return diagnosis->kernel_names[name].traits & KERNEL_CAST ||
	       (*any_conversion && !strstr(profile_string(diagnosis->profile, name), "_nocast"));
}

static JUDGE_KERNEL(judge_cast)
{
	bool cast = kernel_named(diagnosis, activity).traits & KERNEL_CAST;
	return (struct judgment){ false, cast || inside_conversion(diagnosis, activity), 1 };
}

void detect_conversions(const struct diagnosis *diagnosis, struct finding *finding)
{
	bool any_conversion = false;
	for (uint32_t name = 0; name < diagnosis->derived->names; name++)
		any_conversion |= name_has(diagnosis, name, MARK_CONVERSION);
	check_kernels(diagnosis, finding,
		      &(struct kernel_check){ .judge = judge_cast,
					      .may_hit = may_cast,
					      .context = &any_conversion });
}

/* ---- copies on the device ---- */

static bool is_device_copy(const struct profile *profile, uint32_t activity)
{
	const char *name = profile_string(profile, profile->activity_name[activity]);
	return profile->activity_kind[activity] == ACTIVITY_MEMCPY &&
	       text_has_one(name, strlen(name), DEVICE_COPIES);
}

void detect_device_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t busy = 0, copies = 0, bytes = 0;
	uint32_t count = 0, sized = 0;
	finding->blame.name_operators = true;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (profile->activity_kind[i] > ACTIVITY_MEMSET || !is_critical(diagnosis, i))
			continue;
		busy += profile->activity_dur[i];
		if (!is_device_copy(profile, i))
			continue;
		copies += profile->activity_dur[i];
		sized += profile->activity_bytes[i] != NO_VALUE;
		bytes += profile->activity_bytes[i] == NO_VALUE ? 0 : profile->activity_bytes[i];
		count++;
		blame_activity(diagnosis, finding, i);
		claim_activity(diagnosis, finding, i);
	}
	finding->cost_ns = copies;
	if (percent_of((double)copies, (double)busy) > DEVICE_COPY_PERCENT)
		report_problem(
			finding, "%s cop%s within the GPU: %s in %s (%s %% of GPU time examined)",
			COUNT(count), count == 1 ? "y" : "ies", AMOUNT(sized == count, bytes),
			DURATION(copies), PERCENT(copies, busy));
	else
		report_ok(finding, "Copies within the GPU take %s %% of GPU time examined.",
			  PERCENT(copies, busy));
}
