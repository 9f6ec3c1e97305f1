/*
 * Asks PyTorch processes for traces in place of the dynolog daemon: takes their datagrams, answers
 * them, and follows each from the request to its file.
 *
 * A message is a header of 40 bytes, a 64-bit size and 32 bytes of type, and as many bytes as the
 * size says. "ctxt" registers a process: int32 GPU, int32 PID, int64 job; the answer is an int32,
 * how many processes are registered for that GPU. "req" polls for a request: int32 kinds, int32
 * count, int64 job, and COUNT int32 PIDs, of the process and its ancestors; the answer is the text
 * of the request, empty if there is none. Numbers are of the machine's byte order.
 */
#pragma once

#include "base/listed.h"
#include "base/mem.h"
#include "text_tables.h"

struct buffer;
struct error;

/* What is asked for. */
struct trace_request {
	const char *directory; /* absolute; the job writes trace_PID.pt.trace.json there */
	const char *id;        /* of the request, for the log of the job */
	size_t steps;          /* 0: by duration */
	int32_t step_multiple; /* begin at a step with a number that this divides */
	int32_t duration_ms;   /* without steps */
	int64_t start_ms;      /* common to several processes, in Unix time; 0: at once */
	bool shapes, stacks, memory, modules, flops;
};

/* Kineto cuts a value at '#', splits at '=', and forbids "..": false with ERROR_USAGE. */
bool trace_request_check(const struct trace_request *request, struct error *error);

/* Append the name of the file that process PID, as it calls itself, writes at last. */
void trace_request_file(int32_t pid, struct buffer *out);

/* Append the dyno command that asks the same of the process PID, or (0) of all of JOB. */
void trace_request_dyno(const struct trace_request *request, int32_t pid, int64_t job,
			struct buffer *out);

enum {
	ATTACH_HEADER = 40,
	ATTACH_MESSAGE_MAX = 1024, /* longer ones are refused */
	ATTACH_PROCESSES_MAX = 4096,
	ATTACH_ADDRESS_MAX = 108,
};

/* The kernel's word on who sent a datagram, and what its process says of itself. */
struct attach_peer {
	int32_t pid; /* as strata sees it */
	uint32_t user;
	int32_t own_pid; /* as the process sees itself, in its container; 0: unknown */
	const char *address;
	size_t address_length; /* of the name: what is in sun_path */
};

enum attach_state { ATTACH_STATE_ROWS(LISTED) };

struct attach_process {
	int32_t pid, own_pid;
	int32_t gpu;                   /* -1: it did not say */
	int64_t job;                   /* of SLURM_JOB_ID; 0: none */
	bool polls;                    /* it asks for requests */
	bool busy;                     /* with another recording */
	enum attach_state state, told; /* TOLD: for the caller */
	unsigned polls_since;          /* idle ones since it was asked */
	int64_t state_ns;              /* when the state began */
	uint64_t size;                 /* of the file, so far */
};

/* Why a message was refused. */
enum attach_refusal { ATTACH_REFUSAL_ROWS(LISTED) ATTACH_REFUSALS };

struct attach {
	uint32_t user;       /* whose processes may attach */
	const char *address; /* the own: what is in sun_path */
	size_t address_length;
	struct trace_request request;
	bool several; /* more than one is to be chosen: they begin together */
	/* Is a process that polls to be chosen? May be NULL, and set the request's directory. */
	bool (*wants)(void *context, const struct attach_process *process);
	void *context;
	GROWING(struct attach_process, processes, count);
	uint64_t refused[ATTACH_REFUSALS];
};

void attach_free(struct attach *attach);

/*
 * Take a message of LENGTH bytes that arrived from PEER at NOW_NS (clock_ns), NOW_MS in Unix time.
 * True if OUT, which is cleared first, is to be sent back.
 */
bool attach_take(struct attach *attach, const struct attach_peer *peer, const void *message,
		 size_t length, int64_t now_ns, int64_t now_ms, struct buffer *out);

/* The answer to PEER could not be sent: a request in it is sent again at the next poll. */
void attach_unsent(struct attach *attach, const struct attach_peer *peer,
		   const struct buffer *answer);

/* Have a process told at its next poll, unless it was chosen. */
void attach_choose(struct attach_process *process, int64_t now_ns);

/* What is at hand of a process that was asked. */
struct attach_sight {
	bool alive;     /* the process */
	bool temporary; /* the file has the name that it has while it is written */
	bool file;      /* it has its last name, and is a file of the user */
	uint64_t size;
};

/* Advance the state of a process that was chosen. */
void attach_look(const struct attach *attach, struct attach_process *process,
		 const struct attach_sight *sight, int64_t now_ns);

/* Its name; for one that brings no trace the end of a sentence about it. */
const char *attach_word(enum attach_state state);
const char *attach_why_refused(enum attach_refusal refusal);
