/*
 * Lists of events that nsys stats writes as CSV: cuda_gpu_trace (kernels, copies, memsets) and
 * cuda_api_trace (calls).
 */
#include "base/error.h"
#include "input/csv.h"
#include "input/cuda/cuda_names.h"
#include "input/json.h"
#include "input/readers.h"
#include "input/source_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	START,
	DURATION,
	CORRELATION,
	GRID_X,
	GRID_Y,
	GRID_Z,
	BLOCK_X,
	BLOCK_Y,
	BLOCK_Z,
	REGISTERS,
	STATIC,
	DYNAMIC,
	BYTES,
	FROM,
	TO,
	DEVICE,
	STREAM,
	PROCESS,
	THREAD,
	NAME,
	COLUMNS
};

static const char *const names[COLUMNS] = {
	[START] = "Start (ns)",
	[DURATION] = "Duration (ns)",
	[CORRELATION] = "CorrId|CorrID",
	[GRID_X] = "GrdX",
	[GRID_Y] = "GrdY",
	[GRID_Z] = "GrdZ",
	[BLOCK_X] = "BlkX",
	[BLOCK_Y] = "BlkY",
	[BLOCK_Z] = "BlkZ",
	[REGISTERS] = "Reg/Trd",
	[STATIC] = "StcSMem (MB)",
	[DYNAMIC] = "DymSMem (MB)",
	[BYTES] = "Bytes (MB)",
	[FROM] = "SrcMemKd",
	[TO] = "DstMemKd",
	[DEVICE] = "Device",
	[STREAM] = "Strm",
	[PROCESS] = "Pid",
	[THREAD] = "Tid",
	[NAME] = "Name",
};

struct list {
	struct profile *profile;
	struct builder *builder;
	struct csv csv;
	size_t place[COLUMNS];
};

static const char *nsys_trace_csv_cell(const struct list *list, int column)
{
	return csv_field(&list->csv, list->place[column]);
}

static int64_t whole(const struct list *list, int column)
{
	const char *text = nsys_trace_csv_cell(list, column);
	struct json_slice slice = { text, strlen(text), JSON_NUMBER, false };
	int64_t value;
	return *text && json_id(&slice, &value) ? value : NO_VALUE;
}

/* Megabytes, of 10^6 bytes and rounded to 1000. */
static int64_t megabytes(const struct list *list, int column)
{
	const char *text = nsys_trace_csv_cell(list, column);
	struct json_slice slice = { text, strlen(text), JSON_NUMBER, false };
	double value;
	return *text && json_real(&slice, &value) && value >= 0 && value < 9e12
		       ? llround(value * 1e6)
		       : NO_VALUE;
}

/* ---- work on a GPU ---- */

/* "NVIDIA A100 (3)" is device 3, with that name. */
static int32_t nsys_trace_csv_device_of(const struct list *list)
{
	const char *text = nsys_trace_csv_cell(list, DEVICE), *open = strrchr(text, '(');
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
	static const struct {
		const char *word, *direction;
	} words[] = {
		{ "Host-to-Device", "HtoD" },
		{ "Device-to-Host", "DtoH" },
		{ "Device-to-Device", "DtoD" },
		{ "Peer-to-Peer", "PtoP" },
		{ "Host-to-Host", "HtoH" },
		{ "HtoD", "HtoD" },
		{ "DtoH", "DtoH" },
		{ "DtoD", "DtoD" },
		{ "PtoP", "PtoP" },
		{ "HtoH", "HtoH" },
	};
	const char *direction = "?", *from = nsys_trace_csv_cell(list, FROM),
		   *to = nsys_trace_csv_cell(list, TO);
	for (size_t i = sizeof words / sizeof *words; i-- > 0;)
		if (strstr(nsys_trace_csv_cell(list, NAME), words[i].word))
			direction = words[i].direction;
	if (*from && *to)
		return profile_print(list->profile, "Memcpy %s (%.40s -> %.40s)", direction, from,
				     to);
	return profile_print(list->profile, "Memcpy %s", direction);
}

