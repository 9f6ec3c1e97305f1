/*
 * The index: profiles loaded from it equal those parsed from the file, and damaged or stale indexes
 * are rejected.
 */
#include "database_case.h"

#include "facts/facts.h"
#include "analysis/rank_summary.h"
#include "session/stored_facts.h"
#include "base/buffer.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[] = "index-XXXXXX";

static struct load_options options = { .index = { directory, UINT64_MAX, 0 } };

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static int remove_directory(void **state)
{
	(void)state;
	return nftw(directory, remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

/* Back-date the file: recently changed files are not indexed. */
static void age(const char *path, int seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = time(NULL) - seconds } };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_text(const char *path, const char *text, size_t length)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	age(path, 100);
}

static void generate(const char *path, const char *how)
{
	size_t length;
	char *text = trace_generate(how, &length);
	write_text(path, text, length);
	mem_free(text);
}

/* Open PATH and write its index; NULL if it is not a profile. *INDEXED: loaded from an index. */
static struct run *open_path(const char *path, bool *indexed)
{
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, &options, NULL, &error);
	run_settle(run);
	*indexed = run && run->ranks[0].profile->store;
	return run;
}

static size_t index_count(void)
{
	struct index_list list;
	index_list_read(&list, directory);
	size_t count = list.count;
	index_list_free(&list);
	return count;
}

static void clear(void)
{
	size_t removed;
	assert_true(index_clear(directory, &removed, NULL));
}

/* ---- index and file agree ---- */

/* Memory use differs: arrays loaded from an index have no spare capacity. */
static bool is_comparable(const struct table *table, size_t row)
{
	int metric = table_column(table, "metric");
	struct value value = metric < 0 ? value_missing() : table_value(table, row, (size_t)metric);
	return value.kind != VALUE_TEXT || strcmp(value.text, "memory used") != 0;
}

static void print_view(struct buffer *out, const struct run *run, const struct view *view,
		       const char *group)
{
	struct scope whole;
	struct error error = { 0 };
	scope_init(&whole);
	struct table *table = view_build(view, run, &whole, group, NULL, &error);
	buffer_printf(out, "== %s %s %s\n", view->name, group ? group : "", error.message);
	for (size_t row = 0; table && row < table->rows; row++) {
		if (!is_comparable(table, row))
			continue;
		buffer_printf(out, "%u ", table_depth(table, row));
		for (size_t column = 0; column < table->columns; column++) {
			table_format(out, table, row, column, true);
			buffer_putc(out, ',');
		}
		buffer_putc(out, '\n');
	}
	table_free(table);
}

static void print_views(struct buffer *out, const struct run *run)
{
	for (size_t i = 0; view_at(i); i++) {
		const struct view *view = view_at(i);
		print_view(out, run, view, NULL);
		for (int group = 1; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			print_view(out, run, view, view->groups[group]);
	}
}

/* Compares all views; true if the file was indexed. */
static bool check_same(const char *path)
{
	struct buffer read = { 0 }, kept = { 0 };
	bool indexed;
	struct run *run = open_path(path, &indexed);
	if (!run)
		return false;
	assert_false(indexed);
	print_views(&read, run);
	bool possible = stored_profile_possible(run->ranks[0].profile);
	run_free(run);
	run = open_path(path, &indexed);
	assert_non_null(run);
	if (indexed != possible)
		fail_msg("%s: not loaded from the index", path);
	print_views(&kept, run);
	run_free(run);
	if (read.length != kept.length || memcmp(read.data, kept.data, read.length) != 0)
		fail_msg("%s: the index gives another answer", path);
	buffer_free(&read);
	buffer_free(&kept);
	clear();
	return indexed;
}

static void test_generated_runs_equal_parsed(void **state)
{
	static const char *const runs[] = { "--seed 1", "--seed 5 --no-modules --stacks 0",
					    "--seed 7 --rank 1 --world 3" };
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		generate("index-case.json", runs[i]);
		assert_true(check_same("index-case.json"));
	}
	unlink("index-case.json");
}

enum { SMALL = 100 * 1024 };

static size_t compared;

