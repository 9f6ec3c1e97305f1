#include "base/any_of.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "base/compare.h"
#include "base/demangle.h"
#include "base/hash.h"
#include "base/literal.h"
#include "base/sort.h"
#include "base/text_slice.h"

/* ---- sequence numbers of operators, from the texts of ranges: "name, seq = 5" ---- */

struct sequence_key {
	const char *text;
	const char *number, *name; /* PyProf sorts by number as text, then by name */
	size_t number_length, name_length;
};

static struct sequence_key pyprof_sequences_key_of(const char *text)
{
	const char *mark = strstr(text, " = ");
	const char *number = mark + 3, *end = strstr(number, " = ");
	return (struct sequence_key){
		.text = text,
		.name = text,
		.name_length = (size_t)(mark - text),
		.number = number,
		.number_length = end ? (size_t)(end - number) : strlen(number),
	};
}

static int compare_sequences(const void *a, const void *b)
{
	const struct sequence_key *x = a, *y = b;
	size_t length_x = x->number_length + x->name_length;
	size_t length_y = y->number_length + y->name_length;
	for (size_t i = 0; i < length_x && i < length_y; i++) {
		unsigned char c =
			(unsigned char)(i < x->number_length ? x->number[i]
							     : x->name[i - x->number_length]);
		unsigned char d =
			(unsigned char)(i < y->number_length ? y->number[i]
							     : y->name[i - y->number_length]);
		if (c != d)
			return c < d ? -1 : 1;
	}
	return (length_x > length_y) - (length_x < length_y);
}

/* True if the numbers are equal and one name contains the other. */
static bool are_equivalent(const char *a, const char *b)
{
	size_t length_a = strcspn(a, ","), length_b = strcspn(b, ",");
	if (strcmp(a + length_a, b + length_b) != 0)
		return false;
	return memmem(b, length_b, a, length_a) || memmem(a, length_a, b, length_b);
}

/* Sort; remove duplicates and entries equivalent to their predecessor. */
static void pyprof_prune_sequences(struct pyprof_texts *found)
{
	size_t count = found->count, unique = 0, kept = 0;
	AUTO_FREE struct sequence_key *keys = mem_alloc((count + 1) * sizeof *keys);
	for (size_t i = 0; i < count; i++)
		keys[i] = pyprof_sequences_key_of(found->item[i]);
	sort_items(keys, count, compare_sequences);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(keys[i].text, keys[i - 1].text) != 0)
			keys[unique++] = keys[i];
	for (size_t i = 0; i < unique; i++)
		if (!i || !are_equivalent(keys[i - 1].text, keys[i].text))
			found->item[kept++] = keys[i].text;
	found->count = kept;
}

/* Insert a number in its place, once; there is room. */
static void pyprof_insert_id(struct pyprof_ids *ids, int64_t id)
{
	size_t at = ids->count;
	for (size_t i = 0; i < ids->count; i++)
		if (ids->id[i] == id)
			return;
	for (; at > 0 && ids->id[at - 1] > id; at--)
		ids->id[at] = ids->id[at - 1];
	ids->id[at] = id;
	ids->count++;
}

/* The distinct numbers in the texts, ascending, in ARENA. */
static struct pyprof_ids pyprof_ids_of(struct arena *arena, const struct pyprof_texts *found)
{
	struct pyprof_ids ids = { 0 };
	ids.id = arena_alloc(arena, (found->count + 1) * sizeof *ids.id);
	for (size_t i = 0; i < found->count; i++) {
		char *end;
		const char *digits = strchr(found->item[i], '=') + 1;
		long long id = strtoll(digits, &end, 10);
		if (end != digits)
			pyprof_insert_id(&ids, id);
	}
	/* 0 is dropped if there are others */
	if (ids.count > 1 && ids.id[0] == 0)
		memmove(ids.id, ids.id + 1, --ids.count * sizeof *ids.id);
	return ids;
}

/* ---- ranges by thread ---- */

struct pyprof_ranges_mark {
	int64_t start, end;
	uint32_t track, span;
	int64_t reach; /* latest end of this mark and earlier ones on the thread */
};

/* Ranges enclosing a kernel, by kind of text. */
enum mark_class { MARK_CLASS_ROWS(LISTED) MARK_CLASSES };

