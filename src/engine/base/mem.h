/*
 * Checked allocation, growable arrays and arenas.
 *
 * No function returns NULL: when memory runs out they unwind to the mem_guard() that the engine's
 * entry points set up, which reports it as an error. Memory allocated inside the guard and not yet
 * owned by something the caller frees is leaked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct error;

/*
 * Run WORK(CONTEXT) and return its result; false with ERROR_MEMORY when memory ran out inside.
 * Guards nest; each thread has its own.
 */
bool mem_guard(bool (*work)(void *context), void *context, struct error *error);

/*
 * Lower-level guard for handing a failure to another thread: returns 0, or the size of the
 * allocation that failed, …
 */
size_t mem_try(void (*work)(void *context), void *context);
/* …with which mem_fail unwinds to the enclosing guard, or mem_failed sets ERROR (false). */
_Noreturn void mem_fail(size_t wanted);
bool mem_failed(size_t wanted, struct error *error); /* WANTED 0: unknown */

void *mem_alloc(size_t size);                /* not zeroed; SIZE 0 gives a valid pointer */
void *mem_zalloc(size_t count, size_t size); /* zeroed, overflow checked */
/* By writing: pages that are read before they are written are copied then, while others wait. */
void *mem_cleared(size_t count, size_t size);
uint32_t *mem_no_rows(size_t count); /* numbers that are all UINT32_MAX, as NO_ROW is */
void *mem_realloc(void *old, size_t count, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mem_free(void *memory);

/* Calls DROP with the address of a local, declared with this and a first value, where its block
 * ends. */
#define AUTO(drop) __attribute__((cleanup(drop)))

/* So for the memory of a pointer. */
#define AUTO_FREE AUTO(mem_free_local)
static inline void mem_free_local(void *pointer)
{
	void *memory;
	memcpy(&memory, pointer, sizeof memory);
	mem_free(memory);
}

/* PLACE, or VALUE if that is less, or more; both without effects of their own. */
#define lower_to(place, value) ((void)((place) > (value) ? (place) = (value) : 0))
#define raise_to(place, value) ((void)((place) < (value) ? (place) = (value) : 0))

/* MEMORY if it is to be KEPT; else frees it and returns NULL. */
void *mem_if(bool kept, void *memory);

/* So OBJECT, which DROP frees. */
#define keep_if(kept, object, drop) ((kept) ? (object) : (drop(object), NULL))

/* Free several: what the pointers of an ARRAY point to. */
void mem_free_each(void *array, size_t count);
#define mem_free_all(...)                                                                          \
	mem_free_each((void *[]){ __VA_ARGS__ }, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))

/*
 * Define FUNCTION of a pointer to a TYPE, which frees MEMBERS: OWN is memory, OWN_BY a pointer and
 * OWN_IN a struct that DROP frees. CLEAR_MEMBERS leaves it zeroed; FREE_OBJECT frees it too, NULL
 * is fine.
 */
#define FREE_MEMBERS(function, type, members)                                                      \
	void function(type *own)                                                                   \
	{                                                                                          \
		members                                                                            \
	}
#define STATIC_FREE_MEMBERS(function, type, members) static FREE_MEMBERS(function, type, members)
#define CLEAR_MEMBERS(function, type, members)                                                     \
	FREE_MEMBERS(function, type, members *own = (type){ 0 };)
#define FREE_OBJECT(function, type, members)                                                       \
	FREE_MEMBERS(function, type, if (!own) return; members mem_free(own);)
#define OWN(member) mem_free(own->member);
#define OWN_BY(drop, member) drop(own->member);
#define OWN_IN(drop, member) drop(&own->member);

/*
 * Put WITH, which may be made of it, in place of what MEMBER owns. That is freed last: where memory
 * runs out for the new one, it stays.
 */
#define mem_replace(member, with) mem_replace_by(mem_free, member, with)
#define mem_replace_by(drop, member, with)                                                         \
	do {                                                                                       \
		__typeof__(member) mem_with_ = (with);                                             \
		drop(member);                                                                      \
		(member) = mem_with_;                                                              \
	} while (0)

