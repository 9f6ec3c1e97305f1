#include "analysis/advice/judge_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TYPE_MAX = 32 };

const struct device *judged_device(const struct diagnosis *diagnosis)
{
	return profile_device(diagnosis->profile, diagnosis->device->device);
}

struct device_rates judged_rates(const struct diagnosis *diagnosis)
{
	const struct device *device = judged_device(diagnosis);
	return device ? device_rates_of(diagnosis->facts->peaks, diagnosis->profile, device)
		      : (struct device_rates){ .single = NAN, .bytes = NAN };
}

int64_t compute_major(const struct diagnosis *diagnosis)
{
	const struct device *device = judged_device(diagnosis);
	uint8_t newest = 0;
	if (device && device->compute_major != NO_VALUE)
		return device->compute_major;
	for (uint32_t i = 0; i < diagnosis->facts->names; i++)
		if (diagnosis->kernel_names[i].generation > newest)
			newest = diagnosis->kernel_names[i].generation;
	return newest ? newest / 10 : NO_VALUE;
}

uint32_t kernel_operator(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct facts *facts = diagnosis->facts;
	return facts->activity_operator[facts_layer_source(facts, activity)];
}

struct judged judge_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    judge_kernel *judge, const void *context, struct blame *blame)
{
	const struct profile *profile = diagnosis->profile;
	struct judged all = { .worst = NO_ROW };
	double most = 0;
	for (uint32_t i = 0; i < profile->activities && detect_heavy_row(diagnosis, i); i++) {
		if (!counts_as_kernel(diagnosis, i))
			continue;
		struct judgment at = judge(diagnosis, i, context);
		int64_t dur = profile->activity_dur[i];
		all.kernels++;
		all.kernel_ns += dur;
		all.untold_ns += at.untold ? dur : 0;
		if (!at.hit)
			continue;
		double saved = at.saved * (double)dur;
		all.hits++;
		all.hit_ns += dur;
		all.saved_ns += saved;
		if (all.worst == NO_ROW || saved > most) {
			all.worst = i;
			most = saved;
		}
		blame_activity(blame, i, dur);
		claim_activity(diagnosis, finding, i);
	}
	/* kernels of several streams run at the same time */
	if (all.saved_ns > (double)diagnosis->dur)
		all.saved_ns = (double)diagnosis->dur;
	return all;
}

struct judged check_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct kernel_check *check)
{
	struct judged all = { .worst = NO_ROW };
	struct blame blame = { .diagnosis = diagnosis };
	if (!need_kernels(diagnosis, finding))
		return all;
	all = judge_kernels(diagnosis, finding, check->judge, check->context, &blame);
	double share = percent_of((double)all.hit_ns, (double)all.kernel_ns);
	double untold = percent_of((double)all.untold_ns, (double)all.kernel_ns);
	if (share <= check->percent && untold > check->percent)
		cannot_tell(finding, profile_how_to_record(diagnosis->profile, check->lacks),
			    "%s %% of kernel time lacks the %s that this check needs.",
			    PERCENT(untold, 100), check->needs);
	else if (!all.hits || share <= check->percent)
		stay_silent(finding, "%s take %s %% of kernel time.", check->what,
			    PERCENT(share, 100));
	else
		fire(diagnosis, finding, (int64_t)all.saved_ns, SEVERITY_LOW,
		     "%s take %s in %" PRIu32 " call%s (%s %% of kernel time)", check->what,
		     DURATION(all.hit_ns), all.hits, all.hits == 1 ? "" : "s", PERCENT(share, 100));
	if (finding->answer != ANSWER_FIRED)
		intervals_free(&finding->claim);
	blame_settle(&blame, finding, SUBJECT_KERNEL);
	return all;
}

/* ---- what the hardware permits ---- */

