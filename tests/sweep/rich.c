/*
 * Random traces (random_trace.h) in which events have all arguments of their kind, and of which
 * each has some of what real ones hold besides: stacks of Python, memory, marks, flows, counters, a
 * second process, captured graphs, waits. Some are also opened with options, and as several ranks.
 */
#include "rows.h"

#include "../unit/random_trace.h"

#include "base/error.h"
#include "model/scope.h"
#include "session/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rich {
	struct buffer out;
	uint64_t random;
	int python_id;
};

/* From LOW to HIGH, inclusive. */
static int draw(struct rich *rich, int low, int high)
{
	rich->random = rich->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return low + (int)((rich->random >> 33) % (uint64_t)(high - low + 1));
}

static bool chance(struct rich *rich, int percent)
{
	return draw(rich, 0, 99) < percent;
}

static const char *pick(struct rich *rich, const char *const *names, size_t count)
{
	return names[draw(rich, 0, (int)count - 1)];
}
#define PICK(rich, names) pick(rich, names, sizeof(names) / sizeof *(names))

/* ---- arguments ---- */

static const char *const collectives[] = { "allreduce",   "_allgather_base", "reduce_scatter",
					   "all_to_allv", "broadcast",       "send" };
static const char *const types[] = { "float", "c10::BFloat16", "c10::Half", "long int" };

static void add_message(struct rich *rich)
{
	int elements = 1 << draw(rich, 4, 22);
	buffer_printf(
		&rich->out,
		"\"Collective name\":\"%s\",\"In msg nelems\":%d,\"Out msg nelems\":%d,\"Group size\":%d,"
		"\"dtype\":\"%s\",\"Process Group Name\":\"%d\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":%d,",
		PICK(rich, collectives), elements, elements * draw(rich, 1, 2), draw(rich, 1, 2),
		chance(rich, 50) ? "BFloat16" : "Float", draw(rich, 0, 1), draw(rich, 0, 9));
}

static void add_kernel(struct rich *rich)
{
	int warps = draw(rich, 1, 64);
	buffer_printf(
		&rich->out,
		"\"registers per thread\":%d,\"shared memory\":%d,\"blocks per SM\":%d.%d,\"warps per SM\":%d,"
		"\"est. achieved occupancy %%\":%d,\"context\":1,\"priority\":%d,",
		8 * draw(rich, 2, 31), 1024 * draw(rich, 0, 48), draw(rich, 0, 20),
		draw(rich, 0, 9), warps, chance(rich, 80) ? 100 * warps / 64 : 0,
		draw(rich, -5, 0));
	if (chance(rich, 20))
		buffer_printf(&rich->out, "\"graph id\":1,\"graph node id\":%d,", draw(rich, 1, 9));
}

static const char *const values[] = { "\"0\"",         "\"1\"",
				      "\"-1.5\"",      "\"None\"",
				      "\"True\"",      "\"[2, 1]\"",
				      "true",          "[1,true]",
				      "null",          "-1.5e3",
				      "\"a\\u007fb\"", "\"\\u0001\"",
				      "\"\\\\n\\\"\"", "\"gr\xc3\xb6\xc3\x9f\"" };

static void add_operator(struct rich *rich, bool shapes)
{
	if (shapes && chance(rich, 60))
		buffer_printf(
			&rich->out,
			"\"Input Dims\":[[%d,%d],[%d,%d],[]],\"Input type\":[\"%s\",\"%s\",\"Scalar\"],"
			"\"Input Strides\":[[%d,1],[1,64],[]],\"Concrete Inputs\":[\"\",\"\",%s],",
			draw(rich, 1, 70), 32 * draw(rich, 1, 4), 32 * draw(rich, 1, 4),
			draw(rich, 1, 70), PICK(rich, types), PICK(rich, types), draw(rich, 1, 64),
			PICK(rich, values));
	if (chance(rich, 40))
		buffer_printf(
			&rich->out,
			"\"Call stack\":\"model.py(%d): forward;train.py(%d): step;train.py(7): main\",",
			draw(rich, 10, 13), draw(rich, 20, 21));
	if (chance(rich, 30))
		buffer_printf(&rich->out, "\"Module Hierarchy\":\"Net.layer%d.conv\",",
			      draw(rich, 1, 2));
}

