/* NVTX ranges: parsing of their text, nesting, and links from backward to forward. */
#include "database_case.h"

#include "derived/derived.h"
#include "session/load.h"
#include "analysis/rank_summary.h"

#include <string.h>

#define RANGE(start, end, type, text, thread)                                                      \
	"(" #start "," #end "," #type "," text ",NULL," thread ",NULL,0)"
#define RANGES(rows) NSYS_STRINGS NSYS_RANGES "INSERT INTO NVTX_EVENTS VALUES " rows ";"

static const char *shapes_of(const struct profile *profile, const char *name)
{
	const struct op_info *info = profile_op_info(profile, span_named(profile, name));

	assert_non_null(info);
	return profile_string(profile, info->shapes);
}

TEST(emit_nvtx_ranges_are_operators)
{
	struct profile *profile = database_open(RANGES(
		RANGE(10, 20, 59,
		      "'aten::mm, seq = 4, op_id = 9, sizes = [[2, 3], [3, 5], []], "
		      "input_op_ids = [(1,0)]'",
		      "1") "," RANGE(21, 22, 59, "'detach_, op_id = 10'",
				     "1") "," RANGE(23, 24, 59,
						    "'FSDP::forward (blocks.2, x), op_id = 11'",
						    "1") "," RANGE(25, 26, 59, "'a phase, of mine'",
								   "1")));
	uint32_t mm = span_named(profile, "aten::mm");
	const struct op_info *info = profile_op_info(profile, mm);

	assert_int_equal(profile->span_kind[mm], SPAN_OPERATOR);
	assert_int_equal(profile_op_ids(profile, mm)->sequence, 4);
	assert_int_equal(profile_op_ids(profile, mm)->external_id, 9);
	assert_string_equal(profile_string(profile, info->shapes), "[[2,3],[3,5],[]]");
	assert_int_equal(profile->span_kind[span_named(profile, "detach_")], SPAN_OPERATOR);
	assert_int_equal(profile->span_kind[span_named(profile, "FSDP::forward (blocks.2, x)")],
			 SPAN_ANNOTATION);
	assert_int_equal(profile->span_kind[span_named(profile, "a phase, of mine")],
			 SPAN_ANNOTATION);
	profile_free(profile);
}

/* Malformed texts keep their name and lose the invalid part. */
TEST(malformed_texts_are_harmless)
{
	struct profile *profile =
		database_open(RANGES(RANGE(1, 2, 59, "'aten::a, seq = , op_id = '", "1") "," RANGE(
			3, 4, 59, "'aten::b, seq = 99999999999999999999'",
			"1") "," RANGE(5, 6, 59, "'aten::c, sizes = [[1, 2'",
				       "1") "," RANGE(7, 8, 59, "'aten::d, sizes = [os.system()]'",
						      "1") "," RANGE(9, 10, 59,
								     "'{''mod'': ''torch'', ''op'': '",
								     "1") "," RANGE(11, 12, 59,
										    "''", "1")));

	assert_int_equal(profile->spans, 6);
	span_named(profile, "aten::a");
	assert_null(profile_op_info(profile, span_named(profile, "aten::b")));
	span_named(profile, "aten::c");
	span_named(profile, "aten::d");
	assert_int_equal(profile->span_kind[span_named(profile, "{'mod': 'torch', 'op': ")],
			 SPAN_ANNOTATION);
	profile_free(profile);
}

