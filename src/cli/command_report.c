#include "cli/commands.h"

#include "base/text.h"
#include "base/text_slice.h"
#include "picture/plot/plot.h"
#include "picture/picture.h"
#include "report/catalog.h"

#include <unistd.h>

/* ---- -c help ---- */

static int list_columns(struct session *session, const struct view *view)
{
	AUTO_TABLE struct table *list = catalog_columns(view);
	session->options->extract = (struct extract_options){ .limit = SIZE_MAX };
	return print_table(session, list);
}

/* ---- one view ---- */

/* Say how to record what chosen columns lack; default columns are blank without a word. */
static void say_blank(struct session *session, const struct table *table)
{
	const char *chosen = session->options->extract.columns;
	for (struct text_slice id; text_next_item(&chosen, &id);) {
		bool plus = *id.text == '+';
		int column = table_column_named(table, id.text + plus, id.length - plus);
		const char *how = column < 0 ? NULL : table_column_how(table, (size_t)column);
		if (how)
			session_note(session, "%s: %s is blank. %s See strata-recording(7).",
				     table->view->name, table->column[column]->id, how);
	}
}

/* Explain an empty result; if a filter excluded everything, the exit status says so, too. */
static int say_empty(struct session *session, const struct table *table)
{
	session_note(session, "%s: %s", table->view->name, table->note ? table->note : "no rows");
	return session->options->narrowed ? STATUS_NO_MATCH : STATUS_DONE;
}

/* Is nothing predicted under the first edit, and so under none? */
static bool is_refused(const struct table *table)
{
	int column = table_column(table, "low_ns");
	return column >= 0 && table->rows &&
	       table_value(table, 0, (size_t)column).kind == VALUE_MISSING;
}

static int build_and_print(struct session *session, const struct view *view)
{
	const struct options *options = session->options;
	AUTO_TABLE struct table *table = session_table(session, view, options->group);
	if (!table)
		return session_fail(session);
	int status = print_table(session, table);
	if (status == STATUS_DONE && !table->rows)
		status = say_empty(session, table);
	else if (status == STATUS_DONE && table->note)
		session_note(session, "%s: %s", table->view->name, table->note);
	if (status == STATUS_DONE)
		say_blank(session, table);
	if (status == STATUS_DONE && is_refused(table))
		status = STATUS_REFUSED;
	if (!view->all_ranks)
		session_note_runs(session);
	return session_status(session, status);
}

static bool wants_columns(const struct options *options)
{
	return options->extract.columns && strcmp(options->extract.columns, "help") == 0;
}

int report_view(struct session *session, const struct view *view, size_t first)
{
	struct options *options = session->options;
	if (wants_columns(options))
		return list_columns(session, view);
	if (!view_has_group(view, options->group))
		return session_refuse(session, "view %s has no grouping \"%s\"", view->name,
				      options->group);
	if (!extract_check(view, &options->extract, &session->error))
		return session_fail(session);
	options->load.one_rank &=
		!view->all_ranks && !(view->by_rank && options->scope.ranks.count > 1);
	options->load.one_run = !view->all_ranks;
	return session_open(session, first) ? build_and_print(session, view)
					    : session_fail(session);
}

/* ---- files of directories ---- */

/* Append a part of a file name, with '_' in place of each of OTHERS. */
static void put_part(struct buffer *path, const char *text, size_t length, const char *others)
{
	for (size_t i = 0; i < length; i++)
		buffer_putc(path, strchr(others, text[i]) ? '_' : text[i]);
}

/*
 * "DIR/dlprof_tensor_core.csv" of "dlprof-tensor_core": as DLProf and nsys stats name their files;
 * with a base name that in place of the tool's, of LENGTH.
 */
static void preset_path(struct buffer *path, const struct options *options,
			const struct preset *preset, size_t length)
{
	const char *base = options->base_name ?: preset->name, *rest = preset->name + length;
	buffer_printf(path, "%s/", options->output);
	put_part(path, base, options->base_name ? strlen(base) : length, " /");
	put_part(path, rest, strlen(rest), "-");
	buffer_printf(path, ".%s", options->format->extension);
}

