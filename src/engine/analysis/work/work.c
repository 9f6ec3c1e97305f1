#include "analysis/work/work.h"

#include "analysis/work/measured.h"
#include "base/keyed.h"
#include "derived/derived.h"
#include "derived/derived_cache.h"
#include "model/recording.h"

#include <math.h>

enum { AROUND_MAX = 3 }; /* wrappers per operator: addmm in linear, _convolution in conv2d */

/* Memoization: each distinct call is estimated once. */
struct work_key {
	uint32_t name, shapes, types, concrete, gradient, kernel, backward;
};
static_assert(sizeof(struct work_key) == 7 * sizeof(uint32_t), "a key has no padding");

struct work_answer {
	struct work_key key;
	bool known;
	struct work work;
};

enum { RECENT = 4096 }; /* a power of two */

static const char stage[] = "counting FLOPs";

/* Of a call, while work is counted. */
struct work_place {
	uint32_t around; /* index of the nearest call around it, NO_ROW */
	uint32_t answer; /* its work, with that of all calls inside */
};

struct counting {
	const struct derived *derived;
	struct work_counts *counts;
	struct work_place *places; /* by call */
	double *copied;            /* by call: bytes its copies of recorded size move; NULL: none */
	struct keyed keys;
	struct work_answer *answers; /* by key */
	uint32_t recent[RECENT];     /* direct-mapped cache: last answer per slot, NO_ROW */
	uint32_t *answer_of;         /* by span: its answer; NO_ROW */
	uint8_t *inside;             /* by span: has a known call in it */
	uint32_t *first_kernel;      /* by span: name of the first kernel it launches, 0 */
	uint8_t *has_list;           /* by string: types with a list of tensors; 0 not looked up */
	size_t links_after;          /* the first link whose forward end is not before the span */
	size_t links_before;         /* the first one whose backward end is not before it */
	size_t known;                /* spans with an answer */
};

static void compute(const struct profile *profile, const struct work_key *key,
		    struct work_answer *answer)
{
	const struct work_call call = {
		.name = profile_string(profile, key->name),
		.shapes = profile_string(profile, key->shapes),
		.types = profile_string(profile, key->types),
		.concrete = profile_string(profile, key->concrete),
		.gradient = profile_string(profile, key->gradient),
		.backward = key->backward,
		.kernel = profile_string(profile, key->kernel),
	};
	answer->key = *key;
	answer->known = work_of_call(&call, &answer->work);
}

/* Most calls are among a few thousand distinct ones: check the cache first. */
static uint32_t find_answer(struct counting *counting, const struct work_key *wanted)
{
	uint64_t mixed = wanted->name * 0x9e3779b97f4a7c15u + wanted->shapes;
	mixed = mixed * 0x9e3779b97f4a7c15u + wanted->gradient + wanted->concrete + wanted->kernel;
	uint32_t *recent = &counting->recent[mixed >> 32 & (RECENT - 1)];
	if (*recent != NO_ROW && !memcmp(&counting->answers[*recent].key, wanted, sizeof *wanted))
		return *recent;
	uint32_t before = counting->keys.count;
	struct work_answer *answer = keyed_item(&counting->keys, counting->answers, wanted);
	if (counting->keys.count > before)
		compute(counting->derived->profile, wanted, answer);
	return *recent = (uint32_t)(answer - counting->answers);
}

/* The first link in a span's subtree. Spans must be queried in descending order. */
static const struct link *next_link(struct counting *counting, uint32_t span)
{
	const struct link_table *table = &counting->derived->links;
	size_t *after = &counting->links_after;
	while (*after && table->by_forward[*after - 1].forward >= span)
		--*after;
	const struct link *link = &table->by_forward[*after];
	uint32_t end = span + counting->derived->profile->span_size[span];
	return *after < table->count && link->forward < end ? link : NULL;
}

/*
 * The shapes of the linked backward call, the output's gradient first. Gradient queries (BACKWARD)
 * may be in any order.
 */
