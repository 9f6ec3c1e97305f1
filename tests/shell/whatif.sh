# What if: edits, steps and factors are judged, and a refusal has an exit status.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

tracegen --steps 6 -o "$work/run.json"
# whatif ARGUMENT...: what is predicted, in ns
whatif() { strata whatif -q -f tsv -c edit,recorded_ns,predicted_ns "$@" "$work/run.json" | sed 1d; }

whatif -e 'kernels x1' >"$work/out"
awk -F '\t' '$2 != $3 { exit 1 }' "$work/out" || fail "no edit changes the time: $(cat "$work/out")"
whatif --sweep kernels | sort -k2.2g >"$work/out"
assert_equal "factors" 9 "$(wc -l <"$work/out")"
awk -F '\t' '$3 < last { exit 1 } { last = $3 }' "$work/out" ||
	fail "more work is faster: $(cat "$work/out")"
whatif --all >"$work/out"
assert_equal "the same as without an edit" "$(whatif)" "$(cat "$work/out")"
[ "$(wc -l <"$work/out")" -gt 7 ] || fail "not all edits: $(cat "$work/out")"
# one step is judged by itself
all=$(whatif -e nosync) one=$(whatif -e nosync --steps 5)
[ "$all" != "$one" ] || fail "steps change nothing: $all"
strata report steps -q -f tsv -c step,dur_ns "$work/run.json" >"$work/steps"
awk -F '\t' -v row="$one" 'BEGIN { split(row, is, "\t") } $1 == 5 && $2 <= 2 * is[2] && is[2] <= 2 * $2 { found = 1 }
END { exit !found }' "$work/steps" || fail "step 5 takes another time: $one; $(cat "$work/steps")"
# edits are replayed together
both=$(whatif -e 'kernels x0.5' -e 'host x0.5' | cut -f3)
kernels=$(whatif -e 'kernels x0.5' | cut -f3)
[ "$both" -le "$kernels" ] || fail "two edits gain less than one: $both, $kernels"

