#include "views/source_place.h"

#include "analysis/advice/own_code.h"
#include "base/platform.h"
#include "model/compile_log.h"
#include "model/python_stats.h"
#include "session/load.h"
#include "views/views.h"

#include <ctype.h>
#include <math.h>

/* ---- parsing ---- */

enum { LINE_DIGITS = 9 };

/* Digits from AT on; their end in *END. -1: none. */
static int64_t source_place_read_line(const char *text, size_t length, size_t at, size_t *end)
{
	int64_t line = 0;
	for (*end = at; *end < length && isdigit((unsigned char)text[*end]); ++*end) {
		if (*end - at == LINE_DIGITS)
			return -1;
		line = 10 * line + (text[*end] - '0');
	}
	return *end > at ? line : -1;
}

/* Does the number at AT..END follow the name of a file? */
static bool is_line(const char *text, size_t length, size_t at, size_t end)
{
	char before = text[at - 1], after = end < length ? text[end] : '\0';
	return before == '(' ? after == ')'
			     : before == ':' && (!after || after == '(' || after == ')' ||
						 after == ':' || after == ' ');
}

bool code_place_parse(const char *text, size_t length, struct code_place *place)
{
	for (size_t at = 1; at < length; at++) {
		size_t end, start = 0;
		int64_t line = source_place_read_line(text, length, at, &end);
		if (line <= 0 || isdigit((unsigned char)text[at - 1]) ||
		    !is_line(text, length, at, end))
			continue;
		if (end < length && text[at - 1] == ':' && text[end] == ')') {
			const char *open = platform_memrchr(text, '(', at - 1);
			start = open ? (size_t)(open - text) + 1 : 0;
		}
		if (at - 1 <= start || text[start] == '<' ||
		    !memchr(text + start, '.', at - 1 - start))
			continue;
		*place = (struct code_place){ text + start, at - 1 - start, line };
		return true;
	}
	return false;
}

/* ---- the place of a row ---- */

void source_of_cells(const struct table *table, size_t row, struct buffer *frame)
{
	static const char *const ids[] = { "source", "name", "stack", "owner" };
	struct value file = table_cell_or_missing(table, row, "file"),
		     line = table_cell_or_missing(table, row, "line");
	struct code_place place;
	if (file.kind == VALUE_TEXT && line.kind == VALUE_INT && line.integer > 0) {
		buffer_printf(frame, "%.*s:%lld", (int)file.length, file.text,
			      (long long)line.integer);
		return;
	}
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct value text = table_cell_or_missing(table, row, ids[i]);
		if (text.kind != VALUE_TEXT || !code_place_parse(text.text, text.length, &place))
			continue;
		struct code_frame own = own_frame_of_stack(text.text);
		const char *last = platform_memrchr(text.text, ';', text.length);
		if (!last)
			own = (struct code_frame){ text.text, text.length };
		else if (!code_place_parse(own.text, own.length, &place))
			own = (struct code_frame){ last + 1, strlen(last + 1) };
		buffer_add(frame, own.text, own.length);
		return;
	}
}

/* The user's frame around a span, of backward work that of its forward operator. */
static struct code_frame frame_of_span(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	const char *name = profile_string(profile, profile->span_name[span]);
	if (profile->span_kind[span] == SPAN_PYTHON)
		return (struct code_frame){ name, strlen(name) };
	struct code_frame frame = own_frame_around(profile, span);
	uint32_t forward = frame.length ? NO_ROW : links_forward(derived, span);
	return forward == NO_ROW ? frame : own_frame_around(profile, forward);
}

/* The span that launched an activity: an operator, else the call; NO_ROW. */
static uint32_t span_of_activity(const struct derived *derived, uint32_t activity)
{
	uint32_t span = derived->activity_operator[activity];
	return span == NO_ROW ? derived->profile->activity_launch[activity] : span;
}

