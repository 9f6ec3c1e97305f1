/* Operations of two ranks, matched and measured by hand. */
#include "trace_case.h"

#include "analysis/rank_matches.h"
#include "analysis/rank_summary.h"

#include <stdio.h>
#include <unistd.h>

/* A collective of 4-byte elements on a stream, as NCCL's kernels are recorded. */
#define COLLECTIVE(name, in, out, ts, dur, correlation)                                            \
	EVENT("kernel", "ncclDevKernel_" name, "0", "20", ts, dur,                                 \
	      "{\"device\":0,\"stream\":20,\"correlation\":" correlation                           \
	      ",\"Collective name\":\"" name "\",\"In msg nelems\":" in ",\"Out msg nelems\":" out \
	      ",\"Group size\":2,\"dtype\":\"Float\",\"Process Group Name\":\"0\"}")
#define STEP EVENT("user_annotation", "ProfilerStep#1", "1", "1", "0", "2000", "{}")

static struct run *run_of_more_ranks(const char *const *events, size_t count)
{
	char path[3][32];
	const char *paths[3] = { path[0], path[1], path[2] };
	struct error error = { 0 };
	for (int rank = 0; rank < (int)count; rank++) {
		snprintf(path[rank], sizeof path[rank], "collectives-%d-%d.json", (int)getpid(),
			 rank);
		FILE *file = fopen(path[rank], "w");
		assert_non_null(file);
		fprintf(file,
			"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":%d},"
			"\"traceEvents\":[" STEP ",%s]}",
			rank, (int)count, events[rank]);
		assert_int_equal(fclose(file), 0);
	}
	struct run *run = run_open(paths, count, NULL, NULL, &error);
	for (size_t rank = 0; rank < count; rank++)
		unlink(path[rank]);
	if (!run)
		fail_msg("%s", error.message);
	return run;
}

static struct run *run_of_ranks(const char *const events[2])
{
	return run_of_more_ranks(events, 2);
}

