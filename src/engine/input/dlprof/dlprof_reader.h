/*
 * Reads databases of NVIDIA's DLProf (dlprof_dldb.sqlite), versions 1.3 to 1.8.
 */
#ifndef STRATA_INPUT_DLPROF_DLPROF_READER_H
#define STRATA_INPUT_DLPROF_DLPROF_READER_H

#include "input/reader.h"

/*
 * The correlated profile becomes rows of the profile; everything stored is kept in its struct
 * dlprof.
 */
extern const struct reader dlprof_reader;

#endif
