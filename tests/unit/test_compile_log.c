/* Logs of torch.compile: compilations, breaks, guards, autotuning, generated kernels; damage. */
#include "advice_case.h"
#include "file_case.h"
#include "trace_case.h"

#include "base/buffer.h"
#include "model/compile_log.h"
#include "table/remap_rows.h"
#include "table/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/strata-compile-XXXXXX";

/* The run of the log, which stays in a file: payloads are read when they are shown. */
static struct run *open_log(void)
{
	struct error error = { 0 };
	const char *const paths[] = { path };
	strcpy(path + strlen(path) - 6, "XXXXXX");
	write_temporary(path, DATA("torch_trace.txt"));
	struct run *run =
		run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE }, NULL, &error);
	assert_non_null(run);
	return run;
}

static void close_log(struct run *run)
{
	run_free(run);
	unlink(path);
}

/* The finding of DETECTOR has that severity, or is silent, and says so. */
static void assert_judged(const struct run *run, const char *detector, const char *severity,
			  const char *evidence)
{
	struct table *table = trace_view(run, "advice", NULL, "all");
	size_t row = row_with(table, "detector", detector);
	assert_cell(table, row, "severity", severity);
	assert_non_null(strstr(table_text(table, row, "evidence"), evidence));
	table_free(table);
}

TEST(compilations_have_phases_reasons_and_outcomes)
{
	struct run *run = open_log();
	assert_rows(run, "compiles", NULL, NULL,
		    "compile_id,function,line,compile_ns,dynamo_ns,aot_ns,inductor_ns,triton_ns,"
		    "autotune_ns,fx_cache,aot_cache,graph_nodes,graph_breaks,outcome",
		    "0/0,forward,12,1000000000,250000000,250000000,350000000,150000000,40000000,"
		    "miss,bypass,4,1,graph break\n"
		    "0/1,forward,12,400000000,100000000,200000000,100000000,,,hit,,3,0,compiled\n"
		    "1/0,<module>,1,25000000,25000000,,,,,,,,0,failed\n");
	assert_rows(run, "compiles", NULL, NULL, "compile_id,reason,how,bypass,failure",
		    "0/0,,,Unsupported call_function target f,\n"
		    "0/1,size of x changed in dimension 0: expected 4, actual 8,"
		    "torch._dynamo.mark_dynamic(x, 0), or mark_unbacked() where 0 and 1 occur,,\n"
		    "1/0,,,,no graph\n");
	close_log(run);
}

static struct table *rows_of(const struct run *run, const char *view)
{
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	struct table *table = view_build(view_find(view), run, &scope, NULL, NULL, &error);
	assert_non_null(table);
	scope_clear(&scope);
	return table;
}

/* Kernels by their names, rows that refer to nothing by their texts. */
TEST(rows_are_found_where_the_log_is_read_again)
{
	struct run *before = open_log();
	unlink(path);
	struct run *after = open_log();
	struct table *old = rows_of(before, "generated"), *new = rows_of(after, "generated");
	struct ref ref = carry_ref(before, after, ANY_RANK, table_ref(old, 0));
	assert_int_equal(ref.kind, REF_CODE);
	assert_int_equal(table_find(new, ref), 0);
	table_free(old);
	table_free(new);
	old = rows_of(before, "compiles");
	new = rows_of(after, "compiles");
	assert_int_equal(new->rows, 3); /* two of one function */
	for (size_t row = 0; row < new->rows; row++) {
		assert_int_equal(table_ref(old, row).kind, REF_NONE);
		assert_int_equal(table_find_texts(new, old, row), row);
	}
	table_free(new);
	new = rows_of(after, "breaks"); /* another table */
	assert_int_equal(table_find_texts(new, old, 0), SIZE_MAX);
	table_free(old);
	table_free(new);
	run_free(before);
	close_log(after);
}

