/*
 * Steps from ranges that a program or a library marks.
 *
 * Of each track, the ranges whose names a rule puts in one group are marks, without those inside
 * others. The rule makes steps of them: from end to end (optimizers), from start to start (data
 * loaders, annotations that repeat) or of the ranges themselves (numbered ones, the one that the
 * user named, iterations of a server). What lies before the first and after the last mark is a step
 * if it is about as much work as one. The search keeps the offer of the lowest tier, and of these
 * the one with most work in steps.
 */
#include "derived/step_search.h"
#include "base/compare.h"
#include "base/binary_search.h"
#include "base/buffer.h"
#include "base/sort.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>

static const char stage[] = "finding steps";

/* A range that may separate steps. */
struct step_marks_mark {
	int64_t start, end;
	int64_t number; /* in its name, NO_VALUE */
	uint32_t span, track;
	uint32_t group; /* of names that belong together, from 1 */
};

/* What the test of a rule needs besides the name. */
struct step_marks_naming {
	struct intern *groups;
	const char *wanted; /* of mark_named */
	bool exactly;
	struct known_name {
		uint32_t group;
		bool known;
		int64_t number;
	} * name; /* by string id */
};

/* Marks of a rule are ranges of one track whose names are in one group. */
struct mark_rule {
	/* The test: the group of a name, 0: no mark; *NUMBER of the step, if the name has one. */
	uint32_t (*group)(struct step_marks_naming *naming, const char *name, int64_t *number);
	/* The builder: offer steps from COUNT > 0 marks of a track and group, sorted, disjoint. */
	void (*build)(struct step_search *search, const struct step_marks_mark *marks,
		      size_t count);
	bool operators;     /* operators may be marks, too */
	bool all_processes; /* else those of the process that launches most */
};

/* ---- names ---- */

/* The group of names that start with one of TEXTS ("this|that"), each its own. */
static uint32_t group_of_prefix(const char *texts, const char *name)
{
	return (uint32_t)(text_choice(name, text_start(name, SIZE_MAX, texts), texts) + 1);
}

static uint32_t group_optimizer(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	return group_of_prefix("Optimizer.step", name);
}

static uint32_t group_loader(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	return group_of_prefix("enumerate(DataLoader)#|enumerate(DataPipe)#", name);
}

/* Iterations whose names tell the batch belong together, whatever it is. */
enum { GROUP_BATCH = 1 };

static uint32_t group_server(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	struct request_batch batch;
	enum phase phase;
	if (batch_of_name(name, &batch, &phase))
		return GROUP_BATCH;
	uint32_t group =
		group_of_prefix("execute_|step[|[Executor] _forward_step|_forward_step", name);
	return group ? GROUP_BATCH + group : 0;
}

