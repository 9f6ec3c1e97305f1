/*
 * strata's own views and pictures, and recording advice for unknown profilers.
 */
#include "input/perfetto/pftrace.h"
#include "input/strsum/strsum.h"
#include "model/recording.h"
#include "picture/picture.h"
#include "tools/tools.h"
#include "views/views.h"

/* In the manual's order. */
static const struct view *const views[] = {
	&view_overview,      &view_steps,
	&view_layers,        &view_modules,
	&view_operators,     &view_calls,
	&view_spans,         &view_kernels,
	&view_launches,      &view_memory,
	&view_memory_events, &view_memory_curve,
	&view_blocks,        &view_ooms,
	&view_collectives,   &view_ranks,
	&view_durations,     &view_flight,
	&view_recordings,    &view_runs,
	&view_streams,       &view_utilization,
	&view_counters,      &view_metrics,
	&view_critical_path, &view_gaps,
	&view_devices,       &view_links,
	&view_advice,        &view_diff,
	&view_stacks,        &view_python,
	&view_info,          NULL,
};

static const struct picture *const pictures[] = { &picture_dashboard, &picture_timeline, NULL };

/* Formats of no profiler in particular. */
static const struct reader *const readers[] = { &pftrace_reader, &strsum_reader, NULL };

static const struct recording recording = {
	.device = "Record GPU events too.",
	.operators = "Record CPU events too.",
	.modules = "Record modules or annotations.",
	.stacks = "Record call stacks.",
	.shapes = "Record input shapes.",
	.memory = "Record allocations.",
	.steps = "Annotate each iteration and name the annotation with --step-name.",
	.warm_up = "Record at least three steps after warm-up.",
	.lighter = "Record fewer events.",
};

const struct tool tool_strata = {
	.name = "strata",
	.readers = readers,
	.recording = &recording,
	.views = views,
	.pictures = pictures,
};
