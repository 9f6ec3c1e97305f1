/*
 * Preloaded into the program: lets one call fail, as a full disk, a worn one or an exhausted memory
 * would.
 *
 *   INJECT=KIND:N       the Nth call of a kind fails (alloc: no memory; read: EIO; write: ENOSPC;
 *                       list: no memory to list a folder)
 *   INJECT_COUNT=FILE   how many calls of each kind there were, as lines KIND COUNT
 *
 * Calls are counted from the start of main on, those of libraries with them.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, LIST, KINDS };

static const char *const kind_names[KINDS] = { "alloc", "read", "write", "list" };
static atomic_ulong calls[KINDS];
static unsigned long failing[KINDS]; /* 0: none */
static bool started;

/* Of the C library; these need no lookup, which would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static bool fails(enum kind kind, int error)
{
	if (!started || atomic_fetch_add(&calls[kind], 1) + 1 != failing[kind])
		return false;
	errno = error;
	return true;
}

static FILE *count_file; /* opened before the program gives up the right to */

__attribute__((constructor)) static void start_counting(void)
{
	const char *path = getenv("INJECT_COUNT");
	count_file = path ? fopen(path, "w") : NULL;
	const char *wanted = getenv("INJECT");
	for (int kind = 0; wanted && kind < KINDS; kind++) {
		size_t length = strlen(kind_names[kind]);
		if (strncmp(wanted, kind_names[kind], length) == 0 && wanted[length] == ':')
			failing[kind] = strtoul(wanted + length + 1, NULL, 10);
	}
	started = true;
}

__attribute__((destructor)) static void write_counts(void)
{
	started = false;
	FILE *file = count_file;
	for (int kind = 0; file && kind < KINDS; kind++)
		fprintf(file, "%s %lu\n", kind_names[kind], calls[kind]);
	if (file)
		fclose(file);
}

void *malloc(size_t size)
{
	return fails(ALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(ALLOC, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	return fails(ALLOC, ENOMEM) ? NULL : __libc_realloc(block, size);
}

ssize_t read(int file, void *bytes, size_t size)
{
	return fails(READ, EIO) ? -1 : syscall(SYS_read, file, bytes, size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
	return fails(READ, EIO) ? -1 : syscall(SYS_pread64, file, bytes, size, offset);
}

ssize_t pread64(int file, void *bytes, size_t size, off_t offset)
{
	return pread(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size)
{
	bool counted = file > STDERR_FILENO || file == STDOUT_FILENO; /* messages are to be seen */
	return counted && fails(WRITE, ENOSPC) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset)
{
	return pwrite(file, bytes, size, offset);
}

int scandir(const char *folder, struct dirent ***entries, int (*wanted)(const struct dirent *entry),
	    int (*order)(const struct dirent **a, const struct dirent **b))
{
	__typeof__(&scandir) next = (__typeof__(&scandir))dlsym(RTLD_NEXT, "scandir");
	return fails(LIST, ENOMEM) ? -1 : next(folder, entries, wanted, order);
}
