#include "base/intern.h"

#include "base/mem.h"
#include "base/secret.h"

#include <string.h>

/*
 * Open addressing with linear probing, at most half full. A slot keeps the upper half of the hash
 * so that a probe rarely compares bytes.
 */
struct slot {
	uint32_t tag;
	uint32_t id_plus_1; /* 0: free */
};

struct entry {
	const char *text;
	uint32_t length;
	uint32_t hash; /* lower half, for rehashing */
};

struct intern {
	struct arena *arena;
	struct slot *slots;
	size_t mask;
	struct entry *entries;
	size_t count, capacity;
};

static uint64_t read_word(const char *text)
{
	uint64_t word;
	memcpy(&word, text, 8);
	return word;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_bytes(const char *text, size_t length)
{
	uint64_t hash = length ^ secret.a;
	if (length >= 64) {
		/*
		 * Long strings (call stacks): four independent lanes for instruction-level
		 * parallelism.
		 */
		uint64_t lane[3] = { hash, hash, hash };
		for (; length >= 64; length -= 64, text += 64) {
			hash = mix(read_word(text) ^ secret.b, read_word(text + 8) ^ hash);
			lane[0] = mix(read_word(text + 16) ^ secret.b,
				      read_word(text + 24) ^ lane[0]);
			lane[1] = mix(read_word(text + 32) ^ secret.b,
				      read_word(text + 40) ^ lane[1]);
			lane[2] = mix(read_word(text + 48) ^ secret.b,
				      read_word(text + 56) ^ lane[2]);
		}
		hash ^= mix(lane[0] ^ secret.a, lane[1] ^ mix(lane[2] ^ secret.b, secret.a));
	}
	for (; length >= 16; length -= 16, text += 16)
		hash = mix(read_word(text) ^ secret.b, read_word(text + 8) ^ hash);
	uint64_t a = 0, b = 0;
	if (length >= 8) {
		a = read_word(text);
		memcpy(&b, text + 8, length - 8);
	} else if (length) {
		memcpy(&a, text, length);
	}
	return mix(secret.b ^ a, mix(b ^ secret.a, hash));
}

struct intern *intern_new(void)
{
	struct intern *intern = mem_zalloc(1, sizeof *intern);
	intern->arena = arena_new();
	intern->mask = 1023;
	intern->slots = mem_zalloc(intern->mask + 1, sizeof *intern->slots);
	intern_add(intern, "", 0);
	return intern;
}

void intern_free(struct intern *intern)
{
	if (!intern)
		return;
	arena_free(intern->arena);
	mem_free(intern->slots);
	mem_free(intern->entries);
	mem_free(intern);
}

static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static void double_slots(struct intern *intern)
{
	size_t mask = intern->mask * 2 + 1;
	struct slot *slots = mem_zalloc(mask + 1, sizeof *slots);
	for (size_t i = 0; i <= intern->mask; i++) {
		struct slot slot = intern->slots[i];
		if (!slot.id_plus_1)
			continue;
		size_t at = intern->entries[slot.id_plus_1 - 1].hash & mask;
		while (slots[at].id_plus_1)
			at = (at + 1) & mask;
		slots[at] = slot;
	}
	mem_free(intern->slots);
	intern->slots = slots;
	intern->mask = mask;
}

/* The slot that holds these bytes, or the free one to insert them into. */
static struct slot *find_slot(const struct intern *intern, const char *text, size_t length,
			      uint64_t hash)
{
	for (size_t at = (uint32_t)hash & intern->mask;; at = (at + 1) & intern->mask) {
		struct slot *slot = &intern->slots[at];
		if (!slot->id_plus_1)
			return slot;
		if (slot->tag != fold(hash))
			continue;
		const struct entry *entry = &intern->entries[slot->id_plus_1 - 1];
		if (entry->length == length && memcmp(entry->text, text, length) == 0)
			return slot;
	}
}

static uint32_t add(struct intern *intern, const char *text, size_t length, bool copy)
{
	uint64_t hash = hash_bytes(text, length);
	struct slot *slot = find_slot(intern, text, length, hash);
	if (slot->id_plus_1)
		return slot->id_plus_1 - 1;
	mem_grow(intern->entries, intern->capacity, intern->count + 1);
	intern->entries[intern->count] = (struct entry){
		.text = copy ? arena_strndup(intern->arena, text, length) : text,
		.length = (uint32_t)length,
		.hash = (uint32_t)hash,
	};
	*slot = (struct slot){ .tag = fold(hash), .id_plus_1 = (uint32_t)++intern->count };
	if (intern->count * 2 > intern->mask)
		double_slots(intern);
	return (uint32_t)intern->count - 1;
}

uint32_t intern_add(struct intern *intern, const char *text, size_t length)
{
	return add(intern, text, length, true);
}

uint32_t intern_adopt(struct intern *intern, const char *text, size_t length)
{
	return add(intern, text, length, false);
}

uint32_t intern_find(const struct intern *intern, const char *text, size_t length)
{
	return find_slot(intern, text, length, hash_bytes(text, length))->id_plus_1 - 1;
}

const char *intern_text(const struct intern *intern, uint32_t id)
{
	return intern->entries[id].text;
}

size_t intern_length(const struct intern *intern, uint32_t id)
{
	return intern->entries[id].length;
}

uint32_t intern_count(const struct intern *intern)
{
	return (uint32_t)intern->count;
}

size_t intern_size(const struct intern *intern)
{
	return arena_size(intern->arena) + (intern->mask + 1) * sizeof *intern->slots +
	       intern->capacity * sizeof *intern->entries;
}
