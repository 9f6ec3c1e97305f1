/* Other Chrome traces (TensorFlow 1, PaddlePaddle, MXNet, Intel): what runs on which device. */
#include "text_profile_case.h"

#include "model/device_label.h"

#define PROCESS(pid, name)                                                                         \
	"{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" pid ",\"args\":{\"name\":\"" name "\"}}"
#define OP(pid, name, ts, dur, node)                                                               \
	EVENT("Op", name, pid, "0", ts, dur, "{\"name\":\"" node "\",\"op\":\"" name "\"}")

static int32_t device_of(const struct profile *profile, const char *name)
{
	return profile->tracks[profile->activity_track[activity_named(profile, name)]].device;
}

/* ---- TensorFlow 1 ---- */

#define TENSORFLOW                                                                                 \
	PROCESS("0", "Allocators")                                                                 \
	"," PROCESS("1", "/job:localhost/replica:0/task:0/device:GPU:1 Compute") "," PROCESS(      \
		"3", "/device:GPU:1/stream:all Compute") "," PROCESS("5", "/device:GPU:1/memcpy "  \
									  "Compute")

static const char streams[] =
	"{\"traceEvents\":[" TENSORFLOW
	"," PROCESS("7", "/device:GPU:1/stream:14 Compute") "," OP("1", "MatMul", "10", "5", "dense/MatMul") "," OP(
		"3", "MatMul", "20", "30",
		"dense/MatMul") "," OP("7", "MatMul", "20", "30",
				       "dense/MatMul") "," OP("5", "MEMCPYHtoD", "2", "3",
							      "edge_3") "," OP("7", "MEMCPYHtoD",
									       "2", "3",
									       "edge_3") "]}";

static const char all_only[] =
	"{\"traceEvents\":[" TENSORFLOW
	"," OP("3", "Relu", "20", "30", "relu") "," OP("5", "MEMCPYDtoH", "60", "3", "edge_4") "]}";

/* stream:all and memcpy list what the numbered streams have. */
TEST(streams_of_tensorflow_run_once)
{
	struct run *run = trace_run(streams);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns", "MatMul,1,30000\n");
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns",
		    "MEMCPYHtoD,memcpy,3000\nMatMul,kernel,30000\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns", "MatMul,1,5000\n");
	assert_int_equal(device_of(profile, "MatMul"), device_of_kind(DEVICE_GPU, 1));
	assert_int_equal(damage_count(profile, NULL), 0);
	run_free(run);
}

TEST(tensorflow_without_numbered_streams)
{
	struct run *run = trace_run(all_only);
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns",
		    "Relu,kernel,30000\nMEMCPYDtoH,memcpy,3000\n");
	run_free(run);
}

/* Only the category "Op" asks the process; a name alone says nothing. */
TEST(other_events_of_such_a_process_are_no_work)
{
	struct run *run = trace_run(DOCUMENT(PROCESS("7", "node:gpu:0") "," EVENT(
		"mine", "x", "7", "0", "1", "2",
		"{}") ",{\"ph\":\"X\",\"name\":\"y\",\"pid\":7,\"tid\":0,\"ts\":4,\"dur\":1}"));
	assert_int_equal(run->ranks[0].profile->activities, 0);
	assert_int_equal(run->ranks[0].profile->spans, 2);
	run_free(run);
}

/* ---- PaddlePaddle ---- */

#define CALL(name, ts, dur, id)                                                                    \
	"{\"name\":\"" name "\",\"pid\":9,\"tid\":\"9(C++)\",\"ts\":" ts ",\"dur\":" dur           \
	",\"ph\":\"X\",\"cat\":\"CudaRuntime\",\"args\":{\"correlation id\":" id "}}"
#define WORK(cat, name, ts, dur, args)                                                             \
	"{\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":" dur                    \
	",\"ph\":\"X\",\"cat\":\"" cat "\",\"args\":{\"stream\":7," args "}}"

