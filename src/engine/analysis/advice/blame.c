#include "analysis/advice/detect.h"
#include "analysis/advice/own_code.h"
#include "analysis/host_walk.h"
#include "base/any_of.h"
#include "base/text.h"
#include "model/python_stats.h"

#include <ctype.h>

static void add_cost(const struct diagnosis *diagnosis, int64_t **costs, uint32_t string,
		     int64_t ns)
{
	if (!*costs)
		*costs = mem_zalloc(intern_count(diagnosis->profile->strings), sizeof **costs);
	(*costs)[string] += ns;
}

/* The innermost annotation around a span; what is around that blamed last, too, is known. */
static uint32_t annotation_around(const struct profile *profile, const struct blame *blame,
				  uint32_t span)
{
	uint32_t last = blame->layer_ns ? blame->last : NO_ROW, range = blame->last_range;
	for (; span != NO_ROW && profile->span_kind[span] != SPAN_ANNOTATION;
	     span = profile->span_parent[span])
		if (span <= last && last < span + profile->span_size[span] &&
		    (range == NO_ROW || range <= span))
			return range;
	return span;
}

void blame_span(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span,
		int64_t ns)
{
	const struct profile *profile = diagnosis->profile;
	const struct layer_tree *layers = &diagnosis->derived->layers;
	uint32_t name = operator_around(diagnosis, span), code = code_around(diagnosis, span);
	struct blame *blame = &finding->blame;
	if (name != NO_ROW)
		add_cost(diagnosis, &blame->operator_ns, name, ns);
	if (code)
		add_cost(diagnosis, &blame->place_ns, code, ns);
	uint32_t range = annotation_around(profile, blame, span);
	if (range != NO_ROW)
		add_cost(diagnosis, &blame->range_ns, profile->span_name[range], ns);
	blame->last = span;
	blame->last_range = range;
	blame->layer_ns = blame->layer_ns ?: mem_zalloc(layers->count, sizeof *blame->layer_ns);
	blame->layer_ns[diagnosis->layer_of[layers->span_node[span]]] += ns;
	blame->total += ns;
}

void blame_activity(const struct diagnosis *diagnosis, struct finding *finding, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t launch = profile->activity_launch[activity];
	int64_t ns = profile->activity_dur[activity];
	add_cost(diagnosis, &finding->blame.kernel_ns, profile->activity_name[activity], ns);
	if (launch != NO_ROW)
		blame_span(diagnosis, finding, launch, ns);
	else
		finding->blame.total += ns;
}

void blame_kernels(const struct diagnosis *diagnosis, struct finding *finding, uint32_t name,
		   int64_t ns)
{
	add_cost(diagnosis, &finding->blame.kernel_ns, name, ns);
	finding->blame.total += ns;
}

/* Gaps are walked through as they are found, this many at a time. */
enum { GAPS_AT_ONCE = 1 << 14 };

struct blaming {
	const struct diagnosis *diagnosis;
	struct finding *finding;
	enum time_cause cause;
	bool launching; /* the threads that launch, or the others */
	struct intervals gaps;
};

static void visit_cause(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct blaming *blaming = context;
	if (blaming->diagnosis->causes->span_cause[span] == blaming->cause)
		blame_span(blaming->diagnosis, blaming->finding, span, end - start);
}

static void walk_gaps(struct blaming *blaming)
{
	const struct diagnosis *diagnosis = blaming->diagnosis;
	for (uint32_t t = 0; t < diagnosis->profile->track_count; t++)
		if (diagnosis->profile->tracks[t].device < 0 &&
		    diagnosis->launching[t] == blaming->launching)
			host_walk(diagnosis->derived, t, &blaming->gaps, visit_cause, blaming,
				  diagnosis->progress);
	blaming->gaps.count = 0;
}

static void blame_gap(void *context, int64_t start, int64_t end)
{
	struct blaming *blaming = context;
	intervals_add(&blaming->gaps, start, end);
	if (blaming->gaps.count == GAPS_AT_ONCE)
		walk_gaps(blaming);
}

