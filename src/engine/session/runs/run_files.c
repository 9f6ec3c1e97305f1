#include "session/runs/run_files.h"

#include "base/compare.h"
#include "base/error.h"
#include "base/text.h"
#include "input/ascend/ascend_text.h"
#include "input/open.h"
#include "input/rocm/rocm.h"
#include "input/summary_file/summary_file.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_file(struct run_files *files, char *path, bool optional)
{
	*mem_push(files->item, files->count) =
		(struct run_file){ path, optional, files->here, NO_VALUE };
}

/* Files that are added from now on are found in this folder. */
static void enter_folder(struct run_files *files, const char *name)
{
	files->folder = mem_realloc(files->folder, files->folders + 1, sizeof *files->folder);
	files->here = (uint32_t)files->folders;
	files->folder[files->folders] = mem_strdup(name);
	files->folders++;
}

void run_files_free(struct run_files *files)
{
	for (size_t i = 0; i < files->count + files->rest; i++)
		mem_free(files->item[i].path);
	mem_free_each(files->folder, files->folders);
	mem_free_all(files->folder, files->item);
	*files = (struct run_files){ 0 };
}

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Add the file to open of a run's folder; false if PATH is none. */
static bool add_run_folder(struct run_files *files, const char *path)
{
	char *file = is_directory(path) ? ascend_folder_file(path) : NULL;
	if (file)
		add_file(files, file, false);
	return file != NULL;
}

/* "trace.json.summary_file" beside "trace.json": the trace is opened. */
static bool is_summary_beside(const char *path)
{
	if (!text_ends_with(path, SUMMARY_FILE_SUFFIX))
		return false;
	AUTO_FREE char *trace = mem_strndup(path, strlen(path) - strlen(SUMMARY_FILE_SUFFIX));
	return access(trace, F_OK) == 0;
}

/*
 * "host.trace.json.gz" beside "host.xplane.pb", of which XLA's profilers make it, and
 * "perfetto_trace.json.gz", which JAX makes of that: the space is opened.
 */
static bool is_made_of_space(const char *name, struct dirent *const *entries, int count)
{
	static const char space[] = ".xplane.pb";
	size_t host = strlen(name);
	if (text_ends_with(name, ".trace.json.gz"))
		host -= sizeof ".trace.json.gz" - 1;
	else if (strcmp(name, "perfetto_trace.json.gz") == 0)
		host = 0;
	else
		return false;
	for (int i = 0; i < count; i++) {
		const char *other = entries[i]->d_name;
		bool same =
			strlen(other) == host + sizeof space - 1 && strncmp(other, name, host) == 0;
		if (text_ends_with(other, space) && (!host || same))
			return true;
	}
	return false;
}

/* A table of calls or copies beside the table of kernels, whose reader reads both. */
static bool is_read_beside(const char *name, struct dirent *const *entries, int count)
{
	char kernels[NAME_MAX + 1];
	bool found = false;
	if (!rocprof_is_beside(name, kernels, sizeof kernels))
		return false;
	for (int i = 0; i < count && !found; i++)
		found = strcmp(entries[i]->d_name, kernels) == 0;
	return found;
}

/* A directory to list: its path, and the way to it from the named one. */
struct run_files_listing {
	char *path, *name;
	int depth;
};

/* A search below a named directory. */
struct run_files_walk {
	struct run_files *files;
	struct intern *listed; /* device and inode of the directories listed */
	struct run_files_listing
		*links; /* to directories: listed last, unless found without the link */
	size_t link_count;
	const struct progress *progress;
	bool cancelled;
};

/* False for a directory that was listed before, as links to those above were. */
static bool is_new(struct run_files_walk *walk, const struct stat *status)
{
	struct {
		dev_t device;
		ino_t inode;
	} key;
	memset(&key, 0, sizeof key);
	key.device = status->st_dev;
	key.inode = status->st_ino;
	uint32_t known = intern_count(walk->listed);
	return intern_add(walk->listed, (const char *)&key, sizeof key) >= known;
}

static bool add_listing(struct run_files_walk *walk, const struct run_files_listing *listing);

static void list_below(struct run_files_walk *walk, const struct run_files_listing *listing)
{
	if (!add_listing(walk, listing))
		walk->files->unlisted++;
}

STATIC_FREE_MEMBERS(listing_free, struct run_files_listing, OWN(path) OWN(name))

