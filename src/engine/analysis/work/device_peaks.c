#include "analysis/work/device_peaks.h"

#include "base/error.h"
#include "model/profile.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum rate { FP64, FP32, TF32, FP16, BF16, FP8, MEMORY, RATES };

static const char *const rate_names[RATES] = { "fp64", "fp32", "tf32",  "fp16",
					       "bf16", "fp8",  "memory" };

struct peak {
	const char *name; /* part of the device's name */
	double rate[RATES];
};

/*
 * 10^12 operations/s without sparsity, 10^9 bytes/s; 0: unsupported. Sources: data sheets "NVIDIA
 * Tesla P100", "NVIDIA V100", "NVIDIA T4", "NVIDIA A100", "NVIDIA A10", "NVIDIA A40", "NVIDIA L4",
 * "NVIDIA L40S", "NVIDIA H100", "NVIDIA H200", "NVIDIA DGX B200", white papers of the GeForce
 * architectures GA102 and Ada, and AMD's "Instinct MI210", "MI250X" and "MI300X". bfloat16 requires
 * a generation after Volta and Turing. More specific names come first.
 */
static const struct peak built_in[] = {
	/*                   fp64  fp32   tf32   fp16    bf16    fp8     memory */
	{ "P100-SXM2", { 5.3, 10.6, 0, 21.2, 0, 0, 732 } },
	{ "P100", { 4.7, 9.3, 0, 18.7, 0, 0, 732 } },
	{ "V100-PCIE", { 7, 14, 0, 112, 0, 0, 900 } },
	{ "V100S", { 8.2, 16.4, 0, 130, 0, 0, 1134 } },
	{ "V100", { 7.8, 15.7, 0, 125, 0, 0, 900 } },
	{ "Tesla T4", { 0, 8.1, 0, 65, 0, 0, 320 } },
	{ "A100-SXM4-80GB", { 9.7, 19.5, 156, 312, 312, 0, 2039 } },
	{ "A100 80GB PCIe", { 9.7, 19.5, 156, 312, 312, 0, 1935 } },
	{ "A100", { 9.7, 19.5, 156, 312, 312, 0, 1555 } },
	{ "NVIDIA A10G", { 0, 31.2, 35, 70, 70, 0, 600 } },
	{ "NVIDIA A10", { 0, 31.2, 62.5, 125, 125, 0, 600 } },
	{ "NVIDIA A40", { 0, 37.4, 74.8, 149.7, 149.7, 0, 696 } },
	{ "NVIDIA L40S", { 0, 91.6, 183, 362, 362, 733, 864 } },
	{ "NVIDIA L4", { 0, 30.3, 60, 121, 121, 242.5, 300 } },
	{ "RTX 3090", { 0, 35.6, 35.6, 71, 71, 0, 936 } },
	{ "RTX 4090", { 0, 82.6, 82.6, 165.2, 165.2, 330.3, 1008 } },
	{ "H100 PCIe", { 26, 51, 378, 756, 756, 1513, 2000 } },
	{ "H100 NVL", { 30, 60, 417.5, 835, 835, 1670.5, 3900 } },
	{ "H100", { 34, 67, 494.7, 989.4, 989.4, 1978.9, 3350 } },
	{ "H200", { 34, 67, 494.7, 989.4, 989.4, 1978.9, 4800 } },
	{ "B200", { 40, 80, 1100, 2250, 2250, 4500, 8000 } },
	{ "MI210", { 22.6, 22.6, 0, 181, 181, 0, 1638 } },
	{ "MI250", { 47.9, 47.9, 0, 383, 383, 0, 3277 } },
	{ "MI300X", { 81.7, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 5300 } },
};

/* ---- user-described devices ---- */

struct device_peaks {
	struct peak *items; /* NaN: not given */
	size_t count, capacity;
	struct arena *arena;
};

struct device_peaks *device_peaks_new(void)
{
	struct device_peaks *own = mem_zalloc(1, sizeof *own);
	own->arena = arena_new();
	return own;
}

void device_peaks_free(struct device_peaks *own)
{
	if (!own)
		return;
	mem_free(own->items);
	arena_free(own->arena);
	mem_free(own);
}

static bool read_rate(struct peak *peak, const char *name, const char *number, struct error *error)
{
	int rate = 0;
	char *end;
	while (rate < RATES && strcmp(rate_names[rate], name) != 0)
		rate++;
	if (rate == RATES)
		return error_set(error, ERROR_USAGE,
				 "unknown rate \"%s\" (fp64, fp32, tf32, fp16, bf16, fp8, memory)",
				 name);
	peak->rate[rate] = number ? strtod(number, &end) : NAN;
	return (number && *number >= '0' && *number <= '9' && !*end && peak->rate[rate] < 1e12) ||
	       error_set(error, ERROR_USAGE, "rate %s must be a number, not \"%s\"", name,
			 number ? number : "");
}

