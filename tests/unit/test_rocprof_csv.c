/* Tables of rocprof, rocprofv2 and rocprofv3: kernels, copies, calls, counters, what is beside. */
#include "text_profile_case.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char counted[] =
	"Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,"
	"obj,GPUBusy,Wavefronts\n"
	"0,\"copy(int) [clone .kd]\",0,0,0,2,2,1024,64,0,0,4,24,0,0x0,0x7ff,100,262144\n";

static const char calls[] =
	"\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
	"\"HIP_RUNTIME_API\",\"hipLaunchKernel\",70,70,11,1000,2000\n";

static const char copies[] =
	"\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
	"\"MEMORY_COPY\",\"HOST_TO_DEVICE\",0,2,13,21000,22000\n"
	"\"MEMORY_COPY\",\"MEMORY_COPY_DEVICE_TO_HOST\",\"Agent 2\",\"Agent 0\",14,31000,33000\n";

TEST(rows_of_rocprof_are_kernels)
{
	struct run *run = trace_run(data_text("rocprof_csv_first.csv"));
	const struct profile *profile = run->ranks[0].profile;
	assert_string_equal(profile->format, "rocprof output (CSV)");
	assert_rows(run, "kernels", NULL, "properties",
		    "name,calls,total_ns,grid,block,regs_per_thread,shared_mem_bytes",
		    "body(int, float),1,2500,256,1,1,256,1,1,24,8\n"
		    "axpy,1,1000,2,1,1,64,1,1,24,0\n");
	assert_int_equal(profile->metric_count, 0);
	assert_int_equal(profile->tracks[profile->activity_track[0]].device, 1);
	run_free(run);
}

TEST(columns_of_counters_are_metrics)
{
	struct run *run = trace_run(counted);
	assert_rows(run, "metrics", NULL, NULL, "kernel,metric,value",
		    "copy(int),GPUBusy,100\ncopy(int),Wavefronts,262144\n");
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns", "copy(int),1,\n");
	run_free(run);
	run = trace_run(data_text("rocprof_csv_second.csv"));
	assert_rows(run, "metrics", NULL, NULL, "kernel,metric,value", "axpy(int),SQ_WAVES,16\n");
	assert_rows(run, "kernels", NULL, NULL, "name,total_ns", "axpy(int),2000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(rows_of_a_dispatch_are_one_kernel)
{
	struct run *run = trace_run(data_text("rocprof_csv_rows_of_counters.csv"));
	assert_rows(run, "metrics", NULL, NULL, "launch,metric,value",
		    "0,SQ_WAVES,16384\n0,FETCH_SIZE,100.5\n1,SQ_WAVES,16385\n");
	assert_rows(run, "kernels", NULL, NULL, "name,calls", "copy(int),2\n");
	assert_rows(run, "launches", NULL, NULL, "device,stream",
		    "GPU2,1\nGPU2,1\n"); /* "Agent 2" */
	run_free(run);
}

/* pmc_perf.csv of rocprof-compute: each pass has its properties of the kernel again. */
TEST(joined_passes_have_each_counter_once)
{
	struct run *run = trace_run(data_text("rocprof_csv_passes.csv"));
	assert_rows(run, "kernels", NULL, "properties",
		    "name,calls,total_ns,grid,block,regs_per_thread",
		    "axpy(double*, double*),1,12000,4096,1,1,256,1,1,12\n");
	assert_rows(run, "metrics", NULL, NULL, "metric,value",
		    "SQ_WAVES,16384\nSQC_DCACHE_REQ_READ_16,7\nTCC_ATOMIC[0],5\n");
	assert_rows(run, "launches", NULL, NULL, "device", "GPU8\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(copies_have_their_direction)
{
	struct run *run = trace_run(copies);
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns",
		    "Memcpy HtoD,memcpy,1000\nMemcpy DtoH,memcpy,2000\n");
	run_free(run);
}

/* By the table of kernels or by the folder: the launch is known, and there is one run. */
TEST(tables_of_a_run_are_read_together)
{
	static const char *const files[] = { "7_kernel_trace.csv", "7_hip_api_trace.csv",
					     "7_memory_copy_trace.csv" };
	char folder[] = "rocprof-XXXXXX", path[96];
	assert_non_null(mkdtemp(folder));
	write_text_in(folder, files[0], data_text("rocprof_csv_kernels.csv"));
	write_text_in(folder, files[1], calls);
	write_text_in(folder, files[2], copies);
	snprintf(path, sizeof path, "%s/%s", folder, files[0]);
	for (int i = 0; i < 2; i++) {
		const char *named[] = { i ? folder : path };
		struct error error = { 0 };
		struct run *run = run_open(named, 1, NULL, NULL, &error);
		assert_non_null(run);
		assert_int_equal(run->runs, 1);
		assert_int_equal(run->rank_count, 1);
		assert_rows(run, "launches", NULL, NULL, "name,stream,launch_delay_ns,dur_ns,grid",
			    "add<float>(float*, int),3,4000,4000,16,2,1\n"
			    "Memcpy HtoD,,,1000,\nMemcpy DtoH,,,2000,\n");
		run_free(run);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

TEST(sums_are_of_what_the_names_say)
{
	struct run *run = trace_run(data_text("rocprof_csv_sums.csv"));
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns,max_ns",
		    "norm(int, double*),1000,13996851,12800,17120\naxpy,1,5920,5920,5920\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns,gpu_total_ns",
		    "CopyHostToDevice,2,,100\nhipLaunchKernel,4,400,\n");
	assert_rows(run, "advice", NULL, NULL, "problem", "Kernel hot spot\n");
	run_free(run);
}

TEST(damaged_tables_are_read_or_refused)
{
	assert_survives(DATA("rocprof_csv_first.csv"));
	assert_survives(BYTES(counted));
	assert_survives(DATA("rocprof_csv_kernels.csv"));
	assert_survives(BYTES(calls));
	assert_survives(BYTES(copies));
	assert_survives(DATA("rocprof_csv_rows_of_counters.csv"));
	assert_survives(DATA("rocprof_csv_sums.csv"));
	assert_survives(DATA("rocprof_csv_passes.csv"));
}
