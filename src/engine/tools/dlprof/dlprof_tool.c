/*
 * NVIDIA's DLProf: its database, its eight reports, and steps as the iterations of a key node.
 */
#include "tools/dlprof/key_node.h"
#include "tools/tools.h"

static const struct step_rule key_node = { .cut = key_node_cut, .key_of_span = key_node_of_span };

const struct tool tool_dlprof = {
	.name = "DLProf",
	.steps = &key_node,
};
