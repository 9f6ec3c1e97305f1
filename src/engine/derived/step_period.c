/*
 * Steps from the period of the sequence of kernels.
 *
 * The smallest period with which 95 % of the names repeat, at least six times and over most of the
 * sequence, or a longer one with which clearly more of them do: equal layers repeat almost, the
 * iterations around them exactly. Candidates are the distances between kernels that occur seldom,
 * since these run a few times in each iteration.
 */
#include "base/any_of.h"
#include "derived/step_search.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/text_slice.h"

#include <stdio.h>

static const char stage[] = "finding the period of kernels";

enum { STEP_PERIOD_LIMIT_ROWS(_) };

struct step_period_kernel {
	int64_t time, end; /* of the launch call, else of the kernel */
	int64_t start;
	uint32_t name, row;
};

/* The longest segment that repeats with PERIOD. */
struct repeats {
	size_t from, length, period;
	size_t unequal; /* names that differ from those one period later */
};

COMPARE_MEMBERS(compare_kernels, struct step_period_kernel, UP(time) UP(start) UP(row))

static bool is_ours(const struct step_search *search, uint32_t activity)
{
	const struct profile *profile = search->profile;
	uint32_t launch = profile->activity_launch[activity];
	uint32_t track =
		launch == NO_ROW ? profile->activity_track[activity] : profile->span_track[launch];
	return profile->activity_kind[activity] == ACTIVITY_KERNEL &&
	       (launch == NO_ROW || profile->tracks[track].process == search->process);
}

/* The device with most kernels of the process, or INT32_MIN; *LAUNCHED: most of them are linked. */
static int32_t busiest_device(const struct step_search *search, bool *launched)
{
	const struct profile *profile = search->profile;
	int32_t best = INT32_MIN;
	size_t most = 0;
	for (size_t t = 0; t < profile->track_count; t++) {
		int32_t device = profile->tracks[t].device;
		size_t kernels = 0, linked = 0;
		bool seen = any_of(u, t, profile->tracks[u].device == device);
		for (size_t u = t; u < profile->track_count && !seen && device >= 0; u++) {
			const struct track *track = &profile->tracks[u];
			uint32_t end = track->first_activity + track->activities;
			for (uint32_t i = track->first_activity; track->device == device && i < end;
			     i++) {
				kernels += is_ours(search, i);
				linked +=
					is_ours(search, i) && profile->activity_launch[i] != NO_ROW;
			}
		}
		if (kernels <= most)
			continue;
		most = kernels;
		best = device;
		*launched = 2 * linked > kernels;
	}
	return best;
}

/* Kernels in the order of their launches, or of their starts if these are unknown. */
static struct step_period_kernel *sequence(struct step_search *search, size_t *count)
{
	const struct profile *profile = search->profile;
	struct step_period_kernel *kernels =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *kernels);
	bool launched = false, ok = true;
	int32_t device = busiest_device(search, &launched);
	*count = 0;
	search->by_execution = !launched;
	for_rows (ok, i, profile->activities, search->progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		if (!is_ours(search, i) || profile_activity_device(profile, i) != device ||
		    (launched && launch == NO_ROW))
			continue;
		int64_t start = profile->activity_start[i];
		kernels[(*count)++] = (struct step_period_kernel){
			.time = launched ? profile->span_start[launch] : start,
			.end = launched ? profile_span_end(profile, launch)
					: start + profile->activity_dur[i],
			.start = start,
			.name = profile->activity_name[i],
			.row = i,
		};
	}
	return mem_if(ok && sort_runs(kernels, *count, sizeof *kernels, compare_kernels,
				      search->progress),
		      kernels);
}

/* ---- candidates ---- */

struct name_count {
	uint32_t name;
	size_t count;
};

COMPARE_MEMBERS(compare_counts, struct name_count, UP(count) UP(name))

