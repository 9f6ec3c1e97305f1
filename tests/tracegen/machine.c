#include "tracegen/machine.h"

#include <inttypes.h>
#include <string.h>

enum {
	SM_COUNT = 108,
	WARP = 32,
	DEVICE = 0,
	LAUNCH_LATENCY_NS =
		2300,        /* from the end of the call to the kernel's start on an idle stream */
	STREAM_GAP_NS = 900, /* between kernels of a busy stream */
	SEGMENT_BYTES = 20 << 20, /* driver allocations of the caching allocator */
};

static const int64_t stream_ids[STREAMS] = { 7, 20, 24 };
static const int64_t thread_ids[THREADS] = { 41207, 41391 };

static const struct demo_lane overhead_lane = { .device = -1, .id = 0 };

static struct demo_lane stream_lane(enum gpu_stream stream)
{
	return (struct demo_lane){ .device = DEVICE, .id = stream_ids[stream] };
}

static struct demo_lane thread_lane(const struct thread *thread)
{
	return (struct demo_lane){ .device = -1, .id = thread->id };
}

void machine_init(struct machine *machine, uint64_t seed)
{
	memset(machine, 0, sizeof *machine);
	machine->random = seed;
	machine->trace.pid = thread_ids[THREAD_MAIN];
	machine->kernel_factor = machine->slowness = 1;
	machine->next_id = machine->next_python_id = machine->next_flow = 1;
	machine->next_correlation = 20481;
	machine->next_sequence = 2048;
	machine->next_address = INT64_C(139637976727552);
	for (int i = 0; i < THREADS; i++) {
		machine->threads[i].id = thread_ids[i];
		machine->threads[i].now = INT64_C(1428625731456483);
	}
	machine->on = &machine->threads[THREAD_MAIN];
}

void machine_copy(struct machine *to, const struct machine *from)
{
	*to = *from;
	to->on = &to->threads[from->on - from->threads];
}

