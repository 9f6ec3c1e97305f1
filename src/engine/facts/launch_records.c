#include "facts/launch_records.h"

#include "facts/captures.h"
#include "facts/facts.h"

struct recording {
	const struct facts *facts;
	struct launch_records *records;
	uint32_t *place; /* by layer node: index of its place + 1; 0: none yet */
	uint32_t *chain; /* room for the nodes of a path */
};

static uint32_t keep_text(const struct recording *recording, uint32_t id)
{
	const struct intern *from = recording->facts->profile->strings;
	return id ? intern_add(recording->records->strings, intern_text(from, id),
			       intern_length(from, id))
		  : 0;
}

static bool is_root(const struct layer_node *node)
{
	return node->kind == LAYER_RUN || node->kind == LAYER_PROCESS;
}

/* The place of a node, and of those above it. */
static uint32_t place_of(struct recording *recording, uint32_t node)
{
	struct launch_records *records = recording->records;
	const struct layer_node *nodes = recording->facts->layers.nodes;
	size_t depth = 0;
	uint32_t at = node;
	for (; !is_root(&nodes[at]) && !recording->place[at]; at = nodes[at].parent)
		recording->chain[depth++] = at;
	while (depth-- > 0) {
		at = recording->chain[depth];
		mem_grow(records->places, records->place_cap, records->place_count + 1);
		records->places[records->place_count++] = (struct launch_place){
			.parent = recording->place[nodes[at].parent] - 1, /* NO_ROW below a root */
			.name = keep_text(recording, nodes[at].name),
			.kind = nodes[at].kind,
			.pass = nodes[at].pass,
		};
		recording->place[at] = (uint32_t)records->place_count;
	}
	return recording->place[node] - 1;
}

static void add_record(struct recording *recording, const struct captured_launch *launch)
{
	const struct facts *facts = recording->facts;
	struct launch_records *records = recording->records;
	uint32_t owner = facts_operator_around(facts, launch->call);
	uint32_t row = facts_row_of_call(facts, launch->call, owner);
	const struct op_info *info = owner == NO_ROW ? NULL : links_arguments(facts, owner);
	struct launch_record record = {
		.kernel = keep_text(recording, launch->kernel),
		.place = place_of(recording, facts->layers.span_node[row]),
		.capture = launch->capture,
		.backward = facts->span_flags[row] & SPAN_BACKWARD,
	};
	if (owner != NO_ROW)
		record.operator_name = keep_text(recording, facts->profile->span_name[owner]);
	record.shapes = info ? keep_text(recording, info->shapes) : 0;
	record.types = info ? keep_text(recording, info->types) : 0;
	mem_grow(records->items, records->capacity, records->count + 1);
	records->items[records->count++] = record;
}

struct launch_records *launch_records_new(const struct facts *facts,
					  const struct progress *progress)
{
	struct launch_records *records = mem_zalloc(1, sizeof *records);
	struct recording recording = { .facts = facts, .records = records };
	struct captures captures;
	size_t nodes = facts->layers.count;
	records->path = mem_strdup(facts->profile->path);
	records->strings = intern_new();
	recording.place = mem_zalloc(nodes, sizeof *recording.place);
	recording.chain = mem_alloc(nodes * sizeof *recording.chain);
	bool on = captures_find(facts->profile, &captures, progress);
	for (size_t i = 0; i < captures.count && on; i++) {
		on = progress_row(progress, "collecting captured launches", i, captures.count);
		add_record(&recording, &captures.launches[i]);
	}
	captures_free(&captures);
	mem_free(recording.place);
	mem_free(recording.chain);
	if (on)
		return records;
	launch_records_free(records);
	return NULL;
}

void launch_records_free(struct launch_records *records)
{
	if (!records)
		return;
	intern_free(records->strings);
	mem_free(records->path);
	mem_free(records->places);
	mem_free(records->items);
	mem_free(records);
}
