# Sorting, columns, groupings, units, marks, tree.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

play 120x30 <<'END'
3
:save-screen default
>
:save-screen next
I
:save-screen inverted
s<Home><Enter>
:save-screen name
:sort calls
:save-screen calls
:sort nosuch
:save-screen nosuch
END
shows default 'GPU Self▼'
shows next 'GPU Total▼'
shows inverted 'GPU Total▲'
shows name 'Name▲'
sed -n 's/^[ >]\([a-z_]*::[^ ]*\) .*/\1/p' "$work/name" | LC_ALL=C sort -c || fail "not sorted by name"
shows calls 'Calls▼'
shows nosuch "unknown column 'nosuch'"

# The cursor follows its row when the order changes.
play 120x30 <<'END'
3jjj
:save-screen before
> > I
:save-screen after
END
row=$(sed -n 's/^>\([^ ]*\) .*/\1/p' "$work/before")
selected after "^>$row "

# Columns: chosen by name, by menu, moved.
play 120x30 <<'END'
3
:columns name,flops
:save-screen two
:columns +calls
:save-screen three
c
:save-screen chooser
><Space><Esc>
:save-screen moved
:columns name,nosuch
:save-screen nosuch
END
shows two '^ Name +FLOPs *$'
shows three '^ Name +FLOPs +Calls'
shows chooser '\[x\] Name'
shows chooser '\[ \] CPU Total'
shows moved '^ +FLOPs +Calls'
shows nosuch "unknown column 'nosuch'"

# Groupings cycle: repeats folded, the tree, a flat list.
play 120x30 <<'END'
3t
:save-screen shape
t
:save-screen stack
t
:save-screen name
2tt
:save-screen flat
:group nosuch
:save-screen nosuch
END
shows shape 'by shape'
shows stack 'by stack'
hides name 'by (shape|stack)'
shows flat '^ run +by layers +flat'
shows flat '^[ >]ResNet_0 '
shows nosuch "no grouping 'nosuch'"

# Units: shares, raw numbers.
play 120x30 <<'END'
2%
:save-screen share
%%
:save-screen plain
END
shows share '^>.*run .* 100.0 %'
shows plain '^>.*run .* [0-9]{8} '

# Plain numbers take no width from other units.
play 120x30 <<'END'
4
:save-screen before
%%
:save-screen numbers
%
:save-screen after
END
! cmp -s "$work/before" "$work/numbers" || fail "the units are the same"
cmp "$work/before" "$work/after" || fail "columns keep the width of plain numbers"

# Backward time separate from forward time.
play 120x30 <<'END'
2tttC
:save-screen closed
e
:save-screen passes
t
t
:save-screen together
END
shows passes '^ run +by passes'
shows passes '^ +▸ forward +pass +fwd '
shows passes '^ +▸ backward +pass +bwd '
hides together 'by passes'
shows together '▾ ResNet_0 .* both '

# The tree.
play 120x30 <<'END'
2C
:save-screen closed
l
:save-screen opened
l
:save-screen child
hh
:save-screen parent
E
:save-screen all
+-e
END
hides closed 'ResNet_0'
shows opened '▸ ResNet_0'
selected child 'ResNet_0'
selected parent 'run'
shows all '▾ BasicBlock'

# Marks.
play 120x30 <<'END'
3<Space><Space>
:save-screen marked
U
:save-screen unmarked
END
[ "$(grep -c '^\*' "$work/marked")" = 2 ] || fail "not two marks"
shows marked '2 marked, GPU Self [0-9.]+ ms \([0-9.]+ %\)(  |$)'
hides unmarked '^\*'
# their sum is that of the rows; a tree has none, and under a filter they may be hidden
play 120x30 <<'END'
4<Space><Space>
:save-screen two
:filter bn_
:save-screen some
2<Space><Space>
:save-screen tree
END
sum=$(strata query -q -f csv "SELECT printf('%.2f', sum(total_ns) / 1e6) FROM
	(SELECT total_ns FROM kernels ORDER BY 1 DESC LIMIT 2)" --demo | tr -d '\r' | sed 1d)
shows two "2 marked, Total $sum ms \\([0-9.]+ %\\)(  |$)"
hides some 'marked, .*%\)'
shows tree '2 marked(  |$)'

# Totals: of the filtered rows, and only where nothing is counted twice.
play 120x30 <<'END'
4
:save-screen all
&nothing_like_it|cudnn::bn<Enter>
:save-screen some
END
total=$(strata query "SELECT sum(calls) FROM kernels" --demo -q -f csv | tr -d '\r' | sed 1d)
shows all "^ [0-9]+ rows +$total "
shows some '^ 2 rows +120 '
hides all 'rows .* rows'

# Without GPU events, their columns are hidden and the default order uses CPU time.
cat >"$work/host.json" <<'END'
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::small", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "aten::large", "pid": 1, "tid": 1, "ts": 20, "dur": 50, "args": {"External id": 2}},
{"ph": "X", "cat": "cpu_op", "name": "aten::middle", "pid": 1, "tid": 1, "ts": 80, "dur": 20, "args": {"External id": 3}}
]}
END
play 120x30 "$work/host.json" <<'END'
3
:save-screen operators
2
:save-screen layers
3I
:save-screen inverted
:sort
:columns name,gpu_self_ns
:save-screen chosen
END
shows operators '^ Name +Calls +CPU Self▼ +CPU Total *$'
selected operators 'aten::large'
shows layers '^ Name +Kind +Pass +Calls +CPU Total▼ +CPU Self *$'
shows inverted 'CPU Self▲'
shows chosen '^ Name +GPU Self'

