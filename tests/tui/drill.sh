# From the start view down to one launch of a kernel, and back to the previous state.
. "${srcdir:-.}/tests/tui/lib.sh"

for size in 160x45 80x24 40x12; do
	play $size <<-'END'
	:save-screen start
	2
	:save-screen layers
	jj<Enter>
	:save-screen operators
	> I j
	:save-screen before
	<Enter>
	:save-screen calls
	j<Enter>
	:save-screen launches
	O
	:save-screen detail
	<Backspace><Backspace><Backspace>
	:save-screen after
	<Backspace>
	:save-screen layers-again
	END
	shows start 'Findings'

	for name in layers operators calls launches; do
		cp "$work/$name" "$work/$name-$size"
		screen "$name-$size"
	done
	shows detail '^ +Name +'
	same before after
	selected layers-again 'Seq'
	shows layers-again 'Back|Search'
done

# Esc and q go up; at the top Esc does nothing and the first q asks.
play 100x30 <<'END'
3<Enter><Enter>
:save-screen deep
<Esc>q
:save-screen top
<Esc>
:save-screen escaped
q
:save-screen asked
jq
:save-screen asked-again
END
shows deep '\[Launches\]'
shows top '\[3 Operators\]'
shows escaped 'top level; Q quits'
shows asked 'press q again to quit'
shows asked-again 'press q again to quit'
printf '%s\n' qq ":save-screen $work/never" >"$work/script"
assert_exit 0 strata --demo --script "$work/script"
[ ! -e "$work/never" ] || fail "two q at the top do not quit"

# A view keeps its state when left; digits do not nest levels.
play 100x30 <<'END'
3jjj>
:save-screen left
4 2 7 3
:save-screen back
<Backspace>
:save-screen top
END
same left back
shows top 'top level'

# From a time range to the device activities that start in it.
play 120x20 <<'END'
:view utilization
:sort gpu_util_pct
<Home><Enter>
:save-screen busiest
END
strata query -q -f csv --demo "SELECT count(*) FROM launches l JOIN (SELECT start_ns AS at, dur_ns AS long
	FROM utilization ORDER BY gpu_util_pct DESC, start_ns LIMIT 1) WHERE l.start_ns >= at AND
	l.start_ns < at + long AND device = 'GPU0'" | tr -d '\r' | sed 1d >"$work/rows"
[ "$(cat "$work/rows")" -gt 0 ] || fail "no launch"
shows busiest "^ $(cat "$work/rows") rows"

# Families of kernels: Enter folds one, and below it leads to the launches of a kernel.
play 120x30 <<'END'
:view kernels
:group family
<Home>
:save-screen families
<Enter>
:save-screen folded
<Enter><Down><Enter>
:save-screen launches
END
selected families '^>▾ *convolution'
selected folded '^>▸ *convolution'
shows launches '\[Launches\]'