/* The type of the first tensor in ["float","",…]; "" when not recorded. */
static void first_type(const char *types, char type[TYPE_MAX])
{
	*type = '\0';
	while ((types = strchr(types, '"'))) {
		const char *end = strchr(++types, '"');
		if (!end)
			return;
		size_t length = (size_t)(end - types);
		if (length && length < TYPE_MAX && strncmp(types, "Scalar", 6) != 0 &&
		    strncmp(types, "TensorList", 10) != 0) {
			snprintf(type, TYPE_MAX, "%.*s", (int)length, types);
			return;
		}
		types = end + 1;
	}
}

bool call_has_type(const struct diagnosis *diagnosis, uint32_t span, const char *type)
{
	const struct op_info *info = profile_op_info(diagnosis->profile, span);
	char found[TYPE_MAX] = "";
	if (info && info->types)
		first_type(profile_string(diagnosis->profile, info->types), found);
	return strcmp(found, type) == 0;
}

bool kernel_has_type(const struct diagnosis *diagnosis, uint32_t activity, const char *type)
{
	uint32_t span = kernel_operator(diagnosis, activity);
	return span != NO_ROW && call_has_type(diagnosis, span, type);
}

static void type_of_call(const struct diagnosis *diagnosis, const struct work_counts *work,
			 uint32_t activity, char type[TYPE_MAX])
{
	const struct profile *profile = diagnosis->profile;
	uint32_t call = work->call_of[activity];
	const struct op_info *info =
		call == NO_ROW ? NULL : profile_op_info(profile, work->calls[call].span);
	first_type(info && info->types ? profile_string(profile, info->types) : "", type);
}

struct roof kernel_roof(const struct diagnosis *diagnosis, const struct work_counts *work,
			uint32_t activity, const char *precision, bool tensor)
{
	const struct profile *profile = diagnosis->profile;
	const struct device_rates *rates = &diagnosis->rates;
	struct roof roof = { { NAN, NAN }, NAN, NAN, NAN };
	char type[TYPE_MAX] = "";
	if (!work)
		return roof;
	type_of_call(diagnosis, work, activity, type);
	roof.work = work_of_activity(work, profile, activity);
	if (precision || *type)
		roof.peak_flops = device_rates_flops(rates, precision ? precision : type, tensor);
	roof.peak_bytes = rates->bytes;
	double compute = 1e9 * roof.work.flops / roof.peak_flops;
	double memory = 1e9 * roof.work.bytes / roof.peak_bytes;
	roof.least_ns = fmax(compute, memory); /* the known one, if only one is */
	return roof;
}

double saved_by_precision(const struct diagnosis *diagnosis, const struct work_counts *work,
			  uint32_t activity, struct precision from, struct precision to)
{
	double dur = (double)diagnosis->profile->activity_dur[activity];
	struct roof roof = kernel_roof(diagnosis, work, activity, to.type, to.tensor);
	if (roof.work.flops > 0 && roof.least_ns >= 0 && dur > 0)
		return fmax(0, 1 - roof.least_ns / dur);
	double now = device_rates_flops(&diagnosis->rates, from.type, from.tensor);
	double then = device_rates_flops(&diagnosis->rates, to.type, to.tensor);
	return now > 0 && then > now ? 1 - now / then : 1;
}

/* ---- launches ---- */

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

double kernel_resident_blocks(const struct device *device, const struct launch_config *config)
{
	enum { REGISTER_GRAIN = 8 }; /* per thread */
	double threads = 1;
	for (int i = 0; i < 3; i++)
		threads *= config->block[i] > 0 ? config->block[i] : NAN;
	if (device->max_threads_per_sm <= 0 || device->regs_per_sm <= 0 ||
	    device->shared_mem_per_sm <= 0 || config->regs_per_thread <= 0 ||
	    config->shared_mem_bytes < 0)
		return NAN;
	double registers =
		(config->regs_per_thread + REGISTER_GRAIN - 1) / REGISTER_GRAIN * REGISTER_GRAIN;
	double blocks = lesser(floor((double)device->max_threads_per_sm / threads),
			       floor((double)device->regs_per_sm / (registers * threads)));
	if (config->shared_mem_bytes)
		blocks = lesser(blocks, floor((double)device->shared_mem_per_sm /
					      (double)config->shared_mem_bytes));
	return blocks >= 1 ? blocks : NAN;
}
