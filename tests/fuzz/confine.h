/*
 * Confines a target that reads and writes files to a directory of its own. It wraps every function
 * that opens files through the linker's --wrap (sources.am).
 */
#pragma once

/*
 * Until confine_end, the current directory is the confined one, and only files there and in allowed
 * paths can be read.
 */
void confine_begin(void);
void confine_end(void); /* restores the current directory and deletes what was written */

void confine_allow(const char *path); /* allows reading a file or a tree; at most 8 paths */
