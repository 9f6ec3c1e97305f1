/*
 * Kernels that communicate: by the name of their library, or by a word and a second witness.
 */
#include "derived/derived.h"
#include "derived/name_rules.h"
#include "derived/roles.h"
#include "model/python_stats.h"

static const char stage[] = "finding communication";

/*
 * A word of a collective needs a second that tells how it is done, or a witness; so do dispatch and
 * combine, and both must occur: experts exchange in both ways, other libraries dispatch, too.
 */
enum { COMMUNICATION_WORD_ROWS(LISTED_BIT) };
enum { COMMUNICATION_WORD_ROWS(LISTED_FLAG) };
enum { KNOWN = 128, CANDIDATE = LIBRARY | COLLECTIVE | DISPATCH | COMBINE };

static const char *const communication_words[] = { COMMUNICATION_WORD_ROWS(LISTED_WORD) NULL };

enum { CALLS_MAX = 32 }; /* limit: spans to search around a launch */

struct communication_search {
	struct derived *derived;
	struct name_rules *rules;
	uint8_t *words;   /* by string id; 0: not looked up */
	int32_t *balance; /* by string id: launches with a witness, less those without */
	uint8_t *mixed;   /* by track: runs other kernels */
	uint8_t all;      /* words of all kernels */
	bool other;       /* some kernels are no candidates */
};

static uint8_t words_of(struct communication_search *search, uint32_t name)
{
	const struct intern *strings = search->derived->profile->strings;
	uint8_t *words = &search->words[name];
	if (!(*words & KNOWN))
		*words = (uint8_t)name_rules_all(search->rules, INTERNED(strings, name));
	if (*words & LOCAL)
		*words &= (uint8_t)~COLLECTIVE;
	return *words |= KNOWN;
}

/* Look the names of kernels up. */
static bool communication_names_list(struct communication_search *search,
				     const struct progress *progress)
{
	const struct profile *profile = search->derived->profile;
	const struct python_stats *printed = profile->python;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		if (profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		uint8_t words = words_of(search, profile->activity_name[i]);
		bool other = !(words & CANDIDATE);
		search->all |= words;
		search->other |= other;
		search->mixed[profile->activity_track[i]] |= other;
	}
	for (size_t i = 0; printed && i < printed->operator_count; i++)
		if (printed->operators[i].kind == ROW_KERNEL)
			words_of(search, printed->operators[i].name);
	return ok;
}

/* Is a range or an operator of communication around its launch? */
static bool is_launched_in(struct communication_search *search, uint32_t activity)
{
	const struct profile *profile = search->derived->profile;
	uint32_t at = profile->activity_launch[activity];
	for (int i = 0; at != NO_ROW && i < CALLS_MAX; i++, at = profile->span_parent[at]) {
		uint8_t kind = profile->span_kind[at];
		uint32_t name = profile->span_name[at];
		if ((kind == SPAN_ANNOTATION || kind == SPAN_OPERATOR) &&
		    (search->derived->role[name] & NAME_COMMUNICATION ||
		     words_of(search, name) & AROUND))
			return true;
	}
	return false;
}

static bool hear_witnesses(struct communication_search *search, const struct progress *progress)
{
	const struct profile *profile = search->derived->profile;
	bool exchange = search->all & DISPATCH && search->all & COMBINE;
	uint8_t asked = exchange ? COLLECTIVE | DISPATCH | COMBINE : COLLECTIVE;
	bool ok = true;
	for_rows (ok, i, search->all & asked ? profile->activities : 0, progress, stage) {
		uint32_t name = profile->activity_name[i];
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || !(search->words[name] & asked))
			continue;
		bool apart = search->other && !search->mixed[profile->activity_track[i]];
		search->balance[name] += apart || is_launched_in(search, i) ? 1 : -1;
	}
	return ok;
}

bool roles_find_communication(struct derived *derived, const struct progress *progress)
{
	size_t names = (size_t)derived->names + 1;
	struct communication_search search = {
		.derived = derived,
		.rules = name_rules_new("communication", communication_words),
		.words = mem_zalloc(names, 1),
		.balance = mem_zalloc(names, sizeof *search.balance),
		.mixed = mem_zalloc(derived->profile->track_count + 1, 1),
	};
	bool ok = communication_names_list(&search, progress) && hear_witnesses(&search, progress);
	for (uint32_t name = 0; name < derived->names && ok; name++) {
		uint8_t words = search.words[name];
		if (words & LIBRARY || (words & COLLECTIVE && words & SECOND) ||
		    search.balance[name] > 0)
			derived->role[name] |= NAME_COMMUNICATION_KERNEL;
	}
	name_rules_free(search.rules);
	mem_free_all(search.words, search.balance, search.mixed);
	return ok;
}
