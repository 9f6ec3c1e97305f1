#include "input/source.h"

#include "base/embedded.h"
#include "base/error.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	WINDOW_LOG = 27, /* 128 MiB, the default of zstd */
	RAW_SIZE = 256 * 1024,
	WAIT_MS = 50, /* interval of cancellation checks while waiting for a pipe */
};

enum wrapping { PLAIN, GZIP, ZSTD, UTF16 };

struct source {
	int fd; /* -1: reading from memory */
	const unsigned char *memory;
	size_t memory_left;
	uint64_t text_left; /* text still allowed (TEXT_MAX) */
	enum wrapping wrapping;
	bool cut, raw_end, stream_end;
	uint64_t consumed, total, given; /* bytes of the file, its size, bytes of text */
	const struct progress *progress;
	uint64_t rows, events;
	uint64_t eventless_consumed, eventless_given; /* their values at the last new event */
	bool device, endless;
	unsigned char *raw; /* bytes not yet decoded */
	size_t raw_at, raw_length;
	struct gunzip *gunzip;
	bool in_member;
	ZSTD_DStream *zstd;
	size_t zstd_hint; /* 0: at the end of a frame */
	bool big, odd;    /* of UTF-16: the order of bytes; inside a unit */
	uint16_t unit, high;
	char point[4], *point_end; /* what is not given yet of a character */
	size_t point_left;
	char peek[SOURCE_PEEK_MAX];
	size_t peek_at, peek_length;
};

/* Wait for input: a pipe may be slow or have no writer yet. */
static bool wait_for_bytes(struct source *source, struct error *error)
{
	struct pollfd fd = { source->fd, POLLIN, 0 };
	do {
		if (!source->total && !progress_update(source->progress, "reading",
						       source_consumed(source), 0, source->rows))
			return error_cancelled(error);
	} while (poll(&fd, 1, WAIT_MS) == 0);
	return true;
}

/*
 * A pipe ends with its writer, a device never: it is abandoned after many bytes without an event.
 */
static bool is_endless(struct source *source)
{
	uint64_t consumed = source->consumed - source->eventless_consumed;
	uint64_t given = source->given - source->eventless_given;
	source->endless |=
		source->device && (consumed > SOURCE_QUIET_MAX || given > SOURCE_QUIET_MAX);
	return source->endless;
}

static ptrdiff_t read_memory(struct source *source, void *buffer, size_t size)
{
	size_t take = size < source->memory_left ? size : source->memory_left;
	memcpy(buffer, source->memory, take);
	source->memory += take;
	source->memory_left -= take;
	return (ptrdiff_t)take;
}

