# The manual says of views, columns, keys and options what the program says.
. "${srcdir:-.}/tests/lib.sh"

"$srcdir/man/generate" "$builddir/strata" "$srcdir/man/strata.1" >"$work/strata.1"
cmp "$work/strata.1" "$srcdir/man/strata.1" ||
	fail "man/strata.1 is out of date: man/generate build/strata man/strata.1 makes it anew"

# Every command and every option of --help is in it.
for command in report diff query export info views; do
	assert_line "$srcdir/man/strata.1" "^.Cm $command"
done