static uint32_t span_of(const struct derived *derived, struct ref ref)
{
	switch (ref.kind) {
	case REF_CALL:
	case REF_LINK: return ref.a;
	case REF_LAUNCH: return span_of_activity(derived, ref.a);
	default: return NO_ROW;
	}
}

static void source_place_add_function(const struct profile *profile, uint32_t index,
				      struct buffer *frame)
{
	const struct python_function *function = &profile->python->functions[index];
	if (function->line > 0)
		buffer_printf(frame, "%s:%lld", profile_string(profile, function->file),
			      (long long)function->line);
}

static void source_place_add_frame(const struct run *run, const struct scope *scope,
				   const struct derived *derived, struct ref ref,
				   struct buffer *frame, const struct progress *progress)
{
	struct location at;
	if (ref.kind == REF_FINDING)
		ref = advice_subject(ref);
	if (ref.kind == REF_FUNCTION) {
		source_place_add_function(derived->profile, ref.a, frame);
		return;
	}
	uint32_t span = span_of(derived, ref);
	if (span == NO_ROW && view_locate(run, scope, ref, &at, progress))
		span = span_of(derived, at.event);
	if (span == NO_ROW)
		return;
	struct code_frame own = frame_of_span(derived, span);
	buffer_add(frame, own.text, own.length);
}

/* ---- times of lines ---- */

static void source_place_add_time(struct row_source *source, int64_t line, int64_t ns)
{
	size_t at = 0;
	while (at < source->count && source->times[at].line != line)
		at++;
	if (at == source->count) {
		*mem_push(source->times, source->count) = (struct line_time){ line, 0 };
	}
	source->times[at].ns += ns;
}

static void add_line_profile(struct row_source *source, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; stats && i < stats->line_count; i++) {
		const struct python_line *line = &stats->lines[i];
		if (strcmp(profile_string(profile, line->file), buffer_text(&source->file)) != 0 ||
		    !(line->self_s > 0) || line->self_s > 9e9)
			continue;
		source_place_add_time(source, line->line, llround(line->self_s * 1e9));
		source->time = "time";
	}
}

struct summing {
	const struct derived *derived;
	struct row_source *source;
	int64_t *lines; /* by string, a frame or stack: its line in the file, -1: none, 0: unseen */
};

/* Line of the file that a frame names. */
static int64_t source_place_line_of(struct summing *self, uint32_t string, struct code_frame frame)
{
	const struct buffer *file = &self->source->file;
	struct code_place place;
	if (self->lines[string])
		return self->lines[string];
	bool here = frame.length && code_place_parse(frame.text, frame.length, &place) &&
		    place.length == file->length &&
		    memcmp(place.file, buffer_text(file), place.length) == 0;
	return self->lines[string] = here ? place.line : -1;
}

static int64_t line_around(struct summing *self, uint32_t span)
{
	const struct profile *profile = self->derived->profile;
	const struct op_info *info = profile_op_info(profile, span);
	if (info && info->stack)
		return source_place_line_of(
			self, info->stack,
			own_frame_of_stack(profile_string(profile, info->stack)));
	for (uint32_t at = profile->span_parent[span]; at != NO_ROW;
	     at = profile->span_parent[at]) {
		uint32_t name = profile->span_name[at];
		const char *text = profile_string(profile, name);
		if (profile->span_kind[at] != SPAN_PYTHON)
			continue;
		int64_t line =
			source_place_line_of(self, name, (struct code_frame){ text, strlen(text) });
		if (line > 0 || is_own_code(text))
			return line;
	}
	return 0;
}

/* As frame_of_span finds it; not positive: in another file, or unknown. */
static int64_t line_of_span(struct summing *self, uint32_t span)
{
	int64_t line = line_around(self, span);
	uint32_t forward = line ? NO_ROW : links_forward(self->derived, span);
	return forward == NO_ROW ? line : line_around(self, forward);
}

static const char stage[] = "adding up lines";