/* The events of TEXT, one a line, with more arguments. */
static void add_events(struct rich *rich, const char *text)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *arguments = strstr(line, "\"args\":{");
		if (!arguments || arguments > end)
			continue;
		arguments += strlen("\"args\":{");
		buffer_add(&rich->out, line, (size_t)(arguments - line));
		size_t before = rich->out.length;
		const char *kind = line + strlen("{\"ph\":\"X\",\"cat\":\"");
		if (strncmp(kind, "kernel", 6) == 0)
			add_kernel(rich);
		if (strncmp(kind, "kernel\",\"name\":\"nccl", 20) == 0 ||
		    strstr(line, "record_param_comms") == kind + 16)
			add_message(rich);
		if (strncmp(kind, "cpu_op", 6) == 0)
			add_operator(rich, !strstr(arguments, "\"Input Dims\"") ||
						   strstr(arguments, "\"Input Dims\"") > end);
		if (*arguments == '}' && rich->out.length > before)
			rich->out.length--;
		buffer_add(&rich->out, arguments, (size_t)(end - arguments) + 1);
	}
}

/* ---- further events ---- */

enum {
	BEGIN = 1000,
	LENGTH = 700,
	PROCESS = 100
}; /* us, about where the random trace has its events */

/* One up to its arguments, which the caller closes with "}}". */
static void begin(struct rich *rich, const char *phase, const char *category, const char *name,
		  int pid, int tid, int start)
{
	buffer_printf(
		&rich->out,
		",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d.%03d,",
		phase, category, name, pid, tid, start, draw(rich, 0, 999));
}

static int any_time(struct rich *rich)
{
	return BEGIN + draw(rich, 0, LENGTH);
}

static void event(struct rich *rich, const char *category, const char *name, int pid, int tid,
		  int start, int dur, const char *arguments)
{
	begin(rich, "X", category, name, pid, tid, start);
	buffer_printf(&rich->out, "\"dur\":%d,\"args\":{%s}}", dur, arguments);
}

static const char *const functions[] = { "train.py(12): step",
					 "<built-in method to of Tensor object at 0x7f00>",
					 "torch/nn/modules/module.py(1501): _call_impl",
					 "model.py(30): forward",
					 "torch/utils/data/dataloader.py(630): __next__",
					 "nn.Module: Linear_0",
					 "threading.py(320): wait" };

static void add_stack(struct rich *rich, int thread, int start, int end, int depth, int parent)
{
	for (int at = start; at < end && depth < 6;) {
		int until = at + draw(rich, 5, end - start + 5);
		char arguments[120];
		int own = ++rich->python_id;
		until = until < end ? until : end;
		snprintf(arguments, sizeof arguments,
			 "\"Python id\":%d,\"Python parent id\":%d,\"Python thread\":%d", own,
			 parent, thread);
		event(rich, "python_function", PICK(rich, functions), PROCESS, thread, at,
		      until - at, arguments);
		add_stack(rich, thread, at + draw(rich, 0, 9), until - draw(rich, 0, 9), depth + 1,
			  own);
		at = until + draw(rich, 0, 40);
	}
}

static void add_stacks(struct rich *rich)
{
	for (int thread = 1; thread < 3; thread++)
		add_stack(rich, thread, BEGIN, BEGIN + LENGTH, 2, 0);
}

static void add_memory(struct rich *rich)
{
	int allocated[2] = { 0, 1 << 20 }, held[8] = { 0 }, at = BEGIN;
	for (int i = draw(rich, 10, 60); i; i--) {
		int block = draw(rich, 0, 7), device = block % 2, bytes = 512 * draw(rich, 1, 4000);
		if (held[block])
			bytes = -held[block];
		held[block] = chance(rich, 5) ? 0 : held[block] + bytes; /* some is lost */
		allocated[device] += bytes;
		begin(rich, "i", "cpu_instant_event", "[memory]", PROCESS, draw(rich, 1, 2),
		      at += draw(rich, 0, 20));
		buffer_printf(
			&rich->out,
			"\"s\":\"t\",\"args\":{\"Device Type\":%d,\"Device Id\":%d,\"Addr\":%d,\"Bytes\":%d,"
			"\"Total Allocated\":%d,\"Total Reserved\":%d}}",
			device, device - 1, 4096 * (block + 1), bytes, allocated[device],
			device ? allocated[1] + (draw(rich, 0, 3) << 20) : 0);
	}
}

