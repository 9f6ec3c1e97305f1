# The timeline: opening it, moving in time and across lanes, links, markers, search, narrowing.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# Screens, whole and zoomed in, at every size; also in ASCII.
for size in 160x45 80x24 40x12; do
	play $size <<-'END'
	5
	:save-screen timeline
	++++
	:save-screen zoomed
	:set ascii
	:save-screen ascii
	END
	for name in timeline zoomed; do
		cp "$work/$name" "$work/$name-$size"
		screen "$name-$size"
	done
	! LC_ALL=C grep -q '[^ -~]' "$work/ascii" || fail "non-ASCII output"
	shows ascii '[@#]'
done

# With only arrows, Enter, Esc, ? and q one gets from the overview to the slowest kernel on the
# timeline and back.
sql="SELECT name, dur_ns FROM launches WHERE kind = 'kernel' ORDER BY dur_ns DESC LIMIT 1"
strata query "$sql" --demo -q -f csv --raw | tr -d '\r' | sed 1d >"$work/slowest"
slowest=$(sed 's/^"*\(void \)*\([A-Za-z0-9_]*::\)*\([A-Za-z0-9_]*\).*/\3/' "$work/slowest")
[ "$slowest" ] || fail "the slowest kernel has no name"
down=$(strata report overview --demo -q | sed 1,2d | grep -n 'Slowest Launch  ' | cut -d: -f1)
downs=$(printf '<Down>%.0s' $(seq 2 "$down"))
play 160x45 <<END
:view overview
:save-screen start
$downs
:save-screen row
<Enter>
:save-screen place
<Left><Right><Up><Down>
?
:save-screen help
<Esc><Esc>
:save-screen back
qq
:save-screen never
END
shows row '^>.*Slowest Launch'
shows place '\[5 Timeline\]'
shows place "Name (.*::)?$slowest"
shows place '^> *work .*│'
shows place '│.*░'
shows help 'on the timeline'
same row back
[ ! -e "$work/never" ] || fail "two q at the top do not quit"

# The same through layers, operators, calls and launches: Enter down, Esc up.
play 160x45 <<'END'
:view overview
<Enter>
:save-screen layers
<Enter><Enter><Enter>
:save-screen launches
<Enter>
:save-screen timeline
<Enter>
:save-screen row
<Esc><Esc><Esc><Esc><Esc><Esc>
:save-screen top
END
shows layers '\[2 Layers\]'
shows launches '\[Launches\]'
shows timeline '\[5 Timeline\]'
shows row '\[Launches\]'
name=$(sed -n 's/^>\([^ ~…]*\).*/\1/p' "$work/launches" | cut -c1-15)
shows timeline "Name $name"
selected row "$name"
shows top '\[Overview\]'

# f opens it from rows of any view.
for view in steps layers modules operators calls kernels launches streams links utilization; do
	play 160x45 <<-END
	:view $view
	j
	f
	:save-screen $view
	<Esc>
	:save-screen back
	END
	shows $view '\[5 Timeline\]'
	shows $view '^>'
	hides back 'Timeline\]'
done
shows steps 'Name ProfilerStep'
shows calls 'Name aten::'
shows links '[<*]|[0-9.]+ [mu]s ▸$'

# From rows without a time it shows the whole run.
play 120x30 <<'END'
:view overview
f
:save-screen fact
<Esc>8f
:save-screen rank
END
shows fact '\(46.36 ms\)'
shows rank '\(46.36 ms\)'

# Zoom is around the cursor and reversible; pan and overview map; fit.
play 160x45 <<'END'
5
:save-screen all
+w
:save-screen in
-s
:save-screen out
+++d
:save-screen right
a
:save-screen left
0
:save-screen again
S
:save-screen step
f
:save-screen fit
END
same all out
same all again
shows in 'v'
! cmp -s "$work/all" "$work/in" || fail "zoom does not change the screen"
! cmp -s "$work/left" "$work/right" || fail "pan does not change the screen"
shows right ' all +.*\[.*\]'
shows step '^> steps +a│─+Prof.*#3─+$'
shows step '^ Name ProfilerStep#3'
shows step 'GPU Busy [0-9.]+ %'
shows step 'Idle launch'
shows step ' Top GPU Work sm80'

