#include "sql/sql_functions.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"

struct match_job {
	sqlite3_context *context;
	sqlite3_value **arguments; /* pattern, text */
	struct error *error;
	bool found;
};

static void forget_pattern(void *pattern)
{
	pattern_free(pattern);
}

/* The compiled expression, which SQLite keeps for the other rows if it is constant. */
static struct pattern *pattern_of(struct match_job *job, bool *kept)
{
	struct pattern *pattern = sqlite3_get_auxdata(job->context, 0);
	*kept = pattern != NULL;
	if (pattern)
		return pattern;
	const char *text = (const char *)sqlite3_value_text(job->arguments[0]);
	return pattern_new(text ? text : "", job->error);
}

static bool match_work(void *context)
{
	struct match_job *job = context;
	bool kept;
	struct pattern *pattern = pattern_of(job, &kept);
	if (!pattern)
		return false;
	const char *text = (const char *)sqlite3_value_text(job->arguments[1]);
	size_t length = (size_t)sqlite3_value_bytes(job->arguments[1]);
	job->found = pattern_match(pattern, text ? text : "", length, NULL, NULL);
	bool done = job->found || pattern_completed(pattern, job->error);
	if (!kept)
		sqlite3_set_auxdata(job->context, 0, pattern, forget_pattern);
	return done;
}

static void regexp(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct match_job job = { .context = context,
				 .arguments = arguments,
				 .error = sqlite3_user_data(context) };
	if (sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
	    sqlite3_value_type(arguments[1]) == SQLITE_NULL)
		return;
	if (mem_guard(match_work, &job, job.error))
		sqlite3_result_int(context, job.found);
	else
		sqlite3_result_error(context, job.error->message, -1);
}

bool sql_register_regexp(sqlite3 *db, struct error *error)
{
	int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	return sqlite3_create_function_v2(db, "regexp", 2, flags, error, regexp, NULL, NULL,
					  NULL) == SQLITE_OK;
}
