#include "analysis/work/device_peaks.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "model/profile.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrix rates are those of tensor cores (NVIDIA) and matrix cores (AMD). */
enum rate {
	FP64,
	FP64_MATRIX,
	FP32,
	FP32_MATRIX,
	TF32,
	FP16_VECTOR, /* of float16 and bfloat16 outside tensor cores */
	FP16,
	BF16,
	FP8,
	FP4,
	INT8,
	MEMORY,
	RATES
};

static const char *const rate_names[RATES] = { "fp64", "fp64_tensor", "fp32", "fp32_tensor",
					       "tf32", "fp16_vector", "fp16", "bf16",
					       "fp8",  "fp4",         "int8", "memory" };

struct device_peaks_peak {
	const char *name; /* part of the device's name */
	double rate[RATES];
};

/*
 * 10^12 operations/s without sparsity, 10^9 bytes/s; 0: unsupported or not given. Each line names
 * its data sheet. GeForce: with accumulation in float32. A device of an MI250 is one of two dies.
 * bfloat16 requires a generation after Volta and Turing. More specific names come first.
 *
 * fp64, fp64 matrix, fp32, fp32 matrix, tf32, 16 bit vector, fp16, bf16, fp8, fp4, int8, memory
 */
/* clang-format off */
static const struct device_peaks_peak built_in[] = {
	{ "P100-SXM2", { 5.3, 0, 10.6, 0, 0, 21.2, 0, 0, 0, 0, 0, 732 } }, /* NVIDIA Tesla P100 */
	{ "P100-PCIE-12GB", { 4.7, 0, 9.3, 0, 0, 18.7, 0, 0, 0, 0, 0, 549 } }, /* NVIDIA Tesla P100 */
	{ "P100", { 4.7, 0, 9.3, 0, 0, 18.7, 0, 0, 0, 0, 0, 732 } }, /* NVIDIA Tesla P100 */
	{ "Tesla P40", { 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 346 } }, /* NVIDIA Tesla P40 */
	{ "V100-PCIE", { 7, 0, 14, 0, 0, 28, 112, 0, 0, 0, 0, 900 } }, /* NVIDIA V100 */
	{ "V100S", { 8.2, 0, 16.4, 0, 0, 32.8, 130, 0, 0, 0, 0, 1134 } }, /* NVIDIA V100 */
	{ "V100", { 7.8, 0, 15.7, 0, 0, 31.4, 125, 0, 0, 0, 0, 900 } }, /* NVIDIA V100 */
	{ "TITAN V", { 7.4, 0, 14.9, 0, 0, 29.8, 119, 0, 0, 0, 0, 653 } }, /* NVIDIA TITAN V */
	{ "Tesla T4", { 0, 0, 8.1, 0, 0, 16.2, 65, 0, 0, 0, 130, 320 } }, /* NVIDIA T4 */
	{ "TITAN RTX", { 0, 0, 16.3, 0, 0, 32.6, 130.5, 0, 0, 0, 261, 672 } }, /* white paper Turing */
	{ "Quadro RTX 8000", { 0, 0, 16.3, 0, 0, 32.6, 130.5, 0, 0, 0, 261, 672 } }, /* white paper Turing */
	{ "Quadro RTX 6000", { 0, 0, 16.3, 0, 0, 32.6, 130.5, 0, 0, 0, 261, 672 } }, /* white paper Turing */
	{ "RTX 2080 Ti", { 0, 0, 14.2, 0, 0, 28.5, 56.9, 0, 0, 0, 227.7, 616 } }, /* white paper Turing */
	{ "A100-SXM4-80GB", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 2039 } }, /* NVIDIA A100 */
	{ "A100 80GB PCIe", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 1935 } }, /* NVIDIA A100 */
	{ "A100", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 1555 } }, /* NVIDIA A100 */
	{ "A800-SXM4-80GB", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 2039 } }, /* NVIDIA A800 */
	{ "A800 80GB PCIe", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 1935 } }, /* NVIDIA A800 */
	{ "A800", { 9.7, 19.5, 19.5, 0, 156, 78, 312, 312, 0, 0, 624, 1555 } }, /* NVIDIA A800 40GB Active */
	{ "NVIDIA A30", { 5.2, 10.3, 10.3, 0, 82, 0, 165, 165, 0, 0, 330, 933 } }, /* NVIDIA A30 */
	{ "NVIDIA A10G", { 0, 0, 31.2, 0, 35, 0, 70, 70, 0, 0, 140, 600 } }, /* NVIDIA A10G */
	{ "NVIDIA A10", { 0, 0, 31.2, 0, 62.5, 31.2, 125, 125, 0, 0, 250, 600 } }, /* NVIDIA A10 */
	{ "NVIDIA A40", { 0, 0, 37.4, 0, 74.8, 37.4, 149.7, 149.7, 0, 0, 299.3, 696 } }, /* NVIDIA A40 */
	{ "RTX A6000", { 0, 0, 38.7, 0, 77.4, 38.7, 154.8, 154.8, 0, 0, 309.7, 768 } }, /* white paper GA102 */
	{ "RTX A5000", { 0, 0, 27.8, 0, 55.6, 27.8, 111.1, 111.1, 0, 0, 222.2, 768 } }, /* white paper GA102 */
	{ "RTX 3090 Ti", { 0, 0, 40, 0, 40, 40, 80, 80, 0, 0, 320, 1008 } }, /* white paper GA102 */
	{ "RTX 3090", { 0, 0, 35.6, 0, 35.6, 35.6, 71, 71, 0, 0, 284, 936 } }, /* white paper GA102 */
	{ "RTX 3080 Ti", { 0, 0, 34.1, 0, 34.1, 34.1, 68.2, 68.2, 0, 0, 273, 912 } }, /* white paper GA102 */
	{ "RTX 3080", { 0, 0, 29.8, 0, 29.8, 29.8, 59.5, 59.5, 0, 0, 238, 760 } }, /* white paper GA102 */
	{ "RTX 3070 Ti", { 0, 0, 21.7, 0, 21.7, 21.7, 43.5, 43.5, 0, 0, 174, 608 } }, /* white paper GA102 */
	{ "RTX 3070", { 0, 0, 20.3, 0, 20.3, 20.3, 40.6, 40.6, 0, 0, 162.6, 448 } }, /* white paper GA102 */
	{ "NVIDIA L40S", { 0, 0, 91.6, 0, 183, 91.6, 362, 362, 733, 0, 733, 864 } }, /* NVIDIA L40S */
	{ "NVIDIA L40", { 0, 0, 90.5, 0, 90.5, 90.5, 181, 181, 362, 0, 362, 864 } }, /* NVIDIA L40 */
	{ "NVIDIA L20", { 0, 0, 59.8, 0, 59.8, 59.8, 119.5, 119.5, 239, 0, 239, 864 } }, /* NVIDIA L20 */
	{ "NVIDIA L4", { 0, 0, 30.3, 0, 60, 30.3, 121, 121, 242.5, 0, 242.5, 300 } }, /* NVIDIA L4 */
	{ "RTX 6000 Ada", { 0, 0, 91.1, 0, 182.1, 91.1, 364.2, 364.2, 728.5, 0, 728.5, 960 } }, /* white paper Ada */
	{ "RTX 4090", { 0, 0, 82.6, 0, 82.6, 82.6, 165.2, 165.2, 330.3, 0, 660.6, 1008 } }, /* white paper Ada */
	{ "RTX 4080 SUPER", { 0, 0, 52.2, 0, 52.2, 52.2, 104.4, 104.4, 208.9, 0, 417.7, 736 } }, /* white paper Ada */
	{ "RTX 4080", { 0, 0, 48.7, 0, 48.7, 48.7, 97.5, 97.5, 194.9, 0, 389.9, 717 } }, /* white paper Ada */
	{ "RTX 4070 Ti SUPER", { 0, 0, 44.1, 0, 44.1, 44.1, 88.2, 88.2, 176.4, 0, 352.8, 672 } }, /* white paper Ada */
	{ "RTX 4070 Ti", { 0, 0, 40.1, 0, 40.1, 40.1, 80.2, 80.2, 160.4, 0, 320.7, 504 } }, /* white paper Ada */
	{ "H100 PCIe", { 26, 51, 51, 0, 378, 0, 756, 756, 1513, 0, 1513, 2000 } }, /* NVIDIA H100 */
	{ "H100 NVL", { 30, 60, 60, 0, 417.5, 0, 835, 835, 1670.5, 0, 1670.5, 3900 } }, /* NVIDIA H100 NVL */
	{ "H100", { 34, 67, 67, 0, 494.7, 133.8, 989.4, 989.4, 1978.9, 0, 1978.9, 3350 } }, /* NVIDIA H100 */
	{ "H800 PCIe", { 0.8, 0.8, 51, 0, 378, 0, 756, 756, 1513, 0, 1513, 2000 } }, /* NVIDIA H800 */
	{ "H800", { 1, 1, 67, 0, 494.7, 133.8, 989.4, 989.4, 1978.9, 0, 1978.9, 3350 } }, /* NVIDIA H800 */
	{ "GH200 144G", { 34, 67, 67, 0, 494.7, 133.8, 989.4, 989.4, 1978.9, 0, 1978.9, 4900 } }, /* NVIDIA GH200 */
	{ "GH200", { 34, 67, 67, 0, 494.7, 133.8, 989.4, 989.4, 1978.9, 0, 1978.9, 4000 } }, /* NVIDIA GH200 */
	{ "H200 NVL", { 30, 60, 60, 0, 417.5, 0, 835.5, 835.5, 1670.5, 0, 1670.5, 4800 } }, /* NVIDIA H200 */
	{ "H200", { 34, 67, 67, 0, 494.7, 133.8, 989.4, 989.4, 1978.9, 0, 1978.9, 4800 } }, /* NVIDIA H200 */
	{ "H20-3e", { 1, 1, 44, 0, 74, 0, 148, 148, 296, 0, 296, 4800 } }, /* NVIDIA H20 */
	{ "NVIDIA H20", { 1, 1, 44, 0, 74, 0, 148, 148, 296, 0, 296, 4000 } }, /* NVIDIA H20 */
	{ "GB300", { 1.3, 1.3, 80, 0, 1250, 0, 2500, 2500, 5000, 15000, 165, 8000 } }, /* NVIDIA GB300 NVL72 */
	{ "B300", { 1.2, 1.2, 75, 0, 1125, 0, 2250, 2250, 4500, 13500, 150, 8000 } }, /* NVIDIA HGX B300 */
	{ "GB200", { 40, 40, 80, 0, 1250, 0, 2500, 2500, 5000, 10000, 5000, 8000 } }, /* NVIDIA GB200 NVL72 */
	{ "B200", { 40, 40, 80, 0, 1100, 0, 2250, 2250, 4500, 9000, 4500, 8000 } }, /* NVIDIA DGX B200 */
	{ "B100", { 30, 30, 60, 0, 875, 0, 1750, 1750, 3500, 7000, 3500, 8000 } }, /* NVIDIA HGX B100 */
	{ "RTX PRO 6000 Blackwell Server", { 0, 0, 120, 0, 240, 120, 480, 480, 960, 1920, 960, 1597 } }, /* NVIDIA RTX PRO 6000 Server */
	{ "RTX PRO 6000 Blackwell", { 0, 0, 126, 0, 251.9, 126, 503.8, 503.8, 1007.6, 2015.2, 1007.6, 1792 } }, /* white paper RTX Blackwell PRO */
	{ "RTX 5090", { 0, 0, 104.8, 0, 104.8, 104.8, 209.5, 209.5, 419, 1676, 838, 1792 } }, /* white paper RTX Blackwell */
	{ "RTX 5080", { 0, 0, 56.3, 0, 56.3, 56.3, 112.6, 112.6, 225.1, 900.4, 450.2, 960 } }, /* white paper RTX Blackwell */
	{ "RTX 5070 Ti", { 0, 0, 43.9, 0, 43.9, 43.9, 87.9, 87.9, 175.8, 703, 351.5, 896 } }, /* white paper RTX Blackwell */
	{ "RTX 5070", { 0, 0, 30.9, 0, 30.9, 30.9, 61.7, 61.7, 123.5, 493.9, 246.9, 672 } }, /* white paper RTX Blackwell */
	{ "MI100", { 11.5, 0, 23.1, 46.1, 0, 0, 184.6, 92.3, 0, 0, 184.6, 1229 } }, /* AMD Instinct MI100 */
	{ "MI210", { 22.6, 45.3, 22.6, 45.3, 0, 0, 181, 181, 0, 0, 181, 1638 } }, /* AMD Instinct MI210 */
	{ "MI250X", { 23.9, 47.9, 23.9, 47.9, 0, 0, 191.5, 191.5, 0, 0, 191.5, 1638 } }, /* AMD Instinct MI250X, of one die */
	{ "MI250", { 22.6, 45.3, 22.6, 45.3, 0, 0, 181, 181, 0, 0, 181, 1638 } }, /* AMD Instinct MI250, of one die */
	{ "MI300A", { 61.3, 122.6, 122.6, 122.6, 490.3, 0, 980.6, 980.6, 1961.2, 0, 1961.2, 5300 } }, /* AMD Instinct MI300A */
	{ "MI300X", { 81.7, 163.4, 163.4, 163.4, 653.7, 0, 1307.4, 1307.4, 2614.9, 0, 2614.9, 5300 } }, /* AMD Instinct MI300X */
	{ "MI325X", { 81.7, 163.4, 163.4, 163.4, 653.7, 0, 1307.4, 1307.4, 2614.9, 0, 2614.9, 6000 } }, /* AMD Instinct MI325X */
	{ "MI350X", { 72.1, 72.1, 144.2, 144.2, 0, 0, 2306.9, 2306.9, 4613.7, 9227.5, 4613.7, 8000 } }, /* AMD Instinct MI350X */
	{ "MI355X", { 78.6, 78.6, 157.3, 157.3, 0, 0, 2516.6, 2516.6, 5033.2, 10066.3, 5033.2, 8000 } }, /* AMD Instinct MI355X */
};
/* clang-format on */

