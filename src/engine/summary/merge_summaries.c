#include "summary/merge_summaries.h"

#include "analysis/packed_ranks.h"
#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "base/crc64.h"
#include "base/error.h"
#include "base/number.h"
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const char stage[] = "merging summaries";

/* ---- finding blocks ---- */

/* The ranks of a file, until all of it was read. */
struct merge_adding {
	uint64_t memory_max;
	uint32_t path;
	struct key_claims claims;
	struct merge_block *blocks;
};

static void note_reduced(struct merge_block *block, const struct buffer *bytes)
{
	AUTO_BUFFER struct buffer reduced = { 0 };
	summary_file_reduce(bytes, &reduced);
	block->reduced_size = reduced.length;
	block->reduced_checksum = crc64(0, reduced.data, reduced.length);
}

/* What is in it must be readable, too: a merged file has no block that cannot be shown. */
static bool add_whole_block(struct merge_adding *adding, size_t index,
			    const struct summary_file_part *part, const struct buffer *bytes,
			    struct error *error)
{
	AUTO(summary_file_block_close) struct summary_file_block block;
	bool good = summary_file_block_open(&block, bytes, error);
	struct packed packed = block.section[SUMMARY_FILE_RANK];
	struct rank_summary *summary = NULL;
	if (good)
		summary = rank_summary_unpack(&packed, &block.texts);
	if (summary) {
		adding->blocks[index] = (struct merge_block){ .part = *part, .path = adding->path };
		note_reduced(&adding->blocks[index], bytes);
		key_claims_add(&adding->claims, part->rank, summary);
	} else if (good) {
		good = summary_file_damaged(part->rank, error);
	}
	rank_summary_free(summary);
	return good;
}

static bool fits_memory(const struct merge_adding *adding, const struct summary_file_part *part,
			struct error *error)
{
	char size[NUMBER_MAX], max[NUMBER_MAX];
	if (!adding->memory_max || part->size <= adding->memory_max)
		return true;
	return error_set(error, ERROR_MEMORY,
			 "has a summary of %s, and the limit is %s; raise --max-memory",
			 number_bytes(size, (double)part->size),
			 number_bytes(max, (double)adding->memory_max));
}

static bool read_parts(struct merge_adding *adding, struct summary_file *summary_file,
		       struct error *error)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	bool good = true;
	uint64_t offset = summary_file_offset(summary_file, 0);
	adding->blocks = mem_zalloc(summary_file->count, sizeof *adding->blocks);
	for (size_t i = 0; i < summary_file->count && good; i++) {
		const struct summary_file_part *part = &summary_file->parts[i];
		good = fits_memory(adding, part, error) &&
		       summary_file_read(summary_file, i, &bytes, error) &&
		       add_whole_block(adding, i, part, &bytes, error);
		adding->blocks[i].offset = offset;
		offset += part->size;
	}
	return good && summary_file_ends(summary_file, error);
}

bool merge_add_file(struct merge *merge, uint32_t path, const struct progress *progress,
		    struct error *error)
{
	struct merge_adding adding = { .memory_max = merge->memory_max, .path = path };
	AUTO_SOURCE struct source *source = source_open(merge->paths[path], progress, error);
	AUTO(summary_file_close) struct summary_file summary_file = { 0 };
	bool good = source && summary_file_open(&summary_file, source, error) &&
		    read_parts(&adding, &summary_file, error);
	if (good && *source_wrapping(source))
		good = error_input(error, "is compressed; decompress it to merge it");
	if (good) {
		merge_add_blocks(merge, adding.blocks, summary_file.count);
		key_claims_join(&merge->claims, adding.claims.items, adding.claims.count);
	}
	key_claims_free(&adding.claims);
	mem_free(adding.blocks);
	return good;
}

void merge_add_blocks(struct merge *merge, const struct merge_block *blocks, size_t count)
{
	mem_grow(merge->blocks, merge->count + count);
	if (count)
		memcpy(merge->blocks + merge->count, blocks, count * sizeof *blocks);
	merge->count += count;
}

CLEAR_MEMBERS(merge_free, struct merge, OWN(blocks) OWN_IN(key_claims_free, claims))

/* ---- order ---- */