/* In [0, 1), by splitmix64. */
static double random_part(struct machine *machine)
{
	uint64_t x = machine->random += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

static int64_t about(struct machine *machine, int64_t ns, double spread)
{
	return (int64_t)((double)ns * (1 - spread + 2 * spread * random_part(machine)));
}

void machine_on(struct machine *machine, enum host_thread thread)
{
	machine->on = &machine->threads[thread];
}

void machine_wait(struct machine *machine, int64_t time)
{
	if (machine->on->now < time)
		machine->on->now = time;
}

void machine_work(struct machine *machine, int64_t ns)
{
	machine->on->now += about(machine, ns, 0.2);
}

static struct span *top(struct machine *machine)
{
	return machine->on->depth ? &machine->on->spans[machine->on->depth - 1] : NULL;
}

static struct span *open_span(struct machine *machine, const char *category, const char *name)
{
	struct thread *thread = machine->on;
	struct span *span = &thread->spans[thread->depth++];

	*span = (struct span){
		.category = category, .name = name, .start = thread->now, .module = -1
	};
	thread->now += about(machine, 300, 0.5);
	return span;
}

void machine_operator(struct machine *machine, const char *name, const struct call *call)
{
	struct span *span = open_span(machine, "cpu_op", name);

	span->id = machine->next_id++;
	if (call)
		span->call = *call;
	machine_work(machine, 900);
}

void machine_annotation(struct machine *machine, const char *name)
{
	open_span(machine, "user_annotation", name)->id = machine->next_id++;
	machine_work(machine, 1200);
}

static int64_t enclosing_python_id(const struct thread *thread)
{
	for (int i = thread->depth - 1; i >= 0; i--)
		if (!thread->spans[i].hidden &&
		    !strcmp(thread->spans[i].category, "python_function"))
			return thread->spans[i].id;
	return 0;
}

static int python_depth(const struct thread *thread)
{
	int depth = 0;
	for (int i = 0; i < thread->depth; i++)
		depth += !strcmp(thread->spans[i].category, "python_function") &&
			 thread->spans[i].module < 0;
	return depth;
}

static struct span *open_python(struct machine *machine, const char *name, bool hidden)
{
	int64_t parent = enclosing_python_id(machine->on);
	struct span *span = open_span(machine, "python_function", name);

	span->hidden = hidden;
	span->parent_id = parent;
	span->id = hidden ? 0 : machine->next_python_id++;
	return span;
}

void machine_frame(struct machine *machine, const char *name)
{
	open_python(machine, name, python_depth(machine->on) >= machine->stack_depth);
}

void machine_module(struct machine *machine, const char *name, int64_t index)
{
	open_python(machine, name, !machine->record_modules)->module = index;
	machine_work(machine, 2000);
}

static void write_call(struct machine *machine, const struct span *span)
{
	struct trace *trace = &machine->trace;
	const struct call *call = &span->call;

	trace_number(trace, "External id", span->id);
	trace_number(trace, "Record function id", 0);
	if (machine->record_shapes && call->concrete)
		trace_value(trace, "Concrete Inputs", "%s", call->concrete);
	if (machine->record_shapes && call->types)
		trace_value(trace, "Input type", "%s", call->types);
	if (machine->record_shapes && call->dims)
		trace_value(trace, "Input Dims", "%s", call->dims);
	if (call->sequence) {
		trace_number(trace, "Sequence number", call->sequence);
		trace_number(trace, "Fwd thread id", call->backward ? 1 : 0);
	}
	if (call->more)
		call->more(trace, call->context);
	trace_number(trace, "Ev Idx", machine->next_event++);
}

static void write_python(struct machine *machine, const struct span *span)
{
	struct trace *trace = &machine->trace;

	if (span->parent_id)
		trace_number(trace, "Python parent id", span->parent_id);
	else
		trace_value(trace, "Python parent id", "null");
	trace_number(trace, "Python id", span->id);
	if (span->module >= 0)
		trace_number(trace, "Python module id", span->module);
	trace_number(trace, "Ev Idx", machine->next_event++);
}

/* Write an annotation's shadow on each stream that ran its work, 1 ns wider on each side. */
static void write_shadows(struct machine *machine, const struct span *span)
{
	for (int i = 0; i < STREAMS; i++) {
		if (!span->gpu_last[i])
			continue;
		trace_span(&machine->trace, "gpu_user_annotation", span->name,
			   stream_lane((enum gpu_stream)i), span->gpu_first[i] - 1,
			   span->gpu_last[i] - span->gpu_first[i] + 2);
		trace_number(&machine->trace, "External id", span->id);
		trace_end(&machine->trace);
	}
}

void machine_close(struct machine *machine)
{
	struct span *span = top(machine);

	machine->on->now += about(machine, 400, 0.5);
	machine->on->depth--;
	if (span->hidden)
		return;
	trace_span(&machine->trace, span->category, span->name, thread_lane(machine->on),
		   span->start, machine->on->now - span->start);
	if (!strcmp(span->category, "python_function"))
		write_python(machine, span);
	else
		write_call(machine, span);
	trace_end(&machine->trace);
	if (!strcmp(span->category, "user_annotation"))
		write_shadows(machine, span);
}

void machine_close_many(struct machine *machine, int count)
{
	while (count--)
		machine_close(machine);
}

/* ---- the CUDA API ---- */

/* External id: the innermost operator or annotation; 0: none. */
static int64_t external_id(const struct thread *thread)
{
	for (int i = thread->depth - 1; i >= 0; i--)
		if (strcmp(thread->spans[i].category, "python_function"))
			return thread->spans[i].id;
	return 0;
}

/* Spend NS in an API call; returns its correlation id. */
static int64_t api_call(struct machine *machine, const char *name, int cbid, int64_t ns)
{
	struct thread *thread = machine->on;
	struct trace *trace = &machine->trace;
	int64_t correlation = machine->next_correlation++;

	thread->now += about(machine, 500, 0.3);
	trace_span(trace, !strncmp(name, "cuda", 4) ? "cuda_runtime" : "cuda_driver", name,
		   thread_lane(thread), thread->now, ns);
	if (external_id(thread))
		trace_number(trace, "External id", external_id(thread));
	trace_number(trace, "cbid", cbid);
	trace_number(trace, "correlation", correlation);
	trace_end(trace);
	trace_flow(trace, "ac2g", false, correlation, thread_lane(thread), thread->now);
	thread->now += ns;
	return correlation;
}

/* Start a device activity and extend the open annotations by it. */
static void activity(struct machine *machine, const char *category, const char *name,
		     enum gpu_stream stream, int64_t correlation, int64_t start, int64_t ns)
{
	struct thread *thread = machine->on;
	struct trace *trace = &machine->trace;

	machine->stream_free[stream] = start + ns;
	for (int i = 0; i < thread->depth; i++) {
		struct span *span = &thread->spans[i];
		if (!span->gpu_last[stream])
			span->gpu_first[stream] = start;
		span->gpu_last[stream] = start + ns;
	}
	trace_flow(trace, "ac2g", true, correlation, stream_lane(stream), start);
	trace_span(trace, category, name, stream_lane(stream), start, ns);
	if (external_id(thread))
		trace_number(trace, "External id", external_id(thread));
	trace_number(trace, "device", DEVICE);
	trace_number(trace, "context", 1);
	trace_number(trace, "stream", stream_ids[stream]);
	trace_number(trace, "correlation", correlation);
}

/* Start time of work launched on the stream now. */
static int64_t next_start(const struct machine *machine, enum gpu_stream stream)
{
	int64_t idle = machine->on->now + LAUNCH_LATENCY_NS;
	int64_t queued = machine->stream_free[stream] + STREAM_GAP_NS;
	return idle > queued ? idle : queued;
}

static void write_launch(struct trace *trace, const struct kernel *kernel)
{
	double blocks = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2] / SM_COUNT;
	int threads = kernel->block[0] * kernel->block[1] * kernel->block[2];

	trace_number(trace, "queued", 0);
	trace_number(trace, "registers per thread", kernel->registers);
	trace_number(trace, "shared memory", kernel->shared_bytes);
	trace_value(trace, "blocks per SM", "%.6f", blocks);
	trace_value(trace, "warps per SM", "%.6f", blocks * ((threads + WARP - 1) / WARP));
	trace_value(trace, "grid", "[%d, %d, %d]", kernel->grid[0], kernel->grid[1],
		    kernel->grid[2]);
	trace_value(trace, "block", "[%d, %d, %d]", kernel->block[0], kernel->block[1],
		    kernel->block[2]);
	trace_number(trace, "est. achieved occupancy %", kernel->occupancy);
}

