#include "derived/serving.h"

#include "derived/selection.h"

#include <ctype.h>

/* ---- reading names ---- */

static const struct server_form {
	const char *form, *keys;
	enum phase phase;
	bool open;
} forms[] = { SERVER_NAMES_ROWS };

static const char letters[] = "PGpgcdrksn+";

static int64_t *number_of(int64_t *numbers, char letter)
{
	return &numbers[strchr(letters, letter) - letters];
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

static bool read_form(const char *form, const char *at, int64_t *numbers)
{
	for (; *form; form++)
		if (*form == '%') {
			if (!take_number(&at, number_of(numbers, *++form)))
				return false;
		} else if (*form == '*')
			at += strcspn(at, (const char[]){ form[1], 0 });
		else if (*at++ != *form)
			return false;
	return true;
}

/* What follows " KEY=" or "[KEY=" in NAME; NULL. */
static const char *value_of_key(const char *name, const char *key, size_t length)
{
	for (; *name; name++)
		if ((*name == ' ' || *name == '[') && strncmp(name + 1, key, length) == 0 &&
		    name[1 + length] == '=')
			return name + length + 2;
	return NULL;
}

static bool read_keys(const char *keys, const char *name, int64_t *numbers)
{
	for (; *keys; keys += strcspn(keys, " "), keys += strspn(keys, " ")) {
		size_t length = strcspn(keys, "?=");
		const char *value = value_of_key(name, keys, length);
		bool optional = keys[length] == '?';
		keys += length + optional + 1;
		bool read = value && take_number(&value, number_of(numbers, *keys));
		if (!read && !optional)
			return false;
		if (read && keys[1] == '/' && *value++ == '/')
			take_number(&value, number_of(numbers, keys[2]));
	}
	return *number_of(numbers, '+') != 0;
}

static bool batch_of_form(const struct server_form *form, const char *name,
			  struct request_batch *batch, enum phase *phase)
{
	int64_t numbers[sizeof letters];
	for (size_t i = 0; i < sizeof letters; i++)
		numbers[i] = NO_VALUE;
	if (!read_form(form->form, name, numbers) || !read_keys(form->keys, name, numbers))
		return false;
	int64_t prompts = *number_of(numbers, 'P'), generating = *number_of(numbers, 'G');
	int64_t all = *number_of(numbers, 'r'), context = *number_of(numbers, 'k');
	*phase = form->phase;
	if (prompts != NO_VALUE)
		*phase = prompts && generating ? PHASE_MIXED
			 : prompts             ? PHASE_PREFILL
			 : generating          ? PHASE_DECODE
					       : PHASE_IDLE;
	bool no_prompts = !form->open && (*phase == PHASE_DECODE || *phase == PHASE_IDLE);
	bool none_next = !form->open && (*phase == PHASE_PREFILL || *phase == PHASE_IDLE);
	*batch = (struct request_batch){
		.requests = all != NO_VALUE ? all : sum_known(prompts, generating),
		.tokens_in = no_prompts ? 0 : *number_of(numbers, 'p'),
		.tokens_out = none_next ? 0 : *number_of(numbers, 'g'),
		.context = context != NO_VALUE
				   ? context
				   : sum_known(*number_of(numbers, 'c'), *number_of(numbers, 'd')),
		.slots = *number_of(numbers, 's'),
	};
	return true;
}

bool batch_of_name(const char *name, struct request_batch *batch, enum phase *phase)
{
	size_t i = 0;
	*batch = BATCH_UNKNOWN;
	while (i < sizeof forms / sizeof *forms && !batch_of_form(&forms[i], name, batch, phase))
		i++;
	return i < sizeof forms / sizeof *forms;
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
