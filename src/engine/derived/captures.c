#include "derived/captures.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/sort.h"

/* Launches for each kernel that ran, while a graph is captured. */
enum { CAPTURED_FACTOR = 10 };

enum captures_call { CALL_OTHER, CALL_BEGINS, CALL_ENDS, CALL_CAPTURES, CALL_LAUNCHES };

static const char stage[] = "finding captured graphs";

bool captures_begins(const char *name)
{
	return strstr(name, "StreamBeginCapture") != NULL;
}

static enum captures_call captures_call_of(const char *name)
{
	return captures_begins(name)                                    ? CALL_BEGINS
	       : strstr(name, "StreamEndCapture")                       ? CALL_ENDS
	       : strstr(name, "GraphInstantiate")                       ? CALL_CAPTURES
	       : strstr(name, "Launch") && !strstr(name, "GraphLaunch") ? CALL_LAUNCHES
									: CALL_OTHER;
}

/* By string id: what a call of that name does. */
static uint8_t *mark_calls(const struct profile *profile)
{
	size_t names = intern_count(profile->strings);
	uint8_t *marks = mem_zalloc(names + 1, 1);
	for (size_t i = 0; i < names; i++)
		marks[i] = (uint8_t)captures_call_of(profile_string(profile, (uint32_t)i));
	return marks;
}

/* A call while captures begin and end. */
struct captures_event {
	int64_t time;
	uint32_t call;
	uint32_t kernel; /* of a launch */
	uint32_t node;   /* that it made */
	uint32_t what;   /* enum call */
};

struct captures_search {
	const struct profile *profile;
	uint8_t *marks;
	uint8_t *ran; /* by span: it launched something that ran */
	GROWING(struct captures_event, events, count);
};

COMPARE_MEMBERS(captures_compare_events, struct captures_event, UP(time) UP(call) UP(node))

/* What a call says by its own account of the kernel or the node; 0: nothing. */
static uint32_t captures_text_of(const struct profile *profile, uint32_t call, uint32_t key,
				 size_t skip)
{
	size_t count;
	const struct attribute *at =
		key == NO_ROW ? NULL : profile_span_attributes(profile, call, &count);
	for (size_t i = 0; at && i < count; i++)
		if (at[i].key == key && !skip--)
			return at[i].text;
	return 0;
}

bool captures_have_nodes(const struct profile *profile)
{
	uint32_t key = profile_find(profile, CALL_NODE);
	return key != NO_ROW &&
	       any_of(i, profile->span_attribute_count, profile->span_attributes[i].key == key);
}

static void captures_add_event(struct captures_search *search, uint32_t call, uint32_t kernel,
			       uint32_t node, uint8_t what)
{
	*mem_push(search->events, search->count) =
		(struct captures_event){ search->profile->span_start[call], call, kernel, node,
					 what };
}

/* A call that made several nodes has an event for each; one of them names the kernel. */
static bool list_events(struct captures_search *search, const struct progress *progress)
{
	const struct profile *profile = search->profile;
	uint32_t kernel_key = profile_find(profile, CALL_KERNEL);
	uint32_t node_key = profile_find(profile, CALL_NODE);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint8_t what = search->marks[profile->span_name[i]];
		if (profile->span_kind[i] != SPAN_RUNTIME || search->ran[i])
			continue;
		uint32_t node = captures_text_of(profile, i, node_key, 0), kernel = 0;
		if (what == CALL_LAUNCHES)
			kernel = captures_text_of(profile, i, kernel_key, 0);
		if (node)
			what = CALL_LAUNCHES;
		if (what == CALL_OTHER || what == CALL_CAPTURES ||
		    (what == CALL_LAUNCHES && !kernel && !node))
			continue;
		captures_add_event(search, i, kernel, node, what);
		for (size_t n = 1; node; n++) {
			node = captures_text_of(profile, i, node_key, n);
			if (node)
				captures_add_event(search, i, 0, node, what);
		}
	}
	return ok && sort_runs(search->events, search->count, sizeof *search->events,
			       captures_compare_events, progress);
}

static bool mark_what_ran(struct captures_search *search, const struct progress *progress)
{
	const struct profile *profile = search->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_launch[i] != NO_ROW)
			search->ran[profile->activity_launch[i]] = 1;
	return ok;
}

static void list_launches(const struct captures_search *search, struct captures *captures)
{
	uint32_t capture = 0;
	bool open = false;
	for_each (event, search->events, search->count) {
		if (event->what == CALL_BEGINS)
			capture++;
		if (event->what != CALL_LAUNCHES)
			open = event->what == CALL_BEGINS;
		else if (open || event->node) {
			*mem_push(captures->launches, captures->count) =
				(struct captured_launch){ event->call, event->kernel, capture,
							  event->node };
		}
	}
}

bool captures_find(const struct profile *profile, struct captures *captures,
		   const struct progress *progress)
{
	struct captures_search search = { .profile = profile, .marks = mark_calls(profile) };
	*captures = (struct captures){ 0 };
	bool found = memchr(search.marks, CALL_BEGINS, intern_count(profile->strings)) ||
		     captures_have_nodes(profile);
	search.ran = found ? mem_zalloc((size_t)profile->spans + 1, 1) : NULL;
	bool done = !found || (mark_what_ran(&search, progress) && list_events(&search, progress));
	if (found && done)
		list_launches(&search, captures);
	mem_free_all(search.marks, search.ran, search.events);
	return done;
}

CLEAR_MEMBERS(captures_free, struct captures, OWN(launches))

bool captures_prevail(const struct profile *profile, bool *prevail, const struct progress *progress)
{
	uint64_t captures = 0, launches = 0, kernels = 0;
	AUTO_FREE uint8_t *marks = mark_calls(profile);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		if (profile->span_kind[i] != SPAN_RUNTIME)
			continue;
		uint8_t what = marks[profile->span_name[i]];
		captures += what == CALL_BEGINS || what == CALL_CAPTURES;
		launches += what == CALL_LAUNCHES;
	}
	for_rows (ok, i, profile->activities, progress, stage)
		kernels += profile->activity_kind[i] == ACTIVITY_KERNEL;
	*prevail = captures && launches >= CAPTURED_FACTOR * (kernels + 1);
	return ok;
}
