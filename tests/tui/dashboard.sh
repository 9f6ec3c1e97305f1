# The dashboard: what it shows for each kind of profile at each size, and its keys.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

for size in 160x45 120x35 80x24 40x12; do
	echo ":save-screen dashboard-$size" | play $size
	screen "dashboard-$size"
done

# The first screen answers why it is slow: the costliest finding, with its gain, under the cursor.
first=$(strata report advice --demo -q -f csv -c problem | tr -d '\r' | sed -n '2s/"//gp')
[ -n "$first" ] || first=$(strata report advice --demo -q -f csv -c problem | tr -d '\r' | sed -n 2p)
for size in 160x45 80x24 40x12; do
	echo ":save-screen s" | play $size
	grep -F "$first" "$work/s" >/dev/null || fail "$size does not show: $first"
	[ "$(wc -l <"$work/s")" = "${size#*x}" ] || fail "$size is not complete"
done

# Enter opens the view at the row, Backspace returns to the same place; f shows it on the timeline.
play 160x45 <<'END'
:save-screen before
<Enter>
:save-screen finding
<Backspace>
:save-screen after
:search Top Kernels
:save-screen kernel
<Enter>
:save-screen kernels
<Backspace>t
:save-screen facts
1
:save-screen again
END
same before after
shows finding '\[9 Advice\]'
shows kernels '\[4 Kernels\]'
name=$(sed -n 's/.*>\([a-zA-Z_0-9]*\)….*/\1/p' "$work/kernel")
selected kernels "^>$name"
shows facts '^ *Section|\[Overview\]'
shows again '\[1 Overview\]'

# With arrows and Enter from the first screen to the gaps, in at most 3 keys with a jump.
play 160x45 <<'END'
:search GPU Gaps
<Enter>
:save-screen gaps
<Backspace>
G
:save-screen last
g
:save-screen first
}
:save-screen next
END
shows gaps '\[Gaps\]'
shows last '^>Input'
shows first '^>GPU0'
shows next '^ GPU0'

# Links lead from a line to the rows of other views, and back to the line.
play 160x45 <<'END'
:search aten::cudnn_convolution
:save-screen line
]
:save-screen linked
[
:save-screen returned
:search Input
]
:save-screen unlinked
END
shows linked '\[(2 Layers|3 Operators|4 Kernels)\]'
shows linked '(backward|kernel) of aten::cudnn_conv'
same line returned
shows unlinked 'nothing is linked|no link'

# The report and the explorer draw the same panels; ASCII shows the same words.
strata report dashboard --demo -q -w 100 >"$work/text"
for title in Step Findings 'Top Layers' 'Top Kernels' 'Top Operators' 'GPU Gaps'; do
	grep -q "$title" "$work/text" || fail "no panel $title"
done
awk 'length($0) > 400 { exit 1 }' "$work/text" || fail "too wide"
strata report dashboard --demo -q -w 100 --ascii >"$work/ascii"
! LC_ALL=C grep -q '[^ -~]' "$work/ascii" || fail "non-ASCII output"
[ "$(wc -l <"$work/text")" = "$(wc -l <"$work/ascii")" ] || fail "ASCII has other lines"

# Where few panels have lines, curves and bars grow, and a flame graph of the layers is below them.
cat >"$work/few.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100, "dur": 40},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 110, "dur": 5, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_nn", "pid": 0, "tid": 7, "ts": 120, "dur": 900,
 "args": {"correlation": 1, "device": 0, "stream": 7}}]}
END
for size in 160x45 80x24; do
	printf '1\n:save-screen few-%s\n' $size | play $size "$work/few.json"
done
shows few-160x45 'Flame Graph'
[ "$(unframed few-160x45 | sed -n '/Flame Graph/,$p' | grep -c .)" -ge 12 ] || fail 'the flame graph is low'
unframed few-160x45 | grep -A1 ' GPU0 *█' | tail -1 | grep -q '  █████' || fail 'the bar does not grow'
hides few-80x24 'Flame Graph'

