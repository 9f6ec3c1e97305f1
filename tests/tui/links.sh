# Links forward and back, jump list, named positions, scopes, SQL.
. "${srcdir:-.}/tests/tui/lib.sh"

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

play 140x30 <<'END'
:view links
:save-screen pair
]
:save-screen there
[
:save-screen forward
]
:save-screen again
<C-o><C-o><C-o>
:save-screen origin
<M-Right>
:save-screen forth
[[
:save-screen none
END
selected there '^>ConvolutionBackward0 .*bwd'
selected forward '^>aten::cudnn_convolution .*fwd'
same there again
same pair origin
same there forth
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
shows none 'only calls, launches and links can be followed|no link'

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
<Backspace><Backspace>
:save-screen back
:steps x
:save-screen wrong
END
shows step 'run > .*4'
shows unknown 'unknown device 7'
shows unknown 'run > .*4'
shows nothing '0/0'
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
