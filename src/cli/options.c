#include "cli/options.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef bool setter(struct options *options, const char *name, const char *value,
		    struct error *error);

static bool set_action(struct options *options, const char *name, const char *value,
		       struct error *error)
{
	(void)value, (void)error;
	options->action = *name == 'h'   ? ACTION_HELP
			  : *name == 'v' ? ACTION_VERSION
					 : ACTION_LIST_KEYS;
	return true;
}

static bool set_list(struct options *options, const char *name, const char *value,
		     struct error *error)
{
	(void)name, (void)error;
	options->action = ACTION_LIST;
	options->list = value;
	return true;
}

static bool set_format(struct options *options, const char *name, const char *value,
		       struct error *error)
{
	(void)name;
	options->svg = strcmp(value, "svg") == 0;
	options->format = options->svg ? format_at(0) : format_find(value);
	return options->format ||
	       error_set(
		       error, ERROR_USAGE,
		       "unknown format \"%s\" (table, csv, json, ndjson, markdown; plots also svg)",
		       value);
}

/* An option that is kept as it was typed. */
static bool set_text(struct options *options, const char *name, const char *value,
		     struct error *error)
{
	(void)error;
	const struct {
		const char *name;
		const char **field;
	} fields[] = {
		{ "columns", &options->extract.columns },
		{ "sort", &options->extract.sort },
		{ "group-by", &options->group },
		{ "output", &options->output },
		{ "sort-by", &options->preset.sort_by },
		{ "group-by-stack", &options->preset.by_stack },
		{ "key-node", &options->load.key_node },
		{ "step-name", &options->load.facts.step_name },
		{ "device-peaks", &options->device_peaks },
		{ "sqlite", &options->sqlite },
		{ "base", &options->base },
		{ "stacks", &options->stacks },
		{ "trace", &options->trace },
		{ "view", &options->view },
		{ "script", &options->script },
		{ "size", &options->size },
		{ "search", &options->search },
		{ "theme", &options->theme },
		{ "config", &options->config },
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strcmp(fields[i].name, name) == 0)
			*fields[i].field = value;
	}
	return true;
}

static bool set_flag(struct options *options, const char *name, const char *value,
		     struct error *error)
{
	(void)value, (void)error;
	const struct {
		const char *name;
		bool *field;
	} fields[] = { { "raw", &options->raw },
		       { "strict", &options->strict },
		       { "quiet", &options->quiet },
		       { "ascii", &options->ascii },
		       { "mouse", &options->mouse },
		       { "demo", &options->demo },
		       { "ignore-config", &options->ignore_config },
		       { "no-state", &options->no_state },
		       { "group-by-input-shape", &options->preset.by_shape },
		       { "csv", &options->preset.csv },
		       { "braille", &options->braille },
		       { "no-python", &options->load.no_python },
		       { "no-cache", &options->no_cache },
		       { "clear", &options->clear } };
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strcmp(fields[i].name, name) == 0)
			*fields[i].field = true;
	}
	return true;
}

static bool set_verbose(struct options *options, const char *name, const char *value,
			struct error *error)
{
	(void)name, (void)value, (void)error;
	options->verbose++;
	return true;
}

static bool parse_number(const char *name, const char *value, int64_t max, int64_t *number,
			 struct error *error)
{
	if (number_parse_int(value, strlen(value), number) && *number >= 0 && *number <= max)
		return true;
	return error_set(error, ERROR_USAGE, "--%s must be a number from 0 to %lld, not \"%s\"",
			 name, (long long)max, value);
}

static bool set_limit(struct options *options, const char *name, const char *value,
		      struct error *error)
{
	int64_t number;
	if (!parse_number(name, value, UINT32_MAX, &number, error))
		return false;
	options->extract.limit = (size_t)number;
	return true;
}

/* PyTorch's way to say all is -1. */
static bool set_row_limit(struct options *options, const char *name, const char *value,
			  struct error *error)
{
	int64_t number = -1;
	if (strcmp(value, "-1") != 0 && !parse_number(name, value, UINT32_MAX, &number, error))
		return false;
	options->preset.limited = true;
	options->preset.limit = number < 0 ? SIZE_MAX : (size_t)number;
	return true;
}

