/*
 * The sums of nsys stats, each a query over the tables of nsys_reports.h.
 *
 * Where sums are equal, the order is as nsys stats has it: by name where its query groups by the
 * text, in the order of the file where it groups by the number of the text.
 *
 * "+kind = ..." does not look rows up by kind: they come sorted by what a query groups by, which is
 * faster.
 */
#include "tools/nsys/nsys_reports.h"

#include "model/recording.h"
#include "sql/query.h"
#include "views/views.h"

static const struct view *const nsys_tables[] = { &nsys_table_spans,    &nsys_table_work,
						  &nsys_table_launched, &nsys_table_range_kernels,
						  &nsys_table_ranges,   &nsys_table_projected,
						  &view_info,           NULL };

/* A row stands for all events of the name of the one given. */
static struct ref name_ref(const struct table *table, int64_t id)
{
	const struct profile *profile = table->held->profile;
	uint32_t row = (uint32_t)id;
	return id >> 32 == REF_LAUNCH
		       ? (struct ref){ REF_KERNEL, profile->activity_name[row], NO_ROW, NO_ROW }
		       : (struct ref){ REF_EVENTS, profile->span_name[row], 0, 0 };
}

static bool build_report(struct table *table, const struct view_query *query)
{
	const struct nsys_report *report = nsys_report_of(table);
	struct scope scope = *query->scope; /* shares its texts */
	scope.filter = NULL;                /* applies to the rows of the report */
	scope.all_ranks = false;
	scope.ranks.count = 0;
	struct view_query inner = *query;
	inner.scope = &scope;
	if (!sql_fill(table, nsys_tables, report->sql, name_ref, &inner))
		return false;
	if (!table->rows)
		table_note(table, "%s", report->empty);
	return true;
}

#define REPORT(id, what, line, about, list, first, sort, head, names, query, none)                 \
	NSYS_REPORT(id, what, line, about, list, first, sort, head, names, build_report, true,     \
		    .sql = "SELECT " query, .empty = none)

/* ---- sums of times ---- */

#define FIGURES(x) "avg(" x "), median(" x "), min(" x "), max(" x "), coalesce(stdev(" x "), 0.0)"
#define TIMES                                                                                      \
	"100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), sum(dur_ns), count(*), " FIGURES("dur_"   \
											  "ns")
#define TIME_COLUMNS "share_pct,total_ns,calls,avg_ns,median_ns,min_ns,max_ns,stddev_ns"
#define TIME_TITLES(calls)                                                                         \
	"Time (%),Total Time (ns)," calls ",Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns)"
#define LONGEST "total_ns:desc"
#define RAREST "total_ns:desc,calls:asc"

/* MORE: columns before the name, with a comma before each. */
#define SUM(id, what, line, more, sort, head, names, query, none)                                  \
	REPORT(id, what, line, "each " line, TIME_COLUMNS more ",name", "name," TIME_COLUMNS more, \
	       sort, head, names, TIMES ", " query, none)

SUM(kernels, "cuda_gpu_kern_sum", "a kernel", "", RAREST, "CUDA GPU Kernel Summary",
    TIME_TITLES("Instances") ",Name",
    "name, max(id) FROM nsys_work WHERE +kind = 'kernel' GROUP BY name ORDER BY name",
    "No kernels in this scope.");
#define NO_SHAPE "'  -1   -1   -1'"
SUM(shapes, "cuda_gpu_kern_gb_sum", "a kernel of one grid and block", ",grid_xyz,block_xyz", RAREST,
    "CUDA GPU Kernel/Grid/Block Summary", TIME_TITLES("Instances") ",GridXYZ,BlockXYZ,Name",
    "coalesce(grid_xyz, " NO_SHAPE "), coalesce(block_xyz, " NO_SHAPE "), name, max(id) "
    "FROM nsys_work WHERE +kind = 'kernel' GROUP BY name, grid_xyz, block_xyz "
    "ORDER BY name, grid_x, grid_y, grid_z, block_x, block_y, block_z",
    "No kernels in this scope.");
SUM(calls, "cuda_api_sum", "a runtime or driver function", "", LONGEST, "CUDA API Summary",
    TIME_TITLES("Num Calls") ",Name",
    "api_name, max(id) FROM nsys_spans WHERE +kind = 'runtime' GROUP BY seq ORDER BY seq",
    "No runtime or driver calls in this scope.");
