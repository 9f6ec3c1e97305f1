#include "model/totals.h"

#include "model/profile.h"

#include <math.h>

struct totals *totals_new(void)
{
	return mem_zalloc(1, sizeof(struct totals));
}

FREE_OBJECT(totals_free, struct totals, OWN(rows) OWN(facts) OWN(calls))

size_t totals_size(const struct totals *totals)
{
	return totals ? sizeof *totals + mem_rows(totals->rows, totals->count) +
				mem_rows(totals->facts, totals->fact_count) +
				mem_rows(totals->calls, totals->call_count)
		      : 0;
}

uint32_t totals_add(struct totals *totals, uint32_t name)
{
	struct total *row = mem_push(totals->rows, totals->count);
	row->name = name;
	SET_UNKNOWN(row, UNKNOWN(parent) UNKNOWN(calls) UNKNOWN(gpu_self_ns) UNKNOWN(gpu_total_ns)
				 UNKNOWN(cpu_total_ns) UNKNOWN(flops) UNKNOWN(bytes));
	return (uint32_t)totals->count - 1;
}

void totals_add_up(struct totals *totals)
{
	for (size_t i = totals->count; i-- > 0;) {
		struct total *row = &totals->rows[i];
		add_if_known(&row->gpu_total_ns, row->gpu_self_ns);
		if (row->parent != NO_ROW)
			add_if_known(&totals->rows[row->parent].gpu_total_ns, row->gpu_total_ns);
	}
}

static struct total_fact *totals_add_fact(struct totals *totals, struct intern *strings,
					  const char *section, const char *metric)
{
	struct total_fact *fact = mem_push(totals->facts, totals->fact_count);
	*fact = (struct total_fact){ .section = intern_add(strings, section, strlen(section)),
				     .metric = intern_add(strings, metric, strlen(metric)) };
	return fact;
}

void totals_fact(struct totals *totals, struct intern *strings, const char *section,
		 const char *metric, int64_t number)
{
	totals_add_fact(totals, strings, section, metric)->number = number;
}

void totals_fact_text(struct totals *totals, struct intern *strings, const char *section,
		      const char *metric, uint32_t text)
{
	totals_add_fact(totals, strings, section, metric)->text = text;
}
