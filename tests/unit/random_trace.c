#include "random_trace.h"

#include <stdbool.h>
#include <stdio.h>

enum { DEVICES_MAX = 2, STREAMS_MAX = 3, DEPTH_MAX = 5, HOST_THREADS = 2 };

/* Times are ns in the generator, us in the trace. */
struct maker {
	struct buffer out;
	uint64_t random;
	int events;
	int devices, streams, step;
	int communication; /* of 20 launches */
	bool whole_us, steps, modules, shapes, correlated;
	int64_t device_clock; /* of the devices, against that of the host */
	int64_t correlation, sequence, python_id;
	int64_t stream_end[DEVICES_MAX][STREAMS_MAX];
};

/* xorshift64* */
static uint64_t draw(struct maker *maker)
{
	maker->random ^= maker->random >> 12;
	maker->random ^= maker->random << 25;
	maker->random ^= maker->random >> 27;
	return (maker->random * 0x2545f4914f6cdd1dULL) >> 16;
}

/* From LOW to HIGH, inclusive. */
static int64_t between(struct maker *maker, int64_t low, int64_t high)
{
	return low + (int64_t)(draw(maker) % (uint64_t)(high - low + 1));
}

static bool chance(struct maker *maker, int percent)
{
	return (int)(draw(maker) % 100) < percent;
}

static const char *pick(struct maker *maker, const char *const *names, size_t count)
{
	return names[draw(maker) % count];
}
#define PICK(maker, names) pick(maker, names, sizeof(names) / sizeof *(names))

static void put_us(struct maker *maker, const char *key, int64_t ns)
{
	if (maker->whole_us)
		buffer_printf(&maker->out, ",\"%s\":%lld", key, (long long)(ns / 1000));
	else
		buffer_printf(&maker->out, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000),
			      (long long)(ns % 1000));
}

/* An event up to its arguments, which the caller closes with "}}". */
static void begin_event(struct maker *maker, const char *category, const char *name, int64_t pid,
			int64_t tid, int64_t start, int64_t dur)
{
	buffer_printf(&maker->out,
		      "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%lld",
		      maker->events++ ? ",\n" : "", category, name, (long long)pid, (long long)tid);
	put_us(maker, "ts", start);
	put_us(maker, "dur", dur);
	buffer_puts(&maker->out, ",\"args\":{");
}

static void end_event(struct maker *maker)
{
	buffer_puts(&maker->out, "}}");
}

/* ---- devices ---- */

static const char *const kernels[] = { "ampere_sgemm_128x64_tn", "void add_kernel<float>(float*)",
				       "triton_poi_fused_add_0", "softmax_warp_forward" };
static const char *const collectives[] = { "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
					   "ncclDevKernel_AllGather_RING_LL" };

static void device_work(struct maker *maker, int64_t called)
{
	int device = (int)between(maker, 0, maker->devices - 1);
	int stream = (int)between(maker, 0, maker->streams - 1), kind = (int)between(maker, 0, 19);
	int64_t *end = &maker->stream_end[device][stream];
	int64_t start = called + between(maker, -3000, 20000), dur = between(maker, 0, 60000);
	static const char *const category[] = { "gpu_memcpy", "gpu_memset", "cuda_sync" };
	const char *name = kind == 0                         ? "Memcpy HtoD (Pageable -> Device)"
			   : kind == 1                       ? "Memset (Device)"
			   : kind == 2                       ? "Stream Wait Event"
			   : kind < 3 + maker->communication ? PICK(maker, collectives)
							     : PICK(maker, kernels);
	if (start < *end && !chance(maker, 5)) /* rarely two at a time on a stream */
		start = *end;
	*end = start + dur;
	start += maker->device_clock;
	begin_event(maker, kind < 3 ? category[kind] : "kernel", name, device, stream + 7,
		    start < 0 ? 0 : start, dur);
	buffer_printf(&maker->out, "\"device\":%d,\"stream\":%d,\"correlation\":%lld", device,
		      stream + 7, (long long)maker->correlation);
	if (kind < 2)
		buffer_printf(&maker->out, ",\"bytes\":%lld", (long long)between(maker, 0, 4096));
	if (kind > 2 && chance(maker, 70))
		buffer_printf(&maker->out, ",\"grid\":[%lld,1,1],\"block\":[128,1,1]",
			      (long long)between(maker, 1, 300));
	end_event(maker);
}

/* ---- the host ---- */

static const char *const operators[] = { "aten::mm",    "aten::add",          "aten::to",
					 "aten::copy_", "record_param_comms", "MyFunction",
					 "aten::relu",  "AddmmBackward0" };
static const char *const annotations[] = { "nccl:all_reduce", "nccl:all_gather", "my range",
					   "Optimizer.step#SGD.step",
					   "enumerate(DataLoader)#_Single.__next__" };
