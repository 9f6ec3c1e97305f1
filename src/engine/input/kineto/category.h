/*
 * The table of lane kinds: what the events of a category, or of a process or thread by its name,
 * become.
 */
#pragma once

#include "model/profile.h"

/* In the order of the words of categories.txt. */
enum kineto_lane {
	LANE_SPAN,
	LANE_ACTIVITY,
	LANE_FLOW,
	LANE_COUNTER,
	LANE_OF_PROCESS, /* the name of the event's process tells */
};

/*
 * From an operator to device work that another thread launches for it, and from a call to the work
 * that it launches; kept by the reader.
 */
enum { FLOW_QUEUED = FLOW_OTHER + 1, FLOW_CALLED };

/* A row of categories.txt. */
struct category {
	const char *name; /* lower case; a '*' at its end: begins so, at its start: ends */
	const char *process, *thread; /* whose events it is for, by their names; NULL: any */
	enum kineto_lane lane;
	int kind; /* enum span_kind, activity_kind or flow_kind */
	/* By kind: names of tasks, separated by blanks; all NULL: all events are of KIND. */
	const char *tasks[ACTIVITY_KINDS];
	bool has_tasks;
	const char *task_key;   /* argument that names the task; NULL: the event's name does */
	const char *task_bytes; /* argument with the size of a copy; NULL: none */
	bool details; /* names end with the size of a copy, or a kernel's grid, in brackets */
	bool stream_argument; /* the lane is the argument "stream", not the tid */
	bool metrics;         /* numeric arguments are metrics: counters as well */
	bool on_host;         /* of a process: calls of the threads of another process */
	bool of_op;           /* of a process: of events LANE_OF_PROCESS alone */
	bool of_operators;    /* of a process: of events of the category "operator", too */
	bool repeats;         /* of a process: what others have, too: streams of its device */
	const char *domain;   /* of its spans; NULL: none */
};

/* The entry for a category (case-insensitive), or NULL when unknown. */
const struct category *category_find(const char *name, size_t length);

/*
 * The entry for events without a category, or of one that is LANE_OF_PROCESS, on thread THREAD of a
 * process named PROCESS, or NULL. THREAD may be NULL: a process whose entry depends on the thread
 * then has its last one.
 */
const struct category *category_of_lane(const char *process, const char *thread);

/* The number of the device in the name of a process; NO_VALUE without one. */
int64_t category_device(const char *process);

/* The entry for a process that repeats what streams of its device have. */
extern const struct category category_repeated;

/* That of operators which processes of their devices have, too. */
extern const struct category category_listed_again;

/* The kind of a task by its name. */
enum activity_kind task_kind_find(const struct category *category, const char *name, size_t length);
