/*
 * The tables that Ascend's profilers write as text, and the files beside a trace.
 */
#pragma once

#include "model/builder.h"

/*
 * Add what lies beside the profile at its path, if it is one of Ascend's: memory by component
 * (memory_record.csv), allocations (operator_memory.csv), the rank (profiler_info_0.json). Files
 * that are missing or unreadable are not used. False with ERROR when cancelled.
 */
bool ascend_read_beside(struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error);

/*
 * The file to open in the folder of a run ("rank0_ascend_pt", "PROF_000001"), or in its output
 * folder; NULL when DIRECTORY is none. The caller frees it with mem_free.
 */
char *ascend_folder_file(const char *directory);

/* The file that tells the rank of the profile at PATH; NULL: none. Likewise. */
char *ascend_folder_information(const char *path);
