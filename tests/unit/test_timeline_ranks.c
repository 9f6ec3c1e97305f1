/* What a timeline adds to a rank's events: SM efficiency, other ranks on one axis, the base run. */
#include "explorer_case.h"
#include "file_case.h"
#include "trace_case.h"

#include "analysis/pyramid.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "picture/timeline/timeline_private.h"
#include "session/load.h"
#include "session/load_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A rank: a kernel, then an all-reduce that ends at the same true time on all ranks. */
#define RANK(number, host, skew, kernel, reduce_start, reduce_dur)                                 \
	"{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" number          \
	",\"world_size\":2},\"host_name\":\"" host "\",\"baseTimeNanoseconds\":" skew              \
	",\"traceEvents\":["                                                                       \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":10,"        \
	"\"dur\":" kernel ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"              \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\","           \
	"\"pid\":0,\"tid\":20,\"ts\":" reduce_start ",\"dur\":" reduce_dur                         \
	",\"args\":{\"device\":0,\"stream\":20,\"correlation\":2,"                                 \
	"\"Collective name\":\"allreduce\",\"In msg nelems\":1000,\"Out msg nelems\":1000,"        \
	"\"Group size\":2,\"dtype\":\"Float\",\"Process Group Name\":\"0\"}}]}"

struct pair {
	char path[2][40];
	struct run *run;
};

static void open_pair(struct pair *pair, const char *first, const char *second)
{
	const char *paths[2];
	struct error error = { 0 };
	for (int i = 0; i < 2; i++) {
		snprintf(pair->path[i], sizeof pair->path[i], "axis-%d-%d.json", (int)getpid(), i);
		write_text_in(".", pair->path[i], i ? second : first);
		paths[i] = pair->path[i];
	}
	pair->run = run_open(paths, 2, NULL, NULL, &error);
	if (!pair->run)
		fail_msg("%s", error.message);
}

static void close_pair(struct pair *pair)
{
	run_free(pair->run);
	unlink(pair->path[0]);
	unlink(pair->path[1]);
}

static struct timeline *timeline_of(const struct run *run, const char *filter)
{
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	scope_set_text(&scope.filter, filter);
	struct timeline *timeline = timeline_new(run, &scope, NULL, &error);
	scope_clear(&scope);
	if (!timeline)
		fail_msg("%s", error.message);
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		assert_true(timeline_prepare(timeline, &i, 1, NULL, &error));
	return timeline;
}

/* The first lane of this kind, or NULL. */
static const struct lane *lane_of(const struct timeline *timeline, enum lane_kind kind)
{
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		if (timeline->lanes->lane[i].kind == kind)
			return &timeline->lanes->lane[i];
	return NULL;
}

static void assert_note(const struct timeline *timeline, const char *wanted)
{
	struct buffer note = { 0 };
	timeline_ranks_note(timeline, &note);
	assert_non_null(strstr(buffer_text(&note), wanted));
	buffer_free(&note);
}

TEST(other_rank_is_moved_by_its_clock)
{
	struct pair pair;
	/* ends at 100 us by the one clock, at 160 us by the other, which is 60 us ahead */
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "b", "60000", "70", "80", "20"));
	struct timeline *timeline = timeline_of(pair.run, NULL);
	const struct lane *own = lane_of(timeline, LANE_DEVICE);
	const struct lane *other = lane_of(timeline, LANE_RANK);

	assert_note(timeline, "clocks aligned by collectives");
	assert_non_null(other);
	assert_int_equal(other->rank, 1);
	assert_int_equal(other->count, 2);
	assert_int_equal(lane_end(other, 1), lane_end(own, own->count - 1));
	assert_int_equal(lane_start(other, 0) + 70000, lane_end(other, 0));
	assert_int_equal(lane_busy(other, -1000000, 1000000), 90000);
	assert_int_equal(lane_event_group(timeline->lanes, other, 0), GROUP_KERNEL);
	assert_int_equal(lane_event_group(timeline->lanes, other, 1), GROUP_COMMUNICATION);
	timeline_free(timeline);
	close_pair(&pair);
}

