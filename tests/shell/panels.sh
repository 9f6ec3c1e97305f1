# The panels of the dashboard show what sums over single launches and gaps say, value by value.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

# shares PANEL: the shares of the lines of a panel in $work/board, one column wide
shares()
{
	awk -v title=" $1 " 'index($0 " ", title) == 1 { on = 1; next }
		/^$/ { on = 0 }
		/Not used/ { next } # the legend
		on && match($0, /[0-9.]+ %/) { print substr($0, RSTART, RLENGTH - 2) }' "$work/board"
}

# agree WHAT PANEL SQL: the first column of the rows, with one digit, is that of the panel's lines
agree()
{
	shares "$2" >"$work/shown"
	[ -s "$work/shown" ] || return 0
	strata query -q -f csv "$3" "$file" | tr -d '\r' |
		awk -F, 'NR > 1 { printf "%.1f\n", $1 }' | head -n "$(wc -l <"$work/shown")" >"$work/summed"
	diff "$work/shown" "$work/summed" >"$work/diff" || {
		cat "$work/diff" >&2
		fail "$1 of $file: the panel differs from the sums"
	}
	compared=$((compared + 1))
}

owned="operator IS NOT NULL AND kind <> 'sync'"
kernels="kind IN ('kernel', 'communication')"
check_panels()
{
	file=$1
	strata report dashboard -q -w 60 "$file" >"$work/board"
	agree kernels 'Top Kernels' "SELECT 100.0 * sum(dur_ns) / (SELECT sum(dur_ns) FROM launches
		WHERE $kernels) AS share FROM launches WHERE $kernels GROUP BY name
		ORDER BY share DESC"
	agree operators 'Top Operators' "SELECT 100.0 * sum(dur_ns) / (SELECT sum(dur_ns) FROM launches
		WHERE $owned) AS share FROM launches WHERE $owned GROUP BY operator
		ORDER BY share DESC"
	idle=$(strata query -q -f csv "SELECT sum(dur_ns) FROM gaps" "$file" | tail -1 | tr -d '\r')
	shares 'GPU Gaps' >"$work/shown"
	strata report gaps -q -g work -f csv "$file" |
		awk -F, -v idle="${idle:-0}" 'NR > 1 && $3 { printf "%.1f\n", 100 * $3 / idle }' |
		head -n "$(wc -l <"$work/shown")" >"$work/summed"
	compared=$((compared + 1))
	diff "$work/shown" "$work/summed" >&2 || fail "gaps of $file: the panel differs from the sums"
	agree 'Tensor Cores' 'Tensor Cores' "SELECT 100.0 * sum(tc_ns) / sum(dur_ns) AS share FROM steps
		UNION ALL SELECT 100.0 * sum(iif(tensor_core = 'yes', dur_ns, 0)) / sum(dur_ns)
		FROM launches WHERE $kernels"
}

compared=0
tracegen -o "$work/first.json"
tracegen --layers 3 --seed 5 --steps 2 --slow layer2:3 -o "$work/second.json"
check_panels "$work/first.json"
check_panels "$work/second.json"
[ "$compared" -ge 8 ] || fail "compared $compared panels"

[ -d "$corpus/kineto" ] || exit 0
for path in dlprof/MohanadOdema__DLProf/w_Relu__dlprof_dldb_1.sqlite \
	nsys/gxxxh__ml_predict/resnet.sqlite \
	kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz \
	kineto/profiling_tutorial/dc3b0e7228dd_851.1752215574025896717.pt.trace.json.gz \
	rpd/mytrace.rpd xplane/jax_te_fused_attn.xplane.pb; do
	[ ! -f "$corpus/$path" ] || check_panels "$corpus/$path"
done
echo "$compared panels"
