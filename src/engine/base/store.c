#include "base/crc64.h"
#include "base/store.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/write_all.h"
#include "base/parallel.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

/*
 * File layout: header, section entries, block checksums; then, from the next multiple of 64 on, the
 * sections, each zero-padded to a multiple of 64. Blocks divide this data part independently of the
 * sections so that several threads can verify it.
 */
enum { ALIGNMENT = 64, BLOCK = 1 << 20, SECTIONS_MAX = 256, LABEL = 456 };

static const char magic[16] = "strata index 1\n";

struct header {
	char magic[16];
	char label[LABEL];
	uint64_t stamp;
	uint64_t file_size;
	uint64_t data_at;
	uint32_t sections;
	uint32_t blocks;
	uint64_t tables_checksum; /* of everything between the header and data_at */
	uint64_t checksum;        /* of the preceding header fields */
};

struct store_entry {
	char name[STORE_NAME_MAX];
	uint64_t offset, size; /* from the start of the file */
};

struct store {
	const char *map;
	size_t size;
	const struct header *header;
	const struct store_entry *entries;
	const uint64_t *blocks;
	atomic_bool damaged;
};

static uint64_t round_up(uint64_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t block_count(uint64_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK;
}

static uint64_t data_size(const struct store_section *sections, size_t count)
{
	uint64_t size = 0;
	for (size_t i = 0; i < count; i++)
		size += round_up(sections[i].size);
	return size;
}

static uint64_t tables_end(size_t sections, uint64_t blocks)
{
	return round_up(sizeof(struct header) + sections * sizeof(struct store_entry) +
			blocks * sizeof(uint64_t));
}

uint64_t store_size(const struct store_section *sections, size_t count)
{
	uint64_t bytes = data_size(sections, count);
	return tables_end(count, block_count(bytes)) + bytes;
}

/* ---- writing ---- */

struct store_writing {
	int fd;
	const atomic_bool *stop;
	struct error *error;
	uint64_t *blocks;
	size_t block;  /* the one being filled */
	size_t filled; /* bytes in it */
};

static bool store_put(struct store_writing *writing, const char *data, size_t size)
{
	return write_all(writing->fd, data, size) ||
	       error_set(writing->error, ERROR_OUTPUT, "cannot write: %s", strerror(errno));
}

static bool add_data(struct store_writing *writing, const char *data, size_t size)
{
	while (size) {
		size_t room = BLOCK - writing->filled, take = size < room ? size : room;
		uint64_t *sum = &writing->blocks[writing->block];
		if (writing->stop && atomic_load(writing->stop))
			return error_set(writing->error, ERROR_CANCELLED, "cancelled");
		*sum = crc64(*sum, data, take);
		if (!store_put(writing, data, take))
			return false;
		writing->filled += take;
		if (writing->filled == BLOCK) {
			writing->filled = 0;
			writing->block++;
		}
		data += take;
		size -= take;
	}
	return true;
}

static bool add_sections(struct store_writing *writing, const struct store_section *sections,
			 size_t count)
{
	static const char zeros[ALIGNMENT];
	for (size_t i = 0; i < count; i++) {
		size_t size = sections[i].size;
		if (!add_data(writing, sections[i].data, size) ||
		    !add_data(writing, zeros, round_up(size) - size))
			return false;
	}
	return true;
}

/* Written last: the tables contain the checksums of the data. */
static bool write_file(struct store_writing *writing, uint64_t stamp, const char *label,
		       const struct store_section *sections, size_t count)
{
	uint64_t bytes = data_size(sections, count), blocks = block_count(bytes);
	uint64_t data_at = tables_end(count, blocks);
	AUTO_FREE char *tables = mem_zalloc(data_at, 1);
	struct header *header = (struct header *)tables;
	struct store_entry *entries = (struct store_entry *)(header + 1);
	*header = (struct header){ .stamp = stamp,
				   .file_size = data_at + bytes,
				   .data_at = data_at,
				   .sections = (uint32_t)count,
				   .blocks = (uint32_t)blocks };
	memcpy(header->magic, magic, sizeof magic);
	size_t length = strlen(label);
	snprintf(header->label, LABEL, "%s", length < LABEL ? label : label + length - LABEL + 1);
	writing->blocks = (uint64_t *)(entries + count);
	uint64_t at = data_at;
	for (size_t i = 0; i < count; i++) {
		snprintf(entries[i].name, STORE_NAME_MAX, "%s", sections[i].name);
		entries[i].offset = at;
		entries[i].size = sections[i].size;
		at += round_up(sections[i].size);
	}
	bool done = lseek(writing->fd, (off_t)data_at, SEEK_SET) >= 0 &&
		    add_sections(writing, sections, count);
	header->tables_checksum = crc64(0, entries, data_at - sizeof *header);
	header->checksum = crc64(0, header, offsetof(struct header, checksum));
	done = done && lseek(writing->fd, 0, SEEK_SET) == 0 && store_put(writing, tables, data_at);
	return done;
}

bool store_write(const char *path, uint64_t stamp, const char *label,
		 const struct store_section *sections, size_t count, const atomic_bool *stop,
		 struct error *error)
{
	AUTO_BUFFER struct buffer name = { 0 };
	buffer_printf(&name, "%s.%ld.tmp", path, (long)getpid());
	struct store_writing writing = { .stop = stop, .error = error };
	writing.fd = open(name.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool done = count <= SECTIONS_MAX && writing.fd >= 0;
	if (!done)
		error_set(error, ERROR_OUTPUT, "cannot write: %s", strerror(errno));
	if (done)
		flock(writing.fd, LOCK_EX); /* tells it from the file of a killed writer */
	done = done && write_file(&writing, stamp, label, sections, count);
	if (writing.fd >= 0 && close(writing.fd) != 0 && done)
		done = error_set(error, ERROR_OUTPUT, "cannot write: %s", strerror(errno));
	if (done && rename(name.data, path) != 0)
		done = error_set(error, ERROR_OUTPUT, "cannot write: %s", strerror(errno));
	if (!done && writing.fd >= 0)
		unlink(name.data);
	return done;
}

char *store_label(const char *path)
{
	struct header header;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, &header, sizeof header);
	if (fd >= 0)
		close(fd);
	bool good = got == (ssize_t)sizeof header && memcmp(header.magic, magic, sizeof magic) == 0;
	return good ? mem_strndup(header.label, strnlen(header.label, LABEL)) : mem_strdup("");
}

/* ---- reading ---- */

static bool map_file(struct store *store, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) != 0) {
		error_set(error, ERROR_INPUT, "cannot open: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool good = S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
		    status.st_size >= (off_t)sizeof(struct header);
	void *map = good ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
			 : MAP_FAILED;
	close(fd);
	if (map == MAP_FAILED)
		return error_set(error, ERROR_INPUT, "is not a regular file of this user");
	store->map = map;
	store->size = (size_t)status.st_size;
	return true;
}

/* Validate the header and the tables it announces. */
static bool check_tables(struct store *store, uint64_t stamp)
{
	const struct header *header = store->header = (const struct header *)store->map;
	if (memcmp(header->magic, magic, sizeof magic) != 0 || header->stamp != stamp ||
	    header->checksum != crc64(0, header, offsetof(struct header, checksum)) ||
	    header->file_size != store->size || header->sections > SECTIONS_MAX ||
	    header->data_at > store->size ||
	    header->blocks != block_count(store->size - header->data_at) ||
	    header->data_at != tables_end(header->sections, header->blocks))
		return false;
	store->entries = (const struct store_entry *)(header + 1);
	store->blocks = (const uint64_t *)(store->entries + header->sections);
	if (header->tables_checksum != crc64(0, store->entries, header->data_at - sizeof *header))
		return false;
	for_each (entry, store->entries, header->sections)
		if (entry->offset % ALIGNMENT || entry->offset < header->data_at ||
		    entry->offset > store->size || entry->size > store->size - entry->offset ||
		    entry->name[STORE_NAME_MAX - 1])
			return false;
	return true;
}

static void check_block(void *context, size_t i)
{
	struct store *store = context;
	size_t at = store->header->data_at + i * BLOCK, left = store->size - at;
	if (crc64(0, store->map + at, left < BLOCK ? left : BLOCK) != store->blocks[i])
		atomic_store(&store->damaged, true);
}

struct store *store_open(const char *path, uint64_t stamp, struct error *error)
{
	struct store *store = mem_zalloc(1, sizeof *store);
	bool done = map_file(store, path, error);
	if (done && !check_tables(store, stamp))
		done = error_set(error, ERROR_INPUT, "is damaged or from another build");
	if (done) {
		parallel_for(store->header->blocks, check_block, store);
		if (atomic_load(&store->damaged))
			done = error_set(error, ERROR_INPUT, "is damaged");
	}
	if (done)
		return store;
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->map)
		munmap((void *)(uintptr_t)store->map, store->size);
	mem_free(store);
}

const void *store_find(const struct store *store, const char *name, size_t *size)
{
	for_each (entry, store->entries, store->header->sections) {
		if (strcmp(entry->name, name) != 0)
			continue;
		*size = entry->size;
		return store->map + entry->offset;
	}
	return NULL;
}
