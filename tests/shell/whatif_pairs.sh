# What if beside the truth: recordings of a GPU with a cause and without it, of which one step takes so much less.
. "${srcdir:-.}/tests/lib.sh"

# of_pair CAUSE: the recorded mean time of a step with it and without
of_pair()
{
	for which in slow fast; do
		strata whatif -q -f tsv -c recorded_ns -e 'kernels x1' "$srcdir/tests/unit/data/pairs/$1.$which.json.gz" || :
	done | sed -n '2~2p'
}

while read -r cause detector; do
	of_pair "$cause" >"$work/times"
	strata report advice -q -n 99 -f tsv -c detector,gain_pct,predicted_low_pct,predicted_high_pct \
		"$srcdir/tests/unit/data/pairs/$cause.slow.json.gz" >"$work/advice"
	awk -F '\t' -v detector="$detector" '
	NR == FNR { time[NR] = $1; next }
	$1 == detector && $3 != "" {
		gain = 100 * (1 - time[2] / time[1])
		found = $3 - 0.5 <= gain && gain <= $4 + 0.5 && gain <= $2 + 0.5
	}
	END { exit !found }' "$work/times" "$work/advice" ||
		fail "$cause: $(paste -s "$work/times"): $(grep "^$detector" "$work/advice")"
done <<END
pointwise_chain pointwise
launch_bound launch_bound
launch_blocking blocking_launches
END
