/*
 * Fuzzes summaries. If the first byte is odd the rest is a file; otherwise it is a block, which
 * gets a directory with its checksum, since otherwise only a checksum mismatch would be tested.
 */
#include "fuzz.h"

#include "base/crc64.h"
#include "base/error.h"
#include "base/mem.h"
#include "session/load.h"
#include "summary/merge_summaries.h"
#include "table/view.h"

/* Opening does not read the histograms. */
static void add_durations(const char *path)
{
	struct error error = { 0 };
	struct scope scope;
	struct run *run = run_open(&path, 1, &(struct load_options){ 0 }, NULL, &error);
	scope_init(&scope);
	for (int group = 0; run && group < VIEW_GROUPS_MAX; group++) {
		const struct view *view = view_find("durations");
		if (view->groups[group])
			table_free(
				view_build(view, run, &scope, view->groups[group], NULL, &error));
	}
	run_free(run);
}

static void merge_it(const char *path)
{
	struct merge merge = { .paths = &path };
	struct error error = { 0 };
	if (merge_add_file(&merge, 0, NULL, &error))
		merge_settle(&merge, &error);
	merge_free(&merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer bytes = { 0 };
	if (size < 2)
		return 0;
	if (!(*data & 1)) {
		uint64_t checksum = crc64(0, data + 1, size - 1);
		struct summary_file_part part = { *data >> 1, 1 + (*data >> 4), size - 1, checksum,
						  checksum ^ (*data >> 7) };
		summary_file_add_head(&bytes, &part, 1);
	}
	buffer_add(&bytes, (const char *)data + 1, size - 1);
	const char *path = fuzz_file((const uint8_t *)bytes.data, bytes.length);
	buffer_free(&bytes);
	fuzz_look(path);
	add_durations(path);
	merge_it(path);
	return 0;
}
