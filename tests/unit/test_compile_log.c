/* Logs of torch.compile: compilations, breaks, guards, autotuning, generated kernels; damage. */
#include "file_case.h"
#include "trace_case.h"

#include "base/buffer.h"
#include "model/compile_log.h"

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

/* A trace with a kernel of the log's generated code, of RANK, and the log, of rank 0, as NAME,
 * in a new FOLDER. */
static struct run *open_beside(char *folder, const char *name, char rank)
{
	static const char trace[] =
		"{\"distributedInfo\":{\"rank\":0,\"world_size\":2},\"traceEvents\":[" OPERATOR(
			"Torch-Compiled Region: 0/0", "10",
			"50") "," LAUNCH("20", "7") "," KERNEL("triton_poi_fused_mul_relu_0", "30",
							       "5", "7") "," KERNEL("other", "36",
										    "5", "8") "]}";
	struct error error = { 0 };
	const char *const paths[] = { folder };
	assert_non_null(mkdtemp(folder));
	AUTO_FREE char *text = mem_strdup(trace);
	*(strchr(text, '0')) = rank;
	write_text_in(folder, "trace.json", text);
	write_text_in(folder, name, data_text("torch_trace.txt"));
	struct run *run =
		run_open(paths, 1, &(struct load_options){ .rank = NO_VALUE }, NULL, &error);
	assert_non_null(run);
	return run;
}

TEST(a_log_beside_a_trace_belongs_to_it)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	struct run *run = open_beside(folder, "dedicated_log_torch_trace_rank_0_a1b2.log", '0');
	assert_int_equal(run->rank_count, 1);
	assert_rows(run, "compiles", NULL, NULL, "compile_id,outcome",
		    "0/0,graph break\n0/1,compiled\n1/0,failed\n");
	assert_rows(run, "attributes", NULL, NULL, "name,attribute,text",
		    "triton_poi_fused_mul_relu_0,generated code,"
		    "/tmp/torchinductor_u/ab/cab.py:7, compilation 0/0\n");
	run_free(run);
	remove_folder(folder);
}

TEST(a_log_of_another_rank_is_left_alone)
{
	char folder[] = "/tmp/strata-compile-XXXXXX";
	struct run *run = open_beside(folder, "other.log", '1');
	assert_int_equal(run->rank_count, 1);
	assert_rows(run, "compiles", NULL, NULL, "compile_id", "");
	run_free(run);
	remove_folder(folder);
}

TEST(damaged_logs_are_read_or_refused)
{
	struct buffer bytes = { 0 };
	buffer_puts(&bytes, data_text("torch_trace.txt"));
	bytes.length = 4000;
	assert_survives_damage(&bytes, 200);
	buffer_free(&bytes);
}
