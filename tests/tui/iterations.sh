# Redefined steps: choose an operator as step boundary and a range of iterations; the command line
# agrees.
. "${srcdir:-.}/tests/tui/lib.sh"

# From a module the first operator in it, in the tree of layers and in the list of modules.
play 160x45 <<END
2
jT
:save-screen layer
:view modules
jT
:save-screen module
END
shows layer 'step boundary: CONV2D_1'
shows module 'step boundary: CONV2D_2'

# From the steps into one of them, and to the operator there.
play 160x45 <<END
7
:save-screen own
jT
:save-screen inside
3
:filter ^aten::conv2d\$
T
:save-screen chosen
7
:save-screen cut
:write $work/steps.csv
4
:iterations 1..2
:columns name,calls,total_ns
:save-screen narrowed
:write $work/kernels.csv
7
:columns step,dur_ns,launches
:write $work/two.csv
END
shows own '3 steps'
shows inside 'T on an operator'
shows chosen 'step boundary: CONV2D_1'
shows chosen '4 steps by CONV2D_1'
shows cut 'iteration 3|^> *0 '

report() { strata report "$@" --key-node CONV2D_1 -q -f csv --demo; }
report steps -c "$(head -n 1 "$work/steps.csv" | tr -d '\r')" >"$work/expected"
cmp "$work/expected" "$work/steps.csv" || fail "the steps differ from those with --key-node"
report kernels --iter-start 1 --iter-stop 2 -c name,calls,total_ns >"$work/expected"
cmp "$work/expected" "$work/kernels.csv" || fail "the kernels differ from those with --iter-start, --iter-stop"
assert_equal "steps in the range" 3 "$(wc -l <"$work/two.csv")"

# On the first screen, which has no table, a range narrows as :steps does.
for command in iterations steps; do
	play 120x30 <<END
:$command 2..2
:save-screen $command
:iterations
:save-screen none
END
	shows "$command" 'unknown step; the steps are 3..5'
	shows none 'no table here'
done
cmp "$work/iterations" "$work/steps" || fail ":iterations and :steps differ on the first screen"

# By commands; marked steps form a range; back to the profile's own steps.
play 160x45 <<END
:key-node CONV2D_1
7
j<Space><Space>
:iterations
:columns step,dur_ns,launches
:write $work/marked.csv
:key-node none
:save-screen none
7
:save-screen again
:key-node NOTHING_1
:save-screen unknown
END
cmp "$work/two.csv" "$work/marked.csv" || fail "marked steps give another range"
shows none "step boundary reset"
same_steps() { sed 1,3d "$work/$1" | grep -c 'ms'; }
assert_equal "own steps" "$(same_steps own)" "$(same_steps again)"
shows unknown 'unknown op "NOTHING_1"'

# DLProf's report of these iterations lists the same kernels.
strata report dlprof-kernel --key-node CONV2D_1 --iter-start 1 --iter-stop 2 -q -f json \
	-c gpu_total_ns --demo | tr -dc '0-9\n' | awk '{ sum += $1 } END { printf "%d\n", sum }' >"$work/dlprof"
awk -F, 'NR > 1 { sum += $NF } END { printf "%d\n", sum }' "$work/kernels.csv" >"$work/views"
assert_equal "time of the kernels" "$(cat "$work/dlprof")" "$(cat "$work/views")"
assert_exit 2 strata report steps -q --key-node NOTHING_1 --demo

# A range as step boundary: footer and title name it.
awk 'BEGIN {
	event = "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}"
	printf "{\"traceEvents\":["
	for (i = 0; i < 4; i++) {
		t = 1000 + i * 100
		printf (i ? "," : "") event ",", "user_annotation", "Iteration " i, t, 90
		printf event ",", "user_annotation", "forward", t + 10, 50
		printf event, "cpu_op", "aten::mm", t + 20, 20
	}
	print "]}"
}' >"$work/ranges.json"
play 120x24 "$work/ranges.json" <<END
2
:save-screen ranges
E
:search ^forward
T
:save-screen range
:steps-from optimizer
:save-screen refused
:steps-from none
:save-screen reset
END
shows ranges '4 steps by Iteration N'
shows range 'step boundary: forward'
shows range '4 steps by forward'
shows refused "no steps from 'optimizer'"
shows reset '4 steps by Iteration N'
