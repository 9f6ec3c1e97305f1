/*
 * Results of Python profilers: totals by function, source line or operator, and sampled stacks; no
 * events.
 *
 * Filled by the readers in input/python. Texts are interned in the profile's
 * strings. Seconds are as in the file; absent: NaN and NO_VALUE.
 */
#pragma once

#include "base/keyed.h"
#include "model/frames.h"

/* Where the time of a function or line went, and what it did besides. Absent: NaN. */
struct python_split {
	double python_s, native_s, system_s, gpu_s;
	double gpu_bytes;                 /* GPU memory at its peak */
	double peak_bytes, average_bytes; /* of what it allocated and still holds */
	double copy_bytes_per_s;
	double leak_pct; /* likelihood that it leaks */
	double leak_bytes_per_s;
};

struct python_function {
	uint32_t name, file;
	uint32_t label;          /* of its frames in stacks; 0: the name */
	uint32_t section;        /* report, action or table that it is from; 0: none */
	int64_t line;            /* where it is defined */
	int64_t calls;           /* including recursive calls */
	int64_t primitive_calls; /* excluding recursive calls */
	double self_s, total_s;  /* excluding and including callees */
	double memory_bytes;
	double mean_s;      /* of a call, as stated; NaN: not stated */
	uint32_t split;     /* index of splits; NO_ROW: none */
	bool is_named_only; /* known only as a caller or from stacks; has no row of its own */
};

/* pstats has built-in functions in line 0 of a file of this name, which is no place. */
#define PYTHON_BUILTIN_FILE "~"
bool python_is_builtin_file(const char *file, size_t length);

struct python_caller {             /* a function's totals when called from CALLER */
	uint32_t function, caller; /* indexes of functions */
	int64_t calls, primitive_calls;
	double self_s, total_s;
};

struct python_line {
	uint32_t function; /* index of functions; UINT32_MAX: unknown */
	uint32_t file;
	uint32_t text;             /* source text; 0: none */
	int64_t line, hits, ticks; /* ticks: in units of unit_s */
	double self_s;             /* including callees, unless it was sampled */
	double memory_bytes;
	double level_bytes; /* memory in use after the line */
	uint32_t split;     /* index of splits; NO_ROW: none */
};

/* Sampled, or the sum of equal stacks. */
struct python_sample {
	uint32_t frame; /* innermost, in `frames` */
	uint32_t track; /* thread; NO_ROW: unknown */
	int64_t value;  /* in sample_unit */
	int64_t calls;  /* samples or calls that it stands for */
};

/* What a row of a table of operators is of. GPU work has rows of its own beside the operators. */
enum operator_row { ROW_OPERATOR, ROW_KERNEL, ROW_COPY, ROW_SPAN };

/* A row of a table of operators. */
struct python_operator {
	enum operator_row kind;
	uint32_t name, section, shapes; /* shapes 0: none */
	uint32_t stack; /* frames, innermost first, separated by ";"; 0: not printed */
	int64_t calls;
	double cpu_self_s, cpu_total_s, gpu_self_s, gpu_total_s;
	double gpu_min_s, gpu_max_s, gpu_deviation_s; /* of its calls */
	double cpu_bytes, cpu_self_bytes, gpu_bytes, gpu_self_bytes;
	double flops;
};

/* What the values of samples are; SAMPLE_TAKEN: samples, at a rate that is not known. */
enum sample_unit { SAMPLE_NS, SAMPLE_BYTES, SAMPLE_COUNT, SAMPLE_TAKEN };

/* The time that a report states as that of all that it lists, which may be nested. */
struct python_whole {
	uint32_t section;
	double total_s;
};

/* Metrics of facts: self time of the operators of a table. */
#define PYTHON_CPU_SELF "self CPU time total"
#define PYTHON_GPU_SELF "self GPU time total"
#define PYTHON_DEVICE "device" /* of which the GPU time is: "XPU" */

/* A fact of the file, for the info view. */
struct python_fact {
	const char *section, *metric, *unit; /* static or interned */
	uint32_t text;                       /* 0: NUMBER */
	int64_t number;
};

struct python_stats {
	double unit_s;      /* tick of a line profile, in seconds; NaN */
	bool short_numbers; /* it is of a version that shortens them to the width of columns */
	GROWING(struct python_function, functions, function_count);
	struct keyed *keys; /* of functions */
	GROWING(struct python_caller, callers, caller_count);
	GROWING(struct python_line, lines, line_count);
	GROWING(struct python_split, splits, split_count);
	struct frames frames; /* of samples; a name is an index of functions */
	GROWING(struct python_sample, samples, sample_count);
	int64_t sample_sum, sample_calls; /* of all; they do not overflow */
	int64_t *track_calls;             /* by track: of its samples */
	size_t track_count;
	double left_out_s; /* time of functions that a printed table leaves out; below 0: none */
	bool imports;      /* functions are modules, their time that of importing them */
	bool has_totals;   /* functions have totals; samples only say in which stacks */
	enum sample_unit sample_unit; /* also of seconds of functions and lines: 1 is 1e-9 s */
	const char *sample_note;      /* remark on the unit; static, NULL: none */
	GROWING(struct python_operator, operators, operator_count);
	GROWING(struct python_whole, wholes, whole_count);
	GROWING(struct python_fact, facts, fact_count);
};

struct python_stats *python_stats_new(void);
void python_stats_free(struct python_stats *stats);         /* NULL is fine */
size_t python_stats_size(const struct python_stats *stats); /* bytes held; NULL: 0 */

/*
 * Index of the function with this NAME, FILE, LINE and SECTION; a new one has no totals and is
 * named only.
 */
uint32_t python_function_find(struct python_stats *stats, uint32_t name, uint32_t file,
			      int64_t line, uint32_t section);

/* Likewise, for a frame LABEL of a sampled stack. */
uint32_t python_function_of_label(struct python_stats *stats, struct intern *strings,
				  uint32_t label);

/* Unit of the values of its samples, functions and lines: "ns", "bytes" or "count". */
const char *python_unit(const struct python_stats *stats);

/* NO_ROW exists everywhere. */
bool python_function_exists(const struct python_stats *stats, uint32_t function);

/* Append a row; the functions and lines are blank. */
struct python_line *python_line_add(struct python_stats *stats);
/* Samples without a positive value, or beyond what can be summed, count for nothing. */
void python_sample_add(struct python_stats *stats, const struct python_sample *sample);
int64_t python_track_samples(const struct python_stats *stats, uint32_t track); /* NULL: 0 */
struct python_operator *python_operator_add(struct python_stats *stats);
double python_whole_of(const struct python_stats *stats, uint32_t section); /* NaN: not stated */
void python_fact_number(struct python_stats *stats, const char *section, const char *metric,
			int64_t number, const char *unit);
/* The sum of a metric over the sections that state it, in its unit. */
double python_fact_sum(const struct python_stats *stats, const char *metric);
/* Of the kernels in a table of operators; with what it states of the GPU, of those it leaves out.
 */
double python_kernel_ns(const struct python_stats *stats);
void python_fact_text(struct python_stats *stats, const char *section, const char *metric,
		      uint32_t text);
