/* Fuzzes rocpd and RPD databases, and the JSON of rocprofv3. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(size && *data == '{' ? fuzz_file(data, size) : fuzz_database(data, size));
	return 0;
}
