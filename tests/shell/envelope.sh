# The envelope of JSON, the facts of an exported database, and the stability of keys and units.
# UPDATE_GOLDEN=1 adds new keys to tests/golden/json-keys.tsv; it removes none.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
keys=$srcdir/tests/golden/json-keys.tsv
cd "$work"

# ---- keys and units: nothing that was promised disappears ----
# "section": {"key": value, ...} of an envelope on standard input, as lines section.key
envelope_keys()
{
	sed 's/, "columns": .*//' | grep -oE '"[a-z_]+": \{[^}]*\}' | awk -F '"' '{
		for (i = 4; i < NF; i++)
			if (substr($(i + 1), 1, 2) == ": " && $(i - 1) ~ /[{,] ?$/)
				print "envelope\t" $2 "." $i
	}'
}

strata views -f csv | sed '1d; s/,.*//' | while read -r view; do
	strata report "$view" -c help -f tsv | awk -F '\t' -v view="$view" \
		'NR > 1 { print view "\t" $1 "\t" $3 }'
done >now
tracegen --steps 4 -o base.json
tracegen --steps 4 --slow layer3:4 -o slow.json
strata diff base.json slow.json -q -f ndjson --envelope -n 1 >diff.ndjson
head -1 diff.ndjson | envelope_keys >>now
sort -u -o now now
for key in schema.version profile.id base.id scope.under coverage.truncated comparison.reasons \
	truncation.rows_total; do
	assert_line now "^envelope	$key$"
done
if [ "${UPDATE_GOLDEN-}" ]; then
	sort -u now "$keys" >merged 2>/dev/null || cp now merged
	cp merged "$keys"
fi
gone=$(comm -23 "$keys" now)
[ -z "$gone" ] || fail "promised by strata-json(5), and gone or in another unit: $gone"
new=$(comm -13 "$keys" now)
[ -z "$new" ] || fail "not listed in tests/golden/json-keys.tsv (make update adds it): $new"
sed 1d now >fewer
[ -n "$(comm -23 "$keys" fewer)" ] || fail "a missing key is not found"

# ---- the plain array stays the default; the envelope holds the same rows ----
strata report kernels base.json -q -f json -n 3 >plain
assert_equal "start of the array" '[' "$(head -c 1 plain)"
strata report kernels base.json -q -f json -n 3 --envelope >full
sed 1d plain | sed '$d' >rows
sed 1d full | sed '$d' | cmp - rows || fail "the rows of the envelope differ"
strata report kernels base.json -q -f jsonl -n 3 >plain
strata report kernels base.json -q -f ndjson -n 3 --envelope | sed 1d | cmp - plain ||
	fail "the lines after the envelope differ"
strata report kernels base.json -q -f json --envelope -n 3 --steps 3..4 --filter sm80 >full
for part in '"schema": {"name": "strata", "version": 1,' '"view": "kernels"' '"steps": "3..4"' \
	'"filter": "sm80"' '"rows": 3, ' '"truncated": true}' '"known": 3}' '"unit": "ns"'; do
	grep -qF -- "$part" full || fail "the envelope lacks $part"
done
if command -v sqlite3 >/dev/null; then
	for file in full diff.ndjson; do
		head -1 $file >line
		[ $file = full ] && cp full line
		assert_equal "valid JSON, $file" 1 \
			"$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('line') AS TEXT))")"
	done
fi
cp base.json copy.json
id() { strata report info "$1" -q -f ndjson --envelope | sed -n 's/.*"profile": {"id": "\([0-9a-f]*\)".*/\1/p'; }
assert_equal "identity of a copy" "$(id base.json)" "$(id copy.json)"
[ "$(id base.json)" != "$(id slow.json)" ] || fail "two traces have one identity"
head -c 200000 base.json >cut.json
strata report info cut.json -q -f json --envelope >full
assert_line full '"truncated": true, "damaged_events"'
assert_line full '"warnings": \[.*truncated'
assert_exit 2 strata report kernels base.json --envelope -f csv
assert_line err 'requires -f json'
strata query "SELECT 1 AS one" base.json -q -f json --envelope >full
assert_line full '"view": null'

# ---- aliases, TSV ----
strata report kernels base.json -q -f md -n 2 >one
strata report kernels base.json -q -f markdown -n 2 | cmp - one || fail "md is not markdown"
strata query "SELECT 'a' || char(9) || 'b' AS x, 'c' || char(10) || '\\' AS y, NULL AS z" base.json -q -f tsv >tsv
assert_equal "TSV" 'x	y	z|a\tb	c\n\\	' "$(paste -sd'|' tsv)"

# ---- comparable runs ----
assert_line diff.ndjson '"comparable": "yes"'
sed 's/"name": *"/&other_/g; s/ProfilerStep/other/g' base.json >other.json
strata diff base.json other.json -q -f ndjson --envelope >out
assert_line out '"comparable": "no", "reasons": "only 0% of the time'
assert_exit 6 strata diff base.json other.json -q --fail-above 5
assert_line err 'not comparable, so --fail-above has no answer: only'
assert_exit 0 strata diff base.json base.json -q --fail-above 5

# ---- the database ----
need_command sqlite3
strata export base.json -q --sqlite run.db
assert_equal "application id" 1937011297 "$(sqlite3 run.db 'PRAGMA application_id')"
assert_equal "user version" 1 "$(sqlite3 run.db 'PRAGMA user_version')"
assert_equal "facts" "$(id base.json)" \
	"$(sqlite3 run.db "SELECT value FROM strata WHERE section = 'profile' AND key = 'id'")"
assert_equal "unit" ns "$(sqlite3 run.db "SELECT unit FROM strata WHERE key = 'dur_ns'")"
