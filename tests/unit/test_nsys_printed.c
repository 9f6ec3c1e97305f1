/* Tables that nsys and nvprof print: old and new versions, CSV, several tables, damage. */
#include "text_profile_case.h"

static const char recent[] =
	"Generating SQLite file r.sqlite from r.nsys-rep\n"
	"Processing [r.sqlite] with [/opt/host-linux-x64/reports/cuda_api_sum.py]... \n"
	"\n"
	" ** CUDA API Summary (cuda_api_sum):\n"
	"\n"
	" Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
	"        Name      \n"
	" --------  ---------------  ---------  --------  --------  --------  --------  -----------"
	"  ----------------\n"
	"    100.0        1,575,151          9   3,823.8   3,545.0     2,915  1,268.39      2,684.8"
	"  cudaLaunchKernel\n"
	"\n"
	" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n"
	"\n"
	" Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
	"          Name         \n"
	" --------  ---------------  ---------  --------  --------  --------  --------  -----------"
	"  ---------------------\n"
	"     60.0           60,000          3  20,000.0  20,000.0    19,000    21,000      1,000.0"
	"  gemm<int, float>(int)\n"
	"     40.0           40,000          4  10,000.0  10,000.0     9,000    11,000        500.0"
	"  relu                 \n"
	"\n"
	" ** CUDA GPU Kernel/Grid/Block Summary (cuda_gpu_kern_gb_sum):\n"
	"\n"
	" Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
	"     GridXYZ         BlockXYZ      Name\n"
	" --------  ---------------  ---------  --------  --------  --------  --------  -----------"
	"  --------------  --------------  ----\n"
	"     40.0           40,000          4  10,000.0  10,000.0     9,000    11,000        500.0"
	"     2    1    1   128    1    1  relu\n"
	"\n"
	" ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):\n"
	"\n"
	" Time (%)  Total Time (ns)  Count  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
	"      Operation     \n"
	" --------  ---------------  -----  --------  --------  --------  --------  -----------"
	"  ------------------\n"
	"    100.0            9,900      3   3,300.0   3,300.0     3,000     3,600        300.0"
	"  [CUDA memcpy HtoD]\n"
	"\n"
	" ** NVTX Range Summary (nvtx_sum):\n"
	"\n"
	" Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
	"   Style      Range   \n"
	" --------  ---------------  ---------  --------  --------  --------  --------  -----------"
	"  -------  -----------\n"
	"    100.0            5,000          2   2,500.0   2,500.0     2,000     3,000        500.0"
	"  PushPop  :train step\n";

static const char old[] =
	"Generating CUDA Kernel Statistics...\n"
	"CUDA Kernel Statistics (nanoseconds)\n"
	"\n"
	"Time(%)      Total Time   Instances         Average         Minimum         Maximum  Name    \n"
	"-------  --------------  ----------  --------------  --------------  --------------  --------\n"
	"  100.0           12346           2          6173.0            6000            6346  add(int)\n"
	"\n"
	"Generating CUDA Memory Operation Statistics...\n"
	"CUDA Memory Operation Statistics (nanoseconds)\n"
	"\n"
	"Time(%)      Total Time  Operations         Average         Minimum         Maximum  Name    \n"
	"-------  --------------  ----------  --------------  --------------  --------------  --------\n"
	"  100.0            2000           1          2000.0            2000            2000  [memcpy]\n"
	"\n"
	"CUDA Memory Operation Statistics (KiB)\n"
	"\n"
	"    Total  Operations  Average  Minimum  Maximum  Name    \n"
	"---------  ----------  -------  -------  -------  --------\n"
	"   100.00           1   100.00   100.00   100.00  [memcpy]\n";

static const char values[] =
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
	"Category,Operation\n"
	"60.0,60000,3,20000.0,20000.0,19000,21000,1000.0,CUDA_KERNEL,\"f<4, float>(int, float)\"\n"
	"40.0,40000,4,10000.0,10000.0,9000,11000,500.0,MEMORY_OPER,[CUDA memset]\n";

