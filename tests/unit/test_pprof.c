/* Profiles of pprof: values of functions, lines and stacks, sample types, labels, damage. */
#include "proto_case.h"
#include "text_profile_case.h"

#include "session/load.h"

#include <unistd.h>

enum { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, VALUES };

/* Strings of the file by index; "" is the first. */
static const char *const strings[] = { "",        "alloc_objects", "count",       "alloc_space",
				       "bytes",   "inuse_objects", "inuse_space", "main",
				       "main.go", "work",          "leaf",        "lib/libz.so",
				       "device",  "gpu:0",         "thread_id",   "size" };

/*
 * Stacks of locations, innermost first. 1: main line 10; 2: work line 20, inlined into main line
 * 11; 3: leaf line 30; 4: leaf line 31; 5: code of a library without symbols; 6: leaf line 32,
 * inlined into work line 21 and that into main line 12.
 */
static const struct {
	uint64_t locations[4];
	int64_t values[VALUES];
} samples[] = {
	{ { 3, 2, 1 }, { 10, 1000, 4, 400 } },
	{ { 4, 3, 2, 1 }, { 1, 10, 1, 10 } }, /* leaf calls itself */
	{ { 5, 1 }, { 7, 70, 2, 20 } },
	{ { 1 }, { 3, 30, 0, 0 } },
	{ { 3, 1 }, { 1, 5, 1, -1 } }, /* of unknown size */
	{ { 6, 2 }, { 2, 17, 3, 19 } },
};

/* Functions of the frames of a location, innermost first, as in put_places. */
static const char *const frames[][3] = {
	[1] = { "main" }, [2] = { "work", "main" }, [3] = { "leaf" },
	[4] = { "leaf" }, [5] = { "[libz.so]" },    [6] = { "leaf", "work", "main" },
};

static void put_pair(struct buffer *file, uint32_t number, uint64_t first, uint64_t second)
{
	struct buffer pair = { 0 };
	proto_put_int(&pair, 1, first);
	proto_put_int(&pair, 2, second);
	proto_put(file, number, &pair);
}

static void put_function(struct buffer *file, uint64_t id, uint64_t name, uint64_t line)
{
	struct buffer function = { 0 };
	proto_put_int(&function, 1, id);
	proto_put_int(&function, 2, name);
	proto_put_int(&function, 4, 8);
	if (line)
		proto_put_int(&function, 5, line);
	proto_put(file, 5, &function);
}

static void put_location(struct buffer *file, uint64_t id, const uint64_t lines[][2], size_t count)
{
	struct buffer location = { 0 };
	proto_put_int(&location, 1, id);
	if (!count)
		proto_put_int(&location, 2, 1); /* the mapping */
	for (size_t i = 0; i < count; i++)
		put_pair(&location, 4, lines[i][0], lines[i][1]);
	proto_put(file, 4, &location);
}

/* Ids are as large as they can be: no table is as long. */
#define HUGE_ID UINT64_C(0xfffffffffffffff0)

static void put_places(struct buffer *file)
{
	static const uint64_t main_line[][2] = { { 1, 10 } }, leaf[][2] = { { HUGE_ID, 30 } },
			      inlined[][2] = { { 2, 20 }, { 1, 11 } },
			      again[][2] = { { HUGE_ID, 31 } },
			      deep[][2] = { { HUGE_ID, 32 }, { 2, 21 }, { 1, 12 } };
	struct buffer mapping = { 0 };
	put_function(file, 1, 7, 9);
	put_function(file, 2, 9, 19);
	put_function(file, HUGE_ID, 10, 0);
	proto_put_int(&mapping, 1, 1);
	proto_put_int(&mapping, 5, 11);
	proto_put(file, 3, &mapping);
	put_location(file, 1, main_line, 1);
	put_location(file, 2, inlined, 2);
	put_location(file, 3, leaf, 1);
	put_location(file, 4, again, 1);
	put_location(file, 5, NULL, 0);
	put_location(file, 6, deep, 3);
}

/* Packed, or in some samples one field a number, as the oldest writers have it. */
static void put_numbers(struct buffer *sample, uint32_t number, const void *numbers, size_t count,
			bool packed)
{
	struct buffer all = { 0 };
	for (size_t i = 0; i < count; i++) {
		uint64_t value = ((const uint64_t *)numbers)[i];
		if (packed)
			proto_put_varint(&all, value);
		else
			proto_put_int(sample, number, value);
	}
	if (packed)
		proto_put(sample, number, &all);
	buffer_free(&all);
}

