/*
 * Layers that have another name in the other run, such as a class that was renamed: below layers
 * that are paired, those whose contents agree get the key of their counterpart.
 */
#include "views/diff/diff.h"

#include "base/compare.h"
#include "base/platform.h"

enum { CANDIDATES_MAX = 16 }; /* without counterpart, of one layer */

/* The children of each row, in order. */
struct diff_layers_children {
	const struct diff_side *side;
	uint32_t *first, *count, *row; /* of row R: row[first[R]] and the count[R] - 1 after it */
};

static int by_key(const void *a, const void *b, void *context)
{
	const struct align_row *align = ((const struct diff_layers_children *)context)->side->align;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return COMPARE(align[x].key, align[y].key) ?: COMPARE(x, y);
}

/* Those of a row are sorted by key. */
static struct diff_layers_children list_children(const struct diff_side *side)
{
	struct diff_layers_children children = { .side = side };
	children.first = mem_zalloc((size_t)side->count + 1, sizeof *children.first);
	children.count = mem_zalloc((size_t)side->count + 1, sizeof *children.count);
	children.row = mem_zalloc((size_t)side->count + 1, sizeof *children.row);
	for (uint32_t i = 1; i < side->count; i++)
		children.first[side->rows[i].parent + 1]++;
	for (uint32_t i = 1; i <= side->count; i++)
		children.first[i] += children.first[i - 1];
	for (uint32_t i = 1; i < side->count; i++) {
		uint32_t parent = side->rows[i].parent;
		children.row[children.first[parent] + children.count[parent]++] = i;
	}
	for (uint32_t i = 0; i < side->count; i++)
		if (children.count[i] > 1)
			platform_sort(children.row + children.first[i], children.count[i],
				      sizeof *children.row, by_key, &children);
	return children;
}

STATIC_FREE_MEMBERS(free_children, struct diff_layers_children, OWN(first) OWN(count) OWN(row))

struct diff_layers_pairing {
	struct comparison *comparison;
	struct diff_layers_children base, new;
	GROWING(struct pair, todo, count); /* of rows whose children are to be paired */
};

static void diff_layers_push(struct diff_layers_pairing *pairing, uint32_t base, uint32_t new)
{
	*mem_push(pairing->todo, pairing->count) = (struct pair){ NO_ROW, base, new };
}

/* A row without counterpart. */
struct alone {
	uint32_t row[CANDIDATES_MAX];
	size_t count; /* may exceed the limit */
};

static void add_alone(struct alone *alone, const struct diff_side *side, uint32_t row)
{
	if (!side->rows[row].layer || side->rows[row].run)
		return;
	if (alone->count < CANDIDATES_MAX)
		alone->row[alone->count] = row;
	alone->count++;
}

/*
 * Walk the children of two rows by key. With ALONE (of base and new), push those with equal keys
 * and collect the others. Returns how many have equal keys.
 */
static uint32_t diff_layers_merge(struct diff_layers_pairing *pairing, uint32_t base, uint32_t new,
				  struct alone alone[2])
{
	const struct diff_layers_children *left = &pairing->base, *right = &pairing->new;
	uint32_t i = left->first[base], i_end = i + left->count[base];
	uint32_t k = right->first[new], k_end = k + right->count[new], shared = 0;
	while (i < i_end || k < k_end) {
		uint32_t b = i < i_end ? left->row[i] : NO_ROW;
		uint32_t n = k < k_end ? right->row[k] : NO_ROW;
		uint64_t x = b == NO_ROW ? UINT64_MAX : left->side->align[b].key;
		uint64_t y = n == NO_ROW ? UINT64_MAX : right->side->align[n].key;
		shared += x == y;
		if (alone && x == y)
			diff_layers_push(pairing, b, n);
		else if (alone && x < y)
			add_alone(&alone[0], left->side, b);
		else if (alone)
			add_alone(&alone[1], right->side, n);
		i += x <= y;
		k += y <= x;
	}
	return shared;
}

/* Half of what the larger one contains is in both. */
static bool agree(struct diff_layers_pairing *pairing, uint32_t base, uint32_t new)
{
	uint32_t left = pairing->base.count[base], right = pairing->new.count[new];
	const struct diff_row *rows = pairing->comparison->base.rows;
	uint32_t shared = diff_layers_merge(pairing, base, new, NULL);
	return shared && 2 * (uint64_t)shared >= (left > right ? left : right) &&
	       value_compare(rows[base].kind, pairing->comparison->new.rows[new].kind) == 0;
}

static void rename_row(struct diff_layers_pairing *pairing, uint32_t base, uint32_t new)
{
	struct diff_side *from = &pairing->comparison->base, *to = &pairing->comparison->new;
	struct ref place = from->rows[base].ref, other = to->rows[new].ref;
	to->align[new].key = from->align[base].key;
	to->align[new].counter = from->align[base].counter;
	to->rows[new].renamed = true;
	if (place.kind == REF_LAYER && other.kind == REF_LAYER)
		to->place_name[other.a] = from->place_name[place.a];
	diff_layers_push(pairing, base, new);
}

static bool pair_alone(struct diff_layers_pairing *pairing, struct alone alone[2])
{
	bool any = false;
	if (alone[0].count > CANDIDATES_MAX || alone[1].count > CANDIDATES_MAX)
		return false;
	for (size_t i = 0; i < alone[0].count; i++) {
		for (size_t k = 0; k < alone[1].count; k++) {
			if (alone[1].row[k] == NO_ROW ||
			    !agree(pairing, alone[0].row[i], alone[1].row[k]))
				continue;
			rename_row(pairing, alone[0].row[i], alone[1].row[k]);
			alone[1].row[k] = NO_ROW;
			any = true;
			break;
		}
	}
	return any;
}

void diff_pair_layers(struct comparison *comparison)
{
	struct diff_layers_pairing pairing = { .comparison = comparison,
					       .base = list_children(&comparison->base),
					       .new = list_children(&comparison->new) };
	bool any = false;
	diff_layers_push(&pairing, 0, 0);
	while (pairing.count) {
		struct pair at = pairing.todo[--pairing.count];
		struct alone alone[2] = { { .count = 0 }, { .count = 0 } };
		diff_layers_merge(&pairing, at.base, at.new, alone);
		any |= pair_alone(&pairing, alone);
	}
	if (any)
		diff_set_places(&comparison->new);
	free_children(&pairing.base);
	free_children(&pairing.new);
	mem_free(pairing.todo);
}