/* ---- a preset ---- */

/* Translate options of the preset's tool. */
static bool translate(const struct preset *preset, struct options *options, struct buffer *group,
		      struct error *error)
{
	struct preset_options *wanted = &options->preset;
	const struct format *form = preset_form(preset, options->format);
	bool own = form && (preset->takes_columns || !options->extract.columns);
	if (wanted->csv && (!own || !preset->csv.write))
		return error_usage(error, "--csv: %s has no CSV format of its own here; use -f csv",
				   preset->name);
	if (options->load.key_node && step_source_named(options->load.key_node) == STEPS_NONE &&
	    view_has_group(preset->view, "key")) {
		wanted->key_node = options->load.key_node;
		options->load.key_node = NULL; /* the preset's own rules define its steps */
	}
	preset_group(wanted, group);
	if (wanted->csv && preset->csv_group && !group->length && !options->group)
		buffer_puts(group, preset->csv_group);
	if (group->length && options->group)
		return error_usage(error, "-g conflicts with --group-by-... and --key-node");
	if (group->length)
		options->group = group->data;
	if (own)
		options->format = wanted->csv ? &preset->csv : form;
	if (own && preset->takes_columns && options->width == WIDTH_OF_TERMINAL)
		options->width = 0;
	if (wanted->limited)
		options->extract.limit = wanted->limit;
	else if (own && options->extract.limit == SIZE_MAX)
		options->extract.limit = preset->limit;
	if (wanted->sort_by)
		options->extract.sort = preset_sort(preset, wanted->sort_by, error);
	return !wanted->sort_by || options->extract.sort;
}

static int report_preset(struct session *session, const struct preset *preset)
{
	AUTO_BUFFER struct buffer group = { 0 }, path = { 0 };
	struct options *options = session->options;
	if (wants_columns(options)) /* not in the tool's own format */
		return list_columns(session, preset->view);
	if (!translate(preset, options, &group, &session->error) ||
	    (options->output_path &&
	     !index_create_directory(options->output_path, 0777, &session->error)))
		return session_fail(session);
	if (options->output_path) {
		preset_path(&path, options, preset, strcspn(preset->name, "-"));
		options->output = buffer_text(&path);
	}
	return report_view(session, preset->view, 1);
}

/* ---- a picture ---- */

static bool draw_picture(struct session *session, const struct picture *picture)
{
	struct output output;
	struct picture_query query = { .run = session->run,
				       .scope = &session->options->scope,
				       .width = print_width(session->options),
				       .ascii = !print_unicode(session->options),
				       .color = print_color(session->options),
				       .svg = print_wants_svg(session->options),
				       .progress = &session->progress,
				       .error = &session->error };
	if (!print_open(session, &output))
		return false;
	return print_close(session, &output, picture->print(&query, &output.text));
}

int report_picture(struct session *session, const struct picture *picture, size_t first)
{
	const struct options *options = session->options;
	bool page = options->format == format_find("html");
	if ((options->format != format_at(0) && !page) || options->extract.columns ||
	    options->extract.sort || options->group || options->extract.limit != SIZE_MAX)
		return session_refuse(session,
				      "%s is a picture: -f, -c, -s, -n and -g apply to views only",
				      picture->name);
	if (page)
		return report_page(session, picture);
	if (print_wants_svg(options) && !picture->has_svg)
		return session_refuse(session, "%s is text only", picture->name);
	if (!session_open(session, first) || !draw_picture(session, picture))
		return session_fail(session);
	return session_status(session, STATUS_DONE);
}

/* ---- all views ---- */

/* Print a non-empty view into a file of the directory. */
static int print_into(struct session *session, const struct view *view, const char *directory)
{
	struct options *options = session->options;
	AUTO_TABLE struct table *table = session_table(session, view, NULL);
	if (!table)
		return session_fail(session);
	AUTO_FREE char *path =
		mem_printf("%s/%s.%s", directory, view->name, options->format->extension);
	options->output = path;
	return table->rows ? print_table(session, table) : STATUS_DONE;
}

