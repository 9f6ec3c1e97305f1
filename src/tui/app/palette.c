/*
 * Names to go to: what the dashboard shows, findings first, then kernels and operators.
 */
#include "base/any_of.h"
#include "base/text.h"
#include "session/load.h"
#include "tui/app/app.h"
#include "tui/dashboard/dashboard_pane.h"

/* Of the profile or the dashboard, and where they lead to. */
struct names {
	struct named {
		const char *name;
		struct pane_subject subject;
	} * at;
	size_t count, cap;
	struct run *run;
	struct rank *rank; /* held, with its names */
};

static void names_free(struct names *names)
{
	run_release(names->run, names->rank);
	mem_free(names->at);
}

static void add_panels(struct names *names, const struct level *level)
{
	struct named named;
	for (; level; level = level->above)
		for (size_t i = 0; i < level->count; i++)
			for (size_t k = 0;
			     (named.name = dashboard_name(level->panes[i], &k, &named.subject));)
				*mem_push(names->at, names->count, names->cap) = named;
}

/* The names of events at IDS, each once; rows of VIEW are of KIND. */
static void add_ids(struct names *names, const struct intern *strings, const uint32_t *ids,
		    size_t count, const char *view, enum ref_kind kind)
{
	uint32_t known = intern_count(strings);
	AUTO_FREE bool *seen = mem_zalloc(known + 1, sizeof *seen);
	for (size_t i = 0; i < count; i++) {
		if (ids[i] >= known || seen[ids[i]])
			continue;
		seen[ids[i]] = true;
		*mem_push(names->at, names->count, names->cap) =
			(struct named){ intern_text(strings, ids[i]),
					{ .kind = PANE_TABLE,
					  .view = view_find(view),
					  .target = { kind, ids[i], NO_ROW, NO_ROW } } };
	}
}

static struct names list_names(const struct app *app)
{
	const struct level *here = app->tui.nav.here;
	struct names names = { .run = app->tui.run };
	names.rank = here ? run_peek(names.run, here->scope.rank) : NULL;
	const struct profile *profile = names.rank ? names.rank->profile : NULL;
	add_panels(&names, here);
	if (!profile)
		return names;
	add_ids(&names, profile->strings, profile->activity_name, profile->activities, "kernels",
		REF_KERNEL);
	add_ids(&names, profile->strings, profile->span_name, profile->spans, "operators",
		REF_OPERATOR);
	return names;
}

void palette_offer(struct app *app, const char *part, const char *command,
		   struct completion *completion)
{
	enum { OFFERED_MAX = 60 };
	AUTO(names_free) struct names names = list_names(app);
	for (size_t i = 0; i < names.count && completion->count < OFFERED_MAX; i++) {
		AUTO_FREE char *line = mem_printf("%s%s", command, names.at[i].name);
		if (strcasestr(names.at[i].name, part) &&
		    !any_of(k, completion->count, !strcmp(completion->words[k], line)))
			completion_add(completion, line, strlen(line));
	}
}

bool go_run(struct app *app, const char *argument, struct error *error)
{
	AUTO(names_free) struct names names = list_names(app);
	const struct named *named =
		first_of(at, names.at, names.count, !strcmp(at->name, argument));
	if (!named && *argument)
		named = first_of(at, names.at, names.count, strcasestr(at->name, argument));
	if (named)
		nav_push_new(&app->tui, &named->subject, NULL);
	return named ||
	       error_set(error, ERROR_USAGE, "'%s' names nothing here (Tab lists names)", argument);
}
