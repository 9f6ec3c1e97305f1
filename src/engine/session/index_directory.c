/*
 * Lists and removes stored indexes.
 */
#include "base/compare.h"
#include "base/text.h"
#include "session/index.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

COMPARE_MEMBERS(compare_use, struct index_entry, UP(used_ns) UP_TEXT(path))

static void index_directory_add_entry(struct index_list *list, const char *path,
				      const struct stat *status, bool unfinished)
{
	*mem_push(list->entries, list->count) =
		(struct index_entry){ .path = mem_strdup(path),
				      .source = store_label(path),
				      .unfinished = unfinished,
				      .bytes = (uint64_t)status->st_size,
				      .used_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 +
						 status->st_mtim.tv_nsec };
	list->bytes += (uint64_t)status->st_size;
}

/* An entry of the directory: an index, a converted report, or a temporary file. */
static void look_at(struct index_list *list, const char *directory, const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
	struct stat status;
	bool converted = strncmp(name, "nsys-", 5) == 0 && text_ends_with(name, ".sqlite");
	bool unfinished = text_ends_with(name, ".tmp");
	if ((unfinished || converted || text_ends_with(name, ".index")) &&
	    lstat(path, &status) == 0 && S_ISREG(status.st_mode))
		index_directory_add_entry(list, path, &status, unfinished);
}

void index_list_read(struct index_list *list, const char *directory)
{
	*list = (struct index_list){ 0 };
	DIR *open = opendir(directory);
	if (!open)
		return;
	for (const struct dirent *entry; (entry = readdir(open));)
		look_at(list, directory, entry->d_name);
	closedir(open);
	sort_items(list->entries, list->count, compare_use);
}

void index_list_free(struct index_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		mem_free_all(list->entries[i].path, list->entries[i].source);
	mem_free(list->entries);
	*list = (struct index_list){ 0 };
}

/* A writer holds a lock on its temporary file (store_write). */
static bool is_being_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

bool index_remove(const struct index_entry *entry)
{
	bool kept = entry->unfinished && is_being_written(entry->path);
	errno = 0;
	return !kept && unlink(entry->path) == 0;
}

bool index_clear(const char *directory, size_t *removed, struct error *error)
{
	AUTO(index_list_free) struct index_list list = { 0 };
	bool good = true;
	*removed = 0;
	index_list_read(&list, directory);
	for (size_t i = 0; i < list.count && good; i++) {
		bool gone = index_remove(&list.entries[i]);
		good = gone || errno == 0 || errno == ENOENT ||
		       error_output(error, "%s: cannot remove: %s", list.entries[i].path,
				    strerror(errno));
		*removed += gone;
	}
	return good;
}
