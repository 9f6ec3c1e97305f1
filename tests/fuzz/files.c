/*
 * TARGET FILE...: runs a fuzz target as a plain program over files and directories of files.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long ran;

static bool run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	size_t length = 0, got;

	if (!file) {
		perror(path);
		return false;
	}
	/* copied to a block of exact size, so that overreads are detected */
	do {
		bytes = realloc(bytes, length + 65536);
		got = bytes ? fread(bytes + length, 1, 65536, file) : 0;
		length += got;
	} while (got > 0);
	fclose(file);
	uint8_t *exact = malloc(length ? length : 1);
	if (!bytes || !exact)
		abort();
	memcpy(exact, bytes, length);
	free(bytes);
	LLVMFuzzerTestOneInput(exact, length);
	free(exact);
	ran++;
	return true;
}

static bool run_folder(DIR *folder, const char *path)
{
	bool good = true;

	for (struct dirent *entry; (entry = readdir(folder));) {
		char file[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		good &= run_file(file);
	}
	return good;
}

int main(int argc, char **argv)
{
	bool good = true;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		good &= folder ? run_folder(folder, argv[i]) : run_file(argv[i]);
		if (folder)
			closedir(folder);
	}
	printf("%ld inputs\n", ran);
	return good ? 0 : 1;
}
