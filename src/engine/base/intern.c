#include "base/intern.h"

#include "base/secret.h"

/*
 * Open addressing with linear probing, at most five eighths full. A slot keeps the upper half of
 * the hash so that a probe rarely compares bytes.
 */
struct intern_slot {
	uint32_t tag;
	uint32_t id_plus_1; /* 0: free */
};

struct intern_entry {
	const char *text;
	uint32_t length;
	uint32_t hash; /* lower half, for rehashing */
};

struct intern {
	struct arena *arena;
	struct intern_slot *slots;
	size_t mask;
	struct intern_entry *entries;
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

static uint64_t read_half(const char *text)
{
	uint32_t half;
	memcpy(&half, text, 4);
	return half;
}

/* Up to 16 bytes as two words; loads overlap so as not to read past them. */
static inline void read_short(const char *text, size_t length, uint64_t *a, uint64_t *b)
{
	if (length >= 8) {
		*a = read_word(text);
		*b = read_word(text + length - 8);
	} else if (length >= 4) {
		*a = read_half(text);
		*b = read_half(text + length - 4);
	} else if (length) {
		*a = (unsigned char)text[0];
		*b = (uint64_t)(unsigned char)text[length / 2] << 8 |
		     (unsigned char)text[length - 1];
	} else {
		*a = *b = 0;
	}
}

static inline bool is_equal(const char *x, const char *y, size_t length)
{
	uint64_t a[2], b[2];
	if (length > 16)
		return memcmp(x, y, length) == 0;
	read_short(x, length, &a[0], &a[1]);
	read_short(y, length, &b[0], &b[1]);
	return a[0] == b[0] && a[1] == b[1];
}

static inline uint64_t hash_bytes(const char *text, size_t length)
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
	if (length > 16) {
		const char *last = text + length - 16;
		for (; text < last; text += 16)
			hash = mix(read_word(text) ^ secret.b, read_word(text + 8) ^ hash);
		text = last;
		length = 16;
	}
	uint64_t a, b;
	read_short(text, length, &a, &b);
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

FREE_OBJECT(intern_free, struct intern, OWN_BY(arena_free, arena) OWN(slots) OWN(entries))

static void double_slots(struct intern *intern)
{
	size_t mask = intern->mask * 2 + 1;
	struct intern_slot *slots = mem_cleared(mask + 1, sizeof *slots);
	for (size_t i = 0; i <= intern->mask; i++) {
		struct intern_slot slot = intern->slots[i];
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
static inline struct intern_slot *find_slot(const struct intern *intern, const char *text,
					    size_t length, uint64_t hash)
{
	for (size_t at = (uint32_t)hash & intern->mask;; at = (at + 1) & intern->mask) {
		struct intern_slot *slot = &intern->slots[at];
		if (!slot->id_plus_1)
			return slot;
		if (slot->tag != (uint32_t)(hash >> 32))
			continue;
		const struct intern_entry *entry = &intern->entries[slot->id_plus_1 - 1];
		if (entry->length == length && is_equal(entry->text, text, length))
			return slot;
	}
}

static uint32_t add_intern(struct intern *intern, const char *text, size_t length, bool copy)
{
	uint64_t hash = hash_bytes(text, length);
	struct intern_slot *slot = find_slot(intern, text, length, hash);
	if (slot->id_plus_1)
		return slot->id_plus_1 - 1;
	mem_grow_to(intern->entries, intern->capacity, intern->count + 1);
	intern->entries[intern->count] = (struct intern_entry){
		.text = copy ? arena_strndup(intern->arena, text, length) : text,
		.length = (uint32_t)length,
		.hash = (uint32_t)hash,
	};
	*slot = (struct intern_slot){ .tag = (uint32_t)(hash >> 32),
				      .id_plus_1 = (uint32_t)++intern->count };
	if (intern->count * 8 > intern->mask * 5)
		double_slots(intern);
	return (uint32_t)intern->count - 1;
}

uint32_t intern_add(struct intern *intern, const char *text, size_t length)
{
	return add_intern(intern, text, length, true);
}

uint32_t intern_adopt(struct intern *intern, const char *text, size_t length)
{
	return add_intern(intern, text, length, false);
}

bool intern_is(const struct intern *intern, uint32_t id, const char *text, size_t length)
{
	const struct intern_entry *entry = &intern->entries[id];
	return entry->length == length && is_equal(entry->text, text, length);
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
