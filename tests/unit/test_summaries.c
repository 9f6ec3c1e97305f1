/* Files of summaries: any grouping and order merges to the same bytes; damage; percentiles. */
#include "summary_case.h"
#include "file_case.h"
#include "trace_case.h"

#include "analysis/rank_matches.h"
#include "analysis/packed_ranks.h"
#include "analysis/histogram.h"
#include "base/crc64.h"
#include "base/intern.h"
#include "base/mem.h"
#include "analysis/rank_summary.h"
#include "input/summary_file/summary_file.h"
#include "summary/batch.h"
#include "summary/merge_summaries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANKS = 64, MANY_RANKS = 500, ROWS_MAX = 40, TRIALS = 20, CUTS = 200, FLIPS = 200 };

static char folder[] = "/tmp/strata-summaries-XXXXXX";
static uint64_t random_state = 17;

static struct buffer read_file(const char *path)
{
	struct buffer bytes = { 0 };
	bytes.data = read_whole(path, &bytes.length);
	return bytes;
}

static char *path_in_folder(const char *name, int number)
{
	struct buffer path = { 0 };
	buffer_printf(&path, "%s/%s%d.strsum", folder, name, number);
	return path.data;
}

static char *make_summary(const char *name, int number, const struct summary_case *how)
{
	struct buffer bytes = { 0 };
	char *path = path_in_folder(name, number);
	summary_case_make(&bytes, how);
	write_whole(path, bytes.data, bytes.length);
	buffer_free(&bytes);
	return path;
}

static size_t rows_max;          /* of a merge; 0: the default */
static struct buffer *described; /* by a merge, or NULL */

static bool merge_paths(char **paths, size_t count, const char *output, struct error *error)
{
	struct merge merge = { .paths = (const char *const *)paths, .rows_max = rows_max };
	struct merge_files files = { .merge = &merge };
	bool done = true;
	for (size_t i = 0; i < count && done; i++)
		done = merge_add_file(&merge, (uint32_t)i, NULL, error);
	done = done && merge_settle(&merge, error) &&
	       merge_write(&merge, output, false, merge_fetch_file, &files, NULL, error);
	if (done && described)
		merge_describe(&merge, described);
	merge_files_close(&files);
	merge_free(&merge);
	return done;
}

static void shuffle(char **paths, size_t count)
{
	for (size_t i = count; i-- > 1;) {
		size_t other = random_below(&random_state, i + 1);
		char *path = paths[i];
		paths[i] = paths[other];
		paths[other] = path;
	}
}

static void free_paths(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unlink(paths[i]);
		mem_free(paths[i]);
	}
}

/* Merge random groups of PATHS, then groups of the results, until one file is left. */
static void merge_in_groups(char **paths, size_t count, int *number, const char *output)
{
	char *merged[MANY_RANKS] = { 0 };
	size_t groups = 0;
	struct error error = { 0 };
	shuffle(paths, count);
	for (size_t from = 0, size; from < count; from += size) {
		size = 1 + random_below(&random_state, 7);
		size = size < count - from ? size : count - from;
		merged[groups] = path_in_folder("group", (*number)++);
		assert_true(merge_paths(paths + from, size, merged[groups], &error));
		groups++;
	}
	if (groups > 1)
		merge_in_groups(merged, groups, number, output);
	else
		assert_int_equal(rename(merged[0], output), 0);
	free_paths(merged, groups);
}

static void assert_same_bytes(const struct buffer *expected, const char *path)
{
	struct buffer bytes = read_file(path);
	assert_int_equal(bytes.length, expected->length);
	assert_memory_equal(bytes.data, expected->data, bytes.length);
	buffer_free(&bytes);
}

