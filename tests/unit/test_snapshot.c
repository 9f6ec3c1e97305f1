/* Memory snapshots: every protocol, damage, and pickles that ask for more than plain data. */
#include "advice_case.h"
#include "snapshot_case.h"
#include "trace_case.h"

#include "analysis/memory_blocks.h"
#include "base/mem.h"
#include "model/snapshot.h"
#include "input/pickle/plain_pickle.h"
#include "input/readers.h"
#include "input/source.h"

#include <stdio.h>
#include <stdlib.h>

#define BYTES(text) (text), sizeof(text) - 1
#define HEAD "\x80\x04}(\x8c\x08segments"

static void assert_text(const struct table *table, size_t row, const char *column, const char *text)
{
	struct value value = table_cell(table, row, column);
	assert_int_equal(value.kind, VALUE_TEXT);
	assert_int_equal(value.length, strlen(text));
	assert_memory_equal(value.text, text, strlen(text));
}

static struct run *snapshot_run(int protocol)
{
	struct pickler pickler = pickler_new(protocol);
	pickle_snapshot(&pickler);
	struct run *run = trace_run_bytes(pickler.out.data, pickler.out.length);
	buffer_free(&pickler.out);
	return run;
}

static void check_owners(const struct run *run)
{
	struct table *table = trace_view(run, "memory", NULL, NULL);
	size_t user = row_with(table, "name", "/home/me/train.py:7 step");
	size_t native = row_with(table, "name", "(native only)");
	size_t earlier = row_with(table, "name", "(allocated before the trace)");
	assert_int_equal(table->rows, 3);
	assert_int_equal(table_number(table, user, "peak_bytes"), 400);
	assert_int_equal(table_number(table, user, "peak_blocks"), 2);
	assert_int_equal(table_number(table, user, "end_bytes"), 100);
	assert_int_equal(table_number(table, native, "peak_bytes"), 200);
	assert_int_equal(table_number(table, earlier, "peak_bytes"), 50);
	assert_int_equal(table_number(table, earlier, "end_blocks"), 0);
	table_free(table);
}

static void check_curve(const struct run *run)
{
	static const int64_t active[] = { 150, 150, 450, 650, 650, 350, 300, 300 };
	static const int64_t allocated[] = { 100, 100, 400, 600, 300, 300, 300, 300 };
	struct table *table = trace_view(run, "memory-curve", NULL, NULL);
	assert_int_equal(table->rows, 8);
	for (size_t row = 0; row < table->rows; row++) {
		assert_int_equal(table_number(table, row, "entry"), (int64_t)row - 1);
		assert_int_equal(table_number(table, row, "active_bytes"), active[row]);
		assert_int_equal(table_number(table, row, "allocated_bytes"), allocated[row]);
		assert_int_equal(table_number(table, row, "reserved_bytes"), row ? 4096 : 0);
	}
	assert_int_equal(table_cell(table, 0, "time_ns").kind, VALUE_MISSING);
	assert_int_equal(table_number(table, 3, "time_ns"), 2000);
	table_free(table);
}

static void check_rest(const struct run *run)
{
	struct table *events = trace_view(run, "memory-events", NULL, NULL);
	struct table *blocks = trace_view(run, "blocks", NULL, NULL);
	struct table *ooms = trace_view(run, "ooms", NULL, NULL);
	struct table *spans = trace_view(run, "spans", NULL, NULL);
	assert_int_equal(events->rows, 4);
	assert_int_equal(table_number(events, 0, "alloc_entry"), 1);
	assert_int_equal(table_number(events, 0, "free_entry"), 4);
	assert_int_equal(table_number(events, 0, "dur_ns"), 3000);
	assert_int_equal(blocks->rows, 3);
	assert_text(blocks, 0, "stack", "main;step;forward;malloc");
	assert_text(blocks, 2, "state", "inactive");
	assert_int_equal(table_cell(blocks, 2, "owner").kind, VALUE_MISSING);
	assert_int_equal(ooms->rows, 1);
	assert_int_equal(table_number(ooms, 0, "entry"), 6);
	assert_int_equal(table_number(ooms, 0, "device_free_bytes"), 7);
	assert_int_equal(table_number(ooms, 0, "size_bytes"), 5000);
	assert_int_equal(spans->rows, 1);
	assert_int_equal(table_number(spans, 0, "start_ns"), 2000);
	assert_int_equal(table_number(spans, 0, "dur_ns"), 3000);
	table_free(events);
	table_free(blocks);
	table_free(ooms);
	table_free(spans);
}

