/*
 * How a finding of a severity looks: its role, and a sign that tells it without color.
 */
#ifndef STRATA_PICTURE_SEVERITY_H
#define STRATA_PICTURE_SEVERITY_H

#include "picture/role.h"

#include <stddef.h>

/* SEVERITY as in the column of the advice view; the sign is one column wide. */
enum role severity_role(const char *severity, size_t length, const char **sign);

#endif
