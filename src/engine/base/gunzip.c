#include "base/gunzip.h"

#include "base/mem.h"

/* Bytes passed to the library at once: its counts have 32 bits. */
static uint32_t at_most(size_t size)
{
	return size < (1u << 30) ? (uint32_t)size : 1u << 30;
}

#ifdef HAVE_ISAL

#include <isa-l.h>

struct gunzip {
	struct inflate_state state;
};

struct gunzip *gunzip_new(void)
{
	return mem_alloc(sizeof(struct gunzip));
}

void gunzip_free(struct gunzip *gunzip)
{
	mem_free(gunzip);
}

void gunzip_start(struct gunzip *gunzip)
{
	isal_inflate_init(&gunzip->state);
	gunzip->state.crc_flag = ISAL_GZIP;
}

enum gunzip_status gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
			      char **out, size_t *out_left)
{
	struct inflate_state *state = &gunzip->state;
	uint32_t given = at_most(*in_left), room = at_most(*out_left);
	state->next_in = (uint8_t *)(uintptr_t)*in;
	state->avail_in = given;
	state->next_out = (uint8_t *)*out;
	state->avail_out = room;
	int result = isal_inflate(state);
	*in += given - state->avail_in;
	*in_left -= given - state->avail_in;
	*out += room - state->avail_out;
	*out_left -= room - state->avail_out;
	if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT)
		return GUNZIP_BAD;
	return state->block_state == ISAL_BLOCK_FINISH ? GUNZIP_END : GUNZIP_MORE;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *gunzip_library(void)
{
	return "ISA-L " TEXT(ISAL_MAJOR_VERSION) "." TEXT(ISAL_MINOR_VERSION) "." TEXT(
		ISAL_PATCH_VERSION);
}

#else

#include <zlib.h>

struct gunzip {
	z_stream stream;
};

enum { GZIP_WINDOW = 15 + 16 }; /* zlib: a gzip header, not its own */

struct gunzip *gunzip_new(void)
{
	struct gunzip *gunzip = mem_zalloc(1, sizeof *gunzip);
	if (inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK)
		gunzip->stream.state = NULL; /* every run fails */
	return gunzip;
}

void gunzip_free(struct gunzip *gunzip)
{
	if (gunzip)
		inflateEnd(&gunzip->stream);
	mem_free(gunzip);
}

void gunzip_start(struct gunzip *gunzip)
{
	inflateReset(&gunzip->stream);
}

enum gunzip_status gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
			      char **out, size_t *out_left)
{
	z_stream *stream = &gunzip->stream;
	uint32_t given = at_most(*in_left), room = at_most(*out_left);
	stream->next_in = (unsigned char *)(uintptr_t)*in;
	stream->avail_in = given;
	stream->next_out = (unsigned char *)*out;
	stream->avail_out = room;
	int result = inflate(stream, Z_NO_FLUSH);
	*in += given - stream->avail_in;
	*in_left -= given - stream->avail_in;
	*out += room - stream->avail_out;
	*out_left -= room - stream->avail_out;
	if (result == Z_STREAM_END)
		return GUNZIP_END;
	return result == Z_OK || result == Z_BUF_ERROR ? GUNZIP_MORE : GUNZIP_BAD;
}

const char *gunzip_library(void)
{
	return "zlib " ZLIB_VERSION;
}

#endif
