/*
 * The index: a cache of profiles and derived facts that makes reopening a file many times faster.
 * It is never required: an invalid index is ignored.
 *
 * A file is identified by device, inode, size, the times of its content and status, a checksum of
 * its start and end, and the options that affect reading; not by its path.
 */
#pragma once

#include "base/mem.h"

#include <stdatomic.h>

struct derived;
struct error;
struct index_writer;
struct load_options;
struct profile;
struct rank_summary;

struct index_options {
	const char *directory; /* created if missing; NULL: no index */
	uint64_t bytes_max;    /* total size limit; least recently used indexes are removed */
	uint64_t least_bytes;  /* smaller files are parsed fast enough */
};

/* Compared as bytes: no padding. */
struct index_key {
	uint64_t device, inode, size;
	uint64_t content_s, content_ns; /* mtime */
	uint64_t status_s, status_ns;   /* ctime, which cannot be set */
	uint64_t head, tail;            /* checksums */
	uint64_t options;
};

struct index_content {
	struct profile *profile;
	struct derived *derived;
	struct rank_summary *summary;
};

/*
 * Key of the file at PATH read with OPTIONS. False if it cannot be identified: a pipe, a database
 * with a journal, a file changed a moment ago.
 */
bool index_key_make(struct index_key *key, const char *path, const struct load_options *options);

/* Load the entry of KEY as if read from PATH; the caller owns it. False if there is none. */
bool index_load(const struct index_options *options, const struct index_key *key, const char *path,
		struct index_content *content);

/*
 * Store CONTENT under KEY, then evict least recently used indexes above the limit. False with
 * ERROR; ERROR_CANCELLED if STOP (may be NULL) became true.
 */
bool index_store(const struct index_options *options, const struct index_key *key,
		 const struct index_content *content, const atomic_bool *stop, struct error *error);

/* ---- the directory ---- */

/* Create DIRECTORY and those above it, if missing; with MODE 0700 readable by the user alone. */
bool index_create_directory(const char *directory, unsigned mode, struct error *error);

struct index_entry {
	char *path;      /* of the index */
	char *source;    /* path of the profile when it was read; "" if unknown or unfinished */
	bool unfinished; /* a temporary file, being written or left by a killed writer */
	uint64_t bytes;
	int64_t used_ns; /* last write or use, ns since 1970 */
};

struct index_list {
	GROWING(struct index_entry, entries, count); /* least recently used first */
	uint64_t bytes;
};

/* Lists DIRECTORY; empty if it does not exist. */
void index_list_read(struct index_list *list, const char *directory);
void index_list_free(struct index_list *list);

/*
 * Remove ENTRY; an unfinished one only if its writer is gone. True if it was removed; errno is 0 if
 * it is being written.
 */
bool index_remove(const struct index_entry *entry);

/* Remove all indexes and count them. False with ERROR if one cannot be removed. */
bool index_clear(const char *directory, size_t *removed, struct error *error);

/* ---- writing one at a time in a thread of its own ---- */

struct index_writer *index_writer_new(void);
/* Finish or abandon (GIVE_UP) the current write; NULL is allowed. */
void index_writer_free(struct index_writer *writer, bool give_up);

/*
 * Start writing CONTENT under KEY, after waiting for the previous one. CONTENT must stay valid
 * until DONE is called with CONTEXT, in any thread. OPTIONS must outlive the writer. Errors are
 * ignored.
 */
void index_writer_start(struct index_writer *writer, const struct index_options *options,
			const struct index_key *key, const struct index_content *content,
			void (*done)(void *context), void *context);
void index_writer_wait(struct index_writer *writer);
