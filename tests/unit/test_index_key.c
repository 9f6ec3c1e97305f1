/*
 * Which index belongs to a file, and which indexes are kept.
 */
#include "index_case.h"

#include "derived/derived.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- identity ---- */

static bool comes_from_index(const char *path)
{
	bool indexed;
	run_free(index_open(path, &indexed));
	return indexed;
}

TEST(file_is_identified_by_content)
{
	static const char one[] = DOCUMENT(OPERATOR("a", "0", "10"));
	static const char other[] = DOCUMENT(OPERATOR("b", "0", "10"));
	index_write_text("index-key-case.json", one, sizeof one - 1);
	assert_false(comes_from_index("index-key-case.json"));
	assert_true(comes_from_index("index-key-case.json"));
	/* whatever its name */
	assert_int_equal(symlink("index-key-case.json", "index-moved.json"), 0);
	assert_true(comes_from_index("index-moved.json"));
	unlink("index-moved.json");
	assert_int_equal(rename("index-key-case.json", "index-moved.json"), 0);
	/* different content, same size and time */
	struct stat status;
	assert_int_equal(stat("index-moved.json", &status), 0);
	FILE *file = fopen("index-moved.json", "r+");
	fwrite(other, 1, sizeof other - 1, file);
	fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, "index-moved.json",
				   (struct timespec[]){ status.st_atim, status.st_mtim }, 0),
			 0);
	assert_false(comes_from_index("index-moved.json"));
	index_age_file("index-moved.json", 50);
	assert_false(comes_from_index("index-moved.json"));
	index_clear_all();
	unlink("index-moved.json");
}

static struct index_key key_of(const char *path)
{
	struct index_key key;
	assert_true(index_key_make(&key, path, &index_options));
	return key;
}

/* Every option that changes what is read makes another key, and another index. */
TEST(options_are_part_of_the_key)
{
	enum { CASES = 7 };
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10") "," OPERATOR("b", "20", "10"));
	const struct load_options before = index_options;
	struct index_key keys[CASES];
	index_write_text("index-key-case.json", text, sizeof text - 1);
	for (int i = 0; i < CASES; i++) {
		index_options = before;
		index_options.derived.attribute_by_execution = i == 1;
		index_options.derived.step_name = i == 2 ? "a" : i == 3 ? "b" : NULL;
		index_options.no_python = i == 4;
		index_options.key_node = i == 5 ? "a" : i == 6 ? "b" : NULL;
		keys[i] = key_of("index-key-case.json");
		assert_memory_equal(&keys[i], &keys[0], offsetof(struct index_key, options));
		for (int other = 0; other < i; other++)
			assert_int_not_equal(keys[i].options, keys[other].options);
		if (index_options.key_node) /* it names no operator of this file */
			continue;
		assert_false(comes_from_index("index-key-case.json"));
		assert_true(comes_from_index("index-key-case.json"));
	}
	index_options = before;
	index_clear_all();
	unlink("index-key-case.json");
}

/* Change the byte AT of PATH, keeping the time of its content. */
static void change_byte(const char *path, off_t at)
{
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	usleep(50000); /* the status time is coarse */
	int fd = open(path, O_RDWR);
	char byte;
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
	assert_int_equal(
		utimensat(AT_FDCWD, path, (struct timespec[]){ status.st_atim, status.st_mtim }, 0),
		0);
}

/* Start, middle and end of a file whose size and time stay: each is noticed by its own part. */
TEST(changed_bytes_are_part_of_the_key)
{
	enum { SIZE = 300000, START, MIDDLE, END };
	static const struct {
		off_t at;
		int where;
	} cases[] = {
		{ 1000, START },      { 65535, START },         { 65536, MIDDLE },
		{ SIZE / 2, MIDDLE }, { SIZE - 65537, MIDDLE }, { SIZE - 65536, END },
		{ SIZE - 3, END },
	};
	static const char begin[] = "{\"traceEvents\":[" OPERATOR("a", "0", "10") "],\"x\":\"";
	char *text = mem_alloc(SIZE);
	memset(text, 'a', SIZE);
	memcpy(text, begin, sizeof begin - 1);
	memcpy(text + SIZE - 2, "\"}", 2);
	index_write_text("index-key-case.json", text, SIZE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		comes_from_index("index-key-case.json");
		assert_true(comes_from_index("index-key-case.json"));
		const struct index_key before = key_of("index-key-case.json");
		change_byte("index-key-case.json", cases[i].at);
		const struct index_key after = key_of("index-key-case.json");
		assert_memory_equal(&before, &after, offsetof(struct index_key, status_s));
		assert_true(before.status_s != after.status_s ||
			    before.status_ns != after.status_ns);
		assert_int_equal(before.head != after.head, cases[i].where == START);
		assert_int_equal(before.tail != after.tail, cases[i].where == END);
		assert_false(comes_from_index("index-key-case.json"));
	}
	/* the small file's end is its start */
	index_write_text("index-key-case.json", text, 1000);
	assert_int_equal(key_of("index-key-case.json").tail, 0);
	mem_free(text);
	index_clear_all();
	unlink("index-key-case.json");
}

