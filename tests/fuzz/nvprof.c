/* Fuzzes databases of nvprof, and the summary that it prints. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_profile(data, size));
	return 0;
}
