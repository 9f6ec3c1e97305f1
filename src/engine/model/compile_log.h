/*
 * What a structured log of torch.compile (TORCH_TRACE) says: compilations, graph breaks, autotuning
 * and generated kernels. Texts are interned in the strings of the profile, 0 is none; absent
 * numbers are NO_VALUE.
 */
#pragma once

#include "base/mem.h"
#include "text_tables.h"

struct buffer;
struct profile;

enum compile_kind { COMPILE_KIND_ROWS(_) COMPILE_KINDS };

/* The texts of an item, by its kind. */
enum compile_text { COMPILE_TEXT_ROWS(_) };

enum compile_number { COMPILE_NUMBER_ROWS(_) };

/* Bytes of the log; length 0: none. */
struct compile_range {
	uint64_t offset, length;
};

struct compile_item {
	uint32_t id; /* of its compilation: "0/1", "!2/0/1" of compiled autograd, "-": none */
	uint32_t text[COMPILE_TEXTS];
	int64_t number[COMPILE_NUMBERS];
	struct compile_range range; /* the traced graph, the tree of guards, the generated code */
	struct compile_range graph; /* of ATen operators, which a kernel is from */
};

struct compile_log {
	char *path; /* of the file, which has the payloads: they are read when they are shown */
	struct compile_items {
		GROWING(struct compile_item, at, count);
	} items[COMPILE_KINDS];
};

void compile_log_free(struct compile_log *log);         /* NULL is fine */
size_t compile_log_size(const struct compile_log *log); /* bytes held; NULL: 0 */

/* Add an item without texts and numbers. */
struct compile_item *compile_add(struct compile_log *log, enum compile_kind kind, uint32_t id);

/* What tells of an event which kernel it ran, interned. */
struct compile_key {
	uint32_t name, file, id; /* file: the kernel's own, NO_ROW; id: of the compilation, 0 */
};

/* From the event's name, the file on its launching operator, and the region around that. */
struct compile_key compile_key_of(const struct profile *profile, uint32_t activity);
/* The kernel of a key, of that file or compilation if one of its name is, else the last; NULL. */
const struct compile_item *compile_kernel(const struct compile_log *log, struct compile_key key);

/*
 * The compilation that takes at least half of the time FROM < TO, by its phases in the lane of the
 * timeline; NULL: none does.
 */
const struct compile_item *compile_during(const struct profile *profile, int64_t from, int64_t to);
/* "forward compiled again: size of x changed in dimension 0: expected 4, actual 8" */
void compile_why(const struct profile *profile, const struct compile_item *item,
		 struct buffer *out);

/*
 * Say in words which guard failed and what avoids that: "size of x changed in dimension 0",
 * "torch._dynamo.mark_dynamic(x, 0)". Of forms that are not known WORDS is the guard, HOW empty.
 */
void compile_reason_words(const char *reason, struct buffer *words, struct buffer *how);