/* ---- user-described devices ---- */

struct device_peaks {
	struct device_peaks_peak *items; /* NaN: not given */
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

static bool read_rate(struct device_peaks_peak *peak, const char *name, const char *number,
		      struct error *error)
{
	int rate = 0;
	char *end;
	while (rate < RATES && strcmp(rate_names[rate], name) != 0)
		rate++;
	if (rate == RATES)
		return error_set(error, ERROR_USAGE,
				 "unknown rate \"%s\" (fp64, fp64_tensor, fp32, fp32_tensor, tf32, "
				 "fp16_vector, fp16, bf16, fp8, fp4, int8, memory)",
				 name);
	peak->rate[rate] = number ? strtod(number, &end) : NAN;
	return (number && *number >= '0' && *number <= '9' && !*end && peak->rate[rate] < 1e12) ||
	       error_set(error, ERROR_USAGE, "rate %s must be a number, not \"%s\"", name,
			 number ? number : "");
}

static bool read_rates(struct device_peaks_peak *peak, char *text, struct error *error)
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
	struct device_peaks_peak peak = { .name = name };
	for (int i = 0; i < RATES; i++)
		peak.rate[i] = NAN;
	name[end] = 0;
	if (!read_rates(&peak, colon + 1, error))
		return false;
	*mem_push(own->items, own->count, own->capacity) = peak;
	return true;
}