# The drilled scope has its own dashboard.
play 120x35 <<'END'
7<Enter>1
:save-screen step
END
shows step 'Findings'

# Ranks: the title names the folder of the run; :rank all shows all of them again.
mkdir "$work/job"
for rank in 0 1; do
	tracegen --rank $rank --world 2 --seed $rank -o "$work/job/rank$rank.json"
done
play 120x35 "$work/job" <<'END'
:save-screen all
:rank 1
:save-screen one
:rank all
:save-screen again
4
:save-screen kernels
<Enter>
:save-screen first
END
shows all '^ strata  job '
echo ':save-screen slash' | play 120x35 "$work/job/"
shows slash '^ strata  job '
# folders of one file each are named after the one that they are in
mkdir -p "$work/night/rank0" "$work/night/rank1"
cp "$work/job/rank0.json" "$work/night/rank0"
cp "$work/job/rank1.json" "$work/night/rank1"
echo ":save-screen run" | play 80x24 "$work/night"
shows run "^ strata  night  rank 0"
shows all 'Ranks'
shows one 'rank 1'
shows again 'rank 0'
shows kernels 'all 2 ranks'
shows kernels '^ *Rank *Name'
shows first 'rank [01]'

# The busy share is all time of the device with work: also computation under communication.
busy=$(strata report devices -q -f csv \
	-c compute_ns,compute_overlapped_ns,exposed_communication_ns,exposed_copy_ns,dur_ns \
	"$work/job/rank0.json" | tr -d '\r' |
	awk -F, 'NR == 2 && $2 > 0 { printf "busy %.1f %%", 100 * ($1 + $2 + $3 + $4) / $5 }')
[ -n "$busy" ] || fail "nothing overlaps"
echo ":save-screen busy" | play 160x45 "$work/job/rank0.json"
shows busy "$busy"

# Where the legend has no room for all parts, the largest ones stay, with a mark.
echo ":save-screen narrow" | play 40x12
largest=$(strata report devices --demo -q -f csv | tr -d '\r' | awk -F, '
	NR == 1 { split($0, name) }
	NR == 2 { for (i = 1; i <= NF; i++)
		if (name[i] ~ /_ns$/ && name[i] !~ /^(start|dur|capture)/ && $i > most) { most = $i; best = name[i] }
		print best }')
[ "$largest" = compute_ns ] || fail "the largest part of the demo is $largest"
shows narrow '^ █ Compute .*  …'

# A comparison names both sides, and the first screen shows what changed.
strata --demo --base "$work/job/rank0.json" --script - --size 120x35 <<END
:save-screen $work/changed
END
shows changed 'against rank0.json'
shows changed 'Changed Operators'
strata --demo --base "$work/job/rank0.json" --script - --size 80x24 <<END
:save-screen $work/changed
END
shows changed 'Findings  [0-9]+ checks passed' # a sentence loses its end, not its middle

# Programs without operators: kernels.
for ns in 40 90; do
	printf '{"traceEvents": [' >"$work/kernels-$ns.json"
	for at in 1 2 3 4; do
		printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%d00,"dur":5,"args":{"correlation":%d}},
			{"ph":"X","cat":"kernel","name":"softmax_fused","pid":0,"tid":7,"ts":%d10,"dur":%d,"args":{"correlation":%d,"device":0,"stream":7}},
' $at $at $at $ns $at
	done >>"$work/kernels-$ns.json"
	echo '{"ph":"X","cat":"kernel","name":"copy","pid":0,"tid":7,"ts":550,"dur":9,"args":{"device":0,"stream":7}}]}' >>"$work/kernels-$ns.json"
done
strata "$work/kernels-90.json" --base "$work/kernels-40.json" --script - --size 160x45 <<END
:save-screen $work/changed
END
shows changed 'Changed Kernels'
shows changed '[+] softmax_fused .* 200.00 us GPU'
hides changed 'Nothing to compare'