TEST(breaks_and_kernels_are_listed)
{
	struct run *run = open_log();
	assert_rows(run, "breaks", NULL, NULL, "reason,source,graph_breaks,compile_id",
		    "Call to `torch._dynamo.graph_break()`,/a/model.py:14,1,0/0\n");
	assert_rows(run, "autotunes", NULL, NULL, "compile_id,name,configs,triton_ns,outcome",
		    "0/0,triton_poi_fused_mul_relu_0,2,150000000,miss\n");
	assert_rows(run, "generated", NULL, NULL, "compile_id,name,fx_nodes,file,line",
		    "0/0,triton_poi_fused_mul_relu_0,mul, relu,/tmp/torchinductor_u/ab/cab.py,7\n");
	assert_rows(run, "generated", NULL, NULL, "source,modules,kernel_file,handle",
		    "/a/model.py:13,act,/tmp/torchinductor_u/kl/ckl.py,3\n");
	close_log(run);
}

TEST(guards_are_read_from_the_log_when_shown)
{
	struct run *run = open_log();
	assert_rows(run, "guards", NULL, NULL, "compile_id,kind,guard,source",
		    "0/0,GLOBAL_STATE,___check_global_state(),\n"
		    "0/0,TENSOR_MATCH,check_tensor(L['x'], Tensor, size=[4, 8]),"
		    "y = x.relu() * 2  # model.py:13 in forward\n"
		    "0/1,SYMBOLIC_SHAPE,Eq(s0, 3),/a/model.py:12\n");
	assert_int_equal(truncate(path, 0), 0);
	assert_rows(run, "guards", NULL, NULL, "compile_id,kind,guard",
		    "0/1,SYMBOLIC_SHAPE,Eq(s0, 3)\n");
	close_log(run);
}

TEST(phases_are_spans_with_the_id)
{
	struct run *run = open_log();
	const struct profile *profile = run->ranks[0].profile;
	uint32_t span = span_named(profile, "inductor_compile");
	assert_int_equal(profile->spans, 4);
	assert_int_equal(profile->span_start[span], 300000000);
	assert_int_equal(profile->span_dur[span], 500000000);
	assert_string_equal(
		profile_string(profile, profile_span_attribute(profile, span,
							       profile_find(profile, COMPILE_ID))),
		"0/0");
	assert_int_equal(damage_count(profile, NULL), 0);
	close_log(run);
}

TEST(failed_guards_are_put_in_words)
{
	static const struct {
		const char *guard, *words, *how;
	} cases[] = {
		{ "0/0: L['n'] == 3  # n * x  # a.py:3 in f", "n is no longer 3",
		  "pass a tensor, or keep the number, which is compiled as a constant" },
		{ "!1/0/2: ___check_obj_id(L['self'].f, 14)", "self.f is another object",
		  "pass the same object in each call" },
		{ "tensor 'L['a'][0]' stride mismatch at index 1. expected 1, actual 8",
		  "stride of a[0] changed in dimension 1: expected 1, actual 8",
		  "pass tensors of one layout (.contiguous())" },
		{ "tensor 'L['a'][0]' size mismatch at index 12. expected 3, actual 4",
		  "size of a[0] changed in dimension 12: expected 3, actual 4",
		  "torch._dynamo.mark_dynamic(a[0], 12), or mark_unbacked() where 0 and 1 occur" },
		{ "2/1: 2 <= L['x'].size()[1] <= 64",
		  "size of x changed in dimension 1: 2 <= L['x'].size()[1] <= 64",
		  "torch._dynamo.mark_dynamic(x, 1), or mark_unbacked() where 0 and 1 occur" },
		{ "0/0: tensor 'x' dtype mismatch. expected Float, actual Half",
		  "tensor 'x' dtype mismatch. expected Float, actual Half", "" },
		{ "tensor '", "tensor '", "" },
		{ "", "", "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buffer words = { 0 }, how = { 0 };
		compile_reason_words(cases[i].guard, &words, &how);
		assert_string_equal(buffer_text(&words), cases[i].words);
		assert_string_equal(buffer_text(&how), cases[i].how);
		buffer_free(&words);
		buffer_free(&how);
	}
}

/* TEXT with AFTER in each place of BEFORE; free with mem_free. */
static char *replaced(const char *text, const char *before, const char *after)
{
	struct buffer out = { 0 };
	for (const char *at; (at = strstr(text, before)); text = at + strlen(before)) {
		buffer_add(&out, text, (size_t)(at - text));
		buffer_puts(&out, after);
	}
	buffer_puts(&out, text);
	return out.data;
}

/* A run of TRACE with LOG beside it, in a new FOLDER. */
static struct run *open_beside(char *folder, const char *trace, const char *log)
{
	struct error error = { 0 };
	const char *const paths[] = { folder };
	assert_non_null(mkdtemp(folder));
	write_text_in(folder, "trace.json", trace);
	write_text_in(folder, "log.txt", log);
	struct run *run =
		run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE }, NULL, &error);
	assert_non_null(run);
	assert_int_equal(run->rank_count, 1);
	return run;
}