/* Write NAME with its last number replaced by 'N'; false without one, or without a word. */
static bool stem_of(struct buffer *stem, const char *name, int64_t *number)
{
	size_t length = strlen(name), end = length;
	bool word = false;
	while (end && !isdigit((unsigned char)name[end - 1]))
		end--;
	size_t from = end;
	while (from && isdigit((unsigned char)name[from - 1]))
		from--;
	for (size_t i = 0; i < from; i++)
		word |= (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');
	if (from == end || end - from > 18 || !word)
		return false;
	*number = strtoll(name + from, NULL, 10);
	buffer_add(stem, name, from);
	buffer_putc(stem, 'N');
	buffer_puts(stem, name + end);
	return true;
}

static uint32_t group_ranges(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	AUTO_BUFFER struct buffer stem = { 0 };
	uint32_t group = 0;
	if (stem_of(&stem, name, number))
		group = intern_add(naming->groups, stem.data, stem.length) + 1;
	return group;
}

/* Does NAME contain one of WORDS (NULL at the end), as a word or the start of one? */
static bool has_word(const char *name, const char *const *words)
{
	for (; *words; words++)
		for (const char *at = name; (at = strcasestr(at, *words)); at++)
			if (at == name ||
			    !((at[-1] >= 'a' && at[-1] <= 'z') ||
			      (at[-1] >= 'A' && at[-1] <= 'Z' && *at >= 'A' && *at <= 'Z')))
				return true;
	return false;
}

/*
 * How likely ranges NAME are the iterations of a run; less is more likely, -1 never: parts of a
 * model are numbered, too.
 */
static int tier_of(const char *name)
{
	static const char *const iterations[] = { "iter",  "step",    "batch",    "frame",
						  "token", "request", "generate", NULL };
	static const char *const parts[] = { STEP_PART_ROWS };
	static const char *const epochs[] = { "epoch", NULL };
	if (has_word(name, parts))
		return -1;
	return has_word(name, iterations) ? 0 : has_word(name, epochs) ? 2 : 1;
}

/* ---- steps from marks ---- */

static struct step step_of_mark(const struct step_search *search,
				const struct step_marks_mark *mark, size_t index, int64_t end)
{
	return (struct step){ .number = mark->number == NO_VALUE ? (int64_t)index : mark->number,
			      .name = search->profile->span_name[mark->span],
			      .span = mark->span,
			      .host_start = mark->start,
			      .host_end = end };
}

/* The work of an iteration: between nine of ten neighboring marks there is at most this much. */
static size_t usual_work(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count)
{
	AUTO_FREE int64_t *works = mem_alloc(count * sizeof *works);
	for (size_t i = 1; i < count; i++)
		works[i - 1] = (int64_t)step_search_work(search, marks[i - 1].end, marks[i].end);
	sort_runs(works, count - 1, sizeof *works, compare_int64, NULL);
	return (size_t)works[9 * (count - 1) / 10];
}

/* Is the WORK before the first or after the last mark an iteration: from half of one to two? */
static bool is_iteration(size_t work, size_t usual)
{
	return work >= usual / 2 && work <= 2 * usual;
}

static bool is_partial(size_t work, size_t usual)
{
	return work < usual - usual / 5;
}

/* First operator or API call on the track. */
static int64_t first_call(const struct profile *profile, const struct step_marks_mark *mark)
{
	const struct track *track = &profile->tracks[mark->track];
	for (uint32_t i = track->first_span; i < track->first_span + track->spans; i++)
		if (profile->span_kind[i] == SPAN_OPERATOR || profile->span_kind[i] == SPAN_RUNTIME)
			return profile->span_start[i] < mark->start ? profile->span_start[i]
								    : mark->start;
	return mark->start;
}

static const char *step_marks_name_of(const struct step_search *search,
				      const struct step_marks_mark *mark)
{
	return profile_string(search->profile, search->profile->span_name[mark->span]);
}

/*
 * From end to end. Optimizers that run one after another, without work between, end one step. What
 * precedes the first end is a step if it is as much work as one.
 */
static void build_ends(struct step_search *search, const struct step_marks_mark *marks,
		       size_t count)
{
	if (count < 2)
		return;
	AUTO_FREE struct step *steps = mem_alloc((count + 1) * sizeof *steps);
	size_t found = 0, usual = usual_work(search, marks, count);
	int64_t from = first_call(search->profile, &marks[0]);
	bool whole = false;
	for (size_t i = 0; i < count; i++) {
		bool last = i + 1 == count || step_search_work(search, marks[i].end,
							       marks[i + 1].start) >= usual / 10;
		if (!last)
			continue;
		size_t work = step_search_work(search, from, marks[i].end);
		if (whole || is_iteration(work, usual)) {
			steps[found] = step_search_iteration(found, from, marks[i].end);
			steps[found++].partial = !whole && is_partial(work, usual);
		}
		whole = true;
		from = marks[i].end;
	}
	step_search_offer(search, steps, found, step_marks_name_of(search, &marks[count - 1]), 0);
}

/* From start to start; the last one lasts until the end of its thread, if that is a whole step. */
static void offer_starts(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count, int tier)
{
	const struct profile *profile = search->profile;
	const struct track *track = &profile->tracks[marks[0].track];
	AUTO_FREE struct step *steps = mem_alloc(count * sizeof *steps);
	int64_t end = marks[count - 1].end;
	size_t usual = count > 1 && search->work_count ? usual_work(search, marks, count) : 0;
	size_t found = 0;
	for (uint32_t i = track->first_span; i < track->first_span + track->spans; i++)
		if (profile->span_kind[i] != SPAN_PYTHON && profile->span_kind[i] != SPAN_MODULE &&
		    profile_span_end(profile, i) > end)
			end = profile_span_end(profile, i);
	for (size_t i = 0; i < count; i++) {
		bool whole = i + 1 < count || !search->work_count;
		int64_t to = i + 1 < count ? marks[i + 1].start : end;
		size_t work = whole ? 0 : step_search_work(search, marks[i].start, to);
		if (whole || is_iteration(work, usual)) {
			steps[found] = step_search_iteration(found, marks[i].start, to);
			steps[found++].partial = !whole && is_partial(work, usual);
		}
	}
	step_search_offer(search, steps, found, step_marks_name_of(search, &marks[0]), tier);
}

static void build_starts(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count)
{
	offer_starts(search, marks, count, 0);
}

/* Ends of the marks, or of the last GPU work that was launched in each, if it is later. */
static int64_t *ends_of_work(const struct step_search *search, const struct step_marks_mark *marks,
			     size_t count)
{
	const struct profile *profile = search->profile;
	int64_t *ends = mem_alloc(count * sizeof *ends);
	for (size_t i = 0; i < count; i++)
		ends[i] = marks[i].end;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW || !profile_is_work(profile, i))
			continue;
		int64_t time = profile->span_start[launch];
		size_t after = search_first(at, 0, count, marks[at].start > time);
		int64_t end = profile_activity_end(profile, i);
		if (after && time < marks[after - 1].end && end > ends[after - 1])
			ends[after - 1] = end;
	}
	return ends;
}