static bool read_rates(struct peak *peak, char *text, struct error *error)
{
	static const char between[] = " \t,\r\n";
	char *rest;
	size_t count = 0;
	for (char *name = strtok_r(text, between, &rest); name;
	     name = strtok_r(NULL, between, &rest), count++)
		if (!read_rate(peak, name, strtok_r(NULL, between, &rest), error))
			return false;
	return count || error_set(error, ERROR_USAGE, "the device has no rates");
}

bool device_peaks_add(struct device_peaks *own, const char *line, size_t length,
		      struct error *error)
{
	const char *comment = memchr(line, '#', length);
	char *name = arena_strndup(own->arena, line, comment ? (size_t)(comment - line) : length);
	name += strspn(name, " \t\r\n");
	if (!*name)
		return true;
	char *colon = strrchr(name, ':');
	size_t end = colon ? (size_t)(colon - name) : 0;
	while (end && strchr(" \t", name[end - 1]))
		end--;
	if (!end)
		return error_set(error, ERROR_USAGE, "a line must be NAME: RATE NUMBER ...");
	struct peak peak = { .name = name };
	for (int i = 0; i < RATES; i++)
		peak.rate[i] = NAN;
	name[end] = 0;
	if (!read_rates(&peak, colon + 1, error))
		return false;
	mem_grow(own->items, own->capacity, own->count + 1);
	own->items[own->count++] = peak;
	return true;
}

/* ---- lookup ---- */

static const struct peak *find_peak(const struct peak *peaks, size_t count, const char *device)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(device, peaks[i].name))
			return &peaks[i];
	return NULL;
}

/* 0: unsupported or unknown. */
static double find_rate(const struct device_peaks *own, const char *device, enum rate rate)
{
	const struct peak *peak = own ? find_peak(own->items, own->count, device) : NULL;
	if (peak && !isnan(peak->rate[rate]))
		return peak->rate[rate];
	peak = find_peak(built_in, sizeof built_in / sizeof *built_in, device);
	return peak ? peak->rate[rate] : 0;
}

double device_peak_flops(const struct device_peaks *own, const char *device, const char *type,
			 bool tensor)
{
	static const struct {
		const char *type;
		enum rate rate;
	} types[] = { { "float", FP32 },   { "float32", FP32 },       { "double", FP64 },
		      { "float64", FP64 }, { "c10::Half", FP16 },     { "float16", FP16 },
		      { "half", FP16 },    { "c10::BFloat16", BF16 }, { "bfloat16", BF16 } };
	double found = strstr(type, "Float8") ? find_rate(own, device, FP8) : 0;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(types[i].type, type) != 0)
			continue;
		if (types[i].rate == FP32 && tensor)
			found = find_rate(own, device, TF32);
		if (!(found > 0))
			found = find_rate(own, device, types[i].rate);
	}
	return found > 0 ? found * 1e12 : NAN;
}

double device_peak_bytes(const struct device_peaks *own, const char *device)
{
	double found = find_rate(own, device, MEMORY);
	return found > 0 ? found * 1e9 : NAN;
}

/* ---- unknown devices ---- */

/* FP32 lanes of an SM; 0: unknown. */
static int lanes_of(const struct device *device)
{
	static const struct {
		int major, minor, lanes;
	} capabilities[] = { { 3, 0, 192 },  { 5, 0, 128 }, { 6, 1, 128 }, { 6, 0, 64 },
			     { 7, 0, 64 },   { 8, 6, 128 }, { 8, 0, 64 },  { 9, 0, 128 },
			     { 10, 0, 128 }, { 12, 0, 128 } };
	for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
		if (device->compute_major == capabilities[i].major &&
		    device->compute_minor >= capabilities[i].minor)
			return capabilities[i].lanes;
	return 0;
}

double device_peak_flops_of(const struct device_peaks *own, const struct profile *profile,
			    const struct device *device, const char *type, bool tensor)
{
	double known = device_peak_flops(own, profile_string(profile, device->name), type, tensor);
	bool single = strcmp(type, "float") == 0 || strcmp(type, "float32") == 0;
	if (!isnan(known) || !single || tensor || device->sm_count <= 0 || device->clock_hz <= 0 ||
	    !lanes_of(device))
		return known;
	return 2.0 * lanes_of(device) * (double)device->sm_count * (double)device->clock_hz;
}

double device_peak_bytes_of(const struct device_peaks *own, const struct profile *profile,
			    const struct device *device)
{
	double known = device_peak_bytes(own, profile_string(profile, device->name));
	return isnan(known) && device->memory_bandwidth > 0 ? (double)device->memory_bandwidth
							    : known;
}