/* By rank and content; of a copy, the one that is written comes first. */
COMPARE_ITEMS(merge_compare_blocks, struct merge_block,
	      COMPARE(x->part.rank, y->part.rank)
		      ?: COMPARE(x->part.whole, y->part.whole)
		      ?: summary_file_is_reduced(&x->part) - summary_file_is_reduced(&y->part)
		      ?: COMPARE(x->part.checksum, y->part.checksum)
		      ?: COMPARE(x->path, y->path))

/* Of the blocks of a rank the one of the first file, of those with another content than OTHER. */
static const struct merge_block *first_of(const struct merge *merge, int64_t rank,
					  const struct merge_block *other)
{
	const struct merge_block *first = NULL;
	for_each (block, merge->blocks, merge->count)
		if (block->part.rank == rank && (!first || block->path < first->path) &&
		    (!other || block->part.whole != other->part.whole))
			first = block;
	return first;
}

static bool refuse_rank(const struct merge *merge, int64_t rank, struct error *error)
{
	const struct merge_block *first = first_of(merge, rank, NULL);
	const char *path = merge->paths[first->path];
	const char *second = merge->paths[first_of(merge, rank, first)->path];
	if (rank == NO_VALUE)
		return error_input(error,
				   "%s and %s: their ranks are unknown; write them with --rank R",
				   path, second);
	return error_input(error,
			   "%s and %s: their summaries of rank %" PRId64 " differ; leave one out",
			   path, second, rank);
}

/* All that say a size of their world say the same one. */
static bool check_worlds(const struct merge *merge, struct error *error)
{
	const struct merge_block *known = NULL;
	for_each (block, merge->blocks, merge->count) {
		if (block->part.world == NO_VALUE)
			continue;
		if (known && known->part.world != block->part.world)
			return error_input(error,
					   "%s is of a world of %" PRId64 " ranks, %s of %" PRId64
					   "; merge the ranks of one run",
					   merge->paths[known->path], known->part.world,
					   merge->paths[block->path], block->part.world);
		known = block;
	}
	return true;
}

COMPARE_MEMBERS(merge_compare_ranks, struct merge_block, UP(part.rank))

/* All but the key ranks; blocks are in order. */
static void choose_reduced(struct merge *merge)
{
	struct key_claims *claims = &merge->claims;
	size_t most = merge->rows_max ? merge->rows_max : KEY_RANKS_ABOVE;
	bool few = merge->all_ranks || merge->count <= most;
	for (size_t i = 0; i < merge->count; i++)
		merge->blocks[i].reduce =
			!few && merge->blocks[i].reduced_size < merge->blocks[i].part.size;
	key_claims_settle(claims);
	for (size_t i = 0; i < claims->count; i++) {
		const struct merge_block key = { .part.rank = claims->items[i].rank };
		struct merge_block *block =
			bsearch(&key, merge->blocks, merge->count, sizeof key, merge_compare_ranks);
		if (block)
			block->reduce = false;
	}
}

bool merge_settle(struct merge *merge, struct error *error)
{
	size_t kept = 0;
	if (!merge->count)
		return error_input(error, "there is no summary to merge");
	qsort(merge->blocks, merge->count, sizeof *merge->blocks, merge_compare_blocks);
	for_each (block, merge->blocks, merge->count) {
		const struct merge_block *before = kept ? &merge->blocks[kept - 1] : NULL;
		if (before && before->part.rank == block->part.rank &&
		    before->part.whole == block->part.whole)
			continue; /* the same, with or without rows */
		if (before && before->part.rank == block->part.rank)
			return refuse_rank(merge, block->part.rank, error);
		merge->blocks[kept++] = *block;
	}
	merge->count = kept;
	if (kept > 1 && merge->blocks[0].part.rank == NO_VALUE)
		return error_input(error, "%s: its rank is unknown; write it with --rank R",
				   merge->paths[merge->blocks[0].path]);
	if (kept > SUMMARY_FILE_PARTS_MAX)
		return error_set(error, ERROR_LIMIT, "more than %d ranks", SUMMARY_FILE_PARTS_MAX);
	choose_reduced(merge);
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
	AUTO_BUFFER struct buffer ranks = { 0 };
	list_missing(merge, &ranks);
	buffer_printf(out, "ranks merged: %zu", merge->count);
	if (ranks.length)
		buffer_printf(out, "; missing: %s", buffer_text(&ranks));
	size_t reduced = 0;
	for (size_t i = 0; i < merge->count; i++)
		reduced +=
			merge->blocks[i].reduce || summary_file_is_reduced(&merge->blocks[i].part);
	if (reduced)
		buffer_printf(out, "; rows of %zu key ranks kept", merge->count - reduced);
	if (reduced && !merge->all_ranks)
		buffer_puts(out, " (--all-ranks keeps all)");
}

