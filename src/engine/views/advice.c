/*
 * The advice view: findings of the detectors, and what each refers to.
 */
#include "analysis/advice/summary_findings.h"
#include "analysis/advice/platform_names.h"
#include "base/any_of.h"
#include "base/number.h"
#include "model/tool.h"
#include "session/join.h"
#include "table/summary_rows.h"
#include "views/findings.h"

#include <ctype.h>

/* The view of what a finding is about that names no row; NULL: not known. */
static const struct view *view_of(const struct finding *finding)
{
	if (finding->detector->view)
		return view_find(finding->detector->view);
	return finding->subject == SUBJECT_PYTHON ? &view_python
	       : finding->is_idle                 ? &view_gaps
						  : NULL;
}

/* Its rows; else a view; else the longest time it claims, with the GPU work on both sides. */
struct ref finding_ref(const struct finding *finding, size_t number)
{
	enum { AROUND_NS = 1000 };
	const struct interval *at = &finding->longest;
	const struct view *view = view_of(finding);
	int64_t start = at->start > AROUND_NS ? at->start - AROUND_NS : 0;
	struct ref time = { 0 };
	if (finding->subject != SUBJECT_NONE && finding->subject != SUBJECT_PYTHON)
		return (struct ref){ REF_FINDING, (uint32_t)number, finding->subject,
				     finding->subject_row };
	if (!view && at->end > at->start)
		time = ref_of_time(finding->device, start, at->end + AROUND_NS - start);
	if (time.kind == REF_TIME)
		return time;
	return (struct ref){ REF_FACT, (uint32_t)number, view_number(view ? view : &view_info), 0 };
}

/* A text with the names of the profile's platform. */
static struct value platform_text(struct table *table, enum platform platform, const char *text,
				  bool action)
{
	struct buffer out = { 0 };
	if (!text)
		return value_missing();
	platform_add_text(&out, platform, text, action);
	return table_take_text(table, &out);
}

/* What to do, about the kernel that the finding is about, if a shell takes its name as it is. */
static struct value action_text(struct table *table, const struct finding *finding,
				enum platform platform)
{
	const char *action = finding->recommendation;
	const char *at =
		action && finding->subject == SUBJECT_KERNEL ? strstr(action, " NAME ") : NULL;
	AUTO_BUFFER struct buffer named = { 0 };
	size_t length;
	const char *full = profile_string(table->selection.profile, at ? finding->subject_row : 0);
	const char *name = join_base_name(full, &length);
	if (at && !any_of(i, length, !isalnum((unsigned char)name[i]) && name[i] != '_'))
		buffer_printf(&named, "%.*s %.*s%s", (int)(at - action), action, (int)length, name,
			      at + 5);
	return platform_text(table, platform, named.length ? buffer_text(&named) : action, true);
}

static void add_finding(struct table *table, const struct finding *finding, enum platform platform)
{
	size_t row = table_add_row(table, finding_ref(finding, table->rows));
	FINDING_CELLS(table_set);
	if (finding->answer == ANSWER_FIRED && finding->scope_ns)
		table_set(table, row, "scope_ns", cell_int(finding->scope_ns));
	table_set(table, row, "rank", cell_int(finding->rank));
	table_set(table, row, "source", value_text("strata"));
	if (finding->answer == ANSWER_FIRED && finding->longest.end > finding->longest.start) {
		table_set(table, row, "start_ns", cell_int(finding->longest.start));
		table_set(table, row, "dur_ns",
			  cell_int(finding->longest.end - finding->longest.start));
	}
}

/* True if both lack the same data. */
static bool is_alike(const struct finding *a, const struct finding *b)
{
	return a->answer == ANSWER_UNKNOWN && b->answer == ANSWER_UNKNOWN &&
	       a->recommendation == b->recommendation &&
	       !strcmp(buffer_text(&a->evidence), buffer_text(&b->evidence));
}

