#include "mpi/exchange.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/packed.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_COUNT, TAG_CLAIMS, TAG_BYTES, PIECE = 1 << 30 };

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

static void exchange_add_text(struct buffer *bytes, const char *text)
{
	packed_add_bytes(bytes, text, strlen(text) + 1);
}

void share_paths(struct processes here, struct batch *batch)
{
	struct buffer bytes = { 0 };
	for (size_t i = 0; i < batch->count && here.rank == 0; i++) {
		exchange_add_text(&bytes, batch->files[i].path);
		exchange_add_text(&bytes, batch->files[i].folder);
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

/*
 * What the processes found of a rank: of its different summaries the first two, each in the copy
 * that a merge writes. Two are enough to tell that they differ.
 */
enum { COPIES = 2 };

struct exchange_slot {
	struct merge_block copy[COPIES]; /* of size 0: none */
};

static void add_copy(struct exchange_slot *slot, const struct merge_block *block)
{
	struct merge_block rest = *block;
	for (int i = 0; i < COPIES && rest.part.size; i++) {
		struct merge_block *at = &slot->copy[i];
		bool same = at->part.size && at->part.whole == rest.part.whole;
		if (at->part.size && merge_compare_blocks(at, &rest) <= 0) {
			if (same)
				return;
			continue;
		}
		struct merge_block other = *at;
		*at = rest;
		if (same)
			return;
		rest = other;
	}
}

/* A user-defined operation: commutative, associative and idempotent, as merging is. */
static void join_slots(void *in, void *inout, int *count, MPI_Datatype *type)
{
	const struct exchange_slot *from = in;
	struct exchange_slot *to = inout;
	for (int i = 0; i < *count; i++)
		for (int n = 0; n < COPIES; n++)
			add_copy(&to[i], &from[i].copy[n]);
}

static int exchange_compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static size_t sort_numbers(int64_t *numbers, size_t count)
{
	size_t kept = 0;
	if (count)
		qsort(numbers, count, sizeof *numbers, exchange_compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (!kept || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	return kept;
}

/* The ranks that any process found, ascending, on all; the caller frees. */
static int64_t *share_ranks(struct processes here, const struct merge *merge, size_t *found)
{
	int *counts = mem_zalloc((size_t)here.count, sizeof *counts);
	int *places = mem_zalloc((size_t)here.count + 1, sizeof *places);
	int64_t *own = mem_alloc((merge->count + 1) * sizeof *own);
	for (size_t i = 0; i < merge->count; i++)
		own[i] = merge->blocks[i].part.rank;
	int count = (int)sort_numbers(own, merge->count);
	MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < here.count; i++)
		places[i + 1] = places[i] + counts[i];
	int64_t *all = mem_alloc(((size_t)places[here.count] + 1) * sizeof *all);
	MPI_Allgatherv(own, count, MPI_INT64_T, all, counts, places, MPI_INT64_T, MPI_COMM_WORLD);
	*found = sort_numbers(all, (size_t)places[here.count]);
	mem_free(own);
	mem_free(counts);
	mem_free(places);
	return all;
}

static struct exchange_slot *fill_slots(const struct merge *merge, const int64_t *ranks,
					size_t count)
{
	struct exchange_slot *slots = mem_zalloc(count + 1, sizeof *slots);
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_block *block = &merge->blocks[i];
		const int64_t *rank = bsearch(&block->part.rank, ranks, count, sizeof *ranks,
					      exchange_compare_numbers);
		add_copy(&slots[rank - ranks], block);
	}
	return slots;
}

static void join_claims(struct processes here, struct key_claims *claims)
{
	key_claims_settle(claims);
	for (int step = 1; step < here.count; step *= 2) {
		if (here.rank % (2 * step)) {
			send_bytes(claims->items, claims->count * sizeof *claims->items,
				   here.rank - step, TAG_CLAIMS);
			return;
		}
		if (here.rank + step >= here.count)
			continue;
		struct buffer bytes = { 0 };
		receive_bytes(&bytes, here.rank + step, TAG_CLAIMS);
		key_claims_join(claims, (const struct key_claim *)(const void *)bytes.data,
				bytes.length / sizeof *claims->items);
		key_claims_settle(claims);
		buffer_free(&bytes);
	}
}

void join_blocks(struct processes here, struct merge *merge)
{
	size_t count;
	int64_t *ranks = share_ranks(here, merge, &count);
	struct exchange_slot *own = fill_slots(merge, ranks, count);
	struct exchange_slot *all = mem_zalloc(count + 1, sizeof *all);
	MPI_Datatype type;
	MPI_Op join;
	MPI_Type_contiguous(sizeof *own, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(join_slots, true, &join);
	MPI_Reduce(own, all, (int)count, type, join, 0, MPI_COMM_WORLD);
	MPI_Op_free(&join);
	MPI_Type_free(&type);
	merge->count = 0;
	for (size_t i = 0; i < count && here.rank == 0; i++)
		for (int n = 0; n < COPIES && all[i].copy[n].part.size; n++)
			merge_add_blocks(merge, &all[i].copy[n], 1);
	mem_free(own);
	mem_free(all);
	mem_free(ranks);
	join_claims(here, &merge->claims);
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
