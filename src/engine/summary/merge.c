#include "summary/merge.h"

#include "base/crc64.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/replace.h"
#include "model/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char stage[] = "merging summaries";

/* ---- finding blocks ---- */

/* What is in it must be readable, too: a merged file has no block that cannot be shown. */
static bool check_block(const struct buffer *bytes, struct error *error)
{
	struct strsum_block block;
	bool good = strsum_block_open(&block, bytes, error);
	strsum_block_close(&block);
	return good;
}

static bool read_parts(struct strsum *strsum, struct error *error)
{
	struct buffer bytes = { 0 };
	bool good = true;
	for (size_t i = 0; i < strsum->count && good; i++)
		good = strsum_read(strsum, i, &bytes, error) && check_block(&bytes, error);
	buffer_free(&bytes);
	return good && strsum_ends(strsum, error);
}

bool merge_add_file(struct merge *merge, uint32_t path, const struct progress *progress,
		    struct error *error)
{
	struct strsum strsum = { 0 };
	struct source *source = source_open(merge->paths[path], progress, error);
	bool good = source && strsum_open(&strsum, source, error) && read_parts(&strsum, error);
	if (good && *source_wrapping(source))
		good = error_set(error, ERROR_INPUT, "is compressed; decompress it to merge it");
	uint64_t offset = good ? strsum_offset(&strsum, 0) : 0;
	for (size_t i = 0; good && i < strsum.count; i++) {
		struct merge_block block = { strsum.parts[i], offset, path, 0 };
		merge_add_blocks(merge, &block, 1);
		offset += strsum.parts[i].size;
	}
	strsum_close(&strsum);
	source_close(source);
	return good;
}

void merge_add_blocks(struct merge *merge, const struct merge_block *blocks, size_t count)
{
	mem_grow(merge->blocks, merge->capacity, merge->count + count);
	if (count)
		memcpy(merge->blocks + merge->count, blocks, count * sizeof *blocks);
	merge->count += count;
}

void merge_free(struct merge *merge)
{
	mem_free(merge->blocks);
	*merge = (struct merge){ 0 };
}

/* ---- order ---- */

static int compare_blocks(const void *a, const void *b)
{
	const struct merge_block *x = a, *y = b;
	if (x->part.rank != y->part.rank)
		return x->part.rank < y->part.rank ? -1 : 1;
	if (x->part.checksum != y->part.checksum)
		return x->part.checksum < y->part.checksum ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

static bool same_block(const struct merge_block *a, const struct merge_block *b)
{
	return a->part.rank == b->part.rank && a->part.checksum == b->part.checksum &&
	       a->part.size == b->part.size;
}

static bool check_rank(const struct merge *merge, const struct merge_block *before,
		       const struct merge_block *block, struct error *error)
{
	const char *const *paths = merge->paths;
	if (block->part.rank != before->part.rank)
		return true;
	if (block->part.rank == NO_VALUE)
		return error_set(error, ERROR_INPUT,
				 "%s and %s: their ranks are unknown; write them with --rank R",
				 paths[before->path], paths[block->path]);
	return error_set(error, ERROR_INPUT,
			 "%s and %s: their summaries of rank %" PRId64 " differ; leave one out",
			 paths[before->path], paths[block->path], block->part.rank);
}

/* All that say a size of their world say the same one. */
static bool check_worlds(const struct merge *merge, struct error *error)
{
	const struct merge_block *known = NULL;
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_block *block = &merge->blocks[i];
		if (block->part.world == NO_VALUE)
			continue;
		if (known && known->part.world != block->part.world)
			return error_set(error, ERROR_INPUT,
					 "%s is of a world of %" PRId64 " ranks, %s of %" PRId64
					 "; merge the ranks of one run",
					 merge->paths[known->path], known->part.world,
					 merge->paths[block->path], block->part.world);
		known = block;
	}
	return true;
}

bool merge_settle(struct merge *merge, struct error *error)
{
	size_t kept = 0;
	if (!merge->count)
		return error_set(error, ERROR_INPUT, "there is no summary to merge");
	qsort(merge->blocks, merge->count, sizeof *merge->blocks, compare_blocks);
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_block *block = &merge->blocks[i];
		if (kept && same_block(&merge->blocks[kept - 1], block))
			continue;
		if (kept && !check_rank(merge, &merge->blocks[kept - 1], block, error))
			return false;
		merge->blocks[kept++] = *block;
	}
	merge->count = kept;
	if (kept > 1 && merge->blocks[0].part.rank == NO_VALUE)
		return error_set(error, ERROR_INPUT,
				 "%s: its rank is unknown; write it with --rank R",
				 merge->paths[merge->blocks[0].path]);
	if (kept > STRSUM_PARTS_MAX)
		return error_set(error, ERROR_LIMIT, "more than %d ranks", STRSUM_PARTS_MAX);
	return check_worlds(merge, error);
}

