# What if beside the truth of runs that are made twice, with a cause and without it; SEEDS=70 FIRST=100 asks for others.
. "${srcdir:-.}/tests/lib.sh"
[ -z "${SANITIZERS-}" ] || skip "predictions are judged in a build without sanitizers"
seeds=${SEEDS-12} first=${FIRST-1}

# generated ARGUMENT...: a run whose loader is in its own process
generated() { tracegen --steps 5 --layers 4 --stacks 0 "$@" | sed 's/_MultiProcessing/_SingleProcess/'; }
# ns COLUMNS FILE EDIT
ns() { strata whatif -q -f tsv -c "$1" -e "$3" "$2" | sed 1d; }

# kernels that take longer: without it the other run, to a thousandth
for seed in 1 2 3; do
	generated --seed "$seed" >"$work/fast.json"
	wanted=$(ns recorded_ns "$work/fast.json" 'kernels x1')
	for factor in 2 4; do
		generated --seed "$seed" --rank 0 --world 1 --straggler 0:$factor >"$work/slow.json"
		part=$(echo $factor | awk '{ print 1 / $1 }')
		ns predicted_ns,low_ns,high_ns "$work/slow.json" "kernels x$part; comm x$part" >"$work/out"
		awk -v wanted="$wanted" '{ off = $1 / wanted - 1 } END { exit !(off * off < 1e-6 && $2 <= wanted && wanted <= $3) }' \
			"$work/out" || fail "seed $seed, x$factor: $(cat "$work/out"), true $wanted"
	done
done

# causes of a second simulator, with contention, where it is there
check=${STRATA_TOOLS:-$srcdir/../shared/tools}/check-planted
[ -x "$check" ] && command -v python3 >/dev/null || skip "check-planted is not here (STRATA_TOOLS names its folder)"
python3 "$check" "$builddir/strata" --seeds "$first-$((first + seeds - 1))" --predicted \
	--causes launch_bound,item_sync,mallocs,small_copies,loader_single,pageable_copies,pointwise_chain,straggler_host,blocking_launches,small_messages,old_kernels \
	>"$work/planted" || fail "$(cat "$work/planted")"
awk '/^predicted: [0-9]/ { exit !($2 >= 0.85 * ($2 + $6)) }' "$work/planted" || fail "$(cat "$work/planted")"
# findings by what they are predicted to gain: one of much less truth seldom comes first
python3 "$srcdir/tests/shell/planted_order.py" "$check" "$builddir/strata" "$first" "$seeds" >"$work/order" ||
	fail "$(cat "$work/order")"
awk '/^in order: / { exit !($3 >= 0.95 * $5) }' "$work/order" || fail "$(cat "$work/order")"
# work that ranks share, copies of which no shape was recorded, launches that stacks slow down
for cause in expert_imbalance:16070,16081,16087,22120 slow_copy:16126,16153 launch_bound:16239; do
	python3 "$check" "$builddir/strata" --causes "${cause%:*}" --seeds "${cause#*:}" --predicted >"$work/planted"
	grep -q "inside their range, 0 outside, 0 refused" "$work/planted" || fail "$(cat "$work/planted")"
done