/* The kernel that Triton compiled was generated at PLACE. */
static void assert_generated(const struct run *run, const char *place)
{
	const struct profile *profile = run->ranks[0].profile;
	uint32_t activity = activity_named(profile, "triton_poi_fused_mul_relu_0");
	assert_string_equal(
		profile_string(profile,
			       profile_activity_attribute(profile, activity,
							  profile_find(profile, "generated code"))),
		place);
}

TEST(a_log_beside_a_trace_belongs_to_it)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	struct run *run =
		open_beside(folder, data_text("compiled_trace.json"), data_text("torch_trace.txt"));
	assert_rows(run, "compiles", NULL, NULL, "compile_id,outcome",
		    "0/0,graph break\n0/1,compiled\n1/0,failed\n");
	assert_generated(run, "/tmp/torchinductor_u/ab/cab.py:7, compilation 0/0");
	run_free(run);
	remove_folder(folder);
}

static void assert_finding(const struct run *run, const char *title, const char *severity,
			   const char *evidence)
{
	struct table *table = trace_view(run, "advice", NULL, NULL);
	size_t row = row_with(table, "problem", title);
	assert_cell(table, row, "severity", severity);
	const char *found = strstr(table_text(table, row, "evidence"), evidence);
	assert_non_null(found);
	assert_true(*evidence == ';' || found == table_text(table, row, "evidence"));
	table_free(table);
}

