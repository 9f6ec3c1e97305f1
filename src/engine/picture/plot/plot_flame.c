/*
 * Flame graphs of the layer tree and of call stacks; reversed: innermost frames first.
 */
#include "base/any_of.h"
#include "base/hash.h"
#include "model/frame_name.h"
#include "picture/lane_role.h"
#include "picture/plot/flame.h"
#include "table/repeats.h"

/* ---- the layer tree ---- */

static enum role role_of_kind(struct value kind)
{
	static const struct {
		const char *kind;
		enum role role;
	} roles[] = { FLAME_ROLE_ROWS };
	return looked_up(at, roles, value_is(kind, at->kind), at->role, ROLE_TEXT);
}

struct flame_layers {
	struct plot *plot;
	struct flame_maker *maker;
	int name, kind, total;
	bool reversed;
	uint32_t *path;     /* by depth: the frame, or the row if reversed */
	uint32_t folded_at; /* depth of the folded row around the current one; UINT32_MAX: none */
	size_t folded;      /* that row */
};

static int64_t total_of(const struct flame_layers *layers, size_t row)
{
	double ns = plot_cell(layers->plot, row, layers->total);
	return ns > 0 && ns < 9e18 ? (int64_t)ns : 0;
}

static uint32_t flame_layer(const struct flame_layers *layers, uint32_t caller, size_t row)
{
	const struct table *table = layers->plot->table;
	struct value name = table_value(table, row, (size_t)layers->name);
	struct value kind = table_value(table, row, (size_t)layers->kind);
	bool named = name.kind == VALUE_TEXT;
	return flame_frame(layers->maker, caller, named ? name.text : "(no name)",
			   named ? name.length : 9, role_of_kind(kind), (uint32_t)row);
}

/*
 * A layer below a folded row: all of its class under the same caller are one frame, which refers to
 * the folded row or the first of them.
 */
static uint32_t add_folded(struct flame_layers *layers, uint32_t caller, size_t row)
{
	const struct table *table = layers->plot->table;
	struct value name = table_value(table, row, (size_t)layers->name);
	struct value kind = table_value(table, row, (size_t)layers->kind);
	struct name_class class = name_class(name.text, name.length);
	bool top = table_depth(table, row) == layers->folded_at + 1;
	uint32_t frame = flame_frame(layers->maker, caller, class.text, class.length,
				     role_of_kind(kind), (uint32_t)(top ? layers->folded : row));
	layers->maker->sums[frame].layers++;
	return frame;
}

/* Is the row a numbered layer below a folded row? */
static bool is_folded(struct flame_layers *layers, size_t row)
{
	const struct table *table = layers->plot->table;
	uint32_t depth = table_depth(table, row);
	struct value name = table_value(table, row, (size_t)layers->name);
	if (layers->folded_at != UINT32_MAX && depth <= layers->folded_at)
		layers->folded_at = UINT32_MAX;
	return layers->folded_at != UINT32_MAX && name.kind == VALUE_TEXT &&
	       name_class(name.text, name.length).numbered;
}

static uint32_t flame_row(struct flame_layers *layers, uint32_t caller, size_t row)
{
	const struct table *table = layers->plot->table;
	if (is_folded(layers, row))
		return add_folded(layers, caller, row);
	if (table_ref(table, row).kind != REF_REPEAT)
		return flame_layer(layers, caller, row);
	if (layers->folded_at == UINT32_MAX) {
		layers->folded_at = table_depth(table, row);
		layers->folded = row;
	}
	return caller;
}

/* "ViTLayer ×12" */
static void name_folded(struct flame_maker *maker)
{
	for (size_t i = 0; i < maker->frames.count; i++) {
		uint32_t *name = &maker->frames.frames[i].name, count = maker->sums[i].layers;
		AUTO_BUFFER struct buffer text = { 0 };
		if (count < 2)
			continue;
		buffer_printf(&text, "%s ×%u", intern_text(maker->names, *name), count);
		*name = intern_add(maker->names, BUFFERED(&text));
	}
}

/* SELF is by row; rows are in preorder. The top row is the root. */
static void add_layers(struct flame_layers *layers, const int64_t *self)
{
	const struct table *table = layers->plot->table;
	for (size_t row = 0; row < table->rows; row++) {
		uint32_t depth = table_depth(table, row), frame = NO_ROW;
		mem_grow(layers->path, (size_t)depth + 1);
		if (!layers->reversed) {
			frame = depth ? flame_row(layers, layers->path[depth - 1], row) : 0;
			layers->path[depth] = frame;
			flame_add(layers->maker, frame, self[row]);
			continue;
		}
		layers->path[depth] = (uint32_t)row;
		for (uint32_t d = depth; d > 0 && self[row] > 0; d--)
			frame = flame_layer(layers, frame, layers->path[d]);
		if (frame != NO_ROW)
			flame_add(layers->maker, frame, self[row]);
	}
}

/* Self times: each row subtracts its time from its parent. */
static int64_t *own_times(const struct flame_layers *layers)
{
	const struct table *table = layers->plot->table;
	int64_t *self = mem_zalloc(table->rows + 1, sizeof *self);
	AUTO_FREE size_t *above = NULL;
	for (size_t row = 0; row < table->rows; row++) {
		uint32_t depth = table_depth(table, row);
		mem_grow(above, (size_t)depth + 1);
		above[depth] = row;
		self[row] = total_of(layers, row);
		if (depth)
			self[above[depth - 1]] -= self[row];
	}
	return self;
}

