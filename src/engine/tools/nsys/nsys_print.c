/*
 * Formats `nsys stats` reports: columns, CSV, JSON.
 */
#include "base/text.h"
#include "report/preset.h"
#include "tools/nsys/nsys_views.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH_MAX = 100 }; /* texts in columns; longer ones end in an ellipsis */

enum nsys_print_print {
	WHOLE,
	TENTHS,
	MEGABYTES,
	NUMBER,
	TEXT
}; /* NUMBER: an identifier, without digit groups */

struct nsys_print_field {
	const char *title, *id;
	enum nsys_print_print print;
};

static const struct nsys_print_field fields[] = {
	{ "Time (%)", "share_pct", TENTHS },
	{ "Total Time (ns)", "total_ns", WHOLE },
	{ "Total (MB)", "total_bytes", MEGABYTES },
	{ NULL, "calls", WHOLE }, /* named differently in each report */
	{ "Avg (ns)", "avg_ns", TENTHS },
	{ "Med (ns)", "median_ns", TENTHS },
	{ "Min (ns)", "min_ns", WHOLE },
	{ "Max (ns)", "max_ns", WHOLE },
	{ "StdDev (ns)", "stddev_ns", TENTHS },
	{ "Avg (MB)", "avg_bytes", MEGABYTES },
	{ "Med (MB)", "median_bytes", MEGABYTES },
	{ "Min (MB)", "min_bytes", MEGABYTES },
	{ "Max (MB)", "max_bytes", MEGABYTES },
	{ "StdDev (MB)", "stddev_bytes", MEGABYTES },
	{ "Style", "style", TEXT },
	{ "GridXYZ", "grid_xyz", TEXT },
	{ "BlockXYZ", "block_xyz", TEXT },
	{ "Category", "kind", TEXT },
	{ "Source", "message_class", TEXT },
	{ NULL, "name", TEXT },
};

static const struct nsys_print_field projection_fields[] = {
	{ "Range", "name", TEXT },
	{ "Style", "style", TEXT },
	{ "Total Proj Time (ns)", "total_ns", WHOLE },
	{ "Total Range Time (ns)", "range_ns", WHOLE },
	{ "Range Instances", "calls", WHOLE },
	{ "Proj Avg (ns)", "avg_ns", TENTHS },
	{ "Proj Med (ns)", "median_ns", TENTHS },
	{ "Proj Min (ns)", "min_ns", WHOLE },
	{ "Proj Max (ns)", "max_ns", WHOLE },
	{ "Proj StdDev (ns)", "stddev_ns", TENTHS },
	{ "Total GPU Ops", "gpu_ops", WHOLE },
	{ "Avg GPU Ops", "avg_gpu_ops", TENTHS },
	{ "Avg Range Lvl", "avg_level", TENTHS },
	{ "Avg Num Child", "avg_children", TENTHS },
};

static const struct nsys_print_field range_kernel_fields[] = {
	{ "NVTX Range", "range", TEXT },
	{ "Style", "style", TEXT },
	{ "PID", "pid", NUMBER },
	{ "TID", "tid", NUMBER },
	{ "NVTX Inst", "range_calls", WHOLE },
	{ "Kern Inst", "calls", WHOLE },
	{ "Total Time (ns)", "total_ns", WHOLE },
	{ "Avg (ns)", "avg_ns", TENTHS },
	{ "Med (ns)", "median_ns", TENTHS },
	{ "Min (ns)", "min_ns", WHOLE },
	{ "Max (ns)", "max_ns", WHOLE },
	{ "StdDev (ns)", "stddev_ns", TENTHS },
	{ "Kernel Name", "name", TEXT },
};