# It opens on the time with device work, F shows all. A gap says who owns it, as the gaps view does;
# } frames it with its neighbors, Enter opens its row, [ what the CPU did.
cat >"$work/late.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "setup", "pid": 1, "tid": 1, "ts": 0, "dur": 10},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1000000,
 "dur": 10, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "first_kernel", "pid": 0, "tid": 7, "ts": 1000020, "dur": 60,
 "args": {"correlation": 1, "device": 0, "stream": 7}},
{"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "ts": 1000085, "dur": 3900,
 "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1004000,
 "dur": 10, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "last_kernel", "pid": 0, "tid": 7, "ts": 1004030, "dur": 70,
 "args": {"correlation": 2, "device": 0, "stream": 7}}
]}
END
play 160x45 "$work/late.json" <<'END'
5
:save-screen opened
}
:save-screen gap
<Enter>
:save-screen row
<Esc>[
:save-screen work
F
:save-screen all
END
shows opened '\(4\.[0-9]+ ms\)'
shows all '\(1\.00 s\)'
shows all 'GPU0 busy +│·+'
shows opened 'GPU0 busy .*data loader 3\.9[0-9]* ms, launch [0-9.]+ us'
shows gap '\([4-6]\.[0-9]+ ms\)'
shows gap 'Cause data loader 3\.9'
shows gap '^ CPU Work enumerate\(DataLoader\)'
shows gap '^ Before first_kernel'
shows gap '^ After last_kernel'
shows row '\[Gaps\]'
selected row '3\.95 ms'
shows work '^ Name enumerate\(DataLoader\)'
# Where no gap takes a cell, } finds one of the longer ones.
{
	printf '{"traceEvents": ['
	for i in $(seq 300); do
		ts=$((i * 100 + (i > 200) * 90))
		printf '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":99,"args":{"device":0,"stream":7}},' $ts
	done
	printf '{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":1,"dur":9}]}'
} >"$work/dense.json"
printf '5\n}\n:save-screen dense\n}\n:save-screen last\n' | play 160x45 "$work/dense.json"
shows dense ' lane idle 91.00 us '
shows dense '^ .*Cause '
shows last 'no later gap|idle 1\.00 us'
# A lane with one kernel has no gaps, but its device idles before and after.
cat >"$work/copies.json" <<'END'
{"traceEvents": [
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":8,"ts":0,"dur":100,"args":{"device":0,"stream":8}},
{"ph":"X","cat":"kernel","name":"only","pid":0,"tid":7,"ts":500,"dur":100,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH","pid":0,"tid":8,"ts":800,"dur":50,"args":{"device":0,"stream":8}},
{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":1,"dur":9}]}
END
printf '5\n}\n:save-screen after\n}\n:save-screen last\n{\n:save-screen before\n' | play 160x45 "$work/copies.json"
shows after ' device idle 200\.00 us '
shows after '^ .*Cause '
shows last 'no later gap'
shows before ' device idle 400\.00 us '
# with less room the names are brief, and shares stand for times
printf '5\n:save-screen narrow\n' | play 64x24 "$work/late.json"
shows narrow 'GPU0 busy .* Loader 99 %, Launch 1 %'

# What is between two markers, at once; Enter narrows to it.
play 160x45 "$work/late.json" <<'END'
5ma.mb
:save-screen range
<Enter>
:save-screen inside
END
shows range '^ GPU Busy 1\.5 %, 60\.00 us'
shows range 'Range 4\.01 ms'
shows range 'Idle launch 30\.00 us, data loader 3\.90 ms, dependency 20\.00 us'
shows range 'Top GPU Work first_kernel 60\.00 us'
shows inside '\(4\.01 ms\)'
# a name that is cut has the mark of the terminal's character set
sed 's/first_kernel/first_kernel_of_a_name_that_is_longer_than_the_strip_shows/' "$work/late.json" >"$work/long.json"
play 160x45 "$work/long.json" <<'END'
5ma.mb
:save-screen cut
:set ascii
:save-screen cut-ascii
END
shows cut 'Top GPU Work first_kernel[^ ~]*…[^ ]* 60\.00 us'
shows cut-ascii 'Top GPU Work first_kernel[^ ]*~[^ ]* 60\.00 us'

# Next and previous event and gap, first and last, with their description.
play 160x45 <<'END'
5
<Home>
:save-screen first
,
:save-screen none
..
:save-screen third
,
:save-screen second
<End>
:save-screen last
<Home>}
:save-screen gap
{
:save-screen back
:7
:save-screen seventh
END
tail -1 "$work/first" | grep -Eq ' 1/[0-9]+$' || fail "Home is not the first event"
shows none 'already at the first event'
tail -1 "$work/third" | grep -Eq ' 3/' || fail "not the third event"
tail -1 "$work/second" | grep -Eq ' 2/' || fail "not the second event"
tail -1 "$work/last" | grep -Eq ' ([0-9]+)/\1$' || fail "End is not the last event"
shows gap ' idle [0-9.]+ [mun]s '
shows back 'no earlier gap| idle [0-9.]+ [mun]s '
tail -1 "$work/seventh" | grep -Eq ' 7/' || fail ":7 is not the seventh event"

# Links: launch to kernel and back, forward to backward, both ends highlighted.
play 160x45 <<'END'
:view launches
/sm80<Enter>
f
:save-screen kernel
[
:save-screen call
]
:save-screen again
[[
:save-screen operator
]
:save-screen backward
[
:save-screen forward
END
shows call 'Name cudaLaunchKernel'
shows call '(earlier|later)'
shows call '[<*]'
name=$(sed -n 's/.* Name \([^ ]*\).*/\1/p' "$work/kernel" | cut -c1-30)
shows again "Name $name"
shows operator 'Name aten::'
shows backward 'Pass backward'
shows forward 'Pass forward'

# Markers: their distance, jumping to them, narrowing to the range between; the scope line shows it.
play 160x45 <<'END'
5m
:save-screen asked
<Esc>+++<Home>ma.....mb
:save-screen both
''a
'a
:save-screen at
r
:save-screen narrowed
4
:save-screen kernels
<Esc>z
:save-screen cleared
END
shows asked 'type a or b for a marker, another letter for a bookmark'
shows both 'A\.\.B .* \(Enter narrows'
shows both 'A\.\.B [0-9.]+ [mu]s'
shows narrowed 'run > time .*\.\.'
shows kernels '\[4 Kernels\]'
shows kernels 'run > time '
hides cleared 'A\.\.B'

# Search matches in time order, across lanes.
play 160x45 <<'END'
5
:lane thread 41207
<Home>
/batch_norm<Enter>
:save-screen hit
n
:save-screen next
N
:save-screen same
N
:save-screen wrapped
<Esc>
:save-screen gone
*
:save-screen name
/nothing_like_it<Enter>
:save-screen none
END
shows hit "1 of [0-9]+ matches 'batch_norm'"
hides hit '\*'
shows next "2 of [0-9]+ match"
same hit same
shows wrapped 'wrapped to the end'
shows gone 'search cleared'
shows name 'of [0-9]+ match'
shows none "no match for 'nothing_like_it'"

# Lanes: folded, pinned, hidden, found by name, moved; the layout carries over to another timeline.
play 100x48 <<'END'
5
:lane thread 41207
:save-screen open
e
:save-screen python
e
:save-screen folded
p
:save-screen pinned
:lane stream 20
H
:save-screen hidden
3f
:save-screen other
:lane nosuch
:save-screen nosuch
:lane GPU0 copies stream 20
:save-screen shown
C
:save-screen all-folded
E
:save-screen all-open
c
:save-screen chooser
END
shows open '^>▾python 41207'
shows python '^  +Python'
shows folded '^>▸python 41207'
[ "$(grep -n 'python 41207' "$work/pinned" | cut -d: -f1)" -lt \
	"$(grep -n 'GPU0 compute s7' "$work/pinned" | cut -d: -f1)" ] || fail "pinned, but not at the top"
hides hidden 'stream 20'
hides other 'stream 20'
shows other 'python 41207'
shows nosuch "unknown lane 'nosuch'"
shows shown '^>.GPU0 copies s20'
hides all-folded '▾GPU|▾thread'
shows all-open '^.▾python 41207'
shows chooser 'Lanes \(Space toggles'

# After hiding a lane the cursor is on the one that takes its place.
play 100x40 <<'END'
5
:lane stream 20
H
:save-screen hidden
END
selected hidden 'python 41207'

# Changing lanes selects the event nearest in time; braille and letters on request.
play 160x45 <<'END'
5
++++j
:save-screen down
k
:save-screen up
:set braille
:save-screen braille
:set nobraille
:set letters
:save-screen letters
END
shows braille '⣾|⣷|⣼'
shows letters '^ +│.*fff'

# Text export equals the report's picture of this time range.
play 120x30 <<END
5
:write $work/picture.txt
+++
:write $work/zoomed.txt
Y
:save-screen copied
y
:save-screen name
END
strata report timeline --demo -q -w 120 | head -8 >"$work/report"
head -8 "$work/picture.txt" | cmp - "$work/report" || fail "the picture differs from the report"
! cmp -s "$work/picture.txt" "$work/zoomed.txt" || fail "the picture does not change with zoom"
shows copied 'the row|copied|written'
shows name 'sm80|Memcpy'

# Narrowing commands keep the timeline; an empty scope is reported and undone.
play 120x30 <<'END'
5
:steps 4..4
:save-screen step
:device 0
:stream 20
:save-screen stream
:steps 99
:save-screen none
END
shows step 'run > step 4'
shows step 'ProfilerStep#4'
hides step 'ProfilerStep#5'
hides stream 'GPU0 compute s7'
shows none 'unknown step; the steps are'
shows none 'run > .*stream 20'

# Empty traces, one event, no device, every size.
printf '{"traceEvents":[]}' >"$work/empty.json"
printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a\\u001b[2J","pid":1,"tid":1,"ts":0,"dur":0}]}' \
	>"$work/one.json"
for file in empty one; do
	for size in 160x45 30x8 20x3 1x1; do
		printf '%s\n' '5+-adf0F.,{}[]jkeEpHczmambr<Esc>OnN*' ":save-screen s" |
			play $size "$work/$file.json"
	done
done

# Events are filtered by name and by length, shown in the title; Backspace undoes it. The time shown
# stays.
play 160x45 <<'END'
5++
:save-screen all
&gemm<Enter>
:save-screen gemm
:min-duration 100us
:save-screen long
<Backspace><Backspace>
:save-screen back
:min-duration x
:save-screen wrong
&(<Enter>
:save-screen invalid
<Esc>&nosuchkernel<Enter>
:save-screen none
END
window() { sed -n 's/^ run  \([^(]*\)(.*/\1/p' "$work/$1"; }
shows gemm '&gemm$'
shows long '&gemm  from 100.00 us on$'
[ "$(window all)" = "$(window gemm)" ] || fail "the filter changed the time shown"
[ "$(window all)" = "$(window long)" ] || fail "the length changed the time shown"
count() { sed -n '$s/.*[/]\([0-9]*\)$/\1/p' "$work/$1"; }
[ "$(count gemm)" -gt "$(count long)" ] || fail "the length leaves out nothing"
same all back
shows wrong "'x' is not a duration"
shows invalid '\('
hides none 'stream|thread'

# The cursor and the markers continue through idle lanes, as do the ticks.
play 120x30 <<'END'
5ma
:save-screen lines
END
at=$(sed -n '4s/A.*//p' "$work/lines" | wc -m)
grep -Ec "^.{$((at - 1))}│" "$work/lines" >"$work/count"
[ "$(cat "$work/count")" -ge 3 ] || fail "the marker has no line"
shows lines '┊'

# The launch call of the selected kernel is marked and joined to it; a legend names the colors.
# Marks of the profiler itself are hidden until chosen.
play 150x45 <<'END'
:view launches
/sm80<Enter>
f
:save-screen linked
:lane thread 0
:save-screen chosen
END
shows linked '^ +r│.*[*<]'
shows linked '│'
shows linked '█ f forward +█ b backward +█ k kernel'
hides linked '^ +thread 0 '

# The legend names the kinds on the lines, and no others.
hides linked '█ C communication|█ M module|█ p python|█ x other'
shows all '█ r runtime'
hides gemm '█ r runtime'

# Events that begin before the window or end after it have marks at its edges.
play 120x45 <<'END'
5
:save-screen whole
++
:save-screen inside
END
hides whole '[◂▸]$'
shows inside '^  steps +a│◂ProfilerStep#[0-9]─+▸$'
grep -Eq '^── GPU0 ─+$' "$work/inside" || fail "no rule above the streams"
grep -Eq '^── CPU [─┬┴┼]+$' "$work/inside" || fail "no rule above the threads"
strata report timeline -q --ascii -w 100 --time 6ms..8ms --demo >"$work/text"
grep -Eq '^steps .*\|<ProfilerStep#[0-9].*>' "$work/text" || fail "the report does not mark events that are cut"

# Ranks share one axis: few are above the lanes of the shown rank, many below; each is read when it
# is on the screen.  A narrowed timeline has none.
mkdir "$work/two" "$work/ten"
for rank in 0 1 2 3 4 5 6 7 8 9; do
	tracegen --steps 1 --layers 1 --stacks 0 --rank $rank --world 10 --seed $rank -o "$work/ten/rank$rank.json"
done
cp "$work/ten/rank0.json" "$work/ten/rank1.json" "$work/two"
play 120x45 "$work/two" <<'END'
5
:save-screen few
:filter gemm
:save-screen narrow
END
shows few 'Other ranks: clocks aligned by collectives'
shows few '^  rank 1 +│.*[▁▂▃▄▅▆▇█]'
[ "$(grep -n '^  rank 1' "$work/few" | cut -d: -f1)" -lt "$(grep -n 'GPU0 compute s7' "$work/few" | cut -d: -f1)" ] ||
	fail "other ranks are below the lanes"
shows few 'GPU0 SM eff'
hides narrow 'Other ranks'
# Enter on an event of another rank opens its kernel there, links lead on in that rank.
play 120x45 "$work/two" <<'END'
5
kkkk.
:save-screen event
<Enter>
:save-screen kernel
<Backspace>
:save-screen again
[
:save-screen launcher
END
shows event '^> rank 1 '
shows event ' Rank 1$'
shows event '^ Name '
shows event '^── rank 0 GPU0 ─'
shows kernel 'rank 1 of 10'
shows kernel '\[Launches'
start=$(grep -o 'Start [0-9.]* [mu]s' "$work/event" | head -1)
[ "$start" ] && selected kernel "${start#Start }"
same event again
shows launcher 'rank 1 of 10'
shows launcher '\[Calls'
play 120x40 "$work/ten" <<'END'
5
:save-screen top
jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj
:save-screen bottom
END
hides top '^  rank [0-9]'
shows bottom '^. rank 9 +│.*[▁▂▃▄▅▆▇█]'
shows bottom 'Rank 9'
shows bottom 'Other ranks: clocks aligned'
strata report timeline -q -w 100 "$work/two" >"$work/text"
grep -q '^rank 1 .*│.*[▁▂▃▄▅▆▇█]' "$work/text" || fail "the report has no other rank"
grep -q '^Other ranks: clocks aligned' "$work/text" || fail "the report does not name the clocks"

# The help says what the letters and signs of the timeline mean, after its keys.
for ascii in --demo "--ascii --demo"; do
	printf ':view timeline\n?\n/Signs<Enter>\n:save-screen signs\n' | play 80x40 "$ascii"
	shows signs '^ Signs of the timeline'
	shows signs '^  C +communication$'
	shows signs '^  p +python$'
	shows signs 'One event fills the cell$'
	shows signs '^  [▾v] [▴^] +Time of the cursor'
	! grep -q '█' "$work/signs" || hides signs '[@] +One'
done

# Without events no range is offered.
file=$(some python/py_cprofile/Redhatt__TF-NeRF-IMPL__profile.prof)
if [ -f "$corpus/$file" ]; then
	play 80x24 "$corpus/$file" <<'END'
5
:save-screen empty
END
	hides empty 'Space Range'
fi
