# The history of a baseline: runs are appended, and the first slower one is named.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

# Runs 1 to 12, of which the ninth and later are slower in one layer.
for run in 1 2 3 4 5 6 7 8 9 10 11 12; do
	slow=
	[ $run -lt 9 ] || slow='--slow layer1.0:1.6'
	tracegen --steps 6 --layers 2 --stacks 0 --seed $run $slow -o "$work/run.json"
	assert_exit 0 strata baseline add nightly "$work/run.json" --label "commit-$run"
done
runs=$XDG_STATE_HOME/strata/baselines.d/nightly
assert_equal "a summary a run" 12 "$(ls "$runs" | grep -c '^20.*Z-commit-.*\.strsum$')"

assert_exit 0 strata history nightly -q -f csv -c kind,name,verdict,run,label
assert_line "$work/out" '^layer,run,slower,9,commit-9'
assert_exit 0 strata history nightly -w 200
assert_line "$work/err" 'First bad run: commit-9 \(.* takes [0-9.]+ % more time\)'
assert_line "$work/out" '▁▁.*█'
assert_exit 0 strata history nightly -q -g runs -f csv -c run,label,kind,name,run_ns,verdict
assert_equal "the median step, over the runs" 12 "$(grep -c ',step,median step,[0-9]' "$work/out")"
assert_equal "a change" 1 "$(grep -c ',layer,run,.*,slower' "$work/out")"
assert_line "$work/out" '^9,commit-9,layer,run,.*,slower'

# A directory of summaries is a history, too; a damaged one does not end it.
cp -r "$runs" "$work/sums"
echo damaged >"$work/sums/0damaged.strsum"
assert_exit 0 strata history "$work/sums" -q -f csv -g runs -c label,run_ns
assert_exit 0 strata query -q -f csv --base nightly "SELECT label FROM history WHERE kind = 'layer' AND name = 'run'" "$work/run.json"
assert_equal "as a table of SQL" commit-9 "$(tail -n 1 "$work/out" | tr -d '\r')"

# A row of any view that names what the history has, in the explorer
for view in layers operators kernels steps; do
	printf ':view %s\nH\n:save-screen %s\n' $view "$work/screen" >"$work/script"
	assert_exit 0 strata "$work/run.json" --base nightly --script "$work/script" --size 120x40
	assert_equal "runs of a row of $view" 12 "$(grep -c ' commit-[0-9]* .* [0-9.]* [mu]s' "$work/screen")"
done
cat >"$work/script" <<END
:view layers
H
:save-screen $work/screen
END
assert_exit 0 strata "$work/run.json" --base nightly --script "$work/script" --size 120x30
assert_line "$work/screen" 'commit-12.*run'
assert_line "$work/screen" 'commit-9.*slower'
assert_exit 0 strata history nightly --script "$work/script" --size 120x30

# The baseline is its last run; without history there is a sentence.
assert_exit 0 strata diff nightly "$work/run.json" --view operators -q
assert_exit 2 strata history gone
assert_line "$work/err" 'no baseline, and no directory of summaries: gone'
assert_exit 2 strata history
assert_exit 2 strata baseline add nightly "$work/run.json" --label a/b
assert_line "$work/err" 'a label has letters, digits and -_.@, not "a/b"'
assert_exit 0 strata baseline remove nightly
[ ! -e "$runs" ] || fail "summaries of a removed baseline"

# More runs than the trend has cells: each is the mean of some, of which the last are slower.
mkdir "$work/many"
for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39; do
	ln "$(ls "$work/sums"/*commit-$((i < 22 ? 1 : 9)).strsum)" "$work/many/run$i.strsum"
done
assert_exit 0 strata history "$work/many" -f csv
assert_line "$work/out" '^layer,run,.*[^▂▃▄▅▆▇█]▁▁+.?██+,'

# A year of nightly runs opens in less than a second.
mkdir "$work/year"
one=$(ls "$work/sums"/*commit-1.strsum)
for i in 1 2 3 4 5 6 7 8 9 10; do
	for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
		ln "$one" "$work/year/run$i.$k.strsum"
	done
done
# Its processors' time is the same on a machine that has other work.
took=$({ strata history "$work/year" -q -f csv >"$work/out" && times; } | awk 'NR == 2 {
	gsub(/[ms]/, " ")
	printf "%d\n", 60000 * ($1 + $3) + 1000 * ($2 + $4)
}')
[ "$took" ] || fail "400 runs cannot be opened"
[ -n "${TEST_WRAPPER-}${SANITIZERS-}" ] || [ "$took" -lt 1000 ] || fail "400 runs took $took ms"
