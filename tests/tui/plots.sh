# Plot panes: from a table to its plot and back, cursor, time ranges as scope, drilling from points
# to rows, flame graphs, files.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# Compare each plot with its reviewed screen.
for size in 160x45 80x24; do
	for plot in memory utilization steps roofline distribution flame; do
		printf '%s\n' ":plot $plot" ":save-screen plot-$plot-$size" | play $size
		screen plot-$plot-$size
	done
done

# P opens the plot of a view and returns to the row.
play 100x30 <<'END'
:view memory
P
:save-screen memory
P
:save-screen memory-table
:view utilization
P
:save-screen utilization
<Esc>
7jP
:save-screen steps
P
:save-screen steps-table
4jjP
:save-screen kernels
PkkP
:save-screen heaviest
<Enter>
:save-screen launches
P
:save-screen distribution
<Backspace><Backspace><Backspace>
3P
:save-screen operators
<Backspace>2P
:save-screen layers
<Backspace>
:view stacks
P
:save-screen stacks
<Backspace>
:view info
P
:save-screen none
END
shows memory '\[Memory\]'
shows memory-table '\[6 Memory\]'
shows utilization 'GPU Utilization'
shows steps 'Step 4 '
selected steps-table '^> +4 '
shows kernels 'Roofline of Kernels'
shows heaviest '1[34]\.[0-9]%'
shows launches '\[Launches\]'
shows launches '> sm80'
shows distribution 'Distribution of Launches'
shows operators 'Roofline of Operators'
shows layers 'Flame Graph of Layers'
shows stacks 'Flame Graph of Call Stacks by GPU Time'
shows none 'no plot of this view'

# The cursor shows values; zoom keeps it visible; Home and End select the first and last point.
play 100x30 <<'END'
:plot memory
:save-screen peak
<Home>
:save-screen first
<End>
:save-screen last
+++
:save-screen zoomed
0<Home><Down>
:save-screen reserved
END
shows peak 'Allocated 975.20 MiB   Time 5.13 ms'
shows first ' 1/661$'
shows last ' 661/661$'
shows zoomed 'zoomed'
shows zoomed ' 661/661$'
shows reserved 'Reserved 160.00 MiB   Time 3.28 ms   Allocated 152.15 MiB'

# A range: set with Space or m a and m b, cleared with Esc, applied as scope with Enter.
play 100x30 <<'END'
:plot utilization
<Home><Space>llllllllll
:save-screen drawing
<Space>ll<Esc>
:save-screen none
ma
llllllllllllllll
mb
:save-screen marked
<Enter>
:save-screen narrowed
7
:save-screen view
<Backspace>
:save-screen back
END
shows drawing 'Range '
shows drawing 'A=+\^'
hides none 'Range [0-9]'
shows marked 'b set'
shows narrowed 'run > time '
shows view 'run > time .*'
shows view '\[7 Steps\]'
shows back 'Range '
play 100x30 <<'END'
:plot steps
<Home><Space>l<Enter>
:save-screen steps
<Backspace><Backspace>
:plot memory
r
:save-screen all
++r
:save-screen zoomed
END
shows steps 'run > steps 3\.\.4'
shows all 'mark one with Space'
shows zoomed 'run > time '

# Drill down from points: from a step to its layers, from a histogram bin to its slowest launch.
play 100x30 <<'END'
:plot steps
<End><Enter>
:save-screen step
<Backspace>
:plot distribution
<End><Enter>
:save-screen launch
END
shows step 'run > step 5'
shows step '\[2 Layers\]'
shows launch '\[Launches\]'
shows launch ' 821.00 us'

# Home and End of a roofline: the leftmost and rightmost points; up and down move by rate.
play 100x30 <<'END'
:plot roofline
<Home>
:save-screen left
<Left>
:save-screen still
<End><Right>
:save-screen right
<Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up><Up>
:save-screen top
END
same left still
shows top '\(FLOP/s\) 1[0-9]{2} TFLOP/s'

