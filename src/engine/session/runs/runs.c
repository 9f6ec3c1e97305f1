#include "session/runs/runs.h"

#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "session/runs/run_files.h"

#include <ctype.h>

/* What is recorded at one place: a folder, or the folders of the ranks of a job. */
struct runs_place {
	char *name;
	uint32_t *rank; /* in run->ranks, by time */
	size_t count;
};

struct runs_placing {
	struct run *run;
	struct runs_place *places; /* by folder; merged ones have no ranks */
	size_t place_count;
	int64_t *worker_end; /* by worker: the end of its last span */
	size_t common;       /* bytes of the directory that all names begin with */
};

/* ---- by time ---- */

static int64_t start_of(const struct runs_placing *placing, uint32_t rank)
{
	return placing->run->ranks[rank].summary->start;
}

static int64_t worker_end_of(const struct runs_placing *placing, uint32_t rank)
{
	return placing->worker_end[placing->run->ranks[rank].worker];
}

/* Does each file have a rank of its own? */
static bool has_distinct_ranks(const struct run *run, const struct runs_place *place)
{
	AUTO_FREE int64_t *numbers = mem_alloc((place->count + 1) * sizeof *numbers);
	bool distinct = true;
	for (size_t i = 0; i < place->count; i++) {
		numbers[i] = run->ranks[place->rank[i]].number;
		distinct &= numbers[i] != NO_VALUE;
	}
	sort_items(numbers, place->count, compare_int64);
	for (size_t i = 1; i < place->count; i++)
		distinct &= numbers[i] != numbers[i - 1];
	return distinct;
}

/*
 * Could the files be of several runs: do two workers claim one rank at different times, or are the
 * ranks unknown?
 */
static bool may_be_runs(const struct run *run, const struct runs_place *place)
{
	if (has_distinct_ranks(run, place))
		return false;
	for (size_t i = 0; i < place->count; i++) {
		const struct rank *rank = &run->ranks[place->rank[i]];
		if (rank->process != NO_ROW)
			return false;
		for (size_t j = i + 1; j < place->count; j++) {
			const struct rank *other = &run->ranks[place->rank[j]];
			bool both = rank->number != NO_VALUE && other->number != NO_VALUE;
			bool known =
				rank->summary->pid != NO_VALUE && other->summary->pid != NO_VALUE;
			if (known && rank->worker != other->worker &&
			    rank->summary->end <= other->summary->start &&
			    (!both || rank->number == other->number))
				return true;
		}
	}
	return false;
}

/* ---- folders of ranks ---- */

/* Length of the directory that a folder is in; 0: none. */
static size_t parent_length(const char *folder)
{
	const char *slash = strrchr(folder, '/');
	return slash ? (size_t)(slash - folder) : 0;
}

static int64_t runs_number_of(const struct run *run, const struct rank *rank)
{
	return rank->number != NO_VALUE ? rank->number
					: run_files_number(run->folders[rank->folder]);
}

/* A rank that two workers claim; spans of one worker do not. */
static bool claim_twice(const struct run *run, const struct runs_place *place)
{
	AUTO_FREE int64_t *numbers = mem_alloc((place->count + 1) * sizeof *numbers);
	size_t count = 0;
	bool twice = false;
	for (size_t i = 0; i < place->count; i++) {
		const struct rank *rank = &run->ranks[place->rank[i]];
		int64_t number = runs_number_of(run, rank);
		twice |= number == NO_VALUE || rank->totals || rank->process != NO_ROW;
		if (rank->span == 1)
			numbers[count++] = number;
	}
	qsort(numbers, count, sizeof *numbers, compare_int64);
	for (size_t i = 1; i < count; i++)
		twice |= numbers[i] == numbers[i - 1];
	return twice;
}

/* Does each worker record while an earlier one does? */
static bool at_one_time(const struct runs_placing *placing, const struct runs_place *place)
{
	int64_t end = INT64_MAX;
	for (size_t i = 0; i < place->count; i++) {
		int64_t own = worker_end_of(placing, place->rank[i]);
		if (start_of(placing, place->rank[i]) >= end)
			return false;
		end = !i || own > end ? own : end;
	}
	return true;
}

static void place_free(struct runs_place *place)
{
	mem_free_all(place->name, place->rank);
	*place = (struct runs_place){ NULL, NULL, 0 };
}

