#include "base/mem.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct guard {
	jmp_buf jump;
	struct guard *outer;
	volatile size_t wanted; /* written before longjmp, read after it */
};

static _Thread_local struct guard *innermost;

size_t mem_try(void (*work)(void *context), void *context)
{
	struct guard guard = { .outer = innermost };
	if (setjmp(guard.jump) == 0) {
		innermost = &guard;
		work(context);
	}
	innermost = guard.outer;
	return guard.wanted;
}

struct guarded {
	bool (*work)(void *context);
	void *context;
	bool done;
};

static void run_guarded(void *context)
{
	struct guarded *guarded = context;
	guarded->done = guarded->work(guarded->context);
}

bool mem_guard(bool (*work)(void *context), void *context, struct error *error)
{
	struct guarded guarded = { .work = work, .context = context };
	size_t wanted = mem_try(run_guarded, &guarded);
	return wanted ? mem_failed(wanted, error) : guarded.done;
}

bool mem_failed(size_t wanted, struct error *error)
{
	return error_set(error, ERROR_MEMORY, "out of memory (%zu more bytes needed)", wanted);
}

/* Without a guard the process cannot continue: trap where a debugger shows it. */
void mem_fail(size_t wanted)
{
	if (!innermost)
		__builtin_trap();
	innermost->wanted = wanted ? wanted : 1;
	longjmp(innermost->jump, 1);
}

/* Large blocks are scanned sequentially; huge pages avoid most page faults. */
static void *prefer_large_pages(void *memory, size_t size)
{
	enum { LARGE = 8 << 20, PAGE = 4096 };
	if (memory && size >= LARGE) {
		uintptr_t start = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
		size_t length = (size - (start - (uintptr_t)memory)) & ~(size_t)(PAGE - 1);
		madvise((void *)start, length, MADV_HUGEPAGE); /* best effort */
	}
	return memory;
}

void *mem_alloc(size_t size)
{
	void *memory = prefer_large_pages(malloc(size ? size : 1), size);
	if (!memory)
		mem_fail(size);
	return memory;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *memory = prefer_large_pages(calloc(count ? count : 1, size ? size : 1), count * size);
	if (!memory)
		mem_fail(count * size);
	return memory;
}

void *mem_realloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		mem_fail(SIZE_MAX);
	void *memory = prefer_large_pages(realloc(old, bytes ? bytes : 1), bytes);
	if (!memory)
		mem_fail(bytes);
	return memory;
}

char *mem_strndup(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);
	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

void mem_free(void *memory)
{
	free(memory);
}

size_t mem_next_capacity(size_t capacity, size_t need)
{
	/* Growth by half wastes at most a third. */
	size_t next = capacity + capacity / 2 + 16;
	return next < need ? need : next;
}

/* ---- arenas ---- */

enum { CHUNK_FIRST = 4096, CHUNK_MAX = 1 << 20 };

struct chunk {
	struct chunk *next;
	size_t size, used;
	_Alignas(8) char data[];
};

struct arena {
	struct chunk *chunks;
	size_t next_size, held;
};

struct arena *arena_new(void)
{
	struct arena *arena = mem_zalloc(1, sizeof *arena);
	arena->next_size = CHUNK_FIRST;
	return arena;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		mem_free(chunk);
	}
	mem_free(arena);
}

static struct chunk *add_chunk(struct arena *arena, size_t size)
{
	struct chunk *chunk = mem_alloc(sizeof *chunk + size);
	chunk->size = size;
	chunk->used = 0;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->held += size;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	struct chunk *chunk = arena->chunks;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t wanted = arena->next_size;
		if (arena->next_size < CHUNK_MAX)
			arena->next_size *= 2;
		chunk = add_chunk(arena, size > wanted ? size : wanted);
	}
	void *memory = chunk->data + chunk->used;
	chunk->used += size;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

size_t arena_size(const struct arena *arena)
{
	return arena->held;
}