/* Ranks that overlap and have no collective in common, on the host that HOST names, if it does. */
#define ALONE(number, host)                                                                        \
	"{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" number          \
	",\"world_size\":2}," host "\"traceEvents\":["                                             \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":10,"        \
	"\"dur\":90,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}"

/* One host has one clock; hosts that are not known may be two. */
TEST(clocks_are_one_only_on_a_known_host)
{
	static const struct {
		const char *first, *second, *note;
	} cases[] = {
		{ ALONE("0", "\"host_name\":\"a\","), ALONE("1", "\"host_name\":\"a\","),
		  "by the clock of their host" },
		{ ALONE("0", "\"host_name\":\"a\","), ALONE("1", "\"host_name\":\"b\","),
		  "clocks not aligned" },
		{ ALONE("0", "\"host_name\":\"a\","), ALONE("1", ""), "clocks not aligned" },
		{ ALONE("0", ""), ALONE("1", "\"host_name\":\"a\","), "clocks not aligned" },
		{ ALONE("0", ""), ALONE("1", ""), "clocks not aligned" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pair pair;
		open_pair(&pair, cases[i].first, cases[i].second);
		struct timeline *timeline = timeline_of(pair.run, NULL);
		assert_note(timeline, cases[i].note);
		timeline_free(timeline);
		close_pair(&pair);
	}
}

/* Index of the lane of the other rank. */
static uint32_t rank_lane(const struct timeline *timeline)
{
	return (uint32_t)(lane_of(timeline, LANE_RANK) - timeline->lanes->lane);
}

/* Lanes of other ranks hold unions: the kernel is found by its time, on the rank's own clock. */
TEST(kernel_of_another_rank_is_found)
{
	static const char *const names[] = { "gemm", "ncclDevKernel_AllReduce_Sum_f32" };
	struct pair pair;
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "b", "60000", "70", "80", "20"));
	struct timeline *timeline = timeline_of(pair.run, NULL);
	uint32_t lane = rank_lane(timeline);
	for (uint32_t event = 0; event < 2; event++) {
		struct error error = { 0 };
		struct ref ref;
		int64_t time = lane_start(&timeline->lanes->lane[lane], event);
		assert_true(
			timeline_find_rank(timeline, lane, event, time + 1000, NULL, &ref, &error));
		assert_int_equal(ref.kind, REF_LAUNCH);
		struct rank *rank = run_acquire(pair.run, 1, NULL, &error);
		assert_string_equal(
			profile_string(rank->profile, rank->profile->activity_name[ref.a]),
			names[event]);
		run_release(pair.run, rank);
		/* a time outside of the event is moved into it */
		struct ref peeked = timeline_peek_rank(timeline, lane, event, time - 5000000);
		assert_true(ref_equal(peeked, ref));
	}
	assert_true(load_make_room(pair.run, 1));
	assert_int_equal(timeline_peek_rank(timeline, lane, 0, 0).kind, REF_NONE);
	timeline_free(timeline);
	close_pair(&pair);
}

TEST(unreadable_rank_says_why)
{
	struct pair pair;
	struct error error = { 0 };
	struct ref ref;
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "a", "0", "20", "40", "60"));
	while (load_make_room(pair.run, 0))
		;
	unlink(pair.path[1]);
	struct timeline *timeline = timeline_of(pair.run, NULL);
	const struct lane *lane = lane_of(timeline, LANE_RANK);
	assert_non_null(lane->why);
	assert_non_null(strstr(lane->why, "cannot open"));
	assert_non_null(strstr(lane->why, pair.path[1]));
	assert_int_equal(lane->count, 0);
	assert_false(timeline_find_rank(timeline, rank_lane(timeline), 0, 0, NULL, &ref, &error));
	assert_non_null(strstr(error.message, pair.path[1]));
	timeline_free(timeline);
	close_pair(&pair);
}