TEST(changing_files_are_not_indexed)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	index_write_text("index-key-case.json", text, sizeof text - 1);
	index_age_file("index-key-case.json", 0);
	assert_false(comes_from_index("index-key-case.json"));
	assert_int_equal(index_count(), 0);
	/* a database with an uncheckpointed write-ahead log */
	struct index_key key;
	index_write_text("index-key-case.sqlite", "SQLite format 3\0 and so on", 26);
	assert_true(index_key_make(&key, "index-key-case.sqlite", &index_options));
	index_write_text("index-key-case.sqlite-wal", "x", 1);
	assert_false(index_key_make(&key, "index-key-case.sqlite", &index_options));
	unlink("index-key-case.sqlite-wal");
	unlink("index-key-case.sqlite");
	unlink("index-key-case.json");
	assert_false(index_key_make(&key, "index-key-case.json", &index_options));
	assert_false(index_key_make(&key, "/dev/null", &index_options));
}

/* A partial profile shown while loading must not be indexed. */
TEST(partial_profile_is_not_indexed)
{
	size_t length;
	char *text = trace_generate("--steps 2", &length);
	struct run_prefix begin = { .bytes = text, .length = length / 2, .text_max = length / 2 };
	index_write_text("index-key-case.json", text, length);
	for (int i = 0; i < 2; i++) {
		struct run *run =
			run_open_prefix("index-key-case.json", &begin, &index_options, NULL, NULL);
		assert_non_null(run);
		assert_true(run->ranks[0].profile->partial);
		run_settle(run);
		run_free(run);
		assert_int_equal(index_count(), 0);
	}
	assert_false(comes_from_index("index-key-case.json"));
	mem_free(text);
	index_clear_all();
	unlink("index-key-case.json");
}

/* ---- the index_directory ---- */

/* Back-date all indexes; returns their total size in bytes. */
static uint64_t age_indexes(int seconds)
{
	struct index_list list;
	index_list_read(&list, index_directory);
	for (size_t i = 0; i < list.count; i++)
		index_age_file(list.entries[i].path, seconds);
	uint64_t bytes = list.bytes;
	index_list_free(&list);
	return bytes;
}

TEST(least_recently_used_is_evicted)
{
	static const char *const names[] = { "index-a.json", "index-b.json", "index-c.json" };
	index_generate(names[0], "--steps 1 --layers 1");
	assert_false(comes_from_index(names[0]));
	uint64_t one = age_indexes(60);
	index_generate(names[1], "--steps 1 --layers 1 --seed 2");
	assert_false(comes_from_index(names[1]));
	age_indexes(30);
	assert_true(comes_from_index(names[0])); /* now the other one is least recently used */
	struct index_list list;
	index_list_read(&list, index_directory);
	assert_non_null(strstr(list.entries[0].source, names[1]));
	assert_non_null(strstr(list.entries[1].source, names[0]));
	index_list_free(&list);
	index_options.index.bytes_max = one * 5 / 2;
	index_generate(names[2], "--steps 1 --layers 1 --seed 3");
	assert_false(comes_from_index(names[2]));
	assert_int_equal(index_count(), 2);
	assert_true(comes_from_index(names[0]));
	assert_true(comes_from_index(names[2]));
	/* an index larger than the whole cache is not written */
	index_options.index.bytes_max = one / 2;
	assert_false(comes_from_index(names[1]));
	assert_int_equal(index_count(), 2);
	index_options.index.bytes_max = UINT64_MAX;
	index_clear_all();
	for (int i = 0; i < 3; i++)
		unlink(names[i]);
}

/* The temporary file of a killed writer goes with the next index; that of a living one stays. */
TEST(unfinished_indexes_are_removed)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	char left[64], living[64];
	struct index_list list;
	size_t removed;
	snprintf(left, sizeof left, "%s/0.index.1.tmp", index_directory);
	snprintf(living, sizeof living, "%s/1.index.1.tmp", index_directory);
	index_write_text("index-key-case.json", text, sizeof text - 1);
	index_write_text(left, "half", 4);
	index_write_text(living, "half an", 7);
	int fd = open(living, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	index_list_read(&list, index_directory);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.bytes, 11);
	assert_true(list.entries[0].unfinished && list.entries[1].unfinished);
	index_list_free(&list);
	index_options.index.bytes_max = 1 << 20;
	assert_false(comes_from_index("index-key-case.json"));
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(living, F_OK), 0);
	index_list_read(&list, index_directory);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.entries[0].unfinished + list.entries[1].unfinished, 1);
	index_list_free(&list);
	assert_true(index_clear(index_directory, &removed, NULL));
	assert_int_equal(removed, 1);
	close(fd);
	assert_true(index_clear(index_directory, &removed, NULL));
	assert_int_equal(removed, 1);
	assert_int_equal(index_count(), 0);
	index_options.index.bytes_max = UINT64_MAX;
	unlink("index-key-case.json");
}

TEST(no_index_without_directory)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	index_write_text("index-key-case.json", text, sizeof text - 1);
	index_write_text("index-key-case.file", "", 0);
	index_options.index.directory = "index-key-case.file/directory";
	assert_false(comes_from_index("index-key-case.json"));
	assert_false(comes_from_index("index-key-case.json"));
	index_options.index.directory = index_directory;
	/* the index_directory is created with mode 0700 */
	char nested[64];
	struct stat status;
	snprintf(nested, sizeof nested, "%s/x/y", index_directory);
	index_options.index.directory = nested;
	assert_false(comes_from_index("index-key-case.json"));
	assert_true(comes_from_index("index-key-case.json"));
	assert_int_equal(stat(nested, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	struct index_list list;
	index_list_read(&list, nested);
	assert_int_equal(list.count, 1);
	assert_int_equal(stat(list.entries[0].path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	index_list_free(&list);
	index_options.index.directory = index_directory;
	unlink("index-key-case.json");
	unlink("index-key-case.file");
}
TEST_PROGRAM(index_make_directory, index_remove_directory)
