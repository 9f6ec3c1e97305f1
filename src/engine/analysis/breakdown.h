/*
 * Step time breakdown into the eight classes of the TensorBoard plugin.
 */
#pragma once

#include "base/listed.h"
#include "base/progress.h"
#include "text_tables.h"

struct selection;

/* By priority: an instant counts for the first class active. */
enum time_class { TIME_CLASS_ROWS(LISTED) TIME_CLASSES };

/* Column id of a class ("kernel_ns"). */
const char *time_class_column(enum time_class time_class);

struct breakdown {
	int64_t ns[TIME_CLASSES]; /* sums exactly to the step */
};

/*
 * One breakdown per step over the rows of SELECTION; the caller frees with mem_free; NULL when
 * cancelled. Devices and threads are pooled. Kernel: kernels other than communication.
 * Communication: communication kernels, or without a device the host intervals of communication
 * operators. CPU Exec: operators, and annotations other than steps.
 */
struct breakdown *breakdown_of_steps(const struct selection *selection,
				     const struct progress *progress);
