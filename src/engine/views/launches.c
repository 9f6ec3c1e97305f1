/*
 * Single device activities, their cells computed when they are looked at.
 */
#include "analysis/work/device_peaks.h"
#include "analysis/shared.h"
#include "analysis/work/work.h"
#include "base/buffer.h"
#include "model/threads.h"
#include "views/views.h"

#include <stdio.h>
#include <string.h>

/* Columns in the view's order. */
enum {
	LAUNCH_ID,
	LAUNCH_KIND,
	LAUNCH_NAME,
	LAUNCH_STEP,
	LAUNCH_DEVICE,
	LAUNCH_STREAM,
	LAUNCH_START,
	LAUNCH_DUR,
	LAUNCH_OPERATOR,
	LAUNCH_LAYER,
	LAUNCH_PASS,
	LAUNCH_FORWARD,
	LAUNCH_SEQ,
	LAUNCH_GRID,
	LAUNCH_BLOCK,
	LAUNCH_REGS,
	LAUNCH_SHARED,
	LAUNCH_TENSOR,
	LAUNCH_FLOPS,
	LAUNCH_BYTES,
	LAUNCH_FLOPS_PER_S,
	LAUNCH_BYTES_PER_S,
	LAUNCH_INTENSITY,
	LAUNCH_PEAK,
	LAUNCH_API_START,
	LAUNCH_API_DUR,
	LAUNCH_OFF_CPU,
	LAUNCH_DELAY,
	LAUNCH_CORRELATION,
	LAUNCH_SHAPES,
	LAUNCH_TYPES,
};

struct launches {
	const struct profile *profile;
	const struct facts *facts;
	const uint32_t *rows;         /* activity rows, by start */
	uint32_t *own_rows;           /* where they are not all */
	struct value *layer_paths;    /* by node */
	struct value *devices;        /* by track */
	struct value *grids, *blocks; /* by launch config */
	const struct work_counts *work;
};

static void free_launches(void *state)
{
	struct launches *launches = state;
	mem_free(launches->own_rows);
	mem_free(launches->layer_paths);
	mem_free(launches->devices);
	mem_free(launches->grids);
	mem_free(launches->blocks);
	mem_free(launches);
}

static struct value config_value(const struct launches *launches, uint32_t activity, size_t column)
{
	uint32_t index = launches->profile->activity_config[activity];
	if (index == NO_ROW)
		return value_missing();
	const struct launch_config *config = &launches->profile->configs[index];
	switch (column) {
	case LAUNCH_GRID: return launches->grids[index];
	case LAUNCH_BLOCK: return launches->blocks[index];
	case LAUNCH_REGS:
		return config->regs_per_thread < 0 ? value_missing()
						   : value_int(config->regs_per_thread);
	default:
		return config->shared_mem_bytes < 0 ? value_missing()
						    : value_int(config->shared_mem_bytes);
	}
}

/* How long the thread had no processor while it was in the call. */
static struct value off_cpu_value(const struct profile *profile, uint32_t call)
{
	int64_t start = profile->span_start[call], dur = profile->span_dur[call];
	int64_t on_cpu = thread_on_cpu(profile, profile->span_track[call], start, start + dur);
	return on_cpu == NO_VALUE ? value_missing() : value_int(dur - on_cpu);
}

/* What the call that launched it says; DELAY is from the call's start to the work's. */
static struct value call_value(const struct launches *launches, uint32_t activity, size_t column)
{
	const struct profile *profile = launches->profile;
	uint32_t call = profile->activity_launch[activity];
	if (call == NO_ROW)
		return value_missing();
	switch (column) {
	case LAUNCH_API_START: return value_int(profile->span_start[call]);
	case LAUNCH_API_DUR: return value_int(profile->span_dur[call]);
	case LAUNCH_OFF_CPU: return off_cpu_value(profile, call);
	default: return value_int(profile->activity_start[activity] - profile->span_start[call]);
	}
}

static struct value forward_value(const struct facts *facts, uint32_t owner)
{
	uint32_t forward = links_forward(facts, owner);
	return forward == NO_ROW ? value_missing()
				 : cell_text(facts->profile, facts->profile->span_name[forward]);
}

