#include "base/any_of.h"
#include "sql/view_plan.h"

#include "sql/virtual_tables.h"

/*
 * idxStr encodes the plan as pairs of characters: first an operation for each argument with its
 * operand, then the columns to order by. The value of a hidden column is taken as it is; the
 * others are looked up.
 */
enum operation {
	TAKE_HIDDEN = 'h', /* operand: 'A' + hidden column; of the others: COLUMN + column */
	EQUAL = '=',
	AT_LEAST = '>', /* or greater: SQLite compares again */
	AT_MOST = '<',
	ASCENDING = '+',
	DESCENDING = '-',
	COLUMN = 1,
	COLUMNS_MAX = 120,      /* limit: columns after these are not looked up */
	ROWS_ASSUMED = 1000000, /* of a table that is not built yet */
	COST_OF_LOOKUP = 20,
	LIMIT_CONSTRAINT = 73, /* SQLITE_INDEX_CONSTRAINT_LIMIT of SQLite 3.38 */
};

static void add_operation(struct view_plan *plan, enum operation operation, int operand)
{
	plan->text[plan->length++] = (char)operation;
	plan->text[plan->length++] = (char)operand;
}

static void add_argument(struct view_plan *plan, sqlite3_index_info *info, int constraint,
			 enum operation operation, int operand)
{
	add_operation(plan, operation, operand);
	info->aConstraintUsage[constraint].argvIndex = ++plan->arguments;
	info->aConstraintUsage[constraint].omit = operation == TAKE_HIDDEN;
}

bool view_plan_hidden(struct view_plan *plan, sqlite3_index_info *info, int columns,
		      const struct scope_column chosen[SCOPE_COLUMNS])
{
	unsigned taken = 0;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		const struct scope_column *from =
			first_of(at, chosen, SCOPE_COLUMNS,
				 constraint->iColumn >= 0 && at->visible == constraint->iColumn);
		int hidden = from ? from->hidden : constraint->iColumn - columns;
		if (constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || hidden < 0 ||
		    (from && !constraint->usable))
			continue;
		if (!constraint->usable)
			return false;
		if (!(taken >> hidden & 1))
			add_argument(plan, info, i, TAKE_HIDDEN, 'A' + hidden);
		taken |= 1u << hidden;
	}
	return true;
}

static bool can_use(int columns, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
	return constraint->usable && constraint->iColumn >= 0 && constraint->iColumn < columns &&
	       constraint->iColumn < COLUMNS_MAX &&
	       !sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY");
}

static bool is_looked_up(const sqlite3_index_info *info, int column)
{
	return any_of(i, info->nConstraint,
		      info->aConstraintUsage[i].argvIndex &&
			      info->aConstraint[i].iColumn == column);
}

/* Without the table a value is assumed to be in few rows. */
static double distinct_values(struct built *built, int column)
{
	enum { ASSUMED = 100000 };
	return built ? built_distinct(built, column) : ASSUMED;
}

/* Look up the columns with the most distinct values first: each divides the rows further. */
static void look_up_equal(int columns, struct built *built, sqlite3_index_info *info,
			  struct view_plan *plan)
{
	for (int used = 0; used < EQUALS_MAX; used++) {
		int best = -1;
		double most = 0;
		for (int i = 0; i < info->nConstraint; i++) {
			int column = info->aConstraint[i].iColumn;
			if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
			    !can_use(columns, info, i) || is_looked_up(info, column))
				continue;
			double distinct = distinct_values(built, column);
			if (distinct > most) {
				most = distinct;
				best = i;
			}
		}
		if (best < 0 || (used && plan->rows <= 1))
			return;
		add_argument(plan, info, best, EQUAL, COLUMN + info->aConstraint[best].iColumn);
		plan->rows = plan->rows / most < 1 ? 1 : plan->rows / most;
	}
}

/* One column's range, after the equal ones. */
static void look_up_range(int columns, sqlite3_index_info *info, struct view_plan *plan)
{
	enum { LEFT = 8 }; /* rows by which either bound is assumed to divide them */
	int column = -1;
	unsigned sides = 0;
	for (int i = 0; i < info->nConstraint; i++) {
		unsigned char op = info->aConstraint[i].op;
		bool least = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
		bool most = op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
		if ((!least && !most) || !can_use(columns, info, i) || (sides >> most & 1) ||
		    (sides ? info->aConstraint[i].iColumn != column
			   : is_looked_up(info, info->aConstraint[i].iColumn)))
			continue;
		column = info->aConstraint[i].iColumn;
		sides |= 1u << most;
		add_argument(plan, info, i, least ? AT_LEAST : AT_MOST, COLUMN + column);
		plan->rows = plan->rows / LEFT < 1 ? 1 : plan->rows / LEFT;
	}
}

