#include "input/readers.h"

#include "base/error.h"
#include "input/pickle/plain_pickle.h"
#include "input/python/marshal.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdio.h>

struct stats_reader {
	struct profile *profile;
	struct python_stats *stats;
	struct error *error;
	bool of_yappi; /* asks for a class of yappi */
	bool of_tracemalloc;
};

static double real_of(const struct literal *value)
{
	if (value && value->kind == LITERAL_REAL)
		return value->real;
	return value && value->kind == LITERAL_INT ? (double)value->integer : NAN;
}

static int64_t count_of(const struct literal *value)
{
	int64_t number;
	return literal_int(value, &number) ? number : NO_VALUE;
}

static uint32_t pstats_text_of(struct stats_reader *reader, const struct literal *value)
{
	bool text = value && (value->kind == LITERAL_TEXT || value->kind == LITERAL_BYTES);
	return text ? intern_add(reader->profile->strings, value->text, value->count) : 0;
}

/* Function of a (file, line, name) tuple; created on first use. */
static uint32_t function_of(struct stats_reader *reader, const struct literal *key)
{
	uint32_t file = pstats_text_of(reader, literal_item(key, 0));
	uint32_t name = pstats_text_of(reader, literal_item(key, 2));
	return python_function_find(reader->stats, name, file, count_of(literal_item(key, 1)), 0);
}

static bool is_function_key(const struct literal *key)
{
	return key && key->kind == LITERAL_TUPLE && key->count == 3;
}

/* ---- pstats ---- */

/* In pairs the file has total calls first; profile.py stores only that count. */
static void add_caller(struct stats_reader *reader, uint32_t function, const struct literal *key,
		       const struct literal *sums)
{
	bool counted_only = sums->kind == LITERAL_INT;
	*mem_push(reader->stats->callers, reader->stats->caller_count) = (struct python_caller){
		.function = function,
		.caller = function_of(reader, key),
		.calls = counted_only ? sums->integer : count_of(literal_item(sums, 0)),
		.primitive_calls = count_of(literal_item(sums, 1)),
		.self_s = real_of(literal_item(sums, 2)),
		.total_s = real_of(literal_item(sums, 3)),
	};
}

static void pstats_add_function(struct stats_reader *reader, const struct literal *key,
				const struct literal *sums)
{
	uint32_t row = function_of(reader, key);
	struct python_function *function = &reader->stats->functions[row];
	const struct literal *callers = literal_item(sums, 4);
	function->primitive_calls = count_of(literal_item(sums, 0));
	function->calls = count_of(literal_item(sums, 1));
	function->self_s = real_of(literal_item(sums, 2));
	function->total_s = real_of(literal_item(sums, 3));
	function->is_named_only = false;
	if (!callers || callers->kind != LITERAL_DICT)
		return;
	for (size_t i = 0; i < callers->count; i++)
		if (is_function_key(&callers->items[2 * i]))
			add_caller(reader, row, &callers->items[2 * i], &callers->items[2 * i + 1]);
}

/* Create the functions in file order first; callers not listed follow. */
static bool add_functions(struct stats_reader *reader, const struct literal *dict)
{
	if (dict->kind != LITERAL_DICT)
		return error_input(reader->error, "is marshalled Python, but not a profile");
	for (size_t i = 0; i < dict->count; i++)
		if (is_function_key(&dict->items[2 * i]))
			function_of(reader, &dict->items[2 * i]);
	for (size_t i = 0; i < dict->count; i++) {
		const struct literal *key = &dict->items[2 * i], *sums = key + 1;
		if (is_function_key(key) && sums->kind == LITERAL_TUPLE && sums->count == 5)
			pstats_add_function(reader, key, sums);
		else
			profile_skip(reader->profile, "entry not a function with five sums");
	}
	return true;
}

/* ---- line_profiler ---- */

static void pstats_add_line(struct stats_reader *reader, uint32_t function,
			    const struct literal *sums)
{
	struct python_stats *stats = reader->stats;
	int64_t line = count_of(literal_item(sums, 0)), hits = count_of(literal_item(sums, 1));
	int64_t ticks = count_of(literal_item(sums, 2));
	if (line == NO_VALUE || hits == NO_VALUE || ticks == NO_VALUE) {
		profile_skip(reader->profile, "entry not a line with hits and time");
		return;
	}
	struct python_line *row = python_line_add(stats);
	row->function = function;
	row->file = stats->functions[function].file;
	row->line = line;
	row->hits = hits;
	row->ticks = ticks;
	row->self_s = (double)ticks * stats->unit_s;
	stats->functions[function].self_s += (double)ticks * stats->unit_s;
	stats->functions[function].total_s = stats->functions[function].self_s;
}

static bool add_line_profile(struct stats_reader *reader, const struct literal *object)
{
	const struct literal *timings =
		object->kind == LITERAL_DICT ? literal_get(object, "timings") : NULL;
	reader->stats->unit_s =
		real_of(object->kind == LITERAL_DICT ? literal_get(object, "unit") : NULL);
	if (!timings || timings->kind != LITERAL_DICT || !isfinite(reader->stats->unit_s))
		return error_input(reader->error, "is a pickle, but not from line_profiler");
	for (size_t i = 0; i < timings->count; i++) {
		const struct literal *key = &timings->items[2 * i], *lines = key + 1;
		if (!is_function_key(key) || !literal_is_sequence(lines)) {
			profile_skip(reader->profile, "entry not a function with its lines");
			continue;
		}
		uint32_t function = function_of(reader, key);
		reader->stats->functions[function].is_named_only = false;
		reader->stats->functions[function].self_s = 0;
		reader->stats->functions[function].total_s = 0;
		for (size_t k = 0; k < lines->count; k++)
			pstats_add_line(reader, function, &lines->items[k]);
	}
	return true;
}

