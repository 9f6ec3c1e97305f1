#include "base/replace.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct replace {
	char *path;      /* the target, symbolic links resolved */
	char *temporary; /* NULL: written directly */
	int descriptor;
	bool in_place; /* a regular file is written directly */
};

static void replace_free(struct replace *replace)
{
	mem_free(replace->path);
	mem_free(replace->temporary);
	mem_free(replace);
}

static bool cannot_write(struct error *error, const char *path)
{
	return error_set(error, ERROR_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
}

/* Create a temporary file with an unused name beside PATH. */
static bool open_temporary(struct replace *replace, mode_t mode)
{
	const char *slash = strrchr(replace->path, '/');
	int directory = slash ? (int)(slash - replace->path) + 1 : 0;
	for (int attempt = 0; attempt < 100; attempt++) {
		struct buffer name = { 0 };
		buffer_printf(&name, "%.*s.%.200s.%ld-%d.tmp", directory, replace->path,
			      replace->path + directory, (long)getpid(), attempt);
		replace->descriptor = open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (replace->descriptor >= 0) {
			replace->temporary = name.data;
			return true;
		}
		buffer_free(&name);
		if (errno != EEXIST)
			return false;
	}
	return false;
}

/* The directory does not admit new files: the old content is given up. */
static bool open_in_place(struct replace *replace)
{
	replace->in_place = true;
	replace->descriptor = open(replace->path, O_RDWR | O_TRUNC | O_CLOEXEC);
	return replace->descriptor >= 0;
}

static bool admits_no_file(int code)
{
	return code == EACCES || code == EPERM || code == EROFS;
}

static bool open_target(struct replace *replace, const struct stat *old)
{
	if (old && !S_ISREG(old->st_mode)) {
		replace->descriptor = open(replace->path, O_WRONLY | O_CLOEXEC);
		return replace->descriptor >= 0;
	}
	if (!open_temporary(replace, 0666))
		return old && admits_no_file(errno) && open_in_place(replace);
	if (old)
		(void)!fchmod(replace->descriptor, old->st_mode & 0777);
	return true;
}

struct replace *replace_begin(const char *path, bool force, struct error *error)
{
	struct stat old;
	bool exists = stat(path, &old) == 0;
	if (!exists && errno != ENOENT) {
		cannot_write(error, path);
		return NULL;
	}
	/* the mode and not access(), which allows everything to the superuser */
	if (exists && !force && S_ISREG(old.st_mode) && !(old.st_mode & 0222)) {
		error_set(error, ERROR_OUTPUT, "%s: the file is read-only; --force replaces it",
			  path);
		return NULL;
	}
	struct replace *replace = mem_zalloc(1, sizeof *replace);
	char *resolved = exists && S_ISREG(old.st_mode) ? realpath(path, NULL) : NULL;
	replace->path = mem_strdup(resolved ? resolved : path);
	free(resolved);
	if (open_target(replace, exists ? &old : NULL))
		return replace;
	cannot_write(error, path);
	replace_free(replace);
	return NULL;
}

int replace_descriptor(const struct replace *replace)
{
	return replace->descriptor;
}

const char *replace_path(const struct replace *replace)
{
	return replace->temporary ? replace->temporary : replace->path;
}

bool replace_is_atomic(const char *path)
{
	struct stat old;
	char *resolved = realpath(path, NULL);
	bool known = resolved && stat(resolved, &old) == 0 && S_ISREG(old.st_mode);
	char *slash = known ? strrchr(resolved, '/') : NULL;
	if (slash)
		slash[slash == resolved] = 0;
	bool admits = !slash || faccessat(AT_FDCWD, resolved, W_OK | X_OK, AT_EACCESS) == 0;
	free(resolved);
	return admits;
}

bool replace_write(struct replace *replace, const void *data, size_t length, struct error *error)
{
	for (const char *at = data; length;) {
		ssize_t written = write(replace->descriptor, at, length);
		if (written < 0 && errno != EINTR)
			return cannot_write(error, replace->path);
		at += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

bool replace_commit(struct replace *replace, struct error *error)
{
	bool done = true;
	if (replace->temporary || replace->in_place)
		done = fsync(replace->descriptor) == 0;
	if (close(replace->descriptor) != 0)
		done = false;
	if (done && replace->temporary)
		done = rename(replace->temporary, replace->path) == 0;
	if (!done) {
		cannot_write(error, replace->path);
		if (replace->temporary)
			unlink(replace->temporary);
	}
	replace_free(replace);
	return done;
}

void replace_discard(struct replace *replace)
{
	if (!replace)
		return;
	if (replace->in_place)
		(void)!ftruncate(replace->descriptor, 0);
	close(replace->descriptor);
	if (replace->temporary)
		unlink(replace->temporary);
	replace_free(replace);
}

bool replace_end(struct replace *replace, bool done, struct error *error)
{
	if (done)
		return replace_commit(replace, error);
	replace_discard(replace);
	return false;
}
