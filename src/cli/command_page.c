/*
 * strata report all -f html: one page with pictures, plots and views.
 */
#include "cli/commands.h"

#include "picture/picture.h"
#include "picture/plot/plot_print.h"
#include "report/html.h"
#include "views/views.h"

#include <ctype.h>

enum { PAGE_ROWS = 100, PICTURE_WIDTH = 120 }; /* rows of a view unless -n says more */

static bool add_picture(struct session *session, const struct picture *picture,
			struct buffer *links, struct buffer *out)
{
	/* by name, since a view and a picture share a title */
	char title[32];
	snprintf(title, sizeof title, "%c%s", toupper((unsigned char)*picture->name),
		 picture->name + 1);
	struct picture_query query = { .run = session->run,
				       .scope = &session->options->scope,
				       .width = PICTURE_WIDTH,
				       .ascii = session->options->ascii,
				       .svg = true,
				       .progress = &session->progress,
				       .error = &session->error };
	html_drawing_begin(out, links, picture->name, title);
	bool done = picture->print(&query, out);
	html_drawing_end(out);
	return done;
}

static bool add_plot(struct session *session, const struct plot_kind *kind, struct buffer *links,
		     struct buffer *out)
{
	struct plot *plot =
		plot_build(kind, &kind->groups[0], session->run, &session->options->scope,
			   &session->progress, &session->error);
	if (!plot)
		return false;
	if (!plot_is_empty(plot)) {
		AUTO_FREE char *id = mem_printf("plot-%s", kind->name);
		html_drawing_begin(out, links, id, kind->groups[0].title);
		plot_svg(plot, out);
		html_drawing_end(out);
	}
	plot_free(plot);
	return true;
}

static bool command_page_add_rows(struct session *session, const struct table *table,
				  struct buffer *out)
{
	AUTO(extract_clear) struct extract extract = { 0 };
	struct extract_options options = { .limit = session->options->extract.limit };
	if (options.limit == SIZE_MAX)
		options.limit = PAGE_ROWS;
	return extract_make(&extract, table, &options, &session->progress, &session->error) &&
	       html_table(out, &extract, table->view != &view_advice, &session->progress,
			  &session->error);
}

static bool add_view(struct session *session, const struct view *view, struct buffer *links,
		     struct buffer *out)
{
	AUTO_TABLE struct table *table = session_table(session, view, NULL);
	bool done = table != NULL;
	if (done && table->rows) {
		html_section(out, links, view->name, view->title, view->summary);
		if (table->note)
			html_note(out, table->note);
		done = command_page_add_rows(session, table, out);
		html_section_end(out);
	}
	return done;
}

static bool add_all(struct session *session, struct buffer *links, struct buffer *out)
{
	/* what to do comes first, everything that it rests on after */
	bool done = add_picture(session, &picture_dashboard, links, out) &&
		    add_view(session, &view_advice, links, out);
	for (size_t i = 0; picture_at(i) && done; i++)
		if (picture_at(i) != &picture_dashboard)
			done = add_picture(session, picture_at(i), links, out);
	for (size_t i = 0; plot_at(i) && done; i++)
		done = add_plot(session, plot_at(i), links, out);
	for (size_t i = 0; view_at(i) && done; i++)
		if (view_at(i) != &view_advice)
			done = add_view(session, view_at(i), links, out);
	return done;
}

/* Write the page of PICTURE, or of everything if it is NULL. */
static bool write_page(struct session *session, const struct picture *picture)
{
	struct output output;
	AUTO_BUFFER struct buffer title = { 0 }, links = { 0 }, body = { 0 };
	if (!print_open(session, &output))
		return false;
	view_headline(session->run, &session->options->scope, &title);
	bool done = picture ? add_picture(session, picture, &links, &body)
			    : add_all(session, &links, &body);
	html_begin(&output.text, buffer_text(&title));
	if (!picture)
		buffer_printf(&output.text, "<nav aria-label=\"Sections\">%s</nav>\n",
			      buffer_text(&links));
	buffer_add(&output.text, BUFFERED(&body));
	html_end(&output.text);
	return print_close(session, &output, done);
}

int report_page(struct session *session, const struct picture *picture)
{
	if (!session_open(session, 1) || !write_page(session, picture))
		return session_fail(session);
	return session_status(session, STATUS_DONE);
}
