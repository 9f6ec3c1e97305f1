/*
 * The kernels view: grouped by name, by launch properties and operator, or by family.
 */
#include "analysis/device_metrics.h"
#include "derived/kernel_family.h"
#include "model/python_stats.h"
#include "views/views.h"

#include <inttypes.h>
#include <math.h>

static const char stage[] = "summing kernels", listing[] = "listing kernels";

enum { ROW_WEIGHT = 32 }; /* for progress_heavy_row: a row has many cells */

static double occupancy(const struct profile *profile, uint32_t activity)
{
	const struct launch_config *config = profile_config(profile, activity);
	return config ? config->occupancy_pct : NAN;
}

/* What a launch has, NAN: unknown; a row has its mean weighted by time. A column more is a line
 * here. */
static const struct kernels_mean {
	const char *column;
	double (*of)(const struct profile *profile, uint32_t activity);
} means[] = { KERNEL_MEAN_ROWS };

enum { MEANS = sizeof means / sizeof *means };

struct time_weighted {
	double sum, ns;
};

struct kernels_group {
	uint32_t name, operator_name, config; /* NO_ROW: several in the group */
	int64_t calls;
	struct moments times; /* of the calls whose duration is known */
	struct time_weighted means[MEANS];
	struct launch_config common; /* what its launches share; else DIFFERS */
	uint32_t operators;          /* that launch it */
	int64_t operator_time;       /* of the one with most */
	enum tensor_use tensor;      /* unknown unless all launches agree */
};

/* In place of a number, where launches of known ones have several. */
enum { DIFFERS = -2 };

struct kernels_build {
	const struct selection *selection;
	const struct kernel_name *names;
	bool by_properties, by_family;
	struct keyed keys;
	struct kernels_group *groups; /* by key: name, and properties */
	struct keyed part_keys;
	int64_t *parts; /* ns by key: what an operator launches of a group, unless by properties */
	int64_t total;
};

static const struct launch_config no_config = {
	.grid = { -1 }, .block = { -1 }, .regs_per_thread = -1, .shared_mem_bytes = -1
};

/* Properties are TensorBoard's table, where an annotation may be the launcher. */
static uint32_t operator_name(const struct kernels_build *build, uint32_t activity)
{
	const struct selection *selection = build->selection;
	if (!build->by_properties)
		return derived_operator_name(selection->derived, activity);
	uint32_t owner = derived_launcher(selection->derived, activity);
	return owner == NO_ROW ? NO_ROW : selection->profile->span_name[owner];
}

static struct kernels_group *kernels_find_group(struct kernels_build *build, uint32_t activity)
{
	const struct profile *profile = build->selection->profile;
	uint32_t name = profile->activity_name[activity];
	uint32_t op = operator_name(build, activity);
	uint32_t config = profile->activity_config[activity];
	const uint32_t key[] = { name, build->by_properties ? op : 0,
				 build->by_properties ? config : 0 };
	struct kernels_group *group = keyed_item(&build->keys, build->groups, &key);
	if (!group->calls)
		*group = (struct kernels_group){
			.name = name,
			.operator_name = op,
			.config = config,
			.common = config == NO_ROW ? no_config : profile->configs[config],
			.tensor = (enum tensor_use)
					  build->selection->derived->activity_tensor[activity],
		};
	return group;
}

static void share_triple(int32_t sum[3], const int32_t other[3])
{
	if (sum[0] >= 0 && memcmp(sum, other, 3 * sizeof *sum) != 0)
		sum[0] = other[0] < 0 ? other[0] : DIFFERS;
}

/* Keep of SUM what OTHER has too. */
static void share_config(struct launch_config *sum, const struct launch_config *other)
{
	share_triple(sum->grid, other->grid);
	share_triple(sum->block, other->block);
	if (sum->regs_per_thread != other->regs_per_thread)
		sum->regs_per_thread = DIFFERS;
	if (sum->shared_mem_bytes != other->shared_mem_bytes)
		sum->shared_mem_bytes = DIFFERS;
}