struct pyprof_ranges_reader {
	const struct profile *profile;
	struct arena *arena;
	GROWING(struct pyprof_ranges_mark, marks, mark_count);
	int64_t *swept; /* by track: ranges that ended before this are dropped */
	struct pyprof_texts found[MARK_CLASSES];
	struct hash *calls; /* id → its calls */
	bool one_call;      /* runtime calls have priority over driver calls; otherwise each makes a
			       kernel */
	const char **texts; /* by span: text of the range, built on first use */

	/* PyProf numbers calls across all threads */
	int64_t last_sequence, last_sub;
	struct pyprof_texts last_op;
	const struct progress *progress;
};

static const char *span_attribute(const struct profile *profile, uint32_t span, const char *key)
{
	uint32_t text = profile_span_attribute(profile, span, profile_find(profile, key));
	return text == NO_ROW ? NULL : profile_string(profile, text);
}

static bool is_range(const struct profile *profile, uint32_t span)
{
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	return ((kind == SPAN_OPERATOR || kind == SPAN_ANNOTATION) ||
		span_attribute(profile, span, NVTX_TEXT)) &&
	       !span_attribute(profile, span, NVTX_UNFINISHED);
}

/* Original thread of a range, which may have been moved to another lane. */
static uint32_t pyprof_ranges_thread_of(const struct profile *profile, uint32_t span)
{
	uint32_t track = profile->span_track[span];
	const char *thread = span_attribute(profile, span, NVTX_THREAD);
	for (uint32_t i = 0; thread && i < profile->track_count; i++)
		if (profile->tracks[i].process == profile->tracks[track].process &&
		    profile->tracks[i].device < 0 && profile->tracks[i].tid == atoll(thread))
			return i;
	return track;
}

COMPARE_MEMBERS(compare_marks, struct pyprof_ranges_mark, UP(track) UP(start) UP(span))

/* Poll for cancellation at row DONE of TOTAL; a row costs WEIGHT plain ones. */
static bool pyprof_ranges_check_cancelled(const struct pyprof_ranges_reader *reader, uint64_t done,
					  uint64_t total, uint32_t weight)
{
	return progress_heavy_row(reader->progress, "finding ranges", done, total, weight);
}

static bool collect_marks(struct pyprof_ranges_reader *reader)
{
	const struct profile *profile = reader->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!pyprof_ranges_check_cancelled(reader, i, profile->spans, 8))
			return false;
		if (!is_range(profile, i))
			continue;
		*mem_push(reader->marks, reader->mark_count) = (struct pyprof_ranges_mark){
			.start = profile->span_start[i],
			.end = profile->span_start[i] + profile->span_dur[i],
			.track = pyprof_ranges_thread_of(profile, i),
			.span = i,
		};
	}
	if (!sort_runs(reader->marks, reader->mark_count, sizeof *reader->marks, compare_marks,
		       reader->progress))
		return false;
	for (size_t i = 0; i < reader->mark_count; i++) {
		struct pyprof_ranges_mark *mark = &reader->marks[i];
		bool first = i == 0 || mark[-1].track != mark->track;
		mark->reach = first || mark[-1].reach < mark->end ? mark->end : mark[-1].reach;
	}
	return true;
}

/* Number of marks before the first one of TRACK that starts at or after START. */
static size_t marks_before(const struct pyprof_ranges_reader *reader, uint32_t track, int64_t start)
{
	const struct pyprof_ranges_mark *marks = reader->marks;
	return search_first(i, (size_t)0, reader->mark_count,
			    marks[i].track > track ||
				    (marks[i].track == track && marks[i].start >= start));
}

/* ---- texts ---- */

/* Original text of a range. */
static const char *mark_text(struct pyprof_ranges_reader *reader, uint32_t span)
{
	const struct profile *profile = reader->profile;
	if (reader->texts[span])
		return reader->texts[span];
	const char *text = span_attribute(profile, span, NVTX_TEXT);
	const struct op_ids *ids = profile_op_ids(profile, span);
	struct buffer whole = { 0 };
	if (!text) {
		buffer_puts(&whole, profile_string(profile, profile->span_name[span]));
		if (ids && ids->sequence != NO_VALUE)
			buffer_printf(&whole, ", seq = %lld", (long long)ids->sequence);
		text = arena_strndup(reader->arena, BUFFERED(&whole));
		buffer_free(&whole);
	}
	reader->texts[span] = text;
	return text;
}

