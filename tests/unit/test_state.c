/* The explorer's persistent state (per-profile values, history): private, merged, bounded. */
#include "test.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "tui/widget/prompt.h"
#include "tui/core/state.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/strata-state-XXXXXX";

static char *under_root(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return path;
}

static int mode_of(const char *name)
{
	struct stat status;

	return stat(under_root(name), &status) == 0 ? (int)(status.st_mode & 0777) : -1;
}

static void open_state(struct state *state, const char *profile)
{
	const char *const path = under_root(profile);

	state_open(state, true);
	state_open_profile(state, &path, 1);
}

static void run(const char *command)
{
	char line[5000];

	snprintf(line, sizeof line, "cd %s && %s", root, command);
	assert_int_equal(system(line), 0);
}

/* ---- values ---- */

TEST(values_persist_and_are_private)
{
	struct state one, other;

	write_text_in(root, "a.json", "{}");
	write_text_in(root, "b.json", "{}");
	open_state(&one, "a.json");
	assert_null(state_get(&one, "view"));
	state_set(&one, "view", "kernels");
	state_set(&one, "lanes", "line\nwith\ttab and \\n back\\slash");
	assert_string_equal(state_get(&one, "view"), "kernels");
	state_save(&one);
	state_close(&one);
	assert_int_equal(mode_of("state/strata"), 0700);
	assert_int_equal(mode_of("state/strata/profiles"), 0700);
	run("test \"$(find state -type f | wc -l)\" -ge 1");
	run("test -z \"$(find state -type f ! -perm 600)\"");

	open_state(&one, "a.json");
	assert_string_equal(state_get(&one, "view"), "kernels");
	assert_string_equal(state_get(&one, "lanes"), "line\nwith\ttab and \\n back\\slash");
	state_set(&one, "view", NULL);
	state_save(&one);
	state_close(&one);
	open_state(&one, "a.json");
	assert_null(state_get(&one, "view"));
	open_state(&other, "b.json");
	assert_null(state_get(&other, "lanes"));
	assert_int_equal(strlen(one.stamp), strlen(other.stamp));
	state_close(&one);
	state_close(&other);
}

TEST(concurrent_sessions_are_merged)
{
	struct state one, other;

	write_text_in(root, "c.json", "{}");
	open_state(&one, "c.json");
	open_state(&other, "c.json");
	state_set(&one, "position.a", "1");
	state_set(&other, "position.b", "2");
	state_save(&one);
	state_save(&other);
	state_close(&one);
	state_close(&other);
	open_state(&one, "c.json");
	assert_string_equal(state_get(&one, "position.a"), "1");
	assert_string_equal(state_get(&one, "position.b"), "2");
	state_close(&one);
}

/* Of two sessions that save one after the other, each writes what it has changed and nothing else.
 */
TEST(only_changes_are_saved)
{
	static const struct {
		const char *first, *second, *kept; /* what each sets; NULL: it leaves the value */
	} cases[] = {
		{ "1", NULL, "1" }, { NULL, "2", "2" }, { "1", "2", "2" }, { NULL, NULL, "old" }
	};
	struct state one, other;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_text_in(root, "d.json", "{}");
		open_state(&one, "d.json");
		state_set(&one, "view", "old");
		state_save(&one);
		state_close(&one);
		open_state(&one, "d.json");
		open_state(&other, "d.json");
		if (cases[i].first)
			state_set(&one, "view", cases[i].first);
		state_set(&one, "position.a", "1");
		if (cases[i].second)
			state_set(&other, "view", cases[i].second);
		state_set(&other, "position.b", "2");
		state_save(&one);
		state_save(&other);
		state_close(&one);
		state_close(&other);
		open_state(&one, "d.json");
		assert_string_equal(state_get(&one, "view"), cases[i].kept);
		assert_string_equal(state_get(&one, "position.a"), "1");
		assert_string_equal(state_get(&one, "position.b"), "2");
		state_close(&one);
	}
}

/* Without a change nothing is written. */
TEST(what_stays_as_it_is_is_not_saved)
{
	struct state state;
	write_text_in(root, "e.json", "{}");
	open_state(&state, "e.json");
	state_set(&state, "view", "old");
	state_save(&state);
	state_close(&state);
	run("ls -iR state >files-before");
	open_state(&state, "e.json");
	state_set(&state, "view", "old");
	state_set(&state, "nothing", NULL);
	state_save(&state);
	state_close(&state);
	run("ls -iR state | cmp - files-before");
}

