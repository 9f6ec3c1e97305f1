/*
 * open_trace FILE...: how long strata takes to have a trace ready to show, stage by stage, against
 * reading the same bytes, and in how many bytes a row.
 */
#include "analysis/facts.h"
#include "base/error.h"
#include "base/mem.h"
#include "input/open.h"
#include "model/profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, STAGES = 3 };
static const char *const stage_names[STAGES] = { "parse", "finish", "facts" };

/* What CPU time a thread uses is counted too: it tells the work done where others use the machine. */
struct moment { double wall, cpu; };

static double read_clock(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct moment now(void)
{
	return (struct moment){ read_clock(CLOCK_MONOTONIC),
				read_clock(CLOCK_PROCESS_CPUTIME_ID) };
}

static struct moment since(struct moment from, struct moment to)
{
	return (struct moment){ to.wall - from.wall, to.cpu - from.cpu };
}

static void keep_best(struct moment *best, struct moment each)
{
	best->wall = each.wall < best->wall ? each.wall : best->wall;
	best->cpu = each.cpu < best->cpu ? each.cpu : best->cpu;
}

/* Seconds for the bytes of the file alone, through one buffer. */
static struct moment read_bare(const char *path)
{
	enum { BLOCK = 1 << 20 };
	char *block = mem_alloc(BLOCK);
	struct moment start = now();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, block, BLOCK) > 0)
		;
	close(fd);
	mem_free(block);
	return since(start, now());
}

/* The stages tell themselves apart by what they report. */
struct clock {
	const char *stage;
	bool began_finish;
	struct moment finish_began;
};

static bool on_progress(void *context, const char *stage, uint64_t done, uint64_t total,
			uint64_t rows)
{
	struct clock *clock = context;
	(void)done;
	(void)total;
	(void)rows;
	if (strcmp(stage, "ordering") == 0 && !clock->began_finish) {
		clock->finish_began = now();
		clock->began_finish = true;
	}
	return true;
}

static bool measure(const char *path, struct moment seconds[STAGES], uint64_t *text_bytes, double *each)
{
	struct error error = { 0 };
	struct clock clock = { 0 };
	struct progress progress = { on_progress, &clock };
	struct moment start = now();
	struct profile *profile = profile_open(path, &progress, &error);
	struct moment opened = now();
	struct facts *facts = profile ? facts_build(profile, NULL, NULL, &error) : NULL;
	struct moment ready = now();
	if (!facts) {
		fprintf(stderr, "open_trace: %s: %s\n", path, error.message);
		profile_free(profile);
		return false;
	}
	struct moment split = clock.began_finish ? clock.finish_began : opened;
	keep_best(&seconds[0], since(start, split));
	keep_best(&seconds[1], since(split, opened));
	keep_best(&seconds[2], since(opened, ready));
	*text_bytes = profile->text_bytes;
	*each = (double)profile_size(profile) / (double)(profile->events ? profile->events : 1);
	facts_free(facts);
	profile_free(profile);
	return true;
}

int main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++) {
		struct moment seconds[STAGES], bare = { 1e9, 1e9 }, all = { 0, 0 };
		double each = 0;
		uint64_t bytes = 0;
		bool done = true;
		for (int stage = 0; stage < STAGES; stage++)
			seconds[stage] = bare;
		for (int round = 0; done && round < ROUNDS; round++) {
			keep_best(&bare, read_bare(argv[i]));
			done = measure(argv[i], seconds, &bytes, &each);
		}
		status |= !done;
		if (!done)
			continue;
		printf("%s: %.0f MB of text\n", argv[i], (double)bytes / 1e6);
		printf("  %-8s %8.3f s, CPU %.3f s\n", "read", bare.wall, bare.cpu);
		for (int stage = 0; stage < STAGES; stage++) {
			all.wall += seconds[stage].wall;
			all.cpu += seconds[stage].cpu;
			printf("  %-8s %8.3f s, CPU %.3f s\n", stage_names[stage],
			       seconds[stage].wall, seconds[stage].cpu);
		}
		printf("  %-8s %8.3f s, %.0f MB/s (CPU %.3f s, %.0f MB/s), %.1f times reading\n",
		       "ready", all.wall, (double)bytes / all.wall / 1e6, all.cpu,
		       (double)bytes / all.cpu / 1e6, all.cpu / bare.cpu);
		printf("  %.0f bytes an event\n", each);
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f MB at the peak\n", (double)usage.ru_maxrss / 1024);
	return status;
}
