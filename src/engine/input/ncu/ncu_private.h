/*
 * What the readers of Nsight Compute share: a kernel with its metrics, and their units.
 */
#pragma once

#include "base/hash.h"
#include "model/builder.h"

struct ncu {
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	uint32_t process;   /* of the kernels that follow; NO_ROW: none yet */
	int64_t clock;      /* kernels are laid end to end; ns */
	struct hash *units; /* by name of a metric: its unit */
	uint64_t kernels;
};

/* A profiled kernel while it is read; what is unknown is NO_VALUE, -1 or NaN. */
struct ncu_kernel {
	uint32_t name;
	int32_t grid[3], block[3];
	int64_t device, stream, context, registers;
	int64_t static_shared, dynamic_shared, whole_shared;
	double dur_ns, occupancy_pct;
	int64_t invocations;      /* of a summary, whose values are means; NO_VALUE: one launch */
	double least_ns, most_ns; /* of those */
	struct metric *metrics;   /* of rows that are not yet added */
	size_t metric_count;
	struct ncu_rule {
		uint32_t key, text;
	} * rules;
	size_t rule_count;
};

struct ncu ncu_begin(struct profile *profile, struct builder *builder,
		     const struct progress *progress);
void ncu_end(struct ncu *ncu);

/* Forget the kernel before; keeps its memory, which ncu_kernel_free frees. */
void ncu_kernel_begin(struct ncu_kernel *kernel);
void ncu_kernel_free(struct ncu_kernel *kernel);

/* The statistics of a summary. */
#define NCU_MINIMUM "minimum"
#define NCU_MAXIMUM "maximum"
#define NCU_AVERAGE "average"

/*
 * Add a metric of the kernel; its unit comes from its name if it has none. Known names fill the
 * kernel's own members.
 */
void ncu_metric(struct ncu *ncu, struct ncu_kernel *kernel, const struct metric *metric);

/* Add what NVIDIA's rule NAME says, without its markup. SPEEDUP is in percent, NaN: none given. */
void ncu_rule(struct ncu *ncu, struct ncu_kernel *kernel, const char *name, const char *text,
	      size_t length, const char *scope, double speedup);

/* Add the kernel and its metrics to the profile; one of a summary is a sum, and a launch without
 * duration that has the metrics. */
void ncu_kernel_end(struct ncu *ncu, struct ncu_kernel *kernel);

/* The unit that the name of a metric tells: "ns", "bytes", "%", "cycles/s"; "" when it has none. */
void ncu_unit_of_name(const char *name, char unit[32]);
/* Factor from a printed unit ("Gbyte/second", "us") to the base unit; 1 for an unknown one. */
double ncu_unit_scale(const char *unit, size_t length);
