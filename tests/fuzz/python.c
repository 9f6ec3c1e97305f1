/*
 * Fuzzes files of Python profilers: marshal, pickle, Scalene's and speedscope's JSON, samples,
 * collapsed stacks, printed tables, pprof and GPU telemetry.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_file(data, size));
	return 0;
}