SUM(ranges, "nvtx_sum", "a range", ",style", LONGEST, "NVTX Range Summary",
    TIME_TITLES("Instances") ",Style,Range",
    "style, name, max(id) FROM nsys_ranges GROUP BY name, style ORDER BY name, style",
    "No ranges in this scope.");
SUM(pushed, "nvtx_pushpop_sum", "a push/pop range", "", LONGEST, "NVTX Push/Pop Range Summary",
    TIME_TITLES("Instances") ",Range",
    "name, max(id) FROM nsys_ranges WHERE +style = 'PushPop' GROUP BY name ORDER BY name",
    "No ranges in this scope.");
SUM(started, "nvtx_startend_sum", "a start/end range", "", LONGEST, "NVTX Start/End Range Summary",
    TIME_TITLES("Instances") ",Range",
    "name, max(id) FROM nsys_ranges WHERE +style = 'StartEnd' GROUP BY name ORDER BY name",
    "No start/end ranges in this scope.");

/* Grouped before they are put together: rows of one table come sorted. */
#define GROUPS                                                                                     \
	"sum(dur_ns) AS total, count(*) AS calls, avg(dur_ns) AS mean, median(dur_ns) AS middle, " \
	"min(dur_ns) AS low, max(dur_ns) AS high, coalesce(stdev(dur_ns), 0.0) AS deviation, "     \
	"max(id) AS event "
#define WORK                                                                                       \
	"SELECT CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS type, "       \
	"name, " GROUPS "FROM nsys_work GROUP BY name, kind"
#define CALLS                                                                                      \
	"SELECT 'CUDA_API', api_name, " GROUPS                                                     \
	"FROM nsys_spans WHERE +kind = 'runtime' GROUP BY api_name"
/* A sum by category and name of the rows of GROUPED. */
#define SUM_GROUPS(id, what, line, head, grouped, none)                                            \
	REPORT(id, what, line, "each " line, TIME_COLUMNS ",kind,name",                            \
	       "name," TIME_COLUMNS ",kind", LONGEST, head,                                        \
	       TIME_TITLES("Instances") ",Category,Operation",                                     \
	       "100.0 * total / sum(total) OVER (), total, calls, mean, middle, low, high, "       \
	       "deviation, type, name, event FROM (" grouped ") ORDER BY name, type",              \
	       none)
SUM_GROUPS(work, "cuda_gpu_sum", "a kernel, copy kind or memset kind",
	   "CUDA GPU Summary (Kernels/MemOps)", WORK,
	   "No kernels, copies or memsets in this scope.");
SUM_GROUPS(work_and_calls, "cuda_api_gpu_sum", "an API function, kernel, copy kind or memset kind",
	   "CUDA Summary (API/Kernels/MemOps)", WORK " UNION ALL " CALLS,
	   "No API calls, kernels, copies or memsets in this scope.");
SUM(copy_times, "cuda_gpu_mem_time_sum", "a copy or memset kind", "", LONGEST,
    "CUDA GPU MemOps Summary (by Time)", TIME_TITLES("Count") ",Operation",
    "name, max(id) FROM nsys_work WHERE kind <> 'kernel' GROUP BY name ORDER BY name",
    "No copies or memsets in this scope.");

#define OF_CATEGORY(category) "FROM nsys_spans WHERE +kind = 'other' AND category = '" category "'"
#define BY_TEXT " GROUP BY seq ORDER BY seq"
SUM(system_calls, "osrt_sum", "an OS runtime function", "", LONGEST, "OS Runtime Summary",
    TIME_TITLES("Num Calls") ",Name", "name, max(id) " OF_CATEGORY("os_runtime") BY_TEXT,
    "No OS runtime calls in this scope; record them with nsys profile -t osrt.");
SUM(openmp, "openmp_sum", "an OpenMP event", "", LONGEST, "OpenMP Summary",
    TIME_TITLES("Count") ",Name", "name, max(id) " OF_CATEGORY("openmp") BY_TEXT,
    "No OpenMP events in this scope; record them with nsys profile -t openmp.");
SUM(openacc, "openacc_sum", "an OpenACC event", "", LONGEST, "OpenACC Summary",
    TIME_TITLES("Count") ",Name", "name, max(id) " OF_CATEGORY("openacc") BY_TEXT,
    "No OpenACC events in this scope; record them with nsys profile -t openacc.");
