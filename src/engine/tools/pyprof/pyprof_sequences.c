#include "tools/pyprof/pyprof_sequences.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct sequence_key {
	const char *text;
	const char *number, *name; /* PyProf sorts by number as text, then by name */
	size_t number_length, name_length;
};

static struct sequence_key pyprof_sequences_key_of(const char *text)
{
	const char *mark = strstr(text, " = ");
	const char *number = mark + 3, *end = strstr(number, " = ");
	return (struct sequence_key){
		.text = text,
		.name = text,
		.name_length = (size_t)(mark - text),
		.number = number,
		.number_length = end ? (size_t)(end - number) : strlen(number),
	};
}

static int compare_sequences(const void *a, const void *b)
{
	const struct sequence_key *x = a, *y = b;
	size_t length_x = x->number_length + x->name_length;
	size_t length_y = y->number_length + y->name_length;
	for (size_t i = 0; i < length_x && i < length_y; i++) {
		unsigned char c =
			(unsigned char)(i < x->number_length ? x->number[i]
							     : x->name[i - x->number_length]);
		unsigned char d =
			(unsigned char)(i < y->number_length ? y->number[i]
							     : y->name[i - y->number_length]);
		if (c != d)
			return c < d ? -1 : 1;
	}
	return (length_x > length_y) - (length_x < length_y);
}

/* True if the numbers are equal and one name contains the other. */
static bool are_equivalent(const char *a, const char *b)
{
	size_t length_a = strcspn(a, ","), length_b = strcspn(b, ",");
	if (strcmp(a + length_a, b + length_b) != 0)
		return false;
	return memmem(b, length_b, a, length_a) || memmem(a, length_a, b, length_b);
}

void pyprof_prune_sequences(struct pyprof_texts *found)
{
	size_t count = found->count, unique = 0, kept = 0;
	AUTO_FREE struct sequence_key *keys = mem_alloc((count + 1) * sizeof *keys);
	for (size_t i = 0; i < count; i++)
		keys[i] = pyprof_sequences_key_of(found->item[i]);
	sort_items(keys, count, compare_sequences);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(keys[i].text, keys[i - 1].text) != 0)
			keys[unique++] = keys[i];
	for (size_t i = 0; i < unique; i++)
		if (!i || !are_equivalent(keys[i - 1].text, keys[i].text))
			found->item[kept++] = keys[i].text;
	found->count = kept;
}

void pyprof_insert_id(struct pyprof_ids *ids, int64_t id)
{
	size_t at = ids->count;
	for (size_t i = 0; i < ids->count; i++)
		if (ids->id[i] == id)
			return;
	for (; at > 0 && ids->id[at - 1] > id; at--)
		ids->id[at] = ids->id[at - 1];
	ids->id[at] = id;
	ids->count++;
}

struct pyprof_ids pyprof_ids_of(struct arena *arena, const struct pyprof_texts *found)
{
	struct pyprof_ids ids = { 0 };
	ids.id = arena_alloc(arena, (found->count + 1) * sizeof *ids.id);
	for (size_t i = 0; i < found->count; i++) {
		char *end;
		const char *digits = strchr(found->item[i], '=') + 1;
		long long id = strtoll(digits, &end, 10);
		if (end != digits)
			pyprof_insert_id(&ids, id);
	}
	/* 0 is dropped if there are others */
	if (ids.count > 1 && ids.id[0] == 0)
		memmove(ids.id, ids.id + 1, --ids.count * sizeof *ids.id);
	return ids;
}