static int report_all(struct session *session)
{
	const struct options *given = session->options;
	bool page = given->format == format_find("html");
	if ((!given->output && !page) || given->extract.columns || given->extract.sort ||
	    given->group)
		return session_refuse(
			session, given->output || page
					 ? "-c, -s and -g apply to a single view, not to all"
					 : "output directory required: strata report all -o DIR");
	if (page)
		return report_page(session, NULL);
	if (!session_open(session, 1) ||
	    !index_create_directory(given->output, 0777, &session->error))
		return session_fail(session);
	const char *directory = given->output;
	int status = STATUS_DONE;
	for (size_t i = 0; view_at(i) && status == STATUS_DONE; i++)
		status = print_into(session, view_at(i), directory);
	return session_status(session, status);
}

/* ---- all presets of a tool ---- */

static const char all_suffix[] = "-all";

/* "dlprof" of "dlprof-all" if there are presets "dlprof-..."; 0: NAME is no such word. */
static size_t tool_of_word(const char *name)
{
	size_t length = strlen(name), end = sizeof all_suffix - 1;
	if (length <= end || strcmp(name + length - end, all_suffix) != 0)
		return 0;
	for (size_t i = 0; preset_at(i); i++)
		if (strncmp(preset_at(i)->name, name, length - end + 1) == 0)
			return length - end;
	return 0;
}

/* Print a preset of a tool, if it has rows, into a file of the directory; count it in WRITTEN. */
static int print_preset_into(struct session *session, const struct preset *preset, size_t length,
			     size_t *written)
{
	struct options *options = session->options, given = *options;
	AUTO_BUFFER struct buffer group = { 0 }, path = { 0 };
	AUTO_TABLE struct table *table = NULL;
	if (translate(preset, options, &group, &session->error))
		table = session_table(session, preset->view, options->group);
	int status = table ? STATUS_DONE : session_fail(session);
	if (table && table->rows) {
		preset_path(&path, options, preset, length);
		options->output = buffer_text(&path);
		status = print_table(session, table);
		++*written;
	}
	*options = given;
	return status;
}

/* The next word of a list, separated by commas, or NULL at its end; the caller frees it. */
static char *next_word(const char **list)
{
	size_t length = strcspn(*list, ",");
	char *word = length ? mem_printf("%.*s", (int)length, *list) : NULL;
	*list += length + ((*list)[length] == ',');
	return word;
}

/* Print the wanted presets of a tool in the session's format. */
static int print_presets(struct session *session, const char *tool, size_t length, size_t *written)
{
	const char *list = session->options->reports ?: "all";
	int status = STATUS_DONE;
	for (char *word; status == STATUS_DONE && (word = next_word(&list));) {
		bool all = strcmp(word, "all") == 0, known = all;
		char *name = mem_printf("%.*s-%s", (int)length, tool, all ? "" : word);
		for (size_t i = 0; preset_at(i) && status == STATUS_DONE; i++) {
			const struct preset *preset = preset_at(i);
			if (all ? strncmp(preset->name, name, length + 1) != 0
				: preset != preset_find(name))
				continue;
			known = true;
			status = print_preset_into(session, preset, length, written);
		}
		if (!known)
			status = session_refuse(session, "unknown report \"%s\"%s%s%s", word,
						DID_YOU_MEAN(view_nearest(name), ""));
		mem_free_all(name, word);
	}
	return status;
}

