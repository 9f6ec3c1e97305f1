#include "tools/tools.h"

#include "input/nvprof/nvprof.h"
#include "picture/picture.h"
#include "views/views.h"

/* In the order of the manual. */
static const struct view *const views[] = {
	&view_overview,     &view_steps,         &view_layers,   &view_modules, &view_operators,
	&view_calls,        &view_kernels,       &view_launches, &view_memory,  &view_memory_events,
	&view_memory_curve, &view_collectives,   &view_ranks,    &view_streams, &view_utilization,
	&view_counters,     &view_critical_path, &view_links,    &view_advice,  &view_diff,
	&view_stacks,       &view_python,        &view_info,     NULL,
};

static const struct picture *const pictures[] = { &picture_timeline, NULL };

static const struct tool tool_strata = { .name = "strata", .views = views, .pictures = pictures };

static const struct reader *const nvprof_readers[] = { &nvprof_reader, NULL };

static const struct tool tool_nvprof = { .name = "nvprof", .readers = nvprof_readers };

const struct tool *const tools[] = {
	&tool_strata, &tool_torch,  &tool_dlprof, &tool_nsys,
	&tool_nvprof, &tool_pyprof, &tool_python, NULL,
};
