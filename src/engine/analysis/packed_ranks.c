#include "analysis/packed_ranks.h"

#include "analysis/rank_summary.h"
#include "base/intern.h"
#include "base/mem.h"

/* Differences wrap around, so that absent numbers (NO_VALUE) have one, too. */
static void add_difference(struct buffer *out, int64_t number, int64_t *before)
{
	packed_add_signed(out, (int64_t)((uint64_t)number - (uint64_t)*before));
	*before = number;
}

static int64_t take_difference(struct packed *packed, int64_t *before)
{
	*before = (int64_t)((uint64_t)*before + (uint64_t)packed_take_signed(packed));
	return *before;
}

struct packed_ranks_packing {
	struct intern *texts;
	const struct intern *strings;
	struct buffer *out;
};

static void add_string(const struct packed_ranks_packing *packing, uint32_t id)
{
	packed_add_text(packing->out, packing->texts, intern_text(packing->strings, id),
			intern_length(packing->strings, id));
}

static void pack_steps(const struct packed_ranks_packing *packing,
		       const struct rank_summary *summary)
{
	struct step_summary before = { 0 };
	packed_add(packing->out, summary->step_count);
	for (size_t i = 0; i < summary->step_count; i++) {
		const struct step_summary *step = &summary->steps[i];
		add_difference(packing->out, step->number, &before.number);
		packed_add(packing->out, step->partial);
		add_difference(packing->out, step->dur, &before.dur);
		add_difference(packing->out, step->computation, &before.computation);
		add_difference(packing->out, step->communication, &before.communication);
		add_difference(packing->out, step->overlap, &before.overlap);
		add_difference(packing->out, step->other, &before.other);
		add_difference(packing->out, step->idle, &before.idle);
	}
}

/* Times and their sums have no sign, and do not overflow in what adds them up. */
static bool packed_ranks_add_step(struct step_summary *sum, const struct step_summary *step)
{
	int64_t *const sums[] = { &sum->dur,     &sum->computation, &sum->communication,
				  &sum->overlap, &sum->other,       &sum->idle };
	const int64_t more[] = { step->dur,     step->computation, step->communication,
				 step->overlap, step->other,       step->idle };
	bool good = true;
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		good &= more[i] >= 0 && !__builtin_add_overflow(*sums[i], more[i], sums[i]);
	return good;
}

static void unpack_steps(struct rank_summary *summary, struct packed *packed)
{
	struct step_summary before = { 0 }, sum = { 0 };
	summary->step_count = packed_take_count(packed, 8);
	summary->steps = mem_zalloc(summary->step_count + 1, sizeof *summary->steps);
	for (size_t i = 0; i < summary->step_count; i++) {
		struct step_summary *step = &summary->steps[i];
		step->number = take_difference(packed, &before.number);
		step->partial = packed_take_below(packed, 2);
		step->dur = take_difference(packed, &before.dur);
		step->computation = take_difference(packed, &before.computation);
		step->communication = take_difference(packed, &before.communication);
		step->overlap = take_difference(packed, &before.overlap);
		step->other = take_difference(packed, &before.other);
		step->idle = take_difference(packed, &before.idle);
		packed->bad |= !packed_ranks_add_step(&sum, step);
	}
}

static void pack_collectives(const struct packed_ranks_packing *packing,
			     const struct rank_summary *summary)
{
	struct collective before = { 0 };
	packed_add(packing->out, summary->collective_count);
	for (size_t i = 0; i < summary->collective_count; i++) {
		const struct collective *collective = &summary->collectives[i];
		add_string(packing, collective->name);
		add_string(packing, collective->group);
		add_string(packing, collective->dtype);
		add_difference(packing->out, collective->sequence, &before.sequence);
		add_difference(packing->out, collective->bytes, &before.bytes);
		add_difference(packing->out, collective->group_size, &before.group_size);
		add_difference(packing->out, collective->step, &before.step);
		packed_add_signed(packing->out, collective->end - collective->start);
		add_difference(packing->out, collective->start, &before.start);
	}
}

/* They are sorted by start, and end where they start or later. */
static void unpack_collectives(struct rank_summary *summary, struct packed *packed,
			       const struct packed_texts *texts)
{
	struct collective before = { 0 };
	struct intern *strings = summary->strings;
	summary->collective_count = packed_take_count(packed, 9);
	summary->collectives =
		mem_zalloc(summary->collective_count + 1, sizeof *summary->collectives);
	for (size_t i = 0; i < summary->collective_count; i++) {
		struct collective *collective = &summary->collectives[i];
		int64_t earlier = before.start;
		collective->name = packed_take_text(packed, texts, strings);
		collective->group = packed_take_text(packed, texts, strings);
		collective->dtype = packed_take_text(packed, texts, strings);
		collective->sequence = take_difference(packed, &before.sequence);
		collective->bytes = take_difference(packed, &before.bytes);
		collective->group_size = take_difference(packed, &before.group_size);
		collective->step = take_difference(packed, &before.step);
		int64_t dur = packed_take_signed(packed);
		collective->start = take_difference(packed, &before.start);
		packed->bad |= (i && collective->start < earlier) || dur < 0 ||
			       __builtin_add_overflow(collective->start, dur, &collective->end);
	}
}

