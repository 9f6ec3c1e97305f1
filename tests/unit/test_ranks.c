/* Several profiles as ranks of one run, on generated runs with known results. */
#include "file_case.h"
#include "trace_case.h"

#include "base/buffer.h"

#include "analysis/experts.h"
#include "session/runs/run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORLD = 4 };

/* Open all ranks starting with FIRST, in reverse order. */
static struct run *open_world(const char *options, int first)
{
	char command[256], path[WORLD][32];
	const char *paths[WORLD] = { NULL };
	struct error error = { 0 };
	size_t count = 0;

	for (int rank = WORLD - 1; rank >= first; rank--) {
		snprintf(path[rank], sizeof path[rank], "ranks-%d-%d.json", (int)getpid(), rank);
		snprintf(command, sizeof command, "./tracegen --world %d --rank %d %s -o %s", WORLD,
			 rank, options, path[rank]);
		assert_int_equal(system(command), 0);
		paths[count++] = path[rank];
	}
	struct run *run = run_open(paths, count, NULL, NULL, &error);
	for (size_t i = 0; i < count; i++)
		unlink(paths[i]);
	if (!run)
		fail_msg("%s", error.message);
	return run;
}

TEST(names_of_files_tell_ranks)
{
	static const struct {
		const char *path;
		int64_t rank;
	} names[] = {
		{ "run/node_worker12.pt.trace.json.gz", 12 },
		{ "run/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34 },
		{ "run/rank0.1779464350378276584.pt.trace.json.gz", 0 },
		{ "run/rank_7.5.pt.trace.json", 7 },
		{ "run/GPU-multi-worker__34.83.195.179_6003.xplane.pb", NO_VALUE },
		{ "run/worker_10.0.0.4.json", NO_VALUE },
		{ "run/trace.json", NO_VALUE },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (run_files_number(names[i].path) != names[i].rank)
			fail_msg("%s", names[i].path);
}

TEST(ranks_are_sorted)
{
	struct run *run = open_world("", 0);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(ranks->rows, WORLD);
	for (int rank = 0; rank < WORLD; rank++)
		assert_int_equal(table_number(ranks, (size_t)rank, "rank"), rank);
	table_free(ranks);
	run_free(run);
}

TEST(the_slow_rank_is_found)
{
	for (int slow = 0; slow < WORLD; slow++) {
		char options[40];
		snprintf(options, sizeof options, "--straggler %d:1.3 --steps 4", slow);
		struct run *run = open_world(options, 0);
		struct table *ranks = trace_view(run, "ranks", NULL, NULL);
		for (int rank = 0; rank < WORLD; rank++) {
			size_t row = (size_t)rank;
			assert_int_equal(table_number(ranks, row, "straggler"), rank == slow);
			/* the others wait for it; it waits for none */
			assert_true(rank == slow ? table_number(ranks, row, "sync_ns") < 1000
						 : table_number(ranks, row, "sync_ns") > 100000);
		}
		table_free(ranks);
		run_free(run);
	}
}

TEST(collective_is_transfer_plus_wait)
{
	struct run *run = open_world("--straggler 1:1.2", 0);
	struct table *table = trace_view(run, "collectives", NULL, NULL);

	assert_int_equal(table->rows, WORLD);
	for (size_t row = 0; row < table->rows; row++) {
		assert_int_equal(table_number(table, row, "transfer_ns") +
					 table_number(table, row, "sync_ns"),
				 table_number(table, row, "total_ns"));
		assert_int_equal(table_number(table, row, "transfer_ns"),
				 table_number(table, 0, "transfer_ns"));
		assert_int_equal(table_number(table, row, "total_bytes"),
				 table_number(table, 0, "total_bytes"));
		assert_int_equal(table_number(table, row, "group_size"), WORLD);
		/* the ring moves at most 90 bytes per ns */
		double busbw = table_cell(table, row, "busbw_gbps").real;
		double algbw = table_cell(table, row, "algbw_gbps").real;
		assert_true(busbw > 60 && busbw < 90);
		assert_true(busbw > algbw * 1.4999 && busbw < algbw * 1.5001);
	}
	table_free(table);
	run_free(run);
}

TEST(communication_is_exposed_or_overlapped)
{
	struct run *run = open_world("--straggler 3:1.5", 0);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	for (size_t row = 0; row < ranks->rows; row++) {
		int64_t step = table_number(ranks, row, "step_ns");
		int64_t overlap = table_number(ranks, row, "overlap_ns");
		assert_true(overlap <= table_number(ranks, row, "computation_ns"));
		assert_true(overlap <= table_number(ranks, row, "communication_ns"));
		assert_true(table_number(ranks, row, "computation_ns") < step);
		assert_true(table_number(ranks, row, "idle_ns") < step);
	}
	table_free(ranks);
	run_free(run);
}

/* Both wait 80 us in two operations at once: 80 us of waiting in 100 us of communication, not 160.
 */
TEST(transfer_is_never_negative)
{
	static const char *const names[] = { "ranks-wait-0.json", "ranks-wait-1.json" };
	struct error error = { 0 };
	for (int rank = 0; rank < 2; rank++) {
		FILE *file = fopen(names[rank], "w");
		int start = rank ? 100 : 20;
		assert_non_null(file);
		fprintf(file,
			"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},"
			"\"traceEvents\":[" EVENT("user_annotation", "ProfilerStep#1", "1", "1",
						  "0", "200", "{}"),
			rank);
		for (int stream = 7; stream < 9; stream++)
			fprintf(file,
				"," LAUNCH(
					"%d",
					"%d") ","
					      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel_%s\",\"pid\":0,"
					      "\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":%d,"
					      "\"correlation\":%d}}",
				stream, stream, stream == 7 ? "AllReduce" : "Broadcast", stream,
				start, 120 - start, stream, stream);
		fprintf(file, "]}");
		fclose(file);
	}
	const char *paths[] = { names[0], names[1] };
	struct run *run = run_open(paths, 2, NULL, NULL, &error);
	unlink(names[0]);
	unlink(names[1]);
	assert_non_null(run);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);
	assert_int_equal(ranks->rows, 2);
	assert_int_equal(table_number(ranks, 0, "communication_ns"), 100000);
	assert_int_equal(table_number(ranks, 0, "sync_ns"), 80000);
	assert_int_equal(table_number(ranks, 0, "transfer_ns"), 20000);
	assert_int_equal(table_number(ranks, 1, "sync_ns"), 0);
	assert_int_equal(table_number(ranks, 1, "transfer_ns"), 20000);
	table_free(ranks);
	run_free(run);
}

TEST(missing_rank_is_tolerated)
{
	struct run *run = open_world("", 1);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(ranks->rows, WORLD - 1);
	assert_int_equal(table_number(ranks, 0, "rank"), 1);
	table_free(ranks);
	run_free(run);
}

TEST(rows_of_all_ranks_lead_to_theirs)
{
	static const char *const views[] = { "kernels", "operators", "launches" };
	struct run *run = open_world("", 0);
	struct scope scope, inside;
	scope_init(&scope);
	assert_true(scope_set(&scope, "rank", "all", NULL));
	for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
		const struct view *view = view_find(views[v]), *next = NULL;
		struct table *table = view_build(view, run, &scope, NULL, NULL, NULL);
		assert_non_null(table);
		assert_int_equal(table_number(table, 0, "rank"), 0);
		size_t last = table->rows - 1;
		assert_int_equal(table_number(table, last, "rank"), WORLD - 1);
		/* a sorted table finds its cursor again */
		for (size_t row = 0; row < table->rows; row += table->rows / 10 + 1)
			assert_int_equal(table_find(table, table_ref(table, row)), row);
		assert_true(view_drill(run, table_ref(table, last), &scope, &next, &inside));
		assert_ptr_equal(next, view);
		assert_int_equal(inside.rank, WORLD - 1);
		struct table *one = view_build(next, run, &inside, NULL, NULL, NULL);
		assert_true(one->rows < table->rows);
		assert_int_equal(table_number(one, 0, "rank"), WORLD - 1);
		table_free(one);
		scope_clear(&inside);
		table_free(table);
	}
	scope_clear(&scope);
	run_free(run);
}

