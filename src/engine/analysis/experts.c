#include "analysis/experts.h"

#include "analysis/collectives.h"
#include "base/compare.h"
#include "base/sort.h"
#include "derived/kernel_family.h"
#include "derived/product_shape.h"

static const char stage[] = "finding experts";

/* From the exchange that sends tokens to that which returns them: rows of host spans. */
struct section {
	int64_t start;
	uint32_t from, to, step;
	int64_t width;    /* of what the first one reads; 0: none is known */
	int64_t received; /* tokens by the sizes of splits; NO_VALUE */
	int64_t rows;     /* of products that return to the width */
	int64_t sent, ns; /* sent: elements, NO_VALUE */
};

struct sections {
	const struct selection *selection;
	const struct kernel_name *names;
	struct section *items; /* by rows */
	size_t count, room;
};

/* ---- exchanges ---- */

/* The number that an attribute of SPAN is, or the sum of its list "[4, 4]"; NO_VALUE. */
static int64_t total_of(const struct profile *profile, uint32_t span, const char *key)
{
	uint32_t text = profile_span_attribute(profile, span, profile_find(profile, key));
	const char *at = profile_string(profile, text);
	int64_t sum = NO_VALUE;
	for (at += *at == '['; *at >= '0' && *at <= '9'; at += strspn(at, ", ")) {
		char *end;
		add_if_known(&sum, strtoll(at, &end, 10));
		at = end;
	}
	return strcmp(at, "]") == 0 || !*at ? sum : NO_VALUE; /* longer lists are cut off */
}

/* Is what the one receives as much as the other sends? */
static bool returns(const struct profile *profile, uint32_t from, uint32_t to)
{
	return profile->span_track[from] == profile->span_track[to] &&
	       total_of(profile, from, "Out msg nelems") == total_of(profile, to, "In msg nelems");
}

static bool find_sections(struct sections *sections, const struct progress *progress)
{
	const struct profile *profile = sections->selection->profile;
	uint32_t key = profile_find(profile, "Collective name"), open = NO_ROW;
	for (size_t i = 0; key != NO_ROW && i < profile->span_attribute_count; i++) {
		const struct attribute *at = &profile->span_attributes[i];
		if (!progress_row(progress, stage, i, profile->span_attribute_count))
			return false;
		if (at->key != key || !collective_is_exchange(profile_string(profile, at->text)))
			continue;
		uint32_t step = selection_step_of_span(sections->selection->derived, at->row);
		bool pair = open != NO_ROW && returns(profile, open, at->row) &&
			    selection_step_of_span(sections->selection->derived, open) == step;
		if (pair)
			*mem_push(sections->items, sections->count) = (struct section){
				.start = profile->span_start[open],
				.from = open,
				.to = at->row,
				.step = step,
				.received = total_of(profile, open, "Out split size"),
				.sent = total_of(profile, open, "In msg nelems"),
			};
		open = pair ? NO_ROW : at->row;
	}
	return true;
}

/* ---- products ---- */

/* The first section that ends after ROW; COUNT: none. */
static size_t section_after(const struct sections *sections, uint32_t row)
{
	return search_first(i, (size_t)0, sections->count, sections->items[i].to > row);
}

static struct section *section_around(const struct sections *sections, uint32_t row)
{
	size_t at = section_after(sections, row);
	return at < sections->count && sections->items[at].from < row ? &sections->items[at] : NULL;
}

/*
 * The section of a product; FORWARD: of which it is the backward one. A compiled function has both
 * as a whole, and its backward pass exchanges tokens itself.
 */
static struct section *section_of(const struct sections *sections, uint32_t product, bool *forward)
{
	const struct derived *derived = sections->selection->derived;
	uint32_t of = links_forward(derived, product);
	struct section *around = of == NO_ROW ? NULL : section_around(sections, of);
	*forward = around;
	if (around || of == NO_ROW)
		return around ?: section_around(sections, product);
	size_t inside = section_after(sections, of);
	uint32_t end = of + derived->profile->span_size[of];
	return inside < sections->count && sections->items[inside].from < end
		       ? section_around(sections, product)
		       : NULL;
}

/* A kernel of a call that multiplies. */
struct expert_product {
	uint32_t call;
	int64_t ns;
};

COMPARE_MEMBERS(compare_products, struct expert_product, UP(call))

static void add_product(const struct sections *sections, const struct expert_product *product,
			bool again)
{
	const struct profile *profile = sections->selection->profile;
	const struct op_info *info = profile_op_info(profile, product->call);
	struct product_shape shape;
	bool forward;
	struct section *section = section_of(sections, product->call, &forward);
	if (!section)
		return;
	section->ns += product->ns;
	if (forward || again || !info || !info->shapes ||
	    !product_shape_read(profile_string(profile, info->shapes), &shape))
		return;
	if (!section->width)
		section->width = shape.inner;
	else if (shape.outer == section->width)
		add_if_known(&section->rows, shape.rows);
}