/* Of one name the kernel of the region that the launch is in, or of its file, is taken. */
TEST(kernels_of_one_name_are_told_apart)
{
	static const char more[] =
		"V0401 12:34:01.000033 77 x.py:1] {\"inductor_output_code\": {\"filename\": "
		"\"/tmp/torchinductor_u/ef/cef.py\"}, \"rank\": 0, \"frame_id\": 0, "
		"\"frame_compile_id\": 1}\n"
		"\t# kernel path: /tmp/torchinductor_u/gh/cgh.py\n"
		"\ttriton_poi_fused_mul_relu_0 = async_compile.triton('triton_poi_fused_mul_relu_0',\n";
	static const struct {
		const char *before, *after, *place;
	} cases[] = {
		{ "0/0", "0/0", "/tmp/torchinductor_u/ab/cab.py:7, compilation 0/0" },
		{ "kl/ckl", "gh/cgh", "/tmp/torchinductor_u/ef/cef.py:2, compilation 0/1" },
		{ "\"kernel_file\"", "\"x\"", "/tmp/torchinductor_u/ab/cab.py:7, compilation 0/0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		AUTO_FREE char *log = mem_printf("%s%s", data_text("torch_trace.txt"), more);
		const char *text = data_text("compiled_trace.json"),
			   *at = strstr(text, cases[i].before);
		AUTO_FREE char *trace = mem_printf("%.*s%s%s", (int)(at - text), text,
						   cases[i].after, at + strlen(cases[i].before));
		struct run *run = open_beside(folder, trace, log);
		assert_generated(run, cases[i].place);
		run_free(run);
		remove_folder(folder);
	}
}

/* Unless modules were recorded. */
TEST(kernels_are_in_the_modules_that_their_code_is_from)
{
	static const char recorded[] =
		",\n{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"nn.Module: Net_0\", "
		"\"pid\": 77, \"tid\": 77, \"ts\": 999.0, \"dur\": 900002.0, \"args\": "
		"{\"Python id\": 1, \"Python module id\": 0}}]}";
	static const struct {
		const char *end, *path;
		int64_t ns;
	} cases[] = {
		{ "]}", "act", 5000000 },
		{ recorded, "Net_0", 7000000 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		const char *text = data_text("compiled_trace.json"), *end = strrchr(text, ']');
		AUTO_FREE char *trace = mem_printf("%.*s%s", (int)(end - text), text, cases[i].end);
		struct run *run = open_beside(folder, trace, data_text("torch_trace.txt"));
		struct table *table = rows_of(run, "layers");
		size_t row = row_with(table, "path", cases[i].path);
		assert_cell(table, row, "kind", "module");
		assert_int_equal(table_number(table, row, "gpu_total_ns"), cases[i].ns);
		assert_int_equal(table->rows, 6);
		table_free(table);
		run_free(run);
		remove_folder(folder);
	}
}

/* By its phases, in the lane of the log: kernels of one name are launched in them. */
TEST(autotuning_of_the_log_is_a_finding)
{
	static const char found[] = "A compiler times kernels to choose among them: "
				    "2 launches and the idle time there take 7.20 ms";
	AUTO_FREE char *all =
		replaced(data_text("torch_trace.txt"), "1700000001100000", "1700000000001000");
	AUTO_FREE char *late = replaced(all, "1700000001140000", "1700000000900000");
	AUTO_FREE char *log = replaced(late, "1700000001000000", "1700000000000500");
	AUTO_FREE char *elsewhere = replaced(log, ".benchmark_all_configs", ".synchronize");
	AUTO_FREE char *trace = replaced(data_text("compiled_trace.json"), "\"other\"",
					 "\"triton_poi_fused_mul_relu_0\"");
	const struct {
		const char *trace, *log, *severity, *evidence;
	} cases[] = {
		{ trace, log, "high", found },
		{ data_text("compiled_trace.json"), log, "silent", "0 launches" },
		{ trace, elsewhere, "silent", "0 launches" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		struct run *run = open_beside(folder, cases[i].trace, cases[i].log);
		assert_judged(run, "autotuning", cases[i].severity, cases[i].evidence);
		run_free(run);
		remove_folder(folder);
	}
}

TEST(phases_are_a_lane_of_the_trace)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	struct run *run =
		open_beside(folder, data_text("compiled_trace.json"), data_text("torch_trace.txt"));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t span = span_named(profile, "dynamo 0/0"), track = profile->span_track[span];
	assert_string_equal(profile_string(profile, profile->tracks[track].name), "torch.compile");
	assert_int_equal(profile->tracks[track].spans, 1); /* those after the trace are left out */
	assert_int_equal(profile->span_start[span], 0);    /* 1 ms before it */
	assert_int_equal(profile->span_dur[span], profile->end_ns);
	run_free(run);
	remove_folder(folder);
}

/* A gap in which code is compiled for at least half of it tells for what. */
TEST(gaps_tell_why_code_is_compiled)
{
	static const struct {
		const char *before, *after, *reason;
	} cases[] = {
		{ "\n", "\n", "forward compiled for the first time" },
		{ "\"compile_id\": \"0/0\"\n", "\"compile_id\": \"0/1\"\n",
		  "forward compiled again: size of x changed in dimension 0: expected 4, actual 8" },
		{ "1700000000000000,", "1700000000006230,", "forward compiled for the first time" },
		{ "1700000000000000,", "1700000000006231,", "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		AUTO_FREE char *log =
			replaced(data_text("torch_trace.txt"), cases[i].before, cases[i].after);
		struct run *run = open_beside(folder, data_text("compiled_trace.json"), log);
		AUTO_FREE char *rows = mem_printf("200000,%s\n", cases[i].reason);
		assert_rows(run, "gaps", NULL, NULL, "dur_ns,reason", rows);
		run_free(run);
		remove_folder(folder);
	}
}

TEST(recompilations_name_the_guard_that_failed)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	const struct detector_case *at = detector_cases;
	while (strcmp(at->detector, "compilation") != 0)
		at++;
	AUTO_FREE char *log = replaced(data_text("torch_trace.txt"), " 77 ", " 1 ");
	struct run *run = open_beside(folder, at->fires, log);
	assert_finding(
		run, "Recompilation", "high",
		"; forward was compiled again for 400.00 ms: size of x changed in dimension 0: "
		"expected 4, actual 8; to avoid it: torch._dynamo.mark_dynamic(x, 0), or "
		"mark_unbacked() where 0 and 1 occur");
	run_free(run);
	remove_folder(folder);
}

/* From a second on, and half of the compile time. */
TEST(missed_caches_are_a_finding)
{
	static const struct {
		const char *before, *after, *severity, *evidence;
	} cases[] = {
		{ "", "", "low",
		  "1 of 3 compilations missed or bypassed the caches of Inductor and AOTAutograd: "
		  "these take 1.00 s of 1.43 s; autotuning takes 40.00 ms" },
		{ "compile_time_s\": 1.0,", "compile_time_s\": 0.99,", "silent",
		  "Compilations not in the caches take 990.00 ms." },
		{ "compile_time_s\": 0.4,", "compile_time_s\": 1.1,", "silent",
		  "Compilations not in the caches take 1.00 s." },
		{ "_cache_miss", "_cache_hit", "low", "1 of 3 compilations" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = data_text("torch_trace.txt"),
			   *at = strstr(text, cases[i].before);
		AUTO_FREE char *log = mem_printf("%.*s%s%s", (int)(at - text), text, cases[i].after,
						 at + strlen(cases[i].before));
		struct error error = { 0 };
		const char *const paths[] = { path };
		strcpy(path + strlen(path) - 6, "XXXXXX");
		write_temporary(path, log, strlen(log));
		struct run *run = run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE },
					   NULL, &error);
		assert_judged(run, "compile_cache", cases[i].severity, cases[i].evidence);
		close_log(run);
	}
}

TEST(every_outcome_but_a_hit_misses_a_cache)
{
	static const char *const outcomes[] = { "hit", "miss", "bypass" };
	for (size_t i = 0; i < 9; i++) {
		struct error error = { 0 };
		const char *const paths[] = { path };
		AUTO_FREE char *graphs = mem_printf("fx_graph_cache_%s", outcomes[i / 3]);
		AUTO_FREE char *whole = mem_printf("aotautograd_cache_%s", outcomes[i % 3]);
		AUTO_FREE char *first =
			replaced(data_text("torch_trace.txt"), "fx_graph_cache_miss", graphs);
		AUTO_FREE char *log = replaced(first, "aotautograd_cache_bypass", whole);
		strcpy(path + strlen(path) - 6, "XXXXXX");
		write_temporary(path, log, strlen(log));
		struct run *run = run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE },
					   NULL, &error);
		assert_judged(run, "compile_cache", i ? "low" : "silent",
			      i ? "1 of 3 compilations missed or bypassed" : "");
		close_log(run);
	}
}

