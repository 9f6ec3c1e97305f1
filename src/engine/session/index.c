#include "session/index.h"

#include "session/file_sample.h"
#include "session/load.h"
#include "session/stored_derived.h"
#include "base/buffer.h"
#include "base/crc64.h"
#include "base/error.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* ---- identity ---- */

/*
 * A file modified twice within its timestamp resolution keeps its time: recently changed files have
 * no identity yet.
 */
enum { SETTLED_SECONDS = 2 };

static bool is_settled(const struct stat *status)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - status->st_mtim.tv_sec > SETTLED_SECONDS;
}

static bool has_bytes(const char *path, const char *suffix)
{
	AUTO_FREE char *name = mem_printf("%s%s", path, suffix);
	struct stat status;
	return stat(name, &status) == 0 && status.st_size > 0;
}

/* True if no WAL or journal holds part of the database. */
static bool index_is_whole(const char *path, const struct file_sample *sample)
{
	static const char magic[FILE_SAMPLE_FIRST] = "SQLite format 3";
	return memcmp(sample->first, magic, sizeof magic) != 0 ||
	       (!has_bytes(path, "-wal") && !has_bytes(path, "-journal"));
}

/*
 * Includes every option that changes the profile or facts; a new option needs a line here. Ranks
 * with records of captured graphs, and those under edits, are not indexed.
 */
_Static_assert(sizeof(void *) != 8 || sizeof(struct load_options) == 208, "an option has no line");

static uint64_t options_checksum(const struct load_options *options)
{
	AUTO_BUFFER struct buffer text = { 0 };
	if (options->derived.attribute_by_execution)
		buffer_puts(&text, "by execution;");
	if (options->derived.step_name)
		buffer_printf(&text, "steps %s;", options->derived.step_name);
	if (options->no_python)
		buffer_puts(&text, "no python;");
	if (options->sample_type)
		buffer_printf(&text, "sample type %s;", options->sample_type);
	if (options->key_node)
		buffer_printf(&text, "key node %s;", options->key_node);
	if (options->gpu)
		buffer_printf(&text, "gpu %s;", options->gpu);
	return crc64(0, BUFFERED(&text));
}

bool index_key_make(struct index_key *key, const char *path, const struct load_options *options)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool good = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_settled(&status);
	*key = (struct index_key){
		.device = status.st_dev,
		.inode = status.st_ino,
		.size = (uint64_t)status.st_size,
		.content_s = (uint64_t)status.st_mtim.tv_sec,
		.content_ns = (uint64_t)status.st_mtim.tv_nsec,
		.status_s = (uint64_t)status.st_ctim.tv_sec,
		.status_ns = (uint64_t)status.st_ctim.tv_nsec,
		.options = options_checksum(options),
	};
	struct file_sample sample;
	good = good && file_sample(&sample, fd, (uint64_t)status.st_size) &&
	       index_is_whole(path, &sample);
	key->head = good ? sample.head : 0;
	key->tail = good ? sample.tail : 0;
	close(fd);
	return good;
}

/* ---- the build ---- */

/* The linker's build id, unique per build. */
static int find_build(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *stamp = context;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type != PT_NOTE)
			continue;
		const char *at = (const char *)info->dlpi_addr + part->p_vaddr;
		const char *end = at + part->p_memsz;
		while (at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
			const char *name = at + sizeof *note;
			const char *id = name + (note->n_namesz + 3) / 4 * 4;
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    memcmp(name, "GNU", 4) == 0)
				*stamp = crc64(*stamp, id, note->n_descsz);
			at = id + (note->n_descsz + 3) / 4 * 4;
		}
	}
	return 1; /* the first object is the program itself */
}

/* 0 if there is no build id: the index is disabled then. */
static uint64_t build_stamp(void)
{
	static const uint64_t none = 0;
	uint64_t stamp = crc64(none, PACKAGE_VERSION, sizeof PACKAGE_VERSION);
	uint64_t version = stamp;
	dl_iterate_phdr(find_build, &stamp);
	return stamp == version ? 0 : stamp;
}

