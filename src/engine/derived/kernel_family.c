#include "derived/kernel_family.h"

#include "base/check.h"
#include "base/mem.h"
#include "derived/name_rules.h"

#include <stdlib.h>

static const char *const family_names[KERNEL_FAMILIES + 1] = { KERNEL_FAMILY_ROWS(LISTED_NAME) };

static const char *const trait_words[] = { KERNEL_TRAIT_ROWS(LISTED_WORD) NULL };
static const char *const generation_words[] = { "70", "75", "80", "90", "100", NULL };

struct kernel_rules {
	struct name_rules *family, *traits, *generation;
};

struct kernel_rules *kernel_rules_new(void)
{
	struct kernel_rules *rules = mem_zalloc(1, sizeof *rules);
	rules->family = name_rules_new("family", family_names);
	rules->traits = name_rules_new("trait", trait_words);
	rules->generation = name_rules_new("generation", generation_words);
	return rules;
}

FREE_OBJECT(kernel_rules_free, struct kernel_rules,
	    OWN_BY(name_rules_free, family) OWN_BY(name_rules_free, traits)
		    OWN_BY(name_rules_free, generation))

struct kernel_name kernel_name_of(struct kernel_rules *rules, const char *name, size_t length)
{
	int family = name_rules_first(rules->family, name, length);
	int generation = name_rules_first(rules->generation, name, length);
	unsigned traits = name_rules_all(rules->traits, name, length);
	if (traits & KERNEL_NARROW)
		traits &= ~(unsigned)KERNEL_FP64;
	return (struct kernel_name){
		.family = (uint8_t)(family < 0 ? FAMILY_OTHER : family),
		.generation = (uint8_t)(generation < 0 ? 0 : atoi(generation_words[generation])),
		.traits = (uint16_t)traits,
	};
}

const char *kernel_family_name(enum kernel_family family)
{
	require(family < KERNEL_FAMILIES, "family %d", (int)family);
	return family_names[family];
}
