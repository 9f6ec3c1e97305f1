# Summaries: made, kept up to date, merged, opened like the traces; what is damaged or missing.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

traces="$work/traces" sums="$work/sums"
mkdir "$traces"
tracegen -o "$traces/rank0.json"

# made once, and again when the trace has changed
assert_exit 0 strata summarize -o "$sums" "$traces/rank0.json"
assert_line "$work/err" 'summaries written: 1, up to date: 0'
cp "$sums/rank0.json.strsum" "$work/first"
assert_exit 0 strata summarize -o "$sums" "$traces"
assert_line "$work/err" 'summaries written: 0, up to date: 1'
assert_exit 0 strata summarize -o "$sums" --no-python "$traces"
assert_line "$work/err" 'summaries written: 1'
assert_exit 0 strata summarize -o "$sums" "$traces"
cmp "$work/first" "$sums/rank0.json.strsum" || fail "a summary made again differs"
printf x | dd of="$sums/rank0.json.strsum" bs=1 seek=5000 conv=notrunc 2>/dev/null
assert_exit 0 strata summarize -q -o "$sums" "$traces"
cmp "$work/first" "$sums/rank0.json.strsum" || fail "a damaged summary was not made again"

# same_views TRACE SUMMARY [OPTION]: what is kept reads as from the trace
same_views()
{
	trace=$1 summary=$2
	shift 2
	for view in overview steps layers modules operators kernels memory streams utilization \
		counters devices advice memory-curve metrics; do
		strata report $view -q -f csv --no-cache "$trace" >"$work/of-trace"
		strata report $view -q -f csv "$@" "$summary" >"$work/of-summary" 2>"$work/notes" || :
		[ "$view$*" = "advice" ] || [ $view != advice ] || continue # compares ranks
		[ $view != memory-curve ] || [ "$(wc -l <"$work/of-trace")" -le 1001 ] || continue
		cmp -s "$work/of-trace" "$work/of-summary" || {
			diff "$work/of-trace" "$work/of-summary" | cut -c1-200 | head -6 >&2
			fail "$view of $summary differs from that of its trace"
		}
	done
}
trace=$(cd "$traces" && pwd -P)/rank0.json
same_views "$trace" "$sums/rank0.json.strsum"
for group in 'operators shape' 'kernels properties' 'layers passes'; do
	strata report ${group% *} -g ${group#* } -q -f csv "$trace" >"$work/of-trace"
	strata report ${group% *} -g ${group#* } -q -f csv "$sums" >"$work/of-summary"
	cmp "$work/of-trace" "$work/of-summary" || fail "$group"
done

# a curve has at most 1,000 points, its peak among them; the slowest launches are kept
strata report memory-curve -q -f csv "$sums" >"$work/curve"
[ "$(wc -l <"$work/curve")" -le 1001 ] || fail "a curve of more than 1,000 points"
peak() { strata query 'select max(allocated_bytes) from memory_curve' -q -f tsv "$1" | tail -1; }
assert_equal "peak of the curve" "$(peak "$trace")" "$(peak "$sums")"
slowest() { strata query "select name, dur_ns from launches order by dur_ns desc, start_ns limit $1" -q -f csv "$2"; }
assert_equal "slowest launches" "$(slowest 50 "$trace")" "$(slowest 50 "$sums")"
assert_exit 0 strata report launches "$sums"
assert_line "$work/err" 'The summary keeps 100 of [0-9]* rows; its trace is .*/rank0.json'

# what needs events says where they are
assert_exit 0 strata report calls "$sums"
assert_line "$work/err" 'A summary keeps no rows of this view; its trace is .*/rank0.json'
assert_exit 0 strata query 'select count(*) from critical_path' "$sums"
assert_line "$work/err" 'critical-path: A summary keeps no rows of this view; its trace is .*/rank0.json'
assert_exit 1 strata report kernels --steps 2 "$sums"
assert_line "$work/err" 'keeps this view of the whole recording, and no part of it; its trace is .*/rank0.json'

# a narrowed scope is answered where rows belong to it as a whole
for scope in 'steps --steps 3..4' 'steps --time 20ms..' 'steps --time ..20ms' 'steps --time 18ms..30ms' \
	'devices --device 0' 'gaps --steps 4' 'launches --steps 3 --device 0' \
	'launches --steps 4' 'launches --time ..20ms' 'launches --time 20ms..40ms'; do
	columns=dur_ns
	[ "${scope%% *}" != devices ] || columns=device
	strata report $scope -q -f csv -c $columns -s $columns:desc -n 10 "$trace" >"$work/of-trace"
	strata report $scope -q -f csv -c $columns -s $columns:desc -n 10 "$sums" >"$work/of-summary"
	cmp "$work/of-trace" "$work/of-summary" || fail "$scope"
	[ "$(wc -l <"$work/of-summary")" -gt 1 ] || fail "$scope has no rows"
done
layer=$(strata query -q -f tsv "select name from layers where depth = 2 and name not like '%/%' limit 1" "$trace" | tail -1)
strata report layers -q -f csv -c path,gpu_total_ns,calls --under "$layer" "$trace" | grep "$layer" >"$work/of-trace"
strata report layers -q -f csv -c path,gpu_total_ns,calls --under "$layer" "$sums" | sed 1d >"$work/of-summary"
cmp "$work/of-trace" "$work/of-summary" || fail "layers under $layer"
[ -s "$work/of-summary" ] || fail "no layers under $layer"
# by a name, a path or the end of one, but not by a part of a name
path=$(strata query -q -f tsv "select path from layers where depth = 3 limit 1" "$trace" | tail -1 | tr -d '\r')
for under in "$path" "${path#*/}" "${path##*/}" "x$path"; do
	strata report layers -q -f csv -c path,gpu_total_ns,calls --under "$under" "$sums" | sed 1d >"$work/of-summary"
	case $under in
	x*) [ ! -s "$work/of-summary" ] || fail "layers under $under, which is none" ;;
	*) grep -q "^\"*[^,]*${path##*/}" "$work/of-summary" || fail "no layers under $under" ;;
	esac
