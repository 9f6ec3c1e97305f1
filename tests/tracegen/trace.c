#include "tracegen/trace.h"

#include <inttypes.h>
#include <stdarg.h>

/* Like Kineto, use a base some weeks back, so that microseconds are exact in a double. */
#define BASE_NS INT64_C(1751410836000000000)

static void put_list(struct trace *trace, const char *format, va_list args)
{
	int written = trace->out ? vfprintf(trace->out, format, args) : 0;
	if (written > 0)
		trace->bytes += (uint64_t)written;
}

static void trace_put(struct trace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void trace_put(struct trace *trace, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	put_list(trace, format, args);
	va_end(args);
}

static void put_string(struct trace *trace, const char *text)
{
	if (!trace->out)
		return;
	putc('"', trace->out);
	trace->bytes += 2;
	for (; *text; text++, trace->bytes++) {
		if (*text == '"' || *text == '\\') {
			putc('\\', trace->out);
			trace->bytes++;
		}
		putc(*text, trace->out);
	}
	putc('"', trace->out);
}

static void put_time(struct trace *trace, const char *key, int64_t ns)
{
	trace_put(trace, ", \"%s\": %" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void put_lane(struct trace *trace, struct demo_lane lane)
{
	trace_put(trace, ", \"pid\": %" PRId64 ", \"tid\": %" PRId64,
		  lane.device >= 0 ? (int64_t)lane.device : trace->pid, lane.id);
}

static void event_begin(struct trace *trace, char phase, const char *category, const char *name)
{
	trace_put(trace, "%s\n  {\n    \"ph\": \"%c\"", trace->events ? "," : "", phase);
	if (category) {
		trace_put(trace, ", \"cat\": ");
		put_string(trace, category);
	}
	trace_put(trace, ", \"name\": ");
	put_string(trace, name);
	trace->events++;
	trace->in_args = false;
}

void trace_span(struct trace *trace, const char *category, const char *name, struct demo_lane lane,
		int64_t start, int64_t duration)
{
	event_begin(trace, 'X', category, name);
	put_lane(trace, lane);
	put_time(trace, "ts", start);
	put_time(trace, "dur", duration);
}

void trace_instant(struct trace *trace, const char *category, const char *name,
		   struct demo_lane lane, int64_t time)
{
	event_begin(trace, 'i', category, name);
	trace_put(trace, ", \"s\": \"t\"");
	put_lane(trace, lane);
	put_time(trace, "ts", time);
}

void trace_metadata(struct trace *trace, const char *name, struct demo_lane lane)
{
	event_begin(trace, 'M', NULL, name);
	put_lane(trace, lane);
	put_time(trace, "ts", 0);
}

void trace_flow(struct trace *trace, const char *category, bool head, int64_t id,
		struct demo_lane lane, int64_t time)
{
	event_begin(trace, head ? 'f' : 's', category, category);
	trace_put(trace, ", \"id\": %" PRId64, id);
	put_lane(trace, lane);
	put_time(trace, "ts", time);
	trace_put(trace, head ? ", \"bp\": \"e\"\n  }" : "\n  }");
}

static void argument(struct trace *trace, const char *key)
{
	trace_put(trace, trace->in_args ? ", \"%s\": " : ",\n    \"args\": {\n      \"%s\": ", key);
	trace->in_args = true;
}

void trace_text(struct trace *trace, const char *key, const char *text)
{
	argument(trace, key);
	put_string(trace, text);
}

void trace_number(struct trace *trace, const char *key, int64_t value)
{
	argument(trace, key);
	trace_put(trace, "%" PRId64, value);
}

void trace_value(struct trace *trace, const char *key, const char *format, ...)
{
	va_list args;
	argument(trace, key);
	va_start(args, format);
	put_list(trace, format, args);
	va_end(args);
}

void trace_end(struct trace *trace)
{
	trace_put(trace, trace->in_args ? "\n    }\n  }" : "\n  }");
}

static void put_distributed(struct trace *trace, int rank, int world)
{
	trace_put(
		trace,
		"  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, "
		"\"world_size\": %d, \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", "
		"\"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": %d, "
		"\"ranks\": [",
		rank, world, world);
	for (int i = 0; i < world; i++)
		trace_put(trace, i ? ", %d" : "%d", i);
	trace_put(trace, "]}], \"nccl_version\": \"2.26.2\"},\n");
}

void trace_open(struct trace *trace, const struct trace_head *head)
{
	trace_put(trace,
		  "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n"
		  "      \"id\": 0, \"name\": \"NVIDIA A100-SXM4-40GB\", "
		  "\"totalGlobalMem\": 42298834944,\n"
		  "      \"computeMajor\": 8, \"computeMinor\": 0,\n"
		  "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
		  "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n"
		  "      \"sharedMemPerBlock\": 49152, \"numSms\": 108,\n"
		  "      \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 166912, "
		  "\"sharedMemPerMultiprocessor\": 167936\n    }\n  ],\n");
	trace_put(trace, "  \"cupti_version\": 26,\n  \"cuda_runtime_version\": 12060,\n"
			 "  \"cuda_driver_version\": 12080,\n");
	if (head->shapes)
		trace_put(trace, "  \"record_shapes\": 1,\n");
	if (head->memory)
		trace_put(trace, "  \"profile_memory\": 1,\n");
	if (head->stacks)
		trace_put(trace, "  \"with_stack\": 1,\n");
	if (head->world > 1)
		put_distributed(trace, head->rank, head->world);
	trace_put(trace,
		  "  \"trace_id\": \"5A1D0C6E3F7B4C0E9B7E2D4F60A1B2C3\",\n"
		  "  \"displayTimeUnit\": \"ms\",\n"
		  "  \"baseTimeNanoseconds\": %" PRId64 ",\n  \"traceEvents\": [",
		  BASE_NS);
}

void trace_close(struct trace *trace)
{
	trace_put(trace, "\n  ],\n  \"traceName\": \"resnet.pt.trace.json\"\n}\n");
}