static int check_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)walk;
	if (type == FTW_F && status->st_size <= SMALL)
		compared += check_same(path);
	return 0;
}

static void test_real_profiles_equal_parsed(void **state)
{
	static const char *const folders[] = { "kineto", "chrome_other", "nsys", "nvprof",
					       "pyprof", "dlprof",       "bad" };
	const char *given = getenv("STRATA_CORPUS"), *srcdir = getenv("srcdir");
	char path[4096];
	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s/%s",
			 given    ? given
			 : srcdir ? srcdir
				  : ".",
			 given ? "" : "/../shared/corpus", folders[i]);
		if (access(path, R_OK) == 0)
			nftw(path, check_file, 16, FTW_PHYS);
	}
	if (!compared)
		skip();
	print_message("%zu profiles\n", compared);
}

/* ---- damage ---- */

static char *read_whole(const char *path, size_t *size)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	char *bytes = mem_alloc((size_t)status.st_size);
	assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
	close(fd);
	*size = (size_t)status.st_size;
	return bytes;
}

static void index_file(char *path)
{
	struct index_list list;
	index_list_read(&list, directory);
	assert_int_equal(list.count, 1);
	strcpy(path, list.entries[0].path);
	index_list_free(&list);
}

/* Write BYTES to INDEX; true if it is then accepted for index-case.json. */
static bool is_used(const char *index, const char *bytes, size_t size, const struct index_key *key)
{
	struct index_content content;
	int fd = open(index, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	if (!index_load(&options.index, key, "index-case.json", &content))
		return false;
	facts_free(content.facts);
	profile_free(content.profile);
	rank_summary_free(content.summary);
	return true;
}

static void test_every_changed_byte_is_detected(void **state)
{
	char index[4096];
	size_t size;
	bool indexed;
	struct index_key key;
	(void)state;
	write_text("index-case.json",
		   DOCUMENT(OPERATOR("a", "0", "10") "," LAUNCH("2", "5") "," KERNEL("k", "20",
										     "30", "5")),
		   sizeof DOCUMENT(OPERATOR("a", "0", "10") "," LAUNCH("2", "5") "," KERNEL(
			   "k", "20", "30", "5")) -
			   1);
	run_free(open_path("index-case.json", &indexed));
	index_file(index);
	char *bytes = read_whole(index, &size);
	assert_true(index_key_make(&key, "index-case.json", &options));
	assert_true(is_used(index, bytes, size, &key));
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 1 << i % 8;
		if (is_used(index, bytes, size, &key))
			fail_msg("index accepted with byte %zu changed", i);
		bytes[i] ^= 1 << i % 8;
	}
	for (size_t cut = 0; cut < size; cut += 7)
		assert_false(is_used(index, bytes, cut, &key));
	/* and the file is parsed instead */
	write_text(index, "strata index", 12);
	struct run *run = open_path("index-case.json", &indexed);
	assert_false(indexed);
	assert_int_equal(run->ranks[0].profile->activities, 1);
	run_free(run);
	mem_free(bytes);
	clear();
	unlink("index-case.json");
}

/* Every position in a column and values around the limits. */
struct numbers {
	uint32_t count;
	const uint32_t *words;
	const struct {
		uint32_t number, other;
	} * pairs;
	const uint8_t *bytes;
};

static bool is_accepted(const struct stored_index *index, const struct numbers *numbers,
			uint64_t limit)
{
	enum { ROWS, LIMIT };
	static const struct stored_column columns[] = {
		STORED_COLUMN(struct numbers, words, ROWS),
		STORED_COLUMN(struct numbers, pairs, ROWS),
		STORED_COLUMN(struct numbers, bytes, ROWS),
	};
	const struct stored_table table = {
		.name = "numbers",
		.columns = columns,
		.column_count = 3,
		.indexes = index,
		.index_count = 1,
	};
	return stored_check(&table, numbers, (uint64_t[]){ numbers->count, limit });
}

