#include "mpi/exchange.h"

#include "base/error.h"

#include <mpi.h>

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

/* Messages of any length, in pieces that an int counts: the next from AT on, and how long it is. */
static bool next_piece(uint64_t *at, int *piece, uint64_t length)
{
	*at += (uint64_t)*piece;
	*piece = length - *at < PIECE ? (int)(length - *at) : PIECE;
	return *at < length;
}

static void broadcast(void *data, uint64_t length)
{
	int piece = 0;
	for (uint64_t at = 0; next_piece(&at, &piece, length);)
		MPI_Bcast((char *)data + at, piece, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void send_bytes(const void *data, uint64_t length, int to, int tag)
{
	int piece = 0;
	MPI_Send(&length, sizeof length, MPI_BYTE, to, TAG_COUNT, MPI_COMM_WORLD);
	for (uint64_t at = 0; next_piece(&at, &piece, length);)
		MPI_Send((const char *)data + at, piece, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive_bytes(struct buffer *bytes, int from, int tag)
{
	uint64_t length;
	int piece = 0;
	MPI_Recv(&length, sizeof length, MPI_BYTE, from, TAG_COUNT, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	AUTO_FREE char *data = mem_alloc(length);
	for (uint64_t at = 0; next_piece(&at, &piece, length);)
		MPI_Recv(data + at, piece, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	buffer_add(bytes, data, length);
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
	AUTO_BUFFER struct buffer bytes = { 0 };
	for (size_t i = 0; i < batch->count && here.rank == 0; i++) {
		packed_add_bytes(&bytes, batch->files[i].path, strlen(batch->files[i].path) + 1);
		packed_add_bytes(&bytes, batch->files[i].folder,
				 strlen(batch->files[i].folder) + 1);
	}
	uint64_t length = bytes.length;
	broadcast(&length, sizeof length);
	char *data = here.rank == 0 ? bytes.data : mem_alloc(length);
	broadcast(data, length);
	struct packed packed = { data, data + length, false };
	while (here.rank != 0 && packed.at < packed.end) {
		const char *path = packed_take_bytes(&packed).at;
		batch_add(batch, path, packed_take_bytes(&packed).at);
	}
	if (here.rank != 0)
		mem_free(data);
}

void share_blocks(struct processes here, struct merge *merge)
{
	uint64_t count = merge->count;
	broadcast(&count, sizeof count);
	if (here.rank != 0) {
		merge->count = 0;
		mem_grow(merge->blocks, (size_t)count);
		merge->count = (size_t)count;
	}
	broadcast(merge->blocks, count * sizeof *merge->blocks);
}

/* ---- to the root ---- */

/* As files of parts are merged: the merge on the root settles what is there twice. */
void join_blocks(struct processes here, struct merge *merge)
{
	struct key_claims *claims = &merge->claims;
	key_claims_settle(claims);
	for (int step = 1; step < here.count; step *= 2) {
		AUTO_BUFFER struct buffer blocks = { 0 }, more = { 0 };
		int other = here.rank % (2 * step) ? here.rank - step : here.rank + step;
		if (other < here.rank) {
			send_bytes(merge->blocks, merge->count * sizeof *merge->blocks, other,
				   TAG_BLOCKS);
			send_bytes(claims->items, claims->count * sizeof *claims->items, other,
				   TAG_CLAIMS);
			return;
		}
		if (other >= here.count)
			continue;
		receive_bytes(&blocks, other, TAG_BLOCKS);
		receive_bytes(&more, other, TAG_CLAIMS);
		merge_add_blocks(merge, (const struct merge_block *)(const void *)blocks.data,
				 blocks.length / sizeof *merge->blocks);
		key_claims_join(claims, (const struct key_claim *)(const void *)more.data,
				more.length / sizeof *claims->items);
		key_claims_settle(claims);
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
	AUTO_BUFFER struct buffer bytes = { 0 };
	for_each (block, merge->blocks, merge->count) {
		if ((int)block->owner != fetching->here.rank)
			continue;
		buffer_clear(&bytes);
		merge_fetch_file(&fetching->files, block, &bytes, NULL);
		send_bytes(BUFFERED(&bytes), 0, TAG_BYTES);
	}
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
