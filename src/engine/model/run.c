#include "model/run.h"

struct rank *run_rank(const struct run *run, int64_t number)
{
	if (number == ANY_RANK && run->whole)
		return run->whole;
	for (size_t i = 0; i < run->rank_count; i++)
		if (number == ANY_RANK ? !run->ranks[i].statistics : run->ranks[i].number == number)
			return &run->ranks[i];
	return (number == ANY_RANK || number == 0) && run->rank_count ? &run->ranks[0] : NULL;
}