#define PHASE(letter, id)                                                                          \
	{ letter "Avg (ns)", id "_avg_ns", TENTHS },                                               \
		{ letter "Med (ns)", id "_median_ns", TENTHS },                                    \
		{ letter "Min (ns)", id "_min_ns", WHOLE },                                        \
		{ letter "Max (ns)", id "_max_ns", WHOLE },                                        \
	{                                                                                          \
		letter "StdDev (ns)", id "_stddev_ns", TENTHS                                      \
	}

static const struct nsys_print_field launch_fields[] = {
	{ "PID", "pid", NUMBER },
	{ "TID", "tid", NUMBER },
	{ "DevId", "device_id", NUMBER },
	{ "Count", "calls", WHOLE },
	{ "QCount", "queued", WHOLE },
	PHASE("T", "whole"),
	PHASE("A", "api"),
	PHASE("Q", "queue"),
	PHASE("K", "kernel"),
	{ "API Name", "api_name", TEXT },
	{ "Kernel Name", "name", TEXT },
};

static const struct nsys_print_field call_event_fields[] = {
	{ "Start (ns)", "clock_ns", WHOLE },
	{ "Duration (ns)", "dur_ns", WHOLE },
	{ "Name", "api_name", TEXT },
	{ "Result", "result", NUMBER },
	{ "CorrID", "correlation", NUMBER },
	{ "Pid", "pid", NUMBER },
	{ "Tid", "tid", NUMBER },
	{ "T-Pri", "priority", NUMBER },
	{ "Thread Name", "thread_name", TEXT },
};

static const struct nsys_print_field work_event_fields[] = {
	{ "Start (ns)", "clock_ns", WHOLE },
	{ "Duration (ns)", "dur_ns", WHOLE },
	{ "CorrId", "correlation", NUMBER },
	{ "GrdX", "grid_x", NUMBER },
	{ "GrdY", "grid_y", NUMBER },
	{ "GrdZ", "grid_z", NUMBER },
	{ "BlkX", "block_x", NUMBER },
	{ "BlkY", "block_y", NUMBER },
	{ "BlkZ", "block_z", NUMBER },
	{ "Reg/Trd", "regs_per_thread", NUMBER },
	{ "StcSMem (MB)", "static_bytes", MEGABYTES },
	{ "DymSMem (MB)", "dynamic_bytes", MEGABYTES },
	{ "Bytes (MB)", "bytes", MEGABYTES },
	{ "Throughput (MB/s)", "bytes_per_s", MEGABYTES },
	{ "SrcMemKd", "source_memory", TEXT },
	{ "DstMemKd", "target_memory", TEXT },
	{ "Device", "gpu_name", TEXT },
	{ "Ctx", "context", NUMBER },
	{ "GreenCtx", "green_context", NUMBER },
	{ "Strm", "stream", NUMBER },
	{ "Name", "name", TEXT },
};

static const struct nsys_print_field launch_event_fields[] = {
	{ "API Start (ns)", "api_clock_ns", WHOLE },
	{ "API Dur (ns)", "api_dur_ns", WHOLE },
	{ "Queue Start (ns)", "queue_clock_ns", WHOLE },
	{ "Queue Dur (ns)", "queue_ns", WHOLE },
	{ "Kernel Start (ns)", "gpu_clock_ns", WHOLE },
	{ "Kernel Dur (ns)", "dur_ns", WHOLE },
	{ "Total Dur (ns)", "whole_ns", WHOLE },
	{ "PID", "pid", NUMBER },
	{ "TID", "tid", NUMBER },
	{ "DevId", "device_id", NUMBER },
	{ "API Function", "api_name", TEXT },
	{ "GridXYZ", "grid_xyz", TEXT },
	{ "BlockXYZ", "block_xyz", TEXT },
	{ "Kernel Name", "name", TEXT },
};

