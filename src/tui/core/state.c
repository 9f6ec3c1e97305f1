#include "tui/core/state.h"

#include "base/any_of.h"
#include "base/code_file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "base/replace.h"
#include "base/write_all.h"
#include "session/index.h"
#include "tui/widget/prompt.h"
#include "tui/term/xdg.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum {
	FILE_MAX = 1 << 18, /* larger files were not written by this program */
	PROFILES_MAX = 200, /* beyond this the oldest are removed */
	HISTORY_FILE_MAX = 1 << 17,
	LINE_MAX_BYTES = 4096,
	LOCK_TRIES = 20,
	LOCK_WAIT_MS = 5,
};

/* First character of history lines, by prompt kind. */
static const char prompt_signs[PROMPT_KINDS] = {
	[PROMPT_COMMAND] = ':', [PROMPT_SEARCH] = '/', [PROMPT_FILTER] = '&', [PROMPT_SQL] = ';'
};

/* ---- directories and files ---- */

/* Contents of a file; NULL if missing, too large or not a regular file. */
static char *state_read_file(const char *path)
{
	struct buffer text = { 0 };
	if (!code_file_read(&text, path, NULL) || text.length > FILE_MAX)
		buffer_free(&text);
	return text.data;
}

/* Replace the file atomically; it is for the user alone. */
static bool replace_file(const char *path, const char *text, size_t length)
{
	struct replace *replace = replace_begin(path, true, NULL);
	if (!replace)
		return false;
	bool good = fchmod(replace_descriptor(replace), 0600) == 0 &&
		    replace_write(replace, text, length, NULL);
	return replace_end(replace, good, NULL);
}

/*
 * Lock for changing files. It is held briefly; a process that does not release it is not waited
 * for, and file systems without locks have none. -1: not now.
 */
