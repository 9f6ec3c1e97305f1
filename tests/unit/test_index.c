/*
 * The index: profiles loaded from it equal those parsed from the file, and damaged indexes are
 * rejected.
 */
#include "index_case.h"
#include "file_case.h"

#include "derived/derived.h"
#include "analysis/rank_summary.h"
#include "session/stored_derived.h"
#include "base/buffer.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
	struct run *run = index_open(path, &indexed);
	if (!run)
		return false;
	assert_false(indexed);
	print_views(&read, run);
	bool possible = stored_profile_possible(run->ranks[0].profile);
	run_free(run);
	run = index_open(path, &indexed);
	assert_non_null(run);
	if (indexed != possible)
		fail_msg("%s: not loaded from the index", path);
	print_views(&kept, run);
	run_free(run);
	if (read.length != kept.length || memcmp(read.data, kept.data, read.length) != 0)
		fail_msg("%s: the index gives another answer", path);
	buffer_free(&read);
	buffer_free(&kept);
	index_clear_all();
	return indexed;
}

TEST(generated_runs_equal_parsed)
{
	static const char *const runs[] = { "--seed 1", "--seed 5 --no-modules --stacks 0",
					    "--seed 7 --rank 1 --world 3" };
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		index_generate("index-case.json", runs[i]);
		assert_true(check_same("index-case.json"));
	}
	unlink("index-case.json");
}

enum { SMALL = SLOW ? 30 * 1024 : 100 * 1024 };

static size_t compared;

static int check_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	static size_t files;
	if (type == FTW_F && status->st_size <= SMALL && test_sampled(files++, 3))
		compared += check_same(path);
	return 0;
}

TEST(real_profiles_equal_parsed)
{
	static const char *const folders[] = { "kineto", "chrome_other", "nsys", "nvprof",
					       "pyprof", "dlprof",       "bad" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (corpus_path(folders[i]))
			nftw(corpus_path(folders[i]), check_file, 16, FTW_PHYS);
	if (!compared)
		skip();
	print_message("%zu profiles\n", compared);
}

/* ---- damage ---- */

static void index_file(char *path)
{
	struct index_list list;
	index_list_read(&list, index_directory);
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
	if (!index_load(&index_options.index, key, "index-case.json", &content))
		return false;
	derived_free(content.derived);
	profile_free(content.profile);
	rank_summary_free(content.summary);
	return true;
}

TEST(every_changed_byte_is_detected)
{
	char index[4096];
	size_t size;
	bool indexed;
	struct index_key key;
	index_write_text("index-case.json",
			 DOCUMENT(OPERATOR("a", "0", "10") "," LAUNCH("2", "5") "," KERNEL(
				 "k", "20", "30", "5")),
			 sizeof DOCUMENT(OPERATOR("a", "0", "10") "," LAUNCH("2", "5") "," KERNEL(
				 "k", "20", "30", "5")) -
				 1);
	run_free(index_open("index-case.json", &indexed));
	index_file(index);
	char *bytes = read_whole(index, &size);
	assert_true(index_key_make(&key, "index-case.json", &index_options));
	assert_true(is_used(index, bytes, size, &key));
	for (size_t i = 0; i < size; i++) {
		if (!test_sampled(i, 3))
			continue;
		bytes[i] ^= 1 << i % 8;
		if (is_used(index, bytes, size, &key))
			fail_msg("index accepted with byte %zu changed", i);
		bytes[i] ^= 1 << i % 8;
	}
	for (size_t cut = 0; cut < size; cut += 7)
		assert_false(is_used(index, bytes, cut, &key));
	/* and the file is parsed instead */
	index_write_text(index, "strata index", 12);
	struct run *run = index_open("index-case.json", &indexed);
	assert_false(indexed);
	assert_int_equal(run->ranks[0].profile->activities, 1);
	run_free(run);
	mem_free(bytes);
	index_clear_all();
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

#define STORED_OWNER struct numbers

static bool is_accepted(const struct stored_index *index, const struct numbers *numbers,
			uint64_t limit)
{
	enum { ROWS, LIMIT };
	static const struct stored_column columns[] = {
		STORED_COLUMN(words, ROWS),
		STORED_COLUMN(pairs, ROWS),
		STORED_COLUMN(bytes, ROWS),
	};
	const struct stored_table table = {
		.name = "numbers",
		.columns = columns,
		.column_count = 3,
		.indexes = index,
		.index_count = 1,
	};
	const char *path = "index-case.store";
	const uint64_t counts[] = { numbers->count, limit };
	struct numbers taken = { 0 };
	struct stored_pack pack = { 0 };
	stored_add_object(&pack, &table, numbers, counts);
	assert_true(store_write(path, 1, "", pack.sections, pack.count, UINT64_MAX, NULL, NULL));
	struct store *store = store_open(path, 1, NULL);
	assert_non_null(store);
	assert_true(stored_load_columns(&table, &taken, counts, store));
	assert_memory_equal(taken.words, numbers->words, numbers->count * sizeof(uint32_t));
	assert_memory_equal(taken.pairs, numbers->pairs, numbers->count * 2 * sizeof(uint32_t));
	bool accepted = stored_check(&table, &taken, counts, store);
	store_close(store);
	stored_pack_free(&pack);
	unlink(path);
	return accepted;
}

TEST(numbers_above_limit_are_rejected)
{
	enum { ITEMS_MAX = 21, LIMITED_BY = 1 };
	static const uint32_t limits[] = { 1, 2, 77, 255, INT32_MAX };
	uint32_t words[ITEMS_MAX] = { 0 };
	struct {
		uint32_t number, other;
	} pairs[ITEMS_MAX] = { 0 };
	uint8_t bytes[ITEMS_MAX] = { 0 };
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
			if (!test_sampled(at, 4))
				continue;
			const uint32_t value = values[at % 9], place = at / 9;
			const struct numbers numbers = { place + 1, words, (const void *)pairs,
							 bytes };
			for (int none = 0; none < 2; none++) {
				struct stored_index index =
					STORED_INDEX_AS(words, LIMITED_BY, none);
				bool good = value < limit || (none && value == UINT32_MAX);
				words[place] = pairs[place].number = value;
				assert_int_equal(is_accepted(&index, &numbers, limit), good);
				index = (struct stored_index)STORED_INDEX_IN_AS(pairs, number,
										LIMITED_BY, none);
				assert_int_equal(is_accepted(&index, &numbers, limit), good);
			}
			struct stored_index index = STORED_INDEX(bytes, LIMITED_BY);
			bytes[place] = (uint8_t)value;
			assert_int_equal(is_accepted(&index, &numbers, limit),
					 (uint8_t)value < limit);
			words[place] = pairs[place].number = bytes[place] = 0;
		}
	}
}

