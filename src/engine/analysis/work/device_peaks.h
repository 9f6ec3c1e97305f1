/*
 * What devices can do at most: by their vendors' data sheets, or as the user says.
 */
#ifndef STRATA_ANALYSIS_WORK_DEVICE_PEAKS_H
#define STRATA_ANALYSIS_WORK_DEVICE_PEAKS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct device_peaks; /* devices that the user described */

struct device_peaks *device_peaks_new(void);
void device_peaks_free(struct device_peaks *own); /* NULL is fine */

/*
 * Add the device that a line describes: a part of its name, a colon, and rates after their names,
 *	NVIDIA A100-SXM4: fp32 19.5, tf32 156, fp16 312, bf16 312, memory 1555
 * in 10^12 operations a second (fp64, fp32, tf32, fp16, bf16, fp8) and 10^9 bytes a second
 * (memory).  An empty line and what follows '#' say nothing.  False with ERROR_USAGE.
 */
bool device_peaks_add(struct device_peaks *own, const char *line, size_t length,
		      struct error *error);

/*
 * Dense peak in floating-point operations a second of the device with this name for elements of
 * TYPE ("float", "c10::Half", "float16"…); TENSOR: on its matrix units, where those take the type.
 * The first device of OWN (may be NULL) whose name is a part of this one's goes before the built-in
 * ones, rate by rate.  NaN when the device or its rate for the type is not known.
 */
double device_peak_flops(const struct device_peaks *own, const char *device, const char *type,
			 bool tensor);

/* A second, of its memory; NaN when not known. */
double device_peak_bytes(const struct device_peaks *own, const char *device);

/*
 * The same of a device of a profile.  Of one that nobody described, what the profile says of it:
 * the memory's bandwidth, and in single precision without matrix units a multiply-add a clock of
 * every lane of its multiprocessors (lanes by compute capability, CUDA C++ Programming Guide).
 */
struct device;
struct profile;
double device_peak_flops_of(const struct device_peaks *own, const struct profile *profile,
			    const struct device *device, const char *type, bool tensor);
double device_peak_bytes_of(const struct device_peaks *own, const struct profile *profile,
			    const struct device *device);

#endif
