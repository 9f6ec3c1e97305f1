#include "picture/plot/plot_axis.h"

#include <math.h>
#include <stdio.h>

double plot_place(const struct plot_axis *axis, double value)
{
	if (axis->scale == PLOT_LINEAR)
		return (value - axis->low) / (axis->high - axis->low);
	if (!(value > 0))
		return NAN;
	return (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
}

double plot_value(const struct plot_axis *axis, double place)
{
	if (axis->scale == PLOT_LINEAR)
		return axis->low + place * (axis->high - axis->low);
	return exp(log(axis->low) + place * (log(axis->high) - log(axis->low)));
}

/* ---- labels ---- */

enum { NO_DECIMALS = 9, COUNTED = 100000 }; /* COUNTED: smaller counts are written in full */

struct prefix {
	double factor;
	const char *name;
};

static const struct prefix times[] = {
	{ 1, " ns" }, { 1e3, " us" }, { 1e6, " ms" }, { 1e9, " s" }
};
static const struct prefix sizes[] = { { 1, " B" },        { 0x1p10, " KiB" }, { 0x1p20, " MiB" },
				       { 0x1p30, " GiB" }, { 0x1p40, " TiB" }, { 0x1p50, " PiB" } };
static const struct prefix powers[] = { { 1, "" },     { 1e3, " k" },  { 1e6, " M" },
					{ 1e9, " G" }, { 1e12, " T" }, { 1e15, " P" } };
static const struct prefix percents[] = { { 1, "%" } };
static const struct prefix plain[] = { { 1, "" } };

#define LARGEST(table, size) largest(table, sizeof(table) / sizeof *(table), size)

static const struct prefix *largest(const struct prefix *prefixes, size_t count, double size)
{
	size_t i = count - 1;
	while (i > 0 && prefixes[i].factor > size * (1 + 1e-9))
		i--;
	return &prefixes[i];
}

/* Unit prefix for numbers up to SIZE. */
static const struct prefix *prefix_of(enum unit unit, double size)
{
	switch (unit) {
	case UNIT_NS: return LARGEST(times, size);
	case UNIT_BYTES: return LARGEST(sizes, size);
	case UNIT_PERCENT: return percents;
	case UNIT_ID: return plain;
	case UNIT_COUNT: return size < COUNTED ? plain : LARGEST(powers, size);
	default: return LARGEST(powers, size);
	}
}

/* Decimals needed to distinguish values STEP apart; NO_DECIMALS: too many. */
static int decimals_of(const struct prefix *prefix, double value, double step)
{
	double scaled = value / prefix->factor, slack = fabs(step / prefix->factor) / 100;
	int decimals = 0;
	for (double unit = 1; decimals < NO_DECIMALS; decimals++, unit *= 10)
		if (fabs(round(scaled * unit) / unit - scaled) <= slack)
			break;
	return decimals;
}

static void label(char out[PLOT_LABEL_MAX], const struct prefix *prefix, double value, int decimals)
{
	double scaled = value / prefix->factor;
	if (fabs(scaled) < 1e12 && decimals < NO_DECIMALS)
		snprintf(out, PLOT_LABEL_MAX, "%.*f%s", decimals, scaled == 0 ? 0 : scaled,
			 prefix->name);
	else
		snprintf(out, PLOT_LABEL_MAX, "%.3g%s", scaled, prefix->name);
}

/* ---- linear ---- */

/* Smallest round step that divides LENGTH into at most MAX intervals. */
static double round_step(enum unit unit, double length, size_t max)
{
	double least = length / (double)max;
	if (unit == UNIT_BYTES)
		return exp2(ceil(log2(least) - 1e-9));
	double power = pow(10, floor(log10(least)));
	double step = least <= power * (1 + 1e-9)       ? power
		      : least <= 2 * power * (1 + 1e-9) ? 2 * power
		      : least <= 5 * power * (1 + 1e-9) ? 5 * power
							: 10 * power;
	bool whole = unit == UNIT_ID || unit == UNIT_COUNT || unit == UNIT_NS;
	return whole && step < 1 ? 1 : step;
}

static size_t linear_ticks(const struct plot_axis *axis, size_t max, struct plot_tick *ticks)
{
	double step = round_step(axis->unit, axis->high - axis->low, max);
	const struct prefix *prefix =
		prefix_of(axis->unit, fmax(fabs(axis->low), fabs(axis->high)));
	double first = ceil(axis->low / step - 1e-9);
	size_t count = 0;
	/* beyond the precision of a double, adding steps has no effect */
	if (!isfinite(first) || fabs(first) > 1e15)
		return 0;
	int decimals = 0; /* common to all labels */
	for (; count < max; count++) {
		double value = (first + (double)count) * step;
		if (value > axis->high + step * 1e-9)
			break;
		ticks[count].value = value;
		int needed = decimals_of(prefix, value, step);
		decimals = needed > decimals ? needed : decimals;
	}
	for (size_t i = 0; i < count; i++)
		label(ticks[i].label, prefix, ticks[i].value, decimals);
	return count;
}

/* ---- logarithmic ---- */

/* Add multiples of powers of ten; false if there are too many. */
static bool try_log(const struct plot_axis *axis, const int *multiples, int stride, size_t max,
		    struct plot_tick *ticks, size_t *count)
{
	int from = (int)floor(log10(axis->low) - 1e-9), to = (int)ceil(log10(axis->high));
	*count = 0;
	for (int exponent = from; exponent <= to; exponent++) {
		if (exponent % stride)
			continue;
		for (const int *at = multiples; *at; at++) {
			double value = *at * pow(10, exponent);
			if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9))
				continue;
			if (*count >= max)
				return false;
			ticks[*count].value = value;
			const struct prefix *prefix = prefix_of(axis->unit, value);
			label(ticks[(*count)++].label, prefix, value,
			      decimals_of(prefix, value, value));
		}
	}
	return true;
}

static size_t log_ticks(const struct plot_axis *axis, size_t max, struct plot_tick *ticks)
{
	static const int fine[] = { 1, 2, 5, 0 }, coarse[] = { 1, 3, 0 }, tens[] = { 1, 0 };
	size_t count;
	if (try_log(axis, fine, 1, max, ticks, &count) ||
	    try_log(axis, coarse, 1, max, ticks, &count))
		return count;
	for (int stride = 1; stride < 700; stride++)
		if (try_log(axis, tens, stride, max, ticks, &count))
			return count;
	return 0;
}

size_t plot_ticks(const struct plot_axis *axis, size_t max, struct plot_tick *ticks)
{
	max = max < PLOT_TICKS_MAX ? max : PLOT_TICKS_MAX;
	if (!max || !(axis->high > axis->low))
		return 0;
	if (axis->scale == PLOT_LINEAR)
		return linear_ticks(axis, max, ticks);
	size_t count = log_ticks(axis, max, ticks);
	if (count >= 2 || axis->high >= 10 * axis->low)
		return count;
	/* less than a decade: linear steps */
	return linear_ticks(axis, max, ticks);
}
