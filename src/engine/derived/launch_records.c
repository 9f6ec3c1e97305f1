#include "derived/launch_records.h"

#include "derived/captures.h"
#include "derived/derived.h"

struct launch_records_recording {
	const struct derived *derived;
	launch_line *line;
	struct launch_records *records;
	uint32_t *place; /* by layer node: index of its place + 1; 0: none yet */
	uint32_t *chain; /* room for the nodes of a path */
};

static uint32_t keep_text(const struct launch_records_recording *recording, uint32_t id)
{
	const struct intern *from = recording->derived->profile->strings;
	return id ? intern_add(recording->records->strings, INTERNED(from, id)) : 0;
}

/* The place of a node, and of those above it. */
static uint32_t launch_records_place_of(struct launch_records_recording *recording, uint32_t node)
{
	struct launch_records *records = recording->records;
	const struct layer_node *nodes = recording->derived->layers.nodes;
	size_t depth = 0;
	uint32_t at = node;
	for (; nodes[at].kind != LAYER_RUN && nodes[at].kind != LAYER_PROCESS &&
	       !recording->place[at];
	     at = nodes[at].parent)
		recording->chain[depth++] = at;
	while (depth-- > 0) {
		at = recording->chain[depth];
		*mem_push(records->places, records->place_count) = (struct launch_place){
			.parent = recording->place[nodes[at].parent] - 1, /* NO_ROW below a root */
			.name = keep_text(recording, nodes[at].name),
			.kind = nodes[at].kind,
			.pass = nodes[at].pass,
		};
		recording->place[at] = (uint32_t)records->place_count;
	}
	return recording->place[node] - 1;
}

static uint32_t keep_line(const struct launch_records_recording *recording, uint32_t span)
{
	size_t length;
	const char *line = recording->line(recording->derived->profile, span, &length);
	return length ? intern_add(recording->records->strings, line, length) : 0;
}

/* The record of a launch by CALL, OWNER being the operator around it. */
static struct launch_record record_of(struct launch_records_recording *recording, uint32_t call,
				      uint32_t owner, uint32_t kernel)
{
	const struct derived *derived = recording->derived;
	uint32_t row = derived_row_of_call(derived, call, owner);
	const struct op_info *info = owner == NO_ROW ? NULL : links_arguments(derived, owner);
	struct launch_record record = { .kernel = keep_text(recording, kernel), .place = NO_ROW };
	if (row != NO_ROW) {
		record.place = launch_records_place_of(recording, derived->layers.span_node[row]);
		record.backward = derived->span_flags[row] & SPAN_BACKWARD;
	}
	if (owner != NO_ROW) {
		record.operator_name = keep_text(recording, derived->profile->span_name[owner]);
		record.line = keep_line(recording, owner);
	}
	record.shapes = info ? keep_text(recording, info->shapes) : 0;
	record.types = info ? keep_text(recording, info->types) : 0;
	return record;
}

static bool add_captures(struct launch_records_recording *recording,
			 const struct progress *progress)
{
	const struct derived *derived = recording->derived;
	AUTO(captures_free) struct captures captures = { 0 };
	bool ok = captures_find(derived->profile, &captures, progress);
	for_rows (ok, i, captures.count, progress, "collecting captured launches") {
		const struct captured_launch *launch = &captures.launches[i];
		uint32_t owner = derived_operator_around(derived, launch->call);
		struct launch_record record =
			record_of(recording, launch->call, owner, launch->kernel);
		record.sequence = launch->capture;
		record.node = keep_text(recording, launch->node);
		*mem_push(recording->records->items, recording->records->count) = record;
	}
	return ok;
}

static bool launch_records_add_work(struct launch_records_recording *recording,
				    const struct progress *progress)
{
	const struct derived *derived = recording->derived;
	struct stream_sequences *sequences = &recording->records->sequences;
	bool ok = stream_sequences_find(sequences, derived, progress);
	for (size_t i = 0; i < sequences->count && ok; i++) {
		const struct stream_sequence *sequence = &sequences->items[i];
		for (size_t at = sequence->first; at < sequence->first + sequence->count && ok;
		     at++) {
			uint32_t activity = sequences->activities[at];
			struct launch_record record =
				record_of(recording, derived->profile->activity_launch[activity],
					  derived->activity_operator[activity],
					  derived->profile->activity_name[activity]);
			record.sequence = (uint32_t)i;
			*mem_push(recording->records->items, recording->records->count) = record;
			ok = progress_row(progress, "collecting work of a rank", at,
					  sequences->work);
		}
	}
	mem_free(sequences->activities);
	sequences->activities = NULL;
	return ok;
}

static struct launch_records *launch_records_collect(
	const struct derived *derived, launch_line *line,
	bool (*add)(struct launch_records_recording *recording, const struct progress *progress),
	const struct progress *progress)
{
	struct launch_records *records = mem_zalloc(1, sizeof *records);
	struct launch_records_recording recording = { .derived = derived,
						      .line = line,
						      .records = records };
	size_t nodes = (size_t)derived->layers.count + 1;
	records->path = mem_strdup(derived->profile->path);
	records->strings = intern_new();
	records->rank = NO_VALUE;
	records->step_source = derived->step_source;
	recording.place = mem_zalloc(nodes, sizeof *recording.place);
	recording.chain = mem_alloc(nodes * sizeof *recording.chain);
	bool ok = add(&recording, progress);
	mem_free_all(recording.place, recording.chain);
	return keep_if(ok, records, launch_records_free);
}

struct launch_records *launch_records_of_captures(const struct derived *derived, launch_line *line,
						  const struct progress *progress)
{
	return launch_records_collect(derived, line, add_captures, progress);
}

struct launch_records *launch_records_of_rank(const struct derived *derived, int64_t rank,
					      launch_line *line, const struct progress *progress)
{
	struct launch_records *records =
		launch_records_collect(derived, line, launch_records_add_work, progress);
	if (records)
		records->rank = rank;
	return records;
}

/* A trace that records shapes or stacks does so from its start: the first operators tell. */
enum { OPERATORS_MAX = 1 << 16 };

unsigned launch_records_known(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	enum layer_source source = derived->layers.source;
	bool layers = source != LAYERS_OPERATORS && source != LAYERS_RANGES &&
		      source != LAYERS_ANNOTATIONS;
	unsigned known = layers ? KNOWN_LAYERS : 0;
	for (uint32_t i = 0; i < profile->activities && !(known & KNOWN_OPERATORS); i++)
		if (derived->activity_operator[i] != NO_ROW)
			known |= KNOWN_OPERATORS;
	for (size_t i = 0; i < profile->op_info_count && i < OPERATORS_MAX; i++) {
		known |= profile->op_infos[i].shapes ? KNOWN_SHAPES : 0;
		known |= profile->op_infos[i].stack ? KNOWN_LINES : 0;
	}
	for (uint32_t i = 0; i < profile->spans && !(known & KNOWN_LINES); i++)
		if (profile->span_kind[i] == SPAN_PYTHON)
			known |= KNOWN_LINES;
	return known;
}

FREE_OBJECT(launch_records_free, struct launch_records,
	    OWN_BY(intern_free, strings) OWN(path) OWN(places) OWN(items)
		    OWN_IN(stream_sequences_free, sequences))