TEST(each_table_of_nsys_stats_is_told_by_its_columns)
{
	struct run *run = trace_run(recent);
	assert_string_equal(run->ranks[0].profile->format, "nsys stats output");
	assert_rows(run, "kernels", NULL, NULL,
		    "name,calls,total_ns,share_pct,avg_ns,min_ns,max_ns,stddev_ns",
		    "gemm<int, float>(int),3,60000,60,20000,19000,21000,1000\n"
		    "relu,4,40000,40,10000,9000,11000,500\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns,gpu_total_ns",
		    "cudaLaunchKernel,CUDA API Summary,9,1575151,\n"
		    "[CUDA memcpy HtoD],CUDA GPU MemOps Summary,3,,9900\n"
		    ":train step,NVTX Range Summary,2,5000,\n");
	assert_rows(run, "advice", NULL, NULL, "problem", "");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(tables_of_old_versions)
{
	struct run *run = trace_run(old);
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns",
		    "add(int),2,12346,6000\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_total_ns", "[memcpy],1,2000\n");
	run_free(run);
}

TEST(tables_in_csv)
{
	struct run *run = trace_run(values);
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns",
		    "f<4, float>(int, float),3,60000\n");
	assert_rows(run, "operators", NULL, NULL, "name,gpu_total_ns", "[CUDA memset],40000\n");
	run_free(run);
}

static const char events[] =
	"Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
	"DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
	"1000,200,5,,,,,,,,,,0.004,100.5,Pageable,Device,NVIDIA A100 (1),1,,7,"
	"[CUDA memcpy Host-to-Device]\n"
	"2000,300,6,4,2,1,128,1,1,24,0.001,0.002,,,,,NVIDIA A100 (1),1,,7,\"add(int, float *)\"\n"
	"3000,50,7,,,,,,,,,,0.001,20,,Device,NVIDIA A100 (1),1,,7,[CUDA memset]\n";

static const char api[] = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
			  "900,80,cudaMemcpyAsync,0,5,12,13,20,python\n";

TEST(lists_of_events_have_a_timeline)
{
	struct run *run = trace_run(events);
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "launches", NULL, NULL, "name,kind,start_ns,dur_ns,stream,bytes,grid",
		    "Memcpy HtoD (Pageable -> Device),memcpy,0,200,7,4000,\n"
		    "add(int, float *),kernel,1000,300,7,,4,2,1\n"
		    "Memset (Device),memset,2000,50,7,1000,\n");
	assert_int_equal(profile_config(profile, 1)->shared_mem_bytes, 3000);
	assert_int_equal(profile->tracks[profile->activity_track[0]].device, 1);
	run_free(run);
	run = trace_run(api);
	assert_rows(run, "spans", NULL, NULL, "name,kind,dur_ns", "cudaMemcpyAsync,runtime,80\n");
	run_free(run);
	assert_survives(BYTES(events));
	assert_survives(BYTES(api));
}

static const char summary[] =
	"==12== NVPROF is profiling process 12, command: ./app\n"
	"hello\n"
	"==12== Profiling application: ./app\n"
	"==12== Profiling result:\n"
	"            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
	" GPU activities:   99.94%  1.11524s       301  3.7051ms  3.6928ms  3.7174ms  mul<int>(int*, int)\n"
	"                    0.06%  669.52us         3  223.17us  136.13us  270.18us  [CUDA memcpy HtoD]\n"
	"      API calls:   49.81%  285.17ms         3  95.055ms  153.32us  284.86ms  cudaMalloc\n";

static const char old_summary[] =
	"==12== Profiling result:\n"
	"Time(%)      Time     Calls       Avg       Min       Max  Name\n"
	" 99.94%  2.5000us         1  2.5000us  2.5000us  2.5000us  add(int)\n"
	"\n"
	"==12== API calls:\n"
	"Time(%)      Time     Calls       Avg       Min       Max  Name\n"
	" 49.81%     285ns         3      95ns      53ns     186ns  cudaFree\n";

TEST(summaries_of_nvprof)
{
	struct run *run = trace_run(summary);
	assert_string_equal(run->ranks[0].profile->format, "nvprof summary (text)");
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns,max_ns",
		    "mul<int>(int*, int),301,1115240000,3692800,3717400\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns,gpu_total_ns",
		    "[CUDA memcpy HtoD],,3,,669520\ncudaMalloc,API calls,3,285170000,\n");
	run_free(run);
	run = trace_run(old_summary);
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns", "add(int),1,2500\n");
	assert_rows(run, "operators", NULL, NULL, "name,cpu_total_ns", "cudaFree,285\n");
	run_free(run);
	assert_survives(BYTES(summary));
	assert_survives(BYTES(old_summary));
	assert_refused("==12== NVPROF is profiling process 12, command: ./app\nhello\n", 60);
}

TEST(damaged_tables_are_read_or_refused)
{
	assert_survives(BYTES(recent));
	assert_survives(BYTES(old));
	assert_survives(BYTES(values));
}