# The cursor starts on the first finding of the report.
play 80x24 <<'END'
9
:save-screen advice
END
strata report advice --demo -q -f csv -c problem | tr -d '\r' | sed -n '2{s/"//g;p}' >"$work/problem"
selected advice "$(cut -c1-20 "$work/problem")"

# Wide NAME column: the sort column stays next to it; toggling back restores the rest.
play 80x24 <<'END'
4
:save-screen shared
W
:save-screen wide
W
:save-screen again
END
hides shared '^>sm80_xmma_wgrad_implicit_g'
shows wide '^>sm80_xmma_wgrad_implicit_g.*…128x128x64….* [0-9.]+ ms$'
shows wide '^ Name .* Total'
hides wide '^ Name .* Calls'
same shared again

# Shares in a tree: self times as share of the total, none for calls; share of parent at each level.
play 160x24 <<'END'
2%
:save-screen total
%
:save-screen parent
END
shows total '▾ ResNet_0 .* 3 +87\.5 %'
shows parent '^ run  % of parent'
shows parent '▾ Sequential_0 .* 3 +24\.8 %' # 7.79 of 31.44 ms
hides total '300.0 %'
strata report layers -f csv -c name,gpu_self_ns,gpu_total_ns --demo >"$work/layers"
play 160x60 <<'END'
2E%/max_pool2d_with_indices<Enter>
:save-screen self
END
assert_line "$work/self" "▾ aten::max_pool2d_with_indices +operator .* $(tr -d '\r' <"$work/layers" | awk -F, '
	$1 == "run" { total = $3 } $1 == "aten::max_pool2d_with_indices" && !self { self = $2 }
	END { printf "%.1f %%", 100 * self / total }')"

# Headings are accepted as names of columns; a filter by an unknown column says so.
play 100x14 <<'END'
3
:sort cpu total
:save-screen titled
:columns name, calls,gpu self,tc_s
:save-screen chosen
&calls:^9$<Enter>
:save-screen called
&TC<Space>Self:^100<Enter>
&<C-u>Tc<Space>self:^100<Enter>
:save-screen filtered
&<C-u>nosuch:100<Enter>
:save-screen unknown
&<C-u>aten::mm<Enter>
:save-screen qualified
END
shows titled 'CPU Total▼'
shows chosen '^ Name +Calls +GPU Self +TC Self'
shows called ' 9 '
shows filtered '^>.* 100.0%'
hides filtered ' 0.0%'
shows unknown "No column is named 'nosuch'"
shows qualified '^>aten::mm'

# If the sort column does not fit, the first columns are shown, not the last.
printf '%s\n' 3 ":save-screen narrow" | play 20x5
shows narrow '^ Name +Calls>$'

# A menu closes with its pane; the next key goes to the other pane.
play 160x45 <<'EOF'
7<F6><Up>
:view overview
:save-screen sorting
<Enter>
7c<Down>
:view timeline
:save-screen choosing
<Space>
5c<Down>
:view steps
:save-screen lanes
<Space>
:save-screen marked
EOF
hides sorting 'Sort By'
hides choosing 'Columns \('
hides lanes 'Lanes \('
shows marked '^ run  1 marked'

# Layers of one class are one row; Enter unfolds it, and the plot has one frame for them.
tracegen --layers 24 -o "$work/many.json"
play 160x45 "$work/many.json" <<'END'
2/×<Enter>jk
:save-screen found
<Enter>j
:save-screen unfolded
<Enter>
:save-screen inside
<Backspace>k<Enter>
:save-screen again
P
:save-screen flame
/BasicBlock<Enter><Enter><Enter>
:save-screen each
END
selected found '▸ BasicBlock_\{0..5\} ×6 +class '
hides found '▸ BasicBlock_[0-5] '
selected unfolded '▸ BasicBlock_[0-5] +module '
shows inside 'run > ResNet_0 > Sequential_0 > BasicBlock_[0-5]'
same found again
shows flame ' BasicBlock ×6  '
hides flame 'BasicBlock_0'
shows each 'Unfolded .*zoomed'
shows each ' BasicBlock_0  '

