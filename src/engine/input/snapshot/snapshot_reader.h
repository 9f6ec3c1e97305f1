/*
 * Reads memory snapshots of PyTorch's caching allocator
 * (torch.cuda.memory._dump_snapshot(), pickles of plain data).
 */
#ifndef STRATA_INPUT_SNAPSHOT_SNAPSHOT_READER_H
#define STRATA_INPUT_SNAPSHOT_SNAPSHOT_READER_H

#include "input/reader.h"

extern const struct reader snapshot_reader;
extern const struct reader memory_timeline_reader;

#endif
