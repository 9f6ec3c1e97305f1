#include "table/view.h"

#include "base/check.h"
#include "base/text.h"
#include "model/tool.h"

#include <stdio.h>

/* The view that is *INDEX places on in a list, or NULL and *INDEX less the length of the list. */
static const struct view *in_list(const struct view *const *view, size_t *index)
{
	for (; view && *view; view++)
		if ((*index)-- == 0)
			return *view;
	return NULL;
}

static const struct view *tool_view(size_t *index)
{
	const struct view *found = NULL;
	for (const struct tool *const *tool = tools; *tool && !found; tool++)
		found = in_list((*tool)->views, index);
	return found;
}

const struct view *view_at(size_t index)
{
	return tool_view(&index);
}

const char *view_area_at(size_t index)
{
	static const char *const areas[] = { "time", "memory", "ranks", "compilation", "evidence" };
	return index < sizeof areas / sizeof *areas ? areas[index] : NULL;
}

bool view_is_of(const struct view *view, const char *area)
{
	return !strcmp(view->area ?: "evidence", area);
}

const struct view *view_or_report_at(size_t index)
{
	const struct view *found = tool_view(&index);
	for (const struct tool *const *tool = tools; *tool && !found; tool++)
		found = in_list((*tool)->reports, &index);
	return found;
}

uint32_t view_number(const struct view *view)
{
	uint32_t number = 0;
	for (const struct view *at; (at = view_or_report_at(number)) != view; number++)
		require(at, "view %s: not in the registry", view->name);
	return number;
}

bool view_same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

enum { ALIAS_MAX = 32 };

/* The name of a view (AT NULL), then its aliases; *AT advances. False past the last. */
static bool next_name(const struct view *view, const char **at, char name[ALIAS_MAX])
{
	const char *from = *at ?: view->name;
	size_t length = strcspn(from, " ");
	snprintf(name, ALIAS_MAX, "%.*s", (int)length, from);
	if (!*at)
		*at = view->aliases ?: "";
	else
		*at += length + (from[length] == ' ');
	return length > 0;
}

bool view_has_name(const struct view *view, const char *name)
{
	char own[ALIAS_MAX];
	for (const char *at = NULL; next_name(view, &at, own);)
		if (view_same_name(own, name))
			return true;
	return false;
}

const struct view *view_find(const char *name)
{
	const struct view *view;
	for (size_t i = 0; (view = view_or_report_at(i)); i++)
		if (view_has_name(view, name))
			return view;
	return NULL;
}

/* Slips that make NAME of a name of VIEW; a part of it is as close as one slip. */
static size_t slips_of(const char *name, const struct view *view)
{
	enum { PART_MIN = 4 };
	size_t least = SIZE_MAX;
	char own[ALIAS_MAX];
	for (const char *at = NULL; next_name(view, &at, own);) {
		size_t slips = text_distance(name, own);
		if (slips > 1 && strlen(name) >= PART_MIN && strstr(own, name))
			slips = 1;
		least = slips < least ? slips : least;
	}
	return least;
}

const char *view_nearest(const char *name)
{
	struct text_near near = { .name = name };
	const struct view *view;
	for (size_t i = 0; (view = view_or_report_at(i)); i++)
		text_near_try(&near, view->name, slips_of(name, view));
	return near.best;
}

/* LISTED is the group as listed by the view; a trailing "=" allows a value. */
static bool is_group(const char *listed, const char *group)
{
	size_t length = strlen(listed);
	if (!length || listed[length - 1] != '=')
		return strcmp(listed, group) == 0;
	return strncmp(listed, group, length) == 0 ||
	       (strlen(group) == length - 1 && strncmp(listed, group, length - 1) == 0);
}

const char *view_default_sort(const struct view *view)
{
	return view->default_sort ? view->default_sort : "";
}

const char *view_first_group(const struct view *view)
{
	return view->folded ? view->folded : view->groups[0];
}

int view_grouping(const struct view *view, const char *group)
{
	for (int i = 0; group && i < VIEW_GROUPS_MAX && view->groups[i]; i++)
		if (is_group(view->groups[i], group))
			return i;
	return 0;
}

bool view_has_group(const struct view *view, const char *group)
{
	return !group ||
	       (view->groups[0] && is_group(view->groups[view_grouping(view, group)], group));
}
