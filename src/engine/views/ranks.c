/*
 * Views of ranks and collectives, from summaries alone, whichever ranks are loaded.
 */
#include "analysis/collectives.h"
#include "analysis/flights.h"
#include "analysis/arrival_delay.h"
#include "analysis/rank_matches.h"
#include "base/buffer.h"
#include "base/number.h"
#include "views/views.h"

#include <inttypes.h>

/* True if transfer and wait time are known, which requires matched operations of several ranks. */
static bool rank_is_matched(const struct run *run, size_t rank)
{
	return run->matches && run->matches->matched[rank] > 0;
}

/* NULL: unknown. */
static const char *rank_text(const struct rank_summary *summary, uint32_t text)
{
	return text ? intern_text(summary->strings, text) : NULL;
}

void set_rank_place(struct table *table, size_t row, const struct rank_summary *summary,
		    const struct rank_device *device)
{
	RANK_PLACE_CELLS(table_set_listed);
}

/* Collectives that a rank has not begun; NAME: of this operation, NULL: of all. */
static int64_t missing_of(const struct run *run, const struct flight_gaps *gaps, size_t rank,
			  const char *name)
{
	int64_t missing = 0;
	for_each (gap, gaps->items, gaps->count)
		missing += gap->rank == rank &&
			   (!name ||
			    strcmp(flight_text(run, gap->other, flight_gap_entry(run, gap)->name),
				   name) == 0);
	return missing;
}

/* Of all ranks, for the rows of some. */
struct ranks_comparison {
	struct flight_gaps gaps;
	struct arrival_delay all; /* summed up if there is a straggler */
};

/* "compute +3.2 ms" */
static void add_reason(struct table *table, size_t row, const struct run *run, size_t index,
		       const struct scope *scope, const struct ranks_comparison *comparison)
{
	static const char *const names[] = { LATE_CAUSE_ROWS };
	const struct straggler *straggler = rank_straggler(run->matches, index);
	int64_t steps = rank_count_steps(run->ranks[index].summary, scope), ns;
	char number[NUMBER_MAX];
	AUTO_BUFFER struct buffer text = { 0 };
	enum late_part part = late_part_of(run, scope, &comparison->all, index,
					   straggler->lead / (steps ? steps : 1), &ns);
	const char *name = names[part];
	if (part == LATE_IDLE && run->ranks[index].summary->device < 0)
		name = "input or host"; /* there is no GPU to be idle */
	if (part != LATE_UNKNOWN)
		buffer_printf(&text, "%s +%s", name, number_duration(number, ns));
	if (text.length)
		table_set(table, row, "reason", table_copy_text(table, text.data, text.length));
}

void set_step_means(struct table *table, size_t row, const struct step_summary *sum, int64_t count)
{
	RANK_MEAN_CELLS(table_set_listed);
}

static size_t add_rank_place(struct table *table, const struct rank *rank, size_t device)
{
	size_t row = table_add_row(table, ref_of_rank(rank->number));
	table_set(table, row, "rank", value_int(rank->number));
	set_rank_place(table, row, rank->summary, &rank->summary->devices[device]);
	return row;
}

static void add_rank(struct table *table, const struct run *run, size_t index,
		     const struct scope *scope, const struct ranks_comparison *comparison)
{
	const struct flight_gaps *gaps = &comparison->gaps;
	const struct rank *rank = &run->ranks[index];
	const struct rank_summary *summary = rank->summary;
	struct step_summary mean = rank_mean_step(summary, scope);
	size_t row = add_rank_place(table, rank, 0);
	if (!rank->totals || mean.dur > 0) /* without a timeline the times are unknown */
		set_step_means(table, row, &mean, 1);
	if (rank_is_matched(run, index)) {
		struct rank_wait wait = rank_mean_wait(run, index, scope);
		table_set(table, row, "sync_ns", value_int(wait.wait));
		table_set(table, row, "transfer_ns", value_int(wait.transfer));
	}
	if (rank->summary->flight.count)
		table_set(table, row, "missing", value_int(missing_of(run, gaps, index, NULL)));
	if (run->matches)
		table_set(table, row, "straggler",
			  value_int(rank_straggler(run->matches, index) != NULL));
	if (rank_straggler(run->matches, index))
		add_reason(table, row, run, index, scope, comparison);
	if (run->ranks[index].statistics)
		table_set(table, row, "statistics", value_int(true));
}

