/* Tables that nsys and nvprof print: old and new versions, CSV, several tables, damage. */
#include "text_profile_case.h"

static const char values[] =
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
	"Category,Operation\n"
	"60.0,60000,3,20000.0,20000.0,19000,21000,1000.0,CUDA_KERNEL,\"f<4, float>(int, float)\"\n"
	"40.0,40000,4,10000.0,10000.0,9000,11000,500.0,MEMORY_OPER,[CUDA memset]\n";

TEST(each_table_of_nsys_stats_is_told_by_its_columns)
{
	struct run *run = trace_run(data_text("nsys_printed_recent.txt"));
	assert_string_equal(run->ranks[0].profile->format, "nsys stats output");
	assert_rows(run, "kernels", NULL, NULL,
		    "name,calls,total_ns,share_pct,avg_ns,min_ns,max_ns,stddev_ns",
		    "gemm<int, float>(int),3,60000,60,20000,19000,21000,1000\n"
		    "relu,4,40000,40,10000,9000,11000,500\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns,gpu_total_ns",
		    "cudaLaunchKernel,CUDA API Summary,9,1575151,\n"
		    "[CUDA memcpy HtoD],CUDA GPU MemOps Summary,3,,9900\n"
		    ":train step,NVTX Range Summary,2,5000,\n");
	assert_rows(run, "advice", NULL, NULL, "problem", "Kernel hot spot\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(tables_of_old_versions)
{
	struct run *run = trace_run(data_text("nsys_printed_old.txt"));
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

static const char api[] = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
			  "900,80,cudaMemcpyAsync,0,5,12,13,20,python\n";

TEST(lists_of_events_have_a_timeline)
{
	struct run *run = trace_run(data_text("nsys_printed_events.csv"));
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
	assert_survives(DATA("nsys_printed_events.csv"));
	assert_survives(BYTES(api));
}

/* nvprof --csv: with units below the heading, and types; or in the cells, and without quotes. */
TEST(summaries_of_nvprof)
{
	static const char *const tables[] = {
		"==12== Profiling result:\n"
		"\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,ms,us,ms,\n"
		"\"GPU activities\",70.00,3.5,2,1.75,1000,2.5,\"add(int, int)\"\n"
		"\"GPU activities\",30.00,1.5,4,0.375,9,0.4,\"[CUDA memcpy HtoD]\"\n"
		"\"API calls\",100.00,0.3,1,0.3,300,0.3,\"cudaFree\"\n",
		"Time(%),Time,Calls,Avg,Min,Max,Name\n70.00%,3.5ms,2,1.75ms,1ms,2.5ms,add(int, int)\n"
		"30.00%,1.5ms,4,375us,9us,400us,[CUDA memcpy HtoD]",
		"\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,ms,,ms,us,ms,\n"
		"70.00,3.5,2,1.75,1000,2.5,\"add(int, int)\"\n30.00,1.5,4,0.375,9,0.4,\"[CUDA memcpy HtoD]\"\n"
	};
	struct run *run = trace_run(data_text("nsys_printed_summary.txt"));
	assert_string_equal(run->ranks[0].profile->format, "nvprof summary (text)");
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns,max_ns",
		    "mul<int>(int*, int),301,1115240000,3692800,3717400\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns,gpu_total_ns",
		    "[CUDA memcpy HtoD],,3,,669520\ncudaMalloc,API calls,3,285170000,\n");
	run_free(run);
	run = trace_run(data_text("nsys_printed_old_summary.txt"));
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns", "add(int),1,2500\n");
	assert_rows(run, "operators", NULL, NULL, "name,cpu_total_ns", "cudaFree,285\n");
	run_free(run);
	assert_survives(DATA("nsys_printed_summary.txt"));
	assert_survives(DATA("nsys_printed_old_summary.txt"));
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		run = trace_run(tables[i]);
		assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,max_ns",
			    "add(int, int),2,3500000,2500000\n");
		assert_rows(run, "operators", NULL, NULL,
			    "name,section,calls,cpu_total_ns,gpu_total_ns",
			    i ? "[CUDA memcpy HtoD],,4,,1500000\n"
			      : "[CUDA memcpy HtoD],,4,,1500000\ncudaFree,API calls,1,300000,\n");
		run_free(run);
		assert_survives(BYTES(tables[i]));
	}
	assert_refused("==12== NVPROF is profiling process 12, command: ./app\nhello\n", 60);
}

/*
 * nvprof --print-gpu-trace --print-api-trace: sizes in 1024s; what a stream does begins when it has
 * done what is before, as starts have few digits.
 */
TEST(lists_of_nvprof_have_a_timeline)
{
	struct run *run = trace_run(data_text("nvprof_list.txt"));
	assert_string_equal(run->ranks[0].profile->format, "nvprof list (text)");
	assert_rows(run, "launches", NULL, NULL,
		    "kind,name,device,stream,start_ns,dur_ns,correlation,api_start_ns,api_dur_ns",
		    "memset,Memset (Device),GPU1,7,10000,2176,,,\n"
		    "kernel,relu,GPU1,8,10000,3000,192,,\n"
		    "kernel,void add<float, int>(float*),GPU1,7,12176,12816,191,0,4000\n"
		    "memcpy,Memcpy HtoD (Pageable -> Device),GPU1,7,100000,1056,,,\n");
	assert_rows(run, "launches", NULL, NULL,
		    "bytes,grid,block,regs_per_thread,shared_mem_bytes",
		    "1088,,,,\n,1,1,1,32,1,1,16,0\n,64,1,1,256,1,2,32,1028\n2097152,,,,\n");
	assert_rows(run, "spans", NULL, NULL, "name,kind,dur_ns",
		    "cudaLaunchKernel,runtime,4000\n");
	run_free(run);
	assert_survives(DATA("nvprof_list.txt"));
}

TEST(damaged_tables_are_read_or_refused)
{
	assert_survives(DATA("nsys_printed_recent.txt"));
	assert_survives(DATA("nsys_printed_old.txt"));
	assert_survives(BYTES(values));
}
