# The reports of nsys stats on a made database: rows, their order and edge cases, as its queries give
# them. Times of the file are kept, so that rows can be found again in it.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_command sqlite3

# Process 7 runs threads 7 and 8, process 9 thread 9, both on machine 1; machine 2 has a process 7, too.
a=$(((1 << 48) + (7 << 24) + 7)) a2=$(((1 << 48) + (7 << 24) + 8)) b=$(((1 << 48) + (9 << 24) + 9))
far=$(((2 << 48) + (7 << 24) + 7))
pid() { echo $(($1 & ~0xffffff)); }
made=$work/made.sqlite
sqlite3 "$made" <<SQL
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaLaunchKernel'),
	(4, 'main'), (5, 'MPI_Send'), (6, 'MPI_Bcast'), (7, 'touch'), (8, 'touch.c'), (9, 'relu');
CREATE TABLE ThreadNames (nameId INT, priority INT, globalTid INT);
INSERT INTO ThreadNames VALUES (4, 20, $a);
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'A100');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT,
	nameId INT, returnValue INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
	(1000, 1010, $a, 1, 2, 0), (1002, 1008, $a, 1, 3, 0), -- both APIs record one launch
	(1100, 1150, $a, 2, 2, 700),
	(2000, 2010, $a2, 3, 2, 0),                           -- outside of ranges
	(1000, 1010, $b, 1, 2, 0);                            -- the same correlation id elsewhere
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,
	greenContextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT,
	gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, registersPerThread INT,
	staticSharedMemory INT, dynamicSharedMemory INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
	(1010, 1110, 0, 1, 0, 7, 1, $(pid $a), 1, 2, 1, 1, 128, 1, 1, 32, 1024, 0),
	(1140, 1240, 0, 1, 0, 7, 2, $(pid $a), 1, 4, 1, 1, 128, 1, 1, 32, 0, 2048),
	(2100, 2150, 0, 1, 0, 7, 3, $(pid $a), 9, 4, 1, 1, 128, 1, 1, 32, 0, 0),
	(1020, 1060, 0, 1, 0, 7, 1, $(pid $b), 1, 2, 1, 1, 128, 1, 1, 32, 0, 0),
	(3000, 3010, 0, 1, 0, 7, 99, $(pid $a), 9, 1, 1, 1, 1, 1, 1, 32, 0, 0); -- no call
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT,
	greenContextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT,
	srcKind INT, dstKind INT, virtualAddress INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
	(4000, 4100, 0, 1, 3, 7, NULL, $(pid $a), 1000000, 11, 4, 4, 4096),
	(5000, 5300, 0, 1, 0, 7, NULL, $(pid $a), 500000, 12, 4, 4, 4096);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT,
	endGlobalTid INT, domainId INT);
INSERT INTO NVTX_EVENTS VALUES
	(900, 1200, 59, 'outer', NULL, $a, NULL, 0), (990, 1050, 59, 'inner', NULL, $a, NULL, 0),
	(1090, 1160, 60, 'crosses', NULL, $a, NULL, 0), (1300, 1300, 59, 'point', NULL, $a, NULL, 0),
	(1400, 1500, 59, 'twin', NULL, $a, NULL, 0), (1400, 1500, 59, 'twin', NULL, $a, NULL, 0),
	(900, 1100, 59, 'inner', NULL, $b, NULL, 0), (1250, NULL, 34, 'mark', NULL, $a, NULL, 0),
	(1190, NULL, 59, 'open', NULL, $a2, NULL, 0);
CREATE TABLE MPI_RANKS (globalTid INT, rank INT);
INSERT INTO MPI_RANKS VALUES ($a, 3);
CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, size INT, tag INT,
	remoteRank INT);
INSERT INTO MPI_P2P_EVENTS VALUES (6000, 6010, $a, 5, 2000000, 11, 1);
CREATE TABLE MPI_COLLECTIVES_EVENTS (start INT, end INT, globalTid INT, textId INT, size INT,
	recvSize INT, rootRank INT);
INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (6100, 6120, $a, 6, 1000, 3000, 0);
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INT, globalPid INT, address INT,
	CpuInstruction INT, SourceFile INT, SourceLine INT);
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (4050, $(pid $a), 4096, 7, 8, 12),
	(4060, $(pid $a), 8192, 7, 8, 12);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, end INT, globalPid INT, deviceId INT,
	address INT, numberOfPageFaults INT, faultAccessType INT);
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (4200, 4210, $(pid $a), 0, 4096, 5, 1);
SQL
csv() { strata report "nsys-$1" -q -f csv "$made" | tail -n +2 | tr -d '\r'; }

# In order of time, rows of the table where times are equal; versions cut; -1 has no thread name.
assert_equal 'calls' '1000,10,cudaLaunchKernel,0,1,7,7,20,main
1000,10,cudaLaunchKernel,0,1,9,9,,
1002,6,cudaLaunchKernel,0,1,7,7,20,main
1100,50,cudaLaunchKernel,700,2,7,7,20,main
2000,10,cudaLaunchKernel,0,3,7,8,,' "$(csv cuda_api_trace)"
# Two versions of a function are two rows.
assert_equal 'call sums' '93.0,80,4,20.0,10.0,10,50,20.0,cudaLaunchKernel
7.0,6,1,6.0,6.0,6,6,0.0,cudaLaunchKernel' "$(csv cuda_api_sum)"
assert_equal 'GPU work' '1010,100,1,2,1,1,128,1,1,32,0.001,0.000,,,,,A100 (0),1,,7,gemm
1020,40,1,2,1,1,128,1,1,32,0.000,0.000,,,,,A100 (0),1,,7,gemm
1140,100,2,4,1,1,128,1,1,32,0.000,0.002,,,,,A100 (0),1,,7,gemm
2100,50,3,4,1,1,128,1,1,32,0.000,0.000,,,,,A100 (0),1,,7,relu
3000,10,99,1,1,1,1,1,1,32,0.000,0.000,,,,,A100 (0),1,,7,relu
4000,100,,,,,,,,,,,1.000,10000000.000,Managed,Managed,A100 (0),1,3,7,[CUDA memcpy Unified Host-to-Device]
5000,300,,,,,,,,,,,0.500,1666666.500,Managed,Managed,A100 (0),1,,7,[CUDA memcpy Unified Device-to-Host]' \
	"$(csv cuda_gpu_trace)"
assert_equal 'shapes' '46.7,140,2,70.0,70.0,40,100,42.4,   2    1    1, 128    1    1,gemm
33.3,100,1,100.0,100.0,100,100,0.0,   4    1    1, 128    1    1,gemm
16.7,50,1,50.0,50.0,50,50,0.0,   4    1    1, 128    1    1,relu
3.3,10,1,10.0,10.0,10,10,0.0,   1    1    1,   1    1    1,relu' "$(csv cuda_gpu_kern_gb_sum)"

# A kernel appears with each of its calls; the queue is empty where the kernel began before.
assert_equal 'launches' '1000,10,1010,0,1010,100,110,7,7,0,cudaLaunchKernel,   2    1    1, 128    1    1,gemm
1000,10,1010,10,1020,40,60,9,9,0,cudaLaunchKernel,   2    1    1, 128    1    1,gemm
1002,6,1008,2,1010,100,108,7,7,0,cudaLaunchKernel,   2    1    1, 128    1    1,gemm
1100,50,,,1140,100,140,7,7,0,cudaLaunchKernel,   4    1    1, 128    1    1,gemm
2000,10,2010,90,2100,50,150,7,8,0,cudaLaunchKernel,   4    1    1, 128    1    1,relu' \
	"$(csv cuda_kern_exec_trace)"
assert_equal 'launch sums' '7,8,1,1,150.0
7,7,3,2,119.3
9,9,1,1,60.0' "$(csv cuda_kern_exec_sum | cut -d, -f1,2,4,5,6)"
# Without a queue time all its figures are blank but the deviation.
sqlite3 "$made" ".dump" | sqlite3 "$work/early.sqlite"
sqlite3 "$work/early.sqlite" 'DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId <> 2'
assert_equal 'no queue' '0,,,,,0.0' \
	"$(strata report nsys-cuda_kern_exec_sum -q -f csv "$work/early.sqlite" | tail -n 1 | cut -d, -f5,16-20)"

