/*
 * The same thing in another profile of the same recording: one that was read further, or again.
 * Row numbers and interned names differ between them; names, lanes and times do not.  Nothing here
 * waits: a rank that is not in memory has nothing to compare with.
 */
#ifndef STRATA_TABLE_CARRY_H
#define STRATA_TABLE_CARRY_H

#include "model/run.h"
#include "model/scope.h"
#include "table/table.h"

/*
 * What REF, of rank number RANK in FROM, is in TO.  Of kind REF_NONE when it is not there, or
 * cannot be told.
 */
struct ref carry_ref(const struct run *from, const struct run *to, int rank, struct ref ref);

/*
 * Copy SCOPE so that it means in TO what it means in FROM; *OUT is initialised here and cleared by
 * the caller.  False when something that it is narrowed to is not in TO; *OUT is empty then.
 */
bool carry_scope(const struct run *from, const struct run *to, const struct scope *scope,
		 struct scope *out);

/*
 * COUNT times since the start of FROM as times since the start of TO: the one may begin earlier.
 * False, TIMES as they were, when one of the two cannot be held in memory.
 */
bool carry_times(const struct run *from, const struct run *to, int rank, int64_t *times,
		 size_t count);

#endif
