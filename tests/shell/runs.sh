# A log directory: runs in folders at any depth, their workers and spans.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

# worker RUN RANK SPAN SEED: a recording of a worker, 100 s after the span before
worker()
{
	mkdir -p "$work/logs/$1"
	tracegen --steps 4 --layers 2 --stacks 0 --rank "$2" --world 2 --seed "$4" |
		sed "s/\"baseTimeNanoseconds\": 17514108/\"baseTimeNanoseconds\": 17514${3}08/" \
			>"$work/logs/$1/host_$((100 + $2)).17514$3.pt.trace.json"
}

# rows VIEW COLUMNS PATH [OPTION...]: without the header, on one line
rows()
{
	view=$1 columns=$2 path=$3
	shift 3
	assert_exit 0 strata report "$view" -q -f csv -c "$columns" "$@" "$path"
	tail -n +2 "$work/out" | tr -d '\r' | tr '\n' ' '
}

# 3 runs of 2 workers with 2 spans each
for run in base/day1 night new; do
	seed=1
	[ $run = base/day1 ] || seed=2
	for rank in 0 1; do
		for span in 1 2; do
			worker $run $rank $span $seed
		done
	done
done
logs=$work/logs

# ---- listing ----
assert_equal "runs" "1,base/day1,1,2,2,8 2,new,0,2,2,8 3,night,0,2,2,8 " \
	"$(rows runs run,name,shown,ranks,spans,steps "$logs")"
assert_equal "12 recordings" 12 "$(strata query -q -f csv \
	'SELECT count(*) FROM recordings WHERE worker LIKE "host_10_"' "$logs" | tail -n 1 | tr -d '\r')"
assert_equal "device and directory" "NVIDIA A100-SXM4-40GB,$logs/base/day1 " \
	"$(rows runs device,path "$logs" -n 1)"
assert_equal "median of the complete steps of both spans" \
	"$(strata query -q -f csv "SELECT step_ns FROM runs WHERE run = 2" "$logs" | tail -n 1 | tr -d '\r')" \
	"$(for file in "$logs"/new/*; do
		strata query -q -f csv "SELECT dur_ns FROM steps WHERE NOT partial" "$file" | tail -n +2
	done | tr -d '\r' | sort -n | awk '{ dur[NR] = $1 }
		END { half = int(NR / 2); printf "%d", dur[half] + int((dur[half + 1] - dur[half]) / 2) }')"
cd "$logs/base"
assert_equal "the directory is the run's name" "base " "$(rows runs name .. | awk -F/ '{ print $1 " " }')"
assert_equal "one folder" "base/day1 " "$(rows runs name . --run 1 | sed 's/^day1/base\/day1/')"
cd "$OLDPWD"

# ---- choosing ----
assert_equal "by name" "0,1 1,1 " "$(rows ranks rank,pid "$logs" --run night | sed 's/,[0-9]*/,1/g')"
assert_equal "shown" "0 0 1 " "$(rows runs shown "$logs" --run night)"
assert_equal "by its last part" "1 0 0 " "$(rows runs shown "$logs" --run day1)"
assert_equal "by its first part" "1 0 0 " "$(rows runs shown "$logs" --run base)"
assert_equal "by number" "0 1 0 " "$(rows runs shown "$logs" --run 2)"
assert_equal "a span of it" "night 2 night 2 " "$(strata query -q -f csv \
	'SELECT r.name, s.span FROM recordings s JOIN runs r USING (run) WHERE s.shown' --run night \
	--span 2 "$logs" | tail -n +2 | tr -d '\r' | tr ',\n' '  ')"
assert_exit 2 strata report runs -q --run day "$logs"
assert_line "$work/err" 'unknown run day; there are 3 \(view runs lists them\)'
assert_exit 0 strata report kernels -q -f csv --run night "$logs"
cp "$work/out" "$work/alone"
assert_exit 0 strata report kernels -q -f csv "$logs/night"
cmp "$work/out" "$work/alone" || fail "a run of several differs from the run alone"
mkdir -p "$work/two/a/x" "$work/two/b/x"
cp "$logs"/new/host_100.175141.* "$work/two/a/x"
cp "$logs"/new/host_100.175141.* "$work/two/b/x"
assert_exit 2 strata report runs -q --run x "$work/two"
assert_line "$work/err" '2 runs are called x: use more of the name'
assert_exit 0 strata report kernels "$logs"
assert_line "$work/err" "3 runs, of which base/day1 is shown .--run NAME chooses; view runs lists them."