/* Device work by the line that called its operator; else the operators' own time. */
static bool add_row_times(struct summing *self, bool device, const struct progress *progress)
{
	const struct profile *profile = self->derived->profile;
	uint32_t rows = device ? profile->activities : profile->spans;
	bool ok = true;
	for_heavy_rows (ok, i, rows, progress, stage, 8) {
		bool counts = device ? profile_is_work(profile, i)
				     : profile->span_kind[i] == SPAN_OPERATOR;
		uint32_t span = !counts ? NO_ROW : device ? span_of_activity(self->derived, i) : i;
		int64_t line = span == NO_ROW ? 0 : line_of_span(self, span);
		if (line <= 0)
			continue;
		source_place_add_time(self->source, line,
				      device ? profile->activity_dur[i]
					     : derived_self(self->derived, i));
		self->source->time = device ? "GPU time" : "CPU time";
	}
	return ok;
}

static bool add_times(struct row_source *source, const struct derived *derived,
		      const struct progress *progress)
{
	struct summing self = { .derived = derived, .source = source };
	bool good = true;
	add_line_profile(source, derived->profile);
	if (source->count)
		return true;
	self.lines =
		mem_zalloc(intern_count(derived->profile->strings) + (size_t)1, sizeof *self.lines);
	good = add_row_times(&self, true, progress);
	if (good && !source->count)
		good = add_row_times(&self, false, progress);
	mem_free(self.lines);
	return good;
}

/* The file that Inductor wrote a kernel to, which its launching operator names. */
static void add_kernel_file(const struct run *run, const struct scope *scope,
			    const struct profile *profile, struct ref ref, struct buffer *frame,
			    const struct progress *progress)
{
	struct location at;
	if (ref.kind != REF_LAUNCH && view_locate(run, scope, ref, &at, progress))
		ref = at.event;
	uint32_t file = ref.kind == REF_LAUNCH ? compile_key_of(profile, ref.a).file : NO_ROW;
	if (file != NO_ROW)
		buffer_printf(frame, "%s:1", profile_string(profile, file));
}

bool view_source(const struct run *run, const struct scope *scope, struct ref ref,
		 const char *frame, struct row_source *source, const struct progress *progress)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	AUTO_BUFFER struct buffer text = { 0 };
	struct code_place place;
	*source = (struct row_source){ 0 };
	if (!rank)
		return false;
	ref_require(rank->derived, ref);
	source->why = rank->profile->snapshot
			      ? "It was allocated before the recording began, or in C++ alone."
			      : profile_how_to_record(rank->profile, RECORDED_STACKS);
	buffer_puts(&text, frame);
	if (!text.length)
		source_place_add_frame(run, scope, rank->derived, ref, &text, progress);
	if (!text.length)
		add_kernel_file(run, scope, rank->profile, ref, &text, progress);
	bool good = code_place_parse(BUFFERED(&text), &place);
	if (good) {
		buffer_add(&source->file, place.file, place.length);
		source->line = place.line;
		good = add_times(source, rank->derived, progress);
	}
	return good;
}

bool view_has_source(const struct run *run, const struct scope *scope, struct ref ref)
{
	AUTO_RANK const struct rank *rank = run_peek(run, scope->rank);
	if (!rank)
		return false;
	uint32_t span = span_of(rank->derived, ref);
	if (span != NO_ROW)
		return frame_of_span(rank->derived, span).length > 0 ||
		       (ref.kind == REF_LAUNCH &&
			(rank->profile->compile ||
			 compile_key_of(rank->profile, ref.a).file != NO_ROW));
	if (ref.kind == REF_FUNCTION)
		return rank->profile->python->functions[ref.a].line > 0;
	return ref.kind == REF_LAYER || ref.kind == REF_OPERATOR || ref.kind == REF_KERNEL ||
	       ref.kind == REF_MODULE || ref.kind == REF_CODE;
}

CLEAR_MEMBERS(row_source_clear, struct row_source, OWN_IN(buffer_free, file) OWN(times))
