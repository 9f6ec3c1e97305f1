#include "analysis/work/device_peaks.h"
#include "text_tables.h"

#include <math.h>
#include <string.h>

/* 10^9 bytes/s in one direction: half of what the data sheet of the module states. */
static const struct {
	const char *part; /* of the device's name; the first that matches counts */
	double rate;
} links[] = { LINK_ROWS };

double device_link_bytes(const char *device)
{
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (strcasestr(device, links[i].part))
			return links[i].rate > 0 ? links[i].rate * 1e9 : NAN;
	return NAN;
}
