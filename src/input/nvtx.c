#include "input/nvtx.h"

#include "base/buffer.h"
#include "input/nvtx_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	int64_t start, end;	/* INT64_MAX: never closed */
	uint32_t track, name, info, domain;
	uint8_t kind, nesting;
	bool moved;		/* to a lane of its own */
};

struct nvtx {
	struct profile *profile;
	struct builder *builder;
	struct range *ranges;
	size_t count, capacity;
	bool any_free;
	struct buffer scratch;
};

struct nvtx *nvtx_new(struct profile *profile, struct builder *builder)
{
	struct nvtx *nvtx = mem_zalloc(1, sizeof *nvtx);
	nvtx->profile = profile;
	nvtx->builder = builder;
	return nvtx;
}

void nvtx_free(struct nvtx *nvtx)
{
	if (!nvtx)
		return;
	mem_free(nvtx->ranges);
	buffer_free(&nvtx->scratch);
	mem_free(nvtx);
}

/* ---- texts ---- */

static uint32_t operator_info(struct nvtx *nvtx, const struct nvtx_text *read)
{
	if (read->sequence == NO_VALUE && read->op_id == NO_VALUE && !read->sizes)
		return NO_ROW;
	struct op_info info = {
		.external_id = read->op_id, .sequence = read->sequence,
		.forward_thread = read->sequence == NO_VALUE ? NO_VALUE
				  : read->is_backward	     ? -1
							     : 0,
	};
	if (read->sizes) {
		buffer_clear(&nvtx->scratch);
		nvtx_text_shapes(&nvtx->scratch, read->sizes, read->sizes_length);
		info.shapes = intern_add(nvtx->profile->strings, buffer_text(&nvtx->scratch),
					 nvtx->scratch.length);
	}
	return builder_op_info(nvtx->builder, &info);
}

void nvtx_range(struct nvtx *nvtx, uint32_t track, const char *text, size_t length,
		uint32_t domain, int64_t start, int64_t end, enum nvtx_nesting nesting)
{
	struct nvtx_text read;
	nvtx_text_read(&read, text, length);
	mem_grow(nvtx->ranges, nvtx->capacity, nvtx->count + 1);
	nvtx->ranges[nvtx->count++] = (struct range){
		.start = start, .end = end == NO_VALUE ? INT64_MAX : end, .track = track,
		.name = intern_add(nvtx->profile->strings, text, read.name_length),
		.kind = read.is_operator ? SPAN_OPERATOR : SPAN_ANNOTATION,
		.info = operator_info(nvtx, &read), .domain = domain,
		.nesting = (uint8_t)nesting,
	};
	nvtx->any_free |= nesting != NVTX_NESTS;
}

void nvtx_mark(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, int64_t time)
{
	static const char category[] = "nvtx_mark";
	struct intern *strings = nvtx->profile->strings;
	builder_span(nvtx->builder, SPAN_INSTANT, track, intern_add(strings, text, length), time,
		     0, intern_add(strings, category, sizeof category - 1));
}

/* ---- nesting ---- */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* The ranges that are open at a point of a lane, outermost first. */
struct stack {
	size_t *range;
	size_t depth, capacity;
};

/* Move free ranges that cross what is open when range AT begins, be it this one or an open one. */
static void uncross(struct nvtx *nvtx, struct stack *open, size_t at)
{
	struct range *range = &nvtx->ranges[at];
	range->moved = range->nesting == NVTX_WANDERS;
	while (!range->moved && open->depth) {
		struct range *above = &nvtx->ranges[open->range[open->depth - 1]];
		if (above->end > range->start && above->end >= range->end)
			break;
		if (above->end <= range->start)
			open->depth--;
		else if (range->nesting == NVTX_FREE)
			range->moved = true;
		else if (above->nesting == NVTX_FREE)
			above->moved = true, open->depth--;
		else
			break;	/* both were pushed: the file contradicts itself */
	}
	if (range->moved)
		return;
	mem_grow(open->range, open->capacity, open->depth + 1);
	open->range[open->depth++] = at;
}