void view_plan_order(struct view_plan *plan, sqlite3_index_info *info, int columns)
{
	/* with a limit SQLite keeps the first rows in order as it goes: less than sorting all */
	if (!info->nOrderBy || info->nOrderBy > ORDER_MAX ||
	    any_of(i, info->nConstraint, info->aConstraint[i].op == LIMIT_CONSTRAINT))
		return;
	for (int i = 0; i < info->nOrderBy; i++) {
		int column = info->aOrderBy[i].iColumn;
		if (column < 0 || column >= columns || column >= COLUMNS_MAX)
			return;
	}
	for (int i = 0; i < info->nOrderBy; i++)
		add_operation(plan, info->aOrderBy[i].desc ? DESCENDING : ASCENDING,
			      COLUMN + info->aOrderBy[i].iColumn);
	info->orderByConsumed = 1;
}

void view_plan_rows(struct view_plan *plan, sqlite3_index_info *info, int columns,
		    struct built *built)
{
	double all = built ? (double)built->table->rows : ROWS_ASSUMED;
	int hidden = plan->arguments;
	plan->rows = all;
	look_up_equal(columns, built, info, plan);
	look_up_range(columns, info, plan);
	if (plan->arguments == hidden && built)
		view_plan_order(plan, info, columns);
	double cost = plan->arguments > hidden ? COST_OF_LOOKUP + 2 * plan->rows : all;
	info->estimatedRows = (sqlite3_int64)plan->rows;
	info->estimatedCost = cost < all ? cost : all;
	raise_to(info->estimatedCost, 1);
}

/* ---- running ---- */

int view_plan_takes(const char *plan)
{
	return *plan == TAKE_HIDDEN ? plan[1] - 'A' : -1;
}

struct value view_plan_value(sqlite3_value *value)
{
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER: return value_int(sqlite3_value_int64(value));
	case SQLITE_FLOAT: return value_real(sqlite3_value_double(value));
	case SQLITE_TEXT: {
		const char *text = (const char *)sqlite3_value_text(value);
		return value_bytes(text, (size_t)sqlite3_value_bytes(value));
	}
	default: return value_missing();
	}
}

struct plan_arguments {
	struct sql_source *source;
	struct built *built;
	const char *plan;
	int count;
	sqlite3_value **value;
};

/* What is looked up: equal columns, then possibly the bounds of a column. */
struct lookup {
	struct sort_key key[ORDER_MAX];
	struct value value[ORDER_MAX]; /* one more than EQUAL ones: at least this */
	struct value most;
	size_t equal;
	bool has_least, has_most;
};

/* False if no row can match. Values that need a conversion are left to SQLite. */
static bool read_lookup(const struct plan_arguments *arguments, struct lookup *lookup)
{
	const struct table *table = arguments->built->table;
	for (int i = 0; i < arguments->count; i++) {
		char operation = arguments->plan[2 * i];
		int column = arguments->plan[2 * i + 1] - COLUMN;
		struct value value = view_plan_value(arguments->value[i]);
		if (value.kind == VALUE_MISSING && operation == EQUAL)
			return false;
		bool text = table->column[column]->unit == UNIT_TEXT;
		if (value.kind == VALUE_MISSING || (value.kind == VALUE_TEXT) != text)
			continue;
		lookup->key[lookup->equal].column = column;
		if (operation == EQUAL)
			lookup->value[lookup->equal++] = value;
		else if (operation == AT_LEAST)
			lookup->value[lookup->equal] = value;
		else
			lookup->most = value;
		lookup->has_least |= operation == AT_LEAST;
		lookup->has_most |= operation == AT_MOST;
	}
	return true;
}

static bool look_up(const struct plan_arguments *arguments, struct row_range *range)
{
	struct built *built = arguments->built;
	struct lookup lookup = { 0 };
	if (!read_lookup(arguments, &lookup)) {
		range->end = 0;
		return true;
	}
	size_t equal = lookup.equal, keys = equal + (lookup.has_least || lookup.has_most);
	if (!keys)
		return true;
	struct row_order *order = built_order(arguments->source, built, lookup.key, keys);
	if (!order)
		return false;
	range->rows = order->rows;
	range->at = row_order_bound(built, order, lookup.value, equal + lookup.has_least, false,
				    order->near);
	order->near = range->at;
	if (lookup.has_most)
		lookup.value[equal] = lookup.most;
	range->end = keys > equal && !lookup.has_most
			     ? row_order_end(built, order, lookup.value, equal)
			     : row_order_bound(built, order, lookup.value, keys, true, range->at);
	raise_to(range->end, range->at);
	return true;
}

/* SQL sorts missing values as less than all others. */
static bool order_as_planned(const struct plan_arguments *arguments, struct row_range *range)
{
	struct sort_key keys[ORDER_MAX];
	size_t count = 0;
	for (const char *at = arguments->plan; *at; at += 2)
		keys[count++] =
			(struct sort_key){ at[1] - COLUMN, *at == DESCENDING, *at == ASCENDING };
	const struct row_order *order =
		built_order(arguments->source, arguments->built, keys, count);
	range->rows = order ? order->rows : NULL;
	return order;
}

bool view_plan_run(struct sql_source *source, struct built *built, const char *plan, int argc,
		   sqlite3_value **argv, struct row_range *range)
{
	struct plan_arguments arguments = { source, built, plan, argc, argv };
	*range = (struct row_range){ .end = built->table->rows };
	return argc ? look_up(&arguments, range) : !*plan || order_as_planned(&arguments, range);
}
