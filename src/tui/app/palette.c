/*
 * Names to go to: what the dashboard shows, findings first, then kernels and operators.
 */
#include "base/any_of.h"
#include "session/load.h"
#include "tui/app/app.h"
#include "tui/dashboard/dashboard_pane.h"

/* Of the profile or the dashboard, and where they lead to. */
struct names {
	struct named {
		const char *name;
		struct pane_subject subject;
	} * at;
	size_t count;
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
				*mem_push(names->at, names->count) = named;
}

/* Each name once; one of both leads to kernels. */
static struct names list_names(const struct app *app)
{
	const struct level *here = app->tui.nav.here;
	struct names names = { .run = app->tui.run };
	names.rank = here ? run_peek(names.run, here->scope.rank) : NULL;
	const struct derived *derived = names.rank ? names.rank->derived : NULL;
	add_panels(&names, here);
	for (uint32_t id = 0; derived && id < derived->names; id++) {
		if (!derived->name_uses[id])
			continue;
		bool kernel = derived->name_uses[id] & NAME_OF_KERNEL;
		struct named named = { .name = profile_string(derived->profile, id) };
		named.subject.kind = PANE_TABLE;
		named.subject.view = view_find(kernel ? "kernels" : "operators");
		named.subject.target =
			(struct ref){ kernel ? REF_KERNEL : REF_OPERATOR, id, NO_ROW, NO_ROW };
		*mem_push(names.at, names.count) = named;
	}
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
	return named || error_usage(error, "'%s' names nothing here (Tab lists names)", argument);
}