/* ---- writing ---- */

struct merge_writing {
	struct replace *file;
	merge_fetch *fetch;
	void *context;
	const struct progress *progress;
	struct error *error;
};

static struct summary_file_part part_written(const struct merge_block *block)
{
	struct summary_file_part part = block->part;
	if (block->reduce) {
		part.size = block->reduced_size;
		part.checksum = block->reduced_checksum;
	}
	return part;
}

static bool write_head(const struct merge_writing *writing, const struct merge *merge)
{
	AUTO_FREE struct summary_file_part *parts = mem_alloc(merge->count * sizeof *parts);
	AUTO_BUFFER struct buffer head = { 0 };
	for (size_t i = 0; i < merge->count; i++)
		parts[i] = part_written(&merge->blocks[i]);
	summary_file_add_head(&head, parts, merge->count);
	return replace_write(writing->file, head.data, head.length, writing->error);
}

static bool fits(const struct summary_file_part *part, const struct buffer *bytes)
{
	return bytes->length == part->size &&
	       crc64(0, bytes->data, bytes->length) == part->checksum;
}

static bool has_changed(const struct merge *merge, const struct merge_block *block,
			struct error *error)
{
	return error_input(error, "%s: changed while it was read", merge->paths[block->path]);
}

static bool write_blocks(const struct merge_writing *writing, const struct merge *merge)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	bool ok = write_head(writing, merge);
	for (size_t i = 0; i < merge->count && ok; i++) {
		const struct merge_block *block = &merge->blocks[i];
		buffer_clear(&bytes);
		ok = progress_update(writing->progress, stage, i, merge->count, 0) ||
		     error_cancelled(writing->error);
		ok = ok && writing->fetch(writing->context, block, &bytes, writing->error);
		struct summary_file_part part = part_written(block);
		if (ok && !fits(&part, &bytes))
			ok = has_changed(merge, block, writing->error);
		ok = ok && replace_write(writing->file, bytes.data, bytes.length, writing->error);
	}
	return ok;
}

bool merge_write(const struct merge *merge, const char *output, bool force, merge_fetch *fetch,
		 void *context, const struct progress *progress, struct error *error)
{
	struct replace *file = replace_begin(output, force, error);
	if (!file)
		return false;
	struct merge_writing writing = { file, fetch, context, progress, error };
	return replace_end(file, write_blocks(&writing, merge), error);
}

/* ---- from files ---- */

static bool open_file(struct merge_files *files, uint32_t path, struct error *error)
{
	if (files->path == path + 1)
		return true;
	merge_files_close(files);
	files->descriptor = open(files->merge->paths[path], O_RDONLY | O_CLOEXEC);
	if (files->descriptor < 0)
		return error_input(error, "%s: cannot open: %s", files->merge->paths[path],
				   strerror(errno));
	files->path = path + 1;
	return true;
}

static bool read_whole_block(struct merge_files *files, const struct merge_block *block,
			     struct buffer *bytes)
{
	char piece[1 << 15];
	for (uint64_t at = 0; at < block->part.size;) {
		uint64_t left = block->part.size - at;
		ssize_t got = pread(files->descriptor, piece,
				    left < sizeof piece ? (size_t)left : sizeof piece,
				    (off_t)(block->offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		buffer_add(bytes, piece, (size_t)got);
		at += (uint64_t)got;
	}
	return fits(&block->part, bytes);
}

bool merge_fetch_file(void *context, const struct merge_block *block, struct buffer *bytes,
		      struct error *error)
{
	struct merge_files *files = context;
	AUTO_BUFFER struct buffer whole = { 0 };
	if (!open_file(files, block->path, error))
		return false;
	bool good = read_whole_block(files, block, block->reduce ? &whole : bytes) &&
		    (!block->reduce || summary_file_reduce(&whole, bytes));
	return good || has_changed(files->merge, block, error);
}

void merge_files_close(struct merge_files *files)
{
	if (files->path)
		close(files->descriptor);
	files->path = 0;
}