TEST(every_protocol_says_the_same)
{
	for (int protocol = 0; protocol <= PICKLE_JIT; protocol++) {
		struct run *run = snapshot_run(protocol);
		check_owners(run);
		check_curve(run);
		check_rest(run);
		run_free(run);
	}
}

/* The number of a fact; fails the test if there is none. */
static int64_t fact(const struct run *run, const char *view, const char *metric)
{
	struct table *table = trace_view(run, view, NULL, NULL);
	for (size_t row = 0; row < table->rows; row++) {
		struct value value = table_cell(table, row, "metric");
		if (value.length != strlen(metric) || memcmp(value.text, metric, value.length) != 0)
			continue;
		int64_t number = table_number(table, row, "value");
		table_free(table);
		return number;
	}
	fail_msg("no fact %s", metric);
	return 0;
}

TEST(the_identity_holds_of_an_intact_snapshot)
{
	struct run *run = snapshot_run(4);
	assert_int_equal(fact(run, "info", "difference"), 0);
	assert_int_equal(fact(run, "info", "live before the trace"), 150);
	assert_int_equal(fact(run, "info", "live at its end"), 300);
	assert_int_equal(fact(run, "info", "requested at the dump"), 300);
	run_free(run);
}

TEST(the_overview_begins_with_failed_requests)
{
	struct run *run = snapshot_run(4);
	assert_int_equal(fact(run, "overview", "failed requests"), 1);
	assert_true(fact(run, "overview", "trace entries") > 0);
	assert_int_equal(fact(run, "overview", "trace entries"),
			 fact(run, "info", "trace entries"));
	assert_int_equal(fact(run, "overview", "last failed request"), 5000);
	assert_int_equal(fact(run, "overview", "peak_memory_bytes"), 650);
	assert_int_equal(fact(run, "overview", "largest free block"), 3072);
	run_free(run);
}

/* It has no GPU work and no steps by nature; a request failed, and memory is in use. */
TEST(what_a_snapshot_cannot_hold_is_no_finding)
{
	struct run *run = snapshot_run(4);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	assert_int_equal(advice->rows, 2);
	assert_int_equal(advice_row(advice, "out_of_memory"), 0);
	assert_string_equal(advice_answer(advice, "memory_contents"), "headline");
	table_free(advice);
	run_free(run);
}

/* ---- findings ---- */

enum { MIB = 1 << 20, ENTRIES_MAX = 512 };

struct entries {
	struct pickle_entry items[ENTRIES_MAX];
	size_t count;
};

static void add_entry(struct entries *entries, const char *action, int64_t at, int64_t mib)
{
	entries->items[entries->count++] =
		(struct pickle_entry){ action, (at + 1) << 32, mib * MIB, 'u' };
}

static void assert_snapshot_answer(const struct entries *entries, const char *detector,
				   const char *evidence)
{
	struct pickler pickler = pickler_new(4);
	pickle_trace(&pickler, entries->items, entries->count);
	struct run *run = trace_run_bytes(pickler.out.data, pickler.out.length);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	const char *text = table_cell(advice, advice_row(advice, detector), "evidence").text;
	assert_int_equal(advice_fired(advice_answer(advice, detector)), evidence != NULL);
	if (evidence && !strstr(text, evidence))
		fail_msg("%s: %s", detector, text);
	table_free(advice);
	run_free(run);
	buffer_free(&pickler.out);
}