static uint32_t gradient_shapes(struct counting *counting, uint32_t span, bool backward)
{
	const struct derived *derived = counting->derived;
	uint32_t count;
	const struct link *link =
		backward ? links_of(derived, span, true, &count) : next_link(counting, span);
	if (!link || (backward && !count))
		return 0;
	const struct op_info *info = profile_op_info(derived->profile, link->backward);
	return info ? info->shapes : 0;
}

/*
 * Kineto records no type for a list of tensors. A kernel's name has it: of the first one that the
 * call launches.
 */
static uint32_t kernel_with_type(struct counting *counting, uint32_t span, uint32_t types)
{
	enum { NO = 1, YES };
	uint8_t *has_list = &counting->has_list[types];
	if (!*has_list)
		*has_list = strstr(profile_string(counting->derived->profile, types), "TensorList")
				    ? YES
				    : NO;
	return *has_list == YES ? counting->first_kernel[span] : 0;
}

/* The answer for a call, if known; else NO_ROW. */
static uint32_t count_as(struct counting *counting, uint32_t span, bool backward)
{
	const struct profile *profile = counting->derived->profile;
	const struct op_info *info = profile_op_info(profile, span);
	if (!info || !info->shapes)
		return NO_ROW;
	const struct work_key wanted = {
		.name = profile->span_name[span],
		.shapes = info->shapes,
		.types = info->types,
		.concrete = info->concrete,
		.backward = backward,
		.gradient = info->concrete ? 0 : gradient_shapes(counting, span, backward),
		.kernel = backward ? 0 : kernel_with_type(counting, span, info->types),
	};
	uint32_t answer = find_answer(counting, &wanted);
	return counting->answers[answer].known ? answer : NO_ROW;
}

/*
 * As the gradient of its forward operator, whose arguments may be recorded on an enclosing one.
 * Spans come in order.
 */
static uint32_t count_gradient(struct counting *counting, uint32_t span)
{
	const struct derived *derived = counting->derived;
	const struct link *links = derived->links.by_backward;
	size_t *at = &counting->links_before;
	while (*at < derived->links.count && links[*at].backward < span)
		++*at;
	if (*at == derived->links.count || links[*at].backward != span)
		return NO_ROW;
	uint32_t forward = links[*at].forward, answer = NO_ROW;
	for (int up = 0; up < AROUND_MAX && forward != NO_ROW && answer == NO_ROW; up++) {
		answer = count_as(counting, forward, true);
		forward = derived->span_owner[forward];
	}
	return answer;
}

/*
 * Operators count by their own arguments. Backward functions count by their forward operators, but
 * only if nothing inside has recorded arguments, which would count twice.
 */
static bool find_answers(struct counting *counting, const struct progress *progress)
{
	const struct derived *derived = counting->derived;
	uint32_t spans = derived->profile->spans;
	for (uint32_t i = spans; i-- > 0;) {
		uint32_t owner = derived->span_owner[i];
		counting->answer_of[i] = derived->span_flags[i] & SPAN_IS_OPERATOR
						 ? count_as(counting, i, false)
						 : NO_ROW;
		counting->known += counting->answer_of[i] != NO_ROW;
		if (owner != NO_ROW)
			counting->inside[owner] |=
				counting->answer_of[i] != NO_ROW || counting->inside[i];
		if (!progress_row(progress, stage, spans - i, spans))
			return false;
	}
	return true;
}

/*
 * List the calls with known work. Spans inside one map to the nearest: answer_of then holds its
 * index.
 */
static bool list_calls(struct counting *counting, const struct progress *progress)
{
	const struct derived *derived = counting->derived;
	struct work_counts *counts = counting->counts;
	uint32_t spans = derived->profile->spans, *call_of = counting->answer_of;
	size_t most = counting->known + derived->links.count + 1; /* gradients have links */
	counts->calls = mem_alloc(most * sizeof *counts->calls);
	counting->places = mem_alloc(most * sizeof *counting->places);
	bool ok = true;
	for_rows (ok, i, spans, progress, stage) {
		uint32_t owner = derived->span_owner[i], answer = counting->answer_of[i];
		uint32_t around = owner == NO_ROW ? NO_ROW : call_of[owner];
		if (answer == NO_ROW && !counting->inside[i] &&
		    derived->span_flags[i] & SPAN_IS_OPERATOR)
			answer = count_gradient(counting, i);
		call_of[i] = around;
		if (answer == NO_ROW)
			continue;
		call_of[i] = counts->count;
		counting->places[counts->count] = (struct work_place){ around, answer };
		counts->calls[counts->count++] = (struct counted_call){ .span = i, .counts = true };
	}
	counts->calls =
		mem_realloc(counts->calls, (size_t)counts->count + 1, sizeof *counts->calls);
	return ok;
}

