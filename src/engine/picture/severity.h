/*
 * How a finding looks: by its severity a role, and a sign that tells it without color; and what is
 * predicted of it.
 */
#pragma once

#include "picture/role.h"
#include "views/findings.h"

/* The sign is one column wide. */
enum role severity_role(enum severity severity, const char **sign);

/* "Predicted: at most 15.9 % (10.7 % to 17.1 %).", or why not; nothing if no edit is known for it.
 */
void finding_prediction(struct buffer *out, const struct table *advice, uint32_t row);
