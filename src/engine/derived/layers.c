/*
 * Folds calls and device work into the tree of layers.
 *
 * Each span that layer_calls.h lets count becomes a node below the node of the span above it: the
 * child of its name, kind and pass, so that equal calls share a node. Calls repeat in the same
 * order, so that the child is guessed from the one that followed last time before it is looked up.
 * A backward call goes below the layer of its forward call; tracks that hold only backward calls
 * are folded after the others for that. Device work goes below the call that launched it, its scope
 * as the compiler recorded it, or the place that was inferred. At last the nodes, numbered by their
 * first call, are renumbered in preorder, so that a subtree is a range.
 */
#include "derived/layers.h"

#include "derived/derived.h"
#include "derived/inferences.h"
#include "derived/layer_calls.h"
#include "derived/name_path.h"
#include "base/any_of.h"
#include "base/check.h"
#include "base/buffer.h"
#include "base/keyed.h"
#include "base/parallel.h"

LISTED_NAMES(layer_kind_name, enum layer_kind, LAYER_KIND_ROWS)

bool layer_kind_is_device(enum layer_kind kind)
{
	return kind == LAYER_KERNEL || kind == LAYER_MEMCPY || kind == LAYER_MEMSET ||
	       kind == LAYER_UNLINKED;
}

const char *layers_source_name(const struct derived *derived)
{
	static const char *const names[] = { LAYER_SOURCE_ROWS(LISTED_NAME) };
	return names[derived->layers.source];
}

const char *layer_pass_name(uint8_t pass)
{
	static const char *const names[] = { "", "fwd", "bwd", "both" };
	return names[pass & 3];
}

/* Prediction of the next child: calls repeat in the same order. */
struct prediction {
	uint32_t child; /* child of this node looked up last; NO_ROW */
	uint32_t next;  /* sibling looked up after this node; NO_ROW */
};

/* Builds the tree with nodes in order of first call. */
struct fold {
	struct derived *derived;
	struct intern *strings;
	struct layer_node *nodes;
	struct prediction *predictions; /* by node */
	size_t count;
	struct keyed by_key;
	uint32_t *clean_name;   /* by string id: the name without prefix; NO_ROW: not computed */
	uint32_t *span_above;   /* by span: nearest enclosing span that has a node; NO_ROW */
	uint8_t *calls;         /* by span: of enum layer_call */
	uint32_t scope_key;     /* of the attribute; NO_ROW: no activity has it */
	uint32_t module_key;    /* likewise, or modules were called */
	uint32_t *process_name; /* by process: its node's name; 0: no node */
	uint32_t *root;         /* by track: parent of its top level; NO_ROW until folded */
};

/* Strip prefixes of the profiler. */
static uint32_t clean_name(struct fold *fold, uint32_t name)
{
	static const char engine[] = "autograd::engine::evaluate_function: ";
	if (fold->clean_name[name] != NO_ROW)
		return fold->clean_name[name];
	const char *text = intern_text(fold->strings, name);
	size_t length = intern_length(fold->strings, name);
	struct name_part part = module_name(text, length);
	if (length > sizeof engine - 1 && memcmp(text, engine, sizeof engine - 1) == 0)
		part = (struct name_part){ text + sizeof engine - 1, length - (sizeof engine - 1) };
	size_t skip = (size_t)(part.text - text);
	uint32_t clean = skip ? intern_add(fold->strings, part.text, part.length) : name;
	return fold->clean_name[name] = clean;
}

static bool is_child(const struct layer_node *node, const struct layer_node *wanted)
{
	return node->parent == wanted->parent && node->name == wanted->name &&
	       node->kind == wanted->kind && node->pass == wanted->pass;
}