static int lock(const struct state *state)
{
	const struct timespec pause = { .tv_nsec = LOCK_WAIT_MS * 1000000L };
	if (!state->directory || !index_create_directory(state->directory, 0700, NULL))
		return -1;
	AUTO_FREE char *path = mem_printf("%s/lock", state->directory);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; fd >= 0; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return fd;
		if (i == LOCK_TRIES) {
			close(fd);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return -1;
}

void state_open(struct state *state, bool keep)
{
	char path[XDG_PATH_MAX];
	*state = (struct state){ 0 };
	if (!keep || !xdg_state(path, ""))
		return;
	state->directory = mem_strdup(path);
}

static void clear_values(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		mem_free_all(state->values[i].key, state->values[i].value);
	mem_free(state->values);
	state->values = NULL;
	state->count = 0;
}

void state_close(struct state *state)
{
	clear_values(state);
	mem_free_all(state->directory, state->file, state->paths);
	*state = (struct state){ 0 };
}

/* ---- values of a profile: lines "key<TAB>value", with \n, \t and \\ escaped in the value ---- */

static struct state_value *find_value(const struct state *state, const char *key)
{
	return first_of(at, state->values, state->count, !strcmp(at->key, key));
}

const char *state_get(const struct state *state, const char *key)
{
	const struct state_value *value = find_value(state, key);
	return value ? value->value : NULL;
}

static struct state_value *state_put(struct state *state, const char *key, const char *text)
{
	struct state_value *value = find_value(state, key);
	if (!value) {
		value = mem_push(state->values, state->count);
		*value = (struct state_value){ .key = mem_strdup(key) };
	}
	mem_replace(value->value, text ? mem_strdup(text) : NULL);
	return value;
}

void state_set(struct state *state, const char *key, const char *value)
{
	const char *before = state_get(state, key);
	if ((value && strlen(value) > STATE_VALUE_MAX) || (!value && !before) ||
	    (value && before && !strcmp(value, before)))
		return;
	state_put(state, key, value)->changed = true;
}

static void unescape(char *text)
{
	char *to = text;
	for (const char *at = text; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			*to++ = (char)(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at);
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

static void escape(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		char letter = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
		if (letter != *text || letter == '\\')
			buffer_putc(out, '\\');
		buffer_putc(out, letter);
	}
}

/* Read the file's values, except those set in this session. */
static void merge_file(struct state *state)
{
	AUTO_FREE char *text = state->file ? state_read_file(state->file) : NULL;
	char *rest = NULL;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *tab = strchr(line, '\t');
		if (*line == '#' || !tab)
			continue;
		*tab = '\0';
		const struct state_value *own = find_value(state, line);
		if (own && own->changed)
			continue;
		unescape(tab + 1);
		state_put(state, line, tab + 1);
	}
}

static void add_stamp(struct buffer *out, const struct stat *status)
{
	buffer_printf(out, "%lld %lld.%09ld\n", (long long)status->st_size,
		      (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
}

/* Compute identity and change stamp of the profile's files. */
static bool identify(struct state *state, const char *const *paths, size_t count,
		     uint64_t *identity)
{
	AUTO_BUFFER struct buffer names = { 0 }, stamps = { 0 };
	struct stat status;
	bool good = count > 0;
	for (size_t i = 0; i < count && good; i++) {
		char *path = realpath(paths[i], NULL);
		good = path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
		if (good)
			add_stamp(&stamps, &status);
		buffer_printf(&names, "%s\n", good ? path : "");
		free(path);
	}
	char program[4096];
	if (platform_program(program, sizeof program) && stat(program, &status) == 0)
		add_stamp(&stamps, &status); /* it determines row numbers */
	*identity = hash_stable(STABLE_HASH, names.data, names.length);
	snprintf(state->stamp, sizeof state->stamp, "%016" PRIx64,
		 hash_stable(STABLE_HASH, stamps.data, stamps.length));
	state->paths = mem_strdup(buffer_text(&names));
	return good;
}

void state_open_profile(struct state *state, const char *const *paths, size_t count)
{
	uint64_t identity;
	if (!identify(state, paths, count, &identity) || !state->directory)
		return;
	state->file = mem_printf("%s/profiles/%016" PRIx64, state->directory, identity);
	merge_file(state);
}

/* Remove the state of the oldest profiles above the limit. */
static void forget_old(const struct state *state)
{
	AUTO_FREE char *folder = mem_printf("%s/profiles", state->directory);
	DIR *dir = opendir(folder);
	AUTO_BUFFER struct buffer oldest = { 0 }, path = { 0 };
	struct timespec least = { 0 };
	int count = 0;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat status;
		buffer_clear(&path);
		buffer_printf(&path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.' || stat(path.data, &status) != 0)
			continue;
		if (count++ == 0 || status.st_mtim.tv_sec < least.tv_sec) {
			least = status.st_mtim;
			buffer_clear(&oldest);
			buffer_puts(&oldest, path.data);
		}
	}
	if (count > PROFILES_MAX)
		unlink(oldest.data);
	if (dir)
		closedir(dir);
}

static void write_values(struct state *state)
{
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_puts(&text, "# ");
	escape(&text, state->paths);
	buffer_putc(&text, '\n');
	for_each (value, state->values, state->count) {
		if (!value->value)
			continue;
		buffer_printf(&text, "%s\t", value->key);
		escape(&text, value->value);
		buffer_putc(&text, '\n');
	}
	bool fresh = access(state->file, F_OK) != 0;
	if (text.length <= FILE_MAX && replace_file(state->file, text.data, text.length) && fresh)
		forget_old(state);
}

void state_save(struct state *state)
{
	bool changed = false;
	for (size_t i = 0; i < state->count; i++)
		changed |= state->values[i].changed;
	int fd = changed && state->file ? lock(state) : -1;
	if (fd < 0)
		return;
	AUTO_FREE char *folder = mem_printf("%s/profiles", state->directory);
	mkdir(folder, 0700);
	merge_file(state);
	write_values(state);
	for (size_t i = 0; i < state->count; i++)
		state->values[i].changed = false;
	close(fd);
}

/* ---- history: one line per entry, prefixed with the prompt's sign, newest last ---- */

static int state_kind_of(char sign)
{
	for (int kind = 0; kind < PROMPT_KINDS; kind++)
		if (sign && prompt_signs[kind] == sign)
			return kind;
	return -1;
}

/* Rewrite a long history file with the entries that are kept. */
static void shorten_history(const struct state *state, const char *path, struct history *histories)
{
	AUTO_BUFFER struct buffer text = { 0 };
	int fd = lock(state);
	for (int kind = 0; kind < PROMPT_KINDS && fd >= 0; kind++) {
		const struct history *history = &histories[kind];
		for (size_t i = history->count > 200 ? history->count - 200 : 0; i < history->count;
		     i++)
			buffer_printf(&text, "%c%.*s\n", prompt_signs[kind], LINE_MAX_BYTES / 8,
				      history->lines[i]);
	}
	if (fd >= 0) {
		replace_file(path, BUFFERED(&text));
		close(fd);
	}
}

void state_read_history(const struct state *state, struct history *histories)
{
	if (!state->directory)
		return;
	char *path = mem_printf("%s/history", state->directory), *text = state_read_file(path),
	     *rest = NULL;
	size_t length = text ? strlen(text) : 0;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		int kind = state_kind_of(*line);
		if (kind >= 0 && strlen(line) < LINE_MAX_BYTES)
			history_add(&histories[kind], line + 1);
	}
	if (length > HISTORY_FILE_MAX)
		shorten_history(state, path, histories);
	mem_free_all(text, path);
}

void state_add_history(const struct state *state, int kind, const char *text)
{
	AUTO_BUFFER struct buffer line = { 0 };
	if (!*text || strlen(text) >= LINE_MAX_BYTES - 2)
		return;
	int fd = lock(state);
	if (fd < 0)
		return;
	AUTO_FREE char *path = mem_printf("%s/history", state->directory);
	int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	struct stat status;
	buffer_printf(&line, "%c%s\n", prompt_signs[kind], text);
	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size < FILE_MAX - LINE_MAX_BYTES && !write_all(file, line.data, line.length))
		(void)!ftruncate(
			file, status.st_size); /* an incomplete line would corrupt the next one */
	if (file >= 0)
		close(file);
	close(fd);
}

/* ---- text files ---- */

bool state_write_text(const struct state *state, const char *name, const char *text, size_t length,
		      char *out, size_t room)
{
	int fd = lock(state);
	if (fd < 0)
		return false;
	AUTO_FREE char *path = mem_printf("%s/%s", state->directory, name);
	bool good = replace_file(path, text, length);
	snprintf(out, room, "%s", path);
	close(fd);
	return good;
}
