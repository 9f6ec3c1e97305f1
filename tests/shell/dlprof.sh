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

# names and options of DLProf: shortened reports, lists, a directory of several levels
assert_exit 0 strata report dlprof-all -q --reports=summary,detail,tensor,node_op,group_node \
	--formats=csv,json --base_name='my run' --output_path="$work/a/b/" "$corpus/$database"
assert_equal "files with --reports and --formats" "$(printf '%s\n' detailed group_op op_type \
	summary tensor_core | sed 's/.*/my_run_&.csv\nmy_run_&.json/')" "$(ls "$work/a/b")"
cmp "$work/a/b/my_run_detailed.csv" "$work/all/dlprof_detailed.csv" || fail "file of --reports"
# so has one report alone
assert_exit 0 strata report dlprof-detail -q --output_path="$work/d/e/f" "$corpus/$database"
cmp "$work/d/e/f/dlprof_detailed.csv" "$work/all/dlprof_detailed.csv" || fail "file of one report"
assert_exit 2 strata report dlprof-all -q --reports=sumary -o "$work/c" "$corpus/$database"
assert_line "$work/err" 'unknown report "sumary"; did you mean dlprof-summary\?'
assert_exit 2 strata report dlprof-all -q --formats=xml -o "$work/c" "$corpus/$database"
assert_exit 2 strata report dlprof-summary -q --formats=csv "$corpus/$database"
for word in tensr:tensor_core expert:expert_systems node:op_type; do
	assert_exit 2 strata report "dlprof-${word%:*}" -q "$corpus/$database"
	assert_line "$work/err" "did you mean dlprof-${word#*:}\?"
done
assert_exit 0 strata report dlprof-summary -q --key_op CONV2D_1 --iter_start=1 "$corpus/$database"
assert_line "$work/out" '^Total Iterations,2$'

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
