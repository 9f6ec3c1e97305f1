/*
 * Random traces in which device work starts when its stream is free and the host waits until work
 * has ended, as on a machine: what a replay predicts, unlike that of random times.
 */
#include "rows.h"

#include <stdbool.h>

enum { STREAMS = 3, LATENCY = 4000 }; /* ns from a call to its work */

struct queued {
	struct buffer out;
	uint64_t random;
	long long host, stream[STREAMS]; /* times, ns */
	int correlation, streams, graphs, messages;
};

/* From LOW to HIGH, inclusive. */
static long long draw(struct queued *queued, long long low, long long high)
{
	queued->random = queued->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return low + (long long)((queued->random >> 33) % (uint64_t)(high - low + 1));
}

static bool chance(struct queued *queued, int percent)
{
	return draw(queued, 0, 99) < percent;
}

static void event(struct queued *queued, const char *category, const char *name, int pid, int tid,
		  long long start, long long end)
{
	buffer_printf(&queued->out,
		      ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
		      "\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"args\":{",
		      category, name, pid, tid, start / 1000, start % 1000, (end - start) / 1000,
		      (end - start) % 1000);
}

static long long latest(const struct queued *queued)
{
	long long end = 0;
	for (int i = 0; i < STREAMS; i++)
		end = queued->stream[i] > end ? queued->stream[i] : end;
	return end;
}

/* A call that returns at END, after what it waits for. */
static void call(struct queued *queued, const char *name, long long end)
{
	long long start = queued->host;
	queued->host += draw(queued, 1500, 6000);
	queued->host = end > queued->host ? end : queued->host;
	event(queued, "cuda_runtime", name, 100, 1, start, queued->host);
	buffer_printf(&queued->out, "\"correlation\":%d}}", ++queued->correlation);
}

/* Work of the last call on a stream, of MOST ns at most; the caller closes its arguments. */
static void work(struct queued *queued, const char *category, const char *name, int stream,
		 long long most)
{
	long long start = queued->host + draw(queued, 1000, LATENCY);
	start = queued->stream[stream] > start ? queued->stream[stream] + draw(queued, 300, 900)
					       : start;
	queued->stream[stream] = start + draw(queued, most / 20, most);
	event(queued, category, name, 0, 7 + stream, start, queued->stream[stream]);
	buffer_printf(&queued->out, "\"device\":0,\"stream\":%d,\"correlation\":%d", 7 + stream,
		      queued->correlation);
}

static void launch(struct queued *queued)
{
	static const char *const kernels[] = { "ampere_sgemm_128x64_tn", "softmax_warp_forward",
					       "void add_kernel<float>(float*)" };
	int stream = (int)draw(queued, 0, queued->streams - 1);
	call(queued, "cudaLaunchKernel", 0);
	work(queued, "kernel", kernels[draw(queued, 0, 2)], stream,
	     chance(queued, 20) ? 90000 : 15000);
	buffer_printf(&queued->out, ",\"grid\":[%lld,1,1],\"block\":[128,1,1]}}",
		      draw(queued, 1, 300));
}

static void launch_graph(struct queued *queued)
{
	int stream = (int)draw(queued, 0, queued->streams - 1);
	call(queued, "cudaGraphLaunch", 0);
	for (long long i = draw(queued, 2, 6); i; i--) {
		work(queued, "kernel", "triton_poi_fused_add_0", stream, 9000);
		buffer_printf(&queued->out, ",\"graph id\":1,\"graph node id\":%lld}}", i);
	}
}