# The strip has what the table does not show; the count of rows has the room before the first sum.
play 140x36 <<'EOF'
:view gaps
:save-screen gaps
7
:save-screen steps
EOF
shows gaps '^ (Layer|Source|Thread|CPU Work) '
hides gaps '^ Device GPU0'
shows gaps '^ [0-9]+ rows  +[0-9.]+ ms'
hides gaps '…ows'
hides steps '…ws'

# A table without rows has no strip; a column without values is not there.
play 160x45 <<'EOF'
8
:save-screen ranks
:view collectives
:save-screen none
EOF
hides ranks ' Host '
hides none '^─'
shows ranks '^─'

# The sort menu says which order remains: none of a view that is sorted by itself. A sum of zero is a
# dash, as its cells are. F-keys are those of htop.
play 120x30 <<'EOF'
4s
:save-screen sorts
<Esc>
7s
:save-screen steps
<Esc>
<F3>gemm
:save-screen searching
<Esc><F10>
:save-screen never
EOF
shows sorts '│ unsorted +│'
shows steps '│ default order +│'
shows steps '^ +[0-9.]+ ms +[0-9.]+ ms .* – '
hides steps ' 0 ns'
shows searching '^/gemm'
[ ! -e "$work/never" ] || fail "F10 does not quit"

# A file name too long for the title loses its end, not its device and steps.
long=$work/rank_0.1773709742341309550.graph_capture.pt.trace.json
tracegen -o "$long"
echo ":save-screen title" | play 80x24 "$long"
shows title '^ strata  rank_0\.1773709742341309550\.graph_captu…  NVIDIA A100.* 3 steps$'

# Shares of a printed report are of the time that it states as the whole, though its rows overlap.
cat >"$work/fit.txt" <<'END'
FIT Profiler Report

|  Action              |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |
|  Total               |  -                  |  6          |  60.0            |  100 %         |
|  run_training_batch  |  51.385             |  2          |  102.77          |  171.28        |
|  optimizer_step      |  2.0085             |  4          |  8.034           |  13.39         |

END
play 120x30 "$work/fit.txt" <<'END'
:view python
%
:save-screen stated
END
shows stated '^>run_training_batch +171\.3 %.* 171\.3%'
shows stated '^ optimizer_step +13\.4 %.* 13\.4%'

# Where kinds have backgrounds, names are no boxes.
printf ':view layers\n:screenshot %s\n' "$work/boxes.svg" >"$work/script"
assert_exit 0 strata --demo --color always --theme high-contrast --script "$work/script" --size 120x40
grep -q 'aten::' "$work/boxes.svg" || fail 'no operator is shown'
grep 'rect.*#afd7ff' "$work/boxes.svg" && fail 'names of operators are boxes'
:

# The filter for a name, as drilling sets it, is shown in its words.
play 120x30 <<'END'
3
:filter name:^(?-i)aten::conv2d$
:save-screen named
END
shows named 'name: aten::conv2d \('
hides named '\(\?-i\)'

# A number that launches of a kernel do not share is not unknown; another is.
cat >"$work/several.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 10, "dur": 20, "pid": 0, "tid": 7, "args":
 {"device": 0, "stream": 7, "grid": [4, 1, 1], "block": [64, 1, 1], "registers per thread": 32}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 40, "dur": 20, "pid": 0, "tid": 7, "args":
 {"device": 0, "stream": 7, "grid": [4, 1, 1], "block": [64, 1, 1], "registers per thread": 40}}]}
END
play 160x45 "$work/several.json" <<'END'
:view kernels
:save-screen several
:columns +regs_per_thread
:save-screen column
END
shows several 'Grid 4,1,1 +Block 64,1,1 +Regs several'
selected column '^>gemm .* several'
assert_exit 0 strata report kernels "$work/several.json" -c name,regs_per_thread -f tsv
assert_equal "exported" 'name	regs_per_thread
gemm	' "$(cat "$work/out")"

# Of a printed table, whose launches are not known, their properties are no grouping to go on to.
{
	echo 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
	echo '100.0,9000000,30,300000.0,300000.0,300000,300000,0.0,"solve(float *)"'
} >"$work/cuda_gpu_kern_sum.csv"
play 120x30 "$work/cuda_gpu_kern_sum.csv" <<'END'
:view kernels
t
:save-screen printed
END
play 120x30 <<'END'
:view kernels
t
:save-screen traced
END
hides printed 'properties'
shows traced 'properties'
