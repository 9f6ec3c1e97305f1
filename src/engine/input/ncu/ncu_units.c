/*
 * Units of metrics: reports do not store them, so they follow from the name; printed values are
 * scaled.
 */
#include "base/any_of.h"
#include "base/text.h"
#include "input/ncu/ncu_private.h"

#include <stdio.h>

/* ---- from the name of a metric: unit__counter.rollup.submetric ---- */

/* Words of a counter's name; the first that occurs gives the unit. */
static const struct {
	const char *word, *unit;
} counters[] = { COUNTER_UNITS_ROWS };

static const char *counter_unit(const char *name, size_t length)
{
	return looked_up(at, counters, memmem(name, length, at->word, strlen(at->word)), at->unit,
			 "");
}

void ncu_unit_of_name(const char *name, char unit[32])
{
	const char *counter = strstr(name, "__"); /* a source may precede it: "TPC.TriageA." */
	const char *dot = strchr(counter ? counter : name, '.');
	const char *base = counter_unit(name, dot ? (size_t)(dot - name) : strlen(name));
	const char *per = "";
	if (strncmp(name, "device__attribute", 17) == 0 || strstr(name, ".ratio") ||
	    strstr(name, "occupancy_") || strstr(name, "_multiprocessor"))
		base = "";
	else if (strstr(name, ".pct") || text_ends_with(name, "_pct"))
		base = "%";
	else if (strstr(name, ".per_second"))
		per = "/s";
	else if (strstr(name, ".per_cycle") || text_ends_with(name, ".peak_sustained"))
		per = "/cycle";
	snprintf(unit, 32, "%s%s", base, *base ? per : "");
}

/* ---- of printed values ---- */

/* Prefixes are decimal; before "second" they divide. */
static const struct {
	const char *word;
	double scale;
} scales[] = { NCU_SCALE_ROWS };

static double scale_of(const char *word, size_t length)
{
	return looked_up(at, scales,
			 strlen(at->word) == length && memcmp(at->word, word, length) == 0,
			 at->scale, 1);
}

/* Times are in ns, rates by second. */
double ncu_unit_scale(const char *unit, size_t length)
{
	const char *slash = memchr(unit, '/', length);
	if (!slash)
		return scale_of(unit, length);
	size_t above = (size_t)(slash - unit), below = length - above - 1;
	double scale = scale_of(unit, above);
	bool time = below >= 1 && (slash[below] == 'd' || slash[below] == 's');
	bool second = memmem(slash + 1, below, "second", 6) || (below <= 2 && time);
	return second ? scale * 1e9 / scale_of(slash + 1, below) : scale;
}
