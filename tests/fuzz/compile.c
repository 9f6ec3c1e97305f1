/*
 * Fuzzes logs of torch.compile (TORCH_TRACE), and the words for guards that failed.
 */
#include "fuzz.h"

#include "base/buffer.h"
#include "model/compile_log.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer reason = { 0 }, words = { 0 }, how = { 0 };
	fuzz_look(fuzz_file(data, size));
	buffer_add(&reason, (const char *)data, strnlen((const char *)data, size));
	compile_reason_words(buffer_text(&reason), &words, &how);
	buffer_free(&reason);
	buffer_free(&words);
	buffer_free(&how);
	return 0;
}
