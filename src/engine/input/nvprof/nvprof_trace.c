/*
 * The list of GPU work that nvprof --print-gpu-trace prints, with calls in between if it was also
 * given --print-api-trace:
 *
 *      Start  Duration  Grid Size  Block Size     Regs*    SSMem*    DSMem*      Size  …  Name
 *   3.16135s  2.1760us          -           -         -         -         -        4B  …  [CUDA
 * memset] 3.18415s  12.816us  (64 1 1)    (256 1 1)        32        0B        0B         -  …
 * add(int) [191]
 *
 * Starts have six digits, durations five: what one stream or thread does begins no earlier than
 * what it did before has ended.
 */
#include "input/csv.h"
#include "input/cuda/cuda_names.h"
#include "input/text_format.h"
#include "input/timeline_rows.h"

#include <math.h>

enum { NVPROF_TRACE_COLUMNS(CSV_COLUMN) COLUMNS, PLACES = 24 };
static const char *const titles[] = { NVPROF_TRACE_COLUMNS(CSV_NAMES) };

struct nvprof_trace {
	struct text_reading text;
	size_t columns[PLACES], count; /* of the table, in order; 0: outside of one */
	int64_t *ends;                 /* by track: of its latest row */
	size_t end_count;
	struct text_slice cell[COLUMNS + 1]; /* of a row; "-" is empty; the last: other columns */
};

static const struct text_unit times[] = { NVPROF_TIME_ROWS };
static const struct text_unit sizes[] = { NVPROF_SIZE_ROWS };

/* NO_VALUE when there is none. */
static int64_t scaled(const struct nvprof_trace *trace, size_t column,
		      const struct text_unit *units)
{
	double value;
	bool known = slice_scaled(trace->cell[column], units, &value) && value >= 0 && value < 9e17;
	return known ? llround(value) : NO_VALUE;
}

static void take_heading(struct nvprof_trace *trace, struct text_slice line)
{
	trace->count = 0;
	while (line.length && trace->count < PLACES) {
		struct text_slice title = slice_cell(&line);
		size_t i = 0;
		while (i < COLUMNS && !slice_is(title, titles[i]))
			i++;
		trace->columns[trace->count++] = i;
	}
}

/* "(64 1 1)" */
static void read_extent(struct text_slice cell, int32_t extent[3])
{
	for (int i = 0; i < 3 && slice_skip(&cell, i ? " " : "("); i++) {
		struct text_slice word = slice_next(&cell);
		int64_t value;
		word.length -= word.length && word.text[word.length - 1] == ')';
		extent[i] = slice_count(word, &value) ? cuda_small(value) : -1;
	}
}

/* "Tesla K80 (1)"; one without a number is the first. */
static int32_t device_of(const struct nvprof_trace *trace)
{
	struct text_slice name = trace->cell[DEVICE], number = slice_last(&name);
	int64_t value = 0;
	bool numbered =
		number.length > 2 && *number.text == '(' &&
		slice_count((struct text_slice){ number.text + 1, number.length - 2 }, &value);
	struct device *device =
		builder_device(trace->text.builder, numbered ? cuda_small(value) : 0);
	if (device)
		device->name = text_intern(&trace->text,
					   slice_trim(numbered ? name : trace->cell[DEVICE]));
	return device ? device->id : 0;
}

/* Takes "[191]" off the end of NAME; NO_VALUE when there is none. */
static int64_t nvprof_trace_correlation_of(struct text_slice *name)
{
	struct text_slice rest = *name, last = slice_last(&rest);
	int64_t value;
	if (last.length < 3 || *last.text != '[' ||
	    !slice_count((struct text_slice){ last.text + 1, last.length - 2 }, &value))
		return NO_VALUE;
	*name = slice_trim(rest);
	return value;
}

static int64_t start_on(struct nvprof_trace *trace, uint32_t track, int64_t start, int64_t dur)
{
	while (trace->end_count <= track)
		*mem_push(trace->ends, trace->end_count) = 0;
	start = start > trace->ends[track] ? start : trace->ends[track];
	trace->ends[track] = start + dur;
	return start;
}