static ptrdiff_t read_descriptor(struct source *source, void *buffer, size_t size,
				 struct error *error)
{
	ssize_t got;
	do {
		if (!wait_for_bytes(source, error))
			return -1;
		got = read(source->fd, buffer, size);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		error_input(error, "cannot read: %s", strerror(errno));
	return got;
}

/* Read raw bytes; 0 at the end, -1 on failure. */
static ptrdiff_t source_read_file(struct source *source, void *buffer, size_t size,
				  struct error *error)
{
	const struct progress *progress = source->progress;
	ptrdiff_t got = is_endless(source) ? 0
			: source->memory   ? read_memory(source, buffer, size)
					   : read_descriptor(source, buffer, size, error);
	if (got < 0)
		return -1;
	if (progress && progress->read)
		progress->read(progress->reader, buffer, (size_t)got);
	source->raw_end = got == 0;
	source->consumed += (uint64_t)got;
	return got;
}

/* Refill the raw bytes when empty. False when the file cannot be read. */
static bool fill_raw(struct source *source, struct error *error)
{
	if (source->raw_at < source->raw_length || source->raw_end)
		return true;
	ptrdiff_t got = source_read_file(source, source->raw, RAW_SIZE, error);
	source->raw_at = 0;
	source->raw_length = got > 0 ? (size_t)got : 0;
	return got >= 0;
}

static size_t raw_left(const struct source *source)
{
	return source->raw_length - source->raw_at;
}

static ptrdiff_t read_plain(struct source *source, char *buffer, size_t size)
{
	size_t take = raw_left(source) < size ? raw_left(source) : size;
	memcpy(buffer, source->raw + source->raw_at, take);
	source->raw_at += take;
	return (ptrdiff_t)take;
}

/* Inflate available input. Members follow one another; zero bytes or garbage end the last. */
static ptrdiff_t read_gzip(struct source *source, char *buffer, size_t size)
{
	if (!source->in_member) {
		if (source->raw[source->raw_at] != 0x1f) {
			source->cut = source->stream_end = true;
			return 0;
		}
		gunzip_start(source->gunzip);
		source->in_member = true;
	}
	const unsigned char *in = source->raw + source->raw_at;
	size_t in_left = raw_left(source), out_left = size;
	char *out = buffer;
	enum gunzip_status status = gunzip_run(source->gunzip, &in, &in_left, &out, &out_left);
	source->raw_at = source->raw_length - in_left;
	if (status == GUNZIP_BAD)
		source->cut = source->stream_end = true;
	else if (status == GUNZIP_END)
		source->in_member = false;
	return (ptrdiff_t)(size - out_left);
}

static ptrdiff_t read_zstd(struct source *source, char *buffer, size_t size, struct error *error)
{
	ZSTD_inBuffer in = { source->raw + source->raw_at, raw_left(source), 0 };
	ZSTD_outBuffer out = { buffer, size, 0 };
	source->zstd_hint = ZSTD_decompressStream(source->zstd, &out, &in);
	source->raw_at += in.pos;
	if (ZSTD_getErrorCode(source->zstd_hint) == ZSTD_error_frameParameter_windowTooLarge) {
		error_input(
			error,
			"is compressed with a zstd window of more than %d MiB; run: zstd -dc --long=31 FILE | strata -",
			1 << (WINDOW_LOG - 20));
		return -1;
	}
	if (ZSTD_isError(source->zstd_hint))
		source->cut = source->stream_end = true;
	return (ptrdiff_t)out.pos;
}

/* UTF-16 as UTF-8. Half of a pair alone is left out. */
static ptrdiff_t read_utf16(struct source *source, char *buffer, size_t size)
{
	size_t done = 0;
	for (; done < size && (source->point_left || raw_left(source));) {
		if (source->point_left) {
			buffer[done++] = *(source->point_end - source->point_left--);
			continue;
		}
		source->unit = (uint16_t)(source->unit << 8 | source->raw[source->raw_at++]);
		source->odd = !source->odd;
		uint32_t unit = source->big ? source->unit : __builtin_bswap16(source->unit);
		uint32_t high = source->high;
		bool low = unit >= 0xdc00 && unit < 0xe000;
		if (source->odd)
			continue;
		source->high = unit >= 0xd800 && unit < 0xdc00 ? (uint16_t)unit : 0;
		unit = low ? 0x10000 + ((high - 0xd800) << 10) + unit - 0xdc00 : unit;
		if (!source->high && (high || !low))
			source->point_left = text_encode(unit, source->point);
		source->point_end = source->point + source->point_left;
	}
	return (ptrdiff_t)done;
}

static ptrdiff_t decode(struct source *source, char *buffer, size_t size, struct error *error)
{
	/* Plain text bypasses the raw buffer, except for bytes sniffing consumed. */
	if (source->wrapping == PLAIN && raw_left(source) == 0)
		return source_read_file(source, buffer, size, error);
	while (!source->stream_end) {
		if (!fill_raw(source, error))
			return -1;
		bool at_end = source->raw_end && raw_left(source) == 0 && !source->point_left;
		if (at_end && !(source->wrapping == GZIP && source->in_member)) {
			source->stream_end = true;
			source->cut |= source->wrapping == ZSTD && source->zstd_hint != 0;
			break;
		}
		ptrdiff_t got = source->wrapping == GZIP    ? read_gzip(source, buffer, size)
				: source->wrapping == ZSTD  ? read_zstd(source, buffer, size, error)
				: source->wrapping == UTF16 ? read_utf16(source, buffer, size)
							    : read_plain(source, buffer, size);
		if (got)
			return got;
		/* Input is exhausted inside a member: the file was truncated. */
		if (at_end && source->in_member)
			source->cut = source->stream_end = true;
	}
	return 0;
}

static bool sniff(struct source *source, struct error *error)
{
	if (!fill_raw(source, error))
		return false;
	static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd },
				   little[] = { 0xff, 0xfe }, big[] = { 0xfe, 0xff };
	if (source->raw_length >= 2 && memcmp(source->raw, gzip, 2) == 0) {
		source->wrapping = GZIP;
		source->gunzip = gunzip_new();
	} else if (source->raw_length >= 4 && memcmp(source->raw, zstd, 4) == 0) {
		source->wrapping = ZSTD;
		source->zstd = ZSTD_createDStream();
		if (!source->zstd)
			return error_set(error, ERROR_MEMORY, "out of memory");
		ZSTD_DCtx_setParameter(source->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	} else if (source->raw_length >= 2 &&
		   (!memcmp(source->raw, little, 2) || !memcmp(source->raw, big, 2))) {
		source->wrapping = UTF16;
		source->big = source->raw[0] == big[0];
		source->raw_at = 2;
	}
	return true;
}

/* Detect the compression; closes the source on failure. */
static struct source *open_sniffed(struct source *source, struct error *error)
{
	source->raw = mem_alloc(RAW_SIZE);
	return keep_if(sniff(source, error), source, source_close);
}

static struct source *open_embedded(const struct embedded *file, const struct progress *progress,
				    struct error *error)
{
	struct source *source =
		source_open_memory(file->bytes, file->length, UINT64_MAX, progress, error);
	if (source)
		source->total = file->length;
	return source;
}

struct source *source_open(const char *path, const struct progress *progress, struct error *error)
{
	const struct embedded *file = embedded_of_path(path);
	if (file)
		return open_embedded(file, progress, error);
	/* O_NONBLOCK: opening a named pipe must not wait for a writer */
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	bool opened = fd >= 0 && fstat(fd, &status) == 0;
	if (!opened || S_ISDIR(status.st_mode)) {
		error_input(error, "%s%s", opened ? "is a directory" : "cannot open: ",
			    opened ? "" : strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct source *source = mem_zalloc(1, sizeof *source);
	source->fd = fd;
	source->progress = progress;
	source->total = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	source->device = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
	source->text_left = UINT64_MAX;
	return open_sniffed(source, error);
}

struct source *source_open_memory(const void *bytes, size_t length, uint64_t text_max,
				  const struct progress *progress, struct error *error)
{
	struct source *source = mem_zalloc(1, sizeof *source);
	source->fd = -1;
	source->memory = bytes;
	source->memory_left = length;
	source->progress = progress;
	source->text_left = text_max;
	return open_sniffed(source, error);
}

void source_close(struct source *source)
{
	if (!source)
		return;
	ZSTD_freeDStream(source->zstd);
	gunzip_free(source->gunzip);
	if (source->fd >= 0)
		close(source->fd);
	mem_free_all(source->raw, source);
}

ptrdiff_t source_read(struct source *source, char *buffer, size_t size, struct error *error)
{
	size_t peeked = source->peek_length - source->peek_at;
	if (is_endless(source))
		return 0;
	if (size > source->text_left)
		size = (size_t)source->text_left;
	ptrdiff_t got =
		peeked ? (ptrdiff_t)(peeked < size ? peeked : size)
		       : decode(source, buffer, size < (1u << 30) ? size : (1u << 30), error);
	if (peeked) {
		memcpy(buffer, source->peek + source->peek_at, (size_t)got);
		source->peek_at += (size_t)got;
	}
	if (got > 0) {
		source->text_left -= (uint64_t)got;
		source->given += (uint64_t)got;
	}
	return got;
}

/* Only a file that is not compressed, and whose bytes are not for anyone else, too. */
static bool can_seek(const struct source *source, uint64_t size)
{
	return source->wrapping == PLAIN && !source->memory && !source->device &&
	       source->text_left == UINT64_MAX - source->given && raw_left(source) == 0 &&
	       size <= source->total && source->consumed <= source->total - size;
}

bool source_skip(struct source *source, uint64_t size, struct error *error)
{
	char piece[1 << 12];
	while (size) {
		bool buffered = raw_left(source) || source->peek_length > source->peek_at;
		if (!buffered && can_seek(source, size) &&
		    lseek(source->fd, (off_t)size, SEEK_CUR) >= 0) {
			source->consumed += size;
			source->given += size;
			source->text_left -= size;
			return true;
		}
		ptrdiff_t got = source_read(
			source, piece, size < sizeof piece ? (size_t)size : sizeof piece, error);
		if (got < 0)
			return false;
		if (got == 0)
			return true;
		size -= (uint64_t)got;
	}
	return true;
}

const char *source_peek(struct source *source, size_t wanted, size_t *length, struct error *error)
{
	while (source->peek_at == 0 && source->peek_length < wanted) {
		ptrdiff_t got = decode(source, source->peek + source->peek_length,
				       wanted - source->peek_length, error);
		if (got < 0)
			return NULL;
		if (got == 0)
			break;
		source->peek_length += (size_t)got;
	}
	*length = source->peek_length - source->peek_at;
	return source->peek + source->peek_at;
}

const char *source_wrapping(const struct source *source)
{
	static const char *const names[] = { "", "gzip", "zstd", "UTF-16" };
	return names[source->wrapping];
}

const char *source_cut(const struct source *source)
{
	return source->endless ? "no data from the device for a long time"
	       : source->cut   ? "the compressed data is truncated or corrupt"
			       : NULL;
}

void source_report(struct source *source, uint64_t rows, uint64_t events)
{
	if (events != source->events) {
		source->eventless_consumed = source->consumed;
		source->eventless_given = source->given;
	}
	source->rows = rows;
	source->events = events;
}

uint64_t source_consumed(const struct source *source)
{
	return source->consumed - raw_left(source);
}

uint64_t source_total(const struct source *source)
{
	return source->total;
}
