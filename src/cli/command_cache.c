#include "cli/commands.h"

#include "views/views.h"

static const struct column columns[] = {
	{ "file", "File", UNIT_TEXT, 40,
	  "Path of the profile when it was indexed; (unfinished) is a file that is being written, or that a killed writer left." },
	{ "bytes", "Size", UNIT_BYTES, 10, "Size of the index." },
	{ "used", "Last Used", UNIT_TEXT, 20, "Time of last use (UTC)." },
};

static int list(struct session *session, const struct index_list *list)
{
	AUTO_TABLE struct table *table = table_with(columns, sizeof columns / sizeof *columns);
	for (size_t i = list->count; i-- > 0;) {
		const struct index_entry *entry = &list->entries[i];
		const char *file = entry->unfinished ? "(unfinished)" : entry->source;
		table_add_values(table, (struct value[]){ value_text(file),
							  value_int((int64_t)entry->bytes),
							  cell_date(table, entry->used_ns) });
	}
	return print_table(session, table);
}

static int clear(struct session *session)
{
	size_t removed;
	if (!index_clear(session->cache, &removed, &session->error))
		return session_fail(session);
	session_note(session, "indexes removed: %zu (%s)", removed, session->cache);
	return STATUS_DONE;
}

int command_cache(struct session *session)
{
	const struct options *options = session->options;
	AUTO(index_list_free) struct index_list indexes = { 0 };
	if (!session->cache)
		return session_refuse(session, "no cache directory: set XDG_CACHE_HOME or HOME");
	if (options->clear)
		return clear(session);
	index_list_read(&indexes, session->cache);
	return list(session, &indexes);
}
