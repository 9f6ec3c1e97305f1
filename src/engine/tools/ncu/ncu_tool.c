/*
 * Nsight Compute, with what NVIDIA's rules say of kernels, of a report or of a timeline joined to
 * one: for the view of all advice: a row for each rule, of the
 * longest kernel that it fired on. Speed of Light is the verdict and comes first; then what saves
 * most time by the rule's own estimate, first of the whole kernel, then of a part of it ("local").
 */
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/text_slice.h"
#include "input/readers.h"
#include "tools/tools.h"
#include "views/views.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

/* A rule that is not listed keeps its name for a title. */
static const struct {
	const char *rule, *title;
} meanings[] = { RULE_TITLES_ROWS };

enum { NAME_COLUMNS = 60 };

struct fired {
	uint32_t key, text;
	uint32_t longest; /* activity whose first TEXT of the rule it is */
	uint32_t last;    /* activity; a rule may say several things of it */
	uint32_t kernels;
	enum fired_class { FIRED_VERDICT, FIRED_GLOBAL, FIRED_LOCAL, FIRED_PLAIN } class;
	double saved_ns; /* by its estimate */
};

struct rules {
	const struct profile *profile;
	GROWING(struct fired, items, count);
	struct hash *by_key;
};

/* Rules that lack metrics or fail, with a place in their code, say nothing; nor those of no value.
 */
static bool says_nothing(const char *text)
{
	if (text_has_one(text, strlen(text),
			 "could not be found|returned an error|no samples could be collected|.py:"))
		return true;
	for (const char *at = strcasestr(text, "nan"); at; at = strcasestr(at + 1, "nan"))
		if ((at == text || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[3]))
			return true;
	return false;
}

/* "(estimated local speedup 22.9 %)", "Est. Local Speedup: 22.9%": see ncu_rule, ncu's output. */
static void rank_rule(const struct profile *profile, struct fired *fired)
{
	const char *rule = profile_string(profile, fired->key) + strlen(METRIC_RULE);
	const char *text = profile_string(profile, fired->text);
	const char *local = strcasestr(text, "local speedup");
	const char *estimate = local ? local : strcasestr(text, "speedup");
	fired->class = FIRED_PLAIN;
	if (estimate) {
		estimate += strcspn(estimate, "0123456789");
		fired->saved_ns =
			strtod(estimate, NULL) * (double)profile->activity_dur[fired->longest];
		fired->class = local ? FIRED_LOCAL : FIRED_GLOBAL;
	}
	if (strstr(rule, "SOLBottleneck") || strcasestr(rule, "Speed Of Light") ||
	    strcmp(rule, "Launch failed") == 0)
		fired->class = FIRED_VERDICT;
}

COMPARE_MEMBERS(compare_fired, struct fired, UP(class) DOWN(saved_ns) UP(key))

static void ncu_advice_add(struct rules *rules, uint32_t activity,
			   const struct attribute *attribute)
{
	const int64_t *dur = rules->profile->activity_dur;
	uint32_t at = hash_last(rules->by_key, attribute->key);
	if (at == NO_ROW) {
		hash_add(rules->by_key, attribute->key, (uint32_t)rules->count);
		*mem_push(rules->items, rules->count) = (struct fired){ .key = attribute->key,
									.text = attribute->text,
									.longest = activity,
									.last = activity,
									.kernels = 1 };
		return;
	}
	struct fired *fired = &rules->items[at];
	fired->kernels += fired->last != activity;
	fired->last = activity;
	if (dur[activity] > dur[fired->longest]) {
		fired->longest = activity;
		fired->text = attribute->text;
	}
}

static void find_rules(struct rules *rules)
{
	const struct profile *profile = rules->profile;
	for_each (attribute, profile->activity_attributes, profile->activity_attribute_count)
		if (strncmp(profile_string(profile, attribute->key), METRIC_RULE,
			    strlen(METRIC_RULE)) == 0 &&
		    !says_nothing(profile_string(profile, attribute->text)))
			ncu_advice_add(rules, attribute->row, attribute);
}

static const char *ncu_advice_title_of(const char *rule)
{
	return looked_up(at, meanings, strcmp(at->rule, rule) == 0, at->title, rule);
}

static void tell(const struct rules *rules, const struct fired *fired, stored_advice_visitor *visit,
		 void *context)
{
	const struct profile *profile = rules->profile;
	const char *rule = profile_string(profile, fired->key) + strlen(METRIC_RULE);
	uint32_t name = profile->activity_name[fired->longest];
	AUTO_BUFFER struct buffer problem = { 0 }, id = { 0 };
	buffer_printf(&id, "ncu:%s", rule);
	text_elide(&problem, INTERNED(profile->strings, name), NAME_COLUMNS, true);
	if (fired->kernels > 1)
		buffer_printf(&problem, ", the longest of %" PRIu32 " kernels", fired->kernels);
	buffer_printf(&problem, ": %s.", profile_string(profile, fired->text));
	visit(context, &(struct stored_advice){ buffer_text(&id), ncu_advice_title_of(rule),
						buffer_text(&problem), NULL, &view_launches });
}

static void ncu_visit_advice(const struct profile *profile, stored_advice_visitor *visit,
			     void *context)
{
	struct rules rules = { .profile = profile, .by_key = hash_new(16) };
	find_rules(&rules);
	for (size_t i = 0; i < rules.count; i++)
		rank_rule(profile, &rules.items[i]);
	if (rules.count)
		qsort(rules.items, rules.count, sizeof *rules.items, compare_fired);
	for (size_t i = 0; i < rules.count; i++)
		tell(&rules, &rules.items[i], visit, context);
	hash_free(rules.by_key);
	mem_free(rules.items);
}

const struct tool tool_ncu = {
	.name = "Nsight Compute",
	.readers = READERS(&ncu_report_reader, &ncu_printed_reader),
	.recording = { .what = RECORDING_OF_KERNELS, .totals_only = true },
	.advice = ncu_visit_advice,
};
