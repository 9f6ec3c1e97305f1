/*
 * Lists of events that nsys stats writes as CSV: cuda_gpu_trace (kernels, copies, memsets) and
 * cuda_api_trace (calls).
 */
#include "input/timeline_rows.h"
#include "input/csv.h"
#include "input/cuda/cuda_names.h"
#include "input/readers.h"

#include <math.h>
#include <stdlib.h>

enum { NSYS_TRACE_COLUMNS(CSV_COLUMN) COLUMNS };
static const char *const names[] = { NSYS_TRACE_COLUMNS(CSV_NAMES) };

struct list {
	struct profile *profile;
	struct builder *builder;
	struct csv csv;
};

/* Megabytes, of 10^6 bytes and rounded to 1000. */
static int64_t megabytes(const struct list *list, int column)
{
	double value = csv_real(&list->csv, (size_t)column);
	return value >= 0 && value < 9e12 ? llround(value * 1e6) : NO_VALUE;
}

/* ---- work on a GPU ---- */

/* "NVIDIA A100 (3)" is device 3, with that name. */
static int32_t nsys_trace_csv_device_of(const struct list *list)
{
	const char *text = csv_cell(&list->csv, DEVICE), *open = strrchr(text, '(');
	long number = open ? strtol(open + 1, NULL, 10) : 0;
	if (number < 0 || number > INT32_MAX)
		number = 0;
	struct device *device = open ? builder_device(list->builder, (int32_t)number) : NULL;
	size_t length = open ? (size_t)(open - text) : 0;
	while (length && text[length - 1] == ' ')
		length--;
	if (device && length)
		device->name = intern_add(list->profile->strings, text, length);
	return (int32_t)number;
}

/* "[CUDA memcpy Host-to-Device]" or "[CUDA memcpy HtoD]" */
static uint32_t copy_name(const struct list *list)
{
	const char *direction = cuda_copy_direction(csv_cell(&list->csv, NAME)) ?: "?";
	const char *from = csv_cell(&list->csv, FROM), *to = csv_cell(&list->csv, TO);
	if (*from && *to)
		return profile_print(list->profile, "Memcpy %s (%.40s -> %.40s)", direction, from,
				     to);
	return profile_print(list->profile, "Memcpy %s", direction);
}

static uint32_t nsys_trace_csv_config_of(const struct list *list)
{
	struct launch_config config = launch_config_unknown();
	int64_t fixed = megabytes(list, STATIC), dynamic = megabytes(list, DYNAMIC);
	for (int i = 0; i < 3; i++) {
		config.grid[i] = cuda_small(csv_int(&list->csv, GRID_X + i));
		config.block[i] = cuda_small(csv_int(&list->csv, BLOCK_X + i));
	}
	config.regs_per_thread = cuda_small(csv_int(&list->csv, REGISTERS));
	config.shared_mem_bytes = fixed < 0 || dynamic < 0 ? -1 : fixed + dynamic;
	return builder_config(list->builder, &config);
}

static void nsys_trace_csv_add_work(struct list *list, int64_t start, int64_t dur)
{
	const char *name = csv_cell(&list->csv, NAME);
	struct activity activity = activity_of(strstr(name, "[CUDA memcpy")   ? ACTIVITY_MEMCPY
					       : strstr(name, "[CUDA memset") ? ACTIVITY_MEMSET
									      : ACTIVITY_KERNEL);
	activity.start = start;
	activity.dur = dur;
	activity.correlation = csv_int(&list->csv, CORRELATION);
	activity.bytes = megabytes(list, BYTES);
	activity.name = activity.kind == ACTIVITY_MEMCPY ? copy_name(list)
			: activity.kind == ACTIVITY_MEMSET
				? profile_intern(list->profile, "Memset (Device)")
				: profile_intern(list->profile, name);
	if (activity.kind == ACTIVITY_KERNEL)
		activity.config = nsys_trace_csv_config_of(list);
	activity.track =
		builder_track(list->builder, builder_process(list->builder, NO_VALUE, 0),
			      csv_int(&list->csv, STREAM), 0, nsys_trace_csv_device_of(list));
	builder_activity(list->builder, &activity);
}

/* ---- calls ---- */

static void nsys_trace_csv_add_call(struct list *list, int64_t start, int64_t dur)
{
	struct call_info info = { csv_int(&list->csv, CORRELATION), NO_VALUE };
	uint32_t process = builder_process(list->builder, csv_int(&list->csv, PROCESS), 0);
	uint32_t track = builder_track(list->builder, process, csv_int(&list->csv, THREAD), 0, -1);
	builder_span(list->builder, SPAN_RUNTIME, track,
		     profile_intern(list->profile, csv_cell(&list->csv, NAME)), start, dur,
		     builder_call_info(list->builder, &info));
}

/* ---- the whole ---- */

static void nsys_trace_csv_add_row(struct list *list)
{
	int64_t start = csv_int(&list->csv, START), dur = csv_int(&list->csv, DURATION), end;
	list->profile->events++;
	if (start == NO_VALUE || dur < 0 || __builtin_add_overflow(start, dur, &end))
		profile_skip(list->profile, "row without times");
	else if (csv_has(&list->csv, STREAM))
		nsys_trace_csv_add_work(list, start, dur);
	else
		nsys_trace_csv_add_call(list, start, dur);
}

static bool read_list(struct input *input)
{
	struct list list = { .profile = input->profile,
			     .builder = input->builder,
			     .csv = csv_open(input->text.data, input->text.length, "reading events",
					     input->progress) };
	csv_select(&list.csv, names, COLUMNS);
	while (csv_next(&list.csv))
		if (list.csv.count > 1)
			nsys_trace_csv_add_row(&list);
	return csv_close(&list.csv);
}

static bool nsys_trace_csv_recognize(const char *head, size_t length)
{
	size_t first = strcspn(head, "\r\n");
	return strncmp(head, "Start (ns),Duration (ns),", 25) == 0 &&
	       (memmem(head, first, ",Strm,", 6) || memmem(head, first, ",CorrID,Pid,Tid", 15)) &&
	       memmem(head, first, "Name", 4);
}

const struct reader nsys_trace_csv_reader = { .format = "nsys stats list (CSV)",
					      .recognize = nsys_trace_csv_recognize,
					      .text_max = SOURCE_TEXT_MAX,
					      .read = read_list,
					      .empty = "is a list of nsys without events" };
