#include "analysis/advice/detect.h"
#include "analysis/host_walk.h"
#include "analysis/advice/own_code.h"
#include "base/text.h"
#include "model/recording.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool in_window(const struct diagnosis *diagnosis, int64_t time)
{
	return intervals_length_in(&diagnosis->window, time, time + 1) > 0;
}

size_t diagnosis_rank(const struct diagnosis *diagnosis)
{
	const struct run *run = diagnosis->run;
	const struct rank *own = run_rank(run, diagnosis->selection->scope->rank);
	for (size_t i = 0; i < run->rank_count; i++)
		if (&run->ranks[i] == own)
			return i;
	return SIZE_MAX;
}

uint32_t first_span_named(const struct diagnosis *diagnosis, const char *name)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t id = intern_find(profile->strings, name, strlen(name));
	for (uint32_t i = 0; id != UINT32_MAX && i < profile->spans; i++)
		if (profile->span_name[i] == id && profile->span_kind[i] != SPAN_GPU_ANNOTATION)
			return i;
	return NO_ROW;
}

double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- answers ---- */

static void detect_add_text(struct buffer *out, const char *format, va_list arguments)
{
	char text[1024];
	vsnprintf(text, sizeof text, format, arguments);
	buffer_puts(out, text);
}

static enum severity severity_of(int64_t cost, int64_t dur)
{
	double share = cost == NO_VALUE ? 0 : percent_of((double)cost, (double)dur);
	return share >= 20 ? SEVERITY_HIGH : share >= 5 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

void report_problem(const struct diagnosis *diagnosis, struct finding *finding, int64_t cost,
		    enum severity least, const char *format, ...)
{
	va_list arguments;
	enum severity severity = severity_of(cost, diagnosis->dur);
	finding->answer = ANSWER_FIRED;
	finding->cost_ns = cost;
	finding->severity = severity > least ? severity : least;
	va_start(arguments, format);
	detect_add_text(&finding->evidence, format, arguments);
	va_end(arguments);
}

void report_ok(struct finding *finding, const char *format, ...)
{
	va_list arguments;
	finding->answer = ANSWER_SILENT;
	finding->recommendation = NULL;
	va_start(arguments, format);
	detect_add_text(&finding->evidence, format, arguments);
	va_end(arguments);
}

void report_unknown(struct finding *finding, const char *how, const char *format, ...)
{
	va_list arguments;
	finding->answer = ANSWER_UNKNOWN;
	finding->recommendation = how;
	va_start(arguments, format);
	detect_add_text(&finding->evidence, format, arguments);
	va_end(arguments);
}

void qualify_by_stacks(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->stacks && finding->answer == ANSWER_FIRED)
		buffer_puts(&finding->evidence,
			    "; recording Python stacks inflates these CPU times");
}

/* ---- needs ---- */

const char *how_to_get_steps(const struct diagnosis *diagnosis)
{
	const struct recording *recording = profile_recording(diagnosis->profile);
	return diagnosis->derived->steps_from_profile ? recording->warm_up : recording->steps;
}

bool need_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (diagnosis->any_kernel)
		return true;
	report_unknown(finding, profile_recording_device(profile),
		       profile->activities ? "No kernel ran in the complete steps in scope."
					   : "No GPU events were recorded.");
	return false;
}

bool need_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!need_kernels(diagnosis, finding))
		return false;
	if (diagnosis->device_count)
		return true;
	report_unknown(finding, NULL, "The times of the kernels are not known.");
	return false;
}

/* Scopes of steps, time, ranks and devices keep all work in them; others keep a part. */
static bool keeps_all_work(const struct scope *scope)
{
	return !scope->streams.count && !scope->threads.count && !scope->under &&
	       scope->layer == NO_ROW && scope->operator_name == NO_ROW &&
	       scope->kernel_name == NO_ROW && scope->call == NO_ROW && scope->track == NO_ROW;
}

bool need_all_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!need_kernels(diagnosis, finding))
		return false;
	if (keeps_all_work(diagnosis->selection->scope))
		return true;
	report_unknown(finding, "Widen the scope to complete steps or a time range.",
		       "The scope holds only part of the work; other work may fill the idle time.");
	return false;
}