/* Places FROM to TO, which are of one directory, as one. */
static struct runs_place join_places(const struct runs_placing *placing, size_t from, size_t to)
{
	const char *name = placing->places[from].name;
	struct runs_place all = { mem_strndup(name, parent_length(name)), NULL, 0 };
	for (size_t i = from; i < to; i++) {
		const struct runs_place *place = &placing->places[i];
		all.rank = mem_realloc(all.rank, all.count + place->count + 1, sizeof *all.rank);
		if (place->count)
			memcpy(all.rank + all.count, place->rank,
			       place->count * sizeof *place->rank);
		all.count += place->count;
	}
	qsort(all.rank, all.count, sizeof *all.rank, compare_uint32); /* by time */
	return all;
}

/* The folders FROM to TO become one place if they are of the ranks of one job. */
static void join_folders(struct runs_placing *placing, size_t from, size_t to)
{
	struct run *run = placing->run;
	struct runs_place all;
	if (to - from < 2)
		return;
	all = join_places(placing, from, to);
	if (!*all.name || claim_twice(run, &all) || !at_one_time(placing, &all)) {
		place_free(&all);
		return;
	}
	for (size_t i = 0; i < all.count; i++) {
		struct rank *rank = &run->ranks[all.rank[i]];
		rank->number = runs_number_of(run, rank);
	}
	for (size_t i = from; i < to; i++)
		place_free(&placing->places[i]);
	placing->places[from] = all;
}

/* By directory, then by name. */
static int runs_compare_places(const void *a, const void *b)
{
	const struct runs_place *x = a, *y = b;
	size_t of_x = parent_length(x->name), of_y = parent_length(y->name);
	return memcmp(x->name, y->name, of_x < of_y ? of_x : of_y) ?: COMPARE(of_x, of_y)
	       ?: strverscmp(x->name, y->name);
}

COMPARE_ITEMS(runs_compare_names, struct runs_place, strverscmp(x->name, y->name))

static void drop_empty(struct runs_placing *placing)
{
	size_t kept = 0;
	for (size_t i = 0; i < placing->place_count; i++) {
		if (placing->places[i].count)
			placing->places[kept++] = placing->places[i];
		else
			place_free(&placing->places[i]);
	}
	placing->place_count = kept;
}

/* One place for each folder. */
static void find_folders(struct runs_placing *placing)
{
	struct run *run = placing->run;
	struct runs_place *places = placing->places =
		mem_zalloc(run->folder_count + 1, sizeof *placing->places);
	placing->place_count = run->folder_count;
	for (size_t i = 0; i < run->folder_count; i++)
		places[i].name = mem_strdup(run->folders[i]);
	for (size_t i = 0; i < run->rank_count; i++)
		places[run->ranks[i].folder].count += !run->ranks[i].companion;
	for (size_t i = 0; i < run->folder_count; i++) {
		places[i].rank = mem_alloc((places[i].count + 1) * sizeof *places[i].rank);
		places[i].count = 0;
	}
	for (size_t i = 0; i < run->rank_count; i++) {
		struct runs_place *place = &places[run->ranks[i].folder];
		if (!run->ranks[i].companion)
			place->rank[place->count++] = (uint32_t)i;
	}
	drop_empty(placing);
}

static bool are_siblings(const struct runs_place *a, const struct runs_place *b)
{
	size_t length = parent_length(a->name);
	return length && parent_length(b->name) == length && !memcmp(a->name, b->name, length);
}

/* The length of "logs/" if all names begin with it. */
static size_t common_directory(const struct runs_placing *placing)
{
	const char *first = placing->place_count ? placing->places[0].name : "";
	size_t length = strcspn(first, "/") + 1;
	for (size_t i = 0; i < placing->place_count; i++)
		if (strncmp(placing->places[i].name, first, length) != 0 || !first[length - 1])
			return 0;
	return length;
}

/* The places where runs are, by name. */
static void find_places(struct runs_placing *placing)
{
	find_folders(placing);
	struct runs_place *places = placing->places;
	qsort(places, placing->place_count, sizeof *places, runs_compare_places);
	for (size_t from = 0, to; from < placing->place_count; from = to) {
		for (to = from + 1;
		     to < placing->place_count && are_siblings(&places[from], &places[to]);)
			to++;
		join_folders(placing, from, to);
	}
	drop_empty(placing);
	qsort(places, placing->place_count, sizeof *places, runs_compare_names);
	placing->common = common_directory(placing);
}

/* ---- runs ---- */

/*
 * The worker in the name of a file, and the time after it: 7 and ".1623143089861" of
 * "host_12.1623143089861.pt.trace.json.gz".
 */
