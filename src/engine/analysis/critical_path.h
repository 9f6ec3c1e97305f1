/*
 * The critical path: the chain of work and waiting, each of which had to end before the next could
 * begin, from the start of a window to its end.  To shorten anything else does not shorten the run.
 *
 * It is walked backwards from the end of the window.  Before device work lies what it waited for:
 * the work before it on its stream, work of another stream that ended just then, or the call that
 * launched it.  Before a point of a host thread lies what the thread did, the device work that a
 * blocking call waited for, or another thread that worked while this one only waited.  What a trace
 * does not say (an event that one stream waits for, a thread that wakes another) is inferred from
 * times that agree.
 */
#ifndef STRATA_ANALYSIS_CRITICAL_PATH_H
#define STRATA_ANALYSIS_CRITICAL_PATH_H

#include "base/progress.h"

struct selection;

enum path_kind {
	PATH_COMPUTE,
	PATH_COMMUNICATION,
	PATH_COPY,   /* a device at work */
	PATH_QUEUE,  /* device: between what the work waited for and its start */
	PATH_LAUNCH, /* from the start of the launching call to the start of the work */
	PATH_HOST,   /* a host thread at work */
	PATH_SYNC,   /* from the end of device work until a call that waited for it ended */
	PATH_IDLE,   /* nothing in the profile says what happened */
	PATH_KINDS
};

const char *path_kind_name(enum path_kind kind); /* "compute", "launch"… */

/* Why a stretch lies on the path. */
enum path_why {
	PATH_WHY_LAST,         /* it ended last */
	PATH_WHY_LAUNCHED,     /* launched what follows */
	PATH_WHY_STREAM,       /* what follows waited for it on the same stream */
	PATH_WHY_OTHER_STREAM, /* what follows, on another stream, began when it ended */
	PATH_WHY_BLOCKED,      /* the host waited for it */
	PATH_WHY_THREAD,       /* its thread went on to what follows */
	PATH_WHY_OTHER_THREAD, /* the thread of what follows was waiting meanwhile */
	PATH_WHY_UNKNOWN,
};

const char *path_why_text(enum path_why why);

/* Exactly one of SPAN and ACTIVITY is set, none in PATH_IDLE. */
struct path_stretch {
	int64_t start, end;
	uint32_t span; /* the operator, or call, or what the thread was in */
	uint32_t activity;
	uint8_t kind; /* enum path_kind */
	uint8_t why;  /* enum path_why */
};

struct critical_path {
	struct path_stretch *items; /* in order of time; they tile the window without gaps */
	size_t count;
};

/*
 * The path through the selection's window, or through the whole profile when it is not narrowed in
 * time.  In O(stretches * (host threads + log rows)).  The caller frees with critical_path_free.
 * False when cancelled, and then there is nothing to free.
 */
bool critical_path_find(struct critical_path *path, const struct selection *selection,
			const struct progress *progress);
void critical_path_free(struct critical_path *path);

#endif
