# Jumps: to the next section, along a lane, among siblings; columns pinned at the left.
. "${srcdir:-.}/tests/tui/lib.sh"

# Sections: groups of facts, steps of launches, layers of a tree.
play 120x60 <<'END'
:view overview
}
:save-screen facts
J
:save-screen facts2
{
:save-screen facts1
jK
:save-screen begin
<Home>{
:save-screen before
:view launches
}
:save-screen launches
G}
:save-screen after
2EJ
:save-screen layer
J
:save-screen layer2
END
# section 2: the first fact of the second section, according to the report
strata report overview -c section,fact -f csv --demo -q | tr -d '\r' |
	awk -F, 'NR > 1 && $1 != last { last = $1; count++; print count "," $1 " +" $2 }' >"$work/sections"
section() { sed -n "s/^$1,//p" "$work/sections"; }
selected facts "^>$(section 2)"
selected facts2 "^>$(section 3)"
selected facts1 "^>$(section 2)"
selected begin "^>$(section 2)"
shows before 'no earlier section'
shows after 'no later section'
selected layer 'module'
selected layer2 'module'

# The row after a jump is in another step than the row before.
step_of() { sed -n "s/^[> ]*$1.*/&/p" "$2" | head -1; }
strata query "SELECT count(*) FROM launches WHERE step = (SELECT min(step) FROM launches)" --demo -q -f csv |
	tr -d '\r' | sed 1d >"$work/first-step"
shows launches " [0-9]+/[0-9]+$"

# Along the lane of a launch by time, whatever the table's order.
play 120x30 <<'END'
:view launches
:columns id,name,stream,start_ns
:sort dur_ns
.
:save-screen next
,
:save-screen back
END
start_first=$(sed -n 's/^>.* \([0-9.]* [mu]s\)$/\1/p' "$work/back")
id() { sed -n 's/^> *\([0-9]*\) .*/\1/p' "$work/$1"; }
expected=$(strata query "SELECT b.id FROM launches a, launches b WHERE a.id = $(id back) AND
	b.device = a.device AND b.stream = a.stream AND
	(b.start_ns, b.id) > (a.start_ns, a.id) ORDER BY b.start_ns, b.id LIMIT 1" --demo -q -f csv |
	tr -d '\r' | sed 1d)
assert_equal "the next on the lane" "$expected" "$(id next)"

# Among siblings in a tree.
play 120x40 <<'END'
2j.
:save-screen sibling
,
:save-screen first
,
:save-screen none
3.
:save-screen nolane
END
selected first 'ResNet_0'
hides sibling '^>.*ResNet_0'
shows none 'already at the first child'
shows nolane 'these rows have no stream or thread'

# A pinned column stays at the left while the others scroll.
play 80x24 <<'END'
4
:sort max_ns
p
:save-screen pinned
)))
:save-screen scrolled
p
:save-screen loose
:sort
p
:save-screen none
END
shows pinned '^ Name +Max▼ *│'
shows pinned 'Max pinned'
shows scrolled '^ Name +Max▼ *<'
shows scrolled '^>.*│'
shows loose 'Max unpinned'
shows none 'not sorted by a column'

# Positions, jumps and the timeline's window survive a reload.
play 120x40 <<'END'
3jjjmx
:save-screen operator
4jjmy
:save-screen kernel
5+++
:lane thread 41207
....mz
:save-screen event
R

:save-screen event-again
'y
:save-screen kernel-again
R
'x
:save-screen operator-again
'z
:save-screen event-back
<C-o>
:save-screen jumped
END
body() { sed '1,3d;$d' "$work/$1"; }
assert_equal "the timeline" "$(body event)" "$(body event-again)"
assert_equal "the place on the timeline" "$(body event)" "$(body event-back)"
assert_equal "position x" "$(grep '^>' "$work/operator")" "$(grep '^>' "$work/operator-again")"
assert_equal "position y" "$(grep '^>' "$work/kernel")" "$(grep '^>' "$work/kernel-again")"
assert_equal "the jump back" "$(grep '^>' "$work/operator")" "$(grep '^>' "$work/jumped")"

# So does what is examined, in the line of the scope of a view that is shown.
play 120x30 <<'END'
:view kernels
:save-screen figures
R
:save-screen figures-again
END
shows figures '^ run .* GPU0 busy .* findings$'
assert_equal "the scope" "$(sed -n 3p "$work/figures")" "$(sed -n 3p "$work/figures-again")"

# A bookmark follows its row when the grouping changes.
play 100x30 <<'EOF'
2/MaxPool<Enter>ma
:group passes
gg'a
:save-screen grouped
EOF
selected grouped 'MaxPool2d_0'

# Jumps back, and forward again to where they began.
play 100x30 <<'END'
:view kernels
:save-screen kernels
:view operators
:save-screen operators
:view launches
:save-screen latest
<M-Left>
:save-screen back1
<M-Left>
:save-screen back2
<M-Right>
:save-screen forward1
<M-Right>
:save-screen forward2
<M-Right>
:save-screen end
END
for pair in operators:back1 kernels:back2 operators:forward1 latest:forward2; do
	assert_equal "the place of $pair" "$(body "${pair%:*}")" "$(body "${pair#*:}")"
done
shows end 'no later jump'
