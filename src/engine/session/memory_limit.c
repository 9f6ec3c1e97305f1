#include "session/memory_limit.h"

#include "base/mem.h"

enum {
	ROW_HELD = 60,         /* bytes per event in growing columns */
	ROW_PEAK = 80,         /* including facts and the peak of profile_finish */
	LOOKS = 64,            /* checks per file */
	STEP_MIN = 1 << 18,    /* minimum bytes between checks */
	TELLING_MIN = 8 << 20, /* minimum bytes read before extrapolating */
	TELLING = 4,           /* extrapolate after 1/TELLING of the file, */
	HINTING = 16,          /* or after 1/HINTING if the estimate exceeds */
	HOPELESS = 2,          /* the limit by this factor */
};

/* Memory apart from columns: texts, arguments, reader state. */
static double beside_columns(const struct ceiling_sample *sample)
{
	double columns = (double)sample->rows * ROW_HELD, held = (double)sample->held;
	return held > columns ? held - columns : 0;
}

/*
 * Estimated peak in bytes of opening a file of TOTAL bytes, from NOW and a sample FIRST of up to
 * half of what was read by then.
 */
static uint64_t estimate(const struct ceiling_sample *first, const struct ceiling_sample *now,
			 uint64_t total)
{
	double done = (double)now->done, left = total > now->done ? (double)total - done : 0;
	double rows = (double)now->rows, others = beside_columns(now);
	double grown = others - beside_columns(first);
	if (now->done)
		rows += rows * left / done;
	/* texts repeat, so only recent growth is extrapolated */
	if (now->done > first->done && grown > 0)
		others += grown * left / (done - (double)first->done);
	double whole = rows * ROW_PEAK + others;
	return whole < 9e18 ? (uint64_t)whole : UINT64_MAX;
}

/* Bytes to compare with the limit after NOW; WHOLE is the extrapolated peak. */
static uint64_t foresee(const struct ceiling *ceiling, const struct ceiling_sample *now,
			uint64_t whole, uint64_t total)
{
	bool tells = now->done >= total / TELLING;
	bool hints = now->done >= total / HINTING && whole / HOPELESS > ceiling->max;
	if (now->done >= TELLING_MIN && (tells || hints))
		return whole;
	return estimate(&ceiling->first, now, now->done); /* the part read so far */
}

/* Freed memory no longer counts as held besides the file. */
static bool made_room(struct ceiling *ceiling)
{
	uint64_t before = mem_used();
	if (!ceiling->give_back || !ceiling->give_back(ceiling->context))
		return false;
	uint64_t now = mem_used(), freed = before > now ? before - now : 0;
	ceiling->beside -= freed < ceiling->beside ? freed : ceiling->beside;
	return true;
}

static bool memory_limit_has_room(const struct ceiling *ceiling, uint64_t wanted)
{
	return wanted <= ceiling->max && ceiling->beside <= ceiling->max - wanted;
}

static bool fits(struct ceiling *ceiling, uint64_t done, uint64_t total, uint64_t rows)
{
	if (!ceiling->max || done < ceiling->next)
		return true;
	ceiling->next = done + (total / LOOKS > STEP_MIN ? total / LOOKS : STEP_MIN);
	uint64_t all = mem_used();
	struct ceiling_sample now = { done, rows,
				      all > ceiling->beside ? all - ceiling->beside : 0 };
	if (now.done >= 2 * ceiling->later.done) {
		ceiling->first = ceiling->later;
		ceiling->later = now;
	}
	uint64_t whole = estimate(&ceiling->first, &now, total);
	uint64_t wanted = foresee(ceiling, &now, whole, total);
	if (memory_limit_has_room(ceiling, wanted) ||
	    (made_room(ceiling) && memory_limit_has_room(ceiling, wanted)))
		return true;
	uint64_t left = ceiling->max > ceiling->beside ? ceiling->max - ceiling->beside : 0;
	ceiling->estimate = whole;
	ceiling->endless = !total;
	ceiling->part = (uint64_t)(100.0 * (double)left / (double)whole);
	return false;
}

static bool update(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct ceiling *ceiling = context;
	return (!progress_is_reading(stage) || fits(ceiling, done, total, rows)) &&
	       progress_update(ceiling->outer, stage, done, total, rows);
}

void ceiling_begin(struct ceiling *ceiling, uint64_t max, const struct progress *outer,
		   bool (*give_back)(void *context), void *context)
{
	*ceiling = (struct ceiling){ .progress = { .update = update,
						   .context = ceiling,
						   .read = outer ? outer->read : NULL,
						   .reader = outer ? outer->reader : NULL },
				     .outer = outer,
				     .max = max,
				     .give_back = give_back,
				     .context = context,
				     .next = STEP_MIN,
				     .beside = max ? mem_used() : 0 };
}
