/*
 * Files for a target that plays commands which write and read them: linked with the linker's --wrap
 * for every function that opens one (sources.am), nothing is opened outside of a directory of its
 * own.
 */
#ifndef STRATA_TESTS_FUZZ_CONFINE_H
#define STRATA_TESTS_FUZZ_CONFINE_H

/* From now on until confine_end, the directory the current one.  Nothing is read but there and
 * where it was allowed. */
void confine_begin(void);
void confine_end(void); /* the current directory as it was; what was written is gone */

void confine_allow(const char *path); /* to be read: a file, or all below a directory; at most 8 */

#endif
