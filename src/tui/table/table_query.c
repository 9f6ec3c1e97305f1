/*
 * Sets the query of a table, as data on creation and as text later.
 */

#include "base/number.h"
#include "tui/table/table_chart.h"

/* Set GROUP, one of the view's, or a copy of ARGUED, which begins with it; NULL: without. */
static void query_group(struct query *query, const char *group, const char *argued)
{
	query->argued = argued ? mem_strdup(argued) : NULL;
	query->group = argued ? query->argued : group;
}

void query_copy(struct query *to, const struct query *from)
{
	*to = *from;
	to->sort = from->sort ? mem_strdup(from->sort) : NULL;
	to->filter = from->filter ? mem_strdup(from->filter) : NULL;
	query_group(to, from->group, from->argued);
}

CLEAR_MEMBERS(query_clear, struct query, OWN(sort) OWN(filter) OWN(argued))

bool query_text_equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void query_sort_by_default(struct query *query, const char *text)
{
	size_t length = strcspn(text, ":,");
	if (length == 0)
		return;
	mem_replace(query->sort, mem_strndup(text, length));
	query->unchosen = true;
	query->descending = !strncmp(text + length, ":desc", 5);
}

/* Set the view's grouping of this name, or of what it begins with until "="; false: none. */
static bool query_group_named(struct query *query, const struct view *view, const char *name)
{
	for (int i = 0; view && name && i < VIEW_GROUPS_MAX && view->groups[i]; i++) {
		const char *group = view->groups[i];
		bool argued = strchr(group, '=') && !strncmp(group, name, strlen(group));
		if (!argued && strcmp(group, name))
			continue;
		char *before = query->argued;
		query_group(query, group, argued ? name : NULL);
		mem_free(before);
		return true;
	}
	return false;
}

void query_begin(struct table_pane *self, const struct pane_subject *subject)
{
	query_copy(&self->wanted, &subject->query);
	bool grouped = query_group_named(&self->wanted, subject->view, subject->query.group);
	if (!grouped)
		self->wanted.group = NULL;
	if (subject->columns)
		self->columns_wanted = mem_strdup(subject->columns);
	if (!self->view || subject->exact)
		return;
	if (!grouped)
		self->wanted.group = view_first_group(self->view);
	if (!self->wanted.sort)
		query_sort_by_default(&self->wanted, view_default_sort(self->view));
}

void table_subject(const struct pane *pane, struct pane_subject *subject)
{
	const struct table_pane *self = table_pane_of(pane);
	subject->view = self->view;
	subject->sql = self->sql;
	subject->query = self->wanted;
	subject->columns = self->columns_wanted;
	subject->exact = true;
}

/* "ID[:asc|:desc]"; empty: default order. */
static bool set_sort(struct table_pane *self, struct tui *tui, const char *text,
		     struct error *error)
{
	size_t length = strcspn(text, ":");
	int index = table_column_named(self->box->table, text, length);
	AUTO_FREE char *id = index >= 0   ? mem_strdup(self->box->table->column[index]->id)
			     : length > 0 ? mem_strndup(text, length)
					  : NULL;
	bool known = !id || index >= 0 || columns_unknown(self, id, error);
	if (known)
		columns_sort_by(self, tui, id);
	if (known && id && text[length]) {
		self->wanted.descending = !strcmp(text + length, ":desc");
		table_request(self, tui, 0);
	}
	return known;
}

static bool set_group(struct table_pane *self, struct tui *tui, const char *name,
		      struct error *error)
{
	if (!query_group_named(&self->wanted, self->view, name))
		return error_usage(error, "this view has no grouping '%s'", name);
	table_request(self, tui, 0);
	return true;
}

static bool set_filter(struct table_pane *self, struct tui *tui, const char *text)
{
	if (query_text_equal(self->wanted.filter, *text ? text : NULL))
		return true;
	mem_replace(self->wanted.filter, *text ? mem_strdup(text) : NULL);
	table_request(self, tui, 0);
	return true;
}

/* "N"; empty: the default number, where there is room. */
static bool set_shares(struct table_pane *self, struct tui *tui, const char *text,
		       struct error *error)
{
	int64_t slices = 0;
	if (*text &&
	    (!number_parse_int(text, strlen(text), &slices) || slices < 0 || slices > SHARES_MAX))
		return error_usage(error, "'%s' is not a number from 0 to %d", text, SHARES_MAX);
	self->slices = *text && slices == 0 ? -1 : (int)slices;
	tui->dirty = true;
	return true;
}

bool table_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		   struct error *error)
{
	struct table_pane *self = table_pane_of(pane);
	if (!self->box && part != QUERY_FILTER)
		return pane_refuse(part, error);
	switch (part) {
	case QUERY_COLUMNS: return columns_choose(self, text, error);
	case QUERY_FILTER: return set_filter(self, tui, text);
	case QUERY_GROUP: return set_group(self, tui, text, error);
	case QUERY_SHARES: return set_shares(self, tui, text, error);
	case QUERY_SORT: return set_sort(self, tui, text, error);
	default: return pane_refuse(part, error);
	}
}
