# The comparison in the explorer: d, :base, groupings, drilling down and back.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

tracegen --seed 2 --slow layer3.0.conv2:3 -o "$work/slow.json"

play 120x30 "$work/slow.json" <<END
d
:save-screen nothing
:base $work/nosuch.json
:save-screen refused
:base $builddir/demo.trace.json.gz
jk
:save-screen folded
<Enter>j
:save-screen compared
<Enter>
:save-screen inside
<Backspace>
:save-screen back
tt
:save-screen tree
2d
:save-screen again
R
:save-screen reread
END
shows nothing 'no base run to compare with \(:base PATH'
shows refused 'nosuch.json: cannot open'
deep=/$(printf '%0150d' 0 | sed 's|0|d/|g')nosuch.json
printf ':base %s\n:save-screen deep\n' "$deep" | play 80x24
shows deep '^ nosuch.json: cannot open'
selected folded 'class +. ResNet/Sequential/BasicBlock/Conv2d ×16 +1 of 16 slower +ResNet_.*nv2d_11'
selected compared 'module +ResNet_0/.*Block_4/Conv2d_11 +slower'
shows inside 'run > ResNet_0 > Sequential_3 > BasicBlock_4 > Conv2d_11'
same compared back
shows tree 'by tree'
shows tree 'module +. +Sequential_3 +slower'
shows again 'by tree'
shows reread 'slower'

# The timeline has the lanes of the base below those of the run, their steps beginning together.
play 140x40 "--base $builddir/demo.trace.json.gz $work/slow.json" <<END
5
:save-screen lanes
&gemm<Enter>
:save-screen filtered
END
[ "$(grep -c '^   base  ' "$work/lanes")" -ge 3 ] || fail "no lanes of the base"
grep -A1 '^  GPU0 busy ' "$work/lanes" | tail -1 | grep -q '^   base .*█' || fail "no base below the device"
shows filtered '^   base .*[▁▂▃▄▅▆▇]'
# Below a stream is what was in the place of its work. A step tells what changed in it, a kernel how long it was.
play 140x40 "--base $builddir/demo.trace.json.gz $work/slow.json" <<END
5S
:save-screen step
:lane compute
/wgrad<Enter>
:save-screen kernel
END
shows lanes '^   base by kernel +│.*==\+'
shows lanes '█ \+ now slower'
shows step 'Against Base \+[0-9.]+ us: [a-z ]+ [+-][0-9.]+ .*; work \+[0-9.]+ us: sm80_'
shows kernel ' Base [0-9.]+ us'
play 140x40 "--base $work/slow.json $work/slow.json" <<END
5
:save-screen equal
S
:save-screen unchanged
END
shows unchanged 'Against Base \+0 ns(; work \+0 ns)?( |$)'
hides equal 'now slower|gone'
[ "$(grep '^  GPU0 busy ' "$work/equal" | cut -c36-)" = \
	"$(grep -A1 '^  GPU0 busy ' "$work/equal" | tail -1 | cut -c36-)" ] || fail "equal runs differ"
hides lanes '^   base .*ProfilerStep'

# The dashboard lists what changed, without noise; in tree, layers of one class are below a row.
play 160x45 "--base $builddir/demo.trace.json.gz $work/slow.json" <<END
:save-screen changed
END
tracegen --layers 24 -o "$work/long.json"
tracegen --layers 24 --seed 2 --slow layer3.2.conv2:3 -o "$work/longer.json"
play 160x45 "--base $work/long.json $work/longer.json" <<END
d
:group tree
E
:save-screen folded-tree
END
shows changed 'Changed Operators  comparable: yes'
[ "$(unframed changed | grep -c 'GPU slower *$')" -ge 1 ] || fail "no slower operator"
hides changed 'same *$'
# long names leave room for the verdicts
! unframed changed | sed -n '/Changed Operators/,/Top Layers/s/.* [+-] \([A-Za-z]\)/\1/p' |
	grep -Ev '(slower|faster|new|gone|comparable|noise) *$' || fail "a verdict is cut"
