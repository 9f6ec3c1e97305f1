#include "analysis/work/work.h"

#include "facts/facts.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

enum { AROUND_MAX = 3 }; /* wrappers per operator: addmm in linear, _convolution in conv2d */

/* Memoization: each distinct call is estimated once. */
struct answer {
	uint32_t name, shapes, types, concrete, gradient;
	bool backward, known;
	struct work work;
};

enum { RECENT = 4096 }; /* a power of two */

static const char stage[] = "counting FLOPs";

struct counting {
	const struct facts *facts;
	struct work_counts *counts;
	struct answer *answers;
	size_t count, capacity;
	struct hash *by_call;
	uint32_t recent[RECENT]; /* direct-mapped cache: last answer per slot, NO_ROW */
	uint32_t *answer_of;     /* by span: its answer; NO_ROW */
	uint8_t *inside;         /* by span: has a known call in it */
	size_t links_after;      /* the first link whose forward end is not before the span */
	size_t call_capacity;
};

static bool same_call(const struct answer *a, const struct answer *b)
{
	return a->name == b->name && a->shapes == b->shapes && a->types == b->types &&
	       a->concrete == b->concrete && a->gradient == b->gradient &&
	       a->backward == b->backward;
}

static void compute(const struct profile *profile, struct answer *answer)
{
	const struct work_call call = {
		.name = profile_string(profile, answer->name),
		.shapes = profile_string(profile, answer->shapes),
		.types = profile_string(profile, answer->types),
		.concrete = profile_string(profile, answer->concrete),
		.gradient = profile_string(profile, answer->gradient),
		.backward = answer->backward,
	};
	answer->known = work_of_call(&call, &answer->work);
}

static uint32_t add_answer(struct counting *counting, const struct answer *wanted, uint64_t key)
{
	size_t cursor;
	for (uint32_t at = hash_find(counting->by_call, key, &cursor); at != NO_ROW;
	     at = hash_next(counting->by_call, &cursor))
		if (same_call(&counting->answers[at], wanted))
			return at;
	mem_grow(counting->answers, counting->capacity, counting->count + 1);
	struct answer *answer = &counting->answers[counting->count];
	*answer = *wanted;
	compute(counting->facts->profile, answer);
	hash_add(counting->by_call, key, (uint32_t)counting->count);
	return (uint32_t)counting->count++;
}

/* Most calls are among a few thousand distinct ones: check the cache first. */
static uint32_t find_answer(struct counting *counting, const struct answer *wanted)
{
	uint64_t mixed = wanted->name * 0x9e3779b97f4a7c15u + wanted->shapes;
	mixed = mixed * 0x9e3779b97f4a7c15u + wanted->gradient + wanted->concrete;
	uint32_t *recent = &counting->recent[mixed >> 32 & (RECENT - 1)];
	if (*recent != NO_ROW && same_call(&counting->answers[*recent], wanted))
		return *recent;
	uint64_t key = hash_pair(hash_pair(wanted->name, wanted->shapes),
				 hash_pair(hash_pair(wanted->types, wanted->concrete),
					   (uint64_t)wanted->gradient << 1 | wanted->backward));
	return *recent = add_answer(counting, wanted, key);
}

/* The first link in a span's subtree. Spans must be queried in descending order. */
static const struct link *next_link(struct counting *counting, uint32_t span)
{
	const struct link_table *table = &counting->facts->links;
	size_t *after = &counting->links_after;
	while (*after && table->by_forward[*after - 1].forward >= span)
		--*after;
	const struct link *link = &table->by_forward[*after];
	uint32_t end = span + counting->facts->profile->span_size[span];
	return *after < table->count && link->forward < end ? link : NULL;
}

/*
 * The shapes of the linked backward call, the output's gradient first. Gradient queries (BACKWARD)
 * may be in any order.
 */
static uint32_t gradient_shapes(struct counting *counting, uint32_t span, bool backward)
{
	const struct facts *facts = counting->facts;
	uint32_t count;
	const struct link *link =
		backward ? links_of(facts, span, true, &count) : next_link(counting, span);
	if (!link || (backward && !count))
		return 0;
	const struct op_info *info = profile_op_info(facts->profile, link->backward);
	return info ? info->shapes : 0;
}