/* Regions of two frames, a kernel launched between them. */
TEST(breaks_of_the_log_are_named)
{
	static const char more[] =
		",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"Torch-Compiled Region: 1/0\", "
		"\"pid\": 77, \"tid\": 77, \"ts\": 7000.0, \"dur\": 900.0},\n"
		"{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", "
		"\"pid\": 77, \"tid\": 77, \"ts\": 900.0, \"dur\": 9000.0}]}";
	char folder[] = "/tmp/strata-compile-XXXXXX";
	AUTO_FREE char *text =
		replaced(data_text("compiled_trace.json"), "\"dur\": 900000.0", "\"dur\": 400.0");
	AUTO_FREE char *trace = mem_printf("%.*s%s", (int)(strrchr(text, ']') - text), text, more);
	struct run *run = open_beside(folder, trace, data_text("torch_trace.txt"));
	assert_answer(run, NULL, "graph_breaks", "fires",
		      "; by the log most at /a/model.py:14: Call to `torch._dynamo.graph_break()`");
	run_free(run);
	remove_folder(folder);
}

/* Where the ranks are unknown; a log of an old version has no process. */
TEST(a_log_of_another_process_is_left_alone)
{
	static const struct {
		const char *pid, *ids;
	} cases[] = {
		{ " 77 ", "0/0\n0/1\n1/0\n" },
		{ " 78 ", "" },
		{ " 140144363024384 ", "0/0\n0/1\n1/0\n" },
	};
	AUTO_FREE char *trace =
		replaced(data_text("compiled_trace.json"), "\"distributedInfo\"", "\"x\"");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		AUTO_FREE char *log = replaced(data_text("torch_trace.txt"), " 77 ", cases[i].pid);
		struct run *run = open_beside(folder, trace, log);
		assert_rows(run, "compiles", NULL, NULL, "compile_id", cases[i].ids);
		run_free(run);
		remove_folder(folder);
	}
}

