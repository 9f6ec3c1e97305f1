/*
 * Reads CUPTI activity tables, which Nsight Systems and nvprof store with similar columns.
 */
#pragma once

#include "input/cuda/cuda_names.h"
#include "input/sqlite/sqlite_table.h"
#include "model/builder.h"

/* Common columns, followed by those of kernel names. */
enum cuda_column { CUDA_COMMON_COLUMNS(SQLITE_PLACE) CUDA_COMMON };
enum { CUDA_NAME = CUDA_COMMON, CUDA_SHORT_NAME, CUDA_MANGLED_NAME, CUDA_NAMED };

/* What differs between the two profilers. */
struct cuda_reader {
	struct sqlite_database *database;
	struct builder *builder;
	enum cuda_numbering numbering;
	void *context;
	/*
	 * Fill start, duration and track from the common columns; false, counted as damage, without
	 * valid times.
	 */
	bool (*place)(void *context, const struct sqlite_rows *rows, struct activity *activity);
	uint32_t (*kernel_name)(void *context, const struct sqlite_rows *rows);
	/* NULL, or the node of a graph that the row's was cloned from; NO_VALUE: unknown */
	int64_t (*original_node)(void *context, const struct sqlite_rows *rows);
};

/* The stream id; all bits set means none. */
int64_t cuda_stream(const struct sqlite_rows *rows);
/* The ordinal, 0 where there is none. */
int32_t cuda_device(int64_t device);

/* Add the rows of TABLE, if it exists, to the builder. */
void cuda_read_kernels(const struct cuda_reader *reader, const char *table);
void cuda_read_copies(const struct cuda_reader *reader, const char *table);
void cuda_read_sets(const struct cuda_reader *reader);
void cuda_read_syncs(const struct cuda_reader *reader);
void cuda_read_graphs(const struct cuda_reader *reader);
