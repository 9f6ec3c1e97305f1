/* Fuzzes what Nsight Systems exports and nsys stats writes: databases, text and CSV. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_profile(data, size));
	return 0;
}
