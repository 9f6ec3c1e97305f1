/*
 * peak FILE COMMAND...: runs the command and writes its peak resident memory, in bytes, to FILE.
 * Exits with the command's status.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 3) {
		fputs("usage: peak FILE COMMAND...\n", stderr);
		return 2;
	}
	pid_t child = fork();
	if (child == 0) {
		execv(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child) {
		perror("peak");
		return 1;
	}
	FILE *out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%ld\n", usage.ru_maxrss * 1024) < 0 || fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
