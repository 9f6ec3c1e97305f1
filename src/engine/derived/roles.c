#include "derived/roles.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "base/text_slice.h"
#include "derived/derived.h"
#include "derived/name_rules.h"
#include "model/python_stats.h"

/* By the bits of enum name_role; no word: not told by a rule of roles. */
static const char *const role_words[] = { NAME_ROLE_ROWS(LISTED_WORD) NULL };

static const char stage[] = "classifying names";

/* Set USED for string ids that name spans, activities or rows of tables; no other has a role. */
static bool names_in_use(const struct profile *profile, uint16_t *used,
			 const struct progress *progress)
{
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		used[profile->span_name[i]] = 1;
	for_rows (ok, i, profile->activities, progress, stage)
		used[profile->activity_name[i]] = 1;
	const struct python_stats *printed = profile->python;
	for (size_t i = 0; printed && i < printed->operator_count; i++)
		used[printed->operators[i].name] = 1;
	return ok;
}

bool roles_may_be_step(const char *name, size_t length)
{
	return text_begins(name, length, "Optimizer.step") || /* see step_source.h */
	       text_begins(name, length, "ProfilerStep#") ||
	       text_begins(name, length, "ProfileStep#") ||
	       text_begins(name, length, "DLProf iteration#");
}

struct roles_naming {
	const struct intern *strings;
	uint16_t *role;
};

static void find_roles(void *context, size_t from, size_t to)
{
	const struct roles_naming *naming = context;
	struct name_rules *rules = name_rules_new("role", role_words);
	for (size_t id = from; id < to; id++)
		if (naming->role[id])
			naming->role[id] = (uint16_t)name_rules_all(
				rules, INTERNED(naming->strings, (uint32_t)id));
	name_rules_free(rules);
}

/* Steps are exactly the USED names that match STEP. */
static void choose_steps(const struct pattern *step, const struct intern *strings,
			 const uint16_t *used, uint16_t *role)
{
	for (uint32_t id = 0; id < intern_count(strings); id++) {
		if (!used[id])
			continue;
		role[id] &= (uint16_t)~NAME_STEP;
		if (pattern_match(step, INTERNED(strings, id), NULL, NULL))
			role[id] |= NAME_STEP;
	}
}

uint16_t *roles_of_names(const struct profile *profile, const struct derived_options *options,
			 const struct progress *progress, struct error *error)
{
	struct pattern *step = NULL;
	if (options && options->step_name) {
		step = pattern_new(options->step_name, error);
		if (!step)
			return NULL;
	}
	uint16_t *role = mem_zalloc(intern_count(profile->strings), sizeof *role);
	struct roles_naming naming = { profile->strings, role };
	bool done = names_in_use(profile, role, progress) &&
		    parallel_ranges(intern_count(profile->strings), find_roles, &naming, stage,
				    progress);
	if (step && done) {
		AUTO_FREE uint16_t *used = mem_zalloc(intern_count(profile->strings), sizeof *used);
		done = names_in_use(profile, used, progress);
		choose_steps(step, profile->strings, used, role);
	}
	done = done ? !step || pattern_completed(step, error) : error_cancelled(error);
	pattern_free(step);
	return mem_if(done, role);
}