/* Kinds of the lines alone: a rank's work is computation and communication. */
TEST(groups_are_those_of_the_lines)
{
	struct pair pair;
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "a", "0", "20", "40", "60"));
	struct timeline *timeline = timeline_of(pair.run, NULL);
	struct timeline_line line = { .lane = rank_lane(timeline) };
	const unsigned kernel = 1U << GROUP_KERNEL, communication = 1U << GROUP_COMMUNICATION;
	assert_int_equal(timeline_groups(timeline, &line, 1), kernel | communication);
	line.lane = (uint32_t)(lane_of(timeline, LANE_DEVICE) - timeline->lanes->lane);
	assert_int_equal(timeline_groups(timeline, &line, 1), kernel);
	assert_int_equal(timeline_groups(timeline, &line, 0), 0);
	timeline_free(timeline);
	close_pair(&pair);
}

/* ---- in the explorer ---- */

static void open_explorer(struct explorer *explorer, struct pair *pair)
{
	const char *paths[] = { pair->path[0], pair->path[1] };
	open_pair(pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "b", "60000", "70", "80", "20"));
	explorer_open(explorer, paths, 2);
}

TEST(enter_opens_the_kernel_of_another_rank)
{
	struct explorer explorer;
	struct pair pair;
	open_explorer(&explorer, &pair);
	explorer_type(&explorer, "5");
	explorer_settle(&explorer);
	explorer_type(&explorer, "k.");
	explorer_expect(&explorer, "Name ncclDevKernel_AllReduce_Sum_f32");
	assert_true(explorer_shows(&explorer, "Rank Work communication without computation"));
	assert_true(explorer_shows(&explorer, " rank 0 GPU0 "));
	explorer_type(&explorer, "<Enter>");
	explorer_expect(&explorer, "[Launches");
	explorer_expect(&explorer, ">ncclDevKernel_AllReduce_Sum_f32");
	assert_true(explorer_shows(&explorer, "rank 1 of 2"));
	explorer_type(&explorer, "<Backspace>");
	explorer_expect(&explorer, "> rank 1 ");
	explorer_close(&explorer);
	close_pair(&pair);
}

TEST(lane_and_strip_show_why_a_rank_is_unreadable)
{
	struct explorer explorer;
	struct pair pair;
	open_explorer(&explorer, &pair);
	explorer_settle(&explorer);
	while (load_make_room(explorer.app.tui.run, 0))
		;
	unlink(pair.path[1]);
	explorer_type(&explorer, "5k");
	explorer_expect(&explorer, "Unreadable ");
	explorer_expect(&explorer, "|cannot open: ");
	explorer_expect(&explorer, pair.path[1]);
	explorer_close(&explorer);
	close_pair(&pair);
}

/* A directory of files worker0.json and so on with these texts, up to NULL. */
static const char *fill_directory(const char *const *names, const char *const *texts)
{
	static char directory[40];
	char path[80];
	snprintf(directory, sizeof directory, "ranks-%d", (int)getpid());
	assert_int_equal(mkdir(directory, 0700), 0);
	for (size_t i = 0; names[i]; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		write_text_in(".", path, texts[i]);
	}
	return directory;
}

