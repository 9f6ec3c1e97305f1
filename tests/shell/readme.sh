# The examples of the README and of the manual work as written; the README's screen and its list of
# views are the program's.  UPDATE_GOLDEN=1 puts the screen of today into the README.
. "${srcdir:-.}/tests/lib.sh"
case $srcdir in /*) ;; *) srcdir=$builddir/$srcdir ;; esac
readme=$srcdir/README.md
trace=$work/trace.json.gz
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
export PATH="$work/bin:$PATH"
tracegen | gzip -c >"$trace"
cd "$work"

# ---- examples ----
sed -n 's/^    \(strata .*\)/\1/p' "$readme" >examples
sed -n 's/^\.Dl \(strata .*\)/\1/p' "$srcdir/man/strata.1" | sed 's/\\(dq/"/g; s/\\-/-/g' \
	>>examples
[ "$(wc -l <examples)" -ge 8 ] || fail "where are the examples?"
while IFS= read -r example; do
	sh -c "$example" >out 2>err </dev/null || {
		cat err >&2
		fail "does not work: $example"
	}
	case $example in
	*'-o kernels.csv'*) [ -s kernels.csv ] || fail "wrote nothing: $example" ;;
	*'--sqlite run.db'*) [ -s run.db ] || fail "wrote nothing: $example" ;;
	*) [ -s out ] || fail "says nothing: $example" ;;
	esac
	rm -f kernels.csv run.db
done <examples

# ---- views ----
strata views -f csv | sed '1d; s/,.*//' >views
while IFS= read -r view; do
	assert_line "$readme" "^\\| \`$view\` \\|"
done <views

# ---- the screen ----
strata --demo --script "$srcdir/tests/golden/readme.keys" --size 104x30
if [ "${UPDATE_GOLDEN-}" ]; then
	awk '/^```text/ { print; while ((getline line <"screen.txt") > 0) print line; hide = 1 }
	     /^```$/ { hide = 0 } !hide' "$readme" >new && cp new "$readme"
fi
sed -n '/^```text/,/^```$/p' "$readme" | sed '1d; $d' >expected
diff -u expected screen.txt || fail "the README shows another screen"

for file in open check bootstrap src/README.md man/strata.1; do
	[ -e "$srcdir/$file" ] || fail "the README names $file, which is not there"
done