/* Find or add a node. */
static uint32_t find_node(struct fold *fold, const struct layer_node *wanted)
{
	const uint32_t key[] = { wanted->parent, wanted->name, wanted->kind, wanted->pass };
	uint32_t at = keyed_add(&fold->by_key, key, sizeof key);
	if (at < fold->count)
		return at;
	mem_grow(fold->nodes, fold->count + 1);
	mem_grow(fold->predictions, fold->count + 1);
	fold->nodes[at] = *wanted;
	fold->predictions[at] = (struct prediction){ NO_ROW, NO_ROW };
	fold->count++;
	return at;
}

/* Find or add a child of PARENT. */
static uint32_t child_node(struct fold *fold, uint32_t parent, enum layer_kind kind, uint32_t name,
			   uint8_t pass)
{
	uint32_t last = fold->predictions[parent].child;
	uint32_t guess = last == NO_ROW ? NO_ROW : fold->predictions[last].next;
	unsigned depth = fold->nodes[parent].depth + 1u;
	struct layer_node wanted = {
		.parent = parent,
		.name = name,
		.kind = (uint8_t)kind,
		.pass = pass,
		.depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
	};
	if (guess == NO_ROW || !is_child(&fold->nodes[guess], &wanted)) {
		guess = find_node(fold, &wanted);
		if (last != NO_ROW)
			fold->predictions[last].next = guess;
	}
	return fold->predictions[parent].child = guess;
}

/* ---- source of the levels ---- */

/* The key of this name, if device work has some; else NO_ROW. */
static uint32_t find_key(const struct profile *profile, const char *name)
{
	uint32_t key = profile_find(profile, name);
	return any_of(i, profile->activity_attribute_count,
		      profile->activity_attributes[i].key == key)
		       ? key
		       : NO_ROW;
}

static const char stage[] = "building layers";

/* False when cancelled, as below. */
static bool find_source(struct fold *fold, const struct progress *progress)
{
	struct derived *derived = fold->derived;
	const struct profile *profile = derived->profile;
	bool scopes = fold->scope_key != NO_ROW, generated = fold->module_key != NO_ROW;
	bool annotations = profile->left_out.layers, python = profile->left_out.spans[SPAN_PYTHON];
	bool modules = profile->left_out.spans[SPAN_MODULE], ranges = false;
	for (uint32_t i = 0; i < profile->spans && !modules; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		switch (profile->span_kind[i]) {
		case SPAN_MODULE: modules = true; break;
		case SPAN_ANNOTATION: annotations |= !derived->role[profile->span_name[i]]; break;
		case SPAN_PYTHON: python = true; break;
		default: ranges = ranges || layer_calls_is_range(derived, i); break;
		}
	}
	derived->layers.source = modules       ? LAYERS_MODULES
				 : scopes      ? LAYERS_SCOPES
				 : annotations ? LAYERS_ANNOTATIONS
				 : python      ? LAYERS_PYTHON
				 : ranges      ? LAYERS_RANGES
				 : generated   ? LAYERS_GENERATED
					       : LAYERS_OPERATORS;
	fold->module_key = modules ? NO_ROW : fold->module_key;
	return true;
}

static bool layers_is_layer(const struct layer_node *node)
{
	return node->kind == LAYER_MODULE || node->kind == LAYER_ANNOTATION ||
	       node->kind == LAYER_PYTHON || node->kind == LAYER_PROCESS || node->kind == LAYER_RUN;
}

static uint32_t enclosing_layer(const struct layer_node *nodes, uint32_t node)
{
	while (!layers_is_layer(&nodes[node]))
		node = nodes[node].parent;
	return node;
}

/* ---- building ---- */

static uint32_t name_process(struct fold *fold, uint32_t process)
{
	const struct profile *profile = fold->derived->profile;
	const struct process *of = &profile->processes[process];
	AUTO_BUFFER struct buffer name = { 0 };
	buffer_puts(&name, of->name ? profile_string(profile, of->name) : "process");
	if (of->label)
		buffer_printf(&name, " %s", profile_string(profile, of->label));
	else if (of->pid != NO_VALUE)
		buffer_printf(&name, " %lld", (long long)of->pid);
	return intern_add(fold->strings, BUFFERED(&name));
}

