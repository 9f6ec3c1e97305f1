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
	assert_exit 0 strata report "dlprof-$report" -q -f ndjson "$corpus/$database"
	assert_line "$work/out" '^\{"'
done <"$work/cases"

# all eight at once, as files with the names of DLProf, replaced by the next run
read -r database report csv <"$work/cases"
assert_exit 2 strata report dlprof-all "$corpus/$database"
assert_exit 2 strata report dlprof-all -o "$work/all" -c name "$corpus/$database"
for format in csv json; do
	assert_exit 0 strata report dlprof-all -q -f $format -o "$work/all" "$corpus/$database"
done
grep "^$database " "$work/cases" | while read -r database report csv; do
	cmp "$work/all/dlprof_$report.csv" "$corpus/$csv" || fail "file of dlprof-$report"
done
assert_equal "files of dlprof-all" 16 "$(find "$work/all" -type f | wc -l)"

# JSON has the names and values of the CSV
need_command python3
python3 - "$work/all" <<'PY' || fail "JSON of DLProf's reports"
import csv, glob, json, sys

def rounded(value, text):
    number = not isinstance(value, str) and text.count('.') == 1
    return '%.1f' % value if number else str(value)

for path in sorted(glob.glob(sys.argv[1] + '/*.json')):
    report = json.load(open(path))
    with open(path[:-4] + 'csv', newline='') as file:
        if 'rows' in report:
            title, header, *rows = csv.reader(file)
            assert [report['title']] == title and report['columns'] == header, path
            assert len(report['rows']) == len(rows) > 0, path
            for object, row in zip(report['rows'], rows):
                for name, text in zip(header, row):
                    assert rounded(object[name], text) == text, (path, name, object[name], text)
            continue
        for block in file.read().strip().split('\n\n'):
            name, *lines = block.split('\n')
            header = lines.pop(0).split(',')[1:] if lines[0].startswith(',') else None
            assert len(report[name]) == len(lines), name
            for line in lines:
                fact, *values = line.split(',', len(header or [0]))
                members = report[name][fact]
                members = [members[title] for title in header] if header else [members]
                for value, text in zip(members, values):
                    assert rounded(value, text) == text, (fact, value, text)
PY