/* Ranks FROM to END, without END, are missing. */
static void list_missing(struct buffer *note, size_t *ranges, int64_t from, int64_t end)
{
	enum { RANGES_MAX = 10 };
	if (from >= end || ++*ranges > RANGES_MAX + 1)
		return;
	if (*ranges > RANGES_MAX) {
		buffer_puts(note, " and others");
		return;
	}
	buffer_printf(note, "%s%" PRId64, *ranges > 1 ? ", " : "; missing: ", from);
	if (end - from > 1)
		buffer_printf(note, "..%" PRId64, end - 1);
}

/* How many ranks of the world are open, and which are not; they are sorted by number. */
static void note_missing(struct buffer *note, const struct run *run, int64_t world)
{
	size_t ranges = 0;
	int64_t next = 0;
	buffer_printf(note, "%zu of %" PRId64 " ranks %s open", run->rank_count, world,
		      run->rank_count == 1 ? "is" : "are");
	for (size_t i = 0; i < run->rank_count; i++) {
		list_missing(note, &ranges, next, run->ranks[i].number);
		next = run->ranks[i].number + 1;
	}
	list_missing(note, &ranges, next, world);
	buffer_puts(note, ". ");
}

void view_stragglers_note(const struct run *run, struct buffer *out)
{
	const struct rank_matches *matches = run->matches;
	char lead[NUMBER_MAX];
	for (size_t i = 0; matches && i < matches->straggler_count; i++) {
		const struct straggler *straggler = &matches->stragglers[i];
		buffer_printf(
			out,
			"Rank %" PRId64
			" is the straggler%s%s: over all steps it waits least, the next rank %s longer. ",
			run->ranks[straggler->rank].number, *straggler->group ? " of group " : "",
			straggler->group, number_duration(lead, straggler->lead));
	}
}

/* Results of the matching, and its limits. */
static void note_matches(struct table *table, const struct run *run, const struct scope *scope)
{
	const struct rank_matches *matches = run->matches;
	char residual[NUMBER_MAX];
	int64_t world = run->ranks[0].summary->world_size;
	struct value recordings = cell_recordings_note(table, run);
	AUTO_BUFFER struct buffer note = { 0 };
	if (!matches && recordings.kind == VALUE_TEXT) {
		table->note = recordings.text;
		return;
	}
	if (!matches) {
		table_note(
			table,
			"Only one rank is open: open the files or the directory of all ranks to compare them.");
		return;
	}
	view_stragglers_note(run, &note);
	if (!matches->straggler_count)
		buffer_puts(&note, "No rank is a clear straggler. ");
	if (matches->residual != NO_VALUE)
		buffer_printf(&note, "Clocks are aligned to %s. ",
			      number_duration(residual, matches->residual));
	int64_t cut = 0, least, most;
	if (!rank_steps_alike(run, scope, &least, &most))
		buffer_printf(&note,
			      "The ranks recorded %" PRId64 " to %" PRId64
			      " steps: their means do not compare. ",
			      least, most);
	for (size_t r = 0; r < run->rank_count; r++) {
		struct rank_wait wait = rank_mean_wait(run, r, scope);
		cut = wait.residual > cut ? wait.residual : cut;
	}
	if (cut)
		buffer_printf(
			&note,
			"Up to %s of waiting per step lies outside of its step's communication and is left out. ",
			number_duration(residual, cut));
	if (matches->unmatched)
		buffer_printf(&note, "%zu operations have no match on another rank. ",
			      matches->unmatched);
	if (world != NO_VALUE && world != (int64_t)run->rank_count)
		note_missing(&note, run, world);
	table_note(table, "%s%s", buffer_text(&note),
		   recordings.kind == VALUE_TEXT ? recordings.text : "");
}

/* ---- hosts ---- */