/* ---- lookup ---- */

static const struct device_peaks_peak *find_peak(const struct device_peaks_peak *peaks,
						 size_t count, const char *device)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(device, peaks[i].name))
			return &peaks[i];
	return NULL;
}

/* Devices with the name of a faster one. */
static bool is_slower(const char *device)
{
	return strstr(device, "Laptop") || strstr(device, "Max-Q");
}

/* How well a text names a device, best first. */
enum naming { NAMES, IS_END, IS_PART, IS_LIKE, NAMINGS };

static enum naming naming_of(const char *text, const char *name)
{
	const char *part = strcasestr(name, text);
	bool end = part && strlen(part) == strlen(text) && (part == name || part[-1] == ' ');
	return strcasestr(text, name) ? NAMES : end ? IS_END : part ? IS_PART : IS_LIKE;
}

/* The devices that a text names, by how well it does. */
struct device_peaks_match {
	const char *first[NAMINGS];
	size_t count[NAMINGS], least; /* slips to the likely ones */
	struct buffer listed[NAMINGS];
};

static void match_names(struct device_peaks_match *match, const char *text,
			const struct device_peaks_peak *peaks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		enum naming naming = naming_of(text, peaks[i].name);
		size_t slips = naming == IS_LIKE ? text_distance(text, peaks[i].name) : 0;
		if (naming == IS_LIKE && slips < match->least) {
			match->least = slips;
			match->listed[IS_LIKE].length = 0;
		}
		if (naming == IS_LIKE && slips > match->least)
			continue;
		if (!match->count[naming]++)
			match->first[naming] = peaks[i].name;
		buffer_printf(&match->listed[naming], "%s%s",
			      match->listed[naming].length ? ", " : "", peaks[i].name);
	}
}

