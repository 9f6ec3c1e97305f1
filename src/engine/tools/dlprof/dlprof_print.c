/*
 * Reports in DLProf 1.8's format: title, header, rows. Names are quoted; numbers, directions and
 * data types are not; averages and shares have one decimal. The summary consists of blocks of lines
 * instead. As JSON a report is an object with its title, columns and rows, a summary one of blocks,
 * all with the names of the CSV.
 */
#include "report/preset.h"
#include "tools/dlprof/dlprof_views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum when { ALWAYS, PYTORCH, OTHERS }; /* frameworks that have the column */
enum dlprof_print_print { PLAIN, QUOTED };

struct dlprof_print_field {
	const char *title, *id;
	enum dlprof_print_print print;
	enum when when;
};

#define TIME_FIELDS(name, id)                                                                      \
	{ "Total " name " (ns)", id "_total_ns", PLAIN, ALWAYS },                                  \
		{ "Avg. " name " (ns)", id "_avg_ns", PLAIN, ALWAYS },                             \
		{ "Min " name " (ns)", id "_min_ns", PLAIN, ALWAYS },                              \
	{                                                                                          \
		"Max " name " (ns)", id "_max_ns", PLAIN, ALWAYS                                   \
	}
#define ALL_TIMES                                                                                  \
	TIME_FIELDS("CPU Time", "cpu"), TIME_FIELDS("GPU Time", "gpu"),                            \
		TIME_FIELDS("CPU Overhead", "overhead"), TIME_FIELDS("GPU Idle", "idle")
#define OP_FIELDS                                                                                  \
	{ "Op ID", "op_id", QUOTED, ALWAYS }, { "Op Name", "op_name", QUOTED, ALWAYS },            \
	{                                                                                          \
		"Direction", "direction", PLAIN, PYTORCH                                           \
	}

