#include "analysis/decode_cycle.h"
#include "base/any_of.h"

#include <ctype.h>
#include <strings.h>

static const struct {
	const char *name, *word; /* with which a word in the names of its functions begins */
} work[] = { DECODE_WORK_ROWS };

static bool word_begins_with(const char *name, const char *beginning)
{
	const char *folder = strrchr(name, '/'); /* before the file of a Python function */
	size_t length = strlen(beginning);
	for (const char *at = name = folder ? folder + 1 : name; *at; at++)
		if ((at == name || !isalpha((unsigned char)at[-1])) &&
		    strncasecmp(at, beginning, length) == 0)
			return true;
	return false;
}

/* Is it, or does it hold, the range of the iteration STEP or of the next one? */
static bool holds_iteration(const struct derived *derived, uint32_t span, uint32_t step)
{
	uint32_t size = derived->profile->span_size[span];
	for (uint32_t i = step; i < derived->step_count && i - step < 2; i++)
		if (derived->steps[i].span != NO_ROW && derived->steps[i].span - span < size)
			return true;
	return false;
}

/* In a call that communicates, or for a kernel that does and was launched long before. */
static bool waits_for_ranks(const struct derived *derived, const struct gap *gap,
			    const struct gap_part *part)
{
	const struct profile *profile = derived->profile;
	const uint16_t roles = NAME_COMMUNICATION | NAME_COLLECTIVE;
	if (part->cause == CAUSE_DEPENDENCY)
		return gap->after != NO_ROW && derived->role[profile->activity_name[gap->after]] &
						       NAME_COMMUNICATION_KERNEL;
	return row_upwards(at, part->cause == CAUSE_LAUNCH ? NO_ROW : part->span,
			   profile->span_parent,
			   derived->role[profile->span_name[at]] & roles) != NO_ROW;
}

/* The cause that a name tells; CYCLE_CAUSES: none; more: it is that of an iteration. */
static unsigned cause_of_name(const struct derived *derived, uint8_t *words, uint32_t name)
{
	const char *text = profile_string(derived->profile, name);
	struct request_batch batch;
	enum phase phase;
	unsigned cause = words[name] ?: CYCLE_SCHEDULER;
	while (!words[name] && cause < CYCLE_ALL_REDUCE &&
	       !word_begins_with(text, work[cause - CYCLE_SCHEDULER].word))
		cause++;
	if (cause == CYCLE_ALL_REDUCE)
		cause = CYCLE_CAUSES + batch_of_name(text, &batch, &phase);
	return words[name] = (uint8_t)cause;
}

unsigned cycle_cause_of(const struct derived *derived, uint8_t *words, const struct gap *gap,
			const struct gap_part *part)
{
	const struct profile *profile = derived->profile;
	uint32_t step = derived_step_at(derived, gap->start);
	unsigned cause = CYCLE_CAUSES;
	if (waits_for_ranks(derived, gap, part))
		return CYCLE_ALL_REDUCE;
	for (uint32_t at = part->cause == CAUSE_DEPENDENCY ? NO_ROW : part->span;
	     at != NO_ROW && cause == CYCLE_CAUSES && !holds_iteration(derived, at, step);
	     at = profile->span_parent[at])
		cause = cause_of_name(derived, words, profile->span_name[at]);
	return cause < CYCLE_CAUSES ? cause : part->cause;
}

const char *cycle_cause_name(unsigned cause)
{
	return cause < TIME_CAUSES ? time_cause_name((enum time_cause)cause)
				   : work[cause - TIME_CAUSES].name;
}