const char *device_peaks_find(const struct device_peaks *own, const char *text, struct error *error)
{
	struct device_peaks_match match = { .least = SIZE_MAX };
	if (own)
		match_names(&match, text, own->items, own->count);
	match_names(&match, text, built_in, sizeof built_in / sizeof *built_in);
	int best = 0;
	while (best < IS_LIKE && !match.count[best])
		best++;
	/* more specific names come first; a faster device than its laptop version is not meant */
	bool found = best == NAMES ? !is_slower(text) : best < IS_LIKE && match.count[best] == 1;
	if (!found)
		error_set(error, ERROR_USAGE, "--gpu %s names no known device; %s: %s", text,
			  best == IS_LIKE ? "the nearest" : "it may be",
			  buffer_text(&match.listed[best]));
	for (int i = 0; i < NAMINGS; i++)
		buffer_free(&match.listed[i]);
	return found ? match.first[best] : NULL;
}

const char *device_peaks_name(size_t i)
{
	return i < sizeof built_in / sizeof *built_in ? built_in[i].name : NULL;
}

/* 0: unsupported or unknown. */
static double find_rate(const struct device_peaks *own, const char *device, enum rate rate)
{
	const struct device_peaks_peak *peak =
		own ? find_peak(own->items, own->count, device) : NULL;
	if (peak && !isnan(peak->rate[rate]))
		return peak->rate[rate];
	if (is_slower(device))
		return 0;
	peak = find_peak(built_in, sizeof built_in / sizeof *built_in, device);
	return peak ? peak->rate[rate] : 0;
}

