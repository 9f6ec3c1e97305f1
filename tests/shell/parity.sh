# Values of other tools for real traces: every difference is listed with its reason in tests/parity.md.
. "${srcdir:-.}/tests/lib.sh"
[ -z "${SANITIZERS-}" ] || skip "figures are compared in a build without sanitizers"
need_corpus golden/torch
[ -x "$corpus/../tools/parity" ] || skip "the comparison tool is not installed"

# "    SECTION: KEY COLUMN: strata A, reference B" before the line of their trace, as table rows; those
# of PyTorch with the name of the trace
list_differences()
{
	awk '/^    / { sub(/^ +/, ""); held[++count] = $0; next }
		count { trace = sub(/^.*torch113\//, "", $1) ? "| `" $1 "` " : ""
			sub(/\.pt\.trace[^`]*/, "", trace)
			for (i = 1; i <= count; i++) {
				if (!sub(/: strata /, "` | ", held[i]))
					held[i] = held[i] "` | none | a row"
				sub(/, reference /, " | ", held[i])
				print trace "| `" held[i] " |"
			}
			count = 0 }' "$1"
}

# Compare SUITE, with at most MOST differences.
compare()
{
	status=0
	"$corpus/../tools/parity" "$builddir/strata" --corpus "$corpus" --suite "$1" -v >"$work/out" ||
		status=$?
	[ "$status" -le 1 ] || fail "the comparison exited with status $status"
	assert_line "$work/out" "^$1: [0-9]+ of [0-9]+ values agree"
	list_differences "$work/out" >"$work/differences"
	while IFS= read -r difference; do
		grep -qF -- "$difference" "$srcdir/tests/parity.md" || fail "unexplained: $difference"
	done <"$work/differences"
	[ "$(wc -l <"$work/differences")" -le "$2" ] || fail "more differences than reasons"
}

compare torch 80
[ ! -d "$corpus/golden/tracelens" ] || compare tracelens 90
[ ! -d "$corpus/golden/tensorboard" ] || compare tensorboard 45
[ ! -d "$corpus/golden/hta" ] || compare hta 2