TEST(any_grouping_and_order)
{
	char *paths[RANKS + 8], *output = path_in_folder("output", 0);
	struct error error = { 0 };
	for (int i = 0; i < RANKS; i++)
		paths[i] = make_summary("rank", i,
					&(struct summary_case){ i, RANKS, (uint64_t)i + 1,
								1 + random_below(&random_state, 9),
								random_below(&random_state, 60) });
	assert_true(merge_paths(paths, RANKS, output, &error));
	struct buffer expected = read_file(output);
	for (int trial = 0, number = 0; trial < TRIALS; trial++) {
		char *order[RANKS + 8];
		memcpy(order, paths, sizeof order);
		for (int i = 0; i < 8; i++) /* some ranks twice */
			order[RANKS + i] = paths[random_below(&random_state, RANKS)];
		if (trial % 2) {
			shuffle(order, RANKS + 8);
			assert_true(merge_paths(order, RANKS + 8, output, &error));
		} else {
			merge_in_groups(order, RANKS, &number, output);
		}
		assert_same_bytes(&expected, output);
	}
	/* the whole and its parts are the whole */
	char *again[] = { output, paths[3], output };
	assert_true(merge_paths(again, 3, output, &error));
	assert_same_bytes(&expected, output);
	buffer_free(&expected);
	free_paths(paths, RANKS);
	free_paths(&output, 1);
}

/* ---- key ranks ---- */

static int64_t mean_of(const struct rank *rank)
{
	struct scope whole;
	scope_init(&whole);
	return rank_mean_step(rank->summary, &whole).dur;
}

static int compare_steps(const void *a, const void *b)
{
	int64_t x = mean_of(*(const struct rank *const *)a);
	int64_t y = mean_of(*(const struct rank *const *)b);
	return (x > y) - (x < y);
}

/* The straggler, the fastest and slowest ranks and one like the median have rows. */
static void assert_key_ranks(const char *path)
{
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, &(struct load_options){ 0 }, NULL, &error);
	const struct rank *order[MANY_RANKS];
	size_t with_rows = 0;
	assert_non_null(run);
	assert_int_equal(run->rank_count, MANY_RANKS);
	for (size_t i = 0; i < MANY_RANKS; i++) {
		order[i] = &run->ranks[i];
		with_rows += !run->ranks[i].statistics;
	}
	assert_in_range(with_rows, 16, MANY_RANKS / 2);
	qsort(order, MANY_RANKS, sizeof *order, compare_steps);
	for (int i = 0; i < 16; i++) {
		assert_false(order[i]->statistics);
		assert_false(order[MANY_RANKS - 1 - i]->statistics);
	}
	double median = (double)mean_of(order[MANY_RANKS / 2]), nearest = 1;
	for (size_t i = 0; i < MANY_RANKS; i++) {
		double apart = fabs((double)mean_of(order[i]) - median) / median;
		if (!order[i]->statistics && apart < nearest)
			nearest = apart;
	}
	assert_true(nearest < 1.0 / 64);
	size_t least = 0;
	for (size_t i = 0; i < MANY_RANKS; i++)
		if (run->matches->wait[i] < run->matches->wait[least])
			least = i;
	assert_false(run->ranks[least].statistics);
	run_free(run);
}

TEST(key_ranks_in_any_grouping)
{
	static char *paths[MANY_RANKS + 8];
	char *output = path_in_folder("output", 0), *whole = path_in_folder("whole", 0);
	struct error error = { 0 };
	for (int i = 0; i < MANY_RANKS; i++)
		paths[i] = make_summary(
			"rank", i, &(struct summary_case){ i, MANY_RANKS, (uint64_t)i + 1, 3, 20 });
	assert_true(merge_paths(paths, MANY_RANKS, whole, &error));
	rows_max = ROWS_MAX;
	struct buffer text = { 0 };
	described = &text;
	assert_true(merge_paths(paths, MANY_RANKS, output, &error));
	described = NULL;
	unsigned merged, kept;
	int length = 0;
	assert_int_equal(
		sscanf(buffer_text(&text),
		       "ranks merged: %u; rows of %u key ranks kept (--all-ranks keeps all)%n",
		       &merged, &kept, &length),
		2);
	assert_int_equal(length, text.length);
	assert_int_equal(merged, MANY_RANKS);
	assert_in_range(kept, 16, MANY_RANKS / 2);
	buffer_free(&text);
	struct buffer expected = read_file(output), all = read_file(whole);
	assert_true(expected.length < all.length);
	assert_key_ranks(output);
	for (int trial = 0, number = 0; trial < TRIALS / 2; trial++) {
		static char *order[MANY_RANKS + 8];
		memcpy(order, paths, sizeof order);
		for (int i = 0; i < 8; i++)
			order[MANY_RANKS + i] =
				i % 2 ? whole : paths[random_below(&random_state, MANY_RANKS)];
		if (trial % 2) {
			shuffle(order, MANY_RANKS + 8);
			assert_true(merge_paths(order, MANY_RANKS + 8, output, &error));
		} else {
			merge_in_groups(order, MANY_RANKS, &number, output);
		}
		assert_same_bytes(&expected, output);
	}
	/* rows that are there are kept, and win */
	rows_max = SIZE_MAX;
	assert_true(merge_paths((char *[]){ output, whole }, 2, output, &error));
	assert_same_bytes(&all, output);
	rows_max = 0;
	buffer_free(&expected);
	buffer_free(&all);
	free_paths(paths, MANY_RANKS);
	free_paths((char *[]){ output, whole }, 2);
}