/* A section that is a byte, or an element, longer or shorter than its rows, or absent. */
TEST(sections_of_another_size_are_rejected)
{
	enum { ROWS, COUNT = 5 };
	static const uint32_t words[COUNT + 1];
	static const uint8_t bytes[COUNT + 1];
	static const int changes[] = { 0, -4, -3, -2, -1, 1, 2, 3, 4, -COUNT * 4 };
	static const struct stored_column columns[] = { STORED_COLUMN(words, ROWS),
							STORED_COLUMN(bytes, ROWS) };
	const struct stored_table table = { .name = "sizes",
					    .columns = columns,
					    .column_count = 2 };
	const struct numbers numbers = { COUNT, words, NULL, bytes };
	const uint64_t counts[] = { COUNT };
	const char *path = "index-case.store";
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct stored_pack pack = { 0 };
		struct numbers taken = { 0 };
		stored_add_object(&pack, &table, &numbers, counts);
		for (size_t k = 0; k < pack.count; k++) {
			struct store_section *section = &pack.sections[k];
			section->words = 0;
			if (strstr(section->name, "words"))
				section->size = (size_t)((int)section->size + changes[i]);
		}
		assert_true(store_write(path, 1, "", pack.sections, pack.count, UINT64_MAX, NULL,
					NULL));
		struct store *store = store_open(path, 1, NULL);
		assert_int_equal(stored_load_columns(&table, &taken, counts, store), !changes[i]);
		store_close(store);
		stored_pack_free(&pack);
		unlink(path);
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
	stored_derived_add(&mutant->pack, rank->derived, rank->summary);
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
	if (!stored_derived_take(store, path, &rank.profile, &rank.derived, &rank.summary)) {
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
	derived_free(rank.derived);
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
	struct run *run = index_open(path, &indexed);
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
		const uint32_t value = values[dice(&seed) % 7];
		if (!test_sampled((size_t)i, 3))
			continue;
		memcpy(before, at, 4);
		memcpy(at, &value, 4);
		assert_true(store_write("index-case.store", 1, "", mutant.pack.sections,
					mutant.pack.count, UINT64_MAX, NULL, NULL));
		use("index-case.store");
		memcpy(at, before, 4);
	}
	end_mutants(&mutant);
	index_clear_all();
	unlink("index-case.store");
}

TEST(wrong_numbers_are_harmless)
{
	index_generate("index-case.json", "--steps 1 --layers 1 --stacks 2");
	mutate("index-case.json", "", SLOW ? 120 : 400);
	unlink("index-case.json");
}

/* Samples, processors and call stacks, which JSON traces lack. */
TEST(thread_tables_are_indexed)
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
	index_age_file(path, 50);
	assert_true(check_same(path));
	index_clear_all();
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		mutate(path, prefixes[i], SLOW ? 12 : 60);
	unlink(path);
	mem_free(path);
}
TEST_PROGRAM(index_make_directory, index_remove_directory)
