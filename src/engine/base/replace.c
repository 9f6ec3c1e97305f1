#include "base/replace.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/inputs.h"
#include "base/platform.h"
#include "base/write_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

struct replace {
	char *path;      /* the target, symbolic links resolved */
	char *temporary; /* NULL: none, or it has no name yet */
	int descriptor;
	bool unnamed;  /* a file without a name, which ends with the process */
	bool in_place; /* a regular file is written directly */
};

static void replace_free(struct replace *replace)
{
	mem_free_all(replace->path, replace->temporary, replace);
}

static bool cannot_write(struct error *error, const char *path)
{
	return error_output(error, "%s: cannot write: %s", path, strerror(errno));
}

/*
 * Remove the temporary file of a writer that was killed: a living one holds its lock. Not what
 * belongs to another user.
 */
static void remove_abandoned(const char *name)
{
	struct stat status;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlink(name);
	close(fd);
}

/* Give the file this name: that without one, or else a new one. False with errno. */
static bool take_name(struct replace *replace, const char *name, mode_t mode)
{
	if (replace->unnamed)
		return platform_name_file(replace->descriptor, name);
	struct stat status;
	replace->descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (replace->descriptor < 0)
		return false;
	flock(replace->descriptor, LOCK_EX);
	if (fstat(replace->descriptor, &status) == 0 && status.st_nlink)
		return true;
	close(replace->descriptor); /* another writer took it for abandoned */
	errno = EEXIST;
	return false;
}

/* Name the temporary file, beside PATH. False with errno. */
static bool name_temporary(struct replace *replace, mode_t mode)
{
	const char *slash = strrchr(replace->path, '/');
	int directory = slash ? (int)(slash - replace->path) + 1 : 0;
	for (int attempt = 0; attempt < 100; attempt++) {
		struct buffer name = { 0 };
		buffer_printf(&name, "%.*s.%.200s.strata-%d.tmp", directory, replace->path,
			      replace->path + directory, attempt);
		remove_abandoned(name.data);
		if (take_name(replace, name.data, mode)) {
			replace->unnamed = false;
			replace->temporary = name.data;
			return true;
		}
		buffer_free(&name);
		if (errno != EEXIST)
			return false;
	}
	return false;
}

/* Without a name where the file system has such files, so that a killed writer leaves nothing. */
static bool open_temporary(struct replace *replace, mode_t mode)
{
	const char *slash = strrchr(replace->path, '/');
	char *directory = slash ? mem_strndup(replace->path, (size_t)(slash - replace->path) + 1)
				: mem_strdup(".");
	replace->descriptor = platform_unnamed_file(directory, mode);
	mem_free(directory);
	replace->unnamed = replace->descriptor >= 0;
	if (!replace->unnamed)
		return name_temporary(replace, mode);
	flock(replace->descriptor, LOCK_EX);
	return true;
}

/* The directory does not admit new files: the old content is given up. */
static bool open_in_place(struct replace *replace)
{
	replace->in_place = true;
	replace->descriptor = open(replace->path, O_RDWR | O_TRUNC | O_CLOEXEC);
	return replace->descriptor >= 0;
}

static bool open_target(struct replace *replace, const struct stat *old)
{
	if (old && !S_ISREG(old->st_mode)) {
		replace->descriptor = open(replace->path, O_WRONLY | O_CLOEXEC);
		return replace->descriptor >= 0;
	}
	if (!open_temporary(replace, 0666))
		return old && (errno == EACCES || errno == EPERM || errno == EROFS) &&
		       open_in_place(replace);
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
	if (exists && inputs_have(&old)) {
		error_output(error, "%s: is read by this command; write another file", path);
		return NULL;
	}
	/* the mode and not access(), which allows everything to the superuser */
	if (exists && !force && S_ISREG(old.st_mode) && !(old.st_mode & 0222)) {
		error_output(error, "%s: the file is read-only; --force replaces it", path);
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

const char *replace_path(struct replace *replace, struct error *error)
{
	if (replace->unnamed && !name_temporary(replace, 0)) {
		cannot_write(error, replace->path);
		return NULL;
	}
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
	return write_all(replace->descriptor, data, length) || cannot_write(error, replace->path);
}

bool replace_commit(struct replace *replace, struct error *error)
{
	bool done = true;
	if (replace->unnamed || replace->temporary || replace->in_place)
		done = fsync(replace->descriptor) == 0;
	if (done && replace->unnamed)
		done = name_temporary(replace, 0);
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
