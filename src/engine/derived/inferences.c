#include "derived/inferences.h"

#include "derived/inferences_private.h"
#include "base/buffer.h"

#include <inttypes.h>

/* ---- texts and places ---- */

uint32_t inferring_text(struct inferring *inferring, uint32_t source, uint32_t id)
{
	const struct intern *from = inferring->records[source]->strings;
	uint32_t *text = &inferring->text[source][id];
	if (*text == NO_ROW)
		*text = intern_add(inferring->strings, INTERNED(from, id));
	return *text;
}

/* Equal places of several records are one. */
static uint32_t add_place(struct inferring *inferring, const struct launch_place *place)
{
	struct inferences *inferences = inferring->inferences;
	const uint32_t key[] = { place->parent, place->name, place->kind, place->pass };
	uint32_t at = keyed_add(&inferring->by_place, key, sizeof key);
	if (at == inferences->place_count) {
		*mem_push(inferences->places, inferences->place_count) = *place;
	}
	return at;
}

/* Texts are interned when they are used. Parents come before their children. */
static void take_source(struct inferring *inferring, uint32_t source)
{
	const struct launch_records *records = inferring->records[source];
	size_t texts = intern_count(records->strings), places = records->place_count;
	uint32_t *own = inferring->place[source] = mem_alloc((places + 1) * sizeof *own);
	inferring->text[source] = mem_no_rows(texts + 1);
	inferring->inferences->sources[source] = (struct inference_source){ .rank = records->rank };
	for (size_t i = 0; i < places; i++) {
		struct launch_place place = records->places[i];
		place.name = inferring_text(inferring, source, place.name);
		place.parent = place.parent == NO_ROW ? NO_ROW : own[place.parent];
		own[i] = add_place(inferring, &place);
	}
}

/* ---- what records say ---- */

struct inference inferring_from(struct inferring *inferring, uint32_t source, size_t index)
{
	const struct launch_record *record = &inferring->records[source]->items[index];
	return (struct inference){
		.operator_name = inferring_text(inferring, source, record->operator_name),
		.shapes = inferring_text(inferring, source, record->shapes),
		.types = inferring_text(inferring, source, record->types),
		.line = inferring_text(inferring, source, record->line),
		.place = record->place == NO_ROW ? NO_ROW : inferring->place[source][record->place],
		.source = (uint16_t)source,
		.has_pass = record->place != NO_ROW,
		.backward = record->backward,
	};
}

void inferring_agree(struct inference *inference, const struct inference *other)
{
	bool same_operator = inference->operator_name == other->operator_name;
	if (!same_operator)
		inference->operator_name = 0;
	if (!same_operator || inference->shapes != other->shapes)
		inference->shapes = 0;
	if (!same_operator || inference->types != other->types)
		inference->types = 0;
	if (inference->line != other->line)
		inference->line = 0;
	if (inference->place != other->place || inference->backward != other->backward)
		inference->place = NO_ROW;
	inference->has_pass &= other->has_pass && inference->backward == other->backward;
}

void inferring_set(struct inferring *inferring, uint32_t activity,
		   const struct inference *inference)
{
	struct inferences *inferences = inferring->inferences;
	if ((!inference->operator_name && !inference->shapes && !inference->line &&
	     inference->place == NO_ROW) ||
	    inferences->activity[activity] != NO_ROW)
		return;
	inferences->activity[activity] = (uint32_t)inferences->count;
	*mem_push(inferences->items, inferences->count) = *inference;
}

/* ---- all records ---- */

static bool infer_all(struct inferring *inferring, const struct progress *progress)
{
	struct inferences *inferences = inferring->inferences;
	inferences->activity = mem_no_rows((size_t)inferring->derived->profile->activities + 1);
	inferences->source_count = inferring->count;
	inferences->sources = mem_zalloc(inferring->count, sizeof *inferences->sources);
	for (uint32_t i = 0; i < inferring->count; i++)
		take_source(inferring, i);
	bool ok = replays_infer(inferring, progress);
	for (uint32_t i = 0; i < inferring->count && ok; i++)
		if (inferring->records[i]->rank != NO_VALUE)
			ok = rank_infer(inferring, i, progress);
	return ok;
}

bool inferences_find(struct derived *derived, struct intern *strings,
		     struct launch_records *const *records, size_t count, unsigned lacks,
		     const struct progress *progress)
{
	if (!count)
		return true;
	struct inferring inferring = { .derived = derived,
				       .strings = strings,
				       .records = records,
				       .count = count,
				       .lacks = lacks,
				       .inferences = mem_zalloc(1, sizeof(struct inferences)),
				       .text = mem_zalloc(count, sizeof(uint32_t *)),
				       .place = mem_zalloc(count, sizeof(uint32_t *)) };
	bool done = infer_all(&inferring, progress);
	if (done)
		derived->inferred = inferring.inferences;
	else
		inferences_free(inferring.inferences);
	for (size_t i = 0; i < count; i++)
		mem_free_all(inferring.text[i], inferring.place[i]);
	mem_free_all(inferring.text, inferring.place);
	keyed_clear(&inferring.by_place);
	return done;
}

FREE_OBJECT(inferences_free, struct inferences, OWN(items) OWN(places) OWN(activity) OWN(sources))

void inference_describe(const struct inferences *inferences, size_t source, struct buffer *out)
{
	int64_t rank = inferences->sources[source].rank;
	if (rank == NO_VALUE)
		buffer_puts(out, "graph capture");
	else
		buffer_printf(out, "rank %" PRId64, rank);
}
