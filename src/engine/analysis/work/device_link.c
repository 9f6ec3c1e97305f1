#include "base/any_of.h"
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
	return looked_up(at, links, strcasestr(device, at->part),
			 at->rate > 0 ? at->rate * 1e9 : NAN, NAN);
}
