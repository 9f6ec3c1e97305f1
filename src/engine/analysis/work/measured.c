#include "analysis/work/measured.h"

#include "base/hash.h"

#include <math.h>

static const char stage[] = "reading metrics";

/* What the metrics of a kernel tell. */
struct measures {
	double sum, rate; /* weighted instructions, and those per cycle; NaN: not measured */
	double cycles;
	double bytes, read, written;
	bool tensor, of_kernel;
};

/* The FLOPs of an instruction: "ffma_pred_on.sum"; 0 for another counter. Sets *REST. */
static double weight_of(const char *name, const char **rest)
{
	static const char prefix[] = "smsp__sass_thread_inst_executed_op_";
	static const char suffix[] = "_pred_on.sum";
	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return 0;
	name += sizeof prefix - 1;
	double weight = *name == 'h' ? 2 : 1;
	if (!*name || !strchr("fhd", *name))
		return 0;
	if (strncmp(name + 1, "fma", 3) == 0)
		weight *= 2;
	else if (strncmp(name + 1, "add", 3) != 0 && strncmp(name + 1, "mul", 3) != 0)
		return 0;
	if (strncmp(name + 4, suffix, sizeof suffix - 1) != 0)
		return 0;
	*rest = name + 4 + sizeof suffix - 1;
	return weight;
}

static void measured_add_to(double *sum, double value)
{
	*sum = isnan(*sum) ? value : *sum + value;
}

static void note(struct measures *measures, const char *name, double value)
{
	const char *rest = "";
	double weight = weight_of(name, &rest);
	if (weight && !*rest)
		measured_add_to(&measures->sum, weight * value);
	else if (weight && strcmp(rest, ".per_cycle_elapsed") == 0)
		measured_add_to(&measures->rate, weight * value);
	else if (strcmp(name, "smsp__cycles_elapsed.avg") == 0)
		measures->cycles = value;
	else if (strcmp(name, "dram__bytes.sum") == 0)
		measures->bytes = value;
	else if (strcmp(name, "dram__bytes_read.sum") == 0)
		measures->read = value;
	else if (strcmp(name, "dram__bytes_write.sum") == 0)
		measures->written = value;
	else if (strstr(name, "_pipe_tensor") && value > 0)
		measures->tensor = true;
}

static struct work work_of(const struct measures *measures)
{
	struct work work = { measures->sum, measures->bytes };
	if (isnan(work.flops))
		work.flops = measures->rate * measures->cycles;
	if (isnan(work.bytes))
		work.bytes = measures->read + measures->written;
	if (measures->tensor)
		work.flops = NAN;
	return work;
}

/* A result that stands for a kernel counts for its launches of the same size. */
static bool spread(const struct profile *profile, const struct hash *kernels, struct work *work,
		   const struct progress *progress)
{
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		size_t cursor;
		uint32_t name = profile->activity_name[i], config = profile->activity_config[i];
		uint32_t at = hash_find(kernels, hash_pair(name, config), &cursor);
		for (; at != NO_ROW; at = hash_next(kernels, &cursor))
			if (at != i && profile->activity_name[at] == name &&
			    profile->activity_config[at] == config)
				work[i] = work[at];
	}
	return ok;
}

bool measured_work(const struct profile *profile, const struct progress *progress,
		   struct work **work)
{
	static const struct measures none = { NAN, NAN, NAN, NAN, NAN, NAN, false, false };
	bool ok = true;
	*work = NULL;
	if (!profile->metric_count)
		return true;
	AUTO_FREE struct measures *measures =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *measures);
	for (uint32_t i = 0; i < profile->activities; i++)
		measures[i] = none;
	for_rows (ok, i, profile->metric_count, progress, stage) {
		const struct metric *metric = &profile->metrics[i];
		if (metric->instance || metric->statistic || isnan(metric->value))
			continue;
		note(&measures[metric->activity], profile_string(profile, metric->name),
		     metric->value);
		measures[metric->activity].of_kernel = metric->of_kernel;
	}
	AUTO_HASH struct hash *kernels = hash_new(64);
	*work = mem_alloc(((size_t)profile->activities + 1) * sizeof **work);
	for (uint32_t i = 0; i < profile->activities; i++) {
		(*work)[i] = work_of(&measures[i]);
		if (measures[i].of_kernel)
			hash_add(kernels,
				 hash_pair(profile->activity_name[i], profile->activity_config[i]),
				 i);
	}
	return ok && spread(profile, kernels, *work, progress);
}
