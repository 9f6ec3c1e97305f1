#include "derived/serving.h"

#include "derived/derived.h"
#include "derived/selection.h"

#include <ctype.h>

/* ---- reading names ---- */

/* Advance *AT past LITERAL. */
static bool take(const char **at, const char *literal)
{
	size_t length = strlen(literal);
	if (strncmp(*at, literal, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Advance *AT past a number of at most 18 digits. */
static bool take_number(const char **at, int64_t *number)
{
	const char *digit = *at;
	int64_t value = 0;
	for (; isdigit((unsigned char)*digit) && digit < *at + 18; digit++)
		value = value * 10 + (*digit - '0');
	if (digit == *at || isdigit((unsigned char)*digit))
		return false;
	*number = value;
	*at = digit;
	return true;
}

/* The number of " KEY=N" or "[KEY=N" in TEXT, and what follows it; NO_VALUE. */
static int64_t value_of_key(const char *text, const char *key, const char **after)
{
	size_t length = strlen(key);
	int64_t number;
	for (const char *at = text; (at = strstr(at, key)); at += length) {
		const char *value = at + length + 1;
		if (at == text || !strchr(" [", at[-1]) || at[length] != '=' ||
		    !take_number(&value, &number))
			continue;
		if (after)
			*after = value;
		return number;
	}
	return NO_VALUE;
}

/* Requests of one kind in a batch. */
struct batch_part {
	int64_t requests, tokens, context;
};

static enum phase phase_of(int64_t prompts, int64_t generating)
{
	return prompts && generating ? PHASE_MIXED
	       : prompts             ? PHASE_PREFILL
	       : generating          ? PHASE_DECODE
				     : PHASE_IDLE;
}

static bool batch_of_parts(const struct batch_part *prompts, const struct batch_part *generating,
			   struct request_batch *batch, enum phase *phase)
{
	*phase = phase_of(prompts->requests, generating->requests);
	batch->requests = prompts->requests + generating->requests;
	batch->tokens_in = prompts->tokens;
	batch->tokens_out = generating->tokens;
	batch->context = sum_known(prompts->context, generating->context);
	return true;
}

/* ---- the servers ---- */

/* "2(14721)", "2(888_788544)" or "2(sq14721sk16221sqsq…sqsk…)". */
static bool take_part(const char **at, struct batch_part *part)
{
	*part = (struct batch_part){ .context = NO_VALUE };
	if (!take_number(at, &part->requests) || !take(at, "("))
		return false;
	bool detailed = take(at, "sq");
	if (!take_number(at, &part->tokens) ||
	    (detailed && !(take(at, "sk") && take_number(at, &part->context))))
		return false;
	*at += strcspn(*at, ")");
	return take(at, ")");
}

/* vLLM, also with the tokens of the batch before the parts; xDiT. */
static bool batch_of_execute(const char *at, struct request_batch *batch, enum phase *phase)
{
	struct batch_part prompts = { 0, NO_VALUE, NO_VALUE };
	struct batch_part generating = { 0, NO_VALUE, NO_VALUE };
	int64_t tokens;
	if (!take(&at, "execute_"))
		return false;
	if (take(&at, "diffusion_"))
		return take_number(&at, &batch->requests) && *at == '_';
	if (take(&at, "new_"))
		return take_number(&at, &prompts.requests) && take(&at, "_cached_") &&
		       take_number(&at, &generating.requests) &&
		       batch_of_parts(&prompts, &generating, batch, phase);
	if (take_number(&at, &tokens) && !take(&at, "_"))
		return false;
	return take(&at, "context_") && take_part(&at, &prompts) && take(&at, "_generation_") &&
	       take_part(&at, &generating) && batch_of_parts(&prompts, &generating, batch, phase);
}

/* SGLang: "step[MODE bs=…", with "c_" and "g_" before what is of prompts and of generation. */
static bool batch_of_step(const char *at, struct request_batch *batch, enum phase *phase)
{
	static const struct {
		const char *name;
		enum phase phase;
	} modes[] = { { "EXTEND", PHASE_PREFILL },
		      { "SPLIT_PREFILL", PHASE_PREFILL },
		      { "DECODE", PHASE_DECODE },
		      { "MIXED", PHASE_MIXED },
		      { "TARGET_VERIFY", PHASE_DECODE },
		      { "DRAFT_EXTEND", PHASE_DECODE },
		      { "IDLE", PHASE_IDLE } };
	size_t mode = 0;
	if (!take(&at, "step["))
		return false;
	while (mode < sizeof modes / sizeof *modes && !take(&at, modes[mode].name))
		mode++;
	batch->requests = value_of_key(at, "bs", NULL);
	if (mode == sizeof modes / sizeof *modes || batch->requests == NO_VALUE)
		return false;
	*phase = modes[mode].phase;
	struct batch_part prompts = { value_of_key(at, "c", NULL), value_of_key(at, "c_sq", NULL),
				      value_of_key(at, "c_sk", NULL) };
	struct batch_part generating = { value_of_key(at, "g", NULL),
					 value_of_key(at, "g_sq", NULL),
					 value_of_key(at, "g_sk", NULL) };
	if (*phase == PHASE_MIXED && prompts.requests != NO_VALUE &&
	    generating.requests != NO_VALUE)
		return batch_of_parts(&prompts, &generating, batch, phase);
	int64_t tokens = value_of_key(at, "toks", NULL);
	batch->tokens_in = *phase == PHASE_DECODE || *phase == PHASE_IDLE  ? 0
			   : tokens != NO_VALUE && *phase == PHASE_PREFILL ? tokens
									   : prompts.tokens;
	batch->tokens_out = *phase == PHASE_PREFILL || *phase == PHASE_IDLE ? 0 : generating.tokens;
	if (strcmp(modes[mode].name, "DECODE") == 0 && batch->tokens_out == NO_VALUE)
		batch->tokens_out = batch->requests; /* speculation has modes of its own */
	batch->context = *phase == PHASE_PREFILL  ? prompts.context
			 : *phase == PHASE_DECODE ? generating.context
						  : NO_VALUE;
	return true;
}

/* ATOM: "prefill[bs=2 tok=14721 ctx=[…] sk=…]", "decode[bs=117/128 tok=117 d=117]". */
static bool batch_of_pass(const char *at, struct request_batch *batch, enum phase *phase)
{
	const char *after = at;
	take(&at, "eager_");
	bool prefill = take(&at, "prefill");
	if ((!prefill && !take(&at, "decode")) || *at != '[')
		return false;
	batch->requests = value_of_key(at, "bs", &after);
	if (batch->requests == NO_VALUE)
		return false;
	if (take(&after, "/") && !take_number(&after, &batch->slots))
		return false;
	int64_t tokens = value_of_key(at, "tok", NULL);
	bool mixed = !prefill && value_of_key(at, "p", NULL) > 0;
	*phase = mixed ? PHASE_MIXED : prefill ? PHASE_PREFILL : PHASE_DECODE;
	batch->tokens_in = mixed ? NO_VALUE : prefill ? tokens : 0;
	batch->tokens_out = mixed ? NO_VALUE : prefill ? 0 : tokens;
	batch->context = value_of_key(at, "sk", NULL);
	return true;
}

/* TensorRT-LLM: "[Executor] _forward_step 7: 0 ctx reqs, 0 ctx tokens, 64 gen reqs". */
static bool batch_of_executor(const char *at, struct request_batch *batch, enum phase *phase)
{
	struct batch_part prompts = { NO_VALUE, NO_VALUE, NO_VALUE };
	struct batch_part generating = { NO_VALUE, NO_VALUE, NO_VALUE };
	if (!take(&at, "[Executor] _forward_step"))
		return false;
	at += strcspn(at, ":");
	for (int64_t number; take(&at, ": ") || take(&at, ", ");) {
		if (!take_number(&at, &number))
			return false;
		int64_t *to = take(&at, " ctx reqs")     ? &prompts.requests
			      : take(&at, " ctx tokens") ? &prompts.tokens
			      : take(&at, " gen reqs")   ? &generating.requests
			      : take(&at, " gen tokens") ? &generating.tokens
							 : &number;
		*to = number;
		at += strcspn(at, ",");
	}
	if (prompts.requests == 0)
		prompts.tokens = 0;
	if (generating.requests == 0)
		generating.tokens = 0;
	return prompts.requests != NO_VALUE && generating.requests != NO_VALUE &&
	       batch_of_parts(&prompts, &generating, batch, phase);
}

bool batch_of_name(const char *name, struct request_batch *batch, enum phase *phase)
{
	bool (*const servers[])(const char *, struct request_batch *,
				enum phase *) = { batch_of_execute, batch_of_step, batch_of_pass,
						  batch_of_executor };
	for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
		*batch = BATCH_UNKNOWN;
		*phase = PHASE_NONE;
		if (servers[i](name, batch, phase))
			return true;
	}
	return false;
}

/* ---- batches of steps ---- */

static void fill_unknown(int64_t *to, int64_t from)
{
	*to = *to == NO_VALUE ? from : *to;
}

/* What an annotation INSIDE the one before tells besides. */
static void complete_batch(struct step *step, const struct request_batch *inside, enum phase phase)
{
	step->phase = step->phase == PHASE_NONE ? (uint8_t)phase : step->phase;
	fill_unknown(&step->batch.requests, inside->requests);
	fill_unknown(&step->batch.tokens_in, inside->tokens_in);
	fill_unknown(&step->batch.tokens_out, inside->tokens_out);
	fill_unknown(&step->batch.context, inside->context);
	fill_unknown(&step->batch.slots, inside->slots);
}

/* One more iteration in the step. */
static void add_batch(struct step *step, const struct request_batch *next, enum phase phase)
{
	struct request_batch *batch = &step->batch;
	if (step->phase != phase)
		step->phase = PHASE_MIXED;
	batch->requests = next->requests > batch->requests ? next->requests : batch->requests;
	batch->slots = next->slots > batch->slots ? next->slots : batch->slots;
	batch->tokens_in = sum_known(batch->tokens_in, next->tokens_in);
	batch->tokens_out = sum_known(batch->tokens_out, next->tokens_out);
	batch->context = sum_known(batch->context, next->context);
}

/* Is the span, on the host, an iteration? */
static bool is_iteration(const struct profile *profile, uint32_t span, struct request_batch *batch,
			 enum phase *phase)
{
	return profile->span_kind[span] == SPAN_ANNOTATION &&
	       profile->tracks[profile->span_track[span]].device < 0 &&
	       batch_of_name(profile_string(profile, profile->span_name[span]), batch, phase);
}

uint32_t serving_count(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	AUTO_FREE uint32_t *counts = mem_zalloc(profile->process_count + 1, sizeof *counts);
	uint32_t most = 0, track = NO_ROW;
	int64_t end = INT64_MIN;
	for (uint32_t i = 0; i < profile->spans; i++) {
		struct request_batch batch;
		enum phase phase;
		bool inside = profile->span_track[i] == track && profile->span_start[i] < end;
		if (inside || !is_iteration(profile, i, &batch, &phase))
			continue;
		track = profile->span_track[i];
		end = profile_span_end(profile, i);
		uint32_t *count = &counts[profile->tracks[track].process];
		most = ++*count > most ? *count : most;
	}
	return most;
}

bool serving_find(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t process = NO_ROW, track = NO_ROW;
	int64_t end = INT64_MIN;
	if (derived->steps_from_profile && derived->steps[0].span != NO_ROW)
		process = profile->tracks[profile->span_track[derived->steps[0].span]].process;
	for (uint32_t i = 0; i < profile->spans && derived->steps_from_profile; i++) {
		const struct track *own = &profile->tracks[profile->span_track[i]];
		struct request_batch batch;
		enum phase phase;
		if (!progress_row(progress, "finding batches", i, profile->spans))
			return false;
		if ((process != NO_ROW && own->process != process) ||
		    !is_iteration(profile, i, &batch, &phase))
			continue;
		uint32_t at = selection_step_of_span(derived, i);
		if (at == NO_ROW)
			continue;
		process = own->process;
		bool inside = profile->span_track[i] == track && profile->span_start[i] < end;
		if (!inside)
			end = profile_span_end(profile, i);
		track = profile->span_track[i];
		struct step *step = &derived->steps[at];
		if (inside || step->batch.requests == NO_VALUE)
			complete_batch(step, &batch, phase);
		else
			add_batch(step, &batch, phase);
	}
	return true;
}