_Static_assert((int)RATES == DEVICE_RATES, "a struct device_rates holds every rate");

#define NONE RATES

/* The rates of a type, the first that the device has. */
static const struct {
	const char *type;    /* or a part of it, in any case */
	enum rate matrix[3]; /* with tensor cores */
	enum rate plain[2];  /* without */
	enum rate needs;     /* only devices with this rate support the type */
} type_rates[] = {
	{ "float8", { FP8, NONE, NONE }, { FP8, NONE }, NONE },
	{ "float4", { FP4, NONE, NONE }, { FP4, NONE }, NONE },
	{ "bfloat16", { BF16, NONE, NONE }, { FP16_VECTOR, BF16 }, BF16 },
	{ "half", { FP16, FP16_VECTOR, NONE }, { FP16_VECTOR, FP16 }, NONE },
	{ "float16", { FP16, FP16_VECTOR, NONE }, { FP16_VECTOR, FP16 }, NONE },
	{ "float64", { FP64_MATRIX, FP64, NONE }, { FP64, NONE }, NONE },
	{ "double", { FP64_MATRIX, FP64, NONE }, { FP64, NONE }, NONE },
	{ "float", { FP32_MATRIX, TF32, FP32 }, { FP32, NONE }, NONE },
	{ "int8", { INT8, NONE, NONE }, { NONE, NONE }, NONE },
	{ "char", { INT8, NONE, NONE }, { NONE, NONE }, NONE },
};