TEST(rows_of_chosen_ranks)
{
	struct run *run = open_world("", 0);
	struct scope scope;
	scope_init(&scope);
	assert_true(scope_set(&scope, "rank", "1,3", NULL));
	struct table *table = trace_view(run, "kernels", &scope, NULL);
	bool seen[WORLD] = { false };
	for (size_t row = 0; row < table->rows; row++)
		seen[table_number(table, row, "rank")] = true;
	assert_true(seen[1] && seen[3]);
	assert_false(seen[0] || seen[2]);
	table_free(table);
	scope_clear(&scope);
	run_free(run);
}

/* ---- work of steps that take turns on a stream ---- */

static void add_turn(struct buffer *text, bool with_operators, int step, int at, int number)
{
	int call = 100 * step + 10 * number;
	if (with_operators)
		buffer_printf(text, "," EVENT("cpu_op", "op%d%d", "1", "1", "%d", "8", "{}"), step,
			      number, call);
	buffer_printf(text,
		      "," EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", "%d", "2",
				"{\"correlation\":%d}"),
		      call + 2, call);
	buffer_printf(text,
		      "," EVENT("kernel", "gemm", "0", "7", "%d", "5",
				"{\"device\":0,\"stream\":7,\"correlation\":%d}"),
		      at, call);
}