static void test_numbers_above_limit_are_rejected(void **state)
{
	enum { ITEMS_MAX = 21, LIMITED_BY = 1 };
	static const uint32_t limits[] = { 1, 2, 77, 255, INT32_MAX };
	uint32_t words[ITEMS_MAX] = { 0 };
	struct {
		uint32_t number, other;
	} pairs[ITEMS_MAX] = { 0 };
	uint8_t bytes[ITEMS_MAX] = { 0 };
	(void)state;
	for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
		const uint32_t limit = limits[l], values[] = { 0,
							       limit - 1,
							       limit,
							       limit + 1,
							       INT32_MAX,
							       UINT32_C(1) << 31,
							       (UINT32_C(1) << 31) + limit,
							       UINT32_MAX - 1,
							       UINT32_MAX };
		for (uint32_t at = 0; at < ITEMS_MAX * 9; at++) {
			const uint32_t value = values[at % 9], place = at / 9;
			const struct numbers numbers = { place + 1, words, (const void *)pairs,
							 bytes };
			for (int none = 0; none < 2; none++) {
				struct stored_index index =
					STORED_INDEX(struct numbers, words, LIMITED_BY, none);
				bool good = value < limit || (none && value == UINT32_MAX);
				words[place] = pairs[place].number = value;
				assert_int_equal(is_accepted(&index, &numbers, limit), good);
				index = (struct stored_index)STORED_INDEX_IN(
					struct numbers, pairs, number, LIMITED_BY, none);
				assert_int_equal(is_accepted(&index, &numbers, limit), good);
			}
			struct stored_index index =
				STORED_INDEX(struct numbers, bytes, LIMITED_BY, false);
			bytes[place] = (uint8_t)value;
			assert_int_equal(is_accepted(&index, &numbers, limit),
					 (uint8_t)value < limit);
			words[place] = pairs[place].number = bytes[place] = 0;
		}
	}
}

/*
 * Sections with valid checksums but wrong numbers are refused, or every view can be built from
 * them. Changes one pseudo-random word at a time.
 */