static bool set_max_memory(struct options *options, const char *name, const char *value,
			   struct error *error)
{
	options->memory_given = true;
	return number_parse_bytes(value, strlen(value), &options->load.memory_max) ||
	       error_set(error, ERROR_USAGE,
			 "--%s must be a size (512M, 4G; 0: no limit), not \"%s\"", name, value);
}

static bool set_cache_size(struct options *options, const char *name, const char *value,
			   struct error *error)
{
	return number_parse_bytes(value, strlen(value), &options->load.index.bytes_max) ||
	       error_set(error, ERROR_USAGE, "--%s must be a size (512M, 4G), not \"%s\"", name,
			 value);
}

static bool set_width(struct options *options, const char *name, const char *value,
		      struct error *error)
{
	int64_t number;
	if (!parse_number(name, value, 1 << 20, &number, error))
		return false;
	options->width = (long)number;
	return true;
}

static bool set_height(struct options *options, const char *name, const char *value,
		       struct error *error)
{
	int64_t number;
	if (!parse_number(name, value, 4096, &number, error))
		return false;
	options->height = (long)number;
	return true;
}

/* What the scope says of steps is also what is to be read of a file that does not fit. */
static void select_steps(struct options *options)
{
	options->load.has_steps = true;
	options->load.step_first = options->scope.step_first;
	options->load.step_last = options->scope.step_last;
}

/* Iterations are steps. */
static bool set_iteration(struct options *options, const char *name, const char *value,
			  struct error *error)
{
	struct scope *scope = &options->scope;
	int64_t number;
	if (!parse_number(name, value, INT64_MAX, &number, error))
		return false;
	if (!scope->has_steps) {
		scope->step_first = INT64_MIN;
		scope->step_last = INT64_MAX;
	}
	scope->has_steps = options->narrowed = true;
	*(strcmp(name, "iter-start") == 0 ? &scope->step_first : &scope->step_last) = number;
	select_steps(options);
	return true;
}

static bool set_only_steps(struct options *options, const char *name, const char *value,
			   struct error *error)
{
	(void)name;
	options->narrowed = options->load.only_steps = true;
	if (!scope_set(&options->scope, "steps", value, error))
		return false;
	select_steps(options);
	return true;
}

static bool set_scope(struct options *options, const char *name, const char *value,
		      struct error *error)
{
	options->narrowed = true;
	if (!scope_set(&options->scope, name, value, error))
		return false;
	if (strcmp(name, "steps") == 0)
		select_steps(options);
	if (strcmp(name, "rank") == 0) {
		options->load.one_rank = true;
		options->load.rank = options->scope.rank;
	}
	return true;
}

static bool set_attribution(struct options *options, const char *name, const char *value,
			    struct error *error)
{
	(void)name;
	options->load.facts.attribute_by_execution = strcmp(value, "execution") == 0;
	return options->load.facts.attribute_by_execution || strcmp(value, "launch") == 0 ||
	       error_set(error, ERROR_USAGE, "--by must be launch or execution, not \"%s\"", value);
}

static bool set_fail_above(struct options *options, const char *name, const char *value,
			   struct error *error)
{
	(void)name;
	char *end;
	options->fail_above = strtod(value, &end);
	end += *end == '%';
	return (*value >= '0' && *value <= '9' && !*end && options->fail_above <= 1e6) ||
	       error_set(error, ERROR_USAGE, "--fail-above must be a percentage, not \"%s\"",
			 value);
}

static bool set_color(struct options *options, const char *name, const char *value,
		      struct error *error)
{
	(void)name;
	static const char *const names[] = {
		[TUI_COLOR_AUTO] = "auto",
		[TUI_COLOR_NEVER] = "never",
		[TUI_COLOR_ALWAYS] = "always",
	};
	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], value) == 0) {
			options->color = (enum tui_color)i;
			return true;
		}
	}
	return error_set(error, ERROR_USAGE, "--color must be auto, never or always, not \"%s\"",
			 value);
}

