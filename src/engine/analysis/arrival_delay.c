#include "analysis/arrival_delay.h"

#include "analysis/rank_matches.h"
#include "model/run.h"

enum { REASON_PERCENT = 50, LEAD_PERCENT = 25 };

static struct arrival_delay arrival_delay_of(const struct run *run, const struct scope *scope,
					     size_t rank)
{
	struct step_summary mean = rank_mean_step(run->ranks[rank].summary, scope);
	struct rank_wait wait = rank_mean_wait(run, rank, scope);
	return (struct arrival_delay){ mean.computation, mean.idle, wait.transfer };
}

struct arrival_delay arrival_delay_of_all(const struct run *run, const struct scope *scope)
{
	struct arrival_delay sum = { 0, 0, 0 };
	for (size_t i = 0; i < run->rank_count; i++) {
		struct arrival_delay at = arrival_delay_of(run, scope, i);
		MEMBERS(&sum, &at, PLUS(computation) PLUS(idle) PLUS(transfer));
	}
	return sum;
}

static int64_t longer(int64_t own, int64_t all, size_t ranks)
{
	int64_t others = ranks > 1 ? (all - own) / (int64_t)(ranks - 1) : 0;
	return own > others ? own - others : 0;
}

enum late_part late_part_of(const struct run *run, const struct scope *scope,
			    const struct arrival_delay *all, size_t rank, int64_t lead, int64_t *ns)
{
	struct arrival_delay own = arrival_delay_of(run, scope, rank);
	size_t ranks = run->rank_count;
	const int64_t parts[] = { [LATE_COMPUTE] = longer(own.computation, all->computation, ranks),
				  [LATE_IDLE] = longer(own.idle, all->idle, ranks),
				  [LATE_NETWORK] = longer(own.transfer, all->transfer, ranks) };
	double sum = (double)parts[LATE_COMPUTE] + (double)parts[LATE_IDLE] +
		     (double)parts[LATE_NETWORK];
	for (int part = LATE_COMPUTE; part <= LATE_NETWORK; part++) {
		*ns = parts[part];
		if (*ns && 100.0 * (double)*ns >= REASON_PERCENT * sum &&
		    100.0 * (double)*ns >= LEAD_PERCENT * (double)lead)
			return (enum late_part)part;
	}
	return LATE_UNKNOWN;
}