/* Sequence numbers are per process: the other process uses the same ones. */
TEST(backward_links_to_forward_of_process)
{
	struct run *run = database_run(RANGES(
		RANGE(10, 20, 59, "'aten::linear, seq = 4, op_id = 1'", NSYS_THREAD(7, 1)) "," RANGE(12, 18, 59, "'aten::addmm, seq = 4, op_id = 2'", NSYS_THREAD(7, 1)) "," RANGE(
			14, 16, 59, "'aten::relu, seq = 4, op_id = 2'",
			NSYS_THREAD(
				9,
				1)) "," RANGE(30, 50, 59,
					      "'autograd::engine::evaluate_function: AddmmBackward0, "
					      "op_id = 3'",
					      NSYS_THREAD(
						      7,
						      2)) "," RANGE(32, 48, 59,
								    "'AddmmBackward0, seq = 4, op_id = 4'",
								    NSYS_THREAD(
									    7,
									    2)) "," RANGE(34, 40,
											  59,
											  "'aten::mm, op_id = 5'",
											  NSYS_THREAD(
												  7,
												  2)) "," RANGE(60,
														70,
														59,
														"'ReluBackward0, seq = 4, op_id = 6'",
														NSYS_THREAD(
															9,
															2)) "," RANGE(80,
																      90,
																      59,
																      "'TanhBackward0, seq = 5, op_id = 7'",
																      NSYS_THREAD(
																	      9,
																	      2))));
	const struct derived *derived = run->ranks[0].derived;
	const struct profile *profile = derived->profile;

	assert_int_equal(derived->links.count, 2);
	assert_int_equal(derived->links.backward_calls, 3);
	for (uint32_t i = 0; i < derived->links.count; i++) {
		const struct link *link = &derived->links.by_forward[i];
		bool addmm = strcmp(span_text(profile, link->backward), "AddmmBackward0") == 0;
		assert_string_equal(span_text(profile, link->forward),
				    addmm ? "aten::addmm" : "aten::relu");
	}
	/* calls made by a backward operator are linked to the forward one, too */
	assert_string_equal(
		span_text(profile, links_forward(derived, span_named(profile, "aten::mm"))),
		"aten::addmm");
	run_free(run);
}

/* ---- markers ---- */

#define CONV_MARKER                                                                                \
	"'{''mod'': ''torch.nn.functional'', ''op'': ''conv2d'', ''args'': [{''name'': '''',"      \
	"''type'': ''tensor'', ''shape'': (32, 3), ''dtype'': ''float16''},"                       \
	"{''name'': ''bias'', ''type'': ''NoneType'', ''value'': None}]}'"
#define TRACE_MARKER                                                                               \
	"'{''traceMarker'': [''train.py:1'', ''conv.py:463''], ''funcStack'': "                    \
	"''/<module>/Net::_call_impl/Net::forward/Conv2d::_call_impl(2)/Conv2d::forward/conv2d''}'"

TEST(markers_give_shapes_stacks_and_modules)
{
	struct run *run = database_run(RANGES(
		RANGE(10, 50, 59, TRACE_MARKER, "1") "," RANGE(12, 48, 59, CONV_MARKER, "1") "," RANGE(
			14, 40, 59, "'aten::conv2d, seq = 0'",
			"1") "," RANGE(16, 38, 59, "'aten::convolution, seq = 0'",
				       "1") "," RANGE(60, 70, 59, TRACE_MARKER,
						      "1") "," RANGE(80, 90, 59,
								     "'ConvolutionBackward0, seq = 0'",
								     "2")));
	const struct profile *profile = run->ranks[0].profile;
	const struct derived *derived = run->ranks[0].derived;

	assert_string_equal(shapes_of(profile, "conv2d"), "[[32,3],[]]");
	assert_string_equal(shapes_of(profile, "aten::conv2d"), "[[32,3],[]]");
	assert_string_equal(shapes_of(profile, "aten::convolution"), "");
	const struct op_info *info = profile_op_info(profile, span_named(profile, "aten::conv2d"));
	assert_string_equal(profile_string(profile, info->types), "[\"float16\",\"NoneType\"]");
	assert_string_equal(profile_string(profile, info->stack), "conv.py:463;train.py:1");
	/* one call of each module in both traces */
	uint32_t net = span_named(profile, "Net"), module = span_named(profile, "Conv2d(2)");
	assert_int_equal(profile->span_kind[net], SPAN_MODULE);
	assert_int_equal(profile->span_dur[net], 60);
	assert_int_equal(profile->span_parent[module], net);
	/* a backward call has the inputs of its forward one */
	uint32_t backward = span_named(profile, "ConvolutionBackward0");
	assert_string_equal(span_text(profile, links_forward(derived, backward)),
			    "aten::convolution");
	assert_string_equal(profile_string(profile, links_arguments(derived, backward)->shapes),
			    "[[32,3],[]]");
	run_free(run);
}

