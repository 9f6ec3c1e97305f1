/*
 * Builder: the interface through which readers fill a Profile.
 *
 * Rows may be added in any order; profile_finish() sorts host spans into preorder and device
 * activities into tracks, links activities to their launching calls, and moves time zero to the
 * first event.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct builder;

struct builder *builder_new(struct profile *profile);
void builder_free(struct builder *builder); /* NULL is fine; the profile stays */

/*
 * Find or add the process with this pid (NO_VALUE: none) and interned label (0: none). A label "[x]
 * 12" is split into the group "[x]" and the pid 12.
 */
uint32_t builder_process(struct builder *builder, int64_t pid, uint32_t label);

/*
 * Find or add a track of a process. DEVICE is the ordinal, or -1 for a host thread; host and device
 * tracks never share ids.
 */
uint32_t builder_track(struct builder *builder, uint32_t process, int64_t tid, uint32_t label,
		       int32_t device);

/* Rows return a handle, valid until profile_finish. Times are absolute ns. */
uint32_t builder_span(struct builder *builder, enum span_kind kind, uint32_t track, uint32_t name,
		      int64_t start, int64_t dur, uint32_t info);
void builder_span_move(struct builder *builder, uint32_t span, uint32_t track);
void builder_span_end(struct builder *builder, uint32_t span, int64_t end);
/* Set the row number of a span in the file's table (above 32 bits: none). */
void builder_span_record(struct builder *builder, uint32_t span, int64_t record);

struct activity {
	enum activity_kind kind;
	uint32_t track, name, config;
	int64_t start, dur, correlation, external, bytes;
};
uint32_t builder_activity(struct builder *builder, const struct activity *activity);

uint32_t builder_op_ids(struct builder *builder, int64_t external_id, int64_t sequence,
			const struct op_info *info);
uint32_t builder_op_info(struct builder *builder, const struct op_info *info); /* what these name */
uint32_t builder_call_info(struct builder *builder, const struct call_info *info);
/* A row for each set. What no launch can have (no blocks, an occupancy above 100 %) is absent. */
uint32_t builder_config(struct builder *builder, const struct launch_config *config);
void builder_span_attribute(struct builder *builder, uint32_t span, uint32_t key, uint32_t text);
void builder_activity_attribute(struct builder *builder, uint32_t activity, uint32_t key,
				uint32_t text);
/* Likewise with a constant as key, of a text (0: none) or a number (NO_VALUE: none). */
void builder_span_text(struct builder *builder, uint32_t span, const char *key, uint32_t text);
void builder_span_number(struct builder *builder, uint32_t span, const char *key, int64_t number);
void builder_activity_text(struct builder *builder, uint32_t activity, const char *key,
			   uint32_t text);
void builder_activity_number(struct builder *builder, uint32_t activity, const char *key,
			     int64_t number);

/* The string ids of a key, a constant, and of a number as text: at hand for those of recent rows.
 */
uint32_t builder_key(struct builder *builder, const char *key);
uint32_t builder_number(struct builder *builder, int64_t number);

void builder_memory(struct builder *builder, const struct memory_event *event);
uint32_t builder_flow(struct builder *builder, const struct flow *flow);
uint32_t builder_metric(struct builder *builder, const struct metric *metric);
uint32_t builder_counter(struct builder *builder, const struct counter *counter);
/* Find or add the frame NAME (interned) called from CALLER (NO_ROW: outermost), for samples. */
uint32_t builder_frame(struct builder *builder, uint32_t name, uint32_t caller);
uint32_t builder_sample(struct builder *builder, const struct stack_sample *sample);
uint32_t builder_run(struct builder *builder, const struct thread_run *run);
void builder_metadata(struct builder *builder, uint32_t key, uint32_t value);
void builder_fact(struct builder *builder, const char *key, uint32_t value); /* 0: none */
/* Find or add; NULL beyond the limit of devices. */
struct device *builder_device(struct builder *builder, int32_t id);
struct device *profile_add_device(struct profile *profile, int32_t id); /* of a finished one */

/* False with ERROR when cancelled; the profile can then only be freed. */
bool profile_finish(struct builder *builder, const struct progress *progress, struct error *error);