/* The answer for a call, if known; else NO_ROW. */
static uint32_t count_as(struct counting *counting, uint32_t span, bool backward)
{
	const struct profile *profile = counting->facts->profile;
	const struct op_info *info = profile_op_info(profile, span);
	if (!info || !info->shapes)
		return NO_ROW;
	struct answer wanted = {
		.name = profile->span_name[span],
		.shapes = info->shapes,
		.types = info->types,
		.concrete = info->concrete,
		.backward = backward,
		.gradient = info->concrete ? 0 : gradient_shapes(counting, span, backward),
	};
	uint32_t answer = find_answer(counting, &wanted);
	return counting->answers[answer].known ? answer : NO_ROW;
}

/* As the gradient of its forward operator, whose arguments may be recorded on an enclosing one. */
static uint32_t count_gradient(struct counting *counting, uint32_t span)
{
	const struct facts *facts = counting->facts;
	uint32_t count;
	const struct link *links = links_of(facts, span, false, &count);
	if (!count || links->backward != span)
		return NO_ROW;
	uint32_t forward = links->forward, answer = NO_ROW;
	for (int up = 0; up < AROUND_MAX && forward != NO_ROW && answer == NO_ROW; up++) {
		answer = count_as(counting, forward, true);
		forward = facts->span_owner[forward];
	}
	return answer;
}

/*
 * Operators count by their own arguments. Backward functions count by their forward operators, but
 * only if nothing inside has recorded arguments, which would count twice.
 */
static bool find_answers(struct counting *counting, const struct progress *progress)
{
	const struct facts *facts = counting->facts;
	uint32_t spans = facts->profile->spans;
	for (uint32_t i = spans; i-- > 0;) {
		uint32_t owner = facts->span_owner[i];
		counting->answer_of[i] = facts->span_flags[i] & SPAN_IS_OPERATOR
						 ? count_as(counting, i, false)
						 : NO_ROW;
		if (owner != NO_ROW)
			counting->inside[owner] |=
				counting->answer_of[i] != NO_ROW || counting->inside[i];
		if (!progress_row(progress, stage, spans - i, spans))
			return false;
	}
	return true;
}

static void add_call(struct counting *counting, uint32_t span, uint32_t answer)
{
	struct work_counts *counts = counting->counts;
	mem_grow(counts->calls, counting->call_capacity, (size_t)counts->count + 1);
	counts->calls[counts->count++] = (struct counted_call){
		.span = span, .work = counting->answers[answer].work, .counts = true
	};
}

/*
 * List the calls with known work. Spans inside one map to the nearest: answer_of then holds its
 * index. Without a device only innermost calls count.
 */
static bool list_calls(struct counting *counting, bool on_device, const struct progress *progress)
{
	const struct facts *facts = counting->facts;
	struct work_counts *counts = counting->counts;
	uint32_t spans = facts->profile->spans, *call_of = counting->answer_of;
	for (uint32_t i = 0; i < spans; i++) {
		if (!progress_row(progress, stage, i, spans))
			return false;
		uint32_t owner = facts->span_owner[i], answer = counting->answer_of[i];
		uint32_t around = owner == NO_ROW ? NO_ROW : call_of[owner];
		if (answer == NO_ROW && !counting->inside[i] &&
		    facts->span_flags[i] & SPAN_IS_OPERATOR)
			answer = count_gradient(counting, i);
		counts->calls_before[i] = counts->count;
		call_of[i] = around;
		if (answer == NO_ROW)
			continue;
		if (around != NO_ROW && !on_device)
			counts->calls[around].counts = false;
		call_of[i] = counts->count;
		add_call(counting, i, answer);
	}
	counts->calls_before[spans] = counts->count;
	return true;
}

