/*
 * The traces of rule cases, written and opened.
 */
#include "advice_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "database_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void add_host_event(struct buffer *out, const char *category, const char *name, int at,
			   int dur, const char *args)
{
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,"
		      "\"ts\":%d,\"dur\":%d,\"args\":{%s}}",
		      category, name, at, dur, args && *args ? args + 1 : "");
}

static void add_device_event(struct buffer *out, const struct rule_event *event, int at, int id)
{
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
		      "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}}",
		      at, id);
	int stream = event->kind == 'N' ? 9 : 7;
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,"
		      "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":%d,"
		      "\"correlation\":%d%s}}",
		      event->kind == 'C' ? "gpu_memcpy" : "kernel", event->name, stream, at + 3,
		      event->dur, stream, id, event->args ? event->args : "");
}

static void add_event(struct buffer *out, const struct rule_event *event, int at, int id)
{
	char step[64];
	snprintf(step, sizeof step, "ProfilerStep#%.40s", event->name);
	switch (event->kind) {
	case 'S': add_host_event(out, "user_annotation", step, at, event->dur, NULL); break;
	case 'O': add_host_event(out, "cpu_op", event->name, at, event->dur, event->args); break;
	case 'A':
		add_host_event(out, "user_annotation", event->name, at, event->dur, event->args);
		break;
	case 'P': add_host_event(out, "python_function", event->name, at, event->dur, NULL); break;
	case 'R': add_host_event(out, "cuda_runtime", event->name, at, event->dur, NULL); break;
	case 'X': buffer_printf(out, ",%s", event->name); break;
	default: add_device_event(out, event, at, id); break;
	}
}

static void write_rank(struct buffer *out, const struct rule_trace *trace, int rank, int64_t world)
{
	const struct rule_event *events = trace->events[rank];
	int id = 0;
	buffer_puts(out, "{\"schemaVersion\":1,");
	if (trace->devices)
		buffer_printf(out, "\"deviceProperties\":[%s],", trace->devices);
	if (trace->hosts[rank])
		buffer_printf(out, "\"host_name\":\"%s\",", trace->hosts[rank]);
	if (world)
		buffer_printf(out,
			      "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,"
			      "\"world_size\":%" PRId64 "},",
			      rank, world);
	buffer_puts(out, "\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
			 "\"args\":{\"name\":\"python\"}}");
	for (const struct rule_event *event = events; event < events + RULE_EVENTS_MAX; event++)
		for (int i = 0; event->kind && i < (event->repeat ? event->repeat : 1); i++)
			add_event(out, event, event->at + i * event->every, ++id);
	buffer_puts(out, "]}");
}

struct run *rule_case_run(const struct rule_trace *trace)
{
	char path[RULE_RANKS_MAX][32];
	const char *paths[RULE_RANKS_MAX];
	struct error error = { 0 };
	size_t ranks = 0;
	if (trace->sql)
		return database_run(trace->sql);
	int64_t world = trace->events[1][0].kind ? RULE_RANKS_MAX : trace->world;
	for (; ranks < RULE_RANKS_MAX && trace->events[ranks][0].kind; ranks++) {
		struct buffer text = { 0 };
		write_rank(&text, trace, (int)ranks, world);
		strcpy(path[ranks], "rule-case-XXXXXX");
		write_temporary(path[ranks], buffer_text(&text), text.length);
		paths[ranks] = path[ranks];
		buffer_free(&text);
	}
	keep_ranks(paths, ranks);
	struct run *run = run_open(paths, ranks, NULL, NULL, &error);
	if (!run)
		fail_msg("refused: %s", error.message);
	/* ranks are loaded when they are examined: keep the files until then */
	struct rank *held[RULE_RANKS_MAX];
	for (size_t i = 0; i < ranks; i++)
		held[i] = run_acquire(run, run->ranks[i].number, NULL, &error);
	for (size_t i = 0; i < ranks; i++)
		run_release(run, held[i]);
	for (size_t i = 0; i < ranks; i++)
		unlink(path[i]);
	return run;
}