/* Of three steps; each launches three kernels, of which the last runs in the next step. */
static void write_turns(const char *path, int rank, bool with_operators)
{
	struct buffer text = { 0 };
	buffer_printf(&text,
		      "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},"
		      "\"traceEvents\":[" OPERATOR("first", "1", "2"),
		      rank);
	for (int step = 1; step <= 3; step++) {
		buffer_printf(
			&text,
			"," EVENT("user_annotation", "ProfilerStep#%d", "1", "1", "%d", "95", "{}"),
			step, 100 * step);
		add_turn(&text, with_operators, step, 100 * step + 15, 1);
		add_turn(&text, with_operators, step, 100 * step + 25, 2);
		add_turn(&text, with_operators, step, 100 * step + 120, 3);
	}
	buffer_puts(&text, "]}");
	write_whole(path, text.data, text.length);
	buffer_free(&text);
}

/* What another rank recorded is that of the same work, also where steps take turns on a stream. */
TEST(steps_that_take_turns_match)
{
	char folder[] = "/tmp/strata-turns-XXXXXX", paths[2][60];
	const char *files[] = { paths[0], paths[1] };
	struct scope scope;
	assert_non_null(mkdtemp(folder));
	for (int rank = 0; rank < 2; rank++) {
		snprintf(paths[rank], sizeof paths[rank], "%s/rank%d.json", folder, rank);
		write_turns(paths[rank], rank, rank == 0);
	}
	struct run *run = run_open(files, 2, NULL, NULL, NULL);
	assert_non_null(run);
	scope_init(&scope);
	scope.rank = 0;
	struct table *known = trace_view(run, "launches", &scope, NULL);
	scope.rank = 1;
	struct table *inferred = trace_view(run, "launches", &scope, NULL);
	assert_int_equal(known->rows, 9);
	assert_int_equal(inferred->rows, 9);
	for (size_t row = 0; row < 9; row++) {
		assert_string_equal(table_text(inferred, row, "operator"),
				    table_text(known, row, "operator"));
		assert_string_equal(table_text(inferred, row, "inferred"), "rank 0");
	}
	table_free(known);
	table_free(inferred);
	scope_clear(&scope);
	run_free(run);
	remove_folder(folder);
}

/* One step of COUNT kernels of one name; the first ten are launched by "a", the others by "b". */
static void write_alike(const char *path, int rank, int count, bool with_operators)
{
	struct buffer text = { 0 };
	buffer_printf(&text,
		      "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},"
		      "\"traceEvents\":[" EVENT("user_annotation", "ProfilerStep#1", "1", "1", "0",
						"1000", "{}"),
		      rank);
	for (int i = 0; i < count; i++) {
		int at = 10 + 20 * i;
		if (with_operators)
			buffer_printf(&text, "," EVENT("cpu_op", "%s", "1", "1", "%d", "9", "{}"),
				      i < 10 ? "a" : "b", at);
		buffer_printf(&text,
			      "," EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", "%d", "2",
					"{\"correlation\":%d}"),
			      at + 1, i + 1);
		buffer_printf(&text,
			      "," EVENT("kernel", "gemm", "0", "7", "%d", "5",
					"{\"device\":0,\"stream\":7,\"correlation\":%d}"),
			      at + 4, i + 1);
	}
	buffer_puts(&text, "]}");
	write_whole(path, text.data, text.length);
	buffer_free(&text);
}

