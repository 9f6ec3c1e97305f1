/*
 * Writes the displayed rows to a file or the normal screen.
 */
#include "tui/table/table_pane.h"

#include "report/format.h"
#include "tui/core/pane_job.h"

#include <unistd.h>

enum { PRINT_ROWS_MAX = 5000 };

/* Format for a file name extension. */
static const struct format *format_of(const char *extension)
{
	for (size_t i = 0; format_at(i); i++)
		if (!strcmp(format_at(i)->extension, extension) ||
		    !strcmp(format_at(i)->name, extension))
			return format_at(i);
	return NULL;
}

/* The displayed columns and at most MAX rows. The pane keeps ownership of the rows. */
static struct extract shown_rows(const struct table_pane *self, size_t max)
{
	struct extract extract = { .table = self->box->table, .rows = self->order->rows };
	extract.row_count = self->order->count < max ? self->order->count : max;
	extract.left_out = self->order->count - extract.row_count;
	extract.columns = mem_alloc((size_t)(self->column_count + 1) * sizeof *extract.columns);
	for (int i = 0; i < self->column_count; i++)
		extract.columns[extract.column_count++] = self->columns[i].index;
	return extract;
}

/* Writes the displayed table in the worker. */
struct write_job {
	struct pane_job job;
	struct table_box *box;
	struct table_order *order;
	struct extract extract;
	const struct format *format;
	char *path;
};

static bool write_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct write_job *self = (struct write_job *)job;
	const struct style style = { .csv_safe = true };
	struct output output;
	if (!output_open(&output, self->path, STDOUT_FILENO, true, error))
		return false;
	if (self->format->write(&output, &self->extract, &style, progress, error))
		return output_commit(&output, error);
	output_discard(&output);
	return false;
}

static void write_job_arrive(struct job *job, bool good, const struct error *error)
{
	const struct write_job *self = (const struct write_job *)job;
	struct tui *tui = self->job.tui;
	if (good)
		tui_say(tui, MESSAGE_INFO, "%zu rows written to %s", self->extract.row_count,
			self->path);
	else if (error->code == ERROR_CANCELLED)
		tui_say(tui, MESSAGE_WARNING, "canceled; %s is unchanged", self->path);
	else
		tui->host->fail(tui, error);
}

static void write_job_clear(struct job *job)
{
	struct write_job *self = (struct write_job *)job;
	table_box_drop(self->box);
	table_order_drop(self->order);
	mem_free_all(self->extract.columns, self->path);
}

bool table_write(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		 struct error *error)
{
	static const struct pane_job_kind kind = { write_job_run, write_job_arrive, write_job_clear,
						   true };
	const struct table_pane *table = table_pane_of(pane);
	const struct format *format = format_of(extension);
	if (!table->box)
		return error_usage(error, "table not ready yet");
	if (!format)
		return error_usage(error, "FILE must end in .csv, .json, .ndjson, .md or .txt");
	struct write_job *self = pane_job_new(sizeof *self, &kind, pane, tui, "Writing");
	self->job.job.background = true;
	self->box = take_hold(table->box);
	self->order = take_hold(table->order);
	self->extract = shown_rows(table, SIZE_MAX);
	self->format = format;
	self->path = mem_strdup(path);
	pane_job_submit(&self->job);
	return true;
}

void table_print(const struct pane *pane, const struct tui *tui, struct output *output)
{
	const struct table_pane *self = table_pane_of(pane);
	const struct style style = { .width = (size_t)tui->grid.columns,
				     .unicode = !tui->settings.ascii,
				     .terminal = true };
	if (!self->box)
		return;
	struct extract extract = shown_rows(self, PRINT_ROWS_MAX);
	format_at(0)->write(output, &extract, &style, NULL, NULL);
	mem_free(extract.columns);
	if (extract.left_out > 0)
		buffer_printf(&output->text, "(%zu more rows; :write FILE writes all)\n",
			      extract.left_out);
}
