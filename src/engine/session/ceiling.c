#include "session/ceiling.h"

#include <malloc.h>

enum {
	ROW_HELD = 60,        /* bytes of an event in columns while they grow, */
	ROW_PEAK = 80,        /* and with facts and what finishing needs */
	LOOKS = 64,           /* at so many parts of the file, */
	STEP_LEAST = 1 << 18, /* of so many bytes or more */
	TELLING_LEAST =
		8 << 20, /* from so many bytes on what was read tells what the rest is like, */
	TELLING = 4,     /* when it is one of so many parts; */
	HINTING = 16,    /* when it is one of so many, if the whole is */
	HOPELESS = 2,    /* so many times what there is */
};

/* What is held beside the columns: texts, arguments, what the reader has learned. */
static double beside_columns(const struct ceiling_sample *sample)
{
	double columns = (double)sample->rows * ROW_HELD, held = (double)sample->held;
	return held > columns ? held - columns : 0;
}

uint64_t ceiling_estimate(const struct ceiling_sample *first, const struct ceiling_sample *now,
			  uint64_t total)
{
	double done = (double)now->done, left = total > now->done ? (double)total - done : 0;
	double rows = (double)now->rows, others = beside_columns(now);
	double grown = others - beside_columns(first);
	if (now->done)
		rows += rows * left / done;
	/* the same texts come again and again, so only what came lately grows on */
	if (now->done > first->done && grown > 0)
		others += grown * left / (done - (double)first->done);
	double whole = rows * ROW_PEAK + others;
	return whole < 9e18 ? (uint64_t)whole : UINT64_MAX;
}

static uint64_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* The bytes to judge by after NOW, when the whole may take WHOLE. */
static uint64_t foresee(const struct ceiling *ceiling, const struct ceiling_sample *now,
			uint64_t whole, uint64_t total)
{
	bool tells = now->done >= total / TELLING;
	bool hints = now->done >= total / HINTING && whole / HOPELESS > ceiling->max;
	if (now->done >= TELLING_LEAST && (tells || hints))
		return whole;
	return ceiling_estimate(&ceiling->first, now, now->done); /* what is there already */
}

/* Memory that was given back is memory that is not beside the file any more. */
static bool made_room(struct ceiling *ceiling)
{
	uint64_t before = allocated();
	if (!ceiling->give_back || !ceiling->give_back(ceiling->context))
		return false;
	uint64_t now = allocated(), freed = before > now ? before - now : 0;
	ceiling->beside -= freed < ceiling->beside ? freed : ceiling->beside;
	return true;
}

static bool has_room(const struct ceiling *ceiling, uint64_t wanted)
{
	return wanted <= ceiling->max && ceiling->beside <= ceiling->max - wanted;
}

static bool fits(struct ceiling *ceiling, uint64_t done, uint64_t total, uint64_t rows)
{
	if (!ceiling->max || done < ceiling->next)
		return true;
	ceiling->next = done + (total / LOOKS > STEP_LEAST ? total / LOOKS : STEP_LEAST);
	uint64_t all = allocated();
	struct ceiling_sample now = { done, rows,
				      all > ceiling->beside ? all - ceiling->beside : 0 };
	if (now.done >= 2 * ceiling->later.done) {
		ceiling->first = ceiling->later;
		ceiling->later = now;
	}
	uint64_t whole = ceiling_estimate(&ceiling->first, &now, total);
	uint64_t wanted = foresee(ceiling, &now, whole, total);
	if (has_room(ceiling, wanted) || (made_room(ceiling) && has_room(ceiling, wanted)))
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
				     .next = STEP_LEAST,
				     .beside = max ? allocated() : 0 };
}
