#include "analysis/advice/actions.h"

#include "analysis/advice/judge_kernels.h"
#include "base/data_table.h"
#include "base/text_slice.h"

enum { FACT_ROWS(LISTED_BIT) };
enum fact { FACT_ROWS(LISTED_FLAG) };

/* Places are bits of enum fact from 1. */
static const char *const fact_names[] = { "none", FACT_ROWS(LISTED_WORD) NULL };

struct action_choice {
	const char *detector;
	int needs, lacks; /* places in fact_names */
	bool whatever;    /* replaces any action */
	const char *part; /* of the action that it replaces; NULL: of the detector's own */
	const char *text;
};

static bool is_product(const struct diagnosis *diagnosis, uint32_t name)
{
	uint8_t family = diagnosis->kernel_names[name].family;
	return family == FAMILY_GEMM || family == FAMILY_CONV;
}

/* Is most time of products and convolutions in kernels with these words in their names? */
static bool is_mostly(const struct diagnosis *diagnosis, const char *words, bool or_half)
{
	const struct profile *profile = diagnosis->profile;
	int64_t all_ns = 0, found_ns = 0;
	for (uint32_t name = 0; name < diagnosis->derived->names; name++) {
		int64_t ns = is_product(diagnosis, name) ? diagnosis->kernel_sums[name].ns : 0;
		all_ns += ns;
		found_ns += ns && text_holds_one(profile_string(profile, name), words) ? ns : 0;
	}
	for (uint32_t i = 0; or_half && i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t name = profile->activity_name[i];
		if (counts_as_kernel(diagnosis, i) && is_product(diagnosis, name) &&
		    !text_holds_one(profile_string(profile, name), words) &&
		    call_is_half(diagnosis, kernel_operator(diagnosis, i)))
			found_ns += profile->activity_dur[i];
	}
	return 2 * found_ns > all_ns;
}

/* What names of the rows tell. */
static unsigned facts_of_names(const struct diagnosis *diagnosis)
{
	unsigned facts = 0;
	for (uint32_t i = 0; i < diagnosis->derived->names && detect_row(diagnosis, i); i++) {
		const char *name = profile_string(diagnosis->profile, i);
		if (!name_has(diagnosis, i, MARK_IN_USE))
			continue;
		if (strstr(name, "at::native") || strncmp(name, "aten::", 6) == 0)
			facts |= FACT_TORCH;
		if (strstr(name, "FSDP") || strstr(name, "FullySharded"))
			facts |= FACT_FSDP;
		if (strstr(name, "ackward") || strstr(name, "_bwd") || strstr(name, "wgrad"))
			facts |= FACT_TRAINING;
	}
	return facts;
}

unsigned facts_of(const struct diagnosis *diagnosis)
{
	const struct recording *recording = profile_recording(diagnosis->profile);
	unsigned facts = facts_of_names(diagnosis);
	facts |= diagnosis->plain ? FACT_PLAIN : 0;
	facts |= diagnosis->serving ? FACT_SERVER : 0;
	facts |= recording->what == RECORDING_OF_XLA        ? FACT_XLA
		 : recording->what == RECORDING_OF_TENSORRT ? FACT_TENSORRT
		 : recording->what == RECORDING_OF_KERNELS  ? FACT_COUNTERS
		 : recording->any_ranges                    ? FACT_UNKNOWN
							    : 0;
	if (diagnosis->any_roles & (NAME_BACKWARD | NAME_BACKWARD_ENGINE | NAME_OPTIMIZER))
		facts |= FACT_TRAINING;
	if (!(facts & FACT_TRAINING) && !diagnosis->plain)
		facts |= FACT_INFERENCE;
	bool narrow = is_mostly(
		diagnosis,
		"e4m3|e5m2|fp8|float8|mxfp|nvfp4|block_scaled|int8|int4|awq|gptq|marlin|machete",
		false);
	facts |= narrow ? FACT_NARROW : 0;
	return facts |
	       (narrow || is_mostly(diagnosis, "f16|half|hgemm|_BBS_|_HHS_", true) ? FACT_HALF : 0);
}

/* Does the fact at this place of fact_names hold? */
static bool holds(unsigned facts, int place)
{
	return place > 0 && facts & 1u << (place - 1);
}

void choose_action(struct finding *finding, unsigned facts)
{
	const char *own = finding->answer == ANSWER_FIRED ? finding->recommendation : NULL;
	for (const struct action_choice *action =
		     DATA_ROWS("actions.txt", struct action_choice, ACTION_FIELD_ROWS);
	     action->detector && own; action++) {
		bool fits = strcmp(action->detector, finding->detector->id) == 0 &&
			    holds(facts, action->needs) && !holds(facts, action->lacks);
		if (fits && (action->whatever ||
			     (action->part ? strstr(own, action->part) != NULL
					   : own == finding->detector->recommendation))) {
			finding->recommendation = action->text;
			return;
		}
	}
}