static void add_folder(struct run_files_walk *walk, const struct run_files_listing *above,
		       const char *entry)
{
	enum { DEPTH_MAX = 32 };
	struct stat status;
	struct run_files_listing listing = { mem_printf("%s/%s", above->path, entry),
					     mem_printf("%s/%s", above->name, entry),
					     above->depth + 1 };
	bool lists = *entry != '.' && is_directory(listing.path) && listing.depth <= DEPTH_MAX;
	if (lists && lstat(listing.path, &status) == 0 && S_ISLNK(status.st_mode)) {
		*mem_push(walk->links, walk->link_count) = listing;
		return;
	}
	if (lists)
		list_below(walk, &listing);
	listing_free(&listing);
}

static bool is_run_folder(const char *folder, const char *entry)
{
	if (*entry == '.')
		return false;
	AUTO_FREE char *path = mem_printf("%s/%s", folder, entry);
	AUTO_FREE char *file = is_directory(path) ? ascend_folder_file(path) : NULL;
	return file != NULL;
}

/* A file, or the one to open of a run's folder. */
static void run_files_add_entry(struct run_files *files, const char *path, const char *name)
{
	char *file = mem_printf("%s/%s", path, name);
	struct stat status;
	bool regular = stat(file, &status) == 0 && S_ISREG(status.st_mode);
	if (regular && !is_summary_beside(file)) {
		add_file(files, file, true);
		return;
	}
	add_run_folder(files, file);
	mem_free(file);
}

/* The last part of a path: "logs" of "/a/logs/", the directory that "." is. */
static char *run_files_name_of(const char *path)
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	size_t start = length;
	while (start && path[start - 1] != '/')
		start--;
	const char *name = path + start;
	bool dots = length - start <= 2 && strspn(name, "./") >= length - start;
	char *real = dots ? realpath(path, NULL) : NULL;
	if (!real || strcmp(real, "/") == 0) {
		free(real);
		return mem_strndup(name, length - start);
	}
	char *found = run_files_name_of(real);
	free(real);
	return found;
}

