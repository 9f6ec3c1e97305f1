# Plot reports: reviewed pictures (UPDATE_GOLDEN=1 regenerates them), well-formed SVG, options,
# malicious names.
. "${srcdir:-.}/tests/lib.sh"
golden=$srcdir/tests/golden

# picture FILE ARGUMENT...: `strata report` of the sample run
picture()
{
	file=$1; shift
	assert_exit 0 strata report "$@" --demo -q
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/out" "$golden/$file"
	else
		diff -u "$golden/$file" "$work/out" || fail "$file has changed"
	fi
}

for plot in memory utilization steps roofline distribution flame; do
	picture plot-$plot.txt plot-$plot -w 100 --height 24
done
picture plot-memory-ascii.txt plot-memory -w 80 --height 16 --ascii
picture plot-memory-braille.txt plot-memory -w 80 --height 16 --braille
picture plot-steps-causes.txt plot-steps -g causes -w 80 --height 16 --ascii
picture plot-flame-match.txt plot-flame -g gpu-reversed --search conv -w 80 --height 8

# ASCII only without UTF-8.
for plot in memory utilization steps roofline distribution flame; do
	LC_ALL=C
	assert_exit 0 strata report plot-$plot --demo -q --braille
	LC_ALL=C.UTF-8
	! LC_ALL=C grep -q '[^ -~]' "$work/out" || fail "plot-$plot is not ASCII in the C locale"
	awk 'length($0) > 160 { exit 1 }' "$work/out" || fail "plot-$plot is too wide"
done

# The peak equals that in the overview.
peak=$(strata query "SELECT printf('%.2f MiB', value / 1048576.0) FROM overview
	WHERE metric = 'peak_memory_bytes'" --demo -q -f csv | sed '1d; s/\r//')
assert_exit 0 strata report plot-memory --demo -q
assert_line "$work/out" "^Peak GPU0 +$peak allocated"

# The matched share equals the sum by SQL.
share=$(strata query "SELECT printf('%.1f', 100.0 * sum(value_ns * (stack LIKE '%softmax%')) /
	sum(value_ns)) FROM stacks" --demo -q -f csv | sed '1d; s/\r//')
assert_exit 0 strata report plot-flame -g gpu --search softmax --demo -q
assert_line "$work/out" "^Match $share %$"

# SVG by format option and by file name; complete documents.
for plot in memory utilization steps roofline distribution flame; do
	assert_exit 0 strata report plot-$plot --demo -q -o "$work/$plot.svg"
	assert_exit 0 strata report plot-$plot --demo -q -f svg
	cmp "$work/out" "$work/$plot.svg" || fail "the two SVG of $plot differ"
done
cat >"$work/hostile.json" <<'END'
{"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"<a&b>\"'\u001b[2J\u202e\u0000]]>","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","cat":"cpu_op","name":"</text></svg><script>alert(1)</script>","pid":1,"tid":1,"ts":20,"dur":11},
{"ph":"X","cat":"cpu_op","name":"\ud800 \ufffe \u65e5\u672c","pid":1,"tid":1,"ts":40,"dur":-3}
]}
END
for group in layers cpu cpu-reversed; do
	assert_exit 0 strata report plot-flame -g $group -q -o "$work/hostile-$group.svg" "$work/hostile.json"
	! grep -q '<script' "$work/hostile-$group.svg" || fail "a name is not escaped"
	assert_exit 0 strata report plot-flame -g $group -q --ascii "$work/hostile.json"
	! LC_ALL=C grep -q '[^ -~]' "$work/out" || fail "a name reached the output unescaped"
done
if command -v xmllint >/dev/null 2>&1; then
	for file in "$work"/*.svg; do
		xmllint --noout "$file" || fail "${file##*/} is not well-formed XML"
	done
fi

# Without a grouping the first one with something to draw is taken.
echo 'main;train;step 30' >"$work/folded.txt"
assert_exit 0 strata report plot-flame -q --ascii -w 60 "$work/folded.txt"
assert_line "$work/out" '^\[train  '
assert_exit 0 strata report plot-flame -q -g layers "$work/folded.txt"
assert_line "$work/out" '^No rows'

# Usage errors are reported.
assert_exit 2 strata report plot-flame -g sideways --demo -q
assert_line "$work/err" 'of layers, layers-each, gpu, cpu'
assert_exit 2 strata report plot-memory -f csv --demo -q
assert_line "$work/err" 'view memory-curve'
assert_exit 2 strata report operators -f svg --demo -q
assert_exit 2 strata report plot-memory -c name --demo -q
assert_exit 2 strata report plot-flame --search '(' --demo -q
assert_exit 2 strata report plot-nothing --demo -q
# An empty scope: the reason, and the exit status for no match.
assert_exit 1 strata report plot-distribution --filter 'no such kernel' --demo -q
assert_line "$work/out" 'Nothing to plot'
# Profiles without a plot's data say how to record it.
tracegen --no-shapes -o "$work/bare.json"
assert_exit 0 strata report plot-roofline -q "$work/bare.json"
assert_line "$work/out" 'record_shapes=True'

# Memory held before the recording is there from its begin, though nothing ever changes it.
echo '[[-1, 1, 4096, 0], [1000, 1, 8192, 3], [2000, 3, 8192, 3]]' >"$work/held.json"
assert_exit 0 strata report plot-memory -w 80 --height 24 "$work/held.json"
grep -q '^Peak parameter  *4.00 KiB allocated at 0 ns' "$work/out" || fail 'no peak of what was held'
grep -A3 'parameter .*Allocated' "$work/out" | grep -q '│████████████████████████████████████████' || fail 'what was held is not drawn'
