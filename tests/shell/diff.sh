# Comparison of two runs: slowdowns are listed first, noise is ignored, sums equal those of the
# single reports.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

groups='layers tree modules operators kernels family steps memory peak'

# Result of a single-value query; the files may be --base BASE NEW.
ask() { sql=$1; shift; strata query "$sql" -q -f csv "$@" | sed 1d | tr -d '\r'; }

# GROUP COLUMN, a condition on rows of the difference, and the query that gives the same sum from
# one file; tabs between.
sums='layers	gpu_ns	1	SELECT sum(gpu_total_ns) FROM layers WHERE depth = 0
layers	cpu_ns	1	SELECT sum(cpu_total_ns) FROM layers WHERE depth = 0
tree	gpu_ns	kind <> '"'class'"'	SELECT sum(gpu_total_ns) FROM layers
tree	calls	kind <> '"'class'"'	SELECT sum(calls) FROM layers
modules	gpu_ns	kind <> '"'class'"'	SELECT coalesce(sum(gpu_total_ns), 0) FROM layers WHERE kind = '"'module'"'
operators	gpu_ns	1	SELECT sum(gpu_self_ns) FROM operators
operators	cpu_ns	1	SELECT sum(cpu_self_ns) FROM operators
operators	calls	kind <> '"'optimizer'"' AND kind <> '"'data loader'"'	SELECT sum(calls) FROM operators
kernels	gpu_ns	1	SELECT sum(total_ns) FROM kernels
steps	cpu_ns	kind = '"'step'"'	SELECT sum(dur_ns) FROM steps
memory	bytes	1	SELECT coalesce(sum(self_alloc_bytes), 0) FROM memory'

# sums_of base|new|whole: one query for all sums, of a side of the difference or of a whole file
sums_of()
{
	echo "$sums" | awk -F '\t' -v side="$1" '{
		query = side == "whole" ? $4 : "SELECT coalesce(sum(" side "_" $2 "), 0) FROM diff" \
			" WHERE group_by = \047" $1 "\047 AND " $3
		printf "%s(%s) AS %s_%s", NR == 1 ? "SELECT " : ", ", query, $1, $2 }'
}

# hold_sums BASE NEW: sums of the difference for base and new equal those of each file.
hold_sums()
{
	for side in base new; do
		[ $side = base ] && file=$1 || file=$2
		strata query "$(sums_of whole)" -q -f csv "$file" >"$work/wanted"
		strata query "$(sums_of $side)" -q -f csv --base "$1" "$2" >"$work/found"
		assert_equal "columns of sums" 11 "$(sed -n '1s/[^,]//gp' "$work/found" | wc -c)"
		cmp -s "$work/wanted" "$work/found" || {
			cat "$work/wanted" "$work/found" >&2
			fail "sums of $side of $1 and $2"
		}
	done
}

cd "$work"
tracegen --seed 1 --steps 5 -o base.json
tracegen --seed 2 --steps 5 -o other.json
tracegen --seed 2 --steps 5 --slow layer3.0.conv2:1.5 -o slow.json
tracegen --seed 2 --steps 5 --slow layer3.0.conv2:0.5 -o fast.json
tracegen --seed 1 --steps 3 -o short.json
tracegen --seed 2 --steps 5 --layers 9 -o deeper.json

# verdicts_of FILE GROUP: the rows with a verdict other than same, "name,verdict,compared"
verdicts_of()
{
	strata diff "$1" "$2" -q -f csv -g "$3" -c name,verdict,compared | tr -d '\r' |
		grep -E ',(likely )?(slower|faster),|,not comparable,' || :
}

# ---- a file with itself ----
for group in $groups; do
	strata diff base.json base.json -g $group -q -f ndjson >out
	[ -s out ] || fail "no rows: $group"
	! grep -Ev '"verdict": ?null' out || fail "a verdict for a file compared with itself: $group"
	! grep -E '"delta_[a-z_]*": ?-?[1-9]' out || fail "a file differs from itself: $group"
done