# SVG: the screen as shown, in color; the dashboard as a report. The same words as the text.
well_formed() { ! command -v xmllint >/dev/null || xmllint --noout "$1" || fail "$1 is not XML"; }
words() { sed -n 's/.*<text[^>]*>\(.*\)<\/text>/\1/p' "$1" | sed 's/&lt;/</g; s/&amp;/\&/g' | tr -s ' \n' '\n' | sort; }
printf '%s\n' ":save-screen screen.svg" ":save-screen screen" | play 120x35
well_formed "$work/screen.svg"
words "$work/screen.svg" | sed '/^$/d' >"$work/svg-words"
tr -s ' \n' '\n' <"$work/screen" | sed '/^$/d' | sort >"$work/text-words"
for word in Findings Top Kernels busy Launch-Bound; do
	grep -qx -- "$word" "$work/svg-words" || fail "the SVG lacks $word"
done
strata report dashboard --demo -q -w 100 -o "$work/report.svg"
well_formed "$work/report.svg"
grep -q '<text[^>]*>.*Findings' "$work/report.svg" || fail "no findings in SVG"
[ "$(strata report dashboard --demo -q -w 100 -f svg | cksum)" = "$(cksum <"$work/report.svg")" ] ||
	fail "-f svg differs from -o FILE.svg"
strata report timeline --demo -q -o "$work/timeline.svg"
well_formed "$work/timeline.svg"
words "$work/timeline.svg" | grep -q 'ProfilerStep#3' || fail "no step in the timeline's SVG"

# A slow first step counts nowhere: the bar, the finding and the views have one share of busy time.
event() { printf '{"ph":"X","cat":"%s","name":"%s","ts":%d,"dur":%d,"pid":%s,"tid":%s,"args":{%s}},\n' "$@"; }
{
	printf '{"traceEvents":['
	for step in 0 1 2 3 4; do
		at=$((step ? 8000 + 1000 * step : 0))
		event user_annotation "ProfilerStep#$step" $at $((step ? 1000 : 9000)) 1 1 ''
		event cuda_runtime cudaLaunchKernel $((at + 10)) 5 1 1 "\"correlation\":$((step + 1))"
		event kernel gemm $((at + 20)) 300 0 7 "\"device\":0,\"stream\":7,\"correlation\":$((step + 1))"
	done
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/slow.json"
echo ":save-screen slow" | play 120x35 "$work/slow.json"
echo ":save-screen part" | play 160x45 "$work/slow.json"
shows part 'Step  1\.00 ms median of 5 \(4\.00 ms of 13\.00 ms examined\)'
shows slow '! Small part of the capture examined'
shows slow 'GPU0 .*busy 30\.0 %'
shows slow 'The GPU is idle for 690\.00 us per step \(69\.0 % of the time examined\)'
assert_equal "busy of devices" 30.0 \
	"$(strata query -q -f tsv "SELECT printf('%.1f', busy_pct) FROM devices" "$work/slow.json" | sed 1d)"
assert_equal "busy of the overview" 30.0 \
	"$(strata query -q -f tsv "SELECT printf('%.1f', value) FROM overview WHERE metric = 'busy_pct'" "$work/slow.json" | sed 1d)"
assert_equal "time examined" 4000000 \
	"$(strata query -q -f tsv "SELECT value FROM overview WHERE metric = 'examined'" "$work/slow.json" | sed 1d)"
# steps cut off by the capture are not in the median
sed '/"ts":12020/d' "$work/slow.json" >"$work/cut.json"
echo ":save-screen cut" | play 120x35 "$work/cut.json"
shows cut 'median of 4 of 5 steps'
# without steps, shares are of the time examined, which is said where it is not all; where
# columns are few, the range of the steps and the ends of the names of causes are left out
sed -e 's/"user_annotation","name":"ProfilerStep#[0-9]*"/"cpu_op","name":"work"/' \
	-e 's/{"ph":"i".*/{"ph":"X","cat":"cpu_op","name":"late","ts":90000,"dur":10000,"pid":1,"tid":1}]}/' \
	"$work/slow.json" >"$work/late.json"
echo ":save-screen late" | play 80x24 "$work/late.json"
shows late '^ Time  12\.[0-9]* ms of 100\.[0-9]* ms examined'
echo ":save-screen cut" | play 80x24 "$work/slow.json"
shows cut '^ Step  [0-9.]+ ms median of [0-9]+  '
echo ":save-screen brief" | play 40x12
shows brief '█ Compute [0-9.]+ %  D Loader [0-9.]+ %'
# one event is not "events"
sed '/cudaLaunchKernel","ts":12010/d' "$work/slow.json" >"$work/unlinked.json"
strata report advice -q -w 0 "$work/unlinked.json" >"$work/unlinked"
shows unlinked '1 GPU event \(20\.0 % of GPU time\) has no launch call'

# Places of functions, layers named by places, gaps without CPU work, and no rows that read 0.0 %.
cat >"$work/py.speedscope.json" <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[
{"name":"main","file":"/src/train.py","line":1},{"name":"run","file":"/src/model.py","line":7},
{"name":"run","file":"/src/data.py","line":3}]},"profiles":[{"type":"sampled","name":"t","unit":"milliseconds",
"startValue":0,"endValue":1000,"samples":[[0,1],[0,2]],"weights":[900,100]}]}
END
echo ":save-screen places" | play 120x35 "$work/py.speedscope.json"
unframed places | grep -A1 'Top Functions' | tail -1 | grep -q '^ model.py(7): run ' || fail "no place of a function"
# Where only functions were recorded, digits are those of views with rows; stacks are what there is.
play 80x24 "$work/py.speedscope.json" <<'END'
2
:save-screen functions
3
:save-screen stacks
<Tab>
:save-screen findings
9<S-Tab><S-Tab>
:save-screen back
END
shows functions '^ 1 Overview\[2 Python\]3 Stacks 9 Advice'
shows stacks '\[3 Stacks\]'
shows stacks '^> *900\.00 ms .*main'
shows findings '\[9 Advice\]'
same functions back
# Totals have no times to show on a timeline; findings without a gain have no header for it.
hides places 'f Timeline'
shows places 'Findings +[0-9]+ checks? passed'
hides places 'gain at most'

