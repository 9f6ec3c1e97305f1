/* Fuzzes what Ascend's profilers write: databases, and tables of kernels. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_profile(data, size));
	return 0;
}
