/*
 * State shared by the parts of the XSpace reader; private to them.
 */
#pragma once

#include "base/hash.h"
#include "input/proto/proto.h"
#include "text_tables.h"

#define XPLANE_STAT(name) XSTAT_##name,
enum xplane_stat { XPLANE_STATS(XPLANE_STAT) XSTATS };
#undef XPLANE_STAT

/* The known statistics of an event or plane. */
struct xplane_values {
	int64_t number[XSTATS]; /* NO_VALUE: absent or a text */
	uint32_t text[XSTATS];  /* interned; 0: absent or a number */
};

/* What an event refers to. */
struct xplane_event_kind {
	uint32_t name;
	struct proto stats;
};

enum xplane_kind { XPLANE_OTHER, XPLANE_HOST, XPLANE_GPU, XPLANE_TPU };

struct xplane {
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	uint32_t process;
	uint32_t host;         /* interned, 0: not named */
	int64_t epoch;         /* of the profile's start, Unix time in ns; NO_VALUE: unknown */
	int64_t latest;        /* start of a line, ns */
	int32_t steps_of;      /* the first device with steps; -1: none yet */
	struct hash *step_ids; /* number → index in device_steps */
	struct host_step {
		uint32_t track;
		int64_t start, dur, number;
	} * host_steps; /* StepTraceAnnotation; used if no device has steps */
	size_t host_step_count;
	struct device_step {
		struct host_step step;
		int32_t device; /* the last one that it was read from */
	} * device_steps;       /* each covers its work on all devices */
	size_t device_step_count;
	uint64_t aggregates; /* events without a place in time */
	uint64_t derived;    /* lines that repeat others */
	uint64_t events;

	/* of the current plane */
	enum xplane_kind kind;
	int32_t device;
	struct hash *event_ids, *stat_ids; /* id → index, below */
	GROWING(struct xplane_event_kind, kinds, kind_count);
	struct {
		uint32_t name;
		int known; /* enum xplane_stat, or -1 */
	} * stats;
	size_t stat_count;
};

/* A message of XEvent, decoded. */
struct xplane_event {
	const struct xplane_event_kind *kind; /* NULL: unknown */
	int64_t start, dur;                   /* ns */
	struct xplane_values values;
};

enum xplane_use { XPLANE_SKIPPED, XPLANE_WORK, XPLANE_SPANS, XPLANE_STEPS };

/* A stream, a thread, the steps of a device. */
struct xplane_line {
	uint64_t id;
	uint32_t name;
	int64_t start; /* ns */
	enum xplane_use use;
	uint32_t track;
	int64_t events; /* steps so far */
};

struct xplane xplane_begin(struct profile *profile, struct builder *builder,
			   const struct progress *progress);

/* What follows is of the plane NAME ("/device:GPU:0"): sets its kind and device. */
void xplane_begin_plane(struct xplane *xplane, const char *name);
/* Set the use and the track of a line with an id and a name. */
void xplane_begin_line(struct xplane *xplane, struct xplane_line *line);
/* Add an event of a line of the current plane. */
void xplane_add_event(struct xplane *xplane, struct xplane_line *line,
		      const struct xplane_event *event);
void xplane_add_fact(struct xplane *xplane, const char *key, const char *text);
/* The first host that the file names, else its own name: HOST and SUFFIX. */
void xplane_add_host(struct xplane *xplane, const char *suffix);
void xplane_note_unread(struct xplane *xplane); /* facts of what was not loaded */

int xplane_known_stat(const char *name); /* enum xplane_stat, or -1 */

void xplane_no_stats(struct xplane_values *values);

/* Add an event of a line: xplane_rows.c. NAME is the line's. */
void xplane_add_activity(struct xplane *xplane, uint32_t track, const char *line,
			 const struct xplane_event *event);
void xplane_add_span(struct xplane *xplane, uint32_t track, const struct xplane_event *event);
void xplane_add_step(struct xplane *xplane, uint32_t track, int64_t index,
		     const struct xplane_event *event);
/* Add the steps, of devices or else of the host's annotations, and free them. */
void xplane_put_steps(struct xplane *xplane);
void xplane_set_device(struct xplane *xplane, const struct xplane_values *values);
