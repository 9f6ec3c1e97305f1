# From the overview to the advice and to its cause, with every sentence shown in full.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

for size in 120x40 80x24; do
	play $size <<-'END'
	:view overview
	:save-screen overview
	9
	:save-screen advice
	<Enter>
	:save-screen evidence
	END
	shows overview 'Layers from'
	hides overview '_(pct|ns|bytes) '
	# the first card is shown in full
	tr -s ' \n' '  ' <"$work/advice" >"$work/card"
	shows card '15.2 % of its roofline'
	shows card 'max-autotune'
	hides advice '^ Evidence'
	# the severity is before the title
	shows advice '^> [!*] [A-Z]'
	hides evidence '\[9 Advice\]'
done

# A sentence that goes on below the screen has a mark, at every height.
cut=0
for rows in 16 17 18 19 20 21 22 23; do
	play 80x$rows <<-'END'
	9
	:save-screen advice
	END
	tail -n 2 "$work/advice" | sed 1q >"$work/last"
	! grep -q '^    .*[^.…]$' "$work/last" || fail "$rows rows: $(cat "$work/last")"
	! grep -q '…$' "$work/last" || cut=$((cut + 1))
done
[ $cut -gt 1 ] || fail "no sentence is cut"

# Totals of a row that do not fit the table are in the strip.
play 80x24 <<'END'
3
:save-screen operators
2
:save-screen layers
END
shows operators 'CPU Total [0-9.]+ ms'
shows operators 'FLOPs'
shows layers 'CPU Total [0-9.]+ ms'

# The grouping is shown next to the names.
play 100x30 <<'END'
3
:group shape
:save-screen shapes
4
:group properties
:save-screen properties
END
shows shapes 'Name +Input Shapes +Calls'
shows properties 'Name +Grid +Block +Calls'

# The SQL view comes after the other views: 0 and ; open it, and the tab line shows it.
play 120x30 <<'END'
0SELECT<Space>40<Space>+<Space>2<Space>AS<Space>answer<Enter>
:save-screen answer
END
shows answer '; SQL'
shows answer '^> +42'

# The action menu fits when the strip is large.
play 80x24 <<'END'
9x
:save-screen menu
END
[ "$(grep -c '│ [a-z ]\{9\} [A-Z].* │' "$work/menu")" -ge 12 ] || fail "the menu is too small: $(cat "$work/menu")"

# Summaries of Python profilers have advice, too, and it leads to the functions.
cat >"$work/p.collapsed" <<'END'
train.py:1:main;model.py:7:forward 900
train.py:1:main;data.py:3:load 100
END
play 100x30 "$work/p.collapsed" <<'END'
9
:save-screen findings
<Enter>
:save-screen functions
END
shows findings '900 of 1000 samples \(90.0 %\) are taken in'
hides findings 'unknown'
shows functions '\[2 Python\]'

# A card has its gain beside the title; f frames the time that the finding claims.
play 80x24 <<'END'
9
:save-screen cards
f
:save-screen frame
END
shows cards '^[> ] ! Data loader bound +at most [0-9.]+ %, [0-9.]+ ms$'
shows cards '^    '
shows frame '\[5 Timeline\]'
shows frame '[0-9.]+ ms\.\.[0-9.]+ ms'

# Cards move and scroll by finding, and the mouse selects them; chosen columns make a table.
play 80x12 <<'END'
9G
:save-screen last
gg
:save-screen first
:columns severity,problem,gain_pct
:save-screen table
END
selected last '[A-Z]'
selected first '[A-Z]'
shows table '^ *Severity +Finding'

# The headline has priority for space.
printf '%s\n' ':view overview' ":save-screen facts" | play 80x24
shows facts '^[ >]advice +Kernel hot spot  '

# Low utilization leads to all gaps, from the dashboard and from its card; f frames the longest.
kernel='"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"args":{"device":0,"stream":7}'
cat >"$work/idle.json" <<END
{"traceEvents":[{$kernel,"ts":0,"dur":10},{$kernel,"ts":300,"dur":10},{$kernel,"ts":1000,"dur":10}]}
END
play 120x35 "$work/idle.json" <<'END'
/Low GPU<Enter>
:save-screen found
f
:save-screen frame
<Backspace><Enter>
:save-screen card
<Enter>
:save-screen gaps
END
shows found '^>. Low GPU utilization'
shows frame '251 us\.\.1.010 ms'
selected card 'Low GPU utilization'
shows gaps '\[Gaps\]'
shows gaps '^>GPU0 .*690.00 us'
shows gaps '^ GPU0 .*290.00 us'