static bool share_among_kernels(struct counting *counting, const struct progress *progress)
{
	const struct profile *profile = counting->facts->profile;
	struct work_counts *counts = counting->counts;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		uint32_t owner = counting->facts->activity_operator[i];
		uint32_t at = owner == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL
				      ? NO_ROW
				      : counting->answer_of[owner];
		counts->call_of[i] = at;
		if (at == NO_ROW)
			continue;
		counts->calls[at].kernel_ns += profile->activity_dur[i];
		counts->calls[at].kernels++;
	}
	return true;
}

static bool has_kernels(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			return true;
	return false;
}

static bool add_up(struct work_counts *counts, bool on_device, const struct progress *progress)
{
	size_t size = (size_t)counts->count + 1;
	counts->flops_prefix = mem_zalloc(size, sizeof(double));
	counts->bytes_prefix = mem_zalloc(size, sizeof(double));
	counts->counts_prefix = mem_zalloc(size, sizeof(uint32_t));
	for (uint32_t i = 0; i < counts->count; i++) {
		struct counted_call *call = &counts->calls[i];
		if (!progress_row(progress, stage, i, counts->count))
			return false;
		if (on_device)
			call->counts = call->kernels > 0;
		struct work own = call->counts ? call->work : (struct work){ 0, 0 };
		counts->flops_prefix[i + 1] = counts->flops_prefix[i] + own.flops;
		counts->bytes_prefix[i + 1] =
			counts->bytes_prefix[i] + (isnan(own.bytes) ? 0 : own.bytes);
		counts->counts_prefix[i + 1] = counts->counts_prefix[i] + call->counts;
	}
	return true;
}

struct work_counts *work_count(const struct facts *facts, const struct progress *progress)
{
	size_t spans = (size_t)facts->profile->spans + 1;
	bool on_device = has_kernels(facts->profile);
	struct work_counts *counts = mem_zalloc(1, sizeof *counts);
	struct counting counting = {
		.facts = facts,
		.counts = counts,
		.by_call = hash_new(256),
		.links_after = facts->links.count,
		.answer_of = mem_alloc(spans * sizeof *counting.answer_of),
		.inside = mem_zalloc(spans, 1),
	};
	memset(counting.recent, 0xff, sizeof counting.recent);
	bool done = find_answers(&counting, progress);
	if (done) {
		counts->calls_before = mem_alloc(spans * sizeof *counts->calls_before);
		counts->call_of = mem_alloc(((size_t)facts->profile->activities + 1) *
					    sizeof *counts->call_of);
		done = list_calls(&counting, on_device, progress) &&
		       share_among_kernels(&counting, progress) &&
		       add_up(counts, on_device, progress);
	}
	hash_free(counting.by_call);
	mem_free(counting.answers);
	mem_free(counting.answer_of);
	mem_free(counting.inside);
	if (done)
		return counts;
	work_free(counts);
	return NULL;
}

void work_free(struct work_counts *counts)
{
	if (!counts)
		return;
	mem_free(counts->calls);
	mem_free(counts->call_of);
	mem_free(counts->calls_before);
	mem_free(counts->flops_prefix);
	mem_free(counts->bytes_prefix);
	mem_free(counts->counts_prefix);
	mem_free(counts);
}

struct work work_of_activity(const struct work_counts *counts, const struct profile *profile,
			     uint32_t activity)
{
	if (counts->call_of[activity] == NO_ROW)
		return (struct work){ NAN, NAN };
	const struct counted_call *call = &counts->calls[counts->call_of[activity]];
	double share = call->kernel_ns
			       ? (double)profile->activity_dur[activity] / (double)call->kernel_ns
			       : 1.0 / call->kernels;
	return (struct work){ call->work.flops * share, call->work.bytes * share };
}

bool work_of_spans(const struct work_counts *counts, uint32_t first, uint32_t size,
		   struct work *sum)
{
	uint32_t from = counts->calls_before[first], to = counts->calls_before[first + size];
	sum->flops = counts->flops_prefix[to] - counts->flops_prefix[from];
	sum->bytes = counts->bytes_prefix[to] - counts->bytes_prefix[from];
	return counts->counts_prefix[to] > counts->counts_prefix[from];
}
