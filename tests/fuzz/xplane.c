/* Fuzzes XSpace protobufs of JAX and TensorFlow, and the Chrome traces made of them. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_file(data, size));
	return 0;
}
