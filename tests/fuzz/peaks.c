/* Fuzzes device peak files; the first line is the device to look up. */
#include "fuzz.h"

#include "analysis/work/device_peaks.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void ask(const struct device_peaks *own, const char *device)
{
	static const char *const types[] = {
		"float", "double", "c10::Half", "bfloat16", "c10::Float8_e4m3fn", "long int", ""
	};

	struct device_rates rates = device_rates_named(own, device);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (int tensor = 0; tensor < 2; tensor++) {
			double peak = device_rates_flops(&rates, types[i], tensor);
			if (!isnan(peak) && !(peak > 0 && peak < 1e25))
				abort();
		}
	if (!isnan(rates.bytes) && !(rates.bytes > 0 && rates.bytes < 1e22))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *line = strchr(text, '\n');
	struct device_peaks *own = device_peaks_new();

	if (line)
		*line++ = 0;
	while (line && *line) {
		struct error error = { 0 };
		size_t length = strcspn(line, "\n");
		length += line[length] == '\n'; /* as lines are read from a file */
		if (!device_peaks_add(own, line, length, &error) && error.code != ERROR_USAGE)
			abort();
		line += length;
	}
	ask(own, text);
	ask(own, "NVIDIA A100-SXM4-80GB");
	device_peaks_free(own);
	return 0;
}