/* Names that occur at least six times, the rarest first; at most SELDOM. */
static size_t seldom_names(const struct step_search *search,
			   const struct step_period_kernel *kernels, size_t count,
			   struct name_count *seldom)
{
	size_t names = intern_count(search->profile->strings), used = 0;
	AUTO_FREE struct name_count *counts = mem_zalloc(names, sizeof *counts);
	for (size_t i = 0; i < count; i++) {
		counts[kernels[i].name].name = kernels[i].name;
		counts[kernels[i].name].count++;
	}
	for (size_t i = 0; i < names; i++)
		if (counts[i].count >= PERIOD_REPEATS_MIN)
			counts[used++] = counts[i];
	qsort(counts, used, sizeof *counts, compare_counts);
	used = used < SELDOM ? used : SELDOM;
	memcpy(seldom, counts, used * sizeof *seldom);
	return used;
}

/* Median distances between runs of a name that are 1, 2 … PER_ITERATION runs apart. */
static size_t distances(const struct step_period_kernel *kernels, size_t count,
			const struct name_count *name, size_t *out)
{
	AUTO_FREE size_t *at = mem_alloc(name->count * sizeof *at),
			 *apart = mem_alloc(name->count * sizeof *at);
	size_t runs = 0, found = 0;
	for (size_t i = 0; i < count; i++)
		if (kernels[i].name == name->name)
			at[runs++] = i;
	for (size_t m = 1; m <= PER_ITERATION && m < runs; m++) {
		for (size_t i = m; i < runs; i++)
			apart[i - m] = at[i] - at[i - m];
		sort_runs(apart, runs - m, sizeof *apart, compare_size, NULL);
		out[found++] = apart[(runs - m) / 2];
	}
	return found;
}

static size_t candidates(const struct step_search *search, const struct step_period_kernel *kernels,
			 size_t count, size_t *out)
{
	struct name_count seldom[SELDOM];
	size_t names = seldom_names(search, kernels, count, seldom), found = 0, kept = 0;
	for (size_t i = 0; i < names; i++)
		found += distances(kernels, count, &seldom[i], out + found);
	qsort(out, found, sizeof *out, compare_size);
	for (size_t i = 0; i < found; i++)
		if (!kept || out[kept - 1] != out[i])
			out[kept++] = out[i];
	return kept;
}

/* ---- repeats ---- */

/* Could PERIOD hold at all? From a sample. */
static bool is_plausible(const struct step_period_kernel *kernels, size_t count, size_t period)
{
	size_t pairs = count - period, stride = pairs / SAMPLES + 1, equal = 0, looked = 0;
	for (size_t i = 0; i < pairs; i += stride, looked++)
		equal += kernels[i].name == kernels[i + period].name;
	return 3 * equal >= looked;
}

/*
 * The longest segment of which every part as long as the period equals its successor in
 * EQUAL_PERCENT of the names.
 */
static struct repeats longest(const struct step_period_kernel *kernels, size_t count, size_t period)
{
	struct repeats best = { .period = period };
	size_t equal = 0, from = 0;
	bool inside = false;
	for (size_t end = 1; end + period <= count; end++) { /* of the part [end - period, end) */
		equal += kernels[end - 1].name == kernels[end - 1 + period].name;
		if (end > period)
			equal -= kernels[end - 1 - period].name == kernels[end - 1].name;
		if (end < period)
			continue;
		bool good = 100 * equal >= EQUAL_PERCENT * period;
		if (good && !inside)
			from = end - period;
		inside = good;
		if (good && end + period - from > best.length) {
			best.from = from;
			best.length = end + period - from;
		}
	}
	while (best.length > period &&
	       kernels[best.from].name != kernels[best.from + period].name) {
		best.from++;
		best.length--;
	}
	return best;
}

/* ---- iterations or layers ---- */

/* Is it a call of a module, an operator, or a function that runs a module? */
static bool is_model_call(const struct profile *profile, uint32_t span)
{
	uint8_t kind = profile->span_kind[span];
	return kind == SPAN_MODULE || kind == SPAN_OPERATOR ||
	       (kind == SPAN_PYTHON &&
		strstr(profile_string(profile, profile->span_name[span]), "_call_impl"));
}