void machine_launch(struct machine *machine, const struct kernel *kernel, enum gpu_stream stream)
{
	int64_t call_ns = about(machine, 4200, 0.25);
	int64_t correlation = kernel->driver ? api_call(machine, "cuLaunchKernel", 307, call_ns)
					     : api_call(machine, "cudaLaunchKernel", 211, call_ns);
	double factor = machine->kernel_factor * machine->slowness;
	int64_t ns = (int64_t)((double)about(machine, kernel->ns, 0.03) * factor);

	activity(machine, "kernel", kernel->name, stream, correlation, next_start(machine, stream),
		 ns);
	write_launch(&machine->trace, kernel);
	trace_end(&machine->trace);
}

int64_t machine_collective_ready(const struct machine *machine)
{
	return next_start(machine, STREAM_NCCL);
}

void collective_arguments(struct trace *trace, const void *context)
{
	const struct demo_collective *collective = context;

	trace_text(trace, "Collective name", "allreduce");
	trace_number(trace, "In msg nelems", collective->elements);
	trace_number(trace, "Out msg nelems", collective->elements);
	trace_number(trace, "Group size", collective->group_size);
	trace_text(trace, "dtype", "Float");
	trace_text(trace, "In split size", "[]");
	trace_text(trace, "Out split size", "[]");
	trace_text(trace, "Process Group Name", "0");
	trace_text(trace, "Process Group Description", "default_pg");
	trace_number(trace, "Seq", collective->sequence);
}

