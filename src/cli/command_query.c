#include "cli/commands.h"

#include "report/chrome_trace.h"
#include "sql/sqlite_export.h"
#include "sql/query.h"

enum { SQL_MAX = 1 << 20 }; /* limit: bytes of a query from standard input */

static bool read_standard_input(struct buffer *sql, struct error *error)
{
	char block[4096];
	size_t length;
	while ((length = fread(block, 1, sizeof block, stdin)) > 0 && sql->length <= SQL_MAX)
		buffer_add(sql, block, length);
	if (ferror(stdin))
		return error_usage(error, "cannot read SQL from standard input");
	if (sql->length > SQL_MAX)
		return error_set(error, ERROR_LIMIT, "SQL is longer than %d bytes", SQL_MAX);
	return true;
}

static int query_files(struct session *session, const char *sql)
{
	if (!session_open(session, 1))
		return session_fail(session);
	AUTO_TABLE struct table *table = sql_query(session->run, &session->options->scope, sql,
						   &session->progress, &session->error);
	if (!table)
		return session_fail(session);
	int status = print_table(session, table);
	if (table->note)
		session_note(session, "%s", table->note);
	return session_status(session, status);
}

int command_query(struct session *session)
{
	const struct options *options = session->options;
	if (!options->slice_count)
		return session_refuse(session, "SQL required: strata query SQL PATH...");
	if (strcmp(options->words[0], "-") != 0)
		return query_files(session, options->words[0]);
	AUTO_BUFFER struct buffer sql = { 0 };
	return read_standard_input(&sql, &session->error) ? query_files(session, buffer_text(&sql))
							  : session_fail(session);
}

/* ---- export ---- */

static bool wants_export(const struct options *options, struct error *error)
{
	bool stacks = options->stacks || options->speedscope;
	if (!options->sqlite && !options->trace && !stacks && !options->net_dict)
		return error_usage(
			error,
			"output required: --sqlite FILE, --trace FILE, --stacks FILE, --speedscope FILE or --net-dict FILE");
	if (options->group && !stacks)
		return error_usage(error, "-g applies to --stacks and --speedscope only");
	return view_has_group(view_find("stacks"), options->group) ||
	       error_usage(error, "unknown grouping \"%s\" of stacks (see strata views)",
			   options->group);
}

/* Write VIEW in FORMAT to PATH. */
static int export_view(struct session *session, const struct view *view,
		       const struct format *format, const char *path)
{
	struct options *options = session->options;
	AUTO_TABLE struct table *table = session_table(session, view, options->group);
	if (!table)
		return session_fail(session);
	options->format = format;
	options->output = path;
	int status = print_table(session, table);
	if (table->note)
		session_note(session, "%s", table->note);
	return status;
}

static int export_stacks(struct session *session, const char *path, format_writer *write)
{
	const struct format format = { "stacks", "stacks", true, write };
	return export_view(session, view_find("stacks"), &format, path);
}

int command_export(struct session *session)
{
	const struct options *options = session->options;
	if (!wants_export(options, &session->error) || !session_open(session, 0))
		return session_fail(session);
	session_note_runs(session);
	if (options->sqlite && !sql_export(session->run, &options->scope, options->sqlite,
					   options->force, &session->progress, &session->error))
		return session_fail(session);
	if (options->trace &&
	    !chrome_trace_write(session->run, &options->scope, options->trace, options->force,
				&session->progress, &session->error))
		return session_fail(session);
	print_place(session, options->sqlite);
	print_place(session, options->trace);
	int status = STATUS_DONE;
	if (options->stacks)
		status = export_stacks(session, options->stacks, format_write_collapsed);
	if (status == STATUS_DONE && options->speedscope)
		status = export_stacks(session, options->speedscope, format_write_speedscope);
	const struct preset *preset = preset_find("net-dict");
	if (status == STATUS_DONE && options->net_dict)
		status = export_view(session, preset->view, &preset->forms[0], options->net_dict);
	return session_status(session, status);
}