static void kernels_add_kernel(struct kernels_build *build, uint32_t activity)
{
	const struct profile *profile = build->selection->profile;
	int64_t dur = profile->activity_dur[activity];
	struct kernels_group *group = kernels_find_group(build, activity);
	group->calls++;
	if (profile_activity_timed(profile, activity))
		moments_add(&group->times, dur);
	if (group->tensor != build->selection->derived->activity_tensor[activity])
		group->tensor = TENSOR_UNKNOWN;
	if (group->config != profile->activity_config[activity])
		share_config(&group->common, profile_config(profile, activity) ?: &no_config);
	if (!build->by_properties) {
		const uint32_t part[] = { (uint32_t)(group - build->groups),
					  operator_name(build, activity) };
		if (part[1] != NO_ROW) /* launches without an operator are no part of any */
			*keyed_item(&build->part_keys, build->parts, &part) += dur;
	}
	build->total += dur;
	for (size_t i = 0; i < MEANS; i++) {
		double value = means[i].of(profile, activity);
		group->means[i].sum += isnan(value) ? 0 : value * (double)dur;
		group->means[i].ns += isnan(value) ? 0 : (double)dur;
	}
}

/* The operator of a row: the one with most time, and how many others. */
static bool name_operators(struct kernels_build *build, const struct progress *progress)
{
	for (size_t i = 0; i < build->keys.count && !build->by_properties; i++)
		build->groups[i].operator_name = NO_ROW;
	bool ok = true;
	for_rows (ok, i, build->part_keys.count, progress, stage) {
		const uint32_t *key = keyed_key(&build->part_keys, i);
		struct kernels_group *group = &build->groups[key[0]];
		if (!group->operators++ || build->parts[i] > group->operator_time) {
			group->operator_name = key[1];
			group->operator_time = build->parts[i];
		}
	}
	return ok;
}

static struct value operator_cell(struct table *table, const struct profile *profile,
				  const struct kernels_group *group)
{
	if (group->operators < 2)
		return cell_text(profile, group->operator_name);
	return table_printf(table, "%s and %" PRIu32 " other%s",
			    profile_string(profile, group->operator_name), group->operators - 1,
			    group->operators > 2 ? "s" : "");
}

static void set_triple(struct table *table, size_t row, const char *column, const int32_t triple[3])
{
	if (triple[0] >= 0)
		table_set(table, row, column, cell_triple(table, triple));
	else if (triple[0] == DIFFERS)
		table_set(table, row, column, value_text("several"));
}

static struct value cell_common(int64_t number)
{
	return number == DIFFERS ? value_several()
	       : number < 0      ? value_missing()
				 : value_int(number);
}

static void set_config(struct table *table, size_t row, const struct launch_config *config)
{
	set_triple(table, row, "grid", config->grid);
	set_triple(table, row, "block", config->block);
	table_set(table, row, "regs_per_thread", cell_common(config->regs_per_thread));
	table_set(table, row, "shared_mem_bytes", cell_common(config->shared_mem_bytes));
}

static enum kernel_family family_of(const struct kernels_build *build,
				    const struct kernels_group *group)
{
	return (enum kernel_family)build->names[group->name].family;
}

/* Shares sum to 100 %: in a tree of families those of kernels would count twice. */
static void set_share(struct table *table, size_t row, const struct kernels_build *build,
		      const struct kernels_group *group)
{
	if (group->times.count)
		table_set(table, row, "share_pct", cell_share(group->times.sum, build->total));
}

/* What a row has, whether it is of a kernel or of a family. */
static void set_sums(struct table *table, size_t row, const struct kernels_build *build,
		     const struct kernels_group *group)
{
	table_set(table, row, "family", value_text(kernel_family_name(family_of(build, group))));
	table_set(table, row, "calls", value_int(group->calls));
	call_durations_set(&group->times, table, row);
	if (group->times.count)
		table_set(table, row, "total_ns", value_int(group->times.sum));
	table_set(table, row, "tensor_core", cell_tensor_use(group->tensor));
	for (size_t i = 0; i < MEANS; i++)
		table_set(table, row, means[i].column,
			  cell_real(group->means[i].sum / group->means[i].ns));
}