# ---- families of kernels ----
sum_of() { ask "SELECT sum(base_gpu_ns), sum(new_gpu_ns), sum(new_calls) FROM diff WHERE $1" --base base.json slow.json; }
for kind in family kernel; do
	assert_equal "sums of $kind" "$(sum_of "group_by = 'kernels'")" \
		"$(sum_of "group_by = 'family' AND kind = '$kind'")"
done
strata diff base.json slow.json -q -f tsv -g family -c kind,name,verdict >out
assert_equal "families come before their kernels" family "$(sed -n '2s/	.*//p' out)"
assert_line out '^family	convolution	slower$'

# ---- two runs of one program ----
# one verdict for a layer without inner layers, and hardly any sure one
for seed in 3 4 5; do
	tracegen --seed $seed --steps 5 --slow layer3.0.conv2:1.1 -o seed.json
	for group in layers tree; do
		strata diff base.json seed.json -q -f tsv -g $group \
			-c name,base_gpu_ns,new_gpu_ns,base_cpu_ns,new_cpu_ns,verdict >$group.tsv
		sure=$(grep -Ec "	(slower|faster)$" $group.tsv)
		[ $(((sure - 12) * 100)) -le "$(wc -l <$group.tsv)" ] ||
			fail "$sure sure verdicts: seed $seed, $group"
	done
	sed 1d layers.tsv | sed "s,^[^	]*/,," >own.tsv
	odd=$(awk -F "\t" "{ key = \$1 FS \$2 FS \$3 FS \$4 FS \$5 }
		NR == FNR { of[key] = \$6; next }
		key in of { rows++; odd += of[key] != \$6 } END { print (rows > 20 ? odd + 0 : \"few\") }" tree.tsv own.tsv)
	assert_equal "layers with two verdicts: seed $seed" 0 "$odd"
done
for group in $groups; do
	rows=$(ask "SELECT count(*) FROM diff WHERE group_by = '$group'" --base base.json other.json)
	odd=$(ask "SELECT count(*) FROM diff WHERE group_by = '$group' AND verdict NOT IN ('same', 'within noise')" \
		--base base.json other.json)
	[ $((odd * 50)) -le "$rows" ] || fail "$odd of $rows rows differ by noise: $group"
done

assert_equal "two runs of one program" "" "$(verdicts_of base.json other.json layers)"
assert_equal "kernels of two runs" "" "$(verdicts_of base.json other.json kernels)"
assert_equal "operators of two runs" "" "$(verdicts_of base.json other.json operators)"
assert_equal "steps of two runs" "" "$(verdicts_of base.json other.json steps)"
strata diff base.json other.json -f csv >out 2>err
assert_line err 'Comparable: yes'

# ---- a layer that is 20 % slower in every call, with steps and without ----
conv=ResNet_0/Sequential_3/BasicBlock_4/Conv2d_11
tracegen --seed 2 --steps 5 --slow layer3.0.conv2:1.2 -o slow20.json
assert_equal "20 % slower" "$conv,slower,GPU" "$(verdicts_of base.json slow20.json layers)"
assert_equal "20 % faster again" "$conv,faster,GPU" "$(verdicts_of slow20.json base.json layers)"
for seed in 1 2; do
	tracegen --seed $seed --steps 5 --no-steps -o loose$seed.json
	# these annotations would serve as steps
	sed 's/Optimizer.step#SGD.step/update/; s/Optimizer.zero_grad#SGD.zero_grad/reset/; s/enumerate(DataLoader)[^"]*/fetch/' \
		loose$seed.json >free$seed.json
done
tracegen --seed 2 --steps 5 --no-steps --slow layer3.0.conv2:1.2 |
	sed 's/Optimizer.step#SGD.step/update/; s/Optimizer.zero_grad#SGD.zero_grad/reset/; s/enumerate(DataLoader)[^"]*/fetch/' >free20.json
assert_equal "20 % slower without steps" "$conv,slower,GPU" \
	"$(verdicts_of free1.json free20.json layers)"
assert_equal "without steps" "" "$(verdicts_of free1.json free2.json layers)"
strata diff free1.json free20.json -f csv >out 2>err
assert_line err 'Comparable: weak; one run has fewer than 3 complete steps'
assert_exit 1 strata diff base.json slow20.json --fail-above 5%
assert_line err 'Conv2d_11 is 20.[0-9]% slower \(GPU time, limit 5%\)'
assert_exit 1 strata diff free1.json free20.json --fail-above 5%
for limit in 0 9 1000000 2.5 7%; do
	assert_exit 0 strata diff base.json base.json --fail-above $limit
done
for limit in '' x -1 +1 5x 5%% % 1000001 1e7 inf nan /1 :1 ' 1'; do
	assert_exit 2 strata diff base.json base.json --fail-above "$limit"
	assert_line err "must be a percentage, not \"$limit\"|--fail-above"
done
assert_exit 0 strata diff free1.json free20.json --fail-above 25%
assert_exit 0 strata diff free20.json free1.json --fail-above 5%
assert_exit 0 strata diff free1.json free2.json --fail-above 5%

# a tree lists the time of a layer once more in each layer around it; the limit counts it once
tracegen --seed 2 --steps 5 --slow layer2.1.bn2:1.3 -o small.json
for group in layers tree modules; do
	assert_exit 1 strata diff base.json small.json --view $group --fail-above 5%
	assert_line err 'BatchNorm2d_9 is 30.[0-9]% slower \(GPU time, limit 5%\)'
done

# ---- a synchronization: the host waits, the GPU works as before ----
tracegen --seed 2 --steps 5 --synchronize layer2.0.conv1 -o waits.json
waits=ResNet_0/Sequential_1/BasicBlock_2/Conv2d_5
verdicts_of base.json waits.json layers >out
assert_line out "^$waits,slower,CPU"
! grep ',GPU$' out || fail "a verdict about GPU time after a synchronization"

# ---- a kernel with another name in the same place is one row ----
sed 's/bn_bw_1C11_kernel_new/bn_bw_renamed/g' other.json >renamed.json
for group in kernels tree; do
	strata diff base.json renamed.json -q -f csv -g $group -c name,base_name,verdict,base_calls,new_calls |
		tr -d '\r' >out
	! grep -E ',(new|gone),.*bn_bw|bn_bw.*,(new|gone),' out || fail "a renamed kernel in two rows"
	assert_line out '^"?void cudnn::bn_bw_renamed.*,"?void cudnn::bn_bw_1C11_kernel_new.*,same,'
done
assert_equal "rows of kernels" "$(strata diff base.json other.json -q -f csv -g kernels | wc -l)" \
	"$(strata diff base.json renamed.json -q -f csv -g kernels | wc -l)"
strata diff base.json renamed.json -q -g kernels -w 0 >out
assert_line out 'Base Name'

# ---- one layer slower, or faster ----
for pair in slow.json:slower fast.json:faster; do
	file=${pair%:*} verdict=${pair#*:}
	strata diff base.json $file -q -f csv -c name,verdict >out
	assert_equal "first row" \
		"ResNet_0/Sequential_3/BasicBlock_4/Conv2d_11,$verdict" "$(sed -n 2p out | tr -d '\r')"
	assert_equal "layers $verdict" 1 "$(grep -c ",$verdict" out)"
	strata diff base.json $file -q -f csv -g modules -c name,verdict >out
	assert_line out "^ResNet_0/Sequential_3/BasicBlock_4,$verdict"
done
# with different step counts the mean step is compared
strata diff short.json slow.json -q -f csv -c name,verdict,base_calls,new_calls >out
assert_line out '^ResNet_0/Sequential_3/BasicBlock_4/Conv2d_11,slower,3,5'
sed -n 2p out | grep -q BasicBlock_4/Conv2d_11 || fail "the order depends on the number of steps"

strata diff short.json slow.json -q -f csv -g classes -c kind,verdict,ratio >out
assert_line out '^class,1 of 16 slower,1\.0[0-9]*'

# ---- another network: common layers are aligned despite new numbering ----
strata diff base.json deeper.json -q -f csv -g tree -c kind,name,verdict >out
modules=$(grep -c '^module' out) odd=$(grep -Ec '^module.*,(new|gone)' out)
[ "$odd" -gt 0 ] && [ $((odd * 5)) -le "$modules" ] ||
	fail "$odd of $modules modules are not aligned"
assert_equal "modules gone" 0 "$(grep -c '^module.*,gone' out)"

# ---- operators: totals, and a data loader that is what changed ----
sed 's/_MultiProcessing\(DataLoaderIter.__next__", [^}]*"dur": \)[0-9]*/_SingleProcess\19000/' other.json >loading.json
strata diff base.json loading.json -q -f tsv -g operators \
	-c kind,name,base_name,verdict,compared,delta_cpu_ns,delta_cpu_total_ns >out
sed -n 2p out | grep -q '^data loader	enumerate(DataLoader)#_Single[^	]*	enumerate(DataLoader)#_Multi[^	]*	slower	CPU		[1-9]' ||
	fail "the data loader is not the first change"
assert_exit 1 strata diff base.json loading.json --view operators --fail-above 5%
assert_line err 'enumerate\(DataLoader\).* slower \(CPU time'
strata --base base.json loading.json --size 150x50 </dev/null >out 2>/dev/null
assert_line out 'enumerate\(Data.* CPU slower'
! grep -q 'evaluate_function  ' out || fail "changed operators are cut so that they look alike"
strata diff base.json loading.json -q -f tsv -g operators -c kind,name,base_gpu_total_ns,new_cpu_total_ns >out
for row in "backward	ConvolutionBackward0" "operator	aten::conv2d" "optimizer	Optimizer.step#SGD.step"; do
	name=${row#*	}
	group=name
	[ "${row%%	*}" != optimizer ] || group=label
	assert_equal "totals of $name" "$row	$(ask "SELECT gpu_total_ns FROM operators WHERE group_by = '$group' AND name = '$name'" base.json)	$(
		ask "SELECT cpu_total_ns FROM operators WHERE group_by = '$group' AND name = '$name'" loading.json)" "$(grep "	$name	" out)"
done

# ---- scope, order, formats ----
strata diff base.json slow.json -q -f csv -c name --under Sequential_3 >out
! sed 1d out | grep -v Sequential_3 || fail "not under Sequential_3"
assert_equal "rows after the limit" 3 "$(strata diff base.json slow.json -q -f ndjson -n 3 | wc -l)"
assert_line out Conv2d_11
assert_exit 0 strata diff base.json slow.json -q --view kernels -s name:asc --filter sm80 -f markdown
assert_line out '^\| *kernel .*sm80'
assert_exit 0 strata diff base.json slow.json -q -g steps --steps 4..5 -f csv -c name,base_calls
assert_equal "steps 4 to 5" 'name base_calls median step 2 median GPU time 2 step 4 319 step 5 319' \
	"$(tr -d '\r' <out | tr ',\n' '  ' | sed 's/ *$//')"
strata diff base.json slow.json -q -g steps -f csv -c name,verdict,compared >out
assert_line out '^median GPU time,slower,GPU'
assert_exit 1 strata diff base.json slow.json --filter nosuchthing -f csv
assert_exit 0 strata report diff base.json -f csv
assert_line err 'No base to compare with'

# ---- a row counts from 0.1 % of the time of its kind, the GPU's or the CPU's ----
# share_trace BIG SMALL CALL: of five steps, a kernel of BIG us and three of SMALL us, and of calls of the
# host one of 50 ms and one of CALL us
share_trace()
{
	awk -v big="$1" -v small="$2" -v call="$3" '
	function event(category, name, tid, from, dur, args) {
		printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{%s}}",
			n++ ? "," : "{\"schemaVersion\":1,\"traceEvents\":[", category, name, tid == 7 ? 0 : 1, tid, from, dur, args }
	function launch(name, at, dur) {
		event("cuda_runtime", "cudaLaunchKernel", 1, at, 2, "\"correlation\":" ++id)
		event("kernel", name, 7, at + 3, dur, "\"device\":0,\"stream\":7,\"correlation\":" id) }
	BEGIN {
		for (s = 0; s < 8; s++) {
			t = 100000 * s
			event("user_annotation", "ProfilerStep#" s, 1, t, 100000, "")
			event("cpu_op", "aten::tiny", 1, t + 10, call + s % 2, "")
			event("cpu_op", "aten::long", 1, t + 30000, 50000 + s % 3, "")
			for (k = 0; k < 3; k++)
				launch("small", t + 31000 + 500 * k, small)
			launch("big", t + 33000, big + s % 3)
		}
		print "]}" }'
}

share_trace 10000 3 40 >share.json && share_trace 10000 6 40 >small.json
assert_exit 0 strata diff share.json small.json --view kernels --fail-above 5% # 0.09 % of the GPU's time
share_trace 1000 3 40 >share.json && share_trace 1000 6 40 >large.json
assert_exit 1 strata diff share.json large.json --view kernels --fail-above 5% # 0.9 %; of the CPU's less
assert_line err 'small is 100.0% slower \(GPU time, limit 5%\)'
share_trace 1000 3 80 >calls.json
assert_exit 0 strata diff share.json calls.json --view operators --fail-above 5% # 0.08 % of the CPU's

# ---- scripting ----
tracegen --seed 2 --steps 5 --slow layer3:4 -o slower.json
assert_exit 0 strata diff base.json other.json --fail-above 5%
assert_exit 0 strata diff slower.json base.json --fail-above 5
assert_exit 0 strata diff base.json base.json --fail-above 0
assert_exit 1 strata diff base.json slower.json --fail-above 5%
assert_line err 'the median step is [0-9.]*% slower \(limit 5%\)'
assert_exit 0 strata diff base.json slower.json --fail-above 900%
assert_exit 2 strata diff base.json slower.json --fail-above much
assert_exit 2 strata diff base.json
assert_exit 2 strata diff base.json slow.json other.json
assert_exit 2 strata diff base.json slow.json --view nosuch
assert_exit 2 strata diff base.json slow.json --under nosuch
assert_exit 4 strata diff nosuch.json slow.json
assert_line err '^strata: nosuch.json: cannot open'
assert_exit 4 strata diff base.json nosuch.json
assert_line err 'nosuch.json'

hold_sums base.json slow.json
hold_sums base.json deeper.json

# ---- real pairs ----
need_corpus kineto/hta/trace_diff
kineto=$corpus/kineto
case $kineto in /*) ;; *) kineto=$builddir/$kineto ;; esac
hold_sums "$kineto/hta/trace_diff/control/control.json.gz" \
	"$kineto/hta/trace_diff/test/test.json.gz"
for trace in $(some "$kineto"/tracelens/h100/*.json.gz); do
	other=$kineto/tracelens/mi300/${trace##*/}
	hold_sums "$trace" "$other"
	strata diff "$trace" "$other" -g family -f tsv -c kind,name,base_gpu_ns,new_gpu_ns >"$work/families" 2>"$work/note"
	! grep -q 'of the time is in rows of both runs' "$work/note" || fail "families are no common rows"
	grep -Eq '^family	GEMM	[1-9][0-9]*	[1-9]' "$work/families" || fail "GEMM is not on both GPUs"
	for group in $groups; do
		assert_equal "differences of a file from itself, $group of $trace" 0 "$(ask \
			"SELECT count(*) FROM diff WHERE group_by = '$group' AND
			 (verdict IS NOT NULL OR delta_gpu_ns OR delta_cpu_ns OR delta_bytes)" \
			--base "$trace" "$trace")"
	done
done

# Two versions of a program with a renamed class: its parts are paired, and no verdict contradicts
# the times that it is about.
need_corpus kineto/torch113/seed001_mymodule
versions=$corpus/kineto/torch113/seed001_mymodule
strata diff -q "$versions/mymodule_v0_argwhere_all.pt.trace.json.gz" \
	"$versions/mymodule_v1_nonzero_stack.pt.trace.json.gz" --view layers \
	-f tsv -c name,base_calls,new_calls,verdict,delta_cpu_ns >"$work/versions"
assert_line "$work/versions" '^MyModule1_0/LABEL2: masking	1	1	'
assert_equal "verdicts against the difference" "" \
	"$(awk -F '\t' '($4 ~ /slower/ && $5 < 0) || ($4 ~ /faster/ && $5 > 0)' "$work/versions")"
