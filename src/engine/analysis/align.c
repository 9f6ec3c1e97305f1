#include "base/any_of.h"
#include "base/compare.h"
#include "base/sort.h"
#include "analysis/align.h"

#include "model/profile.h"

struct align_child {
	const struct align_row *row;
	uint32_t index;
};

struct align_children {
	GROWING(struct align_child, items, count);
};

struct alignment_data {
	const struct align_row *base, *new;
	struct align_children base_children, new_children; /* of the current pair */
	GROWING(struct pair, pairs, count);
	uint32_t parent; /* the current pair */
};

COMPARE_MEMBERS(by_key, struct align_child, UP(row->key) UP(row->counter) UP(index))

static int align_compare_names(const struct align_row *x, const struct align_row *y)
{
	size_t length = x->length < y->length ? x->length : y->length;
	return (length ? memcmp(x->name, y->name, length) : 0) ?: COMPARE(x->length, y->length);
}

COMPARE_ITEMS(by_name, struct align_child,
	      align_compare_names(x->row, y->row) ?: COMPARE(x->index, y->index))

static void align_collect(struct align_children *children, const struct align_row *rows,
			  uint32_t parent)
{
	children->count = 0;
	if (parent == NO_ROW)
		return;
	for (uint32_t at = parent + 1; at < parent + rows[parent].size; at += rows[at].size) {
		*mem_push(children->items, children->count) = (struct align_child){ &rows[at], at };
	}
	sort_items(children->items, children->count, by_key);
}

static void align_add(struct alignment_data *alignment, const struct align_child *base,
		      const struct align_child *new)
{
	*mem_push(alignment->pairs, alignment->count) = (struct pair){
		alignment->parent,
		base ? base->index : NO_ROW,
		new ? new->index : NO_ROW,
	};
}

/* Are the full names equal? Sorts both by name. */
static bool same_names(struct align_child *base, struct align_child *new, size_t count)
{
	qsort(base, count, sizeof *base, by_name);
	qsort(new, count, sizeof *new, by_name);
	return !any_of(i, count, align_compare_names(base[i].row, new[i].row) != 0);
}

/* Equal numbers with one key: pair by name, else in order of their counters. */
static void pair_in_order(struct alignment_data *alignment, struct align_child *base,
			  struct align_child *new, size_t count)
{
	if (count > 1 && !same_names(base, new, count)) {
		qsort(base, count, sizeof *base, by_key);
		qsort(new, count, sizeof *new, by_key);
	}
	for (size_t i = 0; i < count; i++)
		align_add(alignment, &base[i], &new[i]);
}

/* Unequal numbers with one key: pair only equal full names. */
static void pair_by_name(struct alignment_data *alignment, struct align_child *base,
			 size_t base_count, struct align_child *new, size_t new_count)
{
	size_t i = 0, k = 0;
	sort_items(base, base_count, by_name);
	sort_items(new, new_count, by_name);
	while (i < base_count || k < new_count) {
		int order = i == base_count  ? 1
			    : k == new_count ? -1
					     : align_compare_names(base[i].row, new[k].row);
		const struct align_child *left = order <= 0 ? &base[i++] : NULL;
		align_add(alignment, left, order >= 0 ? &new[k++] : NULL);
	}
}

static size_t run_length(const struct align_children *children, size_t at, uint32_t key)
{
	size_t end = at;
	while (end < children->count && children->items[end].row->key == key)
		end++;
	return end - at;
}

static uint32_t key_at(const struct align_children *children, size_t at)
{
	return at < children->count ? children->items[at].row->key : UINT32_MAX;
}

static void pair_children(struct alignment_data *alignment)
{
	struct align_children *base = &alignment->base_children, *new = &alignment->new_children;
	for (size_t i = 0, k = 0; i < base->count || k < new->count;) {
		uint32_t left = key_at(base, i), right = key_at(new, k);
		uint32_t key = left < right ? left : right;
		size_t base_count = run_length(base, i, key), new_count = run_length(new, k, key);
		if (base_count == new_count)
			pair_in_order(alignment, base->items + i, new->items + k, base_count);
		else
			pair_by_name(alignment, base->items + i, base_count, new->items + k,
				     new_count);
		i += base_count;
		k += new_count;
	}
}

struct pair *align_trees(const struct align_row *base, const struct align_row *new, size_t *count,
			 const struct progress *progress)
{
	enum { WEIGHT = 32 }; /* cost of a pair, whose children are sorted and compared by name */
	bool ok = true;
	struct alignment_data alignment = { .base = base, .new = new, .parent = NO_ROW };
	align_add(&alignment, &(struct align_child){ base, 0 }, &(struct align_child){ new, 0 });
	for (size_t at = 0; ok && at < alignment.count; at++) {
		struct pair pair = alignment.pairs[at];
		alignment.parent = (uint32_t)at;
		align_collect(&alignment.base_children, base, pair.base);
		align_collect(&alignment.new_children, new, pair.new);
		pair_children(&alignment);
		ok = progress_heavy_row(progress, "comparing", at, base->size, WEIGHT);
	}
	mem_free_all(alignment.base_children.items, alignment.new_children.items);
	*count = alignment.count;
	return mem_if(ok, alignment.pairs);
}
