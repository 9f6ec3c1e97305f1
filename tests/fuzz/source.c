/*
 * Fuzzes the container of a trace: gzip, zstd, detection by magic. The first byte selects raw input
 * or input that is compressed and then damaged: checksums are hard to guess.
 */
#include "fuzz.h"

#include "base/error.h"
#include "input/source.h"

#include <isa-l.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PACKED_MAX = 1 << 16, BLOCK = 777 };

static size_t pack(bool gzip, const uint8_t *data, size_t size, uint8_t *out)
{
	struct isal_zstream stream;

	if (!gzip) {
		size_t length = ZSTD_compress(out, PACKED_MAX, data, size, 1);
		return ZSTD_isError(length) ? 0 : length;
	}
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_GZIP;
	stream.end_of_stream = 1;
	stream.next_in = (uint8_t *)(uintptr_t)data;
	stream.avail_in = (uint32_t)size;
	stream.next_out = out;
	stream.avail_out = PACKED_MAX;
	isal_deflate(&stream);
	return PACKED_MAX - stream.avail_out;
}

static void read_all(const char *path)
{
	struct error error = { 0 };
	struct source *source = source_open(path, NULL, &error);
	char block[BLOCK];
	size_t length;
	ptrdiff_t got = 1;

	if (!source)
		return;
	if (source_peek(source, SOURCE_PEEK_MAX, &length, &error))
		while ((got = source_read(source, block, sizeof block, &error)) > 0)
			;
	source_cut(source);
	source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t packed[PACKED_MAX];

	if (size < 4 || size > PACKED_MAX / 2)
		return 0;
	if (data[0] & 1) {
		/* Compress, then truncate and change one byte as the next input bytes say. */
		size_t length = pack(data[0] & 2, data + 4, size - 4, packed);
		if (length && data[0] & 4)
			packed[(data[1] << 8 | data[2]) % length] ^= data[3];
		if (length && data[0] & 8)
			length = (size_t)(data[1] << 8 | data[2]) % length;
		fuzz_file(packed, length);
	} else {
		fuzz_file(data + 1, size - 1);
	}
	read_all(fuzz_file(data[0] & 1 ? packed : data + 1, 0));
	return 0;
}