static const char *const marks[] = { "Optimizer.zero_grad#Adam.zero_grad",
				     "DistributedDataParallel.forward",
				     "## Call CompiledFxGraph fabc ##",
				     "Torch-Compiled Region: 0/0",
				     "execute_context_1(12)_generation_3(3)",
				     "prefill",
				     "decode",
				     "autograd::engine::evaluate_function: AddmmBackward0",
				     "nccl:send 0->1" };

static void add_marks(struct rich *rich)
{
	for (int i = draw(rich, 4, 16); i; i--) {
		const char *mark = PICK(rich, marks);
		int start = any_time(rich), dur = draw(rich, 0, 150);
		event(rich, "user_annotation", mark, PROCESS, draw(rich, 1, 2), start, dur, "");
		if (chance(rich, 60))
			event(rich, "gpu_user_annotation", mark, 0, 7 + draw(rich, 0, 1),
			      start + draw(rich, 0, 30), dur, "");
	}
	for (int i = 0; i < 4; i++)
		event(rich, "overhead", i % 2 ? "CUPTI Flush" : "Instrumentation", -1, 0,
		      any_time(rich), draw(rich, 1, 60), "");
	begin(rich, "i", "", "Iteration Start: PyTorch Profiler", PROCESS, 1, BEGIN);
	buffer_puts(&rich->out, "\"s\":\"g\",\"args\":{}}");
}

static void add_flows(struct rich *rich)
{
	for (int i = 0; i < 24; i++) {
		const char *kind = i % 2 ? "fwdbwd" : "ac2g";
		int from = any_time(rich), to = from + draw(rich, 0, 200);
		begin(rich, "s", kind, kind, PROCESS, 1, from);
		buffer_printf(&rich->out, "\"id\":%d}", i);
		begin(rich, "f", kind, kind, i % 2 ? PROCESS : 0, i % 2 ? 2 : 7, to);
		buffer_printf(&rich->out, "\"id\":%d,\"bp\":\"e\"}", chance(rich, 90) ? i : 99);
	}
}

static void add_counters(struct rich *rich)
{
	for (int i = 0; i < 30; i++) {
		begin(rich, "C", "", i % 3 ? "GPU 0 Utilization" : "queue", i % 3 ? 0 : PROCESS, 0,
		      BEGIN + 25 * i);
		buffer_printf(&rich->out, "\"args\":{\"%s\":%d}}",
			      i % 3 == 1 ? "power (W)" : "value", draw(rich, -5, 100));
	}
}

static void add_process(struct rich *rich)
{
	static const char *const operators[] = { "aten::mm", "aten::index", "DataLoader worker",
						 "aten::stack" };
	buffer_puts(
		&rich->out,
		",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":101,\"tid\":0,\"args\":{\"name\":\"python\"}}"
		",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":101,\"tid\":1,\"args\":{\"name\":\"loader\"}}"
		",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":101,\"tid\":1,"
		"\"args\":{\"sort_index\":3}}");
	for (int i = 0, at = BEGIN; i < 12; i++) {
		int dur = draw(rich, 1, 60);
		event(rich, "cpu_op", PICK(rich, operators), 101, 1, at, dur, "\"External id\":7");
		at += draw(rich, dur / 2, dur * 2);
	}
	for (int i = 0; i < 6; i++) {
		int start = any_time(rich);
		begin(rich, i % 2 ? "b" : "B", "request", i % 3 ? "batch" : "load", 101, 2, start);
		buffer_printf(&rich->out, "\"id\":%d,\"args\":{}}", i);
		begin(rich, i % 2 ? "e" : "E", "request", i % 3 ? "batch" : "load", 101, 2,
		      start + draw(rich, 0, 90));
		buffer_printf(&rich->out, "\"id\":%d,\"args\":{}}", i);
	}
}