static void pack_slices(struct buffer *out, const struct rank_summary *summary)
{
	packed_add(out, summary->slice_count);
	for (size_t i = 0; i < summary->slice_count; i++) {
		packed_add(out, summary->slices[i].computation);
		packed_add(out, summary->slices[i].communication);
		packed_add(out, summary->slices[i].overlap);
		packed_add(out, summary->slices[i].busy);
	}
}

static uint16_t take_share(struct packed *packed)
{
	return (uint16_t)packed_take_below(packed, RANK_SLICE_WHOLE + 1);
}

static void unpack_slices(struct rank_summary *summary, struct packed *packed)
{
	summary->slice_count = packed_take_below(packed, RANK_SLICES + 1);
	summary->slices = mem_zalloc(summary->slice_count + 1, sizeof *summary->slices);
	for (size_t i = 0; i < summary->slice_count; i++) {
		summary->slices[i].computation = take_share(packed);
		summary->slices[i].communication = take_share(packed);
		summary->slices[i].overlap = take_share(packed);
		summary->slices[i].busy = take_share(packed);
	}
}

static void pack_flight(const struct packed_ranks_packing *packing, const struct flight *flight)
{
	struct flight_entry before = { 0 };
	packed_add(packing->out, flight->count);
	for (size_t i = 0; i < flight->count; i++) {
		const struct flight_entry *entry = &flight->entries[i];
		add_string(packing, entry->group);
		add_string(packing, entry->name);
		add_string(packing, entry->state);
		add_string(packing, entry->type);
		add_difference(packing->out, entry->sequence, &before.sequence);
		add_difference(packing->out, entry->transfer_sequence, &before.transfer_sequence);
		add_difference(packing->out, entry->created, &before.created);
		add_difference(packing->out, entry->started, &before.started);
		add_difference(packing->out, entry->completed, &before.completed);
		add_difference(packing->out, entry->elements, &before.elements);
		packed_add(packing->out, entry->pair);
	}
}

static void unpack_flight(struct rank_summary *summary, struct packed *packed,
			  const struct packed_texts *texts)
{
	struct flight *flight = &summary->flight;
	struct flight_entry before = { 0 };
	flight->capacity = flight->count = packed_take_count(packed, 11);
	flight->entries = flight->count ? mem_zalloc(flight->count, sizeof *flight->entries) : NULL;
	for (size_t i = 0; i < flight->count; i++) {
		struct flight_entry *entry = &flight->entries[i];
		entry->group = packed_take_text(packed, texts, summary->strings);
		entry->name = packed_take_text(packed, texts, summary->strings);
		entry->state = packed_take_text(packed, texts, summary->strings);
		entry->type = packed_take_text(packed, texts, summary->strings);
		entry->sequence = take_difference(packed, &before.sequence);
		entry->transfer_sequence = take_difference(packed, &before.transfer_sequence);
		entry->created = take_difference(packed, &before.created);
		entry->started = take_difference(packed, &before.started);
		entry->completed = take_difference(packed, &before.completed);
		entry->elements = take_difference(packed, &before.elements);
		entry->pair = packed_take_below(packed, 2);
	}
}

void rank_summary_pack(const struct rank_summary *summary, struct intern *texts, struct buffer *out)
{
	const struct packed_ranks_packing packing = { texts, summary->strings, out };
	add_string(&packing, summary->host);
	add_string(&packing, summary->device_name);
	packed_add_signed(out, summary->pid);
	packed_add_signed(out, summary->world_size);
	packed_add_signed(out, summary->device);
	packed_add_signed(out, summary->start);
	packed_add_signed(out, summary->end);
	packed_add(out, summary->damaged);
	pack_steps(&packing, summary);
	pack_collectives(&packing, summary);
	pack_flight(&packing, &summary->flight);
	pack_slices(out, summary);
}

struct rank_summary *rank_summary_unpack(struct packed *packed, const struct packed_texts *texts)
{
	struct rank_summary *summary = mem_zalloc(1, sizeof *summary);
	summary->strings = intern_new();
	summary->host = packed_take_text(packed, texts, summary->strings);
	summary->device_name = packed_take_text(packed, texts, summary->strings);
	summary->pid = packed_take_signed(packed);
	summary->world_size = packed_take_signed(packed);
	int64_t device = packed_take_signed(packed);
	packed->bad |= device < -1 || device > INT32_MAX;
	summary->device = (int32_t)device;
	summary->start = packed_take_signed(packed);
	summary->end = packed_take_signed(packed);
	summary->damaged = packed_take_below(packed, 2);
	unpack_steps(summary, packed);
	unpack_collectives(summary, packed, texts);
	unpack_flight(summary, packed, texts);
	unpack_slices(summary, packed);
	if (packed_ended(packed) && rank_slices_fit(summary))
		return summary;
	rank_summary_free(summary);
	return NULL;
}
