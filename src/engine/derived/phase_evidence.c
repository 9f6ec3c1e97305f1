/*
 * Phases of a server's steps whose names do not tell them, from what runs in the steps.
 *
 * A server that generates text multiplies with its vocabulary last, for one token of each request:
 * the product has that many rows. The products before it have a row for each token. More tokens
 * than requests are prompts; as many are decode, if the next tokens are copied to the host or other
 * steps have prompts, since models are evaluated on all tokens, too. Graphs are captured for
 * decode: attention that one replays is decode, if the step multiplies with a vocabulary, or reads
 * a cache of keys and values and copies tokens to the host.
 */
#include "base/any_of.h"
#include "base/text_slice.h"
#include "derived/derived.h"
#include "derived/kernel_family.h"
#include "derived/product_shape.h"

static const char stage[] = "finding phases";

enum {
	VOCABULARY_FACTOR = 4, /* it is larger than what a model computes with by this at least */
	TOKEN_BYTES = 8,       /* of a token's number */
	TOKENS_MAX = 1024,     /* more of them are no batch of a server in decode */
};

/* What a name tells; a name repeats, so that it is read once. */
enum name_evidence {
	NAME_READ = 1,
	NAME_FOR_CACHE = 2, /* a kernel for a cache of keys and values */
	NAME_TO_HOST = 4,   /* a copy to the host */
};

/* What runs in a step. */
struct phase_evidence {
	int64_t last, tokens;       /* start of the last product; most rows of any */
	int64_t requests;           /* rows of the last product, if by a vocabulary; NO_VALUE */
	int64_t copied;             /* bytes of the last copy to the host */
	bool eager, replayed;       /* attention: launched by itself, by a graph */
	bool cached;                /* a kernel of NAME_FOR_CACHE */
	bool in_decode, not_decode; /* eager attention as in decode steps, and other */
	bool works;
};

static void add_product(struct phase_evidence *step, const struct derived *derived,
			uint32_t activity)
{
	const struct profile *profile = derived->profile;
	uint32_t operator= derived->activity_operator[activity];
	const struct op_info *info = operator== NO_ROW ? NULL : profile_op_info(profile, operator);
	int64_t start = profile->activity_start[activity];
	struct product_shape of;
	if (!info || !info->shapes ||
	    !product_shape_read(profile_string(profile, info->shapes), &of) || of.several)
		return;
	step->tokens = of.rows > step->tokens ? of.rows : step->tokens;
	if (start < step->last)
		return;
	step->last = start;
	step->requests = of.outer / VOCABULARY_FACTOR >= of.inner ? of.rows : NO_VALUE;
}

static uint8_t name_evidence(const char *name)
{
	bool cache = text_holds_one(name, "paged|kv_cache|kvcache|cache_kernel|cache_flash");
	bool to_host = text_holds_one(name, "DtoH|Device-to-Host");
	return (uint8_t)(NAME_READ | (cache ? NAME_FOR_CACHE : 0) | (to_host ? NAME_TO_HOST : 0));
}

/* TOLD: name_evidence by name, as far as it was read. */
static void phase_evidence_add(struct phase_evidence *step, const struct derived *derived,
			       const struct kernel_name *names, uint8_t *told, uint32_t activity)
{
	const struct profile *profile = derived->profile;
	uint32_t name = profile->activity_name[activity];
	uint32_t launch = profile->activity_launch[activity];
	told[name] = told[name] ?: name_evidence(profile_string(profile, name));
	if (profile->activity_kind[activity] == ACTIVITY_MEMCPY && told[name] & NAME_TO_HOST)
		step->copied = profile->activity_bytes[activity];
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return;
	step->works = true;
	step->cached |= (told[name] & NAME_FOR_CACHE) != 0;
	if (names[name].family == FAMILY_GEMM)
		add_product(step, derived, activity);
	if (names[name].family != FAMILY_ATTENTION || launch == NO_ROW)
		return;
	bool replayed = derived->role[profile->span_name[launch]] & NAME_GRAPH_LAUNCH;
	step->replayed |= replayed;
	step->eager |= !replayed;
}

static bool copies_tokens(const struct phase_evidence *step, int64_t requests)
{
	if (requests <= 0 || step->copied <= 0 || step->copied % requests != 0)
		return false;
	int64_t each = step->copied / requests;
	return each == TOKEN_BYTES || each == TOKEN_BYTES / 2;
}

