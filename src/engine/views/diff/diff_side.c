/*
 * One side of a comparison: rows of a view, with normalized names.
 */
#include "session/load.h"
#include "derived/name_key.h"
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "views/diff/diff.h"

/* ---- translating the scope ---- */

/* Id of a text of another profile; false if it does not occur here. */
static bool carry_name(uint32_t *id, const struct profile *from, const struct profile *to)
{
	if (*id == NO_ROW || *id == 0 || from == to)
		return true;
	*id = intern_find(to->strings, INTERNED(from->strings, *id));
	return *id != NO_ROW;
}

static bool carry_track(uint32_t *track, const struct profile *from, const struct profile *to)
{
	if (*track == NO_ROW || from == to)
		return true;
	const struct track *wanted = &from->tracks[*track];
	*track = row_where(i, 0, to->track_count,
			   to->tracks[i].device == wanted->device &&
				   to->tracks[i].tid == wanted->tid);
	return *track != NO_ROW;
}

/* Drop the devices that the other run lacks; false when none is left. */
static bool carry_devices(struct scope_list *devices, const struct profile *to)
{
	int asked = devices->count;
	devices->count = 0;
	for (int i = 0; i < asked; i++)
		if (profile_has_device(to, devices->id[i]))
			devices->id[devices->count++] = devices->id[i];
	return devices->count || !asked;
}

/* Layers are matched by path. */
static bool carry_layer(struct scope *scope, const struct derived *from, const struct derived *to)
{
	AUTO_BUFFER struct buffer path = { 0 };
	bool known = true;
	if (scope->layer != NO_ROW && from != to) {
		layer_path(from, scope->layer, &path);
		if (path.length && !scope->under)
			scope_set_text(&scope->under, buffer_text(&path));
		scope->layer = NO_ROW;
	}
	if (scope->under) {
		AUTO_FREE uint8_t *marks = mem_zalloc((size_t)to->layers.count + 1, 1);
		known = layers_match(to, scope->under, marks) > 0;
	}
	return known;
}

static bool carry_scope(struct diff_side *side, const struct rank *from)
{
	struct scope *scope = &side->scope;
	const struct profile *before = from->profile, *here = side->rank->profile;
	scope_set_text(&scope->filter, NULL);
	scope->rank = (int)side->rank->number;
	return scope->function == NO_ROW && carry_devices(&scope->devices, here) &&
	       carry_name(&scope->operator_name, before, here) &&
	       carry_name(&scope->operator_shapes, before, here) &&
	       carry_name(&scope->operator_stack, before, here) &&
	       carry_name(&scope->kernel_name, before, here) &&
	       carry_track(&scope->track, before, here) &&
	       carry_layer(scope, from->derived, side->rank->derived);
}

/* ---- rows ---- */

struct diff_side_reading {
	struct diff_side *side;
	const struct table *table;
	bool labels; /* it has labels, of which those with a type of their own are read */
	const struct diff_grouping *grouping;
	struct intern *keys;
	/* column indexes, -1: missing */
	int name, path, kind, qualifier, pass, calls, gpu, cpu, bytes, gpu_total, cpu_total;
	struct buffer key;
};

static int column_of(const struct table *table, const char *id)
{
	return id ? table_need(table, id) : -1;
}

static int64_t number_at(const struct table *table, size_t row, int column)
{
	struct value value = table_value_or_missing(table, row, column);
	return value.kind == VALUE_INT ? value.integer : NO_VALUE;
}

static bool diff_side_is_layer(struct value kind)
{
	return diff_is_kind(kind, LAYER_MODULE) || diff_is_kind(kind, LAYER_ANNOTATION) ||
	       diff_is_kind(kind, LAYER_PYTHON) || diff_is_kind(kind, LAYER_PROCESS) ||
	       diff_is_kind(kind, LAYER_RUN);
}

