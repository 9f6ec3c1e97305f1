/*
 * Reader for Perfetto traces (.pftrace, .perfetto-trace): the events of tracks.
 */
#ifndef STRATA_INPUT_PERFETTO_PFTRACE_H
#define STRATA_INPUT_PERFETTO_PFTRACE_H

#include "input/reader.h"

extern const struct reader pftrace_reader;

#endif
