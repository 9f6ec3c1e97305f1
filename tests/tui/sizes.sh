# Screen sizes, character sets, malicious names.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# From 20x3 up there is a data row and the footer; below, a message; resizing recovers.
for size in 20x3 20x5 40x6 60x8 80x12 500x200; do
	{
		echo ":set ascii"
		echo 2j
		echo ":resize $size"
		echo ":save-screen s"
	} | play 100x30
	selected s '^>'
	[ "$(wc -l <"$work/s")" = "${size#*x}" ] || fail "$size is not ${size#*x} rows"
	awk -v most="${size%x*}" 'length($0) > most { exit 1 }' "$work/s" || fail "$size is too wide"
done
for size in 1x1 2x2 19x3 20x2 1x40 200x1; do
	{
		echo ":resize $size"
		echo "2jG/x<Enter>:view<Space>kernels<Enter>?q<Esc>scx<Esc>O"
		echo ":save-screen small"
		echo ":resize 100x30"
		echo ":save-screen s"
	} | play 100x30
	shows s 'strata'
done
for rows in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 30; do
	printf '%s\n' "3x<Esc>c<Esc>?" ":save-screen s" | play 33x$rows
	[ "$(wc -l <"$work/s")" = $rows ] || fail "the screen does not have $rows rows"
done

# Resizing to a size gives the screen of starting at that size.
{ echo 2; echo ":save-screen fresh"; } | play 80x24
{ echo 2; echo ":resize 160x45"; echo ":resize 80x24"; echo ":save-screen resized"; } | play 80x24
same fresh resized

# ASCII mode shows the same content in the same columns.
printf '%s\n' 2 ":save-screen utf8" ":set ascii" ":save-screen ascii" | play 100x30
LC_ALL=C; export LC_ALL
printf '%s\n' 2 ":save-screen c" | play 100x30
LC_ALL=C.UTF-8; export LC_ALL
same ascii c
! LC_ALL=C grep -q '[^ -~]' "$work/c" || fail "non-ASCII output in the C locale"
shows c 'GPU Totalv'
shows c '#######'

# A malicious name affects only its own cell.
cat >"$work/hostile.json" <<'END'
{"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"plain","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","cat":"cpu_op","name":"\u001b[2J\u001b[31mred","pid":1,"tid":1,"ts":20,"dur":11},
{"ph":"X","cat":"cpu_op","name":"new\nline\ttab","pid":1,"tid":1,"ts":40,"dur":12},
{"ph":"X","cat":"cpu_op","name":"\u202eoverride\u200b\ufeff","pid":1,"tid":1,"ts":60,"dur":13},
{"ph":"X","cat":"cpu_op","name":"\u65e5\u672c\u8a9e\u306e\u540d\u524d","pid":1,"tid":1,"ts":80,"dur":14},
{"ph":"X","cat":"cpu_op","name":"e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301x","pid":1,"tid":1,"ts":100,"dur":15},
{"ph":"X","cat":"cpu_op","name":"\u009b31m\u007f","pid":1,"tid":1,"ts":120,"dur":16},
{"ph":"X","cat":"cpu_op","name":"\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67","pid":1,"tid":1,"ts":140,"dur":17},
{"ph":"X","cat":"cpu_op","name":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaz","pid":1,"tid":1,"ts":160,"dur":18}
]}
END
printf '%s\n' 3 ":columns name,calls,cpu_total_ns" ":save-screen hostile" |
	play 60x24 "$work/hostile.json"
sed "s|$work/||" "$work/hostile" >"$work/names-60x24"
screen names-60x24
printf '%s\n' ":set ascii" 3 ":columns name,calls,cpu_total_ns" ":save-screen hostile" |
	play 60x24 "$work/hostile.json"
# all rows of the table have the same width
awk '/^--/ { exit } / us/ { if (width && length($0) != width) exit 1; width = length($0) }' "$work/hostile" ||
	fail "the numbers are not aligned"
! LC_ALL=C grep -q "$(printf '\033')" "$work/hostile" || fail "an escape reached the screen"