static struct value operator_value(const struct launches *launches, uint32_t activity,
				   size_t column)
{
	const struct profile *profile = launches->profile;
	const struct facts *facts = launches->facts;
	uint32_t owner = facts->activity_operator[activity];
	if (owner == NO_ROW)
		return value_missing();
	const struct op_info *info;
	switch (column) {
	case LAUNCH_OPERATOR: return cell_text(profile, profile->span_name[owner]);
	case LAUNCH_FORWARD: return forward_value(facts, owner);
	case LAUNCH_SEQ: return value_sequence(facts, owner);
	default:
		info = links_arguments(facts, owner);
		if (!info)
			return value_missing();
		return cell_text(profile, column == LAUNCH_SHAPES ? info->shapes : info->types);
	}
}

static struct value layer_value(const struct launches *launches, uint32_t activity)
{
	const struct facts *facts = launches->facts;
	if (launches->profile->activity_launch[activity] == NO_ROW)
		return value_missing();
	return launches->layer_paths[layer_enclosing(facts, facts->layers.activity_node[activity])];
}

static struct value pass_value(const struct launches *launches, uint32_t activity)
{
	const struct facts *facts = launches->facts;
	uint32_t at = facts_work_row(facts, activity);
	if (at == NO_ROW)
		return value_missing();
	uint8_t flags = facts->span_flags[at];
	return value_text(layer_pass_name(flags & SPAN_BACKWARD ? PASS_BACKWARD : PASS_FORWARD));
}

/* ---- work ---- */

/* The type of the first argument that has one, "" when none was recorded. */
static void read_type(const struct launches *launches, uint32_t activity, char type[32])
{
	uint32_t owner = launches->facts->activity_operator[activity];
	const struct op_info *info =
		owner == NO_ROW ? NULL : links_arguments(launches->facts, owner);
	const char *at = profile_string(launches->profile, info ? info->types : NO_ROW);
	size_t length = 0;
	while ((at = strchr(at, '"')) && (length = strcspn(++at, "\"")) == 0)
		at += *at == '"';
	snprintf(type, 32, "%.*s", at ? (int)length : 0, at ? at : "");
}

/* Share of what the device can compute with elements of the type. */
static struct value peak_value(const struct launches *launches, uint32_t activity,
			       double flops_per_s)
{
	const struct profile *profile = launches->profile;
	const struct device *device =
		profile_device(profile, profile_activity_device(profile, activity));
	char type[32];
	if (!device || !(flops_per_s > 0))
		return value_missing();
	read_type(launches, activity, type);
	bool tensor = launches->facts->kernel_tensor[profile->activity_name[activity]] != TENSOR_NO;
	return cell_real(
		100 * flops_per_s /
		device_peak_flops_of(launches->facts->peaks, profile, device, type, tensor));
}

static struct value work_value(const struct launches *launches, uint32_t activity, size_t column)
{
	struct work work = work_of_activity(launches->work, launches->profile, activity);
	int64_t copied = launches->profile->activity_bytes[activity];
	double flops = work.flops, bytes = copied != NO_VALUE ? (double)copied : work.bytes;
	double seconds = (double)launches->profile->activity_dur[activity] / 1e9;
	switch (column) {
	case LAUNCH_FLOPS: return cell_work(flops);
	case LAUNCH_BYTES: return cell_work(bytes);
	case LAUNCH_FLOPS_PER_S: return cell_real(flops / seconds);
	case LAUNCH_BYTES_PER_S: return cell_real(bytes / seconds);
	case LAUNCH_INTENSITY: return cell_real(flops / bytes);
	default: return peak_value(launches, activity, flops / seconds);
	}
}

static struct value tensor_value(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return value_missing();
	return value_text(tensor_use_name(
		(enum tensor_use)launches->facts->kernel_tensor[profile->activity_name[activity]]));
}

static struct value step_value(const struct launches *launches, uint32_t activity)
{
	uint32_t step = selection_step_of_activity(launches->facts, activity);
	return step == NO_ROW ? value_missing() : value_int(launches->facts->steps[step].number);
}

