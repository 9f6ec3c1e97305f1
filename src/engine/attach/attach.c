#include "attach/attach.h"

#include "base/buffer.h"
#include "base/error.h"

#include <inttypes.h>

#define SECOND_NS 1000000000LL

enum { ATTACH_LIMIT_ROWS(_) };

void attach_free(struct attach *attach)
{
	mem_free(attach->processes);
	attach->processes = NULL;
	attach->count = 0;
}

/* ---- the request ---- */

bool trace_request_check(const struct trace_request *request, struct error *error)
{
	const char *path = request->directory;
	/* Kineto adds the process before the first ".json" of the whole path */
	if (*path == '/' && !strpbrk(path, "#=\n\r") && !strstr(path, "..") &&
	    !strstr(path, ".json"))
		return true;
	return error_usage(error,
			   "%s: Kineto takes no directory with \"#\", \"=\", \"..\" or \".json\"",
			   path);
}

static const struct {
	const char *key, *dyno;
	size_t field;
} flags[] = { ATTACH_FLAG_ROWS };

enum { FLAGS = sizeof flags / sizeof *flags };

static bool has_flag(const struct trace_request *request, size_t flag)
{
	return *(const bool *)((const char *)request + flags[flag].field);
}

static void trace_request_write(const struct trace_request *request, struct buffer *out)
{
	buffer_printf(out, "ACTIVITIES_LOG_FILE=%s/trace.pt.trace.json\nREQUEST_TRACE_ID=%s\n",
		      request->directory, request->id);
	if (request->steps)
		buffer_printf(out,
			      "PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=%" PRId32
			      "\nACTIVITIES_ITERATIONS=%zu\n",
			      request->step_multiple, request->steps);
	else
		buffer_printf(out, "ACTIVITIES_DURATION_MSECS=%" PRId32 "\n", request->duration_ms);
	if (!request->steps && request->start_ms)
		buffer_printf(out, "PROFILE_START_TIME=%" PRId64 "\n", request->start_ms);
	for (size_t i = 0; i < FLAGS; i++)
		buffer_printf(out, "%s=%s\n", flags[i].key,
			      has_flag(request, i) ? "true" : "false");
}

void trace_request_file(int32_t pid, struct buffer *out)
{
	buffer_printf(out, "trace_%" PRId32 ".pt.trace.json", pid);
}

void trace_request_dyno(const struct trace_request *request, int32_t pid, int64_t job,
			struct buffer *out)
{
	buffer_printf(out, "dyno gputrace --log-file %s/trace.json", request->directory);
	if (request->steps)
		buffer_printf(out, " --iterations %zu", request->steps);
	else
		buffer_printf(out, " --duration-ms %" PRId32, request->duration_ms);
	if (pid)
		buffer_printf(out, " --pids %" PRId32, pid);
	else
		buffer_puts(out, " --process-limit 1000");
	if (job)
		buffer_printf(out, " --job-id %" PRId64, job);
	for (size_t i = 0; i < FLAGS; i++)
		if (has_flag(request, i))
			buffer_printf(out, "%s%s", *flags[i].dyno ? " --" : "", flags[i].dyno);
}

/* ---- messages ---- */

static bool refuse_message(struct attach *attach, enum attach_refusal why)
{
	attach->refused[why]++;
	return false;
}

/* Both payloads begin alike; after a poll's follow its PIDs. */
struct payload {
	int32_t what;  /* GPU, or kinds */
	int32_t count; /* PID, or number of PIDs */
	int64_t job;
	int32_t pid; /* the first */
};

/* Bytes of a path, or of an abstract name, without the NUL at its end. */
static size_t name_length(const char *address, size_t length)
{
	return length && !address[length - 1] ? length - 1 : length;
}

/*
 * Kineto ends its process when the answer does not come from the directory that it has in its
 * environment, letter for letter. Its own address begins with that.
 */
static bool is_same_place(const struct attach *attach, const struct attach_peer *peer)
{
	static const char end[] = "dynolog";
	size_t own = name_length(attach->address, attach->address_length);
	size_t other = name_length(peer->address, peer->address_length);
	size_t folder = own - (sizeof end - 1);
	if (own < sizeof end || other <= folder || peer->address_length > ATTACH_ADDRESS_MAX)
		return false;
	return memcmp(attach->address, peer->address, folder) == 0 &&
	       !memchr(peer->address + folder, '/', other - folder);
}

/* The process of PEER, which is added if it is new; NULL: there are too many. */
static struct attach_process *process_of(struct attach *attach, const struct attach_peer *peer)
{
	for (size_t i = 0; i < attach->count; i++)
		if (attach->processes[i].pid == peer->pid)
			return &attach->processes[i];
	if (attach->count == ATTACH_PROCESSES_MAX)
		return NULL;
	struct attach_process *process = mem_push(attach->processes, attach->count);
	*process = (struct attach_process){ .pid = peer->pid, .own_pid = peer->own_pid, .gpu = -1 };
	return process;
}

static void begin_answer(struct buffer *out, const char *type, uint64_t size)
{
	char header[ATTACH_HEADER] = { 0 };
	memcpy(header, &size, sizeof size);
	memcpy(header + sizeof size, type, strlen(type));
	buffer_add(out, header, sizeof header);
}

static bool answer_context(struct attach *attach, struct attach_process *process,
			   struct buffer *out)
{
	int32_t users = 0;
	for (size_t i = 0; i < attach->count; i++)
		users += attach->processes[i].gpu == process->gpu;
	begin_answer(out, "ctxt", sizeof users);
	buffer_add(out, (const char *)&users, sizeof users);
	return true;
}

/*
 * Several processes begin at a common time, after each has polled and warmed up; one that polls too
 * late for it begins at once.
 */
