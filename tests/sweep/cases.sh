# What is said of the small traces that unit tests read, each of which shows one thing, held as checksums in cases.txt:
# PROGRAM PART SUM. A program's traces are those that it writes with STRATA_CASES (file_case.c). Parts: rows, of all
# views, of some traces; advice, all findings of each, also with single durations longer or shorter (rows.c).
#
#   SWEEP='test_advice.*'   only the programs whose names match
#   SWEEP_KEEP=DIR          keep the texts there: compare them with those of another build
#   UPDATE_GOLDEN=1         write the sums of the programs in cases.txt: say in the commit what was compared
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/sums.sh"
sums=$srcdir/tests/sweep/cases.txt
[ -x "$builddir/tests/sweep/rows" ] || skip "no cmocka here"
unset XDG_CACHE_HOME
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"

every=4 most=4 # of the traces of a program, for time: rows
cd "$work"
mkdir texts
cut -d ' ' -f 1 "$sums" | uniq | grep -Ex -e "${SWEEP:-.*}" | sampled 16 >programs
[ -s programs ] || skip "no such program"
while read -r program; do
	[ -x "$builddir/tests/unit/$program" ] || continue
	mkdir -p "of/$program"
	(cd "$builddir" && STRATA_CASES="$work/of/$program/" "tests/unit/$program") >/dev/null 2>&1 || :
	find "of/$program" -mindepth 1 -maxdepth 1 | LC_ALL=C sort >cases
	[ -s cases ] || fail "$program reads no trace"
	# shellcheck disable=SC2046
	"$builddir/tests/sweep/rows" --rows $(awk -v every=$every -v most=$most '
		{ line[NR] = $0 }
		END { for (i = 1; i <= NR; i += (NR > every * most ? NR / most : every)) print line[int(i)] }' cases)
	cat "$program"-*.rows >"texts/$program.rows" 2>/dev/null || :
	if grep -q "^$program advice" "$sums"; then
		# shellcheck disable=SC2046
		"$builddir/tests/sweep/rows" --advice $(cat cases)
		cat "$program"-*.advice >"texts/$program.advice"
	fi
	rm -rf "$program"-* "of/$program"
	echo "$program"
done <programs >names
same_sums names
