/*
 * Appended to one file of the engine. With STRATA_MUTANTS_REACHED=FILE the processes share the
 * bytes of that file, one a mutant: 1 where it was executed, whatever ends the process. FILE is
 * mapped first: a sandbox may forbid it later.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int mutant_chosen;
unsigned char mutant_reached[MUTANTS_MAX] __attribute__((aligned(65536)));

__attribute__((constructor)) static void choose_mutant(void)
{
	const char *chosen = getenv("STRATA_MUTANT"), *path = getenv("STRATA_MUTANTS_REACHED");
	int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	mutant_chosen = chosen ? atoi(chosen) : 0;
	if (file >= 0 && !ftruncate(file, MUTANTS_MAX))
		mmap(mutant_reached, MUTANTS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     file, 0);
	if (file >= 0)
		close(file);
}