static const struct dlprof_print_field detailed[] = {
	OP_FIELDS,
	{ "Op Type", "op_type", QUOTED, ALWAYS },
	{ "No. Calls", "calls", PLAIN, ALWAYS },
	{ "TC Eligible", "tc_eligible", PLAIN, ALWAYS },
	{ "Using TC", "tc_used", PLAIN, ALWAYS },
	ALL_TIMES,
	{ "Data Type", "data_type", PLAIN, ALWAYS },
	{ "Stack Trace", "stack", QUOTED, PYTORCH },
	{ "Input Shapes", "input_shapes", QUOTED, OTHERS },
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field iteration[] = {
	{ "Iteration", "step", PLAIN, ALWAYS },
	OP_FIELDS,
	{ "Op Type", "op_type", QUOTED, ALWAYS },
	{ "Kernel Name", "name", QUOTED, ALWAYS },
	{ "Device ID", "device", PLAIN, ALWAYS },
	{ "GPU Start Time (ns)", "start_ns", PLAIN, ALWAYS },
	{ "GPU Duration (ns)", "dur_ns", PLAIN, ALWAYS },
	{ "API Call Start (ns)", "api_start_ns", PLAIN, ALWAYS },
	{ "API Call Time (ns)", "api_dur_ns", PLAIN, ALWAYS },
	{ "Uses TC", "tc_used", PLAIN, ALWAYS },
	{ "Grid X,Grid Y,Grid Z", "grid", PLAIN, ALWAYS },
	{ "Block X,Block Y,Block Z", "block", PLAIN, ALWAYS },
	{ "Data Types", "data_type", PLAIN, ALWAYS },
	{ "Input Shapes", "input_shapes", QUOTED, ALWAYS },
	{ "Parameters", "parameters", QUOTED, ALWAYS },
	{ "Output Shapes", "output_shapes", QUOTED, ALWAYS },
	{ "Long Kernel Name", "long_name", QUOTED, ALWAYS },
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field kernel[] = {
	{ "Kernel Name", "name", QUOTED, ALWAYS },
	OP_FIELDS,
	{ "Uses TC", "tc_used", PLAIN, ALWAYS },
	{ "Total GPU Time (ns)", "gpu_total_ns", PLAIN, ALWAYS },
	{ "Avg GPU Time (ns)", "gpu_avg_ns", PLAIN, ALWAYS },
	{ "Min GPU Time (ns)", "gpu_min_ns", PLAIN, ALWAYS },
	{ "Max GPU Time (ns)", "gpu_max_ns", PLAIN, ALWAYS },
	{ "Total API Time (ns)", "api_total_ns", PLAIN, ALWAYS },
	{ "Avg API Time (ns)", "api_avg_ns", PLAIN, ALWAYS },
	{ "Min API Time (ns)", "api_min_ns", PLAIN, ALWAYS },
	{ "Max API Time (ns)", "api_max_ns", PLAIN, ALWAYS },
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field tensor_core[] = {
	OP_FIELDS,
	{ "Op Type", "op_type", QUOTED, ALWAYS },
	{ "Uses TC", "tc_used", PLAIN, ALWAYS },
	{ "Total GPU Time (ns)", "gpu_total_ns", PLAIN, ALWAYS },
	{ "TC GPU Time (ns)", "tc_ns", PLAIN, ALWAYS },
	{ "Non-TC GPU Time (ns)", "non_tc_ns", PLAIN, ALWAYS },
	{ "TC Utilization (%)", "tc_pct", PLAIN, ALWAYS },
	{ "Total Kernel Count", "kernels", PLAIN, ALWAYS },
	{ "TC Kernel Count", "tc_kernels", PLAIN, ALWAYS },
	{ "TC Kernel Names", "tc_kernel_names", QUOTED, ALWAYS },
	{ "Non-TC Kernel Count", "non_tc_kernels", PLAIN, ALWAYS },
	{ "Non-TC Kernel Names", "non_tc_kernel_names", QUOTED, ALWAYS },
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field op_type[] = {
	{ "Op Type", "op_type", QUOTED, ALWAYS },
	{ "# Ops", "ops", PLAIN, ALWAYS },
	{ "# Calls", "calls", PLAIN, ALWAYS },
	ALL_TIMES,
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field group_op[] = {
	{ "Name", "path", QUOTED, ALWAYS },
	{ "Num Calls Aggregated", "calls", PLAIN, ALWAYS },
	{ "Num TC Eligible Ops", "eligible_ops", PLAIN, ALWAYS },
	{ "Num Ops Using TC", "tc_ops", PLAIN, ALWAYS },
	ALL_TIMES,
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct dlprof_print_field expert_systems[] = {
	{ "Problem", "problem", QUOTED, ALWAYS },
	{ "Recommendation", "recommendation", QUOTED, ALWAYS },
	{ NULL, NULL, PLAIN, ALWAYS },
};

static const struct {
	const struct view *view;
	const char *title;
	const struct dlprof_print_field *fields;
} layouts[] = {
	{ &view_dlprof_detailed, "All Iterations", detailed },
	{ &view_dlprof_iteration, "Iteration Report", iteration },
	{ &view_dlprof_kernel, "Kernel Report", kernel },
	{ &view_dlprof_tensor_core, "Tensor Core Report", tensor_core },
	{ &view_dlprof_op_type, "Op Type Summary Report", op_type },
	{ &view_dlprof_group_op, "Group Op Report", group_op },
	{ &view_dlprof_expert_systems, "Expert Systems Feedback", expert_systems },
};

struct dlprof_print_printing {
	struct buffer *out;
	const struct table *table;
	const char *title;
	const struct dlprof_print_field *fields;
	bool pytorch;
	bool terminal;
};

static bool has_field(const struct dlprof_print_printing *printing,
		      const struct dlprof_print_field *field)
{
	return field->when == ALWAYS || (field->when == PYTORCH) == printing->pytorch;
}

static void dlprof_print_add_text(const struct dlprof_print_printing *printing, struct value value)
{
	format_text(printing->out, value.text, value.length, printing->terminal);
}

/* Quotes inside are doubled, as in CSV. */
static void add_quoted(const struct dlprof_print_printing *printing, struct value value)
{
	buffer_putc(printing->out, '"');
	while (value.length) {
		const char *quote = memchr(value.text, '"', value.length);
		size_t part = quote ? (size_t)(quote - value.text) + 1 : value.length;
		dlprof_print_add_text(printing, value_bytes(value.text, part));
		buffer_puts(printing->out, quote ? "\"" : "");
		value.text += part;
		value.length -= part;
	}
	buffer_putc(printing->out, '"');
}

static void dlprof_print_add_value(const struct dlprof_print_printing *printing, size_t row,
				   const char *id, enum dlprof_print_print print)
{
	int column = table_need(printing->table, id);
	struct value value = table_value(printing->table, row, (size_t)column);
	bool flag = printing->table->column[column]->unit == UNIT_FLAG;
	if (value.kind == VALUE_INT && flag)
		buffer_puts(printing->out, value.integer ? "yes" : "no");
	else if (value.kind == VALUE_INT)
		buffer_printf(printing->out, "%" PRId64, value.integer);
	else if (value.kind == VALUE_REAL)
		buffer_printf(printing->out, "%.1f", value.real);
	else if (print == QUOTED)
		add_quoted(printing, value.kind == VALUE_TEXT ? value : value_text(""));
	else if (value.kind == VALUE_TEXT)
		dlprof_print_add_text(printing, value);
}

static void dlprof_print_add_line(const struct dlprof_print_printing *printing, size_t row)
{
	const char *separator = "";
	for (const struct dlprof_print_field *field = printing->fields; field->title; field++) {
		if (!has_field(printing, field))
			continue;
		buffer_puts(printing->out, separator);
		separator = ",";
		if (row == SIZE_MAX)
			buffer_puts(printing->out, field->title);
		else
			dlprof_print_add_value(printing, row, field->id, field->print);
	}
	buffer_putc(printing->out, '\n');
}

static struct dlprof_print_printing
dlprof_print_begin(struct output *output, const struct extract *extract, const struct style *style)
{
	struct dlprof_print_printing printing = { .out = &output->text,
						  .table = extract->table,
						  .pytorch = dlprof_is_pytorch(extract->table),
						  .terminal = style->terminal };
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		if (layouts[i].view != extract->table->view)
			continue;
		printing.title = layouts[i].title;
		printing.fields = layouts[i].fields;
	}
	return printing;
}

bool dlprof_print(struct output *output, const struct extract *extract, const struct style *style,
		  const struct progress *progress, struct error *error)
{
	struct dlprof_print_printing printing = dlprof_print_begin(output, extract, style);
	buffer_printf(printing.out, "%s\n", printing.title);
	dlprof_print_add_line(&printing, SIZE_MAX);
	for (size_t i = 0; i < extract->row_count; i++) {
		if (!format_go_on(extract, i, progress, error))
			return false;
		dlprof_print_add_line(&printing, extract->rows[i]);
		output_row(output);
	}
	return true;
}

/* ---- JSON ---- */

static void dlprof_print_add_name(const struct dlprof_print_printing *printing, const char *name,
				  size_t length)
{
	format_json_text(printing->out, name, length);
	buffer_puts(printing->out, ": ");
}

/* As in the CSV: flags are "yes" or "no", and a missing text is empty. */
static void add_json(const struct dlprof_print_printing *printing, size_t row, const char *id)
{
	int column = table_need(printing->table, id);
	struct value value = table_value(printing->table, row, (size_t)column);
	const struct column *of = printing->table->column[column];
	if (value.kind == VALUE_INT && of->unit == UNIT_FLAG)
		buffer_puts(printing->out, value.integer ? "\"yes\"" : "\"no\"");
	else if (value.kind == VALUE_MISSING && of->unit == UNIT_TEXT)
		buffer_puts(printing->out, "\"\"");
	else
		format_json_value(printing->out, of, value);
}

/* "Grid X,Grid Y,Grid Z" of "8,1,1" are three members. */
static void add_parts(const struct dlprof_print_printing *printing, size_t row,
		      const struct dlprof_print_field *field)
{
	struct value value = table_cell(printing->table, row, field->id);
	const char *at = value.kind == VALUE_TEXT ? value.text : "";
	const char *end = at + (value.kind == VALUE_TEXT ? value.length : 0);
	const char *separator = "";
	for (const char *title = field->title; *title; separator = ", ") {
		size_t length = strcspn(title, ",");
		const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
		size_t part = (size_t)((comma ? comma : end) - at);
		buffer_puts(printing->out, separator);
		dlprof_print_add_name(printing, title, length);
		if (part && strspn(at, "0123456789") >= part)
			buffer_add(printing->out, at, part);
		else
			buffer_puts(printing->out, "null");
		at += part + (comma != NULL);
		title += length + (title[length] == ',');
	}
}

static void add_object(const struct dlprof_print_printing *printing, size_t row)
{
	const char *separator = "{";
	for (const struct dlprof_print_field *field = printing->fields; field->title; field++) {
		if (!has_field(printing, field))
			continue;
		buffer_puts(printing->out, separator);
		separator = ", ";
		if (strchr(field->title, ',')) {
			add_parts(printing, row, field);
			continue;
		}
		dlprof_print_add_name(printing, field->title, strlen(field->title));
		add_json(printing, row, field->id);
	}
	buffer_putc(printing->out, '}');
}

static void add_titles(const struct dlprof_print_printing *printing)
{
	const char *separator = "";
	for (const struct dlprof_print_field *field = printing->fields; field->title; field++) {
		for (const char *title = field->title; has_field(printing, field) && *title;) {
			size_t length = strcspn(title, ",");
			buffer_puts(printing->out, separator);
			format_json_text(printing->out, title, length);
			title += length + (title[length] == ',');
			separator = ", ";
		}
	}
}

bool dlprof_print_json(struct output *output, const struct extract *extract,
		       const struct style *style, const struct progress *progress,
		       struct error *error)
{
	struct dlprof_print_printing printing = dlprof_print_begin(output, extract, style);
	buffer_puts(printing.out, "{\"title\": ");
	format_json_text(printing.out, printing.title, strlen(printing.title));
	buffer_puts(printing.out, ",\n\"columns\": [");
	add_titles(&printing);
	buffer_puts(printing.out, "],\n\"rows\": [");
	for (size_t i = 0; i < extract->row_count; i++) {
		if (!format_go_on(extract, i, progress, error))
			return false;
		buffer_puts(printing.out, i ? ",\n" : "\n");
		add_object(&printing, extract->rows[i]);
		output_row(output);
	}
	buffer_puts(printing.out, extract->row_count ? "\n]}\n" : "]}\n");
	return true;
}

/* ---- the summary ---- */

static bool same_section(const struct table *table, size_t a, size_t b)
{
	struct value x = table_value(table, a, 0), y = table_value(table, b, 0);
	return value_compare(x, y) == 0;
}

/* Title of a block, and a header if its lines are table rows. */
static void dlprof_print_add_block(const struct dlprof_print_printing *printing, size_t row,
				   bool first)
{
	struct value count = table_cell(printing->table, row, "count");
	struct value section = table_value(printing->table, row, 0);
	buffer_puts(printing->out, first ? "" : "\n");
	dlprof_print_add_text(printing, section);
	buffer_putc(printing->out, '\n');
	if (count.kind == VALUE_MISSING)
		return;
	buffer_puts(printing->out, ",GPU Time (ns),CPU Time (ns),# ");
	dlprof_print_add_text(printing,
			      value_bytes(section.text + 4, section.length - 4)); /* of "All Ops" */
	buffer_putc(printing->out, '\n');
}

static void dlprof_print_add_fact(const struct dlprof_print_printing *printing, size_t row)
{
	struct value value = table_cell(printing->table, row, "value");
	dlprof_print_add_value(printing, row, "metric", PLAIN);
	buffer_putc(printing->out, ',');
	if (value.kind != VALUE_MISSING) {
		dlprof_print_add_value(printing, row, "value", PLAIN);
	} else {
		dlprof_print_add_value(printing, row, "gpu_total_ns", PLAIN);
		buffer_putc(printing->out, ',');
		dlprof_print_add_value(printing, row, "cpu_total_ns", PLAIN);
		buffer_putc(printing->out, ',');
		dlprof_print_add_value(printing, row, "count", PLAIN);
	}
	buffer_putc(printing->out, '\n');
}

bool dlprof_print_summary(struct output *output, const struct extract *extract,
			  const struct style *style, const struct progress *progress,
			  struct error *error)
{
	struct dlprof_print_printing printing = { .out = &output->text,
						  .table = extract->table,
						  .terminal = style->terminal };
	for (size_t i = 0; i < extract->row_count; i++) {
		size_t row = extract->rows[i];
		if (!format_go_on(extract, i, progress, error))
			return false;
		if (!i || !same_section(extract->table, extract->rows[i - 1], row))
			dlprof_print_add_block(&printing, row, i == 0);
		dlprof_print_add_fact(&printing, row);
		output_row(output);
	}
	return true;
}

/* A line of a table has three values; the third is titled "# Ops" of the section "All Ops". */
static void add_member(const struct dlprof_print_printing *printing, size_t row)
{
	char counted[40];
	const struct {
		const char *title, *id;
	} cells[] = { { "GPU Time (ns)", "gpu_total_ns" },
		      { "CPU Time (ns)", "cpu_total_ns" },
		      { counted, "count" } };
	struct value name = table_cell(printing->table, row, "metric");
	struct value value = table_cell(printing->table, row, "value");
	dlprof_print_add_name(printing, name.text, name.length);
	if (value.kind != VALUE_MISSING) {
		add_json(printing, row, "value");
		return;
	}
	snprintf(counted, sizeof counted, "# %s", table_value(printing->table, row, 0).text + 4);
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		buffer_puts(printing->out, i ? ", " : "{");
		dlprof_print_add_name(printing, cells[i].title, strlen(cells[i].title));
		add_json(printing, row, cells[i].id);
	}
	buffer_putc(printing->out, '}');
}

bool dlprof_print_summary_json(struct output *output, const struct extract *extract,
			       const struct style *style, const struct progress *progress,
			       struct error *error)
{
	struct dlprof_print_printing printing = dlprof_print_begin(output, extract, style);
	buffer_puts(printing.out, "{");
	for (size_t i = 0; i < extract->row_count; i++) {
		size_t row = extract->rows[i];
		bool first = !i || !same_section(extract->table, extract->rows[i - 1], row);
		if (!format_go_on(extract, i, progress, error))
			return false;
		if (first) {
			struct value section = table_value(extract->table, row, 0);
			buffer_puts(printing.out, i ? "\n},\n" : "\n");
			dlprof_print_add_name(&printing, section.text, section.length);
		}
		buffer_puts(printing.out, first ? "{\n " : ",\n ");
		add_member(&printing, row);
		output_row(output);
	}
	buffer_puts(printing.out, extract->row_count ? "\n}\n}\n" : "}\n");
	return true;
}