SUM(messages, "mpi_event_sum", "an MPI function", ",message_class", LONGEST, "MPI Event Summary",
    TIME_TITLES("Instances") ",Source,Name",
    "message_class, name, max(id) " OF_CATEGORY(
	    "mpi") " AND message_class IN ('collectives', 'other', 'p2p', 'start-wait')"
		   " GROUP BY message_class, seq ORDER BY message_class, seq",
    "No MPI calls in this scope; record them with nsys profile -t mpi.");

#define SIZES "total_bytes,calls,avg_bytes,median_bytes,min_bytes,max_bytes,stddev_bytes"
REPORT(copy_sizes, "cuda_gpu_mem_size_sum", "a copy or memset kind", "each a copy or memset kind",
       SIZES ",name", "name," SIZES, "total_bytes:desc", "CUDA GPU MemOps Summary (by Size)",
       "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation",
       "sum(bytes), count(*), " FIGURES(
	       "bytes") ", name, max(id) FROM nsys_work "
			"WHERE kind <> 'kernel' AND bytes IS NOT NULL GROUP BY name ORDER BY name",
       "No copies or memsets with a size in this scope.");

/* ---- kernels by launch ---- */

#define PHASE_COLUMNS(name)                                                                        \
	name "_avg_ns," name "_median_ns," name "_min_ns," name "_max_ns," name "_stddev_ns,"
#define PHASE_TITLES(letter)                                                                       \
	letter "Avg (ns)," letter "Med (ns)," letter "Min (ns)," letter "Max (ns)," letter         \
	       "StdDev (ns),"
#define LAUNCHES                                                                                   \
	"pid,tid,device_id,total_ns,calls,queued," PHASE_COLUMNS("whole") PHASE_COLUMNS("api")     \
		PHASE_COLUMNS("queue") PHASE_COLUMNS("kernel") "api_name,name"
REPORT(launches, "cuda_kern_exec_sum", "a kernel, per thread, call and device",
       "time from launch to end of each kernel", LAUNCHES, LAUNCHES, "",
       "CUDA Kernel Launch & Exec Time Summary",
       "PID,TID,DevId,,Count,QCount," PHASE_TITLES("T") PHASE_TITLES("A") PHASE_TITLES("Q")
	       PHASE_TITLES("K") "API Name,Kernel Name",
       "pid, tid, device_id, sum(whole_ns), count(*), count(queue_ns), " FIGURES("whole_ns") ", " FIGURES(
	       "api_dur_ns") ", " FIGURES("queue_ns") ", " FIGURES("dur_ns") ", api_name, name, "
									     "max(id) FROM nsys_launched GROUP BY pid, tid, device_id, api_name, name "
									     "ORDER BY round(avg(whole_ns), 1) DESC, pid, tid, device_id, api_name, name",
       "No kernels with a recorded launch in this scope.");

#define RANGE_KERNELS                                                                              \
	"range,style,pid,tid,range_calls,calls,total_ns,avg_ns,median_ns,min_ns,max_ns,stddev_ns,name"
REPORT(range_kernels, "nvtx_kern_sum", "a kernel, per range and thread",
       "kernels launched outside of ranges, then in each range", RANGE_KERNELS, RANGE_KERNELS, "",
       "NVTX GPU Kernel Summary",
       "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),"
       "Max (ns),StdDev (ns),Kernel Name",
       "range, style, pid, tid, count(DISTINCT range_id), count(DISTINCT id), sum(dur_ns), " FIGURES(
	       "dur_ns") ", name, max(id) FROM nsys_range_kernels "
			 "GROUP BY range, style, pid, tid, name "
			 "ORDER BY range, pid, tid, sum(dur_ns) DESC, style, name",
       "No kernels in this scope.");

#define PROJECTION                                                                                 \
	"name,style,total_ns,range_ns,calls,avg_ns,median_ns,min_ns,max_ns,stddev_ns,gpu_ops,"     \
	"avg_gpu_ops,avg_level,avg_children"
REPORT(projection, "nvtx_gpu_proj_sum", "a range", "GPU work launched in each range", PROJECTION,
       PROJECTION, LONGEST, "NVTX GPU Projection Summary",
       "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),"
       "Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,"
       "Avg Range Lvl,Avg Num Child",
       "name, style, sum(gpu_span_ns), sum(dur_ns), count(*), " FIGURES(
	       "gpu_span_ns") ", sum(gpu_ops), avg(gpu_ops), avg(level), avg(range_children), max(id) "
			      "FROM nsys_projected WHERE range_id IS NOT NULL GROUP BY name, style ORDER BY name, style",
       "No ranges that launched GPU work in this scope.");