/* ROUNDS times: 100 MiB are taken from the driver, used and, if RETURNED, given back. */
static struct entries with_segments(int rounds, bool returned)
{
	struct entries entries = { .count = 0 };
	for (int i = 0; i < rounds; i++) {
		if (i == 0 || returned)
			add_entry(&entries, "segment_alloc", 1, 100);
		add_entry(&entries, "alloc", 1, 100);
		add_entry(&entries, "free_requested", 1, 100);
		add_entry(&entries, "free_completed", 1, 100);
		if (returned)
			add_entry(&entries, "segment_free", 1, 100);
	}
	return entries;
}

TEST(segments_given_back_again_and_again_are_found)
{
	struct entries thrash = with_segments(4, true), kept = with_segments(4, false);
	assert_snapshot_answer(&thrash, "allocation",
			       "4 segments (400.00 MiB) on GPU0 were freed in 4 bursts");
	assert_snapshot_answer(&kept, "allocation", NULL);
}

/* SEGMENTS are taken, given back at once and, if AGAIN, taken again. */
static struct entries with_one_burst(int segments, bool again)
{
	struct entries entries = { .count = 0 };
	for (int round = 0; round < (again ? 3 : 2); round++)
		for (int i = 0; i < segments; i++)
			add_entry(&entries, round == 1 ? "segment_free" : "segment_alloc", i, 2);
	return entries;
}

TEST(many_segments_given_back_at_once_and_taken_again_are_found)
{
	struct entries many = with_one_burst(100, true), few = with_one_burst(99, true);
	struct entries once = with_one_burst(150, false);
	assert_snapshot_answer(&many, "allocation",
			       "freed in 1 burst, and 200.00 MiB were allocated again");
	assert_snapshot_answer(&few, "allocation", NULL);
	assert_snapshot_answer(&once, "allocation", NULL);
}

/* A segment more for 60 MiB although 60 MiB are unused, in pieces. */
TEST(fragmentation_needs_bytes_that_were_unused)
{
	struct entries pieces = { .count = 0 }, full = { .count = 0 };
	add_entry(&pieces, "segment_alloc", 1, 100);
	add_entry(&pieces, "alloc", 1, 40);
	add_entry(&pieces, "segment_alloc", 3, 60);
	add_entry(&pieces, "alloc", 3, 60);
	add_entry(&full, "segment_alloc", 1, 100);
	add_entry(&full, "alloc", 1, 100);
	add_entry(&full, "segment_alloc", 3, 60);
	add_entry(&full, "alloc", 3, 60);
	assert_snapshot_answer(
		&pieces, "fragmentation",
		"60.00 MiB (37.5 %) of the 160.00 MiB reserved are unused; 60.00 MiB were reserved while as much was unused; most, 100.00 MiB, is held by /home/me/train.py:7 step");
	assert_snapshot_answer(&full, "fragmentation", NULL);
}

/* ROUNDS of 100 MiB that are freed, of which KEPT stay each time. */
static struct entries cycles(int rounds, int64_t kept)
{
	struct entries entries = { .count = 0 };
	for (int i = 0; i < rounds; i++) {
		add_entry(&entries, "alloc", 2 * i, 100);
		if (kept)
			add_entry(&entries, "alloc", 2 * i + 1, kept);
		add_entry(&entries, "free_requested", 2 * i, 100);
		add_entry(&entries, "free_completed", 2 * i, 100);
	}
	return entries;
}

TEST(growth_from_cycle_to_cycle_is_found)
{
	struct entries leak = cycles(6, 5), steady = cycles(6, 0), brief = cycles(3, 5);
	assert_snapshot_answer(
		&leak, "memory_growth",
		"falls 6 times, each time to more than before: from 5.00 MiB to 30.00 MiB; most, 25.00 MiB, is held by /home/me/train.py:7 step");
	assert_snapshot_answer(&steady, "memory_growth", NULL);
	assert_snapshot_answer(&brief, "memory_growth", NULL);
}