/*
 * An iteration of a server lasts until the next one, because it schedules and samples in between:
 * the host gap is part of it. Unless the server waits for requests: it and its GPU work end twice
 * the usual time from one iteration to the next before the next one.
 */
static void build_server(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count)
{
	AUTO_FREE struct step *steps = mem_alloc(count * sizeof *steps);
	AUTO_FREE int64_t *apart = mem_alloc(count * sizeof *apart);
	AUTO_FREE int64_t *ends = ends_of_work(search, marks, count);
	char basis[64];
	const char *name = step_marks_name_of(search, &marks[0]);
	for (size_t i = 1; i < count; i++)
		apart[i - 1] = marks[i].start - marks[i - 1].start;
	qsort(apart, count - 1, sizeof *apart, compare_int64);
	for (size_t i = 0; i < count; i++) {
		int64_t end = marks[i].end;
		if (i + 1 < count && marks[i + 1].start - ends[i] <= 2 * apart[(count - 1) / 2])
			end = marks[i + 1].start;
		steps[i] = step_of_mark(search, &marks[i], i, end);
	}
	size_t length = strcspn(name, "_[");
	snprintf(basis, sizeof basis, "%.*s…", (int)(length + 1 < 40 ? length + 1 : 40), name);
	bool told = marks[0].group == GROUP_BATCH;
	search->sure = told;
	step_search_offer(search, steps, count, basis, told ? 0 : 1);
	search->sure = false;
}

/* Steps of all marks, each as long as its range. */
static void offer_ranges(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count, const char *basis, int tier)
{
	AUTO_FREE struct step *steps = mem_alloc(count * sizeof *steps);
	for (size_t i = 0; i < count; i++)
		steps[i] = step_of_mark(search, &marks[i], i, marks[i].end);
	step_search_offer(search, steps, count, basis, tier);
}

static bool inside_annotation(const struct profile *profile, uint32_t span)
{
	uint32_t at = profile->span_parent[span];
	while (at != NO_ROW && profile->span_kind[at] != SPAN_ANNOTATION)
		at = profile->span_parent[at];
	return at != NO_ROW;
}

/*
 * Ranges are iterations if their numbers grow and each has work. Names that do not say that they
 * are iterations also have to be outermost and to hold most of the work.
 */
