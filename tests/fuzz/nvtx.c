/* Fuzzes NVTX range texts of PyTorch, PyProf and DLProf, one per line. */
#include "fuzz.h"

#include "base/error.h"
#include "input/nvtx/nvtx.h"
#include "model/builder.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = profile_new("fuzz");
	struct builder *builder = builder_new(profile);
	struct nvtx *nvtx = nvtx_new(profile, builder);
	struct error error = { 0 };
	int64_t at = 0;

	for (const char *line = fuzz_text(data, size); *line; at += 3) {
		size_t length = strcspn(line, "\n");
		uint32_t process = builder_process(builder, 1, 0);
		uint32_t track = builder_track(builder, process, 1 + length % 2, 0, -1);
		nvtx_range(nvtx, track, line, length, 0, at,
			   length % 7 ? at + 40 - at % 50 : NO_VALUE,
			   (enum nvtx_nesting)(length % 4));
		nvtx_mark(nvtx, track, line, length, at);
		line += length + (line[length] == '\n');
	}
	nvtx_finish(nvtx);
	profile_finish(builder, NULL, &error);
	nvtx_free(nvtx);
	builder_free(builder);
	profile_free(profile);
	return 0;
}
