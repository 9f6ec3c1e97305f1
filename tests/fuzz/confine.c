#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALLOWED_MAX = 8 };

static bool confined;
static char directory[64];
static int outside = -1;
static const char *allowed[ALLOWED_MAX];

/* ---- allowed paths ---- */

static bool may_write(const char *path)
{
	return !confined || (!strchr(path, '/') && strcmp(path, "..") != 0);
}

static bool may_read(const char *path)
{
	if (may_write(path))
		return true;
	for (int i = 0; i < ALLOWED_MAX && allowed[i] && !strstr(path, "/.."); i++) {
		size_t length = strlen(allowed[i]);
		if (strncmp(path, allowed[i], length) == 0 &&
		    (!path[length] || path[length] == '/'))
			return true;
	}
	return false;
}

static bool refuse(void)
{
	errno = EACCES;
	return false;
}

static bool may_open(const char *path, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;

	return (writes ? may_write(path) : may_read(path)) || refuse();
}

/* ---- wrappers named by --wrap ---- */

int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
int __real_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __real_mkdir(const char *path, mode_t mode);
int __real_unlink(const char *path);
int __real_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_unlink(const char *path);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode = 0;

	va_start(arguments, flags);
	if (flags & O_CREAT)
		mode = va_arg(arguments, mode_t);
	va_end(arguments);
	return may_open(path, flags) ? __real_open(path, flags, mode) : -1;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	int flags = strpbrk(mode, "wa+") ? O_RDWR | O_CREAT : O_RDONLY;

	return may_open(path, flags) ? __real_fopen(path, mode) : NULL;
}

DIR *__wrap_opendir(const char *path)
{
	return may_open(path, O_RDONLY) ? __real_opendir(path) : NULL;
}

int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	return may_open(path, O_RDONLY) ? __real_scandir(path, list, filter, compare) : -1;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	return !confined || refuse() ? __real_mkdir(path, mode) : -1;
}

int __wrap_unlink(const char *path)
{
	return may_open(path, O_RDWR) ? __real_unlink(path) : -1;
}

int __wrap_rename(const char *from, const char *to)
{
	return may_open(from, O_RDWR) && may_open(to, O_RDWR) ? __real_rename(from, to) : -1;
}

/* ---- start and end ---- */

static void empty(void)
{
	DIR *open = opendir(directory);

	for (struct dirent *entry; open && (entry = readdir(open));)
		unlinkat(dirfd(open), entry->d_name, 0);
	if (open)
		closedir(open);
}

static void remove_directory(void)
{
	empty();
	rmdir(directory);
}

void confine_allow(const char *path)
{
	int i = 0;

	while (i < ALLOWED_MAX && allowed[i])
		i++;
	if (i == ALLOWED_MAX)
		abort();
	allowed[i] = path;
}

void confine_begin(void)
{
	if (!*directory) {
		snprintf(directory, sizeof directory, "%s/strata-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(directory))
			abort();
		atexit(remove_directory);
	}
	outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (outside < 0 || chdir(directory) != 0)
		abort();
	confined = true;
}

void confine_end(void)
{
	confined = false;
	if (fchdir(outside) != 0 || close(outside) != 0)
		abort();
	empty();
}
