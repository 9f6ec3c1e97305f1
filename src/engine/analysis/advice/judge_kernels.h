/*
 * Judges the kernels of the critical device one by one, and fires when those with a problem take
 * enough of its kernel time.
 */
#pragma once

#include "model/recording.h"
#include "analysis/advice/detect.h"
#include "analysis/work/work.h"

struct judgment {
	bool unknown; /* the profile lacks what the judgment of this kernel needs */
	bool hit;     /* the kernel has the problem */
	double saved; /* the part of its duration that the remedy saves at most; NAN: unknown */
};

#define JUDGE_KERNEL(name)                                                                         \
	struct judgment name(const struct diagnosis *diagnosis, uint32_t activity,                 \
			     const void *context)
typedef JUDGE_KERNEL(judge_kernel);

/* The sums over the kernels of the critical device that count and are no communication. */
struct judged {
	uint32_t hits;
	int64_t untold_ns, hit_ns;
	double saved_ns; /* NAN: unknown of one */
	uint32_t worst;  /* the activity with most to save; NO_ROW */
};

/* The rest of a check is in KERNEL_CHECK_ROWS of tables.txt. */
struct kernel_check {
	judge_kernel *judge;
	/* May JUDGE hit kernels of NAME, or not tell? NULL: any. Tells most rows apart at once. */
	bool (*may_hit)(const struct diagnosis *diagnosis, uint32_t name, const void *context);
	const void *context;
	unsigned families; /* bits; 0: those of the row, if there is one, and its traits */
};

/* FINDING claims and blames the kernels that are hit; its cost is what can be saved. */
struct judged judge_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct kernel_check *check);

/* Settle FINDING by CHECK; returns the sums. */
struct judged check_kernels(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct kernel_check *check);

static inline struct kernel_name kernel_named(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->kernel_names[diagnosis->profile->activity_name[activity]];
}

/* The device whose kernels are judged; NULL when not recorded. */
const struct device *judged_device(const struct diagnosis *diagnosis);
struct device_rates judged_rates(const struct diagnosis *diagnosis);

/*
 * Its major compute capability; where it was not recorded, that of the newest kernels, which run on
 * no older device; NO_VALUE without such.
 */
int64_t compute_major(const struct diagnosis *diagnosis);

/* Families of kernels that memory limits. */
enum {
	MEMORY_BOUND = 1 << FAMILY_POINTWISE | 1 << FAMILY_COPY | 1 << FAMILY_SOFTMAX |
		       1 << FAMILY_NORM | 1 << FAMILY_REDUCE
};

/* The innermost operator that launched a kernel or its eager counterpart; NO_ROW. */
uint32_t kernel_operator(const struct diagnosis *diagnosis, uint32_t activity);

/* Is the first tensor of a call, or of that operator, recorded as of TYPE ("double")? */
bool call_has_type(const struct diagnosis *diagnosis, uint32_t span, const char *type);
/* Is any argument of a call (NO_ROW: none) recorded as of half precision? */
bool call_is_half(const struct diagnosis *diagnosis, uint32_t span);

/* ---- what the hardware permits ---- */

/* The time that a kernel needs at least, from its FLOPs and bytes and the peaks of its device. */
struct roof {
	struct work work;
	double peak_flops, peak_bytes; /* per second; NAN: unknown */
	double least_ns;               /* NAN: unknown */
};

/* With the type that was recorded and tensor cores if the kernel uses them. */
struct roof kernel_own_roof(const struct diagnosis *diagnosis, uint32_t activity);

/* A type of elements, and whether tensor cores compute in it if they can. */
struct precision {
	const char *type;
	bool tensor;
};

/*
 * The part of a kernel's time that computing in TO instead of FROM saves at most: by its work, else
 * by the peaks; NAN when these are unknown: a gain needs a peak.
 */
double saved_by_precision(const struct diagnosis *diagnosis, uint32_t activity,
			  struct precision from, struct precision to);

/*
 * Blocks of a kernel that fit on an SM at once, by threads, registers and shared memory; NAN when
 * these were not recorded.
 */
double kernel_resident_blocks(const struct device *device, const struct launch_config *config);