static const char *const calls[] = { "cudaLaunchKernel", "cudaMemcpyAsync", "cudaLaunchKernel",
				     "cudaMalloc", "cudaStreamSynchronize" };

/* A call with its work; driver calls may lie inside. */
static void runtime_call(struct maker *maker, int64_t thread, int64_t start, int64_t end)
{
	bool lost = chance(maker, maker->correlated ? 3 : 40);
	maker->correlation++;
	if (!lost) {
		begin_event(maker, "cuda_runtime", PICK(maker, calls), 100, thread, start,
			    end - start);
		buffer_printf(&maker->out, "\"correlation\":%lld", (long long)maker->correlation);
		end_event(maker);
	}
	if (chance(maker, 10)) {
		begin_event(maker, "cuda_driver", "cuLaunchKernel", 100, thread,
			    start + (end - start) / 4, (end - start) / 2);
		buffer_printf(&maker->out, "\"correlation\":%lld", (long long)maker->correlation);
		end_event(maker);
	}
	if (chance(maker, 80))
		device_work(maker, start);
}

static void host_span(struct maker *maker, int64_t thread, int64_t start, int64_t end)
{
	int kind = (int)between(maker, 0, 9);
	if (kind < 2) {
		begin_event(maker, "user_annotation", PICK(maker, annotations), 100, thread, start,
			    end - start);
	} else if (kind == 2 && maker->modules) {
		begin_event(maker, "python_function",
			    chance(maker, 50) ? "nn.Module: Linear_0" : "nn.Module: ReLU_1", 100,
			    thread, start, end - start);
		buffer_printf(&maker->out, "\"Python module id\":%lld,\"Python id\":%lld",
			      (long long)between(maker, 0, 3), (long long)++maker->python_id);
	} else {
		begin_event(maker, "cpu_op", PICK(maker, operators), 100, thread, start,
			    end - start);
		buffer_printf(
			&maker->out,
			"\"External id\":%lld,\"Sequence number\":%lld,\"Fwd thread id\":%lld",
			(long long)between(maker, 1, 99), (long long)maker->sequence++ % 20,
			(long long)(thread - 1));
		if (maker->shapes)
			buffer_puts(&maker->out, ",\"Input Dims\":[[64,64],[64,64]],"
						 "\"Input type\":[\"float\",\"float\"]");
	}
	end_event(maker);
}

/* Spans one after another from START to END, which nest, touch, and sometimes overrun. */
static void host_spans(struct maker *maker, int64_t thread, int64_t start, int64_t end, int depth)
{
	int64_t at = start + between(maker, 0, 1500);
	while (at < end) {
		int64_t last = at + between(maker, 500, (end - start) / 2 + 1000);
		if (last > end && !chance(maker, 8)) /* an overrun */
			last = end;
		if (depth == DEPTH_MAX || last - at < 4000 || chance(maker, 25)) {
			runtime_call(maker, thread, at, last);
		} else {
			host_span(maker, thread, at, last);
			host_spans(maker, thread, at, last, depth + 1);
		}
		at = chance(maker, 8) ? at + (last - at) / 2 : last + between(maker, 0, 2000);
	}
}

static int64_t step(struct maker *maker, int64_t start)
{
	int64_t dur = between(maker, 50000, 300000);
	char name[64];
	snprintf(name, sizeof name, "ProfilerStep#%d", maker->step++);
	if (maker->steps) {
		begin_event(maker, "user_annotation", name, 100, 1, start, dur);
		end_event(maker);
	}
	for (int64_t thread = 1; thread <= HOST_THREADS; thread++)
		host_spans(maker, thread, start + between(maker, 0, 5000), start + dur, 0);
	return start + dur + between(maker, 0, 30000); /* launches between steps, too */
}

struct buffer random_trace(uint64_t seed)
{
	struct maker maker = { .random = seed * 0x9e3779b97f4a7c15ULL + 1 };
	for (int i = 0; i < 8; i++)
		draw(&maker);
	maker.devices = (int)between(&maker, 1, DEVICES_MAX);
	maker.streams = (int)between(&maker, 1, STREAMS_MAX);
	maker.communication = (int)between(&maker, 0, 14);
	maker.whole_us = chance(&maker, 40);
	maker.steps = chance(&maker, 80);
	maker.modules = chance(&maker, 50);
	maker.shapes = chance(&maker, 50);
	maker.correlated = chance(&maker, 70);
	maker.device_clock = chance(&maker, 30) ? between(&maker, -200000, 200000) : 0;
	maker.step = (int)between(&maker, 0, 1000);
	buffer_puts(&maker.out, "{\"schemaVersion\":1,\"traceEvents\":[\n");
	int64_t at = 1000000;
	for (int64_t i = between(&maker, 1, 5); i > 0; i--)
		at = step(&maker, at);
	buffer_puts(&maker.out, "\n]}\n");
	return maker.out;
}
