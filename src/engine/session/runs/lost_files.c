#include "session/runs/runs.h"

#include "base/compare.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "session/runs/run_files.h"

/* The reason without the formats that were tried, and the name of the file. */
static char *lost_files_describe(const struct run_file *file, const struct error *error)
{
	static const char unknown[] = "is not a known profile";
	bool known = strncmp(error->message, unknown, sizeof unknown - 1) != 0;
	return mem_printf("%s (%s%s%s)", known ? error->message : unknown,
			  text_file_name(file->path), error->where[0] ? ", " : "", error->where);
}

void lost_files_note(struct run *run, const struct run_file *file, const struct error *error)
{
	int64_t number = run_files_number(file->path);
	if (number == NO_VALUE)
		return;
	*mem_push(run->lost, run->lost_count) =
		(struct lost_file){ .path = mem_strdup(file->path),
				    .why = lost_files_describe(file, error),
				    .number = number,
				    .folder = file->folder };
}

/* From the last dot on, without compression; the length in LENGTH. */
static const char *extension_of(const char *path, size_t *length)
{
	static const char packed[] = ".gz";
	const char *name = text_file_name(path), *end = name + strlen(name);
	if (end - name >= 3 && strcmp(end - 3, packed) == 0)
		end -= 3;
	const char *at = end;
	while (at > name && *--at != '.')
		;
	*length = (size_t)(end - at);
	return at;
}

static bool same_kind(const char *a, const char *b)
{
	size_t x, y;
	const char *of_a = extension_of(a, &x), *of_b = extension_of(b, &y);
	return x == y && memcmp(of_a, of_b, x) == 0;
}

static bool is_of_run(const struct run *run, const struct lost_file *file)
{
	bool beside = false;
	for_each (rank, run->ranks, run->rank_count) {
		if (rank->number == file->number)
			return false;
		beside |= rank->folder == file->folder && same_kind(rank->path, file->path) &&
			  run_files_number(rank->path) == rank->number;
	}
	return beside;
}

STATIC_FREE_MEMBERS(forget, struct lost_file, OWN(path) OWN(why))

COMPARE_MEMBERS(lost_files_compare, struct lost_file, UP(number))

void lost_files_settle(struct run *run)
{
	size_t kept = 0;
	for (size_t i = 0; i < run->lost_count; i++)
		if (is_of_run(run, &run->lost[i]))
			run->lost[kept++] = run->lost[i];
		else
			forget(&run->lost[i]);
	run->lost_count = kept;
	sort_items(run->lost, kept, lost_files_compare);
}

void lost_files_free(struct run *run)
{
	for (size_t i = 0; i < run->lost_count; i++)
		forget(&run->lost[i]);
	mem_free(run->lost);
}