/* ---- unified memory ---- */

#define TO_DEVICE "'[CUDA memcpy Unified Host-to-Device]'"
#define TO_HOST "'[CUDA memcpy Unified Device-to-Host]'"
#define ADDRESS(x) "CASE WHEN " x " IS NOT NULL THEN printf('0x%llX', " x ") END"

/* What happened to the pages of an address; NULL: nothing of that kind. */
#define PAGES                                                                                      \
	" FROM (SELECT address, sum(up) AS up, sum(down) AS down, sum(host) AS host, "             \
	"sum(device) AS device, sum(dur_ns) AS dur_ns FROM (SELECT address, NULL AS up, "          \
	"NULL AS down, CASE kind WHEN 'instant' THEN 1 END AS host, "                              \
	"CASE kind WHEN 'other' THEN coalesce(calls, 1) END AS device, 0 AS dur_ns "               \
	"FROM nsys_spans WHERE category = 'page_fault' UNION ALL SELECT address, "                 \
	"CASE name WHEN " TO_DEVICE " THEN coalesce(bytes, 0) END, "                               \
	"CASE name WHEN " TO_HOST " THEN coalesce(bytes, 0) END, NULL, NULL, dur_ns "              \
	"FROM nsys_work WHERE name IN (" TO_DEVICE ", " TO_HOST ")) GROUP BY address)"
#define NO_PAGES                                                                                   \
	"No unified memory events in this scope; record them with nsys profile "                   \
	"--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true."

#define MIGRATIONS "address,htod_bytes,dtoh_bytes,host_faults,device_faults,bytes_per_s"
REPORT(migrations, "um_sum", "pages of one address", "migrations and faults of unified memory",
       MIGRATIONS, MIGRATIONS, "", "Unified Memory Analysis Summary",
       "Virtual Address,HtoD Migration size (MB),DtoH Migration size (MB),CPU Page Faults,"
       " GPU Page Faults,Migration Throughput (MB/s)",
       ADDRESS("address") ", up, down, host, device, (coalesce(up, 0) + coalesce(down, 0)) * "
			  "(1000000000 / nullif(dur_ns, 0)) AS rate, NULL" PAGES
			  " ORDER BY rate DESC, "
			  "CASE WHEN host IS NOT NULL THEN 0 WHEN device IS NOT NULL THEN 1 "
			  "WHEN down IS NOT NULL THEN 2 ELSE 3 END, address",
       NO_PAGES);

/* nsys stats shows the extreme addresses only if all four kinds have one. */
#define EXTREME(of)                                                                                \
	"CASE WHEN count(address + up) AND count(address + down) AND count(address + host) "       \
	"AND count(address + device) THEN " ADDRESS(of) " END"
#define MIGRATION_TOTALS "htod_bytes,dtoh_bytes,host_faults,device_faults,min_address,max_address"
REPORT(migration_totals, "um_total_sum", "the whole capture",
       "totals of unified memory migrations and faults", MIGRATION_TOTALS, MIGRATION_TOTALS, "",
       "Unified Memory Totals Summary",
       "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,"
       "Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address",
       "up, down, host, device, low, high, NULL FROM (SELECT sum(up) AS up, sum(down) AS down, "
       "coalesce(sum(host), 0) AS host, sum(device) AS device, " EXTREME("min(address)") " AS low, " EXTREME(
	       "max(address)") " AS high, count(*) AS pages" PAGES
			       ") WHERE pages OR EXISTS (SELECT * FROM info WHERE metric = '" UNIFIED_FAULTS
			       "')",
       NO_PAGES);

#define FAULTS "host_faults,function,file,line"
REPORT(faults, "um_cpu_page_faults_sum", "a place in the code",
       "host page faults of unified memory", FAULTS, FAULTS, "",
       "Unified Memory CPU Page Faults Summary",
       "CPU Page Faults,CPU Instruction Address,Source File,Source Line",
       "count(*), caller, file, line, NULL FROM nsys_spans WHERE category = 'page_fault' AND "
       "kind = 'instant' GROUP BY caller, file, line ORDER BY count(*) DESC, caller, file, line",
       NO_PAGES);
