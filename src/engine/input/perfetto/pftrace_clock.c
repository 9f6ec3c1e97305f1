#include "input/perfetto/pftrace_clock.h"

#include "model/profile.h"

/* Ids of clocks that belong to a sequence of packets, not to the machine. */
enum { SEQUENCE_CLOCKS = 64, GLOBAL_CLOCKS = 128 };

enum { CLOCKS_MAX = 1024 }; /* limit: clocks of all sequences; more are taken for the last one */

FREE_MEMBERS(pf_clocks_clear, struct pf_clocks, OWN(items) OWN_BY(hash_free, defaults))

static bool is_of_sequence(uint64_t id)
{
	return id >= SEQUENCE_CLOCKS && id < GLOBAL_CLOCKS;
}

static struct pf_clock *pftrace_clock_find(struct pf_clocks *clocks, uint64_t sequence, uint64_t id)
{
	for (size_t i = clocks->count; i-- > 0;)
		if (clocks->items[i].sequence == sequence && clocks->items[i].id == id)
			return &clocks->items[i];
	if (clocks->count == CLOCKS_MAX)
		return &clocks->items[CLOCKS_MAX - 1];
	mem_grow(clocks->items, clocks->count + 1);
	clocks->items[clocks->count] =
		(struct pf_clock){ .sequence = sequence, .id = id, .unit = 1 };
	return &clocks->items[clocks->count++];
}

/* A clock of a snapshot: 1 id, 2 timestamp, 3 incremental, 4 unit in ns. */
struct pftrace_clock_reading {
	uint64_t id, incremental;
	int64_t time, unit;
};

static struct pftrace_clock_reading read_clock(struct proto clock)
{
	struct pftrace_clock_reading reading = { .unit = 1 };
	for (struct proto_field field; proto_next(&clock, &field);) {
		if (field.number == 1)
			proto_unsigned(&field, &reading.id);
		else if (field.number == 2)
			proto_signed(&field, &reading.time);
		else if (field.number == 3)
			proto_unsigned(&field, &reading.incremental);
		else if (field.number == 4)
			proto_signed(&field, &reading.unit);
	}
	if (reading.unit < 1 || reading.unit > 1000000000)
		reading.unit = 1;
	return reading;
}

/* The time of the trace's clock in a snapshot: of the time since boot, else of any other. */
static int64_t trace_time(struct proto snapshot)
{
	enum { BOOT = 6 };
	int64_t time = 0;
	bool found = false;
	for (struct proto_field field; proto_next(&snapshot, &field);) {
		struct pftrace_clock_reading reading = read_clock(proto_in(&field));
		if (field.number != 1 || is_of_sequence(reading.id))
			continue;
		if (!found || reading.id == BOOT)
			time = reading.time;
		found = true;
		if (reading.id == BOOT)
			break;
	}
	return time;
}

void pf_clocks_read(struct pf_clocks *clocks, struct proto snapshot, uint64_t sequence)
{
	int64_t since = trace_time(snapshot);
	for (struct proto_field field; proto_next(&snapshot, &field);) {
		struct pftrace_clock_reading reading = read_clock(proto_in(&field));
		if (field.number != 1 || !is_of_sequence(reading.id))
			continue;
		struct pf_clock *clock = pftrace_clock_find(clocks, sequence, reading.id);
		clock->incremental = reading.incremental != 0;
		clock->unit = reading.unit;
		clock->base = clock->last = reading.time;
		clock->since = since;
	}
}

void pf_clocks_choose(struct pf_clocks *clocks, uint64_t sequence, uint64_t id)
{
	const struct pf_clock *clock = pftrace_clock_find(clocks, sequence, id);
	hash_add(clocks->defaults, sequence, (uint32_t)(clock - clocks->items));
}

bool pf_clocks_time(struct pf_clocks *clocks, uint64_t sequence, uint64_t id, int64_t *time)
{
	uint32_t at = id ? NO_ROW : hash_last(clocks->defaults, sequence);
	struct pf_clock *clock = at != NO_ROW         ? &clocks->items[at]
				 : is_of_sequence(id) ? pftrace_clock_find(clocks, sequence, id)
						      : NULL;
	if (!clock || !is_of_sequence(clock->id))
		return true;
	int64_t ticks = *time;
	if (clock->incremental && __builtin_add_overflow(clock->last, ticks, &ticks))
		return false;
	clock->last = ticks;
	return !__builtin_sub_overflow(ticks, clock->base, &ticks) &&
	       !__builtin_mul_overflow(ticks, clock->unit, &ticks) &&
	       !__builtin_add_overflow(ticks, clock->since, time);
}
