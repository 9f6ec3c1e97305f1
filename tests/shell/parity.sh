# PyTorch's key_averages() of real traces: every difference is listed with its reason in
# tests/parity.md.
. "${srcdir:-.}/tests/lib.sh"
need_corpus golden/torch
[ -x "$corpus/../tools/parity" ] || skip "the comparison tool is not installed"

status=0
"$corpus/../tools/parity" "$builddir/strata" --corpus "$corpus" --suite torch -v >"$work/out" || status=$?
[ "$status" -le 1 ] || fail "the comparison exited with status $status"
assert_line "$work/out" '^torch: [0-9]+ of [0-9]+ values agree'

# "    SECTION: KEY COLUMN: strata A, reference B" before the line of their trace, as table rows
awk '/^    / { sub(/^ +/, ""); held[++count] = $0; next }
	count { sub(/^.*torch113\//, "", $1); sub(/\.pt\.trace.*/, "", $1)
		for (i = 1; i <= count; i++) {
			if (!sub(/: strata /, "` | ", held[i]))
				held[i] = held[i] "` | none | a row"
			sub(/, reference /, " | ", held[i])
			print "| `" $1 "` | `" held[i] " |"
		}
		count = 0 }' "$work/out" >"$work/differences"
while IFS= read -r difference; do
	grep -qF -- "$difference" "$srcdir/tests/parity.md" || fail "unexplained: $difference"
done <"$work/differences"
[ "$(wc -l <"$work/differences")" -le 80 ] || fail "more differences than reasons"
