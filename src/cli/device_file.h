/*
 * Reads the user's file of device peaks (analysis/work/device_peaks.h).
 */
#pragma once

#include <stdbool.h>

struct device_peaks;
struct error;

/*
 * Read the file NAMED by --device-peaks, or if NULL "strata/devices" in the configuration directory
 * if it exists, into PEAKS. WARN is called for invalid lines, which are skipped. False with
 * ERROR_USAGE if the named file cannot be read.
 */
bool devices_read(struct device_peaks *peaks, const char *named,
		  void (*warn)(void *context, const char *text), void *context,
		  struct error *error);