/* The findings of all ranks, with or without rows, and those on which each fired. */
TEST(findings_of_all_ranks)
{
	enum { FEW = 30 };
	char *paths[FEW], *output = path_in_folder("output", 0);
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	for (int i = 0; i < FEW; i++)
		paths[i] = make_summary("rank", i,
					&(struct summary_case){ i, FEW, (uint64_t)i + 1, 3, 20 });
	for (int reduced = 0; reduced < 2; reduced++) {
		const char *const opened = output;
		rows_max = reduced ? 1 : 0;
		assert_true(merge_paths(paths, FEW, output, &error));
		struct run *run = run_open(&opened, 1, &(struct load_options){ 0 }, NULL, &error);
		struct table *table =
			view_build(view_find("advice"), run, &scope, NULL, NULL, &error);
		size_t fired = 0;
		assert_non_null(table);
		for (size_t row = 0; row < table->rows; row++) {
			struct value id =
				table_value(table, row, (size_t)table_need(table, "detector"));
			struct value text =
				table_value(table, row, (size_t)table_need(table, "evidence"));
			assert_null(strstr(text.text, "of the whole run"));
			bool all = !strncmp(id.text, "launch_bound", id.length);
			if (!all && strncmp(id.text, "dataloader", id.length) != 0)
				continue;
			const char *start = all ? "All 30 ranks (10.0 %)" : "10 of 30 ranks; rank ";
			fired++;
			assert_true(text.length > strlen(start));
			assert_memory_equal(text.text, start, strlen(start));
		}
		assert_int_equal(fired, 2);
		table_free(table);
		run_free(run);
	}
	rows_max = 0;
	free_paths(paths, FEW);
	free_paths(&output, 1);
}

static void assert_not_merged(char **paths, size_t count, const char *sentence)
{
	struct error error = { 0 };
	char *output = path_in_folder("refused", 0);
	assert_false(merge_paths(paths, count, output, &error));
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.message, sentence));
	assert_int_equal(access(output, F_OK), -1);
	mem_free(output);
}

TEST(what_is_not_of_one_run)
{
	char *paths[] = {
		make_summary("a", 0, &(struct summary_case){ 3, 8, 1, 2, 4 }),
		make_summary("a", 1, &(struct summary_case){ 3, 8, 2, 2, 4 }),
	};
	assert_not_merged(paths, 2, "their summaries of rank 3 differ; leave one out");
	free_paths(paths, 2);
	char *worlds[] = {
		make_summary("a", 0, &(struct summary_case){ 3, 8, 1, 2, 4 }),
		make_summary("a", 1, &(struct summary_case){ 4, 16, 2, 2, 4 }),
	};
	assert_not_merged(worlds, 2, "is of a world of 8 ranks");
	free_paths(worlds, 2);
	char *unknown[] = {
		make_summary("a", 0, &(struct summary_case){ NO_VALUE, 8, 1, 2, 4 }),
		make_summary("a", 1, &(struct summary_case){ NO_VALUE, 8, 2, 2, 4 }),
	};
	assert_not_merged(unknown, 2, "their ranks are unknown");
	free_paths(unknown, 2);
	char *partly[] = {
		make_summary("a", 0, &(struct summary_case){ NO_VALUE, 8, 1, 2, 4 }),
		make_summary("a", 1, &(struct summary_case){ 4, 8, 2, 2, 4 }),
	};
	assert_not_merged(partly, 2, "its rank is unknown");
	free_paths(partly, 2);
	assert_not_merged(NULL, 0, "no summary to merge");
}

