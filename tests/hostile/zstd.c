/*
 * zstd [WINDOW]: compresses standard input into a zstd frame with a window of 2^WINDOW bytes (27).
 * The zstd command is not installed everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

static void give_up(const char *why)
{
	fprintf(stderr, "zstd: %s\n", why);
	exit(1);
}

int main(int argc, char **argv)
{
	static char in[1 << 17], out[1 << 17];
	int window = argc > 1 ? atoi(argv[1]) : 27;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t left, got;

	if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window)))
		give_up("no such window");
	do {
		got = fread(in, 1, sizeof in, stdin);
		ZSTD_inBuffer input = { in, got, 0 };
		do {
			ZSTD_outBuffer output = { out, sizeof out, 0 };
			left = ZSTD_compressStream2(context, &output, &input,
						    got ? ZSTD_e_continue : ZSTD_e_end);
			if (ZSTD_isError(left))
				give_up(ZSTD_getErrorName(left));
			if (fwrite(out, 1, output.pos, stdout) != output.pos)
				give_up("cannot be written");
		} while (got ? input.pos < input.size : left);
	} while (got);
	ZSTD_freeCCtx(context);
	return fflush(stdout) != 0;
}
