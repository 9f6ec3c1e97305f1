#include "analysis/ceiling.h"

#include "base/error.h"
#include "base/number.h"

#include <malloc.h>

enum {
	ROW_BYTES = 80,		/* of an event at the peak: columns, facts, and what finishing needs */
	LOOKS = 64,		/* at so many parts of the file, */
	STEP_LEAST = 1 << 18,	/* of so many bytes or more */
	TELLING = 16,		/* the first of so many parts tells what the rest is like */
};

/* Finishing and the facts take some seven tenths more than what was read. */
static uint64_t at_the_peak(uint64_t held)
{
	return held / 10 * 17;
}

uint64_t ceiling_estimate(uint64_t rows, uint64_t held, uint64_t done, uint64_t total)
{
	uint64_t by_rows = rows * ROW_BYTES, by_bytes = at_the_peak(held);
	double now = (double)(by_rows > by_bytes ? by_rows : by_bytes);
	double whole = done && total > done ? now * ((double)total / (double)done) : now;
	return whole < 9e18 ? (uint64_t)whole : UINT64_MAX;
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

static bool fits(struct ceiling *ceiling, uint64_t done, uint64_t total, uint64_t rows)
{
	if (!ceiling->most || done < ceiling->next)
		return true;
	ceiling->next = done + (total / LOOKS > STEP_LEAST ? total / LOOKS : STEP_LEAST);
	size_t now = allocated(), held = now > ceiling->before ? now - ceiling->before : 0;
	/* before that only what is held already counts */
	uint64_t whole = done >= total / TELLING ? total : 0;
	uint64_t estimate = ceiling_estimate(rows, held, done, whole);
	if (estimate > ceiling->most)
		ceiling->estimate = estimate;
	return !ceiling->estimate;
}

static bool update(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct ceiling *ceiling = context;
	return fits(ceiling, done, total, rows) &&
	       progress_update(ceiling->outer, stage, done, total, rows);
}

void ceiling_begin(struct ceiling *ceiling, uint64_t most, const struct progress *outer)
{
	*ceiling = (struct ceiling){
		.progress = { .update = update, .context = ceiling,
			      .read = outer ? outer->read : NULL,
			      .reader = outer ? outer->reader : NULL }, .outer = outer, .most = most,
		.next = STEP_LEAST, .before = most ? allocated() : 0,
	};
}

bool ceiling_passed(const struct ceiling *ceiling, struct error *error)
{
	char wanted[NUMBER_MAX], most[NUMBER_MAX];
	if (!ceiling->estimate)
		return false;
	error_set(error, ERROR_MEMORY,
		  "opening it would take about %s of memory, and %s may be used: --no-python leaves Python "
		  "functions out, --max-memory allows more",
		  number_bytes(wanted, (double)ceiling->estimate),
		  number_bytes(most, (double)ceiling->most));
	return true;
}
