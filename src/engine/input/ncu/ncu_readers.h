/*
 * Readers for Nsight Compute: reports (.ncu-rep, .ncu-repz), `ncu --csv`, and what ncu prints.
 */
#ifndef STRATA_INPUT_NCU_NCU_READERS_H
#define STRATA_INPUT_NCU_NCU_READERS_H

#include "input/reader.h"

extern const struct reader ncu_report_reader, ncu_printed_reader;

#endif
