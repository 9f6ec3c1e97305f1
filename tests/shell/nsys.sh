# The reports of nsys stats: byte for byte on a synthetic database, compared with SQL on a real one.
. "${srcdir:-.}/tests/lib.sh"
need_command sqlite3

made=$work/made.sqlite
sqlite3 "$made" <<'SQL'
CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (1, 'void gemm<float>(float *)'), (2, 'cudaLaunchKernel_v7000'),
	(3, 'cudaGraphLaunch_v10000'), (4, 'poll'), (5, 'NCCL'), (6, 'all "reduce", twice'),
	(7, 'k' || printf('%.*c', 120, 'x'));
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
	correlationId INT, globalPid INT, demangledName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 1100, 0, 7, 1, 0, 1),
	(2000, 3001, 0, 7, 2, 0, 1), (4000, 5000, 0, 7, 3, 0, 1), (6000, 7000, 0, 7, 4, 0, 1),
	(8000, 2008000, 0, 7, 5, 0, 7);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT,
	nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 1, 1, 2), (30, 50, 1, 2, 2),
	(60, 65, 1, 3, 3);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT,
	correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10000, 10100, 0, 7, 6, 0, 1048576, 1, 0, 2),
	(11000, 11100, 0, 7, 7, 0, 2097152, 1, 1, 2), (12000, 12050, 0, 7, 8, 0, 512, 12, 4, 4);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, streamId INT,
	correlationId INT, globalPid INT, bytes INT, memKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (13000, 13010, 0, 7, 9, 0, 64, 2);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT,
	endGlobalTid INT, domainId INT);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, NULL, 5, 1, NULL, 1),
	(1, 101, 59, 'step', NULL, 1, NULL, 0), (200, 400, 59, 'step', NULL, 1, NULL, 0),
	(500, 550, 60, NULL, 6, 1, 1, 1);
CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);
INSERT INTO OSRT_API VALUES (1000, 9000, 2, 4);
CREATE TABLE OPENMP_EVENT_KIND_PARALLEL (start INT, end INT, eventClass INT, globalTid INT, nameId INT);
CREATE TABLE OPENMP_EVENT_KIND_SYNC_REGION (start INT, end INT, eventClass INT, globalTid INT, nameId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH (start INT, end INT, globalTid INT, nameId INT);
INSERT INTO StringIds VALUES (70, 'Parallel'), (71, 'Sync region'), (72, 'Enqueue launch');
INSERT INTO OPENMP_EVENT_KIND_PARALLEL VALUES (9100, 9400, 1, 2, 70), (9500, 9600, 1, 2, 70);
INSERT INTO OPENMP_EVENT_KIND_SYNC_REGION VALUES (9200, 9300, 1, 2, 71);
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH VALUES (9700, 9750, 2, 72);
SQL

assert_exit 0 strata report nsys-cuda_gpu_kern_sum -q "$made"
long="k$(printf '%098d' 0 | tr 0 x)…"
blanks() { printf '%*s' "$1" ''; }
{
	printf '\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n'
	printf ' Time (%%)  Total Time (ns)  Instances   Avg (ns)     Med (ns)    Min (ns)   Max (ns)   StdDev (ns)  '
	printf '%sName%s\n' "$(blanks 48)" "$(blanks 48)"
	printf ' --------  ---------------  ---------  -----------  -----------  ---------  ---------  -----------  '
	printf '%0100d\n' 0 | tr 0 -
	printf '     99.8        2,000,000          1  2,000,000.0  2,000,000.0  2,000,000  2,000,000          0.0  '
	printf '%s\n' "$long"
	printf '      0.2            4,001          4      1,000.3      1,000.0      1,000      1,001          0.5  '
	printf 'void gemm<float>(float *)%s\n\n' "$(blanks 75)"
} >"$work/expected"
diff "$work/expected" "$work/out" || fail "the kernels differ"

# the rows as CSV: version suffixes of four digits are removed, of five kept
csv() { strata report "nsys-$1" -q -f csv "$made"; }
assert_equal 'CUDA calls' 'Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
85.7,30,2,15.0,15.0,10,20,7.1,cudaLaunchKernel
14.3,5,1,5.0,5.0,5,5,0.0,cudaGraphLaunch_v10000' "$(csv cuda_api_sum)"
assert_equal 'ranges' 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range
85.7,300,2,150.0,150.0,100,200,70.7,PushPop,step
14.3,50,1,50.0,50.0,50,50,0.0,StartEnd,"NCCL:all ""reduce"", twice"' "$(csv nvtx_sum)"
# kernels from launch to end, by the ranges that launched them
figures() { for letter; do printf ',%s' "${letter}Avg (ns),${letter}Med (ns),${letter}Min (ns),${letter}Max (ns),${letter}StdDev (ns)"; done; }
assert_equal 'launches' "PID,TID,DevId,Count,QCount$(figures T A Q K),API Name,Kernel Name
0,1,0,1,1,4940.0,4940.0,4940,4940,0.0,5.0,5.0,5,5,0.0,3935.0,3935.0,3935,3935,0.0,1000.0,1000.0,1000,1000,0.0,cudaGraphLaunch_v10000,void gemm<float>(float *)
0,1,0,2,2,2030.5,2030.5,1090,2971,1330.1,15.0,15.0,10,20,7.1,1015.0,1015.0,80,1950,1322.3,1000.5,1000.5,1000,1001,0.7,cudaLaunchKernel,void gemm<float>(float *)" \
	"$(csv cuda_kern_exec_sum)"
assert_equal 'kernels by range' 'NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Kernel Name
,,,,0,1,2000000,2000000.0,2000000.0,2000000,2000000,0.0,k'"$(printf '%0120d' 0 | tr 0 x)"'
,,,,0,1,1000,1000.0,1000.0,1000,1000,0.0,void gemm<float>(float *)
step,PushPop,0,1,1,3,3001,1000.3,1000.0,1000,1001,0.6,void gemm<float>(float *)' "$(csv nvtx_kern_sum)"
assert_equal 'pushed ranges' 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
100.0,300,2,150.0,150.0,100,200,70.7,step' "$(csv nvtx_pushpop_sum)"
assert_equal 'started ranges' 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
100.0,50,1,50.0,50.0,50,50,0.0,"NCCL:all ""reduce"", twice"' "$(csv nvtx_startend_sum)"
# Three kernels were launched in the first step, from 100 to 5000; none in the second.
assert_equal 'GPU projection of ranges' 'Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,Avg Range Lvl,Avg Num Child
step,PushPop,4900,100,1,4900.0,4900.0,4900,4900,0.0,3,3.0,0.0,0.0' "$(csv nvtx_gpu_proj_sum)"
assert_equal 'GPU activities' 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,Operation
0.2,4001,4,1000.3,1000.0,1000,1001,0.5,CUDA_KERNEL,void gemm<float>(float *)
0.0,200,2,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]
0.0,50,1,50.0,50.0,50,50,0.0,MEMORY_OPER,[CUDA memcpy Unified Device-to-Host]
0.0,10,1,10.0,10.0,10,10,0.0,MEMORY_OPER,[CUDA memset]' "$(csv cuda_gpu_sum | sed '2d')"
assert_equal 'calls and GPU activities' '0.0,30,2,15.0,15.0,10,20,7.1,CUDA_API,cudaLaunchKernel
0.0,5,1,5.0,5.0,5,5,0.0,CUDA_API,cudaGraphLaunch_v10000' "$(csv cuda_api_gpu_sum | grep CUDA_API)"
assert_equal 'copies by time' 'Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
76.9,200,2,100.0,100.0,100,100,0.0,[CUDA memcpy Host-to-Device]
19.2,50,1,50.0,50.0,50,50,0.0,[CUDA memcpy Unified Device-to-Host]
3.8,10,1,10.0,10.0,10,10,0.0,[CUDA memset]' "$(csv cuda_gpu_mem_time_sum)"
assert_equal 'copies by size' 'Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
3.146,2,1.573,1.573,1.049,2.097,0.741,[CUDA memcpy Host-to-Device]
0.001,1,0.001,0.001,0.001,0.001,0.000,[CUDA memcpy Unified Device-to-Host]
0.000,1,0.000,0.000,0.000,0.000,0.000,[CUDA memset]' "$(csv cuda_gpu_mem_size_sum)"
assert_equal 'OS calls' 'Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
100.0,8000,1,8000.0,8000.0,8000,8000,0.0,poll' "$(csv osrt_sum)"
assert_equal 'JSON' '[
{"Time (%)":100.0,"Total Time (ns)":8000,"Num Calls":1,"Avg (ns)":8000.0,"Med (ns)":8000.0,"Min (ns)":8000,"Max (ns)":8000,"StdDev (ns)":0.0,"Name":"poll"}
]' "$(strata report nsys-osrt_sum -q -f json "$made")"
assert_equal "OpenMP" 'Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
80.0,400,2,200.0,200.0,100,300,141.4,Parallel
20.0,100,1,100.0,100.0,100,100,0.0,Sync region' "$(csv openmp_sum)"
assert_equal "OpenACC" 'Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
100.0,50,1,50.0,50.0,50,50,0.0,Enqueue launch' "$(csv openacc_sum)"

