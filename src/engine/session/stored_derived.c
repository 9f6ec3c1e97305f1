#include "session/stored_derived.h"

#include "derived/derived.h"
#include "analysis/packed_ranks.h"
#include "analysis/rank_summary.h"

/* A new struct member needs a line in its table, and this size updated. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct derived) == 240, "the tables lack a member");

#define TABLE(array) array, sizeof(array) / sizeof *(array)

/* ---- facts ---- */

#define STORED_OWNER struct derived

static const struct stored_field fields[] = { DERIVED_FIELD_ROWS };

static const struct stored_column columns[] = { DERIVED_COLUMN_ROWS };

static const struct stored_index indexes[] = { DERIVED_INDEX_ROWS };

static const struct stored_table facts_table = { "facts", TABLE(fields), TABLE(columns),
						 TABLE(indexes) };

/*
 * Owner chains must terminate: owners precede their rows. Folded spans have an owner. Counts of
 * work are at most all of it.
 */
static bool check_owners(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	bool good = derived->gpu_count_prefix[profile->spans] <= profile->activities;
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t owner = derived->span_owner[i];
		good &= owner == NO_ROW || owner < i;
		good &= derived->gpu_count_prefix[i] <= profile->activities;
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

/* ---- the summary ---- */

static const char summary_section[] = "summary";

/* It outlives the store, so it is packed as in a file of summaries: texts, and the rank. */
static void add_summary(struct stored_pack *pack, const struct rank_summary *summary)
{
	AUTO_BUFFER struct buffer bytes = { 0 }, rank = { 0 };
	AUTO_INTERN struct intern *texts = intern_new();
	rank_summary_pack(summary, texts, &rank);
	packed_add_texts(&bytes, texts);
	buffer_add(&bytes, rank.data, rank.length);
	stored_add(pack, NULL, summary_section,
		   arena_strndup(pack->arena, bytes.data, bytes.length), bytes.length);
}

static struct rank_summary *take_summary(const struct store *store)
{
	size_t size;
	const char *bytes = store_find(store, summary_section, &size);
	if (!bytes)
		return NULL;
	struct packed packed = { bytes, bytes + size, false };
	AUTO(packed_texts_free) struct packed_texts texts = packed_take_texts(&packed);
	return rank_summary_unpack(&packed, &texts);
}

/* ---- both ---- */

void stored_derived_add(struct stored_pack *pack, const struct derived *derived,
			const struct rank_summary *summary)
{
	uint64_t counts[STORED_ROWS] = { 0 };
	stored_profile_add(pack, derived->profile, counts);
	stored_counts(&facts_table, derived, counts);
	stored_add_object(pack, &facts_table, derived, counts);
	add_summary(pack, summary);
}

static bool take_derived(struct derived *derived, uint64_t *counts, const struct store *store)
{
	counts[STORED_TENSOR_USES] = TENSOR_USES;
	counts[STORED_LAYER_KINDS] = LAYER_KINDS;
	counts[STORED_LAYER_PASSES] = 4;
	counts[STORED_PHASES] = PHASES;
	return stored_load_columns(&facts_table, derived, counts, store) &&
	       stored_flag_holds(&derived->steps_from_profile) &&
	       derived->key_node < counts[STORED_STRINGS] &&
	       derived->step_basis < counts[STORED_STRINGS] &&
	       derived->step_source < STEP_SOURCES &&
	       stored_check(&facts_table, derived, counts, store) &&
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
