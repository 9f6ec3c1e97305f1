#include "fake_views.h"

#include "base/error.h"
#include "model/tool.h"

#include <math.h>
#include <string.h>

int fake_builds;
const char fake_hostile[] = "\x1b[2Jevil, \"q\" a|b <i>\n\xe2\x80\xae\xff*_x_";

static bool build_things(struct table *table, const struct view_query *query)
{
	static const struct {
		const char *name;
		int64_t calls, time;
		double share;
	} rows[] = { { "aten::mul", 3, 1500, 25.1 },
		     { "aten::conv2d", 10, 142310000, 0.1 + 0.2 },
		     { "aten::add", 3, INT64_MAX, NAN },
		     { fake_hostile, 1, 7, 12.5 } };
	for (size_t i = 0; i < 4; i++) {
		if (query->scope->has_steps && query->scope->step_first > (int64_t)i)
			continue;
		size_t row =
			table_add_row(table, (struct ref){ .kind = REF_FACT, .a = (uint32_t)i });
		table_set(table, row, "name", value_text(rows[i].name));
		table_set(table, row, "calls", value_int(rows[i].calls));
		table_set(table, row, "gpu_self_ns", value_int(rows[i].time));
		table_set(table, row, "tc_self_pct", value_real(rows[i].share));
		table_set(table, row, "tc_eligible", value_int(i == 1));
		table_set(table, row, "stack",
			  query->group ? value_text(query->group) : value_missing());
	}
	return true;
}

static bool build_points(struct table *table, const struct view_query *query)
{
	for (int i = 0; i < 3; i++) {
		size_t row = table_add_row(table, (struct ref){ .kind = REF_FACT });
		table_set(table, row, "device", value_text(i == 2 ? "CPU" : "GPU0"));
		table_set(table, row, "calls", i == 2 ? value_missing() : value_int(3 + i));
		table_set(table, row, "value", i ? value_int(i * 5) : value_text("text"));
	}
	return true;
}

/* Rows of a step follow each other; names and calls repeat all over. */
static bool build_many(struct table *table, const struct view_query *query)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };
	enum { ROWS = 8000, STEP = 4, NAMES = sizeof names / sizeof *names };
	for (int i = 0; i < ROWS; i++) {
		size_t row = table_add_row(table, (struct ref){ .kind = REF_FACT });
		table_set(table, row, "step", value_int(i / STEP));
		table_set(table, row, "name", value_text(names[i % NAMES]));
		table_set(table, row, "calls", value_int(i * 7919 % 499));
	}
	return true;
}

static const struct view views[] = {
	{ .name = "things",
	  .title = "Things",
	  .row = "a thing",
	  .summary = "Things.",
	  .columns = "name,calls,gpu_self_ns,tc_self_pct,tc_eligible,stack",
	  .default_columns = "name,calls,gpu_self_ns",
	  .default_sort = "gpu_self_ns:desc",
	  .groups = { "name", "stack" },
	  .build = build_things },
	{ .name = "some-points",
	  .title = "Points",
	  .row = "a point",
	  .summary = "Points.",
	  .columns = "device,calls,value",
	  .default_columns = "device,calls",
	  .default_sort = "",
	  .build = build_points },
	{ .name = "many",
	  .title = "Many",
	  .row = "a row",
	  .summary = "Many rows.",
	  .columns = "step,name,calls",
	  .default_columns = "step,name",
	  .default_sort = "",
	  .build = build_many },
};

static const struct view *const listed[] = { &views[0], &views[1], &views[2], NULL };
static const struct tool tool_fake = { .name = "fake", .views = listed };
const struct tool *const tools[] = { &tool_fake, NULL };

struct table *view_build(const struct view *view, const struct run *run, const struct scope *scope,
			 const char *group, const struct progress *progress, struct error *error)
{
	fake_builds++;
	struct table *table = table_new(view);
	view->build(table, &(struct view_query){ run, scope, NULL, group, progress, error });
	return table;
}

struct table *fake_table(const char *name)
{
	struct scope scope;
	scope_init(&scope);
	return view_build(&views[strcmp(name, "things") != 0], NULL, &scope, NULL, NULL, NULL);
}
