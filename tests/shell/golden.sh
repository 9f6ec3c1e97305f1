# Reports of the sample run, as they were looked at and found right.  UPDATE_GOLDEN=1 writes them
# anew: look at what git says has changed.
. "${srcdir:-.}/tests/lib.sh"
golden=$srcdir/tests/golden

# compare FILE COMMAND...: what the command prints, but for where the demo is, how well this
# machine's gzip packs it, and what it takes in memory
compare()
{
	file=$1; shift
	assert_exit 0 "$@"
	sed "s|$builddir/||; /,file size,/d; /,memory held,/d" "$work/out" >"$work/$file"
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/$file" "$golden/$file"
	else
		diff -u "$golden/$file" "$work/$file" || fail "$file is not what it was"
	fi
}

# the tables for people, and one of each format for programs
for view in steps layers modules operators calls kernels launches links streams memory; do
	compare $view.txt strata report $view --demo -q -w 160 -n 40
done
for view in overview info; do
	compare $view.csv strata report $view --demo -q -f csv
done
compare by-shape.csv strata report operators -g shape --demo -q -f csv -n 30
compare properties.json strata report kernels -g properties --demo -q -f json -n 20
compare under.md strata report operators --under Sequential_1 --steps 4 --demo -q -f markdown -n 20
compare query.csv strata query "SELECT step, count(*), sum(dur_ns) FROM launches
	WHERE kind = 'kernel' GROUP BY step" --demo -q -f csv