void machine_launch_collective(struct machine *machine, const struct demo_collective *collective)
{
	static const struct kernel ring = { .grid = { 24, 1, 1 },
					    .block = { 544, 1, 1 },
					    .registers = 96,
					    .shared_bytes = 82480,
					    .occupancy = 19 };
	struct trace *trace = &machine->trace;
	int64_t call_ns = about(machine, 9000, 0.25);
	int64_t correlation = api_call(machine, "cudaLaunchKernelExC", 430, call_ns);
	int64_t start = next_start(machine, STREAM_NCCL);

	if (start < collective->start)
		start = collective->start;
	int64_t end = collective->end > start ? collective->end : start + 1000;
	activity(machine, "kernel", collective->name, STREAM_NCCL, correlation, start, end - start);
	write_launch(trace, &ring);
	collective_arguments(trace, collective);
	trace_end(trace);
}

static void transfer(struct machine *machine, const char *category, const char *name,
		     enum gpu_stream stream, int64_t correlation, int64_t bytes,
		     double bytes_per_ns)
{
	int64_t ns = 1100 + (int64_t)((double)bytes / bytes_per_ns);

	activity(machine, category, name, stream, correlation, next_start(machine, stream), ns);
	trace_number(&machine->trace, "bytes", bytes);
	trace_value(&machine->trace, "memory bandwidth (GB/s)", "%.6f", (double)bytes / (double)ns);
	trace_end(&machine->trace);
}

void machine_memcpy(struct machine *machine, const char *kind, int64_t bytes,
		    enum gpu_stream stream)
{
	int64_t call_ns = about(machine, 7000, 0.3);

	transfer(machine, "gpu_memcpy", kind, stream,
		 api_call(machine, "cudaMemcpyAsync", 41, call_ns), bytes, 23.5);
}

void machine_memset(struct machine *machine, int64_t bytes, enum gpu_stream stream)
{
	int64_t call_ns = about(machine, 3600, 0.3);

	transfer(machine, "gpu_memset", "Memset (Device)", stream,
		 api_call(machine, "cudaMemsetAsync", 51, call_ns), bytes, 900);
}

static void write_sync(struct machine *machine, const char *kind, enum gpu_stream stream,
		       int64_t other, int64_t correlation, int64_t start, int64_t ns)
{
	struct trace *trace = &machine->trace;

	trace_span(trace, "cuda_sync", kind, stream_lane(stream), start, ns);
	trace_text(trace, "cuda_sync_kind", kind);
	trace_number(trace, "stream", stream_ids[stream]);
	trace_number(trace, "correlation", correlation);
	trace_number(trace, "device", DEVICE);
	trace_number(trace, "context", 1);
	trace_number(trace, "wait_on_stream", other);
	trace_end(trace);
}

void machine_synchronize(struct machine *machine, enum gpu_stream stream)
{
	int64_t start = machine->on->now;
	int64_t ns = machine->stream_free[stream] - start;

	ns = (ns > 0 ? ns : 0) + about(machine, 4000, 0.3);
	int64_t correlation = api_call(machine, "cudaStreamSynchronize", 131, ns);
	write_sync(machine, "Stream Sync", stream, -1, correlation, machine->on->now - ns + 100,
		   ns - 200);
}

void machine_synchronize_device(struct machine *machine)
{
	int64_t end = machine->on->now;

	for (int i = 0; i < STREAMS; i++)
		end = machine->stream_free[i] > end ? machine->stream_free[i] : end;
	api_call(machine, "cudaDeviceSynchronize", 165,
		 end - machine->on->now + about(machine, 4000, 0.3));
}

void machine_stream_wait(struct machine *machine, enum gpu_stream stream, enum gpu_stream other)
{
	int64_t call_ns = about(machine, 1400, 0.3);

	api_call(machine, "cudaEventRecord", 135, call_ns);
	int64_t correlation = api_call(machine, "cudaStreamWaitEvent", 147, call_ns);
	write_sync(machine, "Stream Wait Event", stream, stream_ids[other], correlation,
		   machine->on->now, 1000);
	if (machine->stream_free[stream] < machine->stream_free[other])
		machine->stream_free[stream] = machine->stream_free[other];
}

