/*
 * Source lines: frames of all profilers, the line of a row, times of lines.
 */
#include "file_case.h"
#include "trace_case.h"

#include "analysis/advice/own_code.h"
#include "base/code_file.h"
#include "base/error.h"
#include "session/load.h"
#include "views/source_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *frame, const char *file, int64_t line)
{
	struct code_place place;
	bool found = code_place_parse(frame, strlen(frame), &place);
	assert_int_equal(found, file != NULL);
	if (!file)
		return;
	assert_int_equal(place.length, strlen(file));
	assert_memory_equal(place.file, file, place.length);
	assert_int_equal(place.line, line);
}

TEST(frames_of_all_profilers_are_parsed)
{
	check("train.py(51): step", "train.py", 51);
	check("torch/nn/modules/conv.py(536): _conv_forward", "torch/nn/modules/conv.py", 536);
	check("/a b/train.py:51(step)", "/a b/train.py", 51);
	check("step (train.py:51)", "train.py", 51);
	check("train.py:51", "train.py", 51);
	check("train.py:51:step", "train.py", 51);
	check("C:\\train.py(51): step", "C:\\train.py", 51);
	check("../train.py(1): f", "../train.py", 1);
	check("v2.0(3)/x.py(7): f", "v2.0", 3);
}

TEST(only_files_that_can_be_read_have_text)
{
	struct buffer text = { 0 };
	struct error error = { 0 };
	write_whole("text.py", "x = 1\n", 6);
	assert_true(code_file_read(&text, "text.py", &error));
	assert_string_equal(buffer_text(&text), "x = 1\n");
	assert_string_equal(error.message, "");
	assert_false(code_file_read(&text, "absent.py", &error));
	assert_string_equal(error.message, "absent.py: No such file or directory");
	assert_false(code_file_read(&text, ".", &error));
	assert_string_equal(error.message, ".: not a regular file");
	assert_int_equal(text.length, 6);
	remove("text.py");
	buffer_free(&text);
}

TEST(other_texts_name_no_line)
{
	check("", NULL, 0);
	check("(51): step", NULL, 0);
	check("aten::conv2d", NULL, 0);
	check("<built-in method conv2d of type object at 0x7f00>", NULL, 0);
	check("<frozen importlib._bootstrap>(12): f", NULL, 0);
	check("train.py(0): step", NULL, 0);
	check("train.py(-1): step", NULL, 0);
	check("train.py(99999999999999999999): step", NULL, 0);
	check("train.py(51", NULL, 0);
	check("kernel<64, 4>(float*)", NULL, 0);
}

static void check_own(const char *stack, const char *frame)
{
	struct code_frame own = own_frame_of_stack(stack);
	assert_int_equal(own.length, strlen(frame));
	assert_memory_equal(own.text, frame, own.length);
}

/* Otherwise the first; frames are separated by semicolons and line ends. */
TEST(the_innermost_frame_of_own_code_is_chosen)
{
	check_own("torch/nn.py(3): f; train.py(7): g;main.py(9): h", "train.py(7): g");
	check_own("\n  train.py(7): g\r\n", "train.py(7): g");
	check_own(" \n torch/nn.py(3): f;numpy/core.py(4): g", "torch/nn.py(3): f");
	check_own("", "");
}

TEST(line_times_add_up_to_device_time)
{
	const char *path = "demo.trace.json.gz";
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, NULL, NULL, &error);
	struct row_source source;
	struct scope scope;
	scope_init(&scope);
	if (!run)
		fail_msg("%s", error.message);
	assert_true(view_source(run, &scope, (struct ref){ .kind = REF_NONE },
				"resnet.py(89): forward", &source, NULL));
	assert_string_equal(buffer_text(&source.file), "resnet.py");
	assert_int_equal(source.line, 89);
	assert_string_equal(source.time, "GPU time");
	int64_t lines = 0;
	for (size_t i = 0; i < source.count; i++) {
		assert_true(source.times[i].ns > 0);
		for (size_t k = 0; k < i; k++)
			assert_true(source.times[k].line != source.times[i].line);
		lines += source.times[i].ns;
	}
	row_source_clear(&source);
	/* all GPU work called in resnet.py: at most that of the run */
	struct table *table = view_build(view_find("layers"), run, &scope, NULL, NULL, &error);
	assert_true(lines > 0);
	assert_true(lines <= table_cell(table, 0, "gpu_total_ns").integer);
	table_free(table);
	assert_false(view_source(run, &scope, (struct ref){ .kind = REF_NONE }, "", &source, NULL));
	row_source_clear(&source);
	run_free(run);
	scope_clear(&scope);
}

/* Without stacks the place of a kernel of Inductor is its file in the cache. */
TEST(kernels_of_inductor_are_in_their_file)
{
	struct run *run = trace_run(data_text("compiled_trace.json"));
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope;
	struct row_source source;
	uint32_t own = activity_named(profile, "triton_poi_fused_mul_relu_0");
	struct ref ref = { REF_LAUNCH, own, 0, 0 },
		   name = { REF_KERNEL, profile->activity_name[own], NO_ROW, NO_ROW },
		   other = { REF_LAUNCH, activity_named(profile, "other"), 0, 0 };
	scope_init(&scope);
	assert_true(view_has_source(run, &scope, ref));
	assert_true(view_source(run, &scope, ref, "", &source, NULL));
	assert_string_equal(buffer_text(&source.file), "/tmp/torchinductor_u/kl/ckl.py");
	assert_int_equal(source.line, 1);
	row_source_clear(&source);
	assert_true(view_source(run, &scope, name, "", &source, NULL));
	assert_string_equal(buffer_text(&source.file), "/tmp/torchinductor_u/kl/ckl.py");
	row_source_clear(&source);
	assert_false(view_has_source(run, &scope, other));
	assert_false(view_source(run, &scope, other, "", &source, NULL));
	row_source_clear(&source);
	run_free(run);
	scope_clear(&scope);
}