/* In the order of their calls. */
static bool sum_products(const struct sections *sections, const struct progress *progress)
{
	const struct selection *selection = sections->selection;
	const struct profile *profile = selection->profile;
	AUTO_FREE struct expert_product *products = NULL;
	size_t count = 0;
	for (uint32_t i = 0; i < profile->activities && sections->count; i++) {
		uint32_t call = selection->derived->activity_operator[i];
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && call != NO_ROW &&
		    sections->names[profile->activity_name[i]].family == FAMILY_GEMM &&
		    selection_has_activity(selection, i))
			*mem_push(products, count) =
				(struct expert_product){ call, profile->activity_dur[i] };
	}
	sort_items(products, count, compare_products);
	for (size_t i = 0; i < count; i++)
		add_product(sections, &products[i], i && products[i - 1].call == products[i].call);
	return progress_update(progress, stage, 0, 0, 0);
}

/* ---- layers ---- */

static struct expert_load *load_numbered(struct expert_loads *loads, size_t number)
{
	while (loads->count <= number)
		*mem_push(loads->items, loads->count) = (struct expert_load){ 0 };
	return &loads->items[number];
}

/* Of a step, sections COUNT from FIRST on; a pass back has the layers in reverse. */
static void add_step(struct expert_loads *loads, const struct derived *derived,
		     const struct section *first, size_t count)
{
	size_t forward = 0, back = 0;
	for (size_t i = 0; i < count; i++)
		forward += !(derived->span_flags[first[i].from] & SPAN_BACKWARD);
	for (size_t i = 0, next = 0; i < count; i++) {
		const struct section *at = &first[i];
		bool backward = derived->span_flags[at->from] & SPAN_BACKWARD;
		size_t number = backward ? forward - ++back : next++;
		if (backward && back > forward)
			continue; /* of a pass that was not recorded */
		struct expert_load *load = load_numbered(loads, number);
		load->ns += at->ns;
		if (backward)
			continue;
		load->node = layer_enclosing(derived, derived->layers.span_node[at->from]);
		load->steps++;
		load->tokens += at->received != NO_VALUE ? at->received : at->rows;
		load->sent += at->sent == NO_VALUE ? 0 : at->sent / at->width;
	}
}

COMPARE_MEMBERS(compare_sections, struct section, UP(step) UP(start))

bool experts_find(struct expert_loads *loads, const struct selection *selection,
		  const struct progress *progress)
{
	struct sections sections = { .selection = selection };
	const struct derived *derived = selection->derived;
	*loads = (struct expert_loads){ 0 };
	sections.names = derived_kernel_names(derived, progress);
	bool ok = sections.names && find_sections(&sections, progress) &&
		  sum_products(&sections, progress);
	size_t kept = 0;
	for (size_t i = 0; i < sections.count && ok; i++)
		if (sections.items[i].width && sections.items[i].rows > 0 &&
		    selection_counts_step(selection, sections.items[i].step))
			sections.items[kept++] = sections.items[i];
	sort_items(sections.items, kept, compare_sections);
	for (size_t i = 0, next; i < kept; i = next) {
		for (next = i; next < kept && sections.items[next].step == sections.items[i].step;)
			next++;
		add_step(loads, derived, &sections.items[i], next - i);
	}
	mem_free(sections.items);
	return ok;
}

/* ---- ranks beside each other ---- */

struct expert_layer expert_layer_of(const struct rank_experts *ranks, size_t count, size_t layer)
{
	struct expert_layer of = { .slowest = count };
	double most = 0, sent = 0;
	for (size_t i = 0; i < count; i++) {
		if (layer >= ranks[i].loads.count || !ranks[i].loads.items[layer].steps)
			continue;
		const struct expert_load *load = &ranks[i].loads.items[layer];
		double ns = expert_mean(load, load->ns);
		of.ranks++;
		of.tokens += expert_mean(load, load->tokens);
		of.ns += ns;
		sent += expert_mean(load, load->sent);
		if (of.slowest < count && ns <= most)
			continue;
		of.slowest = i;
		most = ns;
	}
	double even = sent > 0 && sent < of.tokens ? sent / of.tokens : 1;
	double ranks_with = of.ranks ? (double)of.ranks : 1;
	of.tokens /= ranks_with;
	of.ns /= ranks_with;
	of.cost_ns = most - even * of.ns;
	return of;
}
