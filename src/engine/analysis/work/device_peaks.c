#include "analysis/work/device_peaks.h"

#include "base/any_of.h"
#include "base/buffer.h"
#include "base/data_table.h"
#include "base/error.h"
#include "base/text.h"
#include "model/profile.h"

#include <math.h>
#include <stdlib.h>

enum rate { PEAK_RATE_ROWS(LISTED) RATES };

static const char *const rate_names[RATES] = { PEAK_RATE_ROWS(LISTED_NAME) };

struct device_peaks_peak {
	const char *name; /* part of the device's name */
	double rate[RATES];
};

#define PEAK_FIELD(id, name) { NULL, DATA_REAL, AT(rate[id]) },
#define PEAK_FIELD_ROWS { NULL, DATA_TEXT, AT(name) }, PEAK_RATE_ROWS(PEAK_FIELD)

/* 0: unsupported or not given. Sets *PEAKS; returns how many there are. */
static size_t built_in(const struct device_peaks_peak **peaks)
{
	size_t count = 0;
	*peaks = DATA_ROWS("device_peaks.txt", struct device_peaks_peak, PEAK_FIELD_ROWS);
	while ((*peaks)[count].name)
		count++;
	return count;
}

/* ---- user-described devices ---- */

struct device_peaks {
	GROWING(struct device_peaks_peak, items, count); /* NaN: not given */
	struct arena *arena;
};

struct device_peaks *device_peaks_new(void)
{
	struct device_peaks *own = mem_zalloc(1, sizeof *own);
	own->arena = arena_new();
	return own;
}

FREE_OBJECT(device_peaks_free, struct device_peaks, OWN(items) OWN_BY(arena_free, arena))

static bool read_rate(struct device_peaks_peak *peak, const char *name, const char *number,
		      struct error *error)
{
	int rate = 0;
	char *end;
	while (rate < RATES && strcmp(rate_names[rate], name) != 0)
		rate++;
	if (rate == RATES)
		return error_usage(
			error,
			"unknown rate \"%s\" (fp64, fp64_tensor, fp32, fp32_tensor, tf32, "
			"fp16_vector, fp16, bf16, fp8, fp4, int8, memory)",
			name);
	peak->rate[rate] = number ? strtod(number, &end) : NAN;
	return (number && *number >= '0' && *number <= '9' && !*end && peak->rate[rate] < 1e12) ||
	       error_usage(error, "rate %s must be a number, not \"%s\"", name,
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
	return count || error_usage(error, "the device has no rates");
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
		return error_usage(error, "a line must be NAME: RATE NUMBER ...");
	struct device_peaks_peak peak = { .name = name };
	for (int i = 0; i < RATES; i++)
		peak.rate[i] = NAN;
	name[end] = 0;
	if (!read_rates(&peak, colon + 1, error))
		return false;
	*mem_push(own->items, own->count) = peak;
	return true;
}

/* ---- lookup ---- */

static const struct device_peaks_peak *find_peak(const struct device_peaks_peak *peaks,
						 size_t count, const char *device)
{
	return first_of(at, peaks, count, strstr(device, at->name));
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
	const struct device_peaks_peak *peaks;
	size_t count = built_in(&peaks);
	match_names(&match, text, peaks, count);
	int best = 0;
	while (best < IS_LIKE && !match.count[best])
		best++;
	/* more specific names come first; a faster device than its laptop version is not meant */
	bool found = best == NAMES ? !is_slower(text) : best < IS_LIKE && match.count[best] == 1;
	if (!found)
		error_usage(error, "--gpu %s names no known device; %s: %s", text,
			    best == IS_LIKE ? "the nearest" : "it may be",
			    buffer_text(&match.listed[best]));
	for (int i = 0; i < NAMINGS; i++)
		buffer_free(&match.listed[i]);
	return found ? match.first[best] : NULL;
}

const char *device_peaks_name(size_t i)
{
	const struct device_peaks_peak *peaks;
	return i < built_in(&peaks) ? peaks[i].name : NULL;
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
	const struct device_peaks_peak *peaks;
	size_t count = built_in(&peaks);
	peak = find_peak(peaks, count, device);
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
} type_rates[] = { TYPE_RATE_ROWS };

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
	static const struct device_peaks_lanes capabilities[] = { CAPABILITY_ROWS };
	return first_of(at, capabilities, sizeof capabilities / sizeof *capabilities,
			device->compute_major == at->major && device->compute_minor >= at->minor);
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