static size_t worker_length(const char *name, bool *timed)
{
	const char *trace = strstr(name, ".pt.trace.json");
	size_t length = trace ? (size_t)(trace - name) : strcspn(name, ".");
	size_t digits = length;
	while (trace && digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	*timed = digits && digits < length && name[digits - 1] == '.';
	return *timed ? digits - 1 : length;
}

/* Do the names of files say more than which worker wrote them when? */
static bool have_own_names(const struct run *run, const struct runs_place *place)
{
	bool timed = false;
	for (size_t i = 0; i < place->count && !timed; i++)
		worker_length(text_file_name(run->ranks[place->rank[i]].path), &timed);
	return !timed;
}

/*
 * Files that were named have no folder: their run is called as the first of them. PART: of several
 * in the folder, from 1; 0: the only one. OWN: the run is called as its file, in its folder unless
 * all are of that.
 */
static void name_run(const struct runs_placing *placing, const struct runs_place *place,
		     uint32_t first, size_t part, bool own)
{
	struct run *run = placing->run;
	AUTO_BUFFER struct buffer name = { 0 };
	const char *file = text_file_name(run->ranks[first].path);
	bool alone = own && placing->place_count == 1; /* the folder tells nothing */
	if (!*place->name || alone)
		buffer_puts(&name, file);
	else if (own)
		buffer_printf(&name, "%s/%s", place->name + placing->common, file);
	else if (part)
		buffer_printf(&name, "%s#%zu", place->name + placing->common, part);
	else
		buffer_puts(&name, place->name + placing->common);
	run->names = mem_realloc(run->names, run->runs + 1, sizeof *run->names);
	run->names[run->runs] = mem_strdup(buffer_text(&name));
	run->runs++;
}

/* Is the host of each file known, and another than those of the others? */
static bool are_of_hosts(const struct run *run, const struct runs_place *place)
{
	AUTO_INTERN struct intern *hosts = intern_new();
	bool known = true;
	for (size_t i = 0; i < place->count && known; i++) {
		const struct rank_summary *summary = run->ranks[place->rank[i]].summary;
		const char *host =
			summary->host ? intern_text(summary->strings, summary->host) : "";
		uint32_t before = intern_count(hosts);
		known = *host && intern_add(hosts, host, strlen(host)) == before;
	}
	return known;
}

/* Several files of a folder, of which nothing says that they are ranks of one job. */
static bool are_programs(const struct run *run, const struct runs_place *place)
{
	bool unknown = false;
	for (size_t i = 0; i < place->count; i++) {
		const struct rank *rank = &run->ranks[place->rank[i]];
		if (!rank->totals && (rank->process != NO_ROW || rank->number != NO_VALUE ||
				      rank->summary->pid != NO_VALUE))
			return false;
		unknown |= rank->number == NO_VALUE;
	}
	return unknown && *place->name && place->count > 1 && have_own_names(run, place) &&
	       !are_of_hosts(run, place);
}

/* Workers of a place that record at the same time are of one run. Returns the number of runs. */
static size_t part_place(const struct runs_placing *placing, const struct runs_place *place,
			 bool programs)
{
	const struct run *run = placing->run;
	bool several = may_be_runs(run, place);
	int64_t end = INT64_MAX;
	size_t part = 0;
	for (size_t i = 0; i < place->count; i++) {
		int64_t own = worker_end_of(placing, place->rank[i]);
		bool next = !i || programs || (several && start_of(placing, place->rank[i]) >= end);
		part += next;
		end = next || own > end ? own : end;
		run->ranks[place->rank[i]].run = (uint32_t)part;
	}
	return part;
}

static void number_place(const struct runs_placing *placing, const struct runs_place *place)
{
	struct run *run = placing->run;
	bool programs = are_programs(run, place);
	size_t before = run->runs, parts = part_place(placing, place, programs);
	bool own = programs || (parts == place->count && have_own_names(run, place));
	for (size_t i = 0; i < place->count; i++) {
		struct rank *rank = &run->ranks[place->rank[i]];
		if (before + rank->run > run->runs)
			name_run(placing, place, place->rank[i], parts > 1 ? rank->run : 0,
				 parts > 1 && own);
		rank->run += (uint32_t)before;
	}
}

/* How well a file shows what a rank did. */
enum worth { WORTH_NONE, WORTH_TIMELINE, WORTH_DEVICE, WORTH_RANK };

/* The tool that wrote most of the files of a run that show it best, or the first of several. */
struct writer {
	enum worth worth;
	uint32_t tool;
	size_t lead; /* of its files over the others, while counting */
};

/* A majority, if there is one, is what remains of counting files of different tools off. */
static void count_writer(struct writer *writer, const struct rank *rank)
{
	enum worth worth = rank->totals                 ? WORTH_NONE
			   : rank->number != NO_VALUE   ? WORTH_RANK
			   : rank->summary->device >= 0 ? WORTH_DEVICE
							: WORTH_TIMELINE;
	if (worth > writer->worth || (worth == writer->worth && !writer->lead))
		*writer = (struct writer){ worth, rank->tool, 1 };
	else if (worth == writer->worth && rank->tool == writer->tool)
		writer->lead++;
	else if (worth == writer->worth && writer->lead > 1)
		writer->lead--;
}

static struct writer *find_writers(const struct run *run)
{
	struct writer *writers = mem_zalloc(run->runs + 1, sizeof *writers);
	for (size_t i = 0; i < run->rank_count; i++)
		if (!run->ranks[i].companion)
			count_writer(&writers[run->ranks[i].run], &run->ranks[i]);
	return writers;
}

/*
 * Files without a timeline beside those with one; and those of another tool, which may have
 * recorded the same processes, unless they say which ranks they are.
 */
static void mark_companions(struct run *run)
{
	AUTO_FREE struct writer *writers = find_writers(run);
	for_each_mutable (rank, run->ranks, run->rank_count) {
		const struct writer *writer = &writers[rank->run];
		if (rank->companion)
			continue;
		bool other = rank->tool != writer->tool && rank->number == NO_VALUE &&
			     *run->folders[rank->folder];
		rank->companion = writer->worth && (rank->totals || other);
	}
}

/* Captures of graphs are in the run of the recording that replays them (recordings.c). */
static void place_captures(struct run *run)
{
	for_each_mutable (capture, run->ranks, run->rank_count)
		for (size_t j = 0; capture->companion && !capture->run && j < run->rank_count; j++)
			if (run->ranks[j].replays && run->ranks[j].folder == capture->folder)
				capture->run = run->ranks[j].run;
}

static void find_worker_ends(struct runs_placing *placing)
{
	const struct run *run = placing->run;
	placing->worker_end = mem_alloc((run->rank_count + 1) * sizeof *placing->worker_end);
	for (size_t i = 0; i < run->rank_count; i++)
		placing->worker_end[i] = INT64_MIN;
	for (size_t i = 0; i < run->rank_count; i++) {
		int64_t *end = &placing->worker_end[run->ranks[i].worker];
		int64_t own = run->ranks[i].summary->end;
		*end = own > *end ? own : *end;
	}
}

void runs_number(struct run *run)
{
	struct runs_placing placing = { .run = run };
	find_worker_ends(&placing);
	find_places(&placing);
	for (size_t i = 0; i < placing.place_count; i++)
		number_place(&placing, &placing.places[i]);
	mark_companions(run);
	place_captures(run);
	for (size_t i = 0; i < placing.place_count; i++)
		place_free(&placing.places[i]);
	mem_free_all(placing.places, placing.worker_end);
}

/* ---- names ---- */

const char *runs_name(const struct run *run, size_t number)
{
	return number && number <= run->runs ? run->names[number - 1] : "";
}

/* "a", "b" and "a/b" name "a/b", "a/b#1". */
bool runs_answer(const char *name, const char *text)
{
	size_t length = strlen(text), whole = strcspn(name, "#");
	if (strcmp(name, text) == 0)
		return true;
	if (strcmp(name + whole, "") != 0 && strcmp(name + whole, "#1") != 0)
		return false;
	if (whole > length && strncmp(name, text, length) == 0 && name[length] == '/')
		return true;
	if (whole < length || strncmp(name + whole - length, text, length) != 0)
		return false;
	return whole == length || name[whole - length - 1] == '/';
}

static size_t number_in(const struct run *run, const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && number <= run->runs ? number : 0;
}

size_t runs_find(const struct run *run, const char *text, struct error *error)
{
	size_t found = 0, count = 0;
	for (size_t i = 0; i < run->runs; i++) {
		if (strcmp(run->names[i], text) == 0)
			return i + 1;
		if (!runs_answer(run->names[i], text))
			continue;
		found = i + 1;
		count++;
	}
	if (!count)
		found = number_in(run, text);
	if (count > 1) {
		error_usage(error, "%zu runs are called %s: use more of the name", count, text);
		return 0;
	}
	if (!found)
		error_usage(error, "unknown run %s; there %s %zu (view runs lists them)", text,
			    run->runs == 1 ? "is" : "are", run->runs);
	return found;
}

bool runs_worker_name(const char *path, struct buffer *out)
{
	bool timed;
	const char *name = text_file_name(path);
	buffer_add(out, name, worker_length(name, &timed));
	return timed;
}