# ---- comparing ----
assert_exit 0 strata diff "$logs/base" "$logs/new" --view operators
assert_line "$work/out" '^operator'
assert_exit 0 strata diff "$logs/new/host_100.175141.pt.trace.json" "$logs/night" --view operators
assert_line "$work/err" 'Comparable: weak; the base has 1 rank, the new run 2'

# ---- folders of ranks are one run ----
mkdir -p "$work/job/rank0" "$work/job/rank1"
cp "$logs"/new/host_100.175141.* "$work/job/rank0"
cp "$logs"/new/host_101.175141.* "$work/job/rank1"
assert_equal "one run of two folders" "1,job,2,1 " "$(rows runs run,name,ranks,spans "$work/job")"
cp "$logs"/new/host_100.175141.* "$work/job/rank1/again.json"
assert_equal "two claim rank 0" "rank0,1 rank1,2 " "$(rows runs name,ranks "$work/job")"

# ---- companions ----
mkdir "$work/beside"
cp "$logs"/new/host_100.175141.* "$work/beside/trace.json"
cat >"$work/beside/fit.txt" <<'END'
         3 function calls in 2.000 seconds

   Ordered by: standard name

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.500    0.500    2.000    2.000 train.py:1(<module>)
        2    1.500    0.750    1.500    0.750 train.py:9(step)


END
assert_exit 0 strata report python -q -f csv -c function "$work/beside/fit.txt"
assert_equal "a cProfile is no rank" "1,1 " "$(rows runs ranks,companions "$work/beside")"
assert_exit 0 strata report ranks "$work/beside"
assert_line "$work/err" 'fit.txt is beside the trace and no rank: open it by its own path'
assert_equal "it is listed" ",fit 0,trace " "$(rows recordings rank,worker "$work/beside")"

# functions of cProfile are those of the only profile of a directory, and not of one of several
if command -v python3 >/dev/null; then
	mkdir "$work/dump"
	cp "$work/beside/trace.json" "$work/dump/trace.json"
	echo notes >"$work/dump/notes.txt"
	python3 -c 'import cProfile; cProfile.run("sorted([3, 1, 2])", "'"$work"'/dump/my.prof")'
	assert_exit 0 strata report python -q -f csv -c function "$work/dump"
	assert_line "$work/out" 'builtins\.sorted'
	assert_exit 0 strata info -q "$work/dump"
	assert_line "$work/out" 'Python functions joined +my.prof'
	cp "$work/beside/trace.json" "$work/dump/again.json"
	assert_exit 0 strata info -q "$work/dump"
	assert_line "$work/out" 'my.prof is beside the traces and no rank'
fi

cat >"$work/beside/stacks.speedscope.json" <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},
"profiles":[{"type":"evented","name":"p","unit":"microseconds","startValue":0,"endValue":9,
"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":9}]}]}
END
assert_exit 0 strata info -q "$work/beside/stacks.speedscope.json"
assert_equal "nor are stacks of another tool" "1,2 " "$(rows runs ranks,companions "$work/beside")"
assert_exit 0 strata report ranks "$work/beside"
assert_line "$work/err" 'fit.txt, stacks.speedscope.json are beside the trace and no ranks: open them by their own path'

# Two programs are two runs; of files with ranks each is one of them.
mkdir -p "$work/sums/two" "$work/sums/ranks"
cp "$work/beside/fit.txt" "$work/sums/two/a.txt"
cp "$work/beside/fit.txt" "$work/sums/two/b.txt"
cp "$work/beside/fit.txt" "$work/sums/ranks/rank0.txt"
cp "$work/beside/fit.txt" "$work/sums/ranks/rank1.txt"
assert_equal "sums over programs" "ranks,2 two/a.txt,1 two/b.txt,1 " "$(rows runs name,ranks "$work/sums")"
assert_equal "they have no steps" ", , , " "$(rows runs steps,step_ns "$work/sums")"
assert_equal "one of them" "0 0 1 " "$(rows runs shown "$work/sums" --run b.txt)"