static const struct nsys_print_field message_event_fields[] = {
	{ "Start (ns)", "clock_ns", WHOLE },
	{ "End (ns)", "clock_end_ns", WHOLE },
	{ "Duration (ns)", "dur_ns", WHOLE },
	{ "Event", "function", TEXT },
	{ "Pid", "pid", NUMBER },
	{ "Tid", "tid", NUMBER },
	{ "Tag", "tag", NUMBER },
	{ "Rank", "rank", NUMBER },
	{ "PeerRank", "peer_rank", NUMBER },
	{ "RootRank", "root_rank", NUMBER },
	{ "Size (MB)", "message_bytes", MEGABYTES },
	{ "CollSendSize (MB)", "sent_bytes", MEGABYTES },
	{ "CollRecvSize (MB)", "received_bytes", MEGABYTES },
};

static const struct nsys_print_field pushed_event_fields[] = {
	{ "Start (ns)", "clock_ns", WHOLE },
	{ "End (ns)", "clock_end_ns", WHOLE },
	{ "Duration (ns)", "dur_ns", WHOLE },
	{ "DurChild (ns)", "children_ns", WHOLE },
	{ "DurNonChild (ns)", "self_ns", WHOLE },
	{ "Name", "name", TEXT },
	{ "PID", "pid", NUMBER },
	{ "TID", "tid", NUMBER },
	{ "Lvl", "level", NUMBER },
	{ "NumChild", "range_children", WHOLE },
	{ "RangeId", "range_id", NUMBER },
	{ "ParentId", "parent_id", NUMBER },
	{ "RangeStack", "range_stack", TEXT },
	{ "NameTree", "name_tree", TEXT },
};

static const struct nsys_print_field projection_event_fields[] = {
	{ "Name", "name", TEXT },
	{ "Projected Start (ns)", "gpu_clock_ns", WHOLE },
	{ "Projected Duration (ns)", "gpu_span_ns", WHOLE },
	{ "Orig Start (ns)", "clock_ns", WHOLE },
	{ "Orig Duration (ns)", "dur_ns", WHOLE },
	{ "Style", "style", TEXT },
	{ "PID", "pid", NUMBER },
	{ "TID", "tid", NUMBER },
	{ "NumGPUOps", "gpu_ops", WHOLE },
	{ "Lvl", "level", NUMBER },
	{ "NumChild", "range_children", WHOLE },
	{ "RangeId", "range_id", NUMBER },
	{ "ParentId", "parent_id", NUMBER },
	{ "RangeStack", "range_stack", TEXT },
};

static const struct nsys_print_field migration_fields[] = {
	{ "Virtual Address", "address", TEXT },
	{ "HtoD Migration size (MB)", "htod_bytes", MEGABYTES },
	{ "DtoH Migration size (MB)", "dtoh_bytes", MEGABYTES },
	{ "CPU Page Faults", "host_faults", WHOLE },
	{ " GPU Page Faults", "device_faults", WHOLE },
	{ "Migration Throughput (MB/s)", "bytes_per_s", MEGABYTES },
};

static const struct nsys_print_field migration_total_fields[] = {
	{ "Total HtoD Migration Size (MB)", "htod_bytes", MEGABYTES },
	{ "Total DtoH Migration Size (MB)", "dtoh_bytes", MEGABYTES },
	{ "Total CPU Page Faults", "host_faults", WHOLE },
	{ "Total GPU PageFaults", "device_faults", WHOLE },
	{ "Minimum Virtual Address", "min_address", TEXT },
	{ "Maximum Virtual Address", "max_address", TEXT },
};

static const struct nsys_print_field fault_fields[] = {
	{ "CPU Page Faults", "host_faults", WHOLE },
	{ "CPU Instruction Address", "function", TEXT },
	{ "Source File", "file", TEXT },
	{ "Source Line", "line", NUMBER },
};

#define OWN(list) list, sizeof list / sizeof *list
#define SUMS(calls, name) OWN(fields), calls, name

enum { FIELDS_MAX = 32 };
_Static_assert(sizeof launch_fields / sizeof *launch_fields <= FIELDS_MAX, "no report is wider");

