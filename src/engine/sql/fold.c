#include "sql/fold.h"

#include "base/any_of.h"
#include "base/text_slice.h"

#include <ctype.h>

#define FUNCTIONS "count|sum|avg|min|max"
#define CLAUSES "where|group|having|order|limit|;"

struct fold_parser {
	struct sql_fold *fold;
	const char *sql, *lower; /* the statement; in small letters */
	const char *copied;      /* LOWER up to here is in the fold's statement */
	struct text_slice before, token, from;
};

/* ---- tokens, of the statement in small letters ---- */

/* The word, quoted text or sign behind TOKEN, of length 0 at the end. */
static struct text_slice token_after(struct text_slice token)
{
	const char *at = token.text + token.length, *end = at += strspn(at, " \t\n\f\r");
	while (isalnum((unsigned char)*end) || *end == '_' || (unsigned char)*end > 127)
		end++;
	if (end == at && *at && strchr("'\"`[", *at)) {
		end = strchr(at + 1, *at == '[' ? ']' : *at);
		end = end ? end + 1 : at + strlen(at);
	} else if (end == at && *at)
		end += text_start(at, (size_t)-1, "--|/*") ?: 1;
	return (struct text_slice){ at, (size_t)(end - at) };
}

static bool is(struct text_slice token, const char *words)
{
	return token.length && text_choice(token.text, token.length, words) >= 0;
}

/* -1: it is none. */
static int named_column(const struct fold_parser *parser, struct text_slice name)
{
	const struct table *columns = parser->fold->columns;
	if (name.length > 1 && strchr("\"`[", *name.text))
		name = (struct text_slice){ name.text + 1, name.length - 2 };
	const struct column **column = first_of(at, columns->column, columns->columns,
						text_is(name.text, name.length, (*at)->id));
	return column ? (int)(column - columns->column) : -1;
}

/* For what stands instead of what is from FROM to the end of TO. */
static struct buffer *replace(struct fold_parser *parser, struct text_slice from,
			      struct text_slice to)
{
	struct buffer *sql = &parser->fold->sql;
	const char *original = parser->sql + (parser->copied - parser->lower);
	buffer_add(sql, original, (size_t)(from.text - parser->copied));
	parser->copied = to.text + to.length;
	parser->token = to;
	return sql;
}

/* ---- the statement ---- */

static bool is_declared(const struct sql_fold *fold, int column, const char *type)
{
	return strcmp(sql_column_type(fold->columns->column[column]), type) == 0;
}

/* Is there a sum of a column, to read as a column? Those of rows are summed again. */
static bool parse_sum(struct fold_parser *parser)
{
	static const char *const again[] = { FOLD_AGAIN_ROWS };
	static const char *const once[] = { "\"sum %d\"", "(1.0 * \"sum %d\" / \"sum %d\")" };
	struct sql_fold *fold = parser->fold;
	struct text_slice name = parser->token, of = token_after(token_after(name));
	int function = text_choice(name.text, name.length, FUNCTIONS);
	if (is(token_after(of), "."))
		of = token_after(token_after(of));
	struct text_slice end = token_after(of);
	int column = named_column(parser, of);
	bool summed = function == FOLD_COUNT ? column >= 0 || is(of, "*")
					     : column >= 0 && is_declared(fold, column, "INTEGER");
	if (!summed || !is(end, ")") || is(token_after(end), "over|filter") ||
	    fold->sums + 2 > FOLD_SUMS_MAX)
		return false;
	bool mean = function == FOLD_AVG;
	size_t sum = fold->sums;
	fold->sum[fold->sums++] = (struct fold_sum){ mean ? FOLD_SUM : (enum fold_function)function,
						     column, mean ? (uint64_t)1 << 53 : INT64_MAX };
	if (mean)
		fold->sum[fold->sums++] = (struct fold_sum){ FOLD_AVG, column, INT64_MAX };
	buffer_printf(replace(parser, name, end), fold->alone ? once[mean] : again[function],
		      (int)sum, (int)sum + 1);
	return true;
}

