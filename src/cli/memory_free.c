#include "cli/memory_free.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Number in a file; false if it is missing or "max". */
static bool read_number(const char *path, uint64_t *number)
{
	FILE *file = fopen(path, "r");
	bool found = file && fscanf(file, "%" SCNu64, number) == 1;
	if (file)
		fclose(file);
	return found;
}

/* Value of KEY in a file of "key number" lines; 0 if missing. */
static uint64_t read_entry(const char *path, const char *key)
{
	char line[256];
	uint64_t number = 0;
	size_t length = strlen(key);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, key, length) == 0 &&
		    sscanf(line + length, " %" SCNu64, &number) == 1)
			break;
	}
	if (file)
		fclose(file);
	return number;
}

/* Path of the cgroup (version 2) below /sys/fs/cgroup; false if there is none. */
static bool memory_free_find_group(char *out, size_t size)
{
	char line[512];
	bool found = false;
	FILE *file = fopen("/proc/self/cgroup", "r");
	while (file && !found && fgets(line, sizeof line, file)) {
		found = strncmp(line, "0::/", 4) == 0;
		line[strcspn(line, "\n")] = 0;
		if (found)
			snprintf(out, size, "/sys/fs/cgroup%s", line + 3);
	}
	if (file)
		fclose(file);
	return found;
}

uint64_t memory_free(void)
{
	char group[640], path[704];
	uint64_t free = 1024 * read_entry("/proc/meminfo", "MemAvailable:"), max, used = 0;
	if (!memory_free_find_group(group, sizeof group))
		return free;
	snprintf(path, sizeof path, "%s/memory.max", group);
	if (!read_number(path, &max))
		return free;
	snprintf(path, sizeof path, "%s/memory.current", group);
	read_number(path, &used);
	/* page cache is reclaimable */
	snprintf(path, sizeof path, "%s/memory.stat", group);
	uint64_t cached = read_entry(path, "inactive_file");
	used = used > cached ? used - cached : 0;
	uint64_t left = max > used ? max - used : 1;
	return !free || left < free ? left : free;
}
