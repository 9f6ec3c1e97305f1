# The manual matches the program's views, columns, keys and options.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

for page in strata.1 strata-config.5 strata-json.5 strata-keys.7 strata-recording.7 strata-views.7; do
	"$srcdir/man/generate" "$builddir/strata" "$srcdir/man/$page" >"$work/$page"
	cmp "$work/$page" "$srcdir/man/$page" || fail "man/$page is out of date (make update regenerates it)"
done

# Every key is documented, and mandoc reports no problems.
strata --ignore-config --list-keys | cut -f1 | sort -u | while IFS= read -r action; do
	assert_line "$srcdir/man/strata-keys.7" "^\.Pq $(printf %s "$action" | sed 's/-/.*-/g')$"
done
if command -v groff >/dev/null 2>&1; then
	for page in strata.1 strata-config.5 strata-json.5 strata-keys.7 strata-recording.7 strata-views.7; do
		groff -Kutf8 -mandoc -Tutf8 -ww "$srcdir/man/$page" 2>"$work/complaints" >/dev/null
		[ ! -s "$work/complaints" ] || fail "$(head -3 "$work/complaints")"
	done
fi

# Ids of columns are never hyphenated, at any width.
if command -v groff >/dev/null 2>&1; then
	for width in 50 61 78 97; do
		for page in strata.1 strata-json.5 strata-views.7; do
			groff -Kutf8 -mandoc -Tutf8 -P-cbou -rLL=${width}n "$srcdir/man/$page" 2>/dev/null | awk '
				/Columns:/ { ids = 1 }
				/^ *$/ { ids = 0 }
				(ids || /_[a-z0-9]*‐$/) && /‐$/' >"$work/hyphenated"
			[ ! -s "$work/hyphenated" ] || fail "$page at $width columns: $(head -n 3 "$work/hyphenated")"
		done
	done
fi

# The recording guide says what each view needs that can be empty.
for view in $(strata views -f csv | sed '1d; s/,.*//' | grep -vxE 'overview|recordings|runs|advice|diff|history|info'); do
	assert_line "$srcdir/man/strata-recording.7" "^\.It Cm.* $(printf %s "$view" | sed 's/-/.*-/g')( |$)"
done

# Every command and every option of --help is documented.
for command in report diff bisect query export info serve agent views baseline history doctor attach cache; do
	assert_line "$srcdir/man/strata.1" "^.Cm $command"
done