static void put_sample(struct buffer *file, size_t at)
{
	struct buffer sample = { 0 }, label = { 0 };
	size_t depth = 0;
	while (depth < 4 && samples[at].locations[depth])
		depth++;
	put_numbers(&sample, 1, samples[at].locations, depth, at % 2);
	put_numbers(&sample, 2, samples[at].values, VALUES, at % 2 == 0);
	if (at < 2)
		put_pair(&sample, 3, 12, 13);
	proto_put_int(&label, 1, 15);
	proto_put_int(&label, 3, 64);
	proto_put(&sample, 3, &label);
	proto_put(file, 2, &sample);
}

static struct buffer pprof_bytes(void)
{
	struct buffer file = { 0 };
	put_pair(&file, 1, 1, 2);
	put_pair(&file, 1, 3, 4);
	put_pair(&file, 1, 5, 2);
	put_pair(&file, 1, 6, 4);
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		put_sample(&file, i);
	put_places(&file);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		proto_put_text(&file, 6, strings[i]);
	return file;
}

static struct run *pprof_run(struct buffer *bytes, const char *sample_type, struct error *error)
{
	char path[] = "/tmp/strata-pprof-XXXXXX";
	const char *const paths[] = { path };
	struct load_options options = { .sample_type = sample_type };
	write_temporary(path, bytes->data, bytes->length);
	struct run *run = run_open(paths, 1, &options, NULL, error);
	if (run && !run_acquire(run, 0, NULL, error)) {
		run_free(run);
		run = NULL;
	}
	unlink(path);
	buffer_free(bytes);
	return run;
}

/* Samples beside which there is no time: they tell where it passes. UNIT of a second type. */
static struct run *sampled_run(const char *type, const char *unit)
{
	static const uint64_t of_main[][2] = { { 1, 10 } }, of_leaf[][2] = { { 2, 20 } };
	const char *const texts[] = { "",     type,    "count", "main",   "",
				      "leaf", "other", unit,    "main.go" };
	struct buffer file = { 0 };
	put_pair(&file, 1, 1, 2);
	put_pair(&file, 1, 6, 7);
	for (uint64_t i = 1; i <= 2; i++) {
		struct buffer sample = { 0 };
		put_numbers(&sample, 1, (uint64_t[]){ i, 1 }, i, true);
		put_numbers(&sample, 2, (uint64_t[]){ 10 * i, 5 }, 2, true);
		proto_put(&file, 2, &sample);
	}
	put_function(&file, 1, 3, 9);
	put_function(&file, 2, 5, 19);
	put_location(&file, 1, of_main, 1);
	put_location(&file, 2, of_leaf, 1);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		proto_put_text(&file, 6, texts[i]);
	return pprof_run(&file, type, NULL);
}

/* As `pprof -top`: flat of the innermost frame; cum once a sample, however often it is there. */
static void flat_and_cum(const char *function, size_t type, int64_t *flat, int64_t *cum)
{
	*flat = *cum = 0;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		int64_t value = samples[i].values[type] > 0 ? samples[i].values[type] : 0;
		bool in = false;
		for (size_t at = 0; at < 4 && samples[i].locations[at]; at++)
			for (size_t k = 0; k < 3 && frames[samples[i].locations[at]][k]; k++) {
				bool is =
					strcmp(frames[samples[i].locations[at]][k], function) == 0;
				*flat += is && !at && !k ? value : 0;
				in |= is;
			}
		*cum += in ? value : 0;
	}
}

static void check_functions(const struct run *run, size_t type)
{
	static const char *const functions[] = { "main", "work", "leaf", "[libz.so]" };
	struct table *table = trace_view(run, "python", NULL, "function");
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		size_t row = row_with(table, "function", functions[i]);
		int64_t flat, cum;
		flat_and_cum(functions[i], type, &flat, &cum);
		assert_int_equal(table_number(table, row, "self_ns"), flat);
		assert_int_equal(table_number(table, row, "total_ns"), cum);
	}
	assert_int_equal(table->rows, sizeof functions / sizeof *functions);
	table_free(table);
}

TEST(samples_without_time_tell_of_hot_code)
{
	struct run *run = sampled_run("samples", "count");
	assert_rows(run, "advice", NULL, NULL, "detector,evidence",
		    "hot_spot,20 of 30 samples (66.7 %) are taken in leaf at main.go:19.\n");
	run_free(run);
	run = sampled_run("objects", "count"); /* is no time */
	assert_rows(run, "advice", NULL, NULL, "detector", "");
	run_free(run);
	run = sampled_run("samples", "bytes"); /* stand for these */
	assert_rows(run, "advice", NULL, NULL, "detector", "");
	run_free(run);
}

