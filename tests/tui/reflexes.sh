# What hands expect of vim, less and readline; the focus of panels; menus in groups; tabs with rows.
. "${srcdir:-.}/tests/tui/lib.sh"

# Counts: Alt and a digit begin one, digits continue it; Esc ends it. Alone, digits open views.
play 120x35 <<'END'
4
<M-1>0j
:save-screen ten
<M-3>k
:save-screen seven
<M-9><Esc>j
:save-screen eight
3
:save-screen view
END
shows ten ' 11/33$'
shows seven ' 8/33$'
shows eight ' 9/33$'
shows view '\[3 Operators\]'

# "." repeats the last action, not the last move.
for keys in nn n.; do
	printf ':search aten\n%s\n:save-screen %s\n' "$keys" "$keys" | play 120x35
done
same nn n.
printf ':search aten\nn\n:save-screen once\n' | play 120x35
! cmp -s "$work/once" "$work/n." || fail "a second match is not reached"
printf ':view launches\nj.\n:save-screen event\n' | play 120x35 # of events the next one of the lane
hides event 'no action to repeat'

# The configuration is read again: a binding that was taken away works again.
echo 'bind table X search-name' >"$work/settings"
cat >"$work/script" <<END
4
:unbind table X
X
:save-screen $work/unbound
:reload-config
X
:save-screen $work/bound
END
assert_exit 0 strata --demo --config "$work/settings" --script "$work/script" --size 120x35
shows unbound 'X does nothing here'
hides bound 'X does nothing here'

# Letters of a name in their order complete it where no name begins so.
play 120x35 <<'END'
 :mcurv<Tab>
:save-screen loose
END
shows loose '^:memory-curve'

# Tab moves the focus between panels, around the end; a panel scrolls to its last line.
play 120x35 <<'END'
<Tab>
:save-screen layers
<Tab>
<M-9>j
:save-screen scrolled
<S-Tab><S-Tab>
:save-screen findings
END
shows layers '^>Conv2d'
shows scrolled ' 10/33$'
grep '>' "$work/scrolled" | grep -q '%' || fail "the panel did not scroll to its cursor"
shows findings '^>! '

# The menu shows groups and that it goes on; a small screen has frames nowhere.
printf '4x\n:save-screen menu\n' | play 80x24
shows menu ' go  .*Enter'
shows menu '▼'
printf ':save-screen small\n' | play 40x12
hides small '┌'

# y copies a line with its evidence, Y the lines of its panel.
play 120x35 <<'END'
y
:save-screen line
Y
:save-screen panel
END
shows line "'Low GEMM efficiency"
shows panel ' 6 rows, '

# Tabs are there for what the profile holds; another digit says what is missing, and its view does so, too.
echo '[{"ph":"X","cat":"cpu_op","name":"work","pid":1,"tid":1,"ts":0,"dur":9}]' >"$work/plain.json"
printf ':save-screen tabs\n6\n:save-screen digit\n:view memory\n:save-screen memory\n' | play 120x35 "$work/plain.json"
grep -q '^\[1 Overview\]2 Layers 3 Operators 5 Timeline 9 Advice' "$work/tabs" || fail "$(cat "$work/tabs")"
shows digit '^\[1 Overview\]'
shows digit '^ Memory: No memory events in the profile\. Record with profile_memory=True\.'
# Where there is no room for how to record it, the reason stays whole.
printf '6\n:save-screen narrow\n' | play 60x24 "$work/plain.json"
shows narrow '^ Memory: No memory events in the profile\. +[0-9]'
shows memory '\[6 Memory\]'
echo '[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":9},
	{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":9,"args":{"device":0,"stream":7}}]' >"$work/gpu.json"
printf ':save-screen tabs\n' | play 120x35 "$work/gpu.json"
grep -q '^\[1 Overview\]2 Layers 4 Kernels 5 Timeline 9 Advice' "$work/tabs" || fail "$(cat "$work/tabs")"

# t goes on to the next grouping with rows and names those without; where there is none, the rest was left out
# and t is offered no more. A grouping that needs words is none.
printf '%s\n' ':view python' t :save-screen\ functions t :save-screen\ lines '<Home>' ':view whatif' :save-screen\ edits \
	':view timeline' ':plot ranks' :save-screen\ ranks t :save-screen\ one '<Home>' :save-screen\ offered | play 160x45
shows functions ' grouped by function '
shows lines ' grouped by merged, no rows by line, no rows by caller '
grep -q '^>' "$work/lines" || fail "no rows: $(cat "$work/lines")"
hides edits 't Group'
shows ranks 't Group'
shows one ' Step Time by Rank \(no data by collectives\)'
hides offered 't Group'