static uint32_t dice(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

struct mutant {
	struct stored_pack pack;
	char *whole[128];
};

static void begin_mutants(struct mutant *mutant, const struct run *run)
{
	const struct rank *rank = &run->ranks[0];
	stored_facts_add(&mutant->pack, rank->facts, rank->summary);
	assert_true(mutant->pack.count < 128);
	for (size_t i = 0; i < mutant->pack.count; i++) {
		struct store_section *section = &mutant->pack.sections[i];
		mutant->whole[i] = mem_alloc(section->size);
		if (section->size)
			memcpy(mutant->whole[i], section->data, section->size);
		section->data = mutant->whole[i];
	}
}

static void end_mutants(struct mutant *mutant)
{
	for (size_t i = 0; i < mutant->pack.count; i++)
		mem_free(mutant->whole[i]);
	stored_pack_free(&mutant->pack);
}

static void use(const char *path)
{
	struct store *store = store_open(path, 1, NULL);
	struct rank rank = { 0 };
	struct buffer text = { 0 };
	assert_non_null(store);
	if (!stored_facts_take(store, path, &rank.profile, &rank.facts, &rank.summary)) {
		store_close(store);
		return;
	}
	struct run *run = trace_run(DOCUMENT(OPERATOR("a", "0", "10")));
	struct rank own = run->ranks[0];
	rank.path = own.path;
	rank.process = own.process;
	rank.residence = own.residence;
	run->ranks[0] = rank;
	print_views(&text, run);
	run->ranks[0] = own;
	run_free(run);
	facts_free(rank.facts);
	profile_free(rank.profile);
	rank_summary_free(rank.summary);
	buffer_free(&text);
}

/* Change a random word in sections whose names start with PREFIX, TIMES times. */
static void mutate(const char *path, const char *prefix, int times)
{
	static const uint32_t values[] = { 0, 1, 2, 1000, INT32_MAX, UINT32_MAX - 1, UINT32_MAX };
	uint32_t seed = 1;
	struct mutant mutant = { 0 };
	bool indexed;
	struct run *run = open_path(path, &indexed);
	begin_mutants(&mutant, run);
	run_free(run);
	for (int i = 0; i < times;) {
		const struct store_section *section =
			&mutant.pack.sections[dice(&seed) % mutant.pack.count];
		if (section->size < 4 || strncmp(section->name, prefix, strlen(prefix)) != 0)
			continue;
		i++;
		char *at = mutant.whole[section - mutant.pack.sections] +
			   dice(&seed) % (section->size / 4) * 4;
		char before[4];
		memcpy(before, at, 4);
		memcpy(at, &values[dice(&seed) % 7], 4);
		assert_true(store_write("index-case.store", 1, "", mutant.pack.sections,
					mutant.pack.count, NULL, NULL));
		use("index-case.store");
		memcpy(at, before, 4);
	}
	end_mutants(&mutant);
	clear();
	unlink("index-case.store");
}

static void test_wrong_numbers_are_harmless(void **state)
{
	(void)state;
	generate("index-case.json", "--steps 1 --layers 1 --stacks 2");
	mutate("index-case.json", "", 600);
	unlink("index-case.json");
}

/* Samples, processors and call stacks, which JSON traces lack. */
static void test_thread_tables_are_indexed(void **state)
{
	char *path = database_file(NSYS_STRINGS NSYS_CALLS "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,90," NSYS_THREAD(
		7,
		8) ",1,2);"
		   "CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, globalTid INT);"
		   "INSERT INTO COMPOSITE_EVENTS VALUES (1,10," NSYS_THREAD(
			   7,
			   8) "),"
			      "(2,20," NSYS_THREAD(7, 8) "),(3,15," NSYS_THREAD(
				      7,
				      9) ");"
					 "CREATE TABLE SAMPLING_CALLCHAINS (id INT, symbol INT, module INT, stackDepth INT);"
					 "INSERT INTO SAMPLING_CALLCHAINS VALUES (1,1,4,1),(1,2,4,0),(2,3,4,0);"
					 "CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT, globalTid INT);"
					 "INSERT INTO SCHED_EVENTS VALUES (6,1," NSYS_THREAD(7, 8) "),(30,0," NSYS_THREAD(7, 8) "),(40,1," NSYS_THREAD(
						 7,
						 8) "),(80,0," NSYS_THREAD(7,
									   8) "),(7,1," NSYS_THREAD(7,
												    9) "),(9,0," NSYS_THREAD(7,
															     9) ");");
	static const char *const prefixes[] = { "profile.samples", "profile.runs",
						"profile.frames" };
	(void)state;
	age(path, 50);
	assert_true(check_same(path));
	clear();
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		mutate(path, prefixes[i], 60);
	unlink(path);
	mem_free(path);
}

/* ---- identity ---- */

static bool comes_from_index(const char *path)
{
	bool indexed;
	run_free(open_path(path, &indexed));
	return indexed;
}

static void test_file_is_identified_by_content(void **state)
{
	static const char one[] = DOCUMENT(OPERATOR("a", "0", "10"));
	static const char other[] = DOCUMENT(OPERATOR("b", "0", "10"));
	(void)state;
	write_text("index-case.json", one, sizeof one - 1);
	assert_false(comes_from_index("index-case.json"));
	assert_true(comes_from_index("index-case.json"));
	/* whatever its name */
	assert_int_equal(symlink("index-case.json", "index-moved.json"), 0);
	assert_true(comes_from_index("index-moved.json"));
	unlink("index-moved.json");
	assert_int_equal(rename("index-case.json", "index-moved.json"), 0);
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
	age("index-moved.json", 50);
	assert_false(comes_from_index("index-moved.json"));
	clear();
	unlink("index-moved.json");
}

static struct index_key key_of(const char *path)
{
	struct index_key key;
	assert_true(index_key_make(&key, path, &options));
	return key;
}

/* Every option that changes what is read makes another key, and another index. */
static void test_options_are_part_of_the_key(void **state)
{
	enum { CASES = 7 };
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	const struct load_options before = options;
	struct index_key keys[CASES];
	(void)state;
	write_text("index-case.json", text, sizeof text - 1);
	for (int i = 0; i < CASES; i++) {
		options = before;
		options.facts.attribute_by_execution = i == 1;
		options.facts.step_name = i == 2 ? "a" : i == 3 ? "b" : NULL;
		options.no_python = i == 4;
		options.key_node = i == 5 ? "a" : i == 6 ? "b" : NULL;
		keys[i] = key_of("index-case.json");
		assert_memory_equal(&keys[i], &keys[0], offsetof(struct index_key, options));
		for (int other = 0; other < i; other++)
			assert_int_not_equal(keys[i].options, keys[other].options);
		if (options.key_node) /* it names no operator of this file */
			continue;
		assert_false(comes_from_index("index-case.json"));
		assert_true(comes_from_index("index-case.json"));
	}
	options = before;
	clear();
	unlink("index-case.json");
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
static void test_changed_bytes_are_part_of_the_key(void **state)
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
	(void)state;
	memset(text, 'a', SIZE);
	memcpy(text, begin, sizeof begin - 1);
	memcpy(text + SIZE - 2, "\"}", 2);
	write_text("index-case.json", text, SIZE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		comes_from_index("index-case.json");
		assert_true(comes_from_index("index-case.json"));
		const struct index_key before = key_of("index-case.json");
		change_byte("index-case.json", cases[i].at);
		const struct index_key after = key_of("index-case.json");
		assert_memory_equal(&before, &after, offsetof(struct index_key, status_s));
		assert_true(before.status_s != after.status_s ||
			    before.status_ns != after.status_ns);
		assert_int_equal(before.head != after.head, cases[i].where == START);
		assert_int_equal(before.tail != after.tail, cases[i].where == END);
		assert_false(comes_from_index("index-case.json"));
	}
	/* the small file's end is its start */
	write_text("index-case.json", text, 1000);
	assert_int_equal(key_of("index-case.json").tail, 0);
	mem_free(text);
	clear();
	unlink("index-case.json");
}

static void test_changing_files_are_not_indexed(void **state)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	(void)state;
	write_text("index-case.json", text, sizeof text - 1);
	age("index-case.json", 0);
	assert_false(comes_from_index("index-case.json"));
	assert_int_equal(index_count(), 0);
	/* a database with an uncheckpointed write-ahead log */
	struct index_key key;
	write_text("index-case.sqlite", "SQLite format 3\0 and so on", 26);
	assert_true(index_key_make(&key, "index-case.sqlite", &options));
	write_text("index-case.sqlite-wal", "x", 1);
	assert_false(index_key_make(&key, "index-case.sqlite", &options));
	unlink("index-case.sqlite-wal");
	unlink("index-case.sqlite");
	unlink("index-case.json");
	assert_false(index_key_make(&key, "index-case.json", &options));
	assert_false(index_key_make(&key, "/dev/null", &options));
}