/* Where the work before and after a difference overlaps, both have to say the same. */
TEST(work_that_matches_from_both_ends_has_to_agree)
{
	enum { KERNELS = 20 };
	char folder[] = "/tmp/strata-alike-XXXXXX", paths[2][60];
	const char *files[] = { paths[0], paths[1] };
	struct scope scope;
	assert_non_null(mkdtemp(folder));
	for (int rank = 0; rank < 2; rank++) {
		snprintf(paths[rank], sizeof paths[rank], "%s/rank%d.json", folder, rank);
		write_alike(paths[rank], rank, KERNELS - rank, rank == 0);
	}
	struct run *run = run_open(files, 2, NULL, NULL, NULL);
	assert_non_null(run);
	scope_init(&scope);
	scope.rank = 1;
	struct table *inferred = trace_view(run, "launches", &scope, NULL);
	assert_int_equal(inferred->rows, KERNELS - 1);
	for (size_t row = 0; row < KERNELS - 1; row++)
		assert_string_equal(table_text(inferred, row, "operator"), row < 9    ? "a"
									   : row == 9 ? ""
										      : "b");
	table_free(inferred);
	scope_clear(&scope);
	run_free(run);
	remove_folder(folder);
}

/* The traces of tracegen are of process 41207. */
TEST(hosts_are_read_from_names_of_files)
{
	static const struct {
		const char *name, *host;
	} files[WORLD] = {
		{ "node_0_41207.1700000000.pt.trace.json", "node_0" },
		{ "node_0_41207.pt.trace.json", "node_0" },
		{ "node_1_41207.1700000000.pt.trace.json", "node_1" },
		{ "node_1_41208.1700000000.pt.trace.json", NULL }, /* of another process */
	};
	char folder[64], command[1024], path[WORLD][160];
	const char *paths[WORLD];
	struct error error = { 0 };
	static const char *const times[] = { "step_ns",     "computation_ns", "overlap_ns",
					     "other_ns",    "idle_ns",        "communication_ns",
					     "transfer_ns", "sync_ns" };
	enum { TIMES = sizeof times / sizeof *times };
	int64_t sum[TIMES] = { 0 };
	snprintf(folder, sizeof folder, "hosts-%d", (int)getpid());
	assert_int_equal(mkdir(folder, 0700), 0);
	for (int rank = 0; rank < WORLD; rank++) {
		snprintf(path[rank], sizeof path[rank], "%s/%s", folder, files[rank].name);
		snprintf(command, sizeof command, "./tracegen --world %d --rank %d -o %s", WORLD,
			 rank, path[rank]);
		assert_int_equal(system(command), 0);
		paths[rank] = path[rank];
	}
	struct run *run = run_open(paths, WORLD, NULL, NULL, &error);
	assert_non_null(run);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);
	struct table *hosts = trace_view(run, "ranks", NULL, "host");
	for (size_t rank = 0; rank < WORLD; rank++) {
		struct value host = table_cell(ranks, rank, "host");
		assert_int_equal(host.kind, files[rank].host ? VALUE_TEXT : VALUE_MISSING);
		if (files[rank].host)
			assert_memory_equal(host.text, files[rank].host, host.length);
		for (size_t i = 0; rank < 2 && i < TIMES; i++)
			sum[i] += table_number(ranks, rank, times[i]);
	}
	assert_int_equal(hosts->rows, 3);
	assert_int_equal(table_number(hosts, 0, "ranks"), 2);
	assert_int_equal(table_number(hosts, 1, "ranks"), 1);
	assert_int_equal(table_cell(hosts, 2, "host").kind, VALUE_MISSING);
	for (size_t i = 0; i < TIMES; i++) {
		assert_true(sum[i] > 0);
		assert_int_equal(table_number(hosts, 0, times[i]), sum[i] / 2);
	}
	table_free(hosts);
	table_free(ranks);
	run_free(run);
	for (int rank = 0; rank < WORLD; rank++)
		unlink(path[rank]);
	rmdir(folder);
}

