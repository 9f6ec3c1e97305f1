/*
 * Runs, workers and spans: what the files opened together are of one another.
 *
 * A log directory, as TensorBoard's plugin read it, holds runs in folders at any depth, a run has
 * workers (processes: HOST_PID.TIME.pt.trace.json.gz), and a worker has spans (recordings one after
 * another). Only the ranks of one span of one run are compared with each other; everything else is
 * listed, and opened or set as base when asked for.
 *
 * 1. run_files.h enters folders and remembers of each file the folder it was found in. Files that
 *    are named themselves have none: they are opened together.
 * 2. recordings.h reads and summarizes every file; recordings of one process that follow each other
 *    are the spans of one worker.
 * 3. This module makes runs of folders. A folder is a run, but
 *    - the folders of one directory are one run when their workers record at the same time and
 *      have ranks of their own (one folder for each rank);
 *    - a folder is several runs when two workers claim one rank at different times, or when
 *      nothing says that its files are of ranks: neither rank nor process nor a host of its own.
 *      Runs of one file each are called as their files (NAME/FILE, or FILE if there is no other
 *      folder); others, and those whose files are only called as worker and time, are counted
 *      (NAME#1, NAME#2).
 *    Runs are numbered by name, then by time, and named after their folder below the directory
 *    that was opened, or after that directory.
 * 4. A file without a timeline (cProfile, a memory snapshot, a flight recorder dump) in a run with
 *    one is its companion, not a rank: it is listed, and opened by its own path. So is a file that
 *    another tool than that of most files wrote, unless it says its rank; and a trace of little
 *    but the capture of graphs that the same process replays in another one.
 *
 * Summaries of all recordings stay in memory, so that the run list has steps and devices of runs
 * that are not shown; their events do not.
 */
#pragma once

#include "base/buffer.h"
#include "model/run.h"

struct run_file;

/*
 * Number and name the runs of RUN, mark companions, and sort run->ranks by run and time. The ranks
 * are sorted by time, with their workers numbered.
 */
void runs_number(struct run *run);

/*
 * The number of the run called TEXT: its name, the parts of it before or after a slash, or its
 * number; a name with parts (#1) also means the first. 0 with ERROR_USAGE when there is none, or
 * several.
 */
size_t runs_find(const struct run *run, const char *text, struct error *error);

/* Is a run of this name meant? */
bool runs_answer(const char *name, const char *text);

const char *runs_name(const struct run *run, size_t number); /* from 1 */

/*
 * Append the worker in a file's name: "host_12" of "a/host_12.1623143089861.pt.trace.json.gz". True
 * if the time follows, as in all names that tensorboard_trace_handler() makes.
 */
bool runs_worker_name(const char *path, struct buffer *out);

/* ---- files that are named as ranks of the run, but hold no profile ---- */

/* Note FILE, which could not be read because of ERROR, if its name has the number of a rank. */
void lost_files_note(struct run *run, const struct run_file *file, const struct error *error);

/*
 * Once the ranks of RUN are numbered: keep those beside the file of a rank whose name has its
 * number, too, and the same extension, and whose number no rank has; sorted by number.
 */
void lost_files_settle(struct run *run);
void lost_files_free(struct run *run);
