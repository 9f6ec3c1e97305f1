#include "base/sandbox.h"

#if __has_include(<linux/seccomp.h>) && !defined PLATFORM_PORTABLE

#include "base/mem.h"
#include "text_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files ---- */

/* The kernel's interface, landlock(7), of which headers of older systems lack parts. */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1 };

/* Rights; each version of the interface adds some, and refuses those of later ones. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIRECTORY = 1 << 3,
	REMOVE_FILE = 1 << 5,
	MAKE_DIRECTORY = 1 << 7,
	MAKE_FILE = 1 << 8,
	TRUNCATE = 1 << 14,
	OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
};

static const uint64_t rights_of_version[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff };

enum { VERSIONS = sizeof rights_of_version / sizeof *rights_of_version };

static uint64_t known_rights(void)
{
	long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
	return version < 1 ? 0 : rights_of_version[version < VERSIONS ? version : VERSIONS - 1];
}

void sandbox_begin(struct sandbox *sandbox)
{
	uint64_t rights = known_rights();
	sandbox->rules = rights ? (int)syscall(CREATE_RULESET, &rights, sizeof rights, 0) : -1;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	sandbox_allow(sandbox, "/proc", false); /* where the search for leaks finds threads */
#endif
}

void sandbox_allow(const struct sandbox *sandbox, const char *path, bool write)
{
	struct stat status;
	struct {
		uint64_t rights;
		int32_t parent;
	} __attribute__((packed)) rule = { READ_FILE | READ_DIRECTORY, -1 };
	if (sandbox->rules < 0 || (rule.parent = open(path, O_PATH | O_CLOEXEC)) < 0)
		return;
	if (write)
		rule.rights |= WRITE_FILE | TRUNCATE | REMOVE_FILE | MAKE_FILE | MAKE_DIRECTORY;
	if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode))
		rule.rights &= OF_FILES;
	rule.rights &= known_rights();
	syscall(ADD_RULE, sandbox->rules, RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent);
}

void sandbox_allow_output(const struct sandbox *sandbox, const char *path)
{
	char *resolved = realpath(path, NULL), *part = mem_strdup(resolved ? resolved : path),
	     *slash;
	struct stat status;
	free(resolved);
	sandbox_allow(sandbox, part, true); /* a directory, a device, what is written in place */
	while ((stat(part, &status) != 0 || S_ISREG(status.st_mode)) &&
	       (slash = strrchr(part, '/'))) {
		slash[slash == part] = 0;
		sandbox_allow(sandbox, part, true);
	}
	if (stat(part, &status) != 0 || S_ISREG(status.st_mode))
		sandbox_allow(sandbox, ".", true);
	mem_free(part);
}

/* ---- system calls ---- */

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE 0
#endif

enum { IO_URING_SETUP = 425, OF_X32 = 0x40000000 };

/* Execution, network, other processes, and what leads past the filter. */
static const uint32_t refused[] = {
	REFUSED_CALL_ROWS
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
		/* which sanitizers need to look for leaks */
		SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
#endif
};

enum { REFUSED = sizeof refused / sizeof *refused };

static bool filter_calls(void)
{
	struct sock_filter code[REFUSED + 6], *at = code;
	*at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					     offsetof(struct seccomp_data, arch));
	*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0, REFUSED + 3);
	*at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					     offsetof(struct seccomp_data, nr));
	*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OF_X32, REFUSED + 1, 0);
	for (uint32_t i = 0; i < REFUSED; i++)
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
						     (uint8_t)(REFUSED - i), 0);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	struct sock_fprog program = { (unsigned short)(at - code), code };
	return MACHINE && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

struct sandbox_state sandbox_enter(struct sandbox *sandbox)
{
	struct sandbox_state state = { false, false };
	bool ready = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
	state.files =
		ready && sandbox->rules >= 0 && syscall(RESTRICT_SELF, sandbox->rules, 0) == 0;
	state.calls = ready && filter_calls();
	if (sandbox->rules >= 0)
		close(sandbox->rules);
	sandbox->rules = -1;
	return state;
}

#else /* a system without Landlock and seccomp */

void sandbox_begin(struct sandbox *sandbox)
{
	sandbox->rules = -1;
}

void sandbox_allow(const struct sandbox *sandbox, const char *path, bool write) {}

void sandbox_allow_output(const struct sandbox *sandbox, const char *path) {}

struct sandbox_state sandbox_enter(struct sandbox *sandbox)
{
	return (struct sandbox_state){ false, false };
}

#endif
