/*
 * From events taken apart to rows of a profile.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_ROWS_H
#define STRATA_INPUT_KINETO_KINETO_ROWS_H

#include "input/kineto/kineto_event.h"
#include "model/builder.h"

struct rows;

struct rows *rows_new(struct profile *profile, struct builder *builder);
void rows_free(struct rows *rows); /* NULL is fine */

/*
 * The rows are a part (model/append.h): refuse events that belong to others that may be in other
 * parts, which only rows_add_event of the whole can put together.
 */
void rows_keep_apart(struct rows *rows);

/*
 * Keep one event; OFFSET is where it stands in the text, for the list of damage.  False when it was
 * refused: the part is spoilt then.
 */
bool rows_add_event(struct rows *rows, const struct event *event, uint64_t offset);

/* All events were seen: name the lanes, place the flows. */
void rows_finish(struct rows *rows);

#endif
