#include "session/stored_derived.h"

#include "derived/derived.h"
#include "analysis/rank_summary.h"
#include "base/intern.h"

#include <string.h>

/* A new struct member needs a line in its table, and this size updated. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct derived) == 256,
	       "the first tables lack a member");
_Static_assert(sizeof(void *) != 8 || sizeof(struct rank_summary) == 136,
	       "the last tables lack a member");

#define TABLE(array) array, sizeof(array) / sizeof *(array)

/* ---- facts ---- */

#define NUMBER(member) STORED_NUMBER(struct derived, member)
#define COUNT(member, rows) STORED_FIELD(struct derived, member, rows)
#define COLUMN(member, rows) STORED_COLUMN(struct derived, member, rows)
#define PREFIX(member, rows) STORED_PREFIX(struct derived, member, rows)
#define OPTIONAL(member, rows) STORED_OPTIONAL(struct derived, member, rows)
#define INDEX(column, limit) STORED_INDEX(struct derived, column, limit, false)
#define INDEX_OR_NONE(column, limit) STORED_INDEX(struct derived, column, limit, true)
#define INDEX_IN(column, member, limit)                                                            \
	STORED_INDEX_IN(struct derived, column, member, limit, false)
#define INDEX_IN_OR_NONE(column, member, limit)                                                    \
	STORED_INDEX_IN(struct derived, column, member, limit, true)

static const struct stored_field fields[] = {
	NUMBER(steps_from_profile),
	NUMBER(window_start),
	NUMBER(window_end),
	NUMBER(links.backward_calls),
	NUMBER(layers.source),
	NUMBER(step_source),
	NUMBER(step_basis),
	NUMBER(key_node),
	COUNT(names, STORED_NAMES),
	COUNT(step_count, STORED_STEPS),
	COUNT(links.count, STORED_LINKS),
	COUNT(layers.count, STORED_NODES),
};

static const struct stored_column columns[] = {
	COLUMN(role, STORED_NAMES),
	COLUMN(kernel_tensor, STORED_NAMES),
	COLUMN(span_flags, STORED_SPANS),
	COLUMN(span_owner, STORED_SPANS),
	COLUMN(span_self, STORED_SPANS),
	PREFIX(gpu_prefix, STORED_SPANS),
	PREFIX(gpu_count_prefix, STORED_SPANS),
	COLUMN(activity_operator, STORED_ACTIVITIES),
	OPTIONAL(activity_twin, STORED_ACTIVITIES),
	COLUMN(activity_tensor, STORED_ACTIVITIES),
	COLUMN(activity_step, STORED_ACTIVITIES),
	COLUMN(steps, STORED_STEPS),
	COLUMN(links.by_forward, STORED_LINKS),
	COLUMN(links.by_backward, STORED_LINKS),
	COLUMN(layers.nodes, STORED_NODES),
	COLUMN(layers.span_node, STORED_SPANS),
	COLUMN(layers.span_above, STORED_SPANS),
	COLUMN(layers.span_counts, STORED_SPANS),
	COLUMN(layers.activity_node, STORED_ACTIVITIES),
};

static const struct stored_index indexes[] = {
	INDEX(kernel_tensor, STORED_TENSOR_USES),
	INDEX(activity_tensor, STORED_TENSOR_USES),
	INDEX_OR_NONE(activity_operator, STORED_SPANS),
	INDEX_OR_NONE(activity_twin, STORED_ACTIVITIES),
	INDEX_OR_NONE(activity_step, STORED_STEPS),
	INDEX_IN(steps, name, STORED_STRINGS),
	INDEX_IN_OR_NONE(steps, span, STORED_SPANS),
	INDEX_IN(steps, partial, STORED_FLAGS),
	INDEX_IN(steps, slow_start, STORED_FLAGS),
	INDEX_IN(links.by_forward, forward, STORED_SPANS),
	INDEX_IN(links.by_forward, backward, STORED_SPANS),
	INDEX_IN(links.by_backward, forward, STORED_SPANS),
	INDEX_IN(links.by_backward, backward, STORED_SPANS),
	INDEX_IN_OR_NONE(layers.nodes, parent, STORED_NODES),
	INDEX_IN(layers.nodes, name, STORED_STRINGS),
	INDEX_IN(layers.nodes, kind, STORED_LAYER_KINDS),
	INDEX_IN(layers.nodes, pass, STORED_LAYER_PASSES),
	INDEX(layers.span_node, STORED_NODES),
	INDEX_OR_NONE(layers.span_above, STORED_SPANS),
	INDEX(layers.activity_node, STORED_NODES),
};

