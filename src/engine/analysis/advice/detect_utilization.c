/*
 * Detectors of device utilization.
 */
#include "analysis/advice/detect.h"
#include "model/recording.h"

enum { LOW_UTIL_PERCENT = 50, UNEVEN_PERCENT = 20, WITHOUT_WORK_PART = 10 };

/* ---- devices ---- */

/* By cause: what happens instead of computation, and the first remedy. */
static const struct {
	const char *is, *remedy;
} instead[TIME_CAUSES] = { INSTEAD_OF_BATCH_ROWS };

/* Percent of its time examined that a device is busy. */
static double util_of(const struct diagnosis *diagnosis, int32_t device)
{
	const struct device_causes *causes = causes_of_device(diagnosis->causes, device);
	const struct analysis_window *time = causes ? &causes->analysis_window : NULL;
	return time ? percent_of((double)causes_busy(time->cause_ns), (double)time->dur) : 0;
}

/* The largest losses, and the remedy of the first. */
static void tell_losses(const struct diagnosis *diagnosis, struct finding *finding)
{
	enum { LOSSES_TOLD = 3, LOSS_PERCENT = 2 };
	bool told[TIME_CAUSES] = { false };
	for (int i = 0; i < LOSSES_TOLD; i++) {
		int max = -1;
		for (int cause = CAUSE_COMMUNICATION; cause <= CAUSE_UNKNOWN; cause++)
			if (!told[cause] &&
			    (max < 0 || diagnosis->cause_ns[cause] > diagnosis->cause_ns[max]))
				max = cause;
		told[max] = true;
		if (i && window_percent(diagnosis, diagnosis->cause_ns[max]) < LOSS_PERCENT)
			return;
		buffer_printf(&finding->evidence, "%s%s %% %s", i ? ", " : "; ",
			      PERCENT(diagnosis->cause_ns[max], diagnosis->dur), instead[max].is);
		if (!i)
			finding->recommendation = instead[max].remedy;
	}
}

void detect_low_utilisation(const struct diagnosis *diagnosis, struct finding *finding)
{
	AUTO_FREE double *util = mem_zalloc(diagnosis->device_count + 1, sizeof *util);
	bool low = false, all = need_all_work(diagnosis, finding);
	for (size_t i = 0; all && i < diagnosis->device_count; i++) {
		util[i] = util_of(diagnosis, diagnosis->devices[i].device);
		low |= util[i] < LOW_UTIL_PERCENT;
	}
	if (low)
		report_problem(finding, "%s", "GPU busy: ");
	else if (all)
		report_ok(finding, "%s", "GPU busy: ");
	for (size_t i = 0; all && i < diagnosis->device_count; i++)
		buffer_printf(&finding->evidence, "%s%s %s %%", i ? ", " : "",
			      DEVICE(diagnosis->devices[i].device), PERCENT(util[i], 100));
	if (low)
		tell_losses(diagnosis, finding);
	claim_idle(finding);
}

static bool communicates(const struct diagnosis *diagnosis)
{
	const int64_t *ns = diagnosis->device->ns;
	return ns[CAUSE_COMMUNICATION] + ns[CAUSE_OVERLAPPED] > 0;
}

/* Of selected calls that launch, by their names: has more than a tenth no work recorded? */
static bool lacks_launched_work(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	AUTO_FREE bool *launches = mem_zalloc(diagnosis->derived->names, sizeof *launches);
	AUTO_FREE bool *works = mem_zalloc(profile->spans, sizeof *works);
	uint32_t calls = 0, without = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t call = profile->activity_launch[i];
		if (call != NO_ROW && selection_has_span(diagnosis->selection, call))
			works[call] = launches[profile->span_name[call]] = true;
	}
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		bool call = profile->span_kind[i] == SPAN_RUNTIME &&
			    launches[profile->span_name[i]] &&
			    selection_has_span(diagnosis->selection, i);
		calls += call;
		without += call && !works[i];
	}
	return without > calls / WITHOUT_WORK_PART;
}

void detect_unused_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (!profile->device_count)
		report_unknown(finding, NULL, "The GPUs of the machine were not recorded.");
	else if (!need_devices(diagnosis, finding))
		return;
	else if (profile->world_size != NO_VALUE && profile->world_size > 1)
		report_ok(finding, "One of %s processes; others may use the other GPUs.",
			  COUNT(profile->world_size));
	else if (diagnosis->selection->scope->devices.count ||
		 diagnosis->device_count >= profile->device_count)
		report_ok(finding, "%zu of %zu GPUs run kernels.", diagnosis->device_count,
			  profile->device_count);
	else if (lacks_launched_work(diagnosis))
		report_unknown(finding, NULL,
			       "Not all work that was launched is recorded, or not of all GPUs.");
	else if (profile->world_size == NO_VALUE &&
		 (communicates(diagnosis) || !profile_has_recorded(profile, RECORDED_KERNEL_NAMES)))
		report_unknown(
			finding, NULL,
			"The kernels may communicate; the number of processes was not recorded.");
	else
		report_problem(finding, "%zu of %zu GPUs run kernels in a single-process run",
			       diagnosis->device_count, profile->device_count);
}

void detect_uneven_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	int32_t least = diagnosis->devices->device, most = least;
	for (size_t i = 1; i < diagnosis->device_count; i++) {
		int32_t at = diagnosis->devices[i].device;
		least = util_of(diagnosis, at) < util_of(diagnosis, least) ? at : least;
		most = util_of(diagnosis, at) > util_of(diagnosis, most) ? at : most;
	}
	double low = util_of(diagnosis, least), high = util_of(diagnosis, most);
	if (high - low > UNEVEN_PERCENT)
		report_problem(finding, "%s is busy %s %% of the time examined, %s %s %%",
			       DEVICE(most), PERCENT(high, 100), DEVICE(least), PERCENT(low, 100));
	else
		report_ok(finding, "%zu GPUs, busy for shares at most %s points apart.",
			  diagnosis->device_count, PERCENT(high - low, 100));
}