/* ---- memory ---- */

static void write_memory(struct machine *machine, const struct tensor *tensor, int64_t change)
{
	struct trace *trace = &machine->trace;

	machine->allocated += change;
	while (machine->reserved < machine->allocated)
		machine->reserved += SEGMENT_BYTES;
	trace_instant(trace, "cpu_instant_event", "[memory]", thread_lane(machine->on),
		      machine->on->now);
	trace_number(trace, "Total Reserved", machine->reserved);
	trace_number(trace, "Total Allocated", machine->allocated);
	trace_number(trace, "Bytes", change);
	trace_number(trace, "Addr", tensor->address);
	trace_number(trace, "Device Id", DEVICE);
	trace_number(trace, "Device Type", 1);
	trace_number(trace, "Ev Idx", machine->next_event++);
	trace_end(trace);
}

void machine_allocate(struct machine *machine, struct tensor *tensor, int64_t bytes)
{
	bytes = (bytes + 511) / 512 * 512;
	if (!tensor->address || tensor->bytes < bytes) {
		tensor->address = machine->next_address;
		machine->next_address += bytes;
	}
	tensor->bytes = bytes;
	tensor->live = true;
	machine_work(machine, 700);
	write_memory(machine, tensor, bytes);
	machine_work(machine, 300);
}

void machine_release(struct machine *machine, struct tensor *tensor)
{
	if (!tensor->live)
		return;
	tensor->live = false;
	machine_work(machine, 300);
	write_memory(machine, tensor, -tensor->bytes);
	machine_work(machine, 100);
}

/* ---- flows and names ---- */

int64_t machine_flow_tail(struct machine *machine)
{
	trace_flow(&machine->trace, "fwdbwd", false, machine->next_flow, thread_lane(machine->on),
		   top(machine)->start);
	return machine->next_flow++;
}

void machine_flow_head(struct machine *machine, int64_t flow)
{
	trace_flow(&machine->trace, "fwdbwd", true, flow, thread_lane(machine->on),
		   top(machine)->start);
}

static void describe_machine(struct trace *trace, const char *what, struct demo_lane lane,
			     const char *key, const char *text)
{
	trace_metadata(trace, what, lane);
	trace_text(trace, key, text);
	trace_end(trace);
}

void machine_describe(struct machine *machine, int rank, bool distributed)
{
	static const char *const thread_names[THREADS] = { "thread 41207 (python)",
							   "thread 41391 (pt_autograd_0)" };
	struct trace *trace = &machine->trace;
	struct demo_lane process = { .device = -1, .id = 0 },
			 device = { .device = DEVICE, .id = 0 };
	char text[64];

	describe_machine(trace, "process_name", process, "name", "python");
	snprintf(text, sizeof text, distributed ? "CPU (rank %d)" : "CPU", rank);
	describe_machine(trace, "process_labels", process, "labels", text);
	describe_machine(trace, "process_name", device, "name", "python");
	describe_machine(trace, "process_labels", device, "labels", "GPU 0");
	for (int i = 0; i < THREADS; i++)
		describe_machine(trace, "thread_name", thread_lane(&machine->threads[i]), "name",
				 thread_names[i]);
	for (int i = 0; i < (distributed ? STREAMS : STREAM_NCCL); i++) {
		snprintf(text, sizeof text, "stream %" PRId64 " ", stream_ids[i]);
		describe_machine(trace, "thread_name", stream_lane((enum gpu_stream)i), "name",
				 text);
	}
	trace->pid = -1;
	trace_span(trace, "overhead", "Activity Buffer Request", overhead_lane,
		   machine->threads[THREAD_MAIN].now, 2104);
	trace_end(trace);
	trace->pid = thread_ids[THREAD_MAIN];
}
