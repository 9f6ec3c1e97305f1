/*
 * Roofline: performance of kernels and operators compared with the device's limit at their
 * arithmetic intensity.
 */
#include "analysis/work/device_peaks.h"
#include "analysis/work/peak_share.h"
#include "base/compare.h"
#include "base/keyed.h"
#include "base/sort.h"
#include "picture/plot/plot.h"

#include <math.h>

static const struct plot_glyphs tensor_glyphs = { { "+", "*", "@" }, { "▫", "▪", "■" } };
static const struct plot_glyphs other_glyphs = { { ".", "o", "O" }, { "·", "○", "●" } };

enum { TENSOR_SERIES, OTHER_SERIES };

/* Sums for one point. */
struct roofline_group {
	const char *name; /* interned: equal names have equal addresses */
	double flops, bytes, ns;
	uint32_t row; /* first row */
	bool tensor;
};

struct roofline_groups {
	struct keyed names; /* pointers to interned names */
	struct roofline_group *groups;
	double counted_ns, total_ns; /* of placed rows, and of all rows */
	size_t placed, measured;     /* rows: all that are placed, and those not estimated */
};

static struct roofline_group *named_group(struct roofline_groups *groups, struct value name,
					  uint32_t row)
{
	struct roofline_group *group = keyed_item(&groups->names, groups->groups, &name.text);
	if (!group->name)
		*group = (struct roofline_group){ .name = name.text, .row = row };
	return group;
}

/* Table columns, by index. */
struct roofline_columns {
	int name, kind, ns, flops, bytes, tensor, note; /* note: -1 of operators */
};

static void place_row(const struct plot *plot, const struct roofline_columns *columns,
		      struct roofline_groups *groups, uint32_t row)
{
	double ns = plot_cell(plot, row, columns->ns);
	groups->total_ns += ns > 0 ? ns : 0;
	double flops = plot_cell(plot, row, columns->flops);
	if (!(flops > 0))
		return;
	double bytes = plot_cell(plot, row, columns->bytes);
	if (!(bytes > 0 && ns > 0 && isfinite(flops) && isfinite(bytes)))
		return;
	struct roofline_group *group =
		named_group(groups, table_value(plot->table, row, (size_t)columns->name), row);
	group->flops += flops;
	group->bytes += bytes;
	group->ns += ns;
	groups->counted_ns += ns;
	groups->placed++;
	groups->measured +=
		columns->note >= 0 &&
		value_is(table_value(plot->table, row, (size_t)columns->note), PEAK_MEASURED);
}

static bool place_rows(const struct plot *plot, const struct roofline_columns *columns,
		       struct roofline_groups *groups)
{
	for (size_t row = 0; row < plot->table->rows; row++) {
		if (!plot_go_on(plot, row))
			return false;
		if (columns->kind < 0 ||
		    value_is(table_value(plot->table, row, (size_t)columns->kind), "kernel"))
			place_row(plot, columns, groups, (uint32_t)row);
	}
	for_each_mutable (group, groups->groups, groups->names.count)
		group->tensor = columns->kind >= 0
					? value_is(table_value(plot->table, group->row,
							       (size_t)columns->tensor),
						   "yes")
					: plot_cell(plot, group->row, columns->tensor) > 50;
	return true;
}

/* ---- the device ---- */

/* First device with known peaks, otherwise the first; NULL: none. */
static const struct device *find_device(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	const struct device *found = NULL;
	for (size_t i = profile->device_count; i-- > 0;) {
		const struct device *other = &profile->devices[i];
		if (!found || isnan(device_rates_of(derived->peaks, profile, found).bytes) ||
		    !isnan(device_rates_of(derived->peaks, profile, other).bytes))
			found = other;
	}
	return found;
}

static const struct roofline_roof {
	const char *label, *type;
	bool tensor;
} roofs[] = { ROOF_ROWS };

enum { ROOFS = sizeof roofs / sizeof *roofs };

static void stretch(struct plot_axis *axis, double value)
{
	axis->low = fmin(axis->low, value);
	axis->high = fmax(axis->high, value);
}

/* A compute roof right of its ridge point; left of it memory bandwidth limits. */
static void add_roof(struct plot *plot, const struct roofline_roof *roof, double peak,
		     double bandwidth)
{
	const char *rate = plot_quantity(plot, UNIT_FLOP_PER_S, peak);
	double ridge = isnan(bandwidth) ? plot->x.low : peak / bandwidth;
	plot_add_guide(plot,
		       (struct plot_guide){ .label = plot_text(plot, "%s %s", roof->label, rate),
					    .role = ROLE_DIM,
					    .x0 = ridge,
					    .y0 = peak,
					    .x1 = plot->x.high,
					    .y1 = peak });
	if (!isnan(bandwidth))
		plot_add_fact(plot, plot_text(plot, "Ridge %s", roof->label), "%.3g FLOP/B", ridge);
}

static void add_slope(struct plot *plot, double bandwidth, double peak)
{
	const char *rate = plot_quantity(plot, UNIT_BYTES_PER_S, bandwidth);
	double ridge = peak / bandwidth, from = fmin(plot->x.low, ridge / 10);
	plot_add_guide(plot, (struct plot_guide){ .label = plot_text(plot, "Memory %s", rate),
						  .role = ROLE_DIM,
						  .x0 = from,
						  .y0 = from * bandwidth,
						  .x1 = ridge,
						  .y1 = peak });
}