static enum mark_class pyprof_ranges_class_of(const char *text)
{
	if (strstr(text, "mod") && strstr(text, "op") && strstr(text, "args") &&
	    strstr(text, "type"))
		return MARK_ARGUMENTS;
	if (strstr(text, "layer:"))
		return MARK_LAYER;
	if (strstr(text, "traceMarker"))
		return MARK_TRACE;
	if (strstr(text, "strRepr"))
		return MARK_REPR;
	return strstr(text, ", seq = ") ? MARK_SEQUENCE : MARK_OTHER;
}

/*
 * Ranges enclosing a launch, outermost first. After each kernel PyProf drops the ranges of its
 * thread that ended before its launch, so out-of-order kernels lose theirs.
 */
static void find_marks(struct pyprof_ranges_reader *reader, uint32_t call)
{
	const struct profile *profile = reader->profile;
	uint32_t track = profile->span_track[call];
	int64_t start = profile->span_start[call], end = start + profile->span_dur[call];
	size_t last = marks_before(reader, track, start), first = last;
	for (int i = 0; i < MARK_CLASSES; i++)
		reader->found[i].count = 0;
	while (first > 0 && reader->marks[first - 1].track == track &&
	       reader->marks[first - 1].reach > end)
		first--;
	for (size_t i = first; i < last; i++) {
		const struct pyprof_ranges_mark *mark = &reader->marks[i];
		if (mark->end <= end || mark->end < reader->swept[track])
			continue;
		const char *text = mark_text(reader, mark->span);
		if (strstr(text, "CheckpointFunctionBackward"))
			continue;
		struct pyprof_texts *found = &reader->found[pyprof_ranges_class_of(text)];
		*mem_push(found->item, found->count) = text;
	}
	raise_to(reader->swept[track], start);
}

static struct pyprof_texts keep_list(struct pyprof_ranges_reader *reader,
				     const struct pyprof_texts *list)
{
	struct pyprof_texts copy = { .count = list->count };
	copy.item = arena_alloc(reader->arena, (list->count + 1) * sizeof *copy.item);
	if (list->count)
		memcpy(copy.item, list->item, list->count * sizeof *copy.item);
	return copy;
}

/* Layer names: between the first and second colon. */
static struct pyprof_texts layers_of(struct pyprof_ranges_reader *reader)
{
	struct pyprof_texts layers = keep_list(reader, &reader->found[MARK_LAYER]);
	for (size_t i = 0; i < layers.count; i++) {
		const char *name = strchr(layers.item[i], ':') + 1;
		layers.item[i] = arena_strndup(reader->arena, name, strcspn(name, ":"));
	}
	return layers;
}

/* The innermost trace, without library frames. */
static struct pyprof_texts trace_of(struct pyprof_ranges_reader *reader)
{
	const struct pyprof_texts *found = &reader->found[MARK_TRACE];
	struct pyprof_texts trace = { 0 };
	const char *text = found->count ? found->item[found->count - 1] : "";
	const struct literal *frames =
		literal_get(literal_parse(reader->arena, text, strlen(text)), "traceMarker");
	if (!literal_is_sequence(frames))
		return trace;
	trace.item = arena_alloc(reader->arena, (frames->count + 1) * sizeof *trace.item);
	for_each (frame, frames->items, frames->count)
		if (frame->kind == LITERAL_TEXT &&
		    !text_has_one(frame->text, strlen(frame->text),
				  "/torch/nn/modules/|/torch/nn/functional.py|/torch/tensor.py|"
				  "/torch/autograd/__init__.py|/torch/_jit_internal.py|"
				  "/pyprof/nvtx/nvmarker.py|/apex/optimizers/|/torch/_utils.py|"
				  "/torch/optim/"))
			trace.item[trace.count++] = frame->text;
	return trace;
}

/* ---- operators ---- */

static bool is_backward(const struct pyprof_texts *sequences)
{
	return any_of(i, sequences->count,
		      text_has_one(sequences->item[i], strlen(sequences->item[i]),
				   "Backward, seq = |backward, seq = |Backward0, seq = "));
}

/* Name of a backward function without autograd's decoration. */
static const char *plain_name(struct pyprof_ranges_reader *reader, const char *text)
{
	static const char *const words[] = { "torch", "autograd", "_backward",
					     "::",    "jit",      "(anonymous namespace)" };
	char *name = arena_strndup(reader->arena, text, strcspn(text, ","));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (char *at; (at = strstr(name, words[i]));)
			memmove(at, at + strlen(words[i]), strlen(at + strlen(words[i])) + 1);
	char *cut = strstr(name, "Backward");
	if (cut)
		*cut = 0;
	return name;
}