/* The same texts in two iterations: what a call inherits is its own. */
TEST(markers_that_repeat_are_read_each_time)
{
	struct run *run = database_run(RANGES(RANGE(10, 50, 59, TRACE_MARKER, "1") "," RANGE(
		12, 48, 59, CONV_MARKER,
		"1") "," RANGE(14, 40, 59, "'aten::conv2d, seq = 0'",
			       "1") "," RANGE(60, 90, 59, "'{''traceMarker'': [''eval.py:7'']}'",
					      "1") "," RANGE(62, 88, 59, CONV_MARKER,
							     "1") "," RANGE(64, 80, 59,
									    "'aten::conv2d, seq = 1'",
									    "1")));
	const struct profile *profile = run->ranks[0].profile;
	const char *const stacks[] = { "conv.py:463;train.py:1", "eval.py:7" };
	size_t calls = 0, operators = 0;
	for (uint32_t i = 0; i < profile->spans; i++) {
		const char *name = span_text(profile, i);
		bool is_call = strcmp(name, "conv2d") == 0;
		if (!is_call && strcmp(name, "aten::conv2d") != 0)
			continue;
		const struct op_info *info = profile_op_info(profile, i);
		size_t *seen = is_call ? &calls : &operators;
		assert_string_equal(profile_string(profile, info->shapes), "[[32,3],[]]");
		assert_string_equal(profile_string(profile, info->stack), stacks[(*seen)++]);
	}
	assert_int_equal(calls, 2);
	assert_int_equal(operators, 2);
	run_free(run);
}

TEST(pyprof_prefix_of_layers_is_removed)
{
	struct profile *profile = database_open(RANGES(RANGE(1, 2, 59, "'layer:conv1'", "1")));

	assert_int_equal(profile->span_kind[span_named(profile, "conv1")], SPAN_ANNOTATION);
	profile_free(profile);
}

/* ---- nesting ---- */

static int64_t tid_of(const struct profile *profile, const char *name)
{
	return profile->tracks[profile->span_track[span_named(profile, name)]].tid;
}

TEST(start_end_ranges_nest)
{
	struct profile *profile = database_open(RANGES(RANGE(10, 50, 59, "'pushed'", NSYS_THREAD(7, 8)) "," RANGE(
		20, 30,
		60, "'inside'",
		NSYS_THREAD(
			7,
			8)) "," RANGE(40, 70, 60, "'across'",
				      NSYS_THREAD(
					      7,
					      8)) "," RANGE(60, 90, 60, "'over across'",
							    NSYS_THREAD(
								    7,
								    8)) ","
									"(22,28,60,'wandering',NULL," NSYS_THREAD(
										7,
										8) "," NSYS_THREAD(7,
												   9) ",0)"));

	assert_int_equal(tid_of(profile, "inside"), 8);
	assert_int_equal(profile->span_parent[span_named(profile, "inside")],
			 span_named(profile, "pushed"));
	assert_int_equal(tid_of(profile, "across"), NO_VALUE);
	assert_int_equal(tid_of(profile, "wandering"), NO_VALUE);
	assert_int_equal(damage_count(profile, NULL), 0);
	for (uint32_t i = 0; i < profile->spans; i++)
		if (profile->span_parent[i] != NO_ROW)
			assert_string_equal(span_text(profile, i), "inside");
	profile_free(profile);
}

/* Any number of overlapping ranges fits a few lanes, each properly nested. */
TEST(many_overlapping_ranges_share_few_lanes)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_RANGES
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
		"INSERT INTO NVTX_EVENTS SELECT 100 * i, 100 * i + 250, 60, 'request', NULL," NSYS_THREAD(
			7, 8) ",NULL,0 FROM n;");

	assert_int_equal(profile->spans, 1000);
	assert_in_range(profile->track_count, 2, 4);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

