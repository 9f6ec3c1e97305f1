#include "cli/options.h"

#include "base/any_of.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "base/text_slice.h"
#include "cli/charset.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

struct option_spec;
#define SETTER(name)                                                                               \
	bool name(struct options *options, const struct option_spec *spec, const char *value,      \
		  struct error *error)
typedef SETTER(setter);

struct option_spec {
	char letter; /* 0: none */
	const char *name;
	const char *argument; /* NULL: no argument */
	unsigned set;
	setter *apply;
	size_t field; /* offset in struct options, for set_text, set_flag and set_number */
	const char *help;
	int64_t max; /* of a number; 0: UINT32_MAX */
};

static SETTER(set_action)
{
	options->action = *spec->name == 'h'   ? ACTION_HELP
			  : *spec->name == 'v' ? ACTION_VERSION
					       : ACTION_LIST_KEYS;
	return true;
}

static SETTER(set_list)
{
	options->action = ACTION_LIST;
	options->list = value;
	return true;
}

static SETTER(set_format)
{
	options->svg = strcmp(value, "svg") == 0;
	options->format = options->svg ? format_at(0) : format_find(value);
	return options->format ||
	       error_usage(
		       error,
		       "unknown format \"%s\" (table, csv, tsv, json, ndjson, markdown, html; plots also svg)",
		       value);
}

static SETTER(set_text)
{
	*(const char **)((char *)options + spec->field) = value;
	return true;
}

static SETTER(set_flag)
{
	*(bool *)((char *)options + spec->field) = true;
	return true;
}

static SETTER(set_verbose)
{
	options->verbose++;
	return true;
}

static SETTER(set_utf8)
{
	return charset_utf8() || error_usage(error, "this system has no locale of UTF-8");
}

static bool options_parse_number(const struct option_spec *spec, const char *value, int64_t max,
				 int64_t *number, struct error *error)
{
	if (number_parse_int(value, strlen(value), number) && *number >= 0 && *number <= max)
		return true;
	return error_usage(error, "--%s must be a number from 0 to %lld, not \"%s\"", spec->name,
			   (long long)max, value);
}

static SETTER(set_number)
{
	int64_t number;
	if (!options_parse_number(spec, value, spec->max ? spec->max : UINT32_MAX, &number, error))
		return false;
	*(size_t *)(void *)((char *)options + spec->field) = (size_t)number;
	return true;
}

static SETTER(set_recording)
{
	return set_number(options, spec, value, error) &&
	       (options->load.span || error_usage(error, "--%s counts from 1", spec->name));
}

/* -1 means all, as in PyTorch. */
static SETTER(set_row_limit)
{
	int64_t number = -1;
	if (strcmp(value, "-1") != 0 &&
	    !options_parse_number(spec, value, UINT32_MAX, &number, error))
		return false;
	options->preset.limited = true;
	options->preset.limit = number < 0 ? SIZE_MAX : (size_t)number;
	return true;
}

static SETTER(set_unit)
{
	char *end;
	double unit_s = strtod(value, &end);
	options->preset.unit_s = unit_s;
	return (end > value && !*end && unit_s > 0 && isfinite(unit_s)) ||
	       error_usage(error, "--%s must be seconds (1e-6), not \"%s\"", spec->name, value);
}

static SETTER(set_max_memory)
{
	options->memory_given = true;
	return number_parse_bytes(value, strlen(value), &options->load.memory_max) ||
	       error_usage(error, "--%s must be a size (512M, 4G; 0: no limit), not \"%s\"",
			   spec->name, value);
}

static SETTER(set_cache_size)
{
	return number_parse_bytes(value, strlen(value), &options->load.index.bytes_max) ||
	       error_usage(error, "--%s must be a size (512M, 4G), not \"%s\"", spec->name, value);
}

/* The steps of the scope are also those to read if the file does not fit in memory. */
static void select_steps(struct options *options)
{
	options->load.has_steps = true;
	options->load.step_first = options->scope.step_first;
	options->load.step_last = options->scope.step_last;
}

/* Iterations are steps. */
static SETTER(set_iteration)
{
	struct scope *scope = &options->scope;
	int64_t number;
	if (!options_parse_number(spec, value, INT64_MAX, &number, error))
		return false;
	if (!scope->has_steps) {
		scope->step_first = INT64_MIN;
		scope->step_last = INT64_MAX;
	}
	scope->has_steps = options->narrowed = true;
	*(strcmp(spec->name, "iter-start") == 0 ? &scope->step_first : &scope->step_last) = number;
	select_steps(options);
	return true;
}