static void remove_directory(const char *directory, const char *const *names)
{
	char path[80];
	for (size_t i = 0; names[i]; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

/* A file named as a rank has a lane and a row whatever it holds; other files have none. */
TEST(file_that_is_no_profile_has_a_lane_with_its_reason)
{
	static const char *const names[] = { "worker0.pt.json",
					     "worker1.pt.json",
					     "worker2.pt.json",
					     "worker3.log",
					     "worker0.json",
					     "notes.json",
					     NULL };
	static const char *const texts[] = { RANK("0", "a", "0", "20", "40", "60"),
					     "garbage",
					     RANK("2", "a", "0", "20", "40", "60"),
					     "a log",
					     "garbage",
					     "garbage" };
	const char *directory = fill_directory(names, texts);
	struct error error = { 0 };
	struct run *run = run_open(&directory, 1, NULL, NULL, &error);
	assert_non_null(run);
	struct timeline *timeline = timeline_of(run, NULL);
	const struct lane *lane = lane_of(timeline, LANE_RANK);
	assert_int_equal(lane->rank, 1); /* in order */
	assert_string_equal(lane->why, "is not a known profile (worker1.pt.json)");
	assert_int_equal(lane->count, 0);
	assert_int_equal(lane[1].rank, 2);
	assert_null(lane[1].why);
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		assert_int_not_equal(timeline->lanes->lane[i].rank, 3);
	assert_note(timeline, "clocks aligned by collectives");
	timeline_free(timeline);
	assert_rows(run, "ranks", NULL, NULL, "rank,computation_ns,reason",
		    "0,20000,\n1,,is not a known profile (worker1.pt.json)\n2,20000,\n");
	run_free(run);

	struct explorer explorer;
	explorer_open(&explorer, &directory, 1);
	explorer_expect(&explorer, "Rank 1 ");
	explorer_type(&explorer, "5");
	explorer_expect(&explorer, "|is not a known profile (worker1.pt.json)");
	explorer_type(&explorer, "8j");
	explorer_expect(&explorer, "is not a known profile (worker1.pt.json)");
	explorer_close(&explorer);
	remove_directory(directory, names);
}

TEST(only_unreadable_ranks_are_named_so)
{
	static const char *const names[] = { "rank0.json", "rank1.json", NULL };
	static const char *const texts[] = { RANK("0", "a", "0", "20", "40", "60"), "" };
	const char *directory = fill_directory(names, texts);
	struct error error = { 0 };
	struct run *run = run_open(&directory, 1, NULL, NULL, &error);
	assert_non_null(run);
	struct timeline *timeline = timeline_of(run, NULL);
	assert_string_equal(lane_of(timeline, LANE_RANK)->why, "is empty (rank1.json)");
	assert_note(timeline, "not readable");
	timeline_free(timeline);
	run_free(run);
	remove_directory(directory, names);
}

/* A rule begins the ranks of each host; those of one host have none between them. */
TEST(ranks_of_another_host_begin_with_a_rule)
{
	static const char *const names[] = { "rank0.json", "rank1.json", "rank2.json", "rank3.json",
					     NULL };
	static const char *const texts[] = { RANK("0", "alpha", "0", "20", "40", "60"),
					     RANK("1", "alpha", "0", "20", "40", "60"),
					     RANK("2", "beta", "0", "20", "40", "60"),
					     RANK("3", "beta", "0", "20", "40", "60") };
	struct explorer explorer;
	const char *directory = fill_directory(names, texts);
	explorer_open(&explorer, &directory, 1);
	explorer_type(&explorer, "5");
	explorer_expect(&explorer, " Other ranks on alpha: clocks aligned by collectives");
	explorer_expect(&explorer, " Other ranks on beta ");
	const char *one = strstr(buffer_text(&explorer.screen), "\n  rank 1 ");
	const char *rule = strstr(buffer_text(&explorer.screen), " Other ranks on beta ");
	const char *two = strstr(buffer_text(&explorer.screen), "\n  rank 2 ");
	assert_true(one && two && one < rule && rule < two);
	assert_null(strstr(two, "Other ranks"));
	explorer_close(&explorer);
	remove_directory(directory, names);
}

TEST(clocks_without_collectives_are_not_called_aligned)
{
	struct pair pair;
	struct timeline *timeline;

#define LONE(number, host, base)                                                                   \
	"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" number ",\"world_size\":2},"         \
	"\"host_name\":\"" host "\",\"baseTimeNanoseconds\":" base ",\"traceEvents\":["            \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":10,"        \
	"\"dur\":100,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}"
	open_pair(&pair, LONE("0", "a", "0"), LONE("1", "b", "30000"));
	timeline = timeline_of(pair.run, NULL);
	assert_note(timeline, "not aligned");
	assert_int_equal(lane_start(lane_of(timeline, LANE_RANK), 0), 30000);
	timeline_free(timeline);
	close_pair(&pair);

	open_pair(&pair, LONE("0", "a", "0"), LONE("1", "b", "9000000000"));
	timeline = timeline_of(pair.run, NULL);
	assert_note(timeline, "recorded at other times");
	assert_int_equal(lane_start(lane_of(timeline, LANE_RANK), 0), 0);
	timeline_free(timeline);
	close_pair(&pair);
}

TEST(narrowed_timeline_has_no_other_ranks)
{
	struct pair pair;
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "a", "0", "20", "40", "60"));
	struct timeline *timeline = timeline_of(pair.run, "gemm");
	assert_null(lane_of(timeline, LANE_RANK));
	timeline_free(timeline);
	timeline = timeline_of(pair.run, NULL);
	assert_non_null(lane_of(timeline, LANE_RANK));
	timeline_free(timeline);
	close_pair(&pair);
}

