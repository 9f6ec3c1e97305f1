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

enum { ROUNDS = 9, STAGES = 3 };
static const char *const stage_names[STAGES] = { "parse", "finish", "facts" };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double best(double a, double b)
{
	return a < b ? a : b;
}

/* Seconds for the bytes of the file alone, through one buffer. */
static double read_bare(const char *path)
{
	enum { BLOCK = 1 << 20 };
	char *block = mem_alloc(BLOCK);
	double start = now();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, block, BLOCK) > 0)
		;
	close(fd);
	mem_free(block);
	return now() - start;
}

/* The stages tell themselves apart by what they report. */
struct clock {
	const char *stage;
	double finish_began;
};

static bool on_progress(void *context, const char *stage, uint64_t done, uint64_t total,
			uint64_t rows)
{
	struct clock *clock = context;
	(void)done;
	(void)total;
	(void)rows;
	if (strcmp(stage, "ordering") == 0 && !clock->finish_began)
		clock->finish_began = now();
	return true;
}

static bool measure(const char *path, double seconds[STAGES], uint64_t *text_bytes, double *each)
{
	struct error error = { 0 };
	struct clock clock = { 0 };
	struct progress progress = { on_progress, &clock };
	double start = now();
	struct profile *profile = profile_open(path, &progress, &error);
	double opened = now();
	struct facts *facts = profile ? facts_build(profile, NULL, NULL, &error) : NULL;
	double ready = now();
	if (!facts) {
		fprintf(stderr, "open_trace: %s: %s\n", path, error.message);
		profile_free(profile);
		return false;
	}
	double split = clock.finish_began ? clock.finish_began : opened;
	seconds[0] = best(seconds[0], split - start);
	seconds[1] = best(seconds[1], opened - split);
	seconds[2] = best(seconds[2], ready - opened);
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
		double seconds[STAGES] = { 1e9, 1e9, 1e9 }, bare = 1e9, each = 0, all = 0;
		uint64_t bytes = 0;
		bool done = true;
		for (int round = 0; done && round < ROUNDS; round++) {
			bare = best(bare, read_bare(argv[i]));
			done = measure(argv[i], seconds, &bytes, &each);
		}
		status |= !done;
		if (!done)
			continue;
		printf("%s: %.0f MB of text\n", argv[i], (double)bytes / 1e6);
		for (int stage = 0; stage < STAGES; stage++) {
			all += seconds[stage];
			printf("  %-8s %8.3f s\n", stage_names[stage], seconds[stage]);
		}
		printf("  %-8s %8.3f s, %.0f MB/s; reading the bytes %.3f s: %.1f times\n", "ready",
		       all, (double)bytes / all / 1e6, bare, all / bare);
		printf("  %.0f bytes an event\n", each);
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f MB at the peak\n", (double)usage.ru_maxrss / 1024);
	return status;
}
