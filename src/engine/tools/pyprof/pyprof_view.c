/*
 * The pyprof view: one row per kernel, by PyProf's rules and formulas.
 */
#include "analysis/work/work.h"
#include "tools/pyprof/pyprof_call.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "base/error.h"
#include "base/hash.h"
#include "views/views.h"

#include <math.h>

struct pyprof_view_build {
	struct table *table;
	const struct profile *profile;
	const struct pyprof_kernels *kernels;
	const struct work_counts *work; /* NULL: what prof.py knows is enough */
	const struct derived *derived;
	struct hash *by_seq, *by_alt; /* sequence number → forward kernels */
	struct arena *arena;          /* of the current kernel's marker */
};

static struct value joined_ids(struct table *table, const struct pyprof_ids *ids)
{
	struct buffer text = { 0 };
	if (!ids->count)
		return value_missing();
	for (size_t i = 0; i < ids->count; i++)
		buffer_printf(&text, "%s%lld", i ? "," : "", (long long)ids->id[i]);
	return table_take_text(table, &text);
}

static struct value joined_texts(struct table *table, const struct pyprof_texts *texts,
				 char between)
{
	struct buffer text = { 0 };
	if (!texts->count)
		return value_missing();
	for (size_t i = 0; i < texts->count; i++) {
		if (i)
			buffer_putc(&text, between);
		buffer_puts(&text, texts->item[i]);
	}
	return table_take_text(table, &text);
}

static struct value number_cell(struct table *table, const struct pyprof_number *number)
{
	struct buffer digits = { 0 };
	if (number->is_real)
		return value_real(number->real);
	if (number->integer >= INT64_MIN && number->integer <= INT64_MAX)
		return value_int((int64_t)number->integer);
	pyprof_put_wide(&digits, number->integer);
	return table_take_text(table, &digits);
}

/* ---- finding the call ---- */

static void pyprof_view_remember(struct pyprof_view_build *build, uint32_t at)
{
	const struct pyprof_kernel *kernel = &build->kernels->kernels[at];
	if (kernel->backward)
		return;
	for (size_t i = 0; i < kernel->seq.count; i++)
		hash_add(build->by_seq, (uint64_t)kernel->seq.id[i], at);
	for (size_t i = 0; i < kernel->alt.count; i++)
		hash_add(build->by_alt, (uint64_t)kernel->alt.id[i], at);
}

/*
 * The call of a kernel: its own, or for a backward kernel that of the last preceding forward kernel
 * with its sequence number, on any thread.
 */
static const struct pyprof_kernel *called_by(const struct pyprof_view_build *build,
					     const struct pyprof_kernel *kernel)
{
	if (!kernel->backward || kernel->marker.count || !kernel->seq.count)
		return kernel;
	uint64_t sequence = (uint64_t)kernel->seq.id[0];
	uint32_t at = hash_last(build->by_seq, sequence);
	if (at == NO_ROW)
		at = hash_last(build->by_alt, sequence);
	return at == NO_ROW ? kernel : &build->kernels->kernels[at];
}

/* The outermost marker, if it is an argument marker. */
static const struct literal *read_marker(struct pyprof_view_build *build,
					 const struct pyprof_kernel *from)
{
	if (!from->marker.count || !from->op.count)
		return NULL;
	mem_replace_by(arena_free, build->arena, arena_new());
	const char *text = from->marker.item[0];
	const struct literal *marker = literal_parse(build->arena, text, strlen(text));
	const struct literal *mod = literal_get(marker, "mod"), *op = literal_get(marker, "op");
	bool whole = mod && mod->kind == LITERAL_TEXT && op && op->kind == LITERAL_TEXT &&
		     literal_is_sequence(literal_get(marker, "args"));
	return whole ? marker : NULL;
}

static const char *kernel_name(struct table *table, const struct pyprof_kernel *kernel)
{
	size_t length = strlen(kernel->name);
	char *name = arena_strndup(table->arena, kernel->name, length);
	for (size_t i = 0; i < length; i++)
		if (name[i] == ' ')
			name[i] = '_';
	return name;
}

static struct pyprof_call compute(struct pyprof_view_build *build,
				  const struct pyprof_kernel *kernel,
				  const struct pyprof_kernel *from, const char *name)
{
	const struct launch_config *config = profile_config(build->profile, kernel->activity);
	const char *mod = from->mod.count ? from->mod.item[0] : "";
	const char *op = from->op.count ? from->op.item[0] : "";
	const struct literal *marker = read_marker(build, from);
	struct pyprof_call call = {
		.kernel = name,
		.forward = !kernel->backward,
		.sub = kernel->sub,
		.shown_op = op,
		.tensor = "na",
	};
	if (config)
		memcpy(call.grid, config->grid, sizeof call.grid);
	if (!marker) {
		buffer_puts(&call.params, "na=na,");
		return call;
	}
	call.mod = literal_get(marker, "mod")->text;
	call.op = literal_get(marker, "op")->text;
	call.args = literal_get(marker, "args");
	pyprof_compute(&call, mod, op);
	return call;
}