static const char paddle[] =
	"{\"schemaVersion\":\"1.0.2\",\"displayTimeUnit\":\"ms\",\"span_indx\":\"0\","
	"\"deviceProperties\":[{\"id\":0,\"name\":\"A100\",\"computeMajor\":8,\"computeMinor\":0,"
	"\"smCount\":108}],\"traceEvents\":["
	"{\"name\":\"ProfileStep#1[2.001 ms]\",\"pid\":9,\"tid\":\"9(Python)\",\"ts\":100,"
	"\"dur\":2001.049,\"ph\":\"X\",\"cat\":\"ProfileStep\",\"args\":{}},"
	"{\"name\":\"conv2d dygraph[250.500 us]\",\"pid\":9,\"tid\":\"9(C++)\",\"ts\":110,"
	"\"dur\":250.500,\"ph\":\"X\",\"cat\":\"Operator\",\"args\":{}}," CALL(
		"cudaLaunchKernel[12.345 us]", "120", "12.345",
		"5") "," WORK("Kernel", "scale<4>(int)[0.030 ms]", "200", "30.001",
			      "\"device\":0,\"correlation id\":5,\"grid\":[4,2,1],"
			      "\"block\":[128,1,1],"
			      "\"theoretical achieved occupancy %\":50.0") "," WORK("Memcpy",
										    "MEMCPY_HtoD[3.000 us]",
										    "300", "3.0",
										    "\"correlation id\":6,\"bytes\":4096") "," WORK("Kernel",
																    "keep[8]",
																    "310",
																    "3.0",
																    "\"device\":0,\"correlation id\":7") ",{}]}";

TEST(names_of_paddle_end_before_their_duration)
{
	struct run *run = trace_run(paddle);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "kernels", NULL, "properties", "name,calls,total_ns,grid,occupancy_pct",
		    "scale<4>(int),1,30001,4,2,1,50\nkeep[8],1,3000,,\n");
	assert_rows(run, "launches", NULL, NULL, "name,kind,bytes,launch_delay_ns",
		    "scale<4>(int),kernel,,80000\nMEMCPY_HtoD,memcpy,4096,\nkeep[8],kernel,,\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_total_ns",
		    "conv2d dygraph,1,30001\n");
	assert_rows(run, "steps", NULL, NULL, "name,dur_ns", "ProfileStep#1,2001049\n");
	assert_int_equal(profile_device(profile, 0)->sm_count, 108);
	assert_int_equal(damage_count(profile, NULL), 0);
	run_free(run);
	assert_survives(BYTES(paddle));
}

/* ---- Intel ---- */

#define GPU_OP(pid, name, ts, dur, id)                                                             \
	"{\"ph\":\"X\",\"tid\":4294967290,\"pid\":" pid ",\"name\":\"" name                        \
	"\",\"cat\":\"gpu_op\",\"ts\":" ts ",\"dur\":" dur ",\"args\":{\"id\":\"" id "\"}},\n"
#define CPU_OP(name, ts, dur)                                                                      \
	"{\"ph\":\"X\",\"tid\":5,\"pid\":5,\"name\":\"" name "\",\"cat\":\"cpu_op\",\"ts\":" ts    \
	",\"dur\":" dur ",\"id\":0},\n"
#define ARROW(id, phase, pid, tid, ts)                                                             \
	"{\"ph\":\"" phase "\",\"tid\":" tid ",\"pid\":" pid ",\"cat\":\"Flow_H2D_" id             \
	"_0\",\"ts\":" ts ",\"id\":" id "},\n"
#define GPU "4294967295"
#define OTHER_GPU "4294967294"

static const char intel[] = "{ \"traceEvents\":[\n" CPU_OP(
	"zeCommandListAppendLaunchKernel", "100", "9") CPU_OP("aten::mm", "90",
							      "30") ARROW("7", "s", "5", "5", "100")
	ARROW("8", "s", "5", "5", "100") ARROW("7", "t", GPU, "4294967290", "200") GPU_OP(
		GPU, "gemm[2]<8>[SIMD16 {4; 2; 1} {64; 1; 1}]", "200", "40",
		"7") GPU_OP(OTHER_GPU, "zeCommandListAppendMemoryCopy(M2D)[256]", "250", "4",
			    "8") GPU_OP(OTHER_GPU, "zeCommandListAppendBarrier", "260", "1", "9")
		PROCESS("5", "HOST<box>") ",\n" PROCESS(GPU, "DEVICE<box>0:29:0:0 #0") ",\n" PROCESS(
			OTHER_GPU, "RANK 0 DEVICE<box>0:3a:0:0 #1.0") "\n]\n}\n";

