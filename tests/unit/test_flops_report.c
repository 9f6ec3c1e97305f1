/* What DeepSpeed's flops profiler prints: the tree of modules, new and old lines, damage. */
#include "text_profile_case.h"

TEST(modules_are_layers_with_their_latency)
{
	struct run *run = trace_run(data_text("flops_report.txt"));
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_string_equal(run->ranks[0].profile->format, "DeepSpeed flops profiler (text)");
	assert_rows(run, "layers", NULL, NULL, "path,kind,depth,cpu_total_ns,gpu_total_ns,calls",
		    "Bert,Bert,0,76390000,,\n"
		    "Bert/encoder,Encoder,1,33450000,,\n"
		    "Bert/encoder/layer,ModuleList,2,,,\n"
		    "Bert/encoder/layer/0,Layer,3,1000000,,\n"
		    "Bert/encoder/layer/0/query,Linear,4,100000,,\n"
		    "Bert/encoder/layer/0/dropout,Dropout,4,0,,\n"
		    "Bert/encoder/layer/0/silent,Softmax,4,,,\n"
		    "Bert/old,Pooler,1,2500000000,,\n");
	assert_rows(run, "layers", NULL, NULL, "name,flops",
		    "Bert,6111200000000\nencoder,6185908500000\nlayer,\n0,200000000000\n"
		    "query,10000000000\ndropout,0\nsilent,\nold,100000000000\n");
	assert_cell(info, row_with(info, "metric", "fwd latency"), "value", "76.67 ms");
	assert_cell(info, row_with(info, "metric", "params of model"), "value", "336.23 M");
	assert_rows(run, "advice", NULL, NULL, "problem", "");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	table_free(info);
	run_free(run);
}

TEST(a_summary_alone_is_refused_with_the_setting)
{
	static const char summary[] = "---- DeepSpeed Flops Profiler ----\nworld size:   1\n----\n";
	struct error error = { 0 };
	assert_null(trace_open_bytes(summary, sizeof summary - 1, &error));
	assert_non_null(strstr(error.message, "set detailed to true"));
}

TEST(damaged_reports_are_read_or_refused)
{
	assert_survives(DATA("flops_report.txt"));
}