done
assert_exit 1 strata report layers --steps 2 "$sums"
mv "$traces/rank0.json" "$work/moved.json"
assert_exit 0 strata report calls "$sums"
assert_line "$work/err" 'its trace is not there, or has changed: .*/rank0.json'
assert_exit 4 strata report calls --from-trace "$sums"
assert_line "$work/err" 'rank0.json: the trace of the summary is not there, or has changed'
cp "$sums/rank0.json.strsum" "$work/"
mkdir "$work/both" && cp "$sums/rank0.json.strsum" "$work/both/"
cp "$work/moved.json" "$work/both/rank0.json" # both were moved
assert_exit 0 strata report calls -f csv --from-trace "$work/both/rank0.json.strsum"
cp "$work/out" "$work/calls"
mv "$work/moved.json" "$traces/rank0.json"
assert_exit 0 strata report calls -f csv "$traces/rank0.json"
cmp "$work/out" "$work/calls" || fail "calls of the trace differ"

assert_exit 0 strata info -f csv "$sums"
assert_line "$work/out" '^summary,trace,.*/rank0.json'
assert_line "$work/out" '^summary,made by,.*strata [0-9]'
assert_line "$work/out" '^file,format,'

# beside its trace, a summary is no second rank
cp "$sums/rank0.json.strsum" "$traces/"
assert_equal "ranks" 1 "$(strata query 'select count(*) from ranks' -q -f tsv "$traces" | tail -1)"
rm "$traces/rank0.json.strsum"

# a database, a comparison, a report of everything
strata export -q --sqlite "$work/run.db" "$sums"
assert_exit 0 strata diff "$sums/rank0.json.strsum" "$trace" --view kernels -f csv -c name,delta_gpu_ns
grep -q ',[1-9-]' "$work/out" && fail "a summary differs from its trace"
assert_exit 0 strata report all -o "$work/all" "$sums"
assert_exit 0 strata report dashboard "$sums"