/* The lane's mean over the window is the device's SM efficiency, and each part lies in [0, 1]. */
TEST(summaries_are_not_in_the_note_of_clocks)
{
	struct pair pair;
	struct buffer note = { 0 };
	/* on two hosts and at two times: the second rank would be called apart */
	open_pair(&pair, RANK("0", "a", "0", "20", "40", "60"),
		  RANK("1", "b", "90000000", "70", "80", "20"));
	pair.run->ranks[1].part = 1;
	struct timeline *timeline = timeline_of(pair.run, NULL);
	assert_null(lane_of(timeline, LANE_RANK));
	timeline_ranks_note(timeline, &note);
	assert_string_equal(buffer_text(&note), "");
	pair.run->ranks[1].part = 0;
	timeline_ranks_note(timeline, &note);
	assert_string_not_equal(buffer_text(&note), "");
	buffer_free(&note);
	timeline_free(timeline);
	close_pair(&pair);
}

TEST(load_is_sm_efficiency)
{
	char *text = trace_generate("--steps 3 --layers 2", NULL);
	struct run *run = trace_run(text);
	struct timeline *timeline = timeline_of(run, NULL);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	const struct derived *derived = timeline->rank->derived;
	const struct lane *lane = lane_of(timeline, LANE_LOAD);
	int64_t from = derived->window_start, to = derived->window_end;
	double sum = 0;
	bool found = false;

	assert_non_null(lane);
	for (size_t row = 0; row < overview->rows; row++) {
		struct value metric = table_cell(overview, row, "metric");
		if (metric.length != 17 || memcmp(metric.text, "sm_efficiency_pct", 17))
			continue;
		double wanted = table_cell(overview, row, "value").real;
		assert_true(fabs(100 * lane_load(lane, from, to) - wanted) < 1e-6);
		found = true;
	}
	assert_true(found);
	for (int i = 0; i < 1000; i++) {
		int64_t a = lane_edge(from, to, 1000, i), b = lane_edge(from, to, 1000, i + 1);
		double load = lane_load(lane, a, b);
		assert_true(load >= -1e-9 && load <= 1 + 1e-9);
		sum += load * (double)(b - a);
	}
	assert_true(fabs(sum / (double)(to - from) - lane_load(lane, from, to)) < 1e-9);
	table_free(overview);
	timeline_free(timeline);
	run_free(run);
	mem_free(text);
}

/*
 * Threads of the base have other ids: the same name and the same place among its like, in order of
 * their ids, whichever has more events.
 */
TEST(base_lanes_of_threads)
{
#define THREAD(tid, name)                                                                          \
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":" tid                            \
	",\"args\":{\"name\":\"" name "\"}}"
#define ON(tid, name, ts) EVENT("cpu_op", name, "1", tid, ts, "5", "{}")
#define NAMES(one, two) THREAD(one, "python") "," THREAD(two, "python") ","
	struct run *run = trace_run(DOCUMENT(NAMES("11", "12") ON("11", "forward", "0") "," ON(
		"12", "backward", "10") "," ON("12", "two", "20")));
	run_compare(run, trace_run(DOCUMENT(NAMES("98", "97") ON("97", "forward", "0") "," ON(
				 "97", "two", "20") "," ON("97", "three",
							   "30") "," ON("98", "backward", "10"))));
	struct timeline *timeline = timeline_of(run, NULL);
	int paired = 0;
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		uint32_t base;
		if (!timeline_base_lane(timeline, i, &base))
			continue;
		assert_int_equal(timeline->base->lanes->lane[base].count,
				 timeline->lanes->lane[i].count == 1 ? 3 : 1);
		paired++;
	}
	assert_int_equal(paired, 2);
	timeline_free(timeline);
	run_free(run);
}

