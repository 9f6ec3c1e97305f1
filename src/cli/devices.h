/*
 * Reads the user's file of device peaks (analysis/work/device_peaks.h).
 */
#ifndef STRATA_CLI_DEVICES_H
#define STRATA_CLI_DEVICES_H

#include "cli/session.h"

/*
 * Read the file named by --device-peaks, otherwise "strata/devices" in the configuration directory
 * if it exists, into session->peaks. Invalid lines are reported and skipped. False with ERROR_USAGE
 * if the named file cannot be read.
 */
bool devices_read(struct session *session);

#endif