/* Merge the skipped rules that lack the same data into one row, at the first of them. */
static void add_lacking(struct table *table, const struct findings *findings, size_t first,
			enum platform platform)
{
	const struct finding *finding = &findings->items[first];
	AUTO_BUFFER struct buffer ids = { 0 }, problem = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (!is_alike(finding, &findings->items[i]))
			continue;
		if (i < first)
			return;
		buffer_printf(&ids, "%s%s", count++ ? "," : "", findings->items[i].detector->id);
	}
	size_t row = table->rows;
	add_finding(table, finding, platform);
	if (count > 1)
		buffer_printf(&problem, "%zu checks skipped", count);
	else
		buffer_printf(&problem, "Skipped: %s", finding->detector->problem);
	table_set(table, row, "problem", table_copy_text(table, problem.data, problem.length));
	table_set(table, row, "detector", table_copy_text(table, ids.data, ids.length));
}

/* ---- advice that the profile holds ---- */

struct stored_visit {
	struct table *table;
	const char *source;
};

static void add_stored(void *context, const struct stored_advice *advice)
{
	struct stored_visit *visit = context;
	struct table *table = visit->table;
	uint32_t number = (uint32_t)table->rows;
	uint32_t view = view_number(advice->view ? advice->view : &view_info);
	size_t row = table_add_row(table, (struct ref){ REF_FACT, number, view, 0 });
	const char *title = advice->title ? advice->title : advice->id;
	STORED_ADVICE_CELLS(table_set);
}

/* Of any tool: a timeline may have been joined to what another one measured. */
static void add_advice_of_tools(struct table *table, const struct profile *profile)
{
	for (size_t i = 0; tools[i]; i++) {
		struct stored_visit visit = { table, tools[i]->name };
		if (tools[i]->advice)
			tools[i]->advice(profile, add_stored, &visit);
	}
}

/* ---- the view ---- */

static void advice_add_text(const struct table *table, size_t row, const char *id,
			    struct buffer *out)
{
	struct value value = table_value(table, row, (size_t)table_need(table, id));
	buffer_clear(out);
	if (value.kind == VALUE_TEXT)
		buffer_add(out, value.text, value.length);
}

/* Say what comparing ranks would add: their summaries may have been made one by one. */
static void tell_of_peers(struct table *table, size_t row, const struct view_query *query,
			  bool unknown, const char *ids)
{
	AUTO_BUFFER struct buffer evidence = { 0 };
	const struct rank *rank = run_rank(query->run, query->scope->rank);
	advice_add_text(table, row, "evidence", &evidence);
	if (unknown && detectors_need_peers(ids)) {
		table_set(table, row, "evidence", value_text("Each rank was summarized alone."));
		table_set(table, row, "recommendation",
			  value_text("Open the traces of the ranks together."));
	} else if (communication_with_peers(&evidence, query->run,
					    (size_t)(rank - query->run->ranks))) {
		table_set(table, row, "evidence",
			  table_copy_text(table, evidence.data, evidence.length));
	}
}

/* A row of one rank; without what is known from comparing ranks. FIRED: also what it found. */
static void add_kept_row(struct table *table, const struct view_query *query,
			 const struct table *kept, size_t at, bool fired)
{
	AUTO_BUFFER struct buffer ids = { 0 }, left = { 0 };
	enum severity severity = severity_at(kept, at);
	advice_add_text(kept, at, "detector", &ids);
	bool unknown = severity == SEVERITY_UNKNOWN, lacks = unknown || severity == SEVERITY_STORED;
	size_t count = detectors_of_rank(buffer_text(&ids), &left);
	if (count && (fired || lacks)) {
		size_t row = table_add_row(table, NO_REF);
		for (size_t i = 0; i < kept->columns; i++)
			table_set_at(table, row, i, table_value(kept, at, i));
		table_set(table, row, "detector", table_copy_text(table, left.data, left.length));
		buffer_clear(&ids);
		buffer_printf(&ids, "%zu checks skipped", count);
		if (unknown && count > 1)
			table_set(table, row, "problem",
				  table_copy_text(table, ids.data, ids.length));
		if (query->run->rank_count > 1)
			tell_of_peers(table, row, query, unknown, buffer_text(&left));
	}
}

