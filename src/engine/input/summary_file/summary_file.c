#include "input/summary_file/summary_file.h"

#include "base/crc64.h"
#include "base/error.h"
#include "model/profile.h"

#include <inttypes.h>

enum { HEAD = SUMMARY_FILE_MAGIC_SIZE + 8, ENTRY = 40, SUM = 8 };

bool summary_file_recognize(const char *head, size_t length)
{
	return length >= SUMMARY_FILE_MAGIC_SIZE &&
	       memcmp(head, SUMMARY_FILE_MAGIC, SUMMARY_FILE_MAGIC_SIZE) == 0;
}

_Static_assert(sizeof(struct summary_file_part) == ENTRY, "an entry is written as it is");

/* ---- writing ---- */

void summary_file_add_head(struct buffer *out, const struct summary_file_part *parts, size_t count)
{
	const uint32_t numbers[] = { SUMMARY_FILE_VERSION, (uint32_t)count };
	size_t from = out->length;
	buffer_add(out, SUMMARY_FILE_MAGIC, SUMMARY_FILE_MAGIC_SIZE);
	buffer_add(out, (const char *)numbers, sizeof numbers);
	buffer_add(out, (const char *)parts, count * sizeof *parts);
	const uint64_t sum = crc64(0, out->data + from, out->length - from);
	buffer_add(out, (const char *)&sum, SUM);
}

void summary_file_add_section(struct buffer *out, enum summary_file_section section,
			      const struct buffer *bytes)
{
	packed_add(out, section);
	packed_add_bytes(out, BUFFERED(bytes));
}

bool summary_file_reduce(const struct buffer *bytes, struct buffer *out)
{
	struct packed packed = { bytes->data, bytes->data + bytes->length, false };
	while (packed.at < packed.end) {
		const char *from = packed.at;
		uint64_t section = packed_take(&packed);
		packed_take_bytes(&packed);
		if (section != SUMMARY_FILE_TABLES && section != SUMMARY_FILE_TABLE_TEXTS)
			buffer_add(out, from, (size_t)(packed.at - from));
	}
	return !packed.bad;
}

/* ---- reading ---- */

/* Append LENGTH bytes to BYTES; they are allocated as they come. */
static bool summary_file_read_bytes(struct source *source, struct buffer *bytes, uint64_t length,
				    struct error *error)
{
	char piece[1 << 15];
	while (length) {
		size_t wanted = length < sizeof piece ? (size_t)length : sizeof piece;
		ptrdiff_t got = source_read(source, piece, wanted, error);
		if (got < 0)
			return false;
		if (got == 0)
			return error_input(error, "is a summary that was cut off; write it again");
		buffer_add(bytes, piece, (size_t)got);
		length -= (uint64_t)got;
	}
	return true;
}

static uint64_t number_at(const char *at, size_t width)
{
	uint64_t number = 0;
	memcpy(&number, at, width);
	return number;
}

static bool check_version(uint64_t version, struct error *error)
{
	if (version == SUMMARY_FILE_VERSION)
		return true;
	return error_input(
		error, "is a summary of version %" PRIu64 ", and this strata reads version %d; %s",
		version, SUMMARY_FILE_VERSION,
		version > SUMMARY_FILE_VERSION ? "update strata" : "write it again");
}

/* By rank, each once unless unknown, and of a size that can be. */
static bool check_parts(const struct summary_file *summary_file, struct error *error)
{
	for (size_t i = 0; i < summary_file->count; i++) {
		const struct summary_file_part *part = &summary_file->parts[i];
		if (part->size < SUMMARY_FILE_BLOCK_LEAST || part->size > SUMMARY_FILE_BLOCK_MAX ||
		    (part->rank < 0 && part->rank != NO_VALUE) || part->rank > INT32_MAX ||
		    (i && part->rank <= part[-1].rank))
			return error_input(error,
					   "is a summary with a damaged directory; write it again");
	}
	return true;
}