static const struct stored_table facts_table = { "facts", TABLE(fields), TABLE(columns),
						 TABLE(indexes) };

/* Owner chains must terminate: owners precede their rows. Folded spans have an owner. */
static bool check_owners(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	bool good = true;
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t owner = derived->span_owner[i], above = derived->layers.span_above[i];
		good &= owner == NO_ROW || owner < i;
		good &= above == NO_ROW || above < i;
		good &= owner != NO_ROW || !(derived->span_flags[i] & SPAN_FOLDED);
	}
	return good;
}

/*
 * Is the node I > 0 a child of the one before it, or of one of that one's ancestors? Those before I
 * are sound; all walks together are linear.
 */
static bool follows_in_preorder(const struct layer_node *nodes, uint32_t i)
{
	uint32_t at = i - 1;
	if (nodes[i].depth == 0)
		return false;
	if (nodes[i].depth == UINT16_MAX) /* this deep or deeper */
		return nodes[i].parent < i && nodes[at].depth >= UINT16_MAX - 1;
	while (nodes[at].depth >= nodes[i].depth)
		at = nodes[at].parent;
	return at == nodes[i].parent && nodes[i].depth == nodes[at].depth + 1;
}

/* Node 0 is the run and the only one without a parent; subtrees stay within the array. */
static bool check_nodes(const struct layer_tree *layers)
{
	for (uint32_t i = 0; i < layers->count; i++) {
		const struct layer_node *node = &layers->nodes[i];
		if (i ? !follows_in_preorder(layers->nodes, i)
		      : node->parent != NO_ROW || node->depth != 0)
			return false;
		if (!node->size || node->size > layers->count - i)
			return false;
	}
	return layers->count > 0 && layers->source < LAYERS_SOURCES;
}

static bool check_flag(const bool *flag)
{
	uint8_t byte;
	memcpy(&byte, flag, 1);
	return byte <= 1;
}

/* ---- the summary ---- */

#define SUMMARY_NUMBER(member) STORED_NUMBER(struct rank_summary, member)

enum {
	SUMMARY_STRINGS,
	SUMMARY_STEPS,
	SUMMARY_COLLECTIVES,
	SUMMARY_SLICES,
	SUMMARY_FLAGS,
	SUMMARY_ROWS
};

static const struct stored_field summary_fields[] = {
	SUMMARY_NUMBER(host),
	SUMMARY_NUMBER(pid),
	SUMMARY_NUMBER(world_size),
	SUMMARY_NUMBER(device),
	SUMMARY_NUMBER(device_name),
	SUMMARY_NUMBER(start),
	SUMMARY_NUMBER(end),
	SUMMARY_NUMBER(damaged),
	STORED_FIELD(struct rank_summary, step_count, SUMMARY_STEPS),
	STORED_FIELD(struct rank_summary, collective_count, SUMMARY_COLLECTIVES),
	STORED_FIELD(struct rank_summary, slice_count, SUMMARY_SLICES),
};

static const struct stored_column summary_columns[] = {
	STORED_COLUMN(struct rank_summary, steps, SUMMARY_STEPS),
	STORED_COLUMN(struct rank_summary, collectives, SUMMARY_COLLECTIVES),
	STORED_COLUMN(struct rank_summary, slices, SUMMARY_SLICES),
};

static const struct stored_index summary_indexes[] = {
	STORED_INDEX_IN(struct rank_summary, steps, partial, SUMMARY_FLAGS, false),
	STORED_INDEX_IN(struct rank_summary, collectives, name, SUMMARY_STRINGS, false),
	STORED_INDEX_IN(struct rank_summary, collectives, group, SUMMARY_STRINGS, false),
	STORED_INDEX_IN(struct rank_summary, collectives, dtype, SUMMARY_STRINGS, false),
};