/* ---- tracemalloc ---- */

/* (domain, size, ((file, line), …), …): a block, and where it was allocated, innermost first. */
static bool add_block(struct stats_reader *reader, struct keyed *places,
		      const struct literal *block)
{
	const struct literal *place = literal_item(literal_item(block, 2), 0);
	int64_t size = count_of(literal_item(block, 1)), line = count_of(literal_item(place, 1));
	const int64_t key[] = { pstats_text_of(reader, literal_item(place, 0)), line };
	if (size < 0 || line == NO_VALUE)
		return false;
	uint32_t at = keyed_add(places, key, sizeof key);
	if (at == reader->stats->line_count) {
		struct python_line *row = python_line_add(reader->stats);
		row->file = (uint32_t)key[0];
		row->line = line > 0 ? line : NO_VALUE;
		row->hits = 0;
		row->memory_bytes = 0;
	}
	reader->stats->lines[at].hits++;
	reader->stats->lines[at].memory_bytes += (double)size;
	return true;
}

/* Memory by line, as tracemalloc's statistics("lineno"). */
static bool add_blocks(struct stats_reader *reader, const struct literal *object)
{
	const struct literal *blocks = literal_get(literal_get(object, "traces"), "_traces");
	AUTO_KEYED struct keyed places = { 0 };
	for (size_t i = 0; literal_is_sequence(blocks) && i < blocks->count; i++)
		if (!add_block(reader, &places, &blocks->items[i]))
			profile_skip(reader->profile, "entry not a block with its place");
	reader->profile->format = "tracemalloc snapshot";
	return literal_is_sequence(blocks) ||
	       error_input(reader->error, "is a pickle of tracemalloc without blocks");
}

/* ---- readers ---- */

static struct stats_reader read_begin(struct profile *profile, struct error *error)
{
	profile->python = python_stats_new();
	return (struct stats_reader){ .profile = profile,
				      .stats = profile->python,
				      .error = error };
}

static bool pstats_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct stats_reader reader = read_begin(profile, input->error);
	AUTO_ARENA struct arena *arena = arena_new();
	const struct literal *object = marshal_parse(arena, BUFFERED(&input->text), input->error);
	bool done = object && add_functions(&reader, object);
	profile->events = reader.stats->function_count;
	return done;
}

static bool pickle_recognize(const char *head, size_t length)
{
	return (length > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 1 && head[1] <= 5) ||
	       strncmp(head, "ccopy_reg\n", 10) == 0;
}

/* Only what tracemalloc and line_profiler write, whose module has another name since 5.0.1. */
static bool accept_class(void *context, const char *module, const char *name)
{
	static const char last[] = "line_profiler";
	struct stats_reader *reader = context;
	size_t length = strlen(module), size = sizeof last - 1;
	reader->of_yappi |= strstr(module, "yappi") != NULL;
	if (strcmp(module, "tracemalloc") == 0)
		return reader->of_tracemalloc =
			       !strcmp(name, "Snapshot") || !strcmp(name, "_Traces");
	if (length < size || strcmp(module + length - size, last) || strcmp(name, "LineStats"))
		return false;
	reader->stats->short_numbers = strstr(module, "line_profiler.line_profiler") != NULL;
	return true;
}

/* Other pickles end up here, too. */
static void explain_failure(const struct stats_reader *reader)
{
	char why[sizeof reader->error->message];
	snprintf(why, sizeof why, "%s", reader->error->message);
	if (reader->of_yappi)
		error_input(
			reader->error,
			"is a pickle of yappi; save it again with: get_func_stats().save(FILE, type=\"pstat\")");
	else if (reader->error->code == ERROR_INPUT)
		error_input(reader->error,
			    "%s; for torch.profiler, record a trace with export_chrome_trace()",
			    why);
}

static bool lprof_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct stats_reader reader = read_begin(profile, input->error);
	struct plain_pickle *pickle =
		plain_pickle_new(profile->strings, (struct plain_hook){ .accepts = accept_class,
									.context = &reader });
	AUTO_ARENA struct arena *arena = arena_new();
	struct plain top;
	bool done = plain_pickle_run(pickle, input->source, &top, input->error);
	if (!done)
		explain_failure(&reader);
	done = done && (reader.of_tracemalloc ? add_blocks : add_line_profile)(
			       &reader, plain_literal(pickle, top, arena));
	profile->text_bytes = plain_pickle_bytes(pickle);
	profile->events = reader.stats->function_count + reader.stats->line_count;
	plain_pickle_free(pickle);
	return done;
}

const struct reader pstats_reader = { .format = "cProfile statistics (pstats)",
				      .recognize = marshal_recognize,
				      .text_max = SOURCE_TEXT_MAX,
				      .joins = JOINS_ONE,
				      .read = pstats_read };

const struct reader lprof_reader = { .format = "line_profiler statistics (.lprof)",
				     .recognize = pickle_recognize,
				     .joins = JOINS_ONE,
				     .read = lprof_read };