static uint32_t nsys_trace_csv_config_of(const struct list *list)
{
	struct launch_config config;
	int64_t fixed = megabytes(list, STATIC), dynamic = megabytes(list, DYNAMIC);
	memset(&config, 0, sizeof config); /* compared bytewise */
	for (int i = 0; i < 3; i++) {
		config.grid[i] = cuda_small(whole(list, GRID_X + i));
		config.block[i] = cuda_small(whole(list, BLOCK_X + i));
	}
	config.regs_per_thread = cuda_small(whole(list, REGISTERS));
	config.shared_mem_bytes = fixed < 0 || dynamic < 0 ? -1 : fixed + dynamic;
	config.blocks_per_sm = config.warps_per_sm = config.occupancy_pct = NAN;
	return builder_config(list->builder, &config);
}

static void nsys_trace_csv_add_work(struct list *list, int64_t start, int64_t dur)
{
	const char *name = nsys_trace_csv_cell(list, NAME);
	struct activity activity = {
		.kind = strstr(name, "[CUDA memcpy")   ? ACTIVITY_MEMCPY
			: strstr(name, "[CUDA memset") ? ACTIVITY_MEMSET
						       : ACTIVITY_KERNEL,
		.start = start,
		.dur = dur,
		.correlation = whole(list, CORRELATION),
		.external = NO_VALUE,
		.bytes = megabytes(list, BYTES),
		.config = NO_ROW,
	};
	activity.name = activity.kind == ACTIVITY_MEMCPY ? copy_name(list)
			: activity.kind == ACTIVITY_MEMSET
				? profile_intern(list->profile, "Memset (Device)")
				: profile_intern(list->profile, name);
	if (activity.kind == ACTIVITY_KERNEL)
		activity.config = nsys_trace_csv_config_of(list);
	activity.track = builder_track(list->builder, builder_process(list->builder, NO_VALUE, 0),
				       whole(list, STREAM), 0, nsys_trace_csv_device_of(list));
	builder_activity(list->builder, &activity);
}

/* ---- calls ---- */

static void nsys_trace_csv_add_call(struct list *list, int64_t start, int64_t dur)
{
	struct call_info info = { whole(list, CORRELATION), NO_VALUE };
	uint32_t process = builder_process(list->builder, whole(list, PROCESS), 0);
	uint32_t track = builder_track(list->builder, process, whole(list, THREAD), 0, -1);
	builder_span(list->builder, SPAN_RUNTIME, track,
		     profile_intern(list->profile, nsys_trace_csv_cell(list, NAME)), start, dur,
		     builder_call_info(list->builder, &info));
}

/* ---- the whole ---- */

static void nsys_trace_csv_add_row(struct list *list)
{
	int64_t start = whole(list, START), dur = whole(list, DURATION), end;
	list->profile->events++;
	if (start == NO_VALUE || dur < 0 || __builtin_add_overflow(start, dur, &end))
		profile_damage(list->profile, "row without times", "skipped", UINT64_MAX);
	else if (list->place[STREAM] < list->csv.header_count)
		nsys_trace_csv_add_work(list, start, dur);
	else
		nsys_trace_csv_add_call(list, start, dur);
}

static bool read_list(struct source *source, struct profile *profile, struct builder *builder,
		      const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	struct list list = { .profile = profile, .builder = builder };
	bool ok = true;
	if (!source_text(source, &text, error))
		return false;
	profile->text_bytes = text.length;
	profile->truncated = source_cut(source) != NULL;
	csv_open(&list.csv, text.data, text.length);
	for (int i = 0; i < COLUMNS; i++)
		list.place[i] = csv_column(&list.csv, names[i]);
	while (ok && csv_next(&list.csv)) {
		ok = progress_heavy_row(progress, "reading events", (size_t)profile->events, 0, 4);
		if (list.csv.count > 1)
			nsys_trace_csv_add_row(&list);
	}
	csv_close(&list.csv);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return profile->activities || profile->spans ||
	       error_set(error, ERROR_INPUT, "is a list of nsys without events");
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
					      .read = read_list };
