/*
 * The modules view: nn.Module calls folded by position in the hierarchy.
 */
#include "derived/name_path.h"
#include "base/buffer.h"
#include "base/keyed.h"
#include "views/views.h"

enum { ROW_WEIGHT = 32 }; /* for progress_heavy_row: a row has many cells */

struct modules_module {
	uint32_t parent; /* index; NO_ROW at the root */
	uint32_t name;   /* of the event, with its prefix */
	uint32_t layer;  /* layer node of its first call */
	int64_t calls, operators, cpu_total, cpu_self, gpu_total, gpu_self, gpu_backward;
	struct moments durations;
	struct moments gpu; /* of a call, without its backward work */
};

struct modules_build {
	const struct selection *selection;
	struct keyed keys;
	struct modules_module *modules; /* by key: parent and name */
	uint32_t *module_of;            /* by span: its module or the enclosing one */
	uint32_t *call_of;              /* by span: that module's call */
	int64_t *covered;               /* by span, of module calls: for derived_time_covered */
};

/* Module of a call inside module PARENT. */
static uint32_t find_module(struct modules_build *build, uint32_t parent, uint32_t span)
{
	uint32_t name = build->selection->profile->span_name[span];
	const uint32_t key[] = { parent, name };
	uint32_t known = build->keys.count;
	struct modules_module *module = keyed_item(&build->keys, build->modules, &key);
	if (build->keys.count > known)
		*module = (struct modules_module){
			.parent = parent,
			.name = name,
			.layer = build->selection->derived->layers.span_node[span],
		};
	return (uint32_t)(module - build->modules);
}

static void modules_add_call(struct modules_build *build, uint32_t span, uint32_t above)
{
	const struct selection *selection = build->selection;
	const struct profile *profile = selection->profile;
	struct modules_module *module = &build->modules[build->module_of[span]];
	int64_t dur = profile->span_dur[span], gpu = selection_gpu_total(selection, span);
	module->calls++;
	moments_add(&module->durations, dur);
	moments_add(&module->gpu, gpu);
	module->cpu_total += dur;
	module->cpu_self += dur;
	build->covered[span] = profile->span_start[span];
	module->gpu_total += gpu;
	module->gpu_self += gpu;
	if (above == NO_ROW || !selection_has_span(selection, build->call_of[above]))
		return;
	struct modules_module *outer = &build->modules[build->module_of[above]];
	outer->cpu_self -= derived_time_covered(selection->derived, span, build->call_of[above],
						&build->covered[build->call_of[above]]);
	outer->gpu_self -= gpu;
}

static const char stage[] = "summing modules";

static bool walk_spans(struct modules_build *build, const struct progress *progress)
{
	const struct selection *selection = build->selection;
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t parent = profile->span_parent[i];
		build->module_of[i] = parent == NO_ROW ? NO_ROW : build->module_of[parent];
		build->call_of[i] = parent == NO_ROW ? NO_ROW : build->call_of[parent];
		if (profile->span_kind[i] == SPAN_MODULE) {
			uint32_t above = build->call_of[i];
			build->module_of[i] = find_module(build, build->module_of[i], i);
			build->call_of[i] = i;
			if (selection_has_span(selection, i))
				modules_add_call(build, i, above);
		} else if (selection->derived->span_flags[i] & SPAN_IS_OPERATOR &&
			   !(selection->derived->span_flags[i] & SPAN_FOLDED) &&
			   build->call_of[i] != NO_ROW && selection_has_span(selection, i) &&
			   selection->derived->span_owner[i] == build->call_of[i]) {
			build->modules[build->module_of[i]].operators++;
		}
	}
	return ok;
}

/* Outermost backward span enclosing a linked one: everything the autograd engine ran for it. */
static uint32_t backward_root(const struct derived *derived, uint32_t span)
{
	uint32_t up = derived->profile->span_parent[span];
	while (up != NO_ROW && derived->span_flags[up] & SPAN_BACKWARD) {
		span = up;
		up = derived->profile->span_parent[span];
	}
	return span;
}

static bool add_backward(struct modules_build *build, const struct progress *progress)
{
	const struct derived *derived = build->selection->derived;
	AUTO_FREE uint8_t *done = mem_zalloc((size_t)derived->profile->spans + 1, 1);
	bool ok = true;
	for_rows (ok, i, derived->links.count, progress, stage) {
		const struct link *link = &derived->links.by_backward[i];
		uint32_t root = backward_root(derived, link->backward);
		if (done[root] || !selection_has_span(build->selection, link->forward))
			continue;
		done[root] = 1;
		int64_t gpu = selection_gpu_total(build->selection, root);
		for (uint32_t at = build->module_of[link->forward]; at != NO_ROW;
		     at = build->modules[at].parent)
			build->modules[at].gpu_backward += gpu;
	}
	return ok;
}

static struct name_part modules_short_name(const struct profile *profile, uint32_t name)
{
	return module_name(INTERNED(profile->strings, name));
}

static struct value modules_class_of(const struct profile *profile, uint32_t name)
{
	struct name_part part = module_class(INTERNED(profile->strings, name));
	return value_bytes(part.text, part.length);
}

static struct value modules_path_of(struct table *table, const struct modules_build *build,
				    uint32_t module)
{
	struct name_path path;
	struct buffer text = { 0 };
	name_path_begin(&path);
	for (uint32_t at = module; at != NO_ROW; at = build->modules[at].parent)
		if (!name_path_add(&path, modules_short_name(build->selection->profile,
							     build->modules[at].name)))
			break;
	name_path_write(&path, &text);
	return table_take_text(table, &text);
}

static void modules_add_row(struct table *table, const struct modules_build *build, uint32_t index)
{
	const struct modules_module *module = &build->modules[index];
	struct name_part name = modules_short_name(build->selection->profile, module->name);
	size_t row = table_add_row(table,
				   (struct ref){ REF_MODULE, index, module->name, module->layer });
	MODULE_CELLS(table_set);
	if (!profile_times_modeled(table->selection.profile))
		call_durations_set(&module->durations, table, row);
	spread_set_gpu(&module->gpu, table, row);
	table_set(table, row, "gpu_total_ns", value_int(module->gpu_total));
	table_set(table, row, "gpu_self_ns", value_int(module->gpu_self));
	table_set(table, row, "gpu_bwd_ns", value_int(module->gpu_backward));
}

bool build_modules(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	size_t spans = (size_t)selection->profile->spans + 1;
	struct modules_build build = {
		.selection = selection,
		.module_of = mem_alloc(spans * sizeof(uint32_t)),
		.call_of = mem_alloc(spans * sizeof(uint32_t)),
		.covered = mem_alloc(spans * sizeof(int64_t)),
	};
	bool ok = walk_spans(&build, query->progress) && add_backward(&build, query->progress);
	for_heavy_rows (ok, i, build.keys.count, query->progress, stage, ROW_WEIGHT)
		if (build.modules[i].calls)
			modules_add_row(table, &build, i);
	table_note_none(table, "No nn.Module events here.");
	keyed_clear(&build.keys);
	mem_free_all(build.modules, build.module_of, build.call_of, build.covered);
	return ok;
}
