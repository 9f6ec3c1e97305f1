/*
 * Translates references and scopes between two profiles of one recording, such as a preview and the
 * whole file. Row numbers and interned ids differ between them; names, lanes and times do not.
 * Never blocks: fails if a rank is not loaded.
 */
#pragma once

#include "table/table.h"

/* REF of rank RANK in FROM, translated to TO; REF_NONE if it is missing there or ambiguous. */
struct ref carry_ref(const struct run *from, const struct run *to, int rank, struct ref ref);

/*
 * Translate SCOPE from FROM to TO. *OUT is initialized here and cleared by the caller. False with
 * *OUT empty if a part of the scope is missing in TO.
 */
bool carry_scope(const struct run *from, const struct run *to, const struct scope *scope,
		 struct scope *out);

/*
 * Translate COUNT times since the start of FROM to times since the start of TO. False with TIMES
 * unchanged if a rank is not loaded.
 */
bool carry_times(const struct run *from, const struct run *to, int rank, int64_t *times,
		 size_t count);