static void copy(struct queued *queued)
{
	static const char *const kinds[] = { "Memcpy DtoH (Device -> Pageable)",
					     "Memcpy HtoD (Pageable -> Device)",
					     "Memcpy HtoD (Pinned -> Device)" };
	int kind = (int)draw(queued, 0, 2), stream = (int)draw(queued, 0, queued->streams - 1);
	long long start = queued->host;
	queued->correlation++;
	work(queued, "gpu_memcpy", kinds[kind], stream, 20000);
	buffer_printf(&queued->out, ",\"bytes\":%lld}}",
		      chance(queued, 50) ? 4 : draw(queued, 64, 1 << 20));
	queued->host += draw(queued, 2000, 7000);
	if (kind == 0) /* the program waits for what it reads */
		queued->host = queued->stream[stream] + draw(queued, 500, 3000);
	event(queued, "cuda_runtime", "cudaMemcpyAsync", 100, 1, start, queued->host);
	buffer_printf(&queued->out, "\"correlation\":%d}}", queued->correlation);
}

static void communicate(struct queued *queued)
{
	call(queued, "cudaLaunchKernel", 0);
	work(queued, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", queued->streams - 1,
	     60000);
	buffer_printf(
		&queued->out,
		",\"Collective name\":\"allreduce\",\"In msg nelems\":%lld,\"Out msg nelems\":1024,"
		"\"Group size\":2,\"dtype\":\"Float\",\"Process Group Name\":\"0\",\"Seq\":%d}}",
		draw(queued, 1, 1 << 20), queued->messages++);
}

static void one_operator(struct queued *queued)
{
	static const char *const names[] = { "aten::mm", "aten::add", "aten::to", "aten::item",
					     "aten::softmax" };
	long long start = queued->host, kind = draw(queued, 0, 99);
	queued->host += draw(queued, 500, 9000);
	if (kind < 60)
		for (long long i = draw(queued, 1, 3); i; i--)
			launch(queued);
	else if (kind < 60 + 10 * queued->graphs)
		launch_graph(queued);
	else if (kind < 78)
		copy(queued);
	else if (kind < 83)
		call(queued, "cudaStreamSynchronize", queued->stream[0]);
	else if (kind < 86)
		call(queued, "cudaDeviceSynchronize", latest(queued));
	else if (kind < 88)
		call(queued, chance(queued, 50) ? "cudaMalloc" : "cudaEventQuery", 0);
	else if (queued->messages >= 0)
		communicate(queued);
	queued->host += draw(queued, 200, 5000);
	event(queued, "cpu_op", names[draw(queued, 0, 4)], 100, 1, start, queued->host);
	buffer_puts(&queued->out, "}}");
	if (chance(queued, 8))
		queued->host += draw(queued, 1000, 80000); /* the program does something else */
}

struct buffer queued_trace(uint64_t seed)
{
	struct queued queued = { .random = seed, .host = 1000000 };
	queued.streams = (int)draw(&queued, 1, STREAMS);
	queued.graphs = (int)draw(&queued, 0, 1);
	queued.messages = chance(&queued, 50) ? 0 : -1;
	buffer_puts(
		&queued.out,
		"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100-SXM4-40GB\","
		"\"computeMajor\":8,\"computeMinor\":0,\"numSms\":108}],\n");
	if (queued.messages >= 0)
		buffer_puts(&queued.out, "\"distributedInfo\":{\"rank\":0,\"world_size\":2},\n");
	buffer_puts(&queued.out,
		    "\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":100,"
		    "\"tid\":0,\"args\":{\"name\":\"python\"}}");
	for (long long step = 1, steps = draw(&queued, 3, 6), each = draw(&queued, 12, 30);
	     step <= steps; step++) {
		char name[40];
		long long start = queued.host;
		for (long long i = each; i; i--)
			one_operator(&queued);
		if (chance(&queued, 50))
			call(&queued, "cudaDeviceSynchronize", latest(&queued));
		snprintf(name, sizeof name, "ProfilerStep#%lld", step);
		event(&queued, "user_annotation", name, 100, 1, start, queued.host);
		buffer_puts(&queued.out, "}}");
		queued.host += draw(&queued, 100, 3000);
	}
	buffer_puts(&queued.out, "\n]}\n");
	return queued.out;
}
