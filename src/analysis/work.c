#include "analysis/work.h"

#include "analysis/facts.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

enum { AROUND_MOST = 3 }; /* wrappers of one operator: addmm in linear, _convolution in conv2d */

/* Calls repeat: each distinct one is counted once. */
struct answer {
	uint32_t name, shapes, types, concrete, gradient;
	bool backward, known;
	struct work work;
};

struct counting {
	const struct facts *facts;
	struct work_counts *counts;
	struct answer *answers;
	size_t count, capacity;
	struct hash *by_call;
	uint32_t *counter;  /* by span: where what happens in it counts, NO_ROW */
	struct work *whole; /* by span: the work of the call, where it is known */
	int64_t *kernel_ns; /* by span: of the kernels that count there */
	uint32_t *kernels;
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

static const struct answer *find_answer(struct counting *counting, const struct answer *wanted)
{
	uint64_t key = hash_pair(hash_pair(wanted->name, wanted->shapes),
				 hash_pair(hash_pair(wanted->types, wanted->concrete),
					   (uint64_t)wanted->gradient << 1 | wanted->backward));
	size_t cursor;
	for (uint32_t at = hash_find(counting->by_call, key, &cursor); at != NO_ROW;
	     at = hash_next(counting->by_call, &cursor))
		if (same_call(&counting->answers[at], wanted))
			return &counting->answers[at];
	mem_grow(counting->answers, counting->capacity, counting->count + 1);
	struct answer *answer = &counting->answers[counting->count];
	*answer = *wanted;
	compute(counting->facts->profile, answer);
	hash_add(counting->by_call, key, (uint32_t)counting->count++);
	return answer;
}

/* The shapes that a linked backward call was given, of which the first is the output's gradient. */
static uint32_t gradient_shapes(const struct facts *facts, uint32_t span)
{
	uint32_t count;
	const struct link *links = links_of(facts, span, true, &count);
	const struct op_info *info =
		count ? profile_op_info(facts->profile, links->backward) : NULL;
	return info ? info->shapes : 0;
}

static bool count_as(struct counting *counting, uint32_t span, bool backward, struct work *work)
{
	const struct profile *profile = counting->facts->profile;
	const struct op_info *info = profile_op_info(profile, span);
	if (!info || !info->shapes)
		return false;
	struct answer wanted = {
		.name = profile->span_name[span],
		.shapes = info->shapes,
		.types = info->types,
		.concrete = info->concrete,
		.backward = backward,
		.gradient = info->concrete ? 0 : gradient_shapes(counting->facts, span),
	};
	const struct answer *answer = find_answer(counting, &wanted);
	*work = answer->work;
	return answer->known;
}

/*
 * As the gradient of the forward operator it is linked to, whose arguments may have been recorded around
 * it.
 */
static bool count_gradient(struct counting *counting, uint32_t span, struct work *work)
{
	const struct facts *facts = counting->facts;
	uint32_t count;
	const struct link *links = links_of(facts, span, false, &count);
	if (!count || links->backward != span)
		return false;
	uint32_t forward = links->forward;
	for (int up = 0; up < AROUND_MOST && forward != NO_ROW; up++) {
		if (count_as(counting, forward, true, work))
			return true;
		forward = facts->span_owner[forward];
	}
	return false;
}

/*
 * Operators count by their own arguments.  Backward functions in which none does (their arguments were
 * not recorded) count by their forward operators: what is inside them would count twice otherwise.
 */
static void find_counters(struct counting *counting)
{
	const struct facts *facts = counting->facts;
	uint32_t spans = facts->profile->spans;
	uint8_t *inside = mem_zalloc((size_t)spans + 1, 1);
	uint8_t *known = mem_zalloc((size_t)spans + 1, 1);
	for (uint32_t i = spans; i-- > 0;) {
		uint32_t owner = facts->span_owner[i];
		known[i] = facts->span_flags[i] & SPAN_IS_OPERATOR &&
			   count_as(counting, i, false, &counting->whole[i]);
		if (owner != NO_ROW)
			inside[owner] |= known[i] | inside[i];
	}
	for (uint32_t i = 0; i < spans; i++) {
		uint32_t owner = facts->span_owner[i];
		if (!known[i] && !inside[i] && facts->span_flags[i] & SPAN_IS_OPERATOR)
			known[i] = count_gradient(counting, i, &counting->whole[i]);
		counting->counter[i] = known[i]		   ? i
				       : owner != NO_ROW ? counting->counter[owner]
							   : NO_ROW;
	}
	mem_free(inside);
	mem_free(known);
}

static void sum_kernels(struct counting *counting)
{
	const struct profile *profile = counting->facts->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t owner = counting->facts->activity_operator[i];
		uint32_t at = owner == NO_ROW ? NO_ROW : counting->counter[owner];
		if (at == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		counting->kernel_ns[at] += profile->activity_dur[i];
		counting->kernels[at]++;
	}
}

static void share_among_kernels(struct counting *counting)
{
	const struct profile *profile = counting->facts->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		struct work *work = &counting->counts->activity[i];
		uint32_t owner = counting->facts->activity_operator[i];
		uint32_t at = owner == NO_ROW ? NO_ROW : counting->counter[owner];
		*work = (struct work) { NAN, NAN };
		if (at == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		double share = counting->kernel_ns[at] ? (double)profile->activity_dur[i] /
								 (double)counting->kernel_ns[at]
						       : 1.0 / counting->kernels[at];
		work->flops = counting->whole[at].flops * share;
		work->bytes = counting->whole[at].bytes * share;
	}
}

static bool has_kernels(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			return true;
	return false;
}

/* Where nothing runs on a device, the innermost known operators count. */
static void sum_spans(struct counting *counting)
{
	struct work_counts *counts = counting->counts;
	const struct profile *profile = counting->facts->profile;
	bool on_device = has_kernels(profile);
	uint8_t *inner = mem_zalloc((size_t)profile->spans + 1, 1);
	for (uint32_t i = profile->spans; i-- > 0;) {
		uint32_t owner = counting->facts->span_owner[i];
		bool known = counting->counter[i] == i;
		counts->known[i] = known && (on_device ? counting->kernels[i] > 0 : !inner[i]);
		if (owner != NO_ROW)
			inner[owner] |= inner[i] || known;
	}
	for (uint32_t i = 0; i < profile->spans; i++) {
		struct work own = counts->known[i] ? counting->whole[i] : (struct work) { 0, 0 };
		counts->span[i] = own;
		counts->flops_prefix[i + 1] = counts->flops_prefix[i] + own.flops;
		counts->bytes_prefix[i + 1] =
			counts->bytes_prefix[i] + (isnan(own.bytes) ? 0 : own.bytes);
		counts->known_prefix[i + 1] = counts->known_prefix[i] + counts->known[i];
	}
	mem_free(inner);
}

void work_count(struct work_counts *counts, const struct facts *facts)
{
	size_t spans = (size_t)facts->profile->spans + 1;
	*counts = (struct work_counts) {
		.activity = mem_alloc(((size_t)facts->profile->activities + 1) *
				      sizeof *counts->activity),
		.span = mem_alloc(spans * sizeof *counts->span),
		.flops_prefix = mem_zalloc(spans, sizeof(double)),
		.bytes_prefix = mem_zalloc(spans, sizeof(double)),
		.known = mem_zalloc(spans, 1),
		.known_prefix = mem_zalloc(spans, sizeof(uint32_t)),
	};
	struct counting counting = {
		.facts = facts,
		.counts = counts,
		.by_call = hash_new(256),
		.counter = mem_alloc(spans * sizeof *counting.counter),
		.whole = mem_alloc(spans * sizeof *counting.whole),
		.kernel_ns = mem_zalloc(spans, sizeof *counting.kernel_ns),
		.kernels = mem_zalloc(spans, sizeof *counting.kernels),
	};
	find_counters(&counting);
	sum_kernels(&counting);
	share_among_kernels(&counting);
	sum_spans(&counting);
	hash_free(counting.by_call);
	mem_free(counting.answers);
	mem_free(counting.counter);
	mem_free(counting.whole);
	mem_free(counting.kernel_ns);
	mem_free(counting.kernels);
}

void work_free(struct work_counts *counts)
{
	mem_free(counts->activity);
	mem_free(counts->span);
	mem_free(counts->flops_prefix);
	mem_free(counts->bytes_prefix);
	mem_free(counts->known);
	mem_free(counts->known_prefix);
}
