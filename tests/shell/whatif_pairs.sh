# What if beside the truth: recordings of a GPU with a cause and without it, of which one step takes so much less.
. "${srcdir:-.}/tests/lib.sh"

# of_pair CAUSE FAST: the recorded mean time of a step with it and without
of_pair()
{
	for which in slow $2; do
		strata whatif -q -f tsv -c recorded_ns -e 'kernels x1' "$srcdir/tests/unit/data/pairs/$1.$which.json.gz" || :
	done | sed -n '2~2p'
}

while read -r cause detector fast; do
	of_pair "$cause" "${fast:-fast}" >"$work/times"
	strata report advice -q -n 99 -f tsv -c detector,gain_pct,predicted_low_pct,predicted_high_pct,predicted_pct \
		"$srcdir/tests/unit/data/pairs/$cause.slow.json.gz" >"$work/advice"
	awk -F '\t' -v detector="$detector" '
	NR == FNR { time[NR] = $1; next }
	$1 == detector && $3 != "" {
		gain = 100 * (1 - time[2] / time[1])
		found = $3 - 0.5 <= gain && gain <= $4 + 0.5 && gain <= $2 + 0.5 && (detector != "blocking_launches" || $5 < $4)
	}
	END { exit !found }' "$work/times" "$work/advice" ||
		fail "$cause: $(paste -s "$work/times"): $(grep "^$detector" "$work/advice")"
done <<END
pointwise_chain pointwise
launch_bound launch_bound
launch_blocking blocking_launches
loader dataloader one
loader dataloader two
END

# Of worker processes that are waited for, other edits gain between nothing and all of it; two have no need of a third.
gain() { strata whatif -q -f tsv -c predicted_low_pct,predicted_high_pct -e "$2" "$srcdir/tests/unit/data/pairs/$1.json.gz" | sed 1d; }
gain loader.one 'host x0.5' >"$work/one"
awk '{ exit !($1 < 20 && $2 > 30) }' "$work/one" || fail "a loader does not limit its trainer: $(cat "$work/one")"
gain loader.two loader >"$work/two"
awk '{ exit !($1 > 0 && $2 < 15) }' "$work/two" || fail "two workers are too few: $(cat "$work/two")"

