#include "analysis/work/device_peaks.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* 10^9 bytes/s in one direction: half of what the data sheet of the module states. */
static const struct {
	const char *part; /* of the device's name; the first that matches counts */
	double rate;
} links[] = {
	{ "PCIe", 0 },       /* joined in pairs or not at all */
	{ "NVL", 0 },        /* likewise */
	{ "GB200", 900 },    /* NVLink 5 */
	{ "B200", 900 },     /* NVLink 5 */
	{ "GH200", 450 },    /* NVLink 4 */
	{ "H200", 450 },     /* NVLink 4 */
	{ "H800", 200 },     /* NVLink 4, restricted */
	{ "H20", 450 },      /* NVLink 4 */
	{ "H100", 450 },     /* NVLink 4 */
	{ "A800-SXM", 200 }, /* NVLink 3, restricted */
	{ "A100-SXM", 300 }, /* NVLink 3 */
	{ "V100-SXM", 150 }, /* NVLink 2 */
	{ "P100-SXM", 80 },  /* NVLink 1 */
	{ "MI300X", 448 },   /* 7 links of 64 GB/s */
	{ "MI325X", 448 },   /* 7 links of 64 GB/s */
	{ "MI355X", 537.6 }, /* 7 links of 76.8 GB/s */
};

double device_link_bytes(const char *device)
{
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (strcasestr(device, links[i].part))
			return links[i].rate > 0 ? links[i].rate * 1e9 : NAN;
	return NAN;
}
