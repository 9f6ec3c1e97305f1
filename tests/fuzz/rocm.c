/* Fuzzes rocpd and RPD databases, and the JSON and tables of rocprof, all versions. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_profile(data, size));
	return 0;
}
