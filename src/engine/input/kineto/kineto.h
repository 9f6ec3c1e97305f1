/*
 * PyTorch (Kineto) traces and other Chrome traces: JSON in all the forms that are found, damaged
 * ones included.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_H
#define STRATA_INPUT_KINETO_KINETO_H

#include "base/progress.h"
#include "input/source.h"
#include "model/builder.h"

/*
 * Read all of SOURCE into the profile behind BUILDER.  Damage is counted in the profile.  False
 * with ERROR when there is no trace in it, when it cannot be read, or when cancelled.
 */
bool kineto_read(struct source *source, struct profile *profile, struct builder *builder,
		 const struct progress *progress, struct error *error);

/* How the work is done.  The profile is the same whatever is said here; 0 stands for the default.
 */
struct kineto_options {
	unsigned threads; /* that read at once; as many as there are cores */
	size_t block;     /* bytes that a thread takes at a time; 256 KiB */
	bool no_layouts;  /* parse every event, go by no layout (kineto_layout.h) */
};

bool kineto_read_so(struct source *source, struct profile *profile, struct builder *builder,
		    const struct kineto_options *options, const struct progress *progress,
		    struct error *error);

#endif