#define ON_STREAM(device, stream, ts)                                                              \
	EVENT("kernel", "gemm", device, stream, ts, "5",                                           \
	      "{\"device\":" device ",\"stream\":" stream "}")

/* EXPECTED lanes of devices and streams have one of the base, streams one with as many kernels. */
static void check_base_streams(const char *text, const char *base_text, int expected)
{
	struct run *run = trace_run(text);
	run_compare(run, trace_run(base_text));
	struct timeline *timeline = timeline_of(run, NULL);
	int paired = 0;
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		uint32_t base;
		if (!timeline_base_lane(timeline, i, &base))
			continue;
		const struct lane *own = &timeline->lanes->lane[i];
		const struct lane *other = &timeline->base->lanes->lane[base];
		assert_int_equal(own->kind, other->kind);
		assert_true(own->kind != LANE_WORK || own->count == other->count);
		paired++;
	}
	assert_int_equal(paired, expected);
	timeline_free(timeline);
	run_free(run);
}

/*
 * As many devices and streams are the same in order, however they are numbered; of others those
 * with the same number.
 */
TEST(base_lanes_of_streams)
{
	const char *run = DOCUMENT(ON_STREAM("0", "7", "0") "," ON_STREAM(
		"0", "20", "20") "," ON_STREAM("0", "20", "40"));
	check_base_streams(run, run, 3);
	check_base_streams(run,
			   DOCUMENT(ON_STREAM("3", "15", "0") "," ON_STREAM(
				   "3", "15", "20") "," ON_STREAM("3", "9", "40")),
			   3);
	check_base_streams(run, DOCUMENT(ON_STREAM("0", "20", "0") "," ON_STREAM("0", "20", "20")),
			   2);
	check_base_streams(run, DOCUMENT(ON_STREAM("0", "9", "0") "," ON_STREAM("1", "7", "0")), 1);
}

/* ---- alignment with the base run ---- */

enum { ITEMS_MAX = 4000 };

static unsigned below(unsigned *seed, unsigned limit)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % limit;
}

/* Pairs are of equal items and in order; returns their number. */
static size_t check_pairs(const uint32_t *base, const uint32_t *new, size_t new_count,
			  const uint32_t *partner)
{
	size_t pairs = 0;
	uint32_t last = 0;
	for (size_t i = 0; i < new_count; i++) {
		if (partner[i] == NO_ROW)
			continue;
		assert_int_equal(base[partner[i]], new[i]);
		assert_true(pairs == 0 || partner[i] > last);
		last = partner[i];
		pairs++;
	}
	return pairs;
}

/* The longest common subsequence, by the table of all prefixes. */
static size_t most_pairs(const uint32_t *base, size_t base_count, const uint32_t *new,
			 size_t new_count)
{
	size_t *above = calloc(base_count + 1, sizeof *above), *row;
	for (size_t i = 0; i < new_count; i++) {
		row = calloc(base_count + 1, sizeof *row);
		for (size_t k = 1; k <= base_count; k++) {
			row[k] = above[k] > row[k - 1] ? above[k] : row[k - 1];
			if (base[k - 1] == new[i] && above[k - 1] + 1 > row[k])
				row[k] = above[k - 1] + 1;
		}
		free(above);
		above = row;
	}
	size_t most = above[base_count];
	free(above);
	return most;
}

TEST(sequences_are_aligned_with_fewest_left_over)
{
	static uint32_t base[ITEMS_MAX], new[ITEMS_MAX], partner[ITEMS_MAX];
	unsigned seed = 7;
	for (int round = 0; round < 300; round++) {
		size_t base_count = below(&seed, 40), new_count = below(&seed, 40);
		unsigned names = 1 + below(&seed, 8);
		for (size_t i = 0; i < base_count; i++)
			base[i] = below(&seed, names);
		for (size_t i = 0; i < new_count; i++)
			new[i] = below(&seed, names);
		assert_true(sequences_align(base, base_count, new, new_count, partner, NULL));
		assert_int_equal(check_pairs(base, new, new_count, partner),
				 most_pairs(base, base_count, new, new_count));
	}
}

