/* Fuzzes messages of strata attach: lines of a length in two bytes and a message, from some peers.
 */
#include "fuzz.h"

#include "attach/attach.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char own[] = "\0dynolog", other[] = "\0client";
	struct attach attach = { .user = 1, .address = own, .address_length = sizeof own };
	struct buffer answer = { 0 };
	attach.request = (struct trace_request){ .directory = "/tmp/x", .id = "x", .steps = 1 };
	for (int64_t now = 0; size >= 3; now += 1000000000) {
		size_t length = (size_t)(data[0] | data[1] << 8) % 2048;
		struct attach_peer peer = { data[2] % 4, data[2] / 128, data[2] % 4, other,
					    sizeof other - data[2] / 8 % 2 };
		data += 3, size -= 3;
		length = length < size ? length : size;
		/* of its own size, so that reading past its end shows */
		void *message = malloc(length ? length : 1);
		memcpy(message, data, length);
		if (attach_take(&attach, &peer, message, length, now, now / 1000000, &answer) &&
		    (answer.length < ATTACH_HEADER || peer.user != 1))
			abort();
		if (answer.length && size % 5 == 0)
			attach_unsent(&attach, &peer, &answer);
		free(message);
		data += length, size -= length;
		for (size_t i = 0; i < attach.count; i++) {
			const struct attach_sight sight = { .alive = size % 7 > 0,
							    .temporary = size % 2 };
			attach_choose(&attach.processes[i], now);
			attach_look(&attach, &attach.processes[i], &sight, now);
		}
	}
	attach_free(&attach);
	buffer_free(&answer);
	return 0;
}
