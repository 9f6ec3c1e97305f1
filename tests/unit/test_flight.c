/* Flight recorder dumps: pickles of every protocol and JSON; what a rank has not begun; damage. */
#include "advice_case.h"
#include "file_case.h"
#include "snapshot_case.h"
#include "trace_case.h"

#include "base/mem.h"
#include "model/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sample {
	int from, to;  /* sequence numbers */
	int completed; /* up to this one */
};

static void pickle_list(struct pickler *pickler, const char *key)
{
	pickle_text(pickler, key);
	pickle_begin(pickler, '[');
}

static void pickle_entry(struct pickler *pickler, int sequence, bool completed)
{
	pickle_begin(pickler, '{');
	pickle_pair(pickler, "pg_id", 4);
	pickle_list(pickler, "process_group");
	pickle_text(pickler, "0");
	pickle_text(pickler, "default_pg");
	pickle_end(pickler, '[');
	pickle_pair(pickler, "collective_seq_id", sequence);
	pickle_pair(pickler, "p2p_seq_id", 0);
	pickle_words(pickler, "profiling_name", "nccl:all_reduce");
	pickle_words(pickler, "state", completed ? "completed" : "started");
	pickle_pair(pickler, "time_created_ns", 1000 * sequence);
	pickle_pair(pickler, "time_discovered_started_ns", 1000 * sequence + 10);
	if (completed)
		pickle_pair(pickler, "time_discovered_completed_ns", 1000 * sequence + 110);
	pickle_list(pickler, "input_sizes");
	pickle_begin(pickler, '[');
	pickle_int(pickler, 2);
	pickle_int(pickler, 3);
	pickle_end(pickler, '[');
	pickle_end(pickler, '[');
	pickle_list(pickler, "input_dtypes");
	pickle_text(pickler, "Float");
	pickle_end(pickler, '[');
	pickle_end(pickler, '{');
}

static struct buffer pickle_dump(int protocol, struct sample sample)
{
	struct pickler pickler = pickler_new(protocol);
	pickle_begin(&pickler, '{');
	pickle_words(&pickler, "version", "2.4");
	pickle_list(&pickler, "entries");
	for (int i = sample.from; i <= sample.to; i++)
		pickle_entry(&pickler, i, i <= sample.completed);
	pickle_end(&pickler, '[');
	pickle_end(&pickler, '{');
	pickle_stop(&pickler);
	return pickler.out;
}

static void check_entries(const struct run *run)
{
	struct table *table = trace_view(run, "flight", NULL, NULL);
	assert_int_equal(table->rows, 3);
	assert_int_equal(table_number(table, 0, "seq"), 5);
	assert_int_equal(table_number(table, 0, "created_ns"), 0);
	assert_int_equal(table_number(table, 1, "started_ns"), 1010);
	assert_int_equal(table_number(table, 1, "completed_ns"), 1110);
	assert_int_equal(table_cell(table, 2, "completed_ns").kind, VALUE_MISSING);
	assert_int_equal(table_number(table, 0, "bytes"), 24);
	assert_int_equal(table_cell(table, 0, "state").length, 9);
	assert_int_equal(table_cell(table, 0, "process_group").length, 1);
	table_free(table);
}

TEST(every_protocol_says_the_same)
{
	for (int protocol = 0; protocol <= PICKLE_JIT; protocol++) {
		struct buffer dump = pickle_dump(protocol, (struct sample){ 5, 7, 6 });
		struct run *run = trace_run_bytes(dump.data, dump.length);
		check_entries(run);
		run_free(run);
		buffer_free(&dump);
	}
}

#define JSON_ENTRY(sequence, rest)                                                                 \
	"{\"pg_id\":4,\"process_group\":[\"0\",\"default_pg\"],\"collective_seq_id\":" sequence    \
	",\"profiling_name\":\"nccl:all_reduce\",\"input_sizes\":[[2,3]],"                         \
	"\"input_dtypes\":[\"Float\"],\"is_p2p\":false," rest "}"
#define JSON                                                                                                                                                                                                          \
	"{\"version\":\"2.4\",\"entries\":[" JSON_ENTRY(                                                                                                                                                              \
		"5",                                                                                                                                                                                                  \
		"\"state\":\"completed\",\"time_created_ns\":5000,"                                                                                                                                                   \
		"\"time_discovered_started_ns\":5010,\"time_discovered_completed_ns\":5110") "," JSON_ENTRY("6",                                                                                                      \
													    "\"state\":\"completed\",\"time_created_ns\":6000,"                                                       \
													    "\"time_discovered_started_ns\":6010,"                                                                    \
													    "\"time_discovered_completed_ns\":6110") "," JSON_ENTRY("7",                                              \
																				    "\"state\":\"started\",\"time_created_ns\":7000," \
																				    "\"time_discovered_started_ns\":7010,"            \
																				    "\"time_discovered_completed_ns\":null") "],\"pg_config\":{}}"

TEST(json_says_the_same)
{
	struct run *run = trace_run(JSON);
	check_entries(run);
	run_free(run);
}

/* The message of a gather is what all ranks have after it, of a scatter what they had before. */
TEST(messages_of_gathers_and_scatters_are_whole)
{
#define FLIGHT_MESSAGE(name, in, out)                                                              \
	"{\"pg_id\":4,\"collective_seq_id\":1,\"profiling_name\":\"nccl:" name                     \
	"\",\"input_sizes\":[[" in "]],\"output_sizes\":[[" out "]],"                              \
	"\"input_dtypes\":[\"Float\"],\"state\":\"completed\",\"time_created_ns\":5000,"           \
	"\"time_discovered_started_ns\":5010,\"time_discovered_completed_ns\":5110}"
	struct run *run = trace_run("{\"version\":\"2.4\",\"entries\":[" FLIGHT_MESSAGE(
		"_all_gather_base", "2,3", "8,3") "," FLIGHT_MESSAGE("_reduce_scatter_base", "8,3",
								     "2,3") "],\"pg_config\":{}}");
	assert_rows(run, "flight", NULL, NULL, "name,bytes",
		    "nccl:_all_gather_base,96\nnccl:_reduce_scatter_base,96\n");
	run_free(run);
}

