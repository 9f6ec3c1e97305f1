# Searching and filtering.
. "${srcdir:-.}/tests/tui/lib.sh"

play 100x30 <<'END'
3
:save-screen before
/batch
:save-screen typing
<Esc>
:save-screen cancelled
/batch<Enter>
:save-screen first
n
:save-screen second
nnnnnnnnnnn
N
:save-screen third
<Esc>
:save-screen cleared
/nothing_has_this<Enter>
:save-screen none
/[<Enter>
:save-screen wrong
END
shows typing '^/batch +1 of [0-9]+ match'
selected typing 'batch_norm'
same before cancelled
shows first "1 of [0-9]+ matches 'batch' \([0-9.]+ % of GPU time\)"
shows second "2 of [0-9]+ match"
shows cleared 'search cleared'
shows none "no match for 'nothing_has_this'"
shows wrong 'invalid at byte 1: missing terminating \] for character class '

# A filter without matches, or without GPU events, changes neither order nor position.
play 100x30 <<'END'
3jjjj
:save-screen before
&nothing_has_this<Enter>
:save-screen none
&<C-u><Enter>
:save-screen after
&AccumulateGrad$<Enter>
:save-screen host
:filter
:save-screen cleared
END
shows none 'No row matches'
same before after
shows host 'GPU Self▼'
shows cleared 'GPU Self▼'

# Search wraps and says so; a capital makes it case-sensitive.
play 100x30 <<'END'
3G
/batch<Enter>
:save-screen wrapped
N
:save-screen backwards
/BATCH<Enter>
:save-screen capitals
/Backward<Enter>
:save-screen capital
END
shows wrapped 'wrapped to the top'
shows backwards 'wrapped to the bottom'
shows capitals "no match for 'BATCH'"
selected capital 'Backward'

# A match in a collapsed row expands it, and the jump list leads back.
play 100x30 <<'END'
2C
:save-screen closed
/aten::max_pool2d_with_indices$<Enter>
:save-screen found
<C-o>
:save-screen returned
*
END
hides closed 'max_pool2d_with_indices'
selected found 'max_pool2d_with_indices'
selected returned 'run'

# The filter: kept, shown, inverted, by column, with matching rows counted; sorting still works.
play 100x30 <<'END'
3
&batch<Enter>
:save-screen kept
>
:save-screen sorted
<Enter><Backspace>
:save-screen drilled
&<C-u>!aten<Enter>
:save-screen inverted
&<C-u>calls:^60$<Enter>
:save-screen column
&<C-u>nothing_has_this<Enter>
:save-screen none
:filter
:save-screen all
&<C-u>[<Enter>
:save-screen wrong
END
shows kept '^ run +&batch \([0-9]+ of [0-9]+\)'
[ "$(grep -c 'aten::' "$work/kept")" = "$(grep -c 'batch_norm' "$work/kept")" ] ||
	[ "$(grep -c '^[ >]aten' "$work/kept")" -ge 4 ] || fail "the filter keeps too many rows"
hides kept '^[ >]aten::mm '
same sorted drilled
hides inverted '^[ >]aten::'
shows column '^[ >].* 60 '
shows none 'No row matches &nothing_has_this'
shows all '/70$'
shows wrong 'invalid at byte 1: missing terminating \] for character class '
hides wrong '&'

# An expression that takes too long.
name=$(printf '%060db' 0)
event='{"ph": "X", "cat": "cpu_op", "name": "'$name'", "ts": 1, "dur": 2, "pid": 1, "tid": 1}'
echo "{\"schemaVersion\": 1, \"traceEvents\": [$event]}" >"$work/slow.json"
play 100x20 "$work/slow.json" <<'END'
3
/(0+)+$<Enter>
:save-screen search
&(0+)+$<Enter>
:save-screen filter
<Esc>
:view timeline
/(0+)+$<Enter>
:save-screen lanes
END
for screen in search filter lanes; do
	shows "$screen" 'takes too many steps'
done
hides filter '&'