/* A partial profile shown while loading must not be indexed. */
static void test_partial_profile_is_not_indexed(void **state)
{
	size_t length;
	char *text = trace_generate("--steps 2", &length);
	struct run_prefix begin = { .bytes = text, .length = length / 2, .text_max = length / 2 };
	(void)state;
	write_text("index-case.json", text, length);
	for (int i = 0; i < 2; i++) {
		struct run *run = run_open_prefix("index-case.json", &begin, &options, NULL, NULL);
		assert_non_null(run);
		assert_true(run->ranks[0].profile->partial);
		run_settle(run);
		run_free(run);
		assert_int_equal(index_count(), 0);
	}
	assert_false(comes_from_index("index-case.json"));
	mem_free(text);
	clear();
	unlink("index-case.json");
}

/* ---- the directory ---- */

/* Back-date all indexes; returns their total size in bytes. */
static uint64_t age_indexes(int seconds)
{
	struct index_list list;
	index_list_read(&list, directory);
	for (size_t i = 0; i < list.count; i++)
		age(list.entries[i].path, seconds);
	uint64_t bytes = list.bytes;
	index_list_free(&list);
	return bytes;
}

static void test_least_recently_used_is_evicted(void **state)
{
	static const char *const names[] = { "index-a.json", "index-b.json", "index-c.json" };
	(void)state;
	generate(names[0], "--steps 1 --layers 1");
	assert_false(comes_from_index(names[0]));
	uint64_t one = age_indexes(60);
	generate(names[1], "--steps 1 --layers 1 --seed 2");
	assert_false(comes_from_index(names[1]));
	age_indexes(30);
	assert_true(comes_from_index(names[0])); /* now the other one is least recently used */
	struct index_list list;
	index_list_read(&list, directory);
	assert_non_null(strstr(list.entries[0].source, names[1]));
	assert_non_null(strstr(list.entries[1].source, names[0]));
	index_list_free(&list);
	options.index.bytes_max = one * 5 / 2;
	generate(names[2], "--steps 1 --layers 1 --seed 3");
	assert_false(comes_from_index(names[2]));
	assert_int_equal(index_count(), 2);
	assert_true(comes_from_index(names[0]));
	assert_true(comes_from_index(names[2]));
	/* an index larger than the whole cache is not written */
	options.index.bytes_max = one / 2;
	assert_false(comes_from_index(names[1]));
	assert_int_equal(index_count(), 2);
	options.index.bytes_max = UINT64_MAX;
	clear();
	for (int i = 0; i < 3; i++)
		unlink(names[i]);
}