static void add_device_work(struct rich *rich)
{
	static const char *const copies[] = { "Memcpy DtoH (Device -> Pinned)",
					      "Memcpy DtoD (Device -> Device)",
					      "Memcpy PtoP (Device -> Device)",
					      "Memcpy HtoD (Pinned -> Device)",
					      "Memcpy DtoH (Device -> Pageable)" };
	static const char *const waits[] = {
		"cudaDeviceSynchronize", "cudaMalloc",     "cudaFree",
		"cudaHostAlloc",         "cudaMemcpy",     "cudaEventSynchronize",
		"cudaGraphLaunch",       "cudaEventRecord"
	};
	for (int i = 0; i < 24; i++) {
		int start = any_time(rich), dur = draw(rich, 1, 50), number = 5000 + i;
		char arguments[240];
		snprintf(arguments, sizeof arguments, "\"correlation\":%d,\"cbid\":1", number);
		event(rich, "cuda_runtime", PICK(rich, waits), PROCESS, draw(rich, 1, 3), start,
		      dur, arguments);
		int bytes = 1 << draw(rich, 0, 26), stream = 7 + draw(rich, 0, 2);
		if (chance(rich, 50)) {
			snprintf(
				arguments, sizeof arguments,
				"\"device\":0,\"stream\":%d,\"correlation\":%d,\"bytes\":%d,\"memory bandwidth (GB/s)\":1.5",
				stream, number, bytes);
			event(rich, "gpu_memcpy", PICK(rich, copies), 0, stream,
			      start + draw(rich, 0, dur), dur, arguments);
		} else if (chance(rich, 50)) {
			snprintf(
				arguments, sizeof arguments,
				"\"device\":0,\"stream\":%d,\"correlation\":%d,\"wait_on_stream\":%d,"
				"\"wait_on_cuda_event_record_corr_id\":%d",
				stream, number, 7 + draw(rich, 0, 2), number - draw(rich, 1, 9));
			event(rich, "cuda_sync",
			      chance(rich, 50) ? "Event Sync" : "Stream Wait Event", 0, stream,
			      start, dur, arguments);
		} else {
			for (int node = 0; node < 3; node++) {
				snprintf(
					arguments, sizeof arguments,
					"\"device\":0,\"stream\":%d,\"correlation\":%d,\"graph id\":2,\"graph node id\":%d,"
					"\"grid\":[%d,2,1],\"block\":[64,2,1]",
					stream, number, node, draw(rich, 1, 200));
				event(rich, "kernel",
				      node % 2 ? "void gemm_kernel<__half>(int)"
					       : "triton_red_fused_sum_1",
				      0, stream, start + dur * (node + 1), dur - 1, arguments);
			}
		}
	}
}

struct buffer rich_trace(uint64_t seed)
{
	static void (*const parts[])(struct rich *) = { add_stacks,     add_memory,   add_marks,
							add_flows,      add_counters, add_process,
							add_device_work };
	struct rich rich = { .random = seed };
	struct buffer random = random_trace(seed);
	buffer_printf(
		&rich.out,
		"{\"schemaVersion\":1,\"record_shapes\":1,\"with_stack\":1,\"profile_memory\":1,\n\"deviceProperties\":["
		"{\"id\":0,\"name\":\"NVIDIA A100-SXM4-40GB\",\"totalGlobalMem\":%d,\"computeMajor\":8,"
		"\"computeMinor\":0,\"numSms\":108,\"warpSize\":32,\"maxThreadsPerMultiprocessor\":2048,"
		"\"regsPerMultiprocessor\":65536,\"sharedMemPerMultiprocessor\":167936}],\n",
		chance(&rich, 50) ? 8 << 20 : 1 << 30);
	if (chance(&rich, 60))
		buffer_puts(
			&rich.out,
			"\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":1,\"world_size\":2},\n");
	buffer_puts(&rich.out, "\"traceEvents\":[\n");
	add_events(&rich, buffer_text(&random));
	while (rich.out.data[rich.out.length - 1] == '\n' ||
	       rich.out.data[rich.out.length - 1] == ',')
		rich.out.length--;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (chance(&rich, 60))
			parts[i](&rich);
	buffer_puts(&rich.out, "\n]}\n");
	buffer_free(&random);
	return rich.out;
}

/* ---- other runs ---- */

