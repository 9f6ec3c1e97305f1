# pstats reports match Python's pstats byte for byte, on generated and real profiles; line profiles
# and memory samples match their tools' output.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_command python3

cat >"$work/program.py" <<'PY'
import json

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

class Model:
    def forward(self, x):
        return sorted(json.loads(json.dumps(list(range(x)))), key=lambda v: -v)

def a_function_with_ümläuts():
    return [Model().forward(100) for _ in range(20)]

fib(15)
a_function_with_ümläuts()
PY
python3 -m cProfile -o "$work/made.prof" "$work/program.py" || skip "no cProfile here"
python3 -m profile -o "$work/slow.prof" "$work/program.py"

cat >"$work/print.py" <<'PY'
import pstats, sys
sys.stdout.reconfigure(encoding='utf-8')
stats = pstats.Stats(sys.argv[1])
if sys.argv[2]:
    stats.sort_stats(sys.argv[2])
stats.print_stats(*map(int, sys.argv[3:]))
PY

# The first line has the file's modification date in the locale's words.
assert_same_pstats()
{
	for key in '' cumulative tottime ncalls pcalls name line filename nfl stdname \
		file std; do
		python3 "$work/print.py" "$1" "$key" | tail -n +2 >"$work/expected"
		strata report pstats -q ${key:+--sort-by "$key"} "$1" | tail -n +2 >"$work/got"
		cmp -s "$work/expected" "$work/got" || fail "pstats by ${key:-nothing} of $1"
	done
	python3 "$work/print.py" "$1" tottime 7 | tail -n +2 >"$work/expected"
	strata report pstats -q --sort-by tottime -n 7 "$1" | tail -n +2 >"$work/got"
	cmp -s "$work/expected" "$work/got" || fail "the first rows of pstats of $1"
}

assert_same_pstats "$work/made.prof"
assert_equal "calls of fib" "$(strata query -q -f csv "SELECT calls, primitive_calls FROM python
	WHERE function = 'fib'" "$work/made.prof" | tr -d '\r' | tail -n 1)" "1973,1"
# Callers are beside the function, also in few columns: some rows differ in them alone.
printf ':view python\n/fib<Enter><Enter>\n:save-screen %s\n' "$work/callers" >"$work/script"
assert_exit 0 strata "$work/made.prof" --script "$work/script" --size 80x24
assert_line "$work/callers" '^ Function +Caller +Self'
# The strip of a built-in function names no file or line: pstats has "~" and 0.
python3 "$work/print.py" "$work/made.prof" tottime >"$work/made.txt"
for file in made.prof made.txt; do
	assert_equal "place of sorted in $file" "$(strata query -q -f csv "SELECT file, line FROM python
		WHERE name = '{built-in method builtins.sorted}'" "$work/$file" | tr -d '\r' | tail -n 1)" "~,0"
	for size in 80x30 160x45; do
		printf ':view python\n/builtins.sorted<Enter>\n:save-screen %s\n' "$work/strip" >"$work/script"
		assert_exit 0 strata "$work/$file" --script "$work/script" --size $size
		sed '1,/^──/d' "$work/strip" >"$work/got"
		grep -q 'builtins.sorted' "$work/got" || fail "no strip of $file"
		! grep -E 'File +~|Line +0' "$work/got" || fail "the strip of a built-in function names a place"
	done
done
# With a trace: the functions are those of the profile, all else is the trace's.
tracegen --stacks 2 -o "$work/trace.json"
for files in "$work/made.prof $work/trace.json" "$work/trace.json $work/made.prof"; do
	strata report pstats -q --sort-by tottime $files | tail -n +2 >"$work/got"
	python3 "$work/print.py" "$work/made.prof" tottime | tail -n +2 >"$work/expected"
	cmp -s "$work/expected" "$work/got" || fail "pstats of $files"
	for view in operators kernels steps stacks overview advice; do
		strata report $view -q -f csv "$work/trace.json" >"$work/alone"
		strata report $view -q -f csv $files >"$work/got"
		cmp -s "$work/alone" "$work/got" || fail "$view of $files"
	done
	assert_equal "the run of $files" trace.json \
		"$(strata report runs -q -f csv -c name $files | tr -d '\r' | tail -n 1)"
done
# Of two traces, none is known to be the one that was profiled.
tracegen --stacks 2 --rank 1 --world 2 -o "$work/other.json"
assert_exit 0 strata info -q "$work/trace.json" "$work/other.json" "$work/made.prof"
assert_line "$work/out" 'Python functions not joined +made.prof'

# The pure Python profiler also marshals its own code.
assert_exit 0 strata report python -q "$work/slow.prof"

cat >"$work/samples.dat" <<'DAT'
CMDLINE python x.py
MEM 10.5 1690000000.1234
CHLD 77 5.5 1690000000.6
MEM 30.515625 1690000001.0000
CHLD 77 6.25 1690000001.1
CHLD 78 1 1690000001.1
MEM 20 1690000002
DAT
strata report mprof -q "$work/samples.dat" >"$work/got"
printf '%s\t30.516 MiB\n  Child 77\t\t\t6.250 MiB\n  Child 78\t\t\t1.000 MiB\n' \
	"$work/samples.dat" >"$work/expected"
cmp -s "$work/expected" "$work/got" || fail "the peak that mprof prints"

need_corpus python
for real in $(some "$corpus"/python/py_cprofile/*); do
	assert_same_pstats "$real"
done
for real in $(some "$corpus"/python/*/*); do
	assert_exit 0 strata report python -q -f csv "$real"
	[ "$(wc -l <"$work/out")" -gt 1 ] || fail "no rows: $real"
done

# line_profiler's report: sums per function and line of the pickles, computed by Python.
for real in "$corpus"/python/py_line_profiler/*; do
	python3 - "$real" >"$work/expected" <<'PY'
import pickle, sys
class LineStats: pass
class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        assert name == 'LineStats'
        return LineStats
stats = Reader(open(sys.argv[1], 'rb')).load()
print('Timer unit: 1e-06 s')
for (file, first, name), lines in sorted(stats.timings.items()):
    total = sum(line[2] for line in lines)
    print('Total time: %g s' % (total * stats.unit))
    for number, hits, time in lines:
        print(number, hits, '%.1f' % (100 * time / total) if total else '')
PY
	strata report lprof -q "$real" | awk '/^Timer|^Total/ { print }
		/^ *[0-9]+ +[0-9]/ { print $1, $2, $5 }' >"$work/got"
	cmp -s "$work/expected" "$work/got" || fail "the line profile $real"
done