/* Are the first two repeats inside one graph launch, operator or module? */
static bool share_call(const struct step_search *search, const struct step_period_kernel *kernels,
		       const struct repeats *repeats)
{
	const struct profile *profile = search->profile;
	uint32_t first = profile->activity_launch[kernels[repeats->from].row];
	uint32_t next = profile->activity_launch[kernels[repeats->from + repeats->period].row];
	if (first == NO_ROW || next == NO_ROW)
		return false;
	if (first == next)
		return true;
	return row_upwards(at, first, profile->span_parent,
			   is_model_call(profile, at) && next > at &&
				   next < at + profile->span_size[at]) != NO_ROW;
}

/* Kernels in [FROM, TO) whose names do not run in the repeats. */
static size_t foreign(const struct step_period_kernel *kernels, size_t from, size_t to,
		      const uint8_t *own)
{
	size_t count = 0;
	for (size_t i = from; i < to; i++)
		count += !own[kernels[i].name];
	return count;
}

/*
 * A model runs other kernels before its layers, few, and after them. A run that is cut off at any
 * place starts and ends with a part of an iteration.
 */
static bool is_framed(const struct step_search *search, const struct step_period_kernel *kernels,
		      size_t count, const struct repeats *repeats)
{
	AUTO_FREE uint8_t *own = mem_zalloc(intern_count(search->profile->strings), sizeof *own);
	size_t end = repeats->from + repeats->length;
	for (size_t i = repeats->from; i < end; i++)
		own[kernels[i].name] = 1;
	bool before = repeats->from < repeats->period && foreign(kernels, 0, repeats->from, own);
	bool after = foreign(kernels, end, count, own);
	return before || after;
}

/* Attention once or twice, to itself and across, is a layer: models have more of them. */
static bool is_attention_layer(const struct step_search *search,
			       const struct step_period_kernel *kernels,
			       const struct repeats *repeats)
{
	size_t found = 0;
	for (size_t i = repeats->from; i < repeats->from + repeats->period; i++)
		found += text_holds_one(profile_string(search->profile, kernels[i].name),
					"flash_fwd|flash_attn|fmha|attention|attn_fwd");
	return found == 1 || found == 2;
}

/* Does each repeat copy from or to the host, as iterations do with their input or result? */
static bool talks_to_host(const struct step_search *search,
			  const struct step_period_kernel *kernels, const struct repeats *repeats)
{
	const struct profile *profile = search->profile;
	const struct step_period_kernel *repeated = kernels + repeats->from;
	size_t whole = repeats->length / repeats->period, talking = 0;
	AUTO_FREE uint8_t *talks = mem_zalloc(whole + 1, sizeof *talks);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (profile->activity_kind[i] != ACTIVITY_MEMCPY ||
		    !text_holds_one(profile_string(profile, profile->activity_name[i]),
				    "HtoD|DtoH|Host-to-Device|Device-to-Host"))
			continue;
		int64_t time = search->by_execution || launch == NO_ROW
				       ? profile->activity_start[i]
				       : profile->span_start[launch];
		size_t begun = search_first(at, 0, whole + 1,
					    at * repeats->period >= repeats->length ||
						    repeated[at * repeats->period].time > time);
		if (begun && begun <= whole)
			talks[begun - 1] = 1;
	}
	for (size_t i = 0; i < whole; i++)
		talking += talks[i];
	return talking + 1 >= whole;
}

static bool are_iterations(const struct step_search *search,
			   const struct step_period_kernel *kernels, size_t count,
			   const struct repeats *repeats)
{
	return !share_call(search, kernels, repeats) &&
	       !is_attention_layer(search, kernels, repeats) &&
	       (!is_framed(search, kernels, count, repeats) ||
		talks_to_host(search, kernels, repeats));
}

static void count_unequal(const struct step_period_kernel *kernels, struct repeats *repeats)
{
	size_t end = repeats->from + repeats->length;
	repeats->unequal = 0;
	for (size_t i = repeats->from; i + repeats->period < end; i++)
		repeats->unequal += kernels[i].name != kernels[i + repeats->period].name;
}