/* Of 10 MiB, 6 MiB are freed before the next allocation, and 4 MiB stay. */
TEST(contents_at_the_peak_are_told)
{
	struct entries entries = { .count = 0 }, empty = { .count = 0 };
	add_entry(&entries, "alloc", 1, 4);
	add_entry(&entries, "alloc", 2, 6);
	add_entry(&entries, "free_requested", 2, 6);
	add_entry(&entries, "free_completed", 2, 6);
	add_entry(&entries, "alloc", 3, 5);
	assert_snapshot_answer(&entries, "memory_contents",
			       "GPU0 holds 10.00 MiB at its peak: 6.00 MiB temporaries, 4.00 MiB "
			       "other; most, 10.00 MiB, is held by /home/me/train.py:7 step");
	add_entry(&empty, "segment_alloc", 1, 5);
	assert_snapshot_answer(&empty, "memory_contents", NULL);
}

static void put_request(struct pickler *pickler, const char *action, int64_t at, const char *name,
			const char *file)
{
	pickle_begin(pickler, '{');
	pickle_words(pickler, "action", action);
	pickle_pair(pickler, "addr", 4096 * (at + 1));
	pickle_pair(pickler, "size", 512);
	pickle_pair(pickler, "stream", 0);
	pickle_text(pickler, "frames");
	pickle_begin(pickler, '[');
	pickle_begin(pickler, '{');
	pickle_words(pickler, "name", name);
	pickle_words(pickler, "filename", file);
	pickle_pair(pickler, "line", 1);
	pickle_end(pickler, '{');
	pickle_end(pickler, '[');
	pickle_end(pickler, '{');
}

/* What stays is for what the function that asked for it does; what is freed at once is temporary.
 */