/* Is the event that ends before AT one that has no other within? */
static bool is_leaf(const char *start, const char *at)
{
	static const char *const kinds[] = { "kernel", "cuda_runtime", "gpu_memcpy", "gpu_memset" };
	static const char key[] = "\"cat\":\"";
	while (at > start && *at != '\n')
		at--;
	const char *kind = strstr(at, key);
	for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(kind + strlen(key), kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* The trace without what called for the work: its operators are inferred from other ranks. */
static struct buffer lean(struct buffer *trace)
{
	struct buffer out = { 0 };
	for (const char *line = buffer_text(trace), *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		const char *cat = strstr(line, "\"cat\":\"");
		if (!cat || cat > end ||
		    (strncmp(cat + 7, "cpu_op", 6) != 0 && strncmp(cat + 7, "python", 6) != 0))
			buffer_add(&out, line, (size_t)(end - line));
	}
	buffer_free(trace);
	return out;
}

struct buffer rich_repeated(const struct buffer *trace, uint64_t seed, int number, bool less)
{
	static const char key[] = "\"dur\":", events[] = "\"traceEvents\":[";
	struct rich rich = { .random = seed };
	const char *text = trace->data, *from = text, *at;
	const char *list = strstr(text, events), *info = strstr(text, "\"distributedInfo\"");
	if (info) {
		buffer_add(&rich.out, from, (size_t)(info - from));
		from = strchr(info, '\n') + 1;
	}
	buffer_add(&rich.out, from, (size_t)(list - from));
	buffer_printf(&rich.out,
		      "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":3},\n",
		      number);
	for (from = list; (at = strstr(from, key));) {
		char *end;
		at += strlen(key);
		double dur = strtod(at, &end);
		buffer_add(&rich.out, from, (size_t)(at - from));
		if (is_leaf(text, at) && chance(&rich, 60))
			dur *= draw(&rich, 20, 120) / 100.0;
		buffer_printf(&rich.out, "%.3f", dur);
		from = end;
	}
	buffer_puts(&rich.out, from);
	return less ? lean(&rich.out) : rich.out;
}

/* ---- options ---- */

static void print_with(FILE *out, const char *file, const char *title,
		       const struct load_options *options, const struct scope *scope)
{
	struct error error = { 0 };
	struct run *run = run_open(&file, 1, options, NULL, &error);
	if (run)
		sweep_scope(out, run, title, scope);
	else
		fprintf(out, "=== %s: %s\n", title, error.message);
	run_free(run);
}

/* Only some steps are read, of which a scope takes some, or others. */
static void print_steps_of(FILE *out, const char *file)
{
	size_t length;
	char *text = sweep_read(file, &length);
	text[length] = '\0';
	const char *mark = strstr(text, "ProfilerStep#");
	long long first = mark ? atoll(mark + strlen("ProfilerStep#")) : 0;
	const struct load_options options = { .has_steps = true,
					      .only_steps = true,
					      .step_first = first + 1,
					      .step_last = first + 2 };
	for (int from = 0; from < 4; from++) {
		struct scope scope;
		scope_init(&scope);
		scope.has_steps = from > 0;
		scope.step_first = first + from - 1;
		scope.step_last = first + 2 * from - 1;
		print_with(out, file, "some steps", &options, &scope);
		scope_clear(&scope);
	}
	free(text);
}

void print_opened(const char *file)
{
	static const struct load_options options[] = {
		{ .key_node = "optimizer" },
		{ .key_node = "period" },
		{ .key_node = "loader" },
		{ .key_node = "profiler" },
		{ .key_node = "annotations" },
		{ .key_node = "ranges" },
		{ .key_node = "my range" },
		{ .derived.step_name = "my range|Optimizer" },
		{ .derived.attribute_by_execution = true },
		{ .key_node = "MyFunction" },
		{ .no_python = true },
	};
	FILE *out = sweep_open(file, "opened");
	struct scope all;
	scope_init(&all);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		char title[40];
		snprintf(title, sizeof title, "options %zu", i);
		print_with(out, file, title, &options[i], &all);
	}
	print_steps_of(out, file);
	scope_clear(&all);
	fclose(out);
}

void print_edited(const char *file)
{
	static const char *const edits[] = { "host x0.5", "kernels x0.3; nosync", "comm x3",
					     "kernels x2 under:layer1" };
	FILE *out = sweep_open(file, "edited");
	struct scope all;
	scope_init(&all);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
		print_with(out, file, edits[i], &(struct load_options){ .edits = edits[i] }, &all);
	scope_clear(&all);
	fclose(out);
}