# Search the points of a roofline; plots without names say so.
play 100x30 <<'END'
:plot roofline
/softmax<Enter>
:save-screen found
/nosuchkernel<Enter>
:save-screen none
<Esc>
:plot memory
/x<Enter>
:save-screen unnamed
END
shows found 'SoftMaxForward'
shows none "no match for 'nosuchkernel'"
shows unnamed 'only plots of points'

# Flame graphs: zoom in with Enter, out with Esc; matched share; inverted; reversed.
play 100x30 <<'END'
:plot flame
j<Enter>
:save-screen once
jj<Enter>
:save-screen twice
<Esc><Esc>
:save-screen out
/^aten::<Enter>
:save-screen match
<Esc>I
:save-screen inverted
Ittttt
:save-screen reversed
<End>
:save-screen hottest
END
shows once 'zoomed'
shows twice 'Frame BasicBlock'
hides out 'zoomed'
shows match 'Match [0-9.]+ %'
[ "$(grep -n '^ all' "$work/inverted" | cut -d: -f1)" -gt "$(grep -n '^ ResNet' "$work/inverted" | cut -d: -f1)" ] ||
	fail "inverted, the root is not at the bottom"
shows reversed 'Flame Graph of Call Stacks by GPU Time, Innermost First'
hides hottest 'Frame all'

# Frames are blocks in reverse video.
cat >"$work/script" <<END
:plot flame
:save-screen $work/flame.ans
:save-screen $work/flame.svg
END
assert_exit 0 strata --demo --script "$work/script" --size 100x30
grep -q "$(printf '\033\[0;7m ResNet_0')\|$(printf '\033\[0;1;7m ResNet_0')" "$work/flame.ans" || fail "frames are not filled"
grep -q '<rect .*height="17" fill' "$work/flame.svg" || fail "frames are not filled in the picture"
# without colors the selected one, "all", is not drawn as the others are
printf ':theme mono\n:view plot-flame\n:save-screen %s/flame.ans\n' "$work" >"$work/script"
assert_exit 0 strata --demo --color always --script "$work/script" --size 120x35
! grep "$(printf '\033')"'\[[0-9;]*7m *all  ' "$work/flame.ans" || fail "the selected frame is reversed, as others"

# Numbers in an exported file equal those on the screen; SVG export.
cat >"$work/script" <<END
:plot memory
:write $work/memory.svg
:write $work/memory.txt
:write $work/memory.csv
:save-screen $work/refused
:plot nothing
:save-screen $work/unknown
:plot flame sideways
:save-screen $work/sideways
END
assert_exit 0 strata --demo --script "$work/script" --size 100x30
grep -q '</svg>' "$work/memory.svg" || fail "no SVG file was written"
shows memory.txt '^Peak GPU0 +975.20 MiB'
shows refused 'must end in .svg or .txt'
shows unknown "unknown plot 'nothing'"
shows sideways "this plot has no grouping 'sideways'"
[ ! -e "$work/memory.csv" ] || fail "a refused file was written"

# Any size, any character set; braille on request.
for size in 20x3 21x4 25x8 40x12 300x80; do
	for plot in memory utilization steps roofline distribution flame; do
		printf "%s\n" ":set ascii" ":plot $plot" "llkjj++<PageDown>--0<Home><End><Space>l<Esc>zI" ":save-screen s" |
			play $size
		awk -v most="${size%x*}" 'length($0) > most { exit 1 }' "$work/s" ||
			fail "$plot at $size is too wide"
	done
done
printf '%s\n' ":plot memory" ":set braille" ":save-screen braille" ":set ascii" ":save-screen ascii" | play 100x30
shows braille '⣿'
! LC_ALL=C grep -q '[^ -~]' "$work/ascii" || fail "non-ASCII output"

# Profiles with nothing to draw give the reason.
printf '%s\n' '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":9}]}' >"$work/bare.json"
for plot in memory utilization roofline; do
	printf '%s\n' ":plot $plot" "jl<Enter>+" ":save-screen s" | play 100x30 "$work/bare.json"
	shows s '[Rr]ecord|nothing'
done