static bool has_time(struct flame_layers *layers, const char *column)
{
	layers->total = table_need(layers->plot->table, column);
	return any_of(row, layers->plot->table->rows, total_of(layers, row));
}

static void build_layers(struct plot *plot, struct flame_maker *maker, bool reversed)
{
	struct flame_layers layers = { .plot = plot,
				       .maker = maker,
				       .reversed = reversed,
				       .folded_at = UINT32_MAX,
				       .name = table_need(plot->table, "name"),
				       .kind = table_need(plot->table, "kind") };
	bool device = has_time(&layers, "gpu_total_ns");
	if (!device)
		has_time(&layers, "cpu_total_ns");
	AUTO_FREE int64_t *self = own_times(&layers);
	add_layers(&layers, self);
	name_folded(maker);
	plot_add_fact(plot, "Width", device ? "GPU time" : "CPU time");
	mem_free(layers.path);
}

/* ---- call stacks ---- */

static enum role role_of_frame(const char *name, size_t length, bool leaf)
{
	return leaf                                          ? ROLE_KERNEL
	       : length > 4 && memcmp(name, "aten:", 5) == 0 ? ROLE_OPERATOR
							     : ROLE_TEXT;
}

/* The file of a frame, or else what qualifies its function: "runtime" of "runtime.main". */
static struct text_slice module_of_frame(const char *name, size_t length)
{
	struct frame_name parts;
	frame_name_split(&parts, name, length);
	size_t end = strcspn(name, "(<"), at = end;
	while (at > 1 && name[at - 1] != '.' && name[at - 1] != ':')
		at--;
	return parts.file.length ? parts.file : (struct text_slice){ name, at > 1 ? at - 1 : end };
}

/* The same in each graph, whatever else is in it. */
static enum role role_of_module(struct text_slice module)
{
	static const uint8_t roles[] = { ROLE_PYTHON, ROLE_FORWARD,  ROLE_ANNOTATION,
					 ROLE_MEMCPY, ROLE_BACKWARD, ROLE_RUNTIME };
	uint64_t hash = hash_stable(STABLE_HASH, module.text, module.length) >> 32;
	return roles[hash % sizeof roles];
}

/* Kernels have the color of their family, functions that of their module. */
static void color_frames(struct flame_maker *maker)
{
	struct kernel_rules *rules = kernel_rules_new();
	for (size_t i = 1; i < maker->frames.count; i++) {
		uint32_t name = maker->frames.frames[i].name;
		const char *text = intern_text(maker->names, name);
		size_t length = intern_length(maker->names, name);
		uint8_t *role = &maker->sums[i].role;
		if (*role == ROLE_KERNEL)
			*role = (uint8_t)timeline_role(
				lane_group_of_family(kernel_name_of(rules, text, length).family));
		else if (*role == ROLE_TEXT)
			*role = (uint8_t)role_of_module(module_of_frame(text, length));
	}
	kernel_rules_free(rules);
}

/* Root first, or leaf first. */
static void flame_stack(struct flame_maker *maker, struct value stack, bool device, bool reversed,
			int64_t ns, uint32_t row)
{
	size_t from = 0, end = stack.length;
	uint32_t frame = NO_ROW;
	while (from < end || (frame == NO_ROW && from == end)) {
		size_t start = from, stop = end;
		if (reversed)
			for (start = end; start > from && stack.text[start - 1] != ';';)
				start--;
		else
			for (stop = from; stop < end && stack.text[stop] != ';';)
				stop++;
		bool leaf = device && stop == stack.length;
		frame = flame_frame(maker, frame, stack.text + start, stop - start,
				    role_of_frame(stack.text + start, stop - start, leaf), row);
		if (reversed)
			end = start ? start - 1 : 0;
		else
			from = stop + 1;
	}
	flame_add(maker, frame, ns);
}

/* What is shown as width, by the group's prefix: the columns of the stack and of the quantity. */
static const struct flame_width {
	const char *group, *width, *stack, *value;
} widths[] = { FLAME_WIDTH_ROWS };

static bool build_stacks(struct plot *plot, struct flame_maker *maker,
			 const struct flame_width *width, bool reversed)
{
	const struct table *table = plot->table;
	int stack = table_need(table, width->stack), value = table_need(table, width->value);
	bool device = width == &widths[0];
	maker->unit = table->column[value]->unit;
	for (size_t row = 0; row < table->rows; row++) {
		struct value text = table_value(table, row, (size_t)stack);
		double amount = plot_cell(plot, row, value);
		if (!plot_go_on(plot, row))
			return false;
		if (text.kind == VALUE_TEXT && amount > 0 && amount < 9e18)
			flame_stack(maker, text, device, reversed, (int64_t)amount, (uint32_t)row);
	}
	plot_add_fact(plot, "Width", "%s", width->width);
	plot_add_fact(plot, "Color", "file or module");
	return true;
}

bool plot_flame_build(struct plot *plot)
{
	const char *group = plot->group->name;
	bool reversed = strstr(group, "-reversed") != NULL, done = true;
	struct flame_maker maker;
	flame_begin(&maker);
	if (strcmp(plot->group->view, "layers") == 0)
		build_layers(plot, &maker, reversed);
	else
		for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
			if (strncmp(group, widths[i].group, strlen(widths[i].group)) == 0)
				done = build_stacks(plot, &maker, &widths[i], reversed);
	color_frames(&maker);
	plot->flame = flame_end(&maker);
	if (plot->table->note)
		plot->note = plot->table->note;
	return done;
}
