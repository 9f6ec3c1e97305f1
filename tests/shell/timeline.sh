# The timeline as text: scope, width, character set.
. "${srcdir:-.}/tests/lib.sh"

draw() { assert_exit 0 strata report timeline --demo -q "$@"; }

# Every line has the requested width, in ASCII and in UTF-8, with equal content.
for width in 80 160; do
	draw -w $width --ascii
	! LC_ALL=C grep -q '[^ -~]' "$work/out" || fail "non-ASCII output"
	cp "$work/out" "$work/ascii"
	grep '|$' "$work/ascii" | awk -v w=$width 'length($0) > w { exit 1 }' || fail "wider than $width"
	draw -w $width
	assert_equal "lines" "$(wc -l <"$work/ascii")" "$(wc -l <"$work/out")"
	(LC_ALL=C strata report timeline --demo -q -w $width) >"$work/c"
	cmp "$work/ascii" "$work/c" || fail "output without UTF-8 differs from --ascii"
done
grep -q '[▁▂▃▄▅▆▇]' "$work/out" || fail "no eighth blocks"
draw -w 160 --ascii -o "$work/file"
cmp "$work/file" "$work/ascii" || fail "-o writes different output"

# Required content: steps, device, streams, threads by level, letters.
for line in '^steps +a\|.*@ProfilerStep#3@' '^GPU0 busy +\|' '^GPU0 compute stream 7 .*\|' '^thread .*\|' \
	'^ work +\|' '^ waits +s\|' '^ +\|[ b]*f+[ fbr]*\|$' 'Each cell is'; do
	assert_line "$work/ascii" "$line"
done

# Scoped to a time range, a step, lanes, names.
draw --time 20ms..25ms -w 160 --ascii
assert_line "$work/out" '20.*ms.*24.*ms'
draw --steps 4 --ascii
assert_line "$work/out" '^steps.*ProfilerStep#4'
! grep -q 'ProfilerStep#3' "$work/out" || fail "another step is shown"
draw --stream 20 --ascii
! grep -q '^GPU0 compute stream 7 ' "$work/out" || fail "another stream is shown"
draw --thread 41207 --ascii
assert_line "$work/out" '^ Python'
! grep -q '^thread 41391' "$work/out" || fail "another thread is shown"
draw --filter gemm --ascii
! grep -q '^GPU0 copies stream 20' "$work/out" || fail "a lane emptied by the filter is shown"

# Device utilization as drawn: no cell is blank where the launches view has a launch.
strata query "SELECT count(*) FROM launches WHERE stream = 20" --demo -q -f csv | tail -1 >"$work/count"
[ "$(tr -d '\r' <"$work/count")" -gt 0 ] || fail "nothing on stream 20"
draw -w 160 --ascii
grep '^ work  *m|' "$work/out" | grep -q '[@#=.-]' || fail "copies are not drawn"

# Invalid options are refused.
assert_exit 2 strata report timeline --demo -f csv
assert_line "$work/err" 'is a picture'
assert_exit 2 strata report timeline --demo -n 3
assert_exit 2 strata report timeline --demo --steps 99
assert_exit 2 strata report timeline --demo --filter '('
assert_exit 2 strata report timelin --demo
strata views | grep -q '^  timeline: ' || fail "strata views does not list it"