TEST(commands_of_intel_devices)
{
	struct run *run = trace_run(intel);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "launches", NULL, NULL,
		    "name,kind,dur_ns,bytes,grid,block,launch_delay_ns",
		    "gemm[2]<8>,kernel,40000,,4,2,1,64,1,1,100000\n"
		    "zeCommandListAppendMemoryCopy(M2D),memcpy,4000,256,,,150000\n"
		    "zeCommandListAppendBarrier,sync,1000,,,,\n");
	assert_int_equal(device_of(profile, "gemm[2]<8>"), 0);
	assert_int_equal(device_of(profile, "zeCommandListAppendBarrier"), 1);
	assert_rows(run, "operators", NULL, NULL, "name,cpu_self_ns,gpu_total_ns",
		    "aten::mm,21000,44000\n");
	assert_int_equal(profile->span_kind[span_named(profile, "zeCommandListAppendLaunchKernel")],
			 SPAN_RUNTIME);
	run_free(run);
	assert_survives(BYTES(intel));
}

/* ---- MXNet ---- */

#define HALF(phase, cat, name, pid, tid, ts)                                                       \
	",{\"name\":\"" name "\",\"cat\":\"" cat "\",\"ph\":\"" phase "\",\"ts\":" ts              \
	",\"id\":5,\"pid\":" pid ",\"tid\":" tid "}"
#define BOTH(cat, name, pid, tid, ts, end)                                                         \
	HALF("B", cat, name, pid, tid, ts) HALF("E", cat, name, pid, tid, end)
#define HASH "14005078972234936124"
#define CONVOLUTION                                                                                \
	BOTH("operator", "Convolution", "4", HASH, "100", "140")                                   \
	HALF("b", "operator", "Convolution", HASH, "7", "100")                                     \
	HALF("e", "operator", "Convolution", HASH, "7", "140")

static const char mxnet[] =
	"{\"traceEvents\":[" PROCESS("0", "cpu/0") "," PROCESS("4", "gpu/1") "," PROCESS(
		HASH, "operator") CONVOLUTION BOTH("operator", "Reshape", "0", "7", "90", "95")
		BOTH("category", "Pooling", "4", "8", "150", "155") "]}";

/* Each operator is listed a second time, in a process of that name. */
TEST(operators_of_mxnet_run_on_their_device_once)
{
	struct run *run = trace_run(mxnet);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns",
		    "Convolution,kernel,40000\nPooling,kernel,5000\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns", "Reshape,1,5000\n");
	assert_int_equal(device_of(profile, "Convolution"), 1);
	assert_int_equal(damage_count(profile, NULL), 0);
	run_free(run);
	assert_survives(BYTES(mxnet));
}

static const char unended[] =
	"{\"traceEvents\":[" PROCESS("4", "gpu/0") HALF("B", "operator", "Pooling", "4", "8", "150")
		HALF("E", "operator", "Pooling", "4", "9", "155") "]}";

TEST(work_without_an_end_is_damage)
{
	struct run *run = trace_run(unended);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns", "Pooling,kernel,\n");
	assert_int_equal(damage_count(profile, "begin without end"), 1);
	assert_int_equal(damage_count(profile, "end without begin"), 1);
	run_free(run);
}

/* ---- events without a member ---- */

TEST(empty_events_are_no_damage)
{
	struct run *run = trace_run("{\"traceEvents\":[{}," OPERATOR("f", "1", "2") ",{},{ } ]}");
	const struct profile *profile = run->ranks[0].profile;
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_int_equal(damage_count(profile, NULL), 0);
	assert_int_equal(profile->events, 1);
	assert_cell(info, row_with(info, "metric", "empty events"), "value", "3");
	table_free(info);
	run_free(run);
	run = trace_run("{\"traceEvents\":[" OPERATOR("f", "1", "2") ",{\"name\":\"x\"}]}");
	assert_int_equal(damage_count(run->ranks[0].profile, "event without a phase"), 1);
	run_free(run);
}