/*
 * Processes of a merged file are named by group. If each has its own id space, several that drive
 * devices are different programs or ranks and must stay separate.
 */
static void name_processes(struct fold *fold)
{
	const struct profile *profile = fold->derived->profile;
	AUTO_FREE uint8_t *drives = mem_zalloc(profile->process_count + 1, 1);
	size_t driving = 0;
	fold->process_name = mem_zalloc(profile->process_count + 1, sizeof *fold->process_name);
	for (uint32_t i = 0; profile->ids_per_process && i < profile->activities; i++) {
		uint32_t process = profile->tracks[profile->activity_track[i]].process;
		driving += !drives[process];
		drives[process] = 1;
	}
	for (uint32_t i = 0; i < profile->process_count; i++)
		fold->process_name[i] = profile->processes[i].group ? profile->processes[i].group
					: driving > 1 && drives[i]  ? name_process(fold, i)
								    : 0;
}

/* Parent of a thread's top level: the run, or its process when there are several. */
static uint32_t root_of(struct fold *fold, uint32_t track)
{
	uint32_t name = fold->process_name[fold->derived->profile->tracks[track].process];
	return name ? child_node(fold, 0, LAYER_PROCESS, name, 0) : 0;
}

/* The node of a call; where it has none of its own, that of the span above. NO_ROW: not yet. */
static uint32_t node_of(const struct fold *fold, uint32_t span)
{
	const struct layer_tree *layers = &fold->derived->layers;
	uint32_t above = fold->span_above[span];
	if (layers->span_node[span] != NO_ROW)
		return layers->span_node[span];
	return above == NO_ROW ? fold->root[fold->derived->profile->span_track[span]]
			       : layers->span_node[above];
}

/* A backward call goes below the layer of its forward call. */
static uint32_t backward_parent(const struct fold *fold, uint32_t span)
{
	const struct profile *profile = fold->derived->profile;
	uint32_t count;
	const struct link *links = links_of(fold->derived, span, false, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t forward = links[i].forward;
		bool comes_later =
			forward > span && profile->span_track[forward] == profile->span_track[span];
		uint32_t node = comes_later ? NO_ROW : node_of(fold, forward);
		if (node != NO_ROW)
			return enclosing_layer(fold->nodes, node);
	}
	return NO_ROW;
}

/* Find the node of a span that may have one of its own; CALL is of enum layer_call. */
static void fold_call(struct fold *fold, uint32_t span, uint8_t call, uint32_t root)
{
	struct layer_tree *layers = &fold->derived->layers;
	uint32_t above = fold->span_above[span];
	uint32_t up = above == NO_ROW ? root : layers->span_node[above];
	uint32_t name = clean_name(fold, fold->derived->profile->span_name[span]);
	const struct layer_node *node = &fold->nodes[up];
	bool repeats = call & CALL_MAY_REPEAT && node->kind == LAYER_OPERATOR && node->name == name;
	layers->span_node[span] = up;
	if (repeats)
		return;
	fold->derived->span_flags[span] |= SPAN_IS_CALL;
	uint32_t layer = call & CALL_STARTS_BACKWARD ? backward_parent(fold, span) : NO_ROW;
	enum layer_kind kind = (enum layer_kind)(call & CALL_KIND);
	uint8_t pass = kind == LAYER_RUNTIME  ? 0
		       : call & CALL_BACKWARD ? PASS_BACKWARD
					      : PASS_FORWARD;
	layers->span_node[span] = child_node(fold, layer == NO_ROW ? up : layer, kind, name, pass);
}

static bool fold_track(struct fold *fold, size_t t, const struct progress *progress)
{
	const struct profile *profile = fold->derived->profile;
	const struct track *track = &profile->tracks[t];
	uint32_t end = track->first_span + track->spans;
	fold->root[t] = track->spans ? root_of(fold, (uint32_t)t) : NO_ROW;
	for (uint32_t i = track->first_span; i < end; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (fold->calls[i])
			fold_call(fold, i, fold->calls[i], fold->root[t]);
	}
	return true;
}