# damage: the others go on; nothing half-written
assert_exit 2 strata merge "$sums"
assert_line "$work/err" 'strata merge requires -o FILE'
head -c 4000 "$work/first" >"$work/cut.strsum"
assert_exit 3 strata merge -o "$work/run.strsum" "$work/first" "$work/cut.strsum" "$work/none"
assert_line "$work/err" 'cut.strsum: is a summary that was cut off'
assert_line "$work/err" 'none: cannot open'
cmp "$work/first" "$work/run.strsum" || fail "merging one summary changed it"
rm "$work/run.strsum"
assert_exit 4 strata merge -o "$work/run.strsum" "$work/cut.strsum"
[ ! -e "$work/run.strsum" ] || fail "a file was written of nothing"
printf 'no trace' >"$traces/rank1.json"
assert_exit 3 strata summarize -o "$work/some" "$traces/rank0.json" "$traces/rank1.json"
assert_line "$work/err" 'rank1.json: is not a known profile'
assert_line "$work/err" 'summaries written: 1, up to date: 0, failed: 1'
assert_equal "files" rank0.json.strsum "$(ls "$work/some")"
mkdir "$work/other" && cp "$trace" "$work/other/"
assert_exit 2 strata summarize -o "$work/some" "$trace" "$work/other/rank0.json"
assert_line "$work/err" 'have one name'
mkdir -m 0 "$work/closed"
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 711 "$work"
	$as_user "$builddir/strata" --version >/dev/null 2>&1 || as_user=
fi
if [ "$(id -u)" != 0 ] || [ "$as_user" ]; then
	for command in "merge -o $work/run.strsum" "summarize -o $work/some"; do
		assert_exit 4 $as_user "$builddir/strata" $command "$work/closed"
		assert_line "$work/err" 'closed: cannot list'
	done
	[ ! -e "$work/run.strsum" ] || fail "a file was written"
fi
chmod 700 "$work/closed"

# killed while writing: the old file stays, and no other
cp "$work/first" "$work/kept.strsum"
mkdir "$work/many" && "$builddir/tests/bench/summaries" 300 "$work/many"
for wait in 0.001 0.004 0.01; do
	{ (cd "$work" && timeout -s KILL $wait "$builddir/strata" merge -q -o kept.strsum many) || :; } \
		2>/dev/null
	if ! cmp -s "$work/first" "$work/kept.strsum"; then
		strata report ranks -q "$work/kept.strsum" >/dev/null || fail "half a file was written"
	fi
done

# a curve of more points than a summary holds keeps the highest of each stretch
awk 'BEGIN {
	printf "{\"traceEvents\":[\n"
	for (i = 0; i < 3500; i++) {
		held = i * 7919 % 3571 * 512
		printf "%s{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":%d,\"Bytes\":512,\"Total Allocated\":%d,\"Total Reserved\":2000000}}", i ? ",\n" : "", 10 * i, 4096 * i, held
	}
	print "]}"
}' >"$work/curve.json"
strata summarize -q -o "$work/curves" "$work/curve.json"
for profile in curve.json curves; do
	strata query -q -f tsv 'select allocated_bytes from memory_curve' "$work/$profile" | sed 1d >"$work/$profile.out"
done
awk '{ held[NR - 1] = $1 }
	END {
		for (i = 0; i < 1000; i++) {
			most = 0
			for (row = int(NR * i / 1000); row < int(NR * (i + 1) / 1000); row++)
				most = held[row] > most ? held[row] : most
			print most
		}
	}' "$work/curve.json.out" | cmp - "$work/curves.out" || fail "a curve is not that of its peaks"

