# What if in the explorer: w asks for an edit of a finding or of rows, Enter draws the prediction.
. "${srcdir:-.}/tests/tui/lib.sh"

play 140x45 "$builddir/demo.trace.json.gz" <<END
:view advice
:search Synchronization stalls
w
:save-screen asked
<Enter>
:save-screen drawn
R
:save-screen reread
:view kernels
<Space><Space>w
<Enter>
:save-screen rows
:whatif nonsense
:save-screen refused
:whatif
:save-screen listed
END
shows asked '^:whatif nosync'
shows drawn 'demo.trace.json.gz against whatif:nosync|against demo.trace.json.gz'
shows drawn '^   base '
shows drawn 'what-if: step [0-9.]+ ms -> [0-9.]+ ms \(-[0-9.]+ %, -[0-9.]+ to -[0-9.]+ %\), next limit: '
shows reread '^   base '
shows rows 'what-if: step [0-9.]+ ms -> [0-9.]+ ms'
shows refused 'unknown edit "nonsense"'
shows listed 'kernels x0.5'

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
