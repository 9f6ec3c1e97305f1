/* Fuzzes rocpd and RPD databases. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_database(data, size));
	return 0;
}