TEST(the_last_sample_type_is_the_default)
{
	struct buffer bytes = pprof_bytes();
	struct run *run = pprof_run(&bytes, NULL, NULL);
	struct table *info = trace_view(run, "info", NULL, NULL);
	check_functions(run, INUSE_SPACE);
	assert_rows(run, "stacks", NULL, NULL, "value_ns,calls,stack",
		    "400,4,main.go(9): main;main.go(9): main;main.go(19): work;leaf\n"
		    "10,1,main.go(9): main;main.go(9): main;main.go(19): work;leaf;leaf\n"
		    "20,2,main.go(9): main;[libz.so]\n"
		    "19,3,main.go(9): main;main.go(19): work;main.go(9): main;main.go(19): "
		    "work;leaf\n");
	assert_rows(run, "python", NULL, "line", "function,line,self_ns,calls",
		    "leaf,30,400,4\nleaf,31,10,1\n[libz.so],,20,2\nleaf,32,19,3\n");
	assert_rows(run, "streams", NULL, NULL, "track,samples", "gpu:0,5\n");
	assert_int_equal(table_number(info, row_with(info, "metric", "alloc_space"), "value"),
			 1132);
	assert_int_equal(table_number(info,
				      row_with(info, "metric", "inuse_space below 0, left out"),
				      "value"),
			 1);
	assert_int_equal(table_number(info, row_with(info, "metric", "device gpu:0"), "value"),
			 410);
	assert_int_equal(table_number(info, row_with(info, "metric", "size 64"), "value"), 449);
	table_free(info);
	run_free(run);
}

TEST(another_sample_type_is_shown_when_asked_for)
{
	struct error error = { 0 };
	struct buffer bytes = pprof_bytes();
	struct run *run = pprof_run(&bytes, "alloc_space", &error);
	struct table *table = trace_view(run, "stacks", NULL, NULL);
	check_functions(run, ALLOC_SPACE);
	assert_int_equal(table->column[table_column(table, "value_ns")]->unit, UNIT_BYTES);
	table_free(table);
	run_free(run);
	bytes = pprof_bytes();
	run = pprof_run(&bytes, "alloc_objects", &error);
	table = trace_view(run, "stacks", NULL, NULL);
	check_functions(run, ALLOC_OBJECTS);
	assert_int_equal(table->column[table_column(table, "value_ns")]->unit, UNIT_COUNT);
	table_free(table);
	run_free(run);
	bytes = pprof_bytes();
	assert_null(pprof_run(&bytes, "space", &error));
	assert_non_null(strstr(error.message, "has no sample type 'space'; info"));
}

TEST(the_default_of_the_file_counts)
{
	struct buffer bytes = pprof_bytes();
	proto_put_int(&bytes, 14, 3);
	struct run *run = pprof_run(&bytes, NULL, NULL);
	check_functions(run, ALLOC_SPACE);
	run_free(run);
}

/* Nothing is a time: no advice speaks of seconds. */
TEST(bytes_are_no_time)
{
	struct buffer bytes = pprof_bytes();
	struct run *run = pprof_run(&bytes, NULL, NULL);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	for (size_t row = 0; row < advice->rows; row++)
		assert_true(is_blank(advice, row, "cost_ns"));
	table_free(advice);
	run_free(run);
}

TEST(what_does_not_exist_is_left_out)
{
	struct buffer bytes = pprof_bytes(), sample = { 0 };
	struct error error = { 0 };
	const uint64_t location = 77, values[] = { 1, 1, 1, 5, 9 };
	put_numbers(&sample, 1, &location, 1, true);
	put_numbers(&sample, 2, values, 5, true);
	proto_put(&bytes, 2, &sample);
	put_function(&bytes, 9, 5000, 0);
	struct profile *profile = trace_open_bytes(bytes.data, bytes.length, &error);
	assert_non_null(profile);
	assert_int_equal(damage_count(profile, "location that does not exist"), 1);
	assert_int_equal(damage_count(profile, "value without a sample type"), 1);
	assert_int_equal(damage_count(profile, "string that does not exist"), 1);
	profile_free(profile);
	buffer_free(&bytes);
}

TEST(cut_and_damaged_profiles)
{
	struct buffer bytes = pprof_bytes();
	assert_survives_damage(&bytes, 4);
	buffer_free(&bytes);
}

TEST(protobufs_of_others_are_not_pprof)
{
	struct error error = { 0 };
	struct buffer bytes = { 0 };
	proto_put_text(&bytes, 1, "\x08\x01\x10\x02\x18\x03");
	put_pair(&bytes, 2, 1, 2);
	assert_null(trace_open_bytes(bytes.data, bytes.length, &error));
	assert_non_null(strstr(error.message, "is not a known profile (a protobuf message"));
	buffer_free(&bytes);
}