/* The files of a directory, then those of the directories in it. False with errno. */
static bool add_listing(struct run_files_walk *walk, const struct run_files_listing *listing)
{
	struct run_files *files = walk->files;
	struct dirent **entries;
	struct stat status;
	const char *path = listing->path;
	walk->cancelled = walk->cancelled || !progress_update(walk->progress, "listing directories",
							      files->directories, 0, files->count);
	if (walk->cancelled)
		return true;
	if (stat(path, &status) != 0)
		return false;
	if (!is_new(walk, &status))
		return true;
	int count = scandir(path, &entries, NULL, versionsort);
	if (count < 0)
		return false;
	enter_folder(files, listing->name);
	files->directories++;
	for (int i = 0; i < count; i++)
		if (entries[i]->d_name[0] != '.' &&
		    !is_made_of_space(entries[i]->d_name, entries, count) &&
		    !is_read_beside(entries[i]->d_name, entries, count))
			run_files_add_entry(files, path, entries[i]->d_name);
	for (int i = 0; i < count; i++) {
		if (!is_run_folder(path, entries[i]->d_name))
			add_folder(walk, listing, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return true;
}

/* All below PATH. False with errno if it cannot be listed itself. */
static bool walk_below(struct run_files_walk *walk, const char *path)
{
	AUTO(listing_free)
	struct run_files_listing top = { mem_strdup(path), run_files_name_of(path), 0 };
	walk->listed = intern_new();
	bool listed = add_listing(walk, &top);
	int reason = errno;
	for (size_t i = 0; i < walk->link_count; i++) { /* grows */
		struct run_files_listing link = walk->links[i];
		list_below(walk, &link);
		listing_free(&link);
	}
	mem_free(walk->links);
	intern_free(walk->listed);
	errno = reason;
	return listed;
}

static bool add_directory(struct run_files *files, const char *path,
			  const struct progress *progress, struct error *error)
{
	struct run_files_walk walk = { .files = files, .progress = progress };
	size_t before = files->count;
	if (add_run_folder(files, path))
		return true;
	if (!walk_below(&walk, path))
		return error_input(error, "%s: cannot list: %s", path, strerror(errno));
	if (walk.cancelled)
		return error_cancelled(error);
	return files->count > before ||
	       error_input(error, "%s: no file in %zu director%s", path, files->directories,
			   files->directories == 1 ? "y" : "ies");
}

bool run_files_find(struct run_files *files, const char *const *named, size_t count,
		    size_t together, const struct progress *progress, struct error *error)
{
	files->chosen = NO_VALUE;
	enter_folder(files, "");
	for (size_t i = 0; i < count; i++) {
		files->here = 0;
		if (i >= together) {
			AUTO_FREE char *name = run_files_name_of(named[i]);
			enter_folder(files, name);
		}
		if (!is_directory(named[i]))
			add_file(files, mem_strdup(named[i]), false);
		else if (!add_directory(files, named[i], progress, error))
			return false;
	}
	return true;
}

bool run_files_set_apart(struct run_files *files, struct run_files *apart)
{
	size_t kept = 0, profiles = 0, to = 0;
	AUTO_FREE enum joining *joins = mem_zalloc(files->count + 1, sizeof *joins);
	for (size_t i = 0; i < files->count && files->count > 1; i++) {
		joins[i] = profile_joining(files->item[i].path);
		profiles += joins[i] == JOINS_NONE;
	}
	for (size_t i = 0; i < files->count; i++) {
		bool named = !files->item[i].optional;
		if (joins[i] == NOT_A_PROFILE || (joins[i] == JOINS_NAMED && !named) ||
		    (joins[i] == JOINS_ONE && !named && profiles != 1))
			joins[i] = JOINS_NONE;
		kept += joins[i] == JOINS_NONE;
	}
	for (size_t i = 0; i < files->count && kept; i++) {
		if (joins[i] != JOINS_NONE)
			add_file(apart, files->item[i].path, false);
		else
			files->item[to++] = files->item[i];
	}
	files->count = kept ? to : files->count;
	return profiles <= 1;
}

static const char *way_of(const struct run_files *files, const struct run_file *file)
{
	const char *folder = files->folder[file->folder], *slash = strchr(folder, '/');
	return slash ? slash + 1 : folder;
}

size_t run_files_keep(struct run_files *files, const char *text,
		      bool (*answers)(const char *name, const char *text))
{
	size_t count = files->count;
	bool any = false;
	for (size_t i = 0; i < count && !any; i++)
		any = answers(way_of(files, &files->item[i]), text);
	if (!any)
		return 0;
	for (size_t i = files->count = 0; i < count; i++) {
		if (answers(way_of(files, &files->item[i]), text))
			files->item[files->count++] = files->item[i];
		else
			mem_free(files->item[i].path);
	}
	return count - files->count;
}

/* ---- rank numbers ---- */

/* Is it the address of a host (worker_34.83.195.179), whose first number is no rank? */
static bool begins_address(const char *digits)
{
	struct in_addr address;
	char text[INET_ADDRSTRLEN];
	size_t length = strspn(digits, "0123456789.");
	while (length && digits[length - 1] == '.')
		length--;
	snprintf(text, sizeof text, "%.*s", (int)length, digits);
	return length < sizeof text && inet_pton(AF_INET, text, &address) == 1;
}

int64_t run_files_number(const char *path)
{
	static const char *const words[] = { "rank", "worker" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (const char *at = text_file_name(path); (at = strcasestr(at, words[i]));) {
			at += strlen(words[i]);
			const char *digits = at + strspn(at, "_-[(=");
			char *end;
			long number = strtol(digits, &end, 10);
			if (end != digits && number >= 0 && number <= INT32_MAX &&
			    !begins_address(digits))
				return number;
		}
	}
	return NO_VALUE;
}

/*
 * Read each file's header for its rank; non-profiles are dropped. False if a file does not have
 * one.
 */
static bool ask_all(struct run_files *files)
{
	size_t kept = 0;
	bool all = true;
	for (size_t i = 0; i < files->count; i++) {
		struct run_file file = files->item[i];
		struct profile_head head = profile_peek(file.path);
		file.number = head.rank != NO_VALUE ? head.rank : run_files_number(file.path);
		if (!head.is_profile && file.optional) {
			mem_free(file.path);
			files->left_out++;
			continue;
		}
		files->item[kept++] = file;
		all &= head.is_profile && file.number != NO_VALUE;
	}
	files->count = kept;
	return all && kept > 0;
}

COMPARE_MEMBERS(run_files_compare_numbers, struct run_file, UP(number))

static void keep_only(struct run_files *files, size_t kept)
{
	struct run_file file = files->item[kept];
	memmove(files->item + 1, files->item, kept * sizeof file);
	files->item[0] = file;
	files->rest = files->count - 1;
	files->count = 1;
	files->chosen = file.number;
}

bool run_files_choose(struct run_files *files, int64_t rank, struct error *error)
{
	if (files->count < 2 || !ask_all(files))
		return true;
	qsort(files->item, files->count, sizeof *files->item, run_files_compare_numbers);
	for (size_t i = 1; i < files->count; i++)
		if (files->item[i].number == files->item[i - 1].number)
			return true;
	size_t found = 0;
	while (found < files->count && files->item[found].number != rank)
		found++;
	if (found == files->count && rank != 0)
		return error_usage(
			error, "unknown rank %" PRId64 "; the ranks are %" PRId64 "..%" PRId64,
			rank, files->item[0].number, files->item[files->count - 1].number);
	keep_only(files, found < files->count ? found : 0);
	return true;
}