# Beside wide tables the same parts and sums, a bar a row; on narrow ones there is none.
mkdir "$work/job"
for rank in 0 1 2; do
	tracegen --steps 2 --layers 1 --stacks 0 --rank $rank --world 3 --straggler 1:2 -o "$work/job/rank$rank.json"
done
play 160x45 "$work/job" <<'END'
8
:save-screen ranks
:sort sync_ns
:save-screen waits
:sort rank
:save-screen again
:view collectives
:save-screen collectives
7
:save-screen parts
END
shows ranks 'Straggler .*Time by Part'
shows ranks '^    1 .*yes .* █+O*▓*·+'
shows ranks '  ▓ Communication'
# sorted by what communication consists of, that
shows waits 'Straggler .*Transfer, Wait'
shows waits '^>   0 .* no  *▓*w+ *$'
shows waits '  w Rank Wait'
hides waits '  ▓ Communication'
shows again 'Straggler .*Time by Part'
shows collectives 'Transfer, Wait'
shows collectives '  w Rank Wait'
shows parts 'TC and Input'
shows parts '  █ Tensor Cores'
# the slow rank has the longest bar of computation
bar() { grep "^.   $1 .*GPU" "$work/ranks" | sed 's/.* //; s/[^█]//g' | tr -d '\n' | wc -m; }
[ "$(bar 1)" -gt "$(bar 0)" ] || fail "rank 1 computes no longer than rank 0"
printf '8\n:save-screen narrow\n' | play 120x35 "$work/job"
hides narrow 'Time by Part'
printf ':save-screen %s/sums\n' "$work" >"$work/script"
assert_exit 0 strata diff "$work/job/rank0.json" "$work/job/rank1.json" --script "$work/script" --size 160x45
shows sums 'Cumulative Difference'
# the sums are a curve from the zero line of the first row
sed '1,/Cumulative Difference/d; /^ *$/,$d' "$work/sums" >"$work/curve"
sed 1q "$work/curve" | grep -Eq '●─*(┘|┊)|(└|┊)─*●' || fail "the curve does not start at zero"
! grep -Ev '●|│' "$work/curve" || fail "a row has no point of the curve"
shows curve ┊
# the sum of the last row is that of the column
total=$(strata diff "$work/job/rank0.json" "$work/job/rank1.json" --view diff -q -f tsv -c delta_gpu_ns |
	awk 'NR > 1 { sum += $1 } END { printf "%.2f ms", sum / 1e6 }')
grep -Fe "$total" "$work/sums" >/dev/null || fail "the sums do not reach $total"
# in another order they are those of that order
printf ':columns name,delta_gpu_ns\n:sort delta_gpu_ns\n:sort delta_gpu_ns\n<Home>\n:save-screen %s/sorted\n' "$work" >"$work/script"
assert_exit 0 strata diff "$work/job/rank0.json" "$work/job/rank1.json" --script "$work/script" --size 160x45
sed '1,/Cumulative Difference/d' "$work/sorted" | grep -oE '[0-9.]+ [mu]s' | sed -n 1,2p | uniq -d | grep -q . ||
	fail "the first sum is not that of the first row: $(sed -n 4,5p "$work/sorted")"

# Beside a wide table of operators: the shares of the largest and of the others, of the sorted column.
play 160x45 <<'END'
3
:save-screen shares
:sort cpu_self_ns
:save-screen cpu
:sort name
:save-screen by-name
:sort gpu_total_ns
:save-screen total
:shares 2
:save-screen two
:shares 0
:save-screen none
:shares x
:save-screen refused
END
shows shares 'Share of GPU Self'
first=$(strata query --demo -q -f tsv "SELECT printf('%.1f', 100.0 * max(gpu_self_ns) / sum(gpu_self_ns)) FROM operators" | sed 1d)
grep -A1 'Share of GPU Self' "$work/shares" | grep -Eq "███ +$first % aten::" || fail "the first share is not $first"
sed -n 's/.* \([0-9.]*\) % \(aten::\|others\|[A-Z]\).*/\1/p' "$work/shares" |
	awk '{ sum += $1 } END { exit !(NR > 3 && sum > 99 && sum < 101) }' || fail "the shares are not 100 %"
