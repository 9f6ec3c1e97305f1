/*
 * The source line that a row comes from, with the time of the lines of that file, and the code that
 * a compiler generated from it.
 */
#pragma once

#include "base/buffer.h"
#include "table/view.h"

/* A place in source code, from the text of a frame. */
struct code_place {
	const char *file; /* a part of the text, not terminated */
	size_t length;
	int64_t line;
};

/*
 * Parse "train.py(51): step", "train.py:51(step)", "step (train.py:51)", "train.py:51". False if
 * the text names no line of a file.
 */
bool code_place_parse(const char *text, size_t length, struct code_place *place);

struct line_time {
	int64_t line, ns;
};

struct row_source {
	struct buffer file; /* as recorded */
	int64_t line;       /* counted from 1 */
	const char *time;   /* what the times are, "GPU time"; NULL: none are known */
	GROWING(struct line_time, times, count);
	const char *why; /* nothing is known: how to record it; static, NULL: other rows have it */
};

/* Append the frame that the row's cells name (file and line, source, name or stack); or nothing. */
void source_of_cells(const struct table *table, size_t row, struct buffer *frame);

/*
 * The place where the user's code called what the row is; of rows with several events the longest.
 * FRAME, if not empty, is that place. False if it is unknown, or when cancelled. The caller clears
 * SOURCE in either case.
 */
bool view_source(const struct run *run, const struct scope *scope, struct ref ref,
		 const char *frame, struct row_source *source, const struct progress *progress);
/* Is it likely to be known? At once, for hints. */
bool view_has_source(const struct run *run, const struct scope *scope, struct ref ref);
void row_source_clear(struct row_source *source);

enum generated_part { CODE_PYTHON, CODE_NODES, CODE_KERNEL, CODE_PARTS };

struct generated_code {
	struct buffer text[CODE_PARTS]; /* lines "label<TAB>code"; ">" in the kernel's own labels */
	size_t line[CODE_PARTS];        /* the first of these, from 0 */
	struct buffer title;            /* "/tmp/torchinductor_u/ab/cab.py:7" */
};

/*
 * The code that Inductor generated for the kernel REF, or of the one that its event ran. False if
 * no log of torch.compile has it, or when cancelled. The caller clears CODE in either case.
 */
bool view_generated_code(const struct run *run, const struct scope *scope, struct ref ref,
			 struct generated_code *code, const struct progress *progress);
void generated_code_clear(struct generated_code *code);
