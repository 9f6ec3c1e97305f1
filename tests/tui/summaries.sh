# A summary in the explorer: its views, and the trace of one rank opened from it.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

mkdir "$work/traces"
for rank in 0 1; do
	tracegen --rank $rank --world 2 -o "$work/traces/rank$rank.json"
done
strata summarize -q -o "$work/sums" "$work/traces"
strata merge -q -o "$work/run.strsum" "$work/sums"

play 120x35 "$work/run.strsum" <<END
:save-screen dashboard
5
:save-screen timeline
8
:save-screen ranks
:rank 1
4
:save-screen kernels
<Enter>
:save-screen opened
<Enter>
:save-screen launches
:view calls
:save-screen calls
END
shows dashboard 'Top Kernels'
shows timeline 'A summary holds no events; :from-trace opens its trace'
shows ranks 'GPU0'
shows kernels 'run > rank 1'
shows opened 'trace opened; Enter drills down'
shows opened 'run > rank 1'
for name in kernels opened; do # apart from the title and the last line, the same
	sed -n '4,25p' "$work/$name" | cut -c1-100 >"$work/rows-of-$name"
done
cmp "$work/rows-of-kernels" "$work/rows-of-opened" || fail "the trace has other kernels"
shows launches 'run > rank 1 > '
shows launches 'kernel +[0-9]'
shows calls 'aten::'

# The heat map of ranks: the cursor reads a cell, Enter goes to its rank.
play 120x35 "$work/run.strsum" <<END
:view rank-time
P
:save-screen heat
llk
:save-screen moved
0
<Enter>
:save-screen entered
END
shows heat 'Computation.*Communication.*Rank Wait.*Idle'
shows heat 'Rank Wait +[0-9.]+ ?%'
shows entered 'rank [01]'
! cmp -s "$work/heat" "$work/moved" || fail "the cursor did not move"

# Views that need events say where they are; without the trace nothing changes.
rm "$work/traces/rank0.json"
play 120x35 "$work/run.strsum" <<END
:view calls
:save-screen calls
:from-trace
:save-screen gone
END
shows calls 'its trace is not there'
shows gone 'rank0.json: the trace of the summary is not there, or has changed'

play 120x35 <<END
:from-trace
:save-screen demo
END
shows demo 'this is no summary'

# Of more ranks than the screen has lines, what is said of them all is in the strip.
rm "$work"/traces/*
rank=0
while [ $rank -lt 20 ]; do
	tracegen --layers 1 --stacks 0 --rank $rank --world 20 --straggler 7:2 -o "$work/traces/rank$rank.json"
	rank=$((rank + 1))
done
strata summarize -q -o "$work/twenty" "$work/traces"
for size in 100x24 100x40; do
	play $size "$work/twenty" <<-END
	8
	:save-screen $size
	END
done
shows 100x24 '^ Note Rank 7 is the straggler of group 0: over all s'
shows 100x40 '^ Rank 7 is the straggler of group 0: over all steps it waits'
hides 100x40 'Note'
