/*
 * The index: what was read and derived from a profile, kept in a directory so that opening the same
 * file again takes a fraction of the time.  Never needed for a correct answer: an index that does
 * not fit, whatever is the matter with it, is as good as none.
 *
 * A file is known by its identity, not by its path: device, inode, size, time of change, a checksum
 * of its beginning and its end, and the options that change what is read from it.
 */
#ifndef STRATA_SESSION_INDEX_H
#define STRATA_SESSION_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct facts;
struct load_options;
struct profile;
struct rank_summary;

struct index_options {
	const char *directory; /* made when it is not there; NULL: no index */
	uint64_t bytes_max;    /* of all indexes there; the longest unused are removed */
	uint64_t least_bytes;  /* profiles of less text are read quickly enough */
};

struct index_key {
	uint64_t part[8];
};

struct index_content {
	struct profile *profile;
	struct facts *facts;
	struct rank_summary *summary;
};

/*
 * The key of the file at PATH read with OPTIONS.  False when it has none: a pipe, a database with a
 * journal beside it, a file changed a moment ago that might yet change unseen.
 */
bool index_key_make(struct index_key *key, const char *path, const struct load_options *options);

/* What is kept under KEY, as if read from PATH; the caller owns it.  False when there is nothing.
 */
bool index_load(const struct index_options *options, const struct index_key *key, const char *path,
		struct index_content *content);

/*
 * Keep CONTENT under KEY, then remove the longest unused indexes above the limit.  False with ERROR
 * when it cannot be kept, ERROR_CANCELLED when STOP (may be NULL) became true.
 */
bool index_store(const struct index_options *options, const struct index_key *key,
		 const struct index_content *content, const atomic_bool *stop, struct error *error);

/* ---- the directory ---- */

struct index_entry {
	char *path;   /* of the index */
	char *source; /* of the profile when it was read; "" unknown */
	uint64_t bytes;
	int64_t used_ns; /* last written or opened, since 1970 */
};

struct index_list {
	struct index_entry *entries; /* longest unused first */
	size_t count, capacity;
	uint64_t bytes;
};

/* What is in DIRECTORY; nothing when it is not there. */
void index_list_read(struct index_list *list, const char *directory);
void index_list_free(struct index_list *list);

/* Remove all indexes; how many went.  False with ERROR when one cannot be removed. */
bool index_clear(const char *directory, size_t *removed, struct error *error);

#endif