static void add_kept_rows(struct table *table, const struct view_query *query, bool fired)
{
	AUTO_TABLE struct table *kept = table_new(table->view);
	kept->run = query->run;
	kept->held = table->held;
	struct view_query findings = *query;
	findings.group = NULL; /* no other is kept */
	summary_rows_add(kept, &findings);
	for (size_t row = 0; row < kept->rows; row++)
		add_kept_row(table, query, kept, row, fired);
	if (kept->note)
		table_note(table, "%s", kept->note);
	kept->held = NULL;
}

/* The findings of all ranks, merged; else those of one, and of comparing it with the others. */
static bool add_kept_advice(struct table *table, const struct view_query *query)
{
	AUTO(findings_free) struct findings findings = { 0 };
	AUTO_INTERN struct intern *strings = intern_new();
	bool whole = !query->scope->has_steps && !query->scope->has_time;
	bool all = whole && is_of_all_ranks(query), done = true;
	if (all)
		done = findings_of_summaries(&findings, query, strings);
	else if (query->run->rank_count > 1)
		done = findings_of_rank(&findings, query);
	for (size_t i = 0; done && i < findings.count; i++)
		if (findings.items[i].answer == ANSWER_FIRED &&
		    (all || findings.items[i].subject == SUBJECT_RANK))
			add_finding(table, &findings.items[i], PLATFORM_CUDA);
	if (done)
		add_kept_rows(table, query, !all || query->run->rank_count < 2);
	return done;
}

bool build_advice(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	if (selection->profile->tables)
		return add_kept_advice(table, query);
	bool all = query->group && strcmp(query->group, "all") == 0, stored = false;
	bool skipped = false;
	enum platform platform = platform_of(selection->profile);
	AUTO(findings_free) struct findings findings = { 0 };
	if (selection->profile->partial)
		return true; /* findings are about whole profiles */
	if (!findings_of_query(&findings, query, NULL))
		return false;
	bool ok = true, told = false;
	for (size_t i = 0; i < findings.count && ok; i++) {
		enum answer answer = findings.items[i].answer;
		told |= answer != ANSWER_UNKNOWN;
		if (answer != ANSWER_FIRED && !stored) {
			add_advice_of_tools(table, selection->profile);
			stored = true;
		}
		if (all || answer == ANSWER_FIRED)
			add_finding(table, &findings.items[i], platform);
		/* some profiles have no device data by nature: no need to report it */
		else if (answer == ANSWER_UNKNOWN && !findings.items[i].elsewhere &&
			 !profile_is_sums(selection->profile) && !selection->profile->snapshot &&
			 !selection->profile->totals && !selection->profile->flight) {
			add_lacking(table, &findings, i, platform);
			skipped |= findings.items[i].recommendation != NULL;
		}
		ok = progress_update(query->progress, "listing findings", i, findings.count, 0);
	}
	if (!stored)
		add_advice_of_tools(table, selection->profile);
	if (!told && findings.count)
		table_note(table, "No check could run: the profile has sums, but no timeline.");
	char gain[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX];
	const struct gain_prediction *together = &findings.together;
	const char *need = skipped ? "For what skipped checks need, see strata-recording(7)." : "";
	if (findings.predicted > 1 && together->high_pct > 0)
		table_note(table,
			   "Together, %zu findings are predicted to gain %s (%s to %s%s%s).%s%s",
			   findings.predicted, number_gain(gain, together->pct),
			   number_gain(low, together->low_pct),
			   number_gain(high, together->high_pct), together->why ? " " : "",
			   together->why ? together->why : "", skipped ? " " : "", need);
	else if (skipped)
		table_note(table, "%s", need);
	return ok;
}