TEST(blocks_are_for_what_asks_for_them)
{
	static const char *const cases[][3] = {
		{ "__init__", "/home/me/model.py", "weights" },
		{ "_apply", "/torch/nn/module.py", "weights" },
		{ "init", "/home/me/model.py", "other" },
		{ "make_kv_cache", "/home/me/model.py", "cache" },
		{ "torch::autograd::Engine::run", "??", "gradients" },
		{ "step", "/torch/optim/adam.py", "optimizer state" },
		{ "step", "/home/me/train.py", "other" },
		{ "adam", "/torch/optim/adam.py", "other" },
		{ "reduce", "/torch/distributed/nccl.py", "communication" },
		{ "c10d::reduce", "??", "communication" },
		{ "forward", "/home/me/model.py", "other" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pickler pickler = pickler_new(4);
		struct memory_blocks blocks;
		pickle_begin(&pickler, '{');
		pickle_text(&pickler, "segments");
		pickle_begin(&pickler, '[');
		pickle_end(&pickler, '[');
		pickle_text(&pickler, "device_traces");
		pickle_begin(&pickler, '[');
		pickle_begin(&pickler, '[');
		put_request(&pickler, "alloc", 0, cases[i][0], cases[i][1]);
		put_request(&pickler, "alloc", 1, cases[i][0], cases[i][1]);
		put_request(&pickler, "free_completed", 1, cases[i][0], cases[i][1]);
		put_request(&pickler, "alloc", 2, "run", "/home/me/train.py");
		pickle_end(&pickler, '[');
		pickle_end(&pickler, '[');
		pickle_end(&pickler, '{');
		pickle_stop(&pickler);
		struct run *run = trace_run_bytes(pickler.out.data, pickler.out.length);
		assert_true(memory_blocks_find(&blocks, run->ranks[0].derived, NULL));
		assert_int_equal(blocks.count, 3);
		for (size_t b = 0; b < 2; b++) {
			const struct memory_block *block = &blocks.items[b];
			bool stays = block->to == INT64_MAX, sends = strstr(cases[i][2], "comm");
			assert_string_equal(
				memory_category_name((enum memory_category)block->category),
				stays || sends ? cases[i][2] : "temporaries");
		}
		memory_blocks_free(&blocks);
		run_free(run);
		buffer_free(&pickler.out);
	}
}

/* Truncated anywhere it is refused; with any byte changed it opens or is refused. */
TEST(damage_is_refused_or_read)
{
	for (int protocol = 0; protocol <= PICKLE_JIT; protocol++) {
		struct pickler pickler = pickler_new(protocol);
		struct error error;
		pickle_snapshot(&pickler);
		srand(7);
		for (int i = 0; i < 200; i++) {
			size_t cut = (size_t)rand() % pickler.out.length;
			assert_refused(pickler.out.data, cut);
		}
		for (int i = 0; i < 200; i++) {
			size_t at = (size_t)rand() % pickler.out.length;
			char was = pickler.out.data[at];
			pickler.out.data[at] = (char)rand();
			profile_free(
				trace_open_bytes(pickler.out.data, pickler.out.length, &error));
			pickler.out.data[at] = was;
		}
		buffer_free(&pickler.out);
	}
}

TEST(nothing_is_executed)
{
	assert_refused(BYTES(HEAD "cos\nsystem\n(\x8c\x04true\x85Ru."));
	assert_refused(BYTES(HEAD "\x8c\x02os\x8c\x06system\x93u."));
	assert_refused(BYTES(HEAD "ctorch.jit._pickle\nrestore_type_tag\n)Ru."));
	assert_refused(BYTES(HEAD "(ios\nsystem\nu."));
	assert_refused(BYTES(HEAD "Pid\nu."));
	assert_refused(BYTES(HEAD "NQu."));
	assert_refused(BYTES(HEAD "\x82\x01u."));
	assert_refused(BYTES(HEAD "]}bu."));
}

TEST(absurd_sizes_are_refused)
{
	assert_refused(BYTES(HEAD "X\xff\xff\xff\xff"));
	assert_refused(BYTES(HEAD "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"));
	assert_refused(BYTES(HEAD "\x8b\xff\xff\xff\x7f"));
	assert_refused(BYTES(HEAD "\x8b\xff\xff\xff\xff"));
	assert_refused(BYTES(HEAD "h\7u."));
	assert_refused(BYTES(HEAD "j\xff\xff\xff\xffu."));
	assert_refused(BYTES(HEAD "u."));
	assert_refused(BYTES(HEAD "."));
}

/* What no block can have is unknown, up to one byte beside the limits; a block of no such size is
 * none. */
TEST(sizes_beyond_all_memory_are_unknown)
{
	static const int64_t most = (INT64_C(1) << 50) - 1;
	static const int64_t sizes[][3] = {
		/* size, requested, as read; NO_VALUE twice: no block */
		{ 512, 0, 0 },
		{ 512, 100, 100 },
		{ 512, -1, NO_VALUE },
		{ 512, most, most },
		{ 512, most + 1, NO_VALUE },
		{ 512, INT64_MAX, NO_VALUE },
		{ 0, 7, 7 },
		{ most, 7, 7 },
		{ -1, NO_VALUE, NO_VALUE },
		{ most + 1, NO_VALUE, NO_VALUE },
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct pickler pickler = pickler_new(4);
		struct error error;
		bool none = sizes[i][1] == NO_VALUE;
		pickle_begin(&pickler, '{');
		pickle_text(&pickler, "segments");
		pickle_begin(&pickler, '[');
		pickle_begin(&pickler, '{');
		pickle_pair(&pickler, "device", 0);
		pickle_pair(&pickler, "address", 4096);
		pickle_pair(&pickler, "total_size", 4096);
		pickle_pair(&pickler, "stream", 0);
		pickle_words(&pickler, "segment_type", "small");
		pickle_text(&pickler, "blocks");
		pickle_begin(&pickler, '[');
		pickle_begin(&pickler, '{');
		pickle_pair(&pickler, "address", 4096);
		pickle_pair(&pickler, "size", sizes[i][0]);
		pickle_pair(&pickler, "requested_size", none ? 7 : sizes[i][1]);
		pickle_words(&pickler, "state", "active_allocated");
		pickle_end(&pickler, '{');
		pickle_end(&pickler, '[');
		pickle_end(&pickler, '{');
		pickle_end(&pickler, '[');
		pickle_text(&pickler, "device_traces");
		pickle_begin(&pickler, '[');
		pickle_begin(&pickler, '[');
		pickle_end(&pickler, '[');
		pickle_end(&pickler, '[');
		pickle_end(&pickler, '{');
		pickle_stop(&pickler);
		struct profile *profile =
			trace_open_bytes(pickler.out.data, pickler.out.length, &error);
		assert_non_null(profile);
		assert_int_equal(profile->snapshot->block_count, !none);
		if (!none)
			assert_int_equal(profile->snapshot->blocks[0].requested, sizes[i][2]);
		profile_free(profile);
		buffer_free(&pickler.out);
	}
}

/* A slot far out costs nothing; a list in itself is no trouble. */
TEST(a_memo_need_not_be_dense)
{
	struct error error;
	struct profile *profile = trace_open_bytes(BYTES(HEAD "]r\xff\xff\xff\xffj\xff\xff\xff\xff"
							      "a\x8c\x0d"
							      "device_traces](](K\1K\2eK\3eu."),
						   &error);
	assert_non_null(profile);
	assert_int_equal(damage_count(profile, "trace entry without an action"), 2);
	assert_int_equal(damage_count(profile, "segment that is none, or occurs again"), 1);
	profile_free(profile);
}

/* A trace of entries alone says nothing of what the allocator held at the dump. */
TEST(entries_without_segments)
{
	struct pickler pickler = pickler_new(4);
	pickle_begin(&pickler, '{');
	pickle_text(&pickler, "device_traces");
	pickle_begin(&pickler, '[');
	pickle_begin(&pickler, '[');
	pickle_begin(&pickler, '{');
	pickle_words(&pickler, "action", "alloc");
	pickle_pair(&pickler, "addr", 4096);
	pickle_pair(&pickler, "size", 700);
	pickle_end(&pickler, '{');
	pickle_end(&pickler, '[');
	pickle_end(&pickler, '[');
	pickle_end(&pickler, '{');
	pickle_stop(&pickler);
	struct run *run = trace_run_bytes(pickler.out.data, pickler.out.length);
	struct table *info = trace_view(run, "info", NULL, NULL);
	bool told = false;
	for (size_t row = 0; row < info->rows; row++) {
		const char *metric = table_cell(info, row, "metric").text;
		told |= !strcmp(metric, "requested at the dump") &&
			table_cell(info, row, "value").kind == VALUE_TEXT;
		assert_string_not_equal(metric, "difference");
	}
	assert_true(told);
	table_free(info);
	assert_rows(run, "memory", NULL, NULL, "name,peak_bytes,end_bytes", "(no stack),700,700\n");
	run_free(run);
	buffer_free(&pickler.out);
}

/* ---- lines of protocol 0 ---- */

/* The one value that the pickle LINE is, as text; NULL: it is refused. */
static const char *text_of_line(const char *line, struct intern *strings)
{
	struct error error = { 0 };
	struct plain_pickle *pickle = plain_pickle_new(strings, (struct plain_hook){ NULL });
	struct source *source = source_open_memory(line, strlen(line), UINT64_MAX, NULL, &error);
	struct plain top;
	uint32_t text;
	const char *found = NULL;
	int64_t number;
	static char shown[40];
	if (!plain_pickle_run(pickle, source, &top, &error)) {
		assert_true(error.message[0]);
	} else if (plain_text(top, &text)) {
		found = intern_text(strings, text);
	} else if (plain_int(pickle, top, &number)) {
		snprintf(shown, sizeof shown, "%s%lld", plain_kind(top) == PLAIN_BOOL ? "is " : "",
			 (long long)number);
		found = shown;
	} else {
		found = plain_kind(top) == PLAIN_OTHER ? "other" : "real";
	}
	source_close(source);
	plain_pickle_free(pickle);
	return found;
}

TEST(lines_of_text_are_unescaped)
{
	static const char *const lines[][2] = {
		{ "Vab\n.", "ab" },
		{ "V\\u0041\\u00e9\\u65e5\\U0001f600.\n.",
		  "A\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80." },
		{ "V\\u004x\\u41\n.", "\\u004x\\u41" },
		{ "V\\x41\\n\\\n.", "\\x41\\n\\" },
		{ "V\\U00010FfF\n.", "\xf0\x90\xbf\xbf" },
		{ "S'a\\x41\\xe9\\u0041'\n.", "aA\xc3\xa9u0041" },
		{ "S\"\\n\\t\\r\\'\\\\\"\n.", "\n\t\r'\\" },
		{ "S'\\x4'\n.", "x4" },
		{ "S''\n.", "" },
		{ "S'a\n.", NULL },
		{ "Sa'\n.", NULL },
		{ "S'\n.", NULL },
		{ "I01\n.", "is 1" },
		{ "I00\n.", "is 0" },
		{ "I02\n.", "2" },
		{ "I-7\n.", "-7" },
		{ "L01L\n.", "1" },
		{ "L12L\n.", "12" },
		{ "L9223372036854775808L\n.", "other" },
		{ "L11111111111111111111111111111111111111111111111111111111111111111L\n.",
		  "other" },
		{ "I\n.", NULL },
		{ "I1x\n.", NULL },
		{ "F1.5\n.", "real" },
		{ "F1.5x\n.", NULL },
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct intern *strings = intern_new();
		const char *found = text_of_line(lines[i][0], strings);
		if (found && lines[i][1])
			assert_string_equal(found, lines[i][1]);
		else if (found || lines[i][1])
			fail_msg("%s is %s", lines[i][0], found ? found : "refused");
		intern_free(strings);
	}
}

/* A pickle by its first bytes, of any protocol, with one of the keys; not the others that look so.
 */
TEST(snapshots_are_recognized_by_how_they_begin)
{
	static const char key[] = "....segments", no_key[] = "....segmants";
	static const struct {
		const char *begin;
		bool is_one;
	} heads[] = {
		{ "\x80\x02}", true },  { "\x80\x05\x95", true }, { "\x80\x01}", false },
		{ "\x80\x06}", false }, { "\x81\x02}", false },   { "(dp", true },
		{ "(lp", true },        { "(Vx", true },          { "(Xx", true },
		{ "(qx", false },       { "(}x", false },         { "}q\x01", true },
		{ "](U", true },        { "}r\x01", true },       { "}d1", false },
		{ "]l1", false },       { "{q1", false },         { "{\"s", false },
	};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		char text[80];
		snprintf(text, sizeof text, "%s%s", heads[i].begin, key);
		assert_int_equal(snapshot_reader.recognize(text, strlen(text)), heads[i].is_one);
		snprintf(text, sizeof text, "%s%s", heads[i].begin, no_key);
		assert_false(snapshot_reader.recognize(text, strlen(text)));
		snprintf(text, sizeof text, "%s%s LineStats", heads[i].begin, key);
		assert_false(snapshot_reader.recognize(text, strlen(text)));
	}
	assert_false(snapshot_reader.recognize("(d", 2));
	assert_false(snapshot_reader.recognize("", 0));
}
