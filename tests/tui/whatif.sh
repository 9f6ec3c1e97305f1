# What if in the explorer: w opens a pane with an edit of a finding or of rows and what is predicted; Enter draws it.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

play 140x45 "$builddir/demo.trace.json.gz" <<END
:view advice
:search Synchronization stalls
w
:save-screen opened
<Left>
:save-screen without
<Tab>
:save-screen host
<Right><Right>
:save-screen more
R
:save-screen held
<Esc>
:save-screen closed
w<Enter>
:save-screen drawn
R
:save-screen reread
:view steps
:save-screen steps
<Backspace>
Z
:save-screen dropped
:view kernels
w
:save-screen one
0
:save-screen zero
<Esc><Space><Space>w
:save-screen rows
y
:save-screen copied
a
:save-screen added
:view advice
:search Synchronization stalls
w
:save-screen both
<Enter>
:save-screen drawn-both
:whatif nonsense
:save-screen refused
:whatif
:save-screen listed
END
# The path of the predicted run, beside the recorded one.
play 140x45 "$builddir/demo.trace.json.gz" <<END
:view critical-path
:group predicted
:save-screen unpredicted-path
:whatif host x0
:view critical-path
:group predicted
:save-screen predicted-path
END
# predicted SCREEN: the predicted time in hundredths of a ms
predicted() { sed -n 's/^ step .* ms -> \([0-9]*\)\.\([0-9]*\) ms[ ,].*/\1\2/p' "$work/$1"; }

shows opened '^ What if   Synchronization stalls   \[nosync\] host pauses '
shows opened '^ Enter keep   a add edit   Esc close'
shows opened '^ step [0-9.]+ ms -> [0-9.]+ ms \(-[0-9.]+ %, -[0-9.]+ to -[0-9.]+ %\)   device idle [0-9]+ -> [0-9]+ %'
shows opened '^ next limit: kernels   path  kernels [0-9]+ %'
shows opened '^ no waits of the CPU for the GPU within a step; relies on the recorded order and waits; findings may share this gain   y copy as command'
shows without 'this edit has no factor'
shows host ' nosync \[host\] '
shows host '^ x 0\.50   \|={10}o-{10}\|   Left Right 0\.05'
shows host 'gain from x 0 to 1 █[▁▂▃▄▅▆▇█]{7}▁'
hides opened 'gain from'
shows more '^ x 0\.60   \|={12}o-{8}\|'
[ "$(predicted more)" -gt "$(predicted host)" ] || fail "more host time is faster: $(predicted host), $(predicted more)"
shows held 'close what-if first'
hides closed 'What if'
shows drawn 'demo.trace.json.gz against whatif:nosync|against demo.trace.json.gz'
shows drawn '^   predicted '
shows drawn 'what-if: 1 edit  '
shows drawn 'what-if: step [0-9.]+ ms -> [0-9.]+ ms \(-[0-9.]+ %, -[0-9.]+ to -[0-9.]+ %\), next limit: '
shows reread '^   predicted '
hides dropped '^   predicted '
hides dropped 'what-if: '
shows steps ' Predicted '
shows one '^ x 0\.50 '
shows zero '^ x 0\.00   \|o-{20}\|'
[ "$(predicted zero)" -lt "$(predicted one)" ] || fail "no work takes as long: $(predicted one), $(predicted zero)"
shows rows '^ What if   2 names   \[kernels\] '
shows copied 'the command, '
shows added 'edit kept: choose what else'
shows both '^ What if   \(with others\) Synchronization stalls'
[ "$(predicted both)" -lt "$(predicted rows)" ] || fail "two edits gain no more: $(predicted rows), $(predicted both)"
shows drawn-both "what-if: step [0-9.]+ ms -> $(predicted both | sed 's/..$/.&/') ms"
shows refused 'unknown edit "nonsense"'
shows listed 'kernels x0.5'

# a small screen keeps two rows of the table
for size in 40x12 20x6 80x24; do
	play $size "$builddir/demo.trace.json.gz" <<END
:view kernels
w
:save-screen small
END
	shows small '^ What if '
done
shows small '^ step '

# of several ranks, which wait for each other, the table that the command prints
mkdir "$work/late"
for rank in 0 1 2; do
	tracegen --steps 4 --layers 1 --stacks 0 --rank $rank --world 3 --straggler 1:2 -o "$work/late/rank$rank.json"
done
play 140x45 "$work/late" <<END2
:whatif straggler
:save-screen joined
:group edit=comm x0.5
:save-screen edited
END2
strata whatif -q -e straggler "$work/late" | tail -1 | awk '{ print $2, $3, $4 }' >"$work/predicted"
read -r recorded unit predicted <"$work/predicted"
shows joined "straggler +$recorded $unit [^ ]* +$predicted"
shows edited 'comm x0.5 '

# alone, a prediction is of the rank with those that it meets
play 140x45 "$work/late" <<END3
:view kernels
:search nccl
w
:save-screen ranks
END3
strata whatif -q -f tsv -c predicted_ns -e 'comm x0.5' "$work/late" | sed 1d >"$work/predicted"
awk -v shown="$(predicted ranks)" '{ is = $1 / 1e4 } END { exit !(is - 1 <= shown && shown <= is + 1) }' "$work/predicted" ||
	fail "the pane and the command differ: $(predicted ranks), $(cat "$work/predicted")"
# host SCREEN: rows of the path that are work of the host
host() { grep -c '%  host ' "$work/$1"; }
[ "$(host predicted-path)" -lt "$(host unpredicted-path)" ] || fail 'the predicted path is the recorded one'

# A layer, a step or a stream: its kernels.
play 140x45 "$builddir/demo.trace.json.gz" <<END4
:view layers
:search BasicBlock_0
w
:save-screen layer
y
:save-screen layer-copied
<Esc>
:view steps
w
:save-screen step
<Esc>
:view streams
:search GPU0 stream 7
w
:save-screen stream
END4
for screen in layer step stream; do
	shows $screen '^ What if   .* \[kernels\] '
	shows $screen '^ step [0-9.]+ ms -> [0-9.]+ ms'
done
[ "$(predicted stream)" -lt "$(predicted step)" ] || fail "a step is all steps: $(predicted stream), $(predicted step)"