/* Spans without a node have that of the span above. */
static void take_node_above(void *context, size_t from, size_t to)
{
	const struct fold *fold = context;
	uint32_t *node = fold->derived->layers.span_node;
	for (uint32_t i = (uint32_t)from; i < to; i++)
		if (node[i] == NO_ROW)
			node[i] = node_of(fold, i);
}

uint32_t *layers_calls_above(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	uint32_t *above = mem_alloc(((size_t)profile->spans + 1) * sizeof *above);
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t parent = profile->span_parent[i];
		above[i] = parent == NO_ROW || derived->span_flags[parent] & SPAN_IS_CALL
				   ? parent
				   : above[parent];
	}
	return above;
}

uint8_t *layers_late_tracks(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	uint8_t *late = mem_zalloc(profile->track_count, 1);
	for (uint32_t i = 0; i < derived->links.count; i++)
		late[profile->span_track[derived->links.by_backward[i].backward]] = 1;
	for (uint32_t i = 0; i < derived->links.count; i++)
		late[profile->span_track[derived->links.by_forward[i].forward]] = 0;
	return late;
}

static bool fold_spans(struct fold *fold, const struct progress *progress)
{
	struct derived *derived = fold->derived;
	const struct profile *profile = derived->profile;
	AUTO_FREE uint8_t *late = layers_late_tracks(derived);
	bool ok = layer_calls_find(derived, fold->calls, fold->span_above, progress);
	for (int pass = 0; pass < 2; pass++)
		for (size_t t = 0; t < profile->track_count && ok; t++)
			ok = late[t] != pass || fold_track(fold, t, progress);
	return ok && parallel_ranges(profile->spans, take_node_above, fold, stage, progress);
}

static enum layer_kind activity_layer_kind(uint8_t kind)
{
	return kind == ACTIVITY_KERNEL   ? LAYER_KERNEL
	       : kind == ACTIVITY_MEMCPY ? LAYER_MEMCPY
					 : LAYER_MEMSET;
}

/* ---- scopes ---- */

enum { SCOPES_MAX = 64 }; /* limit: levels in the scope of an operation; inner ones are left out */

/* End of the first name of a path; slashes in brackets belong to it. */
static size_t name_length(const char *path)
{
	size_t length = 0;
	for (int depth = 0; path[length] && (depth > 0 || path[length] != '/'); length++)
		depth += (path[length] == '(') - (path[length] == ')');
	return length;
}

/* XLA names what differentiates a function backwards. */
static uint8_t pass_of_scope(const char *path)
{
	return strstr(path, "transpose(jvp(") ? PASS_BACKWARD : PASS_FORWARD;
}

/* The operation at the end of a path, below the functions around it. */
static uint32_t scope_node(struct fold *fold, uint32_t track, const char *path)
{
	uint32_t node = root_of(fold, track);
	uint8_t pass = pass_of_scope(path);
	for (int i = 0; i < SCOPES_MAX && *path; i++) {
		size_t length = name_length(path);
		bool last = !path[length] || !path[length + 1];
		if (length)
			node = child_node(fold, node, last ? LAYER_OPERATOR : LAYER_ANNOTATION,
					  intern_add(fold->strings, path, length), last ? pass : 0);
		path += length + (path[length] == '/');
	}
	return node;
}

/* The attribute of an activity, or NULL. */
static const char *text_of(const struct fold *fold, uint32_t activity, uint32_t key)
{
	const struct profile *profile = fold->derived->profile;
	uint32_t text = profile_activity_attribute(profile, activity, key);
	return text == NO_ROW ? NULL : profile_string(profile, text);
}