bool need_memory_events(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->profile->memory_count)
		return true;
	report_unknown(finding, profile_recording(diagnosis->profile)->memory,
		       "No memory events were recorded.");
	return false;
}

/* ---- blame ---- */

static void add_cost(const struct blame *blame, int64_t **costs, uint32_t string, int64_t ns)
{
	if (!*costs)
		*costs = mem_zalloc(intern_count(blame->diagnosis->profile->strings),
				    sizeof **costs);
	(*costs)[string] += ns;
}

void blame_span(struct blame *blame, uint32_t span, int64_t ns)
{
	const struct diagnosis *diagnosis = blame->diagnosis;
	const struct layer_tree *layers = &diagnosis->derived->layers;
	uint32_t name = operator_around(diagnosis, span), code = code_around(diagnosis, span);
	if (name != NO_ROW)
		add_cost(blame, &blame->operator_ns, name, ns);
	if (code)
		add_cost(blame, &blame->place_ns, code, ns);
	if (!blame->layer_ns)
		blame->layer_ns = mem_zalloc(layers->count, sizeof *blame->layer_ns);
	blame->layer_ns[diagnosis->layer_of[layers->span_node[span]]] += ns;
	blame->total += ns;
}

void blame_activity(struct blame *blame, uint32_t activity, int64_t ns)
{
	const struct profile *profile = blame->diagnosis->derived->profile;
	uint32_t launch = profile->activity_launch[activity];
	add_cost(blame, &blame->kernel_ns, profile->activity_name[activity], ns);
	if (launch != NO_ROW)
		blame_span(blame, launch, ns);
	else
		blame->total += ns;
}

struct cause_visit {
	struct blame *blame;
	const struct causes *causes;
	enum time_cause cause;
};

static void visit_cause(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct cause_visit *visit = context;
	if (visit->causes->span_cause[span] == visit->cause)
		blame_span(visit->blame, span, end - start);
}

/* Gaps are walked through as they are found, this many at a time. */
enum { GAPS_AT_ONCE = 1 << 14 };

struct blaming {
	struct cause_visit visit;
	const struct diagnosis *diagnosis;
	bool launching; /* the threads that launch, or the others */
	struct intervals gaps;
};

static void walk_gaps(struct blaming *blaming)
{
	const struct diagnosis *diagnosis = blaming->diagnosis;
	for (uint32_t t = 0; t < diagnosis->profile->track_count; t++)
		if (diagnosis->profile->tracks[t].device < 0 &&
		    diagnosis->launching[t] == blaming->launching)
			host_walk(diagnosis->derived, t, &blaming->gaps, visit_cause,
				  &blaming->visit, diagnosis->progress);
	blaming->gaps.count = 0;
}

static void blame_gap(void *context, int64_t start, int64_t end)
{
	struct blaming *blaming = context;
	intervals_add(&blaming->gaps, start, end);
	if (blaming->gaps.count == GAPS_AT_ONCE)
		walk_gaps(blaming);
}

void blame_cause_in(struct blame *blame, const struct diagnosis *diagnosis, enum time_cause cause,
		    const struct intervals *within)
{
	struct blaming blaming = { { blame, diagnosis->causes, cause }, diagnosis, true, { 0 } };
	for (int pass = 0; pass < 2 && !blame->total; pass++) {
		blaming.launching = !pass;
		causes_visit(diagnosis->device, cause, within, blame_gap, &blaming);
		walk_gaps(&blaming);
	}
	intervals_free(&blaming.gaps);
}

void blame_cause(struct blame *blame, const struct diagnosis *diagnosis, enum time_cause cause)
{
	blame_cause_in(blame, diagnosis, cause, &diagnosis->window);
}

static uint32_t most_costly(const int64_t *costs, size_t count)
{
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; costs && i < count; i++)
		if (costs[i] > 0 && (best == NO_ROW || costs[i] > costs[best]))
			best = i;
	return best;
}

void add_place(struct buffer *out, const char *text)
{
	struct code_frame frame = own_frame_of_stack(text);
	buffer_add(out, frame.text, frame.length);
}

void add_name(struct buffer *out, const char *name)
{
	enum { NAME_COLUMNS = 72 };
	struct buffer safe = { 0 };
	text_escape(&safe, name, strlen(name));
	text_elide(out, buffer_text(&safe), safe.length, NAME_COLUMNS, true);
	buffer_free(&safe);
}