/* The shorter of two is the transfer; NCCL's bus factors for two ranks are 1, 1/2, 1/2 and 1. */
TEST(bandwidths_by_hand)
{
	static const char *const events[2] = {
		COLLECTIVE("allreduce", "1000", "1000", "100", "100", "1") "," COLLECTIVE(
			"reduce_scatter", "2000", "1000", "300", "50",
			"2") "," COLLECTIVE("all_gather", "1000", "2000", "400", "40",
					    "3") "," COLLECTIVE("broadcast", "500", "500", "500",
								"20", "4"),
		COLLECTIVE("allreduce", "1000", "1000", "150", "50", "1") "," COLLECTIVE(
			"reduce_scatter", "2000", "1000", "300", "50",
			"2") "," COLLECTIVE("all_gather", "1000", "2000", "420", "20",
					    "3") "," COLLECTIVE("broadcast", "500", "500", "500",
								"20", "4"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(
		run, "collectives", NULL, NULL,
		"rank,name,calls,total_bytes,total_ns,transfer_ns,sync_ns,algbw_gbps,busbw_gbps,group_size",
		"0,allreduce,1,4000,100000,50000,50000,0.08,0.08,2\n"
		"0,reduce_scatter,1,8000,50000,50000,0,0.16,0.08,2\n"
		"0,all_gather,1,8000,40000,20000,20000,0.4,0.2,2\n"
		"0,broadcast,1,2000,20000,20000,0,0.1,0.1,2\n"
		"1,allreduce,1,4000,50000,50000,0,0.08,0.08,2\n"
		"1,reduce_scatter,1,8000,50000,50000,0,0.16,0.08,2\n"
		"1,all_gather,1,8000,20000,20000,0,0.4,0.2,2\n"
		"1,broadcast,1,2000,20000,20000,0,0.1,0.1,2\n");
	run_free(run);
}

/* An operation of which PyTorch recorded shapes only, with the c10d operator around it if C10D. */
#define ANNOTATED(c10d, name, arguments, ts, correlation)                                            \
	c10d EVENT("user_annotation", "nccl:" name, "1", "1", ts, "6", "{" arguments "}") "," EVENT( \
		"cuda_runtime", "cudaLaunchKernel", "1", "1", ts ".5", "1",                          \
		"{\"correlation\":" correlation                                                      \
		"}") "," EVENT("kernel", "ncclKernel_Any", "0", "20", ts, "6",                       \
			       "{\"device\":0,\"stream\":20,\"correlation\":" correlation "}")
#define C10D(name, arguments, ts)                                                                  \
	EVENT("cpu_op", "c10d::" name, "1", "1", ts, "6", "{" arguments "}") ","
#define TENSORS(shapes, types) "\"Input Dims\":[" shapes "],\"Input type\":[" types "]"
#define FLOAT "\"float\""

/* A gather's input is one rank's part, a scatter's the whole; a coalesced one has many tensors. */
TEST(messages_by_shapes)
{
	static const char *const events[2] = {
		ANNOTATED("", "all_gather", TENSORS("[100]", FLOAT), "10", "1") "," ANNOTATED(
			"", "reduce_scatter", TENSORS("[200]", FLOAT), "20",
			"2") "," ANNOTATED("", "all_reduce_coalesced",
					   TENSORS("[8,4],[],[3]", FLOAT ",\"\",\"double\""), "30",
					   "3") "," ANNOTATED(C10D("_allgather_base_",
								   TENSORS("[600],[100]",
									   FLOAT "," FLOAT),
								   "40"),
							      "_all_gather_base",
							      TENSORS("[100]", FLOAT), "40", "4"),
		ANNOTATED("", "all_reduce", TENSORS("[100]", FLOAT), "10", "1"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,name,total_bytes,group_size",
		    "0,nccl:all_gather,800,2\n"
		    "0,nccl:reduce_scatter,800,2\n"
		    "0,nccl:all_reduce_coalesced,152,2\n"
		    "0,nccl:_all_gather_base,2400,6\n"
		    "1,nccl:all_reduce,400,2\n");
	run_free(run);
}

/* A message as PyTorch records it: the kernel names the operation, the call its ends and number. */
#define BETWEEN(call, name, number, call_ts, ts, dur, correlation)                                 \
	EVENT("cpu_op", "record_param_comms", "1", "1", call_ts, "6",                              \
	      "{\"Collective name\":\"" name "\",\"Seq\":" number "}")                             \
	"," EVENT("user_annotation", "nccl:" call, "1", "1", call_ts, "5",                         \
		  "{}") "," EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", call_ts, "2",      \
				  "{\"correlation\":" correlation                                  \
				  "}") "," COLLECTIVE(name, "100", "100", ts, dur, correlation)

/* Each rank numbers its messages: sends and receives are matched by their ends and their order. */
TEST(messages_between_two_ranks)
{
	static const char *const events[3] = {
		BETWEEN("send 0->1", "send", "8", "10", "190", "10", "1") "," BETWEEN(
			"send 0->1", "send", "9", "20", "390", "10",
			"2") "," BETWEEN("recv 0<-1", "recv", "10", "30", "500", "160", "3"),
		BETWEEN("recv 1<-0", "recv", "8", "10", "100", "100", "1") "," BETWEEN(
			"send 1->2", "send", "9", "20", "300", "20",
			"2") "," BETWEEN("recv 1<-0", "recv", "10", "30", "330", "70",
					 "3") "," BETWEEN("recv 1<-2", "recv", "11", "40", "410",
							  "200", "4") "," BETWEEN("send 1->0",
										  "send", "12",
										  "50", "650", "10",
										  "5"),
		BETWEEN("recv 2<-1", "recv", "8", "10", "200", "120",
			"1") "," BETWEEN("send 2->1", "send", "9", "20", "600", "10", "2"),
	};
	struct run *run = run_of_more_ranks(events, 3);

	assert_rows(run, "collectives", NULL, NULL, "rank,name,calls,total_ns,transfer_ns,sync_ns",
		    "0,send,2,20000,20000,0\n0,recv,1,160000,10000,150000\n"
		    "1,recv,3,370000,30000,340000\n1,send,2,30000,30000,0\n"
		    "2,recv,1,120000,20000,100000\n2,send,1,10000,10000,0\n");
	run_free(run);
}

/* Two operations are needed for a straggler, which is the last in both. */
TEST(stragglers_of_few_operations)
{
#define REDUCED(ts, dur, correlation) COLLECTIVE("allreduce", "9", "9", ts, dur, correlation)
	static const struct {
		const char *events[2], *ranks;
	} cases[] = {
		{ { REDUCED("100", "100", "1"), REDUCED("150", "50", "1") }, "0,0\n1,0\n" },
		{ { REDUCED("100", "100", "1") "," REDUCED("300", "100", "2"),
		    REDUCED("150", "50", "1") "," REDUCED("350", "50", "2") },
		  "0,0\n1,1\n" },
		{ { REDUCED("100", "100", "1") "," REDUCED("350", "50", "2"),
		    REDUCED("190", "10", "1") "," REDUCED("330", "70", "2") },
		  "0,0\n1,0\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_of_ranks(cases[i].events);
		assert_rows(run, "ranks", NULL, NULL, "rank,straggler", cases[i].ranks);
		run_free(run);
	}
#undef REDUCED
}

/* Operations that only one rank has are not measured, and the note counts them. */
TEST(operations_without_a_partner_are_counted)
{
	static const char *const events[2] = {
		COLLECTIVE("allreduce", "1000", "1000", "100", "100", "1") "," COLLECTIVE(
			"broadcast", "500", "500", "500", "20",
			"2") "," COLLECTIVE("reduce", "7", "7", "600", "20", "3"),
		COLLECTIVE("allreduce", "1000", "1000", "150", "50", "1"),
	};
	struct run *run = run_of_ranks(events);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_rows(run, "collectives", NULL, NULL, "rank,name,calls,total_ns,transfer_ns,sync_ns",
		    "0,allreduce,1,100000,50000,50000\n0,broadcast,1,20000,,\n0,reduce,1,20000,,\n"
		    "1,allreduce,1,50000,50000,0\n");
	assert_non_null(ranks->note);
	if (!strstr(ranks->note, "2 operations have no match on another rank") ||
	    !strstr(ranks->note, "Clocks are aligned to 0 ns."))
		fail_msg("%s", ranks->note);
	table_free(ranks);
	run_free(run);
}

/* Several operations of one name are matched in their order on each rank. */
TEST(operations_are_matched_in_order)
{
	static const char *const events[2] = {
		COLLECTIVE("allreduce", "1000", "1000", "100", "100", "1") "," COLLECTIVE(
			"allreduce", "1000", "1000", "300", "30",
			"2") "," COLLECTIVE("allreduce", "1000", "1000", "500", "70", "3"),
		COLLECTIVE("allreduce", "1000", "1000", "140", "60", "1") "," COLLECTIVE(
			"allreduce", "1000", "1000", "290", "40",
			"2") "," COLLECTIVE("allreduce", "1000", "1000", "520", "50", "3"),
	};
	struct run *run = run_of_ranks(events);

	/* transfers of 60, 30 and 50 us */
	assert_rows(run, "collectives", NULL, NULL, "rank,calls,total_ns,transfer_ns,sync_ns",
		    "0,3,200000,140000,60000\n1,3,150000,140000,10000\n");
	assert_rows(run, "collectives", NULL, "names",
		    "ranks,calls,total_ns,transfer_ns,sync_ns,waiting_rank,awaited_rank",
		    "2,6,350000,280000,70000,0,1\n");
	run_free(run);
}

/* From rank to rank by their numbers, however many operations came before on each. */
TEST(an_operation_leads_to_the_next_rank)
{
	static const char *const events[3] = {
		COLLECTIVE("allreduce", "1000", "1000", "100", "10", "1"),
		COLLECTIVE("reduce", "10", "10", "20", "10", "1") "," COLLECTIVE(
			"broadcast", "10", "10", "40", "10",
			"2") "," COLLECTIVE("allreduce", "1000", "1000", "100", "10", "3"),
		COLLECTIVE("gather", "10", "10", "40", "10",
			   "1") "," COLLECTIVE("allreduce", "1000", "1000", "100", "10", "2"),
	};
	static const size_t at[3] = { 0, 2, 1 };
	struct run *run = run_of_more_ranks(events, 3);

	assert_int_equal(run->ranks[1].summary->collective_count, 3);
	for (size_t rank = 0; rank < 3; rank++) {
		struct rank_operation next = run->matches->next[rank][at[rank]];
		assert_int_equal(next.rank, (rank + 1) % 3);
		assert_int_equal(next.index, at[next.rank]);
	}
	run_free(run);
}

/* A rank that recorded fewer has the first ones: transfers of 60 and 30 us. */
TEST(the_first_operations_are_matched)
{
	static const char *const events[2] = {
		COLLECTIVE("allreduce", "1000", "1000", "100", "100", "1") "," COLLECTIVE(
			"allreduce", "1000", "1000", "300", "30",
			"2") "," COLLECTIVE("allreduce", "1000", "1000", "500", "70", "3"),
		COLLECTIVE("allreduce", "1000", "1000", "140", "60",
			   "1") "," COLLECTIVE("allreduce", "1000", "1000", "290", "40", "2"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,calls,total_ns,transfer_ns",
		    "0,3,200000,90000\n1,2,100000,90000\n");
	run_free(run);
}

/* Kernels of one call on two streams, the second earlier, are one operation of 160 us. */
TEST(kernels_of_one_call_are_one_operation)
{
#define CALL OPERATOR("nccl:all_reduce", "45", "20") "," LAUNCH("50", "1")
#define ON_STREAM(stream, ts, dur)                                                                 \
	EVENT("kernel", "ncclDevKernel_AllReduce", "0", stream, ts, dur,                           \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":1}")
	static const char *const events[2] = {
		CALL "," ON_STREAM("20", "120", "80") "," ON_STREAM("21", "100", "60"),
		CALL "," ON_STREAM("20", "100", "60") "," ON_STREAM("21", "120", "140"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,calls,total_ns",
		    "0,1,100000\n1,1,160000\n");
	run_free(run);
}

/* The same with the kernel of another call between them, by stream. */
TEST(kernels_of_one_call_are_found_among_others)
{
	static const char *const events[2] = {
		CALL
		"," OPERATOR("nccl:all_reduce", "70", "10") "," LAUNCH("72", "2") "," ON_STREAM(
			"20", "120",
			"80") "," EVENT("kernel", "ncclDevKernel_AllReduce", "0", "20", "300", "40",
					"{\"device\":0,\"stream\":20,"
					"\"correlation\":2}") "," ON_STREAM("21", "100", "60"),
		CALL "," ON_STREAM("20", "100", "60"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,calls,total_ns",
		    "0,2,140000\n1,1,60000\n");
	run_free(run);
}

TEST(kernels_without_a_call_name_their_operation)
{
#define NAMED(name, ts) EVENT("kernel", name, "0", "20", ts, "5", "{\"device\":0,\"stream\":20}")
	static const char *const events[2] = {
		NAMED("ncclAllReduceTreeLLKernel_sum_i32(ncclColl)", "10") "," NAMED(
			"ncclBroadcastRingLL128Kernel_copy_i8(ncclColl)",
			"20") "," NAMED("ncclReduceScatterRingLLKernel_sum_f16(ncclColl)", "30"),
		NAMED("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)",
		      "10") "," NAMED("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
				      "20") "," NAMED("ncclSendRecvKernel_copy_i8(ncclColl)", "30"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(
		run, "collectives", NULL, NULL, "rank,name,calls",
		"0,AllReduce,1\n0,Broadcast,1\n0,ReduceScatter,1\n1,AllGather,1\n1,SendRecv,2\n");
	run_free(run);
}

/* Without a record of NCCL, the tensors of the call are the message. */
TEST(messages_have_the_size_of_their_tensors)
{
#define SHAPED(shapes, type)                                                                       \
	EVENT("cpu_op", "nccl:all_reduce", "1", "1", "45", "20",                                   \
	      "{\"Input Dims\":" shapes ",\"Input type\":[\"" type "\",\"" type "\"]}")            \
	"," LAUNCH("50", "1") "," ON_STREAM("20", "100", "60")
	static const char *const events[2] = { SHAPED("[[3,5],[7]]", "float"),
					       SHAPED("[[]]", "float") };
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,calls,total_bytes", "0,1,88\n1,1,\n");
	run_free(run);
}

/* NCCL records the size of a communicator once, when it is created. */
TEST(groups_have_the_size_of_their_communicator)
{
#define CREATED(id, members)                                                                       \
	EVENT("user_annotation", "ncclCommInitRank", "1", "1", "5", "9",                           \
	      "{\"NCCL communicator ID\":\"" id "\",\"No. of ranks\":\"" members "\"}")
#define ON_COMMUNICATOR(id)                                                                        \
	EVENT("cpu_op", "nccl:all_reduce", "1", "1", "45", "20",                                   \
	      "{\"NCCL communicator ID\":\"" id "\",\"Message size [bytes]\":\"512\"}")            \
	"," LAUNCH("50", "1") "," ON_STREAM("20", "100", "60")
	static const char *const events[2] = {
		CREATED("77", "8") "," CREATED("78", "4") "," ON_COMMUNICATOR("77"),
		CREATED("77", "8") "," CREATED("78", "4") "," ON_COMMUNICATOR("78"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "collectives", NULL, NULL, "rank,total_bytes,group_size",
		    "0,512,8\n1,512,4\n");
	run_free(run);
}

/* Without a device, annotations and operators communicate; Python functions do not. */
TEST(communication_of_the_host)
{
#define ON_HOST(category, name, ts, dur) EVENT(category, name, "1", "2", ts, dur, "{}")
	static const char *const events[2] = {
		ON_HOST("user_annotation", "gloo:all_reduce", "100",
			"70") "," OPERATOR("aten::mm", "300", "40"),
		ON_HOST("python_function", "gloo:all_reduce", "100",
			"70") "," OPERATOR("aten::mm", "300", "60"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "ranks", NULL, NULL, "rank,computation_ns,communication_ns",
		    "0,40000,70000\n1,60000,0\n");
	run_free(run);
}

/* Times of recordings count from the earliest. */
TEST(recordings_start_after_the_first)
{
	static const char *const names[] = { "recordings-0.json", "recordings-1.json" };
	static const char *const starts[] = { "700", "200" };
	struct error error = { 0 };

	for (int rank = 0; rank < 2; rank++) {
		FILE *file = fopen(names[rank], "w");
		assert_non_null(file);
		fprintf(file,
			"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},"
			"\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,"
			"\"tid\":1,\"ts\":%s,\"dur\":30,\"args\":{}}]}",
			rank, starts[rank]);
		assert_int_equal(fclose(file), 0);
	}
	struct run *run = run_open(names, 2, NULL, NULL, &error);
	unlink(names[0]);
	unlink(names[1]);
	assert_non_null(run);
	assert_rows(run, "recordings", NULL, NULL, "rank,start_ns,dur_ns",
		    "0,500000,30000\n1,0,30000\n");
	run_free(run);
}

/* Of equal times, the first rank has the most. */
TEST(outliers_are_the_ranks_with_the_longest_times)
{
	static const char *const events[3] = {
		KERNEL("a", "100", "30", "1") "," KERNEL("b", "200", "10",
							 "2") "," KERNEL("c", "300", "10", "3"),
		KERNEL("a", "100", "20", "1") "," KERNEL("b", "200", "50",
							 "2") "," KERNEL("c", "300", "40", "3"),
		KERNEL("a", "100", "10", "1") "," KERNEL("b", "200", "10",
							 "2") "," KERNEL("c", "300", "40", "3"),
	};
	struct run *run = run_of_more_ranks(events, 3);

	assert_rows(run, "rank-outliers", NULL, "kernels", "name,ranks,rank,total_ns",
		    "c,3,1,40000\nb,3,1,50000\na,3,0,30000\n");
	run_free(run);
}

/* The mean step of each recording. */
TEST(recordings_by_hand)
{
	static const char *const events[2] = {
		KERNEL("gemm", "100", "300", "1") "," COLLECTIVE("allreduce", "1000", "1000", "500",
								 "100", "2"),
		KERNEL("gemm", "100", "340", "1") "," COLLECTIVE("allreduce", "1000", "1000", "540",
								 "60", "2"),
	};
	struct run *run = run_of_ranks(events);

	assert_rows(run, "recordings", NULL, NULL,
		    "rank,shown,device,steps,step_ns,computation_ns,communication_ns,idle_ns",
		    "0,1,GPU0,1,2000000,300000,100000,1600000\n"
		    "1,1,GPU0,1,2000000,340000,60000,1600000\n");
	run_free(run);
}