enum {
	FOR_PRINT = FOR_REPORT | FOR_DIFF | FOR_INFO | FOR_QUERY | FOR_VIEWS | FOR_CACHE,
	FOR_ROWS = FOR_REPORT | FOR_DIFF | FOR_INFO,
	FOR_BASE = FOR_OPEN | FOR_REPORT | FOR_QUERY | FOR_EXPORT,
	FOR_SCOPE = FOR_BASE | FOR_DIFF,
	FOR_FILES = FOR_SCOPE | FOR_INFO,
	FOR_ALL = FOR_FILES | FOR_VIEWS | FOR_CACHE,
};

static const struct option_spec {
	char letter; /* 0: none */
	const char *name;
	const char *argument; /* NULL: takes none */
	unsigned set;
	setter *apply;
	const char *help;
} specs[] = {
	{ 'f', "format", "FORMAT", FOR_PRINT, set_format,
	  "print table (default), csv, json, ndjson, markdown; plots also svg" },
	{ 'c', "columns", "ID,...", FOR_ROWS | FOR_QUERY, set_text,
	  "choose and order columns; +ID appends, help lists them" },
	{ 's', "sort", "ID[:asc|desc],...", FOR_ROWS | FOR_QUERY, set_text,
	  "sort rows by these columns" },
	{ 'n', "limit", "N", FOR_ROWS | FOR_QUERY, set_limit, "print at most N rows" },
	{ 'g', "group-by", "NAME", FOR_REPORT | FOR_DIFF | FOR_EXPORT, set_text,
	  "group rows by NAME (strata views lists the groupings)" },
	{ 0, "sort-by", "KEY", FOR_REPORT, set_text,
	  "sort a preset by a key of its original tool" },
	{ 0, "row-limit", "N", FOR_REPORT, set_row_limit,
	  "print at most N rows of a preset; -1: all" },
	{ 0, "group-by-input-shape", NULL, FOR_REPORT, set_flag,
	  "group a preset by input shapes, too" },
	{ 0, "group-by-stack", "N", FOR_REPORT, set_text,
	  "group a preset by the innermost N stack frames, too" },
	{ 0, "key-node", "OP", FOR_SCOPE, set_text,
	  "use this op (DLProf name or id) as the step boundary" },
	{ 0, "iter-start", "N", FOR_SCOPE, set_iteration,
	  "skip iterations before N (same as --steps N..)" },
	{ 0, "iter-stop", "N", FOR_SCOPE, set_iteration,
	  "skip iterations after N (same as --steps ..N)" },
	{ 0, "csv", NULL, FOR_REPORT, set_flag,
	  "print a preset in the CSV format of its original tool" },
	{ 0, "filter", "REGEX", FOR_SCOPE, set_scope, "keep rows whose name matches" },
	{ 0, "steps", "A..B", FOR_SCOPE, set_scope, "keep these steps" },
	{ 0, "only-steps", "A..B", FOR_SCOPE, set_only_steps,
	  "load only these steps (saves memory)" },
	{ 0, "time", "A..B", FOR_SCOPE, set_scope,
	  "keep events starting in this interval, from the profile's start (1.5ms..2ms)" },
	{ 0, "rank", "R", FOR_SCOPE, set_scope,
	  "load only this rank (reports ranks and collectives accept R,...)" },
	{ 0, "device", "D,...", FOR_SCOPE, set_scope, "keep these devices" },
	{ 0, "stream", "S,...", FOR_SCOPE, set_scope, "keep these streams" },
	{ 0, "thread", "T,...", FOR_SCOPE, set_scope, "keep these CPU threads" },
	{ 0, "under", "PATH", FOR_SCOPE, set_scope, "keep events under this layer" },
	{ 0, "step-name", "REGEX", FOR_FILES, set_text, "use the matching annotations as steps" },
	{ 0, "by", "launch|execution", FOR_FILES, set_attribution,
	  "assign GPU work to the step that launched it (default) or in which it ran" },
	{ 0, "device-peaks", "FILE", FOR_FILES, set_text,
	  "read device peaks from FILE (default ~/.config/strata/devices)" },
	{ 0, "no-python", NULL, FOR_FILES, set_flag,
	  "skip Python functions other than module calls while loading" },
	{ 0, "max-memory", "SIZE", FOR_FILES, set_max_memory,
	  "refuse files estimated to need more memory (default 70 % of free; 0: no limit)" },
	{ 0, "no-cache", NULL, FOR_FILES, set_flag,
	  "do not read or write indexes (cached profiles)" },
	{ 0, "cache-size", "SIZE", FOR_FILES, set_cache_size,
	  "cap the total size of indexes (default 4G)" },
	{ 0, "clear", NULL, FOR_CACHE, set_flag, "remove all indexes" },
	{ 0, "raw", NULL, FOR_PRINT, set_flag, "print unscaled numbers in base units" },
	{ 'w', "width", "N", FOR_PRINT, set_width,
	  "set the line width of tables and pictures; 0: unlimited" },
	{ 0, "height", "N", FOR_REPORT, set_height, "set the height of a plot in lines" },
	{ 0, "search", "REGEX", FOR_REPORT, set_text,
	  "highlight matching frames of plot-flame and sum their share" },
	{ 'o', "output", "FILE", FOR_PRINT, set_text, "write to FILE, atomically" },
	{ 0, "base", "PATH", FOR_BASE, set_text, "compare with this run (view diff)" },
	{ 0, "fail-above", "PERCENT", FOR_DIFF, set_fail_above,
	  "exit 1 if the median step slowed down by more than PERCENT and by more than noise" },
	{ 0, "sqlite", "FILE", FOR_EXPORT, set_text, "write every view to a SQLite database" },
	{ 0, "trace", "FILE", FOR_EXPORT, set_text,
	  "write the scope as a Chrome trace (for Perfetto)" },
	{ 0, "stacks", "FILE", FOR_EXPORT, set_text,
	  "write collapsed stacks for flame graphs; -g gpu (default), cpu or samples" },
	{ 0, "strict", NULL, FOR_FILES & ~FOR_OPEN, set_flag,
	  "exit 3 if the input was damaged (anything skipped or repaired)" },
	{ 'q', "quiet", NULL, FOR_FILES, set_flag, "hide progress and hints" },
	{ 'v', "verbose", NULL, FOR_FILES, set_verbose, "print each stage of the work" },
	{ 0, "view", "VIEW", FOR_OPEN | FOR_DIFF, set_text,
	  "open this view first; diff: print this grouping" },
	{ 0, "theme", "NAME", FOR_OPEN | FOR_DIFF, set_text,
	  "use this color theme (name or file)" },
	{ 0, "color", "WHEN", FOR_OPEN | FOR_DIFF, set_color,
	  "use color: auto (default), never, always" },
	{ 0, "ascii", NULL, FOR_OPEN | FOR_REPORT | FOR_DIFF, set_flag, "use ASCII only" },
	{ 0, "braille", NULL, FOR_OPEN | FOR_REPORT | FOR_DIFF, set_flag,
	  "draw plots in braille dots (finer than blocks)" },
	{ 0, "mouse", NULL, FOR_OPEN | FOR_DIFF, set_flag, "enable the mouse" },
	{ 0, "script", "FILE", FOR_OPEN | FOR_DIFF, set_text,
	  "run keys and commands from FILE; -: standard input" },
	{ 0, "size", "WxH", FOR_OPEN | FOR_DIFF, set_text,
	  "set the screen size of a script (default 160x45)" },
	{ 0, "config", "FILE", FOR_OPEN | FOR_DIFF, set_text,
	  "read this configuration instead of your own" },
	{ 0, "ignore-config", NULL, FOR_OPEN | FOR_DIFF, set_flag, "read no configuration" },
	{ 0, "no-state", NULL, FOR_OPEN | FOR_DIFF, set_flag,
	  "do not read or write history, bookmarks and other state" },
	{ 0, "list-keys", NULL, FOR_OPEN, set_action, "list actions and their keys" },
	{ 0, "list", "WHAT", FOR_OPEN, set_list,
	  "list commands, config (configuration directives), reports or themes" },
	{ 0, "demo", NULL, FOR_FILES, set_flag, "use the built-in sample run instead of PATH" },
	{ 'h', "help", NULL, FOR_ALL, set_action, "print this help" },
	{ 'V', "version", NULL, FOR_OPEN, set_action, "print the version" },
};

