/*
 * Members of a trace document other than its events.
 */
#pragma once

#include "input/json.h"
#include "model/builder.h"

/* Keep one member: devices and the distributed job are interpreted, the rest becomes metadata. */
void kineto_metadata(struct builder *builder, struct profile *profile, const struct json_slice *key,
		     const struct json_slice *value);