/* Key of a row that is comparable between runs, and its position. */
static void make_key(struct diff_side_reading *reading, size_t row, struct align_row *align)
{
	const struct diff_row *shown = &reading->side->rows[reading->side->count];
	struct buffer *key = &reading->key;
	buffer_clear(key);
	buffer_add(key, shown->kind.text, shown->kind.length);
	struct value pass = table_value_or_missing(reading->table, row, reading->pass);
	if (pass.kind == VALUE_TEXT)
		buffer_printf(key, " %.*s", (int)pass.length, pass.text);
	buffer_putc(key, 0);
	if (shown->qualifier.kind == VALUE_TEXT)
		buffer_add(key, shown->qualifier.text, shown->qualifier.length);
	buffer_putc(key, 0);
	align->name = shown->name.kind == VALUE_TEXT ? shown->name.text : "";
	align->length = shown->name.kind == VALUE_TEXT ? shown->name.length : 0;
	if (reading->labels) /* of any class */
		align->length = strcspn(align->name, "#");
	align->counter =
		name_key(key, align->name, align->length, diff_is_kind(shown->kind, LAYER_MODULE));
	align->key = intern_add(reading->keys, BUFFERED(key));
}

static struct value kind_of(const struct diff_side_reading *reading, size_t row)
{
	const struct diff_grouping *grouping = reading->grouping;
	const struct table *table = reading->table;
	if (grouping->kind_above && table_depth(table, row) == 0)
		return value_text(grouping->kind_above);
	return grouping->kind ? value_text(grouping->kind)
			      : table_value_or_missing(table, row, reading->kind);
}

/* What the plugin for TensorBoard calls the type of an operator or label; NULL: it has none. */
static const char *type_of(const struct diff_side_reading *reading, struct ref ref)
{
	const struct derived *derived = reading->side->rank->derived;
	uint16_t role = ref.kind != REF_NONE && ref.a < derived->names ? derived->role[ref.a] : 0;
	if (role & NAME_DATALOADER)
		return "data loader";
	if (role & NAME_OPTIMIZER)
		return "optimizer";
	return reading->labels ? NULL : role & NAME_BACKWARD ? "backward" : reading->grouping->kind;
}

static void read_row(struct diff_side_reading *reading, size_t row)
{
	struct diff_side *side = reading->side;
	const struct table *table = reading->table;
	uint32_t at = side->count;
	struct diff_row *out = &side->rows[at];
	const char *type = reading->grouping->totals ? type_of(reading, table_ref(table, row)) : "";
	if (!type)
		return;
	*out = (struct diff_row){
		.name = table_value_or_missing(table, row, reading->name),
		.path = table_value_or_missing(table, row, reading->path),
		.qualifier = table_value_or_missing(table, row, reading->qualifier),
		.kind = kind_of(reading, row),
		.depth = table_depth(table, row) + 1,
		.calls = number_at(table, row, reading->calls),
		.gpu = number_at(table, row, reading->gpu),
		.cpu = number_at(table, row, reading->cpu),
		.bytes = number_at(table, row, reading->bytes),
		.gpu_total = number_at(table, row, reading->gpu_total),
		.cpu_total = number_at(table, row, reading->cpu_total),
		.ref = table_ref(table, row),
	};
	out->layer = diff_side_is_layer(out->kind);
	out->run = diff_is_kind(out->kind, LAYER_RUN);
	out->parent = at - 1;
	while (side->rows[out->parent].depth >= out->depth)
		out->parent = side->rows[out->parent].parent;
	side->align[at].size = 1;
	make_key(reading, row, &side->align[at]);
	if (*type)
		out->kind = value_text(type);
	out->label = reading->labels;
	side->count++;
}

void diff_set_places(struct diff_side *side)
{
	const struct layer_tree *layers = &side->rank->derived->layers;
	side->place[0] = 1;
	for (uint32_t i = 1; i < layers->count; i++)
		side->place[i] =
			hash_pair(side->place[layers->nodes[i].parent], side->place_name[i]);
}

/* Keys of the paths of all layer nodes, from normalized names. */
static void key_places(struct diff_side *side, struct intern *keys)
{
	const struct layer_tree *layers = &side->rank->derived->layers;
	const struct intern *strings = side->rank->profile->strings;
	AUTO_BUFFER struct buffer key = { 0 };
	side->place = mem_zalloc((size_t)layers->count + 1, sizeof *side->place);
	side->place_name = mem_zalloc((size_t)layers->count + 1, sizeof *side->place_name);
	for (uint32_t i = 1; i < layers->count; i++) {
		const struct layer_node *node = &layers->nodes[i];
		buffer_clear(&key);
		buffer_printf(&key, "%d %d", node->kind, node->pass);
		buffer_putc(&key, 0);
		name_key(&key, INTERNED(strings, node->name), node->kind == LAYER_MODULE);
		side->place_name[i] = intern_add(keys, BUFFERED(&key));
	}
	diff_set_places(side);
}