struct host {
	const char *name; /* NULL: unknown */
	int64_t ranks, matched;
	struct step_summary sum;
	struct rank_wait wait;
	bool straggles;
};

static void add_to_host(struct host *host, const struct run *run, size_t index,
			const struct scope *scope)
{
	struct step_summary mean = rank_mean_step(run->ranks[index].summary, scope);
	host->ranks++;
	MEMBERS(&host->sum, &mean,
		PLUS(dur) PLUS(computation) PLUS(overlap) PLUS(communication) PLUS(other)
			PLUS(idle));
	host->straggles |= rank_straggler(run->matches, index) != NULL;
	if (!rank_is_matched(run, index))
		return;
	struct rank_wait wait = rank_mean_wait(run, index, scope);
	host->matched++;
	host->wait.wait += wait.wait;
	host->wait.transfer += wait.transfer;
}

static void add_host(struct table *table, const struct run *run, const struct host *host)
{
	size_t row = table_add_row(table, NO_REF);
	table_set(table, row, "host", value_text(host->name));
	table_set(table, row, "ranks", value_int(host->ranks));
	set_step_means(table, row, &host->sum, host->ranks);
	if (host->matched) {
		table_set(table, row, "sync_ns", value_int(host->wait.wait / host->matched));
		table_set(table, row, "transfer_ns",
			  value_int(host->wait.transfer / host->matched));
	}
	if (run->matches)
		table_set(table, row, "straggler", value_int(host->straggles));
}

/* Means over the ranks of each host; of unknown ones together. */
static bool build_hosts(struct table *table, const struct view_query *query)
{
	const struct run *run = query->run;
	AUTO_INTERN struct intern *names = intern_new();
	AUTO_KEYED struct keyed keys = { 0 };
	AUTO_FREE struct host *hosts = NULL;
	bool ok = true;
	table->default_columns = "host,ranks,step_ns,computation_ns,overlap_ns,communication_ns,"
				 "transfer_ns,sync_ns,other_ns,idle_ns,straggler";
	for_rows (ok, i, run->rank_count, query->progress, "grouping ranks") {
		const struct rank_summary *summary = run->ranks[i].summary;
		const char *name = rank_text(summary, summary->host);
		uint32_t id = name ? intern_add(names, name, strlen(name)) : NO_ROW;
		if (!scope_list_has(&query->scope->ranks, run->ranks[i].number))
			continue;
		struct host *host = keyed_item(&keys, hosts, &id);
		host->name = name;
		add_to_host(host, run, i, query->scope);
	}
	for (size_t i = 0; i < keys.count; i++)
		add_host(table, run, &hosts[i]);
	note_matches(table, run, query->scope);
	return ok;
}

/* Files named as ranks that hold no profile, with numbers below BELOW, from NEXT on. */
static void add_lost(struct table *table, const struct view_query *query, size_t *next,
		     int64_t below)
{
	for (; *next < query->run->lost_count && query->run->lost[*next].number < below; ++*next) {
		const struct lost_file *lost = &query->run->lost[*next];
		if (!scope_list_has(&query->scope->ranks, lost->number))
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "rank", value_int(lost->number));
		table_set(table, row, "reason", table_copy_string(table, lost->why));
	}
}

bool build_ranks(struct table *table, const struct view_query *query)
{
	if (query->group && strcmp(query->group, "host") == 0)
		return build_hosts(table, query);
	bool by_device = query->group && strcmp(query->group, "device") == 0;
	if (by_device)
		table->default_columns = "host,pid,rank,device,device_name,device_memory_bytes,"
					 "compute_capability";
	const struct run *run = query->run;
	struct ranks_comparison comparison = { 0 };
	if (!flight_gaps_find(&comparison.gaps, run, query->progress)) {
		mem_free(comparison.gaps.items);
		return false;
	}
	if (run->matches && run->matches->straggler_count)
		comparison.all = arrival_delay_of_all(run, query->scope);
	size_t lost = 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		add_lost(table, query, &lost, run->ranks[i].number);
		if (!scope_list_has(&query->scope->ranks, run->ranks[i].number))
			continue;
		add_rank(table, run, i, query->scope, &comparison);
		for (size_t n = 1; by_device && n < run->ranks[i].summary->device_count; n++)
			add_rank_place(table, &run->ranks[i], n);
	}
	add_lost(table, query, &lost, INT64_MAX);
	mem_free(comparison.gaps.items);
	note_matches(table, query->run, query->scope);
	return true;
}

