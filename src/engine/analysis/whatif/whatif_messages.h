/*
 * Communication, apart: transfer, the latency in it, and waiting for other ranks.
 */
#pragma once

#include "analysis/whatif/whatif_edit.h"

/*
 * By activity, the part of its time that an edit of WHAT is about. The shortest operation of a name
 * and size waits for no one: the others take as long to transfer, and wait for the rest. Latency is
 * at most what the shortest of the name takes. The caller frees; NULL when cancelled.
 */
float *whatif_message_parts(const struct derived *derived, enum whatif_what what,
			    const struct progress *progress);
