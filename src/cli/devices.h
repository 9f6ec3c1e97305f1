/*
 * The user's own file of what devices can do, one a line (analysis/work/device_peaks.h).
 */
#ifndef STRATA_CLI_DEVICES_H
#define STRATA_CLI_DEVICES_H

#include "cli/session.h"

/*
 * Read the file that --device-peaks names, or else "strata/devices" of the user's configuration
 * where there is one, into session->peaks.  A line that makes no sense is told and left out.  False
 * with ERROR_USAGE when the named file cannot be read.
 */
bool devices_read(struct session *session);

#endif