static const struct nsys_print_report {
	const struct view *view;
	const char *title;
	const struct nsys_print_field *field;
	size_t count;
	const char *calls, *name;
} reports[] = {
	{ &view_nsys_kernels, "CUDA GPU Kernel Summary", SUMS("Instances", "Name") },
	{ &view_nsys_shapes, "CUDA GPU Kernel/Grid/Block Summary", SUMS("Instances", "Name") },
	{ &view_nsys_calls, "CUDA API Summary", SUMS("Num Calls", "Name") },
	{ &view_nsys_ranges, "NVTX Range Summary", SUMS("Instances", "Range") },
	{ &view_nsys_pushed, "NVTX Push/Pop Range Summary", SUMS("Instances", "Range") },
	{ &view_nsys_started, "NVTX Start/End Range Summary", SUMS("Instances", "Range") },
	{ &view_nsys_projection, "NVTX GPU Projection Summary", OWN(projection_fields), NULL,
	  NULL },
	{ &view_nsys_range_kernels, "NVTX GPU Kernel Summary", OWN(range_kernel_fields), NULL,
	  NULL },
	{ &view_nsys_launches, "CUDA Kernel Launch & Exec Time Summary", OWN(launch_fields), NULL,
	  NULL },
	{ &view_nsys_work, "CUDA GPU Summary (Kernels/MemOps)", SUMS("Instances", "Operation") },
	{ &view_nsys_work_and_calls, "CUDA Summary (API/Kernels/MemOps)",
	  SUMS("Instances", "Operation") },
	{ &view_nsys_copy_times, "CUDA GPU MemOps Summary (by Time)", SUMS("Count", "Operation") },
	{ &view_nsys_copy_sizes, "CUDA GPU MemOps Summary (by Size)", SUMS("Count", "Operation") },
	{ &view_nsys_system_calls, "OS Runtime Summary", SUMS("Num Calls", "Name") },
	{ &view_nsys_openmp, "OpenMP Summary", SUMS("Count", "Name") },
	{ &view_nsys_openacc, "OpenACC Summary", SUMS("Count", "Name") },
	{ &view_nsys_messages, "MPI Event Summary", SUMS("Instances", "Name") },
	{ &view_nsys_call_events, "CUDA API Trace", OWN(call_event_fields), NULL, NULL },
	{ &view_nsys_work_events, "CUDA GPU Trace", OWN(work_event_fields), NULL, NULL },
	{ &view_nsys_launch_events, "CUDA Kernel Launch & Exec Time Trace",
	  OWN(launch_event_fields), NULL, NULL },
	{ &view_nsys_message_events, "MPI Event Trace", OWN(message_event_fields), NULL, NULL },
	{ &view_nsys_pushed_events, "NVTX Push/Pop Range Trace", OWN(pushed_event_fields), NULL,
	  NULL },
	{ &view_nsys_projection_events, "NVTX GPU Projection Trace", OWN(projection_event_fields),
	  NULL, NULL },
	{ &view_nsys_migrations, "Unified Memory Analysis Summary", OWN(migration_fields), NULL,
	  NULL },
	{ &view_nsys_migration_totals, "Unified Memory Totals Summary", OWN(migration_total_fields),
	  NULL, NULL },
	{ &view_nsys_faults, "Unified Memory CPU Page Faults Summary", OWN(fault_fields), NULL,
	  NULL },
};

struct nsys_print_printing {
	struct buffer *out;
	const struct extract *extract;
	const struct nsys_print_report *report;
	bool terminal;
	const struct nsys_print_field *field[FIELDS_MAX]; /* of the report's columns */
	size_t column[FIELDS_MAX], width[FIELDS_MAX], count;
	struct buffer cell;
};

static const char *nsys_print_title_of(const struct nsys_print_printing *printing,
				       const struct nsys_print_field *field)
{
	return field->title           ? field->title
	       : field->print == TEXT ? printing->report->name
				      : printing->report->calls;
}