/* FROM one view, perhaps under another name. */
static bool parse_view(struct fold_parser *parser)
{
	struct text_slice view = token_after(parser->token), name = view, next = token_after(view);
	if (next.length && !is(next, CLAUSES)) {
		name = is(next, "as") ? token_after(next) : next;
		next = token_after(name);
	}
	buffer_printf(replace(parser, view, name), "\"" FOLD_TABLE "\" AS %.*s", (int)name.length,
		      name.text);
	return !next.length || is(next, CLAUSES);
}

/* Outside of WHERE. False: a sum of something else, or all columns. */
static bool parse_token(struct fold_parser *parser)
{
	struct text_slice token = parser->token, next = token_after(token);
	if (is(token, FUNCTIONS) && is(next, "("))
		return parse_sum(parser);
	int column = named_column(parser, token);
	if (column >= 0 && !is(next, "(|.") && !is(parser->before, "as"))
		parser->fold->shown |= (uint64_t)1 << column;
	return !is(token, "*") || !is(parser->before, "select|distinct|all|,|.");
}

/* GROUP BY columns, which the fold does alone. False: SQLite might yield them in another order. */
static bool parse_groups(struct fold_parser *parser)
{
	struct sql_fold *fold = parser->fold;
	struct text_slice group = parser->token, end = group, next = token_after(group);
	for (; is(next, "by|,"); next = token_after(end)) {
		end = token_after(next);
		int column = named_column(parser, end);
		if (column < 0 || fold->key_count == ORDER_MAX)
			return false;
		fold->key[fold->key_count++] = (struct sort_key){ column, .missing_first = true };
	}
	replace(parser, group, end);
	return !next.length || is(next, ";|limit");
}

/* WHERE a number is known: as the comparison that the fold can take. */
static void parse_known(struct fold_parser *parser)
{
	struct text_slice verb = token_after(parser->token), negation = token_after(verb);
	struct text_slice null = token_after(negation), next = token_after(null);
	int column = named_column(parser, parser->token);
	if (column >= 0 && is_declared(parser->fold, column, "INTEGER") && is(verb, "is") &&
	    is(negation, "not") && is(null, "null") && (!next.length || is(next, CLAUSES "|and")))
		buffer_puts(replace(parser, verb, null), ">= -9223372036854775808");
}

/* From SELECT on, to the end. */
static bool parse_statement(struct fold_parser *parser)
{
	bool done = is(parser->token, "select"), where = false, groups = false;
	while (done && parser->token.length) {
		parser->before = parser->token;
		parser->token = token_after(parser->token);
		where = is(parser->token, CLAUSES) ? is(parser->token, "where") : where;
		groups |= !where && is(parser->token, "group");
		if (is(parser->token, "select|--|/*"))
			done = false;
		else if (parser->token.text == parser->from.text)
			done = parse_view(parser);
		else if (parser->fold->alone && is(parser->token, "group"))
			done = parse_groups(parser);
		else if (!where)
			done = parse_token(parser);
		else if (is(parser->before, "where"))
			parse_known(parser);
	}
	if (done)
		replace(parser, parser->token, parser->token);
	return done && (groups || (parser->fold->sums && !parser->fold->alone));
}