/* ---- what prof.py does not know ---- */

static const char prof_py[] = "prof.py"; /* grouping: only what prof.py itself knows */

/* Profiles that PyProf recorded, and databases in its own format, are as prof.py shows them. */
static bool is_as_prof_py(const struct profile *profile, const struct pyprof_kernels *kernels,
			  const char *group)
{
	bool own = strcmp(profile->format, "PyProf net.dict") == 0 ||
		   (group && strcmp(group, prof_py) == 0 && strstr(profile->format, "(SQLite)"));
	for (size_t i = 0; i < kernels->count && !own; i++)
		own = kernels->kernels[i].marker.count;
	return own;
}

static struct value work_cell(double work, const struct pyprof_call *call, struct value counted)
{
	return !isnan(work)                                   ? value_int((int64_t)llround(work))
	       : strcmp(buffer_text(&call->params), "na=na,") ? counted
							      : value_missing();
}

/* Tensor cores, FLOPs and bytes as in launches; unknown ones are not 0. */
static void set_known(struct pyprof_view_build *build, size_t row, uint32_t activity,
		      const struct pyprof_call *call)
{
	struct table *table = build->table;
	struct work work = work_of_activity(build->work, build->profile, activity);
	enum tensor_use use = (enum tensor_use)build->derived->activity_tensor[activity];
	if (use == TENSOR_YES || (use == TENSOR_NO && strcmp(call->tensor, "na") == 0))
		table_set(table, row, "tc", value_text(use == TENSOR_YES ? "1" : "0"));
	table_set(table, row, "flops",
		  work_cell(work.flops, call, number_cell(table, &call->flops)));
	table_set(table, row, "bytes",
		  work_cell(work.bytes, call, number_cell(table, &call->bytes)));
}

/* ---- rows ---- */

static void set_places(struct pyprof_view_build *build, size_t row,
		       const struct pyprof_kernel *kernel)
{
	const struct profile *profile = build->profile;
	const struct launch_config *config = profile_config(profile, kernel->activity);
	const struct track *track = &profile->tracks[profile->activity_track[kernel->activity]];
	struct table *table = build->table;
	PYPROF_PLACE_CELLS(table_set);
	if (!config)
		return;
	table_set(table, row, "grid", cell_triple(table, config->grid));
	table_set(table, row, "block", cell_triple(table, config->block));
}

static void pyprof_view_add_kernel(struct pyprof_view_build *build,
				   const struct pyprof_kernel *kernel)
{
	struct table *table = build->table;
	const struct pyprof_kernel *from = called_by(build, kernel);
	const char *name = kernel_name(table, kernel);
	struct pyprof_call call = compute(build, kernel, from, name);
	size_t row = table_add_row(table, (struct ref){ REF_LAUNCH, kernel->activity, 0, 0 });
	set_places(build, row, kernel);
	PYPROF_CELLS(table_set);
	if (build->work)
		set_known(build, row, kernel->activity, &call);
	table_set(table, row, "params", table_take_text(table, &call.params));
}

enum { ROW_WEIGHT = 128 }; /* weight of a row: parses a marker and evaluates a formula */

bool build_pyprof(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	AUTO(pyprof_kernels_free) struct pyprof_kernels kernels = { 0 };
	bool ok = pyprof_kernels_read(&kernels, selection->profile, query->progress);
	struct pyprof_view_build build = {
		.table = table,
		.profile = selection->profile,
		.kernels = &kernels,
		.derived = selection->derived,
		.by_seq = hash_new(kernels.count),
		.by_alt = hash_new(16),
	};
	if (ok && !is_as_prof_py(selection->profile, &kernels, query->group)) {
		build.work = derived_work(selection->derived, query->progress);
		ok = build.work != NULL;
	}
	for_heavy_rows (ok, i, kernels.count, query->progress, "counting FLOPs", ROW_WEIGHT) {
		if (build.work)
			pyprof_arguments_add(&kernels.kernels[i], kernels.arena, build.derived);
		pyprof_view_remember(&build, (uint32_t)i);
		if (selection_has_activity(selection, kernels.kernels[i].activity))
			pyprof_view_add_kernel(&build, &kernels.kernels[i]);
	}
	if (ok && !table->rows)
		table->lacks = RECORDED_DEVICE;
	arena_free(build.arena);
	hash_free_all(build.by_seq, build.by_alt);
	return ok || error_cancelled(query->error);
}