/* What another session locks is left as it is, and saved later. */
TEST(locked_state_is_not_changed)
{
	struct state one, other;
	write_text_in(root, "locked.json", "{}");
	open_state(&one, "locked.json");
	state_set(&one, "view", "kernels");
	state_save(&one);
	AUTO_FREE char *path = mem_printf("%s/lock", one.directory);
	int lock = open(path, O_RDWR);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	state_set(&one, "view", "steps");
	state_save(&one);
	open_state(&other, "locked.json");
	assert_string_equal(state_get(&other, "view"), "kernels");
	state_close(&other);
	close(lock);
	state_save(&one);
	open_state(&other, "locked.json");
	assert_string_equal(state_get(&other, "view"), "steps");
	state_close(&other);
	state_close(&one);
}

TEST(stamp_detects_changed_file)
{
	struct state one, other;

	write_text_in(root, "d.json", "{}");
	open_state(&one, "d.json");
	state_set(&one, "view", "steps");
	state_save(&one);
	write_text_in(root, "d.json", "{} ");
	open_state(&other, "d.json");
	assert_string_not_equal(one.stamp, other.stamp);
	assert_string_equal(state_get(&other, "view"), "steps");
	state_close(&one);
	state_close(&other);
}

TEST(values_and_profiles_are_bounded)
{
	struct state one;
	char *large = mem_alloc(STATE_VALUE_MAX + 2);

	memset(large, 'x', STATE_VALUE_MAX + 1);
	large[STATE_VALUE_MAX + 1] = '\0';
	write_text_in(root, "e.json", "{}");
	open_state(&one, "e.json");
	state_set(&one, "lanes", large);
	assert_null(state_get(&one, "lanes"));
	large[STATE_VALUE_MAX] = '\0';
	state_set(&one, "lanes", large);
	assert_non_null(state_get(&one, "lanes"));
	state_close(&one);
	mem_free(large);
	run("for i in $(seq 100 330); do touch -d '2001-01-01' state/strata/profiles/old-$i; done");
	for (int i = 0; i < 3; i++) {
		char name[20];
		snprintf(name, sizeof name, "f%d.json", i);
		write_text_in(root, name, "{}");
		open_state(&one, name);
		state_set(&one, "view", "steps");
		state_save(&one);
		state_close(&one);
	}
	run("test \"$(ls state/strata/profiles | grep -c old)\" -eq 228");
	run("rm state/strata/profiles/old-*");
}

TEST(malformed_state_is_ignored)
{
	struct state one;

	write_text_in(root, "g.json", "{}");
	open_state(&one, "g.json");
	state_set(&one, "view", "steps");
	state_save(&one);
	FILE *file = fopen(one.file, "w");
	fputs("no tab here\n\n\t\nview\n\xff\xfe\t\\\nlanes\tkept\\", file);
	fclose(file);
	state_close(&one);
	open_state(&one, "g.json");
	assert_null(state_get(&one, "view"));
	assert_string_equal(state_get(&one, "lanes"), "kept\\");
	state_close(&one);
}

/* ---- unwritable directories ---- */

static void check_no_state(void)
{
	struct history histories[PROMPT_KINDS] = { { 0 } };
	struct state one;

	open_state(&one, "a.json");
	state_read_history(&one, histories);
	state_add_history(&one, PROMPT_SEARCH, "conv");
	state_set(&one, "view", "steps");
	assert_string_equal(state_get(&one, "view"), "steps"); /* for this session */
	state_save(&one);
	state_close(&one);
	assert_int_equal(histories[PROMPT_SEARCH].count, 0);
}

TEST(unwritable_home_is_tolerated)
{
	write_text_in(root, "a.json", "{}");
	setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
	check_no_state();
	write_text_in(root, "a-file", "");
	setenv("XDG_STATE_HOME", under_root("a-file"), 1);
	check_no_state();
	setenv("XDG_STATE_HOME", "not/absolute", 1);
	unsetenv("HOME");
	check_no_state();
	unsetenv("XDG_STATE_HOME");
	check_no_state();
	setenv("XDG_STATE_HOME", under_root("state"), 1);
}

/* ---- the history ---- */

