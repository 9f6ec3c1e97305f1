/*
 * How a finding of a severity looks: its role, and a sign that tells it without color.
 */
#pragma once

#include "picture/role.h"
#include "views/findings.h"

/* The sign is one column wide. */
enum role severity_role(enum severity severity, const char **sign);