static void write_request(struct attach *attach, int64_t now_ms, struct buffer *text)
{
	struct trace_request request = attach->request;
	bool several = attach->several;
	if (several && !request.steps && !attach->request.start_ms)
		attach->request.start_ms = now_ms + POLL_MS + WARMUP_MS + SLACK_MS;
	request.start_ms = several && now_ms + WARMUP_MS < attach->request.start_ms
				   ? attach->request.start_ms
				   : 0;
	request.step_multiple = several ? SEVERAL_STEP : 1;
	trace_request_write(&request, text);
}

static void set_state(struct attach_process *process, enum attach_state state, int64_t now_ns)
{
	process->state = state;
	process->state_ns = now_ns;
}

void attach_choose(struct attach_process *process, int64_t now_ns)
{
	if (process->state == ATTACH_IDLE)
		set_state(process, ATTACH_CHOSEN, now_ns);
}

static bool answer_poll(struct attach *attach, struct attach_process *process, bool idle,
			int64_t now_ns, int64_t now_ms, struct buffer *out)
{
	AUTO_BUFFER struct buffer text = { 0 };
	process->polls = true;
	process->busy = !idle && process->state <= ATTACH_CHOSEN;
	if (attach->wants && process->state == ATTACH_IDLE &&
	    attach->wants(attach->context, process))
		attach_choose(process, now_ns);
	if (idle && process->state == ATTACH_CHOSEN) {
		write_request(attach, now_ms, &text);
		set_state(process, ATTACH_ASKED, now_ns);
	} else if (process->state == ATTACH_ASKED) {
		process->polls_since += idle;
		if (!idle)
			set_state(process, ATTACH_STARTED, now_ns);
	}
	begin_answer(out, "req", text.length);
	buffer_add(out, BUFFERED(&text));
	return true;
}

bool attach_take(struct attach *attach, const struct attach_peer *peer, const void *message,
		 size_t length, int64_t now_ns, int64_t now_ms, struct buffer *out)
{
	enum { HEAD = 16 }; /* bytes of a payload before its PIDs */
	const char *header = message, *type = header + ATTACH_HEADER - TYPE_LENGTH;
	struct payload payload = { 0 };
	uint64_t size = 0, pids = 0;
	buffer_clear(out);
	if (peer->user != attach->user)
		return refuse_message(attach, ATTACH_USER);
	if (length < ATTACH_HEADER + HEAD || length > ATTACH_MESSAGE_MAX)
		return refuse_message(attach, ATTACH_FORM);
	memcpy(&size, header, sizeof size);
	memcpy(&payload, header + ATTACH_HEADER,
	       length - ATTACH_HEADER < HEAD + sizeof payload.pid ? HEAD
								  : HEAD + sizeof payload.pid);
	bool named = !header[ATTACH_HEADER - 1], polls = named && strcmp(type, "req") == 0;
	pids = polls ? (uint32_t)payload.count : 0;
	if (size != length - ATTACH_HEADER || size != HEAD + pids * sizeof payload.pid ||
	    !(polls ? pids > 0 : named && strcmp(type, "ctxt") == 0))
		return refuse_message(attach, ATTACH_FORM);
	if (!peer->own_pid || (polls ? payload.pid : payload.count) != peer->own_pid)
		return refuse_message(attach, ATTACH_PID);
	if (!is_same_place(attach, peer))
		return refuse_message(attach, ATTACH_PLACE);
	struct attach_process *process = process_of(attach, peer);
	if (!process)
		return refuse_message(attach, ATTACH_MANY);
	process->job = payload.job;
	if (polls)
		return answer_poll(attach, process, payload.what & ACTIVITIES, now_ns, now_ms, out);
	process->gpu = payload.what;
	return answer_context(attach, process, out);
}

void attach_unsent(struct attach *attach, const struct attach_peer *peer,
		   const struct buffer *answer)
{
	struct attach_process *process = process_of(attach, peer);
	bool request = answer->length > ATTACH_HEADER + sizeof(int32_t); /* no count, not empty */
	if (process && request)
		set_state(process, ATTACH_CHOSEN, process->state_ns);
}

/* ---- states ---- */

static enum attach_state next_state(const struct attach *attach,
				    const struct attach_process *process,
				    const struct attach_sight *sight, int64_t now_ns)
{
	/* a step may take long to come, and a file long to write */
	int64_t patience = LATE_S * SECOND_NS + attach->request.duration_ms * (SECOND_NS / 1000);
	if (sight->file)
		return ATTACH_READY;
	if (!sight->alive)
		return ATTACH_ENDED;
	if (sight->temporary && sight->size)
		return ATTACH_WRITING;
	if (now_ns - process->state_ns > patience)
		return ATTACH_LATE;
	if (sight->temporary || process->state == ATTACH_STARTED)
		return ATTACH_STARTED;
	if (process->state == ATTACH_ASKED && !attach->request.steps &&
	    process->polls_since >= IDLE_POLLS && now_ns - process->state_ns > START_S * SECOND_NS)
		return ATTACH_REFUSED;
	return process->state;
}

void attach_look(const struct attach *attach, struct attach_process *process,
		 const struct attach_sight *sight, int64_t now_ns)
{
	if (process->state == ATTACH_IDLE || process->state >= ATTACH_READY)
		return;
	enum attach_state next = next_state(attach, process, sight, now_ns);
	if (next != process->state || sight->size != process->size)
		set_state(process, next, now_ns);
	process->size = sight->size;
}

/* ---- words ---- */

LISTED_NAMES(attach_word, enum attach_state, ATTACH_STATE_ROWS)

LISTED_NAMES(attach_why_refused, enum attach_refusal, ATTACH_REFUSAL_ROWS)
