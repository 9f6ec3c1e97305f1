/*
 * Writes made-up summaries of ranks: summaries COUNT DIRECTORY [COLLECTIVES]
 */
#include "base/mem.h"
#include "summary_case.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long count = argc == 3 || argc == 4 ? strtol(argv[1], NULL, 10) : 0;
	long collectives = argc == 4 ? strtol(argv[3], NULL, 10) : 100;
	struct buffer bytes = { 0 };
	if (count <= 0 || collectives < 0)
		return 2;
	for (long rank = 0; rank < count; rank++) {
		char path[4096];
		summary_case_make(&bytes, &(struct summary_case){ rank, count, (uint64_t)rank, 10,
								  (size_t)collectives });
		snprintf(path, sizeof path, "%s/rank%ld.strsum", argv[2], rank);
		FILE *file = fopen(path, "wb");
		if (!file || fwrite(bytes.data, 1, bytes.length, file) != bytes.length ||
		    fclose(file) != 0)
			return 1;
	}
	buffer_free(&bytes);
	return 0;
}