# 10,000 ranks, one in memory at a time
if [ -z "${TEST_WRAPPER-}${SANITIZERS-}" ]; then
	mkdir "$work/ranks" && "$builddir/tests/bench/summaries" 10000 "$work/ranks"
	(ulimit -v 1048576 && strata merge -o "$work/10000.strsum" "$work/ranks" 2>"$work/err") ||
		fail "10,000 summaries do not merge within 1 GiB"
	assert_line "$work/err" '^strata: ranks merged: 10000; rows of [0-9]{2,3} key ranks kept \(--all-ranks keeps all\)$'
	strata report dashboard "$work/10000.strsum" >"$work/out" 2>/dev/null
	slowest=$(strata query -q -f tsv "select rank from ranks order by step_ns desc limit 1" \
		"$work/10000.strsum" | tail -1)
	assert_line "$work/out" "Rank $slowest .*slowest"
	assert_line "$work/out" 'Rank [0-9]+ .*median'
	strata report kernels "$work/10000.strsum" --rank 5 2>"$work/err" >"$work/out" || :
	rm "$work/ranks/rank7.strsum" "$work/ranks/rank8.strsum" "$work/ranks/rank9999.strsum"
	assert_exit 0 strata merge -o "$work/some.strsum" "$work/ranks"
	assert_line "$work/err" 'ranks merged: 9997; missing: 7..8, 9999'
	strata report ranks -n 1 "$work/some.strsum" 2>"$work/err" >"$work/out"
	assert_line "$work/err" '9997 of 10000 ranks are open; missing: 7..8, 9999\.'
	(ulimit -v 1048576 && strata report ranks --no-cache -n 1 "$work/10000.strsum" \
		>"$work/out" 2>&1) || fail "10,000 ranks do not open within 1 GiB"
	assert_line "$work/out" '9999 more rows'
	for path in "$work/10000.strsum" "$work/ranks"; do
		assert_exit 4 strata report ranks -q --max-memory 100M "$path"
		assert_line "$work/err" \
			'(9997|10000) ranks need about [0-9.]+ MiB of memory, and the limit is 100.00 MiB'
	done
	assert_exit 0 strata report ranks -q --max-memory 500M -n 1 "$work/10000.strsum"
	assert_exit 3 strata merge --max-memory 64K -o "$work/few.strsum" "$work/first" \
		"$work/ranks/rank6.strsum" "$work/ranks/rank5.strsum"
	assert_line "$work/err" 'first: has a summary of [0-9.]+ KiB, and the limit is 64.00 KiB'
	assert_line "$work/err" 'ranks merged: 2'
fi

# a layer is found by the end of its path, at a name; without layers, operators are compared
event() # CATEGORY NAME START DURATION
{
	printf '{"ph":"X","cat":"%s","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s,"args":{}}' "$@"
}
document() { printf '{"schemaVersion":1,"traceEvents":[%s]}' "$1"; }
document "$(event python_function 'nn.Module: Net_0' 0 100),$(event python_function 'nn.Module: MyLinear_0' \
	5 20),$(event cpu_op aten::mm 10 10),$(event python_function 'nn.Module: Linear_0' \
	30 20),$(event cpu_op aten::relu 40 5)" >"$work/layers.json"
document "$(event cpu_op aten::mm 0 10)" >"$work/bare.json"
strata summarize -q -o "$work/small" "$work/layers.json" "$work/bare.json"
assert_equal "layers under Linear_0" 'path Net_0/Linear_0 Net_0/Linear_0/aten::relu' \
	"$(echo $(strata report layers -q -f tsv -c path --under Linear_0 "$work/small/layers.json.strsum"))"
for pair in 'bare bare operator' 'layers bare module' 'bare layers module'; do
	set -- $pair
	strata diff -q -f tsv -c kind "$work/small/$1.json.strsum" "$work/small/$2.json.strsum" >"$work/out"
	assert_line "$work/out" "^$3"
done