/* The temporary file of a killed writer goes with the next index; that of a living one stays. */
static void test_unfinished_indexes_are_removed(void **state)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	char left[64], living[64];
	struct index_list list;
	size_t removed;
	(void)state;
	snprintf(left, sizeof left, "%s/0.index.1.tmp", directory);
	snprintf(living, sizeof living, "%s/1.index.1.tmp", directory);
	write_text("index-case.json", text, sizeof text - 1);
	write_text(left, "half", 4);
	write_text(living, "half an", 7);
	int fd = open(living, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	index_list_read(&list, directory);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.bytes, 11);
	assert_true(list.entries[0].unfinished && list.entries[1].unfinished);
	index_list_free(&list);
	options.index.bytes_max = 1 << 20;
	assert_false(comes_from_index("index-case.json"));
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(living, F_OK), 0);
	index_list_read(&list, directory);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.entries[0].unfinished + list.entries[1].unfinished, 1);
	index_list_free(&list);
	assert_true(index_clear(directory, &removed, NULL));
	assert_int_equal(removed, 1);
	close(fd);
	assert_true(index_clear(directory, &removed, NULL));
	assert_int_equal(removed, 1);
	assert_int_equal(index_count(), 0);
	options.index.bytes_max = UINT64_MAX;
	unlink("index-case.json");
}

static void test_no_index_without_directory(void **state)
{
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10"));
	(void)state;
	write_text("index-case.json", text, sizeof text - 1);
	write_text("index-case.file", "", 0);
	options.index.directory = "index-case.file/directory";
	assert_false(comes_from_index("index-case.json"));
	assert_false(comes_from_index("index-case.json"));
	options.index.directory = directory;
	/* the directory is created with mode 0700 */
	char nested[64];
	struct stat status;
	snprintf(nested, sizeof nested, "%s/x/y", directory);
	options.index.directory = nested;
	assert_false(comes_from_index("index-case.json"));
	assert_true(comes_from_index("index-case.json"));
	assert_int_equal(stat(nested, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	struct index_list list;
	index_list_read(&list, nested);
	assert_int_equal(list.count, 1);
	assert_int_equal(stat(list.entries[0].path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	index_list_free(&list);
	options.index.directory = directory;
	unlink("index-case.json");
	unlink("index-case.file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated_runs_equal_parsed),
		cmocka_unit_test(test_real_profiles_equal_parsed),
		cmocka_unit_test(test_every_changed_byte_is_detected),
		cmocka_unit_test(test_numbers_above_limit_are_rejected),
		cmocka_unit_test(test_wrong_numbers_are_harmless),
		cmocka_unit_test(test_thread_tables_are_indexed),
		cmocka_unit_test(test_file_is_identified_by_content),
		cmocka_unit_test(test_options_are_part_of_the_key),
		cmocka_unit_test(test_changed_bytes_are_part_of_the_key),
		cmocka_unit_test(test_changing_files_are_not_indexed),
		cmocka_unit_test(test_partial_profile_is_not_indexed),
		cmocka_unit_test(test_least_recently_used_is_evicted),
		cmocka_unit_test(test_unfinished_indexes_are_removed),
		cmocka_unit_test(test_no_index_without_directory),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
