# The examples of the README and of the manual work as written, and the README lists every view.
. "${srcdir:-.}/tests/lib.sh"
trace=$work/trace.json.gz
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
export PATH="$work/bin:$PATH"
case $srcdir in /*) ;; *) srcdir=$builddir/$srcdir ;; esac

sed -n 's/^    \(strata .*\)/\1/p' "$srcdir/README.md" >"$work/examples"
sed -n 's/^\.Dl \(strata .*\)/\1/p' "$srcdir/man/strata.1" | sed 's/\\(dq/"/g; s/\\-/-/g' \
	>>"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 8 ] || fail "where are the examples?"
tracegen | gzip -c >"$trace"
cd "$work"
while IFS= read -r example; do
	sh -c "$example" >"$work/out" 2>"$work/err" </dev/null || {
		cat "$work/err" >&2
		fail "does not work: $example"
	}
	case $example in
	*-o*) [ -s kernels.csv ] || fail "wrote nothing: $example" ;;
	*--sqlite*) [ -s run.db ] || fail "wrote nothing: $example" ;;
	*) [ -s "$work/out" ] || fail "says nothing: $example" ;;
	esac
done <"$work/examples"

strata views -f csv | sed '1d; s/,.*//' | while read -r view; do
	assert_line "$srcdir/README.md" "^\\| \`$view\` \\|"
done
for file in open check bootstrap src/README.md; do
	[ -e "$srcdir/$file" ] || fail "the README names $file, which is not there"
done
