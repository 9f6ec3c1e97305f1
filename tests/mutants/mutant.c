/*
 * Appended to one file of the engine. STRATA_MUTANTS_REACHED=FILE appends the numbers of the
 * mutants that a process has executed, one a line. It is opened first: a sandbox may forbid it
 * later.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int mutant_chosen;
unsigned char mutant_reached[MUTANTS_MAX];
static int mutant_file = -1;

__attribute__((constructor)) static void choose_mutant(void)
{
	const char *chosen = getenv("STRATA_MUTANT"), *path = getenv("STRATA_MUTANTS_REACHED");
	mutant_chosen = chosen ? atoi(chosen) : 0;
	if (path)
		mutant_file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void write_reached(void)
{
	for (int i = 1; mutant_file >= 0 && i < MUTANTS_MAX; i++)
		if (mutant_reached[i])
			dprintf(mutant_file, "%d\n", i);
}
