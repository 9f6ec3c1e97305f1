/* Fuzzes small JSON documents: TensorRT, Proton, ONNX Runtime, execution traces, timelines, flight
 * recorders. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_look(fuzz_file(data, size));
	return 0;
}