# ---- nothing, loops, what cannot be read ----
mkdir -p "$work/none/a/b"
assert_exit 4 strata info "$work/none"
assert_line "$work/err" 'none: no file in 3 directories'
echo text >"$work/none/a/notes.txt"
assert_exit 4 strata info "$work/none"
assert_line "$work/err" 'none: holds no profile among 1 file in 3 directories; looked for traces \(\*.json'
ln -s .. "$logs/new/up"
ln -s "$logs" "$logs/new/again"
assert_equal "links to directories above" 3 "$(rows runs run "$logs" | wc -w | tr -d ' ')"
rm "$logs/new/up" "$logs/new/again"
ln -s night "$logs/latest"
assert_equal "a link to a run is not another one" "$(rows runs name "$logs")" \
	"$(rm "$logs/latest" && rows runs name "$logs")"
# Each of 12 directories has a link to all: listed along every path, they would never end.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	mkdir -p "$work/links/$i" && ln -s .. "$work/links/$i/up"
	for j in 1 2 3 4 5 6 7 8 9 10 11 12; do ln -s "../$j" "$work/links/$i/to$j"; done
done
assert_exit 4 strata info "$work/links"
assert_line "$work/err" 'links: no file in 13 directories'
if [ "$(id -u)" != 0 ]; then
	mkdir -m 0 "$logs/closed"
	assert_exit 0 strata report ranks "$logs"
	assert_line "$work/err" '1 directory could not be listed'
	rmdir "$logs/closed"
fi

# ---- summaries: folders of them are runs as those of their traces ----
sums=$work/sums/of
assert_exit 0 strata summarize -q -o "$sums" "$logs"
assert_equal "folders of summaries" "$(cd "$logs" && find . -name '*.json*' | sed 's/$/.strsum/' | sort)" \
	"$(cd "$sums" && find . -type f | sort)"
assert_exit 0 strata summarize -o "$sums" "$logs"
assert_line "$work/err" 'summaries written: 0, up to date: '
assert_equal "runs of summaries" "$(rows runs run,name,shown,ranks,spans,steps,step_ns,device "$logs")" \
	"$(rows runs run,name,shown,ranks,spans,steps,step_ns,device "$sums")"
assert_equal "ranks of a run" "$(rows ranks rank,pid,step_ns "$logs" --run night --span 2)" \
	"$(rows ranks rank,pid,step_ns "$sums" --run night --span 2)"