/* Subtract the layers directly below from each layer. */
static void keep_own(struct diff_side *side)
{
	/* from the root down, so that subtracted values are still totals */
	for (uint32_t i = 1; i < side->count; i++) {
		const struct diff_row *inner = &side->rows[i];
		uint32_t at = inner->parent;
		if (!inner->layer)
			continue;
		while (at && !side->rows[at].layer)
			at = side->rows[at].parent;
		if (!at)
			continue;
		side->rows[at].gpu -= inner->gpu;
		side->rows[at].cpu -= inner->cpu;
	}
}

static void diff_side_read_rows(struct diff_side *side, const struct diff_grouping *grouping,
				struct intern *keys)
{
	const struct table *table = side->table;
	size_t rows = (table ? table->rows : 0) + (side->labels ? side->labels->rows : 0);
	side->count = 1;
	side->rows = mem_zalloc(rows + 1, sizeof *side->rows);
	side->align = mem_zalloc(rows + 1, sizeof *side->align);
	side->rows[0].parent = NO_ROW;
	side->align[0].size = 1;
	side->align[0].name = "";
	if (!table)
		return;
	struct diff_side_reading reading = {
		.side = side,
		.table = table,
		.grouping = grouping,
		.keys = keys,
		.name = table_name_column(table),
		.path = table_column(table, "path"),
		.kind = table_column(table, "kind"),
		.qualifier = column_of(table, grouping->qualifier),
		.pass = grouping->of == DIFF_OF_LAYERS ? table_column(table, "pass") : -1,
		.calls = column_of(table, grouping->calls),
		.gpu = column_of(table, grouping->gpu),
		.cpu = column_of(table, grouping->cpu),
		.bytes = column_of(table, grouping->bytes),
		.gpu_total = grouping->totals ? table_column(table, "gpu_total_ns") : -1,
		.cpu_total = grouping->totals ? table_column(table, "cpu_total_ns") : -1,
	};
	for (size_t row = 0; row < table->rows; row++)
		read_row(&reading, row);
	reading.table = side->labels; /* of the same view */
	reading.labels = true;
	reading.gpu = reading.cpu = -1;
	for (size_t row = 0; side->labels && row < side->labels->rows; row++)
		read_row(&reading, row);
	for (uint32_t i = side->count; i-- > 1;)
		side->align[side->rows[i].parent].size += side->align[i].size;
	buffer_free(&reading.key);
}

bool diff_side_build(struct diff_side *side, const struct diff_grouping *grouping,
		     const struct rank *from, const struct scope *scope, struct intern *keys,
		     const struct progress *progress, struct error *error)
{
	scope_copy(&side->scope, scope);
	if (scope->call != NO_ROW)
		return error_usage(error,
				   "a single call has no counterpart in the other run; go back");
	struct error absent = { 0 };
	side->absent =
		!carry_scope(side, from) || !selection_exists(side->rank, &side->scope, &absent);
	if (!side->absent) {
		side->table = view_build_one(diff_view(grouping), side->run, &side->scope,
					     grouping->group, progress, error);
		if (side->table && grouping->totals)
			side->labels = view_build_one(diff_view(grouping), side->run, &side->scope,
						      "label", progress, error);
		if (!side->table || (grouping->totals && !side->labels))
			return false;
	}
	diff_side_read_rows(side, grouping, keys);
	key_places(side, keys);
	if (grouping->rows == DIFF_LAYERS)
		keep_own(side);
	return true;
}

void diff_side_free(struct diff_side *side)
{
	table_free(side->table);
	table_free(side->labels);
	scope_clear(&side->scope);
	mem_free_all(side->rows, side->align, side->place, side->place_name, side->gpu_calls.items,
		     side->cpu_calls.items);
	for (int extent = EXTENT_LISTED; extent <= EXTENT_OWN; extent++)
		mem_free_all(side->times[extent].parent, side->times[extent].gpu,
			     side->times[extent].cpu);
	run_release(side->run, side->rank);
}