# Kernels outside of ranges first: without a call, then with one; then names, processes, totals.
assert_equal 'kernels by range' ',,,,0,1,10,10.0,10.0,10,10,0.0,relu
crosses,StartEnd,7,7,1,1,100,100.0,100.0,100,100,0.0,gemm
inner,PushPop,7,7,1,1,200,100.0,100.0,100,100,0.0,gemm
inner,PushPop,9,9,1,1,40,40.0,40.0,40,40,0.0,gemm
outer,PushPop,7,7,1,2,300,100.0,100.0,100,100,0.0,gemm' "$(csv nvtx_kern_sum | grep -v '^open\|^,,7')"

# Points have rows, marks none; of equal ranges each contains the other, so that both are left out.
assert_equal 'pushed ranges' '900,1100,200,0,200,inner,9,9,0,0,7,,:7,inner
900,1200,300,60,240,outer,7,7,0,1,1,,:1,outer
990,1050,60,0,60,inner,7,7,1,0,2,1,:1:2,--inner
1190,1500,310,0,310,open,7,8,0,0,9,,:9,open
1300,1300,0,0,0,point,7,7,0,0,4,,:4,point' "$(csv nvtx_pushpop_trace)"
assert_equal 'projection' ',2100,50,,,,7,8,1,,0,,,
outer,1010,230,900,300,PushPop,7,7,2,0,2,1,,:1
inner,1010,100,990,60,PushPop,7,7,1,1,0,2,1,:1:2
crosses,1140,100,1090,70,StartEnd,7,7,1,1,0,3,1,:1:3
inner,1020,40,900,200,PushPop,9,9,1,0,0,7,,:7' "$(csv nvtx_gpu_proj_trace)"

assert_equal 'messages' '6000,6010,10,MPI_Send,7,7,11,3,1,,2.000,,
6100,6120,20,MPI_Bcast,7,7,,3,,0,,0.001,0.003' "$(csv mpi_event_trace)"
assert_equal 'message sums' '66.7,20,1,20.0,20.0,20,20,0.0,collectives,MPI_Bcast
33.3,10,1,10.0,10.0,10,10,0.0,p2p,MPI_Send' "$(csv mpi_event_sum)"

assert_equal 'unified memory' '0x1000,1.000,0.500,1,5,3750000.000
0x2000,,,1,,' "$(csv um_sum)"
assert_equal 'its totals' '1.000,0.500,2,5,0x1000,0x2000' "$(csv um_total_sum)"
assert_equal 'its faults' '2,touch,touch.c,12' "$(csv um_cpu_page_faults_sum)"

# The same ids on another machine are another process with another GPU.
sqlite3 "$work/hosts.sqlite" <<SQL
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT,
	nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, $a, 1, 2), (10, 30, $far, 1, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
	correlationId INT, globalPid INT, demangledName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 7, 1, $(pid $a), 1),
	(100, 400, 0, 7, 1, $(pid $far), 1);
SQL
assert_equal 'two machines' '100,10
300,20' "$(strata query -q -f csv 'SELECT dur_ns, api_dur_ns FROM launches ORDER BY 1' "$work/hosts.sqlite" | tail -n +2 | tr -d '\r')"
assert_equal 'their GPUs' '2' "$(strata query -q -f csv 'SELECT count(DISTINCT device) FROM launches' "$work/hosts.sqlite" | tail -n 1 | tr -d '\r')"

# Traces are tables of SQL; every CPU event is a row of spans.
assert_equal 'SQL' '5' "$(strata query -q -f csv 'SELECT count(*) FROM nsys_cuda_api_trace' "$made" | tail -n 1 | tr -d '\r')"
assert_equal 'spans' 'annotation,8
instant,3
other,2
runtime,5' "$(strata query -q -f csv 'SELECT kind, count(*) FROM spans GROUP BY kind ORDER BY kind' "$made" | tail -n +2 | tr -d '\r')"

# What nsys stats printed of recorded databases: every row and cell.
[ -d "$corpus/golden/nsys" ] && [ -x "$corpus/../tools/parity" ] || exit 0
"$corpus/../tools/parity" "$builddir/strata" --corpus "$corpus" --suite nsys -v >"$work/out" ||
	{ grep '^    ' "$work/out" | head -n 10 >&2; fail "the reports of nsys stats differ"; }