assert_exit 0 strata merge -q -o "$work/one.strsum" "$sums"/new/*.175141.*
assert_equal "a merged file is one run" "2,1 " "$(rows runs ranks,spans "$work/one.strsum")"
cp "$work/one.strsum" "$sums/new"
assert_equal "a summary that is there twice" "new,2,2 " \
	"$(rows runs name,ranks,spans "$sums" | tr ' ' '\n' | grep new | tr '\n' ' ')"
cp "$work/one.strsum" "$sums/copy.strsum"
assert_equal "in another folder it is another run" "of,2,1 base/day1,2,2 new,2,2 night,2,2 " \
	"$(rows runs name,ranks,spans "$sums" | sed 's/of\///g')"
rm "$sums/copy.strsum"
mkdir "$work/first" && mv "$logs"/base/day1/* "$work/first"
rows calls name "$logs" --run night >"$work/of-trace"
rows calls name "$sums" --run night --from-trace >"$work/of-summary"
cmp "$work/of-trace" "$work/of-summary" || fail "the trace of another run was opened"
assert_exit 0 strata report ranks -q "$sums" --run night --from-trace
assert_exit 4 strata report calls "$sums" --run day1 --from-trace
assert_line "$work/err" 'the trace of the summary is not there'
mv "$work"/first/* "$logs/base/day1"
assert_exit 0 strata summarize -q -o "$work/beside-sums" "$work/beside"
assert_equal "summaries of companions are no ranks" "1,2 " "$(rows runs ranks,companions "$work/beside-sums")"
cat >"$work/script" <<END
:save-screen $work/list
j<Enter>
:save-screen $work/second
<Backspace>
gd
:save-screen $work/compared
:run night
:rank 1
:from-trace
:view calls
:save-screen $work/calls
END
assert_exit 0 strata "$sums" --script "$work/script" --size 120x30
assert_line "$work/list" '3  night +no'
assert_line "$work/second" '^ strata +new  run 2 of 3  span 1 of 2'
assert_line "$work/compared" '^ strata +new against day1  run 2 of 3'
assert_line "$work/calls" 'run 3 of 3  span 1 of 2  rank 1 of 2'
assert_line "$work/calls" 'aten::'

# ---- the explorer ----
cat >"$work/script" <<END
:save-screen $work/list
j<Enter>
:save-screen $work/second
<Backspace>
:save-screen $work/back
gd
:save-screen $work/compared
:run night
:worker 101
:save-screen $work/worker
:worker host
:save-screen $work/workers
:open $work/job/rank0
:save-screen $work/added
:run nowhere
:save-screen $work/refused
:open $work/none
:save-screen $work/failed
:runs
gd
:save-screen $work/itself
END
assert_exit 0 strata "$logs" --script "$work/script" --size 120x30
assert_line "$work/list" '1  base/day1 +yes'
assert_line "$work/list" '3  night +no'
assert_line "$work/list" 'Enter Open  d Compare'
assert_line "$work/second" '^ strata +new  run 2 of 3  span 1 of 2'
assert_line "$work/second" '^\[1 Overview\]'
assert_line "$work/back" '2  new +yes'
assert_line "$work/compared" '^ strata +new against day1  run 2 of 3'
assert_line "$work/compared" 'Verdict'
assert_line "$work/worker" 'run 3 of 3  span 1 of 2  rank 1 of 2'
assert_line "$work/workers" "2 workers have 'host' in their names"
assert_line "$work/added" '4  rank0 +no'
assert_line "$work/added" '3  logs/night +yes'
assert_line "$work/refused" 'unknown run nowhere; there are 4'
assert_line "$work/failed" 'none: holds no profile'
assert_line "$work/itself" 'Diff|this is the run that is shown'

# A recording of another run and span opens from the list of all.
printf ':recordings\nG<Enter>\n:save-screen %s\n' "$work/recording" >"$work/script"
assert_exit 0 strata "$logs" --script "$work/script" --size 120x30
assert_line "$work/recording" '^ strata +night  run 3 of 3  span 2 of 2'
assert_line "$work/recording" '^\[1 Overview\]'

# One run is shown at once, as before.
printf ':save-screen %s\n' "$work/one" >"$work/script"
assert_exit 0 strata "$logs/new" --script "$work/script" --size 120x30
assert_line "$work/one" '^\[1 Overview\]'
assert_exit 0 strata "$logs" --run new --script "$work/script" --size 120x30
assert_line "$work/one" '^ strata +new  run 2 of 3'

if [ -d "$corpus/kineto/dlrm_8ranks" ] && [ -d "$corpus/kineto/tb_samples" ]; then
	mkdir -p "$work/real/dlrm" "$work/real/deep/resnet"
	ln -s "$corpus"/kineto/dlrm_8ranks/worker[01]_* "$work/real/dlrm"
	ln -s "$corpus"/kineto/tb_samples/resnet50_num_workers_0/* "$work/real/deep/resnet"
	assert_equal "real runs" "deep/resnet,1,2,Tesla V100-DGXS-32GB dlrm,2,1,Tesla V100-SXM2-32GB " \
		"$(rows runs name,ranks,spans,device "$work/real")"
	assert_exit 0 strata diff "$work/real/dlrm" "$work/real/deep" --view operators
	assert_line "$work/err" 'Comparable: no; only [0-9]+% of the time is in rows of both runs; the devices differ; the base has 2 ranks, the new run 1'
else
	echo "kineto is not here: its runs are not listed"
fi