/* Inputs of one type are added; of several, their elements have no common size. */
TEST(inputs_of_mixed_types_have_no_bytes)
{
#define FLIGHT_INPUTS(number, types)                                                               \
	"{\"pg_id\":4,\"collective_seq_id\":" number                                               \
	",\"profiling_name\":\"nccl:all_reduce_coalesced\",\"input_sizes\":[[2,3],[4]],"           \
	"\"input_dtypes\":[" types "],\"state\":\"completed\",\"time_created_ns\":5000,"           \
	"\"time_discovered_started_ns\":5010,\"time_discovered_completed_ns\":5110}"
	struct run *run = trace_run(
		"{\"version\":\"2.4\",\"entries\":[" FLIGHT_INPUTS("1", "\"Float\",\"Float\"") "," FLIGHT_INPUTS(
			"2",
			"\"Float\",\"Half\"") "," FLIGHT_INPUTS("3",
								"\"Half\",\"Float\"") "],\"pg_config\":{}}");
	assert_rows(run, "flight", NULL, NULL, "seq,bytes", "1,40\n2,\n3,\n");
	run_free(run);
}

/* A run of dumps of three ranks; the caller removes FOLDER. */
static struct run *run_of_dumps(const struct sample samples[3], char *folder)
{
	const char *paths[] = { folder };
	struct error error = { 0 };
	char path[64];
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 3; i++) {
		struct buffer dump = pickle_dump(2 + i, samples[i]);
		snprintf(path, sizeof path, "%s/trace_rank_%d", folder, i);
		write_whole(path, dump.data, dump.length);
		buffer_free(&dump);
	}
	struct run *run = run_open(paths, 1, &(struct load_options){ 0 }, NULL, &error);
	assert_non_null(run);
	return run;
}

/* Three ranks; the second stops early, the third's ring has lost the first entries. */
TEST(the_missing_rank_is_named)
{
	static const struct sample samples[] = { { 1, 9, 6 }, { 1, 6, 6 }, { 4, 8, 6 } };
	char folder[] = "/tmp/strata-flight-XXXXXX";
	struct run *run = run_of_dumps(samples, folder);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);
	struct table *collectives = trace_view(run, "collectives", NULL, NULL);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	static const int64_t missing[] = { 0, 3, 1 };
	assert_int_equal(ranks->rows, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(table_number(ranks, i, "missing"), missing[i]);
		assert_int_equal(table_cell(ranks, i, "step_ns").kind, VALUE_MISSING);
	}
	assert_int_equal(collectives->rows, 3);
	assert_int_equal(table_number(collectives, 0, "calls"), 6);
	assert_int_equal(table_number(collectives, 0, "total_ns"), 600);
	size_t row = advice_row(advice, "collective-missing");
	struct value evidence = table_cell(advice, row, "evidence");
	assert_non_null(memmem(evidence.text, evidence.length, "rank 1 has not begun", 20));
	table_free(ranks);
	table_free(collectives);
	table_free(advice);
	run_free(run);
	remove_folder(folder);
}

/* The rings hold different parts of the same collectives. */
TEST(no_rank_is_missing_when_all_began)
{
	static const struct sample samples[] = { { 1, 9, 6 }, { 2, 9, 6 }, { 4, 9, 6 } };
	char folder[] = "/tmp/strata-flight-XXXXXX";
	struct run *run = run_of_dumps(samples, folder);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_string_equal(advice_answer(advice, "collective-missing"), "silent");
	table_free(advice);
	run_free(run);
	remove_folder(folder);
}

/* Rings that share nothing: the rank that stopped first lacks the earliest one of any. */
TEST(the_earliest_missing_collective_is_named)
{
	static const struct sample samples[] = { { 7, 9, 9 }, { 1, 3, 3 }, { 4, 6, 6 } };
	char folder[] = "/tmp/strata-flight-XXXXXX";
	struct run *run = run_of_dumps(samples, folder);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	struct value evidence =
		table_cell(advice, advice_row(advice, "collective-missing"), "evidence");
	assert_non_null(strstr(evidence.text, "rank 1 has not begun nccl:all_reduce 4 of"));
	assert_non_null(strstr(evidence.text, "lacks 6 collectives"));
	table_free(advice);
	run_free(run);
	remove_folder(folder);
}

TEST(damaged_dumps)
{
	struct buffer dump = pickle_dump(4, (struct sample){ 1, 2, 1 });
	for (size_t length = 1; length < dump.length; length++) {
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(dump.data, length, &error);
		assert_true(profile || strlen(error.message) > 5);
		profile_free(profile);
	}
	for (size_t at = 0; at < dump.length; at++) {
		char was = dump.data[at];
		dump.data[at] = (char)(at * 37);
		profile_free(trace_open_bytes(dump.data, dump.length, NULL));
		dump.data[at] = was;
	}
	buffer_free(&dump);
	for (size_t length = 1; length < sizeof JSON - 1; length++)
		profile_free(trace_open_bytes(JSON, length, NULL));
}

TEST(nothing_is_executed)
{
	static const char pickle[] = "\x80\x04}\x8c\x07"
				     "entriescos\nsystem\n\x8c\x0epg_config=trueR.";
	struct error error = { 0 };
	assert_null(trace_open_bytes(pickle, sizeof pickle - 1, &error));
	assert_non_null(strstr(error.message, "os.system"));
}
