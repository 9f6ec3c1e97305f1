/* What DeepSpeed's flops profiler prints: the tree of modules, new and old lines, damage. */
#include "text_profile_case.h"

static const char report[] =
	"[2026-11-04] some log line\n"
	"-------------------------- DeepSpeed Flops Profiler --------------------------\n"
	"Profile Summary at step 10:\n"
	"Notations:\n"
	"data parallel size (dp_size), model parallel size(mp_size),\n"
	"\n"
	"world size:                                                             1\n"
	"params of model = params per GPU * mp_size:                             336.23 M\n"
	"fwd MACs per GPU:                                                       3139.93 GMACs\n"
	"fwd latency:                                                            76.67 ms\n"
	"\n"
	"----------------------------- Aggregated Profile per GPU -----------------------------\n"
	"Top modules in terms of params, MACs or fwd latency at different model depths:\n"
	"depth 0:\n"
	"    params      - {'Bert': '336.23 M'}\n"
	"\n"
	"------------------------------ Detailed Profile per GPU ------------------------------\n"
	"Each module profile is listed after its name in the following order: \n"
	"params, percentage of total params, MACs, percentage of total MACs, fwd latency, percentage of total fwd latency, fwd FLOPS\n"
	"\n"
	"Note: 1. A module can have torch.nn.module or torch.nn.functional to compute logits (e.g. CrossEntropyLoss). They are not counted.\n"
	"3. The fwd latency listed in the top module's profile is directly captured at the module forward function.\n"
	"\n"
	"Bert(\n"
	"  336.23 M = 100% Params, 3139.93 GMACs = 100% MACs, 76.39 ms = 100% latency, 80 TFLOPS\n"
	"  (encoder): Encoder(\n"
	"    302.31 M = 89.91% Params, 3092.88 GMACs = 98.5% MACs, 33.45 ms = 43.79% latency, 184.93 TFLOPS\n"
	"    (layer): ModuleList(\n"
	"      (0): Layer(\n"
	"        12.6 M = 3.75% Params, 128.87 GMACs = 4.1% MACs, 1 ms = 1.69% latency, 200 TFLOPS\n"
	"        (query): Linear(1.05 M = 0.31% Params, 10.74 GMACs = 0.34% MACs, 100 us = 0.24% latency, 100 TFLOPS, in_features=1024, out_features=1024, bias=True)\n"
	"        (dropout): Dropout(0 = 0% Params, 0 MACs = 0% MACs, 0 s = 0% latency, 0 FLOPS, p=0.1, inplace=False)\n"
	"        (silent): Softmax(dim=-1)\n"
	"      )\n"
	"    )\n"
	"  )\n"
	"  (old): Pooler(1.05 M, 0.31% Params, 10.74 GMACs, 0.34% MACs, 2.5 s, 0.24% time, 4.0e+01 GFLOPS, )\n"
	")\n"
	"------------------------------------------------------------------------------\n"
	"later log line (x): y(\n";

TEST(modules_are_layers_with_their_latency)
{
	struct run *run = trace_run(report);
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
	assert_survives(BYTES(report));
}