static struct value compute_launch(const struct table *table, size_t row, size_t column)
{
	const struct launches *launches = table->state;
	const struct profile *profile = launches->profile;
	uint32_t i = launches->rows[row];
	switch (column) {
	case LAUNCH_ID: return value_int(profile_activity_id(profile, i));
	case LAUNCH_KIND:
		return value_text(
			activity_kind_name((enum activity_kind)profile->activity_kind[i]));
	case LAUNCH_NAME: return cell_text(profile, profile->activity_name[i]);
	case LAUNCH_STEP: return step_value(launches, i);
	case LAUNCH_DEVICE: return launches->devices[profile->activity_track[i]];
	case LAUNCH_STREAM: return cell_int(profile->tracks[profile->activity_track[i]].tid);
	case LAUNCH_START: return value_int(profile->activity_start[i]);
	case LAUNCH_DUR: return value_int(profile->activity_dur[i]);
	case LAUNCH_LAYER: return layer_value(launches, i);
	case LAUNCH_PASS: return pass_value(launches, i);
	case LAUNCH_TENSOR: return tensor_value(launches, i);
	case LAUNCH_FLOPS:
	case LAUNCH_BYTES:
	case LAUNCH_FLOPS_PER_S:
	case LAUNCH_BYTES_PER_S:
	case LAUNCH_INTENSITY:
	case LAUNCH_PEAK: return work_value(launches, i, column);
	case LAUNCH_CORRELATION: return cell_int(profile->activity_correlation[i]);
	case LAUNCH_OPERATOR:
	case LAUNCH_FORWARD:
	case LAUNCH_SEQ:
	case LAUNCH_SHAPES:
	case LAUNCH_TYPES: return operator_value(launches, i, column);
	case LAUNCH_GRID:
	case LAUNCH_BLOCK:
	case LAUNCH_REGS:
	case LAUNCH_SHARED: return config_value(launches, i, column);
	case LAUNCH_API_START:
	case LAUNCH_API_DUR:
	case LAUNCH_OFF_CPU:
	case LAUNCH_DELAY: return call_value(launches, i, column);
	default: return value_missing();
	}
}

static struct ref compute_ref(const struct table *table, size_t row)
{
	const struct launches *launches = table->state;
	return (struct ref){ REF_LAUNCH, launches->rows[row], 0, 0 };
}

/* ---- building ---- */

static void make_texts(struct launches *launches, struct table *table)
{
	const struct profile *profile = launches->profile;
	launches->layer_paths = layer_path_cells(table, launches->facts);
	launches->devices = mem_alloc((profile->track_count + 1) * sizeof(struct value));
	launches->grids = mem_alloc((profile->config_count + 1) * sizeof(struct value));
	launches->blocks = mem_alloc((profile->config_count + 1) * sizeof(struct value));
	for (size_t i = 0; i < profile->track_count; i++)
		launches->devices[i] = cell_device(table, profile->tracks[i].device);
	for (size_t i = 0; i < profile->config_count; i++) {
		launches->grids[i] = cell_triple(table, profile->configs[i].grid);
		launches->blocks[i] = cell_triple(table, profile->configs[i].block);
	}
}

static bool add_by_start(struct table *table, struct launches *launches,
			 const struct selection *selection, const struct progress *progress)
{
	const uint32_t *by_start = shared_by_start(launches->facts, progress);
	uint32_t activities = launches->profile->activities;
	if (!by_start)
		return false;
	launches->rows = by_start;
	table->rows = activities;
	if (!selection->activity)
		return true;
	launches->own_rows = mem_alloc(((size_t)activities + 1) * sizeof *launches->own_rows);
	launches->rows = launches->own_rows;
	table->rows = 0;
	for (uint32_t i = 0; i < activities; i++) {
		if (!progress_row(progress, "finding launches", i, activities))
			return false;
		if (selection_has_activity(selection, by_start[i]))
			launches->own_rows[table->rows++] = by_start[i];
	}
	return true;
}

static bool build_launches(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct launches *launches = mem_zalloc(1, sizeof *launches);
	table->state = launches;
	table->free_state = free_launches;
	launches->profile = selection->profile;
	launches->facts = selection->facts;
	launches->work = shared_work(launches->facts, query->progress);
	if (!launches->work)
		return false;
	make_texts(launches, table);
	if (!add_by_start(table, launches, selection, query->progress))
		return false;
	table->compute = compute_launch;
	table->compute_ref = compute_ref;
	table->used = UINT64_MAX;
	note_no_device_work(table, selection->profile);
	return true;
}

const struct view view_launches = {
	.name = "launches",
	.rows_apart = true,
	.title = "Launches",
	.row = "one device activity",
	.summary = "Single kernels, copies, sets and synchronisations, with what launched them.",
	.columns =
		"id,kind,name,step,device,stream,start_ns,dur_ns,operator,layer,pass,forward,seq,grid,"
		"block,regs_per_thread,shared_mem_bytes,tensor_core,flops,bytes,flops_per_s,"
		"bytes_per_s,intensity,peak_pct,api_start_ns,api_dur_ns,api_off_cpu_ns,"
		"launch_delay_ns,"
		"correlation,input_shapes,input_types",
	.default_columns = "name,kind,step,stream,start_ns,dur_ns,launch_delay_ns,operator,pass,"
			   "grid,block,layer",
	.default_sort = "",
	.build = build_launches,
};
