/*
 * Runs the explorer without a terminal, with the main loop driven by the test.
 */
#pragma once

#include "base/buffer.h"
#include "tui/app/app.h"

#include <stdatomic.h>

struct explorer {
	struct app app;
	struct tui_options options;
	struct terminal_ops ops;
	const char *keys; /* to be typed */
	struct buffer screen;
};

/* Open files on a 160x45 screen, up to the first view. */
void explorer_open(struct explorer *explorer, const char *const *paths, size_t count);
/* The same on a screen of SIZE ("80x24"). */
void explorer_open_size(struct explorer *explorer, const char *const *paths, size_t count,
			const char *size);
void explorer_close(struct explorer *explorer);

/* Type keys in script notation ("jj<Enter>") in the next iteration; KEYS must stay valid. */
void explorer_type(struct explorer *explorer, const char *keys);
/* Iterate until all keys are handled and the worker is idle. */
void explorer_settle(struct explorer *explorer);
/* Iterate until TEXT is on the screen; fails the test on timeout. */
void explorer_expect(struct explorer *explorer, const char *text);
bool explorer_shows(struct explorer *explorer, const char *text);

/* Work that says once how far it is, and ends when it may. */
struct held_job {
	struct job job;
	const char *stage;
	uint64_t done, total, rows;
	atomic_bool runs, may_end, ended;
};

/* Submit it, with what it says and how it is called (job.what) set, until it runs. */
void held_job_start(struct held_job *held, struct worker *worker);