/* Of all indexes; and the text of a profile that is read in no time without one. */
#define CACHE_SIZE ((uint64_t)4 << 30)
#define CACHE_LEAST ((uint64_t)1 << 20)

enum { SPECS = sizeof specs / sizeof *specs, FIRST_LONG = 256 };

/* The tables getopt_long wants, for the options of SET. */
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
	for (int i = 0; i < SPECS; i++) {
		if (specs[i].letter == code && code && specs[i].set & set)
			return &specs[i];
	}
	return NULL;
}

static bool wrong_option(int code, char **argv, unsigned set, struct error *error)
{
	const struct option_spec *spec = find_spec(optopt, set);
	if (code == ':' && spec)
		return error_set(error, ERROR_USAGE, "option --%s requires %s", spec->name,
				 spec->argument);
	if (optopt > 0 && optopt < FIRST_LONG)
		return error_set(error, ERROR_USAGE, "unknown option -%c (see --help)", optopt);
	if (optopt >= FIRST_LONG && spec)
		return error_set(error, ERROR_USAGE, "option --%s takes no value", spec->name);
	return error_set(error, ERROR_USAGE, "unknown option %s (see --help)", argv[optind - 1]);
}

int options_first_word(int argc, char **argv)
{
	char letters[2 * SPECS + 3] = "+"; /* the first word ends it */
	struct option longs[SPECS + 1];
	make_tables(~0u, letters + 1, longs);
	opterr = 0;
	optind = 0;
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (code == '?' || code == ':')
			return 0;
	}
	return optind < argc && strcmp(argv[optind - 1], "--") != 0 ? optind : 0;
}