static void list_range(struct buffer *out, int64_t from, int64_t end)
{
	if (from >= end)
		return;
	buffer_printf(out, "%s%" PRId64, out->length ? ", " : "", from);
	if (end - from > 1)
		buffer_printf(out, "..%" PRId64, end - 1);
}

static void list_missing(const struct merge *merge, struct buffer *out)
{
	int64_t next = 0, world = NO_VALUE;
	for (size_t i = 0; i < merge->count; i++)
		world = merge->blocks[i].part.world > world ? merge->blocks[i].part.world : world;
	for (size_t i = 0; i < merge->count && world > 0; i++) {
		list_range(out, next, merge->blocks[i].part.rank);
		next = merge->blocks[i].part.rank + 1;
	}
	list_range(out, next, world);
}

void merge_describe(const struct merge *merge, struct buffer *out)
{
	struct buffer ranks = { 0 };
	list_missing(merge, &ranks);
	buffer_printf(out, "ranks merged: %zu", merge->count);
	if (ranks.length)
		buffer_printf(out, "; missing: %s", buffer_text(&ranks));
	buffer_free(&ranks);
}

/* ---- writing ---- */

static bool write_bytes(int descriptor, const char *data, size_t length)
{
	while (length) {
		ssize_t written = write(descriptor, data, length);
		if (written < 0 && errno != EINTR)
			return false;
		data += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

struct writing {
	int descriptor;
	const char *output;
	merge_fetch *fetch;
	void *context;
	const struct progress *progress;
	struct error *error;
};

static bool put(const struct writing *writing, const struct buffer *bytes)
{
	return write_bytes(writing->descriptor, bytes->data, bytes->length) ||
	       error_set(writing->error, ERROR_OUTPUT, "%s: cannot write: %s", writing->output,
			 strerror(errno));
}

static bool write_head(const struct writing *writing, const struct merge *merge)
{
	struct strsum_part *parts = mem_alloc(merge->count * sizeof *parts);
	struct buffer head = { 0 };
	for (size_t i = 0; i < merge->count; i++)
		parts[i] = merge->blocks[i].part;
	strsum_add_head(&head, parts, merge->count);
	bool done = put(writing, &head);
	buffer_free(&head);
	mem_free(parts);
	return done;
}

static bool write_blocks(const struct writing *writing, const struct merge *merge)
{
	struct buffer bytes = { 0 };
	bool on = write_head(writing, merge);
	for (size_t i = 0; i < merge->count && on; i++) {
		const struct merge_block *block = &merge->blocks[i];
		buffer_clear(&bytes);
		on = progress_update(writing->progress, stage, i, merge->count, 0) ||
		     error_set(writing->error, ERROR_CANCELLED, "cancelled");
		on = on && writing->fetch(writing->context, block, &bytes, writing->error);
		if (on && (bytes.length != block->part.size ||
			   crc64(0, bytes.data, bytes.length) != block->part.checksum))
			on = error_set(writing->error, ERROR_INPUT, "%s: changed while it was read",
				       merge->paths[block->path]);
		on = on && put(writing, &bytes);
	}
	buffer_free(&bytes);
	return on;
}

bool merge_write(const struct merge *merge, const char *output, bool force, merge_fetch *fetch,
		 void *context, const struct progress *progress, struct error *error)
{
	struct replace *file = replace_begin(output, force, error);
	if (!file)
		return false;
	struct writing writing = {
		replace_descriptor(file), output, fetch, context, progress, error
	};
	if (write_blocks(&writing, merge))
		return replace_commit(file, error);
	replace_discard(file);
	return false;
}

/* ---- from files ---- */

static bool open_file(struct merge_files *files, uint32_t path, struct error *error)
{
	if (files->path == path + 1)
		return true;
	merge_files_close(files);
	files->descriptor = open(files->merge->paths[path], O_RDONLY | O_CLOEXEC);
	if (files->descriptor < 0)
		return error_set(error, ERROR_INPUT, "%s: cannot open: %s",
				 files->merge->paths[path], strerror(errno));
	files->path = path + 1;
	return true;
}

bool merge_fetch_file(void *context, const struct merge_block *block, struct buffer *bytes,
		      struct error *error)
{
	struct merge_files *files = context;
	if (!open_file(files, block->path, error))
		return false;
	char piece[1 << 15];
	for (uint64_t at = 0; at < block->part.size;) {
		uint64_t left = block->part.size - at;
		ssize_t got = pread(files->descriptor, piece,
				    left < sizeof piece ? (size_t)left : sizeof piece,
				    (off_t)(block->offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(error, ERROR_INPUT, "%s: changed while it was read",
					 files->merge->paths[block->path]);
		buffer_add(bytes, piece, (size_t)got);
		at += (uint64_t)got;
	}
	return true;
}

void merge_files_close(struct merge_files *files)
{
	if (files->path)
		close(files->descriptor);
	files->path = 0;
}