/* The first two files that do not fit are named, in their order, whatever is in them. */
TEST(files_that_do_not_fit_are_named_in_order)
{
	enum { FILES = 4 };
	static const int64_t ranks[] = { NO_VALUE, 3 };
	for (uint64_t trial = 0; trial < 48; trial++) {
		char *paths[FILES], sentence[1024];
		/* the first and another are copies: they do not differ */
		size_t copy = trial / 2 % (FILES - 1) + 1, second = copy == 1 ? 2 : 1;
		int64_t rank = ranks[trial % 2];
		for (size_t i = 0; i < FILES; i++)
			paths[i] = make_summary(
				"a", (int)i,
				&(struct summary_case){
					rank, 8, i == copy ? trial * 64 : trial * 64 + i, 2, 4 });
		snprintf(sentence, sizeof sentence, "%s and %s: their ", paths[0], paths[second]);
		assert_not_merged(paths, FILES, sentence);
		free_paths(paths, FILES);
	}
}

/* ---- damage ---- */

/* Refused with a sentence, whatever reads it. */
static void assert_damaged(const struct buffer *bytes, size_t length)
{
	struct buffer cut = { 0 };
	struct error error = { 0 };
	char *path = path_in_folder("damaged", 0);
	buffer_add(&cut, bytes->data, length);
	write_whole(path, cut.data, cut.length);
	const char *const opened = path;
	assert_null(run_open(&opened, 1, &(struct load_options){ 0 }, NULL, &error));
	assert_int_equal(error.code, ERROR_INPUT);
	assert_true(strlen(error.message) > 5);
	assert_not_merged(&path, 1, "");
	buffer_free(&cut);
	free_paths(&path, 1);
}

TEST(cuts_and_flips)
{
	struct buffer bytes = { 0 };
	summary_case_make(&bytes, &(struct summary_case){ 5, 8, 9, 6, 30 });
	for (int i = 0; i < CUTS; i++)
		assert_damaged(&bytes, random_below(&random_state, bytes.length));
	for (int i = 0; i < FLIPS; i++) {
		size_t at = random_below(&random_state, bytes.length);
		char bit = (char)(1 << random_below(&random_state, 8));
		bytes.data[at] = (char)(bytes.data[at] ^ bit);
		assert_damaged(&bytes, bytes.length);
		bytes.data[at] = (char)(bytes.data[at] ^ bit);
	}
	buffer_putc(&bytes, 0);
	assert_damaged(&bytes, bytes.length);
	buffer_free(&bytes);
}

/* Write the directory of a block that was changed. */
static void seal(struct buffer *bytes, const struct buffer *block)
{
	uint64_t checksum = crc64(0, buffer_text(block), block->length);
	struct summary_file_part part = { 5, 8, block->length, checksum, checksum };
	buffer_clear(bytes);
	summary_file_add_head(bytes, &part, 1);
	buffer_add(bytes, buffer_text(block), block->length);
}