struct device_rates device_rates_named(const struct device_peaks *own, const char *device)
{
	struct device_rates rates = { .single = NAN };
	for (int i = 0; i < RATES; i++)
		rates.rate[i] = find_rate(own, device, (enum rate)i);
	rates.bytes = rates.rate[MEMORY] > 0 ? rates.rate[MEMORY] * 1e9 : NAN;
	return rates;
}

static double first_rate(const struct device_rates *device, const enum rate *rates, size_t count)
{
	double found = 0;
	for (size_t i = 0; i < count && !(found > 0); i++)
		found = rates[i] == NONE ? 0 : device->rate[rates[i]];
	return found;
}

/* ---- unknown devices ---- */

/* Lanes of an SM, by compute capability. */
struct device_peaks_lanes {
	int major, minor, single, twofold; /* FP32, FP64 */
};

/* NULL: unknown. */
static const struct device_peaks_lanes *lanes_of(const struct device *device)
{
	static const struct device_peaks_lanes capabilities[] = {
		{ 3, 0, 192, 64 }, { 5, 0, 128, 4 },  { 6, 1, 128, 4 },   { 6, 0, 64, 32 },
		{ 7, 5, 64, 2 },   { 7, 0, 64, 32 },  { 8, 6, 128, 2 },   { 8, 0, 64, 32 },
		{ 9, 0, 128, 64 }, { 10, 3, 128, 2 }, { 10, 0, 128, 64 }, { 12, 0, 128, 2 }
	};
	for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
		if (device->compute_major == capabilities[i].major &&
		    device->compute_minor >= capabilities[i].minor)
			return &capabilities[i];
	return NULL;
}

struct device_rates device_rates_of(const struct device_peaks *own, const struct profile *profile,
				    const struct device *device)
{
	struct device_rates rates = device_rates_named(own, profile_string(profile, device->name));
	if (isnan(rates.bytes) && device->memory_bandwidth > 0)
		rates.bytes = (double)device->memory_bandwidth;
	const struct device_peaks_lanes *lanes = lanes_of(device);
	if (lanes && device->sm_count > 0 && device->clock_hz > 0)
		rates.single =
			2.0 * lanes->single * (double)device->sm_count * (double)device->clock_hz;
	if (lanes && !(rates.rate[FP64] > 0))
		rates.rate[FP64] = rates.rate[FP32] * lanes->twofold / lanes->single;
	return rates;
}

double device_rates_flops(const struct device_rates *rates, const char *type, bool tensor)
{
	size_t i = 0, count = sizeof type_rates / sizeof *type_rates;
	bool single = strcasecmp(type, "float") == 0 || strcasecmp(type, "float32") == 0;
	double found = 0;
	while (i < count && !strcasestr(type, type_rates[i].type))
		i++;
	if (i < count && !strcasestr(type, "complex") &&
	    (type_rates[i].needs == NONE || rates->rate[type_rates[i].needs] > 0))
		found = tensor ? first_rate(rates, type_rates[i].matrix, 3)
			       : first_rate(rates, type_rates[i].plain, 2);
	return found > 0 ? found * 1e12 : single && !tensor ? rates->single : NAN;
}