/* The device with most work on all its streams; of equals the first, in whatever order. */
TEST(the_device_of_a_rank_has_most_work)
{
#define ON(device, stream, ts, dur)                                                                \
	EVENT("kernel", "gemm", device, stream, ts, dur,                                           \
	      "{\"device\":" device ",\"stream\":" stream "}")
	static const struct {
		const char *trace, *device;
	} cases[] = {
		{ DOCUMENT(ON("0", "7", "0", "50") "," ON("0", "8", "0", "50") "," ON(
			  "1", "7", "0", "20") "," ON("1", "7", "20", "20") "," ON("1", "7", "40",
										   "20")),
		  "GPU0" },
		{ DOCUMENT(ON("1", "7", "0", "50") "," ON("0", "7", "0", "50")), "GPU0" },
		{ DOCUMENT(ON("0", "7", "0", "50") "," ON("1", "7", "0", "50")), "GPU0" },
		{ DOCUMENT(ON("0", "7", "0", "50") "," ON("1", "7", "0", "51")), "GPU1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = trace_run(cases[i].trace);
		struct table *ranks = trace_view(run, "ranks", NULL, NULL);
		assert_cell(ranks, 0, "device", cases[i].device);
		table_free(ranks);
		run_free(run);
	}
}

TEST(a_device_that_no_rank_has_is_an_error)
{
	struct run *run = open_world("", 0);
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	assert_true(scope_set(&scope, "rank", "all", NULL));
	assert_true(scope_set(&scope, "device", "77", NULL));
	assert_null(view_build(view_find("kernels"), run, &scope, NULL, NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	scope_clear(&scope);
	run_free(run);
}

/* ---- experts ---- */

/* Per step; the first of the slowest; even shares of what was sent, if more is computed. */
TEST(experts_cost_what_the_slowest_rank_takes_longer)
{
	struct expert_load loads[][1] = {
		{ { .steps = 2, .tokens = 400, .sent = 400, .ns = 2000 } },
		{ { .steps = 4, .tokens = 1200, .sent = 800, .ns = 6000 } },
		{ { .steps = 1, .tokens = 300, .sent = 200, .ns = 1500 } },
		{ { .steps = 0, .tokens = 9, .sent = 9, .ns = 9000 } }, /* has no pass of it */
	};
	struct rank_experts ranks[5] = { { .rank = 7 } };
	for (size_t i = 0; i < 4; i++)
		ranks[i + 1] =
			(struct rank_experts){ .rank = (int64_t)i, .loads = { loads[i], 1, 1 } };
	struct expert_layer of = expert_layer_of(ranks, 5, 0);
	double tokens = (200.0 + 300 + 300) / 3, ns = (1000.0 + 1500 + 1500) / 3;
	assert_int_equal(of.ranks, 3);
	assert_int_equal(of.slowest, 2); /* the third takes as long */
	assert_true(of.tokens > tokens - 1e-6 && of.tokens < tokens + 1e-6);
	assert_true(of.ns > ns - 1e-6 && of.ns < ns + 1e-6);
	double cost = 1500 - 600.0 / 800 * ns;
	assert_true(of.cost_ns > cost - 1e-6 && of.cost_ns < cost + 1e-6);
	for (size_t i = 0; i < 4; i++)
		loads[i][0].sent *= 10;
	of = expert_layer_of(ranks, 5, 0);
	assert_true(of.cost_ns > 1500 - ns - 1e-6 && of.cost_ns < 1500 - ns + 1e-6);
	of = expert_layer_of(ranks, 5, 1);
	assert_int_equal(of.ranks, 0);
	assert_int_equal(of.slowest, 5);
	assert_true(of.tokens == 0 && of.ns == 0 && of.cost_ns == 0);
}