# parts of a run make up the whole, and are less
together() { whatif -e "$1" | cut -f3; }
for kind in kernels host nosync graphs; do
	whole=$(together $kind)
	for parts in 'steps:..4|steps:5..' 'thread:41207|thread:41391' 'time:..20ms|time:20ms..'; do
		assert_equal "$kind, $parts" "$whole" "$(together "$kind ${parts%|*}; $kind ${parts#*|}")"
		[ "$whole" -le "$(together "$kind ${parts%|*}")" ] || fail "a part is more: $kind ${parts%|*}"
	done
done
for parts in 'stream:7|stream:20' 'family:GEMM|family:^(?!GEMM$)' 'device:0|device:-1'; do
	assert_equal "$parts" "$(together kernels)" "$(together "kernels ${parts%|*}; kernels ${parts#*|}")"
done
# a layer has its kernels, launches and operators
for kind in 'kernels x0' 'host x0' 'launches x0' 'remove'; do
	layer=$(together "$kind under:BasicBlock_0")
	[ "$(together "$kind")" -lt "$layer" ] || fail "a layer is all: $kind, $layer"
done
[ "$(together 'kernels x0 under:BasicBlock_0')" -lt "$(whatif -e 'kernels x1' | cut -f3)" ] || fail "a layer has no kernels"
assert_exit 2 strata whatif -q -e 'host stream:7' "$work/run.json"
strata whatif -q -e "host stream:7" "$work/run.json" 2>&1 | grep -q "cannot be narrowed by family, stream or device" || fail "no reason"

# each finding with a cost is predicted, or says why not
findings() { strata report advice -q -n 99 -f tsv -c detector,cost_ns,predicted_pct,predicted_why "$1" | sed 1d; }
findings "$work/run.json" >"$work/out"
awk -F '\t' '$2 != "" && $3 == "" { exit 1 } $2 != "" { n++ } END { exit n < 3 }' "$work/out" ||
	fail "not predicted: $(cat "$work/out")"
# no range is above its bound, and all together gain no less than one
strata report advice -n 99 -f tsv -c gain_pct,predicted_low_pct,predicted_pct,predicted_high_pct "$work/run.json" \
	>"$work/bounds" 2>"$work/note"
awk -F '\t' 'NR > 1 && $3 != "" && !($2 <= $3 && $3 <= $4 && $4 <= $1 + 1e-4) { exit 1 }' "$work/bounds" ||
	fail "a bound is below its prediction: $(cat "$work/bounds")"
most=$(awk -F '\t' 'NR > 1 && $3 > most { most = $3 } END { print most }' "$work/bounds")
sed -n 's/.*Together, [0-9]* findings are predicted to gain \(at most \)*\([0-9.]*\) %.*/\2/p' "$work/note" >"$work/out"
awk -v most="$most" '$1 + 0.1 < most { exit 1 } END { exit NR != 1 }' "$work/out" ||
	fail "all gain less than one, $most: $(cat "$work/note")"

# ranks are replayed together: without the late one all take what they take if it is not late
mkdir "$work/late" "$work/even"
for rank in 0 1 2; do
	# with a loader of its own: worker processes may have no batch for it
	tracegen --steps 6 --stacks 0 --rank $rank --world 3 --straggler 1:2 |
		sed 's/_MultiProcessing/_SingleProcess/' >"$work/late/rank$rank.json"
	tracegen --steps 6 --stacks 0 --rank $rank --world 3 |
		sed 's/_MultiProcessing/_SingleProcess/' >"$work/even/rank$rank.json"
done
# of_ranks FOLDER EDIT: the recorded and the predicted ns
of_ranks() { strata whatif -q -f tsv -c recorded_ns,predicted_ns -e "$2" "$work/$1" | sed 1d; }
even=$(of_ranks even 'kernels x1' | cut -f1)
assert_equal "no edit" "$even	$even" "$(of_ranks even 'kernels x1')"
assert_equal "without the straggler" "$even" "$(of_ranks late straggler | cut -f2)"
assert_equal "of each rank" "$(of_ranks late kernels | cut -f2)" \
	"$(of_ranks late 'kernels rank:0; kernels rank:1; kernels rank:2' | cut -f2)"
late=$(of_ranks late 'kernels rank:1' | cut -f2) first=$(of_ranks late 'kernels rank:0' | cut -f2)
[ "$late" -lt "$first" ] || fail "the late rank is not late: $late, $first"
# what waits for it is no transfer
of_ranks late 'comm x0' >"$work/out"
awk -F '\t' '$2 > $1 || $2 < 0.95 * $1 { exit 1 }' "$work/out" || fail "waiting is transfer: $(cat "$work/out")"

# of one step, nothing tells how the next begins
for rank in 0 1 2; do
	tracegen --steps 1 --stacks 0 --rank $rank --world 3 -o "$work/even/rank$rank.json"
done
assert_exit 3 strata whatif -q "$work/even"
grep -q 'one step of several ranks' "$work/out" || fail "no reason: $(cat "$work/out")"

assert_exit 2 strata whatif -q -e nonsense "$work/run.json"
# one rank: no messages, but kernels, however little they matter
strata whatif -q -f tsv -c edit,predicted_why --all "$work/run.json" >"$work/out"
assert_line "$work/out" '^kernels x0.5	(uncertain)?$'
! grep '^comm' "$work/out" || fail "messages of one rank"
strata whatif --all "$work/run.json" >"$work/out" 2>&1
assert_line "$work/out" 'Nothing to change: comm, latency, straggler, hide'
strata whatif -q -f tsv -c edit,predicted_why -e comm "$work/run.json" >"$work/out"
assert_line "$work/out" '^comm	nothing to change$'
sed 's/"cat":"cuda_runtime"/"cat":"other"/; s/"cat": "cuda_runtime"/"cat": "other"/' "$work/run.json" >"$work/unlinked.json"
assert_exit 3 strata whatif -q "$work/unlinked.json"
grep -q 'launches of over 10 % of the work are missing' "$work/out" || fail "no reason: $(cat "$work/out")"
assert_equal "rows with the same reason" 3 "$(grep -c . "$work/out")" # with the headings
findings "$work/unlinked.json" >"$work/out"
awk -F '\t' '$2 != "" && ($3 != "" || $4 == "") { exit 1 } $2 != "" { n++ } END { exit !n }' "$work/out" ||
	fail "predicted, or without a reason: $(cat "$work/out")"

# Without copies the kernels last as long: no bound is above what they leave, though the replay's range is.
trace=$corpus/nsys/wild/wenscarl__cutlass_benchmark/report1.sqlite
[ -f "$trace" ] || exit 0
strata query -q -f tsv "SELECT (SELECT gain_pct FROM advice WHERE detector = 'pageable_copies'),
	100.0 * (1 - sum(CASE kind WHEN 'kernel' THEN dur_ns ELSE 0 END) * 1.0 /
	(max(start_ns + dur_ns) - min(start_ns))) FROM launches" "$trace" | tr -d '\r' | sed 1d >"$work/out"
awk -F '\t' '!$1 || $1 > $2 + 0.05 { exit 1 }' "$work/out" || fail "copies win more than they take: $(cat "$work/out")"