void blame_cause_in(const struct diagnosis *diagnosis, struct finding *finding,
		    enum time_cause cause, const struct intervals *within)
{
	struct blaming blaming = { diagnosis, finding, cause, true, { 0 } };
	for (int pass = 0; pass < 2 && !finding->blame.total; pass++) {
		blaming.launching = !pass;
		causes_visit(diagnosis->device, cause, within, blame_gap, &blaming);
		walk_gaps(&blaming);
	}
	intervals_free(&blaming.gaps);
}

uint32_t most_costly(const int64_t *costs, size_t count)
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

void add_python_function(struct buffer *out, const struct frame_name *function)
{
	struct text_slice file = function->file;
	buffer_add(out, function->function.text, function->function.length);
	if (!file.length || file.text[0] == '<' || python_is_builtin_file(file.text, file.length))
		return;
	size_t start = text_path_end(file.text, file.length, 2);
	buffer_printf(out, " at %.*s", (int)(file.length - start), file.text + start);
	if (function->line != NO_VALUE && function->line > 0)
		buffer_printf(out, ":%" PRId64, function->line);
}

void add_name(struct buffer *out, const char *name)
{
	enum { NAME_COLUMNS = 72 };
	AUTO_BUFFER struct buffer safe = { 0 };
	text_escape(&safe, name, strlen(name));
	text_elide(out, BUFFERED(&safe), NAME_COLUMNS, true);
}

enum { WORTH_NAMING_PERCENT = 10 };

static bool worth_naming(const struct blame *blame, const int64_t *costs, uint32_t key)
{
	return key != NO_ROW &&
	       percent_of((double)costs[key], (double)blame->total) >= WORTH_NAMING_PERCENT;
}

bool blame_has_one_place(const struct diagnosis *diagnosis, const struct blame *blame)
{
	uint32_t place = most_costly(blame->place_ns, intern_count(diagnosis->profile->strings));
	return place != NO_ROW && 2 * blame->place_ns[place] >= blame->total;
}

/* "; 63.0 % in " for the first of a finding, ", 41.2 % at " for the following. */
static void add_share(struct buffer *out, bool *first, int64_t part, int64_t whole,
		      const char *preposition)
{
	buffer_printf(out, "%s%s %% %s%s ", *first ? "; " : ", ", PERCENT(part, whole),
		      *first ? "of it " : "", preposition);
	*first = false;
}

void set_subject(struct finding *finding, enum finding_subject subject, uint32_t row)
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

/* Of a longer path of layers the first is written, and the last ones within this many bytes. */
enum { LAYER_BYTES = 80 };

/* "log_softmax/functional.py:1370": layers of PyProf are named by places, here without folders. */
static void blame_add_layer(struct buffer *out, const struct derived *derived, uint32_t layer)
{
	AUTO_BUFFER struct buffer path = { 0 };
	layer_path(derived, layer, &path);
	/* Counted, not to the next NUL: a name may hold any byte. */
	const char *start = buffer_text(&path), *at = start, *end = at + path.length, *slash;
	for (bool left_out = false; at < end; at = slash) {
		bool first = at == start;
		at += text_folders(at, (size_t)(end - at));
		slash = memchr(at, '/', (size_t)(end - at));
		slash = slash ? slash + 1 : end;
		bool written = first || slash == end || end - at <= LAYER_BYTES;
		if (written)
			buffer_add(out, at, (size_t)(slash - at));
		else if (!left_out)
			buffer_add(out, "…/", sizeof "…/" - 1);
		left_out |= !written;
	}
}

/*
 * Annotations that differ in numbers only, "layer_0_load", are one: none of them may be worth
 * naming. Names the one that costs most.
 */
