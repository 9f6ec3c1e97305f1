/*
 * Separates processes whose traces were joined into one file without being labeled.
 */
#pragma once

#include "base/progress.h"

struct builder;

/*
 * When several processes launch device work, put each and its device work into a group of its own
 * ("[pid 83]"), as a label does. Correlation ids, which each process counts itself, say whose a
 * device is; where they repeat, the order in the file decides. Before rows are ordered. False when
 * cancelled.
 */
bool fused_separate(struct builder *builder, const struct progress *progress);
