#include "model/python_stats.h"

#include "base/mem.h"

#include <math.h>

struct python_stats *python_stats_new(void)
{
	struct python_stats *stats = mem_zalloc(1, sizeof *stats);
	stats->unit_s = NAN;
	return stats;
}

void python_stats_free(struct python_stats *stats)
{
	if (!stats)
		return;
	mem_free(stats->functions);
	mem_free(stats->callers);
	mem_free(stats->lines);
	mem_free(stats->samples);
	mem_free(stats);
}

size_t python_stats_size(const struct python_stats *stats)
{
	return stats ? sizeof *stats + stats->function_cap * sizeof *stats->functions +
			       stats->caller_cap * sizeof *stats->callers +
			       stats->line_cap * sizeof *stats->lines +
			       stats->sample_cap * sizeof *stats->samples
		     : 0;
}