# Layers that have little of the time say nothing of where it goes.
{
	printf '{"traceEvents":['
	event cpu_op aten::conv2d 0 9000 1 1 ''
	event user_annotation 'Optimizer.step#SGD.step' 9100 90 1 1 ''
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/label.json"
echo ":save-screen label" | play 120x35 "$work/label.json"
shows label 'Top Operators'
hides label 'Top Layers'

# Kernels of one template keep the arguments in which they differ.
{
	printf '{"traceEvents":['
	event kernel 'void implicit_sgemm<float, float, 1024, 5, 5, 3, 3>(int)' 0 90 0 7 '"device":0'
	event kernel 'void implicit_sgemm<float, float, 128, 6, 7, 3, 3>(int)' 100 60 0 7 '"device":0'
	event cpu_op aten::conv2d 0 200 1 1 ''
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/alike.json"
echo ":save-screen whole" | play 100x35 "$work/alike.json"
shows whole '│void implicit_sgemm<float, float, 1024, 5, 5, 3, 3>\(int\) █' # below each other
echo ":save-screen alike" | play 80x24 "$work/alike.json"
shows alike 'implicit.*[~…]1024, 5'
shows alike 'implicit.*[~…]128, 6'
printf '%s\n' 4 ':save-screen kernels' | play 60x24 "$work/alike.json"
shows kernels 'implicit.*…1024, 5'
shows kernels 'implicit.*…128, 6'

# Lists with short names leave columns to those beside them. Behind a cause, too, names that would
# read alike keep where they differ. Frames end with their lines, what the file is with the screen.
{
	printf '{"traceEvents":['
	for i in 1 2 3 4 5 6; do
		event cpu_op "aten::x$i" $((i * 100)) 90 1 1 ''
		event user_annotation "load_the_weights_of_layer_${i}_from_the_disk" $((i * 100 + 1)) 80 1 1 ''
		event cuda_runtime cudaLaunchKernel $((i * 100 + 82)) 3 1 1 "\"correlation\":$i"
		event kernel "kernel_of_a_layer_with_the_number_$i" $((i * 100 + 90)) 9 0 7 "\"correlation\":$i,\"device\":0,\"stream\":7"
	done
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/columns.json"
for size in 160x60 120x24; do
	echo ":save-screen columns-$size" | play $size "$work/columns.json"
done
shows columns-120x24 ' kernel_of_a_layer_with_the_number_1 █'
shows columns-120x24 ' aten::x1 █'
sed 's/aten::x\([0-9]\)/load_the_weights_of_layer_\1_from_the_disk/' "$work/columns.json" >"$work/causes.json"
echo ":save-screen causes" | play 60x24 "$work/causes.json"
for i in 2 3 4; do
	shows causes "^ launch: load_[a-z_]*…${i}…[a-z_]* "
done
# Where rows are free, what the file is has a frame, with further facts, which is the last one; frames end with
# their lines.
awk '/^├─ Profile / { frame = NR } /^│File/ { file = NR } /^└(─)*┘/ { end = NR }
	/[^ ]/ && end && NR > end && NR < 60 { wrong = 1 } END {
	exit !(frame && file == frame + 1 && end > file + 5 && !wrong) }' "$work/columns-160x60" ||
	fail "frames do not end with their lines: $(cat "$work/columns-160x60")"
shows columns-160x60 'kernels: Top Kernel Time  *9\.00 us'
! grep -q 'links: ' "$work/columns-160x60" || fail 'links are facts of the file'

# In the line of the scope other views have what is examined, too; not that of the run in a part of it.
play 160x45 <<'END'
4
:save-screen kernels
:steps 3..3
:save-screen step
END
shows kernels '^ run  .* GPU0 busy [0-9.]+ %   GPU0 memory [0-9.]+ of 39 GiB   [0-9]+ findings$'
hides step '^ run > step 3 .*busy'

# Lines whose share reads 0.0 % have the rows that are free.
{
	echo '   1000 function calls in 1.000 seconds'
	echo
	echo '   ncalls  tottime  percall  cumtime  percall filename:lineno(function)'
	echo '        1    0.999    0.999    0.999    0.999 work.py:1(heavy)'
	for i in 1 2 3 4 5 6 7 8; do
		echo "        1    0.0001    0.0001    0.0001    0.0001 work.py:1$i(light_$i)"
	done
} >"$work/light.txt"
for size in 160x45 80x24; do
	echo ":save-screen light-$size" | play $size "$work/light.txt"
done
shows light-160x45 'light_8 .* 0\.0 % '
shows light-80x24 'light_8 .* 0\.0 % '
assert_exit 0 strata report dashboard "$work/light.txt"
! grep light_8 "$work/out" || fail 'lines of 0.0 % are in a report'

# Events of an unknown profiler are ranges; beside other lists they have none.
{
	printf '['
	event '' NEGOTIATE 0 30 1 1 ''
	event mpi ALLREDUCE 40 70 1 1 ''
	event mpi MEMCPY 60 10 1 1 ''
} >"$work/plain.json"
echo ":save-screen plain" | play 120x35 "$work/plain.json"
shows plain 'Top Ranges  CPU Self'
shows plain 'ALLREDUCE .* 60\.0 % +[0-9.]+ [mun]?s'
shows plain 'NEGOTIATE .* 30\.0 % +[0-9.]+ [mun]?s'
hides label 'Top Ranges'
assert_equal "ranges of a plain trace" 3 \
	"$(strata report operators -q -g label -f csv -c name "$work/plain.json" | sed 1d | wc -l)"

# Idle intervals of one cause are one line, of several GPUs, too.
{
	printf '{"traceEvents":['
	for at in 0 100 300; do
		event kernel gemm $at 50 0 7 '"device":0,"stream":7'
		event kernel gemm $((2 * at)) 50 1 7 '"device":1,"stream":7'
	done
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/two.json"
echo ":save-screen two" | play 160x45 "$work/two.json"
shows two ' unknown ×[0-9]'
hides unlinked 'GPU0 unknown'

# Stacks of one innermost function get the caller that differs, or else their depth.
printf 'main;a;f;g 50\nmain;b;f;g 30\nmain;[unknown] 9\nmain;[unknown];[unknown] 8\n' >"$work/folded.txt"
echo ":save-screen callers" | play 120x35 "$work/folded.txt"
shows callers 'g < a '
shows callers 'g < b '
shows callers 'main, 2 frames '
shows callers 'main, 3 frames '

# Stacks that repeat the functions, as imports do, give way to the time with what they call.
cat >"$work/imports.txt" <<'END'
import time: self [us] | cumulative | imported package
import time:       300 |        300 |     inner
import time:       100 |        400 |   outer
import time:       600 |       1000 | package
END
echo ":save-screen imports" | play 120x35 "$work/imports.txt"
shows imports 'Top Functions  Self .*Top Functions  Total'
hides imports 'Top Stacks'
echo ":view steps
:save-screen steps" | play 120x35 "$work/imports.txt"
shows steps 'No times in the profile'
{
	printf '{"traceEvents":['
	event kernel first 0 1000 0 7 '"device":0,"stream":7'
	event kernel 'void at::second<int>(float*)' 100000 1000 0 7 '"device":0,"stream":7'
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/unlinked.json"
echo ":save-screen unlinked" | play 160x45 "$work/unlinked.json"
shows unlinked ' unknown( ×[0-9]+)? '
hides unlinked 'Launch-Bound 0.0 %'

# In color a letter stands once in a bar, on a block of its color, in the legend, too.
printf ':save-screen %s/bars.svg\n:save-screen %s/bars\n' "$work" "$work" >"$work/script"
assert_exit 0 strata --demo --theme dark --color always --script "$work/script" --size 120x35
paper=$(sed -n 's/.*<rect width="100%" height="100%" fill="\(#[0-9a-f]*\)".*/\1/p' "$work/bars.svg")
[ "$(grep -c "fill=\"${paper:?}\"[^>]*>D<" "$work/bars.svg")" -ge 3 ] || fail 'a D is on no block'
! grep -q '>DD' "$work/bars.svg" || fail 'a letter is repeated'
shows bars 'llDDDDD' # a text has no colors
shows bars '\[1 Overview\]'

# A profile of copies alone has no kernels, and says so.
{
	printf '{"traceEvents":['
	event gpu_memcpy 'Memcpy HtoD' 0 1000 0 7 '"device":0,"stream":7'
	printf '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
} >"$work/copies.json"
printf '4\n:save-screen copies\n' | play 80x24 "$work/copies.json"
shows copies 'No kernels in the profile: its GPU events are of other kinds'
# Damage: the most frequent kind by name, and how much there is besides.
call='"ph":"X","name":"a","pid":1,"tid":1'
printf '{"traceEvents":[{%s,"ts":1},{%s,"ts":2,"dur":-1},{%s,"ts":3,"dur":-1}]}' "$call" "$call" "$call" >"$work/damaged.json"
echo ":save-screen damaged" | play 80x24 "$work/damaged.json"
shows damaged 'Input +negative duration ×2; other damage ×1: see info'

# Where there is room, the whole evidence.
echo ":save-screen roomy" | play 100x80
awk '/ Findings /{ f = 1 } / Top /{ f = 0 } f && /… *│$/' "$work/roomy" >"$work/cut"
[ ! -s "$work/cut" ] || fail "evidence is cut: $(cat "$work/cut")"

# In ASCII a number of times is legible.
printf ':save-screen %s/ascii\n' "$work" >"$work/script"
assert_exit 0 strata --demo --ascii --script "$work/script" --size 160x45
shows ascii 'launch: aten::add_ +x[0-9]+ '
hides ascii '\\u00'
