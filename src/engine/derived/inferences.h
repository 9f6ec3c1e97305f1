/*
 * Operators, layers, shapes and lines of device work, inferred from other traces of the run: those
 * in which its CUDA graphs were captured, and those of other ranks that recorded more.
 *
 * Replayed work that names the node of its graph matches the call that made the node. Otherwise the
 * kernels of a graph launch match a capture when their names are, in the order of their starts,
 * those of its launches or of a part of them. Where several captures match, only what they agree in
 * is inferred.
 *
 * Work matches that of another rank by step, stream and position in the stream, as far as the names
 * are the same from the start or the end of the step on; in steps of which 9 of 10 match. What a
 * rank records of its own stays.
 *
 * Nothing inferred enters what is measured: totals of operators stay as recorded.
 */
#pragma once

#include "derived/launch_records.h"

struct buffer;

/* Texts are interned in the profile; 0: unknown, recorded, or the captures differ. */
struct inference {
	uint32_t operator_name, shapes, types, line;
	uint32_t place;  /* among the inferences' places; NO_ROW: unknown */
	uint16_t source; /* index of a source */
	bool has_pass, backward;
};

/* Where inferences are from. */
struct inference_source {
	int64_t rank;          /* NO_VALUE: captures of graphs */
	uint32_t steps, alike; /* of the profile; of these, with the work of that rank */
	bool whole;            /* without steps in both: the whole recording counts as one */
};

struct inferences {
	GROWING(struct inference, items, count);
	struct launch_place *places; /* names are interned in the profile */
	size_t place_count;
	uint32_t *activity; /* by activity: index of an item, or NO_ROW */
	struct inference_source *sources;
	size_t source_count;
};

/*
 * Fill derived->inferred from COUNT records, which need not outlive it; NULL without records.
 * STRINGS are the profile's; LACKS, bits of enum known_work, is what another rank may fill. False
 * when cancelled.
 */
bool inferences_find(struct derived *derived, struct intern *strings,
		     struct launch_records *const *records, size_t count, unsigned lacks,
		     const struct progress *progress);
void inferences_free(struct inferences *inferences); /* NULL is fine */

/* Append "graph capture" or "rank 3": what is inferred from SOURCE. */
void inference_describe(const struct inferences *inferences, size_t source, struct buffer *out);
