/*
 * How a finding of a severity looks: its role, and a sign that tells it without color.
 */
#ifndef STRATA_PICTURE_SEVERITY_H
#define STRATA_PICTURE_SEVERITY_H

#include "picture/role.h"
#include "views/findings.h"

/* The sign is one column wide. */
enum role severity_role(enum severity severity, const char **sign);

#endif