struct sql_fold *fold_parse(const struct sql_source *source, const char *sql, bool alone)
{
	AUTO_FREE char *lower = mem_strdup(sql);
	for (char *at = lower; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	struct fold_parser parser = { .sql = sql, .lower = lower, .copied = lower };
	parser.token = token_after((struct text_slice){ lower, 0 });
	while (is(parser.token, "explain|query|plan"))
		parser.token = token_after(parser.token);
	parser.from = parser.token;
	while (parser.from.length && !is(parser.from, "from"))
		parser.from = token_after(parser.from);
	struct text_slice name = token_after(parser.from);
	AUTO_FREE char *table = mem_strndup(name.text, name.length);
	const struct view *view = sql_find_view(source, table);
	if (!view)
		return NULL;
	struct sql_fold *fold = parser.fold = mem_zalloc(1, sizeof *fold);
	fold->view = view;
	fold->alone = alone;
	fold->columns = table_new(view);
	bool done = parse_statement(&parser) && fold->columns->columns + fold->sums < 64;
	mem_replace_by(table_free, fold->columns, fold_table(fold));
	return keep_if(done, fold, fold_free);
}

void fold_free(struct sql_fold *fold)
{
	if (!fold)
		return;
	fold_stop(fold);
	table_free(fold->columns);
	buffer_free(&fold->sql);
	buffer_free(&fold->plan_text);
	mem_free(fold);
}

struct table *fold_table(const struct sql_fold *fold)
{
	struct table *table = table_new(fold->view);
	for (size_t i = 0; i < fold->sums; i++) {
		struct column *column = arena_alloc(table->arena, sizeof *column);
		*column = (struct column){ .id = table_printf(table, "sum %zu", i).text,
					   .title = "",
					   .mixed = true };
		table_add_column(table, column);
	}
	return table;
}

/* ---- the plan ---- */

/* How cells that fulfill a constraint compare: bits for less, equal, more; 0: otherwise. */
static unsigned orders_of(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_LT   ? 1
	       : op == SQLITE_INDEX_CONSTRAINT_LE ? 3
	       : op == SQLITE_INDEX_CONSTRAINT_GT ? 4
	       : op == SQLITE_INDEX_CONSTRAINT_NE ? 5
	       : op == SQLITE_INDEX_CONSTRAINT_GE ? 6
						  : 0;
}

/* Take what compares integers; the columns of which SQLite reads no values for what is taken. */
static uint64_t take_conditions(struct sql_fold *fold, struct view_plan *plan,
				sqlite3_index_info *info)
{
	uint64_t taken = 0;
	fold->conditions = 0;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		struct sqlite3_index_constraint_usage *usage = &info->aConstraintUsage[i];
		unsigned orders = orders_of(info->aConstraint[i].op);
		if (column < 0 || column >= view_columns(fold) || !info->aConstraint[i].usable)
			continue;
		if (orders && is_declared(fold, column, "INTEGER") &&
		    fold->conditions < FOLD_CONDITIONS_MAX) {
			fold->condition[fold->conditions++] =
				(struct fold_condition){ column, orders, { 0 } };
			usage->argvIndex = ++plan->arguments;
			usage->omit = 1;
		}
		if (usage->argvIndex)
			taken |= (uint64_t)1 << column;
	}
	return taken;
}

/* "folded by name where step" */
static void describe(struct sql_fold *fold)
{
	const char *before = " by ";
	buffer_puts(&fold->plan_text, "folded");
	for (int i = 0; i < view_columns(fold); i++)
		if (fold->keys >> i & 1) {
			buffer_printf(&fold->plan_text, "%s%s", before,
				      fold->columns->column[i]->id);
			before = ", ";
		}
	for (int i = 0; i < fold->conditions; i++)
		buffer_printf(&fold->plan_text, "%s%s", i ? ", " : " where ",
			      fold->columns->column[fold->condition[i].column]->id);
}

bool fold_plan(struct sql_fold *fold, struct view_plan *plan, sqlite3_index_info *info)
{
	if (fold->plan_text.length)
		return false; /* the first plan takes most */
	uint64_t grouped = 0, taken = take_conditions(fold, plan, info);
	for (size_t i = 0; i < fold->key_count; i++)
		grouped |= (uint64_t)1 << fold->key[i].column;
	for (int i = 0; i < info->nOrderBy && !fold->alone; i++)
		if (info->aOrderBy[i].iColumn >= 0 &&
		    info->aOrderBy[i].iColumn < view_columns(fold))
			grouped |= (uint64_t)1 << info->aOrderBy[i].iColumn;
	uint64_t all = ((uint64_t)1 << view_columns(fold)) - 1;
	fold->keys = grouped | (info->colUsed & all & ~taken);
	/* a folded row is a group; of a column without values it is known only at the end */
	bool groups = fold->keys == grouped && !(taken & ~grouped);
	if (groups && !fold->alone)
		view_plan_order(plan, info, (int)fold->columns->columns);
	fold->plan = *plan;
	describe(fold);
	/* what is read of several scopes is not alone */
	return (!fold->alone || (groups && plan->arguments == fold->conditions)) &&
	       !(fold->shown & ~grouped) &&
	       !any_of(i, view_columns(fold), fold->keys >> i & 1 && is_declared(fold, i, "REAL"));
}
