/*
 * The members of a trace document beside its events.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_METADATA_H
#define STRATA_INPUT_KINETO_KINETO_METADATA_H

#include "input/json.h"
#include "model/builder.h"

/* Keep one member: devices and the distributed job as what they are, the rest as metadata. */
void kineto_metadata(struct builder *builder, struct profile *profile, const struct json_slice *key,
		     const struct json_slice *value);

#endif