static size_t kernels_add_group(struct table *table, const struct kernels_build *build,
				const struct kernels_group *group)
{
	const struct profile *profile = build->selection->profile;
	struct ref ref = { REF_KERNEL, group->name, NO_ROW, NO_ROW };
	if (build->by_properties) {
		ref.b = group->operator_name;
		ref.c = group->config;
	}
	size_t row = table_add_row(table, ref);
	table_set(table, row, "name", cell_text(profile, group->name));
	set_sums(table, row, build, group);
	if (!build->by_family)
		set_share(table, row, build, group);
	table_set(table, row, "operator", operator_cell(table, profile, group));
	if (build->by_properties) {
		/* part of the row's key: unknown is an empty list, not a missing value */
		table_set(table, row, "grid", value_text(""));
		table_set(table, row, "block", value_text(""));
	}
	set_config(table, row, &group->common);
	return row;
}

/* ---- families ---- */

/* SUM and PART as one group. */
static void merge_group(struct kernels_group *sum, const struct kernels_group *part)
{
	if (!sum->calls) {
		*sum = *part;
		return;
	}
	sum->calls += part->calls;
	moments_merge(&sum->times, &part->times);
	for (size_t i = 0; i < MEANS; i++) {
		sum->means[i].sum += part->means[i].sum;
		sum->means[i].ns += part->means[i].ns;
	}
	if (sum->tensor != part->tensor)
		sum->tensor = TENSOR_UNKNOWN;
}

/* A row for each family, with its kernels below it. */
static bool add_families(struct table *table, const struct kernels_build *build,
			 const struct progress *progress)
{
	struct kernels_group sums[KERNEL_FAMILIES] = { { 0 } };
	for (size_t i = 0; i < build->keys.count; i++)
		merge_group(&sums[family_of(build, &build->groups[i])], &build->groups[i]);
	for (size_t f = 0; f < KERNEL_FAMILIES; f++) {
		if (!sums[f].calls)
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "name",
			  value_text(kernel_family_name((enum kernel_family)f)));
		table_set(table, row, "depth", value_int(0));
		set_sums(table, row, build, &sums[f]);
		set_share(table, row, build, &sums[f]);
		for (size_t i = 0; i < build->keys.count; i++) {
			if (!progress_heavy_row(progress, listing, i, build->keys.count,
						ROW_WEIGHT))
				return false;
			if (family_of(build, &build->groups[i]) != f)
				continue;
			row = kernels_add_group(table, build, &build->groups[i]);
			table_set_depth(table, row, 1);
			table_set(table, row, "depth", value_int(1));
		}
	}
	table->is_tree = true;
	return true;
}

static bool kernels_add_groups(struct table *table, const struct kernels_build *build,
			       const struct progress *progress)
{
	bool ok = true;
	for_heavy_rows (ok, i, build->keys.count, progress, listing, ROW_WEIGHT)
		kernels_add_group(table, build, &build->groups[i]);
	return ok;
}

/* ---- the view ---- */

bool build_kernels(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct python_stats *printed = selection->profile->python;
	bool by_family = query->group && strcmp(query->group, "family") == 0;
	if (printed && printed->operator_count)
		return add_kernel_totals(table, query, by_family);
	struct kernels_build build = {
		.selection = selection,
		.by_properties = query->group && strcmp(query->group, "properties") == 0,
		.by_family = by_family,
		.names = derived_kernel_names(selection->derived, query->progress),
	};
	uint32_t activities = selection->profile->activities;
	bool ok = build.names != NULL, any_kernel = false;
	for_rows (ok, i, activities, query->progress, stage) {
		if (selection->profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		any_kernel = true;
		if (selection_has_activity(selection, i))
			kernels_add_kernel(&build, i);
	}
	ok = ok && name_operators(&build, query->progress) &&
	     (build.by_family ? add_families : kernels_add_groups)(table, &build, query->progress);
	if (ok && activities && !any_kernel)
		table_note(table, "No kernels in the profile: its GPU events are of other kinds.");
	if (build.by_properties)
		table->default_columns =
			"name,grid,block,calls,total_ns,share_pct,avg_ns,min_ns,max_ns,"
			"tensor_core,occupancy_pct,operator,regs_per_thread,"
			"shared_mem_bytes";
	keyed_clear(&build.keys);
	keyed_clear(&build.part_keys);
	mem_free_all(build.groups, build.parts);
	return ok;
}
