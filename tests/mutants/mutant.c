/*
 * Appended to one file of the engine. STRATA_MUTANTS_REACHED=FILE appends the numbers of the
 * mutants that a process has executed, one a line.
 */
#include <stdio.h>
#include <stdlib.h>

int mutant_chosen;
unsigned char mutant_reached[MUTANTS_MAX];

__attribute__((constructor)) static void choose_mutant(void)
{
	const char *chosen = getenv("STRATA_MUTANT");
	mutant_chosen = chosen ? atoi(chosen) : 0;
}

__attribute__((destructor)) static void write_reached(void)
{
	const char *path = getenv("STRATA_MUTANTS_REACHED");
	FILE *file = path ? fopen(path, "a") : NULL;
	for (int i = 1; file && i < MUTANTS_MAX; i++)
		if (mutant_reached[i])
			fprintf(file, "%d\n", i);
	if (file)
		fclose(file);
}
