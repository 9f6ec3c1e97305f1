#include "base/crc64.h"
#include "base/store.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/narrow.h"
#include "base/write_all.h"
#include "base/parallel.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

/*
 * File layout: header; from the next multiple of 64 on, the sections, each zero-padded to a
 * multiple of 64; section entries, block checksums. Blocks divide the data part independently of
 * the sections so that several threads can verify it.
 */
enum { ALIGNMENT = 64, BLOCK = 1 << 20, SECTIONS_MAX = 256, LABEL = 456 };

static const char magic[16] = "strata index 1\n";

struct header {
	char magic[16];
	char label[LABEL];
	uint64_t stamp;
	uint64_t file_size;
	uint64_t tables_at; /* where the sections end */
	uint32_t sections;
	uint32_t blocks;
	uint64_t tables_checksum; /* of everything from there on */
	char unused[56];          /* sections start aligned */
	uint64_t checksum;        /* of the preceding header fields */
};
_Static_assert(sizeof(struct header) % ALIGNMENT == 0, "the sections would start elsewhere");

struct store_entry {
	char name[STORE_NAME_MAX];
	uint64_t offset, size; /* from the start of the file */
	uint64_t whole, words; /* bytes in memory, words of a row; no words: as in the file */
};

struct store {
	const char *map;
	size_t size;
	const struct header *header;
	const struct store_entry *entries;
	const uint64_t *blocks;
	char *wide; /* the sections whose rows are narrow in the file, one after another */
	uint64_t wide_size, wide_at[SECTIONS_MAX];
	struct narrow_bounds *bounds[SECTIONS_MAX]; /* by word of a row; NULL: as in the file */
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

/* The block of at most NARROW_ROWS rows from row FIRST on. */
static size_t rows_of_block(uint64_t rows, uint64_t first)
{
	return rows - first < NARROW_ROWS ? (size_t)(rows - first) : NARROW_ROWS;
}

/* ---- writing ---- */

struct store_writing {
	int fd;
	const atomic_bool *stop;
	struct error *error;
	uint64_t at, max; /* bytes of the file written; the most it may have */
	char *block;      /* the one being filled */
	size_t filled;    /* bytes in it */
	GROWING(uint64_t, blocks, block_count); /* checksums of those written */
};

static bool store_put(struct store_writing *writing, const char *data, size_t size)
{
	return write_all(writing->fd, data, size) ||
	       error_output(writing->error, "cannot write: %s", strerror(errno));
}

static bool end_block(struct store_writing *writing)
{
	size_t size = writing->filled;
	if (writing->stop && atomic_load(writing->stop))
		return error_cancelled(writing->error);
	if (writing->at + size > writing->max)
		return error_set(writing->error, ERROR_LIMIT, "the file would exceed the limit");
	if (size)
		*mem_push(writing->blocks, writing->block_count) = crc64(0, writing->block, size);
	writing->at += size;
	writing->filled = 0;
	return store_put(writing, writing->block, size);
}

static bool add_data(struct store_writing *writing, const void *data, size_t size)
{
	for (const char *at = data; size;) {
		size_t room = BLOCK - writing->filled, take = size < room ? size : room;
		memcpy(writing->block + writing->filled, at, take);
		writing->filled += take;
		if (writing->filled == BLOCK && !end_block(writing))
			return false;
		at += take;
		size -= take;
	}
	return true;
}

static bool add_rows(struct store_writing *writing, const struct store_section *section)
{
	uint64_t rows = section->size / sizeof(uint32_t) / section->words;
	AUTO_FREE unsigned char *block = mem_alloc(section->words * NARROW_WORD_MAX);
	bool good = true;
	for (uint64_t i = 0; i < rows && good; i += NARROW_ROWS) {
		unsigned char *end =
			narrow_pack(block, (const uint32_t *)section->data + i * section->words,
				    rows_of_block(rows, i), section->words);
		good = add_data(writing, block, (size_t)(end - block));
	}
	return good;
}

static bool add_section(struct store_writing *writing, const struct store_section *section,
			struct store_entry *entry)
{
	static const char zeros[ALIGNMENT];
	entry->offset = writing->at + writing->filled;
	entry->whole = section->size;
	entry->words = section->words;
	snprintf(entry->name, STORE_NAME_MAX, "%s", section->name);
	if (!(section->words ? add_rows(writing, section)
			     : add_data(writing, section->data, section->size)))
		return false;
	entry->size = writing->at + writing->filled - entry->offset;
	return add_data(writing, zeros, round_up(entry->size) - entry->size);
}

/* The header is written last: before, the file is none. */
static bool write_file(struct store_writing *writing, struct header *header,
		       const struct store_section *sections)
{
	size_t size = header->sections * sizeof(struct store_entry);
	AUTO_FREE struct store_entry *entries = mem_zalloc(size + 1, 1);
	bool done = lseek(writing->fd, (off_t)sizeof(struct header), SEEK_SET) >= 0;
	writing->at = sizeof(struct header);
	for (uint32_t i = 0; i < header->sections && done; i++)
		done = add_section(writing, &sections[i], &entries[i]);
	done = done && end_block(writing);
	size_t sums = writing->block_count * sizeof *writing->blocks;
	header->tables_at = writing->at;
	header->file_size = writing->at + size + sums;
	header->blocks = (uint32_t)writing->block_count;
	header->tables_checksum = crc64(crc64(0, entries, size), writing->blocks, sums);
	header->checksum = crc64(0, header, offsetof(struct header, checksum));
	return done && store_put(writing, (const char *)entries, size) &&
	       store_put(writing, (const char *)writing->blocks, sums) &&
	       lseek(writing->fd, 0, SEEK_SET) == 0 &&
	       store_put(writing, (const char *)header, sizeof *header);
}

static bool write_sections(struct store_writing *writing, uint64_t stamp, const char *label,
			   const struct store_section *sections, size_t count)
{
	struct header header = { .stamp = stamp, .sections = (uint32_t)count };
	size_t length = strlen(label);
	memcpy(header.magic, magic, sizeof magic);
	snprintf(header.label, LABEL, "%s", length < LABEL ? label : label + length - LABEL + 1);
	writing->block = mem_alloc(BLOCK);
	bool done = write_file(writing, &header, sections);
	mem_free_all(writing->block, writing->blocks);
	return done;
}

bool store_write(const char *path, uint64_t stamp, const char *label,
		 const struct store_section *sections, size_t count, uint64_t max,
		 const atomic_bool *stop, struct error *error)
{
	AUTO_BUFFER struct buffer name = { 0 };
	buffer_printf(&name, "%s.%ld.tmp", path, (long)getpid());
	struct store_writing writing = { .max = max, .stop = stop, .error = error };
	writing.fd = open(name.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool done = count <= SECTIONS_MAX && writing.fd >= 0;
	if (!done)
		error_output(error, "cannot write: %s", strerror(errno));
	if (done)
		flock(writing.fd, LOCK_EX); /* tells it from the file of a killed writer */
	done = done && write_sections(&writing, stamp, label, sections, count);
	if (writing.fd >= 0 && close(writing.fd) != 0 && done)
		done = error_output(error, "cannot write: %s", strerror(errno));
	if (done && rename(name.data, path) != 0)
		done = error_output(error, "cannot write: %s", strerror(errno));
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
		error_input(error, "cannot open: %s", strerror(errno));
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
		return error_input(error, "is not a regular file of this user");
	store->map = map;
	store->size = (size_t)status.st_size;
	return true;
}

/* A section is whole rows, and no larger than what its bytes in the file can stand for. */
static bool has_size_of_rows(const struct store_entry *entry)
{
	if (!entry->words)
		return entry->whole == entry->size;
	return entry->words <= UINT16_MAX &&
	       entry->whole % (entry->words * sizeof(uint32_t)) == 0 &&
	       entry->whole / (NARROW_ROWS * sizeof(uint32_t)) <= entry->size / NARROW_WORD_MIN;
}

/* Validate the header and the tables it announces. */
static bool check_tables(struct store *store, uint64_t stamp)
{
	const struct header *header = store->header = (const struct header *)store->map;
	if (memcmp(header->magic, magic, sizeof magic) != 0 || header->stamp != stamp ||
	    header->checksum != crc64(0, header, offsetof(struct header, checksum)) ||
	    header->file_size != store->size || header->sections > SECTIONS_MAX ||
	    header->tables_at < sizeof(struct header) || header->tables_at > store->size ||
	    header->tables_at % ALIGNMENT ||
	    header->blocks != block_count(header->tables_at - sizeof(struct header)) ||
	    store->size - header->tables_at != header->sections * sizeof *store->entries +
						       header->blocks * sizeof *store->blocks)
		return false;
	const char *tables = store->map + header->tables_at;
	store->entries = (const struct store_entry *)(const void *)tables;
	store->blocks = (const uint64_t *)(store->entries + header->sections);
	if (header->tables_checksum != crc64(0, tables, store->size - header->tables_at))
		return false;
	for_each (entry, store->entries, header->sections)
		if (entry->offset % ALIGNMENT || entry->offset < sizeof(struct header) ||
		    entry->offset > header->tables_at ||
		    entry->size > header->tables_at - entry->offset ||
		    entry->name[STORE_NAME_MAX - 1] || !has_size_of_rows(entry))
			return false;
	return true;
}

static void check_block(void *context, size_t i)
{
	struct store *store = context;
	size_t at = sizeof(struct header) + i * BLOCK, left = store->header->tables_at - at;
	if (crc64(0, store->map + at, left < BLOCK ? left : BLOCK) != store->blocks[i])
		atomic_store(&store->damaged, true);
}

/* Whole pages of the file that are not read again: they are in the cache of the system anyway. */
static void forget_pages(const unsigned char *from, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)from + size;
	uintptr_t first = ((uintptr_t)from + page - 1) / page * page;
	if (end / page * page > first)
		madvise((void *)first, end / page * page - first, MADV_DONTNEED);
}

static void widen_section(void *context, size_t i)
{
	struct store *store = context;
	const struct store_entry *entry = &store->entries[i];
	const unsigned char *at = (const unsigned char *)store->map + entry->offset;
	const unsigned char *end = at + entry->size;
	if (!entry->words)
		return;
	struct narrow_bounds *bounds = mem_alloc(entry->words * sizeof *bounds);
	for (uint64_t word = 0; word < entry->words; word++)
		bounds[word] = (struct narrow_bounds){ UINT32_MAX, 0 };
	store->bounds[i] = bounds;
	uint32_t *wide = (uint32_t *)(void *)(store->wide + store->wide_at[i]);
	uint64_t rows = entry->whole / sizeof(uint32_t) / entry->words;
	for (uint64_t row = 0; row < rows && at; row += NARROW_ROWS)
		at = narrow_unpack(at, end, wide + row * entry->words, rows_of_block(rows, row),
				   entry->words, bounds);
	if (at != end)
		atomic_store(&store->damaged, true);
	forget_pages(end - entry->size, entry->size);
}

/* With large pages, where there are such, it is a fifth of the work. */
static bool widen(struct store *store)
{
	for (uint32_t i = 0; i < store->header->sections; i++) {
		const struct store_entry *entry = &store->entries[i];
		store->wide_at[i] = store->wide_size;
		store->wide_size += entry->words ? round_up(entry->whole) : 0;
	}
	if (!store->wide_size)
		return true;
	void *map = mmap(NULL, store->wide_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return false;
	store->wide = map;
	madvise(map, store->wide_size, MADV_HUGEPAGE);
	parallel_for(store->header->sections, widen_section, store);
	return true;
}

struct store *store_open(const char *path, uint64_t stamp, struct error *error)
{
	struct store *store = mem_zalloc(1, sizeof *store);
	bool done = map_file(store, path, error);
	if (done && !check_tables(store, stamp))
		done = error_input(error, "is damaged or from another build");
	if (done) {
		parallel_for(store->header->blocks, check_block, store);
		if (atomic_load(&store->damaged) || !widen(store) || atomic_load(&store->damaged))
			done = error_input(error, "is damaged");
	}
	return keep_if(done, store, store_close);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->map)
		munmap((void *)(uintptr_t)store->map, store->size);
	if (store->wide)
		munmap(store->wide, store->wide_size);
	mem_free_each(store->bounds, SECTIONS_MAX);
	mem_free(store);
}

const void *store_find(const struct store *store, const char *name, size_t *size)
{
	for_each (entry, store->entries, store->header->sections) {
		if (strcmp(entry->name, name) != 0)
			continue;
		*size = entry->whole;
		return entry->words ? store->wide + store->wide_at[entry - store->entries]
				    : store->map + entry->offset;
	}
	return NULL;
}

const struct narrow_bounds *store_bounds(const struct store *store, const void *data, size_t words)
{
	for (uint32_t i = 0; i < store->header->sections; i++)
		if (store->bounds[i] && store->wide + store->wide_at[i] == data &&
		    store->entries[i].whole) /* one without rows is where the next one is */
			return store->entries[i].words == words ? store->bounds[i] : NULL;
	return NULL;
}
