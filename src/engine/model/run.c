#include "model/run.h"

struct rank *run_rank(const struct run *run, int64_t number)
{
	if (number == ANY_RANK && run->whole)
		return run->whole;
	/* most often the ranks are all of 0 and above, in order */
	if (number > 0 && (uint64_t)number < run->rank_count &&
	    run->ranks[number].number == number && run->ranks[number - 1].number < number)
		return &run->ranks[number];
	for (size_t i = 0; i < run->rank_count; i++)
		if (number == ANY_RANK ? !run->ranks[i].statistics : run->ranks[i].number == number)
			return &run->ranks[i];
	return (number == ANY_RANK || number == 0) && run->rank_count ? &run->ranks[0] : NULL;
}
