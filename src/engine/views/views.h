/*
 * What the view files share.  Each of them defines one `struct view` that registry.c lists.
 */
#ifndef STRATA_VIEWS_VIEWS_H
#define STRATA_VIEWS_VIEWS_H

#include "facts/selection.h"
#include "table/view.h"

extern const struct view view_overview, view_steps, view_layers, view_modules, view_operators,
	view_calls, view_kernels, view_launches, view_memory, view_memory_events, view_memory_curve,
	view_collectives, view_ranks, view_streams, view_utilization, view_counters,
	view_critical_path, view_links, view_advice, view_stacks, view_python, view_info, view_diff;

/* Of the tools of Python; not in the registry. */
extern const struct view view_pstats, view_lprof;

/* An interned text as a cell; 0 and NO_ROW are missing. */
struct value cell_text(const struct profile *profile, uint32_t id);

/* NO_VALUE is missing. */
struct value cell_int(int64_t value);

/* NaN and infinities are missing. */
struct value cell_real(double value);

/* Operations or bytes counted in floating point; NaN is missing. */
struct value cell_work(double amount);

/* "CPU", "GPU0". */
struct value cell_device(struct table *table, int32_t device);

/* 100 * PART / WHOLE; missing when WHOLE is 0. */
struct value cell_share(int64_t part, int64_t whole);

/* "x,y,z"; missing when the first is. */
struct value cell_triple(struct table *table, const int32_t triple[3]);

/* The path of every layer as a cell, by node: layers, not operators; the caller frees the array. */
struct value *layer_path_cells(struct table *table, const struct facts *facts);

/* Sequence number of an operator call, or of the nearest call above that has one. */
struct value value_sequence(const struct facts *facts, uint32_t span);

/* A lane's name: "thread 123 (python)", "GPU0 stream 7". */
void track_name(const struct profile *profile, uint32_t track, struct buffer *out);

/* A finding as a row's reference; NUMBER tells it from others of the table. */
struct finding;
struct ref finding_ref(const struct finding *finding, size_t number);

/* What a finding of the advice view is about; REF_NONE when of nothing one can go to. */
struct ref advice_subject(struct ref finding);

/* What is missing for device work, as a note, when the profile has none. */
void note_no_device_work(struct table *table, const struct profile *profile);

#endif