static void find_crossings(struct nvtx *nvtx)
{
	struct stack open = { 0 };
	qsort(nvtx->ranges, nvtx->count, sizeof *nvtx->ranges, compare_ranges);
	for (size_t i = 0; i < nvtx->count; i++) {
		if (i && nvtx->ranges[i].track != nvtx->ranges[i - 1].track)
			open.depth = 0;
		uncross(nvtx, &open, i);
	}
	mem_free(open.range);
}

/* ---- lanes of their own ---- */

enum { LANES_MOST = 64 };	/* of a process; the last one takes what fits nowhere */

struct lane {
	int64_t *ends;		/* of the ranges open on it, outermost first */
	size_t depth, capacity;
};

/* Does the range nest on the lane?  Then it is put there. */
static bool nests_on(struct lane *lane, const struct range *range)
{
	while (lane->depth && lane->ends[lane->depth - 1] <= range->start)
		lane->depth--;
	if (lane->depth && lane->ends[lane->depth - 1] < range->end)
		return false;
	mem_grow(lane->ends, lane->capacity, lane->depth + 1);
	lane->ends[lane->depth++] = range->end;
	return true;
}

static uint32_t lane_track(struct nvtx *nvtx, uint32_t process, size_t number)
{
	char label[32] = "NVTX ranges";
	if (number)
		snprintf(label, sizeof label, "NVTX ranges %zu", number + 1);
	return builder_track(nvtx->builder, process, NO_VALUE,
			     intern_add(nvtx->profile->strings, label, strlen(label)), -1);
}

static int compare_starts(const void *a, const void *b)
{
	const struct range *x = *(struct range *const *)a, *y = *(struct range *const *)b;
	if (x->track != y->track)	/* here: the process */
		return x->track < y->track ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static void place_on_lanes(struct nvtx *nvtx, struct range **moved, size_t count)
{
	struct lane lanes[LANES_MOST] = { 0 };
	for (size_t i = 0; i < count; i++)
		moved[i]->track = nvtx->profile->tracks[moved[i]->track].process;
	qsort(moved, count, sizeof *moved, compare_starts);
	uint32_t process = NO_ROW;
	for (size_t i = 0; i < count; i++) {
		size_t lane = 0;
		if (moved[i]->track != process)
			for (size_t j = 0; j < LANES_MOST; j++)
				lanes[j].depth = 0;
		process = moved[i]->track;
		while (lane + 1 < LANES_MOST && !nests_on(&lanes[lane], moved[i]))
			lane++;
		moved[i]->track = lane_track(nvtx, process, lane);
	}
	for (size_t j = 0; j < LANES_MOST; j++)
		mem_free(lanes[j].ends);
}

static void move_free_ranges(struct nvtx *nvtx)
{
	struct range **moved = mem_alloc(nvtx->count * sizeof *moved);
	size_t count = 0;
	for (size_t i = 0; i < nvtx->count; i++)
		if (nvtx->ranges[i].moved)
			moved[count++] = &nvtx->ranges[i];
	if (count)
		place_on_lanes(nvtx, moved, count);
	mem_free(moved);
}

/* ---- to the builder ---- */

static void hand_over(struct nvtx *nvtx, const struct range *range)
{
	static const char key[] = "domain";
	int64_t dur = range->end == INT64_MAX ? -1 : range->end - range->start;
	uint32_t span = builder_span(nvtx->builder, (enum span_kind)range->kind, range->track,
				     range->name, range->start, dur, range->info);
	if (range->domain)
		builder_span_attribute(nvtx->builder, span,
				       intern_add(nvtx->profile->strings, key, sizeof key - 1),
				       range->domain);
}

void nvtx_finish(struct nvtx *nvtx)
{
	if (nvtx->any_free) {
		find_crossings(nvtx);
		move_free_ranges(nvtx);
	}
	for (size_t i = 0; i < nvtx->count; i++)
		hand_over(nvtx, &nvtx->ranges[i]);
	nvtx->count = 0;
}
