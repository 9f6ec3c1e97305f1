#include "base/platform.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/small_file.h"

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#if defined __linux__ && !defined PLATFORM_PORTABLE

void *platform_memrchr(const void *bytes, int byte, size_t length)
{
	return memrchr(bytes, byte, length);
}

bool platform_program(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size);
	if (length <= 0 || (size_t)length >= size)
		return false;
	out[length] = '\0';
	return true;
}

int platform_unnamed_file(const char *directory, unsigned mode)
{
	return open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
}

bool platform_name_file(int descriptor, const char *name)
{
	char own[32];
	snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
	return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

unsigned platform_processors(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	return count < 1 ? 1 : (unsigned)count;
}

/* Path of the cgroup (version 2) below /sys/fs/cgroup; false if there is none. */
static bool find_cgroup(char *out, size_t size)
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

uint64_t platform_memory_free(void)
{
	char group[640], path[704];
	int64_t free = platform_setting("/proc/meminfo", "MemAvailable:") * 1024;
	free = free < 0 ? 0 : free;
	if (!find_cgroup(group, sizeof group))
		return (uint64_t)free;
	snprintf(path, sizeof path, "%s/memory.max", group);
	int64_t max = platform_setting(path, "");
	if (max <= 0) /* missing or "max" */
		return (uint64_t)free;
	snprintf(path, sizeof path, "%s/memory.current", group);
	int64_t used = platform_setting(path, "");
	/* page cache is reclaimable */
	snprintf(path, sizeof path, "%s/memory.stat", group);
	used -= platform_setting(path, "inactive_file");
	int64_t left = used < 0 ? max : max > used ? max - used : 1;
	return (uint64_t)(!free || left < free ? left : free);
}

#else

void *platform_memrchr(const void *bytes, int byte, size_t length)
{
	const unsigned char *at = (const unsigned char *)bytes + length;
	while (length--)
		if (*--at == (unsigned char)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}

bool platform_program(char *out, size_t size)
{
	return false;
}

int platform_unnamed_file(const char *directory, unsigned mode)
{
	return -1;
}

bool platform_name_file(int descriptor, const char *name)
{
	return false;
}

unsigned platform_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : (unsigned)count;
}

uint64_t platform_memory_free(void)
{
	return 0;
}
#endif

int64_t platform_setting(const char *path, const char *key)
{
	char text[8192];
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = 0;
	const char *at = strstr(text, key);
	return length && at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

bool platform_process_read(struct buffer *text, int32_t pid, const char *name)
{
	char path[64];
	struct error ignored;
	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	FILE *file = fopen(path, "re");
	bool read = file && small_file_read(text, file, name, path, &ignored) && text->length;
	if (file)
		fclose(file);
	return read;
}

/* Of the thread: systems disagree on the arguments of qsort_r. */
static _Thread_local struct {
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
} sorting;

static int compare_in_context(const void *a, const void *b)
{
	return sorting.compare(a, b, sorting.context);
}

void platform_sort(void *items, size_t count, size_t size,
		   int (*compare)(const void *a, const void *b, void *context), void *context)
{
	sorting.compare = compare;
	sorting.context = context;
	if (count)
		qsort(items, count, size, compare_in_context);
}

void platform_yield(void)
{
	sched_yield();
}

void platform_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
