/*
 * Converts parsed events to profile rows.
 */
#pragma once

#include "input/kineto/kineto_event.h"
#include "model/builder.h"

struct rows;

struct rows *rows_new(struct profile *profile, struct builder *builder);
void rows_free(struct rows *rows); /* NULL is fine */

/*
 * The rows belong to a part (model/append.h): refuse events that pair with events possibly in other
 * parts; only the whole can add those.
 */
void rows_mark_part(struct rows *rows);

/* Do names of processes say what events are? Then no part of the rest can be read apart. */
bool rows_need_names(const struct rows *rows);

/*
 * Add an event; OFFSET is its position in the text, for damage reports. False when it was refused:
 * the part is then invalid.
 */
bool rows_add_event(struct rows *rows, const struct event *event, uint64_t offset);

/* After the last event: name the tracks, place the flows. */
void rows_finish(struct rows *rows);
