#include "analysis/advice/judge_kernels.h"

#include "base/any_of.h"

#include <math.h>

static const struct kernel_check_row {
	const char *detector;
	unsigned families, traits; /* bits of names that may be hit; 0: any */
	double percent;            /* fires above this share of kernel time */
	const char *what;          /* "Kernels that convert between NCHW and NHWC" */
	const char *needs;         /* "launch parameters"; NULL: nothing */
	enum recorded lacks;       /* what has them */
} kernel_check_rows[] = { KERNEL_CHECK_ROWS };

/* NULL: the detector decides otherwise. */
static const struct kernel_check_row *row_of_check(const struct finding *finding)
{
	return first_of(at, kernel_check_rows, sizeof kernel_check_rows / sizeof *kernel_check_rows,
			strcmp(at->detector, finding->detector->id) == 0);
}

const struct device *judged_device(const struct diagnosis *diagnosis)
{
	return profile_device(diagnosis->profile, diagnosis->device->device);
}

struct device_rates judged_rates(const struct diagnosis *diagnosis)
{
	const struct device *device = judged_device(diagnosis);
	return device ? device_rates_of(diagnosis->derived->peaks, diagnosis->profile, device)
		      : (struct device_rates){ .single = NAN, .bytes = NAN };
}

int64_t compute_major(const struct diagnosis *diagnosis)
{
	const struct device *device = judged_device(diagnosis);
	uint8_t newest = 0;
	if (device && device->compute_major != NO_VALUE)
		return device->compute_major;
	for (uint32_t i = 0; i < diagnosis->derived->names; i++)
		raise_to(newest, diagnosis->kernel_names[i].generation);
	return newest ? newest / 10 : NO_VALUE;
}

uint32_t kernel_operator(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct derived *derived = diagnosis->derived;
	return derived->activity_operator[derived_layer_source(derived, activity)];
}

/* By name: may kernels of this name be hit or untold? NULL when there are none. */
static uint8_t *find_names(const struct diagnosis *diagnosis, const struct kernel_check *check,
			   const struct kernel_check_row *row)
{
	uint32_t names = diagnosis->derived->names, found = 0;
	unsigned families = check->families || !row ? check->families : row->families;
	unsigned traits = check->families || !row ? 0 : row->traits;
	uint8_t *may = mem_zalloc((size_t)names + 1, 1);
	for (uint32_t name = 0; name < names; name++) {
		struct kernel_name of = diagnosis->kernel_names[name];
		may[name] = diagnosis->kernel_sums[name].kernels &&
			    (!families || families >> of.family & 1) &&
			    (!traits || of.traits & traits) &&
			    (!check->may_hit || check->may_hit(diagnosis, name, check->context));
		found += may[name];
	}
	return mem_if(found, may);
}

/* Of a kernel: the time without communication, which it hides: made faster, it leaves it exposed.
 */
static double alone_ns(const struct diagnosis *diagnosis, uint32_t activity, size_t *near)
{
	int64_t start = diagnosis->profile->activity_start[activity];
	int64_t end = profile_activity_end(diagnosis->profile, activity);
	return (double)(end - start -
			intervals_length_near(&diagnosis->device->set[CAUSE_OVERLAPPED], start, end,
					      near));
}

/* Of a table without single kernels, whose names alone decide; nothing says what is saved. */
static struct judged judge_sums(const struct diagnosis *diagnosis, struct finding *finding,
				const uint8_t *may)
{
	struct judged all = { .worst = NO_ROW };
	for (uint32_t name = 0; may && name < diagnosis->derived->names; name++) {
		if (!may[name])
			continue;
		all.hits += diagnosis->kernel_sums[name].kernels;
		all.hit_ns += diagnosis->kernel_sums[name].ns;
		blame_kernels(diagnosis, finding, name, diagnosis->kernel_sums[name].ns);
	}
	finding->cost_ns = NO_VALUE;
	return all;
}

struct judged judge_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct kernel_check *check)
{
	const struct profile *profile = diagnosis->profile;
	struct judged all = { .worst = NO_ROW };
	double most = 0;
	size_t near = 0;
	AUTO_FREE uint8_t *may = find_names(diagnosis, check, row_of_check(finding));
	if (!profile->activities)
		return judge_sums(diagnosis, finding, may);
	for (uint32_t i = 0; may && i < profile->activities && detect_heavy_row(diagnosis, i);
	     i++) {
		if (!counts_as_kernel(diagnosis, i) || !may[profile->activity_name[i]])
			continue;
		struct judgment at = check->judge(diagnosis, i, check->context);
		int64_t dur = profile->activity_dur[i];
		all.untold_ns += at.unknown ? dur : 0;
		if (!at.hit)
			continue;
		double alone = alone_ns(diagnosis, i, &near), saved = at.saved * (double)dur;
		saved = saved > alone ? alone : saved; /* NAN stays */
		all.hits++;
		all.hit_ns += dur;
		all.saved_ns += saved;
		if (all.worst == NO_ROW || saved > most) {
			all.worst = i;
			most = saved;
		}
		blame_activity(diagnosis, finding, i);
		claim_activity(diagnosis, finding, i);
	}
	/* kernels of several streams run at the same time */
	lower_to(all.saved_ns, (double)diagnosis->dur);
	finding->cost_ns = isnan(all.saved_ns) ? NO_VALUE : (int64_t)all.saved_ns;
	return all;
}

