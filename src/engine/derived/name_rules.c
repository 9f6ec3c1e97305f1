#include "derived/name_rules.h"

#include "base/check.h"
#include "base/data_table.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/pattern_literals.h"

#include <pthread.h>

/* A row of the table. */
struct name_rule_row {
	const char *set, *word, *pattern, *unless;
	bool head;
};

/* Most profiles need a few. */
struct name_rule {
	const struct name_rule_row *row;
	int place;
	struct pattern *pattern, *unless; /* NULL: not used yet */
	struct pattern_literals literals; /* of the pattern */
};

struct name_rules {
	struct name_rules *next; /* of those not in use */
	const char *set;
	GROWING(struct name_rule, rule, count);
};

/* Runs of thousands of ranks would compile the same again for each. */
static struct name_rules *unused_rules;
static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;

static struct name_rules *take_unused(const char *set)
{
	pthread_mutex_lock(&unused_lock);
	struct name_rules **at = &unused_rules, *found;
	while (*at && strcmp((*at)->set, set) != 0)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&unused_lock);
	return found;
}

static int place_of(const struct name_rule_row *row, const char *const *words)
{
	int place = 0;
	while (words[place] && strcmp(words[place], row->word) != 0)
		place++;
	require(words[place], "name_rules.txt: %s | %s", row->set, row->word);
	return place;
}

struct name_rules *name_rules_new(const char *set, const char *const *words)
{
	struct name_rules *rules = take_unused(set);
	if (rules)
		return rules;
	rules = mem_zalloc(1, sizeof *rules);
	rules->set = set;
	for (const struct name_rule_row *row =
		     DATA_ROWS("name_rules.txt", struct name_rule_row, NAME_RULE_FIELD_ROWS);
	     row->set; row++) {
		if (strcmp(row->set, set) != 0)
			continue;
		struct name_rule *rule = mem_push(rules->rule, rules->count);
		rule->row = row;
		rule->place = place_of(row, words);
		pattern_literals_find(&rule->literals, row->pattern);
	}
	return rules;
}

void name_rules_free(struct name_rules *rules)
{
	if (!rules)
		return;
	for_each (rule, rules->rule, rules->count) {
		pattern_rest(rule->pattern);
		pattern_rest(rule->unless);
	}
	pthread_mutex_lock(&unused_lock);
	rules->next = unused_rules;
	unused_rules = rules;
	pthread_mutex_unlock(&unused_lock);
}

/* ---- names ---- */

static size_t skip(const char *name, size_t at, size_t length, const char *prefix)
{
	size_t size = strlen(prefix);
	return length - at >= size && memcmp(name + at, prefix, size) == 0 ? at + size : at;
}

/*
 * The bytes FROM to the result are the qualified name of a demangled function: without the return
 * type of an enable_if, template arguments and parameters. A mangled name has no such end.
 */
static size_t head_of(const char *name, size_t length, size_t *from)
{
	static const char result[] = "::type ";
	const char *type = length > 3 && !memcmp(name, "std", 3)
				   ? memmem(name, length, result, sizeof result - 1)
				   : NULL;
	size_t at = *from = type ? (size_t)(type - name) + sizeof result - 1 : 0;
	while (at < length) {
		size_t next = skip(name, at, length, "(anonymous namespace)");
		next = skip(name, next, length, "<unnamed>");
		if (next == at && strchr("<(", name[at]) && name[at])
			break;
		at = next == at ? at + 1 : next;
	}
	return at;
}

/* A text that rules are tried on. */
struct name_rule_text {
	const char *text;
	size_t length;
	struct letter_pairs pairs;
};

static void take_part_of(struct name_rule_text *part, const char *text, size_t length)
{
	part->text = text;
	part->length = length;
	letter_pairs_of(&part->pairs, text, length);
}

static bool finds(struct pattern **pattern, const char *text, const struct name_rule_text *part)
{
	if (!*pattern)
		*pattern = pattern_new_rule(text);
	return pattern_match(*pattern, part->text, part->length, NULL, NULL);
}

static bool rule_matches(struct name_rule *rule, const struct name_rule_text *part)
{
	return pattern_literals_fit(&rule->literals, &part->pairs) &&
	       finds(&rule->pattern, rule->row->pattern, part) &&
	       !(rule->row->unless && finds(&rule->unless, rule->row->unless, part));
}

/* Bits of those that match; if not ALL, of the first. */
static unsigned match(struct name_rules *rules, const char *name, size_t length, bool all)
{
	struct name_rule_text whole, head = { .text = NULL };
	unsigned told = 0;
	take_part_of(&whole, name, length);
	for (size_t i = 0; i < rules->count && (all || !told); i++) {
		struct name_rule *rule = &rules->rule[i];
		if (rule->row->head && !head.text) {
			size_t from, end = head_of(name, length, &from);
			take_part_of(&head, name + from, end - from);
		}
		if (rule_matches(rule, rule->row->head ? &head : &whole))
			told |= 1U << rule->place;
	}
	return told;
}

int name_rules_first(struct name_rules *rules, const char *name, size_t length)
{
	unsigned told = match(rules, name, length, false);
	return told ? __builtin_ctz(told) : -1;
}

unsigned name_rules_all(struct name_rules *rules, const char *name, size_t length)
{
	return match(rules, name, length, true);
}
