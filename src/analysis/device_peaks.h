/*
 * What devices can do at most, by their vendors' data sheets.
 */
#ifndef STRATA_ANALYSIS_DEVICE_PEAKS_H
#define STRATA_ANALYSIS_DEVICE_PEAKS_H

#include <stdbool.h>

/*
 * Dense peak in floating-point operations a second of the device with this name for elements of
 * TYPE
 * ("float", "c10::Half", "float16"…); TENSOR: on its matrix units, where those take the type.  NaN
 * when the device or its rate for the type is not known.
 */
double device_peak_flops(const char *device, const char *type, bool tensor);

double device_peak_bytes(const char *device); /* a second, of its memory; NaN when not known */

#endif
