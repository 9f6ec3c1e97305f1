/*
 * tracegen: writes the trace of a small training run of any size, reproducible by seed.
 */
#include "tracegen/train.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: tracegen [OPTION]...\n"
	"Write a PyTorch profiler trace of a small residual network in training.\n"
	"\n"
	"  --steps N          training steps (default 3)\n"
	"  --events N         generate at least N events\n"
	"  --size BYTES       generate at least BYTES (suffix K, M or G)\n"
	"  --layers N         residual blocks (default 8, at most 128)\n"
	"  --stacks DEPTH     Python frames per call (default 14, at most 80; 0: none)\n"
	"  --seed N           random seed (default 1)\n"
	"  --rank R --world N rank R of N ranks that all-reduce their gradients\n"
	"  --slow LAYER:FACTOR  slow down the kernels of a layer, e.g. layer3.0:2.5\n"
	"  --straggler RANK:FACTOR  slow down every kernel of one rank\n"
	"  --synchronize LAYER  wait for the GPU in the forward pass of a layer\n"
	"  --no-steps         omit step annotations\n"
	"  --no-modules       omit nn.Module calls\n"
	"  --no-shapes        omit input shapes\n"
	"  -o FILE            write to FILE (default: standard output)\n"
	"  -h, --help         print this help\n";

static int complain(const char *what, const char *value)
{
	fprintf(stderr, "tracegen: %s: %s\n", what, value);
	return 2;
}

/* Parse an integer of at most LIMIT with an optional K, M or G. */
static bool tracegen_parse_number(const char *text, uint64_t limit, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || end == text || *text == '-')
		return false;
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		uint64_t scale = UINT64_C(1) << 10 * (suffix - suffixes + 1);
		if (*value > limit / scale)
			return false;
		*value *= scale;
		end++;
	}
	return !*end && *value <= limit;
}

static bool parse_int(const char *text, int limit, int *value)
{
	uint64_t number;

	if (!tracegen_parse_number(text, (uint64_t)limit, &number))
		return false;
	*value = (int)number;
	return true;
}

/* Parse "WHAT:FACTOR" and cut TEXT at the colon. */
static bool parse_factor(char *text, double *factor)
{
	char *colon = strrchr(text, ':'), *end;

	if (!colon)
		return false;
	*colon = 0;
	*factor = strtod(colon + 1, &end);
	return !*end && end != colon + 1 && *factor > 0 && *factor <= 1e6;
}

static bool parse_slow(char *text, struct training *training)
{
	int i = training->slow_count;

	if (i == SLOW_MAX || !parse_factor(text, &training->slow[i].factor))
		return false;
	training->slow[i].path = text;
	training->slow_count++;
	return true;
}

enum option_id {
	STEPS = 256,
	EVENTS,
	SIZE,
	LAYERS,
	STACKS,
	SEED,
	RANK,
	WORLD,
	SLOW,
	STRAGGLER,
	SYNCHRONIZE,
	NO_STEPS,
	NO_MODULES,
	NO_SHAPES
};

static const struct option options[] = {
	{ "steps", required_argument, NULL, STEPS },
	{ "events", required_argument, NULL, EVENTS },
	{ "size", required_argument, NULL, SIZE },
	{ "layers", required_argument, NULL, LAYERS },
	{ "stacks", required_argument, NULL, STACKS },
	{ "seed", required_argument, NULL, SEED },
	{ "rank", required_argument, NULL, RANK },
	{ "world", required_argument, NULL, WORLD },
	{ "slow", required_argument, NULL, SLOW },
	{ "straggler", required_argument, NULL, STRAGGLER },
	{ "synchronize", required_argument, NULL, SYNCHRONIZE },
	{ "no-steps", no_argument, NULL, NO_STEPS },
	{ "no-modules", no_argument, NULL, NO_MODULES },
	{ "no-shapes", no_argument, NULL, NO_SHAPES },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool set_option(struct training *training, int option, char *value)
{
	switch (option) {
	case STEPS: return tracegen_parse_number(value, UINT64_MAX, &training->steps);
	case EVENTS: return tracegen_parse_number(value, UINT64_MAX, &training->events);
	case SIZE: return tracegen_parse_number(value, UINT64_MAX, &training->bytes);
	case LAYERS: return parse_int(value, BLOCKS_MAX, &training->blocks) && training->blocks;
	case STACKS: return parse_int(value, STACKS_MAX, &training->stacks);
	case SEED: return tracegen_parse_number(value, UINT64_MAX, &training->seed);
	case RANK: return parse_int(value, WORLD_MAX - 1, &training->rank);
	case WORLD: return parse_int(value, WORLD_MAX, &training->world) && training->world;
	case SLOW: return parse_slow(value, training);
	case STRAGGLER:
		return parse_factor(value, &training->straggler_factor) &&
		       parse_int(value, WORLD_MAX - 1, &training->straggler);
	case SYNCHRONIZE: training->synchronize = value; return true;
	case NO_STEPS: training->mark_steps = false; return true;
	case NO_MODULES: training->modules = false; return true;
	default: training->shapes = false; return true;
	}
}

static int write_trace(const struct training *training, const char *path)
{
	static char pieces[1 << 20];
	FILE *out = path ? fopen(path, "w") : stdout;

	if (!out) {
		complain(path, strerror(errno));
		return 5;
	}
	/* small writes fragment the page cache and slow down later reads */
	setvbuf(out, pieces, _IOFBF, sizeof pieces);
	bool known = train(training, out);
	bool written = !ferror(out) && !fflush(out);
	if (path && fclose(out))
		written = false;
	if (!known)
		return complain("--slow or --synchronize", "no layer of that name");
	if (!written) {
		complain(path ? path : "standard output", strerror(errno));
		return 5;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct training training = { .steps = 3,
				     .seed = 1,
				     .blocks = 8,
				     .stacks = 14,
				     .world = 1,
				     .straggler_factor = 1,
				     .mark_steps = true,
				     .modules = true,
				     .shapes = true };
	const char *path = NULL;
	int option, index = 0;

	while ((option = getopt_long(argc, argv, "ho:", options, &index)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		} else if (option == 'o') {
			path = optarg;
		} else if (option == '?') {
			return 2;
		} else if (!set_option(&training, option, optarg)) {
			return complain(options[index].name, optarg);
		}
	}
	if (optind < argc)
		return complain("unexpected argument", argv[optind]);
	if (training.rank >= training.world)
		return complain("rank", "must be below --world");
	return write_trace(&training, path);
}