static SETTER(set_only_steps)
{
	options->narrowed = options->load.only_steps = true;
	if (!scope_set(&options->scope, "steps", value, error))
		return false;
	select_steps(options);
	return true;
}

static SETTER(set_scope)
{
	options->narrowed = true;
	if (!scope_set(&options->scope, spec->name, value, error))
		return false;
	if (strcmp(spec->name, "steps") == 0)
		select_steps(options);
	if (strcmp(spec->name, "rank") == 0) {
		options->load.one_rank = !options->scope.all_ranks;
		options->load.rank = options->scope.rank;
	}
	return true;
}

static SETTER(set_attribution)
{
	options->load.derived.attribute_by_execution = strcmp(value, "execution") == 0;
	return options->load.derived.attribute_by_execution || strcmp(value, "launch") == 0 ||
	       error_usage(error, "--by must be launch or execution, not \"%s\"", value);
}

static SETTER(set_fail_above)
{
	char *end;
	options->fail_above = strtod(value, &end);
	end += *end == '%';
	return (*value >= '0' && *value <= '9' && !*end && options->fail_above <= 1e6) ||
	       error_usage(error, "--fail-above must be a percentage, not \"%s\"", value);
}

/* Each edit is one more of the same replay. */
static SETTER(set_edit)
{
	AUTO_FREE char *before = options->edits;
	options->edits = before ? mem_printf("%s;%s", before, value)
				: mem_printf("%s=%s", spec->name, value);
	options->group = options->edits;
	return true;
}

static SETTER(set_duration)
{
	int64_t ns;
	if (!number_parse_duration(value, strlen(value), &ns) || ns < 1000000 ||
	    ns / 1000000 > INT32_MAX)
		return error_usage(error, "--%s must be a time (500ms, 2s), not \"%s\"", spec->name,
				   value);
	*(int32_t *)(void *)((char *)options + spec->field) = (int32_t)(ns / 1000000);
	return true;
}

static SETTER(set_color)
{
	int color = text_choice(value, strlen(value), "auto|never|always"); /* enum tui_color */
	if (color < 0)
		return error_usage(error, "--color must be auto, never or always, not \"%s\"",
				   value);
	options->color = (enum tui_color)color;
	return true;
}

enum {
	FOR_PRINT = FOR_REPORT | FOR_DIFF | FOR_INFO | FOR_QUERY | FOR_VIEWS | FOR_CACHE |
		    FOR_BASELINE | FOR_DOCTOR | FOR_WHATIF,
	FOR_ROWS = FOR_REPORT | FOR_DIFF | FOR_INFO | FOR_WHATIF,
	FOR_BASE = FOR_OPEN | FOR_REPORT | FOR_QUERY | FOR_EXPORT | FOR_SERVE | FOR_WHATIF,
	FOR_SCOPE = FOR_BASE | FOR_DIFF,
	FOR_SCREEN = FOR_OPEN | FOR_DIFF | FOR_ATTACH,
	FOR_FILES = FOR_SCOPE | FOR_INFO,
	FOR_LOAD = FOR_FILES | FOR_SUMMARIZE,
	FOR_ALL = FOR_LOAD | FOR_VIEWS | FOR_CACHE | FOR_AGENT | FOR_MERGE | FOR_BASELINE |
		  FOR_DOCTOR | FOR_ATTACH,
};

/* Field and setter of options stored without parsing; the field must have the setter's type. */
#define FIELD(type, member)                                                                        \
	_Generic(((struct options *)0)->member, type : offsetof(struct options, member))
#define TEXT(member) set_text, FIELD(const char *, member)
#define FLAG(member) set_flag, FIELD(bool, member)
#define NUMBER(member) set_number, FIELD(size_t, member)

static const struct option_spec specs[] = { OPTIONS_ROWS };

/* Total of all indexes; smaller profiles are parsed fast enough without one. */
#define CACHE_SIZE ((uint64_t)4 << 30)
#define CACHE_MIN ((uint64_t)1 << 20)

enum { SPECS = sizeof specs / sizeof *specs, FIRST_LONG = 256 };

/* getopt_long's tables for the options of SET. */
static void make_tables(unsigned set, char *letters, struct option *longs)
{
	*letters++ = ':';
	for (int i = 0; i < SPECS; i++) {
		const struct option_spec *spec = &specs[i];
		if (!(spec->set & set))
			continue;
		*longs++ = (struct option){ spec->name,
					    spec->argument ? required_argument : no_argument, NULL,
					    FIRST_LONG + i };
		if (spec->letter)
			*letters++ = spec->letter;
		if (spec->letter && spec->argument)
			*letters++ = ':';
	}
	*letters = 0;
	*longs = (struct option){ 0 };
}