/* ---- loading and storing ---- */

static char *index_path(const char *directory, const struct index_key *key)
{
	return mem_printf("%s/%016" PRIx64 ".index", directory, crc64(0, key, sizeof *key));
}

static bool index_take(struct store *store, const struct index_key *key, const char *path,
		       struct index_content *content)
{
	size_t size;
	const void *kept = store_find(store, "key", &size);
	return kept && size == sizeof *key && memcmp(kept, key, size) == 0 &&
	       stored_derived_take(store, path, &content->profile, &content->derived,
				   &content->summary);
}

bool index_load(const struct index_options *options, const struct index_key *key, const char *path,
		struct index_content *content)
{
	uint64_t stamp = build_stamp();
	if (!options->directory || !stamp)
		return false;
	AUTO_FREE char *name = index_path(options->directory, key);
	struct store *store = store_open(name, stamp, NULL);
	bool taken = store && index_take(store, key, path, content);
	if (taken)
		utimensat(AT_FDCWD, name, NULL, 0); /* marks it as used now */
	else
		store_close(store);
	return taken;
}

bool index_create_directory(const char *path, unsigned mode, struct error *error)
{
	AUTO_FREE char *part = mem_strdup(path);
	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = 0;
		mkdir(part, mode);
		*at = '/';
	}
	bool good = mkdir(part, mode) == 0 || errno == EEXIST;
	if (!good)
		error_output(error, "%s: cannot create: %s", path, strerror(errno));
	return good;
}

/* Leaves part of the free disk space unused. */
static bool index_has_room(const char *directory, uint64_t bytes)
{
	struct statvfs status;
	return statvfs(directory, &status) == 0 &&
	       (uint64_t)status.f_bavail * status.f_frsize / 2 > bytes;
}

static bool write_index(const struct index_options *options, const struct index_key *key,
			const char *source, const struct stored_pack *pack, const atomic_bool *stop,
			struct error *error)
{
	uint64_t bytes = 0, stamp = build_stamp();
	for (size_t i = 0; i < pack->count; i++)
		bytes += pack->sections[i].size; /* the file takes less */
	if (!stamp)
		return error_output(error, "this build has no identity");
	if (!index_create_directory(options->directory, 0700, error))
		return false;
	if (!index_has_room(options->directory, bytes))
		return error_output(error, "%s: the disk is nearly full", options->directory);
	AUTO_FREE char *name = index_path(options->directory, key);
	return store_write(name, stamp, source, pack->sections, pack->count, options->bytes_max,
			   stop, error);
}

/*
 * Remove what killed writers left, then least recently used indexes until the rest is within the
 * limit.
 */
static void trim(const struct index_options *options)
{
	AUTO(index_list_free) struct index_list list = { 0 };
	index_list_read(&list, options->directory);
	for (size_t i = 0; i < list.count; i++)
		if (list.entries[i].unfinished && index_remove(&list.entries[i]))
			list.bytes -= list.entries[i].bytes;
	for (size_t i = 0; i < list.count && list.bytes > options->bytes_max; i++)
		if (!list.entries[i].unfinished && index_remove(&list.entries[i]))
			list.bytes -= list.entries[i].bytes;
}

bool index_store(const struct index_options *options, const struct index_key *key,
		 const struct index_content *content, const atomic_bool *stop, struct error *error)
{
	AUTO(stored_pack_free) struct stored_pack pack = { 0 };
	if (!stored_profile_possible(content->profile))
		return error_output(error, "this kind of profile is not indexed");
	stored_derived_add(&pack, content->derived, content->summary);
	stored_add(&pack, NULL, "key", key, sizeof *key);
	bool done = write_index(options, key, content->profile->path, &pack, stop, error);
	if (done)
		trim(options);
	return done;
}
