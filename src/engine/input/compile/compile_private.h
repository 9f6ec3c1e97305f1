/*
 * Between the parts of the reader of logs of torch.compile: what reading keeps, and how a record's
 * event is taken, those of generated code in compile_generated.c.
 */
#pragma once

#include "base/keyed.h"
#include "input/compile/compile_record.h"
#include "model/builder.h"

struct open_phase {
	int64_t thread, start;
	uint32_t name, id; /* the id of its compilation; 0: none */
};

struct compile_reading {
	struct profile *profile;
	struct builder *builder;
	struct compile_log *log;
	GROWING(uint32_t, texts, text_count); /* by the log's own number; 0: unknown */
	int64_t id_of[3];                     /* numbers of the last record with an id, and: */
	uint32_t id;                          /* 0: none yet */
	struct keyed ids;                     /* of compilations */
	uint32_t *latest;                     /* by these: the last compilation with the id */
	struct keyed broken;                  /* the breaks, by what they are about */
	GROWING(struct open_phase, open, open_count);
	struct compile_range graph; /* the last one of ATen operators */
	struct keyed nodes;         /* its nodes, by name */
	uint32_t *places; /* by these: "/a/train.py:12 in forward, code: x = self.fc1(x)" */
};

static inline uint32_t compile_add_text(struct compile_reading *reading, struct text_slice text)
{
	return intern_add(reading->profile->strings, text.text, text.length);
}

/* The id as PyTorch prints it, without the attempt. */
uint32_t compile_id_of(struct compile_reading *reading, const struct compile_record *record);

/* Another item of the compilation of a record. */
struct compile_item *compile_add_of(struct compile_reading *reading,
				    const struct compile_record *record, enum compile_kind kind);

/* The payload, as JSON of a type; false without. */
bool compile_document(const struct compile_record *record, enum json_type type,
		      struct json_slice *document);

/* Nodes of a graph of ATen operators, each with the place above it. */
void compile_take_graph(struct compile_reading *reading, const struct compile_record *record);
/* Kernels that generated code defines, with the comments above them. */
void compile_take_code(struct compile_reading *reading, const struct compile_record *record);
/* {"cppCodeToPost": {"triton_poi_fused_mul_0:3": ["mul", "relu"]}}: kernels and their nodes. */
void compile_take_mapping(struct compile_reading *reading, const struct compile_record *record);