/* Blocks that are wrong though their checksums are right: refused, or opened and shown. */
TEST(sealed_flips)
{
	struct buffer bytes = { 0 }, block = { 0 };
	char *path = path_in_folder("sealed", 0);
	char *other = make_summary("sealed", 6, &(struct summary_case){ 6, 8, 3, 6, 30 });
	const char *const opened[] = { path, other };
	size_t shown = 0;
	seal(&bytes, &block);
	size_t head = bytes.length; /* of a file of one block */
	summary_case_make(&bytes, &(struct summary_case){ 5, 8, 9, 6, 30 });
	struct buffer whole = { 0 };
	buffer_add(&whole, bytes.data + head, bytes.length - head);
	for (int i = 0; i < FLIPS; i++) {
		struct error error = { 0 };
		buffer_clear(&block);
		buffer_add(&block, whole.data, whole.length);
		block.data[random_below(&random_state, block.length)] ^=
			(char)(1 << random_below(&random_state, 8));
		seal(&bytes, &block);
		write_whole(path, bytes.data, bytes.length);
		struct run *run =
			run_open(opened, 1 + i % 2, &(struct load_options){ 0 }, NULL, &error);
		if (!run) {
			assert_true(strlen(error.message) > 5);
			continue;
		}
		struct scope scope;
		scope_init(&scope);
		for (const char *const *view =
			     (const char *const[]){ "ranks", "collectives", "overview", "durations",
						    "advice", "rank-time", "rank-outliers", NULL };
		     *view; view++) {
			struct table *table =
				view_build(view_find(*view), run, &scope, NULL, NULL, &error);
			shown += table != NULL;
			table_free(table);
		}
		run_free(run);
	}
	assert_true(shown > 0);
	buffer_free(&whole);
	buffer_free(&block);
	buffer_free(&bytes);
	free_paths((char *[]){ path, other }, 2);
}

TEST(newer_version)
{
	struct buffer bytes = { 0 };
	struct error error = { 0 };
	char *path = path_in_folder("newer", 0);
	const char *const opened = path;
	summary_case_make(&bytes, &(struct summary_case){ 0, 1, 1, 1, 0 });
	bytes.data[SUMMARY_FILE_MAGIC_SIZE] = SUMMARY_FILE_VERSION + 1;
	write_whole(path, bytes.data, bytes.length);
	assert_null(run_open(&opened, 1, &(struct load_options){ 0 }, NULL, &error));
	assert_non_null(strstr(error.message, "version 4"));
	assert_non_null(strstr(error.message, "update strata"));
	buffer_free(&bytes);
	free_paths(&path, 1);
}

/* ---- opening ---- */

TEST(open_twice_the_same)
{
	char *paths[] = {
		make_summary("rank", 0, &(struct summary_case){ 0, 2, 1, 3, 5 }),
		make_summary("rank", 1, &(struct summary_case){ 1, 2, 2, 3, 5 }),
		path_in_folder("both", 0),
	};
	struct error error = { 0 };
	assert_true(merge_paths(paths, 2, paths[2], &error));
	struct run *run =
		run_open((const char *const *)paths, 3, &(struct load_options){ 0 }, NULL, &error);
	assert_non_null(run);
	assert_int_equal(run->rank_count, 2);
	assert_int_equal(run->ranks[1].number, 1);
	assert_int_equal(run->ranks[1].summary->collective_count, 5);
	run_free(run);
	free_paths(paths, 3);
}

/* ---- histograms ---- */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t draw_time(int shape)
{
	int64_t scale = INT64_C(1) << random_below(&random_state, shape % 3 ? 40 : 8);
	return shape == 4 ? INT64_MAX - (int64_t)random_below(&random_state, 1000)
			  : (int64_t)random_below(&random_state, (uint64_t)scale + 1);
}

TEST(percentiles)
{
	static const double percents[] = { 0, 1, 10, 50, 90, 99, 99.9, 100 };
	enum { TIMES = 5000 };
	for (int shape = 0; shape < 5; shape++) {
		int64_t times[TIMES];
		struct histograms parts[3], sum;
		histograms_init(&sum);
		for (int i = 0; i < 3; i++)
			histograms_init(&parts[i]);
		for (int i = 0; i < TIMES; i++) {
			times[i] = draw_time(shape);
			histograms_count(&parts[random_below(&random_state, 3)], HISTOGRAM_KERNELS,
					 "k", 1, times[i]);
		}
		qsort(times, TIMES, sizeof *times, compare_times);
		for (int i = 0; i < 3; i++) {
			histograms_add(&sum, &parts[i]);
			histograms_clear(&parts[i]);
		}
		const struct histogram *histogram = &sum.list[HISTOGRAM_KERNELS].items[0];
		assert_int_equal(histogram->count, TIMES);
		assert_int_equal(histogram->ranks, 3);
		assert_int_equal(histogram->min, times[0]);
		assert_int_equal(histogram->max, times[TIMES - 1]);
		for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
			double at = percents[i] / 100 * TIMES;
			size_t row = at > 1 ? (size_t)(at + 0.999999) - 1 : 0;
			double exact = (double)times[row < TIMES ? row : TIMES - 1];
			double found = (double)histogram_percentile(histogram, percents[i]);
			assert_true(found <= exact * 1.01 && found >= exact * 0.99);
		}
		histograms_clear(&sum);
	}
}