TEST(a_log_of_another_rank_is_left_alone)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	AUTO_FREE char *trace = mem_strdup(data_text("compiled_trace.json"));
	strstr(trace, "\"rank\": 0")[8] = '1';
	struct run *run = open_beside(folder, trace, data_text("torch_trace.txt"));
	assert_rows(run, "compiles", NULL, NULL, "compile_id", "");
	run_free(run);
	remove_folder(folder);
}

/*
 * A run of FOLDER, made new, in which the logs of two ranks lie, by their names: that of the second
 * with AFTER in place of BEFORE.
 */
static struct run *open_two_logs(char *folder, const char *before, const char *after)
{
	struct error error = { 0 };
	const char *const paths[] = { folder };
	AUTO_FREE char *second = replaced(data_text("torch_trace.txt"), before, after);
	assert_non_null(mkdtemp(folder));
	write_text_in(folder, "dedicated_log_torch_trace_rank_0_a.log",
		      data_text("torch_trace.txt"));
	write_text_in(folder, "dedicated_log_torch_trace_rank_1_b.log", second);
	struct run *run =
		run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE }, NULL, &error);
	assert_non_null(run);
	assert_int_equal(run->rank_count, 2);
	return run;
}

TEST(ranks_that_compiled_other_graphs_are_named)
{
	static const struct {
		const char *before, *after, *differs, *severity;
	} cases[] = {
		{ "= relu * 2", "= relu + 2", "y = relu + 2; rank 0: y = relu * 2", "low" },
		{ "all_reduce_.default", "all_gather.default",
		  "all_gather.default; rank 0: all_reduce_.default", "high" },
		{ "f32[4, 8]", "f32[2, 8]", "", NULL }, /* other shapes are no other graph */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char folder[] = "/tmp/strata-compile-XXXXXX";
		struct run *run = open_two_logs(folder, cases[i].before, cases[i].after);
		struct scope scope;
		scope_init(&scope);
		AUTO_FREE char *rows = mem_printf("0/0,%s\n0/1,\n1/0,\n", cases[i].differs);
		assert_rows(run, "compiles", &scope, NULL, "compile_id,differs",
			    "0/0,\n0/1,\n1/0,\n");
		scope.rank = 1;
		assert_rows(run, "compiles", &scope, NULL, "compile_id,differs", rows);
		scope_clear(&scope);
		AUTO_FREE char *evidence =
			mem_printf("Compilation 0/0 (forward) of rank 1 has another graph: %s.",
				   cases[i].differs);
		if (cases[i].severity)
			assert_finding(run, "Ranks compiled different graphs", cases[i].severity,
				       evidence);
		run_free(run);
		remove_folder(folder);
	}
}

TEST(damaged_logs_are_read_or_refused)
{
	struct buffer bytes = { 0 };
	buffer_puts(&bytes, "V0401 12:34:00.000001 77 a.py:1] {\"chromium_event\": {}}\n");
	buffer_puts(&bytes, data_text("torch_trace.txt"));
	bytes.length = 4000;
	assert_survives_damage(&bytes, 200);
	buffer_free(&bytes);
}
