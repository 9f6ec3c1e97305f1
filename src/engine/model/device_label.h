/*
 * Names devices: "GPU0", "TPU3".
 *
 * The ordinal of a device that is no GPU has its kind above the file's own number, so that GPU0 and
 * TPU0 of one file are two devices.
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>

enum device_kind { DEVICE_GPU, DEVICE_NPU, DEVICE_TPU, DEVICE_KINDS };

enum {
	DEVICE_KIND_SHIFT = 24,
	DEVICE_NUMBER_MAX = 1 << DEVICE_KIND_SHIFT,
	DEVICE_LABEL_MAX = 24, /* bytes with the NUL */
};

/* NUMBER is below DEVICE_NUMBER_MAX. */
static inline int32_t device_of_kind(enum device_kind kind, int32_t number)
{
	return (int32_t)kind << DEVICE_KIND_SHIFT | number;
}

static inline const char *device_kind_name(enum device_kind kind)
{
	static const char *const names[DEVICE_KINDS] = { "GPU", "NPU", "TPU" };
	return names[kind];
}

/* Write the name to OUT and return it; "CPU" below 0. */
static inline const char *device_label(char out[DEVICE_LABEL_MAX], int32_t device)
{
	int32_t kind = device >> DEVICE_KIND_SHIFT;
	if (device < 0)
		return "CPU";
	if (kind >= DEVICE_KINDS) /* a GPU with an odd number */
		snprintf(out, DEVICE_LABEL_MAX, "GPU%" PRId32, device);
	else
		snprintf(out, DEVICE_LABEL_MAX, "%s%" PRId32, device_kind_name(kind),
			 device & (DEVICE_NUMBER_MAX - 1));
	return out;
}