/* More names than are kept: the small ones become one, and nothing is lost. */
TEST(many_names)
{
	struct histograms histograms, read;
	struct intern *texts = intern_new();
	struct buffer packed = { 0 }, dictionary = { 0 };
	int64_t sum = 0;
	histograms_init(&histograms);
	histograms_init(&read);
	for (int i = 0; i < HISTOGRAM_NAMES_MAX + 500; i++) {
		char name[32];
		int length = snprintf(name, sizeof name, "name %d", i);
		sum += i;
		histograms_count(&histograms, HISTOGRAM_LAYERS, name, (size_t)length, i);
	}
	histograms_pack(&histograms, texts, &packed);
	packed_add_texts(&dictionary, texts);
	struct packed of_texts = { dictionary.data, dictionary.data + dictionary.length, false };
	struct packed of_histograms = { packed.data, packed.data + packed.length, false };
	struct packed_texts taken = packed_take_texts(&of_texts);
	assert_true(histograms_unpack(&read, &of_histograms, &taken));
	const struct histogram_list *list = &read.list[HISTOGRAM_LAYERS];
	assert_int_equal(list->count, HISTOGRAM_NAMES_MAX + 1);
	for (size_t i = 0; i < list->count; i++)
		sum -= list->items[i].sum;
	assert_int_equal(sum, 0);
	assert_string_equal(intern_text(read.strings, list->items[HISTOGRAM_NAMES_MAX].name),
			    HISTOGRAM_OTHERS);
	packed_texts_free(&taken);
	histograms_clear(&histograms);
	histograms_clear(&read);
	buffer_free(&packed);
	buffer_free(&dictionary);
	intern_free(texts);
}

/* ---- rows ---- */

/* The largest numbers of each of as many stretches of FROM's column as KEPT has rows. */
static void assert_largest_between(const struct table *from, const struct table *kept,
				   const char *column)
{
	size_t at = 0;
	for (size_t i = 0; i < kept->rows; i++) {
		int64_t most = INT64_MIN;
		for (; at < from->rows * (i + 1) / kept->rows; at++) {
			int64_t number = table_number(from, at, column);
			most = number > most ? number : most;
		}
		assert_int_equal(table_number(kept, i, column), most);
	}
}

/* Of a curve that is too long the highest points are kept. */
TEST(a_long_curve_keeps_its_peaks)
{
	enum { EVENTS = 3500 };
	struct buffer text = { 0 };
	char path[sizeof folder + 20], summary[sizeof path + 20];
	const char *paths[] = { path, summary };
	struct error error = { 0 };
	const struct load_options load = { 0 };
	snprintf(path, sizeof path, "%s/curve.json", folder);
	snprintf(summary, sizeof summary, "%s.strsum", path);
	buffer_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR("a", "1", "9999"));
	for (int i = 0; i < EVENTS; i++)
		buffer_printf(
			&text,
			",{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":1,\"Device Id\":0,"
			"\"Addr\":%d,\"Bytes\":%d,\"Total Allocated\":%d,\"Total Reserved\":1000000}}",
			2 + 2 * i, i + 1, 1 + i % 2, 1 + (int)random_below(&random_state, 900000));
	buffer_puts(&text, "]}");
	write_whole(path, text.data, text.length);
	buffer_free(&text);
	const struct summary_job job = {
		.trace = path, .directory = folder, .load = &load, .rank = NO_VALUE, .made = "x"
	};
	assert_true(summary_write(&job, NULL, &error));
	struct run *run = run_open(&paths[0], 1, NULL, NULL, &error);
	struct run *small = run_open(&paths[1], 1, NULL, NULL, &error);
	assert_non_null(run);
	assert_non_null(small);
	struct table *all = trace_view(run, "memory-curve", NULL, NULL);
	struct table *kept = trace_view(small, "memory-curve", NULL, NULL);
	assert_int_equal(all->rows, EVENTS);
	assert_int_equal(kept->rows, 1000);
	assert_largest_between(all, kept, "allocated_bytes");
	table_free(all);
	table_free(kept);
	run_free(run);
	run_free(small);
	unlink(path);
	unlink(summary);
}

