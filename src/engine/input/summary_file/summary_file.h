/*
 * Files of summaries (.summary_file): a directory, and for each rank a block with what is kept of
 * its trace.
 *
 * A file is its magic bytes, a version and the number of blocks (4 bytes each), an entry per block
 * (struct summary_file_part: 8 bytes each), the checksum of all that (CRC-64), and the blocks, by
 * rank. Numbers are little-endian. A block is a sequence of sections: a byte that names it, its
 * length, its bytes; packed as in base/packed.h. A block is copied from file to file, whole or
 * reduced to its statistics, so that merging in any order gives the same bytes.
 */
#pragma once

#include "base/packed.h"
#include "input/source.h"

#define SUMMARY_FILE_MAGIC "\x89strsum\n"
#define SUMMARY_FILE_SUFFIX ".strsum"

enum {
	SUMMARY_FILE_VERSION = 4,
	SUMMARY_FILE_PARTS_MAX = 1 << 24,   /* limit: ranks in a file */
	SUMMARY_FILE_BLOCK_MAX = 256 << 20, /* limit: bytes of a block */
	SUMMARY_FILE_BLOCK_LEAST = 8,       /* bytes */
	SUMMARY_FILE_MAGIC_SIZE = sizeof SUMMARY_FILE_MAGIC - 1,
};

struct summary_file_part {
	int64_t rank;            /* NO_VALUE: the trace does not say */
	int64_t world;           /* world size; NO_VALUE: likewise */
	uint64_t size, checksum; /* of the block */
	uint64_t whole; /* checksum of the block before it was reduced; CHECKSUM if it was not */
};

/* Are the rows of its views left out? */
static inline bool summary_file_is_reduced(const struct summary_file_part *part)
{
	return part->checksum != part->whole;
}

enum summary_file_section { SUMMARY_FILE_SECTION_ROWS(_) SUMMARY_FILE_SECTIONS };

bool summary_file_recognize(const char *head, size_t length);

/* What stands before the blocks. COUNT parts, by rank. */
void summary_file_add_head(struct buffer *out, const struct summary_file_part *parts, size_t count);
void summary_file_add_section(struct buffer *out, enum summary_file_section section,
			      const struct buffer *bytes);

/* Append the block in BYTES without the rows of its views. False: it is damaged. */
bool summary_file_reduce(const struct buffer *bytes, struct buffer *out);

struct summary_file {
	struct source *source; /* belongs to the caller */
	struct summary_file_part *parts;
	size_t count;
	size_t next; /* the block that is read next */
};

/* Read the directory from the start of SOURCE. False with ERROR_INPUT. Close in either case. */
bool summary_file_open(struct summary_file *summary_file, struct source *source,
		       struct error *error);
void summary_file_close(struct summary_file *summary_file);
/* Bytes of the file before block PART. */
uint64_t summary_file_offset(const struct summary_file *summary_file, size_t part);

/*
 * Read block PART into BYTES, which is replaced; blocks before it are skipped, and cannot be read
 * afterwards. False with ERROR: it is cut, or its checksum is wrong.
 */
bool summary_file_read(struct summary_file *summary_file, size_t part, struct buffer *bytes,
		       struct error *error);
/* False with ERROR if something follows the last block. All blocks are read or skipped. */
bool summary_file_ends(struct summary_file *summary_file, struct error *error);

/* A block, in the bytes it was read from. */
struct summary_file_block {
	struct packed section[SUMMARY_FILE_SECTIONS]; /* empty: absent */
	struct packed_texts texts, table_texts;
};
/* False with ERROR_INPUT when its sections do not fit. Close in either case. */
bool summary_file_block_open(struct summary_file_block *block, const struct buffer *bytes,
			     struct error *error);
void summary_file_block_close(struct summary_file_block *block);

/* Set ERROR: block of RANK is damaged. Returns false. */
bool summary_file_damaged(int64_t rank, struct error *error);

/* ---- the profile of a block ---- */

struct profile;

/* The trace of a summary. */
struct summary_file_trace {
	const char *path, *made;    /* MADE: what wrote the summary */
	uint64_t bytes, head, tail; /* its size and checksums */
	const char *format, *tool;
	int64_t epoch_ns, base_ns, end_ns, rank, world_size; /* as in struct profile */
	bool truncated;
	uint64_t text_bytes, events;
};

/* PROFILE as it was read from TRACE, of which the path, MADE, size and checksums are given. */
void summary_file_pack_profile(const struct profile *profile, struct summary_file_trace trace,
			       struct intern *texts, struct buffer *out);
/* Only what is said of the trace, with texts in STRINGS; false when damaged. */
bool summary_file_unpack_trace(const struct summary_file_block *block, struct intern *strings,
			       struct summary_file_trace *trace);
/* The tables of its views, into empty TABLES, with texts in STRINGS; false when damaged. */
struct summary_tables;
bool summary_file_unpack_tables(const struct summary_file_block *block, struct intern *strings,
				struct summary_tables *tables);
/* What wrote the trace, in tools (model/tool.h). */
uint8_t summary_file_tool(const struct summary_file_trace *trace);
/*
 * Where the trace is: at its path or, if both were moved, beside the summary at path SUMMARY. False
 * with its path, if no file of its size is there.
 */
bool summary_file_find_trace(const char *summary, const char *trace, uint64_t bytes,
			     struct buffer *path);

struct reader;
extern const struct reader summary_file_reader;
