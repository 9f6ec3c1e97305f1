/*
 * Fuzzes modified indexes. The input is a list of changes to a valid one, seven bytes each: offset
 * (32 bits, modulo its length), operation (8), value (16). Unless the first byte is odd all
 * checksums are recomputed, since otherwise only a checksum mismatch would be tested.
 */
#include "fuzz.h"

#include "session/load.h"
#include "base/crc64.h"
#include "base/mem.h"
#include "model/profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHANGE = 7, CHANGES_MAX = 400, BLOCK = 1 << 20, LATER = 1000 };

/* File header, as in base/store.c. */
struct head {
	char magic[16], label[456];
	uint64_t stamp, file_size, tables_at;
	uint32_t sections, blocks;
	uint64_t tables_checksum;
	char unused[56];
	uint64_t checksum;
};
enum { SECTION = 72 }; /* bytes per table entry */

static char directory[] = "fuzz-index-XXXXXX";
static char *path; /* of the index */
static uint8_t *whole, *changed;
static size_t length;

static struct load_options options = { .index = { directory, UINT64_MAX, 0 } };

static void clean(void)
{
	unlink(path);
	rmdir(directory);
	free(path);
	free(whole);
	free(changed);
}

static void read_whole(void)
{
	FILE *file = fopen(path, "rb");
	struct stat status;

	if (!file || fstat(fileno(file), &status) != 0)
		abort();
	length = (size_t)status.st_size;
	whole = malloc(length);
	changed = malloc(length);
	if (!whole || !changed || fread(whole, 1, length, file) != length)
		abort();
	fclose(file);
}

/* ---- checksums ---- */

/* Recomputes the checksums of all sections; false if the table points outside the file. */
static bool put_right(uint8_t *bytes)
{
	struct head head;

	memcpy(&head, bytes, sizeof head);
	if (head.tables_at > length || head.tables_at < sizeof head || head.sections > length ||
	    head.blocks > length ||
	    length - head.tables_at < head.sections * (uint64_t)SECTION + 8 * (uint64_t)head.blocks)
		return false;
	uint64_t sums = head.tables_at + head.sections * (uint64_t)SECTION;
	for (uint64_t i = 0, at = sizeof head; i < head.blocks && at < head.tables_at;
	     i++, at += BLOCK) {
		uint64_t left = head.tables_at - at;
		uint64_t sum = crc64(0, bytes + at, left < BLOCK ? left : BLOCK);
		memcpy(bytes + sums + 8 * i, &sum, 8);
	}
	head.tables_checksum = crc64(0, bytes + head.tables_at, length - head.tables_at);
	head.checksum = crc64(0, &head, offsetof(struct head, checksum));
	memcpy(bytes, &head, sizeof head);
	return true;
}

/* ---- the index of a small run ---- */

static void make_index(void)
{
	const char *trace = fuzz_trace();
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - LATER } };
	struct index_list list;

	/* recently changed files are not indexed */
	if (!mkdtemp(directory) || utimensat(AT_FDCWD, trace, times, 0) != 0)
		abort();
	struct run *run = run_open(&trace, 1, &options, NULL, NULL);
	run_settle(run);
	run_free(run);
	index_list_read(&list, directory);
	if (list.count != 1)
		abort();
	path = strdup(list.entries[0].path);
	index_list_free(&list);
	atexit(clean);
	read_whole();
	memcpy(changed, whole, length);
	if (!put_right(changed) || memcmp(changed, whole, length) != 0)
		abort();                        /* the header has changed */
	options.index.least_bytes = UINT64_MAX; /* no index is written */
}

/* ---- modifications ---- */

static void change(uint32_t where, uint8_t what, uint16_t value)
{
	static const uint64_t odd[] = { 0,          1,         UINT32_MAX,
					UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN,
					1u << 31,   1ull << 40 };
	size_t width = (size_t)1 << (what & 3), at = where % length / width * width;
	uint64_t number = 0;

	if (at + width > length)
		return;
	memcpy(&number, changed + at, width);
	switch (what >> 2 & 3) {
	case 0: number = value; break;
	case 1: number = (uint64_t)(int64_t)(int16_t)value; break;
	case 2: number += (uint64_t)(int64_t)(int16_t)value; break;
	case 3: number = odd[value % (sizeof odd / sizeof *odd)]; break;
	}
	memcpy(changed + at, &number, width);
}

static void write_changed(size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(changed, 1, size, file) != size || fclose(file) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!path)
		make_index();
	if (size < 1 + CHANGE || size > CHANGES_MAX * CHANGE)
		return 0;
	const uint8_t how = *data++;
	memcpy(changed, whole, length);
	for (size--; size >= CHANGE; size -= CHANGE, data += CHANGE)
		change((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
			       (uint32_t)data[3] << 24,
		       data[4], (uint16_t)(data[5] | data[6] << 8));
	if (!(how & 1))
		put_right(changed);
	/* sometimes truncated, too */
	write_changed(how & 2 ? length - (how >> 2) * length / 64 : length);
	const char *trace = fuzz_trace();
	struct run *run = run_open(&trace, 1, &options, NULL, NULL);
	if (!run)
		abort(); /* the unmodified index must load */
	if (run->ranks[0].profile->store)
		fuzz_look_at(run);
	run_free(run);
	return 0;
}
