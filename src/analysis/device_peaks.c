#include "analysis/device_peaks.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/*
 * 10^12 operations a second without sparsity, 10^9 bytes a second; 0: the device has no such unit.
 * From the data sheets "NVIDIA Tesla P100", "NVIDIA V100", "NVIDIA T4", "NVIDIA A100", "NVIDIA A10",
 * "NVIDIA A40", "NVIDIA L4", "NVIDIA L40S", "NVIDIA H100", "NVIDIA H200", "NVIDIA DGX B200", the
 * white papers of the GeForce architectures GA102 and Ada, and AMD's "Instinct MI210", "MI250X" and
 * "MI300X".  A more special name stands before a more general one.
 */
static const struct peak {
	const char *name;		/* part of the device's */
	double fp64, fp32, tf32, half, fp8, memory;
} peaks[] = {
	{ "P100-SXM2", 5.3, 10.6, 0, 21.2, 0, 732 },
	{ "P100", 4.7, 9.3, 0, 18.7, 0, 732 },
	{ "V100-PCIE", 7, 14, 0, 112, 0, 900 },
	{ "V100S", 8.2, 16.4, 0, 130, 0, 1134 },
	{ "V100", 7.8, 15.7, 0, 125, 0, 900 },
	{ "Tesla T4", 0, 8.1, 0, 65, 0, 320 },
	{ "A100-SXM4-80GB", 9.7, 19.5, 156, 312, 0, 2039 },
	{ "A100 80GB PCIe", 9.7, 19.5, 156, 312, 0, 1935 },
	{ "A100", 9.7, 19.5, 156, 312, 0, 1555 },
	{ "NVIDIA A10G", 0, 31.2, 35, 70, 0, 600 },
	{ "NVIDIA A10", 0, 31.2, 62.5, 125, 0, 600 },
	{ "NVIDIA A40", 0, 37.4, 74.8, 149.7, 0, 696 },
	{ "NVIDIA L40S", 0, 91.6, 183, 362, 733, 864 },
	{ "NVIDIA L4", 0, 30.3, 60, 121, 242.5, 300 },
	{ "RTX 3090", 0, 35.6, 35.6, 71, 0, 936 },
	{ "RTX 4090", 0, 82.6, 82.6, 165.2, 330.3, 1008 },
	{ "H100 PCIe", 26, 51, 378, 756, 1513, 2000 },
	{ "H100 NVL", 30, 60, 417.5, 835, 1670.5, 3900 },
	{ "H100", 34, 67, 494.7, 989.4, 1978.9, 3350 },
	{ "H200", 34, 67, 494.7, 989.4, 1978.9, 4800 },
	{ "B200", 40, 80, 1100, 2250, 4500, 8000 },
	{ "MI210", 22.6, 22.6, 0, 181, 0, 1638 },
	{ "MI250", 47.9, 47.9, 0, 383, 0, 3277 },
	{ "MI300X", 81.7, 163.4, 653.7, 1307.4, 2614.9, 5300 },
};

static const struct peak *find_peak(const char *device)
{
	for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++)
		if (strstr(device, peaks[i].name))
			return &peaks[i];
	return NULL;
}

static double rate(const struct peak *peak, const char *type, bool tensor)
{
	if (strcmp(type, "float") == 0 || strcmp(type, "float32") == 0)
		return tensor && peak->tf32 > 0 ? peak->tf32 : peak->fp32;
	if (strcmp(type, "double") == 0 || strcmp(type, "float64") == 0)
		return peak->fp64;
	if (strstr(type, "Float8"))
		return peak->fp8;
	if (strcmp(type, "c10::Half") == 0 || strcmp(type, "float16") == 0 ||
	    strcmp(type, "half") == 0)
		return peak->half;
	/* Only what came after Volta and Turing multiplies bfloat16. */
	bool brain = strcmp(type, "c10::BFloat16") == 0 || strcmp(type, "bfloat16") == 0;
	return brain && (peak->tf32 > 0 || strncmp(peak->name, "MI", 2) == 0) ? peak->half : 0;
}

double device_peak_flops(const char *device, const char *type, bool tensor)
{
	const struct peak *peak = find_peak(device);
	double found = peak ? rate(peak, type, tensor) : 0;
	return found > 0 ? found * 1e12 : NAN;
}

double device_peak_bytes(const char *device)
{
	const struct peak *peak = find_peak(device);
	return peak ? peak->memory * 1e9 : NAN;
}
