/*
 * Files of a directory that are named as ranks of the run, but hold no profile.
 */
#ifndef STRATA_SESSION_RUNS_LOST_FILES_H
#define STRATA_SESSION_RUNS_LOST_FILES_H

struct error;
struct run;
struct run_file;

/* Note FILE, which could not be read because of ERROR, if its name has the number of a rank. */
void lost_files_note(struct run *run, const struct run_file *file, const struct error *error);

/*
 * Once the ranks of RUN are numbered: keep those beside the file of a rank whose name has its
 * number, too, and the same extension, and whose number no rank has; sorted by number.
 */
void lost_files_settle(struct run *run);
void lost_files_free(struct run *run);

#endif