/* Do at most half as many names differ with the longer period as with the shorter? */
static bool fits_better(const struct repeats *longer, const struct repeats *shorter)
{
	double pairs = (double)(longer->length - longer->period);
	double other_pairs = (double)(shorter->length - shorter->period);
	return shorter->unequal &&
	       2 * (double)longer->unequal * other_pairs <= (double)shorter->unequal * pairs;
}

static bool find_repeats(struct step_search *search, const struct step_period_kernel *kernels,
			 size_t count, struct repeats *found)
{
	size_t periods[SELDOM * PER_ITERATION];
	size_t periods_count = candidates(search, kernels, count, periods);
	*found = (struct repeats){ 0 };
	for (size_t i = 0; i < periods_count; i++) {
		size_t period = periods[i];
		if (!progress_update(search->progress, stage, i, periods_count, 0))
			return false;
		if (period > count / PERIOD_REPEATS_MIN || !is_plausible(kernels, count, period))
			continue;
		struct repeats at = longest(kernels, count, period);
		if (at.length < PERIOD_REPEATS_MIN * period || 2 * at.length < count)
			continue;
		count_unequal(kernels, &at);
		if (!found->length || fits_better(&at, found))
			*found = at;
		if (!found->unequal)
			break;
	}
	if (found->length &&
	    (found->period <= KERNELS_MIN || !are_iterations(search, kernels, count, found)))
		found->length = 0; /* neither are its multiples */
	return true;
}

/* ---- iterations ---- */

/* The shortest time before kernel OFFSET of an iteration. */
static int64_t shortest_gap(const struct step_period_kernel *kernels, const struct repeats *repeats,
			    size_t offset)
{
	int64_t least = INT64_MAX;
	for (size_t i = offset ? offset : repeats->period; i < repeats->length;
	     i += repeats->period) {
		const struct step_period_kernel *at = &kernels[repeats->from + i];
		least = at->time - at[-1].time < least ? at->time - at[-1].time : least;
	}
	return least;
}

/*
 * Where an iteration begins: at the start of the segment, unless there is a place with clearly more
 * time before it in all iterations, and enough whole iterations remain.
 */
static size_t find_phase(const struct step_period_kernel *kernels, const struct repeats *repeats)
{
	int64_t most = 2 * shortest_gap(kernels, repeats, 0);
	size_t phase = 0;
	for (size_t offset = 1; offset < repeats->period; offset++) {
		if ((repeats->length - offset) / repeats->period < PERIOD_REPEATS_MIN)
			break;
		int64_t gap = shortest_gap(kernels, repeats, offset);
		if (gap > most) {
			most = gap;
			phase = offset;
		}
	}
	return phase;
}

static void offer_iterations(struct step_search *search, const struct step_period_kernel *kernels,
			     size_t count, const struct repeats *repeats)
{
	size_t phase = find_phase(kernels, repeats);
	size_t whole = (repeats->length - phase) / repeats->period;
	AUTO_FREE struct step *steps = mem_alloc(whole * sizeof *steps);
	char basis[64];
	for (size_t i = 0; i < whole; i++) {
		size_t first = repeats->from + phase + i * repeats->period;
		size_t next = first + repeats->period;
		int64_t end = next < count ? kernels[next].time : kernels[count - 1].end;
		steps[i] = step_search_iteration(i, kernels[first].time, end);
	}
	snprintf(basis, sizeof basis, "%zu kernels", repeats->period);
	step_search_offer(search, steps, whole, basis, 0);
}

bool step_period_find(struct step_search *search)
{
	size_t count;
	struct repeats found = { 0 };
	AUTO_FREE struct step_period_kernel *kernels = sequence(search, &count);
	bool done = kernels && find_repeats(search, kernels, count, &found);
	if (done && found.length)
		offer_iterations(search, kernels, count, &found);
	else
		search->by_execution = false;
	return done;
}
