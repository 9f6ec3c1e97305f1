# Links forward and back, jump list, named positions, scopes, SQL.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# forward operator and backward operator
play 140x30 <<'END'
3/aten::cudnn_batch_norm$<Enter><Enter>
:columns id,name,pass,partner
:save-screen forward
:view links
:save-screen links
END
shows forward '^>.*aten::cudnn_batch_norm .*fwd'

selected links 'aten::cudnn_batch_norm +CudnnBatchNormBackward0'

# ] then [ returns to the very row; so does Backspace; ] again leads to the same partner.
play 140x30 <<'END'
:view links
:save-screen pair
]
:save-screen there
[
:save-screen back
]
:save-screen again
<Backspace>
:save-screen origin
]
:save-screen once-more
jk[
:save-screen forward
<Backspace>
:save-screen backward
END
selected there '^>ConvolutionBackward0 .*bwd'
shows there ' backward +[0-9]+% '
cells() { sed '$d' "$work/$1" >"$work/$1.cells"; }
for screen in pair there back again origin once-more backward; do
	cells $screen
done
same pair.cells back.cells
same pair.cells origin.cells
same there.cells again.cells
same there.cells once-more.cells

# [ leads to the forward operator from any backward row, in the same table; Backspace returns.
play 140x30 <<'END'
:view calls
/ConvolutionBackward0<Enter>[
:save-screen forward
<Backspace>
:save-screen backward
[[
:save-screen none
END
selected forward '^>aten::cudnn_convolution .*fwd'
shows forward 'forward of .*ConvolutionBackward0'
selected backward '^>.*ConvolutionBackward0 .*bwd'
shows none 'no forward operator'

# launch → kernel, kernel → launch
play 140x30 <<'END'
3<Enter>
:save-screen call
]
:save-screen kernel
[
:save-screen back
END
shows kernel '\[Launches\]'
shows kernel 'link 1 of|launched by'
shows back '\[Calls\]'
selected back "$(sed -n 's/^>\([^ ]*\) .*/\1/p' "$work/call")"

# A row without a link shows the reason.
play 140x30 <<'END'
:view overview
]
:save-screen none
END
shows none 'nothing is linked to this row'

# Named positions.
play 100x30 <<'END'
3jjjma
:save-screen set
4G'a
:save-screen gone
'z
:save-screen nosuch
END
shows set 'bookmark a set'
shows gone '\[3 Operators\]'
selected gone "$(sed -n 's/^>\([^ ]*\) .*/\1/p' "$work/set")"
shows nosuch 'no such bookmark'

# Narrow the scope by commands, and leave it.
play 100x30 <<'END'
:view launches
:save-screen all
:steps 4..4
:save-screen step
:device 7
:save-screen unknown
:stream 4711
:save-screen nothing
<Backspace>
:save-screen back
:steps x
:save-screen wrong
END
shows step 'run > .*4'
shows unknown 'unknown device 7'
shows unknown 'run > .*4'
shows nothing 'unknown stream 4711; the streams are'
shows wrong 'x'
[ "$(tail -1 "$work/all")" = "$(tail -1 "$work/back")" ] || shows back '\[Launches\]'

# A query result is a table like any other, equal to that of the query command.
play 100x30 <<'END'
;SELECT<Space>name,<Space>gpu_self_ns<Space>FROM<Space>operators<Space>ORDER<Space>BY<Space>2<Space>DESC<Space>LIMIT<Space>5<Enter>
:save-screen asked
I/batch<Enter>
<Backspace>
:save-screen back
:sql SELECT nonsense
:save-screen wrong
END
shows asked '1/5'
shows asked '^>aten::convolution_backward'
shows back '\[1 Overview\]'
shows wrong 'no such column'
shows wrong '\[1 Overview\]'
strata query "SELECT name FROM operators ORDER BY gpu_self_ns DESC LIMIT 5" --demo -q -f csv |
	tr -d '\r' | sed 1d >"$work/names"
while IFS= read -r name; do shows asked "^[ >]$name +"; done <"$work/names"

# Rows that stand for many calls lead to what most of their time is linked to, and back.
play 140x30 <<'END'
2t/^aten::cudnn_convolution$<Enter>
:save-screen node
]
:save-screen node-backward
[
:save-screen node-back
]<Backspace>
:save-screen node-origin
3/^aten::cudnn_convolution$<Enter>jk
:save-screen operator
]
:save-screen operator-backward
<Backspace>
:save-screen operator-back
4
:save-screen kernel
[
:save-screen kernel-operator
<Backspace>
:save-screen kernel-back
END
selected node 'aten::cudnn_convolution +operator +fwd'
selected node-backward 'ConvolutionBackward0 +operator +bwd'
shows node-backward 'backward of aten::cudnn_convolution'
for screen in node node-back node-origin; do
	grep '^>' "$work/$screen" >"$work/$screen.row"
done
same node.row node-back.row
same node.row node-origin.row
selected operator-backward '^>ConvolutionBackward0 '
same operator operator-back
selected kernel-operator '^>aten::convolution_backward '
shows kernel-operator '\[3 Operators\]|\[Operators\]'
shows kernel-operator 'launches '
same kernel kernel-back

# A row inside of an operator leads to the backward of the operator around it.
play 140x30 <<'END'
:view calls
/^aten::_convolution$<Enter>]
:save-screen inner
END
selected inner 'ConvolutionBackward0 .*bwd'

# A gap: the CPU work in it, the GPU work that ends it; a finding: its subject; memory: its call.
play 140x30 <<'END'
:view gaps
:save-screen gap
[
:save-screen gap-cause
<Backspace>
:save-screen gap-back
]
:save-screen gap-after
<Backspace>
9/Low<Enter>jk
:save-screen finding
]
:save-screen subject
<Backspace>
:save-screen finding-back
:view memory-events
:save-screen memory
[
:save-screen allocated
<Backspace>
:save-screen memory-back
END
shows gap-cause 'CPU work in the gap: '
selected gap-cause '__next__'
same gap gap-back
shows gap-after '\[Launches\]'
shows gap-after 'GPU work after the gap'
shows subject 'subject of the finding'
same finding finding-back
shows allocated '\[Calls\]|\[Spans\]'
shows allocated 'call of '
same memory memory-back

# A collective leads to the same one on the next rank, around to itself; Backspace returns.
for rank in 0 1 2; do
	tracegen --rank $rank --world 3 --seed $rank -o "$work/ranks-$rank.json"
done
mkdir "$work/ranks" && mv "$work"/ranks-*.json "$work/ranks"
play 140x30 "$work/ranks" <<'END'
:rank 1
:view launches
/ncclDevKernel<Enter>jk
:save-screen rank1
]
:save-screen rank2
]
:save-screen rank0
<Backspace><Backspace>
:save-screen rank1-back
END
selected rank2 '^>nccl'
shows rank2 'same operation on rank 2'
shows rank0 'same operation on rank 0'
same rank1 rank1-back
number=$(sed -n 's/.* \([0-9]*\)\/[0-9]*$/\1/p' "$work/rank1")
[ "$number" ] || fail "no position"
tail -1 "$work/rank2" | grep -q " $number/" || fail "another operation on rank 2"
tail -1 "$work/rank0" | grep -q " $number/" || fail "another operation on rank 0"

# A row of a query with the path of a layer leads to its operators.
play 140x30 <<'END'
:sql SELECT path, gpu_total_ns FROM layers WHERE name = 'Conv2d_1'
:save-screen query
<Enter>
:save-screen operators
<Backspace>
:save-screen query-back
END
shows operators 'run > ResNet_0/Sequential_0/BasicBlock_0/Conv2d_1'
shows operators 'aten::cudnn_convolution '
same query query-back

# An operator without a backward does not lead to those of other operators of its step.
play 140x30 <<'END'
:view calls
&^aten::item$<Enter>
]
:save-screen item
END
selected item 'Stream Sync'
shows item 'launched by aten::item'
