#include "base/mem.h"

#include "base/error.h"
#include "base/number.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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

struct mem_guarded {
	bool (*work)(void *context);
	void *context;
	bool done;
};

static void run_guarded(void *context)
{
	struct mem_guarded *guarded = context;
	guarded->done = guarded->work(guarded->context);
}

bool mem_guard(bool (*work)(void *context), void *context, struct error *error)
{
	struct mem_guarded guarded = { .work = work, .context = context };
	size_t wanted = mem_try(run_guarded, &guarded);
	return wanted ? mem_failed(wanted, error) : guarded.done;
}

/* ---- the limit ---- */

enum { SPARE = 64 << 20 }; /* bytes beyond the limit, for buffers that files of all sizes need */

static atomic_size_t used, peak, limit;
static atomic_bool refused; /* the last failure was a refusal, not the system's */

void mem_set_limit(size_t max)
{
	limit = max && max < SIZE_MAX - SPARE ? max + SPARE : 0;
}

void mem_keep(const void *memory)
{
	used -= malloc_usable_size((void *)(uintptr_t)memory);
}

size_t mem_used(void)
{
	return used;
}

size_t mem_peak(void)
{
	return peak;
}

static bool mem_has_room(size_t more)
{
	size_t max = limit, now = used;
	refused = max && (more > max || now > max - more);
	return !refused;
}

/* malloc tells the size of a block, so that freeing needs no header. */
static void *count(void *memory)
{
	size_t size = malloc_usable_size(memory), highest = peak;
	size_t now = atomic_fetch_add(&used, size) + size;
	while (now > highest && !atomic_compare_exchange_weak(&peak, &highest, now))
		;
	return memory;
}

bool mem_failed(size_t wanted, struct error *error)
{
	char max[NUMBER_MAX];
	if (refused)
		return error_set(error, ERROR_MEMORY,
				 "needs more memory than the limit of %s; raise --max-memory",
				 number_bytes(max, (double)(limit - SPARE)));
	if (!wanted)
		return error_set(error, ERROR_MEMORY, "out of memory");
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

void *mem_may_realloc(void *old, size_t size)
{
	size_t before = malloc_usable_size(old);
	if (size > before && !mem_has_room(size - before))
		return NULL;
	void *memory = realloc(old, size ? size : 1);
	if (!memory)
		return NULL;
	used -= before;
	return count(memory);
}

void *mem_alloc(size_t size)
{
	return mem_realloc(NULL, 1, size);
}

void *mem_zalloc(size_t items, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(items, size, &bytes))
		mem_fail(SIZE_MAX);
	void *memory = mem_has_room(bytes) ? calloc(bytes ? bytes : 1, 1) : NULL;
	if (!memory)
		mem_fail(bytes);
	return count(memory);
}

void *mem_cleared(size_t items, size_t size)
{
	return memset(mem_realloc(NULL, items, size), 0, items * size);
}

uint32_t *mem_no_rows(size_t count)
{
	size_t size = count * sizeof(uint32_t);
	return memset(mem_alloc(size), 0xff, size);
}

void *mem_realloc(void *old, size_t items, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(items, size, &bytes))
		mem_fail(SIZE_MAX);
	void *memory = mem_may_realloc(old, bytes);
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

char *mem_printf(const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	char *text = mem_alloc((size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}

void mem_free(void *memory)
{
	if (!memory)
		return;
	used -= malloc_usable_size(memory);
	free(memory);
}

void *mem_if(bool kept, void *memory)
{
	if (kept)
		return memory;
	mem_free(memory);
	return NULL;
}

void mem_free_each(void *array, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mem_free_local((char *)array + i * sizeof(void *));
}

size_t mem_next_capacity(size_t capacity, size_t need)
{
	/* Growth by half wastes at most a third. */
	size_t next = capacity + capacity / 2 + 16;
	return next < need ? need : next;
}

size_t mem_size(const void *memory)
{
	return malloc_usable_size((void *)(uintptr_t)memory);
}

void *mem_room(void *array, size_t need, size_t size)
{
	size_t room = mem_size(array), wanted;
	if (!__builtin_mul_overflow(need, size, &wanted) && wanted <= room)
		return array;
	return mem_realloc(array, mem_next_capacity(room / size, need), size);
}

void *mem_room_filled(void *array, size_t need, size_t size, int byte)
{
	size_t had = mem_size(array);
	char *grown = mem_room(array, need, size);
	if (need * size > had)
		memset(grown + had, byte, mem_size(grown) - had);
	return grown;
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
