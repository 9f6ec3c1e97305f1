# Output from the explorer: tables and texts to files, screens with colors, plain rows.
. "${srcdir:-.}/tests/tui/lib.sh"

# An existing file is overwritten only on request.
echo kept >"$work/there.csv"
{
	echo "3"
	echo ":columns name,calls"
	echo ":write $work/there.csv"
	echo ":save-screen refused"
	echo ":write $work/new.json"
	echo ":save-screen wrote"
	echo ":export $work/again.csv"
	echo ":w ~/short.md"
	echo ":save-screen short"
	echo ":write"
	echo ":save-screen none"
	echo "?"
	echo ":write $work/help.txt"
	echo ":write $work/help.csv"
	echo ":save-screen text"
} | play 120x30
shows refused 'there.csv exists \(:write! overwrites it\)'
assert_equal "existing file" kept "$(cat "$work/there.csv")"
shows wrote '70 rows written to'
shows short 'rows written to .*/short.md'
assert_line "$work/again.csv" "^name,.*calls"
assert_line "$work/short.md" '^[|] *Name'
shows none 'FILE required: :write FILE'
assert_line "$work/help.txt" '^<Down> j	Move down  \(move-down\)$'
shows text 'FILE must end in .txt'
{
	echo "3"
	echo ":columns name,calls"
	echo ":write! $work/there.csv"
} | play 120x30
assert_equal "header of the overwritten file" "name,calls" "$(head -1 "$work/there.csv" | tr -d '\r')"

# Copying from the timeline: the name under the cursor, or its full details.
play 120x30 <<'END'
:view timeline
jjj
y
:save-screen name
Y
:save-screen row
END
name=$(sed -n 's/.*  Name \([^ ]*\) .*/\1/p' "$work/name" | head -1)
shows name "^ '$name.*', [0-9.]+ "
shows row '^ the row, [0-9.]+ '

# :plain prints the rows on the normal screen, without escapes.
printf '4\n:columns name,calls\n:plain\n' >"$work/script"
assert_exit 0 strata --demo --script "$work/script" --size 100x30
assert_line "$work/out" '^Name +Calls *$'
[ "$(wc -l <"$work/out")" -gt 10 ] || fail "too few rows"
! grep -q "$(printf '\033')" "$work/out" || fail "escapes in plain rows"

# A screenshot equals the screen; a .ans file includes the theme's attributes.
{
	echo "4"
	echo "/^sm80<Enter>"
	echo ":screenshot $work/shot.txt"
	echo ":screenshot $work/shot.ans"
	echo ":screenshot $work/shot.txt"
	echo ":save-screen again"
} | play 140x30
shows again 'shot.txt exists'
escape=$(printf '\033')
sed "s/$escape\[[0-9;]*m//g; s/ *$//" "$work/shot.ans" >"$work/stripped"
diff "$work/shot.txt" "$work/stripped" || fail "the two screenshots differ"

# looks FILE TEXT: attributes of the first cells with this text
looks() { grep -o "$escape\[[0-9;]*m[^$escape]*$2" "$1" | sed -n "1s/^$escape\[\([0-9;]*\)m.*/\1/p"; }

# Without color, roles are distinguished by attributes.
! grep -Eq "$escape\[[0-9;]*(3[0-7]|4[0-7]|38|48)[;m]" "$work/shot.ans" || fail "colors without color support"
assert_equal "the sorted column" "0;1;4;7" "$(looks "$work/shot.ans" 'Total')"
assert_equal "a search hit" "0;4;7" "$(looks "$work/shot.ans" sm80)"
assert_equal "the selected row" "0;7" "$(looks "$work/shot.ans" '>')"
assert_equal "an ordinary row" "0" "$(looks "$work/shot.ans" bn_bw)"

# mono on a color terminal looks as without color: forward, backward, communication
{
	echo ":view calls"
	echo ":columns name,pass"
	echo ":screenshot $work/pass.ans"
} >"$work/script"
assert_exit 0 strata --demo --script "$work/script" --size 100x60 --color always --theme mono
! grep -Eq "$escape\[[0-9;]*(3[0-7]|4[0-7]|38|48)[;m]" "$work/pass.ans" || fail "colors in theme mono"
printf ':theme mono\n:view launches\n:columns kind,pass,name\n:sort pass\n:screenshot %s\n<End>\n:screenshot %s\n' \
	"$work/bwd.ans" "$work/fwd.ans" >"$work/script"
assert_exit 0 strata --demo --script "$work/script" --size 100x30 --color always
forward=$(looks "$work/fwd.ans" fwd) backward=$(looks "$work/bwd.ans" bwd)
[ -n "$forward" ] && [ -n "$backward" ] || fail "forward or backward kernels are missing"
[ "$forward" != "$backward" ] || fail "forward and backward look alike in theme mono"

cat >"$work/comm.json" <<'END'
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum", "pid": 0, "tid": 7, "ts": 20, "dur": 50, "args": {"device": 0, "stream": 7}}
]}
END
printf ':view critical-path\n:columns start_ns,kind,name\n:screenshot %s\n' "$work/comm.ans" >"$work/script"
assert_exit 0 strata --script "$work/script" --size 100x30 --color always --theme mono "$work/comm.json"
sed "s/$escape\[[0-9;]*m//g" "$work/comm.ans" >"$work/comm"
shows comm '10.00 us  communication'
grep ' communication ' "$work/comm.ans" >"$work/communication"
assert_equal "communication" "0;1" "$(looks "$work/communication" ncclDev)"

# With color, the screenshot has the theme's colors.
printf '4\n:screenshot %s\n' "$work/color.ans" >"$work/script"
assert_exit 0 strata --demo --script "$work/script" --size 100x30 --color always --theme dark
assert_line "$work/color.ans" "38;5;222"
assert_line "$work/color.ans" "48;5;24"

# Blocks of a role with a background have the color of that background.
printf ':theme high-contrast\n5\n:screenshot %s\n' "$work/contrast.ans" >"$work/script"
assert_exit 0 strata --demo --script "$work/script" --size 120x30 --color always
grep -q "$escape\[0;[0-9;]*7;38;5;16;48;5;39m[▁▂▃▄▅▆▇▓█]" "$work/contrast.ans" || fail "no forward blocks are filled"
! grep -q "$escape\[0;\(1;\)\{0,1\}38;5;16;48;5;39m[▁▂▃▄▅▆▇▓█]" "$work/contrast.ans" || fail "forward blocks have the color of text"