# of a tree with too many rows, or too long paths, whole levels are kept
tree() # BLOCKS PARTS NAME: parts in blocks in a module, each part named so
{
	document "$(awk -v blocks="$1" -v parts="$2" -v name="$3" '
	function module(name, start, dur) {
		printf "%s{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: %s\",", comma, name
		printf "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}", start, dur
		comma = ","
	}
	BEGIN {
		module("Net_0", 0, 9 * parts * blocks)
		for (block = 0; block < blocks; block++) {
			module("Block_" block, 9 * parts * block, 9 * parts)
			for (part = 0; part < parts; part++)
				module(name "_" block * parts + part, 9 * (block * parts + part), 9)
		}
	}')"
}
tree 3 3332 Part >"$work/wide.json"
tree 3 100 "$(printf %01000d 0)" >"$work/long.json"
tree 2 4998 Part >"$work/all.json"
strata summarize -q -o "$work/large" "$work/wide.json" "$work/long.json" "$work/all.json"
for kept in 'wide 5' 'long 5' 'all 10000'; do
	assert_equal "layers kept of ${kept% *}" "${kept#* }" "$(strata report layers -q -f csv -c path \
		"$work/large/${kept% *}.json.strsum" | sed 1d | wc -l | tr -d ' ')"
done

# the ranks of a real run: the same from summaries, in any order, as from traces
[ -d "$corpus/kineto/dlrm_8ranks" ] || exit 0
dlrm=$(cd "$corpus/kineto/dlrm_8ranks" && pwd -P)
strata summarize -q -o "$work/dlrm" "$dlrm"
(cd "$work/dlrm" && strata merge -q -o ../a.strsum *worker[0-3]* &&
	strata merge -q -o ../b.strsum *worker[3-7]*)
strata merge -q -o "$work/dlrm.strsum" "$work/b.strsum" "$work/a.strsum"
strata merge -q -o "$work/all.strsum" "$work/dlrm"
cmp "$work/dlrm.strsum" "$work/all.strsum" || fail "the order of merging shows"
for view in ranks collectives 'collectives -g names' rank-time 'rank-outliers -g kernels' \
	'rank-outliers -g layers'; do
	strata report $view -f csv "$dlrm" >"$work/of-traces" 2>"$work/note-of-traces"
	strata report $view -f csv "$work/all.strsum" >"$work/of-summaries" 2>"$work/note"
	cmp "$work/of-traces" "$work/of-summaries" || fail "$view differ"
	cmp "$work/note-of-traces" "$work/note" || fail "the notes of $view differ"
done
for group in layers tree modules operators kernels; do
	columns=name,base_gpu_ns,new_gpu_ns,base_calls,new_calls
	# a summary has operators as the view operators lists them, without loaders and optimizers
	strata diff "$dlrm"/worker0* "$dlrm"/worker7* -g $group -f csv -q -c $columns \
		-s name,base_gpu_ns | grep -v '^[^,]*#[^,]*,,' >"$work/of-traces"
	for pair in "$work/dlrm $work/dlrm" "$work/dlrm $dlrm"; do # two summaries, and one of each
		strata diff ${pair% *}/worker0* ${pair#* }/worker7* -g $group -f csv -q \
			-c $columns -s name,base_gpu_ns | grep -v '^[^,]*#[^,]*,,' >"$work/of-summaries"
		cmp "$work/of-traces" "$work/of-summaries" || fail "the $group compared differ"
	done
done
for group in kernels operators layers steps collectives; do
	strata report durations -g $group -f csv -q "$dlrm" >"$work/of-traces"
	strata report durations -g $group -f csv -q "$work/all.strsum" >"$work/of-summaries"
	cmp "$work/of-traces" "$work/of-summaries" || fail "durations of $group differ"
done
total='select sum(total_ns), sum(calls) from kernels'
assert_equal "sum of kernels" "$(for rank in 0 1 2 3 4 5 6 7; do
	strata query "$total" -q -f tsv --rank $rank "$dlrm" | tail -1
done | awk '{ ns += $1; calls += $2 } END { print ns, calls }')" \
	"$(strata query "select sum(total_ns) ns, sum(calls) calls from durations" -q -f tsv \
		"$work/all.strsum" | awk 'END { print $1, $2 }')"