static struct nsys_print_printing
printing_begin(struct output *output, const struct extract *extract, const struct style *style)
{
	struct nsys_print_printing printing = {
		.out = &output->text,
		.extract = extract,
		.terminal = style->terminal,
		.report = &reports[0],
	};
	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
		if (reports[i].view == extract->table->view)
			printing.report = &reports[i];
	for (size_t i = 0; i < printing.report->count; i++) {
		const struct nsys_print_field *field = &printing.report->field[i];
		int column = table_column(extract->table, field->id);
		if (column < 0)
			continue;
		printing.field[printing.count] = field;
		printing.column[printing.count++] = (size_t)column;
	}
	return printing;
}

/* ---- numbers ---- */

/* As SQLite's round(x, 1): half away from zero. */
static double round_tenths(double value)
{
	return fabs(value) < 1e14 ? round(value * 10) / 10 : value;
}

static void add_number(struct buffer *out, struct value value, enum nsys_print_print print)
{
	double real = value.kind == VALUE_INT ? (double)value.integer : value.real;
	if (print == MEGABYTES)
		buffer_printf(out, "%.3f", real / 1e6);
	else if (value.kind == VALUE_INT)
		buffer_printf(out, "%" PRId64, value.integer);
	else
		buffer_printf(out, "%.1f", round_tenths(real));
}

/* Insert separators between groups of three digits. */
static void group_digits(struct buffer *cell)
{
	size_t digits = strcspn(buffer_text(cell), ".");
	struct buffer grouped = { 0 };
	for (size_t i = 0; i < cell->length; i++) {
		buffer_putc(&grouped, cell->data[i]);
		if (i + 1 < digits && (digits - i - 1) % 3 == 0 && cell->data[i] != '-')
			buffer_putc(&grouped, ',');
	}
	buffer_free(cell);
	*cell = grouped;
}

/* ---- columns ---- */

/* Number of code points in the cell. */
static size_t points_of(const struct buffer *cell, size_t max, size_t *bytes)
{
	size_t at = 0, points = 0;
	int32_t point;
	for (; at < cell->length && points < max; points++)
		at += text_decode(cell->data + at, cell->length - at, &point);
	*bytes = at;
	return points;
}

static size_t parse_cell(struct nsys_print_printing *printing, uint32_t row, size_t field)
{
	size_t bytes, points;
	struct buffer *cell = &printing->cell;
	struct value value = table_value(printing->extract->table, row, printing->column[field]);
	buffer_clear(cell);
	if (value.kind == VALUE_TEXT)
		format_text(cell, value.text, value.length, printing->terminal);
	else if (value.kind != VALUE_MISSING)
		add_number(cell, value, printing->field[field]->print);
	if (value.kind != VALUE_TEXT && printing->field[field]->print != NUMBER && cell->length)
		group_digits(cell);
	points = points_of(cell, SIZE_MAX, &bytes);
	if (points <= WIDTH_MAX)
		return points;
	points_of(cell, WIDTH_MAX - 1, &bytes);
	cell->length = bytes;
	buffer_puts(cell, "…");
	return WIDTH_MAX;
}

static void add_blanks(struct buffer *out, size_t count)
{
	buffer_printf(out, "%*s", (int)count, "");
}

static void nsys_print_add_row(struct nsys_print_printing *printing, uint32_t row)
{
	for (size_t i = 0; i < printing->count; i++) {
		size_t blanks = printing->width[i] - parse_cell(printing, row, i);
		bool left = printing->field[i]->print == TEXT;
		buffer_puts(printing->out, i ? "  " : " ");
		add_blanks(printing->out, left ? 0 : blanks);
		buffer_puts(printing->out, buffer_text(&printing->cell));
		add_blanks(printing->out, left ? blanks : 0);
	}
	buffer_putc(printing->out, '\n');
}

