# A figure of a finding is that of the row in the view that it leads to (tests/shell/shares.sql).
. "${srcdir:-.}/tests/lib.sh"

: >"$work/figures"
# hold_shares PATH: add the figures of its findings; false if it is no profile
hold_shares()
{
	strata query - -q -f tsv "$1" <"$srcdir/tests/shell/shares.sql" >"$work/out" 2>"$work/err" || {
		! grep -q '^strata: SQL: ' "$work/err" || fail "$(cat "$work/err")"
		return 1
	}
	sed 1d "$work/out" >>"$work/figures"
	awk -F '\t' 'NR > 1 && $2 != 1' "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || {
		cat "$work/wrong" >&2
		fail "findings on $1 say what no view says"
	}
}

# said WHAT...: the findings have such figures
said()
{
	for what; do
		grep -q "^$what	" "$work/figures" || fail "no finding says $what"
	done
}

for options in '' '--layers 2 --stacks 0 --no-modules' '--rank 0 --world 2 --straggler 1:2' \
	'--slow layer3:4 --seed 3'; do
	tracegen $options -o "$work/trace.json"
	hold_shares "$work/trace.json"
done
said 'the family of the hot spot' 'kernel time' 'a cause of the step time' 'a busy device' 'the gain'

need_corpus kineto
small_profiles | sampled 8 >"$work/paths"
cd "$corpus"
while read -r path; do
	! hold_shares "$path" || echo "${path%%/*}"
done <"$work/paths" >"$work/kinds"
[ -z "${SANITIZERS-}" ] || exit 0
[ "$(wc -l <"$work/kinds")" -ge 20 ] || fail "few profiles here"
said 'a family beside the hot spot' 'no family is hot' 'overlapped communication' 'the hot function' \
	'GPU time without a launch' 'the busiest device' 'a cause of the time examined'