static const struct stored_table summary_table = { "summary", TABLE(summary_fields),
						   TABLE(summary_columns), TABLE(summary_indexes) };

static void *stored_derived_copy(const void *data, size_t count, size_t size)
{
	void *memory = mem_zalloc(count, size);
	if (count)
		memcpy(memory, data, count * size);
	return memory;
}

static struct intern *copy_strings(const struct intern *from)
{
	struct intern *strings = intern_new();
	for (uint32_t i = 0; i < intern_count(from); i++)
		intern_add(strings, intern_text(from, i), intern_length(from, i));
	return strings;
}

/* The summary outlives the store, so it is copied. */
static struct rank_summary *take_summary(const struct store *store)
{
	struct rank_summary found = { 0 };
	uint64_t counts[SUMMARY_ROWS] = { [SUMMARY_FLAGS] = 2 };
	struct intern *strings = stored_load_strings(summary_table.name, store);
	if (!strings)
		return NULL;
	counts[SUMMARY_STRINGS] = intern_count(strings);
	struct rank_summary *summary = NULL;
	if (stored_load_fields(&summary_table, &found, counts, store) &&
	    stored_load_columns(&summary_table, &found, counts, store) &&
	    stored_check(&summary_table, &found, counts) && check_flag(&found.damaged) &&
	    rank_slices_fit(&found) && found.host < counts[SUMMARY_STRINGS] &&
	    found.device_name < counts[SUMMARY_STRINGS]) {
		summary = mem_zalloc(1, sizeof *summary);
		*summary = found;
		summary->strings = copy_strings(strings);
		summary->steps =
			stored_derived_copy(found.steps, found.step_count, sizeof *found.steps);
		summary->collectives = stored_derived_copy(
			found.collectives, found.collective_count, sizeof *found.collectives);
		summary->slices =
			stored_derived_copy(found.slices, found.slice_count, sizeof *found.slices);
	}
	intern_free(strings);
	return summary;
}

/* ---- both ---- */

void stored_derived_add(struct stored_pack *pack, const struct derived *derived,
			const struct rank_summary *summary)
{
	uint64_t counts[STORED_ROWS] = { 0 }, own[SUMMARY_ROWS] = { 0 };
	stored_profile_add(pack, derived->profile, counts);
	stored_counts(&facts_table, derived, counts);
	stored_add_object(pack, &facts_table, derived, counts);
	stored_counts(&summary_table, summary, own);
	stored_add_object(pack, &summary_table, summary, own);
	stored_add_strings(pack, summary_table.name, summary->strings);
}

static bool take_derived(struct derived *derived, uint64_t *counts, const struct store *store)
{
	counts[STORED_TENSOR_USES] = TENSOR_USES;
	counts[STORED_LAYER_KINDS] = LAYER_UNLINKED + 1;
	counts[STORED_LAYER_PASSES] = 4;
	return stored_load_columns(&facts_table, derived, counts, store) &&
	       check_flag(&derived->steps_from_profile) &&
	       derived->key_node < counts[STORED_STRINGS] &&
	       derived->step_basis < counts[STORED_STRINGS] &&
	       derived->step_source < STEP_SOURCES && stored_check(&facts_table, derived, counts) &&
	       check_nodes(&derived->layers) && check_owners(derived);
}

bool stored_derived_take(struct store *store, const char *path, struct profile **profile,
			 struct derived **derived, struct rank_summary **summary)
{
	uint64_t counts[STORED_ROWS] = { 0 };
	struct derived found = { 0 };
	if (!stored_load_fields(&facts_table, &found, counts, store))
		return false;
	*summary = take_summary(store);
	*profile = *summary ? stored_profile_load(store, path, counts) : NULL;
	found.stored = true;
	found.profile = *profile;
	if (*profile && take_derived(&found, counts, store)) {
		*derived = mem_alloc(sizeof **derived);
		**derived = found;
		return true;
	}
	if (*profile)
		stored_profile_drop(*profile);
	rank_summary_free(*summary);
	return false;
}
