/*
 * Reports in DLProf 1.8's format: title, header, rows. Names are quoted; numbers, directions and
 * data types are not; averages and shares have one decimal. The summary consists of blocks of lines
 * instead. As JSON a report is an object with its title, columns and rows, a summary one of blocks,
 * all with the names of the CSV.
 */
#include "base/check.h"
#include "report/report_form.h"
#include "tools/dlprof/dlprof_views.h"

#include <inttypes.h>

/* Columns of the summary. */
enum { SECTION, METRIC, VALUE, SUMS, SUMS_END = SUMS + 3 };

static bool is_flag(const struct report_form *form, const struct report_column *column)
{
	return form->extract->table->column[column->column]->unit == UNIT_FLAG;
}

static void dlprof_put(const struct report_form *form, const struct report_column *column,
		       struct value value)
{
	struct buffer *out = &form->output->text;
	if (value.kind == VALUE_INT && is_flag(form, column))
		buffer_puts(out, value.integer ? "yes" : "no");
	else if (value.kind == VALUE_INT)
		buffer_printf(out, "%" PRId64, value.integer);
	else if (value.kind == VALUE_REAL)
		buffer_printf(out, "%.1f", value.real);
	else if (column->print & QUOTED)
		format_csv_quoted(out, value.kind == VALUE_TEXT ? value.text : "",
				  value.kind == VALUE_TEXT ? value.length : 0,
				  form->style->terminal);
	else if (value.kind == VALUE_TEXT)
		format_text(out, value.text, value.length, form->style->terminal);
}

/* As in the CSV: flags are "yes" or "no", and a missing text is empty. */
static void dlprof_put_json(const struct report_form *form, const struct report_column *column,
			    struct value value)
{
	const struct column *of = form->extract->table->column[column->column];
	struct buffer *out = &form->output->text;
	if (value.kind == VALUE_INT && is_flag(form, column))
		buffer_puts(out, value.integer ? "\"yes\"" : "\"no\"");
	else if (value.kind == VALUE_MISSING && of->unit == UNIT_TEXT)
		buffer_puts(out, "\"\"");
	else
		format_json_value(out, of, value);
}

/* The report whose view the table of FORM shows, with the columns of its framework. */
static const struct dlprof_report *begin(struct report_form *form)
{
	const struct table *table = form->extract->table;
	const struct dlprof_report *report = (const struct dlprof_report *)table->view;
	int left_out = HIDDEN | (dlprof_is_pytorch(table) ? OTHERS : PYTORCH);
	require(report->view.build == dlprof_build, "view %s: not of DLProf", report->view.name);
	form->put = dlprof_put;
	form->put_json = dlprof_put_json;
	for (size_t i = 0; i < DLPROF_FIELDS_MAX && report->fields[i].title; i++)
		if (!(report->fields[i].print & left_out))
			report_add(form, report->fields[i].title, i, report->fields[i].print);
	return report;
}

/* ---- the summary: the form has the sums ---- */

static bool starts_section(const struct report_form *form, size_t row)
{
	return !row || value_compare(report_value(form, row - 1, SECTION),
				     report_value(form, row, SECTION)) != 0;
}

static void put_named(const struct report_form *form, size_t row, size_t column)
{
	dlprof_put(form, &(struct report_column){ .column = column },
		   report_value(form, row, column));
}

/* "Ops" of the section "All Ops", which has sums; NULL: it has values. */
static const char *counted(const struct report_form *form, size_t row)
{
	const char *section = report_value(form, row, SECTION).text;
	return strncmp(section, "All ", 4) == 0 ? section + 4 : NULL;
}

/* Title of a block, and a header if its lines are table rows. */
static void put_block(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	buffer_puts(out, row ? "\n" : "");
	put_named(form, row, SECTION);
	buffer_putc(out, '\n');
	if (!counted(form, row))
		return;
	for (size_t i = 0; i < form->count; i++)
		buffer_printf(out, ",%s", form->columns[i].title);
	buffer_printf(out, "%s\n", counted(form, row));
}

static void put_fact(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	bool one = !counted(form, row);
	if (starts_section(form, row))
		put_block(form, row);
	put_named(form, row, METRIC);
	for (size_t i = one ? VALUE : SUMS; i < (one ? SUMS : SUMS_END); i++) {
		buffer_putc(out, ',');
		put_named(form, row, i);
	}
	buffer_putc(out, '\n');
}

static void put_json_fact(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	struct value name = report_value(form, row, METRIC), value = report_value(form, row, VALUE);
	if (starts_section(form, row)) {
		struct value section = report_value(form, row, SECTION);
		buffer_puts(out, row ? "\n},\n" : "\n");
		report_json_name(form, section.text, section.length);
	}
	buffer_puts(out, starts_section(form, row) ? "{\n " : ",\n ");
	report_json_name(form, name.text, name.length);
	if (!counted(form, row)) {
		if (value.kind == VALUE_MISSING)
			buffer_puts(out, "null"); /* unknown, not an empty text */
		else
			dlprof_put_json(form, &(struct report_column){ .column = VALUE }, value);
		return;
	}
	for (size_t i = 0; i < form->count; i++) {
		const struct report_column *column = &form->columns[i];
		AUTO_BUFFER struct buffer title = { 0 };
		buffer_puts(out, i ? ", " : "{");
		buffer_printf(&title, "%s%s", column->title,
			      i + 1 < form->count ? "" : counted(form, row));
		report_json_name(form, title.data, title.length);
		dlprof_put_json(form, column, report_value(form, row, column->column));
	}
	buffer_putc(out, '}');
}

/* ---- writers ---- */

FORMAT_WRITER(dlprof_print)
{
	struct report_form form = { output, extract,      style,         progress,
				    error,  .around = "", .between = "," };
	const struct dlprof_report *report = begin(&form);
	if (!report->title)
		return report_rows(&form, put_fact);
	buffer_printf(&output->text, "%s\n", report->title);
	return report_separated(&form);
}

FORMAT_WRITER(dlprof_print_json)
{
	struct report_form form = { output, extract,       style,        progress,
				    error,  .colon = ": ", .comma = ", " };
	const struct dlprof_report *report = begin(&form);
	struct buffer *out = &output->text;
	buffer_putc(out, '{');
	if (!report->title) {
		if (!report_rows(&form, put_json_fact))
			return false;
		buffer_puts(out, extract->row_count ? "\n}\n}\n" : "}\n");
		return true;
	}
	report_json_name(&form, "title", 5);
	format_json_text(out, report->title, strlen(report->title));
	buffer_puts(out, ",\n\"columns\": [");
	report_json_titles(&form);
	buffer_puts(out, "],\n\"rows\": ");
	if (!report_json_rows(&form))
		return false;
	buffer_puts(out, "}\n");
	return true;
}
