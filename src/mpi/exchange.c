#include "mpi/exchange.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/packed.h"

#include <mpi.h>
#include <string.h>

enum { TAG_COUNT, TAG_BLOCKS, TAG_CLAIMS, TAG_BYTES, PIECE = 1 << 30 };

struct processes processes_start(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	struct processes here;
	MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &here.count);
	return here;
}

void processes_end(void)
{
	MPI_Finalize();
}

void processes_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
}

/* Messages of any length, in pieces that an int counts. */
static void broadcast(void *data, uint64_t length)
{
	for (uint64_t at = 0; at < length; at += PIECE) {
		uint64_t left = length - at;
		MPI_Bcast((char *)data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, 0,
			  MPI_COMM_WORLD);
	}
}

static void send_bytes(const void *data, uint64_t length, int to, int tag)
{
	MPI_Send(&length, sizeof length, MPI_BYTE, to, TAG_COUNT, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < length; at += PIECE) {
		uint64_t left = length - at;
		MPI_Send((const char *)data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, to,
			 tag, MPI_COMM_WORLD);
	}
}

static void receive_bytes(struct buffer *bytes, int from, int tag)
{
	uint64_t length;
	MPI_Recv(&length, sizeof length, MPI_BYTE, from, TAG_COUNT, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	char *data = mem_alloc(length);
	for (uint64_t at = 0; at < length; at += PIECE) {
		uint64_t left = length - at;
		MPI_Recv(data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, from, tag,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	buffer_add(bytes, data, length);
	mem_free(data);
}

/* ---- from the root ---- */

bool share_success(bool success)
{
	int good = success;
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return good;
}

uint64_t sum_over_processes(uint64_t number)
{
	uint64_t sum;
	MPI_Allreduce(&number, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

void share_paths(struct processes here, struct batch *batch)
{
	struct buffer bytes = { 0 };
	for (size_t i = 0; i < batch->count && here.rank == 0; i++)
		packed_add_bytes(&bytes, batch->paths[i], strlen(batch->paths[i]));
	uint64_t length = bytes.length;
	broadcast(&length, sizeof length);
	char *data = here.rank == 0 ? bytes.data : mem_alloc(length);
	broadcast(data, length);
	struct packed packed = { data, data + length, false };
	while (here.rank != 0 && packed.at < packed.end) {
		struct packed path = packed_take_bytes(&packed);
		mem_grow(batch->paths, batch->capacity, batch->count + 1);
		batch->paths[batch->count++] = mem_strndup(path.at, (size_t)(path.end - path.at));
	}
	if (here.rank != 0)
		mem_free(data);
	buffer_free(&bytes);
}

void share_blocks(struct processes here, struct merge *merge)
{
	uint64_t count = merge->count;
	broadcast(&count, sizeof count);
	if (here.rank != 0) {
		merge->count = 0;
		mem_grow(merge->blocks, merge->capacity, (size_t)count);
		merge->count = (size_t)count;
	}
	broadcast(merge->blocks, count * sizeof *merge->blocks);
}

/* ---- to the root ---- */

void join_blocks(struct processes here, struct merge *merge)
{
	for (int step = 1; step < here.count; step *= 2) {
		if (here.rank % (2 * step)) {
			send_bytes(merge->blocks, merge->count * sizeof *merge->blocks,
				   here.rank - step, TAG_BLOCKS);
			send_bytes(merge->claims.items,
				   merge->claims.count * sizeof *merge->claims.items,
				   here.rank - step, TAG_CLAIMS);
			return;
		}
		if (here.rank + step >= here.count)
			continue;
		struct buffer bytes = { 0 };
		receive_bytes(&bytes, here.rank + step, TAG_BLOCKS);
		merge_add_blocks(merge, (const struct merge_block *)(const void *)bytes.data,
				 bytes.length / sizeof *merge->blocks);
		buffer_clear(&bytes);
		receive_bytes(&bytes, here.rank + step, TAG_CLAIMS);
		key_claims_join(&merge->claims, (const struct key_claim *)(const void *)bytes.data,
				bytes.length / sizeof *merge->claims.items);
		key_claims_settle(&merge->claims);
		buffer_free(&bytes);
	}
}

struct fetching {
	struct processes here;
	struct merge_files files;
	size_t next; /* the block that is fetched next */
};

static bool fetch_block(void *context, const struct merge_block *block, struct buffer *bytes,
			struct error *error)
{
	struct fetching *fetching = context;
	fetching->next++;
	if ((int)block->owner == fetching->here.rank)
		return merge_fetch_file(&fetching->files, block, bytes, error);
	receive_bytes(bytes, (int)block->owner, TAG_BYTES);
	return true; /* one that could not be read has another length */
}

static void send_blocks(struct fetching *fetching, const struct merge *merge)
{
	struct buffer bytes = { 0 };
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_block *block = &merge->blocks[i];
		if ((int)block->owner != fetching->here.rank)
			continue;
		buffer_clear(&bytes);
		merge_fetch_file(&fetching->files, block, &bytes, NULL);
		send_bytes(buffer_text(&bytes), bytes.length, 0, TAG_BYTES);
	}
	buffer_free(&bytes);
}

bool write_together(struct processes here, const struct merge *merge, const char *output,
		    bool force, struct error *error)
{
	struct fetching fetching = { .here = here, .files = { .merge = merge } };
	bool done = true;
	if (here.rank == 0)
		done = merge_write(merge, output, force, fetch_block, &fetching, NULL, error);
	else
		send_blocks(&fetching, merge);
	/* what is still sent after a failure */
	for (struct buffer rest = { 0 }; here.rank == 0 && fetching.next < merge->count;) {
		if (merge->blocks[fetching.next++].owner)
			receive_bytes(&rest, (int)merge->blocks[fetching.next - 1].owner,
				      TAG_BYTES);
		buffer_free(&rest);
	}
	merge_files_close(&fetching.files);
	return done;
}
