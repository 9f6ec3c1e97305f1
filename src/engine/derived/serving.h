/*
 * Iterations of inference servers: what their annotations tell of phase, requests and tokens.
 *
 * vLLM, SGLang, TensorRT-LLM, ATOM and xDiT name each iteration after its batch:
 * "execute_context_1(888)_generation_31(31)", "step[DECODE bs=32]", "[Executor] _forward_step 7: 0
 * ctx reqs, 64 gen reqs", "prefill[bs=2 tok=14721]", "execute_diffusion_1_256x256".
 */
#pragma once

#include "base/progress.h"
#include "model/scope.h"

struct derived;

/* The batch of an iteration; NO_VALUE: not told. */
struct request_batch {
	int64_t requests;
	int64_t tokens_in;  /* of prompts */
	int64_t tokens_out; /* computed for requests in decode: with speculation several each */
	int64_t context;    /* tokens that attention reads, summed over the requests */
	int64_t slots;      /* requests that the replayed graph has room for */
};

#define BATCH_UNKNOWN ((struct request_batch){ NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE })

/* Does NAME tell the batch of an iteration? */
bool batch_of_name(const char *name, struct request_batch *batch, enum phase *phase);

/* Iterations of servers in the process with most of them. */
uint32_t serving_count(const struct derived *derived);

/*
 * Give the steps of DERIVED the phase and batch of the iterations that start in them. False when
 * cancelled.
 */
bool serving_find(struct derived *derived, const struct progress *progress);

/*
 * Give steps whose names tell no phase the one that their work does, marked as inferred; needs all
 * else of DERIVED. False when cancelled.
 */
bool serving_infer(struct derived *derived, const struct progress *progress);
