# DLProf's eight reports match its own output on the same database byte for byte.
. "${srcdir:-.}/tests/lib.sh"
need_corpus golden/dlprof

# "database": "…", "report": "…", "csv": "…" of each case, one a line
awk -F '"' '$2 == "database" { database = $4 } $2 == "report" { report = $4 }
	$2 == "csv" { print database, report, $4 }' "$corpus/golden/dlprof/cases.json" >"$work/cases"
[ "$(wc -l <"$work/cases")" -ge 8 ] || fail "no cases found"
while read -r database report csv; do
	for format in '' '-f csv'; do
		# shellcheck disable=SC2086 # an empty format is omitted
		assert_exit 0 strata report "dlprof-$report" -q $format "$corpus/$database"
		cmp "$work/out" "$corpus/$csv" || fail "dlprof-$report of $database differs"
	done
	assert_exit 0 strata report "dlprof-$report" -q -f json "$corpus/$database"
	assert_line "$work/out" '^ \{"'
done <"$work/cases"
