# Host threads of real exports: scheduling and samples, compared with SQL on their own tables.
. "${srcdir:-.}/tests/lib.sh"
need_command sqlite3
need_corpus nsys

# On-CPU time of each thread between the first and last row of the profile.
processors()
{
	sqlite3 -csv "file:$1?immutable=1" "
	WITH rows(start, end) AS ($2),
	bounds AS (SELECT min(start) AS zero, max(end) AS last FROM rows),
	changes AS (SELECT globalTid % 0x1000000 AS tid, start, isSchedIn <> 0 AS is_in,
		lag(start) OVER each AS since, lag(isSchedIn) OVER each AS was_in,
		lead(start) OVER each AS next FROM SCHED_EVENTS
		WINDOW each AS (PARTITION BY globalTid ORDER BY start, isSchedIn)),
	runs AS (
		SELECT tid, since AS start, start AS end FROM changes WHERE NOT is_in AND was_in
		UNION ALL SELECT tid, (SELECT min(start) FROM SCHED_EVENTS), start FROM changes
			WHERE NOT is_in AND since IS NULL
		UNION ALL SELECT tid, start, (SELECT max(start) FROM SCHED_EVENTS) FROM changes
			WHERE is_in AND next IS NULL)
	SELECT tid, sum(max(0, min(end, last) - max(start, zero))), sum(start >= zero AND start < last)
	FROM runs, bounds GROUP BY tid HAVING sum(start >= zero AND start < last) > 0
	ORDER BY tid" | tr -d '\r'
}
of_strata()
{
	strata query -q -f csv "SELECT track, on_cpu_ns, switches FROM streams
		WHERE switches > 0" "$1" | tail -n +2 | tr -d '\r' | cut -d, -f 2- | sort
}
ranges='SELECT start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME UNION ALL
	SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
	SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
	SELECT start, coalesce(end, start) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60) UNION ALL
	SELECT start, end FROM PROFILER_OVERHEAD'
more="$ranges UNION ALL SELECT start, end FROM OSRT_API
	UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET
	UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
agree()	# FILE TABLES
{
	processors "$1" "$2" | cut -d, -f 2- | sort >"$work/theirs"
	of_strata "$1" >"$work/ours"
	[ -s "$work/theirs" ] || fail "no scheduling events to compare with in $1"
	diff "$work/theirs" "$work/ours" >&2 || fail "on-CPU times differ in $1"
}
resnet="$corpus/nsys/gxxxh__ml_predict/resnet.sqlite"
saxpy="$corpus/nsys/hpcgroup__pipit/saxpy-mpi-cuda_nsys_perlmutter0.sqlite"
agree "$resnet" "$more"
agree "$saxpy" "$ranges"

# Samples by innermost function; unnamed ones by module.
leaves()
{
	sqlite3 -csv "file:$1?immutable=1" "
	WITH leaf AS (SELECT count(*) AS n, s.value AS symbol, m.value AS module, unresolved
		FROM COMPOSITE_EVENTS e JOIN SAMPLING_CALLCHAINS c ON c.id = e.id AND stackDepth = 0
		JOIN StringIds s ON s.id = symbol JOIN StringIds m ON m.id = module
		GROUP BY symbol, module, unresolved)
	SELECT sum(n) FROM leaf
	GROUP BY CASE WHEN unresolved OR symbol LIKE '0x%'
		THEN '[' || replace(module, rtrim(module, replace(module, '/', '')), '') || ']'
		ELSE replace(symbol, ';', ':') END ORDER BY 1 DESC" | tr -d '\r'
}
for real in "$resnet" "$saxpy"; do
	leaves "$real" >"$work/theirs"
	strata report stacks -g samples -q -f csv -c calls,stack "$real" | tail -n +2 | tr -d '\r' |
		sed 's/^\([0-9]*\),.*;\([^;]*\)$/\1,\2/; s/"//g' | awk '{
			calls = $0; sub(/,.*/, "", calls); sub(/^[^,]*,/, ""); sum[$0] += calls
		} END { for (name in sum) print sum[name] }' | sort -rn >"$work/ours"
	[ -s "$work/theirs" ] || fail "no samples to compare with in $real"
	diff "$work/theirs" "$work/ours" >&2 || fail "samples differ in $real"
done
