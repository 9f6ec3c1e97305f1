/*
 * open_trace [-o] [-r ROUNDS] FILE...: measures opening traces, by stage, on one core and on all,
 * compared with reading the bytes and with a scan for brackets and strings, page faults, and memory
 * in bytes per event. -o: only open them, for a profiler.
 *
 * The columns are explained in tests/bench/README.md.
 */
#include "moment.h"

#include "derived/derived.h"
#include "base/error.h"
#include "base/mem.h"
#include "input/json_scan.h"
#include "input/open.h"
#include "model/profile.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum stage { READ, SCAN, PARSE, FINISH, FACTS, STAGES };

/* CPU time of all threads is measured, too: it shows the work done even on a busy machine. */
struct figures {
	struct moment best[STAGES];
	uint64_t text_bytes, events;
	double event_bytes; /* in memory */
	long faults;        /* minor page faults of an opening */
};

static void keep_best(struct moment *best, struct moment from, struct moment to)
{
	double wall = to.wall - from.wall, cpu = to.cpu - from.cpu;
	best->wall = best->wall == 0 || wall < best->wall ? wall : best->wall;
	best->cpu = best->cpu == 0 || cpu < best->cpu ? cpu : best->cpu;
}

/* Read the file through one buffer. */
static void read_bare(const char *path)
{
	enum { BLOCK = 1 << 18 };
	char *block = mem_alloc(BLOCK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, block, BLOCK) > 0)
		;
	close(fd);
	mem_free(block);
}

/*
 * The first quote from AT on, or, with *DEPTH brackets open, the position after the bracket that
 * closes the last of them; END when there is neither. Updates *DEPTH.
 */
static const char *scan_brackets(const char *at, const char *end, size_t *depth)
{
	size_t open = *depth;
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), low = _mm_set1_epi8(0x20);
	const __m128i opening = _mm_set1_epi8('{'), closing = _mm_set1_epi8('}');
	for (; end - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i folded = _mm_or_si128(block, low); /* [ to {, ] to } */
		unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, quote));
		unsigned opens = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, opening));
		unsigned stops = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, closing));
		for (unsigned mask = quotes | opens | stops; mask; mask &= mask - 1) {
			unsigned bit = mask & -mask;
			if (bit & opens) {
				open++;
			} else if (bit & quotes || --open == 0) {
				*depth = open;
				return at + __builtin_ctz(mask) + !(bit & quotes);
			}
		}
	}
#endif
	for (; at < end; at++) {
		if (*at == '[' || *at == '{')
			open++;
		else if (*at == '"' || ((*at == ']' || *at == '}') && --open == 0))
			break;
	}
	*depth = open;
	return at < end && *at != '"' ? at + 1 : at;
}