static const struct option_spec *find_spec(int code, unsigned set)
{
	if (code >= FIRST_LONG)
		return &specs[code - FIRST_LONG];
	return first_of(at, specs, SPECS, at->letter == code && code && at->set & set);
}

/* The option of SET that a long one may be a slip for; NULL: none. */
static const char *nearest_option(const char *text, unsigned set)
{
	char name[32];
	struct text_near near = { .name = name };
	if (strncmp(text, "--", 2) != 0)
		return NULL;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
	for (int i = 0; i < SPECS; i++)
		if (specs[i].set & set)
			text_near_try(&near, specs[i].name, text_distance(name, specs[i].name));
	return near.best;
}

static bool wrong_option(int code, char **argv, unsigned set, struct error *error)
{
	const struct option_spec *spec = find_spec(optopt, set);
	if (code == ':' && spec)
		return error_usage(error, "option --%s requires %s", spec->name, spec->argument);
	if (optopt > 0 && optopt < FIRST_LONG)
		return error_usage(error, "unknown option -%c (see --help)", optopt);
	if (optopt >= FIRST_LONG && spec)
		return error_usage(error, "option --%s takes no value", spec->name);
	const char *word = argv[optind - 1], *nearest = nearest_option(word, set);
	return nearest ? error_usage(error, "unknown option %s; did you mean --%s?", word, nearest)
		       : error_usage(error, "unknown option %s (see --help)", word);
}

int options_first_word(int argc, char **argv)
{
	char letters[2 * SPECS + 3] = "+"; /* stop at the first word */
	struct option longs[SPECS + 1];
	/* PyTorch and DLProf write "--key_node"; options here have no '_' */
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (char *at = argv[i]; strncmp(argv[i], "--", 2) == 0 && *at && *at != '='; at++)
			*at = *at == '_' ? '-' : *at;
	make_tables(~0u, letters + 1, longs);
	opterr = 0;
	optind = 0;
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;)
		if (code == '?' || code == ':')
			return 0;
	return optind < argc && strcmp(argv[optind - 1], "--") != 0 ? optind : 0;
}

bool options_parse(struct options *options, int argc, char **argv, unsigned set,
		   struct error *error)
{
	*options = (struct options){ .format = format_at(0),
				     .width = WIDTH_OF_TERMINAL,
				     .fail_above = -1,
				     .ask = { .duration_ms = 500 },
				     .within_ms = 6000 };
	options->load.index.bytes_max = CACHE_SIZE;
	options->load.index.least_bytes = CACHE_MIN;
	options->extract.limit = SIZE_MAX;
	options->max_rows = 1000;
	options->max_bytes = 65536;
	options->max_seconds = 60;
	scope_init(&options->scope);
	char letters[2 * SPECS + 2];
	struct option longs[SPECS + 1];
	make_tables(set, letters, longs);
	opterr = 0;
	optind = 0; /* reset getopt (glibc, musl) */
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (code == '?' || code == ':')
			return wrong_option(code, argv, set, error);
		const struct option_spec *spec = find_spec(code, set);
		if (!spec->apply(options, spec, optarg, error))
			return false;
	}
	options->slice_count = (size_t)(argc - optind);
	options->words = mem_zalloc(options->slice_count, sizeof *options->words);
	for (size_t i = 0; i < options->slice_count; i++)
		options->words[i] = argv[optind + (int)i];
	return true;
}

void options_clear(struct options *options)
{
	scope_clear(&options->scope);
	mem_free_all(options->words, options->edits);
	options->words = NULL;
}

void options_wrap(FILE *out, const char *text, int column, int width)
{
	enum { ROOM_MIN = 20 };
	size_t room = width - column < ROOM_MIN ? SIZE_MAX : (size_t)(width - column);
	do {
		size_t length = strlen(text), fits = length < room ? length : room;
		size_t used = fits < length ? text_wrap(text, length, fits, true) : length;
		size_t end = used;
		while (end && text[end - 1] == ' ')
			end--;
		fprintf(out, "%.*s\n%*s", (int)end, text, text[used] ? column : 0, "");
		text += used;
	} while (*text);
}

void options_help(FILE *out, unsigned set, int width)
{
	enum { HELP = 35 }; /* column */
	for_each (spec, specs, SPECS) {
		if (!(spec->set & set))
			continue;
		char name[64];
		snprintf(name, sizeof name, "--%s%s%s", spec->name, spec->argument ? " " : "",
			 spec->argument ? spec->argument : "");
		char letter[] = { '-', spec->letter, ',', 0 };
		fprintf(out, "  %-3s %-28s ", spec->letter ? letter : "", name);
		options_wrap(out, spec->help, HELP, width);
	}
}