TEST(unended_ranges_last_until_capture_end)
{
	struct profile *profile = database_open(RANGES(RANGE(10, NULL, 59, "'open'", "1") "," RANGE(
		20, 100, 59, "'closed'", "1") "," RANGE(200, NULL, 60, "'open too'", "1")));

	assert_int_equal(profile->span_dur[span_named(profile, "open")], 190);
	assert_int_equal(damage_count(profile, "begin without end"), 2);
	profile_free(profile);
}

/* Registered strings, domain and thread names, marks; rows in any order. */
TEST(names_from_all_tables_are_used)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_RANGES
		"INSERT INTO NVTX_EVENTS VALUES (10,20,59,NULL,1," NSYS_THREAD(
			7, 8) ",NULL,3),"
			      "(15,NULL,34,'a mark',NULL," NSYS_THREAD(
				      7, 8) ",NULL,0),"
					    "(1,NULL,75,'NCCL',NULL," NSYS_THREAD(
						    7, 1) ",NULL,3),"
							  "(1,NULL,39,'worker',NULL," NSYS_THREAD(
								  7, 8) ",NULL,0);");
	uint32_t range = span_named(profile, "gemm");
	size_t count;
	const struct attribute *domain = profile_span_attributes(profile, range, &count);

	assert_int_equal(count, 1);
	assert_string_equal(profile_string(profile, domain->key), "domain");
	assert_string_equal(profile_string(profile, domain->text), "NCCL");
	assert_int_equal(profile->span_kind[span_named(profile, "a mark")], SPAN_INSTANT);
	assert_string_equal(
		profile_string(profile, profile->tracks[profile->span_track[range]].name),
		"worker");
	profile_free(profile);
}

static const char *attribute_of(const struct profile *profile, uint32_t span, const char *key)
{
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(profile_string(profile, attributes[i].key), key) == 0)
			return profile_string(profile, attributes[i].text);
	return "(none)";
}

TEST(payloads_are_kept)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"INSERT INTO StringIds VALUES (9,'{\"Layer\": 3}');"
		"CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT,"
		" uint64Value INT, int64Value INT, doubleValue REAL, int32Value INT, jsonTextId INT,"
		" jsonText TEXT);"
		"INSERT INTO NVTX_EVENTS VALUES"
		"(10,20,59,'unsigned',1,-1,NULL,NULL,NULL,NULL,NULL),"
		"(30,40,59,'signed',1,NULL,-7,NULL,NULL,NULL,NULL),"
		"(50,60,60,'real',1,NULL,NULL,0.5,NULL,NULL,NULL),"
		"(70,80,59,'narrow',1,NULL,NULL,NULL,12,NULL,NULL),"
		"(90,95,59,'json',1,NULL,NULL,NULL,NULL,9,NULL),"
		"(97,NULL,34,'mark',1,NULL,NULL,NULL,NULL,NULL,'[1]'),"
		"(98,99,59,'nothing',1,NULL,NULL,NULL,NULL,NULL,NULL);");
	static const struct {
		const char *name, *payload;
	} expected[] = {
		{ "unsigned", "18446744073709551615" },
		{ "signed", "-7" },
		{ "real", "0.5" },
		{ "narrow", "12" },
		{ "json", "{\"Layer\": 3}" },
		{ "mark", "[1]" },
		{ "nothing", "(none)" },
	};

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_string_equal(
			attribute_of(profile, span_named(profile, expected[i].name), "payload"),
			expected[i].payload);
	profile_free(profile);
}

/* Header (domain 1, schema, size, total size), then the values, little-endian. */
#define HEAD(schema, size, whole)                                                                  \
	"0100000000000000" schema "0000" size "00000000000000" whole "00000000000000"
