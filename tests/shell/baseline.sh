# Named baselines: runs to compare with.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

tracegen --steps 4 --layers 2 --stacks 0 -o "$work/old.json"
tracegen --steps 4 --layers 2 --stacks 0 --slow layer1.0:3 -o "$work/new.json"
mkdir "$work/folder"
cp "$work/old.json" "$work/folder/trace.json"

assert_exit 0 strata baseline list
assert_equal "none at first" "Name  Path" "$(head -n 1 "$work/out")"
cd "$work"
assert_exit 0 strata baseline add main old.json
assert_exit 0 strata baseline add v1.2 "$work/folder"
cd "$builddir"
assert_exit 0 strata baseline list -f csv
assert_equal "added" "name,path main,$work/old.json v1.2,$work/folder " \
	"$(tr -d '\r' <"$work/out" | tr '\n' ' ')"
assert_exit 0 strata baseline add main "$work/new.json"
assert_exit 0 strata baseline list -f csv
assert_line "$work/out" "^main,$work/new.json"
assert_equal "replaced, not doubled" 3 "$(wc -l <"$work/out")"
assert_exit 0 strata baseline add main "$work/old.json"

# ---- a name instead of a path ----
assert_exit 0 strata diff main "$work/new.json" --view operators -f csv
cp "$work/out" "$work/by_name"
assert_exit 0 strata diff "$work/old.json" "$work/new.json" --view operators -f csv
cmp "$work/out" "$work/by_name" || fail "a name and its path differ"
assert_line "$work/out" ',slower,'
assert_exit 0 strata report diff --base v1.2 "$work/new.json" -f csv
cd "$work"
cp new.json v1.2
assert_exit 0 strata diff v1.2 new.json --view operators -f csv
grep -q ',slower,' "$work/out" && fail "a file of that name comes first"
cd "$builddir"

# ---- the explorer ----
cat >"$work/script" <<END
d
:save-screen $work/offered
<Esc>
:base main
:save-screen $work/compared
END
assert_exit 0 strata "$work/new.json" --script "$work/script" --size 100x24
assert_line "$work/offered" 'baselines: main, v1.2'
assert_line "$work/compared" 'new.json against old.json'

# ---- refusals ----
assert_exit 2 strata baseline
assert_line "$work/err" 'takes add NAME PATH, list, or remove NAME'
assert_exit 2 strata baseline add main
assert_exit 2 strata baseline add a/b "$work/old.json"
assert_line "$work/err" "name has letters, digits and -_.@ \(at most 64\), not \"a/b\""
assert_exit 2 strata baseline add gone "$work/nothing.json"
assert_line "$work/err" 'nothing.json: No such file or directory'
assert_exit 2 strata baseline remove gone
assert_line "$work/err" 'no baseline is called gone'
assert_exit 4 strata diff gone "$work/new.json" --view operators
assert_exit 0 strata baseline remove main
assert_exit 0 strata baseline list -f csv
assert_equal "removed" 2 "$(wc -l <"$work/out")"
[ ! -e "$XDG_STATE_HOME/strata/baselines.d/main" ] || fail "a summary of a removed baseline"

# ---- the run may change or vanish: its summary is kept ----
# the order of rows rests on verdicts, which need single calls
columns=name,base_gpu_ns,new_gpu_ns,base_calls
assert_exit 0 strata diff v1.2 "$work/new.json" --view kernels -f csv -q -c $columns -s name
cp "$work/out" "$work/while_there"
cp "$work/new.json" "$work/folder/trace.json"
assert_exit 0 strata diff v1.2 "$work/new.json" --view kernels -f csv -q -c $columns -s name
cmp "$work/out" "$work/while_there" || fail "the baseline changed with its run"
rm -r "$work/folder"
assert_exit 0 strata diff v1.2 "$work/new.json" --view kernels -f csv -q -c $columns -s name
cmp "$work/out" "$work/while_there" || fail "the baseline vanished with its run"
assert_exit 6 strata diff v1.2 "$work/new.json" --view kernels -q --fail-above 5%
assert_line "$work/err" 'no row that differs could be judged'
assert_exit 0 strata diff v1.2 "$work/old.json" --view kernels -q --fail-above 5%
for base in v1.2 "$work/old.json"; do
	assert_exit 0 strata diff "$base" "$work/new.json" --view steps -f csv -q -c name,verdict,ratio,base_cpu_ns
	cp "$work/out" "$work/steps${base##*/}"
done
cmp "$work/stepsv1.2" "$work/stepsold.json" || fail "steps of the baseline differ"
assert_exit 0 strata baseline list -f csv
assert_line "$work/out" "^v1.2,$work/folder"
mkdir "$work/ranks"
for rank in 0 1 2; do
	tracegen --rank $rank --world 3 -o "$work/ranks/rank$rank.json"
done
strata summarize -q -o "$work/sums" "$work/ranks"
rm "$work/ranks/rank1.json"
cp "$work/sums/rank1.json.strsum" "$work/ranks/"
assert_exit 0 strata baseline add ranks "$work/ranks"
strata merge -q -o "$work/merged.strsum" "$work/sums"
for path in "$work/merged.strsum" "$XDG_STATE_HOME"/strata/baselines.d/ranks/*.strsum; do
	strata report collectives -q -f csv "$path"
	strata report kernels -q -f csv --rank 1 "$path"
done >"$work/both"
half=$(($(wc -l <"$work/both") / 2))
assert_equal "ranks of a baseline" "$(head -n $half "$work/both")" "$(tail -n $half "$work/both")"
echo 'no profile' >"$work/none.json"
assert_exit 4 strata baseline add none "$work/none.json"
assert_line "$work/err" 'none.json'
assert_exit 0 strata baseline list -f csv
grep -q '^none' "$work/out" && fail "a baseline without a profile"

# Lines that are no baselines are skipped; a file that is none is refused whole.
printf 'no tab\nrelative\tpath\n\t/empty\nok\t/tmp\n' >"$XDG_STATE_HOME/strata/baselines"
assert_exit 0 strata baseline list -f csv
assert_equal "lines by hand" "name,path ok,/tmp " "$(tr -d '\r' <"$work/out" | tr '\n' ' ')"
rm "$XDG_STATE_HOME/strata/baselines"
mkdir "$XDG_STATE_HOME/strata/baselines"
assert_exit 2 strata baseline list
assert_line "$work/err" "cannot read the list of baselines: Is a directory"
