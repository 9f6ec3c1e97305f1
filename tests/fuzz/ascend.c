/* Fuzzes what Ascend's profilers write: databases, and tables of kernels. */
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool table = size > 5 && memcmp(data, "Step ", 5) == 0;
	fuzz_look(table ? fuzz_file(data, size) : fuzz_database(data, size));
	return 0;
}
