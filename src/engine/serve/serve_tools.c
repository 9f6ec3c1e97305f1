#include "serve/serve_tools.h"

#include "base/any_of.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "input/json.h"
#include "report/catalog.h"
#include "report/envelope.h"
#include "report/format.h"
#include "serve/serve_check.h"
#include "session/load.h"
#include "sql/query.h"

enum { ROWS_DEFAULT = 50, TIMELINE_ROWS = 20 };

/* Of a query, of whose result an answer has some rows. */
static const struct query_limits query_limits = {
	.cells = 2000000,       /* limit: cells of the result */
	.bytes = 64 << 20,      /* limit: bytes of its texts */
	.value_bytes = 1 << 20, /* limit: bytes of a value */
};

static const struct {
	const char *name, *type, *help;
	bool scope; /* an argument of scope_set */
} arguments[SERVE_ARGUMENTS] = { SERVE_ARGUMENTS_ROWS };

#define BIT(argument) (1u << (argument))
#define SCOPE_BITS                                                                                 \
	(BIT(ARG_STEPS) | BIT(ARG_PHASE) | BIT(ARG_TIME) | BIT(ARG_RANK) | BIT(ARG_DEVICE) |       \
	 BIT(ARG_STREAM) | BIT(ARG_THREAD) | BIT(ARG_UNDER) | BIT(ARG_FILTER))
#define PAGE_BITS (BIT(ARG_LIMIT) | BIT(ARG_OFFSET) | BIT(ARG_PATH))
#define ROW_BITS (BIT(ARG_COLUMNS) | BIT(ARG_SORT) | PAGE_BITS)

/* ---- a table as JSON ---- */

/* How many of the rows of EXTRACT fit; they are appended to ROWS. */
static size_t serve_tools_add_rows(struct buffer *rows, const struct extract *extract,
				   size_t bytes_max)
{
	for (size_t row = 0; row < extract->row_count; row++) {
		size_t before = rows->length;
		buffer_puts(rows, row ? ",\n " : "\n ");
		format_json_object(rows, extract, extract->rows[row]);
		if (rows->length > bytes_max) {
			rows->length = before;
			return row;
		}
	}
	return extract->row_count;
}

struct serve_answer {
	const struct serve_call *call;
	const struct run *run;
	const struct scope *scope;
	const char *group;
	const struct extract_options *options; /* whose limit includes the rows to skip */
	size_t offset, bytes_max;
	struct buffer *out;
	struct error *error;
};

/* The envelope, brief after the first one, with as many rows as fit. */
static bool add_extract(const struct serve_answer *answer, struct extract *extract,
			const struct table *facts)
{
	AUTO_BUFFER struct buffer rows = { 0 };
	struct buffer *out = answer->out;
	bool done = true;
	size_t skipped = answer->offset < extract->row_count ? answer->offset : extract->row_count;
	extract->row_count -= skipped;
	memmove(extract->rows, extract->rows + skipped, extract->row_count * sizeof *extract->rows);
	size_t fit = serve_tools_add_rows(&rows, extract, answer->bytes_max);
	extract->left_out += extract->row_count - fit;
	extract->row_count = fit;
	buffer_putc(out, '{');
	if (answer->call->server->introduced) {
		envelope_json(out, facts, true);
	} else {
		buffer_puts(out, "\"texts\": \"" SERVE_TEXTS_ARE_DATA "\", ");
		done = format_json_envelope(out, extract, facts, answer->call->progress,
					    answer->error);
		buffer_puts(out, ", ");
	}
	if (extract->left_out)
		buffer_printf(out, "\"next_offset\": %zu, \"rows_left\": %zu, ", skipped + fit,
			      extract->left_out);
	buffer_puts(out, "\"rows\": [");
	buffer_add(out, BUFFERED(&rows));
	buffer_puts(out, "]}");
	return done;
}

static bool add_table(const struct serve_answer *answer, const struct table *table)
{
	AUTO(extract_clear) struct extract extract = { 0 };
	const struct progress *progress = answer->call->progress;
	AUTO_TABLE struct table *derived = envelope_facts(answer->run, answer->scope, table,
							  answer->group, progress, answer->error);
	return derived && extract_make(&extract, table, answer->options, progress, answer->error) &&
	       add_extract(answer, &extract, derived);
}