static bool has_prompts(const struct phase_evidence *step)
{
	return step->eager && step->requests != NO_VALUE && step->tokens > step->requests;
}

/* PROMPTS: some step has prompts. */
static bool is_decode(const struct phase_evidence *step, bool prompts)
{
	int64_t tokens = step->copied == NO_VALUE ? 0 : step->copied / TOKEN_BYTES;
	if (step->replayed && !step->eager)
		return step->requests != NO_VALUE ||
		       (step->cached && tokens > 0 && tokens <= TOKENS_MAX);
	return step->eager && step->requests != NO_VALUE && step->tokens == step->requests &&
	       (prompts || (step->cached && copies_tokens(step, step->requests)));
}

static void set_phase(struct step *step, const struct phase_evidence *evidence, enum phase phase)
{
	step->phase = (uint8_t)phase;
	step->inferred = true;
	step->batch.requests = phase == PHASE_IDLE ? 0 : evidence->requests;
	step->batch.tokens_in = phase == PHASE_PREFILL ? evidence->tokens : NO_VALUE;
	step->batch.tokens_out = phase == PHASE_DECODE ? evidence->requests : NO_VALUE;
	if (phase == PHASE_DECODE || phase == PHASE_IDLE)
		step->batch.tokens_in = 0;
	if (phase == PHASE_PREFILL || phase == PHASE_IDLE)
		step->batch.tokens_out = 0;
}

/* Prompts are mixed with decode if some attention is as in decode steps, and some is not. */
static bool find_mixed(struct phase_evidence *steps, const struct derived *derived,
		       const struct kernel_name *names, const uint8_t *decode,
		       const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_FREE uint8_t *in_decode = mem_zalloc(derived->names + 1, 1);
	bool ok = true;
	for (int round = 0; round < 2; round++)
		for_rows (ok, i, profile->activities, progress, stage) {
			uint32_t at = derived->activity_step[i], name = profile->activity_name[i];
			if (at == NO_ROW || names[name].family != FAMILY_ATTENTION)
				continue;
			if (round == 0)
				in_decode[name] |= decode[at];
			else if (in_decode[name])
				steps[at].in_decode = true;
			else
				steps[at].not_decode = true;
		}
	return ok;
}

/* Does the profile tell phases, or that a model is trained? */
static bool needs_no_phases(const struct derived *derived)
{
	for (uint32_t i = 0; i < derived->names; i++)
		if (derived->role[i] & (NAME_OPTIMIZER | NAME_BACKWARD | NAME_BACKWARD_ENGINE))
			return true;
	return !derived->steps_from_profile ||
	       any_of(i, derived->step_count,
		      derived->steps[i].phase || derived->steps[i].batch.requests != NO_VALUE);
}

bool serving_infer(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t count = derived->step_count;
	bool prompts = false, any = false;
	if (needs_no_phases(derived))
		return true;
	const struct kernel_name *names = derived_kernel_names(derived, progress);
	AUTO_FREE struct phase_evidence *steps = mem_zalloc(count + 1, sizeof *steps);
	AUTO_FREE uint8_t *decode = mem_zalloc(count + 1, 1);
	AUTO_FREE uint8_t *told = mem_zalloc(derived->names + 1, 1);
	for (uint32_t i = 0; i < count; i++)
		steps[i] = (struct phase_evidence){ .last = INT64_MIN,
						    .requests = NO_VALUE,
						    .copied = NO_VALUE };
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!names || !progress_row(progress, stage, i, profile->activities))
			return false;
		if (derived->activity_step[i] != NO_ROW)
			phase_evidence_add(&steps[derived->activity_step[i]], derived, names, told,
					   i);
	}
	for (uint32_t i = 0; i < count; i++)
		prompts |= has_prompts(&steps[i]);
	for (uint32_t i = 0; i < count; i++)
		any |= (decode[i] = is_decode(&steps[i], prompts));
	if ((!any && !prompts) || !find_mixed(steps, derived, names, decode, progress))
		return !any && !prompts;
	for (uint32_t i = 0; i < count; i++)
		if (decode[i])
			set_phase(&derived->steps[i], &steps[i], PHASE_DECODE);
		else if (has_prompts(&steps[i]))
			set_phase(&derived->steps[i], &steps[i],
				  steps[i].in_decode && steps[i].not_decode ? PHASE_MIXED
									    : PHASE_PREFILL);
		else if (!steps[i].works)
			set_phase(&derived->steps[i], &steps[i], PHASE_IDLE);
	return true;
}
