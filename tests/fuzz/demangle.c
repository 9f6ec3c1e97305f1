/* Fuzzes C++ symbols. */
#include "fuzz.h"

#include "base/buffer.h"
#include "base/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer name = { 0 };

	demangle(&name, fuzz_text(data, size));
	buffer_free(&name);
	return 0;
}
