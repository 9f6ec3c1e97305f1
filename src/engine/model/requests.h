/*
 * Requests to an inference server, as a client or the server measured them. Times are ns; absent
 * numbers are NO_VALUE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server_request {
	int64_t arrival;                /* by the clock of the file */
	int64_t queue, prefill, decode; /* how long each takes, one after the other */
	int64_t first_token;            /* from the arrival */
	int64_t tokens_in, tokens_out;
	size_t token_end; /* while reading: after its tokens */
};

struct requests {
	struct server_request *items;
	int64_t *tokens; /* when each arrived, ascending; empty: unknown */
	size_t count, token_count;
	bool unix_time; /* the clock of the file is that of Unix; else it began anywhere */
};