enum { WORTH_NAMING_PERCENT = 10 };

static bool worth_naming(const struct blame *blame, const int64_t *costs, uint32_t key)
{
	return key != NO_ROW &&
	       percent_of((double)costs[key], (double)blame->total) >= WORTH_NAMING_PERCENT;
}

/* "; 63.0 % in " for the first of a finding, ", 41.2 % at " for the following. */
static void add_share(struct buffer *out, bool *first, int64_t part, int64_t whole,
		      const char *preposition)
{
	buffer_printf(out, "%s%s %% %s%s ", *first ? "; " : ", ", PERCENT(part, whole),
		      *first ? "of it " : "", preposition);
	*first = false;
}

static void set_subject(struct finding *finding, enum finding_subject subject, uint32_t row)
{
	if (finding->subject != SUBJECT_NONE)
		return;
	finding->subject = subject;
	finding->subject_row = row;
}

void set_subject_events(const struct diagnosis *diagnosis, struct finding *finding, uint32_t name)
{
	const struct derived *derived = diagnosis->derived;
	enum finding_subject subject = SUBJECT_EVENTS;
	for (uint32_t i = 0; subject == SUBJECT_EVENTS && i < derived->profile->spans; i++)
		if (derived->profile->span_name[i] == name &&
		    derived->span_flags[i] & SPAN_IS_OPERATOR)
			subject = SUBJECT_OPERATOR;
	set_subject(finding, subject, name);
}

/* "log_softmax/functional.py:1370": layers of PyProf are named by places, here without folders. */
static void detect_add_layer(struct buffer *out, const struct derived *derived, uint32_t layer)
{
	struct buffer path = { 0 };
	layer_path(derived, layer, &path);
	const char *text = buffer_text(&path), *at = text;
	while (at < text + path.length) {
		size_t part = at == text || at[-1] == '/' ? text_folders(at, strlen(at)) : 0;
		at += part;
		size_t plain = strcspn(at, "/") + 1;
		plain = plain < strlen(at) ? plain : strlen(at);
		buffer_add(out, at, plain);
		at += plain;
	}
	buffer_free(&path);
}

static void write_blame(const struct blame *blame, struct finding *finding,
			enum finding_subject subject)
{
	const struct profile *profile = blame->diagnosis->derived->profile;
	struct buffer *out = &finding->evidence;
	size_t strings = intern_count(profile->strings);
	const int64_t *costs = subject == SUBJECT_KERNEL ? blame->kernel_ns : blame->operator_ns;
	uint32_t name = most_costly(costs, strings);
	uint32_t place = most_costly(blame->place_ns, strings);
	uint32_t layer = most_costly(blame->layer_ns, blame->diagnosis->derived->layers.count);
	bool first = true, placed = worth_naming(blame, blame->place_ns, place);
	if (worth_naming(blame, costs, name)) {
		add_share(out, &first, costs[name], blame->total, "in");
		add_name(out, profile_string(profile, name));
		if (subject == SUBJECT_OPERATOR)
			set_subject_events(blame->diagnosis, finding, name);
		else
			set_subject(finding, subject, name);
	}
	if (placed) {
		add_share(out, &first, blame->place_ns[place], blame->total, "at");
		add_place(out, profile_string(profile, place));
	}
	if (layer != 0 && worth_naming(blame, blame->layer_ns, layer)) {
		enum layer_kind kind = blame->diagnosis->derived->layers.nodes[layer].kind;
		if (!placed || kind != LAYER_PYTHON) { /* functions are named by their place */
			add_share(out, &first, blame->layer_ns[layer], blame->total,
				  kind < LAYER_PYTHON ? "in layer" : "in");
			detect_add_layer(out, blame->diagnosis->derived, layer);
		}
		set_subject(finding, SUBJECT_LAYER, layer);
	}
}

void blame_settle(struct blame *blame, struct finding *finding, enum finding_subject subject)
{
	if (finding->answer == ANSWER_FIRED)
		write_blame(blame, finding, subject);
	mem_free(blame->operator_ns);
	mem_free(blame->kernel_ns);
	mem_free(blame->place_ns);
	mem_free(blame->layer_ns);
}