static void build_ranges(struct step_search *search, const struct step_marks_mark *marks,
			 size_t count)
{
	AUTO_BUFFER struct buffer stem = { 0 };
	int64_t number;
	size_t work = 0, empty = 0, restarts = 0;
	if (!stem_of(&stem, step_marks_name_of(search, &marks[0]), &number))
		return;
	int tier = tier_of(buffer_text(&stem));
	for (size_t i = 0; i < count; i++) {
		size_t own = step_search_work(search, marks[i].start, marks[i].end);
		restarts += i > 0 && marks[i].number <= marks[i - 1].number;
		empty += own == 0;
		work += own;
	}
	bool good = tier >= 0 && (tier == 0 ? restarts <= count / 3 : restarts == 0);
	if (search->work_count)
		good = good && 2 * empty < count;
	if (tier == 1)
		good = good && 2 * work >= search->work_count &&
		       !inside_annotation(search->profile, marks[0].span);
	/* "step_3_forward" is a part of one, unless it has nearly all work. */
	if (stem.length - (strrchr(buffer_text(&stem), 'N') - buffer_text(&stem)) > 2)
		good = good && restarts == 0 && 10 * work >= 9 * search->work_count;
	if (good)
		offer_ranges(search, marks, count, buffer_text(&stem), tier);
}

/* The range that the user named; also those that differ from it in the number. */
static uint32_t group_named(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	AUTO_BUFFER struct buffer stem = { 0 }, own = { 0 };
	int64_t ignored;
	bool same = strcmp(name, naming->wanted) == 0;
	bool numbered = stem_of(&own, name, number);
	if (!same && !naming->exactly && numbered && stem_of(&stem, naming->wanted, &ignored))
		same = strcmp(buffer_text(&own), buffer_text(&stem)) == 0;
	if (naming->exactly)
		*number = NO_VALUE; /* the same for all */
	return same;
}

static void build_named(struct step_search *search, const struct step_marks_mark *marks,
			size_t count)
{
	AUTO_BUFFER struct buffer basis = { 0 };
	int64_t number;
	if (marks[0].number == NO_VALUE ||
	    !stem_of(&basis, step_marks_name_of(search, &marks[0]), &number)) {
		buffer_clear(&basis);
		buffer_puts(&basis, step_marks_name_of(search, &marks[0]));
	}
	offer_ranges(search, marks, count, buffer_text(&basis), 0);
}

/* ---- annotations that repeat ---- */

/* Annotations of frameworks and libraries are parts of an iteration. */
static uint32_t group_repeats(struct step_marks_naming *naming, const char *name, int64_t *number)
{
	if (text_begins_one(name,
			    "Optimizer.|enumerate(|nccl|gloo|MPI_|autograd|DataParallel|"
			    "DistributedDataParallel|Torch-Compiled|## Call CompiledFxGraph") ||
	    strstr(name, "::"))
		return 0;
	return intern_add(naming->groups, name, strlen(name)) + 1;
}

/* Work of an iteration; without any, its time. */
static int64_t amount(struct step_search *search, const struct step_marks_mark *marks, size_t i)
{
	return search->work_count
		       ? (int64_t)step_search_work(search, marks[i].start, marks[i + 1].start)
		       : marks[i + 1].start - marks[i].start;
}

/* Do nine of ten iterations from mark to mark amount to about the same? */
static bool is_regular(struct step_search *search, const struct step_marks_mark *marks,
		       size_t count)
{
	AUTO_FREE int64_t *amounts = mem_alloc(count * sizeof *amounts);
	size_t like = 0;
	for (size_t i = 0; i + 1 < count; i++)
		amounts[i] = amount(search, marks, i);
	sort_runs(amounts, count - 1, sizeof *amounts, compare_int64, NULL);
	int64_t usual = amounts[(count - 1) / 2];
	int64_t slack = search->work_count ? usual / 5 : usual / 2;
	for (size_t i = 0; i + 1 < count; i++)
		like += amounts[i] >= usual - slack && amounts[i] <= usual + slack;
	return usual > 0 && 10 * like >= 9 * (count - 1);
}

