# Split view: the contents of the selected row beside or below it, following the cursor.
. "${srcdir:-.}/tests/tui/lib.sh"

# Side by side on a wide screen; the second pane follows the first one's cursor.
play 160x30 <<'END'
3
/^aten::copy_$<Enter>
S
:save-screen one
/^aten::conv2d$<Enter>
:save-screen other
<Tab>
:save-screen inside
<End>
<Tab>
:save-screen back
<S-Tab>
:save-screen again
O
:save-screen alone
O<Tab>S
:save-screen single
END
shows one '^\[Operators\] ([0-9]+% )?4/70 +│ Calls  ([0-9]+% )?1/9'
shows one '^>aten::copy_ '
shows one '│>aten::copy_ '
shows other '^>aten::conv2d '
shows other '│>aten::conv2d '
shows other '^\[Operators\] ([0-9]+% )?28/70 +│ Calls  ([0-9]+% )?1/60'
shows other '^ run(  |$)'
shows inside '^ Operators  ([0-9]+% )?28/70 +│\[Calls\] ([0-9]+% )?1/60'
shows inside '^ run > aten::conv2d'
shows inside ' 1/60$'
shows inside '^ Tab Other pane'
# the second pane keeps its view while unfocused
shows back '^\[Operators\] ([0-9]+% )?28/70 +│ Calls  ([0-9]+% )?60/60'
shows again '│\[Calls\] ([0-9]+% )?60/60'
hides alone '│\[Calls\]'
shows alone ' 60/60$'
shows single '\[3 Operators\]'
hides single '│ Calls'

# The second pane shows what drilling down would.
play 160x30 <<'END'
3
/^aten::conv2d$<Enter>
<Enter>
:save-screen drilled
<Backspace>S
<Enter>O
:save-screen split
END
grep -v '^ Enter ' "$work/drilled" >"$work/drilled.rows"
grep -v '^ Tab \|^ Enter ' "$work/split" >"$work/split.rows"
same drilled.rows split.rows

# Stacked on a narrow screen; a single pane if there is no room for two.
play 80x24 <<'END'
3S
:save-screen stacked
:resize 160x30
:save-screen wide
:resize 60x10
:save-screen small
:resize 20x3
:save-screen least
:resize 1x1
:save-screen dot
END
shows stacked '^\[Operators\] ([0-9]+% )?1/70$'
shows stacked '^ Calls  ([0-9]+% )?1/60$'
shows wide '^\[Operators\] ([0-9]+% )?1/70 +│ Calls  ([0-9]+% )?1/60$'
shows small '^>aten::convolution_backward'
hides small 'Calls  ([0-9]+% )?1/60'
shows least '^>ate'

# Drilling down from the second pane makes it the first; back undoes this step by step.
play 160x30 <<'END'
2SC
l
j
<Tab>
:save-screen first
<Enter>
:save-screen second
<Backspace>
:save-screen up
<Backspace>
:save-screen top
Q
END
shows first '^ Layers  ([0-9]+% )?2/[0-9]+ +│\[Operators\] ([0-9]+% )?1/'
shows second '^ Operators  ([0-9]+% )?1/[0-9]+ +│\[Calls\] ([0-9]+% )?1/'
shows up '^\[Operators\] ([0-9]+% )?1/[0-9]+ +│ Calls'
shows top '^\[Layers\] ([0-9]+% )?2/[0-9]+ +│ Operators'

# A row with nothing to drill into says so; text views use the whole screen.
play 160x30 <<'END'
:view info
S
:save-screen facts
<Tab>
:save-screen none
?
:save-screen help
q
:set nosplit
:save-screen off
END
shows facts 'Nothing to drill into'
shows none 'nothing to drill into'
hides help 'Nothing to drill into'
hides off 'Nothing to drill into'

# Sorting and filtering apply to the focused pane, and the other one does not undo them.
play 160x30 <<'END'
3S
I
&conv<Enter>
jjj
:save-screen worked
R
:save-screen reread
END
shows worked '&conv \('
shows worked 'GPU Self▲'
shows reread '│ '

# The second pane keeps the view that was opened in it, for the rows of this table.
play 160x30 <<'END'
3
:split kernels
:save-screen kernels
jj
:save-screen third
4
:save-screen elsewhere
3S S
<Home><Tab>
:view launches
<Tab>j
:save-screen launches
:split
:save-screen calls
:split nosuch
:save-screen unknown
END
shows kernels '^\[Operators\] ([0-9]+% )?1/70 +│ Kernels  ([0-9]+% )?1/6'
shows third '^\[Operators\] ([0-9]+% )?3/70 +│ Kernels  ([0-9]+% )?1/1'
hides elsewhere '│ Kernels'
shows launches '^\[Operators\] ([0-9]+% )?2/70 +│ Launches '
shows calls '^\[Operators\] ([0-9]+% )?2/70 +│ Calls '
shows unknown "unknown view 'nosuch'"