static bool add_view(const struct serve_answer *answer, const struct view *view)
{
	if (!view_has_group(view, answer->group))
		return error_usage(answer->error, "view %s has no grouping \"%s\"", view->name,
				   answer->group);
	if (!extract_check(view, answer->options, answer->error))
		return false;
	AUTO_TABLE struct table *table = view_build(view, answer->run, answer->scope, answer->group,
						    answer->call->progress, answer->error);
	return table && add_table(answer, table);
}

/* ---- arguments ---- */

static bool read_scope(const struct serve_call *call, struct scope *scope, struct error *error)
{
	scope_copy(scope, call->server->scope);
	for (int i = 0; i < SERVE_ARGUMENTS; i++)
		if (arguments[i].scope && call->argument[i] &&
		    !scope_set(scope, arguments[i].name, call->argument[i], error))
			return false;
	return scope->ranks.count <= 1 ||
	       error_usage(error, "rank must be one rank; the view ranks has all");
}

static bool read_count(const struct serve_call *call, enum serve_argument argument, size_t *count,
		       struct error *error)
{
	const char *text = call->argument[argument];
	int64_t number = (int64_t)*count;
	if (text &&
	    (!number_parse_int(text, strlen(text), &number) || number < 0 || number > UINT32_MAX))
		return error_usage(error, "%s must be a number, not \"%s\"",
				   arguments[argument].name, text);
	*count = (size_t)number;
	return true;
}

/* Of a page: LIMIT includes the rows before it. */
static bool read_page(const struct serve_call *call, size_t *offset, size_t *limit,
		      struct error *error)
{
	*limit = ROWS_DEFAULT;
	if (!read_count(call, ARG_LIMIT, limit, error) ||
	    !read_count(call, ARG_OFFSET, offset, error))
		return false;
	*limit = *offset + (*limit < call->server->rows_max ? *limit : call->server->rows_max);
	return true;
}

/* The profile PATH; *RUN stays for NULL. The caller frees *OPENED. */
static bool open_other(const struct serve_call *call, const char *path, const struct run **run,
		       struct run **opened, struct error *error)
{
	if (!path)
		return true;
	if (!call->server->load)
		return error_usage(error, "this server opens no other profile");
	*opened = run_open(&path, 1, call->server->load, call->progress, error);
	*run = *opened;
	return *opened;
}

/* Answer about the profiles that the call names. */
static bool answer_about(struct serve_answer *answer, const struct serve_tool *tool)
{
	const struct serve_call *call = answer->call;
	struct run *other = NULL, *base = NULL;
	const struct run *against = call->server->run->base;
	answer->run = call->server->run;
	bool done =
		open_other(call, call->argument[ARG_PATH], &answer->run, &other, answer->error) &&
		open_other(call, call->argument[ARG_BASE], &against, &base, answer->error);
	if (done) {
		struct run about = *answer->run; /* shares all but its base */
		about.base = (struct run *)against;
		answer->run = &about;
		done = tool->answer(answer);
	}
	run_free(other);
	run_free(base);
	return done;
}

bool serve_call_run(const struct serve_call *call, const struct serve_tool *tool,
		    struct buffer *out, struct error *error)
{
	AUTO(scope_clear) struct scope scope;
	struct extract_options options = { .columns = call->argument[ARG_COLUMNS],
					   .sort = call->argument[ARG_SORT] };
	struct serve_answer answer = { .call = call,
				       .scope = &scope,
				       .group = call->argument[ARG_GROUP_BY],
				       .options = &options,
				       .bytes_max = call->server->bytes_max,
				       .out = out,
				       .error = error };
	return read_scope(call, &scope, error) &&
	       read_page(call, &answer.offset, &options.limit, error) &&
	       answer_about(&answer, tool);
}

/* ---- tools ---- */

