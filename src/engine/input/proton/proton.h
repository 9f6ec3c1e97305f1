/*
 * Reads the profiles of Triton's Proton (.hatchet).
 */
#ifndef STRATA_INPUT_PROTON_PROTON_H
#define STRATA_INPUT_PROTON_PROTON_H

#include "input/reader.h"

extern const struct reader proton_reader;

#endif