shows shares '░░░ +[0-9.]+ % others'
# The line of the cursor goes on after the slice, with one color to the end.
printf '3\n:save-screen %s/shares.ans\n' "$work" >"$work/script"
assert_exit 0 strata --demo --color always --script "$work/script" --size 160x45
assert_equal "changes of color after the slice" 2 \
	"$(sed -n '/^[^ ]*m>aten/s/.*███//p' "$work/shares.ans" | grep -o "$(printf '\033')" | wc -l)"
shows cpu 'Share of CPU Self'
hides by-name 'Share of'
hides shares 'totals overlap'
shows total 'Share of GPU Total'
shows total 'totals overlap'
[ "$(grep -cE '(███|▓▓▓|▒▒▒) .* % ' "$work/two")" -eq 2 ] || fail 'there are not two shares'
shows two '░░░ +[0-9.]+ % others'
hides none 'Share of'
shows refused "'x' is not a number"
printf '3\n:save-screen narrow\n:shares 5\n:save-screen asked\n' | play 120x35
hides narrow 'Share of'
shows asked 'Share of GPU Self'
# The strip does not repeat a column.
printf '4\n:save-screen kernels\n' | play 160x45
hides kernels ' TC (yes|no) '

# A plot opens on the first grouping with something to draw, unless one is asked for; notes wrap.
echo '/src/train.py:1:main;/src/model.py:7:run 900' >"$work/py.collapsed"
play 60x20 "$work/py.collapsed" <<'END'
:plot flame
:save-screen sampled
:plot flame layers
:save-screen layers
END
shows sampled 'Flame Graph of Call Stacks by CPU Time'
shows sampled 'model.py:7:run'
shows layers 'Flame Graph of Layers'
shows layers 'strata-recording\(7\)'
! sed 3d "$work/layers" | grep '…' || fail 'the note is cut' # but for the finding in the line of the scope

# Work without a launch is no file or module whose color the legend would take for a kind.
echo '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":9,"pid":1,"tid":1},
{"ph":"X","cat":"kernel","name":"gemm","ts":20,"dur":50,"pid":0,"tid":7,"args":{"device":0,"stream":7}}]}' \
	>"$work/unlinked.json"
printf ':view plot-flame\n:save-screen unlinked\n' | play 120x30 "$work/unlinked.json"
shows unlinked 'not launched in this profile'
shows unlinked 'GEMM'
hides unlinked 'GEMM  .*[a-z]'

# Where memory alone is known over time, its curve is the timeline.
for file in $(some python/py_scalene/plasma-umass__scalene__profile.json); do
	[ -e "$corpus/$file" ] || continue
	printf '5\n:save-screen curve\n5\n:save-screen again\n<Backspace>\n:save-screen back\n' |
		play 120x30 "$corpus/$file"
	shows curve '^ run  Memory over Time'
	shows curve '^10 MiB┤'
	shows curve '█ Allocated'
	hides curve 'f Timeline'
	same curve again
	shows back '\[1 Overview\]'
done

# A flame graph of stacks tells what its colors stand for.
printf 'main.run;lib.load 50\nmain.run;lib.save 30\n' >"$work/stacks.txt"
printf ':view plot-flame\n:save-screen colors\n' | play 80x24 "$work/stacks.txt"
shows colors "Color file or module"

# A printed table states the sum of all rows, of which it may list some: shares are of that.
cat >"$work/listed.txt" <<'END'
---------  ------------  ------------  ------------  ------------  ------------
     Name    Self CPU %      Self CPU   CPU total %     CPU total    # of Calls
---------  ------------  ------------  ------------  ------------  ------------
 aten::mm        40.00%     400.000us        40.00%     400.000us            10
aten::add        10.00%     100.000us        10.00%     100.000us            10
---------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 1.000ms
END
play 160x45 "$work/listed.txt" <<'END'
:save-screen first
:view operators
:save-screen listed
%
:save-screen percent
END
shows first 'aten::mm .* 40\.0 % 400'
shows listed '40\.0 % aten::mm'
shows listed '50\.0 % others'
shows percent '^.aten::mm .* 40\.0 %'