static int report_tool(struct session *session, const char *name, size_t length)
{
	struct options *given = session->options;
	const char *formats = given->formats ?: given->format->name;
	size_t written = 0;
	if (!given->output || given->extract.columns || given->extract.sort || given->group)
		return session_refuse(
			session,
			given->output ? "-c, -s and -g apply to a single preset, not to %s"
				      : "output directory required: strata report %s -o DIR",
			name);
	if (!session_open(session, 1) ||
	    !index_create_directory(given->output, 0777, &session->error))
		return session_fail(session);
	int status = STATUS_DONE;
	for (char *word; status == STATUS_DONE && (word = next_word(&formats));) {
		given->format = format_find(word);
		status = given->format ? print_presets(session, name, length, &written)
				       : session_refuse(session, "unknown format \"%s\"", word);
		mem_free(word);
	}
	if (status == STATUS_DONE)
		session_note(session, "%s: %zu report%s in %s; those without rows are left out",
			     name, written, written == 1 ? "" : "s", given->output);
	return session_status(session, status);
}

void list_reports(FILE *out)
{
	fputs("all\n", out);
	for (size_t i = 0; view_at(i); i++)
		fprintf(out, "%s\n", view_at(i)->name);
	for (size_t i = 0; picture_at(i); i++)
		fprintf(out, "%s\n", picture_at(i)->name);
	for (size_t i = 0; plot_at(i); i++)
		fprintf(out, "plot-%s\n", plot_at(i)->name);
	for (size_t i = 0; preset_at(i); i++) {
		const char *name = preset_at(i)->name, *dash = strchr(name, '-');
		size_t length = dash ? (size_t)(dash - name) + 1 : 0;
		bool first = !i || strncmp(preset_at(i - 1)->name, name, length) != 0;
		bool several =
			preset_at(i + 1) && strncmp(preset_at(i + 1)->name, name, length) == 0;
		if (length && first && several)
			fprintf(out, "%.*sall\n", (int)length, name);
	}
	for (size_t i = 0; preset_at(i); i++)
		fprintf(out, "%s\n", preset_at(i)->name);
}

int command_report(struct session *session)
{
	struct options *options = session->options;
	options->output = options->output_path ?: options->output;
	if (!options->slice_count)
		return session_refuse(session, "view required (strata views lists them)");
	const char *name = options->words[0];
	const struct preset *preset = preset_find(name);
	if (!tool_of_word(name) && (options->base_name || options->formats || options->reports))
		return session_refuse(session, "--base-name, --formats and --reports apply to all "
					       "reports of a tool, such as dlprof-all");
	if (preset)
		return report_preset(session, preset);
	if (tool_of_word(name))
		return report_tool(session, name, tool_of_word(name));
	if (preset_options_given(&options->preset))
		return session_refuse(
			session,
			"--sort-by, --row-limit, --group-by-... and --csv apply to presets; use -s, -n, -g and -f");
	if (strcmp(name, "all") == 0)
		return report_all(session);
	if (plot_of_word(name))
		return report_plot(session, plot_of_word(name));
	const struct view *view = view_find(name);
	if (view)
		return report_view(session, view, 1);
	if (picture_find(name))
		return report_picture(session, picture_find(name), 1);
	if (strchr(name, '/') || access(name, F_OK) == 0)
		return session_refuse(
			session, "VIEW required before the path: strata report dashboard %s", name);
	return session_refuse(session, "unknown view \"%s\"%s%s%s (strata views lists them)", name,
			      DID_YOU_MEAN(view_nearest(name), ""));
}

bool is_report(const char *word)
{
	return view_find(word) || preset_find(word) || tool_of_word(word) || plot_of_word(word) ||
	       picture_find(word);
}

int command_whatif(struct session *session)
{
	return report_view(session, view_find("whatif"), 0);
}

/* What the sandbox keeps on this system, and for these paths. */
static int say_sandbox(struct session *session)
{
	if (!session_find_paths(session, 0) && session->options->slice_count)
		return session_fail(session);
	struct sandbox_state state = session_confine(session);
	printf("files    %s\n"
	       "programs %s\n"
	       "network  %s\n",
	       state.files ? "inputs and what is beside them are read, outputs and cache written"
			   : "not limited",
	       state.calls ? "none is run" : "not limited", state.calls ? "none" : "not limited");
	return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
}

int command_info(struct session *session)
{
	if (session->options->sandbox)
		return say_sandbox(session);
	return report_view(session, view_find("info"), 0);
}
