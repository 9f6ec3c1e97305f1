/*
 * The envelope of a report: what it is of, as facts for scripts (strata-json(5)).
 */
#pragma once

#include "table/table.h"

/* Raised when a key disappears or changes its meaning. */
enum { ENVELOPE_VERSION = 1 };

/*
 * The facts of the report TABLE (NULL: of all views) of RUN (NULL: none) in SCOPE, grouped by
 * GROUP: a table of section, key, value and unit. The caller frees it. NULL with ERROR.
 */
struct table *envelope_facts(const struct run *run, const struct scope *scope,
			     const struct table *table, const char *group,
			     const struct progress *progress, struct error *error);

/*
 * Append the facts as members of a JSON object, one section each, with a comma after each; BRIEF:
 * only those of the scope, of what is not covered, and warnings.
 */
void envelope_json(struct buffer *out, const struct table *facts, bool brief);
