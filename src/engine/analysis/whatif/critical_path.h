/*
 * The critical path: the chain of dependent work and waiting from the start of a window to its end.
 *
 * It is found by walking backwards from the end of the window. Device work is preceded by what it
 * waited for: earlier work on its stream, work of another stream that ended just before, or its
 * launch call. A point on a host thread is preceded by what the thread did, by the device work a
 * blocking call waited for, or by another thread that worked while this one waited. Dependencies a
 * trace does not record (events between streams, thread wake-ups) are inferred from matching times.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct selection;

enum path_kind { PATH_KIND_ROWS(LISTED) PATH_KINDS };

const char *path_kind_name(enum path_kind kind); /* "compute", "launch"… */

/* Why a segment is on the path. */
enum path_why { PATH_WHY_ROWS(LISTED) };

const char *path_why_text(enum path_why why);

/* It ends where the next one starts. */
struct path_segment {
	int64_t start;
	uint32_t row; /* on a device an activity; else a span, for PATH_IDLE NO_ROW */
	uint8_t kind; /* enum path_kind */
	uint8_t why;  /* enum path_why */
};

struct critical_path {
	struct path_segment *segments; /* the last first */
	size_t count;
	int64_t end;
};

/* The segments by time, from 0. */
static inline struct path_segment path_at(const struct critical_path *path, size_t i)
{
	return path->segments[path->count - 1 - i];
}

static inline int64_t path_end(const struct critical_path *path, size_t i)
{
	return i + 1 < path->count ? path_at(path, i + 1).start : path->end;
}

/* The activity, or NO_ROW. */
static inline uint32_t path_activity(const struct path_segment *segment)
{
	return segment->kind <= PATH_QUEUE ? segment->row : NO_ROW;
}

/* The operator, call or enclosing span; or NO_ROW. */
static inline uint32_t path_span(const struct path_segment *segment)
{
	return segment->kind <= PATH_QUEUE ? NO_ROW : segment->row;
}

/*
 * Find the path through the selection's window; without a scope of time through the whole capture,
 * or, if the program does not bound it, from the first to the last work (analysis/work_window.h).
 * In O(segments * (host threads + log rows)). The caller frees with critical_path_free. False when
 * cancelled, with nothing to free.
 */
bool critical_path_find(struct critical_path *path, const struct selection *selection,
			const struct progress *progress);
void critical_path_free(struct critical_path *path);