static void nvprof_trace_add_work(struct nvprof_trace *trace, int64_t stream, int64_t start,
				  int64_t dur)
{
	struct builder *builder = trace->text.builder;
	struct text_slice name = trace->cell[NAME], from = trace->cell[FROM], to = trace->cell[TO];
	bool copy = slice_begins(name, "[CUDA memcpy"), set = slice_begins(name, "[CUDA memset");
	struct activity activity = activity_of(copy  ? ACTIVITY_MEMCPY
					       : set ? ACTIVITY_MEMSET
						     : ACTIVITY_KERNEL);
	activity.correlation = nvprof_trace_correlation_of(&name);
	activity.name = text_intern(&trace->text, name);
	if (copy)
		activity.name = profile_print(
			trace->text.profile, "Memcpy %s (%.*s -> %.*s)",
			cuda_copy_direction(profile_string(trace->text.profile, activity.name))
				?: "?",
			(int)from.length, from.text, (int)to.length, to.text);
	else if (set)
		activity.name = profile_intern(trace->text.profile, "Memset (Device)");
	else {
		struct launch_config config = launch_config_unknown();
		int64_t registers, fixed = scaled(trace, STATIC, sizes);
		int64_t dynamic = scaled(trace, DYNAMIC, sizes);
		read_extent(trace->cell[GRID], config.grid);
		read_extent(trace->cell[BLOCK], config.block);
		if (slice_count(trace->cell[REGISTERS], &registers))
			config.regs_per_thread = cuda_small(registers);
		config.shared_mem_bytes = fixed < 0 || dynamic < 0 ? -1 : fixed + dynamic;
		activity.config = builder_config(builder, &config);
	}
	activity.bytes = scaled(trace, BYTES, sizes);
	activity.track = builder_track(builder, builder_process(builder, NO_VALUE, 0), stream, 0,
				       device_of(trace));
	activity.start = start_on(trace, activity.track, start, dur);
	activity.dur = dur;
	builder_activity(builder, &activity);
}

/* "cudaLaunchKernel (add(int) [191])" */
static void add_call(struct nvprof_trace *trace, int64_t start, int64_t dur)
{
	struct builder *builder = trace->text.builder;
	struct text_slice name = trace->cell[NAME];
	const char *open = slice_find(name, " (");
	struct call_info info = { NO_VALUE, NO_VALUE };
	if (open && slice_ends(name, "])")) {
		struct text_slice launched = { name.text, name.length - 1 };
		info.correlation = nvprof_trace_correlation_of(&launched);
		name = slice_until(name, open);
	}
	uint32_t track =
		builder_track(builder, builder_process(builder, NO_VALUE, 0), NO_VALUE, 0, -1);
	builder_span(builder, SPAN_RUNTIME, track, text_intern(&trace->text, name),
		     start_on(trace, track, start, dur), dur, builder_call_info(builder, &info));
}

static void nvprof_trace_take_line(void *state, struct text_slice line)
{
	struct nvprof_trace *trace = state;
	int64_t stream;
	line = slice_trim(line);
	if (slice_begins(line, "Start ") && slice_find(line, "Duration") &&
	    slice_ends(line, " Name")) {
		take_heading(trace, line);
		return;
	}
	memset(trace->cell, 0, sizeof trace->cell);
	for (size_t i = 0; i < trace->count; i++) {
		struct text_slice word =
			i + 1 < trace->count ? slice_cell(&line) : slice_trim(line);
		if (!slice_is(word, "-"))
			trace->cell[trace->columns[i]] = word;
	}
	int64_t start = scaled(trace, START, times), dur = scaled(trace, DURATION, times);
	if (start == NO_VALUE || dur == NO_VALUE || !trace->cell[NAME].length)
		return;
	trace->text.rows++;
	if (slice_count(trace->cell[STREAM], &stream))
		nvprof_trace_add_work(trace, stream, start, dur);
	else
		add_call(trace, start, dur);
}

static void nvprof_trace_end(void *state)
{
	mem_free(((struct nvprof_trace *)state)->ends);
}

static const struct text_format nvprof_trace_format = {
	.marks = { { "== Profiling result:", " Start  Duration" },
		   { "== NVPROF is profiling", " Start  Duration" } },
	.empty = "is a list of nvprof without rows",
	.result = TEXT_EVENTS,
	.state = sizeof(struct nvprof_trace),
	.line = nvprof_trace_take_line,
	.end = nvprof_trace_end,
};

const struct reader nvprof_trace_reader = { .format = "nvprof list (text)",
					    .text = &nvprof_trace_format };