static void blame_add_ranges(const struct diagnosis *diagnosis, struct finding *finding,
			     bool *first)
{
	const struct blame *blame = &finding->blame;
	const struct profile *profile = diagnosis->profile;
	uint32_t strings = intern_count(profile->strings), best = 0, most = NO_ROW;
	struct intern *stems = intern_new();
	AUTO_FREE uint32_t *stem_of_name = mem_zalloc(strings, sizeof *stem_of_name);
	AUTO_FREE struct numbered {
		int64_t ns, names;
	} *sums = mem_zalloc((size_t)strings + 1, sizeof *sums);
	AUTO_BUFFER struct buffer stem = { 0 };
	for (uint32_t i = 0; blame->range_ns && i < strings; i++) {
		if (!blame->range_ns[i])
			continue;
		buffer_clear(&stem);
		for (const char *at = profile_string(profile, i); *at;)
			if (isdigit((unsigned char)*at)) {
				buffer_putc(&stem, '0');
				at += strspn(at, "0123456789");
			} else
				buffer_putc(&stem, *at++);
		uint32_t id = stem_of_name[i] = intern_add(stems, stem.data, stem.length) + 1;
		sums[id].ns += blame->range_ns[i];
		sums[id].names++;
		best = sums[id].ns > sums[best].ns ? id : best;
	}
	intern_free(stems);
	for (uint32_t i = 0; i < strings; i++)
		if (best && stem_of_name[i] == best &&
		    (most == NO_ROW || blame->range_ns[i] > blame->range_ns[most]))
			most = i;
	if (most == NO_ROW ||
	    percent_of((double)sums[best].ns, (double)blame->total) < WORTH_NAMING_PERCENT)
		return;
	add_share(&finding->evidence, first, sums[best].ns, blame->total, "in");
	if (sums[best].names > 1)
		buffer_printf(&finding->evidence, "%s ranges like ", COUNT(sums[best].names));
	add_name(&finding->evidence, profile_string(profile, most));
	set_subject(finding, SUBJECT_EVENTS, most);
}

static void write_blame(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct blame *blame = &finding->blame;
	const struct profile *profile = diagnosis->profile;
	const struct layer_tree *layers = &diagnosis->derived->layers;
	struct buffer *out = &finding->evidence;
	size_t strings = intern_count(profile->strings);
	bool kernels = blame->kernel_ns && !blame->name_operators;
	const int64_t *costs = kernels ? blame->kernel_ns : blame->operator_ns;
	uint32_t name = most_costly(costs, strings);
	uint32_t place = most_costly(blame->place_ns, strings);
	uint32_t layer = most_costly(blame->layer_ns, layers->count);
	bool first = true, placed = worth_naming(blame, blame->place_ns, place);
	if (worth_naming(blame, costs, name)) {
		add_share(out, &first, costs[name], blame->total, "in");
		add_name(out, profile_string(profile, name));
		if (kernels)
			set_subject(finding, SUBJECT_KERNEL, name);
		else
			set_subject_events(diagnosis, finding, name);
	}
	if (placed) {
		add_share(out, &first, blame->place_ns[place], blame->total, "at");
		add_place(out, profile_string(profile, place));
	}
	if (layer != 0 && worth_naming(blame, blame->layer_ns, layer)) {
		enum layer_kind kind = layers->nodes[layer].kind;
		if (!placed || kind != LAYER_PYTHON) { /* functions are named by their place */
			add_share(out, &first, blame->layer_ns[layer], blame->total,
				  kind < LAYER_PYTHON ? "in layer" : "in");
			blame_add_layer(out, diagnosis->derived, layer);
		}
		set_subject(finding, SUBJECT_LAYER, layer);
	}
	if (first)
		blame_add_ranges(diagnosis, finding, &first);
}

void blame_settle(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct blame *blame = &finding->blame;
	if (finding->answer == ANSWER_FIRED)
		write_blame(diagnosis, finding);
	mem_free_all(blame->operator_ns, blame->kernel_ns, blame->place_ns, blame->range_ns,
		     blame->layer_ns);
	*blame = (struct blame){ 0 };
}

void add_costly(const struct diagnosis *diagnosis, struct buffer *out, int64_t *costs, double all,
		int most, double least)
{
	const struct profile *profile = diagnosis->profile;
	for (int i = 0; i < most; i++) {
		uint32_t name = most_costly(costs, intern_count(profile->strings));
		if (name == NO_ROW || percent_of((double)costs[name], all) < least)
			return;
		buffer_puts(out, i ? ", " : "");
		add_name(out, profile_string(profile, name));
		buffer_printf(out, " %s %%", PERCENT(costs[name], all));
		costs[name] = 0;
	}
}
