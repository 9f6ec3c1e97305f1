/*
 * timeline [EVENTS...]: measures building the timeline's lanes and pyramids, their memory, and
 * drawing a frame of 40 lanes and 160 columns: whole, zoomed in, and halfway.
 */
#include "derived/derived.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/builder.h"
#include "picture/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINES = 40, COLUMNS = 160, ROUNDS = 20, STREAMS = 4 };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint32_t string(struct profile *profile, const char *text)
{
	return intern_add(profile->strings, text, strlen(text));
}

/*
 * Nested operators, three levels, each launching a kernel; forward and backward alternate on two
 * threads.
 */
static struct profile *generate(long events)
{
	struct profile *profile = profile_new("bench");
	struct builder *builder = builder_new(profile);
	uint32_t host = builder_process(builder, 1, 0), gpu = builder_process(builder, 0, 0);
	uint32_t names[50], call = string(profile, "cudaLaunchKernel");
	struct error error;
	for (int i = 0; i < 50; i++) {
		char text[40];
		snprintf(text, sizeof text, "%s%d", i % 2 ? "aten::op" : "OpBackward", i);
		names[i] = string(profile, text);
	}
	for (long i = 0; i < events / 5; i++) {
		int64_t start = i * 10000 + i % 7 * 100;
		uint32_t thread = builder_track(builder, host, 1 + i / 50 % 2, 0, -1);
		for (int depth = 0; depth < 3; depth++)
			builder_span(builder, SPAN_OPERATOR, thread, names[(i + depth) % 50],
				     start + depth * 200, 8000 - depth * 900, NO_ROW);
		builder_span(builder, SPAN_RUNTIME, thread, call, start + 800, 2000,
			     builder_call_info(builder, &(struct call_info){ i + 1, NO_VALUE }));
		builder_activity(
			builder,
			&(struct activity){ .kind = ACTIVITY_KERNEL,
					    .name = names[i % 50],
					    .config = NO_ROW,
					    .track = builder_track(builder, gpu, i % STREAMS, 0, 0),
					    .start = start + 3000,
					    .dur = 6000 + i % 11 * 300,
					    .correlation = i + 1,
					    .external = NO_VALUE,
					    .bytes = NO_VALUE });
	}
	if (!profile_finish(builder, NULL, &error))
		exit(1);
	builder_free(builder);
	return profile;
}

/* Seconds to draw the window, best of ROUNDS. */
static double draw(const struct timeline *timeline, int64_t from, int64_t to)
{
	struct timeline_style style = { .labels = true };
	struct timeline_window window = { from, to, 0, COLUMNS };
	struct grid grid = { 0 };
	double best = 1e9;
	grid_resize(&grid, LINES, COLUMNS);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now();
		grid_clear(&grid);
		for (int row = 0; row < LINES; row++)
			timeline_draw_lane(&grid, row, timeline,
					   (uint32_t)row % timeline->lanes->count, &window, &style);
		best = now() - start < best ? now() - start : best;
	}
	grid_free(&grid);
	return best;
}

static void measure(long events)
{
	struct error error;
	struct scope scope;
	struct profile *profile = generate(events);
	struct derived *derived = derived_build(profile, NULL, NULL, &error);
	if (!derived)
		exit(1);
	scope_init(&scope);
	struct selection selection = { .profile = profile, .derived = derived, .scope = &scope };
	double start = now();
	struct timeline timeline = { .lanes = lanes_new(&selection, NULL, &error) };
	double laid = now() - start;
	start = now();
	for (uint32_t i = 0; i < timeline.lanes->count; i++)
		if (!lane_prepare(timeline.lanes, i, NULL, &error))
			exit(1);
	double added = now() - start;
	int64_t end = profile->end_ns;
	printf("%9ld %7.0f %7.0f %8.1f %8.2f %8.2f %8.2f\n", events, laid * 1e3, added * 1e3,
	       (double)lanes_size(timeline.lanes) / (double)events, draw(&timeline, 0, end) * 1e3,
	       draw(&timeline, end / 3, end / 3 + end / 100) * 1e3,
	       draw(&timeline, end / 2, end / 2 + 1000000) * 1e3);
	lanes_free(timeline.lanes);
	derived_free(derived);
	profile_free(profile);
}

int main(int argc, char **argv)
{
	printf("   events  lay ms  add ms  B/event  all ms  1 %% ms   1ms ms\n");
	for (int i = 1; i < argc; i++)
		measure(atol(argv[i]));
	if (argc == 1) {
		measure(1000000);
		measure(10000000);
	}
	return 0;
}