/* The nodes of inferred places, whose parents come before them; NULL without any. */
static uint32_t *fold_places(struct fold *fold)
{
	const struct inferences *inferred = fold->derived->inferred;
	uint32_t *nodes = inferred ? mem_alloc((inferred->place_count + 1) * sizeof *nodes) : NULL;
	for (size_t i = 0; inferred && i < inferred->place_count; i++) {
		const struct launch_place *place = &inferred->places[i];
		nodes[i] = child_node(fold, place->parent == NO_ROW ? 0 : nodes[place->parent],
				      (enum layer_kind)place->kind, place->name, place->pass);
	}
	return nodes;
}

static bool fold_activities(struct fold *fold, const struct progress *progress)
{
	struct derived *derived = fold->derived;
	struct layer_tree *layers = &derived->layers;
	const struct profile *profile = derived->profile;
	static const char unlinked[] = "(not launched in this profile)";
	uint32_t unlinked_name = intern_add(fold->strings, unlinked, sizeof unlinked - 1);
	AUTO_FREE uint32_t *places = fold_places(fold);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		const struct inference *inference = derived_inference(derived, i);
		uint32_t at = derived_work_row(derived, derived_layer_source(derived, i)), above;
		const char *scope = text_of(fold, i, fold->scope_key);
		const char *modules = text_of(fold, i, fold->module_key);
		if (scope)
			above = scope_node(fold, profile->activity_track[i], scope);
		else if (inference && inference->place != NO_ROW)
			above = places[inference->place];
		else if (at == NO_ROW)
			above = child_node(fold, root_of(fold, profile->activity_track[i]),
					   LAYER_UNLINKED, unlinked_name, 0);
		else
			above = layers->span_node[at];
		if (modules)
			above = child_node(fold, enclosing_layer(fold->nodes, above), LAYER_MODULE,
					   intern_add(fold->strings, modules, strlen(modules)), 0);
		layers->activity_node[i] = above;
		if (!profile_is_work(profile, i))
			continue;
		uint8_t pass = scope                             ? pass_of_scope(scope)
			       : !derived_knows_pass(derived, i) ? 0
			       : derived_is_backward(derived, i) ? PASS_BACKWARD
								 : PASS_FORWARD;
		layers->activity_node[i] =
			child_node(fold, above, activity_layer_kind(profile->activity_kind[i]),
				   profile->activity_name[i], pass);
	}
	return ok;
}

/* ---- preorder ---- */

struct renumbering {
	uint32_t *node;
	const uint32_t *place;
};

static void renumber(void *context, size_t from, size_t to)
{
	const struct renumbering *renumbering = context;
	for (size_t i = from; i < to; i++)
		renumbering->node[i] = renumbering->place[renumbering->node[i]];
}

/* Renumber the nodes in preorder; parents already have smaller numbers. */
static bool put_in_preorder(struct fold *fold, const struct progress *progress)
{
	struct layer_tree *layers = &fold->derived->layers;
	const struct profile *profile = fold->derived->profile;
	uint32_t count = (uint32_t)fold->count;
	AUTO_FREE uint32_t *place = mem_alloc(count * sizeof *place);
	AUTO_FREE uint32_t *next =
		mem_alloc(count * sizeof *next); /* next free position among the children */
	for (uint32_t i = 0; i < count; i++)
		fold->nodes[i].size = 1;
	for (uint32_t i = count; i-- > 1;)
		fold->nodes[fold->nodes[i].parent].size += fold->nodes[i].size;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = fold->nodes[i].parent;
		place[i] = parent == NO_ROW ? 0 : next[parent];
		if (parent != NO_ROW)
			next[parent] += fold->nodes[i].size;
		next[i] = place[i] + 1;
	}
	layers->nodes = mem_alloc(count * sizeof *layers->nodes);
	layers->count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct layer_node node = fold->nodes[i];
		if (node.parent != NO_ROW)
			node.parent = place[node.parent];
		layers->nodes[place[i]] = node;
	}
	struct renumbering spans = { layers->span_node, place };
	struct renumbering activities = { layers->activity_node, place };
	return parallel_ranges(profile->spans, renumber, &spans, stage, progress) &&
	       parallel_ranges(profile->activities, renumber, &activities, stage, progress);
}