static const struct view *find_view(const char *name, struct error *error)
{
	const struct view *view = view_find(name);
	if (!view)
		error_usage(error, "unknown view \"%s\"%s%s%s; the tool views lists all", name,
			    DID_YOU_MEAN(view_nearest(name), ""));
	return view;
}

/* Small tables about strata itself, without an envelope. */
static bool print_catalog(const struct table *table, struct buffer *out)
{
	AUTO(extract_clear) struct extract extract;
	struct extract_options options = { .limit = SIZE_MAX };
	bool done = extract_make(&extract, table, &options, NULL, NULL);
	buffer_puts(out, "{\"rows\": [");
	if (done)
		serve_tools_add_rows(out, &extract, SIZE_MAX);
	buffer_puts(out, "]}");
	return done;
}

static bool answer_views(const struct serve_answer *answer)
{
	const char *name = answer->call->argument[ARG_VIEW];
	const struct view *view = name ? find_view(name, answer->error) : NULL;
	if (name && !view)
		return false;
	AUTO_TABLE struct table *table = view ? catalog_columns(view) : catalog_views();
	return print_catalog(table, answer->out);
}

static bool answer_report(const struct serve_answer *answer)
{
	const struct view *view = find_view(answer->call->argument[ARG_VIEW], answer->error);
	return view && add_view(answer, view);
}

static struct table *query_rows(const struct serve_answer *answer)
{
	return sql_query_within(answer->run, answer->scope, answer->call->argument[ARG_SQL],
				&query_limits, answer->call->progress, answer->error);
}

static bool answer_query(const struct serve_answer *answer)
{
	AUTO_TABLE struct table *table = query_rows(answer);
	return table && add_table(answer, table);
}

static bool answer_check(const struct serve_answer *answer)
{
	AUTO_TABLE struct table *table = query_rows(answer);
	if (table)
		serve_check(answer->call->argument[ARG_SENTENCE], table, answer->out);
	return table;
}

static bool answer_advice(const struct serve_answer *answer)
{
	struct serve_answer full = *answer;
	struct extract_options options = *answer->options;
	if (!options.columns)
		options.columns =
			"severity,problem,evidence,recommendation,cost_ns,gain_pct,detector";
	full.options = &options;
	return add_view(&full, view_find("advice"));
}

static bool answer_whatif(const struct serve_answer *answer)
{
	const char *edits = answer->call->argument[ARG_EDITS];
	struct serve_answer full = *answer;
	AUTO_FREE char *group = edits ? mem_printf("edit=%s", edits) : NULL;
	full.group = group;
	return add_view(&full, view_find("whatif"));
}

static bool answer_diff(const struct serve_answer *answer)
{
	if (!answer->run->base)
		return error_usage(answer->error,
				   "no base to compare with: name one as base, or start the server "
				   "with --base PATH");
	return add_view(answer, view_find("diff"));
}

/* What happens in an interval, from the busy time of lanes to the longest events. */
static bool answer_timeline(const struct serve_answer *given)
{
	static const struct {
		const char *view, *columns, *sort;
	} parts[] = { SLICE_PART_ROWS };
	enum { PARTS = sizeof parts / sizeof *parts };
	for (size_t i = 0; i < PARTS; i++) {
		struct extract_options options = *given->options;
		struct serve_answer answer = *given;
		options.columns = parts[i].columns;
		options.sort = parts[i].sort;
		if (!given->call->argument[ARG_LIMIT])
			options.limit = TIMELINE_ROWS;
		answer.options = &options;
		answer.bytes_max = given->bytes_max / PARTS;
		buffer_printf(given->out, "%s\"%s\": ", i ? ",\n" : "{", parts[i].view);
		if (!add_view(&answer, view_find(parts[i].view)))
			return false;
	}
	buffer_putc(given->out, '}');
	return true;
}

static const struct serve_tool tools[] = { SERVE_TOOLS_ROWS };

enum { TOOLS = sizeof tools / sizeof *tools };

const struct serve_tool *serve_tool_named(const struct json_slice *name)
{
	return first_of(at, tools, TOOLS, json_equal(name, at->name));
}

/* ---- schemas ---- */