/*
 * An outermost annotation that repeats with the same work each time, from its start to the next.
 * Parts of an iteration may repeat within it, so the one that repeats least is preferred.
 */
static void build_repeats(struct step_search *search, const struct step_marks_mark *marks,
			  size_t count)
{
	if (count < PERIOD_REPEATS_MIN || count > INT_MAX ||
	    (search->count && (int)count > search->tier) ||
	    inside_annotation(search->profile, marks[0].span))
		return;
	size_t work = step_search_work(search, marks[0].start, marks[count - 1].end);
	if (is_regular(search, marks, count) && 2 * work >= search->work_count)
		offer_starts(search, marks, count, (int)count);
}

/* ---- the rules ---- */

const struct mark_rule mark_optimizer = { group_optimizer, build_ends, .operators = true };
const struct mark_rule mark_ranges = { group_ranges, build_ranges };
const struct mark_rule mark_server = { group_server, build_server };
const struct mark_rule mark_repeats = { group_repeats, build_repeats };
const struct mark_rule mark_loader = { group_loader, build_starts };
const struct mark_rule mark_named = { group_named, build_named, .all_processes = true };

/* ---- collecting marks ---- */

struct step_marks_marks {
	GROWING(struct step_marks_mark, item, count);
};

/* The group of a name, tested once. */
static const struct known_name *look_up(struct step_marks_naming *naming,
					const struct mark_rule *rule, const struct profile *profile,
					uint32_t name)
{
	struct known_name *known = &naming->name[name];
	if (!known->known) {
		*known = (struct known_name){ .known = true, .number = NO_VALUE };
		known->group = rule->group(naming, profile_string(profile, name), &known->number);
	}
	return known;
}

static bool step_marks_collect(struct step_search *search, const struct mark_rule *rule,
			       struct step_marks_marks *marks)
{
	const struct profile *profile = search->profile;
	struct step_marks_naming naming = { .groups = intern_new(),
					    .wanted = search->wanted,
					    .exactly = search->exactly,
					    .name = mem_zalloc(intern_count(profile->strings),
							       sizeof *naming.name) };
	bool ok = true;
	for_rows (ok, i, profile->spans, search->progress, stage) {
		uint8_t kind = profile->span_kind[i];
		bool may_mark =
			kind == SPAN_ANNOTATION || (kind == SPAN_OPERATOR && rule->operators);
		uint32_t track = profile->span_track[i];
		if (!may_mark ||
		    (!rule->all_processes && profile->tracks[track].process != search->process))
			continue;
		const struct known_name *known =
			look_up(&naming, rule, profile, profile->span_name[i]);
		if (!known->group)
			continue;
		*mem_push(marks->item, marks->count) =
			(struct step_marks_mark){ .start = profile->span_start[i],
						  .end = profile_span_end(profile, i),
						  .number = known->number,
						  .span = i,
						  .track = track,
						  .group = known->group };
	}
	intern_free(naming.groups);
	mem_free(naming.name);
	return ok;
}

COMPARE_MEMBERS(compare_marks, struct step_marks_mark, UP(track) UP(group) UP(start) UP(span))

/* Drop marks inside the one before; returns how many are left. */
static size_t drop_nested(struct step_marks_mark *marks, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (!kept || marks[i].start >= marks[kept - 1].end)
			marks[kept++] = marks[i];
	return kept;
}

bool step_marks_find(struct step_search *search, const struct mark_rule *rule)
{
	struct step_marks_marks marks = { 0 };
	bool done = step_marks_collect(search, rule, &marks);
	done = done && sort_runs(marks.item, marks.count, sizeof *marks.item, compare_marks,
				 search->progress);
	for (size_t from = 0, to; done && from < marks.count; from = to) {
		const struct step_marks_mark *first = &marks.item[from];
		for (to = from + 1; to < marks.count && marks.item[to].track == first->track &&
				    marks.item[to].group == first->group;)
			to++;
		rule->build(search, first, drop_nested(&marks.item[from], to - from));
	}
	mem_free(marks.item);
	return done;
}