strata report collectives "$work/all.strsum" 2>"$work/note" >/dev/null
assert_line "$work/note" 'Rank 7 is the straggler: over all steps it waits least'
for rank in 0 3 7; do
	same_views "$(echo "$dlrm"/worker${rank}_*)" "$work/all.strsum" --rank $rank
done
strata report advice -f csv -q "$work/all.strsum" | grep -q 'Straggler rank' ||
	fail "no finding about the straggler"

# the straggler and its reason, who waits, and the outliers of kernels
assert_exit 0 strata query -q -f tsv "select rank, reason from ranks where straggler" "$work/all.strsum"
assert_line "$work/out" '^7	input or host, GPU idle \+1\.17 ms'
assert_exit 0 strata report collectives -g names -q -f tsv \
	-c name,ranks,sync_ns,waiting_rank,awaited_rank "$work/all.strsum"
strata query -q -f tsv "select name, count(*), sum(sync_ns),
	(select rank from collectives b where b.name = a.name order by sync_ns desc, rank limit 1),
	(select rank from collectives b where b.name = a.name order by sync_ns, rank limit 1)
	from collectives a group by name order by min(rowid)" "$dlrm" >"$work/waits"
assert_equal "waits by collective" "$(sed 1d "$work/waits" | sort)" "$(sed 1d "$work/out" | sort)"
for rank in 0 1 2 3 4 5 6 7; do
	strata query -q -f tsv "select name, $rank, total_ns from kernels" --rank $rank \
		"$work/all.strsum" | sed 1d
done | sort -t '	' -k1,1 -k3,3nr -k2,2n | awk -F '\t' '!seen[$1]++ && $3 { print }' >"$work/highest"
strata report rank-outliers -g kernels -q -f tsv -c name,rank,total_ns "$work/all.strsum" | sed 1d >"$work/outliers"
[ -s "$work/outliers" ] || fail "no outliers"
sort "$work/outliers" | comm -23 - "$work/highest" >"$work/beyond"
[ ! -s "$work/beyond" ] || fail "other ranks take longest: $(head -3 "$work/beyond")"

# over time: rank 1 waits for the others, which start later, and what is recorded is once
assert_exit 0 strata query -q -f tsv "select max(computation_ns + communication_ns - overlap_ns
	+ idle_ns > dur_ns * 1.01), min(dur_ns) from rank_time" "$work/all.strsum"
assert_line "$work/out" '^0	[1-9]'
busy=$(strata query -q -f tsv "select sum(dur_ns - idle_ns) from rank_time where rank = 1" \
	"$work/all.strsum" | tail -1)
union=$(strata query -q -f tsv --rank 1 "with w as (select start_ns s, start_ns + dur_ns e,
	max(start_ns + dur_ns) over (order by start_ns rows between unbounded preceding and 1 preceding) b
	from launches where kind <> 'sync')
	select sum(max(0, e - max(s, coalesce(b, 0)))) from w" "$dlrm" | tail -1)
[ $((busy - union)) -lt $((union / 100)) ] && [ $((union - busy)) -lt $((union / 100)) ] ||
	fail "busy for $busy ns over time, for $union ns by its kernels"
assert_exit 0 strata report plot-rank-time -q --ascii "$work/all.strsum"
assert_line "$work/out" '^1\+\.*W{20}'

# the database has the rows of all ranks
if command -v sqlite3 >/dev/null; then
	strata export -q --sqlite "$work/all.db" "$work/all.strsum"
	strata export -q --sqlite "$work/one.db" --rank 3 "$work/all.strsum"
	for view in kernels steps layers streams overview; do
		assert_equal "$view of rank 3" "$(sqlite3 "$work/one.db" "select count(*) from $view")" \
			"$(sqlite3 "$work/all.db" "select count(*) from $view where rank = 3")"
	done
	assert_equal "ranks in the database" "8 8 8" "$(echo $(for view in kernels steps ranks; do
		sqlite3 "$work/all.db" "select count(distinct rank) from $view"
	done))"
	assert_equal "sum of kernels in the database" "$(sqlite3 "$work/all.db" \
		"select sum(total_ns), sum(calls) from durations")" "$(sqlite3 "$work/all.db" \
		"select sum(total_ns), sum(calls) from kernels")"