bool options_parse(struct options *options, int argc, char **argv, unsigned set,
		   struct error *error)
{
	*options = (struct options){ .format = format_at(0), .width = -1, .fail_above = -1 };
	options->load.index.bytes_max = CACHE_SIZE;
	options->load.index.least_bytes = CACHE_LEAST;
	options->extract.limit = SIZE_MAX;
	scope_init(&options->scope);
	char letters[2 * SPECS + 2];
	struct option longs[SPECS + 1];
	make_tables(set, letters, longs);
	opterr = 0;
	optind = 0; /* and forget where in another line it was (glibc, musl) */
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (code == '?' || code == ':')
			return wrong_option(code, argv, set, error);
		const struct option_spec *spec = find_spec(code, set);
		if (!spec->apply(options, spec->name, optarg, error))
			return false;
	}
	options->word_count = (size_t)(argc - optind);
	options->words = mem_zalloc(options->word_count, sizeof *options->words);
	for (size_t i = 0; i < options->word_count; i++)
		options->words[i] = argv[optind + (int)i];
	return true;
}

void options_clear(struct options *options)
{
	scope_clear(&options->scope);
	mem_free(options->words);
	options->words = NULL;
}

void options_help(FILE *out, unsigned set)
{
	for (int i = 0; i < SPECS; i++) {
		const struct option_spec *spec = &specs[i];
		if (!(spec->set & set))
			continue;
		char name[64];
		snprintf(name, sizeof name, "--%s%s%s", spec->name, spec->argument ? " " : "",
			 spec->argument ? spec->argument : "");
		char letter[] = { '-', spec->letter, ',', 0 };
		fprintf(out, "  %-3s %-28s %s\n", spec->letter ? letter : "", name, spec->help);
	}
}