static bool read_head(struct summary_file *summary_file, struct buffer *bytes, struct error *error)
{
	if (!summary_file_read_bytes(summary_file->source, bytes, HEAD, error))
		return false;
	if (!summary_file_recognize(bytes->data, bytes->length))
		return error_input(error, "is not a summary of strata");
	uint64_t count = number_at(bytes->data + SUMMARY_FILE_MAGIC_SIZE + 4, 4);
	if (!check_version(number_at(bytes->data + SUMMARY_FILE_MAGIC_SIZE, 4), error))
		return false;
	if (!count || count > SUMMARY_FILE_PARTS_MAX)
		return error_input(error, "is a summary with a damaged directory; write it again");
	if (!summary_file_read_bytes(summary_file->source, bytes, (size_t)count * ENTRY + SUM,
				     error))
		return false;
	size_t summed = bytes->length - SUM;
	if (crc64(0, bytes->data, summed) != number_at(bytes->data + summed, SUM))
		return error_input(error, "is a summary with a damaged directory; write it again");
	summary_file->count = (size_t)count;
	summary_file->parts = mem_alloc(summary_file->count * sizeof *summary_file->parts);
	memcpy(summary_file->parts, bytes->data + HEAD, summary_file->count * ENTRY);
	return check_parts(summary_file, error);
}

bool summary_file_open(struct summary_file *summary_file, struct source *source,
		       struct error *error)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	*summary_file = (struct summary_file){ .source = source };
	return read_head(summary_file, &bytes, error);
}

CLEAR_MEMBERS(summary_file_close, struct summary_file, OWN(parts))

uint64_t summary_file_offset(const struct summary_file *summary_file, size_t part)
{
	uint64_t at = HEAD + (uint64_t)summary_file->count * ENTRY + SUM;
	for (size_t i = 0; i < part; i++)
		at += summary_file->parts[i].size;
	return at;
}

bool summary_file_damaged(int64_t rank, struct error *error)
{
	if (rank == NO_VALUE)
		return error_input(error,
				   "is a damaged summary; write it again with strata summarize");
	return error_input(error,
			   "has a damaged summary of rank %" PRId64
			   "; write it again with strata summarize",
			   rank);
}

bool summary_file_read(struct summary_file *summary_file, size_t part, struct buffer *bytes,
		       struct error *error)
{
	const struct summary_file_part *wanted = &summary_file->parts[part];
	for (; summary_file->next < part; summary_file->next++)
		if (!source_skip(summary_file->source, summary_file->parts[summary_file->next].size,
				 error))
			return false;
	buffer_clear(bytes);
	summary_file->next++;
	if (!summary_file_read_bytes(summary_file->source, bytes, (size_t)wanted->size, error))
		return false;
	return crc64(0, bytes->data, bytes->length) == wanted->checksum ||
	       summary_file_damaged(wanted->rank, error);
}

bool summary_file_ends(struct summary_file *summary_file, struct error *error)
{
	char byte;
	for (; summary_file->next < summary_file->count; summary_file->next++)
		if (!source_skip(summary_file->source, summary_file->parts[summary_file->next].size,
				 error))
			return false;
	ptrdiff_t got = source_read(summary_file->source, &byte, 1, error);
	if (got > 0)
		return error_input(error, "is a summary with bytes after its end; write it again");
	return got == 0;
}

static bool parse_texts(struct packed *section, struct packed_texts *texts)
{
	if (section->at == section->end)
		return true;
	*texts = packed_take_texts(section);
	return packed_ended(section);
}

bool summary_file_block_open(struct summary_file_block *block, const struct buffer *bytes,
			     struct error *error)
{
	struct packed packed = { bytes->data, bytes->data + bytes->length, false };
	*block = (struct summary_file_block){ 0 };
	while (packed.at < packed.end) {
		uint64_t section = packed_take(&packed);
		struct packed content = packed_take_bytes(&packed);
		if (section < SUMMARY_FILE_SECTIONS) /* others are of a later strata */
			block->section[section] = content;
	}
	bool good = !packed.bad &&
		    parse_texts(&block->section[SUMMARY_FILE_TEXTS], &block->texts) &&
		    parse_texts(&block->section[SUMMARY_FILE_TABLE_TEXTS], &block->table_texts);
	return good || summary_file_damaged(NO_VALUE, error);
}

CLEAR_MEMBERS(summary_file_block_close, struct summary_file_block,
	      OWN_IN(packed_texts_free, texts) OWN_IN(packed_texts_free, table_texts))