TEST(history_is_per_prompt_newest_last)
{
	struct history histories[PROMPT_KINDS] = { { 0 } };
	struct state one, other;

	state_open(&one, true);
	state_open(&other, true);
	state_add_history(&one, PROMPT_SEARCH, "conv");
	state_add_history(&other, PROMPT_SEARCH, "gemm");
	state_add_history(&one, PROMPT_COMMAND, "view layers");
	state_add_history(&one, PROMPT_SEARCH, "conv");
	state_add_history(&one, PROMPT_SQL, "");
	state_read_history(&one, histories);
	assert_int_equal(histories[PROMPT_SEARCH].count, 2);
	assert_string_equal(histories[PROMPT_SEARCH].lines[0], "gemm");
	assert_string_equal(histories[PROMPT_SEARCH].lines[1], "conv");
	assert_int_equal(histories[PROMPT_COMMAND].count, 1);
	assert_int_equal(histories[PROMPT_SQL].count, 0);
	assert_int_equal(mode_of("state/strata/history"), 0600);
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&histories[i]);
	state_close(&one);
	state_close(&other);
}

TEST(long_history_is_trimmed)
{
	struct history histories[PROMPT_KINDS] = { { 0 } };
	struct state one;
	FILE *file = fopen(under_root("state/strata/history"), "w");
	struct stat status;

	fputs("\x01 nonsense\n", file);
	for (int i = 0; i < 15000; i++)
		fprintf(file, "/pattern %d\n", i);
	fclose(file);
	state_open(&one, true);
	state_read_history(&one, histories);
	assert_true(histories[PROMPT_SEARCH].count > 100);
	assert_string_equal(histories[PROMPT_SEARCH].lines[histories[PROMPT_SEARCH].count - 1],
			    "pattern 14999");
	assert_int_equal(stat(under_root("state/strata/history"), &status), 0);
	assert_true(status.st_size < 10000);
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&histories[i]);
	state_read_history(&one, histories);
	assert_string_equal(histories[PROMPT_SEARCH].lines[histories[PROMPT_SEARCH].count - 1],
			    "pattern 14999");
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&histories[i]);
	state_close(&one);
}

/* ---- full disk ---- */

enum { ROOM = 500 }; /* file size limit in bytes */

/* End a session in a child process that cannot write more than ROOM bytes to a file. */
static void save_without_room(void)
{
	const struct rlimit max = { ROOM, ROOM };
	struct state state;
	char copied[5000], long_value[2 * ROOM];

	memset(long_value, 'x', sizeof long_value);
	long_value[sizeof long_value - 1] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &max);
	open_state(&state, "profile");
	state_set(&state, "view", long_value);
	state_save(&state);
	for (int i = 0; i < 100; i++)
		state_add_history(&state, PROMPT_SEARCH, "twenty-one letters...");
	bool written = state_write_text(&state, "copied", long_value, sizeof long_value, copied,
					sizeof copied);
	state_close(&state);
	_exit(written);
}

TEST(full_disk_keeps_old_state)
{
	struct history histories[PROMPT_KINDS] = { { 0 } };
	struct state one;
	int status;

	run("rm -rf state && echo x >profile");
	open_state(&one, "profile");
	state_set(&one, "view", "kernels");
	state_save(&one);
	state_add_history(&one, PROMPT_SEARCH, "conv");
	state_close(&one);
	pid_t child = fork();
	if (child == 0)
		save_without_room();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);

	open_state(&one, "profile");
	assert_string_equal(state_get(&one, "view"), "kernels");
	/* history lines are complete; the next one starts on a line of its own */
	state_add_history(&one, PROMPT_SEARCH, "gemm");
	state_read_history(&one, histories);
	const struct history *history = &histories[PROMPT_SEARCH];
	assert_string_equal(history->lines[history->count - 1], "gemm");
	for (size_t i = 0; i + 1 < history->count; i++)
		assert_true(!strcmp(history->lines[i], "conv") ||
			    !strcmp(history->lines[i], "twenty-one letters..."));
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&histories[i]);
	state_close(&one);
	run("[ -z \"$(find state -name '*.tmp' -o -name copied)\" ]");
}

static int make_root(void **state)
{
	return !mkdtemp(root) || setenv("XDG_STATE_HOME", under_root("state"), 1);
}

static int remove_root(void **state)
{
	return remove_folder(root);
}

TEST_PROGRAM(make_root, remove_root)