static void add_op(struct pyprof_kernel *kernel, const char *mod, const char *op)
{
	kernel->mod.item[kernel->mod.count++] = mod;
	if (op)
		kernel->op.item[kernel->op.count++] = op;
}

static void ops_of_arguments(struct pyprof_ranges_reader *reader, struct pyprof_kernel *kernel)
{
	for (size_t i = 0; i < kernel->marker.count; i++) {
		const char *text = kernel->marker.item[i];
		const struct literal *marker = literal_parse(reader->arena, text, strlen(text));
		const struct literal *mod = literal_get(marker, "mod");
		const struct literal *op = literal_get(marker, "op");
		if (mod && op && mod->kind == LITERAL_TEXT && op->kind == LITERAL_TEXT)
			add_op(kernel, mod->text, op->text);
	}
}

static void name_ops(struct pyprof_ranges_reader *reader, struct pyprof_kernel *kernel)
{
	const struct pyprof_texts *sequences = &reader->found[MARK_SEQUENCE];
	const struct pyprof_texts *others = &reader->found[MARK_OTHER];
	size_t room = kernel->marker.count + sequences->count + 2;
	kernel->op.item = arena_alloc(reader->arena, room * sizeof *kernel->op.item);
	kernel->mod.item = arena_alloc(reader->arena, room * sizeof *kernel->mod.item);
	ops_of_arguments(reader, kernel);
	for (size_t i = 0; i < sequences->count && !kernel->marker.count; i++)
		if (strstr(sequences->item[i], "ackward, seq = "))
			add_op(kernel, "na", plain_name(reader, sequences->item[i]));
	if (kernel->op.count)
		return;
	for (size_t i = 0; i < sequences->count; i++)
		add_op(kernel, "na",
		       arena_strndup(reader->arena, sequences->item[i],
				     strcspn(sequences->item[i], ",")));
	if (!kernel->op.count)
		add_op(kernel, "na", python_set_first(others->item, others->count));
}

static bool same_texts(const struct pyprof_texts *a, const struct pyprof_texts *b)
{
	bool same = a->count == b->count;
	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->item[i], b->item[i]) == 0;
	return same;
}

/* ---- consecutive calls ---- */

static int64_t current_sequence(const struct pyprof_ranges_reader *reader,
				const struct pyprof_kernel *kernel)
{
	if (kernel->backward)
		return kernel->seq.id[0];
	for (size_t i = 0; i < kernel->seq.count; i++)
		if (kernel->seq.id[i] > reader->last_sequence)
			return kernel->seq.id[i];
	return reader->last_sequence;
}

/*
 * Move ids of other calls to the alternatives; like PyProf's loop, it skips the element after each
 * one moved.
 */
static void split_ids(struct pyprof_ranges_reader *reader, struct pyprof_kernel *kernel,
		      int64_t current)
{
	struct pyprof_ids *seq = &kernel->seq;
	kernel->alt.id = arena_alloc(reader->arena, (seq->count + 1) * sizeof *kernel->alt.id);
	for (size_t i = 0; i < seq->count; i++) {
		if (seq->id[i] == current)
			continue;
		pyprof_insert_id(&kernel->alt, seq->id[i]);
		seq->count--;
		memmove(seq->id + i, seq->id + i + 1, (seq->count - i) * sizeof *seq->id);
	}
}

static void number_kernel(struct pyprof_ranges_reader *reader, struct pyprof_kernel *kernel)
{
	if (!kernel->seq.count)
		return;
	int64_t current = current_sequence(reader, kernel);
	bool same = same_texts(&kernel->op, &reader->last_op);
	const char *mod = kernel->mod.count ? kernel->mod.item[0] : "";
	bool cell = kernel->op.count && strcmp(kernel->op.item[0], "forward") == 0 &&
		    (strcmp(mod, "LSTMCell") == 0 || strcmp(mod, "GRUCell") == 0 ||
		     strcmp(mod, "RNNCell") == 0);
	if (same && (current == reader->last_sequence || cell))
		kernel->sub = reader->last_sub + 1;
	reader->last_sequence = current;
	reader->last_sub = kernel->sub;
	reader->last_op = kernel->op;
	split_ids(reader, kernel, current);
}

/* ---- kernels ---- */