bool layers_fold(struct derived *derived, struct intern *strings, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	struct layer_tree *layers = &derived->layers;
	struct fold fold = { .derived = derived,
			     .strings = strings,
			     .scope_key = find_key(profile, ACTIVITY_SCOPE),
			     .module_key = find_key(profile, ACTIVITY_MODULES) };
	size_t spans = (size_t)profile->spans + 1;
	layers->span_node = mem_no_rows(spans);
	layers->activity_node =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *layers->activity_node);
	fold.calls = mem_alloc(spans);
	fold.span_above = mem_alloc(spans * sizeof *fold.span_above);
	fold.clean_name = mem_no_rows(intern_count(strings));
	bool done = find_source(&fold, progress);
	name_processes(&fold);
	fold.root = mem_no_rows(profile->track_count + 1);
	find_node(&fold, &(struct layer_node){ .parent = NO_ROW,
					       .name = intern_add(strings, "run", 3),
					       .kind = LAYER_RUN });
	done = done && fold_spans(&fold, progress) && fold_activities(&fold, progress) &&
	       put_in_preorder(&fold, progress);
	keyed_clear(&fold.by_key);
	mem_free_all(fold.calls, fold.span_above, fold.clean_name, fold.process_name, fold.root,
		     fold.nodes, fold.predictions);
	return done;
}

FREE_MEMBERS(layers_free, struct layer_tree, OWN(nodes) OWN(span_node) OWN(activity_node))

/* ---- names ---- */

static struct name_part node_name(const struct derived *derived, uint32_t node)
{
	uint32_t name = derived->layers.nodes[node].name;
	const struct intern *strings = derived->profile->strings;
	return (struct name_part){ INTERNED(strings, name) };
}

void layer_path(const struct derived *derived, uint32_t node, struct buffer *out)
{
	const struct layer_tree *layers = &derived->layers;
	const struct layer_node *at = &layers->nodes[node];
	require(node < layers->count, "layer %u of %u", node, layers->count);
	if (at->parent == NO_ROW) {
		buffer_puts(out, profile_string(derived->profile, at->name));
		return;
	}
	struct name_path path;
	name_path_begin(&path);
	for (uint32_t i = node; layers->nodes[i].parent != NO_ROW; i = layers->nodes[i].parent)
		if (!name_path_add(&path, node_name(derived, i)))
			break;
	name_path_write(&path, out);
}

uint32_t layer_enclosing(const struct derived *derived, uint32_t node)
{
	return enclosing_layer(derived->layers.nodes, node);
}

/* Does the node's path end with these LENGTH bytes of PATH, at a name boundary? */
static bool path_ends_with(const struct derived *derived, uint32_t node, const char *path,
			   size_t length)
{
	const struct layer_tree *layers = &derived->layers;
	for (;;) {
		const char *name = profile_string(derived->profile, layers->nodes[node].name);
		size_t own = strlen(name);
		if (own > length || memcmp(path + length - own, name, own) != 0)
			return false;
		length -= own;
		if (!length)
			return true;
		if (path[--length] != '/' || layers->nodes[node].parent == NO_ROW)
			return false;
		node = layers->nodes[node].parent;
	}
}

uint32_t layers_match(const struct derived *derived, const char *path, uint8_t *marks)
{
	const struct layer_tree *layers = &derived->layers;
	size_t length = strlen(path);
	uint32_t found = 0;
	memset(marks, 0, layers->count);
	while (length && path[length - 1] == '/')
		length--;
	for (uint32_t i = 0; i < layers->count;) {
		if (length && path_ends_with(derived, i, path, length)) {
			memset(marks + i, 1, layers->nodes[i].size);
			found++;
			i += layers->nodes[i].size;
		} else {
			i++;
		}
	}
	return found;
}