# what is within noise fills the rows below the changes
unframed changed | sed -n '/Changed Operators/,/Top Layers/p' | awk '
	/within noise *$/ { noise = 1 }
	/slower *$|faster *$/ { changes++; wrong = wrong || noise }
	END { exit !(noise && changes && !wrong) }' || fail "noise is above a change, or not shown"
shows folded-tree '^[> ]class .*BasicBlock_\{[0-9]+\.\.[0-9]+\} ×[0-9]+ +1 of [0-9]+ slower '
play 160x45 "--base $work/slow.json $work/slow.json" <<END
:save-screen unchanged
END
shows unchanged 'No change beyond noise'

# strata diff starts with it
sed "s|WORK|$work|" >"$work/script" <<'END'
:save-screen WORK/started
END
assert_exit 0 strata diff "$work/slow.json" --demo --script "$work/script" --size 120x30
selected started 'class .*Conv2d ×16 +1 of 16 faster +ResNet_.*nv2d_11'

# Only what the verdict takes for a change has the color of one.
printf 'tt\n:save-screen %s\n' "$work/colors.ans" >"$work/script"
assert_exit 0 strata diff "$work/slow.json" --demo --color always --theme dark --script "$work/script" \
	--size 140x40
grep 'faster' "$work/colors.ans" | grep -q '38;5;114m' || fail "faster has no color"
grep 'same ' "$work/colors.ans" >"$work/same"
grep -q '[1-9]' "$work/same" || fail "no row is the same"
! grep -Eq '38;5;(114|203)m' "$work/same" || fail "noise has the color of a change"

# a base with fewer rows while the cursor is on the last row; reads beyond the rows are seen by the
# sanitizers, or here by valgrind
tracegen --layers 12 -o "$work/many.json"
tracegen --layers 4 -o "$work/some.json"
tracegen --layers 2 --steps 1 -o "$work/few.json"
wrapper=${TEST_WRAPPER-}
if [ -z "${TEST_WRAPPER-}${SANITIZERS-}" ] && command -v valgrind >/dev/null 2>&1; then
	TEST_WRAPPER="valgrind -q --error-exitcode=99 --suppressions=$srcdir/tests/valgrind.supp"
fi
play 100x20 "--base $work/many.json $work/some.json" <<END
d
G
:base $work/few.json
:save-screen fewer
:base $work/many.json
G
:base $work/few.json
:save-screen fewest
END
selected fewer '.'
selected fewest '.'
TEST_WRAPPER=$wrapper

# The titles of runs of one name have the folders that differ.
mkdir -p "$work/before/log" "$work/after/log"
cp "$work/slow.json" "$work/before/log/trace.json"
cp "$work/slow.json" "$work/after/log/trace.json"
echo ":save-screen $work/folders" >"$work/script"
assert_exit 0 strata diff "$work/before/log/trace.json" "$work/after/log/trace.json" --script "$work/script" --size 120x30
shows folders '^ strata  after against before  trace.json '
(cd "$work/before/log" && assert_exit 0 strata diff trace.json ../../after/log/trace.json --script "$work/script" --size 120x30)
shows folders '^ strata  log against \.  trace.json '
assert_exit 0 strata diff "$work/slow.json" "$work/slow.json" --script "$work/script" --size 120x30
shows folders '^ strata  slow.json against slow.json '

# The dashboard begins with what is asked first: by how much the steps changed.
for size in 160x45 80x24; do
	printf '1\n:save-screen first\n' | play $size "--base $builddir/demo.trace.json.gz $work/slow.json"
	shows first '^ Step  [0-9.]+ ms median, \+[0-9.]+ %'
done
printf '1\n:save-screen first\n' | play 160x45 "--base $work/slow.json $builddir/demo.trace.json.gz"
shows first '^ Step  [0-9.]+ ms median, -[0-9.]+ % \(base [0-9.]+ ms\)'
printf '1\n:save-screen first\n' | play 160x45 "--steps 4 --base $work/slow.json $builddir/demo.trace.json.gz"
hides first '^ Step .*\(base '
