# Reports and screens of the sample run, as they were looked at and found right.
# UPDATE_GOLDEN=1 writes them anew.
. "${srcdir:-.}/tests/lib.sh"
golden=$srcdir/tests/golden

compare()
{
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/$1" "$golden/$1"
	else
		diff -u "$golden/$1" "$work/$1" || fail "$1 is not what it was"
	fi
}

for view in overview steps layers modules operators kernels links streams info; do
	assert_exit 0 strata report $view --demo -q -w 160 -n 40
	# the place of the demo differs from build to build
	sed "s|$builddir/||" "$work/out" >"$work/$view.txt"
	compare $view.txt
done