/* Read the file in blocks and match its brackets, passing over strings, as any JSON reader must. */
static size_t scan_bare(const char *path)
{
	enum { BLOCK = 1 << 18 };
	char *block = mem_alloc(BLOCK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t depth = 1; /* one more than the text has: the scan stops at 0 */
	bool in_string = false;
	ssize_t got;
	while (fd >= 0 && (got = read(fd, block, BLOCK)) > 0)
		for (const char *at = block, *end = block + got; at < end;) {
			const char *stop =
				in_string ? scan_quote(at, end) : scan_brackets(at, end, &depth);
			if (stop < end && in_string && *stop == '\\')
				stop++; /* what it escapes is passed over below */
			else if (stop < end && *stop == '"')
				in_string = !in_string;
			at = stop < end ? stop + 1 : end;
		}
	close(fd);
	mem_free(block);
	return depth;
}

static volatile size_t seen; /* keeps the compiler from removing the scan */

static long page_faults(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* Parsing ends where sorting starts. */
static bool on_progress(void *context, const char *stage, uint64_t done, uint64_t total,
			uint64_t rows)
{
	struct moment *parsed = context;
	if (strcmp(stage, "ordering") == 0 && parsed->wall == 0)
		*parsed = now();
	return true;
}

static void measure_bare(const char *path, struct figures *figures)
{
	struct moment start = now();
	read_bare(path);
	keep_best(&figures->best[READ], start, now());
	start = now();
	seen = scan_bare(path);
	keep_best(&figures->best[SCAN], start, now());
}

static bool measure(const char *path, struct figures *figures)
{
	struct error error = { 0 };
	long faults = page_faults();
	struct moment parsed = { 0, 0 }, start = now();
	struct progress progress = { .update = on_progress, .context = &parsed };
	struct profile *profile = profile_open(path, &progress, &error);
	struct moment opened = now();
	struct derived *derived = profile ? derived_build(profile, NULL, NULL, &error) : NULL;
	struct moment ready = now();
	if (!derived) {
		fprintf(stderr, "open_trace: %s: %s\n", path, error.message);
		profile_free(profile);
		return false;
	}
	if (parsed.wall == 0)
		parsed = opened;
	keep_best(&figures->best[PARSE], start, parsed);
	keep_best(&figures->best[FINISH], parsed, opened);
	keep_best(&figures->best[FACTS], opened, ready);
	figures->faults = page_faults() - faults;
	figures->text_bytes = profile->text_bytes;
	figures->events = profile->events ? profile->events : 1;
	figures->event_bytes = (double)profile_size(profile) / (double)figures->events;
	derived_free(derived);
	profile_free(profile);
	return true;
}

static void print_figures(const char *path, int cores, const struct figures *figures)
{
	const struct moment *best = figures->best;
	const char *slash = strrchr(path, '/');
	double wall = best[PARSE].wall + best[FINISH].wall + best[FACTS].wall;
	double cpu = best[PARSE].cpu + best[FINISH].cpu + best[FACTS].cpu;
	double megabytes = (double)figures->text_bytes / 1e6;
	double events = (double)figures->events;
	printf("%-18.18s %5.0f %5.0f %5d %7.3f %7.3f %7.3f %7.3f %6.0f %8.0f %6.0f %6.1f %6.1f %6.2f %6ld %7.0f\n",
	       slash ? slash + 1 : path, megabytes, megabytes * 1e6 / events, cores,
	       best[PARSE].wall, best[FINISH].wall, best[FACTS].wall, wall, megabytes / wall,
	       megabytes / cpu, cpu * 1e9 / events, cpu / best[READ].cpu, cpu / best[SCAN].cpu,
	       (best[FINISH].cpu + best[FACTS].cpu) / best[PARSE].cpu, figures->faults,
	       figures->event_bytes);
	fflush(stdout);
}

/* The openings follow one another at once: a virtual machine may give memory that stays free for a
 * second back to its host, and getting it again would take longer than reading a large trace. */
static bool measure_on(const cpu_set_t *set, const char *path, long rounds, bool only_open)
{
	struct figures figures = { 0 };
	if (sched_setaffinity(0, sizeof *set, set) != 0)
		return false;
	for (long round = 0; round < rounds && !only_open; round++)
		measure_bare(path, &figures);
	for (long round = 0; round < rounds; round++)
		if (!measure(path, &figures))
			return false;
	print_figures(path, CPU_COUNT(set), &figures);
	return true;
}

int main(int argc, char **argv)
{
	long rounds = 5;
	bool done = true, only_open = false;
	int option;
	cpu_set_t all, one;
	while ((option = getopt(argc, argv, "or:")) != -1) {
		if (option == 'o')
			only_open = true;
		else
			rounds = option == 'r' ? strtol(optarg, NULL, 10) : 0;
	}
	if (rounds < 1 || optind == argc || sched_getaffinity(0, sizeof all, &all) != 0) {
		fprintf(stderr, "usage: open_trace [-o] [-r ROUNDS] FILE...\n");
		return 2;
	}
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	printf("%-18s %5s %5s %5s %7s %7s %7s %7s %6s %8s %6s %6s %6s %6s %6s %7s\n", "trace", "MB",
	       "B/ev", "cores", "parse s", "finish", "facts s", "ready s", "MB/s", "MB/cpu s",
	       "ns/ev", "x read", "x scan", "fin/pa", "faults", "B/event");
	for (int i = optind; i < argc; i++) {
		done &= measure_on(&one, argv[i], rounds, only_open);
		if (CPU_COUNT(&all) > 1)
			done &= measure_on(&all, argv[i], rounds, only_open);
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f MB resident at the peak\n", (double)usage.ru_maxrss / 1024);
	return !done;
}
