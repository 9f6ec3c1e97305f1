/* Out of the sandbox there is no way: files, programs, network, other processes. */
#include "test.h"

#include "base/mem.h"
#include "base/replace.h"
#include "base/sandbox.h"
#include "file_case.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 }; /* the search for leaks reads /proc and traces */
#else
enum { SANITIZED = 0 };
#endif

static char folder[64];

/* Attempts of a process in the sandbox; 0: refused. It is in FOLDER, with in, out and secret. */
static bool opens(const char *path, int flags)
{
	int fd = open(path, flags, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool runs(const char *program)
{
	char *const arguments[] = { (char *)(uintptr_t)program, NULL };
	pid_t child;
	int status = 1;
	if (posix_spawn(&child, program, NULL, NULL, arguments, NULL) != 0)
		return false;
	waitpid(child, &status, 0);
	return status == 0;
}

static void *open_secret(void *context)
{
	*(bool *)context = opens("secret/file", O_RDONLY);
	return NULL;
}

static bool a_thread_opens(void)
{
	pthread_t thread;
	bool opened = false;
	pthread_create(&thread, NULL, open_secret, &opened);
	pthread_join(thread, NULL);
	return opened;
}

static bool a_child_opens(void)
{
	int status = 1;
	pid_t child = fork();
	if (child == 0)
		_exit(!opens("secret/file", O_RDONLY));
	waitpid(child, &status, 0);
	return status == 0;
}

static bool reaches(pid_t other)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", (int)other);
	return opens(path, O_RDONLY) ||
	       (snprintf(path, sizeof path, "/proc/%d/root/etc/passwd", (int)other),
		opens(path, O_RDONLY));
}

/* The number of the first thing that should have failed or worked; 0: none. */
static int try_to_break_out(pid_t parent)
{
	struct sandbox_state state;
	struct sandbox sandbox;
	sandbox_begin(&sandbox);
	sandbox_allow(&sandbox, "in", false);
	sandbox_allow_output(&sandbox, "out/file");
	sandbox_allow_output(&sandbox, "/dev/null");
	state = sandbox_enter(&sandbox);
	const bool wrong_files[] = {
		!opens("in/file", O_RDONLY),
		opens("in/file", O_WRONLY),
		opens("in/new", O_WRONLY | O_CREAT),
		opens("secret/file", O_RDONLY),
		opens("in/../secret/file", O_RDONLY),
		opens("in/link", O_RDONLY), /* leads to the secret */
		opens("secret/new", O_WRONLY | O_CREAT),
		opens("secret", O_RDONLY | O_DIRECTORY),
		opens("/etc/passwd", O_RDONLY),
		opens("/", O_RDONLY | O_DIRECTORY),
		!SANITIZED && opens("/proc/self/environ", O_RDONLY),
		opens("/dev/mem", O_RDWR),
		truncate("in/file", 0) == 0,
		unlink("in/file") == 0,
		rename("in/file", "out/moved") == 0,
		rename("out/file", "secret/moved") == 0,
		link("secret/file", "out/hard") == 0,
		symlink("../secret/file", "out/soft") == 0,
		mkdir("secret/new", 0700) == 0,
		mkfifo("out/fifo", 0600) == 0,
		mount("none", "in", "tmpfs", 0, NULL) == 0,
		a_thread_opens(),
		a_child_opens(),
		!SANITIZED && reaches(parent),
		!opens("out/new", O_WRONLY | O_CREAT),
		!opens("/dev/null", O_WRONLY),
	};
	int32_t word;
	struct iovec here = { &word, sizeof word }, there = { &word, sizeof word };
	const bool wrong_calls[] = {
		runs("/bin/true"),
		runs("/proc/self/exe"),
		execl("/bin/sh", "sh", "-c", "exit 0", NULL) == 0,
		system("true") == 0,
		socket(AF_INET, SOCK_STREAM, 0) >= 0,
		socket(AF_INET6, SOCK_DGRAM, 0) >= 0,
		socket(AF_UNIX, SOCK_STREAM, 0) >= 0,
		socket(AF_NETLINK, SOCK_RAW, 0) >= 0,
		syscall(425, 8, &word) >= 0, /* io_uring */
		syscall(SYS_unshare, 0x10000000) == 0,
		!SANITIZED && ptrace(PTRACE_ATTACH, parent, NULL, NULL) == 0,
		!SANITIZED && process_vm_readv(parent, &here, 1, &there, 1, 0) > 0,
	};
	for (size_t i = 0; state.files && i < sizeof wrong_files; i++)
		if (wrong_files[i])
			return 1 + (int)i;
	for (size_t i = 0; state.calls && i < sizeof wrong_calls; i++)
		if (wrong_calls[i])
			return 101 + (int)i;
	/* what a command must still do: replace its output */
	struct replace *replace = replace_begin("out/file", false, NULL);
	if (!replace || !replace_write(replace, "new", 3, NULL) || !replace_commit(replace, NULL))
		return 99;
	return state.files && state.calls ? 0 : 100;
}

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/test_sandbox.XXXXXX");
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return 1;
	mkdir("in", 0700);
	mkdir("out", 0700);
	mkdir("secret", 0700);
	write_text_in("in", "file", "in");
	write_text_in("out", "file", "old");
	write_text_in("secret", "file", "secret");
	return symlink("../secret/file", "in/link");
}

static int clean_folder(void **state)
{
	return chdir("/") || remove_folder(folder);
}

/* This kernel has Landlock and seccomp. */
static bool kernel_confines(void)
{
	enum { CREATE_RULESET = 444, ASK_VERSION = 1 };
	return syscall(CREATE_RULESET, NULL, 0, ASK_VERSION) >= 1 && prctl(PR_GET_SECCOMP) >= 0;
}

TEST_AROUND(nothing_gets_out, make_folder, clean_folder)
{
	int status;
	pid_t parent = getpid(), child = fork();
	if (child == 0)
		_exit(try_to_break_out(parent));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 100) { /* and the rest holds */
		assert_false(kernel_confines());
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	size_t length;
	char *text = read_whole("out/file", &length);
	assert_string_equal(text, "new");
	mem_free(text);
}