/* ---- ranks ---- */

/* The bytes of a rank, and are they read again? */
static struct buffer packed_rank(const struct rank_summary *summary)
{
	struct intern *texts = intern_new();
	struct buffer bytes = { 0 };
	rank_summary_pack(summary, texts, &bytes);
	intern_free(texts);
	return bytes;
}

static bool are_taken(struct buffer bytes)
{
	struct packed packed = { bytes.data, bytes.data + bytes.length, false };
	struct packed empty = { bytes.data, bytes.data, false };
	struct packed_texts texts = { .items = &empty, .count = 1 };
	struct rank_summary *again = rank_summary_unpack(&packed, &texts);
	bool good = again != NULL;
	rank_summary_free(again);
	buffer_free(&bytes);
	return good;
}

TEST(ranks_that_cannot_be_are_refused)
{
	struct rank_slice slices[RANK_SLICES] = { 0 };
	struct step_summary steps[2] = { { .number = 1, .dur = 5, .other = 5 },
					 { .number = 2, .dur = INT64_MAX - 5, .other = 7 } };
	struct rank_device none = { .id = -1, .memory = NO_VALUE };
	struct rank_summary right = { .strings = intern_new(),
				      .device = -1,
				      .devices = &none,
				      .device_count = 1,
				      .end = RANK_SLICES,
				      .steps = steps,
				      .step_count = 2,
				      .slices = slices,
				      .slice_count = RANK_SLICES };
	assert_true(are_taken(packed_rank(&right)));
	struct rank_summary brief = right; /* a slice takes 1 ns at least */
	brief.end = RANK_SLICES - 1;
	assert_false(are_taken(packed_rank(&brief)));
	struct rank_summary few = right;
	few.slice_count = RANK_SLICES / 2;
	assert_false(are_taken(packed_rank(&few)));
	struct rank_summary nowhere = right;
	nowhere.device_count = 0;
	assert_false(are_taken(packed_rank(&nowhere)));
	struct rank_summary device = right;
	device.device = -2;
	assert_false(are_taken(packed_rank(&device)));
	/* 2^31 in place of the greatest number */
	device.device = INT32_MAX;
	struct buffer bytes = packed_rank(&device);
	char *at = memmem(bytes.data, bytes.length, "\xfe\xff\xff\xff\x0f", 5);
	assert_non_null(at);
	memcpy(at, "\x80\x80\x80\x80\x10", 5);
	assert_false(are_taken(bytes));
	assert_true(are_taken(packed_rank(&right)));
	steps[0].dur++; /* the sum of the steps overflows */
	assert_false(are_taken(packed_rank(&right)));
	intern_free(right.strings);
}

/* ---- numbers ---- */

TEST(packed_numbers)
{
	static const int64_t numbers[] = { 0, 1, -1, 63, 64, -64, -65, INT64_MAX, INT64_MIN };
	struct buffer bytes = { 0 };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		packed_add_signed(&bytes, numbers[i]);
		packed_add(&bytes, (uint64_t)numbers[i]);
	}
	struct packed packed = { bytes.data, bytes.data + bytes.length, false };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		assert_int_equal(packed_take_signed(&packed), numbers[i]);
		assert_true(packed_take(&packed) == (uint64_t)numbers[i]);
	}
	assert_true(packed_ended(&packed));
	assert_int_equal(packed_take(&packed), 0);
	assert_true(packed.bad);
	/* ten bytes with a bit beyond the 64th */
	struct packed wide = { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", NULL, false };
	wide.end = wide.at + 10;
	assert_int_equal(packed_take(&wide), 0);
	assert_true(wide.bad);
	buffer_free(&bytes);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_made_folder(void **state)
{
	return rmdir(folder);
}

TEST_PROGRAM(make_folder, remove_made_folder)