static void add_roofs(struct plot *plot)
{
	const struct derived *derived = plot->table->held->derived;
	const struct device *device = find_device(derived);
	const char *name = device ? profile_string(derived->profile, device->name) : "";
	const struct device_rates rates =
		device ? device_rates_of(derived->peaks, derived->profile, device)
		       : (struct device_rates){ .single = NAN, .bytes = NAN };
	double bandwidth = rates.bytes;
	double highest = NAN;
	double peaks[ROOFS];
	struct plot_axis *y = &plot->panels[0].y;
	for (int i = 0; i < ROOFS; i++) {
		peaks[i] = device_rates_flops(&rates, roofs[i].type, roofs[i].tensor);
		if (i > 0 && peaks[i] == peaks[i - 1])
			peaks[i] = NAN; /* the device has no separate unit for this type */
		highest = fmax(highest, peaks[i]);
	}
	if (isnan(highest)) {
		plot_add_fact(plot, "Device", "peaks of %s unknown; no roofs",
			      *name ? name : "the device");
		return;
	}
	plot_add_fact(plot, "Device", "%s", *name ? name : "unnamed");
	stretch(y, highest * 2);
	if (!isnan(bandwidth)) {
		stretch(&plot->x, highest / bandwidth * 4);
		stretch(&plot->x, highest / bandwidth / 4);
	}
	for (int i = 0; i < ROOFS; i++)
		if (!isnan(peaks[i]))
			add_roof(plot, &roofs[i], peaks[i], bandwidth);
	if (!isnan(bandwidth))
		add_slope(plot, bandwidth, highest);
}

/* ---- the points ---- */

COMPARE_MEMBERS(by_time, struct roofline_group, UP(ns) DOWN(row))

/* Drawn in ascending order of weight. */
static void add_points(struct plot *plot, struct roofline_groups *groups)
{
	sort_items(groups->groups, groups->names.count, by_time);
	for_each (group, groups->groups, groups->names.count) {
		struct plot_point point = {
			.x = group->flops / group->bytes,
			.y = group->flops * 1e9 / group->ns,
			.weight = (float)(100 * group->ns / groups->total_ns),
			.row = group->row,
		};
		stretch(&plot->x, point.x / 2);
		stretch(&plot->x, point.x * 2);
		stretch(&plot->panels[0].y, point.y / 2);
		stretch(&plot->panels[0].y, point.y * 2);
		plot_add_point(&plot->series[group->tensor ? TENSOR_SERIES : OTHER_SERIES], point);
	}
}

static void explain_roofline(struct plot *plot, const struct roofline_groups *groups)
{
	bool kernels = strcmp(plot->group->name, "kernels") == 0;
	if (!groups->names.count) {
		if (groups->total_ns > 0)
			plot->note =
				plot_text(plot, "No FLOP estimates in this scope. %s",
					  profile_recording(plot->table->held->profile)->shapes);
		return;
	}
	add_roofs(plot);
	if (kernels)
		plot_add_fact(plot, "Shown",
			      "%u kernels with a FLOP estimate, %.1f%% of kernel time",
			      groups->names.count, 100 * groups->counted_ns / groups->total_ns);
	else
		plot_add_fact(
			plot, "Shown",
			"%u operators with a FLOP estimate; rates include all GPU time under them",
			groups->names.count);
	if (groups->measured)
		plot_add_fact(plot, "Measured",
			      "%zu of %zu launches, by Nsight Compute; the others are estimates",
			      groups->measured, groups->placed);
	plot_add_fact(plot, "Size", "of points: below 1%%, from 1%%, from 10%% of time");
}

bool plot_roofline_build(struct plot *plot)
{
	const struct table *table = plot->table;
	bool kernels = strcmp(plot->group->name, "kernels") == 0;
	struct roofline_columns columns = {
		.name = table_need(table, "name"),
		.flops = table_need(table, "flops"),
		.bytes = table_need(table, "bytes"),
		.kind = kernels ? table_need(table, "kind") : -1,
		.note = kernels ? table_need(table, "peak_note") : -1,
		.ns = table_need(table, kernels ? "dur_ns" : "gpu_total_ns"),
		.tensor = table_need(table, kernels ? "tensor_core" : "tc_total_pct"),
	};
	struct roofline_groups groups = { 0 };
	plot->x = (struct plot_axis){ "Intensity (FLOP/B)", UNIT_RATIO, PLOT_LOG, NAN, NAN };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ "Rate (FLOP/s)", UNIT_FLOP_PER_S, PLOT_LOG, NAN, NAN });
	plot_add_series(plot, 0, "Tensor Cores", PLOT_POINTS, ROLE_KERNEL, tensor_glyphs);
	plot_add_series(plot, 0, "Other", PLOT_POINTS, ROLE_OPERATOR, other_glyphs);
	bool done = place_rows(plot, &columns, &groups);
	if (done) {
		add_points(plot, &groups);
		explain_roofline(plot, &groups);
	}
	keyed_clear(&groups.names);
	mem_free(groups.groups);
	return done;
}

/* A kernel's point stands for all its launches. */
struct ref plot_roofline_ref(const struct plot *plot, uint32_t row)
{
	struct ref ref = table_ref(plot->table, row);
	if (ref.kind != REF_LAUNCH)
		return ref;
	uint32_t name = plot->table->held->profile->activity_name[ref.a];
	return (struct ref){ REF_KERNEL, name, NO_ROW, NO_ROW };
}
