#include "session/runs/recordings.h"

#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hash.h"
#include "session/runs/runs.h"

#include <stdlib.h>

COMPARE_ITEMS(recordings_compare_times, struct rank,
	      COMPARE(x->summary->start, y->summary->start) ?: strverscmp(x->path, y->path))

static bool same_rank(const struct rank *a, const struct rank *b)
{
	return a->number == b->number || a->number == NO_VALUE || b->number == NO_VALUE;
}

/* Do the names of both files say that one worker wrote them, at different times? */
static bool same_name(const struct rank *a, const struct rank *b)
{
	AUTO_BUFFER struct buffer x = { 0 }, y = { 0 };
	bool timed = runs_worker_name(a->path, &x);
	timed &= runs_worker_name(b->path, &y);
	return timed && strcmp(buffer_text(&x), buffer_text(&y)) == 0;
}

/*
 * Pids are used again, in containers by each program: files whose names do not agree and that are
 * this far apart are of two processes.
 */
#define DAY_NS INT64_C(86400000000000)

/* Does B go on with A, which has its key and rank and did not start later? */
static bool goes_on(const struct rank *a, const struct rank *b)
{
	int64_t pause;
	if (a->summary->pid == NO_VALUE)
		return true;
	if (__builtin_sub_overflow(b->summary->start, a->summary->end, &pause))
		return false;
	return pause >= 0 && (pause < DAY_NS || same_name(a, b));
}

/* Without a pid the name tells, if it has a time, too. */
static uint64_t key_of_name(const struct rank *rank, struct intern *names)
{
	AUTO_BUFFER struct buffer name = { 0 };
	bool timed = runs_worker_name(rank->path, &name);
	uint64_t key = hash_pair(rank->folder, intern_add(names, name.data, name.length));
	return timed ? key | 1 : 0;
}

/* Of a rank whose process may have recorded others; 0: it has not. */
static uint64_t worker_key(const struct rank *rank, struct intern *hosts)
{
	const struct rank_summary *summary = rank->summary;
	const char *host = intern_text(summary->strings, summary->host);
	if (rank->process != NO_ROW || rank->companion)
		return 0;
	if (summary->pid == NO_VALUE)
		return key_of_name(rank, hosts);
	uint64_t place = hash_pair((uint64_t)summary->pid, (uint64_t)summary->device);
	place = hash_pair(place, rank->folder);
	return hash_pair(place, intern_add(hosts, host, strlen(host))) | 1;
}

/* The ranks are sorted by time: the span before RANK of the same worker, or NULL. */
static const struct rank *span_before(const struct run *run, size_t rank,
				      const struct hash *by_worker, uint64_t key)
{
	size_t cursor;
	const struct rank *before = NULL;
	for (uint32_t i = key ? hash_find(by_worker, key, &cursor) : NO_ROW; i != NO_ROW;
	     i = hash_next(by_worker, &cursor))
		if (same_rank(&run->ranks[i], &run->ranks[rank]))
			before = &run->ranks[i];
	return before && goes_on(before, &run->ranks[rank]) ? before : NULL;
}

bool recordings_same_process(const struct rank *a, const struct rank *b)
{
	const struct rank_summary *x = a->summary, *y = b->summary;
	return x->pid != NO_VALUE && x->pid == y->pid &&
	       strcmp(intern_text(x->strings, x->host), intern_text(y->strings, y->host)) == 0 &&
	       same_rank(a, b);
}

/* Traces of little but a capture go with a recording that replays it, into its folder. */
static void set_captures_apart(struct run *run)
{
	for_each_mutable (capture, run->ranks, run->rank_count) {
		for (size_t j = 0; capture->only_captures && !capture->replays &&
				   !capture->companion && j < run->rank_count;
		     j++) {
			const struct rank *replay = &run->ranks[j];
			if (!replay->replays || !recordings_same_process(capture, replay))
				continue;
			capture->companion = true;
			capture->folder = replay->folder;
		}
	}
}

static void number_spans(struct run *run)
{
	AUTO_HASH struct hash *by_worker = hash_new(run->rank_count);
	AUTO_INTERN struct intern *hosts = intern_new();
	uint32_t workers = 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		uint64_t key = worker_key(&run->ranks[i], hosts);
		const struct rank *before = span_before(run, i, by_worker, key);
		run->ranks[i].span = before ? before->span + 1 : 1;
		run->ranks[i].worker = before ? before->worker : workers++;
		if (key)
			hash_add(by_worker, key, (uint32_t)i);
	}
}

/* Move the ranks that are not wanted to the others. */
static void keep_wanted(struct run *run, size_t run_wanted, size_t span_wanted)
{
	size_t kept = 0;
	run->others = mem_alloc((run->rank_count + 1) * sizeof *run->others);
	for_each_mutable (rank, run->ranks, run->rank_count) {
		if (rank->run == run_wanted && rank->span == span_wanted && !rank->companion)
			run->ranks[kept++] = *rank;
		else
			run->others[run->other_count++] = *rank;
	}
	run->rank_count = kept;
}

static bool has_span(const struct run *run, size_t run_wanted, size_t span_wanted, size_t *most)
{
	bool found = false;
	*most = 0;
	for_each (rank, run->ranks, run->rank_count) {
		if (rank->run != run_wanted || rank->companion)
			continue;
		found |= rank->span == span_wanted;
		*most = rank->span > *most ? rank->span : *most;
	}
	return found;
}

bool recordings_choose(struct run *run, const struct process_recording *wanted, struct error *error)
{
	size_t spans, span = wanted->span ? wanted->span : 1;
	size_t number = wanted->run ? wanted->run : 1;
	qsort(run->ranks, run->rank_count, sizeof *run->ranks, recordings_compare_times);
	set_captures_apart(run);
	number_spans(run);
	runs_number(run);
	if (wanted->run_name)
		number = runs_find(run, wanted->run_name, error);
	if (!number)
		return false;
	if (number > run->runs)
		return error_usage(error, "unknown run %zu; there %s %zu", number,
				   run->runs == 1 ? "is" : "are", run->runs);
	if (!has_span(run, number, span, &spans))
		return error_usage(error, "unknown span %zu; there %s %zu", span,
				   spans == 1 ? "is" : "are", spans);
	keep_wanted(run, number, span);
	run->spans = spans;
	return true;
}