# chosen columns and other formats are strata's own
assert_equal 'chosen columns' 'name,median_ns
poll,8000' "$(strata report nsys-osrt_sum -q -f csv -c name,median_ns "$made" | tr -d '\r')"
assert_exit 0 strata report nsys-cuda_gpu_kern_sum -q -f csv -n 1 --demo
assert_line "$work/out" '^Time \(%\),Total Time \(ns\),Instances,'
assert_exit 0 strata report nsys-osrt_sum --demo
assert_line "$work/err" 'No OS runtime calls'

# Median and sample standard deviation in plain SQL.
sums()	# TABLE NAME-COLUMN STRIP: rows of durations, formatted as in the CSV
{
	sqlite3 -csv "file:$real?immutable=1" "
	WITH d AS (SELECT $3 AS name, end - start AS ns FROM $1 JOIN StringIds ON id = $2),
	n AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY ns) AS place,
		count(*) OVER (PARTITION BY name) AS num,
		avg(ns) OVER (PARTITION BY name) AS mean FROM d)
	SELECT round(sum(ns) * 100.0 / (SELECT sum(ns) FROM d), 1), sum(ns), num, round(mean, 1),
		round(avg(CASE WHEN place IN ((num + 1) / 2, num / 2 + 1) THEN ns END), 1),
		min(ns), max(ns),
		round(CASE num WHEN 1 THEN 0.0 ELSE sqrt(sum((ns - mean) * (ns - mean)) / (num - 1)) END, 1),
		name FROM n GROUP BY name ORDER BY 2 DESC, 3, 9" | tr -d '\r'
}
agree()	# REPORT TABLE NAME-COLUMN NAME
{
	strata report "nsys-$1" -q -f csv "$real" | tail -n +2 | sed 's/,"\(.*\)"$/,\1/' >"$work/ours"
	sums "$2" "$3" "$4" | sed 's/,"\(.*\)"$/,\1/' >"$work/theirs"
	[ -s "$work/theirs" ] || fail "nothing to compare with in $2"
	diff "$work/theirs" "$work/ours" >"$work/differences" ||
		{ head -n 4 "$work/differences" >&2; fail "$1 of $real differs"; }
}
api="CASE WHEN value LIKE '%@_v____' ESCAPE '@' THEN substr(value, 1, length(value) - 6) ELSE value END"
need_corpus nsys
for real in "$corpus/nsys/gxxxh__ml_predict/resnet.sqlite" \
	"$corpus/nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite"; do
	agree cuda_gpu_kern_sum CUPTI_ACTIVITY_KIND_KERNEL demangledName value
	agree cuda_api_sum CUPTI_ACTIVITY_KIND_RUNTIME nameId "$api"
done
real=$corpus/nsys/gxxxh__ml_predict/resnet.sqlite
agree osrt_sum '(SELECT * FROM OSRT_API WHERE eventClass = 27)' nameId value

# Ranges by their full text, including emit_nvtx's sequence numbers.
sqlite3 -csv "file:$real?immutable=1" "
	SELECT sum(end - start), count(*), coalesce(text, value) AS name
	FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
	WHERE eventType IN (59, 60) GROUP BY name" | tr -d '\r' | sort >"$work/theirs"
strata report nsys-nvtx_sum -q -f csv "$real" | tail -n +2 |
	sed 's/^[^,]*,\([0-9]*,[0-9]*\),[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*/\1/' | sort >"$work/ours"
# Only one of them quotes fields with blanks.
for side in ours theirs; do
	sed -i 's/,"\(.*\)"$/,\1/; s/""/"/g' "$work/$side"
