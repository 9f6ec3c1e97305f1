/*
 * Peak rates of devices, from data sheets or user configuration.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct device;
struct error;
struct profile;

struct device_peaks; /* user-described devices */

struct device_peaks *device_peaks_new(void);
void device_peaks_free(struct device_peaks *own); /* NULL is fine */

/*
 * Add the device described by a line: part of its name, a colon, and named rates,
 * NVIDIA A100-SXM4: fp32 19.5, tf32 156, fp16 312, bf16 312, memory 1555
 * in 10^12 operations/s (fp64, fp64_tensor, fp32, fp32_tensor, tf32, fp16_vector, fp16, bf16, fp8,
 * fp4, int8) and 10^9 bytes/s (memory). Empty lines and '#' comments are allowed. False with
 * ERROR_USAGE.
 */
bool device_peaks_add(struct device_peaks *own, const char *line, size_t length,
		      struct error *error);

/*
 * The name of the one device that TEXT names, of OWN (may be NULL) or built in, ignoring case: the
 * name is in TEXT ("NVIDIA H100 PCIe"), ends with it ("4090"), or has it as a part ("MI300X"). NULL
 * with ERROR_USAGE that lists the nearest.
 */
const char *device_peaks_find(const struct device_peaks *own, const char *text,
			      struct error *error);
const char *device_peaks_name(size_t i); /* of the Ith that is built in; NULL beyond */

enum { DEVICE_RATES = 12 };

struct device_rates {
	double rate[DEVICE_RATES]; /* from data sheets, 10^12/s; 0: unsupported or unknown */
	double single;             /* derived FLOP/s; NaN: unknown */
	double bytes;              /* memory bandwidth in bytes/s; NaN: unknown */
};

/*
 * The rates of the named device: of the first in OWN (may be NULL) whose name is part of DEVICE,
 * else the built-in ones.
 */
struct device_rates device_rates_named(const struct device_peaks *own, const char *device);

/*
 * The rates of a device of a profile, looked up once. For unknown devices derived from the profile:
 * recorded memory bandwidth, and in single precision without tensor cores one FMA per clock and
 * lane (lanes by compute capability, CUDA C++ Programming Guide). A data sheet without a rate of
 * double precision: that of single precision times FP64 lanes over FP32 lanes.
 */
struct device_rates device_rates_of(const struct device_peaks *own, const struct profile *profile,
				    const struct device *device);

/*
 * Dense peak FLOP/s for elements of TYPE ("float", "c10::Half", "float16"…); TENSOR: on tensor
 * cores, if they support the type; without, half precision has the rate of vector instructions
 * where it is known. NaN when unknown.
 */
double device_rates_flops(const struct device_rates *rates, const char *type, bool tensor);

/* ---- links between devices ---- */

/* Bytes/s that a device sends to all its peers over NVLink or Infinity Fabric; NAN: unknown. */
double device_link_bytes(const char *device);