#define SCHEMAS                                                                                                                                      \
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT, flags INT,"                                                  \
	" type INT, name TEXT, offset INT);"                                                                                                         \
	"CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES (domainId INT, schemaId INT, name TEXT, value INT);"                                                 \
	"INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (1,16777232,'Sum',0),(1,16777232,'Max',2);" /* duplicated as by two processes, and unsorted */ \
	"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"                                                                                             \
	"(1,16777223,1,NULL,22,'Message size [bytes]',8),"                                                                                           \
	"(1,16777223,2,NULL,16777232,'Reduction operation',16),"                                                                                     \
	"(1,16777223,0,NULL,18,'NCCL communicator ID',NULL),"                                                                                        \
	"(1,16777223,0,NULL,18,'NCCL communicator ID',NULL),"                                                                                        \
	"(1,16777223,3,2,18,'elsewhere',0),(1,16777223,4,NULL,18,'beyond',4000),"                                                                    \
	"(1,16777218,0,NULL,18,'NCCL communicator ID',NULL),"                                                                                        \
	"(1,16777218,1,NULL,5,'No. of ranks',8),(1,16777218,2,NULL,5,'Rank',12);"
#define NCCL                                                                                                 \
	NSYS_STRINGS SCHEMAS                                                                                 \
		"CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT,"     \
		" domainId INT, binaryData TEXT);"                                                           \
		"INSERT INTO NVTX_EVENTS VALUES (1,2,59,'ncclCommInitRank'," NSYS_THREAD(7, 8) ",1,x'" HEAD( \
			"020000010000", "10",                                                                \
			"30") "cdab000000000000"                                                             \
			      "04000000"                                                                     \
			      "ffffffff"                                                                     \
			      "'),"                                                                          \
			      "(10,40,59,'ncclAllReduce'," NSYS_THREAD(7, 8) ",1,x'" HEAD(                   \
				      "070000010000", "18",                                                  \
				      "38") "cdab000000000000"                                               \
					    "0010000000000000"                                               \
					    "0200000000000000"                                               \
					    "'),(50,80,59,'ncclAllGather'," NSYS_THREAD(7, 8) ",1,x'" HEAD(  \
						    "070000010000", "18",                                    \
						    "38") "cdab000000000000"                                 \
							  "0001000000000000"                                 \
							  "0700000000000000"                                 \
							  "'),(90,95,59,'cut'," NSYS_THREAD(                 \
								  7, 8) ",1,x'0100');"

TEST(payloads_are_decoded_by_schema)
{
	struct profile *profile = database_open(NCCL);
	uint32_t reduce = span_named(profile, "ncclAllReduce");

	assert_string_equal(attribute_of(profile, reduce, "NCCL communicator ID"), "43981");
	assert_string_equal(attribute_of(profile, reduce, "Message size [bytes]"), "4096");
	assert_string_equal(attribute_of(profile, reduce, "Reduction operation"), "Max");
	assert_string_equal(attribute_of(profile, reduce, "elsewhere"), "(none)");
	assert_string_equal(attribute_of(profile, reduce, "beyond"), "(none)");
	assert_string_equal(
		attribute_of(profile, span_named(profile, "ncclAllGather"), "Reduction operation"),
		"7");
	assert_string_equal(attribute_of(profile, span_named(profile, "ncclCommInitRank"), "Rank"),
			    "-1");
	assert_int_equal(damage_count(profile, "truncated payload"), 1);
	profile_free(profile);
}

TEST(nccl_message_sizes_come_from_payloads)
{
	struct run *run = database_run(
		NCCL NSYS_CALLS NSYS_KERNELS
		"INSERT INTO StringIds VALUES (20,'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)'),"
		"(21,'ncclDevKernel_AllGather_RING_LL(x)');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20,25," NSYS_THREAD(
			7,
			8) ",1,2),"
			   "(60,65," NSYS_THREAD(
				   7,
				   8) ",2,2);"
				      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
				      " globalPid, demangledName) VALUES (100,200,0,7,1," NSYS_PROCESS(
					      7) ",20),"
						 "(300,400,0,7,2," NSYS_PROCESS(7) ",21);");
	const struct rank_summary *summary = run->ranks[0].summary;

	assert_int_equal(summary->collective_count, 2);
	assert_string_equal(intern_text(summary->strings, summary->collectives[0].name),
			    "AllReduce");
	assert_int_equal(summary->collectives[0].bytes, 4096);
	assert_int_equal(summary->collectives[0].group_size, 4);
	assert_int_equal(summary->collectives[1].bytes, 256 * 4); /* of all ranks together */
	run_free(run);
}