/* ---- communication operations ---- */

struct ranks_group {
	uint32_t name;
	int64_t calls, bytes, sized, total, transfer, matched, wait, group_size;
};

static void add_collective(struct ranks_group *group, const struct collective *collective,
			   int64_t transfer)
{
	int64_t dur = collective->end - collective->start;
	if (!group->calls || group->group_size == NO_VALUE)
		group->group_size = collective->group_size;
	group->calls++;
	group->total += dur;
	if (collective->bytes != NO_VALUE) {
		group->bytes += collective->bytes;
		group->sized++;
	}
	if (transfer != NO_VALUE) {
		group->transfer += transfer;
		group->wait += dur - transfer;
		group->matched++;
	}
}

static void add_bandwidth(struct table *table, size_t row, const struct ranks_group *group,
			  const char *name)
{
	if (group->sized != group->calls || group->matched != group->calls || !group->transfer)
		return;
	double algorithm = (double)group->bytes / (double)group->transfer; /* bytes/ns = GB/s */
	table_set(table, row, "algbw_gbps", value_real(algorithm));
	if (group->group_size != NO_VALUE && group->group_size > 0)
		table_set(table, row, "busbw_gbps",
			  value_real(algorithm * collective_bus_factor(name, group->group_size)));
}

static void set_group(struct table *table, size_t row, const struct ranks_group *group,
		      const char *name)
{
	table_set(table, row, "calls", value_int(group->calls));
	if (group->sized) {
		table_set(table, row, "total_bytes", value_int(group->bytes));
		table_set(table, row, "avg_bytes", cell_mean(group->bytes, group->sized));
	}
	table_set(table, row, "total_ns", value_int(group->total));
	table_set(table, row, "avg_ns", cell_mean(group->total, group->calls));
	if (group->matched) {
		table_set(table, row, "transfer_ns", value_int(group->transfer));
		table_set(table, row, "avg_transfer_ns",
			  cell_mean(group->transfer, group->matched));
		table_set(table, row, "sync_ns", value_int(group->wait));
	}
	add_bandwidth(table, row, group, name);
	table_set(table, row, "group_size", cell_int(group->group_size));
}

static size_t ranks_add_group(struct table *table, const struct rank *rank,
			      const struct ranks_group *group)
{
	const char *name = intern_text(rank->summary->strings, group->name);
	size_t row = table_add_row(table, ref_of_rank(rank->number));
	table_set(table, row, "rank", value_int(rank->number));
	table_set(table, row, "name", value_text(name));
	set_group(table, row, group, name);
	return row;
}

static bool step_in_scope(const struct scope *scope, const struct collective *collective)
{
	return !scope->has_steps ||
	       (collective->step != NO_VALUE && collective->step >= scope->step_first &&
		collective->step <= scope->step_last);
}

/* The operations of a rank (index) by name; the caller frees. */
static struct ranks_group *groups_of_rank(const struct run *run, size_t index,
					  const struct scope *scope, size_t *found)
{
	const struct rank_summary *summary = run->ranks[index].summary;
	struct ranks_group *groups = NULL;
	AUTO_KEYED struct keyed names = { 0 };
	for (size_t i = 0; i < summary->collective_count; i++) {
		const struct collective *collective = &summary->collectives[i];
		if (!step_in_scope(scope, collective))
			continue;
		struct ranks_group *group = keyed_item(&names, groups, &collective->name);
		group->name = collective->name;
		add_collective(group, collective,
			       run->matches ? run->matches->transfer[index][i] : NO_VALUE);
	}
	*found = names.count;
	return groups;
}