/* Like mem_realloc, but NULL (and OLD stays) when memory runs out: for libraries that handle it. */
void *mem_may_realloc(void *old, size_t size);

/*
 * One limit, in bytes, for all that is allocated here; 0: none. An allocation that exceeds it by
 * more than 64 MiB, which buffers may take, fails like one that the system refuses.
 */
void mem_set_limit(size_t max);
size_t mem_used(void);             /* bytes allocated now */
void mem_keep(const void *memory); /* it is never freed: do not count it */
size_t mem_peak(void);             /* the most so far */

/*
 * Grow ARRAY (a pointer lvalue to memory from here, or NULL) to hold at least NEED elements. It has
 * room for what its block holds; mem_grow_filled, by which alone such an array grows from NULL,
 * sets every byte of new elements to BYTE.
 */
void *mem_room(void *array, size_t need, size_t size);
void *mem_room_filled(void *array, size_t need, size_t size, int byte);
#define mem_grow(array, need) ((array) = mem_room((array), (need), sizeof *(array)))
#define mem_grow_filled(array, need, byte)                                                         \
	((array) = mem_room_filled((array), (need), sizeof *(array), (byte)))

/* Bytes that a block holds, which vary with what was allocated before; 0 of NULL. */
size_t mem_size(const void *memory);
#define mem_rows(array, count) ((size_t)(count) * sizeof *(array)) /* bytes of its elements */

/* So where asking for the size is too slow: CAP is the capacity. */
#define mem_grow_to(array, cap, need)                                                              \
	do {                                                                                       \
		size_t mem_need_ = (need);                                                         \
		if (mem_need_ > (cap)) {                                                           \
			size_t mem_cap_ = mem_next_capacity((cap), mem_need_);                     \
			(array) = mem_realloc((array), mem_cap_, sizeof *(array));                 \
			(cap) = mem_cap_;                                                          \
		}                                                                                  \
	} while (0)

size_t mem_next_capacity(size_t capacity, size_t need);

/* Members of a struct: ARRAY has COUNT elements of TYPE. */
#define GROWING(type, array, count)                                                                \
	type *array;                                                                               \
	size_t count

/*
 * A pointer to one more element of ARRAY, which has COUNT: COUNT is incremented. Zeroed, since an
 * allocation that fails while the element is filled leaves it to those who free the array.
 */
#define mem_push(array, count)                                                                     \
	({                                                                                         \
		mem_grow(array, (size_t)(count) + 1);                                              \
		memset(&(array)[(count)], 0, sizeof *(array));                                     \
		&(array)[(count)++];                                                               \
	})

/* A loop over COUNT ITEMS by a pointer ITEM; ITEMS may be NULL without any. */
#define for_each(item, items, count) for_each_of(const __typeof__(*(items)), item, items, count)
#define for_each_mutable(item, items, count) for_each_of(__typeof__(*(items)), item, items, count)
#define for_each_of(type, item, items, count)                                                      \
	for (type *item = (items), *end_of_##item = item ? item + (count) : item;                  \
	     item < end_of_##item; item++)

/* An arena: many small blocks freed together. Not thread safe. */
struct arena;
struct arena *arena_new(void);
void arena_free(struct arena *arena); /* NULL is fine */
#define AUTO_ARENA AUTO(arena_free_local)
static inline void arena_free_local(struct arena **arena)
{
	arena_free(*arena);
}
void *arena_alloc(struct arena *arena, size_t size); /* 8-byte aligned, not zeroed */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
size_t arena_size(const struct arena *arena); /* bytes held, for the memory budget */

/*
 * Members of a struct and those of the same names of another: MEMBERS(&sum, &row, PLUS(calls)
 * PLUS(bytes)) adds them up, with TAKE it takes them over.
 */
#define MEMBERS(to, from, members)                                                                 \
	do {                                                                                       \
		__auto_type members_to = (to);                                                     \
		__auto_type members_from = (from);                                                 \
		members                                                                            \
	} while (0)
#define PLUS(member) members_to->member += members_from->member;
#define TAKE(member) members_to->member = members_from->member;