/* Bytes that a copy of recorded size reads and writes, or a set writes; NaN: estimate them. */
static double bytes_recorded(const struct profile *profile, uint32_t activity)
{
	uint8_t kind = profile->activity_kind[activity];
	int64_t bytes = profile->activity_bytes[activity];
	if (bytes == NO_VALUE || bytes < 0 || kind == ACTIVITY_KERNEL)
		return NAN;
	return (double)bytes * (kind == ACTIVITY_MEMCPY ? 2 : 1);
}

/* Copies and sets of unknown size share what a call moves, never what it computes. */
static bool shares_work(const struct counting *counting, uint32_t at, enum activity_kind kind)
{
	const struct work *work = &counting->answers[counting->places[at].answer].work;
	return kind == ACTIVITY_KERNEL || (kind != ACTIVITY_SYNC && work->flops == 0);
}

static bool share_among_activities(struct counting *counting, const struct progress *progress)
{
	const struct profile *profile = counting->derived->profile;
	struct work_counts *counts = counting->counts;
	counts->call_of = mem_alloc(((size_t)profile->activities + 1) * sizeof *counts->call_of);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t owner = counting->derived->activity_operator[i];
		uint32_t at = owner == NO_ROW ? NO_ROW : counting->answer_of[owner];
		double recorded = bytes_recorded(profile, i);
		if (at != NO_ROW && isnan(recorded) &&
		    !shares_work(counting, at, profile->activity_kind[i]))
			at = NO_ROW;
		counts->call_of[i] = isnan(recorded) ? at : NO_ROW;
		if (at == NO_ROW)
			continue;
		struct counted_call *call = &counts->calls[at];
		if (isnan(recorded)) {
			call->share_ns += profile->activity_dur[i];
			call->sharers++;
			continue;
		}
		if (!counting->copied)
			counting->copied =
				mem_zalloc((size_t)counts->count + 1, sizeof *counting->copied);
		counting->copied[at] += recorded;
	}
	return ok;
}

/*
 * WORK without what calls inside it did; NaN where they leave nothing or an unknown part. Little
 * work inside (a bias, a cast) comes on top.
 */
static struct work work_left(struct work work, struct work inside, double copied)
{
	struct work left = work;
	bool whole = !(inside.flops > work.flops / 10);
	left.bytes -= copied + (work.flops > 0 ? 0 : inside.bytes);
	if (!whole)
		left.flops -= inside.flops;
	if (!whole && !(left.flops >= 1)) /* less is rounding */
		left.flops = NAN;
	if (!whole || (left.bytes <= 0 && left.bytes < work.bytes))
		left.bytes = NAN;
	return left;
}

/* Each call's own work; calls inside come later, and add their work to it before. */
static bool leave_rest(struct counting *counting, const struct progress *progress)
{
	struct work_counts *counts = counting->counts;
	bool ok = true;
	for (uint32_t i = counts->count; i-- > 0 && ok;) {
		struct counted_call *call = &counts->calls[i];
		struct work_place place = counting->places[i];
		struct work inside = call->own;
		double copied = counting->copied ? counting->copied[i] : 0;
		/* recorded copies are the work of their calls, with or without kernels */
		call->counts =
			counts->on_device ? call->sharers > 0 : call->counts && !(copied > 0);
		call->own = call->counts ? work_left(counting->answers[place.answer].work, inside,
						     copied)
					 : (struct work){ NAN, NAN };
		if (place.around != NO_ROW) {
			struct counted_call *outer = &counts->calls[place.around];
			outer->own.flops +=
				inside.flops + (isnan(call->own.flops) ? 0 : call->own.flops);
			outer->own.bytes += inside.bytes + copied +
					    (isnan(call->own.bytes) ? 0 : call->own.bytes);
			outer->counts = false; /* unless on a device */
		}
		ok = progress_row(progress, stage, counts->count - i, counts->count);
	}
	return ok;
}