/* More is left over than is searched for at once: what is equal before and after it is paired. */
TEST(long_sequences_are_aligned)
{
	static uint32_t base[ITEMS_MAX], new[ITEMS_MAX], partner[ITEMS_MAX];
	for (uint32_t i = 0; i < ITEMS_MAX; i++) {
		base[i] = i;
		new[i] = i < 500 || i >= 3000 ? i : 10000 + i;
	}
	assert_true(sequences_align(base, ITEMS_MAX, new, ITEMS_MAX, partner, NULL));
	assert_int_equal(check_pairs(base, new, ITEMS_MAX, partner), 1500);
	assert_true(sequences_align(base, ITEMS_MAX, base, ITEMS_MAX, partner, NULL));
	assert_int_equal(check_pairs(base, base, ITEMS_MAX, partner), ITEMS_MAX);
}

/* A kernel of a run of five names, DUR long; in the base run they begin later and take as long. */
static void add_kernel(struct buffer *text, const char *name, int ts, int dur)
{
	buffer_printf(
		text,
		"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,"
		"\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}}",
		text->length ? "," : "{\"traceEvents\":[", name, ts, dur);
}

static struct run *sequence_run(const char *names, int begin, const int *durs)
{
	struct buffer text = { 0 };
	for (int i = 0; names[i]; i++)
		add_kernel(&text, (const char[]){ names[i], '\0' }, begin + 100 * i, durs[i]);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	buffer_free(&text);
	return run;
}

/*
 * The base has x, which is gone, and lacks y; of four a the third has become slower, b faster. What
 * is in the place of which is known by the order, and begins with it.
 */
TEST(base_work_is_placed_by_sequence)
{
	static const int durs[] = { 40, 40, 80, 20, 40, 10, 10, 10, 10, 10 };
	static const int base_durs[] = { 40, 40, 30, 40, 40, 40, 10, 10, 10, 10 };
	static const enum lane_group groups[] = { GROUP_SAME,   GROUP_SAME,   GROUP_GONE,
						  GROUP_SLOWER, GROUP_FASTER, GROUP_SAME,
						  GROUP_SAME,   GROUP_SAME,   GROUP_SAME,
						  GROUP_SAME };
	static const int64_t starts[] = { 0, 100, 150, 200, 300, 400, 600, 700, 800, 900 };
	struct run *run = sequence_run("aaabaycccc", 0, durs);
	struct error error = { 0 };
	run_compare(run, sequence_run("aaxabacccc", 5000, base_durs));
	struct timeline *timeline = timeline_of(run, NULL);
	const struct lane *own = lane_of(timeline, LANE_WORK), *placed;
	struct scope scope;
	struct buffer text = { 0 };
	uint32_t base;

	assert_true(timeline_base_lane(timeline, (uint32_t)(own - timeline->lanes->lane), &base));
	placed = &timeline->base->lanes->lane[base];
	assert_int_equal(placed->count, 10);
	for (uint32_t i = 0; i < placed->count; i++) {
		assert_int_equal(lane_event_group(timeline->base->lanes, placed, i), groups[i]);
		assert_int_equal(lane_start(placed, i), starts[i] * 1000);
		assert_int_equal(lane_end(placed, i) - lane_start(placed, i), base_durs[i] * 1000);
	}
	scope_init(&scope);
	assert_true(timeline_range_text(timeline, &scope, 0, 1000000, NULL, &text, &error));
	if (!strstr(buffer_text(&text),
		    "Against Base\t+0 ns: a +40.00 us, x -30.00 us, b -20.00 us; 1 more, 1 gone\n"))
		fail_msg("%s", buffer_text(&text));
	buffer_free(&text);
	timeline_free(timeline);
	run_free(run);
}
