/*
 * Tables of what ran on the device, as CUPTI records it: Nsight Systems and nvprof keep one row a
 * kernel, copy, set, synchronisation or replay of a graph, in columns of much the same names.
 */
#ifndef STRATA_INPUT_CUDA_CUDA_ACTIVITIES_H
#define STRATA_INPUT_CUDA_CUDA_ACTIVITIES_H

#include "input/cuda/cuda_names.h"
#include "input/sqlite/sqlite_table.h"
#include "model/builder.h"

/* Columns that all these tables may have, and behind them the names of kernels. */
enum cuda_column {
	CUDA_START,
	CUDA_END,
	CUDA_DEVICE,
	CUDA_CONTEXT,
	CUDA_STREAM,
	CUDA_CORRELATION,
	CUDA_PROCESS,
	CUDA_GRAPH_NODE,
	CUDA_COMMON,
	CUDA_NAME = CUDA_COMMON,
	CUDA_SHORT_NAME,
	CUDA_MANGLED_NAME,
	CUDA_NAMED
};

/* What the two profilers do in ways of their own. */
struct cuda_reader {
	struct sqlite_database *database;
	struct builder *builder;
	enum cuda_numbering numbering;
	void *context;
	/* Fill start, duration and lane from the common columns; false, counted: no place in time.
	 */
	bool (*place)(void *context, const struct sqlite_rows *rows, struct activity *activity);
	uint32_t (*kernel_name)(void *context, const struct sqlite_rows *rows);
};

/* The stream as lanes number it: all bits set stand for "none". */
int64_t cuda_stream(const struct sqlite_rows *rows);
/* The ordinal, 0 where there is none. */
int32_t cuda_device(int64_t device);

/* Hand the rows of TABLE, if there is one, to the builder. */
void cuda_read_kernels(const struct cuda_reader *reader, const char *table);
void cuda_read_copies(const struct cuda_reader *reader, const char *table);
void cuda_read_sets(const struct cuda_reader *reader);
void cuda_read_syncs(const struct cuda_reader *reader);
void cuda_read_graphs(const struct cuda_reader *reader);

#endif