struct judged check_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct kernel_check *check)
{
	struct judged all = judge_kernels(diagnosis, finding, check);
	const struct kernel_check_row *row = row_of_check(finding);
	double share = percent_of((double)all.hit_ns, (double)diagnosis->kernel_ns);
	double unknown = percent_of((double)all.untold_ns, (double)diagnosis->kernel_ns);
	if (share <= row->percent && unknown > row->percent)
		report_unknown(finding, profile_how_to_record(diagnosis->profile, row->lacks),
			       "%s lacks the %s that this check needs.",
			       share_of_kernels(SHARE, diagnosis, all.untold_ns), row->needs);
	else if (!all.hits || share <= row->percent)
		report_ok(finding, "%s take %s.", row->what,
			  share_of_kernels(SHARE, diagnosis, all.hit_ns));
	else
		report_problem(finding, "%s take %s in %s call%s (%s)", row->what,
			       DURATION(all.hit_ns), COUNT(all.hits), PLURAL(all.hits),
			       share_of_kernels(SHARE, diagnosis, all.hit_ns));
	blame_settle(diagnosis, finding);
	return all;
}

/* ---- what the hardware permits ---- */

static const struct call_type *judge_kernels_type_of(const struct diagnosis *diagnosis,
						     uint32_t span)
{
	const struct op_info *info =
		span == NO_ROW ? NULL : profile_op_info(diagnosis->profile, span);
	return &diagnosis->call_types[info ? diagnosis->call_type_of[info->types] : 0];
}

bool call_has_type(const struct diagnosis *diagnosis, uint32_t span, const char *type)
{
	return strcmp(judge_kernels_type_of(diagnosis, span)->name, type) == 0;
}

bool call_is_half(const struct diagnosis *diagnosis, uint32_t span)
{
	return judge_kernels_type_of(diagnosis, span)->half;
}

/* PRECISION replaces the recorded type ("half"); NULL: as recorded. */
static struct roof kernel_roof(const struct diagnosis *diagnosis, uint32_t activity,
			       const char *precision, bool tensor)
{
	const struct work_counts *work = diagnosis->work;
	const struct profile *profile = diagnosis->profile;
	const struct device_rates *rates = &diagnosis->rates;
	struct roof roof = { { NAN, NAN }, NAN, NAN, NAN };
	if (!work)
		return roof;
	uint32_t call = work_call_of(work, activity);
	const struct call_type *type =
		judge_kernels_type_of(diagnosis, call == NO_ROW ? NO_ROW : work->calls[call].span);
	roof.work = work_of_activity(work, profile, activity);
	roof.peak_flops = precision ? device_rates_flops(rates, precision, tensor)
			  : tensor  ? type->tensor_flops
				    : type->plain_flops;
	roof.peak_bytes = rates->bytes;
	double compute = 1e9 * roof.work.flops / roof.peak_flops;
	double memory = 1e9 * roof.work.bytes / roof.peak_bytes;
	roof.least_ns = fmax(compute, memory); /* the known one, if only one is */
	return roof;
}

struct roof kernel_own_roof(const struct diagnosis *diagnosis, uint32_t activity)
{
	uint32_t name = diagnosis->profile->activity_name[activity];
	return kernel_roof(diagnosis, activity, NULL,
			   diagnosis->derived->kernel_tensor[name] == TENSOR_YES);
}

double saved_by_precision(const struct diagnosis *diagnosis, uint32_t activity,
			  struct precision from, struct precision to)
{
	double dur = (double)diagnosis->profile->activity_dur[activity];
	struct roof roof = kernel_roof(diagnosis, activity, to.type, to.tensor);
	if (roof.work.flops > 0 && roof.least_ns >= 0 && dur > 0)
		return fmax(0, 1 - roof.least_ns / dur);
	double now = device_rates_flops(&diagnosis->rates, from.type, from.tensor);
	double then = device_rates_flops(&diagnosis->rates, to.type, to.tensor);
	return now > 0 && then > now ? 1 - now / then : NAN; /* as near to the peak as before */
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