done
diff "$work/theirs" "$work/ours" >"$work/differences" ||
	{ head -n 4 "$work/differences" | cut -c 1-200 >&2; fail "nvtx_sum of $real differs"; }

# GPU projection of ranges, from the times of ranges and calls alone.
sqlite3 -csv "file:$real?immutable=1" "
	WITH work(start, stop, id, pid) AS (
		SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
		SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
		SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET),
	call AS MATERIALIZED (
		SELECT r.globalTid AS thread, r.start AS a, r.end AS b, work.start, stop
		FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r JOIN work
		ON id = correlationId AND pid = r.globalTid & ~0xffffff),
	one AS (
		SELECT coalesce(text, value) AS name, n.end - n.start AS host,
			max(stop) - min(call.start) AS ns, count(*) AS ops
		FROM NVTX_EVENTS AS n LEFT JOIN StringIds ON id = textId
		JOIN call ON thread = n.globalTid AND a >= n.start AND b <= n.end
		WHERE eventType = 59 GROUP BY n.rowid)
	SELECT sum(ns), sum(host), count(*), sum(ops), name FROM one GROUP BY name" |
	tr -d '\r"' | sort >"$work/theirs"
strata report nsys-nvtx_gpu_proj_sum -q -f csv -c total_ns,range_ns,calls,gpu_ops,name "$real" |
	tail -n +2 | tr -d '\r"' | sort >"$work/ours"
[ -s "$work/theirs" ] || fail "no range launched a kernel"
diff "$work/theirs" "$work/ours" >"$work/differences" ||
	{ head -n 4 "$work/differences" | cut -c 1-200 >&2; fail "nvtx_gpu_proj_sum of $real differs"; }

# Kernels from launch to end, by enclosing range, with joins alone.
launched="
	WITH launched AS MATERIALIZED (
		SELECT r.globalTid AS thread, r.start AS a, r.end AS b, k.start AS c, k.end AS d, deviceId,
			$(echo "$api" | sed 's/value/f.value/g') AS call, s.value AS kernel
		FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r
		ON r.correlationId = k.correlationId AND globalPid = r.globalTid & ~0xffffff
		JOIN StringIds AS f ON f.id = nameId JOIN StringIds AS s ON s.id = demangledName)"
sqlite3 -csv "file:$real?immutable=1" "$launched
	SELECT thread >> 24 & 0xffffff, thread & 0xffffff, deviceId, count(*), sum(c >= b),
		min(max(b, d) - a), max(max(b, d) - a), max(b - a),
		min(CASE WHEN c >= b THEN c - b END), max(CASE WHEN c >= b THEN c - b END), max(d - c),
		call, kernel
	FROM launched GROUP BY thread, deviceId, call, kernel" | tr -d '\r"' | sort >"$work/theirs"
strata report nsys-cuda_kern_exec_sum -q -f csv "$real" \
	-c pid,tid,device_id,calls,queued,whole_min_ns,whole_max_ns,api_max_ns,queue_min_ns,queue_max_ns,kernel_max_ns,api_name,name |
	tail -n +2 | tr -d '\r"' | sort >"$work/ours"
[ -s "$work/theirs" ] || fail "no call launched a kernel"
diff "$work/theirs" "$work/ours" >"$work/differences" ||
	{ head -n 4 "$work/differences" | cut -c 1-200 >&2; fail "cuda_kern_exec_sum of $real differs"; }
sqlite3 -csv "file:$real?immutable=1" "$launched
	SELECT coalesce(text, value) AS name, thread & 0xffffff, count(DISTINCT n.rowid), count(*),
		sum(d - c), kernel
	FROM NVTX_EVENTS AS n LEFT JOIN StringIds ON id = textId
	JOIN launched ON thread = n.globalTid AND a >= n.start AND b <= n.end
	WHERE eventType = 59 GROUP BY name, thread, kernel" | tr -d '\r"' | sort >"$work/theirs"
strata report nsys-nvtx_kern_sum -q -f csv -c range,tid,range_calls,calls,total_ns,name "$real" |
	tail -n +2 | tr -d '\r"' | sort >"$work/ours"
[ -s "$work/theirs" ] || fail "no range launched a kernel"
diff "$work/theirs" "$work/ours" >"$work/differences" ||
	{ head -n 4 "$work/differences" | cut -c 1-200 >&2; fail "nvtx_kern_sum of $real differs"; }