static void add_rank_groups(struct table *table, const struct run *run, size_t index,
			    const struct scope *scope, const struct flight_gaps *gaps)
{
	const struct rank_summary *summary = run->ranks[index].summary;
	size_t count;
	AUTO_FREE struct ranks_group *groups = groups_of_rank(run, index, scope, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = intern_text(summary->strings, groups[i].name);
		size_t row = ranks_add_group(table, &run->ranks[index], &groups[i]);
		if (summary->flight.count)
			table_set(table, row, "missing",
				  value_int(missing_of(run, gaps, index, name)));
	}
}

/* ---- of all ranks ---- */

/* An operation of all ranks; the sums are of the ranks. */
struct sum_of_name {
	const char *name;
	int64_t ranks, waiting, awaited; /* the latter two: numbers of ranks, if any matched */
	int64_t most, least;
	struct ranks_group sum;
};

static void add_to_sum(struct sum_of_name *sum, const struct ranks_group *group, int64_t rank)
{
	bool first = !sum->sum.matched, alike = sum->sum.group_size == group->group_size;
	sum->sum.group_size = !sum->ranks++ || alike ? group->group_size : NO_VALUE;
	MEMBERS(&sum->sum, group,
		PLUS(calls) PLUS(bytes) PLUS(sized) PLUS(total) PLUS(transfer) PLUS(matched)
			PLUS(wait));
	if (group->matched && (first || group->wait > sum->most)) {
		sum->waiting = rank;
		sum->most = group->wait;
	}
	if (group->matched && (first || group->wait < sum->least)) {
		sum->awaited = rank;
		sum->least = group->wait;
	}
}

static void ranks_add_sum(struct table *table, const struct sum_of_name *sum)
{
	bool matched = sum->sum.matched;
	size_t row = table_add_row(table, matched ? ref_of_rank(sum->awaited) : NO_REF);
	table_set(table, row, "name", table_copy_string(table, sum->name));
	table_set(table, row, "ranks", value_int(sum->ranks));
	set_group(table, row, &sum->sum, sum->name);
	if (sum->ranks > 1 && matched) {
		table_set(table, row, "waiting_rank", value_int(sum->waiting));
		table_set(table, row, "awaited_rank", value_int(sum->awaited));
	}
}

static bool build_sums(struct table *table, const struct view_query *query)
{
	const struct run *run = query->run;
	AUTO_INTERN struct intern *names = intern_new();
	AUTO_KEYED struct keyed keys = { 0 };
	AUTO_FREE struct sum_of_name *sums = NULL;
	bool ok = true;
	for_rows (ok, r, run->rank_count, query->progress, "adding up ranks") {
		size_t count;
		if (!scope_list_has(&query->scope->ranks, run->ranks[r].number))
			continue;
		AUTO_FREE struct ranks_group *groups = groups_of_rank(run, r, query->scope, &count);
		for (size_t i = 0; i < count; i++) {
			const char *name =
				intern_text(run->ranks[r].summary->strings, groups[i].name);
			uint32_t id = intern_add(names, name, strlen(name));
			struct sum_of_name *sum = keyed_item(&keys, sums, &id);
			sum->name = intern_text(names, id);
			add_to_sum(sum, &groups[i], run->ranks[r].number);
		}
	}
	for (size_t i = 0; i < keys.count && ok; i++)
		ranks_add_sum(table, &sums[i]);
	return ok;
}

static bool build_by_rank(struct table *table, const struct view_query *query)
{
	struct flight_gaps gaps;
	if (!flight_gaps_find(&gaps, query->run, query->progress)) {
		mem_free(gaps.items);
		return false;
	}
	for (size_t i = 0; i < query->run->rank_count; i++)
		if (scope_list_has(&query->scope->ranks, query->run->ranks[i].number))
			add_rank_groups(table, query->run, i, query->scope, &gaps);
	mem_free(gaps.items);
	return true;
}

bool build_collectives(struct table *table, const struct view_query *query)
{
	bool names = query->group && strcmp(query->group, "names") == 0;
	if (!(names ? build_sums : build_by_rank)(table, query))
		return false;
	if (!table->rows)
		table_note(table, "No communication operations in the profile.");
	else
		note_matches(table, query->run, query->scope);
	return true;
}