fi

# the findings of all ranks, each with the ranks on which it fired
for path in "$dlrm" "$work/all.strsum"; do
	strata query -q -f tsv "select detector, case when evidence like '%rank%; rank %'
		or evidence like '%Rank%:%' then substr(evidence, 1, 10) end
		from advice where severity not in ('unknown', 'stored', 'silent')" "$path" | sort
done >"$work/findings"
assert_equal "findings of summaries and of traces" "$(sort "$work/findings" | uniq -c | awk '{ print $1 }' | uniq)" 2
assert_line "$work/findings" "host_bound.*(All|Rank)"
assert_exit 0 strata report advice -q -c detector,evidence "$work/all.strsum"
assert_line "$work/out" 'Ranks? [0-9, ]* of 8'
strata report advice -q -f csv --rank 3 "$work/all.strsum" >"$work/out"
grep -q 'Ranks\{0,1\} [0-9, ]* of 8' "$work/out" && fail "findings of other ranks in those of one"
grep -q 'one_rank' "$work/out" && fail "one rank of several is said to be open"
waits="waiting for peers, $(strata report ranks -q -f csv -c rank,sync_ns "$work/all.strsum" | tr -d '\r' |
	awk -F, '$1 == 3 { printf "%.2f", $2 / 1e6 }') ms per step"
for rank in "" "--rank 3"; do
	# shellcheck disable=SC2086
	strata report advice -q -f csv $rank "$work/all.strsum" >"$work/out"
	grep -q 'is open' "$work/out" && fail "one rank of several is said to be open"
	assert_line "$work/out" 'Each rank was summarized alone.,Open the traces of the ranks together.,,"bus_bandwidth,pipeline_bubble"'
	assert_line "$work/out" 'it includes waiting for peers, '
done
assert_line "$work/out" "$waits"

# of a tree the levels are kept whose paths, counted here, have 256 KiB
awk 'BEGIN {
	printf "{\"traceEvents\":["
	for (i = 0; i < 150; i++) {
		printf "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: A%036d\",\"pid\":1,\"tid\":1,", i
		printf "\"ts\":%d,\"dur\":%d,\"args\":{\"Python id\":%d,\"Python parent id\":%d}},\n", i, 300 - 2 * i, i + 1, i
	}
	print "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":150,\"dur\":1,\"args\":{}}]}"
}' >"$work/long.json"
strata report layers -q -f csv "$work/long.json" >"$work/whole"
assert_equal "levels" 152 "$(sed 1d "$work/whole" | wc -l)"
strata summarize -q -o "$work/long" "$work/long.json"
strata report layers -q -f csv "$work/long" >"$work/kept"
sed 1d "$work/whole" | awk -F , '(bytes += length($2)) <= 256 * 1024 { print $2 }' >"$work/expected"
sed 1d "$work/kept" | cut -d , -f 2 | cmp -s - "$work/expected" || fail "other levels are kept: $(wc -l <"$work/kept")"

# of a tree thousands deep the upper levels are kept: a summary stays small
deep="$corpus/kineto/probes/deep_nesting_1200.pt.trace.json"
[ -f "$deep" ] || exit 0
strata summarize -q -o "$work/deep" "$deep"
[ "$(cat "$work"/deep/* | wc -c)" -lt 600000 ] || fail "a large summary of a deep tree"
strata report layers "$work/deep" 2>"$work/err" >/dev/null
assert_line "$work/err" 'The summary keeps [0-9]* of 1201 rows'