/* Note the first kernel of each span, for the types of lists. */
static bool find_kernels(struct counting *counting, const struct progress *progress)
{
	const struct profile *profile = counting->derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t owner = counting->derived->activity_operator[i];
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && owner != NO_ROW &&
		    !counting->first_kernel[owner])
			counting->first_kernel[owner] = profile->activity_name[i];
	}
	return ok;
}

/* Estimate the calls and share their work among activities. */
static bool find_calls(struct work_counts *counts, const struct derived *derived,
		       const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	size_t spans = (size_t)profile->spans + 1;
	struct counting counting = {
		.derived = derived,
		.counts = counts,
		.links_after = derived->links.count,
		.answer_of = mem_alloc(spans * sizeof *counting.answer_of),
		.inside = mem_cleared(spans, 1),
		.first_kernel = mem_cleared(spans, sizeof *counting.first_kernel),
		.has_list = mem_zalloc(intern_count(profile->strings), 1),
	};
	memset(counting.recent, 0xff, sizeof counting.recent);
	bool done = find_kernels(&counting, progress) && find_answers(&counting, progress);
	mem_free(counting.first_kernel);
	done = done && list_calls(&counting, progress);
	keyed_clear(&counting.keys);
	mem_free_all(counting.inside, counting.has_list);
	done = done && share_among_activities(&counting, progress);
	mem_free(counting.answer_of);
	done = done && leave_rest(&counting, progress);
	mem_free_all(counting.answers, counting.places, counting.copied);
	return done;
}

static void free_counts(void *made)
{
	AUTO_FREE struct work_counts *counts = made;
	mem_free_all(counts->calls, counts->call_of, counts->measured);
}

static void *count_work(const void *from, const struct progress *progress)
{
	const struct derived *derived = from;
	const struct profile *profile = derived->profile;
	size_t activities = profile->activities;
	struct work_counts *counts = mem_zalloc(1, sizeof *counts);
	counts->on_device =
		activities && memchr(profile->activity_kind, ACTIVITY_KERNEL, activities);
	return keep_if(measured_work(profile, progress, &counts->measured) &&
			       (!profile_has_recorded(profile, RECORDED_SHAPES) ||
				find_calls(counts, derived, progress)),
		       counts, free_counts);
}

const struct work_counts *derived_work(const struct derived *derived,
				       const struct progress *progress)
{
	static const struct derived_slot slot = { count_work, free_counts };
	return derived_cache_get(derived, &slot, derived, progress);
}

bool work_is_measured(const struct work_counts *counts, uint32_t activity)
{
	const struct work *measured = counts->measured ? &counts->measured[activity] : NULL;
	return measured && (!isnan(measured->flops) || !isnan(measured->bytes));
}

bool work_is_estimate(const struct work_counts *counts, uint32_t activity)
{
	return work_call_of(counts, activity) != NO_ROW &&
	       !(counts->measured && !isnan(counts->measured[activity].bytes));
}

static struct work estimate(const struct work_counts *counts, const struct profile *profile,
			    uint32_t activity)
{
	uint32_t at = work_call_of(counts, activity);
	if (at == NO_ROW)
		return (struct work){ NAN, bytes_recorded(profile, activity) };
	const struct counted_call *call = &counts->calls[at];
	double share = call->share_ns
			       ? (double)profile->activity_dur[activity] / (double)call->share_ns
			       : 1.0 / call->sharers;
	return (struct work){ call->own.flops * share, call->own.bytes * share };
}

struct work work_of_activity(const struct work_counts *counts, const struct profile *profile,
			     uint32_t activity)
{
	struct work work = estimate(counts, profile, activity);
	if (!counts->measured)
		return work;
	const struct work *measured = &counts->measured[activity];
	return (struct work){ isnan(measured->flops) ? work.flops : measured->flops,
			      isnan(measured->bytes) ? work.bytes : measured->bytes };
}