static void add_schema(struct buffer *out, const struct serve_tool *tool)
{
	bool first = true;
	buffer_puts(out, "{\"type\": \"object\", \"properties\": {");
	for (int i = 0; i < SERVE_ARGUMENTS; i++) {
		if (!((tool->required | tool->optional) & BIT(i)))
			continue;
		buffer_printf(out,
			      "%s\"%s\": {\"type\": \"%s\", \"description\": ", first ? "" : ", ",
			      arguments[i].name, arguments[i].type);
		format_json_string(out, arguments[i].help);
		buffer_putc(out, '}');
		first = false;
	}
	buffer_puts(out, "}, \"required\": [");
	first = true;
	for (int i = 0; i < SERVE_ARGUMENTS; i++)
		if (tool->required & BIT(i)) {
			buffer_puts(out, first ? "" : ", ");
			format_json_string(out, arguments[i].name);
			first = false;
		}
	buffer_puts(out, "], \"additionalProperties\": false}");
}

void serve_list_tools(struct buffer *out)
{
	buffer_putc(out, '[');
	for (size_t i = 0; i < TOOLS; i++) {
		buffer_puts(out, i ? ", {\"name\": " : "{\"name\": ");
		format_json_string(out, tools[i].name);
		buffer_puts(out, ", \"title\": ");
		format_json_string(out, tools[i].title);
		buffer_puts(out, ", \"description\": ");
		format_json_string(out, tools[i].description);
		buffer_puts(out, ", \"inputSchema\": ");
		add_schema(out, &tools[i]);
		buffer_puts(out, ", \"outputSchema\": {\"type\": \"object\"");
		if (tools[i].answer != answer_timeline)
			buffer_puts(out, ", \"properties\": {\"rows\": {\"type\": \"array\", "
					 "\"items\": {\"type\": \"object\"}}}, \"required\": "
					 "[\"rows\"]");
		buffer_puts(out, "}, \"annotations\": {\"readOnlyHint\": true}}");
	}
	buffer_putc(out, ']');
}

/* ---- a call ---- */

static bool keep_argument(struct serve_call *call, int i, const struct json_slice *value,
			  struct error *error)
{
	struct buffer *text = &call->text[i];
	buffer_clear(text);
	if (value->type == JSON_STRING)
		json_unescape(text, value);
	else if (value->type == JSON_NUMBER)
		buffer_add(text, value->text, value->length);
	else
		return error_usage(error, "argument %s must be a text or a number",
				   arguments[i].name);
	if (strlen(buffer_text(text)) != text->length)
		return error_usage(error, "argument %s has a NUL", arguments[i].name);
	call->argument[i] = buffer_text(text);
	return true;
}

static bool read_argument(struct serve_call *call, const struct serve_tool *tool,
			  const struct json_slice *key, const struct json_slice *value,
			  struct error *error)
{
	for (int i = 0; i < SERVE_ARGUMENTS; i++) {
		if (((tool->required | tool->optional) & BIT(i)) &&
		    json_equal(key, arguments[i].name)) {
			bool absent = value->type == JSON_WORD && json_equal(value, "null");
			return absent || keep_argument(call, i, value, error);
		}
	}
	return error_usage(error, "tool %s has no argument \"%.*s\"", tool->name,
			   (int)(key->length < 64 ? key->length : 64), key->text);
}

bool serve_call_read(struct serve_call *call, const struct serve_tool *tool,
		     const struct json_slice *given, struct error *error)
{
	struct json_cursor cursor = { 0 };
	struct json_slice key, value;
	if (given)
		json_enter(&cursor, given);
	while (given && json_member(&cursor, &key, &value))
		if (!read_argument(call, tool, &key, &value, error))
			return false;
	for (int i = 0; i < SERVE_ARGUMENTS; i++)
		if ((tool->required & BIT(i)) && !call->argument[i])
			return error_usage(error, "tool %s requires the argument %s", tool->name,
					   arguments[i].name);
	return true;
}

void serve_call_clear(struct serve_call *call)
{
	for (int i = 0; i < SERVE_ARGUMENTS; i++)
		buffer_free(&call->text[i]);
}