/* Kernel name up to its template arguments, without PyTorch's namespaces. */
static const char *pyprof_ranges_short_name(struct pyprof_ranges_reader *reader, const char *name)
{
	static const char *const words[] = { "void ", "at::", "cuda::", "native::",
					     "(anonymous namespace)::" };
	AUTO_BUFFER struct buffer whole = { 0 };
	if (strncmp(name, "_Z", 2) != 0 || !demangle(&whole, name))
		buffer_puts(&whole, name);
	const char *text = buffer_text(&whole);
	char *out = arena_strndup(reader->arena, text, strcspn(text, "<"));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);
		for (char *at = out; (at = strstr(at, words[i]));)
			memmove(at, at + length, strlen(at + length) + 1);
	}
	out[strcspn(out, "(")] = 0;
	return out;
}

static void pyprof_ranges_add_kernel(struct pyprof_ranges_reader *reader,
				     struct pyprof_kernels *kernels, uint32_t activity,
				     uint32_t call)
{
	const struct profile *profile = reader->profile;
	find_marks(reader, call);
	pyprof_prune_sequences(&reader->found[MARK_SEQUENCE]);
	struct pyprof_kernel *kernel = mem_push(kernels->kernels, kernels->count);
	*kernel = (struct pyprof_kernel){
		.activity = activity,
		.line = (int64_t)kernels->count,
		.name = pyprof_ranges_short_name(
			reader, profile_string(profile, profile->activity_name[activity])),
		.tid = profile->tracks[profile->span_track[call]].tid,
		.backward = is_backward(&reader->found[MARK_SEQUENCE]),
		.layer = layers_of(reader),
		.trace = trace_of(reader),
		.marker = keep_list(reader, &reader->found[MARK_ARGUMENTS]),
		.repr = keep_list(reader, &reader->found[MARK_REPR]),
		.sequences = keep_list(reader, &reader->found[MARK_SEQUENCE]),
		.seq = pyprof_ids_of(reader->arena, &reader->found[MARK_SEQUENCE]),
	};
	name_ops(reader, kernel);
	number_kernel(reader, kernel);
}

/* ---- calls ---- */

/* True for a runtime call, as opposed to the driver call inside it. */
static bool is_runtime(const struct profile *profile, uint32_t call)
{
	return strncmp(profile_string(profile, profile->span_name[call]), "cuda", 4) == 0;
}

/* Mimics PyProf's SQL join: one row per kernel and call, or one per kernel. */
static void read_kernel(struct pyprof_ranges_reader *reader, struct pyprof_kernels *kernels,
			uint32_t activity)
{
	const struct profile *profile = reader->profile;
	uint32_t best = NO_ROW;
	int64_t id = profile->activity_correlation[activity];
	size_t cursor;
	uint64_t key = profile_call_key(profile, profile->activity_track[activity], id);
	uint32_t call = id == NO_VALUE ? NO_ROW : hash_find(reader->calls, key, &cursor);
	for (; call != NO_ROW; call = hash_next(reader->calls, &cursor)) {
		if (!reader->one_call)
			pyprof_ranges_add_kernel(reader, kernels, activity, call);
		else if (best == NO_ROW ||
			 (is_runtime(profile, call) && !is_runtime(profile, best)))
			best = call;
	}
	if (best != NO_ROW)
		pyprof_ranges_add_kernel(reader, kernels, activity, best);
}

bool pyprof_ranges_read(struct pyprof_kernels *kernels, const struct profile *profile,
			const uint32_t *rows, uint32_t count, const struct progress *progress)
{
	static const char *none[] = { "na" };
	struct pyprof_ranges_reader reader = {
		.profile = profile,
		.arena = kernels->arena,
		.progress = progress,
		.last_sequence = -1,
		.last_sub = -1,
		.last_op = { none, 1 },
		.one_call = strncmp(profile->format, "Nsight", 6) != 0,
		.swept = mem_alloc((profile->track_count + 1) * sizeof(int64_t)),
		.texts = mem_zalloc((size_t)profile->spans + 1, sizeof(char *)),
	};
	for (size_t i = 0; i < profile->track_count; i++)
		reader.swept[i] = INT64_MIN;
	bool ok = collect_marks(&reader) &&
		  (reader.calls = profile_index_calls(profile, "finding ranges", progress));
	for (uint32_t i = 0; ok && i < count; i++) {
		read_kernel(&reader, kernels, rows[i]);
		ok = pyprof_ranges_check_cancelled(&reader, i, count, 64);
	}
	for (int i = 0; i < MARK_CLASSES; i++)
		mem_free(reader.found[i].item);
	hash_free(reader.calls);
	mem_free_all(reader.marks, reader.swept, reader.texts);
	return ok;
}
