#include "input/nsys/nsys_private.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/sort.h"

/* A clone of a clone of…: deeper chains are cut. Clones kept of a node. */
enum { DEPTH_MAX = 16, CLONES_MAX = 64 };

/* Older exports have the nodes among the events of graphs. */
static const char *const tables[] = { "CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS" };

struct made {
	int64_t thread, time, node;
};

struct clone {
	int64_t process, node;
	int64_t original; /* at first that it was cloned from, then the first of the chain */
};

struct nsys_graphs {
	GROWING(struct made, made, made_count);     /* by thread and time */
	GROWING(struct clone, clones, clone_count); /* by process and original */
	struct hash *by_node;                       /* (process, node) → clone */
};

COMPARE_MEMBERS(compare_made, struct made, UP(thread) UP(time) UP(node))

static uint64_t clone_key(int64_t process, int64_t node)
{
	return hash_pair((uint64_t)process, (uint64_t)node);
}

COMPARE_MEMBERS(compare_clones, struct clone, UP(process) UP(original) UP(node))

static void nsys_graphs_read_table(struct nsys *nsys, struct nsys_graphs *graphs, const char *table)
{
	enum { START, THREAD, NODE, ORIGINAL, COLUMNS };
	sqlite_each (rows, nsys->database, table,
		     "start! globalTid! graphNodeId! originalGraphNodeId", COLUMNS) {
		int64_t node = sqlite_int(rows, NODE), original = sqlite_int(rows, ORIGINAL);
		int64_t thread = sqlite_int(rows, THREAD), start = sqlite_int(rows, START);
		if (node == NO_VALUE || !node || thread == NO_VALUE)
			continue;
		if (original != NO_VALUE && original && original != node)
			*mem_push(graphs->clones, graphs->clone_count) =
				(struct clone){ thread & ~NSYS_THREAD_BITS, node, original };
		else if (start != NO_VALUE)
			*mem_push(graphs->made, graphs->made_count) =
				(struct made){ thread, start, node };
	}
}

static void index_clones(struct nsys_graphs *graphs)
{
	mem_replace_by(hash_free, graphs->by_node, hash_new(graphs->clone_count));
	for (size_t i = 0; i < graphs->clone_count; i++)
		hash_add(graphs->by_node,
			 clone_key(graphs->clones[i].process, graphs->clones[i].node), (uint32_t)i);
}

static const struct clone *find_clone(const struct nsys_graphs *graphs, int64_t process,
				      int64_t node)
{
	uint32_t found =
		hash_where(i, graphs->by_node, clone_key(process, node),
			   graphs->clones[i].process == process && graphs->clones[i].node == node);
	return found == NO_ROW ? NULL : &graphs->clones[found];
}

static int64_t first_of_chain(const struct nsys_graphs *graphs, int64_t process, int64_t node)
{
	const struct clone *clone = find_clone(graphs, process, node);
	for (int i = 0; i < DEPTH_MAX && clone; i++) {
		node = clone->original;
		clone = find_clone(graphs, process, node);
	}
	return node;
}

static void settle_clones(struct nsys_graphs *graphs)
{
	AUTO_FREE int64_t *first = mem_alloc((graphs->clone_count + 1) * sizeof *first);
	index_clones(graphs);
	for (size_t i = 0; i < graphs->clone_count; i++)
		first[i] = first_of_chain(graphs, graphs->clones[i].process,
					  graphs->clones[i].original);
	for (size_t i = 0; i < graphs->clone_count; i++)
		graphs->clones[i].original = first[i];
	sort_items(graphs->clones, graphs->clone_count, compare_clones);
	index_clones(graphs);
}

struct nsys_graphs *nsys_graphs_read(struct nsys *nsys)
{
	struct nsys_graphs *graphs = mem_zalloc(1, sizeof *graphs);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		nsys_graphs_read_table(nsys, graphs, tables[i]);
	sort_items(graphs->made, graphs->made_count, compare_made);
	settle_clones(graphs);
	return graphs;
}

FREE_OBJECT(nsys_graphs_free, struct nsys_graphs, OWN_BY(hash_free, by_node) OWN(made) OWN(clones))

int64_t nsys_graphs_original(const struct nsys_graphs *graphs, int64_t global, int64_t node)
{
	if (node == NO_VALUE || !node || global == NO_VALUE)
		return NO_VALUE;
	const struct clone *clone = find_clone(graphs, global & ~NSYS_THREAD_BITS, node);
	return clone ? clone->original : node;
}

static void keep_node(struct nsys *nsys, uint32_t span, const struct made *made)
{
	const struct nsys_graphs *graphs = nsys->graphs;
	const struct clone first = { made->thread & ~NSYS_THREAD_BITS, INT64_MIN, made->node };
	size_t at = search_first(i, (size_t)0, graphs->clone_count,
				 compare_clones(&graphs->clones[i], &first) >= 0);
	builder_span_number(nsys->builder, span, CALL_NODE, made->node);
	for (size_t i = 0; i < CLONES_MAX && at < graphs->clone_count; i++, at++) {
		const struct clone *clone = &graphs->clones[at];
		if (clone->process != first.process || clone->original != made->node)
			break;
		builder_span_number(nsys->builder, span, CALL_NODE, clone->node);
	}
}

void nsys_graphs_keep(struct nsys *nsys, uint32_t span, int64_t thread, int64_t start, int64_t dur)
{
	const struct nsys_graphs *graphs = nsys->graphs;
	const struct made first = { thread, start, INT64_MIN };
	int64_t end;
	if (__builtin_add_overflow(start, dur, &end))
		end = INT64_MAX;
	size_t at = search_first(i, (size_t)0, graphs->made_count,
				 compare_made(&graphs->made[i], &first) >= 0);
	for (; at < graphs->made_count && graphs->made[at].thread == thread &&
	       graphs->made[at].time <= end;
	     at++)
		keep_node(nsys, span, &graphs->made[at]);
}