static void add_header(struct nsys_print_printing *printing)
{
	struct buffer *out = printing->out;
	for (size_t i = 0; i < printing->count; i++) {
		const char *title = nsys_print_title_of(printing, printing->field[i]);
		size_t blanks = printing->width[i] - strlen(title);
		buffer_puts(out, i ? "  " : " ");
		add_blanks(out, blanks / 2);
		buffer_puts(out, title);
		add_blanks(out, blanks - blanks / 2);
	}
	buffer_putc(out, '\n');
	for (size_t i = 0; i < printing->count; i++) {
		buffer_puts(out, i ? "  " : " ");
		for (size_t j = 0; j < printing->width[i]; j++)
			buffer_putc(out, '-');
	}
	buffer_putc(out, '\n');
}

bool nsys_print(struct output *output, const struct extract *extract, const struct style *style,
		const struct progress *progress, struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	bool done = true;
	for (size_t i = 0; i < printing.count; i++) {
		printing.width[i] = strlen(nsys_print_title_of(&printing, printing.field[i]));
		for (size_t row = 0; row < extract->row_count; row++) {
			size_t width = parse_cell(&printing, extract->rows[row], i);
			printing.width[i] = width > printing.width[i] ? width : printing.width[i];
		}
	}
	if (extract->row_count) {
		buffer_printf(printing.out, "\n ** %s (%s):\n\n", printing.report->title,
			      strchr(extract->table->view->name, '-') + 1);
		add_header(&printing);
	}
	for (size_t row = 0; row < extract->row_count && done; row++) {
		done = format_go_on(extract, row, progress, error);
		nsys_print_add_row(&printing, extract->rows[row]);
		output_row(output);
	}
	if (extract->row_count)
		buffer_putc(printing.out, '\n');
	buffer_free(&printing.cell);
	return done;
}

/* ---- CSV and JSON ---- */

bool nsys_print_csv(struct output *output, const struct extract *extract, const struct style *style,
		    const struct progress *progress, struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	for (size_t i = 0; i < printing.count; i++)
		buffer_printf(printing.out, "%s%s", i ? "," : "",
			      nsys_print_title_of(&printing, printing.field[i]));
	buffer_putc(printing.out, '\n');
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		for (size_t i = 0; i < printing.count; i++) {
			struct value value =
				table_value(extract->table, extract->rows[row], printing.column[i]);
			buffer_puts(printing.out, i ? "," : "");
			if (value.kind == VALUE_TEXT)
				format_csv_text(printing.out, value.text, value.length,
						printing.terminal);
			else if (value.kind != VALUE_MISSING)
				add_number(printing.out, value, printing.field[i]->print);
		}
		buffer_putc(printing.out, '\n');
		output_row(output);
	}
	return true;
}

static void add_object(const struct nsys_print_printing *printing, uint32_t row)
{
	struct buffer *out = printing->out;
	for (size_t i = 0; i < printing->count; i++) {
		const char *title = nsys_print_title_of(printing, printing->field[i]);
		struct value value =
			table_value(printing->extract->table, row, printing->column[i]);
		buffer_puts(out, i ? "," : "{");
		format_json_text(out, title, strlen(title));
		buffer_putc(out, ':');
		if (value.kind == VALUE_TEXT)
			format_json_text(out, value.text, value.length);
		else if (value.kind == VALUE_MISSING)
			buffer_puts(out, "null");
		else
			add_number(out, value, printing->field[i]->print);
	}
	buffer_putc(out, '}');
}

bool nsys_print_json(struct output *output, const struct extract *extract,
		     const struct style *style, const struct progress *progress,
		     struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	buffer_putc(printing.out, '[');
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		buffer_puts(printing.out, row ? ",\n" : "\n");
		add_object(&printing, extract->rows[row]);
		output_row(output);
	}
	buffer_puts(printing.out, extract->row_count ? "\n]\n" : "]\n");
	return true;
}
