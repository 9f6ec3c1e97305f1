#include "derived/kernel_family.h"

#include "derived/derived.h"
#include "derived/derived_cache.h"
#include "model/python_stats.h"

struct kernel_naming {
	const struct derived *derived;
	struct kernel_rules *rules;
	struct kernel_name *names;
	uint8_t *seen;
};

static void read_kernel_name(struct kernel_naming *naming, uint32_t name)
{
	const struct intern *strings = naming->derived->profile->strings;
	if (naming->seen[name])
		return;
	naming->seen[name] = 1;
	naming->names[name] = kernel_name_of(naming->rules, INTERNED(strings, name));
	if (naming->derived->role[name] & NAME_COMMUNICATION_KERNEL)
		naming->names[name].family = FAMILY_COMMUNICATION;
}

static bool read_all_names(struct kernel_naming *naming, const struct progress *progress)
{
	static const char stage[] = "reading names";
	const struct profile *profile = naming->derived->profile;
	const struct python_stats *printed = profile->python;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			read_kernel_name(naming, profile->activity_name[i]);
	for_rows (ok, i, printed ? printed->operator_count : 0, progress, stage)
		if (printed->operators[i].kind == ROW_KERNEL)
			read_kernel_name(naming, printed->operators[i].name);
	return ok;
}

/* NULL when cancelled. */
static void *read_kernel_names(const void *from, const struct progress *progress)
{
	const struct derived *derived = from;
	struct kernel_naming naming = {
		.derived = derived,
		.rules = kernel_rules_new(),
		.names = mem_zalloc((size_t)derived->names + 1, sizeof *naming.names),
		.seen = mem_zalloc((size_t)derived->names + 1, 1),
	};
	bool ok = read_all_names(&naming, progress);
	kernel_rules_free(naming.rules);
	mem_free(naming.seen);
	return mem_if(ok, naming.names);
}

const struct kernel_name *derived_kernel_names(const struct derived *derived,
					       const struct progress *progress)
{
	static const struct derived_slot slot = { read_kernel_names, mem_free };
	return derived_cache_get(derived, &slot, derived, progress);
}
