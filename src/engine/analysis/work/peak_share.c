#include "analysis/work/peak_share.h"

#include "analysis/work/device_peaks.h"
#include "derived/derived.h"
#include "derived/derived_cache.h"
#include "base/text_slice.h"

#include <math.h>
#include <stdio.h>

enum call_flag {
	CALL_TENSOR = 1,  /* a kernel uses tensor cores */
	CALL_UNKNOWN = 2, /* of one that is not known */
	CALL_FAST = 4,    /* an algorithm with fewer operations than those counted */
};

struct peak_shares {
	const struct derived *derived;
	const struct work_counts *counts;
	uint8_t *flags;             /* by call: enum call_flag */
	struct device_rates *rates; /* by device of the profile */
};

/* Flags of a kernel, once per name. */
static uint8_t flags_of(const struct derived *derived, uint32_t activity, uint8_t *fast)
{
	enum { NOT_FAST = 1, FAST = 2 };
	uint32_t name = derived->profile->activity_name[activity];
	uint8_t use = derived->activity_tensor[activity];
	/*
	 * Convolutions by Winograd's algorithm need 2.25 (tiles of 2 x 2) or 4 times (4 x 4) fewer
	 * multiplications (Lavin and Gray, 2016), those by FFT fewer the larger the filter. cuDNN's
	 * products in the frequency domain are complex.
	 */
	if (!fast[name])
		fast[name] = text_holds_one(profile_string(derived->profile, name),
					    "winograd|fft1d|fft2d|gcgemm|Sp3AsmConv")
				     ? FAST
				     : NOT_FAST;
	return (uint8_t)((use == TENSOR_YES ? CALL_TENSOR : 0) |
			 (use == TENSOR_UNKNOWN ? CALL_UNKNOWN : 0) |
			 (fast[name] == FAST ? CALL_FAST : 0));
}

static void free_peaks(void *made)
{
	struct peak_shares *shares = made;
	mem_free_all(shares->flags, shares->rates, shares);
}

static void *find_peaks(const void *from, const struct progress *progress)
{
	const struct derived *derived = from;
	const struct profile *profile = derived->profile;
	const struct work_counts *counts = derived_work(derived, progress);
	if (!counts)
		return NULL;
	struct peak_shares *shares = mem_zalloc(1, sizeof *shares);
	AUTO_FREE uint8_t *fast = mem_zalloc((size_t)intern_count(profile->strings) + 1, 1);
	bool ok = true;
	shares->derived = derived;
	shares->counts = counts;
	shares->flags = mem_zalloc((size_t)counts->count + 1, 1);
	shares->rates = mem_zalloc(profile->device_count + 1, sizeof *shares->rates);
	for (size_t i = 0; i < profile->device_count; i++)
		shares->rates[i] = device_rates_of(derived->peaks, profile, &profile->devices[i]);
	for_rows (ok, i, profile->activities, progress, "finding peaks") {
		uint32_t call = work_call_of(counts, i);
		if (call != NO_ROW && profile->activity_kind[i] == ACTIVITY_KERNEL)
			shares->flags[call] |= flags_of(derived, i, fast);
	}
	return keep_if(ok, shares, free_peaks);
}

const struct peak_shares *derived_peak_shares(const struct derived *derived,
					      const struct progress *progress)
{
	static const struct derived_slot slot = { find_peaks, free_peaks };
	return derived_cache_get(derived, &slot, derived, progress);
}

enum { TYPE_MAX = 32 };

/* Type of the first typed argument of a call, "" if not recorded. */
static void peak_share_type_of(const struct derived *derived, uint32_t span, char type[TYPE_MAX])
{
	const struct op_info *info = links_arguments(derived, span);
	const char *at = profile_string(derived->profile, info ? info->types : NO_ROW);
	size_t length = 0;
	while ((at = strchr(at, '"')) && (length = strcspn(++at, "\"")) == 0)
		at += *at == '"';
	snprintf(type, TYPE_MAX, "%.*s", at ? (int)length : 0, at ? at : "");
}

/* NaN with a NOTE when unknown. */
static double peak_of(const struct device_rates *rates, const char *type, uint8_t flags,
		      const char **note)
{
	double matrix = device_rates_flops(rates, type, true);
	double plain = device_rates_flops(rates, type, false);
	bool either = !(flags & CALL_TENSOR) && flags & CALL_UNKNOWN;
	double peak = flags & CALL_TENSOR || either ? matrix : plain;
	if (!*type)
		*note = "The type was not recorded.";
	else if (isnan(peak))
		*note = "The peak of the device is not known for the type; see --device-peaks.";
	else if (either && plain != matrix &&
		 (strcasestr(type, "float") || strcasestr(type, "double")))
		*note = "Tensor Core use is not known, nor which peak applies.";
	return *note ? NAN : peak;
}

static struct peak_share share_of(const struct peak_shares *shares, uint32_t activity)
{
	const struct derived *derived = shares->derived;
	const struct profile *profile = derived->profile;
	const struct device *device =
		profile_device(profile, profile_activity_device(profile, activity));
	struct peak_share share = { NAN, NULL };
	struct work work = work_of_activity(shares->counts, profile, activity);
	double rate = work.flops * 1e9 / (double)profile->activity_dur[activity];
	uint32_t call = work_call_of(shares->counts, activity);
	if (!device || call == NO_ROW || !(rate > 0) || !isfinite(rate))
		return share;
	char type[TYPE_MAX];
	uint8_t flags = shares->flags[call];
	peak_share_type_of(derived, shares->counts->calls[call].span, type);
	if (!*type)
		peak_share_type_of(derived, derived->activity_operator[activity], type);
	const struct device_rates *rates = &shares->rates[device - profile->devices];
	double pct = 100 * rate / peak_of(rates, type, flags, &share.note);
	if (isnan(pct))
		return share;
	if (flags & CALL_FAST)
		share.note =
			pct > 100 ? "Winograd or FFT needs fewer operations than those counted."
				  : "Counted as a direct convolution; computed by Winograd or FFT.";
	else if (pct > 100)
		share.note =
			"Above the peak: wrong shapes or duration, a faster clock, or a device "
			"that --device-peaks should describe.";
	share.pct = pct > 100 ? NAN : pct;
	return share;
}

struct peak_share peak_share_of(const struct peak_shares *shares, uint32_t activity)
{
	struct peak_share share = share_of(shares, activity);
	if (work_is_measured(shares->counts, activity))
		share.note = PEAK_MEASURED;
	return share;
}
